"""Begins, cancels and resumes briefings: every setting is checked before anything is asked."""

from __future__ import annotations

import hashlib
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import Max
from django.utils import timezone

from litapp.core.briefing import LANGUAGE, BadBriefing, Checked, check_settings, query_of
from litapp.core.plan import Filters, PlanQuery
from litapp.jobs.models import StepState
from litapp.jobs.services import enqueue
from litapp.ledger.services.clients import source_state
from litapp.projects.models import Project
from litapp.projects.services.events import record_event
from litapp.providers.base import CompiledQuery, SourceError
from litapp.providers.registry import search_provider
from references.models import Briefing
from references.services.model import BadModelSettings, installed_model

KIND = "briefing"


class BriefingProblem(ValueError):
    """Nothing was begun, or nothing changed. `problems` are sentences that say why and what can be done."""

    def __init__(self, *problems: str) -> None:
        super().__init__(" ".join(problems))
        self.problems = problems


def checked_settings(*, topic: str, asked: str, papers: Any, with_model: bool) -> Checked:
    """Every setting of a briefing and of the model, checked together. Raises BriefingProblem; nothing was asked."""
    problems: list[str] = []
    checked = None
    try:
        checked = check_settings(topic=topic, asked=asked, papers=papers)
    except BadBriefing as bad:
        problems += bad.problems
    try:
        if checked is not None:
            compiled_query(checked)
    except SourceError as error:
        problems.append(f"{error.message} {error.hint}".strip())
    try:
        if with_model and installed_model() is None:
            problems.append(
                "This installation has no model (LITAPP_MODEL_URL, LITAPP_MODEL_NAME). Leave AI summaries off."
            )
    except BadModelSettings as bad:
        problems += bad.problems
    state = source_state("pubmed")
    if not state.usable:
        problems.append(f"{state.reason} {state.hint}".strip())
    if problems or checked is None:
        raise BriefingProblem(*problems)
    return checked


def compiled_query(checked: Checked) -> CompiledQuery:
    """The query as PubMed gets it: English only, the newest first. Pure. Raises SourceError for one it cannot read."""
    filters = Filters(languages=(LANGUAGE,), newest_first=True)
    return search_provider("pubmed").compile(PlanQuery(boolean=query_of(checked)), filters)


def briefing_request(
    *, project: Project, actor: Any, request_id: UUID, asked: str, topic: str = "question", papers: Any = 10,
    with_model: bool = False, given: bytes | None = None,
) -> Briefing:  # fmt: skip
    """Begin a briefing: a new version where the topic had one. The same `request_id` gives the same briefing.

    `given` are the bytes that the query was read from (a file), for the input's checksum. Raises BriefingProblem.
    """
    made = Briefing.objects.filter(request_id=request_id, project=project).first()
    if made is not None:
        return made
    checked = checked_settings(topic=topic, asked=asked, papers=papers, with_model=with_model)
    checksum = hashlib.sha256(asked.encode() if given is None else given).hexdigest()
    try:
        return _create(project, actor, request_id, checked, with_model, checksum)
    except IntegrityError:  # the other click of a double click was faster
        return Briefing.objects.get(request_id=request_id, project=project)


@transaction.atomic
def _create(
    project: Project, actor: Any, number: UUID, checked: Checked, with_model: bool, checksum: str
) -> Briefing:  # fmt: skip
    Project.objects.select_for_update(no_key=True).get(pk=project.pk)
    key = hashlib.sha256(f"{checked.topic.value}\n{checked.asked.casefold()}".encode()).hexdigest()
    last = Briefing.objects.filter(project=project, asked_key=key).aggregate(last=Max("number"))["last"] or 0
    row = Briefing.objects.create(
        project=project, requested_by=actor, request_id=number, topic=checked.topic.value, asked=checked.asked,
        asked_key=key, number=last + 1, papers=checked.papers, with_model=with_model, input_sha256=checksum,
        warnings=list(checked.warnings),
    )  # fmt: skip
    record_event(
        project=project, actor=actor, verb="briefing.asked", subject=f"briefing:{row.pk}",
        payload={"topic": row.topic, "asked": row.asked, "version": row.number, "papers": row.papers,
                 "ai_summaries": with_model},
    )  # fmt: skip
    enqueue(KIND, str(row.pk))
    return row


@transaction.atomic
def briefing_cancel(*, briefing: Briefing, actor: Any) -> Briefing:
    """Stop it. Raises BriefingProblem when it has ended."""
    row = Briefing.objects.select_for_update().select_related("project").get(pk=briefing.pk)
    if not row.is_open:
        raise BriefingProblem("This briefing has ended; there is nothing to stop.")
    row.cancel_requested_at = timezone.now()
    if row.state != StepState.RUNNING:
        row.state, row.finished_at, row.message, row.hint = StepState.CANCELLED, timezone.now(), "Stopped.", ""
        row.not_before = None
    row.save()
    record_event(project=row.project, actor=actor, verb="briefing.cancelled", subject=f"briefing:{row.pk}", payload={})
    return row


@transaction.atomic
def briefing_resume(*, briefing: Briefing, actor: Any) -> Briefing:
    """Go on behind the last summary that was written. Raises BriefingProblem when nothing is left to do."""
    row = Briefing.objects.select_for_update().select_related("project").get(pk=briefing.pk)
    if row.state not in (StepState.CANCELLED, StepState.FAILED):
        raise BriefingProblem("Nothing is left to do in this briefing.")
    checked_settings(topic=row.topic, asked=row.asked, papers=row.papers, with_model=row.with_model)
    row.state, row.attempts, row.failures, row.finished_at = StepState.QUEUED, 0, 0, None
    row.message, row.hint, row.not_before, row.lease_token, row.cancel_requested_at = "", "", None, "", None
    row.save()
    record_event(project=row.project, actor=actor, verb="briefing.resumed", subject=f"briefing:{row.pk}", payload={})
    enqueue(KIND, str(row.pk))
    return row

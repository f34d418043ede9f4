"""Background work: leases one reference after the other and goes through the chain of places for its full text."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from litapp.core.fulltext import SILENT, Outcome
from litapp.core.fulltext_reasons import conclude
from litapp.core.ports import Outcome as AnswerOutcome
from litapp.jobs import services as jobs
from litapp.jobs.lease import kept
from litapp.jobs.models import StepState
from litapp.jobs.services import LeaseLost
from litapp.ledger.models import SourceAnswer
from litapp.ledger.services.clients import client_for, source_state
from litapp.ledger.services.web import web_reader
from litapp.projects.services.events import record_event
from litapp.providers.base import Client, SourceError
from litapp.verification.models import PublicationState
from references.models import CopyState, FullText, FullTextAttempt, FullTextCopy, Reference
from references.services.fulltext_chain import Chain, Told, labelled
from references.services.fulltext_requests import LANES, note_retrieved
from searches.models import ReportRetrieval, RetrievalOutcome
from searches.services.report_retrieval import retrieval_note

log = logging.getLogger(__name__)
MOST_ATTEMPTS = 5
"""Claims without an end after which a search is given up: its worker died each time."""
MOST_WAITS = 3
"""How often a search waits for silent places before it says so and ends."""
SHORTEST_WAIT, LONGEST_WAIT = timedelta(seconds=30), timedelta(hours=6)


class Stopped(Exception):
    """The search was cancelled, or its project deleted."""


class FullTextWork:
    """The kind "full_text" of `settings.STEP_KINDS`. Its keys are lanes: each takes whatever waits."""

    def due(self) -> Iterable[str]:
        """All lanes while a search may be claimed."""
        return list(LANES) if FullText.objects.all().claimable().exists() else []

    def run(self, key: str) -> None:
        """Work off searches until none waits."""
        while (row := _next()) is not None:
            full_text, token = row
            try:
                with kept(FullText.objects.all(), token):
                    _work(full_text, token)
            except LeaseLost:
                log.info("The search %s for a full text went to another worker.", full_text.pk)


def _next() -> tuple[FullText, str] | None:
    for pk in FullText.objects.all().claimable().order_by("pk").values_list("pk", flat=True)[:20]:
        token = jobs.claim(FullText.objects.all(), pk)
        if token is not None:
            rows = FullText.objects.select_related("project", "reference__candidate__verification")
            return rows.get(pk=pk), token
    return None


def _work(row: FullText, token: str) -> None:
    rows = FullText.objects.all()
    if row.attempts > MOST_ATTEMPTS:
        jobs.finish(rows, row.pk, token, state=StepState.FAILED, message="LitLedger stumbled over this several times.",
                    hint="Resume it; if it stays so, see the worker's log.")  # fmt: skip
        return
    chain = _chain(row, token)
    try:
        _require_wanted(row)
        chain.run()
    except Stopped:
        jobs.finish(rows, row.pk, token, state=StepState.CANCELLED, message="Cancelled.", hint="")
        return
    _settle(row, token, chain)


def _chain(row: FullText, token: str) -> Chain:
    """The chain for one reference, behind what was asked in this round before."""
    before = list(FullTextAttempt.objects.filter(full_text=row, round=row.round).order_by("pk"))
    record = row.reference.candidate.merged_record

    def tell(told: Told) -> None:
        _store(row, token, told)
        _require_wanted(row)

    firm = [one for one in before if one.url and Outcome(one.outcome) not in SILENT]
    return Chain(
        record,
        client_of=_client,
        reader=web_reader(),
        tell=tell,
        resolver=row.resolver,
        max_age_seconds=settings.ARCHIVE_MAX_AGE_NEGATIVE,
        done={one.url for one in firm},
        told=[Told(one.source, Outcome(one.outcome), one.message, one.url) for one in firm],
    )


def _client(source: str) -> Client:
    """The client of a source. Raises SourceError with the reason where it is switched off."""
    state = source_state(source)
    if not state.usable:
        raise SourceError(source, AnswerOutcome.PERMANENT, state.reason, hint=state.hint, code="switched_off")
    return client_for(source)


def _require_wanted(row: FullText) -> None:
    """Raises Stopped when a person cancelled it, or the project or the reference is gone."""
    now = FullText.objects.select_related("project", "reference").filter(pk=row.pk).first()
    if now is None or now.cancel_requested_at or now.project.deleted_at or now.reference.removed_at:
        raise Stopped


@transaction.atomic
def _store(row: FullText, token: str, told: Told) -> None:
    """Write down one place's answer, and its file, only while the lease holds. The same word twice is one."""
    jobs.renew(FullText.objects.all(), row.pk, token, done=row.done + 1)
    row.done += 1
    known = FullTextAttempt.objects.filter(full_text=row, round=row.round, source=told.source, url=told.url)
    if not known.filter(outcome=told.outcome.value, message=told.message).exists():
        FullTextAttempt.objects.create(
            full_text=row, round=row.round, source=told.source, url=told.url, outcome=told.outcome.value,
            message=told.message, licence=told.licence[:200], version=told.version[:60], answer_id=told.answer_id,
        )  # fmt: skip
    if told.copy is None or told.answer_id is None:
        return
    answer = SourceAnswer.objects.get(pk=told.answer_id)
    accepted = told.copy.outcome is Outcome.ACCEPTED
    FullTextCopy.objects.get_or_create(
        reference=row.reference,
        sha256=answer.sha256,
        defaults={
            "project": row.project, "kind": told.copy.kind, "outcome": told.outcome.value, "why": told.message,
            "state": CopyState.ACCEPTED if accepted else CopyState.ASKED, "source": told.source, "url": told.url,
            "licence": told.licence[:200], "version": told.version[:60], "size": answer.size,
            "pages": told.copy.pages, "answer": answer, "suggested": [row.reference_id],
        },
    )  # fmt: skip


def _settle(row: FullText, token: str, chain: Chain) -> None:
    """End the search: found, or what follows from what the places said; or wait for those that were silent."""
    rows = FullText.objects.all()
    reference = row.reference
    has_copy = FullTextCopy.objects.filter(reference=reference, state=CopyState.ACCEPTED).exists()
    silent = [one for one in chain.told if one.outcome in SILENT]
    if not has_copy and row.failures < MOST_WAITS and (until := _again(silent, row.failures)) is not None:
        jobs.postpone(rows, row.pk, token, until=until, failures=row.failures + 1, attempts=0,
                      message="Waits for a place that could not be asked.")  # fmt: skip
        return
    withdrawn = chain.withdrawn or _is_withdrawn(reference)
    ending = conclude(labelled(chain.told), withdrawn=withdrawn)
    with transaction.atomic():
        if has_copy:
            note_retrieved(reference=reference, actor=None)
        elif not _decided_by_a_person(reference):
            outcome = RetrievalOutcome.NOT_RETRIEVED if ending.reason else RetrievalOutcome.SOUGHT
            retrieval_note(
                candidate=reference.candidate, outcome=outcome, actor=None, reason=ending.reason, because=ending.because
            )  # fmt: skip
        jobs.finish(rows, row.pk, token, hint="", message="" if has_copy else ending.because,
                    state=StepState.PARTIAL if silent and not has_copy else StepState.DONE)  # fmt: skip
        record_event(
            project=row.project, actor=None, verb="fulltext.searched", subject=f"reference:{reference.pk}",
            payload={"key": reference.key, "found": has_copy, "reason": "" if has_copy else ending.reason},
        )  # fmt: skip


def _again(silent: list[Told], waits: int) -> datetime | None:
    """When to look again, where a silent place said when it may be asked; None where no place did."""
    times = [one.retry_at for one in silent if one.retry_at is not None]
    if not times:
        return None
    now = timezone.now()
    return min(max(min(times), now + SHORTEST_WAIT * (waits + 1)), now + LONGEST_WAIT)


def _is_withdrawn(reference: Reference) -> bool:
    verification = reference.candidate.verification
    return verification is not None and verification.publication_state == PublicationState.WITHDRAWN


def _decided_by_a_person(reference: Reference) -> bool:
    """A person's “not retrieved” is not undone by a search that found nothing either."""
    return ReportRetrieval.objects.filter(
        candidate=reference.candidate_id, outcome=RetrievalOutcome.NOT_RETRIEVED, actor__isnull=False
    ).exists()  # fmt: skip

"""Background work on a briefing: asks PubMed once, writes summary after summary, then the document."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from litapp.core.briefing import LANGUAGE, Checked, Method, Topic, newest_first
from litapp.core.formats.briefing import SCHEMA_VERSION, opening_summary, paper_entry, problems
from litapp.jobs import services as jobs
from litapp.jobs.lease import kept
from litapp.jobs.models import StepState
from litapp.jobs.services import LeaseLost
from litapp.ledger.services.clients import asked_for, client_for
from litapp.ledger.services.records import store_hits
from litapp.projects.services.events import record_event
from litapp.providers.base import Deferred, Page, SourceError
from litapp.providers.model.prompt import PROMPT_VERSION
from litapp.providers.registry import search_provider
from references.models import Briefing, BriefingPaper
from references.services.briefing import compiled_query
from references.services.briefing_files import environment_of
from references.services.model import BadModelSettings, Model, ModelFault, ModelSettings, installed_model, model_summary

log = logging.getLogger(__name__)
MOST_ATTEMPTS = 5
MOST_WAITS = 5
WAIT = timedelta(seconds=60)


class _Stopped(Exception):
    """The briefing was stopped, or its project deleted."""


class BriefingWork:
    """The kind "briefing" of `settings.STEP_KINDS`; a key is the id of a Briefing."""

    def due(self) -> Iterable[str]:
        """Briefings that may be worked on now."""
        return [str(pk) for pk in Briefing.objects.all().claimable().order_by("pk").values_list("pk", flat=True)]

    def run(self, key: str) -> None:
        """Claim the briefing and do it; a killed worker's successor goes on behind its last summary."""
        rows = Briefing.objects.all()
        token = jobs.claim(rows, int(key))
        if token is None:
            return
        try:
            row = Briefing.objects.select_related("project").get(pk=int(key))
            with kept(rows, token), asked_for(row.requested_by_id):
                _work(row, token)
        except LeaseLost:
            log.info("The briefing %s went to another worker.", key)


def _work(row: Briefing, token: str) -> None:
    if row.attempts > MOST_ATTEMPTS:
        _end(row, token, StepState.FAILED, "LitLedger stumbled over this briefing several times.",
             "Resume it; if it stays so, see the worker's log.")  # fmt: skip
        return
    try:
        if row.read_at is None:
            _read(row, token)
        _summarise(row, token)
        _finish(row, token)
    except _Stopped:
        _end(row, token, StepState.CANCELLED, "Stopped.", "Resume it to go on.")
    except Deferred as error:
        if row.failures >= MOST_WAITS:
            _end(row, token, StepState.FAILED, error.message, error.hint)
            return
        until = max(error.retry_at or timezone.now(), timezone.now() + timedelta(seconds=1))
        jobs.postpone(Briefing.objects.all(), row.pk, token, until=min(until, timezone.now() + timedelta(hours=6)),
                      failures=row.failures + 1, attempts=0, message=error.message, hint=error.hint)  # fmt: skip
    except SourceError as error:
        _end(row, token, StepState.FAILED, error.message, error.hint or "Resume it later.")
    except (ModelFault, BadModelSettings) as fault:
        _end(
            row,
            token,
            StepState.FAILED,
            str(fault),
            "Correct the settings and resume, or make the briefing without AI.",
        )


def _read(row: Briefing, token: str) -> None:
    """Ask PubMed, and store what it returned in the order of the briefing."""
    page, sent = _asked(row)
    records = [hit.record for hit in page.hits]
    order = newest_first(records)
    warnings = [*row.warnings, *page.notes]
    if page.missing:
        warnings.append(f"PubMed named {len(page.missing)} record(s) that it did not send: {', '.join(page.missing)}.")
    if page.invalid_records:
        warnings.append(f"{page.invalid_records} record(s) without a title were not used.")
    with transaction.atomic():
        stored = store_hits([(hit.answer_id, hit.position, hit.record) for hit in page.hits])
        BriefingPaper.objects.bulk_create(
            [
                BriefingPaper(briefing=row, place=n, source_record=stored[place])
                for n, place in enumerate(order, start=1)
            ]
        )
        now = timezone.now()
        jobs.renew(Briefing.objects.all(), row.pk, token, read_at=now, found=page.total, query_sent=sent,
                   warnings=warnings, total=len(order), done=0, attempts=1)  # fmt: skip
    row.refresh_from_db()


def _asked(row: Briefing) -> tuple[Page, str]:
    """The newest records of the query in English, and the query as it was sent. Raises SourceError."""
    _require_wanted(row)
    compiled = compiled_query(Checked(Topic(row.topic), row.asked, row.papers))
    return search_provider("pubmed").fetch_page(client_for("pubmed"), compiled, {}, row.papers), compiled.text


def _summarise(row: Briefing, token: str) -> None:
    """Write the summaries that are not there yet, one after the other."""
    chosen = installed_model() if row.with_model else None
    if row.with_model and chosen is None:
        raise ModelFault("The model that was chosen is not set any more (LITAPP_MODEL_URL, LITAPP_MODEL_NAME).")
    left = list(BriefingPaper.objects.filter(briefing=row, summary={}).select_related("source_record"))
    model = Model(chosen) if chosen is not None and left else None
    try:
        for paper in left:
            _require_wanted(row)
            summary = _summary(paper, model, chosen)
            with transaction.atomic():
                BriefingPaper.objects.filter(pk=paper.pk).update(summary=summary)
                row.done = BriefingPaper.objects.filter(briefing=row).exclude(summary={}).count()
                jobs.renew(Briefing.objects.all(), row.pk, token, done=row.done, attempts=1)
    finally:
        if model is not None:
            model.close()


def _summary(paper: BriefingPaper, model: Model | None, chosen: ModelSettings | None) -> dict[str, Any]:
    record = paper.source_record.record
    if model is None or chosen is None:
        return opening_summary(record)
    return model_summary(model, chosen, record, today=timezone.now().date())


def _require_wanted(row: Briefing) -> None:
    now = Briefing.objects.select_related("project").filter(pk=row.pk).first()
    if now is None or now.cancel_requested_at or now.project.deleted_at:
        raise _Stopped


def _finish(row: Briefing, token: str) -> None:
    """Write the document, also that of a briefing without papers. One that is not as published is our own fault."""
    document = document_of(row)
    wrong = problems(document)
    if wrong:
        raise AssertionError(f"The briefing {row.pk} is not as its schema says: {wrong[0]}")
    with transaction.atomic():
        jobs.finish(Briefing.objects.all(), row.pk, token, state=StepState.DONE, document=document, message="", hint="",
                    environment=environment_of(document))  # fmt: skip
        record_event(
            project=row.project, actor=None, verb="briefing.finished", subject=f"briefing:{row.pk}",
            payload={"counts": document["counts"]},
        )  # fmt: skip


def document_of(row: Briefing) -> dict[str, Any]:
    """The document of a briefing whose summaries are all written. See the published schema."""
    papers = list(BriefingPaper.objects.filter(briefing=row).select_related("source_record").order_by("place"))
    entries = [paper_entry(paper.source_record.record, paper.summary) for paper in papers]
    summaries = [paper.summary for paper in papers]
    fallbacks = [one for one in summaries if one["fallback_reason"]]
    warnings = list(row.warnings)
    if not entries:
        warnings.append("PubMed returned no paper for this query.")
    if fallbacks:
        count = len(fallbacks)
        warnings.append(f"{count} of {len(summaries)} papers have no AI summary; the reason stands at each.")
    if row.project.sandbox or settings.SANDBOX_URL:
        warnings.append("Sandbox data: this briefing says nothing about the literature.")
    return {
        "schema_version": SCHEMA_VERSION,
        "version": row.number,
        "generated_at": timezone.now().strftime("%Y-%m-%dT%H:%M:%SZ"),
        "input_sha256": row.input_sha256,
        "sandbox": bool(row.project.sandbox or settings.SANDBOX_URL),
        "query": {
            "asked": row.asked, "topic": row.topic, "source": "pubmed", "sent": row.query_sent,
        },
        "settings": {
            "papers": row.papers, "language": LANGUAGE, "order": "newest first, by the date as read",
            "ai_summaries": row.with_model, "model": _model_told(row),
        },
        "warnings": warnings,
        "counts": {
            "found": row.found,
            "papers": len(entries),
            "with_abstract": sum(entry["abstract"] is not None for entry in entries),
            "openings": sum(one["method"] == Method.OPENING for one in summaries),
            "ai_summaries": sum(one["method"] == Method.MODEL for one in summaries),
            "fallbacks": len(fallbacks),
            "unavailable": sum(one["method"] == Method.UNAVAILABLE for one in summaries),
            "tokens": _tokens(summaries),
        },
        "papers": entries,
    }  # fmt: skip


def _model_told(row: Briefing) -> dict[str, Any] | None:
    chosen = installed_model() if row.with_model else None
    return chosen.told(PROMPT_VERSION) if chosen else None


def _tokens(summaries: list[dict[str, Any]]) -> int | None:
    stated = [one["usage"]["total_tokens"] for one in summaries if one["usage"] and one["usage"]["total_tokens"]]
    return sum(stated) if stated else None


def _end(row: Briefing, token: str, state: StepState, message: str, hint: str) -> None:
    jobs.finish(Briefing.objects.all(), row.pk, token, state=state, message=message, hint=hint)

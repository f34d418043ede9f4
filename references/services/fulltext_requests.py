"""Begins, cancels and resumes searches for full texts, and writes down what people decide about them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from urllib.parse import urlsplit

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from litapp.core.fulltext_reasons import REASONS
from litapp.jobs.models import OPEN_STATES, StepState
from litapp.jobs.services import enqueue
from litapp.projects.models import Project
from litapp.projects.services.events import record_event
from litapp.providers.addresses import is_obviously_local
from references.models import CopyState, FullText, FullTextCopy, Reference, ResolverAddress
from searches.models import ReportRetrieval, RetrievalOutcome
from searches.services.report_retrieval import retrieval_note

KIND = "full_text"
LANES = ("0", "1", "2", "3")
"""Keys of the work: so many searches go on side by side, each taking the next reference that waits."""
_QUEUED: dict[str, Any] = {
    "state": StepState.QUEUED, "lease_token": "", "leased_by": "", "not_before": None, "finished_at": None,
    "failures": 0, "attempts": 0, "message": "", "hint": "", "cancel_requested_at": None,
}  # fmt: skip


class FullTextProblem(ValueError):
    """Nothing was begun, or nothing changed. The message says why and what can be done."""


def ring() -> None:
    """Let the workers look for searches that wait."""
    for lane in LANES:
        enqueue(KIND, lane)


@transaction.atomic
def fulltexts_request(*, project: Project, actor: Any, reference_ids: Iterable[int]) -> int:
    """Begin the search for these references' full texts, anew where one was made before; returns how many.

    A search that is going on is left alone. Raises FullTextProblem where none of the references is in the list.
    """
    Project.objects.select_for_update(no_key=True).get(pk=project.pk)
    wanted = Reference.objects.current().filter(project=project, pk__in=set(reference_ids))
    references = list(wanted.select_related("candidate").order_by("pk"))
    if not references:
        raise FullTextProblem("Choose at least one reference.")
    known = {row.reference_id: row for row in FullText.objects.filter(reference__in=references)}
    chosen = ResolverAddress.objects.filter(user=actor).values_list("address", flat=True).first() or ""
    fresh = [one for one in references if one.pk not in known]
    again = [row.pk for row in known.values() if not row.is_open]
    FullText.objects.bulk_create(
        [FullText(project=project, reference=one, requested_by=actor, resolver=chosen) for one in fresh]
    )
    FullText.objects.filter(pk__in=again).update(
        **_QUEUED, round=F("round") + 1, requested_by=actor, resolver=chosen
    )  # fmt: skip
    begun = len(fresh) + len(again)
    if begun:
        _note_sought(references, actor)
        record_event(
            project=project, actor=actor, verb="fulltext.sought", subject="",
            payload={"references": begun, "resolver": bool(chosen)},
        )  # fmt: skip
        ring()
    return begun


def _note_sought(references: list[Reference], actor: Any) -> None:
    """They count as sought from now on; what a person decided before stays until the search says otherwise."""
    decided = set(
        ReportRetrieval.objects.filter(candidate__in=[one.candidate_id for one in references])
        .exclude(outcome=RetrievalOutcome.NOT_RETRIEVED, actor=None)
        .values_list("candidate_id", flat=True)
    )
    for one in references:
        if one.candidate_id not in decided:
            retrieval_note(candidate=one.candidate, outcome=RetrievalOutcome.SOUGHT, actor=actor)


@transaction.atomic
def fulltexts_cancel(*, project: Project, actor: Any) -> int:
    """Stop every search of the project; what was found stays. Returns how many were stopped."""
    rows = FullText.objects.filter(project=project, state__in=OPEN_STATES)
    now = timezone.now()
    running = rows.filter(state=StepState.RUNNING).update(cancel_requested_at=now)
    waiting = rows.exclude(state=StepState.RUNNING).update(
        state=StepState.CANCELLED, finished_at=now, not_before=None, message="Cancelled."
    )
    if running + waiting:
        record_event(
            project=project, actor=actor, verb="fulltext.cancelled", payload={"references": running + waiting}
        )  # fmt: skip
    return running + waiting


@transaction.atomic
def fulltexts_resume(*, project: Project, actor: Any) -> int:
    """Go on with every search that was cancelled or failed, in its round. Returns how many."""
    rows = FullText.objects.filter(project=project, state__in=(StepState.CANCELLED, StepState.FAILED))
    resumed = rows.update(**_QUEUED)
    if resumed:
        record_event(project=project, actor=actor, verb="fulltext.resumed", payload={"references": resumed})
        ring()
    return resumed


@transaction.atomic
def copy_decide(*, copy: FullTextCopy, actor: Any, reference: Reference | None) -> FullTextCopy:
    """A person's answer about a file: it is the full text of `reference`, or of none of the list (None).

    Raises FullTextProblem where that reference has this very file already.
    """
    row = FullTextCopy.objects.select_for_update().select_related("project").get(pk=copy.pk)
    if reference is None:
        row.state = CopyState.DECLINED
    else:
        twin = FullTextCopy.objects.filter(reference=reference, sha256=row.sha256).exclude(pk=row.pk).first()
        if twin is not None and twin.state == CopyState.ACCEPTED:
            raise FullTextProblem(f"{reference.key} has this file already.")
        if twin is not None:
            twin.delete()
        row.state, row.reference = CopyState.ACCEPTED, reference
    row.decided_by, row.decided_at = actor, timezone.now()
    row.save()
    if reference is not None:
        note_retrieved(reference=reference, actor=actor)
    record_event(
        project=row.project, actor=actor, verb="fulltext.answered", subject=f"fulltext_copy:{row.pk}",
        payload={"reference": reference.key if reference else "", "state": row.state, "sha256": row.sha256},
    )  # fmt: skip
    return row


@transaction.atomic
def copy_withdraw(*, copy: FullTextCopy, actor: Any) -> FullTextCopy:
    """Take a file back that was accepted: it is not the full text after all. The bytes stay in the archive."""
    row = FullTextCopy.objects.select_for_update().select_related("project", "reference__candidate").get(pk=copy.pk)
    if row.state != CopyState.ACCEPTED or row.reference is None:
        raise FullTextProblem("This file is not a full text of the list.")
    row.state, row.decided_by, row.decided_at = CopyState.DECLINED, actor, timezone.now()
    row.save()
    if not FullTextCopy.objects.filter(reference=row.reference, state=CopyState.ACCEPTED).exists():
        told = "The file that was taken for it is not it."
        retrieval_note(
            candidate=row.reference.candidate, outcome=RetrievalOutcome.SOUGHT, actor=actor, because=told
        )  # fmt: skip
    record_event(
        project=row.project, actor=actor, verb="fulltext.answered", subject=f"fulltext_copy:{row.pk}",
        payload={"reference": row.reference.key, "state": row.state, "sha256": row.sha256},
    )  # fmt: skip
    return row


def note_retrieved(*, reference: Reference, actor: Any) -> None:
    """The report is there. In the caller's transaction."""
    retrieval_note(candidate=reference.candidate, outcome=RetrievalOutcome.RETRIEVED, actor=actor)


@transaction.atomic
def mark_not_retrieved(*, reference: Reference, actor: Any, reason: str, because: str = "") -> ReportRetrieval:
    """A person decides that the report cannot be had. Raises FullTextProblem for an unknown reason, or where a full
    text is there."""
    if reason not in REASONS:
        raise FullTextProblem("Choose why it could not be retrieved.")
    if FullTextCopy.objects.filter(reference=reference, state=CopyState.ACCEPTED).exists():
        raise FullTextProblem("A full text of this paper is here. Take it back first, if it is not the paper.")
    row = retrieval_note(
        candidate=reference.candidate, outcome=RetrievalOutcome.NOT_RETRIEVED, actor=actor, reason=reason,
        because=because.replace("\x00", "").strip()[:500],
    )  # fmt: skip
    record_event(
        project=reference.project, actor=actor, verb="fulltext.not_retrieved", subject=f"reference:{reference.pk}",
        payload={"key": reference.key, "reason": reason, "because": row.because},
    )  # fmt: skip
    return row


@transaction.atomic
def mark_open(*, reference: Reference, actor: Any) -> None:
    """Take a “not retrieved” back: the report is sought again."""
    changed = ReportRetrieval.objects.filter(
        candidate=reference.candidate_id, outcome=RetrievalOutcome.NOT_RETRIEVED
    ).exists()  # fmt: skip
    if changed:
        retrieval_note(candidate=reference.candidate, outcome=RetrievalOutcome.SOUGHT, actor=actor)
        record_event(
            project=reference.project, actor=actor, verb="fulltext.reopened", subject=f"reference:{reference.pk}",
            payload={"key": reference.key},
        )  # fmt: skip


@transaction.atomic
def resolver_save(*, user: Any, address: str) -> str:
    """Keep a person's own resolver address, or remove it ("" = none). Returns what is kept.

    Raises FullTextProblem for what is no address, or none that LitLedger may ask.
    """
    text = address.strip()
    if not text:
        ResolverAddress.objects.filter(user=user).delete()
        return ""
    try:
        parts = urlsplit(text)
        host = parts.hostname or ""
    except ValueError:
        parts, host = urlsplit(""), ""
    if parts.scheme not in ("http", "https") or not host or any(sign.isspace() for sign in text) or len(text) > 500:
        raise FullTextProblem("Give the address as it stands in your library's help page, beginning with https://.")
    if parts.username is not None or parts.password is not None:
        raise FullTextProblem("Leave name and password out of the address: LitLedger never logs in for you.")
    if is_obviously_local(host):
        raise FullTextProblem("This address is not public. LitLedger asks public addresses only.")
    ResolverAddress.objects.update_or_create(user=user, defaults={"address": text})
    return text

"""Takes the good entries of a checked list into the project: the sources' records, never what was pasted."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import transaction

from litapp.core.dedupe import Relation, compare
from litapp.core.records import Record, record_from_dict
from litapp.ledger.services.records import store_lookup
from litapp.projects.services.events import record_event
from litapp.verification.findings import GRAVE_STATES
from litapp.verification.models import CheckOutcome, KnownAnswer, VerdictStatus, Verification
from litapp.verification.services.known_answers import identifier_question
from references.models import EntryKind, ListEntry, ReferenceListCheck
from searches.models import Candidate, Decision
from searches.services.candidates import absorb_brought
from searches.services.screening import decide_many

NOT_VERIFIED = "is not verified"
RETRACTED = "was retracted or withdrawn"
NO_RECORD = "the source's record is not in the ledger any more: check the entry again, then take it"
REASON = "Taken from the checked list “{title}”"


@dataclass(frozen=True, slots=True)
class Taken:
    """What came of it: the entries that are in the reference list now, how many papers these are and how many of them
    were there before, and those left out with the reason (entry -> words)."""

    entries: tuple[int, ...]
    papers: int
    before: int
    left_out: dict[int, str]


@transaction.atomic
def list_take(
    *, list_check: ReferenceListCheck, actor: Any, request_id: UUID, entry_ids: Iterable[int] | None = None
) -> Taken:
    """Include the papers of the chosen entries, or of all verified ones that are not retracted, in the project.

    Each becomes a candidate made of the records that the sources returned when it was checked; it is checked as such
    and decided "include", which puts it into the reference list. The same `request_id` again changes nothing.
    """
    rows = list_check.entries.filter(kind=EntryKind.REFERENCE).select_related("verification").order_by("number")
    if entry_ids is not None:
        rows = rows.filter(pk__in=list(entry_ids))
    left_out: dict[int, str] = {}
    wanted: list[ListEntry] = []
    for entry in rows:
        if reason := why_not(entry):
            left_out[entry.pk] = reason
        else:
            wanted.append(entry)
    stored = {}
    for entry, records in zip(wanted, source_records([_checked(entry) for entry in wanted]), strict=True):
        if records:
            stored[entry.pk] = [store_lookup(answer_id=answer, record=record) for answer, record in records]
        else:
            left_out[entry.pk] = NO_RECORD
    everything = [row for found in stored.values() for row in found]
    at = absorb_brought(project=list_check.project, rows=everything) if everything else []
    candidate_of = dict(zip([row.pk for row in everything], at, strict=True))
    taken = {pk: candidate_of[found[0].pk] for pk, found in stored.items()}
    before = Candidate.objects.filter(pk__in=taken.values(), decision=Decision.INCLUDE).count()
    if taken:
        decide_many(
            project=list_check.project, actor=actor, candidate_ids=taken.values(), decision=Decision.INCLUDE,
            request_id=request_id, reason=REASON.format(title=list_check.title),
        )  # fmt: skip
        ListEntry.objects.bulk_update(
            [ListEntry(pk=pk, candidate_id=candidate) for pk, candidate in taken.items()], ["candidate"], batch_size=500
        )
        record_event(
            project=list_check.project, actor=actor, verb="list.taken", subject=f"list:{list_check.pk}",
            payload={"entries": len(taken), "candidates": sorted(set(taken.values()))},
        )  # fmt: skip
    return Taken(tuple(taken), len(set(taken.values())), before, left_out)


def why_not(entry: ListEntry) -> str:
    """Why an entry cannot be taken as it is; "" = it can."""
    verification = entry.verification
    if verification is None or verification.status != VerdictStatus.VERIFIED or verification.checked_at is None:
        return NOT_VERIFIED
    return RETRACTED if verification.publication_state in GRAVE_STATES else ""


def _checked(entry: ListEntry) -> Verification:
    assert entry.verification is not None
    return entry.verification


def source_records(verifications: Sequence[Verification]) -> list[list[tuple[int, Record]]]:
    """For each verified reference the records that confirm it, with the archived answer of each; [] where none is
    known any more. What a source returned under its identifier but is another paper is not among them."""
    answers: defaultdict[int, set[int]] = defaultdict(set)
    for verification in verifications:
        confirming = verification.checks.filter(round=verification.round, outcome=CheckOutcome.PASS)
        answers[verification.pk] |= {pk for pk in confirming.values_list("answers", flat=True) if pk is not None}
    return [_records(verification, answers[verification.pk]) for verification in verifications]


def _records(verification: Verification, answer_ids: set[int]) -> list[tuple[int, Record]]:
    if not verification.matched:
        return []
    matched = record_from_dict(verification.matched)
    questions = [identifier_question(identifier) for identifier in matched.identifiers]
    by_question = KnownAnswer.objects.filter(question__in=questions, found=True)
    by_answer = KnownAnswer.objects.filter(answer_id__in=answer_ids, found=True)
    found: dict[tuple[int, str, str], tuple[int, Record]] = {}
    for known in (*by_question, *by_answer):
        for data in known.records:
            record = record_from_dict(data)
            if _same_work(matched, record):
                found.setdefault((known.answer_id, record.source, record.source_id), (known.answer_id, record))
    return [found[key] for key in sorted(found)]


def _same_work(matched: Record, record: Record) -> bool:
    """The matched record itself, or one that the rules of duplicates join with it: the others would become papers of
    their own (a preprint, a notice under the paper's identifier)."""
    if (record.source, record.source_id) == (matched.source, matched.source_id):
        return True
    return compare(matched, record).relation is Relation.SAME

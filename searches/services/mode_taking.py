"""Takes found papers into the project: candidates of a search of their own, with the records the sources returned."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from litapp.jobs.models import StepState
from litapp.ledger.models import SourceRecord
from litapp.ledger.services.bodies import write_body
from litapp.projects.services.events import record_event
from litapp.verification.models import VerdictStatus
from searches.models import Decision, FoundPaper, ImportedEntry, ImportKind, Mode, PaperSearch
from searches.services.candidates import absorb_brought
from searches.services.import_reading import lacking_of
from searches.services.imports import ImportDetails, create_import
from searches.services.mode_papers import live_identifiers
from searches.services.screening import decide_many

CITATION_SEARCHING = "Citation searching"
"""What PRISMA calls related papers, references and citations: one of its “other methods”."""
QUICK_CITE = "Quick cite"
REFERENCE_POOL = "Reference pool"
DATABASES = {Mode.RELATED: CITATION_SEARCHING, Mode.QUICK_CITE: QUICK_CITE, Mode.POOL: REFERENCE_POOL}
"""Mode -> the name under which PRISMA counts the records that were taken: other methods, no database."""
NOT_OFFERED = "its check found that it is not the paper it seems to be"


@dataclass(frozen=True, slots=True)
class TakenPapers:
    """What came of it: candidates (in the order of the papers), how many of the papers were in the project before, and
    those left out with the reason (paper id -> words)."""

    candidates: tuple[int, ...]
    before: int
    left_out: dict[int, str]


@transaction.atomic
def papers_take(
    *, search: PaperSearch, actor: Any, request_id: UUID, paper_ids: Iterable[int], include: bool = False
) -> TakenPapers:
    """Make candidates of found papers; `include` = the person includes them, which puts them into the reference list.

    They come in as an import of their own that names the search, so that PRISMA counts them under other methods and
    they can be taken back. A paper that is a candidate already is not added again. The same request changes nothing.
    """
    search = PaperSearch.objects.select_for_update().get(pk=search.pk)
    rows = search.papers.filter(pk__in=list(paper_ids)).select_related("verification", "main_record").order_by("place")
    left_out: dict[int, str] = {}
    new: list[FoundPaper] = []
    standing: list[int] = []
    for paper in rows:
        if paper.verification and paper.verification.status == VerdictStatus.SUSPECT:
            left_out[paper.pk] = NOT_OFFERED
        elif (pk := _standing(paper)) is not None:
            standing.append(pk)
        else:
            new.append(paper)
    taken = _add(search, actor, request_id, new) if new else []
    everything = [*standing, *taken]
    if include and everything:
        decide_many(
            project=search.project, actor=actor, candidate_ids=everything, decision=Decision.INCLUDE,
            request_id=request_id, reason=f"{search.get_mode_display()}: “{search.title}”"[:300],
        )  # fmt: skip
    return TakenPapers(tuple(everything), len(standing), left_out)


def _standing(paper: FoundPaper) -> int | None:
    """The candidate it is already; None for none, or one that was withdrawn since."""
    candidate = paper.candidate
    while candidate is not None and candidate.merged_into is not None:
        candidate = candidate.merged_into
    return candidate.pk if candidate is not None and candidate.withdrawn_at is None else None


def _add(search: PaperSearch, actor: Any, request_id: UUID, papers: list[FoundPaper]) -> list[int]:
    """One import with an entry for every record that a source returned of these papers."""
    records = {paper.pk: _records(paper) for paper in papers}
    body = _account(search, request_id, papers, records)
    sha256 = write_body(body)
    entries = [(paper, row) for paper in papers for row in records[paper.pk]]
    lacking: dict[str, int] = {}
    for _, row in entries:
        for name in lacking_of(row.record):
            lacking[name] = lacking.get(name, 0) + 1
    made = create_import(
        project=search.project, actor=actor, request_id=_import_request(search, request_id), sha256=sha256,
        size=len(body), operation="list", kind=ImportKind.IDENTIFIERS,
        details=ImportDetails(DATABASES[Mode(search.mode)], platform="LitLedger", searched_on=_searched_on(search)),
        file_name=f"{search.mode}-{search.pk}.json", format=search.get_mode_display(), encoding="UTF-8",
        query=search.title, state=StepState.DONE, total=len(entries), done=len(entries), read=len(entries),
        bytes_read=len(body), lacking=dict(sorted(lacking.items())), finished_at=timezone.now(),
    )  # fmt: skip
    ImportedEntry.objects.bulk_create(
        ImportedEntry(
            record_import=made, number=number, text=" ".join(paper.why)[:2000], title=row.record.title[:300],
            source_record=row, **_named(row),
        )
        for number, (paper, row) in enumerate(entries, start=1)
    )  # fmt: skip
    at = absorb_brought(project=search.project, rows=[row for _, row in entries])
    by_row = dict(zip([row.pk for _, row in entries], at, strict=True))
    taken = {paper.pk: by_row[paper.main_record_id] for paper in papers}
    FoundPaper.objects.bulk_update([FoundPaper(pk=pk, candidate_id=to) for pk, to in taken.items()], ["candidate"])
    record_event(
        project=search.project, actor=actor, verb="paper_search.taken", subject=f"paper_search:{search.pk}",
        payload={"mode": search.mode, "papers": len(papers), "candidates": sorted(set(taken.values())),
                 "import": made.pk},
    )  # fmt: skip
    return [taken[paper.pk] for paper in papers]


def _records(paper: FoundPaper) -> list[SourceRecord]:
    """What the sources returned of a paper, the record that is shown among it."""
    rows = {row.pk: row for row in (*paper.records.all(), paper.main_record)}
    return [rows[pk] for pk in sorted(rows)]


def _import_request(search: PaperSearch, request_id: UUID) -> UUID:
    """The import's own number: the decision uses the request's."""
    return UUID(hashlib.sha256(f"{search.pk}:{request_id}".encode()).hexdigest()[:32])


def _searched_on(search: PaperSearch) -> Any:
    return (search.searched_at or search.created_at).date()


def _named(row: Any) -> dict[str, str]:
    found = live_identifiers(row.record)
    return {"scheme": found[0].scheme.value, "identifier": found[0].value[:300]} if found else {}


def _account(search: PaperSearch, request_id: UUID, papers: list[FoundPaper], records: dict[int, list[Any]]) -> bytes:
    """What was taken and why, as the import's archived text."""
    told = {
        "search": search.pk,
        "mode": search.mode,
        "question": search.title,
        "searched_at": search.searched_at.isoformat() if search.searched_at else "",
        "request": str(request_id),
        "asked": search.asked,
        "papers": [
            {
                "place": paper.place,
                "why": paper.why,
                "records": [{"source": r.source, "id": r.source_id, "answer": r.answer_id} for r in records[paper.pk]],
            }
            for paper in papers
        ],
    }
    return json.dumps(told, ensure_ascii=False, indent=2, sort_keys=True).encode()

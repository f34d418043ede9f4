"""Begins short searches (quick cite, related papers, seeds, reference pool) and stores what they found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction
from django.utils import timezone

from litapp.core.records import record_to_dict
from litapp.jobs import services as jobs
from litapp.jobs.services import enqueue
from litapp.ledger.models import SourceRecord
from litapp.ledger.services.records import store_lookup
from litapp.projects.models import Project
from litapp.projects.services.events import record_event
from litapp.verification.models import Verification
from litapp.verification.services.requests import Claim, claims_request
from searches.models import FoundPaper, Mode, PaperSearch, SearchPlanVersion
from searches.services.mode_asking import Heard
from searches.services.mode_papers import Paper, slim
from searches.services.mode_standing import standing_candidates

KIND = "paper_search"


class SearchProblem(ValueError):
    """Nothing was begun. The message says why, and what can be done."""


def search_begin(
    *,
    project: Project,
    actor: Any,
    request_id: UUID,
    mode: Mode,
    title: str,
    question: dict[str, Any],
    version: SearchPlanVersion | None = None,
) -> PaperSearch:
    """Begin a search in the background; the same `request_id` gives the same search."""
    made = PaperSearch.objects.filter(request_id=request_id, project=project).first()
    if made is not None:
        return made
    try:
        return _begin(project, actor, request_id, mode, title, question, version)
    except IntegrityError:  # the other click of a double click was faster
        return PaperSearch.objects.get(request_id=request_id, project=project)


@transaction.atomic
def _begin(
    project: Project,
    actor: Any,
    request_id: UUID,
    mode: Mode,
    title: str,
    question: dict[str, Any],
    version: SearchPlanVersion | None,
) -> PaperSearch:
    row = PaperSearch.objects.create(
        project=project, requested_by=actor, request_id=request_id, mode=mode,
        title=" ".join(title.replace("\x00", " ").split())[:300], question=question, version=version,
    )  # fmt: skip
    record_event(
        project=project, actor=actor, verb="paper_search.started", subject=f"paper_search:{row.pk}",
        payload={"mode": row.mode, "question": row.title},
    )  # fmt: skip
    enqueue(KIND, str(row.pk))
    return row


@transaction.atomic
def search_store(
    *,
    search: PaperSearch,
    token: str,
    heard: Sequence[Heard],
    papers: Sequence[Paper],
    result: dict[str, Any],
    check: bool,
) -> None:
    """Write what was found, while the lease holds (LeaseLost otherwise). `check` = ask for each paper's verdict.

    A paper that is in the project already points at its candidate.
    """
    jobs.renew(
        PaperSearch.objects.all(), search.pk, token, asked=[one.told() for one in heard], result=result,
        searched_at=timezone.now(), attempts=1,
    )  # fmt: skip
    stored = [_records(paper) for paper in papers]
    standing = standing_candidates(search.project, [[row for row, _ in rows] for rows in stored])
    checks: list[Verification | None] = [None] * len(papers)
    wanted = [place for place, paper in enumerate(papers) if check and not paper.cut]
    if wanted:
        claims = [Claim(slim(papers[place].main), returned_by=papers[place].sources) for place in wanted]
        made = claims_request(project=search.project, claims=claims)
        for place, row in zip(wanted, made, strict=True):
            checks[place] = row
    found = FoundPaper.objects.bulk_create(
        FoundPaper(
            search=search,
            place=place,
            group=paper.group,
            label=paper.label[:200],
            main_record=next(row for row, record in rows if record == record_to_dict(paper.main)),
            why=paper.why,
            passage=paper.passage,
            cut=paper.cut[:200],
            verification=verification,
            candidate_id=candidate,
        )
        for place, (paper, rows, verification, candidate) in enumerate(
            zip(papers, stored, checks, standing, strict=True), start=1
        )
    )
    links = FoundPaper.records.through
    links.objects.bulk_create(
        links(foundpaper_id=row.pk, sourcerecord_id=pk)
        for row, rows in zip(found, stored, strict=True)
        for pk in {one.pk for one, _ in rows}
    )


def _records(paper: Paper) -> list[tuple[SourceRecord, dict[str, Any]]]:
    return [(store_lookup(answer_id=answer, record=record), record_to_dict(record)) for record, answer in paper.records]

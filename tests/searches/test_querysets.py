"""Reading candidates: filters, orders, the queue, counts; a fixed number of queries."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.utils import timezone

from litapp.ledger.models import SourceAnswer, SourceRecord
from litapp.projects.models import Project
from litapp.verification.models import PublicationState, Verification
from searches.models import Candidate, CandidateSource
from searches.querysets import SORTS, VERDICTS, CandidateFilter

Make = Callable[..., list[Candidate]]


@pytest.fixture
def rows(candidates: Make, project: Project) -> list[Candidate]:
    """Six candidates with everything a filter may look at."""
    made = candidates(6)
    answer = SourceAnswer.objects.create(
        source="pubmed", method="GET", url="/", request_key="k", status=200, outcome="ok", received_at=timezone.now()
    )
    plan = [
        {"title": "Zebra fish", "year": 2001, "fit": 3, "sources": ["pubmed"], "author_key": "adams"},
        {"title": "Ärzte in Not", "year": None, "fit": 3, "sources": ["crossref"], "author_key": "brown"},
        {"title": "Masks at work", "year": 2020, "fit": 2, "sources": ["crossref", "pubmed"], "author_key": "clark"},
        {"title": "masks: a review", "year": 2021, "fit": 2, "sources": ["openalex"], "author_key": "adams"},
        {"title": "100% masks", "year": 2021, "fit": 1, "sources": ["pubmed"], "author_key": "davis"},
        {"title": "Merged away", "year": 2021, "fit": 3, "sources": ["pubmed"], "author_key": "evans"},
    ]
    from litapp.core.normalise import title_key

    for place, (row, values) in enumerate(zip(made, plan, strict=True)):
        for name, value in values.items():
            setattr(row, name, value)
        row.title_key = row.search_text = title_key(row.title)
        row.save()
        for offset, source in enumerate(values["sources"]):
            record = SourceRecord.objects.create(
                answer=answer, position=place * 10 + offset, source=source, source_id=str(place), data={}, sha256=""
            )
            CandidateSource.objects.create(candidate=row, project=project, source_record=record, source=source)
    Candidate.objects.filter(pk=made[5].pk).update(merged_into=made[0])
    verdicts = ["verified", "suspect", "unverified", "manual", "unverified"]
    for row, verdict in zip(made, verdicts, strict=False):
        Verification.objects.filter(pk=row.verification_id).update(status=verdict, checked_at=timezone.now())
    Verification.objects.filter(pk=made[4].verification_id).update(checked_at=None)
    Verification.objects.filter(pk=made[0].verification_id).update(publication_state=PublicationState.RETRACTED)
    for row, decision in zip(made, ["include", "", "exclude", "maybe", ""], strict=False):
        Candidate.objects.filter(pk=row.pk).update(decision=decision)
    return made


def places(rows: list[Candidate], found: Any) -> list[int]:
    """Which of the six were found, in their order."""
    numbers = {row.pk: place for place, row in enumerate(rows)}
    return [numbers[row.pk] for row in found]


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        (CandidateFilter(), {0, 1, 2, 3, 4}),
        (CandidateFilter(verdict="verified"), {0}),
        (CandidateFilter(verdict="suspect"), {1}),
        (CandidateFilter(verdict="unverified"), {2}),
        (CandidateFilter(verdict="manual"), {3}),
        (CandidateFilter(verdict="unchecked"), {4}),
        (CandidateFilter(verdict="retracted"), {0}),
        (CandidateFilter(verdict="nonsense"), set()),
        (CandidateFilter(decision="undecided"), {1, 4}),
        (CandidateFilter(decision="include"), {0}),
        (CandidateFilter(source="pubmed"), {0, 2, 4}),
        (CandidateFilter(source="crossref"), {1, 2}),
        (CandidateFilter(source="nowhere"), set()),
        (CandidateFilter(fit=2), {2, 3}),
        (CandidateFilter(year_from=2020), {2, 3, 4}),
        (CandidateFilter(year_to=2020), {0, 2}),
        (CandidateFilter(year_from=2020, year_to=2020), {2}),
        (CandidateFilter(text="MASKS"), {2, 3, 4}),
        (CandidateFilter(text="review masks"), {3}),
        (CandidateFilter(text="ärzte"), {1}),
        (CandidateFilter(text="arzte"), {1}),
        (CandidateFilter(text="100%"), {4}),
        (CandidateFilter(text="_mas"), {2, 3, 4}),
        (CandidateFilter(text="asks"), set()),
        (CandidateFilter(text="' OR 1=1 --"), set()),
        (CandidateFilter(text="masks", source="pubmed", decision="undecided"), {4}),
    ],
)
def test_filters(rows: list[Candidate], project: Project, wanted: CandidateFilter, expected: set[int]) -> None:
    assert set(places(rows, Candidate.objects.listed(project).filtered(wanted))) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("fit", [0, 1, 2, 3, 4]),
        ("-fit", [4, 3, 2, 1, 0]),
        ("year", [3, 4, 2, 0, 1]),
        ("-year", [0, 2, 4, 3, 1]),
        ("title", [4, 1, 3, 2, 0]),
        ("author", [0, 3, 1, 2, 4]),
        ("verdict", [0, 1, 2, 4, 3]),
        ("newest", [4, 3, 2, 1, 0]),
        ("nonsense", [0, 1, 2, 3, 4]),
    ],
)
def test_orders(rows: list[Candidate], project: Project, name: str, expected: list[int]) -> None:
    found = places(rows, Candidate.objects.listed(project).sorted_by(name))
    if name == "title":
        expected = sorted(range(5), key=lambda place: rows[place].title_key)
    assert found == expected


@pytest.mark.parametrize("name", [*SORTS, *(f"-{name}" for name in SORTS)])
def test_every_order_is_complete_and_stable(rows: list[Candidate], project: Project, name: str) -> None:
    listed = Candidate.objects.listed(project)
    found = places(rows, listed.sorted_by(name))
    assert sorted(found) == [0, 1, 2, 3, 4]
    assert found == places(rows, listed.sorted_by(name))


def test_the_queue_is_the_undecided_best_fit_first(rows: list[Candidate], project: Project) -> None:
    assert places(rows, Candidate.objects.listed(project).queue()) == [1, 4]


def test_next_and_previous_in_screening_order(rows: list[Candidate], project: Project) -> None:
    listed = Candidate.objects.listed(project)
    order = [0, 1, 2, 3, 4]
    for position, place in enumerate(order):
        assert places(rows, listed.after(rows[place])) == order[position + 1 :]
        assert places(rows, listed.before(rows[place])) == order[:position][::-1]
    assert places(rows, listed.queue().after(rows[1])) == [4]


def test_facets_count_what_each_filter_would_show(
    rows: list[Candidate], project: Project, django_assert_num_queries: Any
) -> None:
    listed = Candidate.objects.listed(project)
    with django_assert_num_queries(2):
        facets = listed.facets()
    counted = {
        "decisions": {n: listed.filtered(CandidateFilter(decision=n)).count() for n in facets.decisions},
        "verdicts": {n: listed.filtered(CandidateFilter(verdict=n)).count() for n in facets.verdicts},
        "fits": {n: listed.filtered(CandidateFilter(fit=n)).count() for n in facets.fits},
        "sources": {n: listed.filtered(CandidateFilter(source=n)).count() for n in facets.sources},
    }
    assert {name: getattr(facets, name) for name in counted} == counted
    assert (facets.total, facets.year_min, facets.year_max) == (5, 2001, 2021)
    assert sum(facets.decisions.values()) == sum(facets.fits.values()) == 5
    assert sum(number for name, number in facets.verdicts.items() if name != "retracted") == 5
    assert set(facets.verdicts) == set(VERDICTS)


def test_a_list_row_needs_no_further_query(
    rows: list[Candidate], project: Project, django_assert_num_queries: Any
) -> None:
    with django_assert_num_queries(1):
        for row in Candidate.objects.listed(project).for_list().sorted_by("verdict"):
            assert row.verification is not None
            shown = (row.title, row.fit, row.sources, row.verification.status, row.verification.publication_state)
            assert all(part is not None for part in shown)


def test_ids_of_other_projects_are_not_visible(rows: list[Candidate], project: Project) -> None:
    other = Project.objects.create(name="Other", created_by=project.created_by)
    foreign = Candidate.objects.create(project=other, record={}, title="x")
    assert Candidate.objects.listed(project).visible_ids([rows[0].pk, rows[5].pk, foreign.pk, 999]) == [rows[0].pk]

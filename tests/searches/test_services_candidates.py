"""Candidates: each paper once whatever found it, in whatever order, as often as one likes; rebuilt from the ledger."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import permutations
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from litapp.core.plan import PlanQuery
from litapp.core.records import Identifier, MeshHeading, Record, Scheme
from litapp.ledger.models import SourceAnswer
from litapp.projects.models import Event, Project
from litapp.providers.base import Hit, Page
from litapp.verification.models import Verification
from searches.models import BlockKey, Candidate, CandidateSource, Decision, RetrievalHit, RetrievalRun
from searches.services import listeners
from searches.services.candidates import Absorbed, absorb_hits, rebuild_candidate
from searches.services.derived import DERIVED_FIELDS
from searches.services.screening import decide, decide_many, undo
from tests.searches.stand_in import StandIn, paper, papers

Sources = dict[str, StandIn]


@pytest.fixture
def run(sources: Sources, started: Callable[..., RetrievalRun]) -> RetrievalRun:
    return started("pubmed", "crossref", "openalex", "semanticscholar")


@pytest.fixture(autouse=True)
def told(monkeypatch: pytest.MonkeyPatch) -> list[list[int]]:
    """What the listeners of decisions were told."""
    calls: list[list[int]] = []
    monkeypatch.setattr(
        listeners, "import_string", lambda path: lambda *, project, candidate_ids: calls.append(candidate_ids)
    )
    return calls


def absorb(run: RetrievalRun, *records: Record, first_rank: int = 1) -> Absorbed:
    """The records as one page of their source."""
    step = run.steps.get(source=records[0].source)
    answer = SourceAnswer.objects.create(
        source=step.source, method="GET", url="/", request_key="k", status=200, outcome="ok", received_at=timezone.now()
    )
    hits = tuple(Hit(record, first_rank + place, answer.pk, place) for place, record in enumerate(records))
    return absorb_hits(step=step, page=Page(hits, None, total=len(hits)))


def without(record: Record, *schemes: Scheme, **changes: Any) -> Record:
    """The record without identifiers of these schemes."""
    kept = tuple(one for one in record.identifiers if one.scheme not in schemes)
    return replace(record, identifiers=kept, **changes)


def groups(project: Project) -> set[frozenset[tuple[str, str]]]:
    """Which source entries are one paper."""
    found: dict[int, set[tuple[str, str]]] = {}
    links = CandidateSource.objects.filter(project=project)
    for candidate, source, source_id in links.values_list("candidate_id", "source", "source_record__source_id"):
        found.setdefault(candidate, set()).add((source, source_id))
    return {frozenset(group) for group in found.values()}


def test_a_page_becomes_candidates_with_everything_derived(run: RetrievalRun) -> None:
    record = replace(paper(3), mesh=(MeshHeading("Ventilators, Mechanical"),))
    assert absorb(run, record) == Absorbed(1, 1, 0, 0, 1)
    row = Candidate.objects.get()
    columns = set(DERIVED_FIELDS) - {"record", "provenance", "search_text"}
    assert {name: getattr(row, name) for name in columns} == {
        "sources": ["pubmed"],
        "title": record.title,
        "first_author": "Mafham Anna B",
        "last_author": "Horby Carl D",
        "journal": "Journal of Trials",
        "year": 2003,
        "pmid": "1000003",
        "doi": "10.1000/study.3",
        "has_abstract": True,
        "is_preprint": False,
        "title_key": "effect of azithromycin on hypertension in nurses the delta amber amber trial",
        "author_key": "mafham",
        "fit": row.fit,
        "fit_reason": row.fit_reason,
    }  # fmt: skip
    assert row.fit_reason
    assert row.merged_record.title == record.title
    assert row.provenance["title"] == "pubmed"
    for word in ("azithromycin", "nurses", "mafham", "journal of trials", "ventilators", "1000003", "study 3"):
        assert word in row.search_text
    check = row.verification
    assert check is not None
    assert (check.returned_by, check.state, check.record["title"]) == (["pubmed"], "waiting", record.title)


def test_the_same_paper_of_four_sources_is_one_candidate(run: RetrievalRun, project: Project) -> None:
    for source in ("pubmed", "crossref", "openalex", "semanticscholar"):
        absorb(run, *(paper(number, source) for number in range(1, 6)))
    assert Candidate.objects.listed(project).count() == 5
    row = Candidate.objects.listed(project).order_by("pk")[0]
    assert row.sources == ["crossref", "openalex", "pubmed", "semanticscholar"]
    assert row.source_records.count() == 4
    assert row.verification is not None
    assert row.verification.returned_by == row.sources
    rules = row.source_records.order_by("pk").values_list("rule", "why")
    assert rules[0] == ("", "")
    assert all(rule and why for rule, why in rules[1:])


def test_doing_it_twice_changes_nothing(run: RetrievalRun, project: Project) -> None:
    step = run.steps.get(source="pubmed")
    answer = SourceAnswer.objects.create(
        source="pubmed", method="GET", url="/", request_key="k", status=200, outcome="ok", received_at=timezone.now()
    )
    hits = tuple(Hit(record, place + 1, answer.pk, place) for place, record in enumerate(papers(5)))
    first = absorb_hits(step=step, page=Page(hits, None))
    before = list(Candidate.objects.order_by("pk").values())
    second = absorb_hits(step=step, page=Page(hits, None))
    assert (first, second) == (Absorbed(5, 5, 0, 0, 5), Absorbed(0, 0, 0, 0, 5))
    assert list(Candidate.objects.order_by("pk").values()) == before
    assert (CandidateSource.objects.count(), RetrievalHit.objects.count(), Verification.objects.count()) == (5, 5, 5)


def test_the_way_from_candidate_to_source_query_and_rank_is_there(run: RetrievalRun) -> None:
    absorb(run, *papers(3))
    absorb(run, paper(3, "crossref"))
    row = Candidate.objects.get(pmid="1000003")
    found = RetrievalHit.objects.filter(source_record__candidates__candidate=row).order_by("step__source")
    assert [(hit.step.source, hit.step.query_text, hit.rank) for hit in found] == [
        ("crossref", "dexamethasone mortality", 1),
        ("pubmed", "dexamethasone[tiab] AND mortality[tiab]", 3),
    ]


def test_a_companion_stays_apart(run: RetrievalRun, project: Project) -> None:
    article = paper(1)
    erratum = replace(
        without(paper(1), Scheme.DOI, Scheme.PMID),
        source_id="2000001",
        title=f"Erratum: {article.title}",
        is_notice=True,
        publication_types=("Published Erratum",),
        abstract=(),
        identifiers=(Identifier(Scheme.PMID, "2000001"),),
        pages="999",
    )
    absorb(run, article, erratum)
    assert Candidate.objects.listed(project).count() == 2


def bridge() -> tuple[Record, Record, Record]:
    """PubMed's record without DOI, Crossref's with another form of title, and one that knows both identifiers."""
    pubmed = without(paper(1), Scheme.DOI, title=f"{paper(1).title}.")
    crossref = without(paper(1, "crossref"), title=paper(1).title, volume="", pages="", authors=(), journal="")
    both = paper(1, "semanticscholar")
    return pubmed, crossref, both


def decided(project: Project, person: User, row: Candidate, decision: str) -> None:
    version = Candidate.objects.values_list("version", flat=True).get(pk=row.pk)
    decide(project=project, candidate_id=row.pk, actor=person, decision=decision, version=version, request_id=uuid4())


@pytest.fixture
def two(run: RetrievalRun, project: Project) -> tuple[Candidate, Candidate]:
    """Two candidates that a third record will show to be one."""
    pubmed, crossref, _ = bridge()
    absorb(run, pubmed)
    absorb(run, crossref)
    rows = list(Candidate.objects.listed(project).order_by("pk"))
    assert len(rows) == 2, "the bridge is only a bridge while its ends are apart"
    return rows[0], rows[1]


def test_a_bridging_record_joins_two_candidates_into_the_older(
    run: RetrievalRun, project: Project, two: tuple[Candidate, Candidate]
) -> None:
    older, younger = two
    result = absorb(run, bridge()[2])
    assert (result.candidates_new, result.candidates_merged) == (0, 1)
    older.refresh_from_db()
    younger.refresh_from_db()
    assert list(Candidate.objects.listed(project)) == [older]
    assert (younger.merged_into, older.version, younger.version) == (older, 2, 2)
    assert older.sources == ["crossref", "pubmed", "semanticscholar"]
    assert (older.doi, older.pmid) == ("10.1000/study.1", "1000001")
    assert set(CandidateSource.objects.values_list("candidate_id", flat=True)) == {older.pk}
    assert set(BlockKey.objects.values_list("link__candidate_id", flat=True)) == {older.pk}
    event = Event.objects.get(verb="candidates.merged")
    assert (event.actor, event.subject, event.payload["absorbed"]) == (None, f"candidate:{older.pk}", younger.pk)


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("", "", ""),
        ("include", "", "include"),
        ("", "exclude", "exclude"),
        ("include", "exclude", "exclude"),
    ],
)
def test_joined_candidates_keep_all_decisions_and_the_latest_counts(
    run: RetrievalRun, project: Project, person: User, two: tuple[Candidate, Candidate], told: list,
    first: str, second: str, expected: str,
) -> None:  # fmt: skip
    for row, decision in zip(two, (first, second), strict=True):
        if decision:
            decided(project, person, row, decision)
    told.clear()
    absorb(run, bridge()[2])
    kept = Candidate.objects.listed(project).get()
    assert kept.decision == expected
    assert list(kept.decisions.order_by("pk").values_list("decision", flat=True)) == [d for d in (first, second) if d]
    assert told == ([[two[0].pk, two[1].pk]] if first or second else [])


def test_undo_works_across_a_join(
    run: RetrievalRun, project: Project, person: User, two: tuple[Candidate, Candidate]
) -> None:
    decided(project, person, two[0], Decision.INCLUDE)
    decided(project, person, two[1], Decision.EXCLUDE)
    absorb(run, bridge()[2])
    seen = []
    for _ in range(2):
        undo(project=project, actor=person)
        seen.append(Candidate.objects.listed(project).get().decision)
    assert seen == ["include", ""]


def test_a_bulk_over_both_ends_of_a_join_is_undone_once(
    run: RetrievalRun, project: Project, person: User, two: tuple[Candidate, Candidate]
) -> None:
    ids = [row.pk for row in two]
    decide_many(project=project, actor=person, candidate_ids=ids, decision="exclude", request_id=uuid4())
    absorb(run, bridge()[2])
    undo(project=project, actor=person)
    assert Candidate.objects.listed(project).get().decision == ""


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_the_order_of_arrival_does_not_matter(run: RetrievalRun, project: Project, order: tuple[int, ...]) -> None:
    for place in order:
        absorb(run, bridge()[place])
    assert groups(project) == {
        frozenset({("pubmed", "1000001"), ("crossref", "crossref-1"), ("semanticscholar", "semanticscholar-1")})
    }
    row = Candidate.objects.listed(project).get()
    assert (row.pmid, row.doi) == ("1000001", "10.1000/study.1")


def test_a_record_that_its_source_corrected_replaces_the_old_one(
    run: RetrievalRun, project: Project, clock: Any
) -> None:
    absorb(run, paper(1))
    row = Candidate.objects.get()
    corrected = replace(paper(1), title=f"{paper(1).title} (corrected)")
    result = absorb(run, corrected, first_rank=2)
    assert (result.candidates_new, result.candidates_changed) == (0, 1)
    row.refresh_from_db()
    assert (row.title, row.source_records.count()) == (corrected.title, 2)
    assert row.verification is not None
    assert row.verification.record["title"] == corrected.title


def test_the_same_entry_again_unchanged_leaves_the_candidate_as_it_is(run: RetrievalRun, project: Project) -> None:
    absorb(run, paper(1))
    before = Candidate.objects.values().get()
    check = Verification.objects.values().get()
    assert absorb(run, paper(1), first_rank=2) == Absorbed(1, 0, 0, 0, 2)
    assert (Candidate.objects.values().get(), Verification.objects.values().get()) == (before, check)


def test_another_source_does_not_disturb_the_person_at_the_card(
    run: RetrievalRun, project: Project, person: User
) -> None:
    """Only a join or a decision raises the version: a card read before a second source came can be decided."""
    absorb(run, paper(1))
    row = Candidate.objects.get()
    absorb(run, paper(1, "crossref"))
    result = decide(
        project=project, candidate_id=row.pk, actor=person, decision="include", version=row.version, request_id=uuid4()
    )
    assert result.applied
    assert Candidate.objects.get().sources == ["crossref", "pubmed"]


def test_fit_is_the_best_of_all_plans_that_found_it(
    sources: Sources, started: Callable[..., RetrievalRun], project: Project
) -> None:
    record = paper(0)
    other = started("pubmed", queries_given=(PlanQuery("unicorns[tiab]", ""),), question="Do unicorns exist?")
    absorb(other, record)
    low = Candidate.objects.get()
    fitting = started(
        "pubmed",
        queries_given=(PlanQuery("dexamethasone[tiab] AND mice[tiab]", ""),),
        question="Dexamethasone in mice?",
    )
    absorb(fitting, record)
    high = Candidate.objects.get()
    assert high.fit > low.fit
    again = started("pubmed", queries_given=(PlanQuery("unicorns[tiab]", ""),), question="Do unicorns exist?")
    absorb(again, record)
    assert (Candidate.objects.get().fit, Candidate.objects.get().fit_reason) == (high.fit, high.fit_reason)


def test_a_candidate_can_be_rebuilt_from_the_ledger(run: RetrievalRun, project: Project, person: User) -> None:
    for source in ("pubmed", "crossref"):
        absorb(run, *(paper(number, source) for number in range(1, 4)))
    row = Candidate.objects.get(pmid="1000002")
    decided(project, person, row, "include")
    before = Candidate.objects.values().get(pk=row.pk)
    Candidate.objects.filter(pk=row.pk).update(
        record={}, provenance={}, sources=[], title="damaged", search_text="", fit=1, fit_reason="", pmid="", doi=""
    )
    rebuild_candidate(candidate=row)
    assert Candidate.objects.values().get(pk=row.pk) == before


def test_projects_do_not_share_candidates(
    run: RetrievalRun, project: Project, person: User, sources: Sources, started: Callable[..., RetrievalRun]
) -> None:
    absorb(run, paper(1))
    other = Project.objects.create(name="Other", created_by=person)
    RetrievalRun.objects.filter(pk=run.pk).update(project=other)
    run.refresh_from_db()
    absorb(run, paper(1), first_rank=2)
    assert [Candidate.objects.listed(p).count() for p in (project, other)] == [1, 1]


def test_hostile_titles_are_kept_as_the_source_gave_them(run: RetrievalRun) -> None:
    title = '<script>alert(1)</script> & <i>in vitro</i> “effects” of "quotes" \' OR 1=1; DROP TABLE x'
    absorb(run, replace(paper(1), title=title))
    assert Candidate.objects.get().title == title


def test_very_long_fields_are_kept_in_the_record_and_cut_in_the_columns(run: RetrievalRun) -> None:
    record = replace(paper(1), journal="J" * 1000, title="word " * 400, source_id="i" * 300)
    absorb(run, record)
    row = Candidate.objects.get()
    assert (len(row.journal), len(row.title_key), row.merged_record.journal) == (300, 300, "J" * 1000)


def test_a_page_costs_a_fixed_number_of_queries(run: RetrievalRun, django_assert_max_num_queries: Any) -> None:
    """Whether 20 or 200 records: queries grow with chunks of rows only, never with records."""
    with django_assert_max_num_queries(60):
        absorb(run, *papers(200))

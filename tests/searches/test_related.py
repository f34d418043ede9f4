"""Related papers: every way is asked, merged and ranked with why; taking in is the act of a person."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from litapp.core.ports import Outcome
from litapp.core.records import MeshHeading
from litapp.jobs.models import StepState
from litapp.projects.models import Membership, Project, Role
from litapp.providers.base import SourceError
from searches.imported import identified_by_imports
from searches.models import Candidate, Decision, PaperSearch, RecordImport
from searches.services.import_work import ImportWork
from searches.services.imports import import_undo
from searches.services.mode_searches import SearchProblem
from searches.services.mode_taking import CITATION_SEARCHING, papers_take
from searches.services.related import related_begin, rows_of
from searches.services.screening import decide_many
from tests.searches.modes_world import checks, library, study, work

__all__ = ["checks", "library"]
pytestmark = pytest.mark.django_db(transaction=True)
HEADINGS = (MeshHeading("Radiography, Thoracic"), MeshHeading("Humans"), MeshHeading("Deep Learning"))


@pytest.fixture
def project() -> Project:
    person = User.objects.create_user("ada", "ada@example.org", "a long pass phrase", first_name="Ada")
    project = Project.objects.create(name="Reading", created_by=person)
    Membership.objects.create(project=project, user=person, role=Role.OWNER)
    return project


def ask(project: Project, text: str = "2000001") -> PaperSearch:
    return work(related_begin(project=project, actor=project.created_by, request_id=uuid4(), text=text))


@pytest.fixture
def four_ways(library: Any) -> Any:
    """Paper 1 is the start. 2 is similar and recommended and cited; 3 is similar; 4 cites the start."""
    library["pubmed"].found[""] = [study(1, mesh=HEADINGS)]
    library["pubmed"].similar = [study(1, mesh=HEADINGS), study(3), study(2, mesh=HEADINGS)]
    library["semanticscholar"].similar = [study(2, "semanticscholar")]
    library["europepmc"].cited = [study(2, "europepmc"), study(9, "europepmc", identifiers=())]
    library["europepmc"].citing = [study(4, "europepmc")]
    return library


def test_all_ways_merged_each_paper_once_with_why(project: Project, four_ways: Any) -> None:
    search = ask(project)
    assert search.state == StepState.DONE
    assert [(paper.record.title[-1], paper.why) for paper in search.papers.all()] == [
        (
            "2",
            [
                "PubMed calls it similar (place 3 of 3).",
                "Semantic Scholar recommends it (place 1 of 1).",
                "It is cited by the paper (Europe PMC).",
                "Shares MeSH headings: Deep Learning, Radiography, Thoracic.",
            ],
        ),
        ("3", ["PubMed calls it similar (place 2 of 3)."]),
        ("4", ["It cites the paper (Europe PMC)."]),
    ]
    assert search.result["without_identifier"] == 1
    assert search.result["start"]["title"] == study(1).title
    assert not Candidate.objects.exists()


def test_semantic_scholar_is_asked_for_links_only_where_europe_pmc_has_none(project: Project, four_ways: Any) -> None:
    four_ways["europepmc"].citing = []
    ask(project)
    asked = four_ways["semanticscholar"].asked
    assert asked == ["related 10.1000/reading.1", "citations 10.1000/reading.1"]


def test_a_source_that_fails_is_told_and_the_others_stand(project: Project, four_ways: Any) -> None:
    four_ways["europepmc"].error = SourceError("europepmc", Outcome.TRANSIENT, "Europe PMC is down.", hint="Later.")
    search = ask(project)
    assert [paper.record.title[-1] for paper in search.papers.all()] == ["2", "3"]
    assert {one["message"] for one in search.failures_told} == {"Europe PMC is down."}


def test_what_is_in_the_project_is_known_as_it_is_now(project: Project, four_ways: Any) -> None:
    first = ask(project)
    paper = first.papers.get(place=2)
    papers_take(search=first, actor=project.created_by, request_id=uuid4(), paper_ids=[paper.pk])
    second = ask(project, "10.1000/reading.1")
    rows = rows_of(second, list(second.papers.all()))
    assert [row.candidate_id for row in rows] == [None, Candidate.objects.get().pk, None]
    rows = rows_of(first, list(first.papers.all()))
    assert [row.candidate_id is not None for row in rows] == [False, True, False]


def test_taking_in_makes_undecided_candidates_counted_as_citation_searching(project: Project, four_ways: Any) -> None:
    search = ask(project)
    chosen = [paper.pk for paper in search.papers.filter(place__in=(1, 3))]
    taken = papers_take(search=search, actor=project.created_by, request_id=uuid4(), paper_ids=chosen)
    assert (len(taken.candidates), taken.before, taken.left_out) == (2, 0, {})
    assert set(Candidate.objects.values_list("decision", flat=True)) == {""}
    [brought] = RecordImport.objects.all()
    assert (brought.database, brought.query, brought.read, brought.skipped) == (
        CITATION_SEARCHING, "Related to PMID 2000001", 4, 0
    )  # fmt: skip
    assert brought.searched_on == search.searched_at.date()
    by_database, of_source = identified_by_imports(project)
    assert by_database == {CITATION_SEARCHING: 4}
    assert of_source == {"pubmed": 1, "semanticscholar": 1, "europepmc": 2}
    again = papers_take(search=search, actor=project.created_by, request_id=uuid4(), paper_ids=chosen)
    assert (again.before, RecordImport.objects.count()) == (2, 1)


def test_a_decision_that_stands_is_not_touched_by_taking_in(project: Project, four_ways: Any) -> None:
    search = ask(project)
    paper = search.papers.get(place=1)
    taken = papers_take(search=search, actor=project.created_by, request_id=uuid4(), paper_ids=[paper.pk])
    decide_many(
        project=project, actor=project.created_by, candidate_ids=taken.candidates, decision=Decision.EXCLUDE,
        request_id=uuid4(), reason="Wrong population",
    )  # fmt: skip
    papers_take(search=search, actor=project.created_by, request_id=uuid4(), paper_ids=[paper.pk])
    assert Candidate.objects.get().decision == "exclude"


def test_what_is_no_number_of_a_paper_is_refused(project: Project) -> None:
    for text in ("", "Smith 2020", "1476-4687", "arXiv:2101.00001"):
        with pytest.raises(SearchProblem, match="no PMID, DOI or PMCID"):
            related_begin(project=project, actor=project.created_by, request_id=uuid4(), text=text)


def test_a_paper_nobody_has_says_so(project: Project, library: Any) -> None:
    search = ask(project)
    assert (search.state, search.papers.count(), search.result["start"]) == (StepState.DONE, 0, {})
    page = sign_in(project).get(reverse("searches:related", args=[project.pk, search.pk])).content.decode()
    assert "No source returned this paper itself." in page
    assert "Every source answered, and none named a paper." in page


def sign_in(project: Project) -> Client:
    client = Client()
    client.force_login(project.created_by)
    return client


def test_from_a_candidate_to_related_papers_and_back_with_them(project: Project, four_ways: Any) -> None:
    client = sign_in(project)
    form = client.get(reverse("searches:related_papers", args=[project.pk]) + "?of=2000001").content.decode()
    assert 'value="2000001"' in form
    sent = client.post(reverse("searches:related_new", args=[project.pk]), {"of": "2000001"})
    search = work(PaperSearch.objects.get())
    page = reverse("searches:related", args=[project.pk, search.pk])
    assert sent["Location"] == page
    assert "PubMed calls it similar (place 2 of 3)." in client.get(page).content.decode()
    assert client.get(reverse("searches:paper_search", args=[project.pk, search.pk]))["Location"] == page
    take = reverse("searches:related_take", args=[project.pk, search.pk])
    ids = [paper.pk for paper in search.papers.all()[:2]]
    shown = client.post(take, {"papers": ids, "request_id": str(uuid4())}, follow=True).content.decode()
    assert "2 new candidates to screen." in shown
    assert shown.count("In the project") == 2
    assert "Nothing was chosen." in client.post(take, {}, follow=True).content.decode()


def test_a_notice_is_never_taken_for_a_paper(project: Project, four_ways: Any) -> None:
    four_ways["pubmed"].similar = [replace(study(7), is_notice=True), study(3)]
    assert [paper.record.title[-1] for paper in ask(project).papers.all()][:1] == ["2"]
    assert not PaperSearch.objects.get().papers.filter(main_record__source_id="pubmed-7").exists()


def test_what_was_taken_in_can_be_taken_back_and_in_again(project: Project, four_ways: Any) -> None:
    search = ask(project)
    paper = search.papers.get(place=1)
    actor = project.created_by
    papers_take(search=search, actor=actor, request_id=uuid4(), paper_ids=[paper.pk])
    import_undo(record_import=RecordImport.objects.get(), actor=actor)
    ImportWork().run(str(RecordImport.objects.get().pk))
    assert identified_by_imports(project) == ({}, {})
    assert not Candidate.objects.listed(project).exists()
    [row] = rows_of(search, [paper])
    assert row.candidate_id is None
    papers_take(search=search, actor=actor, request_id=uuid4(), paper_ids=[paper.pk])
    assert Candidate.objects.listed(project).count() == 1
    assert identified_by_imports(project)[0] == {CITATION_SEARCHING: 3}

"""Reference pool: six categories by rule, origins of named methods or the word that none was found, cuts told."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from litapp.core.ports import Outcome
from litapp.core.records import Identifier, PartialDate, Person, Record, Scheme
from litapp.jobs.models import StepState
from litapp.projects.models import Membership, Project, Role
from litapp.providers.base import SourceError
from searches.imported import identified_by_imports
from searches.models import Candidate, PaperSearch
from searches.services.mode_searches import SearchProblem
from searches.services.mode_taking import REFERENCE_POOL
from searches.services.pool import Scope, pool_begin
from searches.services.pool_named import DESIGNS, guidelines_for, read_names
from searches.services.pool_queries import read_topic
from tests.searches.modes_world import abstract, checks, know, library, study, work

__all__ = ["checks", "library"]
pytestmark = pytest.mark.django_db(transaction=True)
TOPIC = "chest X-ray reading"
SURNAMES = ("Okafor", "Lindqvist", "Moreau", "Tanaka", "Herrera", "Novak", "Fischer", "Rossi", "Haddad", "Silva")


@pytest.fixture
def project() -> Project:
    person = User.objects.create_user("ada", "ada@example.org", "a long pass phrase", first_name="Ada")
    project = Project.objects.create(name="Manuscript", created_by=person)
    Membership.objects.create(project=project, user=person, role=Role.OWNER)
    return project


def gather(project: Project, **scope: Any) -> PaperSearch:
    given = Scope(**{"topic": TOPIC, **scope})
    return work(pool_begin(project=project, actor=project.created_by, request_id=uuid4(), scope=given))


def paper(number: int, said: str, **changes: Any) -> Record:
    """An invented paper on the topic that says `said` in its abstract."""
    words = ("amber", "birch", "cedar", "delta", "ember", "flint", "grove", "heron", "ivory", "jasper")
    mark = f"{words[number % 10]} {words[number // 10 % 10]} {words[number // 3 % 10]}"
    return study(
        number, title=f"Chest X-ray reading in the {mark} programme", abstract=abstract(said),
        authors=(Person(SURNAMES[number % 10], "A"), Person(SURNAMES[(number + number // 10) % 10], "B")), **changes,
    )  # fmt: skip


@pytest.fixture
def field(library: Any) -> Any:
    """Ten papers for each category's query."""
    for start, piece, said in (
        (10, '"systematic review"[pt]', "Further research is needed on reading."),
        (30, '"cohort studies"[mh]', "A retrospective cohort of readings."),
        (50, "prevalence[tiab]", "The prevalence and burden of disease were high."),
        (70, "confounding[tiab]", "Bias and confounding limit these readings."),
    ):
        library["pubmed"].found[piece] = [paper(number, said) for number in range(start, start + 10)]
    return library


def groups(search: PaperSearch) -> dict[str, int]:
    found: dict[str, int] = {}
    for one in search.papers.filter(cut=""):
        found[one.group] = found.get(one.group, 0) + 1
    return found


def test_a_pool_of_four_categories_by_rule_with_why_and_passage(project: Project, field: Any) -> None:
    search = gather(project)
    assert search.state == StepState.DONE
    assert groups(search) == {"background": 7, "gap": 8, "cohorts": 8, "interpretation": 7}
    assert search.result["thin"] == []
    one = search.papers.filter(group="cohorts").first()
    assert one.passage["text"] == "A retrospective cohort of readings."
    assert "Speaks of: cohort, retrospective." in one.why
    assert one.why[-1] == "Returned by PubMed."
    assert not Candidate.objects.exists()


def test_every_paper_of_a_pool_is_checked_and_a_cut_one_is_not(project: Project, field: Any, checks: Any) -> None:
    search = gather(project, cap=26)
    assert search.papers.filter(cut="", verification=None).count() == 0
    assert search.papers.exclude(cut="").exclude(verification=None).count() == 0


def test_the_journals_cap_cuts_the_last_of_the_fullest_categories_and_says_so(project: Project, field: Any) -> None:
    search = gather(project, cap=26)
    assert groups(search) == {"background": 7, "gap": 6, "cohorts": 7, "interpretation": 6}
    assert search.result["cuts"] == [
        {"why": "Its category is full; others fit better", "number": 10},
        {"why": "Over the journal's cap of references", "number": 4},
    ]
    assert search.papers.filter(cut__startswith="Over the journal").count() == 4


def test_what_the_scope_cuts_is_told_with_its_reason(project: Project, field: Any) -> None:
    pubmed = field["pubmed"].found
    pubmed["prevalence[tiab]"] = [
        paper(50, "The prevalence in adults.", date=PartialDate(1990), years=(1990,)),
        paper(51, "The prevalence in children."),
        paper(52, "The prevalence in Norway.", languages=("nor",)),
        paper(53, "The prevalence."),
    ]
    search = gather(project, year_from=2000, languages=("eng",), leave_out=("children",))
    cuts = set(search.papers.filter(cut__startswith="Scope").values_list("cut", flat=True))
    assert cuts == {
        "Scope: published 1990, before 2000.", "Scope: speaks of “children”.", "Scope: language nor."
    }  # fmt: skip
    assert {"why": "Outside your scope", "number": 3} in search.result["cuts"]
    assert any(
        sentence.startswith("Background and burden: the field is thin, 1 ") for sentence in search.result["thin"]
    )


def test_a_thin_field_is_called_thin_and_a_silent_source_is_not(project: Project, library: Any) -> None:
    library["pubmed"].found["prevalence[tiab]"] = [paper(1, "The prevalence.")]
    thin = gather(project).result["thin"]
    assert (
        thin[0] == "Gap-defining prior studies: the field is thin, 0 that fit (PubMed reports 0, Europe PMC reports 0, "
        "Semantic Scholar reports 0)."
    )
    assert thin[-1] == "1 papers in all; a pool has 25 to 40. Widen the topic, or the scope."
    library["europepmc"].error = SourceError("europepmc", Outcome.TRANSIENT, "Europe PMC is down.")
    thin = gather(project).result["thin"]
    assert thin[0] == "Gap-defining prior studies: 0; Europe PMC did not answer, so nothing follows from it."


COX = study(
    900, title="Regression Models and Life-Tables", authors=(Person("Cox", "D R"),), date=PartialDate(1972),
    years=(1972,),
)  # fmt: skip


def test_named_methods_get_their_originating_paper_or_stay_listed(project: Project, library: Any, checks: Any) -> None:
    library["crossref"].found["Regression models and life-tables"] = [
        study(901, "crossref", title="Regression Models and Life-Tables", authors=(Person("Somebody", "E"),)),
        COX,
    ]
    library["pubmed"].found['"Foo index"[ti]'] = [
        study(902, title="The Foo index in practice", date=PartialDate(2001)),
        study(903, title="A new measure: the Foo index", date=PartialDate(1995), years=(1995,)),
    ]
    library["pubmed"].found["1234567"] = []
    know(checks, COX)
    search = gather(project, names="Cox model\nFoo index\nBar score\nOwn method = PMID 1234567\nCox model")
    papers = {one.label: one for one in search.papers.filter(group="methods")}
    assert {name: one.record.title for name, one in papers.items()} == {
        "Cox model": "Regression Models and Life-Tables",
        "Foo index": "A new measure: the Foo index",
    }
    assert papers["Cox model"].record.authors[0].family == "Cox"
    assert papers["Cox model"].verification.status == "verified"
    assert "Look whether it is." in papers["Foo index"].why[0]
    assert [(one["name"], one["state"]) for one in search.result["named"]] == [
        ("Cox model", "found"), ("Foo index", "found"), ("Bar score", "not_found"), ("Own method", "not_found"),
    ]  # fmt: skip


def test_a_name_that_many_papers_bear_is_not_guessed(project: Project, library: Any) -> None:
    library["pubmed"].found['"Foo index"[ti]'] = [
        study(n, title=f"A new use of the Foo index, {n}") for n in range(1, 150)
    ]
    library["pubmed"].reported = 149
    [told] = gather(project, names="Foo index").result["named"]
    assert told["state"] == "not_found"
    assert told["message"].startswith("149 papers at PubMed name it in their title: too many to tell the origin.")


def test_a_name_whose_sources_are_silent_is_not_called_missing(project: Project, library: Any) -> None:
    for one in library.values():
        one.error = SourceError(one.key, Outcome.TRANSIENT, "Down.")
    [told] = gather(project, names="Cox model").result["named"]
    assert (told["state"], told["message"]) == (
        "not_answered", "PubMed, Crossref, Europe PMC did not answer. Ask again later."
    )  # fmt: skip


def test_the_guidelines_of_a_design_are_looked_up_and_none_without_one(project: Project, library: Any) -> None:
    title = guidelines_for("observational")[0][1].title
    library["pubmed"].found[title] = [
        study(1, title=title, authors=(Person("von Elm", "Erik"),), date=PartialDate(2007), years=(2007,))
    ]
    search = gather(project, design="observational")
    [strobe] = search.papers.filter(group="reporting")
    assert (strobe.label, strobe.record.title) == ("STROBE", title)
    assert [(one["name"], one["state"]) for one in search.result["named"]] == [
        ("STROBE", "found"), ("RECORD", "not_found")
    ]  # fmt: skip
    assert gather(project).result["named"] == []


def test_every_design_has_guidelines_and_every_line_of_the_tables_is_whole() -> None:
    assert [design for design in DESIGNS if design and not guidelines_for(design)] == []
    [one] = read_names("the CKD-EPI 2021 equation")
    assert one.origin is not None
    assert one.origin.author == "Inker"
    own, by_title = read_names("Foo = 10.1000/foo\nBar = On the measurement of bars")
    assert (own.identifier, own.origin) == (Identifier(Scheme.DOI, "10.1000/foo"), None)
    assert by_title.title == "On the measurement of bars"


def test_a_topic_in_words_or_as_a_query() -> None:
    assert read_topic("telemedicine in type 2 diabetes").boolean == "telemedicine AND type AND diabetes"
    boolean = "(asthma[tiab] OR wheeze[tiab]) AND child*[tiab]"
    assert read_topic(boolean).boolean == boolean
    assert read_topic(boolean).read.topic == ("asthma", "wheeze", "child")


@pytest.mark.parametrize(
    ("scope", "said"),
    [
        (Scope("the of"), "Say what the manuscript is about"),
        (Scope(TOPIC, names="\n".join(f"method {n}" for n in range(21))), "At most 20 names"),
        (Scope(TOPIC, cap=0), "allows no reference"),
        (Scope(TOPIC, design="poem"), "Choose one of the designs"),
    ],
)
def test_what_cannot_be_gathered_is_refused(project: Project, scope: Scope, said: str) -> None:
    with pytest.raises(SearchProblem, match=said):
        pool_begin(project=project, actor=project.created_by, request_id=uuid4(), scope=scope)


def test_on_the_page_and_taken_in(project: Project, field: Any, checks: Any) -> None:
    know(checks, *(one for records in field["pubmed"].found.values() for one in records))
    client = Client()
    client.force_login(project.created_by)
    assert "Reference pool" in client.get(reverse("searches:pools", args=[project.pk])).content.decode()
    new = reverse("searches:pool_new", args=[project.pk])
    refused = client.post(new, {"topic": TOPIC, "year_from": "2020", "year_to": "2010"})
    assert (refused.status_code, "before the first year" in refused.content.decode()) == (422, True)
    client.post(new, {"topic": TOPIC, "names": "Bar score"})
    search = work(PaperSearch.objects.get())
    page = reverse("searches:pool", args=[project.pk, search.pk])
    shown = client.get(page).content.decode()
    assert "Comparable cohorts" in shown
    assert "<strong>Bar score</strong>" in shown
    again = client.get(reverse("searches:pools", args=[project.pk]) + f"?again={search.pk}").content.decode()
    assert (f'value="{TOPIC}"' in again, "Bar score" in again) == (True, True)
    chosen = [one.pk for one in search.papers.filter(cut="")[:2]]
    told = client.post(reverse("searches:pool_take", args=[project.pk, search.pk]), {"papers": chosen}, follow=True)
    assert "2 new candidates to screen." in told.content.decode()
    assert identified_by_imports(project)[0] == {REFERENCE_POOL: 2}
    assert set(Candidate.objects.values_list("decision", flat=True)) == {""}

"""Seed papers: the line that loses each seed is named, what brings it back is counted and proved, silence decides
nothing."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from litapp.core.plan import Filters, PlanQuery, SearchPlan
from litapp.core.ports import Outcome
from litapp.core.querylang import parse
from litapp.core.querylang.ast import And, Node, Not, Or, Range, Term
from litapp.core.records import Identifier, MeshHeading, PartialDate, Record, Scheme
from litapp.projects.models import Membership, Project, Role
from litapp.providers.base import CompiledQuery, CountResult, LookupResult, SourceError
from litapp.providers.pubmed.members import Members, any_of
from litapp.providers.pubmed.query import compile_query
from searches.models import PaperSearch, SearchPlanVersion
from searches.services import mode_asking, seeds, seeds_asking
from searches.services.mode_searches import SearchProblem
from searches.services.plans import plan_create
from searches.services.seeds import read_pmids, seeds_begin
from searches.services.seeds_lines import Role as LineRole
from searches.services.seeds_lines import lines_of, proposed_terms, query_with_term, query_without
from tests.searches.modes_world import checks, library, study, work

__all__ = ["checks", "library"]
pytestmark = pytest.mark.django_db(transaction=True)

WORDS = {
    "1": "asthma children steroids trial 2020",
    "2": "asthma children inhaled trial 2020",
    "3": "asthma adults steroids trial 2020",
    "4": "asthma children steroids trial mice 2020",
    "5": "asthma children steroids trial 1995",
    "6": "wheeze adults steroids trial 2020",
    "7": "asthma children steroids review 2021",
}
QUERY = "asthma[tiab] AND (children[tiab] OR child[tiab]) AND steroids[tiab] NOT mice[tiab]"


@dataclass
class PubMed:
    """PubMed over seven papers: it evaluates the query's tree over their words, so that hits are real."""

    asked: list[str] = field(default_factory=list)
    silent: str = ""
    source: str = "pubmed"

    def compile(self, query: PlanQuery, filters: Filters) -> CompiledQuery:
        return compile_query(query, filters)

    def find(self, text: str) -> set[str]:
        self.asked.append(text)
        if self.silent and self.silent in text:
            raise SourceError("pubmed", Outcome.TRANSIENT, "PubMed is down.", hint="Later.")
        return self._eval(parse(text))

    def _eval(self, node: Node) -> set[str]:
        if isinstance(node, And):
            return set.intersection(*map(self._eval, node.children))
        if isinstance(node, Or):
            return set.union(*map(self._eval, node.children))
        if isinstance(node, Not):
            return self._eval(node.keep) - self._eval(node.drop)
        if isinstance(node, Range):
            return {p for p, words in WORDS.items() if int(node.low) <= int(words.split()[-1]) <= int(node.high)}
        assert isinstance(node, Term)
        if "UID" in node.field.value:
            return {node.text} & set(WORDS)
        return {p for p, words in WORDS.items() if all(w in words.split() for w in node.text.lower().split())}

    def count(self, client: object, query: CompiledQuery) -> CountResult:
        return CountResult(len(self.find(query.text)), True, ANSWER[0])

    def lookup(self, client: object, identifiers: list[Identifier], **options: object) -> LookupResult:
        found = {one: (paper(one.value), ANSWER[0]) for one in identifiers if one.value in WORDS}
        return LookupResult(found, {one: ANSWER[0] for one in identifiers if one not in found})


ANSWER = [0]


def paper(pmid: str) -> Record:
    words = WORDS[pmid].split()
    return study(
        1, source_id=pmid, title=f"Study of {words[1]} with {words[0]} and {words[2]}", abstract=(),
        date=PartialDate(int(words[-1])), identifiers=(Identifier(Scheme.PMID, pmid),),
        mesh=(MeshHeading("Humans"), MeshHeading("Adrenal Cortex Hormones", major=True)),
    )  # fmt: skip


@pytest.fixture
def pubmed(library: Any, monkeypatch: pytest.MonkeyPatch) -> PubMed:
    it = PubMed()
    ANSWER[0] = library["pubmed"].answer_id
    monkeypatch.setattr(mode_asking, "members", lambda client, term: Members(tuple(sorted(it.find(term))), ANSWER[0]))
    for module in (mode_asking, seeds, seeds_asking):
        monkeypatch.setattr(module, "search_provider", lambda key: it)
    monkeypatch.setattr(mode_asking, "lookup_provider", lambda key: it)
    return it


@pytest.fixture
def version() -> SearchPlanVersion:
    person = User.objects.create_user("ada", "ada@example.org", "a long pass phrase", first_name="Ada")
    project = Project.objects.create(name="Asthma", created_by=person)
    Membership.objects.create(project=project, user=person, role=Role.OWNER)
    content = SearchPlan(
        question="Steroids in children with asthma?", sources=("pubmed",), queries=(PlanQuery(boolean=QUERY),),
        filters=Filters(year_from=2000, year_to=2022),
    )  # fmt: skip
    return plan_create(project=project, actor=person, title="Asthma", content=content)


def look(version: SearchPlanVersion, text: str = "1 2 3 4 5 6 7 99", **options: Any) -> PaperSearch:
    actor = version.plan.created_by
    return work(seeds_begin(version=version, actor=actor, request_id=uuid4(), text=text, **options))


def test_the_lines_of_a_query_are_what_a_paper_must_pass() -> None:
    found = lines_of(parse("a AND (b OR c) NOT d"), Filters(year_from=2000, languages=("eng",)))
    assert [(line.number, line.role, line.text) for line in found] == [
        (1, LineRole.NEEDED, "a"),
        (2, LineRole.NEEDED, "b OR c"),
        (3, LineRole.EXCLUDED, "d"),
        (4, LineRole.LIMIT, "Years 2000 to now"),
        (5, LineRole.LIMIT, "Languages: eng"),
    ]
    assert found[1].terms == ("b", "c")


def test_a_query_without_lines_or_with_a_term_more_asks_the_same_otherwise() -> None:
    tree = parse("a AND (b OR c) AND e NOT d")
    assert parse(query_without(tree, [2])) == parse("a AND e NOT d")
    assert parse(query_without(tree, [4])) == parse("a AND (b OR c) AND e")
    assert query_without(tree, [1, 2, 3]) == ""
    assert parse(query_with_term(tree, 2, "x[tiab]")) == parse("a AND (b OR c OR x[tiab]) AND e NOT d")


def test_every_lost_seed_with_the_lines_that_lose_it(version: SearchPlanVersion, pubmed: PubMed) -> None:
    report = look(version).result
    assert {seed["pmid"]: (seed["state"], seed["lost_by"]) for seed in report["seeds"]} == {
        "1": ("found", []),
        "2": ("lost", [3]),
        "3": ("lost", [2]),
        "4": ("lost", [4]),
        "5": ("lost", [5]),
        "6": ("lost", [1, 2]),
        "7": ("found", []),
        "99": ("absent", []),
    }
    assert (report["found"], report["lost"], report["total"]) == (2, 5, 2)
    assert [(line["number"], line["loses"]) for line in report["lines"]] == [
        (1, ["6"]), (2, ["3", "6"]), (3, ["2"]), (4, ["4"]), (5, ["5"])
    ]  # fmt: skip


def test_what_brings_seeds_back_is_counted_and_proved(version: SearchPlanVersion, pubmed: PubMed) -> None:
    report = look(version, "1 3 5").result
    told = {one["what"]: (one["total"], one["cost"], one["proved"]) for one in report["changes"]}
    assert told["Without line 2"] == (3, 1, ["3"])
    assert told["Without line 5"] == (3, 1, ["5"])
    added = [what for what in told if what.startswith("Line 2 with OR")]
    assert len(added) == 1
    assert all(one["pmids"] for one in report["changes"])


def test_a_change_that_does_not_bring_a_seed_back_says_so(version: SearchPlanVersion, pubmed: PubMed) -> None:
    report = look(version, "3").result
    [change] = [one for one in report["changes"] if one["what"].startswith("Line 2 with OR")]
    assert change["proved"] == [], "the stand-in knows no MeSH: the term finds nothing, and that is told"


def test_a_line_that_pubmed_did_not_answer_for_decides_nothing(version: SearchPlanVersion, pubmed: PubMed) -> None:
    pubmed.silent = "(steroids[tiab]) AND (1[uid]"
    search = look(version, "1 2 3")
    states = {seed["pmid"]: (seed["state"], seed["lost_by"]) for seed in search.result["seeds"]}
    assert states == {"1": ("found", []), "2": ("lost", []), "3": ("lost", [2])}
    assert search.result["lines"][2]["finds"] is None
    assert {one["message"] for one in search.failures_told} == {"PubMed is down."}


def test_when_nothing_is_answered_nothing_is_known(version: SearchPlanVersion, pubmed: PubMed) -> None:
    pubmed.silent = "["
    report = look(version, "1 2").result
    assert {(seed["state"], tuple(seed["lost_by"])) for seed in report["seeds"]} == {("unknown", ())}
    assert (report["total"], report["found"], report["lost"]) == (None, 0, 0)


def test_every_term_of_every_line_on_demand(version: SearchPlanVersion, pubmed: PubMed) -> None:
    report = look(version, "1 2 3", terms=True).result
    assert [(one["line"], one["term"], one["finds"]) for one in report["alternatives"]] == [
        (1, "asthma[tiab]", ["1", "2", "3"]),
        (2, "children[tiab]", ["1", "2"]),
        (2, "child[tiab]", []),
        (3, "steroids[tiab]", ["1", "3"]),
        (4, "mice[tiab]", []),
    ]


def test_few_requests(version: SearchPlanVersion, pubmed: PubMed) -> None:
    search = look(version, "1 7")
    assert len(search.asked) == 3 + 5
    assert len(pubmed.asked) == 2 + 5


def test_terms_come_from_titles_and_mesh_and_not_from_what_the_query_has() -> None:
    tree = parse('"Asthma"[Mesh] AND children[tiab]')
    records = [
        study(1, title="Inhaled steroids for asthma", mesh=(MeshHeading("Asthma"), MeshHeading("Budesonide"))),
        study(2, title="Inhaled steroids in practice", mesh=(MeshHeading("Humans"), MeshHeading("Budesonide"))),
    ]
    found = proposed_terms(tree, records)
    assert [(one.query, len(one.seeds)) for one in found[:2]] == [
        ('"inhaled steroids"[tiab]', 2),
        ('"Budesonide"[Mesh]', 2),
    ]
    assert not {"Asthma", "Humans"} & {one.text for one in found}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "Give the PMIDs"),
        ("1 two", "These are no PMIDs: two"),
        (" ".join(map(str, range(1, 60))), "At most 50"),
    ],
)
def test_bad_lists_are_refused_with_the_reason(version: SearchPlanVersion, text: str, said: str) -> None:
    with pytest.raises(SearchProblem, match=said):
        seeds_begin(version=version, actor=version.plan.created_by, request_id=uuid4(), text=text)


def test_pmids_as_people_write_them() -> None:
    assert read_pmids("PMID: 12, PMID 13; https://pubmed.ncbi.nlm.nih.gov/14/\n12") == (["12", "13", "14"], [])
    with pytest.raises(ValueError, match="1 to 500"):
        any_of(["1) OR all[sb"])


def test_on_the_page(version: SearchPlanVersion, pubmed: PubMed) -> None:
    client = Client()
    client.force_login(version.plan.created_by)
    project = version.plan.project
    form = reverse("searches:seed_papers", args=[project.pk, version.pk])
    assert "PMIDs of papers" in client.get(form).content.decode()
    refused = client.post(reverse("searches:seeds_new", args=[project.pk, version.pk]), {"pmids": "x"})
    assert (refused.status_code, "These are no PMIDs: x" in refused.content.decode()) == (422, True)
    sent = client.post(reverse("searches:seeds_new", args=[project.pk, version.pk]), {"pmids": "1 3", "query": "0"})
    search = work(PaperSearch.objects.get())
    page = reverse("searches:seeds", args=[project.pk, search.pk])
    assert sent["Location"] == page
    shown = client.get(page).content.decode()
    assert "1 of 2 found, 1 lost." in shown
    assert "Without line 2" in shown
    assert asdict(version.plan_content.filters)["year_from"] == search.question["filters"]["year_from"]

"""Missing abstracts: taken only from a record of the same paper, kept as new evidence, counted, never made up."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command

from litapp.core.ports import Outcome, Request
from litapp.core.records import AbstractSection, Identifier, Person, Record, Scheme
from litapp.jobs.models import StepState
from litapp.ledger.models import SourceAnswer, SourceRecord
from litapp.ledger.services.archive import DatabaseArchive
from litapp.ledger.services.clients import SourceState
from litapp.ledger.services.records import store_lookup
from litapp.projects.models import Membership, Project, Role
from litapp.providers.base import LookupResult, SourceError
from searches.management.commands import fill_abstracts
from searches.models import AbstractFill, AbstractLookup, Candidate, CandidateSource, RetrievalRun
from searches.services import abstracts
from searches.services.abstracts import AbstractWork, NothingMissing, abstracts_request, is_same_paper
from searches.services.bundle_export import bundle_export
from searches.services.bundle_import import bundle_check, bundle_import
from searches.services.grouping import SUPPLEMENT
from tests.searches.conftest import work_all
from tests.searches.stand_in import StandIn, paper, papers, trouble

pytestmark = pytest.mark.django_db
TEXT = (AbstractSection("Found elsewhere."),)
Sources = dict[str, StandIn]
Start = Callable[..., RetrievalRun]


@dataclass
class LookupStandIn:
    """A source that is asked by identifier. `asked` = the identifiers of each call; `fault` is raised."""

    source: str
    lookup_schemes: tuple[str, ...]
    records: dict[Identifier, Record] = field(default_factory=dict)
    failures: dict[Identifier, SourceError] = field(default_factory=dict)
    fault: Exception | None = None
    asked: list[list[str]] = field(default_factory=list)

    def has(self, *records: Record) -> None:
        for record in records:
            self.records |= dict.fromkeys(record.identifiers, record)

    def lookup(self, client: Any, identifiers: list[Identifier], *, max_age_seconds: float | None = None) -> Any:
        self.asked.append([one.value for one in identifiers])
        if self.fault is not None:
            raise self.fault
        request = Request(self.source, "GET", "/ids", (("ids", ",".join(one.value for one in identifiers)),))
        answer = DatabaseArchive({self.source: "https://x.example"}).store(
            request, status=200, headers={}, body=b"{}", outcome=Outcome.OK, elapsed_seconds=0, attempt=1, error=""
        )
        number = answer.answer_id or 0
        wanted = [one for one in identifiers if one not in self.failures]
        return LookupResult(
            {one: (self.records[one], number) for one in wanted if one in self.records},
            {one: number for one in wanted if one not in self.records},
            {one: self.failures[one] for one in identifiers if one in self.failures},
        )


@pytest.fixture
def others(monkeypatch: pytest.MonkeyPatch) -> dict[str, LookupStandIn]:
    """Three sources that can be asked by identifier: PubMed, OpenAlex, Crossref, in this order."""
    stand_ins = {
        "pubmed": LookupStandIn("pubmed", ("pmid", "doi")),
        "openalex": LookupStandIn("openalex", ("doi", "pmid")),
        "crossref": LookupStandIn("crossref", ("doi",)),
    }
    monkeypatch.setattr(abstracts, "asked_sources", lambda: list(stand_ins))
    monkeypatch.setattr(abstracts, "lookup_provider", stand_ins.__getitem__)
    monkeypatch.setattr(abstracts, "client_for", lambda key: None)
    monkeypatch.setattr(abstracts, "source_state", lambda key: SourceState(True))
    return stand_ins


@pytest.fixture
def run(sources: Sources, started: Start) -> RetrievalRun:
    """Six papers that Crossref found without abstract."""
    sources["crossref"].records = papers(6, "crossref")
    return work_all(started("crossref"))


def fill(project: Project, actor: User, ids: list[int] | None = None) -> AbstractFill:
    made = abstracts_request(project=project, actor=actor, request_id=uuid4(), candidate_ids=ids)
    AbstractWork().run(str(made.pk))
    made.refresh_from_db()
    return made


def candidate(project: Project, number: int) -> Candidate:
    return Candidate.objects.listed(project).get(doi=f"10.1000/study.{number}")


def has_abstract(number: int, source: str, **changes: Any) -> Record:
    return paper(number, source, **({"abstract": TEXT} | changes))


def test_abstracts_come_from_whoever_has_the_paper(
    run: RetrievalRun, project: Project, person: User, others: dict[str, LookupStandIn]
) -> None:
    others["pubmed"].has(has_abstract(1, "pubmed"), paper(2, "pubmed", abstract=()))
    others["openalex"].has(has_abstract(2, "openalex"), has_abstract(3, "openalex"))
    done = fill(project, person)
    assert done.state == StepState.DONE
    assert done.counts == {
        "wanted": 6, "filled": 3, "filled_by": {"openalex": 2, "pubmed": 1}, "missing": 3, "no_identifier": 0,
        "elsewhere": 0,
    }  # fmt: skip
    found = candidate(project, 2)
    assert (found.merged_record.abstract, found.has_abstract, found.provenance["abstract"]) == (TEXT, True, "openalex")
    assert "found elsewhere" in found.search_text
    told = {
        (one.candidate.doi[-1], one.source): one.outcome for one in AbstractLookup.objects.select_related("candidate")
    }
    assert {key: told[key] for key in (("1", "pubmed"), ("2", "pubmed"), ("2", "openalex"), ("4", "openalex"))} == {
        ("1", "pubmed"): "filled", ("2", "pubmed"): "no_abstract", ("2", "openalex"): "filled",
        ("4", "openalex"): "absent",
    }  # fmt: skip


def test_each_source_is_asked_only_for_what_is_still_missing_and_never_the_one_that_found_it(
    run: RetrievalRun, project: Project, person: User, others: dict[str, LookupStandIn]
) -> None:
    others["pubmed"].has(*(has_abstract(number, "pubmed") for number in (1, 2)))
    fill(project, person)
    dois = [f"10.1000/study.{number}" for number in range(1, 7)]
    assert (others["pubmed"].asked, others["openalex"].asked, others["crossref"].asked) == ([dois], [dois[2:]], [])


def test_the_source_becomes_evidence_but_did_not_find_the_paper(
    run: RetrievalRun, project: Project, person: User, others: dict[str, LookupStandIn]
) -> None:
    others["openalex"].has(has_abstract(1, "openalex"))
    fill(project, person)
    found = candidate(project, 1)
    link = found.source_records.get(source="openalex")
    assert (link.rule, link.why) == (SUPPLEMENT, "Asked for the abstract by DOI 10.1000/study.1.")
    assert link.source_record.record == has_abstract(1, "openalex")
    assert found.sources == ["crossref"]
    assert Candidate.objects.listed(project).from_source("openalex").count() == 0
    assert Candidate.objects.listed(project).facets().sources == {"crossref": 6}
    assert found.verification is not None
    assert found.verification.returned_by == ["crossref", "openalex"]  # no independent witness any more


def test_a_later_run_keeps_it_so(
    run: RetrievalRun,
    project: Project,
    person: User,
    others: dict[str, LookupStandIn],
    sources: Sources,
    started: Start,
) -> None:
    others["openalex"].has(has_abstract(1, "openalex"))
    fill(project, person)
    sources["pubmed"].records = papers(3)
    work_all(started("pubmed"))
    found = candidate(project, 1)
    assert (found.sources, found.provenance["abstract"]) == (["crossref", "pubmed"], "pubmed")
    sources["openalex"].records = papers(1, "openalex")
    work_all(started("openalex"))
    assert candidate(project, 1).sources == ["crossref", "openalex", "pubmed"]


@pytest.mark.parametrize(
    "changes",
    [
        {"title": "Erratum to another thing altogether", "authors": (), "volume": "", "pages": ""},
        {
            "title": "A quite different paper on the taste of apples",
            "authors": (Person("Miller", "Z"),),
            "pages": "900",
        },
    ],
)
def test_another_paper_under_the_identifier_is_not_taken(
    run: RetrievalRun, project: Project, person: User, others: dict[str, LookupStandIn], changes: dict[str, Any]
) -> None:
    others["openalex"].has(has_abstract(1, "openalex", **changes))
    done = fill(project, person, [candidate(project, 1).pk])
    assert (done.counts["filled"], candidate(project, 1).has_abstract) == (0, False)
    assert AbstractLookup.objects.get(source="openalex").outcome == "other_paper"
    assert not CandidateSource.objects.filter(rule=SUPPLEMENT).exists()


def test_same_paper_by_identifier_and_title() -> None:
    ours = paper(1, "crossref")
    assert is_same_paper(ours, has_abstract(1, "openalex"))
    assert is_same_paper(ours, has_abstract(1, "openalex", authors=(), journal="", volume="", pages=""))
    other = {"title": "Something else about bees and their hives", "authors": (Person("Miller", "Z"),), "volume": "3"}
    assert not is_same_paper(ours, has_abstract(1, "openalex", **other))


def test_an_empty_abstract_is_none(
    run: RetrievalRun, project: Project, person: User, others: dict[str, LookupStandIn]
) -> None:
    others["openalex"].has(has_abstract(1, "openalex", abstract=(AbstractSection("  "),)))
    fill(project, person)
    assert AbstractLookup.objects.get(source="openalex", candidate=candidate(project, 1)).outcome == "no_abstract"


def test_only_the_chosen_are_looked_for(
    run: RetrievalRun, project: Project, person: User, others: dict[str, LookupStandIn]
) -> None:
    others["openalex"].has(*(has_abstract(number, "openalex") for number in range(1, 7)))
    done = fill(project, person, [candidate(project, 2).pk, candidate(project, 5).pk])
    assert (done.total, done.counts["filled"]) == (2, 2)
    assert set(Candidate.objects.listed(project).with_filled_abstract().values_list("doi", flat=True)) == {
        "10.1000/study.2", "10.1000/study.5",
    }  # fmt: skip


def test_a_source_that_cannot_be_asked_is_told_and_stops_nobody(
    run: RetrievalRun, project: Project, person: User, others: dict[str, LookupStandIn]
) -> None:
    others["pubmed"].fault = trouble()
    others["openalex"].failures = {Identifier(Scheme.DOI, "10.1000/study.2"): trouble("openalex")}
    others["openalex"].has(has_abstract(1, "openalex"))
    done = fill(project, person)
    assert (done.state, done.counts["filled"], done.counts["missing"]) == (StepState.PARTIAL, 1, 5)
    assert done.troubles == [
        "OpenAlex could not be asked for 1 paper: openalex has a problem.",
        "PubMed could not be asked for 5 papers: pubmed has a problem.",
    ]


def test_a_source_that_never_has_such_papers_is_no_trouble(
    run: RetrievalRun, project: Project, person: User, others: dict[str, LookupStandIn]
) -> None:
    every = [Identifier(Scheme.DOI, f"10.1000/study.{number}") for number in range(1, 7)]
    others["openalex"].failures = {one: trouble("openalex", code="unsupported_prefix") for one in every}
    done = fill(project, person)
    assert (done.state, done.troubles) == (StepState.DONE, [])
    assert not AbstractLookup.objects.filter(source="openalex").exists()


def test_the_sources_asked_are_those_that_hold_abstracts_of_papers() -> None:
    asked = abstracts.asked_sources()
    assert asked[0] == "pubmed"
    assert {"openalex", "semanticscholar", "crossref"} <= set(asked)
    assert not {"datacite", "doiorg", "unpaywall"} & set(asked)


def test_a_source_that_is_switched_off_is_not_asked(
    run: RetrievalRun, project: Project, person: User, others: dict[str, LookupStandIn], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(abstracts, "source_state", lambda key: SourceState(key != "pubmed", "PubMed is switched off."))
    done = fill(project, person)
    assert others["pubmed"].asked == []
    assert done.troubles == ["PubMed could not be asked for 6 papers: PubMed is switched off."]


def test_papers_without_identifier_are_counted(
    sources: Sources, started: Start, project: Project, person: User, others: dict[str, LookupStandIn]
) -> None:
    sources["crossref"].records = [paper(1, "crossref", identifiers=())]
    work_all(started("crossref"))
    done = fill(project, person)
    assert (done.counts["no_identifier"], done.counts["missing"]) == (1, 1)
    assert [stand_in.asked for stand_in in others.values()] == [[], [], []]


def test_nothing_missing_is_said(
    sources: Sources, started: Start, project: Project, person: User, others: dict[str, LookupStandIn]
) -> None:
    sources["pubmed"].records = papers(2)
    work_all(started("pubmed"))
    with pytest.raises(NothingMissing, match="No record lacks an abstract"):
        abstracts_request(project=project, actor=person, request_id=uuid4())
    assert AbstractFill.objects.count() == 0


def test_a_double_click_asks_once(
    run: RetrievalRun, project: Project, person: User, others: dict[str, LookupStandIn]
) -> None:
    number = uuid4()
    made = [abstracts_request(project=project, actor=person, request_id=number) for _ in range(2)]
    assert made[0].pk == made[1].pk
    for one in made:
        AbstractWork().run(str(one.pk))
    assert len(others["pubmed"].asked) == 1


@pytest.mark.parametrize("moment", ["asking", "storing"])
def test_a_killed_worker_s_successor_goes_on_and_doubles_nothing(
    run: RetrievalRun,
    project: Project,
    person: User,
    others: dict[str, LookupStandIn],
    monkeypatch: pytest.MonkeyPatch,
    moment: str,
) -> None:
    monkeypatch.setattr(abstracts, "BATCH", 2)
    others["openalex"].has(*(has_abstract(number, "openalex") for number in range(1, 7)))
    made = abstracts_request(project=project, actor=person, request_id=uuid4())
    name = "_ask_all" if moment == "asking" else "_store"
    whole, calls = getattr(abstracts, name), []

    def dying(*args: Any) -> Any:
        result = whole(*args)
        calls.append(1)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return result

    monkeypatch.setattr(abstracts, name, dying)
    with pytest.raises(KeyboardInterrupt):
        AbstractWork().run(str(made.pk))
    made.refresh_from_db()
    assert (made.done, made.state) == (2, StepState.RUNNING)
    AbstractFill.objects.filter(pk=made.pk).update(state=StepState.QUEUED, lease_token="")
    AbstractWork().run(str(made.pk))
    made.refresh_from_db()
    assert (made.state, made.counts["filled"], made.counts["missing"]) == (StepState.DONE, 6, 0)
    assert CandidateSource.objects.filter(rule=SUPPLEMENT).count() == 6


def test_two_candidates_never_share_a_record(
    sources: Sources, started: Start, project: Project, person: User, others: dict[str, LookupStandIn]
) -> None:
    twin = replace(paper(2, "crossref"), identifiers=(Identifier(Scheme.DOI, "10.1000/study.1"),))
    sources["crossref"].records = [paper(1, "crossref"), twin]
    work_all(started("crossref"))
    others["openalex"].has(has_abstract(1, "openalex"))
    fill(project, person)
    assert CandidateSource.objects.filter(rule=SUPPLEMENT).count() <= 1
    for link in CandidateSource.objects.filter(rule=SUPPLEMENT).select_related("candidate"):
        assert link.candidate.title == paper(1).title


def test_a_record_of_a_look_up_is_stored_once_an_answer_behind_all_others(project: Project) -> None:
    answer = DatabaseArchive({"openalex": "https://x.example"}).store(
        Request("openalex", "GET", "/x"), status=200, headers={}, body=b"{}", outcome=Outcome.OK, elapsed_seconds=0,
        attempt=1, error="",
    )  # fmt: skip
    number = answer.answer_id or 0
    rows = [store_lookup(answer_id=number, record=paper(n, "openalex")) for n in (1, 2, 1)]
    assert [row.position for row in rows] == [0, 1, 0]
    assert SourceRecord.objects.filter(answer_id=number).count() == 2


def test_a_bundle_tells_filled_from_found_and_brings_both_back(
    run: RetrievalRun, project: Project, person: User, others: dict[str, LookupStandIn], tmp_path: Path
) -> None:
    others["openalex"].has(has_abstract(1, "openalex"))
    fill(project, person)
    made = bundle_export(run=RetrievalRun.objects.get(pk=run.pk), out=tmp_path / "b")
    counts = made.manifest["counts"]
    assert (counts["supplements"], counts["abstracts"]) == (1, {"present": 0, "filled": 1, "missing": 5})
    checked = bundle_check(path=tmp_path / "b")
    assert checked.problems == []
    text = (tmp_path / "b" / "candidates_deduped.jsonl").read_text()
    assert '"abstract_provenance":{"identifier":"doi:10.1000/study.1","source":"openalex"}' in text
    other = Project.objects.create(name="Elsewhere", created_by=person)
    imported = bundle_import(path=tmp_path / "b", project=other, actor=person)
    found = candidate(other, 1)
    assert (found.merged_record.abstract, found.sources) == (TEXT, ["crossref"])
    assert Candidate.objects.listed(other).with_filled_abstract().count() == 1
    second = bundle_export(run=RetrievalRun.objects.get(pk=imported.run.pk), out=tmp_path / "c")
    same = ("candidates_deduped.jsonl", "candidates_normalized.jsonl", "candidates_raw.jsonl")
    assert {n: second.manifest["files"][n] for n in same} == {n: made.manifest["files"][n] for n in same}


def test_the_command_fills_and_says_what_is_still_missing(
    run: RetrievalRun,
    project: Project,
    person: User,
    others: dict[str, LookupStandIn],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(fill_abstracts, "SignOfLife", nullcontext)
    Membership.objects.create(project=project, user=person, role=Role.OWNER)
    others["openalex"].has(has_abstract(1, "openalex"))
    others["pubmed"].fault = trouble()
    call_command("fill_abstracts", "--project", str(project.pk))
    told = capsys.readouterr()
    assert "6 looked for, 1 filled (OpenAlex 1), 5 still missing, 0 of them without an identifier" in told.out
    assert "PubMed could not be asked for 5 papers" in told.err
    call_command("fill_abstracts", str(candidate(project, 1).pk), "--project", project.name)
    assert "None of these records lacks an abstract" in capsys.readouterr().out
    with pytest.raises(CommandError, match="no project"):
        call_command("fill_abstracts", "--project", "Nowhere")
    assert SourceAnswer.objects.filter(source="openalex").exists()

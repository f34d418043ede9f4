"""Lists of identifiers: each row leads to a record that a source returned, or says why not; nothing is made up."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import User

from litapp.core.records import Identifier, Record, Scheme
from litapp.ledger.models import SourceAnswer, SourceRecord
from litapp.projects.models import Project
from litapp.verification.models import Verification
from references.services.evidence_summary import flow_of
from searches.models import Candidate, ImportedEntry, RecordImport, RetrievalRun
from searches.services import import_resolving
from searches.services.imports import ImportDetails, ImportProblem, import_identifiers, import_undo
from searches.services.single_steps import Fetched
from tests.searches.conftest import work_all
from tests.searches.import_files import begin, work
from tests.searches.stand_in import StandIn, paper, papers

pytestmark = pytest.mark.django_db
Start = Callable[..., RetrievalRun]
PMID = Identifier(Scheme.PMID, "1000001")
DOI = Identifier(Scheme.DOI, "10.1000/study.2")


class Sources:
    """Stands in for all sources: `records` by identifier; `failed` and `again` as `Fetched` tells them."""

    def __init__(self) -> None:
        self.records: dict[Identifier, Record] = {}
        self.failed: dict[Identifier, str] = {}
        self.again: frozenset[Identifier] = frozenset()
        self.asked: list[list[Identifier]] = []
        self.answer_id: int | None = None

    def __call__(self, identifiers: list[Identifier]) -> Fetched:
        self.asked.append(list(identifiers))
        answer = SourceAnswer.objects.create(
            source="pubmed", method="GET", url="x", request_key=uuid4().hex, status=200, outcome="ok",
            received_at="2026-01-01T00:00Z",
        )  # fmt: skip
        found = {one: (self.records[one], self.answer_id or answer.pk) for one in identifiers if one in self.records}
        absent = {one: "PubMed does not have it." for one in identifiers if one not in found and one not in self.failed}
        return Fetched(found, absent, dict(self.failed), self.again)


@pytest.fixture
def fetched(monkeypatch: pytest.MonkeyPatch) -> Sources:
    sources = Sources()
    sources.records = {PMID: paper(1), DOI: paper(2, "crossref")}
    monkeypatch.setattr(import_resolving, "fetch_identifiers", sources)
    return sources


def resolve(project: Project, person: User, text: str) -> RecordImport:
    made = import_identifiers(
        project=project, actor=person, request_id=uuid4(), details=ImportDetails("Colleague's list"), text=text
    )
    return work(made.record_import)


def rows(row: RecordImport) -> list[tuple[int, str, str, str, str, str]]:
    values = ImportedEntry.objects.filter(record_import=row).order_by("number")
    return [
        (one.first_line, one.text, one.scheme, one.identifier,
         one.source_record.source if one.source_record else "", one.problem) for one in values
    ]  # fmt: skip


def test_each_row_is_resolved_or_says_why_not(project: Project, person: User, fetched: Sources) -> None:
    row = resolve(project, person, "PMID: 1000001\n\nhttps://doi.org/10.1000/STUDY.2\nhello\n99\n")
    told = rows(row)
    assert [one[:5] for one in told] == [
        (1, "PMID: 1000001", "pmid", "1000001", "pubmed"),
        (3, "https://doi.org/10.1000/STUDY.2", "doi", "10.1000/study.2", "crossref"),
        (4, "hello", "", "", ""),
        (5, "99", "pmid", "99", ""),
    ]
    assert (told[0][5], told[1][5], told[3][5]) == ("", "", "PubMed does not have it.")
    assert told[2][5].startswith("This line holds no PMID, DOI")
    assert (row.state, row.kind, row.done, row.read, row.skipped) == ("done", "identifiers", 4, 2, 2)
    listed = Candidate.objects.listed(project).order_by("pk")
    assert [(one.title, one.sources) for one in listed] == [
        (paper(1).title, ["pubmed"]), (paper(2, "crossref").title, ["crossref"]),
    ]  # fmt: skip
    assert [one.returned_by for one in Verification.objects.order_by("pk")] == [["pubmed"], ["crossref"]]


def test_an_uploaded_list_is_resolved_like_a_pasted_one(project: Project, person: User, fetched: Sources) -> None:
    row = work(begin(project, person, b"\xef\xbb\xbf1000001\r\n10.1000/study.2\r\n", name="ids.csv").record_import)
    assert (row.kind, row.state, row.read) == ("identifiers", "done", 2)


def test_two_rows_of_one_paper_are_one_candidate(project: Project, person: User, fetched: Sources) -> None:
    row = resolve(project, person, "1000001\npubmed 1000001\n")
    assert (row.read, Candidate.objects.listed(project).count()) == (2, 1)


def test_identifiers_of_two_papers_in_one_row_are_not_taken(project: Project, person: User, fetched: Sources) -> None:
    row = resolve(project, person, "PMID: 1000001 DOI: 10.1000/study.2\n")
    [told] = rows(row)
    assert told[4:] == (
        "",
        "It names two papers: PMID 1000001 and DOI 10.1000/study.2. Put the right one on a line of its own.",
    )
    assert not Candidate.objects.listed(project).exists()


def test_a_silent_source_is_asked_again_and_is_never_a_paper_that_does_not_exist(
    project: Project, person: User, fetched: Sources, clock: Any
) -> None:
    fetched.failed, fetched.again = {DOI: "Crossref does not answer."}, frozenset({DOI})
    del fetched.records[DOI]
    row = resolve(project, person, "1000001\n10.1000/study.2\n")
    assert (row.state, row.done, row.message) == (
        "waiting", 0, "Crossref does not answer. The rows are asked for again.",
    )  # fmt: skip
    while row.is_open:
        clock.move_to(row.not_before, tick=False)
        work(row)
    assert (row.state, row.read, row.skipped) == ("partial", 1, 1)
    assert rows(row)[1][5] == "No source could be asked: Crossref does not answer."
    assert row.message == "1 row could not be asked for. Nothing is known of them."
    assert len(fetched.asked) == 4


def test_a_source_that_answers_the_second_time(project: Project, person: User, fetched: Sources, clock: Any) -> None:
    found = fetched.records.pop(DOI)
    fetched.failed, fetched.again = {DOI: "Crossref does not answer."}, frozenset({DOI})
    row = resolve(project, person, "10.1000/study.2\n")
    fetched.records[DOI], fetched.failed, fetched.again = found, {}, frozenset()
    clock.move_to(row.not_before, tick=False)
    work(row)
    assert (row.state, row.read, row.message) == ("done", 1, "")


def test_a_killed_worker_goes_on_behind_its_last_page(
    project: Project, person: User, fetched: Sources, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_resolving, "PAGE", 1)
    stop = import_resolving.stop_reason

    def killed(row: RecordImport) -> str:
        if row.done == 1 and len(fetched.asked) == 1:
            raise KeyboardInterrupt
        return stop(row)

    monkeypatch.setattr(import_resolving, "stop_reason", killed)
    with pytest.raises(KeyboardInterrupt):
        resolve(project, person, "1000001\n10.1000/study.2\n")
    row = RecordImport.objects.get()
    monkeypatch.setattr(import_resolving, "stop_reason", stop)
    RecordImport.objects.update(state="queued", lease_token="")
    work(row)
    assert (row.state, row.read, fetched.asked) == ("done", 2, [[PMID], [DOI]])


def test_a_list_counts_as_its_own_place_and_what_a_run_found_stays_when_it_is_undone(
    project: Project, person: User, started: Start, sources: dict[str, StandIn], fetched: Sources
) -> None:
    sources["pubmed"].records = papers(1)
    work_all(started("pubmed"))
    row = resolve(project, person, "1000001\n10.1000/study.2\n")
    flow = flow_of(project)
    assert (flow.identified, flow.duplicates_removed) == ((("PubMed", 1), ("Colleague's list", 2)), 1)
    work(import_undo(record_import=row, actor=person))
    flow = flow_of(project)
    assert (flow.identified, flow.candidates) == ((("PubMed", 1),), 1)


def test_a_record_that_a_run_read_from_the_same_answer_is_not_taken_back(
    project: Project, person: User, started: Start, sources: dict[str, StandIn], fetched: Sources
) -> None:
    sources["pubmed"].records = papers(1)
    work_all(started("pubmed"))
    [stored] = SourceRecord.objects.all()
    fetched.records, fetched.answer_id = {PMID: stored.record}, stored.answer_id
    row = resolve(project, person, "1000001\n")
    assert (row.read, SourceRecord.objects.count()) == (1, 1)
    assert flow_of(project).identified == (("PubMed", 1),)
    work(import_undo(record_import=row, actor=person))
    assert Candidate.objects.listed(project).count() == 1


def test_an_empty_list_is_refused(project: Project, person: User) -> None:
    with pytest.raises(ImportProblem, match="holds no row"):
        resolve(project, person, " \n\n")

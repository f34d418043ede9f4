"""The flow counted from a project's log: rules, numbers and lists agree in every state that the services can reach, and
every past date still shows what was shown then."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
import time_machine
from django.contrib.auth.models import User
from django.utils import timezone

from litapp.core.prisma.check_rules import check_rules
from litapp.core.prisma.events import Method
from litapp.core.prisma.flow import IN_PREVIOUS, NOT_ASSESSED, NOT_SCREENED, PrismaFlow
from litapp.projects.models import Membership, Project, Role
from litapp.projects.services.team import member_remove
from references.services.evidence_summary import flow_of
from searches.models import Candidate, PairAnswer, Ranking, RecordImport, RetrievalRun, Stage, StoppingSample
from searches.services import prisma_kept
from searches.services.duplicates import NothingToTakeBack, PairChanged, answer_undo, pair_answer, records_part
from searches.services.import_by_hand import TypedRecord, record_add
from searches.services.imports import ImportDetails, import_undo
from searches.services.prisma import import_method_set, papers_behind, project_flow
from searches.services.prisma_moves import note_report
from searches.services.refusals import DecisionRefused
from searches.services.resolving import conflicts, resolve, seen_of, votes_on
from searches.services.runs import run_again
from searches.services.screening import decide_many
from searches.services.stages import Settings, stage_set
from searches.services.studies import StudyProblem, study_join, study_leave
from searches.services.taking_back import NothingToUndo, undo
from tests.searches.conftest import work_all
from tests.searches.import_files import imported, ris_record, work
from tests.searches.stand_in import StandIn, papers

pytestmark = pytest.mark.django_db
Start = Callable[..., RetrievalRun]
CITATIONS = ImportDetails("Citation searching")
REGISTER = ImportDetails("ClinicalTrials.gov")


def numbers(flow: PrismaFlow) -> dict[str, Any]:
    return dict(flow.numbers)


def values(flow: PrismaFlow) -> dict[str, int]:
    return {key: number.value for key, number in flow.numbers.items() if number.value}


def file_of(*which: int, **more: str) -> bytes:
    return "".join(ris_record(number, **more) for number in which).encode()


def include(project: Project, person: User, decision: str, *rows: Candidate, **more: Any) -> None:
    decide_many(
        project=project,
        actor=person,
        candidate_ids=[row.pk for row in rows],
        decision=decision,
        request_id=uuid4(),
        **more,
    )


def listed(project: Project) -> list[Candidate]:
    return list(Candidate.objects.listed(project).order_by("pk"))


def test_run_and_imports_make_the_columns(
    project: Project, person: User, sources: dict[str, StandIn], started: Start
) -> None:
    sources["pubmed"].records = papers(4)
    sources["crossref"].records = papers(2, "crossref", start=3)
    work_all(started("pubmed", "crossref"))
    imported(project, person, file_of(1, 5))
    imported(project, person, file_of(6), details=REGISTER)
    imported(project, person, file_of(2, 7), details=CITATIONS)
    record_add(project=project, actor=person, request_id=uuid4(), typed=TypedRecord("A guideline"))
    imported(project, person, file_of(8), details=ImportDetails("Previous review of 2019"))
    flow = project_flow(project)
    assert values(flow) == {
        "database_results": 8, "database_specific_results": 8, "register_results": 1, "register_specific_results": 1,
        "duplicates": 3, "excluded_other": 6, "website_results": 1, "citations_results": 1, "other_duplicates": 1,
        "other_sought_reports": 2, "other_assessed": 2, "other_excluded": 2, "previous_studies": 1,
        "previous_reports": 1, "total_studies": 1, "total_reports": 1,
    }  # fmt: skip
    by_name = {part.name: part.value for part in flow["database_specific_results"].parts}
    assert by_name == {"PubMed": 4, "Crossref": 2, "Embase": 2}
    assert {part.name: part.value for part in flow["excluded_other"].parts} == {NOT_SCREENED: 6}
    assert {part.name: part.value for part in flow["other_excluded"].parts} == {NOT_ASSESSED: 2}
    first, *_ = listed(project)
    assert papers_behind(project, flow["database_specific_results"], "Embase") == sorted(
        {first.pk, Candidate.objects.get(title=papers(1, start=5)[0].title).pk}
    )


def test_a_person_says_where_an_import_belongs_and_the_past_stays(
    project: Project, person: User, clock: time_machine.TimeMachineFixture
) -> None:
    row = imported(project, person, file_of(1, 2), details=ImportDetails("Our old list"))
    before = timezone.now()
    clock.shift(60)
    assert import_method_set(record_import=row, actor=person, method=Method.PREVIOUS)
    assert not import_method_set(record_import=row, actor=person, method=Method.PREVIOUS)
    assert project_flow(project).value("previous_reports") == 2
    assert project_flow(project, before).value("database_results") == 2
    imported(project, person, file_of(1, 3))
    flow = project_flow(project)
    assert {part.name: part.value for part in flow["excluded_other"].parts} == {IN_PREVIOUS: 1, NOT_SCREENED: 1}


def test_full_texts_not_retrieved_and_reasons(project: Project, person: User) -> None:
    Membership.objects.create(project=project, user=person, role=Role.OWNER)
    imported(project, person, file_of(1, 2, 3, 4, 5))
    stage_set(project=project, actor=person, stage=Stage.FULLTEXT, wanted=Settings())
    rows = listed(project)
    include(project, person, "include", *rows[:4])
    include(project, person, "exclude", rows[4], reason="Wrong population")
    note_report(candidate=rows[0], not_retrieved=True, reason="No copy found", actor=person)
    include(project, person, "exclude", rows[1], reason="Wrong outcome", stage=Stage.FULLTEXT)
    include(project, person, "include", rows[2], stage=Stage.FULLTEXT)
    flow = project_flow(project)
    assert {key: flow.value(key) for key in ("records_screened", "records_excluded", "dbr_sought_reports",
            "dbr_notretrieved_reports", "dbr_assessed", "new_reports")} == {
        "records_screened": 5, "records_excluded": 1, "dbr_sought_reports": 4, "dbr_notretrieved_reports": 1,
        "dbr_assessed": 3, "new_reports": 1,
    }  # fmt: skip
    assert {part.name: part.ids for part in flow["dbr_excluded"].parts} == {
        "Wrong outcome": (rows[1].pk,), NOT_ASSESSED: (rows[3].pk,),
    }  # fmt: skip
    note_report(candidate=rows[0], not_retrieved=False, actor=person)
    assert project_flow(project).value("dbr_notretrieved_reports") == 0


class Walk:
    """Random work in one project through the services, as people and the worker do it."""

    def __init__(
        self, project: Project, people: list[User], seed: int, start: Start, sources: dict[str, StandIn]
    ) -> None:
        self.project, self.people, self.start, self.sources = project, people, start, sources
        self.random = random.Random(seed)
        self.runs: list[RetrievalRun] = []
        self.gone: set[int] = set()

    def step(self) -> None:
        doing = [
            self.bring, self.bring, self.take_back, self.join, self.part, self.unanswer, self.judge, self.judge,
            self.judge, self.bulk, self.undo, self.group, self.ungroup, self.settings, self.settle, self.again,
            self.lose, self.label, self.leave,
        ]  # fmt: skip
        self.random.choice(doing)()

    @property
    def person(self) -> User:
        return self.random.choice([one for one in self.people if one.pk not in self.gone])

    def some(self, most: int = 1) -> list[Candidate]:
        rows = listed(self.project)
        return self.random.sample(rows, min(most, len(rows)))

    def bring(self) -> None:
        which = self.random.sample(range(1, 9), self.random.randint(1, 4))
        name = self.random.choice(["Embase", "Scopus", "ISRCTN registry", "Citation searching", "WHO website"])
        imported(self.project, self.person, file_of(*which, N1=str(uuid4())), details=ImportDetails(name))

    def take_back(self) -> None:
        row = RecordImport.objects.filter(project=self.project, undone_at=None).order_by("?").first()
        if row is not None:
            import_undo(record_import=row, actor=self.person)
            work(row)

    def join(self) -> None:
        rows = self.some(2)
        if len(rows) == 2:
            pair_answer(
                project=self.project, actor=self.person, candidate_ids=(rows[0].pk, rows[1].pk), answer=PairAnswer.SAME,
                request_id=uuid4(),
            )  # fmt: skip

    def part(self) -> None:
        for row in self.some():
            links = list(row.source_records.values_list("pk", flat=True))
            leaving = self.random.sample(links, max(1, len(links) // 2))
            with contextlib.suppress(PairChanged):
                records_part(
                    project=self.project, actor=self.person, candidate_id=row.pk, link_ids=leaving, request_id=uuid4()
                )

    def unanswer(self) -> None:
        with contextlib.suppress(NothingToTakeBack):
            answer_undo(project=self.project, actor=self.person)

    def judge(self) -> None:
        stage = self.random.choice([Stage.TITLE, Stage.FULLTEXT])
        for row in self.some():
            with contextlib.suppress(DecisionRefused):
                include(self.project, self.person, self.random.choice(["include", "exclude", "maybe"]), row,
                        reason=self.random.choice(["", "Wrong population"]), stage=stage)  # fmt: skip

    def bulk(self) -> None:
        include(self.project, self.person, self.random.choice(["include", "exclude"]), *self.some(5))

    def undo(self) -> None:
        with contextlib.suppress(NothingToUndo, DecisionRefused):
            undo(project=self.project, actor=self.person)

    def group(self) -> None:
        with contextlib.suppress(StudyProblem):
            study_join(project=self.project, actor=self.person, candidate_ids=[row.pk for row in self.some(2)])

    def ungroup(self) -> None:
        for row in self.some(3):
            study_leave(project=self.project, actor=self.person, candidate_id=row.pk)

    def settings(self) -> None:
        stage = self.random.choice([Stage.TITLE, Stage.FULLTEXT])
        wanted = Settings(
            in_use=stage == Stage.TITLE or self.random.random() < 0.7, screeners=self.random.choice([1, 2])
        )
        stage_set(project=self.project, actor=self.person, stage=stage, wanted=wanted)

    def settle(self) -> None:
        stage = self.random.choice([Stage.TITLE, Stage.FULLTEXT])
        for row in conflicts(self.project, stage)[:1]:
            resolve(
                project=self.project, candidate_id=row.pk, actor=self.person, request_id=uuid4(),
                decision=self.random.choice(["include", "exclude"]), seen=seen_of(votes_on(row, stage)), stage=stage,
            )  # fmt: skip

    def again(self) -> None:
        if not self.runs:
            self.sources["pubmed"].records = papers(4)
            self.runs.append(self.start("pubmed"))
        else:
            self.sources["pubmed"].records = papers(6)
            self.runs.append(run_again(run=self.runs[-1], actor=self.person, request_id=uuid4()))
        work_all(self.runs[-1])

    def lose(self) -> None:
        for row in self.some():
            note_report(candidate=row, not_retrieved=self.random.random() < 0.7, reason="No copy found")

    def label(self) -> None:
        row = RecordImport.objects.filter(project=self.project).order_by("?").first()
        if row is not None:
            import_method_set(record_import=row, actor=self.person, method=self.random.choice(list(Method)))

    def leave(self) -> None:
        if len(self.people) > 1 and not self.gone and self.random.random() < 0.3:
            leaver = self.people[-1]
            self.gone.add(leaver.pk)
            members = Membership.objects.filter(project=self.project)
            member_remove(membership=members.get(user=leaver), actor=members.get(user=self.people[0]))


@pytest.mark.parametrize("seed", range(6))
def test_every_state_adds_up_and_stays_readable(
    seed: int, project: Project, person: User, colleague: User, sources: dict[str, StandIn], started: Start,
    clock: time_machine.TimeMachineFixture,
) -> None:  # fmt: skip
    third = User.objects.create_user("eve", "eve@example.org", "a long pass phrase")
    for one, role in ((person, Role.OWNER), (colleague, Role.LEAD), (third, Role.LEAD)):
        Membership.objects.create(project=project, user=one, role=role)
    walk = Walk(project, [person, colleague, third], seed, started, sources)
    shown: list[tuple[datetime, dict[str, Any]]] = []
    for _ in range(45):
        walk.step()
        flow = project_flow(project)
        assert [one.text for one in check_rules(flow.published()) if one.violated] == []
        papers_now = {row.pk: row for row in listed(project)}
        _agrees_with_the_lists(project, flow, papers_now)
        shown.append((timezone.now(), numbers(flow)))
        clock.shift(timedelta(seconds=60))
    for at, then in shown:
        assert numbers(project_flow(project, at)) == then


ENDS = ("excluded_automatic", "excluded_other", "records_excluded", "dbr_notretrieved_reports", "dbr_excluded",
        "included_via_databases", "other_notretrieved_reports", "other_excluded", "included_via_other",
        "previous_reports")  # fmt: skip


IDENTIFIED = ("database_results", "register_results", "website_results", "organisation_results", "citations_results",
              "other_duplicates")  # fmt: skip


def _agrees_with_the_lists(project: Project, flow: PrismaFlow, papers_now: dict[int, Candidate]) -> None:
    """The candidates of the list, each once, with the decisions that the pages show; the records of the old count."""
    previous = set(flow["previous_reports"].ids)
    ends = [paper for key in ENDS for paper in flow[key].ids if paper not in previous] + sorted(previous)
    assert sorted(ends) == sorted(papers_now)
    final = {pk for pk, row in papers_now.items() if row.final == "include"}
    assert set(flow["new_reports"].ids) == final - previous
    out = {pk for pk, row in papers_now.items() if row.decision == "exclude"}
    assert set(flow["records_excluded"].ids) <= out
    old = flow_of(project)
    told = sum(flow.value(key) for key in IDENTIFIED)
    if not previous:
        assert told == old.identified_total


def test_a_kept_flow_is_never_an_old_one(
    project: Project, person: User, sources: dict[str, StandIn], started: Start, monkeypatch: pytest.MonkeyPatch,
    clock: time_machine.TimeMachineFixture,
) -> None:  # fmt: skip
    """The walk of a project whose flow is kept shows the same as counting anew, after every step."""
    Membership.objects.create(project=project, user=person, role=Role.OWNER)
    walk = Walk(project, [person], 3, started, sources)
    for _ in range(30):
        walk.step()
        clock.shift(timedelta(seconds=60))
        monkeypatch.setattr(prisma_kept, "LARGE", 10**9)
        anew = numbers(project_flow(project))
        monkeypatch.setattr(prisma_kept, "LARGE", 0)
        assert numbers(project_flow(project)) == anew
        assert numbers(project_flow(project)) == anew


def test_an_accepted_stop_takes_out_what_nobody_looked_at(project: Project, person: User) -> None:
    imported(project, person, file_of(1, 2, 3))
    first, *_ = listed(project)
    include(project, person, "include", first)
    ranking = Ranking.objects.create(
        project=project, seed=1, settings={"model": "words"}, control_share=0.1, started_by=person
    )
    StoppingSample.objects.create(
        ranking=ranking, number=1, request_id=uuid4(), drawn_by=person, records=3, unread=2, relevant_before=1, size=1,
        target=0.95, confidence=0.95, chosen=[], found=0, passed=True, finished_at=timezone.now(), accepted_by=person,
        accepted_at=timezone.now(),
    )  # fmt: skip
    flow = project_flow(project)
    [part] = flow["excluded_automatic"].parts
    assert (part.name, part.value) == ("LitLedger's ranking (words), stopped for a recall of 95%", 2)
    assert not flow.is_interim

"""Answers of people on duplicates, un-merging, studies, and their pages. Records are made up."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from html import unescape
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.test import Client

from litapp.core.records import PartialDate
from litapp.projects.models import Event, Membership, Project, Role
from references.models import Reference
from references.services.reference_list import note_save
from searches.models import Candidate, CandidateSource, PairAnswer, PairDecision, StudyReport
from searches.services.doubtful_queue import doubtful_pairs
from searches.services.duplicates import NothingToTakeBack, PairChanged, answer_undo, pair_answer, records_part
from searches.services.screening import decide, undo
from searches.services.studies import StudyProblem, companions_of, levels, study_join, study_leave
from tests.searches.test_grouping_order import LIBRARY, TITLE, bring, groups, queue, record

pytestmark = pytest.mark.django_db
ARTICLE = record("article", identifiers=())
OTHER_PAGES = record("pages", pages="1700-1709")
"""Doubtful with ARTICLE: all agrees but the pages."""
COPY = record("copy", title=TITLE.upper() + ".", pages="1637-45")


@pytest.fixture
def owner(person: User, project: Project) -> User:
    Membership.objects.get_or_create(project=project, user=person, defaults={"role": Role.OWNER})
    return person


def of(project: Project, name: str) -> Candidate:
    return CandidateSource.objects.get(project=project, source_record__source_id=name).candidate


def link(project: Project, name: str) -> int:
    return CandidateSource.objects.get(project=project, source_record__source_id=name).pk


def answer(project: Project, person: User, one: str, other: str, said: PairAnswer, request: Any = None) -> Any:
    return pair_answer(
        project=project, actor=person, candidate_ids=(of(project, one).pk, of(project, other).pk), answer=said,
        request_id=request or uuid4(),
    )  # fmt: skip


def screened(project: Project, person: User, name: str, decision: str) -> None:
    row = of(project, name)
    decide(
        project=project, candidate_id=row.pk, actor=person, decision=decision, version=row.version, request_id=uuid4()
    )


def state(project: Project) -> dict[str, object]:
    """All that must be as before when a merge is undone: groups, decisions with their history, references, notes."""
    decisions = {
        tuple(sorted(row.source_records.values_list("source_record__source_id", flat=True))): (
            row.decision,
            row.decided_by_id,
            list(row.decisions.order_by("pk").values_list("decision", "reason", "request_id")),
        )
        for row in Candidate.objects.listed(project)
    }
    references = set(Reference.objects.filter(project=project).values_list("candidate_id", "key", "note", "removed_at"))
    return {"groups": groups(project), "decisions": decisions, "references": references, "queue": queue(project)}


class TestDoubtful:
    @pytest.fixture(autouse=True)
    def _two(self, project: Project) -> None:
        bring(project, [ARTICLE, OTHER_PAGES])

    def test_a_doubtful_pair_waits_with_its_reason(self, project: Project) -> None:
        [pair] = doubtful_pairs(project)
        assert (pair.rule, pair.a.source_record.source_id, pair.b.source_record.source_id) == (
            "pages_differ", "article", "pages",
        )  # fmt: skip

    def test_duplicate_merges_and_leaves_the_queue(self, project: Project, owner: User) -> None:
        answer(project, owner, "article", "pages", PairAnswer.SAME)
        assert groups(project) == {frozenset({"article", "pages"})}
        assert list(doubtful_pairs(project)) == []
        joined = CandidateSource.objects.get(source_record__source_id="pages")
        assert (joined.rule, joined.why) == ("decided", "A person decided that these are the same.")
        assert Event.objects.filter(verb="duplicates.joined").count() == 1

    def test_not_a_duplicate_is_remembered_for_later_imports(self, project: Project, owner: User) -> None:
        answer(project, owner, "article", "pages", PairAnswer.APART)
        assert list(doubtful_pairs(project)) == []
        bring(project, [ARTICLE, COPY, OTHER_PAGES])
        assert groups(project) == {frozenset({"article", "copy"}), frozenset({"pages"})}
        assert list(doubtful_pairs(project)) == []

    def test_the_same_answer_sent_twice_counts_once(self, project: Project, owner: User) -> None:
        request, ids = uuid4(), (of(project, "article").pk, of(project, "pages").pk)
        for applied in (True, False):
            done = pair_answer(
                project=project, actor=owner, candidate_ids=ids, answer=PairAnswer.SAME, request_id=request
            )
            assert done.applied is applied
        assert PairDecision.objects.count() == 1

    def test_an_answer_on_what_was_joined_meanwhile_is_refused(self, project: Project, owner: User) -> None:
        ids = (of(project, "article").pk, of(project, "pages").pk)
        answer(project, owner, "article", "pages", PairAnswer.SAME)
        with pytest.raises(PairChanged):
            pair_answer(project=project, actor=owner, candidate_ids=ids, answer=PairAnswer.APART, request_id=uuid4())

    @pytest.mark.parametrize("said", list(PairAnswer))
    def test_taken_back_everything_is_where_it_was(self, project: Project, owner: User, said: PairAnswer) -> None:
        screened(project, owner, "article", "include")
        screened(project, owner, "pages", "include")
        for reference in Reference.objects.all():
            note_save(reference=reference, actor=owner, note=f"of {reference.key}", version=reference.version)
        before = state(project)
        answer(project, owner, "article", "pages", said)
        assert (state(project) == before) is False
        answer_undo(project=project, actor=owner)
        assert state(project) == before
        with pytest.raises(NothingToTakeBack):
            answer_undo(project=project, actor=owner)

    @pytest.mark.parametrize("decided", ["article", "pages"])
    def test_the_only_decision_and_its_note_go_back(self, project: Project, owner: User, decided: str) -> None:
        screened(project, owner, decided, "include")
        reference = Reference.objects.get()
        note_save(reference=reference, actor=owner, note="read twice", version=reference.version)
        before = state(project)
        answer(project, owner, "article", "pages", PairAnswer.SAME)
        assert Candidate.objects.listed(project).get().decision == "include"
        assert Reference.objects.get().candidate == Candidate.objects.listed(project).get()
        answer_undo(project=project, actor=owner)
        assert state(project) == before

    def test_a_decision_taken_back_while_merged_stays_taken_back(self, project: Project, owner: User) -> None:
        screened(project, owner, "pages", "exclude")
        answer(project, owner, "article", "pages", PairAnswer.SAME)
        undo(project=project, actor=owner)
        answer_undo(project=project, actor=owner)
        assert {row.decision for row in Candidate.objects.listed(project)} == {""}

    def test_merged_parted_and_merged_again(self, project: Project, owner: User) -> None:
        screened(project, owner, "pages", "exclude")
        answer(project, owner, "article", "pages", PairAnswer.SAME)
        merged = state(project)
        answer_undo(project=project, actor=owner)
        answer(project, owner, "article", "pages", PairAnswer.SAME)
        assert state(project) == merged


class TestParting:
    def test_an_automatic_merge_is_undone_and_stays_so(self, project: Project, owner: User) -> None:
        bring(project, [ARTICLE, COPY])
        before = state(project)
        records_part(
            project=project, actor=owner, candidate_id=of(project, "article").pk, link_ids=[link(project, "copy")],
            request_id=uuid4(),
        )  # fmt: skip
        assert groups(project) == {frozenset({"article"}), frozenset({"copy"})}
        bring(project, [COPY, ARTICLE, replace(COPY, source_id="copy of the copy")])
        assert len(groups(project)) == 2
        assert list(doubtful_pairs(project)) == []
        answer_undo(project=project, actor=owner)
        assert groups(project) == {frozenset({"article", "copy", "copy of the copy"})}
        assert before["groups"] == {frozenset({"article", "copy"})}

    def test_all_of_a_paper_cannot_leave_it(self, project: Project, owner: User) -> None:
        bring(project, [ARTICLE, COPY])
        ids = [link(project, name) for name in ("article", "copy")]
        with pytest.raises(PairChanged):
            records_part(
                project=project, actor=owner, candidate_id=of(project, "article").pk, link_ids=ids, request_id=uuid4()
            )


PREPRINT = record(
    "preprint", journal="medRxiv", volume="", issue="", pages="", is_preprint=True, date=PartialDate(2020)
)
ERRATUM = record("erratum", title=f"Erratum: {TITLE}", pages="1820")


class TestStudies:
    @pytest.fixture(autouse=True)
    def _three(self, project: Project) -> None:
        bring(project, [ARTICLE, PREPRINT, ERRATUM])

    def test_companions_are_linked_with_their_relation(self, project: Project) -> None:
        found = [(one.relation, one.reports_study) for one in companions_of(of(project, "article"))]
        assert found == [("preprint and article", True), ("correction of the other", False)]

    def test_reports_of_one_study_count_once(self, project: Project, owner: User) -> None:
        for name in ("article", "preprint", "erratum"):
            screened(project, owner, name, "include")
        ids = [of(project, name).pk for name in ("article", "preprint")]
        study = study_join(project=project, actor=owner, candidate_ids=ids)
        assert study.label == "Horby Peter 2021"
        counted = levels(project)
        assert (counted.records, counted.reports, counted.reports_included, counted.studies_included) == (3, 3, 3, 2)
        study_leave(project=project, actor=owner, candidate_id=ids[1])
        assert (levels(project).studies_included, StudyReport.objects.count()) == (3, 0)

    def test_one_report_is_no_group(self, project: Project, owner: User) -> None:
        with pytest.raises(StudyProblem):
            study_join(project=project, actor=owner, candidate_ids=[of(project, "article").pk])


class TestPages:
    @pytest.fixture
    def reader(self, owner: User, client: Client) -> Client:
        client.force_login(owner)
        return client

    def text(self, html: bytes) -> str:
        return " ".join(unescape(re.sub(r"<[^>]+>", " ", html.decode())).split())

    def fields(self, html: bytes, action: str) -> dict[str, str]:
        form = re.search(rf'<form[^>]*action="[^"]*{action}"[^>]*>.*?</form>', html.decode(), re.DOTALL)
        assert form, action
        return dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', form[0]))

    def test_the_pair_is_answered_without_script_and_taken_back(self, project: Project, reader: Client) -> None:
        bring(project, [ARTICLE, OTHER_PAGES])
        address = f"/projects/{project.pk}/duplicates/"
        page = reader.get(address)
        told = self.text(page.content)
        assert "Pair 1 of 1" in told
        assert "Pages differs" in told
        assert "Title, author, journal and volume agree; the pages do not." in told
        assert '<del class="diff">1637</del>' in page.content.decode()
        sent = self.fields(page.content, "duplicates/answer/")
        done = reader.post(f"{address}answer/", {**sent, "answer": "same"}, follow=True)
        assert "joined into one paper" in self.text(done.content)
        assert "No doubtful pair is left" in self.text(done.content)
        back = reader.post(f"{address}undo/", self.fields(done.content, "duplicates/undo/"), follow=True)
        assert "Taken back" in self.text(back.content)
        assert len(groups(project)) == 2

    def test_skip_goes_to_the_next_and_round(self, project: Project, reader: Client) -> None:
        other = [replace(one, title="Copper surfaces against infection in hospital wards of six cities", volume="12",
                         source_id=f"x{one.source_id}") for one in (ARTICLE, OTHER_PAGES)]  # fmt: skip
        bring(project, [ARTICLE, OTHER_PAGES, *other])
        pairs = list(doubtful_pairs(project).values_list("pk", flat=True))
        assert len(pairs) == 2
        for after, shown in ((pairs[0], 2), (pairs[1], 1)):
            page = reader.get(f"/projects/{project.pk}/duplicates/?after={after}")
            assert f"Pair {shown} of 2" in self.text(page.content)

    def test_a_candidates_page_says_why_and_parts(self, project: Project, reader: Client) -> None:
        bring(project, [ARTICLE, COPY, PREPRINT])
        row = of(project, "article")
        page = reader.get(f"/projects/{project.pk}/candidates/{row.pk}/")
        told = self.text(page.content)
        assert "Title, volume and first page agree." in told
        assert "preprint and article" in told
        sent = self.fields(page.content, f"candidates/{row.pk}/part/")
        done = reader.post(
            f"/projects/{project.pk}/candidates/{row.pk}/part/", {**sent, "records": link(project, "copy")}, follow=True
        )
        assert "Parted." in self.text(done.content)
        assert len(groups(project)) == 3
        sent = self.fields(done.content, f"candidates/{row.pk}/join/")
        done = reader.post(
            f"/projects/{project.pk}/candidates/{row.pk}/join/", {**sent, "other": of(project, "copy").pk}, follow=True
        )
        assert "one paper now" in self.text(done.content)
        assert len(groups(project)) == 2

    def test_hostile_words_stay_text(self, project: Project, reader: Client) -> None:
        evil = "<script>alert(1)</script>" + TITLE
        bring(project, [replace(ARTICLE, title=evil), replace(OTHER_PAGES, title=evil)])
        page = reader.get(f"/projects/{project.pk}/duplicates/")
        assert "<script>alert(1)" not in page.content.decode()


def test_a_whole_library_shuffled_by_merges_and_partings_comes_back(project: Project, owner: User) -> None:
    bring(project, LIBRARY)
    before = state(project)
    names: Sequence[str] = [one.source_id for one in LIBRARY]
    for one, other in zip(names, names[3:], strict=False):
        if of(project, one) != of(project, other):
            answer(project, owner, one, other, PairAnswer.SAME)
    assert len(groups(project)) < len(before["groups"])  # type: ignore[arg-type]
    while PairDecision.objects.filter(undone_at=None).exists():
        answer_undo(project=project, actor=owner)
    assert state(project) == before

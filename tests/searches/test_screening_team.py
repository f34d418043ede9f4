"""Two screeners, blind or not: votes, conflicts, calibration, assignment, leaving, stages; all of it derived anew."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.contrib.auth.models import User
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from litapp.projects.models import Event, Membership, Project, Role
from litapp.projects.services.team import member_remove
from litapp.verification.models import Priority, Verification
from references.models import Reference
from searches.blinding import stages_of
from searches.models import Assignment, Candidate, CriteriaVersion, ScreeningDecision, Stage, StageRecord, Vote
from searches.services.assignments import assign_by_label, assign_by_share, shares_of
from searches.services.criteria import CriteriaProblem, Wanted, criteria_save
from searches.services.merging import merge_candidates, part_candidate
from searches.services.outcomes import rebuild
from searches.services.refusals import NotYours, ReasonMissing, StageClosed, StaleCandidate
from searches.services.remarks import label_add
from searches.services.resolving import NoConflict, resolve, seen_of, votes_on
from searches.services.screening import Decided, NothingToUndo, decide, decide_many, undo
from searches.services.stages import (
    Settings,
    StageProblem,
    pilot_lock,
    pilot_start,
    stage_close,
    stage_reopen,
    stage_set,
    stage_unblind,
)
from searches.team import periods, read_pairs

pytestmark = pytest.mark.django_db
Make = Callable[..., list[Candidate]]
TWO = Settings(screeners=2)
BLIND = Settings(screeners=2, blind=True)


@pytest.fixture
def team(project: Project, person: User, colleague: User) -> dict[str, User]:
    """Ada leads and screens, Bob and Cem screen."""
    third = User.objects.create_user("cem", "cem@example.org", "a long pass phrase", first_name="Cem")
    for user, role in ((person, Role.OWNER), (colleague, Role.SCREENER), (third, Role.SCREENER)):
        Membership.objects.create(project=project, user=user, role=role)
    return {"ada": person, "bob": colleague, "cem": third}


@pytest.fixture
def say(project: Project, team: dict[str, User]) -> Callable[..., Decided]:
    """A person decides on a record as they see it now."""

    def say(who: str, candidate: Candidate, decision: str, stage: str = "title", **more: Any) -> Decided:
        own = Vote.objects.filter(candidate=candidate, stage=stage, reviewer=team[who]).first()
        alone = stages_of(project)[stage].own_votes
        version = Candidate.objects.get(pk=candidate.pk).version + (own.version if own and alone else 0)
        return decide(
            project=project, candidate_id=candidate.pk, actor=team[who], decision=decision, version=version,
            request_id=more.pop("request_id", None) or uuid4(), stage=stage, **more,
        )  # fmt: skip

    return say


def state(candidate: Candidate, stage: str = "title") -> tuple[str, str, str]:
    """(state of the votes, outcome at title or full text, final decision)."""
    now = Candidate.objects.get(pk=candidate.pk)
    row = StageRecord.objects.filter(candidate=candidate, stage=stage).first()
    return (row.state if row else "", now.fulltext if stage == "fulltext" else now.decision, now.final)


def settle_conflict(project: Project, actor: User, candidate: Candidate, decision: str, **more: Any) -> Any:
    stage = more.pop("stage", "title")
    return resolve(
        project=project, candidate_id=candidate.pk, actor=actor, decision=decision, stage=stage,
        request_id=more.pop("request_id", None) or uuid4(),
        seen=more.pop("seen", None) or seen_of(votes_on(candidate, stage)), **more,
    )  # fmt: skip


def test_two_votes_make_an_outcome_and_one_makes_none(project: Project, candidates: Make, say: Any, team: Any) -> None:
    stage_set(project=project, actor=team["ada"], stage="title", wanted=TWO)
    agreed, conflict, partly = candidates(3)
    for who, row, decision in (
        ("bob", agreed, "include"), ("cem", agreed, "include"), ("bob", conflict, "include"),
        ("cem", conflict, "maybe"), ("bob", partly, "exclude"),
    ):  # fmt: skip
        say(who, row, decision)
    assert [state(row) for row in (agreed, conflict, partly)] == [
        ("agreed", "include", "include"), ("conflict", "", ""), ("partly", "", "")
    ]  # fmt: skip
    assert list(Reference.objects.current().values_list("candidate", flat=True)) == [agreed.pk]


def test_a_vote_of_another_makes_mine_not_stale_and_my_own_does(
    project: Project, candidates: Make, say: Any, team: Any
) -> None:
    stage_set(project=project, actor=team["ada"], stage="title", wanted=BLIND)
    (row,) = candidates(1)
    say("bob", row, "include")
    given = {"project": project, "candidate_id": row.pk, "actor": team["cem"], "version": 1}
    first = decide(decision="exclude", request_id=uuid4(), **given)
    assert (first.version, first.previous) == (2, "")
    with pytest.raises(StaleCandidate):
        decide(decision="include", request_id=uuid4(), **given)
    assert Candidate.objects.get(pk=row.pk).version == 1


def test_the_same_request_twice_is_one_vote(project: Project, candidates: Make, say: Any, team: Any) -> None:
    stage_set(project=project, actor=team["ada"], stage="title", wanted=BLIND)
    (row,), click = candidates(1), uuid4()
    say("bob", row, "include", request_id=click)
    again = say("bob", row, "exclude", request_id=click)
    assert (again.applied, again.decision, again.version) == (False, "include", 2)
    assert ScreeningDecision.objects.count() == 1


def test_a_third_vote_is_not_needed(project: Project, candidates: Make, say: Any, team: Any) -> None:
    stage_set(project=project, actor=team["ada"], stage="title", wanted=TWO)
    (row,) = candidates(1)
    say("bob", row, "include")
    say("cem", row, "exclude")
    with pytest.raises(NotYours, match="screeners already"):
        say("ada", row, "include")
    say("cem", row, "include")  # who has a vote may change it
    assert state(row) == ("agreed", "include", "include")


def test_a_conflict_is_settled_once_and_on_the_votes_that_were_seen(
    project: Project, candidates: Make, say: Any, team: Any
) -> None:
    stage_set(project=project, actor=team["ada"], stage="title", wanted=TWO)
    (row,), click = candidates(1), uuid4()
    say("bob", row, "include")
    say("cem", row, "exclude", reason="Children")
    seen = seen_of(votes_on(row, "title"))
    say("cem", row, "maybe")
    with pytest.raises(NoConflict):
        settle_conflict(project, team["ada"], row, "include", seen=seen)
    settle_conflict(project, team["ada"], row, "include", request_id=click)
    assert state(row) == ("resolved", "include", "include")
    assert settle_conflict(project, team["ada"], row, "exclude", request_id=click).applied is False
    with pytest.raises(NoConflict):
        settle_conflict(project, team["ada"], row, "exclude")
    undo(project=project, actor=team["ada"])
    assert state(row) == ("conflict", "", "")
    assert [vote.decision for vote in votes_on(row, "title")] == ["include", "maybe"]


def test_settling_by_exclude_takes_the_reason_that_was_given(
    project: Project, candidates: Make, say: Any, team: Any
) -> None:
    stage_set(project=project, actor=team["ada"], stage="title", wanted=TWO)
    version = criteria_save(project=project, actor=team["ada"], number=0, wanted=[Wanted("Animals"), Wanted("No RCT")])
    (row,) = candidates(1)
    say("bob", row, "include")
    say("cem", row, "exclude", criterion_id=version.content[1]["id"], criteria=1)
    settle_conflict(project, team["ada"], row, "exclude")
    entry = ScreeningDecision.objects.get(resolution=True)
    assert (entry.reason, entry.criterion_id, entry.criteria_version) == ("No RCT", version.content[1]["id"], version)


def test_undo_at_any_depth_reaches_only_ones_own(project: Project, candidates: Make, say: Any, team: Any) -> None:
    stage_set(project=project, actor=team["ada"], stage="title", wanted=BLIND)
    one, two = candidates(2)
    for row, decision in ((one, "include"), (two, "exclude"), (one, "maybe")):
        say("bob", row, decision)
    say("cem", one, "exclude")
    for expected in ({one.pk: "include"}, {two.pk: ""}, {one.pk: ""}):
        assert undo(project=project, actor=team["bob"]).restored == expected
    with pytest.raises(NothingToUndo):
        undo(project=project, actor=team["bob"])
    assert [vote.decision for vote in votes_on(one, "title")] == ["exclude"]


def test_full_text_follows_the_titles_and_needs_a_reason(
    project: Project, candidates: Make, say: Any, team: Any
) -> None:
    stage_set(project=project, actor=team["ada"], stage="fulltext", wanted=Settings())
    inside, outside = candidates(2)
    say("bob", inside, "include")
    say("bob", outside, "exclude")
    assert state(inside, "fulltext") == ("", "", "")
    assert not Reference.objects.current().exists()
    with pytest.raises(StageClosed, match="not included"):
        say("bob", outside, "include", "fulltext")
    with pytest.raises(ReasonMissing):
        say("bob", inside, "exclude", "fulltext")
    version = criteria_save(project=project, actor=team["ada"], number=0, wanted=[Wanted("Wrong dose")])
    with pytest.raises(ReasonMissing, match="choose the first"):
        say("bob", inside, "exclude", "fulltext", reason="in words")
    say("bob", inside, "exclude", "fulltext", criterion_id=version.content[0]["id"], criteria=1)
    assert state(inside, "fulltext") == ("", "exclude", "exclude")
    say("cem", inside, "include", "fulltext")
    assert state(inside, "fulltext") == ("", "include", "include")
    assert list(Reference.objects.current().values_list("candidate", flat=True)) == [inside.pk]
    undo(project=project, actor=team["cem"])
    assert state(inside, "fulltext") == ("", "exclude", "exclude")
    stage_set(project=project, actor=team["ada"], stage="fulltext", wanted=Settings(in_use=False))
    assert state(inside) == ("", "include", "include")
    assert list(Reference.objects.current().values_list("candidate", flat=True)) == [inside.pk]


def test_a_decision_keeps_the_version_of_the_criteria_it_was_made_under(
    project: Project, candidates: Make, say: Any, team: Any
) -> None:
    first = criteria_save(project=project, actor=team["ada"], number=0, wanted=[Wanted("Animals"), Wanted("Letters")])
    animals, letters = (entry["id"] for entry in first.content)
    criteria_save(
        project=project, actor=team["ada"], number=1, why="clearer",
        wanted=[Wanted("Comments and letters", "Letter", letters), Wanted("Animals", "", animals)],
    )  # fmt: skip
    old, new = candidates(2)
    say("bob", old, "exclude", criterion_id=letters, criteria=1)  # a page that was open since before
    say("bob", new, "exclude", criterion_id=letters)
    rows = ScreeningDecision.objects.order_by("pk").values_list("reason", "criterion", "criteria_version__number")
    assert list(rows) == [("Letters", letters, 1), ("Comments and letters", letters, 2)]
    with pytest.raises(CriteriaProblem, match="meantime"):
        criteria_save(project=project, actor=team["ada"], number=1, wanted=[Wanted("X")])
    again = criteria_save(
        project=project, actor=team["ada"], number=2,
        wanted=[Wanted("Comments and letters", "Letter", letters), Wanted("Animals", "", animals)],
    )  # fmt: skip
    assert (again.number, CriteriaVersion.objects.count()) == (2, 2)
    with pytest.raises(ValueError, match="no criterion"):
        say("bob", new, "exclude", criterion_id=10_000)


def test_a_calibration_round_comes_first_and_is_then_locked(
    project: Project, candidates: Make, say: Any, team: Any
) -> None:
    rows = candidates(6)
    pilot_start(project=project, actor=team["ada"], stage="title", size=2)
    chosen = [row for row in rows if StageRecord.objects.filter(candidate=row, pilot=True).exists()]
    (outside, *_) = [row for row in rows if row not in chosen]
    assert len(chosen) == 2
    assert {(a.candidate_id, a.reviewer_id) for a in Assignment.objects.all()} == {
        (row.pk, user.pk) for row in chosen for user in team.values()
    }
    with pytest.raises(NotYours, match="calibration"):
        say("bob", outside, "include")
    for who in ("ada", "bob", "cem"):
        say(who, chosen[0], "include")
        if who != "cem":
            say(who, chosen[1], "exclude" if who == "bob" else "include")
    with pytest.raises(StageProblem, match="wait for a vote"):
        pilot_lock(project=project, actor=team["ada"], stage="title")
    say("cem", chosen[1], "exclude")
    pilot_lock(project=project, actor=team["ada"], stage="title")
    assert [state(row) for row in chosen] == [("agreed", "include", "include"), ("conflict", "", "")]
    with pytest.raises(StageClosed, match="locked"):
        say("bob", chosen[0], "exclude")
    with pytest.raises(NothingToUndo):
        undo(project=project, actor=team["bob"])
    settle_conflict(project, team["ada"], chosen[1], "exclude")
    say("bob", outside, "include")  # and the rest is one for all again
    assert [state(row) for row in (chosen[1], outside)] == [
        ("resolved", "exclude", "exclude"),
        ("", "include", "include"),
    ]


def test_records_are_given_by_share_in_mixed_pairs(project: Project, candidates: Make, say: Any, team: Any) -> None:
    stage_set(project=project, actor=team["ada"], stage="title", wanted=Settings(screeners=2, sharing="assigned"))
    rows = candidates(40)
    shares = {team["ada"].pk: 1, team["bob"].pk: 2, team["cem"].pk: 1}
    assert assign_by_share(project=project, actor=team["ada"], stage="title", shares=shares) == 80
    counts = {share.person.first_name: share.assigned for share in shares_of(project, "title")}
    assert {name: round(number / 2, -1) for name, number in counts.items()} == {"Ada": 10, "Bob": 20, "Cem": 10}
    assert counts["Bob"] < 40 + 2
    assert assign_by_share(project=project, actor=team["ada"], stage="title", shares=shares) == 0
    theirs = next(row for row in rows if not Assignment.objects.filter(candidate=row, reviewer=team["cem"]).exists())
    with pytest.raises(NotYours, match="not assigned"):
        say("cem", theirs, "include")


def test_records_are_given_by_label(project: Project, candidates: Make, team: Any) -> None:
    stage_set(project=project, actor=team["ada"], stage="title", wanted=Settings(sharing="assigned"))
    one, two, _ = candidates(3)
    label_add(candidate=one, actor=team["ada"], name="German")
    label = label_add(candidate=two, actor=team["ada"], name="German")
    given = assign_by_label(project=project, actor=team["ada"], stage="title", label=label, people=[team["cem"].pk])
    assert given == 2
    assert set(Assignment.objects.values_list("candidate", "reviewer")) == {
        (one.pk, team["cem"].pk), (two.pk, team["cem"].pk)
    }  # fmt: skip


def test_who_leaves_keeps_the_votes_and_hands_on_the_open_work(
    project: Project, candidates: Make, say: Any, team: Any
) -> None:
    stage_set(project=project, actor=team["ada"], stage="title", wanted=Settings(screeners=2, sharing="assigned"))
    one, two = candidates(2)
    for row in (one, two):
        for who in ("bob", "cem"):
            Assignment.objects.create(project=project, stage="title", candidate=row, reviewer=team[who], how="share")
    say("cem", one, "include")
    members = Membership.objects.filter(project=project)
    member_remove(membership=members.get(user=team["cem"]), actor=members.get(user=team["ada"]))
    assert set(Assignment.objects.values_list("candidate", "reviewer")) == {
        (one.pk, team["bob"].pk), (one.pk, team["cem"].pk), (two.pk, team["bob"].pk), (two.pk, team["ada"].pk)
    }  # fmt: skip
    say("bob", one, "include")
    say("bob", two, "exclude")
    say("ada", two, "exclude")
    assert [state(row) for row in (one, two)] == [
        ("agreed", "include", "include"), ("agreed", "exclude", "exclude")
    ]  # fmt: skip
    assert [vote.reviewer.first_name for vote in votes_on(one, "title")] == ["Cem", "Bob"]


def test_who_leaves_in_a_calibration_round_is_not_waited_for(
    project: Project, candidates: Make, say: Any, team: Any
) -> None:
    candidates(2)
    pilot_start(project=project, actor=team["ada"], stage="title", size=2)
    rows = [record.candidate for record in StageRecord.objects.select_related("candidate")]
    for row in rows:
        say("ada", row, "exclude")
        say("bob", row, "exclude")
    members = Membership.objects.filter(project=project)
    member_remove(membership=members.get(user=team["cem"]), actor=members.get(user=team["ada"]))
    pilot_lock(project=project, actor=team["ada"], stage="title")
    assert [state(row) for row in rows] == [("agreed", "exclude", "exclude")] * 2


def test_a_blind_stage_is_unblinded_by_an_event_and_not_in_passing(
    project: Project, candidates: Make, say: Any, team: Any
) -> None:
    stage_set(project=project, actor=team["ada"], stage="title", wanted=BLIND)
    (row,) = candidates(1)
    say("bob", row, "include")
    with pytest.raises(StageProblem, match="Lift the blinding"):
        stage_set(project=project, actor=team["ada"], stage="title", wanted=TWO)
    stage_unblind(project=project, actor=team["ada"], stage="title")
    stage_unblind(project=project, actor=team["ada"], stage="title")
    told = Event.objects.filter(project=project, verb="screening.unblinded").values_list("payload", flat=True)
    assert list(told) == [{"stage": "title", "votes": 1}]


def test_checks_of_the_included_do_not_betray_a_vote(project: Project, candidates: Make, say: Any, team: Any) -> None:
    stage_set(project=project, actor=team["ada"], stage="title", wanted=BLIND)
    (row,) = candidates(1)
    before = Verification.objects.get(candidate=row).priority
    say("bob", row, "include")
    say("cem", row, "include")
    assert Verification.objects.get(candidate=row).priority == before
    stage_close(project=project, actor=team["ada"], stage="title")
    assert Verification.objects.get(candidate=row).priority == Priority.INCLUDED


def test_a_closed_stage_takes_no_votes_until_it_is_opened_and_is_not_blind_then(
    project: Project, candidates: Make, say: Any, team: Any
) -> None:
    stage_set(project=project, actor=team["ada"], stage="title", wanted=BLIND)
    (row,) = candidates(1)
    say("bob", row, "include")
    stage_close(project=project, actor=team["ada"], stage="title")
    for attempt in (lambda: say("cem", row, "include"), lambda: decide_many(
        project=project, actor=team["cem"], candidate_ids=[row.pk], decision="include", request_id=uuid4()
    )):  # fmt: skip
        with pytest.raises(StageClosed):
            attempt()
    with pytest.raises(NothingToUndo):
        undo(project=project, actor=team["bob"])
    assert stage_reopen(project=project, actor=team["ada"], stage="title").blind is False
    say("cem", row, "include")
    assert state(row) == ("agreed", "include", "include")


@pytest.mark.parametrize(
    ("wanted", "why"),
    [
        (Settings(in_use=False), "cannot be left out"),
        (Settings(screeners=3), "one or two"),
        (Settings(blind=True), "two screeners"),
    ],
)
def test_settings_that_contradict_themselves_are_refused(
    project: Project, team: Any, wanted: Settings, why: str
) -> None:
    with pytest.raises(StageProblem, match=why):
        stage_set(project=project, actor=team["ada"], stage="title", wanted=wanted)


def test_from_one_screener_to_two_and_back_no_decision_is_lost(
    project: Project, candidates: Make, say: Any, team: Any
) -> None:
    one, two = candidates(2)
    say("bob", one, "include")
    say("bob", two, "include")
    say("cem", two, "exclude")
    assert [state(row) for row in (one, two)] == [("", "include", "include"), ("", "exclude", "exclude")]
    stage_set(project=project, actor=team["ada"], stage="title", wanted=TWO)
    assert [state(row) for row in (one, two)] == [("partly", "", ""), ("conflict", "", "")]
    stage_set(project=project, actor=team["ada"], stage="title", wanted=Settings())
    assert [state(row)[1:] for row in (one, two)] == [("include", "include"), ("exclude", "exclude")]


def test_merged_records_carry_the_votes_of_both_and_give_them_back(
    project: Project, candidates: Make, say: Any, team: Any
) -> None:
    stage_set(project=project, actor=team["ada"], stage="title", wanted=TWO)
    kept, gone = candidates(2)
    say("bob", kept, "include")
    say("cem", gone, "include")
    merge_candidates(project=project, kept_id=kept.pk, absorbed_id=gone.pk)
    assert state(kept) == ("agreed", "include", "include")
    part_candidate(project=project, candidate_id=gone.pk)
    assert [state(row) for row in (kept, gone)] == [("partly", "", ""), ("partly", "", "")]
    assert [[vote.reviewer.first_name for vote in votes_on(row, "title")] for row in (kept, gone)] == [["Bob"], ["Cem"]]


def test_agreement_of_each_pair(project: Project, candidates: Make, say: Any, team: Any) -> None:
    stage_set(project=project, actor=team["ada"], stage="title", wanted=TWO)
    rows = candidates(4)
    for number, row in enumerate(rows):
        say("bob", row, "include" if number < 2 else "exclude")
        say("cem", row, "include" if number < 1 else "exclude")
    (everything, month) = periods(read_pairs(project, "title"))
    (pair,) = everything.pairs
    assert (pair.one, pair.other, pair.figures.records, pair.figures.agreed) == (team["bob"], team["cem"], 4, 3)
    assert pair.figures.kappa is not None
    assert round(pair.figures.kappa.value, 2) == 0.5
    assert month.pairs == everything.pairs


ACTS = st.lists(
    st.tuples(
        st.sampled_from(["ada", "bob", "cem"]),
        st.integers(0, 2),
        st.sampled_from(["include", "exclude", "maybe", "undo", "settle"]),
    ),
    max_size=14,
)


@given(acts=ACTS, screeners=st.sampled_from([1, 2]))
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_is_derived_is_a_function_of_the_log(
    acts: list[tuple[str, int, str]], screeners: int, project: Project, candidates: Make, say: Any, team: Any
) -> None:
    """Whatever people do, deriving everything anew from the log changes nothing."""
    stage_set(project=project, actor=team["ada"], stage="title", wanted=Settings(screeners=screeners))
    rows = candidates(3)
    for who, number, act in acts:
        try:
            if act == "undo":
                undo(project=project, actor=team[who])
            elif act == "settle":
                settle_conflict(project, team["ada"], rows[number], "include")
            else:
                say(who, rows[number], act)
        except (NothingToUndo, NotYours, NoConflict):
            continue

    def derived() -> list[Any]:
        ids = [row.pk for row in rows]
        return [
            list(
                Candidate.objects.filter(pk__in=ids).order_by("pk").values_list("pk", "decision", "final", "decided_by")
            ),
            sorted(Vote.objects.filter(candidate__in=ids).values_list("candidate", "reviewer", "decision", "version")),
            sorted(
                StageRecord.objects.filter(candidate__in=ids)
                .exclude(state="", votes=0)  # a record without a vote says what no record says
                .values_list("candidate", "state", "decision", "votes")
            ),
            sorted(Reference.objects.current().filter(candidate__in=ids).values_list("candidate", flat=True)),
        ]

    before = derived()
    if screeners == 2:
        Vote.objects.filter(candidate__in=rows).delete()
        StageRecord.objects.filter(candidate__in=rows).delete()
    Candidate.objects.filter(pk__in=[row.pk for row in rows]).update(decision="", final="", decided_by=None)
    rebuild(project=project)
    assert derived() == before


def test_stage_names_are_those_of_the_addresses() -> None:
    assert Stage.values == ["title", "fulltext"]
    assert isinstance(uuid4(), UUID)

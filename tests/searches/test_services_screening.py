"""Decisions: once per click, never on what was not seen, and taken back at any depth."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from litapp.projects.models import Event, Project
from litapp.verification.models import Priority, Verification
from searches.models import Candidate, ScreeningDecision
from searches.services import listeners
from searches.services.screening import (
    Decided,
    DecidedMany,
    NothingToUndo,
    StaleCandidate,
    decide,
    decide_many,
    undo,
)

Make = Callable[..., list[Candidate]]


@pytest.fixture(autouse=True)
def told(monkeypatch: pytest.MonkeyPatch) -> list[list[int]]:
    """What the listeners were told."""
    calls: list[list[int]] = []

    def listen(path: str) -> Callable[..., None]:
        def listener(*, project: Project, candidate_ids: list[int]) -> None:
            assert transaction.get_connection().in_atomic_block
            calls.append(candidate_ids)

        return listener

    monkeypatch.setattr(listeners, "import_string", listen)
    return calls


@pytest.fixture
def say(project: Project) -> Callable[..., Decided]:
    """Decide on a candidate as it is now."""

    def say(candidate: Candidate, decision: str, actor: User, request_id: UUID | None = None) -> Decided:
        now = Candidate.objects.get(pk=candidate.pk)
        return decide(
            project=project,
            candidate_id=candidate.pk,
            actor=actor,
            decision=decision,
            version=now.version,
            request_id=request_id or uuid4(),
        )

    return say


def decisions(rows: list[Candidate]) -> list[str]:
    """What is decided on each now."""
    now = Candidate.objects.in_bulk([row.pk for row in rows])
    return [now[row.pk].decision for row in rows]


def test_a_decision_is_on_the_candidate_and_in_the_history(
    candidates: Make, project: Project, person: User, told: list, clock: Any
) -> None:
    (row,) = candidates(1)
    click = uuid4()
    result = decide(
        project=project, candidate_id=row.pk, actor=person, decision="exclude", version=1, request_id=click,
        reason="Wrong population",
    )  # fmt: skip
    assert result == Decided(row.pk, "exclude", "", 2, applied=True)
    row.refresh_from_db()
    assert (row.decision, row.decided_by, row.version) == ("exclude", person, 2)
    entry = ScreeningDecision.objects.get()
    assert (entry.candidate, entry.reviewer, entry.decision, entry.previous, entry.reason, entry.request_id) == (
        row, person, "exclude", "", "Wrong population", click,
    )  # fmt: skip
    assert told == [[row.pk]]
    event = Event.objects.get()
    assert (event.verb, event.actor, event.subject, event.payload["decision"]) == (
        "screening.decided", person, f"candidate:{row.pk}", "exclude",
    )  # fmt: skip


def test_a_double_click_is_one_decision_with_the_same_result(
    candidates: Make, person: User, say: Callable, told: list
) -> None:
    (row,) = candidates(1)
    click = uuid4()
    first, second = say(row, "include", person, click), say(row, "include", person, click)
    assert (first.applied, second.applied) == (True, False)
    assert (second.decision, second.previous, second.version) == (first.decision, first.previous, first.version)
    assert (ScreeningDecision.objects.count(), Event.objects.count(), told) == (1, 1, [[row.pk]])


def test_a_resent_old_click_does_not_undo_a_newer_decision(candidates: Make, person: User, say: Callable) -> None:
    (row,) = candidates(1)
    click = uuid4()
    say(row, "include", person, click)
    say(row, "exclude", person)
    assert say(row, "include", person, click).applied is False
    assert decisions([row]) == ["exclude"]


def test_a_decision_on_an_older_version_is_refused_with_the_present_state(
    candidates: Make, project: Project, person: User, colleague: User, say: Callable
) -> None:
    (row,) = candidates(1)
    say(row, "include", colleague)
    with pytest.raises(StaleCandidate) as refused:
        decide(project=project, candidate_id=row.pk, actor=person, decision="exclude", version=1, request_id=uuid4())
    assert (refused.value.candidate.decision, refused.value.candidate.decided_by) == ("include", colleague)
    assert decisions([row]) == ["include"]
    assert ScreeningDecision.objects.count() == 1


def test_a_decision_on_a_merged_record_is_refused_with_the_one_that_stands_for_it(
    candidates: Make, project: Project, person: User
) -> None:
    kept, gone = candidates(2)
    Candidate.objects.filter(pk=gone.pk).update(merged_into=kept)
    with pytest.raises(StaleCandidate) as refused:
        decide(project=project, candidate_id=gone.pk, actor=person, decision="exclude", version=1, request_id=uuid4())
    assert refused.value.candidate == kept


def test_a_candidate_of_another_project_does_not_exist_here(candidates: Make, person: User) -> None:
    (row,) = candidates(1)
    other = Project.objects.create(name="Other", created_by=person)
    with pytest.raises(Candidate.DoesNotExist):
        decide(project=other, candidate_id=row.pk, actor=person, decision="include", version=1, request_id=uuid4())


def test_an_unknown_decision_is_refused(candidates: Make, project: Project, person: User) -> None:
    (row,) = candidates(1)
    with pytest.raises(ValueError, match="perhaps"):
        decide(project=project, candidate_id=row.pk, actor=person, decision="perhaps", version=1, request_id=uuid4())


@pytest.mark.parametrize(("decision", "priority"), [("include", Priority.INCLUDED), ("maybe", Priority.RETRIEVED)])
def test_including_an_unchecked_record_moves_its_check_to_the_front(
    candidates: Make, person: User, say: Callable, decision: str, priority: Priority
) -> None:
    row, other = candidates(2)
    say(row, decision, person)
    assert Verification.objects.get(pk=row.verification_id).priority == priority
    assert Verification.objects.get(pk=other.verification_id).priority == Priority.RETRIEVED


def test_a_listener_that_fails_takes_the_decision_with_it(
    candidates: Make, person: User, say: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    (row,) = candidates(1)

    def fail(path: str) -> Callable[..., None]:
        raise ZeroDivisionError

    monkeypatch.setattr(listeners, "import_string", fail)
    with pytest.raises(ZeroDivisionError):
        say(row, "include", person)
    assert (decisions([row]), ScreeningDecision.objects.count()) == ([""], 0)


def test_many_are_decided_at_once_with_one_event(
    candidates: Make, project: Project, person: User, say: Callable, told: list
) -> None:
    rows = candidates(5)
    say(rows[1], "exclude", person)
    say(rows[2], "maybe", person)
    told.clear()
    bulk = uuid4()
    result = decide_many(
        project=project, actor=person, candidate_ids=[row.pk for row in rows], decision="exclude", request_id=bulk
    )
    changed = tuple(row.pk for row in rows if row is not rows[1])
    assert result == DecidedMany("exclude", bulk, changed, 1)
    assert decisions(rows) == ["exclude"] * 5
    assert told == [list(changed)]
    events = list(Event.objects.filter(verb="screening.decided_many"))
    assert [event.payload for event in events] == [{"decision": "exclude", "records": 4, "request": str(bulk)}]


def test_a_bulk_sent_twice_is_one(candidates: Make, project: Project, person: User, told: list) -> None:
    rows, bulk = candidates(3), uuid4()
    ids = [row.pk for row in rows]
    results = [
        decide_many(project=project, actor=person, candidate_ids=ids, decision="include", request_id=bulk)
        for _ in range(2)
    ]
    assert [(r.changed, r.unchanged, r.applied) for r in results] == [(tuple(ids), 0, True), (tuple(ids), 0, False)]
    assert (len(told), Event.objects.count()) == (1, 1)


def test_a_bulk_leaves_other_projects_and_merged_records_alone(
    candidates: Make, project: Project, person: User
) -> None:
    kept, gone = candidates(2)
    Candidate.objects.filter(pk=gone.pk).update(merged_into=kept)
    other = Project.objects.create(name="Other", created_by=person)
    foreign = Candidate.objects.create(project=other, record={}, title="x")
    result = decide_many(
        project=project, actor=person, candidate_ids=[kept.pk, gone.pk, foreign.pk], decision="include",
        request_id=uuid4(),
    )  # fmt: skip
    assert (result.changed, result.unchanged) == ((kept.pk,), 2)
    assert decisions([gone, foreign]) == ["", ""]


def test_too_many_at_once_are_refused(project: Project, person: User) -> None:
    with pytest.raises(ValueError, match="20,001"):
        decide_many(project=project, actor=person, candidate_ids=range(20_001), decision="include", request_id=uuid4())


def test_undo_goes_back_step_by_step_through_ones_own_history(
    candidates: Make, project: Project, person: User, say: Callable, told: list
) -> None:
    rows = candidates(3)
    say(rows[0], "include", person)
    say(rows[1], "exclude", person)
    say(rows[0], "maybe", person)
    say(rows[2], "include", person)
    seen = [decisions(rows)]
    for _ in range(4):
        undo(project=project, actor=person, request_id=uuid4())
        seen.append(decisions(rows))
    assert seen == [
        ["maybe", "exclude", "include"],
        ["maybe", "exclude", ""],
        ["include", "exclude", ""],
        ["include", "", ""],
        ["", "", ""],
    ]
    with pytest.raises(NothingToUndo):
        undo(project=project, actor=person, request_id=uuid4())
    assert told[-1] == [rows[0].pk]


def test_an_undo_is_written_down_and_nothing_is_deleted(
    candidates: Make, project: Project, person: User, say: Callable
) -> None:
    (row,) = candidates(1)
    click, back = uuid4(), uuid4()
    say(row, "include", person, click)
    result = undo(project=project, actor=person, request_id=back)
    assert (result.undone, result.restored, result.kept) == (click, {row.pk: ""}, ())
    entries = ScreeningDecision.objects.order_by("pk").values_list("decision", "previous", "request_id", "undoes")
    assert list(entries) == [("include", "", click, None), ("", "include", back, click)]
    row.refresh_from_db()
    assert (row.decision, row.decided_by, row.decided_at, row.version) == ("", None, None, 3)
    assert Event.objects.filter(verb="screening.undone").count() == 1


def test_undo_brings_back_who_decided_before_and_when(
    candidates: Make, project: Project, person: User, colleague: User, say: Callable, clock: Any
) -> None:
    (row,) = candidates(1)
    say(row, "include", colleague)
    before = Candidate.objects.get(pk=row.pk)
    clock.shift(60)
    say(row, "exclude", person)
    undo(project=project, actor=person)
    row.refresh_from_db()
    assert (row.decision, row.decided_by, row.decided_at) == ("include", colleague, before.decided_at)


def test_one_undo_takes_back_a_whole_bulk(candidates: Make, project: Project, person: User, say: Callable) -> None:
    rows = candidates(4)
    say(rows[0], "include", person)
    say(rows[1], "maybe", person)
    bulk = decide_many(
        project=project, actor=person, candidate_ids=[row.pk for row in rows], decision="exclude", request_id=uuid4()
    )
    result = undo(project=project, actor=person)
    assert (result.undone, result.restored) == (
        bulk.request_id,
        {rows[0].pk: "include", rows[1].pk: "maybe", rows[2].pk: "", rows[3].pk: ""},
    )
    assert decisions(rows) == ["include", "maybe", "", ""]


def test_a_double_undo_click_takes_back_one(candidates: Make, project: Project, person: User, say: Callable) -> None:
    rows, click = candidates(2), uuid4()
    for row in rows:
        say(row, "include", person)
    results = [undo(project=project, actor=person, request_id=click) for _ in range(2)]
    assert [result.applied for result in results] == [True, False]
    assert results[0].restored == results[1].restored == {rows[1].pk: ""}
    assert decisions(rows) == ["include", ""]


def test_what_somebody_else_decided_since_is_not_taken_back(
    candidates: Make, project: Project, person: User, colleague: User, say: Callable
) -> None:
    rows = candidates(3)
    decide_many(
        project=project, actor=person, candidate_ids=[row.pk for row in rows], decision="exclude", request_id=uuid4()
    )
    say(rows[1], "include", colleague)
    result = undo(project=project, actor=person)
    assert (result.restored, result.kept) == ({rows[0].pk: "", rows[2].pk: ""}, (rows[1].pk,))
    assert decisions(rows) == ["", "include", ""]


def test_a_decision_wholly_overtaken_is_passed_over(
    candidates: Make, project: Project, person: User, colleague: User, say: Callable
) -> None:
    first, second = candidates(2)
    say(first, "include", person)
    say(second, "include", person)
    say(second, "exclude", colleague)
    assert undo(project=project, actor=person).restored == {first.pk: ""}
    assert decisions([first, second]) == ["", "exclude"]
    with pytest.raises(NothingToUndo):
        undo(project=project, actor=person)


def test_a_named_decision_can_be_taken_back_out_of_order(
    candidates: Make, project: Project, person: User, say: Callable
) -> None:
    rows, clicks = candidates(2), [uuid4(), uuid4()]
    for row, click in zip(rows, clicks, strict=True):
        say(row, "include", person, click)
    assert undo(project=project, actor=person, target=clicks[0]).restored == {rows[0].pk: ""}
    assert decisions(rows) == ["", "include"]
    with pytest.raises(NothingToUndo):
        undo(project=project, actor=person, target=clicks[0])


def test_one_persons_undo_leaves_the_others_alone(
    candidates: Make, project: Project, person: User, colleague: User, say: Callable
) -> None:
    rows = candidates(2)
    say(rows[0], "include", person)
    say(rows[1], "include", colleague)
    undo(project=project, actor=person)
    assert decisions(rows) == ["", "include"]
    with pytest.raises(NothingToUndo):
        undo(project=project, actor=person)


def test_the_database_refuses_one_click_applied_twice(candidates: Make, project: Project, person: User) -> None:
    (row,) = candidates(1)
    entry = {"candidate": row, "project": project, "reviewer": person, "decision": "include", "request_id": uuid4()}
    ScreeningDecision.objects.create(**entry)
    with pytest.raises(IntegrityError), transaction.atomic():
        ScreeningDecision.objects.create(**entry)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(actions=st.lists(st.tuples(st.integers(0, 2), st.sampled_from(["include", "exclude", "maybe", "undo"]))))
def test_undo_behaves_like_a_stack(
    candidates: Make, project: Project, person: User, say: Callable, actions: list[tuple[int, str]]
) -> None:
    """However decisions and undos follow each other, the state is that of the decisions not taken back."""
    ScreeningDecision.objects.all().delete()
    Candidate.objects.all().delete()
    rows = candidates(3)
    stack: list[tuple[int, str]] = []
    for place, word in actions:
        if word != "undo":
            say(rows[place], word, person)
            stack.append((place, word))
        elif stack:
            undo(project=project, actor=person)
            stack.pop()
        else:
            with pytest.raises(NothingToUndo):
                undo(project=project, actor=person)
    expected = ["", "", ""]
    for place, word in stack:
        expected[place] = word
    assert decisions(rows) == expected

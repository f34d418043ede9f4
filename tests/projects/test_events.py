"""The log: numbers without gaps, a chain that shows tampering, writers that never collide."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from django.contrib.auth.models import User
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from litapp.projects.models import Event, Project
from litapp.projects.services.events import event_hash, record_event, verify_chain
from litapp.projects.services.projects import project_create
from tests.projects.conftest import make_person

pytestmark = pytest.mark.django_db


def written(project: Project) -> list[tuple[int, str]]:
    return list(Event.objects.filter(project=project).order_by("sequence").values_list("sequence", "verb"))


def test_entries_are_numbered_from_one_and_each_names_the_hash_before_it(project: Project, owner: User) -> None:
    record_event(project=project, actor=owner, verb="plan.created", subject="plan:1")
    record_event(project=project, actor=None, verb="run.finished", subject="run:1", payload={"state": "success"})
    assert written(project) == [(1, "project.created"), (2, "plan.created"), (3, "run.finished")]
    hashes = list(Event.objects.filter(project=project).values_list("previous_hash", "hash"))
    assert [before for before, _ in hashes] == ["", hashes[0][1], hashes[1][1]]
    report = verify_chain(project)
    assert (report.intact, report.entries, report.last_hash) == (True, 3, hashes[2][1])


def test_each_project_has_its_own_numbers(project: Project, owner: User) -> None:
    other = project_create(actor=owner, name="Another")
    record_event(project=project, actor=owner, verb="plan.created")
    assert written(other) == [(1, "project.created")]


@pytest.mark.parametrize(
    "change",
    [
        {"payload": {"name": "Something else"}},
        {"verb": "project.renamed"},
        {"actor_id": None},
        {"subject": "plan:2"},
        {"created_at": datetime(2020, 1, 1, tzinfo=UTC)},
    ],
    ids=lambda change: next(iter(change)),
)
def test_a_changed_entry_is_found(project: Project, owner: User, change: dict[str, object]) -> None:
    record_event(project=project, actor=owner, verb="plan.created", subject="plan:1")
    record_event(project=project, actor=owner, verb="plan.approved", subject="plan:1")
    Event.objects.filter(project=project, sequence=2).update(**change)
    report = verify_chain(project)
    assert (report.intact, report.broken_at, report.reason) == (
        False,
        2,
        "Entry 2 was changed after it was written.",
    )


def test_a_deleted_entry_is_found(project: Project, owner: User) -> None:
    for verb in ("plan.created", "plan.saved", "plan.approved"):
        record_event(project=project, actor=owner, verb=verb)
    Event.objects.filter(project=project, sequence=2).delete()
    assert verify_chain(project).reason == "Entry 2 is missing."


def test_a_rewritten_entry_with_a_right_hash_breaks_the_next(project: Project, owner: User) -> None:
    record_event(project=project, actor=owner, verb="plan.created")
    record_event(project=project, actor=owner, verb="plan.saved")
    forged = Event.objects.get(project=project, sequence=2)
    forged.payload = {"forged": True}
    forged.hash = event_hash(forged)
    forged.save()
    assert verify_chain(project).reason == "Entry 3 does not follow from the one before it."


class Payloads(TestCase):
    """Law: whatever JSON a payload holds, reading it back from the database gives the hash that was written."""

    @settings(deadline=None, max_examples=60)
    @given(
        st.dictionaries(
            st.text(max_size=10),
            st.recursive(
                st.none()
                | st.booleans()
                | st.integers(-(2**53), 2**53)
                | st.text(max_size=20).filter(lambda t: "\0" not in t),
                lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
                max_leaves=6,
            ),
            max_size=4,
        )
    )
    def test_any_payload_survives_the_database(self, payload: dict[str, object]) -> None:
        person = make_person()
        project = project_create(actor=person, name="P")
        record_event(project=project, actor=person, verb="plan.saved", payload=payload)
        assert verify_chain(project).intact


def test_writers_at_the_same_time_never_take_the_same_number(in_threads: Callable[..., list[Any]]) -> None:
    def begin() -> Project:
        return project_create(actor=make_person(), name="P")

    def write() -> None:
        for _ in range(8):
            record_event(project=project, actor=None, verb="plan.saved")

    [project] = in_threads(begin)
    in_threads(write, write, write, write)
    [(numbers, report)] = in_threads(lambda: ([number for number, _ in written(project)], verify_chain(project)))
    assert numbers == list(range(1, 34))
    assert report.intact

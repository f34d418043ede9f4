"""What is written into a project's log can be read there: every verb in the code has its words."""

from __future__ import annotations

import ast
from pathlib import Path
from uuid import uuid4

import pytest
from django.conf import settings
from django.utils.module_loading import import_string

from litapp.projects.history import lines_of
from litapp.projects.models import Event
from litapp.projects.services.events import AREAS, VERBS
from searches.services.screening import decide_many
from searches.subject_names import plan_versions
from tests.references.world import make_world

ROOT = Path(__file__).resolve().parents[2]


def verbs_in_code() -> set[str]:
    """Literal verbs given to `record_event`, or to a module's own `_event` that hands them on."""
    found = set()
    for folder in ("litapp", "searches", "references"):
        for file in (ROOT / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                if not isinstance(node, ast.Call) or getattr(node.func, "id", "") not in ("record_event", "_event"):
                    continue
                given = [*node.args, *(keyword.value for keyword in node.keywords if keyword.arg == "verb")]
                found |= {
                    part.value
                    for value in given
                    for part in ast.walk(value)
                    if isinstance(part, ast.Constant) and isinstance(part.value, str) and "." in part.value
                }
    return found


def test_every_verb_has_its_words() -> None:
    found = verbs_in_code()
    assert "plan.approved" in found
    assert found - set(VERBS) == set()


def test_every_area_of_the_log_has_its_name_in_the_filter() -> None:
    assert {verb.split(".")[0] for verb in VERBS} == set(AREAS)


@pytest.mark.django_db
@pytest.mark.parametrize("kind", sorted(settings.SUBJECT_NAMES))
def test_every_kind_of_subject_has_a_function_that_names_it(kind: str) -> None:
    assert import_string(settings.SUBJECT_NAMES[kind])(1, {1}) == {}


@pytest.mark.django_db
def test_the_history_names_the_plan_and_how_many_records_one_decision_was_for() -> None:
    world = make_world()
    two = [world.candidate(number).pk for number in (1, 2)]
    decide_many(
        project=world.project, actor=world.owner, candidate_ids=two,
        decision="include", request_id=uuid4(),
    )  # fmt: skip
    told = [(line.what, line.on) for line in lines_of(list(Event.objects.filter(project=world.project)))]
    assert ("decided on 2 candidates at once: include", "") in told
    assert ("added 2 references", "") in told
    version = world.run.version
    assert plan_versions(world.project.pk, [version.pk]) == {version.pk: "“Main search”, version 1"}

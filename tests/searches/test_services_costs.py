"""What a plan costs at OpenAlex and what is left, before anything is fetched."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from litapp.core.plan import Caps, PlanQuery, SearchPlan
from litapp.core.ports import Budget
from litapp.jobs.models import SourceBudget
from litapp.projects.services.own_keys import own_key_save
from searches.services.costs import Cost, cost_at, plan_cost
from searches.services.queries import query_lines
from tests.searches.conftest import content

UNTIL = datetime(2026, 11, 3, tzinfo=UTC)


def plan(*plain: str, **more: Any) -> SearchPlan:
    return SearchPlan("Q?", ("pubmed", "openalex"), tuple(PlanQuery(plain=text) for text in plain), **more)


def cost(made: SearchPlan, totals: dict[int, int | None]) -> tuple[int | None, bool]:
    return plan_cost(made, "openalex", [line for line in query_lines(made) if line.source == "openalex"], totals)


@pytest.mark.parametrize(
    ("made", "totals", "expected"),
    [
        (plan("masks"), {0: 250}, (30, False)),
        (plan("masks"), {0: 0}, (10, False)),
        (plan("masks"), {}, (None, False)),
        (plan("masks"), {0: None}, (None, False)),
        (plan("masks", caps=Caps(per_query=1_000)), {}, (100, True)),
        (plan("masks", caps=Caps(per_query=1_000)), {0: 120}, (20, False)),
        (plan("masks", "gowns"), {0: 101, 1: 99}, (30, False)),
        (plan("masks", "gowns"), {0: 101}, (None, False)),
        (plan("masks", "gowns", caps=Caps(per_source=300)), {0: 1_000, 1: 1_000}, (40, False)),
        (plan("masks", caps=Caps(per_run=100)), {0: 9_999}, (10, False)),
    ],
)
def test_the_cost_is_that_of_the_pages_that_will_be_fetched(
    made: SearchPlan, totals: dict[int, int | None], expected: tuple[int | None, bool]
) -> None:
    assert cost(made, totals) == expected


def test_a_source_without_units_costs_nothing(db: None) -> None:
    made = plan("masks")
    assert plan_cost(made, "pubmed", query_lines(made), {0: 5}) == (None, False)
    assert cost_at(made, "pubmed", {0: 5}) is None


@pytest.mark.parametrize(
    ("made", "sentence", "short"),
    [
        (
            Cost("credits", None, False, None),
            "What a run costs here in credits is known once the hits are counted. How many are left is known after the "
            "first answer of the day.",
            False,
        ),
        (
            Cost("credits", 340, False, Budget(640, UNTIL, 1_000)),
            "A run costs about 340 credits here. 640 of 1,000 are left until 00:00 UTC.",
            False,
        ),
        (
            Cost("credits", 2_000, True, Budget(640, UNTIL)),
            "A run costs at most 2,000 credits here. 640 are left until 00:00 UTC. That is not enough: the run waits "
            "until then and goes on by itself.",
            True,
        ),
    ],
)
def test_cost_and_rest_in_words(made: Cost, sentence: str, short: bool) -> None:
    assert (made.sentence, made.short) == (sentence, short)


def test_what_is_left_is_that_of_the_key_that_will_be_used(db: None, settings: Any) -> None:
    settings.SOURCES = {**settings.SOURCES, "openalex": {**settings.SOURCES["openalex"], "key": ""}}
    until, person = timezone.now() + timedelta(hours=3), User.objects.create_user("anna")
    for name, left in (("openalex", 90), (f"openalex@u{person.pk}+key", 9_000)):
        SourceBudget.objects.create(source=name, left=left, until=until, observed_at=timezone.now())
    made = content("openalex")

    def left(user_id: int | None) -> float | None:
        found = cost_at(made, "openalex", {0: 100}, user_id=user_id)
        return found.left.left if found and found.left else None

    assert left(person.pk) == 90
    own_key_save(user=person, source="openalex", key="own-key-of-anna")
    assert (left(person.pk), left(None)) == (9_000, 90)
    settings.SOURCES = {**settings.SOURCES, "openalex": {**settings.SOURCES["openalex"], "key": "new-installation-key"}}
    assert left(None) is None

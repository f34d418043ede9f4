"""Plans: what is wrong is said plainly, drafts are not overwritten, approval freezes what was seen."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError

from litapp.core.plan import Caps, Filters, PlanError, PlanQuery, SearchPlan, plan_hash, plan_to_dict
from litapp.projects.models import Event, Project
from searches.models import SearchPlanVersion
from searches.services.plans import (
    PlanFrozen,
    StaleDraft,
    plan_approve,
    plan_create,
    plan_new_version,
    plan_problems,
    plan_save,
)
from tests.searches.conftest import BOOLEAN, PLAIN, content


def queries(*pairs: tuple[str, str]) -> tuple[PlanQuery, ...]:
    return tuple(PlanQuery(boolean, plain) for boolean, plain in pairs)


def test_a_complete_plan_has_no_problems() -> None:
    assert plan_problems(content("pubmed", "crossref", "openalex", "semanticscholar")) == {}


@pytest.mark.parametrize(
    ("plan", "expected"),
    [
        (content("pubmed", question=""), {"question": "Write the question this search is to answer."}),
        (
            SearchPlan("Q?", (), queries((BOOLEAN, ""))),
            {"sources": "Choose at least one source to search."},
        ),
        (
            SearchPlan("Q?", ("pubmed", "pubmde"), queries((BOOLEAN, ""))),
            {"sources": "LitLedger does not know the source pubmde. Take it out of the plan."},
        ),
        (
            SearchPlan("Q?", ("pubmed", "pubmed"), queries((BOOLEAN, ""))),
            {"sources": "A source is named twice; name each once."},
        ),
        (SearchPlan("Q?", ("pubmed",), ()), {"queries": "Write at least one query."}),
        (
            SearchPlan("Q?", ("pubmed",), queries(("  ", ""))),
            {"queries.0.boolean": "This query is empty. Write what to search for, or delete the line."},
        ),
        (
            SearchPlan("Q?", ("pubmed", "crossref", "openalex"), queries((BOOLEAN, ""))),
            {
                "queries.0.plain": "Crossref needs a plain-language query. Write one, or leave the source out.",
            },
        ),
        (
            SearchPlan("Q?", ("pubmed",), queries(("(mask[tiab] AND covid[tiab]", ""))),
            {
                "queries.0.boolean": "This parenthesis is never closed. (at character 1: () Add a closing parenthesis "
                "or delete this one."
            },
        ),
        (
            content("pubmed", filters=Filters(year_from=2021, year_to=2019)),
            {"filters.years": "The first year (2021) is later than the last (2019). Exchange them."},
        ),
        (
            content("pubmed", caps=Caps(per_query=0, per_run=-1)),
            {
                "caps.per_query": "The most records per query must be a whole number above 0 (or empty).",
                "caps.per_run": "The most records for the whole run must be a whole number above 0 (or empty).",
            },
        ),
    ],
)
def test_each_problem_is_named_at_its_field(plan: SearchPlan, expected: dict[str, str]) -> None:
    assert plan_problems(plan) == expected


@pytest.mark.parametrize("year", [20210, 3, -1, True, "2020", 2020.5])
def test_impossible_years_are_named(year: Any) -> None:
    assert list(plan_problems(content("pubmed", filters=Filters(year_from=year)))) == ["filters.years"]


def test_a_query_of_ten_thousand_characters_is_taken() -> None:
    long = " OR ".join(f"word{number}[tiab]" for number in range(600))
    assert len(long) > 10_000
    assert plan_problems(content("pubmed", queries_given=queries((long, "")))) == {}


def test_too_long_queries_say_how_long_they_are() -> None:
    plan = content("pubmed", "crossref", queries_given=queries(("a " * 10_001, "b" * 1_001)))
    assert plan_problems(plan) == {
        "queries.0.boolean": "The query has 20,002 characters; at most 20,000 are taken. Split it into several "
        "queries, or truncate word families with *.",
        "queries.0.plain": "The plain-language query has 1,001 characters; at most 1,000 are taken. Name the essential "
        "words only.",
    }


def test_a_mapping_that_is_no_plan_is_told_not_raised() -> None:
    assert plan_problems({"question": "Q?", "colour": "red"}) == {"colour": "This field is not part of a plan."}


@pytest.fixture
def draft(project: Project, person: User) -> SearchPlanVersion:
    return plan_create(project=project, actor=person, title="Steroids", content=content("pubmed"))


def test_an_unfinished_plan_is_saved_and_not_approved(project: Project, person: User) -> None:
    draft = plan_create(project=project, actor=person, title="", content=SearchPlan("Why?", (), ()))
    assert (draft.plan.title, draft.number, draft.revision, draft.is_approved) == ("Why?", 1, 1, False)
    with pytest.raises(PlanError) as refused:
        plan_approve(version=draft, actor=person, content_hash=draft.content_hash)
    assert set(refused.value.problems) == {"sources", "queries"}


def test_saving_raises_the_revision_and_keeps_content_and_hash_together(draft: SearchPlanVersion, person: User) -> None:
    new = content("pubmed", question="Another?")
    saved = plan_save(version=draft, actor=person, content=new, revision=1, title="Masks")
    assert (saved.revision, saved.plan_content, saved.content_hash, saved.plan.title) == (
        2,
        new,
        plan_hash(new),
        "Masks",
    )


def test_a_save_on_an_older_revision_overwrites_nothing_and_shows_both(
    draft: SearchPlanVersion, person: User, colleague: User
) -> None:
    theirs, mine = content("pubmed", question="Theirs?"), content("pubmed", question="Mine?")
    plan_save(version=draft, actor=colleague, content=theirs, revision=1)
    with pytest.raises(StaleDraft) as refused:
        plan_save(version=draft, actor=person, content=mine, revision=1)
    assert (refused.value.mine, refused.value.theirs, refused.value.stored.revision) == (mine, theirs, 2)
    assert SearchPlanVersion.objects.get().plan_content == theirs


def test_approval_freezes_who_when_and_what(draft: SearchPlanVersion, person: User, clock: Any) -> None:
    version = plan_approve(version=draft, actor=person, content_hash=draft.content_hash)
    version.refresh_from_db()
    assert (version.approved_by, version.approved_hash) == (person, plan_hash(content("pubmed")))
    with pytest.raises(PlanFrozen):
        plan_save(version=version, actor=person, content=content("crossref"), revision=1)
    assert SearchPlanVersion.objects.get().plan_content == content("pubmed")


def test_what_changed_since_it_was_seen_is_not_approved(
    draft: SearchPlanVersion, person: User, colleague: User
) -> None:
    seen = draft.content_hash
    plan_save(version=draft, actor=colleague, content=content("pubmed", question="Other?"), revision=1)
    with pytest.raises(StaleDraft):
        plan_approve(version=draft, actor=person, content_hash=seen)
    assert not SearchPlanVersion.objects.get().is_approved


def test_content_that_does_not_fit_its_hash_is_not_approved(draft: SearchPlanVersion, person: User) -> None:
    SearchPlanVersion.objects.update(content=plan_to_dict(content("crossref")))
    with pytest.raises(StaleDraft):
        plan_approve(version=draft, actor=person, content_hash=draft.content_hash)


def test_approving_twice_is_approving_once(draft: SearchPlanVersion, person: User, colleague: User) -> None:
    plan_approve(version=draft, actor=person, content_hash=draft.content_hash)
    again = plan_approve(version=draft, actor=colleague, content_hash=draft.content_hash)
    assert again.approved_by == person
    assert Event.objects.filter(verb="plan.approved").count() == 1


def test_the_database_refuses_an_approval_of_other_content(draft: SearchPlanVersion, person: User) -> None:
    version = plan_approve(version=draft, actor=person, content_hash=draft.content_hash)
    with pytest.raises(IntegrityError):
        SearchPlanVersion.objects.filter(pk=version.pk).update(content_hash="0" * 64)


def test_a_change_makes_a_new_version_that_needs_its_own_approval(draft: SearchPlanVersion, person: User) -> None:
    first = plan_approve(version=draft, actor=person, content_hash=draft.content_hash)
    second = plan_new_version(version=first, actor=person)
    assert (second.number, second.is_approved, second.plan_content) == (2, False, first.plan_content)
    saved = plan_save(version=second, actor=person, content=content("crossref"), revision=1)
    first.refresh_from_db()
    assert (first.plan_content, saved.plan_content) == (content("pubmed"), content("crossref"))


def test_a_plan_has_one_open_draft(draft: SearchPlanVersion, person: User) -> None:
    first = plan_approve(version=draft, actor=person, content_hash=draft.content_hash)
    made = [plan_new_version(version=first, actor=person).pk for _ in range(2)]
    assert made[0] == made[1]
    assert plan_new_version(version=draft, actor=person).pk == made[0]


def test_everything_is_in_the_log(draft: SearchPlanVersion, person: User) -> None:
    plan_save(version=draft, actor=person, content=content("pubmed", question="Another?"), revision=1)
    version = SearchPlanVersion.objects.get()
    plan_approve(version=version, actor=person, content_hash=version.content_hash)
    plan_new_version(version=version, actor=person)
    log = [(event.verb, event.actor, event.payload["number"]) for event in Event.objects.order_by("sequence")]
    assert log == [
        ("plan.created", person, 1),
        ("plan.saved", person, 1),
        ("plan.approved", person, 1),
        ("plan.version_created", person, 2),
    ]


def test_plain_words_are_kept_as_written(project: Project, person: User) -> None:
    plan = content("crossref", queries_given=queries(("", f"{PLAIN} <b>&amp;")))
    version = plan_create(project=project, actor=person, title="<script>", content=plan_to_dict(plan))
    assert (version.plan_content, version.plan.title) == (plan, "<script>")

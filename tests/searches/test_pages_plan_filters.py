"""Filters on the plan's pages: chosen, counted, cited; journals as a limit; bodies that are searched by hand."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from litapp.core.plan import PlanQuery
from litapp.projects.models import Project
from searches.models import SearchPlanVersion
from searches.models_plans import OtherMethod
from searches.services.hits import Number
from searches.views import plan_typing_filters
from tests.searches.conftest import content
from tests.searches.test_pages_plans import HTMX, at, client, draft, posted, text_of

__all__ = ["client"]
pytestmark = pytest.mark.django_db
QUERY = "gout[ti] AND colchicine[ti]"
GUIDELINES = f'{QUERY} AND ("Guideline"[pt] OR "Practice Guideline"[pt])'


def pressed(client: Client, project: Project, then: str, text: str = QUERY, **more: Any) -> Any:
    sent = {**posted(content(queries_given=(PlanQuery(text, "words"),))), "then": then, **more}
    return client.post(reverse("searches:plan_new", args=[project.pk]), sent)


def query(page: Any) -> str:
    return page.context["query_items"][0].text


def test_a_filter_is_put_in_cited_and_taken_out(client: Client, project: Project) -> None:
    page = pressed(client, project, "filter:0:guideline-types-pubmed")
    assert query(page) == GUIDELINES
    text = text_of(page)
    assert "The filter “Guidelines, by publication type” is in the query." in text
    [block] = [block for block in page.context["query_items"][0].grid if "Guideline" in block.label]
    assert [term.origin for term in block.terms] == ["a published filter"] * 2
    assert query(pressed(client, project, "filter_out:0:guideline-types-pubmed", GUIDELINES)) == QUERY


def test_every_filter_shows_name_source_and_figures(client: Client, project: Project) -> None:
    text = text_of(pressed(client, project, "add_query"))
    assert "Cochrane Handbook for Systematic Reviews of Interventions, version 6.5, Box 4.4.a; 2008 revision" in text
    assert "Sensitivity —, precision —." in text
    assert "for Ovid MEDLINE" in text


@pytest.mark.parametrize(
    ("then", "text", "sentence"),
    [
        ("filter:0:hsss-ovid-2023", QUERY, "was made for Ovid MEDLINE and is not used in PubMed."),
        ("filter:0:guideline-types-pubmed", GUIDELINES, "has the filter “Guidelines, by publication type” already"),
        ("filter:0:guideline-types-pubmed", "(gout[ti]", "The query cannot be read yet, so nothing was put in."),
        ("filter:0:nonsense", QUERY, "Nothing was changed"),
        ("filter_out:0:guideline-types-pubmed", QUERY, "does not have the filter"),
        ("venues:0", QUERY, "Name at least one journal, one a line."),
    ],
)
def test_a_filter_that_does_not_fit_is_refused(
    client: Client, project: Project, then: str, text: str, sentence: str
) -> None:
    page = pressed(client, project, then, text)
    assert sentence in text_of(page)
    assert query(page) == text


def test_journals_become_a_limit_and_unknown_ones_are_named(client: Client, project: Project) -> None:
    journals = "Lancet\r\n0028-4793\r\nJournal of Invented Results\r\n"
    page = pressed(client, project, "venues:0", **{"queries-0-venues": journals})
    assert query(page) == f'{QUERY} AND ("Lancet"[ta] OR "0028-4793"[ta] OR "Journal of Invented Results"[ta])'
    assert "check the spelling: “Journal of Invented Results”." in text_of(page)


@pytest.mark.parametrize(
    ("then", "after"), [("filter:0:guideline-types-pubmed", GUIDELINES), ("venues:0", f'{QUERY} AND "Lancet"[ta]')]
)
def test_hits_with_and_without(
    client: Client, project: Project, monkeypatch: pytest.MonkeyPatch, then: str, after: str
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(
        plan_typing_filters,
        "pubmed_hits",
        lambda texts, user_id=None: asked.extend(texts) or [Number(90), Number(None, "PubMed is busy.")],
    )
    page = client.post(
        reverse("searches:plan_filter_hits", args=[project.pk]),
        {"then": then, "queries-0-boolean": QUERY, "queries-0-venues": "Lancet"},
        headers=HTMX,
    )
    assert asked == [QUERY, after]
    assert "now 90 , after the change not counted (PubMed is busy.)" in text_of(page)


def test_hits_of_a_wrong_filter_are_refused(client: Client, project: Project) -> None:
    address = reverse("searches:plan_filter_hits", args=[project.pk])
    told = [
        text_of(client.post(address, {"then": then, "queries-0-boolean": QUERY}, headers=HTMX))
        for then in ("filter:0:hsss-ovid-2023", "filter:0:none", "venues:0")
    ]
    assert "is not used in PubMed" in told[0]
    assert told[1:] == ["There is no such filter.", "Name at least one journal, one a line."]


def test_the_plan_page_cites_the_filters_it_holds(client: Client, project: Project, person: User) -> None:
    version = draft(project, person, content(queries_given=(PlanQuery(GUIDELINES, "words"),)))
    assert "Published filters used Guidelines, by publication type" in text_of(client.get(at("plan", version)))


@pytest.fixture
def version(project: Project, person: User) -> SearchPlanVersion:
    return draft(project, person)


def test_bodies_are_listed_searched_and_kept(client: Client, version: SearchPlanVersion) -> None:
    address = at("plan_other_methods", version)
    client.post(address, {"then": "add", "body": ["NICE guidance", "made up"], "name": "Our shelf"})
    assert list(OtherMethod.objects.values_list("name", "address")) == [
        ("NICE guidance", "https://www.nice.org.uk/guidance"),
        ("Our shelf", ""),
    ]
    client.post(address, {"then": "add", "body": ["NICE guidance"]})
    assert OtherMethod.objects.count() == 2
    nice, shelf = OtherMethod.objects.all()
    client.post(address, {"then": f"searched:{nice.pk}", "day": "2026-03-01", "note": "gout; 2 guidelines"})
    nice.refresh_from_db()
    assert (nice.searched_on, nice.note, nice.searched_by_id) == (
        date(2026, 3, 1),
        "gout; 2 guidelines",
        version.created_by_id,
    )
    client.post(address, {"then": f"remove:{shelf.pk}"})
    client.post(address, {"then": f"remove:{nice.pk}"})
    assert list(OtherMethod.objects.values_list("name", flat=True)) == ["NICE guidance"]
    assert "NICE guidance 1 Mar 2026" in text_of(client.get(at("plan", version)))


@pytest.mark.parametrize(
    "sent",
    [
        {"then": "add", "name": "X", "address": "javascript:alert(1)"},
        {"then": "searched:0", "day": "2026-03-01"},
        {"then": "nonsense"},
    ],
)
def test_nonsense_adds_nothing(client: Client, version: SearchPlanVersion, sent: dict[str, str]) -> None:
    assert client.post(at("plan_other_methods", version), sent).status_code in (303, 404)
    assert not OtherMethod.objects.exists()


def test_a_day_in_the_future_is_refused(client: Client, version: SearchPlanVersion, person: User) -> None:
    method = OtherMethod.objects.create(plan=version.plan, name="NICE guidance", added_by=person)
    client.post(at("plan_other_methods", version), {"then": f"searched:{method.pk}", "day": "2999-01-01"})
    method.refresh_from_db()
    assert method.searched_on is None

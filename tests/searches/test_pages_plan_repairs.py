"""The linter on the plan's pages: what a finding costs, its repair with one click and undo, hits before and after."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from litapp.core.plan import PlanQuery
from litapp.ledger.models import MeshAnswer, SourceAnswer
from litapp.projects.models import Project
from searches.models import SearchPlanVersion
from searches.services import hits
from searches.services.counts import Counted
from searches.services.plan_check import plan_problems
from searches.services.plans import plan_approve
from searches.services.query_check import check_plan_query
from tests.searches.conftest import content
from tests.searches.test_pages_plans import HTMX, at, client, draft, posted, text_of

__all__ = ["client"]
pytestmark = pytest.mark.django_db
MIXED = "a[tiab] OR b[tiab]\nAND cancer[mh]"
REPAIR = "repair:0:entry_term_as_heading:23:33"


@pytest.fixture
def version(project: Project, person: User) -> SearchPlanVersion:
    return draft(project, person, content(queries_given=(PlanQuery(MIXED, "words"),)))


def boolean(version: SearchPlanVersion) -> str:
    version.refresh_from_db()
    return version.plan_content.queries[0].boolean


def test_a_finding_says_what_it_costs_and_what_its_repair_does(client: Client, version: SearchPlanVersion) -> None:
    page = client.get(at("plan", version))
    text = text_of(page)
    assert "“cancer” is an entry term; the heading is “Neoplasms”." in text
    assert 'costs recall Write "Neoplasms"[mh] finds the same' in text
    assert "Line 2, character 5" in text


def test_a_repair_is_made_with_one_click_and_taken_back_with_one(client: Client, version: SearchPlanVersion) -> None:
    client.post(at("plan_repair", version), {"then": REPAIR})
    assert boolean(version) == 'a[tiab] OR b[tiab]\nAND "Neoplasms"[mh]'
    assert "The repair is made and the draft saved." in text_of(client.get(at("plan", version)))
    client.post(at("plan_repair_undo", version))
    assert boolean(version) == MIXED
    assert "The repair is made" not in text_of(client.get(at("plan", version)))


def test_no_undo_is_offered_once_the_draft_was_saved_again(client: Client, version: SearchPlanVersion) -> None:
    client.post(at("plan_repair", version), {"then": REPAIR})
    version.refresh_from_db()
    SearchPlanVersion.objects.filter(pk=version.pk).update(revision=version.revision + 1)
    assert "The repair is made" not in text_of(client.get(at("plan", version)))
    answer = client.post(at("plan_repair_undo", version), follow=True)
    assert "The query has changed since this repair was offered." in text_of(answer)
    assert "Neoplasms" in boolean(version)


@pytest.mark.parametrize(
    "then", ["repair:0:entry_term_as_heading:3:9", "repair:7:x:0:1", "", "repair:0:x:-1:y", "repair:"]
)
def test_a_repair_that_is_not_offered_changes_nothing(client: Client, version: SearchPlanVersion, then: str) -> None:
    answer = client.post(at("plan_repair", version), {"then": then}, follow=True)
    assert "Nothing was changed; look it over again." in text_of(answer)
    assert boolean(version) == MIXED


def test_an_approved_version_is_not_repaired(client: Client, version: SearchPlanVersion, person: User) -> None:
    plan_approve(version=version, actor=person, content_hash=version.content_hash)
    client.post(at("plan_repair", version), {"then": REPAIR})
    assert boolean(version) == MIXED


def test_a_repair_in_the_form_changes_what_is_typed_and_saves_nothing(client: Client, project: Project) -> None:
    address = reverse("searches:plan_new", args=[project.pk])
    sent = {**posted(content(queries_given=(PlanQuery(MIXED.replace("\n", "\r\n")),))), "then": REPAIR}
    page = client.post(address, sent)
    assert page.status_code == 200
    assert not SearchPlanVersion.objects.exists()
    form = page.context["query_items"][0].form
    assert form["boolean"].value() == 'a[tiab] OR b[tiab]\nAND "Neoplasms"[mh]'
    undo = page.context["typed"].undo
    back = client.post(
        address,
        {
            **sent,
            "queries-0-boolean": form["boolean"].value(),
            "then": "undo:0",
            "undo-start": str(undo.start),
            "undo-written": undo.written,
            "undo-was": undo.was,
        },
    )
    assert back.context["query_items"][0].form["boolean"].value() == MIXED
    assert "The query is as it was before." in text_of(back)


def test_findings_while_typing_carry_the_repairs_of_their_query(client: Client, project: Project) -> None:
    page = client.post(
        reverse("searches:plan_check", args=[project.pk]), {"queries-2-boolean": "cancer[mh]"}, headers=HTMX
    )
    assert 'value="repair:2:entry_term_as_heading:0:10"' in page.content.decode()


def test_hits_before_and_after_a_repair(client: Client, project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []

    def count(plan: Any, *, user_id: int | None = None) -> list[Counted]:
        asked.extend(query.boolean for query in plan.queries)
        lines = hits_lines(plan)
        return [Counted(lines[0], result=total(120)), Counted(lines[1], error="PubMed is busy. Try later.")]

    monkeypatch.setattr(hits, "count_lines", count)
    page = client.post(
        reverse("searches:plan_repair_hits", args=[project.pk]),
        {"queries-0-boolean": MIXED, "then": REPAIR},
        headers=HTMX,
    )
    assert asked == [MIXED, 'a[tiab] OR b[tiab]\nAND "Neoplasms"[mh]']
    assert text_of(page) == (
        "PubMed, without the limits: now 120 , after the change not counted (PubMed is busy. Try later.)."
    )


def hits_lines(plan: Any) -> Any:
    from searches.services.queries import query_lines

    return query_lines(plan)


def total(number: int) -> Any:
    from litapp.providers.base import CountResult

    return CountResult(number, True, None)


# What a plan may hold


def codes(text: str) -> list[tuple[str, str]]:
    return [(finding.code, finding.severity.value) for finding in check_plan_query(text)]


def test_a_numbered_list_is_joined_into_one_query() -> None:
    text = "1. a[tiab]\n2. b[tiab]\n3. 1 AND 2"
    [finding] = check_plan_query(text)
    assert (finding.code, finding.severity.value) == ("list_of_lines", "error")
    assert finding.fix is not None
    assert finding.fix.apply(text)[0] == "a[tiab] AND b[tiab]"


def test_what_a_databases_page_printed_is_not_searched_as_words() -> None:
    text = "Neoplasms[mh] Filters: English"
    assert codes(text) == [("set_outside_the_query", "error")]


def test_a_heading_that_nlm_has_not_keeps_the_plan_from_approval(answer: SourceAnswer) -> None:
    plan = content(queries_given=(PlanQuery("a[tiab] AND Neoplasmus[mh]"),))
    assert codes("Neoplasmus[mh]") == [("unknown_heading", "warning")]
    assert plan_problems(plan) == {}
    MeshAnswer.objects.create(key="neoplasmus", heading=None, answer=answer, asked_at=answer.received_at)
    [problem] = plan_problems(plan).values()
    assert problem.startswith("No such heading: MeSH has no “Neoplasmus”. Spelled nearly so: “Neoplasms”")


@pytest.fixture
def answer() -> SourceAnswer:
    from django.utils import timezone

    return SourceAnswer.objects.create(
        source="pubmed", method="POST", url="https://nlm.example", request_key="k", status=200, outcome="ok",
        received_at=timezone.now(),
    )  # fmt: skip

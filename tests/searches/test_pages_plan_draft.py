"""First draft from a question: nothing is sent with a patient in it, every term has its origin, every part can go."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from litapp.core.plan import PlanQuery
from litapp.core.plan import SearchPlan as PlanContent
from litapp.projects.models import Project
from litapp.providers.base import CountResult
from searches.models import SearchPlanVersion
from searches.models_plans import TermOrigin
from searches.services import first_draft, hits
from searches.services.counts import Counted
from searches.services.queries import query_lines
from tests.searches.conftest import content
from tests.searches.test_pages_plans import HTMX, at, client, posted, text_of

__all__ = ["client"]
pytestmark = pytest.mark.django_db
TRANSLATION = (
    '("dexamethasone"[MeSH Terms] OR "dexamethasone"[All Fields]) AND '
    '("yoga"[MeSH Terms] OR ("yo"[All Fields] AND "ga"[All Fields]) OR "yoga"[All Fields])'
)
QUESTION = "Does dexamethasone help in yoga?"
EMPTY = content(question=QUESTION, queries_given=())


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """(query, limits) of every question to PubMed. Each limit takes 10 away from 100 hits."""
    questions: list[tuple[str, str]] = []

    def count(plan: PlanContent, *, user_id: int | None = None) -> list[Counted]:
        filters = plan.filters
        limits = [f"from {filters.year_from}"] if filters.year_from else []
        limits += list(filters.languages)
        questions.extend((query.boolean, " ".join(limits)) for query in plan.queries)
        result = CountResult(100 - 10 * len(limits), True, None, TRANSLATION, ("ga",))
        return [Counted(line, result) for line in query_lines(plan)]

    monkeypatch.setattr(first_draft, "count_lines", count)
    monkeypatch.setattr(hits, "count_lines", count)
    return questions


def pressed(client: Client, project: Project, then: str, **more: Any) -> Any:
    sent = {**posted(EMPTY), "then": then, "title": "", **more}
    return client.post(reverse("searches:plan_new", args=[project.pk]), sent)


def first(page: Any) -> str:
    return page.context["query_items"][0].text


def test_a_systematic_draft_has_blocks_with_origins_and_no_limits(
    client: Client, project: Project, asked: list[tuple[str, str]]
) -> None:
    page = pressed(client, project, "draft:systematic")
    assert asked == [("dexamethasone yoga", "")]
    blocks = page.context["query_items"][0].grid
    assert [(block.label, [(term.text, term.origin) for term in block.terms][:3]) for block in blocks] == [
        (
            "Dexamethasone and 13 more",
            [
                ('"Dexamethasone"[mh]', "MeSH heading"),
                ("dexamethasone[tiab]", "PubMed's translation"),
                ("Methylfluorprednisolone[tiab]", "MeSH entry term"),
            ],
        ),
        ("Yoga and 1 more", [('"Yoga"[mh]', "MeSH heading"), ("yoga[tiab]", "PubMed's translation")]),
    ]
    text = text_of(page)
    assert "Words of the question that are not searched for: Does, help, in." in text
    assert "PubMed does not know: ga." in text
    form = page.context["form"]
    assert (form["year_from"].value(), form["languages"].value()) in ((None, []), ("", []))
    assert form["title"].value() == QUESTION


def test_a_quick_draft_shows_two_limits_with_their_cost_and_takes_them_out(
    client: Client, project: Project, asked: list[tuple[str, str]]
) -> None:
    page = pressed(client, project, "draft:quick")
    year = date.today().year - 10
    form = page.context["form"]
    assert (form["year_from"].value(), form["languages"].value()) == (str(year), ["eng"])
    text = text_of(page)
    assert "PubMed with all limits: 80 records." in text
    assert f"Years {year} to today costs 10 records (90 without it)" in text
    assert "Only in English costs 10 records (90 without it)" in text
    query = first(page)
    assert [limits for _, limits in asked] == ["", f"from {year} eng", "eng", f"from {year}"]

    without = pressed(
        client,
        project,
        "drop_limit:years",
        **{"queries-0-boolean": query, "year_from": str(year), "languages": ["eng"]},
    )
    form = without.context["form"]
    assert (form["year_from"].value(), form["languages"].value()) == ("", ["eng"])
    assert "PubMed with all limits: 90 records." in text_of(without)


def test_nothing_is_sent_while_the_question_seems_to_name_a_patient(
    client: Client, project: Project, asked: list[tuple[str, str]]
) -> None:
    named = "Does dexamethasone help Mrs. Miller, born 12.03.1954?"
    page = pressed(client, project, "draft:quick", question=named)
    assert asked == []
    text = text_of(page)
    assert "This looks like details of a patient: “Mrs. Miller” (a person's name), “born 12.03.1954”" in text
    assert "Nothing was sent yet." in text
    assert 'value="draft:quick:sure"' in page.content.decode()
    assert first(page) == ""
    assert first(pressed(client, project, "draft:quick:sure", question=named)) != ""
    assert asked != []


def test_the_question_is_looked_at_while_it_is_typed(client: Client, project: Project) -> None:
    address = reverse("searches:plan_question_check", args=[project.pk])
    assert "MRN 4711123" in client.post(address, {"question": "gout, MRN 4711123"}, headers=HTMX).content.decode()
    assert text_of(client.post(address, {"question": "gout in 2015"}, headers=HTMX)) == ""


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("", "Write the question first"),
        ("高血压 treatment", "PubMed is searched in English: “高血压” finds next to nothing there."),
    ],
)
def test_a_question_that_cannot_be_asked_says_why(
    client: Client, project: Project, asked: list[tuple[str, str]], question: str, sentence: str
) -> None:
    assert sentence in text_of(pressed(client, project, "draft:quick", question=question))
    assert asked == []


def test_a_silent_pubmed_gives_no_draft_and_keeps_what_is_typed(
    client: Client, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    def count(plan: PlanContent, *, user_id: int | None = None) -> list[Counted]:
        return [Counted(line, error="PubMed is busy. Try later.") for line in query_lines(plan)]

    monkeypatch.setattr(first_draft, "count_lines", count)
    page = pressed(client, project, "draft:quick", **{"queries-0-boolean": "mine[ti]"})
    assert "PubMed could not be asked, so there is no draft. PubMed is busy. Try later." in text_of(page)
    assert first(page) == "mine[ti]"


def test_a_draft_over_a_query_can_be_taken_back(client: Client, project: Project, asked: list[tuple[str, str]]) -> None:
    undo = pressed(client, project, "draft:systematic", **{"queries-0-boolean": "mine[ti]"}).context["typed"].undo
    assert undo.was == "mine[ti]"


def test_parts_are_taken_out_by_what_the_button_showed(
    client: Client, project: Project, asked: list[tuple[str, str]]
) -> None:
    text = '("Yoga"[mh] OR yoga[tiab]) AND gout[ti]'
    for then, left in (
        ("drop:0:1:2:yoga[tiab]", '("Yoga"[mh]) AND gout[ti]'),
        ('drop:0:1:0:"Yoga"[mh] OR yoga[tiab]', "gout[ti]"),
        ("drop:0:1:1:yoga[tiab]", text),
        ("drop:0:9:1:yoga[tiab]", text),
    ):
        page = pressed(client, project, then, **{"queries-0-boolean": text})
        assert first(page) == left
        assert ("Nothing was changed" in text_of(page)) is (left == text)


def test_origins_are_kept_with_the_plan(client: Client, project: Project, asked: list[tuple[str, str]]) -> None:
    page = pressed(client, project, "draft:systematic")
    origins = page.context["form"]["origins"].value()
    client.post(
        reverse("searches:plan_new", args=[project.pk]),
        posted(EMPTY, **{"queries-0-boolean": '"Yoga"[mh] OR mine[tiab]', "origins": origins}),
    )
    version = SearchPlanVersion.objects.get()
    assert list(TermOrigin.objects.values_list("plan", "term", "origin")) == [
        (version.plan_id, '"Yoga"[mh]', "MeSH heading")
    ]
    edit = client.get(reverse("searches:plan_edit", args=[project.pk, version.pk]))
    [block] = edit.context["query_items"][0].grid
    assert [(term.text, term.origin) for term in block.terms] == [
        ('"Yoga"[mh]', "MeSH heading"),
        ("mine[tiab]", "a person"),
    ]


@pytest.mark.parametrize("origins", ["[]", "{", '{"a[ti]": "made up"}', '{"b[ti]": "a seed paper"}'])
def test_origins_that_are_none_are_not_kept(client: Client, project: Project, origins: str) -> None:
    sent = posted(EMPTY, **{"queries-0-boolean": "a[ti]", "origins": origins})
    client.post(reverse("searches:plan_new", args=[project.pk]), sent)
    assert SearchPlanVersion.objects.exists()
    assert not TermOrigin.objects.exists()


def test_chinese_sources_are_explained_where_they_are_called_for(client: Client, project: Project) -> None:
    text = text_of(pressed(client, project, "add_query", question="Acupuncture for migraine"))
    assert "CNKI, Wanfang and VIP have no public interface" in text
    assert "Zotero Connector" in text
    assert "CNKI" not in text_of(pressed(client, project, "add_query"))


def test_saving_and_counting_waits_while_the_plan_seems_to_name_a_patient(client: Client, project: Project) -> None:
    named = content(queries_given=(PlanQuery("gout[ti]", "gout in Mrs. Miller"),))
    answer = client.post(reverse("searches:plan_new", args=[project.pk]), posted(named, then="count"))
    version = SearchPlanVersion.objects.get()
    assert answer["Location"] == f"{at('plan', version)}#sources"
    told = [text_of(client.get(at("plan", version))), text_of(client.get(at("plan_approve", version)))]
    assert "Nothing was counted yet" in told[0]
    assert all("This looks like details of a patient: “Mrs. Miller” (a person's name)" in text for text in told)


def test_saving_and_counting_counts_when_no_patient_is_named(client: Client, project: Project) -> None:
    answer = client.post(reverse("searches:plan_new", args=[project.pk]), posted(content(), then="count"))
    assert answer["Location"] == f"{at('plan', SearchPlanVersion.objects.get())}?count=1#sources"

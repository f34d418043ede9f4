"""MeSH on the pages: headings are found and shown in the tree, put into a block, and none is made up."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from litapp.core.mesh import MeshHeading
from litapp.core.plan import PlanQuery
from litapp.core.ports import Outcome
from litapp.ledger.services.mesh import MeshSaid
from litapp.projects.models import Project
from litapp.providers.base import SourceError
from searches.models import SearchPlanVersion
from searches.views import mesh
from tests.searches.conftest import content
from tests.searches.test_pages_plans import HTMX, client, posted, text_of

__all__ = ["client"]
pytestmark = pytest.mark.django_db


def looked_up(client: Client, project: Project, **query: str) -> str:
    return text_of(client.get(reverse("searches:mesh", args=[project.pk]), query))


def test_words_find_headings_with_the_year_and_the_credit(client: Client, project: Project) -> None:
    text = looked_up(client, project, q="heart failure diastolic")
    assert "MeSH 2024, 30,764 headings" in text
    assert "Heart Failure, Diastolic" in text
    assert "Courtesy of the U.S. National Library of Medicine." in text


def test_a_heading_is_shown_in_the_tree_with_its_entry_terms(client: Client, project: Project) -> None:
    text = looked_up(client, project, heading="cardiac failure")
    assert "Heart Failure D006333 The file at hand has no scope notes." in text
    assert "C14.280.434 Heart Diseases › Heart Failure" in text
    assert "With all narrower ones: 5 places below." in text
    assert '"Heart Failure"[mh:noexp]' in text


def test_a_heading_that_does_not_exist_is_named_so_with_close_ones(client: Client, project: Project) -> None:
    text = looked_up(client, project, q="Hart Failure")
    assert "No such heading: MeSH 2024 has no “Hart Failure”. Spelled nearly so: Heart Failure" in text
    assert "Ask NLM for a newer heading" in text


def test_nlms_own_word_is_told(client: Client, project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[MeshSaid | SourceError] = [
        MeshSaid(MeshHeading("D9", "Brand New")),
        MeshSaid(None, none=True),
        MeshSaid(None),
        SourceError("pubmed", Outcome.TRANSIENT, "PubMed is busy."),
    ]

    def ask(*, name: str) -> MeshSaid:
        answer = said.pop(0)
        if isinstance(answer, SourceError):
            raise answer
        return answer

    monkeypatch.setattr(mesh, "mesh_ask", ask)
    address = reverse("searches:mesh_ask", args=[project.pk])
    told = [text_of(client.post(address, {"name": "brand new"}, follow=True)) for _ in range(4)]
    for text, sentence in zip(
        told,
        (
            "NLM has the heading “Brand New”.",
            "NLM has no heading “brand new”.",
            "does not say whether there is a heading",
            "NLM could not be asked, so nothing is known of “brand new”. PubMed is busy.",
        ),
        strict=True,
    ):
        assert sentence in text


def in_form(client: Client, project: Project, text: str, **more: str) -> tuple[str, str]:
    """The query after the button, and the page's text."""
    sent = {**posted(content(queries_given=(PlanQuery(text),))), **more}
    page = client.post(reverse("searches:plan_new", args=[project.pk]), sent)
    return page.context["query_items"][0].text, text_of(page)


def test_a_heading_is_put_into_the_block_that_was_chosen(client: Client, project: Project) -> None:
    into = {"then": "heading:0:Heart Failure", "queries-0-into": "1"}
    query, text = in_form(client, project, "(hf[ti] OR cardiac[ti]) AND adult[mh]", **into)
    assert query == '(hf[ti] OR cardiac[ti] OR "Heart Failure"[mh]) AND adult[mh]'
    assert "The heading “Heart Failure” is in the query. Nothing is saved yet." in text
    own = {"then": "heading:0:Heart Failure", "queries-0-narrower": "no"}
    assert in_form(client, project, "hf[ti]", **own)[0] == 'hf[ti] AND "Heart Failure"[mh:noexp]'
    assert not SearchPlanVersion.objects.exists()


@pytest.mark.parametrize(
    ("text", "then", "sentence"),
    [
        ("hf[ti]", "heading:0:Hart Failure", "MeSH has no heading “Hart Failure”. Nothing was put in."),
        ("(hf[ti]", "heading:0:Heart Failure", "The query cannot be read yet, so nothing was put in."),
    ],
)
def test_a_heading_that_cannot_be_put_in_leaves_the_query(
    client: Client, project: Project, text: str, then: str, sentence: str
) -> None:
    query, page = in_form(client, project, text, then=then, **{"queries-0-into": "1"})
    assert query == text
    assert sentence in page


def test_results_within_the_form_carry_the_button_of_their_query(client: Client, project: Project) -> None:
    address = reverse("searches:mesh", args=[project.pk])
    part = client.get(address, {"q": "yoga", "into": "3"}, headers=HTMX).content.decode()
    assert 'value="heading:3:Yoga"' in part
    assert "<html" not in part
    assert 'value="heading:' not in client.get(address, {"q": "yoga", "into": "x"}).content.decode()

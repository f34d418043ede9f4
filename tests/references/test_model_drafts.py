"""Paragraphs drafted by the optional model from a column of the matrix: labelled, marked, none on a refusal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest
from django.urls import reverse

from litapp.core.records import AbstractSection
from litapp.jobs.models import StepState
from references.models import ColumnDraft, Reference, SummaryTopic
from references.services import model_drafts
from references.services.matrix import cell_save
from references.services.matrix_reading import column_named
from references.services.model_drafts import DraftProblem, DraftWork, draft_request, draftable
from tests.references.model_server import ModelServer, model_server
from tests.references.world import World, make_world

pytestmark = pytest.mark.django_db
QUOTE = "Mortality was lower with dexamethasone (odds ratio, 0.70)"


@pytest.fixture
def server(settings: Any) -> Iterator[ModelServer]:
    with model_server() as running:
        settings.MODEL = {
            "base_url": running.url, "model": "llama3", "provider": "Clinic", "key": "", "max_tokens": "",
            "timeout": "5", "parameters": "",
        }  # fmt: skip
        yield running


@pytest.fixture
def world() -> World:
    made = make_world()
    head = column_named(made.project, "finding")
    assert head is not None
    for number in (1, 2):
        candidate = made.candidate(number, abstract=(AbstractSection(f"{QUOTE}.", "RESULTS"),))
        made.verify(candidate)
        made.decide(candidate, "include")
        reference = Reference.objects.get(candidate=candidate)
        cell_save(
            reference=reference, head=head, actor=made.owner, value="fewer deaths", quote=QUOTE, page="", version=0
        )  # fmt: skip
    return made


def draft(world: World, **options: Any) -> ColumnDraft:
    options = {"column": "finding", "request_id": uuid4()} | options
    row = draft_request(project=world.project, actor=world.owner, **options)
    DraftWork().run(str(row.pk))
    row.refresh_from_db()
    return row


def keys(world: World) -> list[str]:
    return sorted(Reference.objects.filter(project=world.project).values_list("key", flat=True))


def test_a_draft_becomes_a_labelled_topic_and_names_what_was_given(world: World, server: ModelServer) -> None:
    one, two = keys(world)
    text = f"Both trials report fewer deaths [@{one}; @{two}]."
    server.replies = [text]
    row = draft(world)
    topic = SummaryTopic.objects.get()
    assert (row.state, row.topic, row.cells, row.left_out, row.usage["total_tokens"]) == (
        StepState.DONE, topic, 2, 0, 140,
    )  # fmt: skip
    assert topic.text == text
    assert topic.drafted_by.startswith("Clinic, llama3, 20")
    asked = server.asked[0]["messages"][1]["content"]
    assert f'[@{one}] fewer deaths Quote: "{QUOTE}"' in asked
    assert "temperature" not in server.asked[0]


def test_what_a_drafted_sentence_lacks_is_marked_by_the_summary(world: World, server: ModelServer) -> None:
    one, _ = keys(world)
    server.replies = [f"No key here. Figure 99% of all [@{one}]. Of nobody [@Nobody_2001_X]."]
    draft(world)
    text = world.client().get(reverse("references:summary", args=[world.project.pk])).content.decode()
    assert text.count('class="summary-sentence"') == 3
    assert "AI draft: Clinic, llama3" in text


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        ({"content": None, "refusal": "no"}, "No draft: the model refused."),
        ({"content": "cut", "finish_reason": "length"}, "No draft: the answer was cut at the token limit."),
        ("", "No draft: the answer was empty."),
        (503, "No draft: the model did not answer: its server has a problem (status 503)."),
    ],
)
def test_without_a_usable_answer_nothing_is_written(
    world: World, server: ModelServer, reply: Any, message: str
) -> None:
    server.replies = [reply]
    row = draft(world)
    assert (row.state, row.message, row.topic) == (StepState.FAILED, message, None)
    assert not SummaryTopic.objects.exists()


def test_our_own_fault_is_seen(world: World, server: ModelServer) -> None:
    server.replies = [404]
    row = draft(world)
    assert (row.state, "LITAPP_MODEL_NAME" in row.message) == (StepState.FAILED, True)


def test_nothing_is_sent_without_a_model_or_without_cells(world: World, settings: Any) -> None:
    with pytest.raises(DraftProblem, match="no model"):
        draft(world)
    settings.MODEL = {**settings.MODEL, "base_url": "http://127.0.0.1:1/v1", "model": "m"}
    with pytest.raises(DraftProblem, match="Nothing is filled"):
        draft(world, column="design")
    with pytest.raises(DraftProblem, match="Nothing is filled"):
        draft(world, column="no-such-column")
    assert not ColumnDraft.objects.exists()


def test_cells_beyond_the_cap_are_counted_and_named(world: World, server: ModelServer, monkeypatch: Any) -> None:
    monkeypatch.setattr(model_drafts, "MOST_CELLS", 1)
    row = draft(world)
    assert (row.cells, row.left_out, row.message) == (
        1, 1, "1 further cells of the column were not given to the model.",
    )  # fmt: skip


def test_a_double_click_drafts_once(world: World, server: ModelServer) -> None:
    number = uuid4()
    assert draft(world, request_id=number).pk == draft(world, request_id=number).pk
    assert len(server.asked) == 1
    assert [(head.key, count) for head, count in draftable(world.project)] == [("finding", 2)]


def test_the_page_of_drafts(world: World, server: ModelServer, settings: Any) -> None:
    client, address = world.client(), reverse("references:briefing_drafts", args=[world.project.pk])
    summary = reverse("references:summary", args=[world.project.pk])
    assert "AI drafts" in client.get(summary).content.decode()
    text = client.get(address).content.decode()
    assert "Draft a paragraph" in text
    client.post(reverse("references:briefing_draft", args=[world.project.pk]), {"column": "finding"})
    assert "Being drafted" in client.get(address).content.decode()
    DraftWork().run(DraftWork().due()[0])
    assert "See the topic" in client.get(address).content.decode()
    settings.MODEL = dict.fromkeys(settings.MODEL, "")
    assert "Everything works without one." in client.get(address).content.decode()
    assert "AI drafts" not in client.get(summary).content.decode()

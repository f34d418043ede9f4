"""Matrix, summary and override, sent what nobody types by accident: told what is wrong, never an error of ours."""

from __future__ import annotations

from typing import Any

import pytest

from references.models import Reference
from references.services.summary import topic_add
from tests.architecture.test_hostile_requests import HOSTILE
from tests.references.world import World, make_world

pytestmark = pytest.mark.django_db
MATRIX = ("accept", "save", "not_reported", "clear", "check", "undo", "")
SUMMARY = (
    "setup", "topic_add", "topic_save", "topic_remove", "topic_up", "topic_down", "quote_add", "quote_remove", "decide",
    "decision_undo", "",
)  # fmt: skip
FIELDS = (
    "value", "quote", "page", "offer", "version", "kind", "steps", "limitations", "keys", "title", "text", "topic",
    "cell", "name", "reason", "own",
)  # fmt: skip


@pytest.fixture
def world() -> World:
    made = make_world(candidates=1)
    made.verify(made.candidates[0])
    made.decide(made.candidates[0], "include")
    return made


def sent(text: str, **fields: Any) -> dict[str, Any]:
    return {**dict.fromkeys(FIELDS, text.encode("utf-8", "surrogatepass").decode("latin-1")), **fields}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_no_text_is_an_error_of_ours(world: World, text: str) -> None:
    topic = topic_add(project=world.project, actor=world.owner, title="Mortality")
    reference = Reference.objects.get()
    client, base = world.client(), f"/projects/{world.project.pk}"
    client.raise_request_exception = False
    answers = []
    for do in MATRIX:
        for version in ("0", "1", text):
            address = f"{base}/matrix/{reference.pk}/finding/change/"
            answers.append(
                client.post(address, {**sent(text, do=do), **({"version": version} if version in "01" else {})})
            )
    for do in SUMMARY:
        for fields in ({}, {"topic": topic.pk, "version": "1"}):
            answers.append(client.post(f"{base}/summary/change/", sent(text, do=do, **fields)))
    answers.append(client.post(f"{base}/matrix/columns/", sent(text)))
    answers.append(client.get(f"{base}/summary/"))
    answers.append(client.get(f"{base}/matrix/"))
    assert [answer.status_code for answer in answers if answer.status_code >= 500] == []
    assert [answer.status_code for answer in answers[-2:]] == [200, 200]

"""Pages of evidence and of archived answers: whatever a source sent stands there as text."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from litapp.ledger.models import SourceAnswer
from litapp.verification.models import Check
from litapp.verification.services.requests import CHECK_SOURCES
from tests.references.world import MOMENT, World, make_world

pytestmark = pytest.mark.django_db


@pytest.fixture
def world() -> World:
    return make_world(candidates=1)


def owner(world: World) -> Client:
    client = Client()
    client.force_login(world.owner)
    return client


@pytest.mark.parametrize(
    ("notice", "address"),
    [
        ({"notice_doi": "10.1000/notice.1"}, "https://doi.org/10.1000/notice.1"),
        ({"notice_doi": '10.1000/a"><b>x'}, "https://doi.org/10.1000/a%22%3E%3Cb%3Ex"),
        ({"notice_pmid": "7350521"}, "https://pubmed.ncbi.nlm.nih.gov/7350521/"),
    ],
)
def test_the_notice_is_one_whole_link(world: World, notice: dict[str, str], address: str) -> None:
    verification = world.verify(world.candidates[0], **notice)
    page = owner(world).get(reverse("verification:panel", args=[world.project.pk, verification.pk])).content.decode()
    told = re.search(r"Retraction asked of</dt><dd>(.*?)</dd>", page, re.S)
    assert told is not None
    assert re.findall(r'<a href="([^"]*)"[^<>]*>[^<]*</a>', told[1]) == [address]
    around = re.sub(r"<a [^<>]*>[^<]*</a>", "", told[1])
    assert "<" not in around
    assert '"' not in around


def test_compared_titles_are_read_without_tags(world: World) -> None:
    verification = world.verify(world.candidates[0])
    field = {"field": "title", "ours": "Role of <i>E. coli</i>", "theirs": "Role of <i>E. coli</i>"}
    Check.objects.create(
        verification=verification, round=verification.round, position=0, rule="title_match", source="crossref",
        outcome="pass", reason="", fields=[{**field, "verdict": "same", "why": ""}], asked_at=MOMENT,
    )  # fmt: skip
    page = owner(world).get(reverse("verification:panel", args=[world.project.pk, verification.pk])).content.decode()
    assert "Role of E. coli" in page
    assert "&lt;i&gt;E. coli" not in page


@pytest.mark.parametrize(
    "body",
    [
        b"[" * 200_000,
        b'{"title": "half a character \\ud83d"}',
        b'{"number": ' + b"9" * 6_000 + b"}",
        b"<html><script>alert(1)</script></html>",
        b'<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><x>&a;</x>',
        b'<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><x>&b;</x>',
        b"<a>" * 5_000,
        b"\xff\xfe\x00\x00",
        b"",
    ],
    ids=[
        "deep",
        "half a character",
        "huge number",
        "html",
        "foreign entity",
        "entities",
        "deep xml",
        "no text",
        "empty",
    ],
)
def test_any_answer_can_be_looked_at(world: World, body: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    import litapp.verification.views.answer as views

    monkeypatch.setattr(views, "body_of", lambda answer: body)
    answer = SourceAnswer.objects.first()
    assert answer is not None
    SourceAnswer.objects.filter(pk=answer.pk).update(sha256="0" * 64)
    address = reverse("verification:answer", args=[world.project.pk, answer.pk])
    page = owner(world).get(address)
    assert page.status_code == 200
    assert b"<script>alert" not in page.content
    assert b"root:" not in page.content
    raw = owner(world).get(f"{address}?raw=1")
    assert raw.content == body
    assert (raw["Content-Type"], raw["X-Content-Type-Options"]) == ("application/octet-stream", "nosniff")
    assert raw["Content-Disposition"].startswith("attachment;")


def test_an_answer_whose_file_is_gone_says_so(world: World) -> None:
    answer: Any = SourceAnswer.objects.first()
    SourceAnswer.objects.filter(pk=answer.pk).update(sha256="1" * 64)
    page = owner(world).get(reverse("verification:answer", args=[world.project.pk, answer.pk]))
    assert "they are not in the data folder any more" in page.content.decode()


@pytest.mark.parametrize(
    ("ticked", "asked"), [([], []), (["openalex", "crossref"], ["crossref", "openalex"]), (["nowhere"], [])]
)
def test_a_person_chooses_which_sources_are_asked_again(world: World, ticked: list[str], asked: list[str]) -> None:
    verification = world.verify(world.candidates[0])
    page = owner(world).get(reverse("verification:panel", args=[world.project.pk, verification.pk])).content.decode()
    assert page.count('name="sources"') == len(CHECK_SOURCES)
    owner(world).post(reverse("verification:recheck", args=[world.project.pk, verification.pk]), {"sources": ticked})
    verification.refresh_from_db()
    assert (verification.ask_afresh, verification.ask_afresh_at) == (True, asked)

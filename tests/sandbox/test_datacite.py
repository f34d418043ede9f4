"""The sandbox's DataCite: the DOIs of its arXiv, and a 404 for everybody else's."""

from __future__ import annotations

import pytest

from litapp.core.records import Identifier, Scheme
from litapp.providers.datacite.provider import DataCite
from litapp.providers.http import PoliteClient
from litapp.sandbox.arxiv_numbers import arxiv_number
from litapp.sandbox.server import RunningSandbox
from litapp.sandbox.sources.datacite import ARXIV_PREFIX, arxiv_place
from tests.sandbox.conftest import Get, Stepping
from tests.sandbox.test_product_reads_sandbox import client

__all__ = ["client"]


@pytest.fixture
def dois(sandbox_server: RunningSandbox) -> list[str]:
    """The arXiv DOIs of the corpus."""
    world = sandbox_server.sandbox.world
    every = [f"{ARXIV_PREFIX}{arxiv_number(place)}" for place in world.evaluator.order]
    return [doi for doi in every if arxiv_place(world, doi) is not None]


def test_some_papers_are_held_and_others_are_not(dois: list[str], sandbox_server: RunningSandbox) -> None:
    assert 5 < len(dois) < len(sandbox_server.sandbox.world.evaluator.order)


def test_one_record_and_a_list(get: Get, dois: list[str]) -> None:
    one = get(f"/datacite/dois/{dois[0].upper()}").json["data"]
    assert (one["id"], one["type"], one["attributes"]["publisher"]) == (dois[0], "dois", "arXiv")
    listing = get("/datacite/dois", {"ids": f"{dois[1]},10.1000/none,{dois[0]}", "page[size]": 10}).json
    assert [item["id"] for item in listing["data"]] == [dois[1], dois[0]]
    assert listing["meta"]["total"] == 2


def test_other_dois_are_not_here(get: Get) -> None:
    for doi in ("10.4103/aer.aer_194_18", f"{ARXIV_PREFIX}2101.00001", "10.1000/none"):
        answer = get(f"/datacite/dois/{doi}")
        assert answer.status == 404
        assert answer.json["errors"][0]["title"] == "The resource you are looking for doesn't exist."


def test_its_limits_in_five_minutes(get: Get, stepping: Stepping, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("litapp.sandbox.sources.datacite.IN_FIVE_MINUTES", {False: 2, True: 3})
    statuses = [get("/datacite/dois/10.1000/x").status for _ in range(3)]
    assert statuses == [404, 404, 429]
    named = [get("/datacite/dois/10.1000/x", headers={"User-Agent": "x (mailto:a@b.test)"}).status for _ in range(4)]
    assert named == [404, 404, 404, 429]
    stepping.seconds += 301
    assert get("/datacite/dois/10.1000/x").status == 404


def test_the_product_reads_it(client: PoliteClient, dois: list[str]) -> None:
    asked = [Identifier(Scheme.DOI, doi) for doi in (*dois, "10.1000/none")]
    result = DataCite().lookup(client, asked)
    assert (set(result.found), set(result.absent), result.failures) == (set(asked[:-1]), {asked[-1]}, {})
    for identifier, (record, _) in result.found.items():
        assert record.identifier(Scheme.ARXIV) == identifier.value.removeprefix(ARXIV_PREFIX)
        assert record.is_preprint
        assert record.title

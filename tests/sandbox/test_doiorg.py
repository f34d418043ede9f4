"""The sandbox's doi.org: the agency of each DOI, in the order asked."""

from __future__ import annotations

from litapp.providers.doiorg.provider import DoiOrg
from litapp.providers.http import PoliteClient
from litapp.sandbox.arxiv_numbers import arxiv_number
from litapp.sandbox.server import RunningSandbox
from litapp.sandbox.sources.datacite import ARXIV_PREFIX, arxiv_place
from tests.sandbox.conftest import Get
from tests.sandbox.test_product_reads_sandbox import client

__all__ = ["client"]
KNOWN = "10.4103/aer.aer_194_18"


def test_agencies_in_the_order_asked(get: Get) -> None:
    answer = get(f"/doi/doiRA/{KNOWN.upper()},10.9999/none,notadoi").json
    assert answer == [
        {"DOI": KNOWN.upper(), "RA": "Crossref"},
        {"DOI": "10.9999/none", "status": "DOI does not exist"},
        {"DOI": "notadoi", "status": "Invalid DOI"},
    ]


def test_prefixes(get: Get) -> None:
    assert get("/doi/ra/10.48550").json == [{"DOI": "10.48550", "RA": "DataCite"}]
    assert get("/doi/ra/10.4103").json == [{"DOI": "10.4103", "RA": "Crossref"}]
    assert get("/doi/ra/10.99999").json == [{"DOI": "10.99999", "status": "DOI does not exist"}]


def test_the_resolver_itself_is_not_here(get: Get) -> None:
    answer = get("/doi/10.9999/none")
    assert answer.status == 404
    assert b"DOI Not Found" in answer.body


def test_the_product_tells_three_things_apart(client: PoliteClient, sandbox_server: RunningSandbox) -> None:
    world = sandbox_server.sandbox.world
    arxiv = next(
        doi
        for place in world.evaluator.order
        if arxiv_place(world, doi := f"{ARXIV_PREFIX}{arxiv_number(place)}") is not None
    )
    found = DoiOrg().registration_agencies(client, [KNOWN, arxiv, "10.9999/none"])
    assert [(one.agency, one.absent) for one in found.values()] == [
        ("Crossref", False),
        ("DataCite", False),
        ("", True),
    ]

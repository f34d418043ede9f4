"""The sandbox's Unpaywall: open copies, and no answer without a contact address."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from litapp.providers.http import PoliteClient
from litapp.providers.settings import SourceSettings
from litapp.providers.unpaywall.provider import Unpaywall
from litapp.sandbox.server import RunningSandbox
from tests.providers.fakes import FakeArchive, FakeBreaker, FakeClock, FakeGate
from tests.sandbox.conftest import Get

IN_PMC = "10.1101/2020.09.13.295493"
EMAIL = {"email": "librarian@clinic.test"}


@pytest.mark.parametrize("email", ["", "nobody", "me@example.com", "your@email.org"])
def test_an_address_of_ones_own_is_wanted(get: Get, email: str) -> None:
    answer = get(f"/unpaywall/v2/{IN_PMC}", {"email": email} if email else None)
    assert (answer.status, answer.json["HTTP_status_code"]) == (422, 422)


def test_what_is_in_pmc_is_open(get: Get) -> None:
    answer = get(f"/unpaywall/v2/{IN_PMC.upper()}", EMAIL).json
    assert (answer["doi"], answer["is_oa"]) == (IN_PMC, True)
    hosts = [place["host_type"] for place in answer["oa_locations"]]
    assert "repository" in hosts
    assert answer["best_oa_location"] == answer["oa_locations"][0]
    assert [place["is_best"] for place in answer["oa_locations"]] == [True, *[False] * (len(hosts) - 1)]


def test_an_unknown_doi(get: Get) -> None:
    answer = get("/unpaywall/v2/10.9999/none", EMAIL)
    assert answer.status == 404
    assert "isn't in Unpaywall" in answer.json["message"]


@pytest.fixture
def client(sandbox_server: RunningSandbox) -> Iterator[PoliteClient]:
    url = sandbox_server.addresses()["unpaywall"]
    polite = PoliteClient(
        {"unpaywall": SourceSettings(base_url=url, email=EMAIL["email"])},
        clock=FakeClock(),
        gate=FakeGate(),
        breaker=FakeBreaker(),
        archive=FakeArchive(),
    )
    yield polite
    polite.close()


def test_the_product_reads_it(client: PoliteClient) -> None:
    found, _ = Unpaywall().open_access(client, IN_PMC)
    assert found is not None
    assert found.is_open
    assert found.locations[0].is_best
    assert Unpaywall().open_access(client, "10.9999/none")[0] is None

"""The sandbox's bioRxiv and medRxiv: versions, periods, refusals with status 200."""

from __future__ import annotations

from datetime import date

from litapp.core.records import Identifier, Scheme
from litapp.providers.biorxiv.provider import Biorxiv
from litapp.providers.crossref.provider import Crossref
from litapp.providers.http import PoliteClient
from tests.sandbox.conftest import Get
from tests.sandbox.test_product_reads_sandbox import client

__all__ = ["client"]
DOI = "10.1101/2020.09.13.295493"
NOTHING = {"messages": [{"status": "no posts found"}], "collection": []}


def test_a_preprint_has_an_entry_for_every_version(get: Get) -> None:
    answer = get(f"/biorxiv/details/biorxiv/{DOI}/na/json").json
    assert answer["messages"] == [{"status": "ok", "category": "all"}]
    versions = answer["collection"]
    assert [one["version"] for one in versions] == [str(number) for number in range(1, len(versions) + 1)]
    assert {(one["doi"], one["server"], one["date"]) for one in versions} == {(DOI, "bioRxiv", "2020-09-14")}


def test_the_other_server_unknown_dois_and_servers(get: Get) -> None:
    for path in (f"medrxiv/{DOI}/na/json", "biorxiv/10.1101/999999/na/json", "biorxiv/10.1016/x/na/json"):
        answer = get(f"/biorxiv/details/{path}")
        assert (answer.status, answer.json) == (200, NOTHING)
    assert get("/biorxiv/details/notaserver/2020-01-01/2020-12-31/0/json").json["messages"] == [
        {"status": "Server not recognized"}
    ]


def test_a_period_lists_versions_and_ends_without_posts(get: Get) -> None:
    whole = get("/biorxiv/details/biorxiv/2020-09-01/2020-09-30/0/json").json
    message = whole["messages"][0]
    assert (message["status"], message["count"]) == ("ok", len(whole["collection"]))
    assert message["total"] == str(message["count"])
    assert message["count_new_papers"] == "1"
    after = get(f"/biorxiv/details/biorxiv/2020-09-01/2020-09-30/{message['count']}/json")
    assert after.json == NOTHING
    assert get("/biorxiv/details/biorxiv/2019-01-01/2019-12-31/0/json").json == NOTHING


def test_the_product_reads_it(client: PoliteClient) -> None:
    source = Biorxiv(Crossref())
    asked = [Identifier(Scheme.DOI, DOI), Identifier(Scheme.DOI, "10.1101/999999")]
    result = source.lookup(client, asked)
    assert (set(result.found), set(result.absent), result.failures) == ({asked[0]}, {asked[1]}, {})
    record, _ = result.found[asked[0]]
    assert (record.journal, record.is_preprint, record.year) == ("bioRxiv", True, 2020)
    assert record.authors[0].family == "Rao"
    window = source.posted_between(client, "biorxiv", date(2020, 9, 1), date(2020, 9, 30))
    assert {version.record.doi for version in window.versions} == {DOI}
    assert window.cursor is None

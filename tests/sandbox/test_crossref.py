"""The sandbox's Crossref: works, lists, batches, refusals, pools, retractions."""

from __future__ import annotations

import threading
import time

import pytest

from litapp.sandbox.limits import Concurrency
from litapp.sandbox.server import RunningSandbox
from tests.sandbox.conftest import Get, Stepping, ask

RETRACTED = "10.4103/aer.aer_194_18"
NOTICE = "10.4103/0259-1162.308938"
ASTHMA = "10.1016/j.cellimm.2021.104396"


@pytest.fixture
def a_doi(get: Get) -> str:
    """A DOI Crossref has."""
    items = get("/crossref/works", {"query": "asthma", "rows": 1}).json["message"]["items"]
    return str(items[0]["DOI"])


def test_a_work_is_found_by_its_doi_in_any_case(get: Get, a_doi: str) -> None:
    lower, upper = get(f"/crossref/works/{a_doi}"), get(f"/crossref/works/{a_doi.upper()}")
    assert (lower.status, lower.json["message"]["DOI"]) == (200, a_doi)
    assert upper.json == lower.json
    assert lower.json["message-type"] == "work"


def test_an_unknown_doi_is_nineteen_bytes_of_text(get: Get) -> None:
    answer = get("/crossref/works/10.9999/nothing")
    assert (answer.status, answer.body, answer.headers["content-type"]) == (404, b"Resource not found.", "text/plain")


def test_agency_of_a_doi(get: Get, a_doi: str) -> None:
    assert get(f"/crossref/works/{a_doi}/agency").json["message"]["agency"] == {"id": "crossref", "label": "Crossref"}
    assert get("/crossref/works/10.9999/nothing/agency").status == 404


def test_a_batch_joins_by_doi_and_leaves_unknown_ones_out(get: Get, a_doi: str) -> None:
    params = {"filter": f"doi:{a_doi},doi:10.9999/nothing,doi:{RETRACTED}", "rows": 3, "select": "DOI"}
    items = get("/crossref/works", params).json["message"]["items"]
    assert {item["DOI"] for item in items} == {a_doi, RETRACTED}
    assert all(set(item) == {"DOI"} for item in items)


def test_words_find_any_of_them_the_best_first(get: Get) -> None:
    title = (
        "Role of the Notch ligands Jagged1 and Delta4 in Th17/Treg immune imbalance in a mouse model of chronic asthma"
    )
    message = get("/crossref/works", {"query.bibliographic": title, "rows": 5}).json["message"]
    assert message["total-results"] > 5, "any word counts, so the number means nothing"
    assert message["items"][0]["title"][0].casefold().startswith("role of the notch ligands")
    scores = [item["score"] for item in message["items"]]
    assert scores == sorted(scores, reverse=True)


def test_author_words_are_searched_in_names(get: Get) -> None:
    items = get("/crossref/works", {"query.author": "Dumont", "rows": 5}).json["message"]["items"]
    families = [{author.get("family", "") for author in item["author"]} for item in items]
    assert families
    assert all("Dumont" in names for names in families)


def test_pages_by_cursor_join_to_the_whole(get: Get) -> None:
    whole = get("/crossref/works", {"query": "asthma covid", "rows": 1_000}).json["message"]
    dois, cursor = [], "*"
    while True:
        page = get("/crossref/works", {"query": "asthma covid", "rows": 7, "cursor": cursor}).json["message"]
        assert len(page["items"]) <= 7
        if not page["items"]:
            break
        dois += [item["DOI"] for item in page["items"]]
        cursor = page["next-cursor"]
    assert dois == [item["DOI"] for item in whole["items"]]
    assert len(dois) == whole["total-results"]


def test_date_filters_agree_with_the_records(get: Get) -> None:
    params = {"query": "asthma covid", "rows": 1_000, "filter": "from-pub-date:2021,until-pub-date:2021-06-30"}
    items = get("/crossref/works", params).json["message"]["items"]
    every = get("/crossref/works", {"query": "asthma covid", "rows": 1_000}).json["message"]["items"]

    def day(item: dict[str, dict[str, list[list[int]]]]) -> tuple[int, ...]:
        parts = item["issued"]["date-parts"][0]
        return tuple([*parts, 1, 1][:3])

    assert items
    assert [i["DOI"] for i in items] == [i["DOI"] for i in every if (2021, 1, 1) <= day(i) <= (2021, 6, 30)]


def test_preprints_are_posted_content_without_a_journal(get: Get) -> None:
    items = get("/crossref/works", {"filter": "type:posted-content"}).json["message"]["items"]
    assert [(i["type"], i["subtype"], i["container-title"]) for i in items] == [("posted-content", "preprint", [])]
    assert items[0]["institution"][0]["name"]


@pytest.mark.parametrize(
    ("path", "params", "status", "kind"),
    [
        ("/crossref/works", {"rows": "1001"}, 400, "integer-not-valid"),
        ("/crossref/works", {"rows": "things"}, 400, "integer-not-valid"),
        ("/crossref/works", {"offset": "10001"}, 400, "integer-not-valid"),
        ("/crossref/works", {"filter": "has-assertion:true"}, 400, "filter-not-available"),
        ("/crossref/works", {"filter": "from-pub-date:yesterday"}, 400, "date-not-valid"),
        ("/crossref/works", {"nothing": "1"}, 400, "unknown-parameter"),
        ("/crossref/works", {"query": "widget", "cursor": "thing"}, 404, "cursor-invalid"),
        (f"/crossref/works/{ASTHMA}", {"select": "DOI"}, 400, "parameter-not-allowed"),
    ],
)
def test_refusals_name_the_parameter(get: Get, path: str, params: dict[str, str], status: int, kind: str) -> None:
    answer = get(path, params)
    assert (answer.status, answer.json["message"][0]["type"]) == (status, kind)


def test_a_retracted_paper_is_updated_by_its_notice(get: Get) -> None:
    (update,) = get(f"/crossref/works/{RETRACTED}").json["message"]["updated-by"]
    assert (update["DOI"], update["type"], update["label"]) == (NOTICE, "retraction", "Retraction")


def test_a_notice_updates_nothing_it_has_no_doi_for(get: Get) -> None:
    message = get("/crossref/works/10.1371/journal.pone.0252974").json["message"]
    assert "updated-by" not in message
    assert "update-to" not in message, "the retracted paper is not in the corpus, so its DOI is not known here"


POOLS = [
    ({}, {}, "public", 1, 5, 1),
    ({"mailto": "a@b.c"}, {}, "polite", 3, 10, 3),
    ({}, {"User-Agent": "x (mailto:a@b.c)"}, "polite", 3, 10, 3),
]


@pytest.mark.parametrize(("params", "headers", "pool", "lists", "singles", "together"), POOLS)
def test_pools_have_crossrefs_limits(
    get: Get,
    stepping: Stepping,
    params: dict[str, str],
    headers: dict[str, str],
    pool: str,
    lists: int,
    singles: int,
    together: int,
) -> None:
    answers = [get("/crossref/works", {"query": "asthma", **params}, headers=headers) for _ in range(lists + 1)]
    assert [a.status for a in answers] == [200] * lists + [429]
    assert {k: v for k, v in answers[0].headers.items() if k.startswith("x-")} == {
        "x-api-pool": f"{pool}-array",
        "x-rate-limit-limit": str(lists),
        "x-rate-limit-interval": "1s",
        "x-concurrency-limit": str(together),
    }
    assert (answers[-1].body, [k for k in answers[-1].headers if k.startswith(("x-", "retry"))]) == (b"", [])
    single = [get(f"/crossref/works/{RETRACTED}", params, headers=headers).status for _ in range(singles + 1)]
    assert single == [200] * singles + [429]
    stepping.seconds += 1
    assert get("/crossref/works", {"query": "asthma", **params}, headers=headers).status == 200


def test_more_at_once_than_allowed_wait_for_each_other(sandbox_server: RunningSandbox) -> None:
    """The public pool takes one request at a time; a second one stalls until the first is answered."""
    held = sandbox_server.sandbox.world.concurrency
    assert held.enter("crossref/public-single", 1)
    answered: list[int] = []

    def later() -> None:
        answered.append(ask(f"{sandbox_server.url}/crossref/works/{RETRACTED}").status)

    thread = threading.Thread(target=later)
    thread.start()
    thread.join(timeout=0.3)
    assert answered == []
    held.leave("crossref/public-single")
    thread.join(timeout=5)
    assert answered == [200]


def test_waiting_has_an_end() -> None:
    lanes = Concurrency()
    assert lanes.enter("a", 1)
    started = time.monotonic()
    assert not lanes.enter("a", 1, patience=0.05)
    assert time.monotonic() - started < 2
    assert lanes.enter("b", 1), "another lane is free"

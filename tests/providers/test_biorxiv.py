"""bioRxiv and medRxiv: recorded values, versions, both servers and prefixes, refusals within a 200, listings."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path

import httpx
import pytest

from litapp.core.ports import Outcome
from litapp.core.records import Identifier, NoticeKind, PartialDate, Person, Scheme
from litapp.providers import registry
from litapp.providers.base import SourceError
from litapp.providers.biorxiv import parse
from litapp.providers.biorxiv.preprints import plain_marks, record_of, version_of
from litapp.providers.biorxiv.provider import Biorxiv
from litapp.providers.crossref.provider import Crossref
from tests.providers.fakes import bench, json_reply, text_reply
from tests.providers.imitations import Imitation
from tests.providers.imitations_further import biorxiv_doi, biorxiv_version
from tests.providers.test_recorded_values import named, people

SOURCE = Biorxiv(Crossref())


@pytest.fixture
def read(shared: Path) -> Callable[[str], bytes]:
    return lambda file: (shared / "wire" / "biorxiv" / file).read_bytes()


@pytest.mark.shared
@pytest.mark.parametrize("row", **named("biorxiv"))
def test_recorded_versions(read: Callable[[str], bytes], row: dict[str, str]) -> None:
    version = parse.listing(read(row["file"])).versions[int(row["entry"])]
    record = version.record
    authors, first, last = people(record)
    year, month, day = (int(part) for part in row["date"].split("-"))
    assert record.date == version.date == PartialDate(year, month, day)
    assert version.withdrawn is (row["kind"] == "withdrawn")
    assert bool(record.notices) is version.withdrawn
    assert {
        **row,
        "doi": record.doi,
        "version": str(version.number),
        "title": record.title,
        "authors": authors,
        "first": first,
        "last": last,
        "kind": version.kind,
        "licence": version.licence,
        "published": version.published_doi,
        "server": record.journal,
        "category": record.keywords[0],
    } == {**row, "title": row["title"].removesuffix(".")}
    assert record.abstract


@pytest.mark.shared
def test_the_recorded_page_says_how_many_it_holds(read: Callable[[str], bytes]) -> None:
    page = parse.listing(read("details_biorxiv_2024_page0_100.json"))
    assert (len(page.versions), page.count, page.total, page.unreadable) == (100, 100, 60568, 0)
    versions = [version.number for version in page.versions]
    assert (min(versions), max(versions)) == (2, 14)


@pytest.mark.shared
def test_the_newest_recorded_version_is_withdrawn(read: Callable[[str], bytes]) -> None:
    record = record_of(list(parse.listing(read("details_biorxiv_doi_withdrawn_two_versions.json")).versions))
    assert record is not None
    assert [(one.kind, one.date) for one in record.notices] == [(NoticeKind.WITHDRAWAL, "2020-02-02")]
    assert record.url == "https://www.biorxiv.org/content/10.1101/2020.01.30.927871v2"
    assert record.warnings == ("The newest of 2 versions (number 2).",)


@pytest.mark.shared
def test_no_mark_of_the_export_is_left_in_recorded_abstracts(read: Callable[[str], bytes]) -> None:
    for version in parse.listing(read("details_biorxiv_2024_page0_100.json")).versions:
        text = version.record.abstract_text + version.record.title
        assert not any(mark in text for mark in ("O_LI", "C_LI", "O_FIG", "C_FIG", "SCPLOW", "{", "org.highwire"))


@pytest.mark.parametrize(
    ("raw", "plain"),
    [
        ("{beta}-catenin and {Delta}9", "β-catenin and Δ9"),
        ("5 {+/-} 2 [&ge;] 3 [&#x003B1;]", "5 ± 2 ≥ 3 α"),
        ("a set {x, y} and {rho}", "a set {x, y} and ρ"),
        ("PO_SCPLOWEAFOWLC_SCPLOW", "PEAFOWL"),
        ("Key PointsO_LIOne.\nC_LIO_LITwo.\nC_LI", "Key Points One.\n  Two.\n "),
        ("Text. O_FIG O_LINKSMALLFIG SRC=x org.highwire M_FIG C_FIG", "Text.  "),
        ("Text. O_FIG never closed", "Text.  "),
        ("O_ST_ABSMethodsC_ST_ABSWe looked.", "<h4>Methods</h4>We looked."),
        ("CO_2 and NO_X", "CO_2 and NO_X"),
    ],
)
def test_marks_of_the_export(raw: str, plain: str) -> None:
    assert plain_marks(raw) == plain


def test_headings_become_labels() -> None:
    item = biorxiv_version(1, abstract="O_ST_ABSBackgroundC_ST_ABSWhy. O_ST_ABSMethodsC_ST_ABSHow.")
    version = version_of(item)
    assert version is not None
    assert [(one.label, one.text) for one in version.record.abstract] == [("Background", "Why."), ("Methods", "How.")]


def test_names_with_and_without_a_comma() -> None:
    version = version_of(biorxiv_version(1, authors="Lovelace, A. K.;  COVID Consortium ; ; Babbage, C."))
    assert version is not None
    assert version.record.authors == (
        Person("Lovelace", "A. K."),
        Person(literal="COVID Consortium"),
        Person("Babbage", "C."),
    )


def test_versions_are_compared_as_numbers_and_years_and_publication_are_those_of_all() -> None:
    items = [
        biorxiv_version(1, 2, date="2019-05-01", published="10.1000/J"),
        biorxiv_version(1, 10, date="2020-01-01", title="Newest"),
        biorxiv_version(1, 9, date="2019-12-01"),
    ]
    record = record_of([version for item in items if (version := version_of(item)) is not None])
    assert record is not None
    assert (record.title, record.years) == ("Newest", (2019, 2020))
    assert record.published_as == (Identifier(Scheme.DOI, "10.1000/j"),)
    assert record.identifiers == (Identifier(Scheme.DOI, biorxiv_doi(1)),)


@pytest.mark.parametrize("value", ["NA", "na", "", None, biorxiv_doi(1)])
def test_no_published_version_is_no_identifier(value: str | None) -> None:
    version = version_of({**biorxiv_version(1), "published": value})
    assert version is not None
    assert (version.published_doi, version.record.published_as) == ("", ())


# What an answer means


@pytest.mark.parametrize(
    ("body", "outcome"),
    [
        ('{"messages":[{"status":"no posts found"}],"collection":[]}', Outcome.NOT_FOUND),
        ('{"messages":[{"status":"no posts found"}]}', Outcome.EMPTY),
        ('{"messages":[{"status":"ok"}],"collection":[]}', Outcome.EMPTY),
        ('{"messages":[{"status":"ok"}]}', Outcome.MALFORMED),
        ('{"messages":[{"status":"funder value not found"}],"collection":[]}', Outcome.PERMANENT),
        ('{"messages":[{"status":"Server not recognized"}],"collection":[]}', Outcome.PERMANENT),
        ('{"messages":[{"status":"we are having lunch"}],"collection":[]}', Outcome.MALFORMED),
        ('{"messages":[{"status":"no posts found"}],"collection":[{"doi":"10.1101/1"}]}', Outcome.MALFORMED),
        ('{"messages":[],"collection":[]}', Outcome.MALFORMED),
        ("Too many connections", Outcome.TRANSIENT),
        ("Connection refused", Outcome.TRANSIENT),
        ("<html>Too many connections</html>", Outcome.MALFORMED),
        ("", Outcome.MALFORMED),
    ],
)
def test_everything_comes_with_status_200(body: str, outcome: Outcome) -> None:
    assert SOURCE.classify(200, {}, body.encode()).outcome is outcome


# Look-ups


def asked(number: int) -> Identifier:
    return Identifier(Scheme.DOI, biorxiv_doi(number))


def test_both_servers_are_asked_until_one_has_it() -> None:
    made = bench([Imitation("biorxiv", 4)])
    result = SOURCE.lookup(made.client, [asked(1), asked(2), asked(9)])
    assert {one: record.journal for one, (record, _) in result.found.items()} == {
        asked(1): "bioRxiv",
        asked(2): "medRxiv",
    }
    assert set(result.absent) == {asked(9)}
    paths = [sent.url.path.split("/")[2] for sent in made.source.requests]
    assert paths == ["biorxiv", "biorxiv", "medrxiv", "biorxiv", "medrxiv"]
    assert made.source.requests[0].url.path == f"/details/biorxiv/{biorxiv_doi(1)}/na/json"


@pytest.mark.parametrize(
    ("doi", "askable"),
    [
        ("10.1101/2024.01.01.000001", True),
        ("10.64898/2025.12.08.693001", True),
        ("10.1101/gr.275569.121", True),
        ("10.1038/nature12373", False),
        ("10.11011/x", False),
    ],
)
def test_only_the_two_prefixes_are_asked_for(doi: str, askable: bool) -> None:
    made = bench([json_reply({"messages": [{"status": "no posts found"}], "collection": []})])
    one = Identifier(Scheme.DOI, doi)
    result = SOURCE.lookup(made.client, [one])
    if askable:
        assert (set(result.absent), len(made.source.requests)) == ({one}, 2)
    else:
        assert (result.failures[one].code, made.source.requests) == ("unsupported_prefix", [])


def test_a_doi_with_its_version_finds_the_preprint() -> None:
    made = bench([Imitation("biorxiv", 4)])
    one = Identifier(Scheme.DOI, f"{biorxiv_doi(1)}v2")
    record, _ = SOURCE.lookup(made.client, [one]).found[one]
    assert record.doi == biorxiv_doi(1)


def test_one_server_down_is_not_absence_and_does_not_hide_the_other() -> None:
    down = text_reply("", 503)
    found = json_reply({"messages": [{"status": "ok"}], "collection": [biorxiv_version(2, server="medRxiv")]})
    made = bench([down, down, down, found])
    assert set(SOURCE.lookup(made.client, [asked(2)]).found) == {asked(2)}
    nothing = json_reply({"messages": [{"status": "no posts found"}], "collection": []})
    for replies in ([down, down, down, nothing], [nothing, down, down, down]):
        result = SOURCE.lookup(bench(replies).client, [asked(2)])
        assert (result.absent, result.failures[asked(2)].outcome) == ({}, Outcome.TRANSIENT)


def test_another_preprint_than_was_asked_for_is_a_failure() -> None:
    made = bench([json_reply({"messages": [{"status": "ok"}], "collection": [biorxiv_version(3)]})])
    result = SOURCE.lookup(made.client, [asked(1)])
    assert result.failures[asked(1)].outcome is Outcome.MALFORMED
    assert biorxiv_doi(3) in result.failures[asked(1)].message


def test_a_preprint_with_all_its_versions() -> None:
    made = bench([Imitation("biorxiv", 4)])
    preprint, answer_ids = SOURCE.preprint(made.client, biorxiv_doi(2))
    assert preprint is not None
    assert (preprint.server, [version.number for version in preprint.versions]) == ("medrxiv", [1, 2])
    assert (answer_ids, preprint.answer_id) == ((1, 2), 2)


# Listings


def listed(numbers: range, cursor: int, total: int) -> httpx.Response:
    message = {"status": "ok", "count": len(numbers), "cursor": cursor, "total": str(total)}
    return json_reply({"messages": [message], "collection": [biorxiv_version(number) for number in numbers]})


def test_a_listing_goes_on_by_what_each_page_held() -> None:
    last = json_reply({"messages": [{"status": "no posts found"}]})
    made = bench([listed(range(1, 31), 0, 45), listed(range(31, 41), 30, 45), last])
    seen: list[str] = []
    cursor: int | None = 0
    while cursor is not None:
        page = SOURCE.posted_between(made.client, "medrxiv", date(2024, 1, 1), date(2024, 1, 31), cursor=cursor)
        seen += [version.record.doi for version in page.versions]
        cursor = page.cursor
    assert seen == [biorxiv_doi(number) for number in range(1, 41)]
    assert [sent.url.path for sent in made.source.requests] == [
        f"/details/medrxiv/2024-01-01/2024-01-31/{place}/json" for place in (0, 30, 40)
    ]


def test_a_server_that_does_not_exist_is_a_mistake_of_the_caller() -> None:
    with pytest.raises(ValueError, match="no such server"):
        SOURCE.posted_between(bench([RuntimeError()]).client, "chemrxiv", date(2024, 1, 1), date(2024, 1, 2))


def test_a_listing_that_cannot_be_had_raises() -> None:
    with pytest.raises(SourceError):
        SOURCE.posted_between(bench([text_reply("")]).client, "biorxiv", date(2024, 1, 1), date(2024, 1, 2))


def test_the_plan_page_says_where_these_preprints_are_searched() -> None:
    assert "bioRxiv, medRxiv" in registry.source("europepmc").description
    description = registry.source("biorxiv").description
    assert "Crossref is asked for posted content with their DOI prefixes (10.1101 and 10.64898)" in description
    assert "Europe PMC holds these preprints too" in description

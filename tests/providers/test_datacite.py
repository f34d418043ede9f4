"""DataCite: recorded values over five years of its schema, titles and names, look-ups in batches."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from litapp.core.ports import Outcome
from litapp.core.records import Identifier, NoticeKind, PartialDate, Person, Record, Scheme
from litapp.providers.datacite import parse, request
from litapp.providers.datacite.provider import DataCite
from tests.providers.fakes import bench, json_reply, text_reply
from tests.providers.imitations import Imitation
from tests.providers.imitations_further import datacite_item
from tests.providers.test_recorded_values import named, people

SOURCE = DataCite()


@pytest.fixture
def read(shared: Path) -> Callable[[str], bytes]:
    return lambda file: (shared / "wire" / "datacite" / file).read_bytes()


@pytest.mark.shared
@pytest.mark.parametrize("row", **named("datacite"))
def test_recorded_records(read: Callable[[str], bytes], row: dict[str, str]) -> None:
    record = parse.record(read(row["file"]))
    authors, first, last = people(record)
    preprint = row["general"] == "Preprint"
    assert {
        **row,
        "doi": record.doi,
        "title": record.title,
        "authors": authors,
        "first": first,
        "last": last,
        "publisher": record.publisher,
        "container": record.journal,
        "volume": record.volume,
        "year": str(record.year or ""),
        "language": ",".join(record.languages),
        "abstract": "yes" if record.abstract else "no",
    } == {
        **row,
        "title": row["title"].removesuffix("."),
        "container": row["container"] or (row["publisher"] if preprint else ""),
    }
    assert record.publication_types == tuple(dict.fromkeys(kind for kind in (row["general"], row["specific"]) if kind))
    assert record.is_preprint is preprint


@pytest.mark.shared
@pytest.mark.parametrize(
    ("file", "expected"),
    [
        (
            "dois_10.48550_arxiv.1706.03762__bibaudit-arxiv_preprint.json",
            {
                "identifiers": (Identifier(Scheme.DOI, "10.48550/arxiv.1706.03762"),
                                Identifier(Scheme.ARXIV, "1706.03762")),
                "csl_type": "article",
                "date": PartialDate(2017, 6),
                "years": (2017,),
            },
        ),
        (
            "dois_10.26102_2310-6018_2019.24.1.006__2024-01-25.json",
            {
                "original_title": "MODEL OF SYSTEM DYNAMICS OF PROCESS OF TRAINING",
                "date": PartialDate(2019, 2, 9),
                "csl_type": "article-journal",
            },
        ),
        ("dois_10.3204_desy-2014-01645__2024-01-25.json", {"csl_type": "thesis", "pages": ""}),
        ("dois_10.26268_heal.uoi.19814__bibaudit-alternative_title_first.json",
         {"csl_type": "thesis", "original_title": "", "date": PartialDate(2026, 6, 23)}),
        ("dois_10.14457_kmitl.res.2006.17__2021-06-09.json", {"date": PartialDate(text="2549"), "years": ()}),
        ("dois_10.6084_m9.figshare.4700788__2023-10-05.json", {"csl_type": "thesis"}),
        ("dois_10.5063_f1m61h5x__2026-07-23.json", {"csl_type": "software"}),
        ("dois_10.18429_jacow-ipac2016-tupmy003__2021-06-09.json", {"csl_type": "paper-conference", "pages": ""}),
        ("dois_10.6102_zis146__2023-10-05.json", {"csl_type": "document"}),
        ("dois_10.5061_dryad.8515__2026-07-23.json", {"csl_type": "dataset"}),
    ],
)  # fmt: skip
def test_fields_of_single_records(read: Callable[[str], bytes], file: str, expected: dict[str, object]) -> None:
    record = parse.record(read(file))
    assert {name: getattr(record, name) for name in expected} == expected


@pytest.mark.shared
def test_the_recorded_list(read: Callable[[str], bytes]) -> None:
    listing = parse.record_list(read("dois_page_size_=5_page_number_=1__2020-01-02.json"))
    assert (listing.total, listing.entries, len(listing.records)) == (18666188, 5, 5)
    assert all(record.title for record in listing.records)


@pytest.mark.shared
def test_a_prefix_is_no_record(read: Callable[[str], bytes]) -> None:
    with pytest.raises(parse.UnreadableAnswer):
        parse.record(read("prefixes_10.7554__2018-09-06.json"))


def record(**attributes: object) -> Record:
    item = {"id": "10.1/x", "type": "dois", "attributes": {"doi": "10.1000/X", **attributes}}
    return parse.record(json.dumps({"data": item}).encode())


@pytest.mark.parametrize(
    ("titles", "title", "original"),
    [
        ([{"title": "Own"}], "Own", ""),
        ([{"title": "Alt", "titleType": "AlternativeTitle"}, {"title": "Own"}], "Own", ""),
        ([{"title": "Sub", "titleType": "Subtitle"}, {"title": "Own"}], "Own: Sub", ""),
        ([{"title": "Why?"}, {"title": "Sub", "titleType": "Subtitle"}], "Why? Sub", ""),
        ([{"title": "Own: Sub"}, {"title": "sub", "titleType": "Subtitle"}], "Own: Sub", ""),
        ([{"title": "Eigen"}, {"title": "Own", "titleType": "TranslatedTitle"}], "Eigen", "Own"),
        ([{"title": "Only other", "titleType": "Other"}], "Only other", ""),
        ([{"title": "Odd", "titleType": "Other"}, {"title": "Own"}], "Own", ""),
        ([{"title": "Only alt", "titleType": "AlternativeTitle"}], "Only alt", ""),
        ([{"title": None}, {"title": "<i>Own</i> &amp; so"}], "<i>Own</i> & so", ""),
        ([None, "text", {}], "", ""),
        (None, "", ""),
    ],
)
def test_the_own_title(titles: object, title: str, original: str) -> None:
    found = record(titles=titles)
    assert (found.title, found.original_title) == (title, original)


@pytest.mark.parametrize(
    ("creator", "person"),
    [
        ({"name": "Bimbo, Nuno", "givenName": "Nuno", "familyName": "Bimbo"}, Person("Bimbo", "Nuno")),
        ({"name": "Bimbo, Nuno"}, Person("Bimbo", "Nuno")),
        ({"name": "Bimbo, Nuno", "nameType": "Organizational"}, Person(literal="Bimbo, Nuno")),
        ({"name": "Dept. A, Univ. B, Town"}, Person(literal="Dept. A, Univ. B, Town")),
        ({"name": "The GTEx Consortium", "nameType": "Organizational"}, Person(literal="The GTEx Consortium")),
        ({"name": "TOPMed"}, Person(literal="TOPMed")),
        ({"familyName": "Bimbo"}, Person("Bimbo")),
        ({"givenName": "Nuno"}, Person(literal="Nuno")),
    ],
)
def test_names(creator: dict[str, str], person: Person) -> None:
    assert record(creators=[creator, {}, None]).authors == (person,)


def test_pages_are_taken_where_they_can_be_pages() -> None:
    container = {"type": "Journal", "title": "J", "firstPage": "93", "lastPage": "105"}
    assert record(container=container, publicationYear=2013).pages == "93-105"
    assert record(container={**container, "firstPage": "Korea"}).pages == ""


@pytest.mark.parametrize("publisher", ["Zenodo", {"name": "Zenodo", "publisherIdentifier": "x"}])
def test_the_publisher_is_a_text_or_an_object(publisher: object) -> None:
    assert record(publisher=publisher).publisher == "Zenodo"


@pytest.mark.parametrize(
    ("attributes", "date", "years"),
    [
        ({"publicationYear": 2017, "dates": []}, PartialDate(2017), (2017,)),
        (
            {"publicationYear": 2017, "dates": [{"date": "2017-03-02", "dateType": "Issued"}]},
            PartialDate(2017, 3, 2),
            (2017,),
        ),
        (
            {"publicationYear": 2020, "dates": [{"date": "2017-03", "dateType": "Issued"}]},
            PartialDate(2020),
            (2017, 2020),
        ),
        (
            {"publicationYear": 2017, "dates": [{"date": "2015-01-01/2017-01-02", "dateType": "Created"}]},
            PartialDate(2017),
            (2017,),
        ),
        ({"publicationYear": None, "dates": [{"date": "2017-03", "dateType": "Available"}]},
         PartialDate(2017, 3), (2017,)),
        ({}, PartialDate(), ()),
    ],
)  # fmt: skip
def test_dates(attributes: dict[str, object], date: PartialDate, years: tuple[int, ...]) -> None:
    found = record(**attributes)
    assert (found.date, found.years) == (date, years)


def test_what_is_not_findable_or_withdrawn_is_said() -> None:
    found = record(state="registered", dates=[{"date": "2021-04-01", "dateType": "Withdrawn"}])
    assert found.warnings == ("DataCite keeps this DOI as “registered”: it is not published, or no longer.",)
    assert [(one.kind, one.date) for one in found.notices] == [(NoticeKind.WITHDRAWAL, "2021-04-01")]
    assert record(state="findable").warnings == ()


# What an answer means


@pytest.mark.parametrize(
    ("status", "body", "outcome"),
    [
        (404, b'{"errors":[{"status":"404","title":"x"}]}', Outcome.NOT_FOUND),
        (404, b'{"error":"x"}', Outcome.MALFORMED),
        (404, b"", Outcome.MALFORMED),
        (400, b'{"errors":[{"status":"400","title":"bad page"}]}', Outcome.PERMANENT),
        (200, b'{"errors":[{"status":"500","title":"boom"}]}', Outcome.TRANSIENT),
        (200, b'{"errors":[{"status":"429","title":"slow down"}]}', Outcome.RATE_LIMITED),
        (200, b'{"data":[],"meta":{"total":0}}', Outcome.EMPTY),
        (200, b'{"data":{}}', Outcome.MALFORMED),
        (200, b'{"data":null}', Outcome.MALFORMED),
    ],
)
def test_answers(status: int, body: bytes, outcome: Outcome) -> None:
    assert SOURCE.classify(status, {}, body).outcome is outcome


# Look-ups


def dois(*values: str) -> list[Identifier]:
    return [Identifier(Scheme.DOI, value) for value in values]


def test_what_is_missing_from_a_batch_is_asked_for_alone() -> None:
    made = bench([Imitation("datacite", 2)])
    result = SOURCE.lookup(made.client, dois("10.1000/n1", "10.1000/n2", "10.1000/n9"))
    assert (len(result.found), set(result.absent)) == (2, set(dois("10.1000/n9")))
    first, second = made.source.requests
    assert dict(first.url.params) == {"ids": "10.1000/n1,10.1000/n2,10.1000/n9", "page[size]": "3"}
    assert second.url.path == "/dois/10.1000/n9"


def test_one_doi_is_asked_for_directly_and_signs_are_encoded() -> None:
    made = bench([json_reply({"errors": [{"status": "404", "title": "x"}]}, 404)])
    result = SOURCE.lookup(made.client, dois("10.1000/a,b#c?d"))
    assert made.source.requests[0].url.raw_path == b"/dois/10.1000/a%2Cb%23c%3Fd"
    assert len(result.absent) == 1


def test_batches_are_short_enough() -> None:
    long = [f"10.1000/{'x' * 200}{number}" for number in range(60)]
    parts = request.batches(long)
    assert [doi for part in parts for doi in part] == long
    assert all(len(part) <= 50 and sum(map(len, part)) < 5_000 for part in parts)
    assert [len(part) for part in request.batches([f"10.1/{n}" for n in range(120)])] == [50, 50, 20]


def test_an_answer_about_another_doi_is_a_failure() -> None:
    made = bench([json_reply({"data": datacite_item(5)})])
    result = SOURCE.lookup(made.client, dois("10.1000/n4"))
    assert [error.outcome for error in result.failures.values()] == [Outcome.MALFORMED]


def test_the_contact_address_goes_into_the_user_agent() -> None:
    made = bench([Imitation("datacite", 1)], email="librarian@clinic.test")
    SOURCE.lookup(made.client, dois("10.1000/n1"))
    assert made.source.requests[0].headers["user-agent"] == "litledger-test (mailto:librarian@clinic.test)"
    assert "clinic" not in str(made.source.requests[0].url)


def test_a_refused_single_look_up_takes_only_itself() -> None:
    def answer(sent: httpx.Request) -> httpx.Response:
        return text_reply("", 403) if sent.url.path.endswith("n9") else Imitation("datacite", 1)(sent)

    result = SOURCE.lookup(bench([answer]).client, dois("10.1000/n1", "10.1000/n9"))
    assert (set(result.found), set(result.failures)) == (set(dois("10.1000/n1")), set(dois("10.1000/n9")))

"""Crossref: aliases, expired cursors, batches with gaps, and who retracts whom."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from litapp.core.ports import Outcome
from litapp.core.records import Identifier, Notice, NoticeKind, Person, Record, Scheme
from litapp.providers import registry
from litapp.providers.base import CompiledQuery, CountResult, Page, SourceError
from litapp.providers.crossref import parse, request
from litapp.providers.crossref.provider import Crossref
from litapp.providers.crossref.works import record_of
from tests.providers.fakes import bench, json_reply, text_reply
from tests.providers.imitations import Imitation

CROSSREF = registry.provider("crossref")
QUERY = CompiledQuery("crossref", "x", (("query.bibliographic", "x"),))
EXPIRED = {"status": "failed", "message-type": "resource-failure", "message": [{"type": "cursor-invalid"}]}
NOT_FOUND = text_reply("Resource not found.", 404)


def work(doi: str, title: str = "T", **more: Any) -> httpx.Response:
    return json_reply({"status": "ok", "message-type": "work", "message": {"DOI": doi, "title": [title], **more}})


def listing(*items: dict[str, Any] | None, total: int | None = None, **more: Any) -> httpx.Response:
    message = {"total-results": len(items) if total is None else total, "items": items, **more}
    return json_reply({"status": "ok", "message-type": "work-list", "message": message})


def doi(value: str) -> Identifier:
    return Identifier(Scheme.DOI, value)


def test_its_total_is_no_count() -> None:
    made = bench([listing(total=13_261_029)])
    assert CROSSREF.count(made.client, QUERY) == CountResult(13_261_029, False, 1)
    assert made.source.requests[0].url.params["rows"] == "0"


def test_an_alias_is_found_under_the_doi_asked_for_and_says_so() -> None:
    made = bench([text_reply("", 301, location="/works/10.1000/new"), work("10.1000/new", aliases=["10.1000/OLD"])])
    record, answer_id = CROSSREF.lookup(made.client, [doi("10.1000/old")]).found[doi("10.1000/old")]
    assert (record.doi, answer_id) == ("10.1000/new", 1)
    assert record.warnings == ("The DOI 10.1000/old is an alias: Crossref leads from it to 10.1000/new.",)


def test_an_answer_about_another_doi_decides_nothing() -> None:
    made = bench([work("10.1000/other")])
    result = CROSSREF.lookup(made.client, [doi("10.1000/x")])
    assert (result.found, result.absent) == ({}, {})
    assert result.failures[doi("10.1000/x")].outcome is Outcome.MALFORMED


def test_what_a_batch_leaves_out_is_asked_for_alone_before_it_counts_as_absent() -> None:
    """Absent DOIs are silently missing from a batch, and so may be aliases."""
    made = bench(
        [
            listing({"DOI": "10.1000/A", "title": ["A"]}, None, {"title": ["no DOI"]}),
            NOT_FOUND,
            text_reply("", 301, location="/works/10.1000/c2"),
            work("10.1000/c2", aliases=["10.1000/c"]),
        ]
    )
    result = CROSSREF.lookup(made.client, [doi("10.1000/a"), doi("10.1000/b"), doi("10.1000/c")])
    assert {one.value: (record.title, answer) for one, (record, answer) in result.found.items()} == {
        "10.1000/a": ("A", 1),
        "10.1000/c": ("T", 3),
    }
    assert result.absent == {doi("10.1000/b"): 2}


def test_a_failure_while_asking_alone_stays_with_its_doi() -> None:
    made = bench([listing({"DOI": "10.1000/a", "title": ["A"]}), text_reply("Forbidden", 403)])
    result = CROSSREF.lookup(made.client, [doi("10.1000/a"), doi("10.1000/b")])
    assert (list(result.found), result.absent) == ([doi("10.1000/a")], {})
    assert result.failures[doi("10.1000/b")].code == "refused"


def test_dois_are_batched_by_number_and_by_length() -> None:
    assert [len(batch) for batch in request.batches([f"10.1000/{number}" for number in range(120)])] == [50, 50, 20]
    long = ["10.1000/" + "<" * 60 + str(number) for number in range(40)]
    batches = request.batches(long)
    assert [one for batch in batches for one in batch] == long
    assert max(sum(3 * len(one) for one in batch) for batch in batches) < 8000


@pytest.mark.parametrize(
    ("value", "path"),
    [
        ("10.1016/s0140-6736(97)11096-0", "/works/10.1016/s0140-6736%2897%2911096-0"),
        ("10.1002/(sici)1097<1::aid>3.0.co;2-#", "/works/10.1002/%28sici%291097%3C1%3A%3Aaid%3E3.0.co%3B2-%23"),
        ("10.1000/a?b=c%d", "/works/10.1000/a%3Fb%3Dc%25d"),
    ],
)
def test_signs_within_a_doi_are_encoded_once(value: str, path: str) -> None:
    made = bench([NOT_FOUND])
    CROSSREF.lookup(made.client, [doi(value)])
    assert made.source.requests[0].url.raw_path == path.encode()


def test_a_doi_with_a_comma_is_never_put_into_a_filter() -> None:
    made = bench([NOT_FOUND])
    CROSSREF.lookup(made.client, [doi("10.1000/a,b"), doi("10.1000/c,d")])
    assert [request.url.path for request in made.source.requests] == ["/works/10.1000/a,b", "/works/10.1000/c,d"]


def test_an_expired_cursor_starts_again_and_gives_nothing_twice() -> None:
    imitation = Imitation("crossref", 250)
    made = bench([imitation, json_reply(EXPIRED, 404), imitation, imitation, imitation])
    first = CROSSREF.fetch_page(made.client, QUERY, {}, 1000)
    lost = CROSSREF.fetch_page(made.client, QUERY, first.cursor or {}, 900)
    assert lost == Page(
        (),
        {"mark": "*", "rank": 0, "skip": 100},
        notes=("Crossref lost the place in its list; it is gone through again.",),
    )
    ranks = []
    cursor = lost.cursor
    while cursor is not None:
        page = CROSSREF.fetch_page(made.client, QUERY, json.loads(json.dumps(cursor)), 900)
        ranks += [hit.rank for hit in page.hits]
        cursor = page.cursor
    assert ranks == list(range(101, 251))


def test_a_first_page_refused_for_its_cursor_is_an_error_and_no_loop() -> None:
    made = bench([json_reply(EXPIRED, 404)])
    with pytest.raises(SourceError):
        CROSSREF.fetch_page(made.client, QUERY, {}, 10)


def test_a_match_asks_with_the_author_only_when_no_title_is_the_same() -> None:
    same = bench([listing({"DOI": "10.1000/a", "title": ["The Title."]})])
    records, _ = CROSSREF.match(same.client, "the title", author="Horby")
    assert ([record.doi for record in records], len(same.source.requests)) == (["10.1000/a"], 1)
    items = [{"DOI": f"10.1000/{number}", "title": [f"Other {number}"]} for number in range(5)]
    other = bench([listing(*items), listing({"DOI": "10.1000/wanted", "title": ["T"]}, items[1])])
    records, answer_ids = CROSSREF.match(other.client, "the title", author="Horby")
    assert [record.doi for record in records] == ["10.1000/wanted", "10.1000/0", "10.1000/1", "10.1000/2", "10.1000/3"]
    assert answer_ids == [1, 2]
    assert other.source.requests[1].url.params["query.author"] == "Horby"


@pytest.mark.shared
def test_the_registration_agency(shared: Path) -> None:
    folder = shared / "wire" / "crossref"
    body = (folder / "works_10.5284_1011335_agency__2022-11-09.json").read_bytes()
    made = bench([httpx.Response(200, content=body), NOT_FOUND])
    assert CROSSREF.registration_agency(made.client, "10.5284/1011335") == ("datacite", 1)
    assert CROSSREF.registration_agency(made.client, "10.9999/none") == ("", 2)


# ---------------------------------------------------------------- who retracts whom


@pytest.fixture
def hurt_and_notice(shared: Path) -> tuple[Record, Record]:
    """A retracted paper and its notice, which both carry `update-to` and `updated-by` (recorded)."""
    folder = shared / "wire" / "crossref"
    names = (
        "message-only_10.1016_s0140-6736(20)31180-6__bibaudit-reciprocal_retracted_paper.json",
        "message-only_10.1016_s0140-6736(20)31324-6__bibaudit-reciprocal_retraction_notice.json",
    )
    paper, notice = (record_of(json.loads((folder / name).read_bytes())) for name in names)
    return paper, notice


@pytest.mark.shared
def test_a_retracted_paper_that_claims_to_update_its_notice_is_the_retracted_paper(
    hurt_and_notice: tuple[Record, Record],
) -> None:
    paper, notice = hurt_and_notice
    assert (paper.is_notice, notice.is_notice) == (False, True)
    retraction = next(one for one in paper.notices if one.kind is NoticeKind.RETRACTION)
    assert (retraction.doi, retraction.date) == ("10.1016/s0140-6736(20)31324-6", "2020-06-05")
    assert {one.kind for one in paper.notices} >= {NoticeKind.CONCERN, NoticeKind.CORRECTION, NoticeKind.RETRACTION}
    assert notice.notices == ()


@pytest.mark.shared
@pytest.mark.parametrize(
    ("file", "expected"),
    [
        (
            "work_10.1371_journal.pone.0064723__bibaudit-expression_of_concern.json",
            (
                Notice(
                    NoticeKind.CONCERN,
                    doi="10.1371/journal.pone.0256488",
                    date="2021-10-28",
                    text="Expression of concern (retraction-watch, publisher)",
                ),
            ),
        ),
        (
            "work_10.29328_journal.jcmhs.1001023__bibaudit-partial_retraction.json",
            (
                Notice(
                    NoticeKind.PARTIAL_RETRACTION,
                    doi="10.29328/journal.jcmhs.1001023",
                    date="2022-12-01",
                    text="Partial retraction (publisher)",
                ),
            ),
        ),
        ("work_10.1371_journal.ppat.1008184__2026-07-23.json", ()),
    ],
)
def test_recorded_notices(shared: Path, file: str, expected: tuple[Notice, ...]) -> None:
    message = json.loads((shared / "wire" / "crossref" / file).read_bytes())["message"]
    record = record_of(message)
    assert (record.notices, record.is_notice, record.warnings) == (expected, False, ())


def update(kind: str, other: str, source: str = "publisher") -> dict[str, Any]:
    return {"DOI": other, "type": kind, "source": source, "updated": {"date-parts": [[2020, 6, 5]]}}


@pytest.mark.parametrize(
    ("title", "by", "to", "is_notice", "kinds"),
    [
        ("A paper", [], [], False, []),
        ("A paper", [update("retraction", "10.1000/n")], [], False, ["retraction"]),
        ("Retraction: A paper", [], [update("retraction", "10.1000/p")], True, []),
        ("RETRACTED: A paper", [], [update("retraction", "10.1000/n")], False, ["retraction"]),
        ("RETRACTED: A paper", [], [], False, ["retraction"]),
        ("A paper", [], [update("retraction", "10.1000/x")], False, ["retraction"]),
        ("A paper", [update("retraction", "10.1000/n", "retraction-watch")], [update("retraction", "10.1000/n")], False,
         ["retraction"]),
        ("A paper", [update("retraction", "10.1000/n")], [update("retraction", "10.1000/n")], False, ["retraction"]),
        ("Retraction notice", [update("retraction", "10.1000/n")], [update("retraction", "10.1000/n")], True, []),
        ("A paper", [update("new_version", "10.1000/v2")], [update("new_version", "10.1000/v1")], False, []),
        ("A paper", [update("erratum", "10.1000/e"), update("corrigendum", "10.1000/c")], [], False,
         ["correction", "correction"]),
        ("A paper", [update("removal", "10.1000/r")], [], False, ["withdrawal"]),
    ],
)  # fmt: skip
def test_paper_or_notice(
    title: str, by: list[dict[str, Any]], to: list[dict[str, Any]], is_notice: bool, kinds: list[str]
) -> None:
    record = record_of({"DOI": "10.1000/x", "title": [title], "updated-by": by, "update-to": to})
    assert (record.is_notice, [notice.kind.value for notice in record.notices]) == (is_notice, kinds)


def test_an_unknown_kind_of_update_is_named() -> None:
    record = record_of({"DOI": "10.1000/x", "title": ["T"], "updated-by": [update("vanishing", "10.1000/n")]})
    assert record.notices == ()
    assert record.warnings == ("Crossref names an update of the kind “vanishing”, which LitLedger does not know.",)


# ---------------------------------------------------------------- single fields


@pytest.mark.parametrize(
    ("item", "title", "original"),
    [
        ({"title": ["Main"], "subtitle": ["Sub"]}, "Main: Sub", ""),
        ({"title": ["Why?"], "subtitle": ["Because"]}, "Why? Because", ""),
        ({"title": ["Main: Sub"], "subtitle": ["sub"]}, "Main: Sub", ""),
        ({"title": ["Eins", "One"], "subtitle": ["Zwei", "Two"]}, "Eins: Zwei", "One: Two"),
        ({"title": ["One"], "original-title": ["Eins", ""]}, "One", "Eins"),
        ({"title": ["A\n      <i>B</i>\n  c"]}, "A <i>B</i> c", ""),
        ({"title": ["x &amp; y &lt;sub&gt;2&lt;/sub&gt; P&lt;0.05"]}, "x & y <sub>2</sub> P<0.05", ""),
        ({"title": []}, "", ""),
        ({"title": None}, "", ""),
        ({"title": [None, 5]}, "5", ""),
        ({"title": "a plain text."}, "a plain text", ""),
    ],
)
def test_titles(item: dict[str, Any], title: str, original: str) -> None:
    record = record_of({"DOI": "10.1000/x", **item})
    assert (record.title, record.original_title) == (title, original)


def test_authors_keep_groups_in_their_place_and_lack_what_is_lacking() -> None:
    authors = [
        {"family": "MÜLLER", "given": "A. B.", "suffix": "Jr."},
        {"name": "The RECOVERY\u00a0Group"},
        {"family": "Mononym"},
        {"given": "Plato"},
        None,
        {"affiliation": []},
    ]
    assert record_of({"DOI": "10.1000/x", "author": authors}).authors == (
        Person("MÜLLER", "A. B.", "Jr."),
        Person(literal="The RECOVERY Group"),
        Person("Mononym"),
        Person(literal="Plato"),
    )


@pytest.mark.parametrize(
    ("dates", "year", "years"),
    [
        ({"issued": [[2020, 2, 30]], "created": [[2021]]}, 2020, (2020, 2021)),
        ({"issued": [[1970]], "created": [[2007, 5]]}, 1970, (1970,)),
        ({"issued": [[None]], "published-online": [[2019]]}, 2019, (2019,)),
        ({"issued": [[None]], "created": [[2007]]}, None, ()),
        ({"issued": [[2018]], "published-print": [[2019]], "published-online": [[2018]]}, 2018, (2018, 2019)),
        ({"issued": [], "published": "soon"}, None, ()),
    ],
)
def test_the_year_is_a_set(dates: dict[str, Any], year: int | None, years: tuple[int, ...]) -> None:
    record = record_of({"DOI": "10.1000/x", **{name: {"date-parts": parts} for name, parts in dates.items()}})
    assert (record.year, record.years) == (year, years)


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        ({"subtype": "preprint", "institution": [{"name": "bioRxiv"}]}, ("bioRxiv", True)),
        ({"institution": [{"name": "bioRxiv"}]}, ("bioRxiv", True)),
        ({"subtype": "blog", "institution": None}, ("", False)),
        ({"subtype": "preprint", "container-title": ["Server"]}, ("Server", True)),
    ],
)
def test_posted_content(item: dict[str, Any], expected: tuple[str, bool]) -> None:
    record = record_of({"DOI": "10.1000/x", "type": "posted-content", "container-title": [], **item})
    assert (record.journal, record.is_preprint, record.csl_type) == (*expected, "article")


def test_a_work_of_nulls_is_an_empty_record() -> None:
    names = (
        "DOI title subtitle author container-title short-container-title ISSN ISBN publisher volume issue page issued "
        "published created type subtype abstract update-to updated-by institution language aliases original-title"
    )
    assert record_of(dict.fromkeys(names.split())) == Record("crossref", "", csl_type="document")


@pytest.mark.shared
@pytest.mark.parametrize(
    ("file", "published"),
    [
        ("work_10.1101_097196__2023-10-05.json", ["10.1038/s41597-019-0031-8"]),
        ("work_10.26434_chemrxiv.5406907.v5__2026-03-10.json", ["10.1021/acs.jpcb.7b11820"]),
        ("work_10.1038_ng.3834__2023-10-05.json", []),
        ("work_10.53731_r79vxn1-97aq74v-ag58n__2026-07-23.json", []),
    ],
)
def test_the_published_version_of_a_preprint(shared: Path, file: str, published: list[str]) -> None:
    """`has-preprint` and `is-version-of` are other relations."""
    record, _ = parse.work((shared / "wire" / "crossref" / file).read_bytes())
    assert [one.value for one in record.published_as] == published


@pytest.mark.parametrize(
    "relation",
    [None, [], {"is-preprint-of": None}, {"is-preprint-of": [{"id": "x"}, None, {"id-type": "doi", "id": "no"}]}],
)
def test_a_strange_relation_names_nothing(relation: object) -> None:
    item = {"DOI": "10.1000/p", "type": "posted-content", "title": ["T"], "relation": relation}
    assert record_of(item).published_as == ()


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({"x-concurrency-limit": "1", "x-api-pool": "public-single"}, 1),
        ({"x-concurrency-limit": "3"}, 3),
        ({"x-concurrency-limit": "many"}, None),
        ({"x-concurrency-limit": "0"}, None),
        ({}, None),
    ],
)
def test_the_requests_open_at_once_that_a_pool_allows(headers: dict[str, str], expected: int | None) -> None:
    assert Crossref().published_concurrency(headers) == expected

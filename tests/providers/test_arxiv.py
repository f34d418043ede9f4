"""arXiv: recorded values in both shapes of its feed, queries, pages, look-ups with errors as entries, withdrawals."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from litapp.core.plan import Filters, PlanQuery, Preprints
from litapp.core.ports import Outcome
from litapp.core.records import Identifier, NoticeKind, PartialDate, Person, Record, Scheme
from litapp.providers.arxiv import parse
from litapp.providers.arxiv.provider import Arxiv
from litapp.providers.base import Loss, Page, SourceError
from tests.providers.fakes import Bench, bench, text_reply
from tests.providers.imitations import Imitation
from tests.providers.imitations_further import arxiv_id
from tests.providers.test_recorded_values import named, people

PLAN = PlanQuery(boolean='transformer[ti] AND "protein folding"[tiab]', plain="transformers for protein folding")
SOURCE = Arxiv()


@pytest.fixture
def read(shared: Path) -> Callable[[str], bytes]:
    return lambda file: (shared / "wire" / "arxiv" / file).read_bytes()


@pytest.mark.shared
@pytest.mark.parametrize("row", **named("arxiv"))
def test_recorded_papers(read: Callable[[str], bytes], row: dict[str, str]) -> None:
    record = dict(parse.feed(read(row["file"])).records)[int(row["entry"])]
    authors, first, last = people(record)
    year, month, day = (int(part) for part in row["published"].split("-"))
    version = int(row["version"])
    assert record.date == PartialDate(year, month, day)
    assert record.years == tuple(sorted({year, int(row["updated"])}))
    assert record.url == f"https://arxiv.org/abs/{row['id']}v{version}"
    assert (f"This is version {version} of the paper." in record.warnings) is (version > 1)
    assert len(record.abstract_text.split()) == int(row["abstract_words"])
    assert {
        **row,
        "id": record.source_id,
        "title": record.title,
        "authors": authors,
        "first": first,
        "last": last,
        "doi": next((one.value for one in record.published_as), ""),
        "category": record.keywords[0],
    } == row
    assert record.identifiers == (Identifier(Scheme.ARXIV, row["id"]),)
    assert record.is_preprint
    assert record.journal == "arXiv"


@pytest.mark.shared
@pytest.mark.parametrize(
    ("file", "total", "entries"),
    [
        ("id_0000.0000_s0_m100__2026-04-12.xml", 0, 0),
        ("id_0808.05394_1707.08567_s0_m100__2026-04-12.xml", 1, 1),
        ("OLDSHAPE_id_1601.00001__2020-09-04.xml", 1, 1),
    ],
)
def test_recorded_feeds(read: Callable[[str], bytes], file: str, total: int, entries: int) -> None:
    feed = parse.feed(read(file))
    assert (feed.total, feed.entries, feed.invalid) == (total, entries, 0)


@pytest.mark.shared
def test_the_pages_of_a_recorded_search_overlap_as_they_should(read: Callable[[str], bytes]) -> None:
    def ids(file: str) -> list[str]:
        return [record.source_id for _, record in parse.feed(read(file)).records]

    whole = ids("q_testing_s0_m100__2026-04-12.xml")
    assert len(whole) == len(set(whole)) == 100
    assert ids("q_testing_s0_m10__2026-04-12.xml") == whole[:10]
    assert ids("q_testing_s5_m10__2026-04-12.xml") == whole[5:15]
    assert ids("q_testing_s9_m15__2026-04-12.xml") == whole[9:24]
    assert ids("q_testing_s50_m10__2026-04-12.xml") == whole[50:60]


@pytest.mark.shared
def test_the_recorded_error_is_no_paper_and_is_told_in_arxivs_words(read: Callable[[str], bytes]) -> None:
    verdict = SOURCE.classify(400, {}, read("http400_id_abc_s0_m100__2026-04-12.xml"))
    assert verdict.message == "arXiv does not accept this request: incorrect id format for abc"


FEED = (
    '<feed xmlns="http://www.w3.org/2005/Atom" xmlns:arxiv="http://arxiv.org/schemas/atom" '
    'xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/"><opensearch:totalResults>{total}</opensearch:totalResults>'
    "<opensearch:startIndex>{start}</opensearch:startIndex>"
    "<opensearch:itemsPerPage>{size}</opensearch:itemsPerPage>{entries}</feed>"
)


def feed(entries: str = "", total: int = 1, start: int = 0, size: int = 10) -> bytes:
    return FEED.format(entries=entries, total=total, start=start, size=size).encode()


def paper(inside: str) -> Record:
    entry = f"<entry><id>http://arxiv.org/abs/2101.00001v1</id><title>T</title>{inside}</entry>"
    return parse.feed(feed(entry)).records[0][1]


@pytest.mark.parametrize(
    ("comment", "withdrawn"),
    [
        ("This paper has been withdrawn", True),
        ("This paper has been withdrawn by the author due to a crucial sign error in equation 1", True),
        ("Withdrawn due to an error in the proof", True),
        ("withdrawn.", True),
        ("This submission has been withdrawn by arXiv administrators because it is a duplicate", True),
        ("12 pages. This article is now withdrawn", True),
        ("Paper withdrawn by the authors", True),
        ("The paper was withdrawn; see 2101.00002", True),
        ("23 pages, 4 figures", False),
        ("Replaces the withdrawn 1901.00001", False),
        ("v2: one claim withdrawn, references added", False),
        ("A study of withdrawn drugs", False),
        ("Presented at the Workshop on Withdrawn Products", False),
        ("", False),
    ],
)
def test_a_withdrawal_is_told_in_words_only(comment: str, withdrawn: bool) -> None:
    record = paper(f"<arxiv:comment>{comment}</arxiv:comment>")
    assert [one.kind for one in record.notices] == ([NoticeKind.WITHDRAWAL] if withdrawn else [])
    if withdrawn:
        assert record.notices[0].text == comment


def test_an_abstract_that_only_says_withdrawn_is_a_withdrawal_too() -> None:
    summary = "<summary>  This paper has been withdrawn by the author.</summary>"
    assert [one.kind for one in paper(summary).notices] == [NoticeKind.WITHDRAWAL]
    assert paper("<summary>Patients withdrawn from the trial were counted.</summary>").notices == ()


def test_several_dois_blanks_before_names_and_a_journal_reference() -> None:
    record = paper(
        "<author><name> The ATLAS Collaboration</name></author><author><name></name></author>"
        "<arxiv:doi>10.1016/j.A.1 10.1000/B</arxiv:doi><arxiv:journal_ref>Phys. Lett. B 1, 2</arxiv:journal_ref>"
    )
    assert record.authors == (Person(literal="The ATLAS Collaboration"),)
    assert record.published_as == (Identifier(Scheme.DOI, "10.1016/j.a.1"), Identifier(Scheme.DOI, "10.1000/b"))
    assert record.doi == ""
    assert record.warnings == ("arXiv gives as the published version: Phys. Lett. B 1, 2.",)


@pytest.mark.parametrize("address", ["http://arxiv.org/abs/", "https://example.org/1", "http://arxiv.org/abs/none"])
def test_an_entry_without_a_number_is_counted_and_not_used(address: str) -> None:
    found = parse.feed(feed(f"<entry><id>{address}</id><title>T</title></entry>"))
    assert (found.records, found.invalid) == ((), 1)


@pytest.mark.parametrize("title", ["0", "Error"])
def test_odd_titles_are_titles(title: str) -> None:
    entry = f"<entry><id>http://arxiv.org/abs/hep-th/9901001v2</id><title>{title}</title></entry>"
    assert parse.feed(feed(entry)).records[0][1].title == title


# What an answer means


@pytest.mark.parametrize(
    ("status", "body", "outcome", "code"),
    [
        (200, b"Rate exceeded.", Outcome.RATE_LIMITED, ""),
        (503, b"Rate exceeded.", Outcome.RATE_LIMITED, ""),
        (200, feed(total=30, start=10), Outcome.TRANSIENT, "empty_page"),
        (200, feed(total=30, start=30), Outcome.OK, ""),
        (200, feed(total=30, size=0), Outcome.OK, ""),
        (200, feed(total=0), Outcome.EMPTY, ""),
        (200, b"<feed xmlns='http://www.w3.org/2005/Atom'/>", Outcome.MALFORMED, ""),
        (200, b"<rss/>", Outcome.MALFORMED, ""),
        (414, b"", Outcome.PERMANENT, "bad_request"),
        (400, b"<html>Bad request</html>", Outcome.MALFORMED, ""),
        (
            200,
            b'<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><error code="idDoesNotExist">x</error></OAI-PMH>',
            Outcome.NOT_FOUND,
            "",
        ),
    ],
)
def test_answers(status: int, body: bytes, outcome: Outcome, code: str) -> None:
    verdict = SOURCE.classify(status, {}, body)
    assert (verdict.outcome, verdict.code) == (outcome, code)


def test_an_entity_bomb_is_inert() -> None:
    body = b'<!DOCTYPE feed [<!ENTITY a SYSTEM "file:///etc/passwd">]>' + feed("<entry><title>&a;</title></entry>")
    assert all(record.title == "" for _, record in parse.feed(body).records)


def test_an_empty_page_is_asked_for_again() -> None:
    made = bench([text_reply(feed(total=5)), Imitation("arxiv", 5)])
    query = SOURCE.compile(PLAN, Filters())
    assert len(SOURCE.fetch_page(made.client, query, {}, 10).hits) == 5


# Queries

QUERY = '(ti:transformer AND (ti:"protein folding" OR abs:"protein folding"))'


def test_the_boolean_query_is_translated() -> None:
    query = SOURCE.compile(PLAN, Filters())
    assert f"({query.text})" == QUERY
    assert query.params == (("search_query", query.text), ("sortBy", "relevance"), ("sortOrder", "descending"))
    assert query.notes == ()


@pytest.mark.parametrize(
    ("filters", "text", "losses"),
    [
        (
            Filters(year_from=2015, year_to=2020),
            f"{QUERY} AND submittedDate:[201501010000 TO 202012312359]",
            [None],
        ),
        (Filters(year_from=2015), f"{QUERY} AND submittedDate:[201501010000 TO 220012312359]", [None]),
        (Filters(year_to=2020), f"{QUERY} AND submittedDate:[199101010000 TO 202012312359]", [None]),
        (Filters(languages=("eng",), preprints=Preprints.ONLY), QUERY[1:-1], [Loss.LOST]),
        (Filters(publication_types=("Review",)), QUERY[1:-1], [Loss.LOST]),
    ],
)
def test_filters(filters: Filters, text: str, losses: list[Loss | None]) -> None:
    query = SOURCE.compile(PLAN, filters)
    assert (query.text, [note.loss for note in query.notes]) == (text, losses)


@pytest.mark.parametrize(
    ("plan", "filters", "code"),
    [
        (PLAN, Filters(preprints=Preprints.EXCLUDED), "preprints_excluded"),
        (PlanQuery(boolean=" OR ".join(f'"phrase number {n}"[ti]' for n in range(400))), Filters(), "query_too_long"),
        (PlanQuery(boolean="english[la]"), Filters(), "nothing_left"),
        (PlanQuery(boolean='"open[ti]'), Filters(), "unreadable_query"),
        (PlanQuery(), Filters(), "empty_query"),
        (PlanQuery(plain="?!"), Filters(), "empty_query"),
    ],
)
def test_what_cannot_be_asked_is_refused_before_the_run(plan: PlanQuery, filters: Filters, code: str) -> None:
    with pytest.raises(SourceError) as caught:
        SOURCE.compile(plan, filters)
    assert (caught.value.outcome, caught.value.code) == (Outcome.PERMANENT, code)
    assert caught.value.hint


def test_plain_words_are_asked_when_there_is_no_boolean_query() -> None:
    query = SOURCE.compile(PlanQuery(plain="state-of-the-art, and more?"), Filters())
    assert query.text == 'all:"state-of-the-art" AND all:"and" AND all:more'


# Pages and look-ups


def pages(made: Bench, limit: int) -> list[Page]:
    found: list[Page] = []
    cursor: dict[str, object] | None = {}
    wanted = limit
    while cursor is not None and wanted > 0:
        found.append(SOURCE.fetch_page(made.client, SOURCE.compile(PLAN, Filters()), cursor, wanted))
        wanted -= len(found[-1].hits)
        cursor = found[-1].cursor
    return found


def test_pages_go_by_their_start() -> None:
    made = bench([Imitation("arxiv", 1_201)])
    found = pages(made, 5_000)
    assert [hit.rank for page in found for hit in page.hits] == list(range(1, 1_202))
    assert [sent.url.params["start"] for sent in made.source.requests] == ["0", "500", "1000"]
    assert {sent.url.params["sortBy"] for sent in made.source.requests} == {"relevance"}


def test_arxivs_own_cap_is_said_and_nothing_is_asked_beyond_it() -> None:
    made = bench([Imitation("arxiv", 40_000)])
    query = SOURCE.compile(PLAN, Filters())
    page = SOURCE.fetch_page(made.client, query, {"start": 29_700}, 10_000)
    assert (len(page.hits), page.cursor, page.capped, page.total) == (300, None, True, 40_000)
    assert page.notes == ("arXiv reports more papers but gives at most 30,000 of a query.",)
    beyond = SOURCE.fetch_page(made.client, query, {"start": 30_000}, 10)
    assert (beyond.hits, beyond.capped, len(made.source.requests)) == ((), True, 1)


def test_ids_go_in_lists_that_ask_for_all_of_them() -> None:
    made = bench([Imitation("arxiv", 150)])
    asked = [Identifier(Scheme.ARXIV, arxiv_id(number)) for number in range(1, 152)]
    result = SOURCE.lookup(made.client, asked)
    assert [sent.url.params["max_results"] for sent in made.source.requests] == ["100", "51"]
    assert (len(result.found), set(result.absent)) == (150, {asked[150]})


def test_an_impossible_id_spoils_only_itself() -> None:
    made = bench([Imitation("arxiv", 3)])
    good = [Identifier(Scheme.ARXIV, arxiv_id(number)) for number in (1, 2, 9)]
    bad = Identifier(Scheme.ARXIV, "0000.0000")
    result = SOURCE.lookup(made.client, [good[0], bad, *good[1:]])
    assert (set(result.found), set(result.absent), set(result.failures)) == (set(good[:2]), {good[2]}, {bad})
    assert result.failures[bad].code == "bad_request"
    assert len(made.source.requests) == 2


def test_what_was_found_but_not_sent_is_not_called_absent() -> None:
    entry = f"<entry><id>http://arxiv.org/abs/{arxiv_id(1)}v1</id><title>T</title></entry>"
    made = bench([text_reply(feed(entry, total=2))])
    asked = [Identifier(Scheme.ARXIV, arxiv_id(number)) for number in (1, 2)]
    result = SOURCE.lookup(made.client, asked)
    assert (set(result.found), result.absent, set(result.failures)) == ({asked[0]}, {}, {asked[1]})


def test_a_title_is_asked_word_by_word_then_by_its_longest_words_and_the_author() -> None:
    made = bench([Imitation("arxiv", 0)])
    title = "The Transformer: a state-of-the-art Model of Language"
    assert SOURCE.match(made.client, title, author="Vaswani, Ashish") == ([], [1, 2])
    assert [sent.url.params["search_query"] for sent in made.source.requests] == [
        'ti:transformer AND ti:"state-of-the-art" AND ti:model AND ti:language',
        'ti:"state-of-the-art" AND ti:transformer AND ti:language AND ti:model AND au:Vaswani',
    ]

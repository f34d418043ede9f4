"""PubMed beyond the first 9,999 records: parts by date that lose no record, double none, and say what they are."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, timedelta

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from litapp.core.ports import Outcome
from litapp.providers.base import CompiledQuery, Page, SourceError
from litapp.providers.pubmed import slices
from litapp.providers.pubmed.listing import division_note
from litapp.providers.pubmed.provider import PubMed
from litapp.providers.pubmed.slices import Slice
from tests.providers.fakes import Bench, bench
from tests.providers.imitations import pubmed_article

QUERY = CompiledQuery("pubmed", "stroke[ti]", (("term", "stroke[ti]"), ("sort", "relevance")))
CLAUSE = re.compile(r"\) (AND|NOT) (\d+)/(\d\d)/(\d\d):(\d+)/(\d\d)/(\d\d)\[(edat|dp)\]")


@dataclass(frozen=True)
class Entry:
    """A record: the day PubMed received it (None = none in the index) and its dates of publication."""

    received: date | None
    published: tuple[date, ...] = ()


@dataclass
class DatedPubmed:
    """A PubMed that gives the first `most` records of a query only, and understands ranges of days."""

    entries: dict[int, Entry]
    most: int
    changes: list[Callable[[DatedPubmed], None]] = field(default_factory=list)
    """One for each search, in turn: the records change before it is answered."""
    terms: list[str] = field(default_factory=list)
    largest: int = 0

    def __call__(self, request: httpx.Request) -> httpx.Response:
        form = dict(httpx.QueryParams(request.content.decode()))
        if request.url.path.endswith("efetch.fcgi"):
            body = "".join(pubmed_article(int(pmid)) for pmid in form["id"].split(",") if int(pmid) in self.entries)
            return httpx.Response(200, content=f"<PubmedArticleSet>{body}</PubmedArticleSet>".encode())
        if self.changes:
            self.changes.pop(0)(self)
        self.terms.append(form["term"])
        found = [
            str(pmid) for pmid, entry in sorted(self.entries.items(), reverse=True) if matches(form["term"], entry)
        ]
        size = min(int(form["retmax"]), self.most)
        if size:
            self.largest = max(self.largest, min(len(found), size))
        return httpx.Response(200, json={"esearchresult": {"count": str(len(found)), "idlist": found[:size]}})


def matches(term: str, entry: Entry) -> bool:
    for word, *numbers, name in CLAUSE.findall(term):
        year, month, day, year2, month2, day2 = map(int, numbers)
        low, high = date(year, month, day), date(year2, month2, day2)
        days = (entry.received,) if name == "edat" else entry.published
        if any(when is not None and low <= when <= high for when in days) is (word == "NOT"):
            return False
    return True


def read_all(made: Bench, most: int, limit: int = 10**9) -> list[Page]:
    """Page after page; the cursor goes through JSON as it does in the database."""
    provider, cursor, wanted, found = PubMed(most), {}, limit, []
    while cursor is not None and wanted > 0:
        page = provider.fetch_page(made.client, QUERY, cursor, wanted)
        found.append(page)
        wanted -= len(page.hits)
        following = json.loads(json.dumps(page.cursor))
        assert following != cursor, "the cursor must move on"
        cursor = following
        assert len(found) < 5_000
    return found


def pmids(found: list[Page]) -> list[str]:
    return [hit.record.pmid for page in found for hit in page.hits]


def ranks(found: list[Page]) -> list[int]:
    return [hit.rank for page in found for hit in page.hits]


DAYS = st.one_of(
    st.dates(date(1990, 1, 1), date(2026, 10, 30)),
    st.sampled_from([date(2020, 3, 1), date(2020, 3, 2), date(1999, 12, 31), date(1699, 12, 31)]),
)
ENTRIES = st.builds(Entry, st.one_of(st.none(), DAYS, DAYS, DAYS), st.lists(DAYS, max_size=2).map(tuple))


@settings(max_examples=40, deadline=None)
@given(st.lists(ENTRIES, min_size=1, max_size=120), st.integers(3, 20))
def test_the_parts_together_hold_every_record_once(entries: list[Entry], most: int) -> None:
    """Also where one day has more records than can be had at once, where records have two dates, or none."""
    world = DatedPubmed(dict(enumerate(entries, start=1)), most)
    made = bench([world])
    found = read_all(made, most)
    got = pmids(found)
    assert len(got) == len(set(got))
    assert ranks(found) == list(range(1, len(got) + 1))
    assert world.largest <= most
    if not found[-1].capped:
        assert sorted(map(int, got)) == sorted(world.entries)
    assert {page.total for page in found} == {len(entries)}
    # What cannot be had is one bundle of records that no date tells apart; it is said, and everything else is there.
    lost = set(world.entries) - set(map(int, got))
    assert bool(lost) is found[-1].capped
    notes = " ".join(note for page in found for note in page.notes)
    assert ("gives only the first" in notes and "of them." in notes) is bool(lost)


@settings(max_examples=30, deadline=None)
@given(st.lists(ENTRIES, min_size=30, max_size=120), st.integers(5, 12), st.integers(1, 130))
def test_with_a_limit_exactly_so_many_different_records_come(entries: list[Entry], most: int, limit: int) -> None:
    world = DatedPubmed(dict(enumerate(entries, start=1)), most)
    found = read_all(bench([world]), most, limit)
    got = pmids(found)
    assert len(got) == len(set(got))
    if not any("of them." in note for page in found for note in page.notes):
        assert len(got) == min(limit, len(entries))


def spread(number: int, start: date = date(2010, 1, 1), step: int = 1) -> dict[int, Entry]:
    """Records of one day after another."""
    return {n: Entry(start + timedelta(days=n * step), (start,)) for n in range(1, number + 1)}


def test_a_query_that_fits_is_asked_as_it_is() -> None:
    world = DatedPubmed(spread(20), 20)
    found = read_all(bench([world]), 20)
    assert (world.terms, len(found), found[0].notes) == (["stroke[ti]"], 1, ())


def test_a_limit_below_the_cap_takes_the_best_of_the_whole_query() -> None:
    world = DatedPubmed(spread(300), 50)
    found = read_all(bench([world]), 50, 30)
    assert world.terms == ["stroke[ti]"]
    assert (len(pmids(found)), found[-1].capped) == (30, False)


def test_the_parts_are_named_and_each_is_in_the_ledger_as_it_was_asked() -> None:
    world = DatedPubmed(spread(60), 30)
    made = bench([world])
    found = read_all(made, 30)
    [note] = [note for page in found for note in page.notes]
    assert note == (
        "PubMed gives only the first 30 of 60 records at once, so they are fetched in 3 parts by the day on which "
        "PubMed received them: received 2010-02-09 to 2010-05-11 (22); received 2010-01-17 to 2010-02-08 (23); "
        "received 2009-12-25 to 2010-01-16 (15). They are ranked from the newest part to the oldest."
    )
    asked = [
        dict(answer.request.form)["term"] for answer in made.archive.answers if answer.request.operation == "search"
    ]
    assert asked == world.terms
    lists = [term for term in asked if term != "stroke[ti]"]
    assert all(term.startswith(("(stroke[ti]) AND ", "(stroke[ti]) NOT ")) for term in lists)
    assert pmids(found) == [str(number) for number in range(60, 0, -1)]


def test_few_requests_are_needed_to_divide_a_query() -> None:
    """30 parts of real size would be 300,000 records: at most three counts a part, and one list."""
    world = DatedPubmed(spread(3_000, start=date(2000, 1, 1), step=3), 100)
    read_all(bench([world]), 100)
    parts = 3_000 / 95
    assert len(world.terms) <= 5 * parts


def test_records_that_come_in_while_the_parts_are_listed_are_said() -> None:
    def add(world: DatedPubmed) -> None:
        world.entries[max(world.entries) + 1] = Entry(date(2010, 1, 5), (date(2010, 1, 1),))

    world = DatedPubmed(spread(60), 30, changes=[lambda world: None, add])
    found = read_all(bench([world]), 30)
    assert sorted(map(int, pmids(found))) == list(range(1, 62))
    assert found[-1].notes == (
        "PubMed reported 60 records at first, its parts by date held 61: PubMed changed while they were listed.",
    )
    assert found[-1].total == 61


def test_records_withdrawn_meanwhile_are_said_and_no_failure() -> None:
    def drop(world: DatedPubmed) -> None:
        world.entries.pop(30, None)

    world = DatedPubmed(spread(60), 30, changes=[lambda world: None, drop])
    found = read_all(bench([world]), 30)
    assert (len(pmids(found)), found[-1].total) == (59, 59)


def test_parts_that_hold_less_than_the_whole_are_no_result() -> None:
    """A PubMed whose index by date is incomplete and says nothing of it."""
    world = DatedPubmed(spread(60), 30)
    inner = world.__call__

    def forgetful(request: httpx.Request) -> httpx.Response:
        form = dict(httpx.QueryParams(request.content.decode()))
        answer = inner(request)
        if " NOT " in form.get("term", "") or "[edat]" not in form.get("term", ""):
            return answer
        result: Mapping[str, object] = json.loads(answer.content)["esearchresult"]
        ids = [pmid for pmid in list(result["idlist"]) if pmid != "33"]  # type: ignore[call-overload]
        short = len(ids) != len(list(result["idlist"]))  # type: ignore[call-overload]
        count = int(str(result["count"])) - short
        return httpx.Response(200, json={"esearchresult": {"count": str(count), "idlist": ids}})

    with pytest.raises(SourceError) as caught:
        read_all(bench([forgetful]), 30)
    assert caught.value.outcome is Outcome.MALFORMED
    assert caught.value.message == "PubMed reports 60 records, but its parts by date hold only 59."


def test_a_part_that_grew_beyond_the_cap_is_cut_again() -> None:
    def flood(world: DatedPubmed) -> None:
        for number in range(100, 125):
            world.entries[number] = Entry(date(2010, 1, number - 95), (date(2010, 1, 1),))

    world = DatedPubmed(spread(60), 30)
    provider, made = PubMed(30), bench([world])
    first = provider.fetch_page(made.client, QUERY, {}, 10**9)
    flood(world)
    cursor, got = first.cursor, []
    while cursor is not None:
        page = provider.fetch_page(made.client, QUERY, cursor, 10**9)
        got += [hit.record.pmid for hit in page.hits]
        cursor = page.cursor
    assert sorted(map(int, got)) == sorted(world.entries)
    assert len(got) == len(set(got))


def test_one_day_that_no_date_divides_is_capped_and_says_so() -> None:
    day = date(2015, 6, 1)
    world = DatedPubmed({n: Entry(day, (day,)) for n in range(1, 41)}, 30)
    found = read_all(bench([world]), 30)
    assert (len(pmids(found)), found[-1].capped, found[-1].total) == (30, True, 40)
    assert [note for page in found for note in page.notes if "of them" in note] == [
        "PubMed has 40 records received 2015-06-01, published 2015-06-01 to 2015-06-01 and gives only the first 30 of "
        "them."
    ]


@given(
    st.builds(
        Slice,
        st.dates(date(1700, 1, 1), date(2100, 1, 1)),
        st.dates(date(1700, 1, 1), date(2100, 1, 1)),
        st.booleans(),
        st.one_of(st.none(), st.tuples(st.dates(), st.dates())),
        st.booleans(),
        st.one_of(st.none(), st.integers(0, 10**6)),
    )
)
def test_a_part_survives_the_cursor(part: Slice) -> None:
    assert slices.from_json(json.loads(json.dumps(slices.to_json(part)))) == part


@given(st.dates(date(1700, 1, 1), date(2026, 1, 1)), st.integers(0, 120_000))
def test_a_cut_part_falls_into_two_that_touch(first: date, days: int) -> None:
    last = first + timedelta(days=days)
    halves = slices.cut(Slice(first, last))
    assert len(halves) == 2
    if days:
        newer, older = halves
        assert (older.first, newer.last) == (first, last)
        assert older.last + timedelta(days=1) == newer.first
        assert older.first <= older.last
        assert newer.first <= newer.last


def test_an_older_half_that_seems_empty_is_asked_for_and_not_taken_for_empty() -> None:
    """Records came in between the count of the whole and that of its newer half."""
    begun = slices.begin(40, 40, 30, date(2026, 1, 1))
    whole = replace(begun.open[-1], count=40)
    divided = slices.step(replace(begun, open=(whole,)), lambda part: 45)
    assert [part.count for part in divided.open] == [None, 45]
    divided = slices.step(replace(begun, open=(whole,)), lambda part: 33)
    assert [part.count for part in divided.open] == [7, 33]


def test_of_many_parts_the_note_names_the_ends() -> None:
    parts = tuple(Slice(date(2000 + n, 1, 1), date(2000 + n, 12, 31), count=5) for n in range(30))
    note = division_note(150, parts, 9, all_of_it=False)
    assert "19 more; received 2029-01-01" in note
    assert note.endswith("The newest parts are fetched first, so a limit keeps the newest records.")

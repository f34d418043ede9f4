"""PRISMA-S (Rethlefsen 2021, doi 10.1186/s13643-020-01542-z): its 16 items filled from facts of the log, gaps named.

Nothing is made up for an item: what the log does not know is a gap, until a named person states it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum

from litapp.core.prisma.events import Method


@dataclass(frozen=True, slots=True)
class Search:
    """One query as it was run at one source, here or elsewhere.

    `records` = what it brought; None = nothing is known. `failed` says why it was not made or not finished ("" = it
    was). `elsewhere` = a person brought its file. `simple` = the source ranks plain words: not systematic.
    """

    source: str
    method: Method = Method.DATABASE
    platform: str = ""
    query: str = ""
    label: str = ""
    on: date | None = None
    records: int | None = None
    reported: int | None = None
    failed: str = ""
    capped: str = ""
    notes: tuple[str, ...] = ()
    elsewhere: bool = False
    simple: bool = False
    run: int | None = None
    """Number of the run among the project's, from 1."""


@dataclass(frozen=True, slots=True)
class Statement:
    """What a person states of an item that the log cannot know; signed."""

    item: int
    text: str
    by: str
    on: date


@dataclass(frozen=True, slots=True)
class SearchFacts:
    """All that the log knows of a project's searches.

    `identified` = (source, records) as the flow counts them. `limits` = sentences on limits that the plans set.
    `filters` = citations of published search filters whose text is in a query. `prior` = where a plan came from.
    `approvals` = who approved which version, when. `checked` = sentences on checks of the queries. `duplicates` =
    records removed as duplicates; `same` and `apart` = decisions of people on doubtful pairs.
    """

    searches: tuple[Search, ...] = ()
    identified: tuple[tuple[str, int], ...] = ()
    limits: tuple[str, ...] = ()
    filters: tuple[str, ...] = ()
    prior: tuple[str, ...] = ()
    approvals: tuple[str, ...] = ()
    checked: tuple[str, ...] = ()
    planned: tuple[str, ...] = ()
    """Places that are to be searched by hand, and were not yet."""
    duplicates: int = 0
    same: int = 0
    apart: int = 0
    statements: tuple[Statement, ...] = ()


class Status(StrEnum):
    """`FILLED` = the log (or a person) answers it; `PARTLY` = with gaps; `GAP` = nothing is known."""

    FILLED = "answered"
    PARTLY = "answered in part"
    GAP = "not answered"


@dataclass(frozen=True, slots=True)
class Item:
    """One of the 16 items: what it asks for, what is told, what is missing."""

    number: int
    name: str
    asks: str
    told: tuple[str, ...] = ()
    gaps: tuple[str, ...] = ()
    statements: tuple[Statement, ...] = field(default=())

    @property
    def status(self) -> Status:
        if self.gaps and not self.told and not self.statements:
            return Status.GAP
        return Status.PARTLY if self.gaps and not self.statements else Status.FILLED


ASKS: tuple[tuple[str, str], ...] = (
    ("Database name", "Each database that was searched, with its platform."),
    ("Multi-database searching", "Databases that were searched at once on one platform, and the platform."),
    ("Study registries", "Each registry that was searched."),
    ("Online resources and browsing", "Websites, tables of contents, print sources, and how they were browsed."),
    ("Citation searching", "Whether cited or citing references were examined, and how."),
    ("Contacts", "Whether authors, experts or manufacturers were asked for studies or data."),
    ("Other methods", "Any other way in which records were found."),
    ("Full search strategies", "The strategies for each database, copied exactly as run."),
    ("Limits and restrictions", "Limits (date, language, type, number) and why; or that none were used."),
    ("Search filters", "Published search filters, as published or changed, cited."),
    ("Prior work", "Searches of other reviews that were adapted or used again, cited."),
    ("Updates", "How the searches were updated: run again, alerts."),
    ("Dates of searches", "For each strategy the day on which it was last run."),
    ("Peer review", "Whether the strategies were peer reviewed, and by which process (PRESS)."),
    ("Total records", "The number of records of each database and other source."),
    ("Deduplication", "How and with which software records were deduplicated."),
)
"""Name and content of items 1 to 16, in our words."""


def prisma_s(facts: SearchFacts) -> tuple[Item, ...]:
    """The 16 items."""
    items = []
    for number, (name, asks) in enumerate(ASKS, start=1):
        told, gaps = _FILL[number](facts)
        stated = tuple(one for one in facts.statements if one.item == number)
        items.append(Item(number, name, asks, tuple(told), tuple(gaps), stated))
    return tuple(items)


Filled = tuple[list[str], list[str]]


def _of(facts: SearchFacts, *methods: Method) -> list[Search]:
    return [one for one in facts.searches if one.method in methods]


def _names(searches: Iterable[Search]) -> list[str]:
    """Each source once, with its platforms."""
    platforms: dict[str, dict[str, None]] = {}
    for one in searches:
        known = platforms.setdefault(one.source, {})
        if one.platform:
            known[one.platform] = None
    return [f"{name} ({', '.join(known)})" if known else name for name, known in platforms.items()]


def _databases(facts: SearchFacts) -> Filled:
    found = _of(facts, Method.DATABASE)
    gaps = [
        f"On which platform {name} was searched is not told."
        for name in dict.fromkeys(one.source for one in found if one.elsewhere and not one.platform)
    ]
    return _names(found), gaps or ([] if found else ["No database was searched yet."])


def _multi(facts: SearchFacts) -> Filled:
    found = _of(facts, Method.DATABASE)
    if not found:
        return [], ["No database was searched yet."]
    here = [one for one in found if not one.elsewhere]
    told = ["LitLedger asked each source by itself, with its own query."] if here else []
    shared: dict[str, set[str]] = {}
    for one in found:
        if one.elsewhere and one.platform:
            shared.setdefault(one.platform, set()).add(one.source)
    gaps = [
        f"Whether {_list(sorted(names))} were searched at once on {platform} is not told."
        for platform, names in shared.items()
        if len(names) > 1
    ]
    if not gaps and not here:
        told.append("Each file that was imported names one database.")
    return told, gaps


def _registries(facts: SearchFacts) -> Filled:
    found = _of(facts, Method.REGISTER)
    return (_names(found), []) if found else ([], ["No study registry was searched."])


def _browsing(facts: SearchFacts) -> Filled:
    found = [one for one in _of(facts, Method.WEBSITE) if one.label != "other"]
    told = [f"{_short(one)}{f' ({one.notes[0]})' if one.notes else ''}" for one in found]
    gaps = [f"{name} is to be searched by hand and was not yet." for name in facts.planned]
    return told, gaps or ([] if told else ["No website or other resource was browsed, as far as the log knows."])


def _citations(facts: SearchFacts) -> Filled:
    found = _of(facts, Method.CITATIONS)
    told = [_short(one) for one in found]
    return (told, []) if found else ([], ["No citation searching, as far as the log knows."])


def _contacts(facts: SearchFacts) -> Filled:
    found = _of(facts, Method.ORGANISATION)
    told = [_short(one) for one in found]
    return (told, []) if found else ([], ["Whether anybody was contacted is not told."])


def _other(facts: SearchFacts) -> Filled:
    previous = _of(facts, Method.PREVIOUS)
    told = [f"Studies of an earlier version of this review: {_short(one)}" for one in previous]
    told += [_short(one) for one in _of(facts, Method.WEBSITE) if one.label == "other"]
    return told or ["No further method was used, as far as the log knows."], []


def _strategies(facts: SearchFacts) -> Filled:
    told, gaps = [], []
    for one in _of(facts, Method.DATABASE, Method.REGISTER):
        where = f"{one.source}{f' ({one.platform})' if one.platform else ''}{f', {one.label}' if one.label else ''}"
        if one.query.strip():
            told.append(f"{where}: {one.query}")
        else:
            gaps.append(f"The strategy for {where} is not told.")
        if one.simple and one.query.strip():
            gaps.append(f"{one.source} ranks plain words by likeness: its search is not systematic.")
        told += [f"{where}: {note}" for note in one.notes]
    return told, list(dict.fromkeys(gaps)) or ([] if told else ["No strategy was run yet."])


def _limits(facts: SearchFacts) -> Filled:
    told = list(facts.limits)
    told += [f"{one.source}: {one.capped}" for one in facts.searches if one.capped]
    told = list(dict.fromkeys(told))
    here = any(not one.elsewhere for one in facts.searches)
    gaps = ["Why these limits were set is not told."] if told else []
    if not told and here:
        told = ["No limits were set in LitLedger."]
    elsewhere = list(
        dict.fromkeys(one.source for one in facts.searches if one.elsewhere and one.method is Method.DATABASE)
    )
    if elsewhere:
        gaps.append(f"Limits set outside the query in {_list(elsewhere)} are not told.")
    return told, gaps or ([] if told else ["No search was made yet."])


def _filters(facts: SearchFacts) -> Filled:
    if facts.filters:
        return list(facts.filters), []
    if not facts.searches:
        return [], ["No search was made yet."]
    return ["None of the published filters that LitLedger knows stands in a strategy as published."], []


def _prior(facts: SearchFacts) -> Filled:
    return (
        (list(facts.prior), []) if facts.prior else ([], ["Whether a strategy of earlier work was used is not told."])
    )


def _updates(facts: SearchFacts) -> Filled:
    runs = sorted({one.run for one in facts.searches if one.run is not None})
    days = {run: min((one.on for one in facts.searches if one.run == run and one.on), default=None) for run in runs}
    if len(runs) > 1:
        said = [f"run {run}{f' on {days[run]}' if days[run] else ''}" for run in runs]
        return [f"The searches were run {len(runs)} times: {_list(said)}."], []
    if runs:
        return ["The searches were run once; they were not updated."], []
    return [], ["Whether the searches were updated is not told."]


def _dates(facts: SearchFacts) -> Filled:
    last: dict[str, date] = {}
    unknown: dict[str, None] = {}
    for one in facts.searches:
        if one.on is None:
            unknown[one.source] = None
        elif one.source not in last or one.on > last[one.source]:
            last[one.source] = one.on
    told = [f"{name}: {day}" for name, day in last.items()]
    gaps = [f"When {name} was searched is not told." for name in unknown if name not in last]
    return told, gaps or ([] if told else ["No search was made yet."])


def _review(facts: SearchFacts) -> Filled:
    told = [*facts.approvals, *facts.checked]
    return told, ["Whether somebody peer reviewed the strategies (PRESS) is not told; an approval is no peer review."]


def _totals(facts: SearchFacts) -> Filled:
    told = [f"{name}: {records:,}" for name, records in facts.identified]
    gaps = [
        f"{one.source}{f', {one.label}' if one.label else ''}: {one.failed}. This is not “no records”."
        for one in facts.searches
        if one.failed
    ]
    return told, gaps or ([] if told else ["No records were identified yet."])


def _dedup(facts: SearchFacts) -> Filled:
    if not facts.identified:
        return [], ["No records were identified yet."]
    told = [
        "LitLedger grouped records by rule: identifiers, titles, authors, journal, year, volume and pages compared "
        "field by field; preprints, protocols and other companions are kept apart.",
        f"{facts.duplicates:,} duplicate records were removed.",
    ]
    if facts.same or facts.apart:
        told.append(f"People decided on doubtful pairs: {facts.same:,} the same, {facts.apart:,} not the same.")
    return told, []


def _short(one: Search) -> str:
    parts = [
        f"“{one.query}”" if one.query.strip() else "",
        f"on {one.on}" if one.on else "",
        f"{one.records:,} {'record' if one.records == 1 else 'records'}" if one.records is not None else "",
    ]
    told = ", ".join(part for part in parts if part)
    return f"{one.source}: {told}" if told else one.source


def _list(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


_FILL: dict[int, Callable[[SearchFacts], Filled]] = dict(
    enumerate(
        (
            _databases, _multi, _registries, _browsing, _citations, _contacts, _other, _strategies, _limits, _filters,
            _prior, _updates, _dates, _review, _totals, _dedup,
        ),
        start=1,
    )
)  # fmt: skip

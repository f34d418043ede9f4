"""A PubMed query with more records than ESearch gives, cut into parts by date that it does give. Pure.

Every record has exactly one day on which PubMed received it ([edat]), so parts by that day share no record and lose
none; what has no such day within the span is a part of its own. A single day with too many records is cut further by
date of publication ([dp]); a record may have two of those, so such parts overlap and are compared PMID by PMID.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Any

from litapp.providers.reading import mapping, mappings, text, whole

FIRST_DAY = date(1700, 1, 1)
"""Start of the spans that are cut by day; what lies outside of them is hardly anything and forms one part."""
_AHEAD = timedelta(days=40 * 366)
"""A record's date of publication may lie after the day of its receipt (issues are dated ahead), by less than this."""
_GROWTH = 0.05
"""PubMed grows by about this part a year: places the cuts where they halve the records, not the time."""


@dataclass(frozen=True, slots=True)
class Slice:
    """Part of a query: records received from `first` to `last` (`outside` = all others), and if cut once more, those
    published from `published` [0] to [1] (`unpublished` = those without such a date). `count` as PubMed reported it,
    None = not asked yet."""

    first: date
    last: date
    outside: bool = False
    published: tuple[date, date] | None = None
    unpublished: bool = False
    count: int | None = None

    @property
    def overlaps(self) -> bool:
        """True where other parts may hold the same records."""
        return self.published is not None

    @property
    def region(self) -> str:
        """The days of receipt, the same for all parts that may overlap."""
        return f"{'not ' if self.outside else ''}{self.first.isoformat()}:{self.last.isoformat()}"

    def term(self, term: str) -> str:
        """`term` narrowed to this part, as a person could paste it into PubMed."""
        span = f"{_day(self.first)}:{_day(self.last)}[edat]"
        narrowed = f"({term}) {'NOT' if self.outside else 'AND'} {span}"
        if self.published is not None:
            span = f"{_day(self.published[0])}:{_day(self.published[1])}[dp]"
            narrowed = f"({narrowed}) {'NOT' if self.unpublished else 'AND'} {span}"
        return narrowed

    @property
    def words(self) -> str:
        """The part in words: "received 2019-01-01 to 2019-06-30"."""
        if self.outside:
            told = "without a day of receipt that could be used"
        elif self.first == self.last:
            told = f"received {self.first.isoformat()}"
        else:
            told = f"received {self.first.isoformat()} to {self.last.isoformat()}"
        if self.unpublished:
            told += ", without a usable date of publication"
        elif self.published is not None:
            told += f", published {self.published[0].isoformat()} to {self.published[1].isoformat()}"
        return told


@dataclass(frozen=True, slots=True)
class Division:
    """How far the cutting of a query is: `parts` are done (newest first), `open` still to be looked at (last first).

    `total` is what PubMed reported for the whole query; `wanted` = records needed, older parts are not looked at before
    they are; `most` = records a part may have.
    """

    total: int
    wanted: int
    most: int
    parts: tuple[Slice, ...] = ()
    open: tuple[Slice, ...] = ()

    @property
    def counted(self) -> int:
        """Records in the parts that are done."""
        return sum(part.count or 0 for part in self.parts)

    @property
    def done(self) -> bool:
        return not self.open or self.counted >= self.wanted


def begin(total: int, wanted: int, most: int, last_day: date) -> Division:
    """The division of a query of `total` records of which `wanted` are needed; a part has at most `most`."""
    rest = Slice(FIRST_DAY, last_day, outside=True)
    return Division(total, wanted, most, (), (rest, Slice(FIRST_DAY, last_day)))


def step(division: Division, ask: Callable[[Slice], int]) -> Division:
    """Look at one open part: keep it, or cut it in two. `ask` counts a part at PubMed; it is called at most twice."""
    part, others = division.open[-1], division.open[:-1]
    if part.count is None:
        part = replace(part, count=ask(part))
    count = part.count or 0
    if not count:
        return replace(division, open=others)
    halves = [] if count <= division.most else cut(part)
    if not halves:
        return replace(division, parts=(*division.parts, part), open=others)
    newer, older = halves
    newer = replace(newer, count=ask(newer))
    left = count - (newer.count or 0)
    if left > 0 and not newer.overlaps:
        # Only an estimate: records may have come in between. The listing of the part tells.
        older = replace(older, count=left)
    return replace(division, open=(*others, older, newer))


def cut(part: Slice) -> list[Slice]:
    """Two smaller parts, the newer first; [] = it cannot be cut any more."""
    if part.published is not None:
        if part.unpublished or part.published[0] == part.published[1]:
            return []
        first, last = part.published
        middle = _middle(first, last)
        return [
            replace(part, published=(middle + timedelta(days=1), last), count=None),
            replace(part, published=(first, middle), count=None),
        ]
    if part.outside or part.first == part.last:
        span = replace(part, published=(FIRST_DAY, part.last + _AHEAD), count=None)
        return [span, replace(span, unpublished=True)]
    middle = _middle(part.first, part.last)
    return [
        replace(part, first=middle + timedelta(days=1), count=None),
        replace(part, last=middle, count=None),
    ]


def _middle(first: date, last: date) -> date:
    """The last day of the older half: where half of the records lie if their number grows by _GROWTH a year."""
    years = (last - first).days / 365.25
    share = math.log((1 + math.exp(_GROWTH * years)) / 2) / _GROWTH * 365.25
    return min(first + timedelta(days=int(share)), last - timedelta(days=1))


def _day(day: date) -> str:
    return f"{day.year:04d}/{day.month:02d}/{day.day:02d}"


def to_json(part: Slice) -> dict[str, Any]:
    """The part as it is kept in a cursor."""
    form: dict[str, Any] = {"first": part.first.isoformat(), "last": part.last.isoformat()}
    if part.outside:
        form["outside"] = True
    if part.published is not None:
        form["published"] = [day.isoformat() for day in part.published]
    if part.unpublished:
        form["unpublished"] = True
    if part.count is not None:
        form["count"] = part.count
    return form


def from_json(form: dict[str, Any]) -> Slice:
    """Inverse of `to_json`. Raises ValueError on a form that was never written."""
    published = [date.fromisoformat(str(day)) for day in form.get("published") or ()]
    return Slice(
        date.fromisoformat(text(form.get("first"))),
        date.fromisoformat(text(form.get("last"))),
        form.get("outside") is True,
        (published[0], published[1]) if published else None,
        form.get("unpublished") is True,
        whole(form.get("count")),
    )


def division_to_json(division: Division) -> dict[str, Any]:
    """The division as it is kept in a cursor."""
    return {
        "total": division.total,
        "wanted": division.wanted,
        "most": division.most,
        "parts": [to_json(part) for part in division.parts],
        "open": [to_json(part) for part in division.open],
    }


def division_from_json(value: Any) -> Division:
    """Inverse of `division_to_json`. Raises ValueError."""
    form = mapping(value)
    return Division(
        whole(form.get("total")) or 0,
        whole(form.get("wanted")) or 0,
        whole(form.get("most")) or 1,
        tuple(from_json(part) for part in mappings(form.get("parts"))),
        tuple(from_json(part) for part in mappings(form.get("open"))),
    )

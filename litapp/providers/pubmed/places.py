"""ECitMatch: places of citations as it wants them, its answer, and how far a record found agrees with the place.

It weighs journal, volume and page and ignores a wrong author or year, so what it finds is a candidate and no more.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from litapp.core.matching import Agreement, compare_fields
from litapp.core.normalise import family_key
from litapp.core.records import PartialDate, Record
from litapp.providers.answers import UnreadableAnswer
from litapp.providers.questions import CitedPlace, PlaceVerdict

_FIELDS = 7
_LINE = re.compile(r"(?:[^|\r\n]*\|){6,}[^\r\n]*")


@dataclass(frozen=True, slots=True)
class Line:
    """One line of an answer: what it says of a place. `pmids` are candidates."""

    verdict: PlaceVerdict
    pmids: tuple[str, ...] = ()
    reason: str = ""


def line_of(place: CitedPlace, key: str) -> str:
    """The place as ECitMatch reads it."""
    parts = (place.journal, place.year, place.volume, place.first_page, place.author, key)
    return "|".join(" ".join(re.sub(r"[|\r\n]", " ", part).split()) for part in parts) + "|"


def is_answer(body: bytes) -> bool:
    """True for the plain text that ECitMatch answers with."""
    lines = [line for line in body.decode("utf-8", "replace").splitlines() if line.strip()]
    return bool(lines) and all(_LINE.fullmatch(line.strip()) for line in lines)


def read(body: bytes) -> dict[str, Line]:
    """The answer by key. Lines it could not read are missing in it. Raises UnreadableAnswer."""
    try:
        lines = [line.strip() for line in body.decode("utf-8-sig").splitlines() if line.strip()]
    except UnicodeDecodeError:
        raise UnreadableAnswer("text in a wrong character encoding") from None
    found: dict[str, Line] = {}
    for line in lines:
        parts = line.split("|")
        if len(parts) < _FIELDS:
            raise UnreadableAnswer("text of another form than expected")
        found[parts[5].strip()] = _verdict("|".join(parts[6:]).strip())
    return found


def _verdict(told: str) -> Line:
    if told.isascii() and told.isdigit():
        return Line(PlaceVerdict.CANDIDATE, (told,))
    if told.upper().startswith("AMBIGUOUS"):
        return Line(PlaceVerdict.AMBIGUOUS, tuple(dict.fromkeys(re.findall(r"\d+", told))), told[:80])
    return Line(PlaceVerdict.NOTHING, (), told[:80])


def differences(place: CitedPlace, record: Record) -> tuple[str, ...]:
    """The parts of the place that the record contradicts; parts that one of them lacks say nothing."""
    year = place.year.strip()
    claimed = Record(
        source="",
        source_id="",
        journal=place.journal,
        date=PartialDate(int(year)) if re.fullmatch(r"[12]\d{3}", year) else PartialDate(),
        volume=place.volume,
        pages=place.first_page,
    )
    found = [
        verdict.field
        for verdict in compare_fields(claimed, record)
        if verdict.field in ("journal", "year", "volume", "pages") and verdict.verdict is Agreement.DIFFERS
    ]
    author = family_key(place.author)
    if author and record.authors and author not in {family_key(person) for person in record.authors}:
        found.append("author")
    return tuple(found)

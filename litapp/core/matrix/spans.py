"""Verbatim spans of an abstract: sentences with their offsets, and the place of a quote."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from litapp.core.records import Record

_END = re.compile(r"(?:[.!?…]+[)\]\"'”’»]*)(?=\s+[(\[\"'“‘«]?@?[A-Z0-9À-ÞΑ-Ω<])|[\u3002\uff01\uff1f]")
_ABBREVIATION = re.compile(
    r"(?:\b(?:vs|cf|ca|approx|resp|e\.g|i\.e|et al|al|Fig|Figs|Tab|No|Nos|Dr|Prof|St|Inc|Ltd|Co|incl|viz|sp|spp|var|"
    r"subsp|Ref|Refs|Eq|Vol|pp)|(?<![A-Za-z])[A-Z](?:\.[A-Z])*)\.\Z"
)
_NUMBERED = re.compile(r"(?:\A|\s)\d{1,2}\.\Z")


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """Signs `start` to `end` of section `section` of a record's abstract, as the source stated it."""

    section: int
    start: int
    end: int


def text_at(record: Record, span: Span) -> str:
    """The text of the span; "" for a place that the abstract does not have."""
    if not 0 <= span.section < len(record.abstract):
        return ""
    return record.abstract[span.section].text[max(span.start, 0) : max(span.end, 0)]


def sentences(text: str) -> Iterator[tuple[int, int]]:
    """(start, end) of each sentence, blanks at the edges left out; together they hold every sign that is no blank.

    A full stop ends a sentence where a capital, a digit or a bracket follows after a blank, unless it belongs to an
    abbreviation, an initial or the number of a list. A sentence is rather too long than cut.
    """
    start = 0
    for found in _END.finditer(text):
        before = text[start : found.start() + 1]
        if _ABBREVIATION.search(before) or _NUMBERED.search(before):
            continue
        yield from _trimmed(text, start, found.end())
        start = found.end()
    yield from _trimmed(text, start, len(text))


def _trimmed(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if start < end:
        yield start, end


def find_quote(record: Record, quote: str) -> Span | None:
    """Where the abstract says `quote` word for word; runs of blanks count as one. None where it does not."""
    for section, part in enumerate(record.abstract):
        if found := place_in(part.text, quote):
            return Span(section, *found)
    return None


def place_in(text: str, quote: str) -> tuple[int, int] | None:
    """(start, end) of the words of `quote` in `text`, runs of blanks counting as one; None where it does not say it."""
    words = quote.split()
    found = re.search(r"\s+".join(map(re.escape, words)), text) if words else None
    return found.span() if found else None

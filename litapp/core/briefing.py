"""A briefing's rules: what is asked, the opening of an abstract, short author names, dates as read. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from litapp.core.markup import plain_text
from litapp.core.records import AbstractSection, PartialDate, Person, Record

DEFAULT_PAPERS, MOST_PAPERS = 10, 50
LONGEST_OPENING = 300
"""Characters of an opening. Source: issue 8."""
LONGEST_QUERY = 4_000
LANGUAGE = "eng"
OPENING_LABEL = "Abstract opening, no AI"
UNAVAILABLE = "Abstract unavailable"


class Topic(StrEnum):
    """What a briefing is about; it decides how the words become a query."""

    QUESTION = "question"
    GENE = "gene"
    DISEASE = "disease"


class Method(StrEnum):
    """Where the text of a summary comes from."""

    OPENING = "first-sentence"
    MODEL = "llm"
    UNAVAILABLE = "unavailable"


@dataclass(frozen=True, slots=True)
class Checked:
    """Settings that can be used, with what a person must know of them."""

    topic: Topic
    asked: str
    papers: int
    warnings: tuple[str, ...] = ()


class BadBriefing(ValueError):
    """Settings that cannot be used; nothing was asked. `problems` are sentences, one for each."""

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__(" ".join(problems))
        self.problems = tuple(problems)


def check_settings(*, topic: str, asked: str, papers: Any) -> Checked:
    """The settings of a briefing, all checked before anything is asked. Raises BadBriefing with every problem."""
    problems: list[str] = []
    warnings: list[str] = []
    text = " ".join(asked.replace("\x00", " ").split())
    if not text:
        problems.append("Write a gene, a disease or a question.")
    elif len(text) > LONGEST_QUERY:
        problems.append(f"The query has {len(text):,} characters; {LONGEST_QUERY:,} are allowed. Shorten it.")
    if topic not in [one.value for one in Topic]:
        problems.append(f"A briefing is about a gene, a disease or a question, not about {topic!r}.")
    number = papers if isinstance(papers, int) and not isinstance(papers, bool) else _whole(str(papers))
    if number is None or number < 1:
        problems.append("The number of papers is a whole number from 1.")
    elif number > MOST_PAPERS:
        warnings.append(f"{number:,} papers were asked for; a briefing has at most {MOST_PAPERS}.")
        number = MOST_PAPERS
    if topic in (Topic.GENE, Topic.DISEASE) and '"' in text:
        problems.append("Leave the quotation marks out of a gene or disease, or choose “question” for a query.")
    if problems or number is None:
        raise BadBriefing(problems)
    return Checked(Topic(topic), text, number, tuple(warnings))


def _whole(text: str) -> int | None:
    return int(text) if re.fullmatch(r"\s*\d{1,9}\s*", text) else None


def query_of(checked: Checked) -> str:
    """The Boolean query for PubMed: a gene's words stand in title, abstract or keywords; a disease is a heading too."""
    if checked.topic is Topic.GENE:
        return f'"{checked.asked}"[tiab]'
    if checked.topic is Topic.DISEASE:
        return f'"{checked.asked}"[mh] OR "{checked.asked}"[tiab]'
    return checked.asked


_ABBREVIATIONS = re.compile(
    r"e\.g|i\.e|vs|cf|al|approx|figs?|dr|prof|nos?|st|spp?|var|ca|resp|vol|eds?|eq|refs?|etc|min|max|jan|feb|mar|apr|jun|"
    r"jul|aug|sept?|oct|nov|dec|mrs?|ms|inc|ltd|ph\.d"
)
_INITIAL = re.compile(r"(?:[a-z]\.)*[a-z]")
_NAMED_BY_A_LETTER = frozenset(
    (
        "vitamin",
        "vitamins",
        "hepatitis",
        "group",
        "type",
        "class",
        "grade",
        "stage",
        "influenza",
        "factor",
        "protein",
        "arm",
    )
)
"""Before a single letter these make it the end of a name ("vitamin D."), not somebody's initial."""
_END = re.compile(r"[.!?][\"”’)\]]*\s+(?=[\"“‘(\[]*[A-Z0-9\u00c0-\u00de\u0391-\u03a9])")


def first_sentence(text: str) -> str:
    """The first sentence of a text. Dots of abbreviations, initials, species and figures do not end one."""
    flat = " ".join(text.split())
    for found in _END.finditer(flat):
        before = flat[: found.start() + 1]
        *_, last, word = ("", *before[:-1].lower().split(" "))
        word = word.lstrip('("“‘[')
        initial = _INITIAL.fullmatch(word) is not None and last not in _NAMED_BY_A_LETTER
        if flat[found.start()] == "." and (initial or _ABBREVIATIONS.fullmatch(word)):
            continue
        return flat[: found.end()].strip()
    return flat


def opening(abstract: Sequence[AbstractSection]) -> str:
    """The first sentence of an abstract, at most 300 characters; "" where there is none. Never anything of our own but
    the sign that it was cut."""
    for part in abstract:
        sentence = first_sentence(plain_text(part.text))
        if sentence:
            return shortened(sentence)
    return ""


def shortened(text: str, longest: int = LONGEST_OPENING) -> str:
    """The text, cut between two words where it is too long, and then ending with "…"."""
    if len(text) <= longest:
        return text
    cut = text[: longest - 1]
    head = cut.rsplit(" ", 1)[0] if " " in cut and not text[longest - 1].isspace() else cut
    return f"{head.rstrip(' ,;:')}…"


def short_authors(authors: Sequence[Person]) -> list[str]:
    """Three names as "Last FM"; the others are "et al."."""
    names = [_short(one) for one in authors[:3]]
    return [*names, "et al."] if len(authors) > 3 else names


def _short(person: Person) -> str:
    if person.literal or not person.family:
        return person.literal or person.given
    initials = "".join(part[0].upper() for part in re.split(r"[\s.\-]+", person.given) if part and part[0].isalpha())
    return " ".join(part for part in (person.family, initials, person.suffix) if part)


def date_text(date: PartialDate) -> str | None:
    """The date as read: 2026-03-01, 2026-03, 2026, or the words the source gives; None where it gives none."""
    if date.year is None:
        return date.text or None
    parts = [f"{date.year:04d}"]
    if date.month:
        parts.append(f"{date.month:02d}")
        if date.day:
            parts.append(f"{date.day:02d}")
    return "-".join(parts)


def newest_first(records: Sequence[Record]) -> list[int]:
    """Places of the records, the newest by the date as read first. A date without month or day stands behind those of
    the same year or month that have one; equal ones keep PubMed's order."""

    def key(place: int) -> tuple[int, int, int, int]:
        date = records[place].date
        return (-(date.year or 0), -(date.month or 0), -(date.day or 0), place)

    return sorted(range(len(records)), key=key)

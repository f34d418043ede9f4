"""A published appendix as it is pasted from a PDF: databases and numbered lines rebuilt, counts kept, faults marked.

Page footers, table headings and the columns that interfaces print beside a query are left out and listed. Nothing is
guessed into a line: what cannot be read stays as its fault.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from litapp.core.querylang.dialects import OVID, Dialect
from litapp.core.querylang.strategy import Strategy, strategy_of_lines

_LIGATURES: Mapping[str, str] = MappingProxyType(
    {"ﬁ": "fi", "ﬂ": "fl", "ﬀ": "ff", "ﬃ": "ffi", "ﬄ": "ffl", "\u00a0": " ", "\u00ad": ""}
)
_DATABASES = re.compile(
    r"\b(PubMed|Ovid|MEDLINE|EMBASE|Excerpta Medica|PsycINFO|Cochrane|CENTRAL|CINAHL|Web of Science"
    r"|Science Citation Index|Scopus|ProQuest|Europe PMC)\b",
    re.IGNORECASE,
)
_NOT_A_HEADING = re.compile(
    r"^\s*(?:#|S)?\d+\b|\b(?:and|or|not)/\d|\b(?:OR|AND|NOT)\b|\.(?:ti|ab|tw|mp|pt)\b|\blimit \d+ to\b"
    r"|\[(?:mp|mh|tiab|Mesh)|^\s*(?:Interface|Search|Date|Comment)\b",
)
_LONGEST_HEADING = 160
_NOISE = re.compile(
    r"^\s*(?:[-–—_=\s]{5,}|#|ID|Searches|Results?|Hits|Search|Query|s|#\s+(?:Searches|Search|Query|Queries)(?:\s+\S.*)?"
    r"|ID\s+Search\s+Hits.*|Search\s+Strategy\s*:?|Search\s+Name\s*:.*|Date\s+(?:Run|searched)\s*:.*|Comment\s*:.*"
    r"|Last\s+Saved\s*:.*|Limiters/Expanders.*|Last\s+Run\s+Via.*|©.*|\(c\)\s+\d{4}.*|Page\s+\d+.*)\s*$",
    re.IGNORECASE,
)
_EBSCO_COLUMNS = re.compile(
    r"Search\s+modes\s+-\s+(?:Boolean/Phrase|Find\s+all\s+my\s+search\s+terms|SmartText\s+Searching)"
    r"|Expanders\s+-\s+Apply\s+(?:equivalent\s+subjects|related\s+words)"
    r"|Interface\s+-\s+EBSCOhost(?:\s+Research\s+Databases)?"
    r"|Search\s+Screen\s+-\s+(?:Advanced|Basic)(?:\s+Search)?|Database\s+-\s+\w+(?:\s+(?:Complete|Plus|Ultimate|with\s+Full\s+Text))*",
    re.IGNORECASE,
)
_EBSCO_DATES = re.compile(r"\s*Limiters\s+-\s+Published\s+Date\s*:\s*(\d{8})\s*-\s*(\d{8})", re.IGNORECASE)
_LABEL = re.compile(r"^\s*(?P<sign>#|S)?(?P<number>\d{1,3})(?P<dot>[.):])?(?P<gap>\s+|(?=[^\d\s,])|$)(?P<rest>.*)$")
_ONLY_COUNT = re.compile(r"^\s*(\d{1,3}(?:,\d{3})+|\d+)\s*$")
_CUT_COUNT = re.compile(r"^\s*(\d{1,3}(?:,\d{3})*,\d{1,2})\s*$")
_COUNT_IN_PARENTHESES = re.compile(r"\s*\((\d{1,3}(?:,\d{3})+|\d+)\)\s*$")
_COUNT_BEHIND_BLANK = re.compile(r"\s+(\d{1,3}(?:,\d{3})+|\d+)\s*$")
_GLUED_COUNT = re.compile(r"(?<=[^\d\s,#S])(\d{1,3}(?:,\d{3})+|\d+)\s*$")
_GLUED_REFERENCE = re.compile(r"(#|S)(\d{2,})\s*$")
_LARGEST_GAP = 2
_FOOTER_REPEATS = 3
"""A line that stands this often in an appendix, word for word, and is no query, is a page's footer."""


@dataclass(frozen=True, slots=True)
class AppendixSection:
    """One database of an appendix: its heading as printed, the dialect, the strategy, and what was left out."""

    heading: str
    dialect: Dialect
    strategy: Strategy
    left_out: tuple[str, ...]
    missing: tuple[int, ...]
    """Numbers of the list that were not found in the text."""


def read_appendix(text: str) -> tuple[AppendixSection, ...]:
    """The databases of a pasted appendix, in order. () = no search was recognised. Never raises."""
    for sign, plain in _LIGATURES.items():
        text = text.replace(sign, plain)
    physical = text.split("\n")
    footers = _footers(physical)
    sections: list[AppendixSection] = []
    for heading, block in _blocks(physical, footers):
        section = _section(heading, block)
        if section is not None:
            sections.append(section)
    return tuple(sections)


def _footers(physical: Iterable[str]) -> frozenset[str]:
    counted = Counter(line.strip() for line in physical if line.strip())
    return frozenset(
        line
        for line, number in counted.items()
        if number >= _FOOTER_REPEATS
        and re.search(r"©|copyright|\bet al\b|downloaded from|all rights reserved", line, re.IGNORECASE)
    )


def _blocks(physical: Sequence[str], footers: frozenset[str]) -> list[tuple[str, list[str]]]:
    """(heading, physical lines) for every stretch of text under the name of a database."""
    blocks: list[tuple[str, list[str]]] = [("", [])]
    waiting: list[str] = []
    for line in physical:
        if line.strip() in footers:
            blocks[-1][1].append("")
            continue
        if _is_heading(line):
            waiting.append(line.strip())
            if len(waiting) == 1:
                blocks.append((waiting[0], []))
            else:
                blocks[-1] = (" ".join(waiting), [])
            continue
        if line.strip() and not _NOISE.match(line):
            waiting = []
        blocks[-1][1].append(line)
    return blocks


def _is_heading(line: str) -> bool:
    clean = _EBSCO_COLUMNS.sub("", line)
    return (
        len(clean) <= _LONGEST_HEADING
        and _DATABASES.search(clean) is not None
        and _NOT_A_HEADING.search(clean) is None
        and not re.match(r"^\s*Database\s+-", line)
        and not clean.strip().endswith((".", ";", ","))
    )


def _section(heading: str, block: list[str]) -> AppendixSection | None:
    body = "\n".join(block)
    dialect = dialect_of(heading, body)
    left_out: list[str] = []
    items = _items(block, left_out)
    if items:
        read = [_item(number, lines, left_out) for number, lines in items]
        numbers = {number for number, _, _ in read}
        missing = tuple(n for n in range(min(numbers), max(numbers)) if n not in numbers)
        strategy = strategy_of_lines([item for item in read if item[1]], dialect)
        return AppendixSection(heading, dialect, strategy, tuple(left_out), missing)
    single = _single(block)
    if not single:
        return None
    return AppendixSection(heading, dialect, strategy_of_lines([(1, single, None)], dialect), (), ())


def _single(block: Iterable[str]) -> str:
    """The first paragraph that is one Boolean query; "" if there is none."""
    for paragraph in re.split(r"\n\s*\n", "\n".join(line for line in block if not _NOISE.match(line))):
        clean = " ".join(paragraph.split())
        if re.search(r"\b(?:AND|OR)\b", clean) and re.search(r"[()\[\]\"“:=]", clean):
            return clean
    return ""


def _items(block: Sequence[str], left_out: list[str]) -> list[tuple[int, list[str]]]:
    """(number, physical lines) of a numbered list, upwards or downwards; [] if there is none."""
    labels = [_LABEL.match(line) if not _NOISE.match(line) else None for line in block]
    for sign in ("#", "S", None):
        found = [(i, m) for i, m in enumerate(labels) if m is not None and m["sign"] == sign]
        chosen = _sequence(found, block)
        if len(chosen) >= 2:
            return _cut(block, chosen, left_out)
    return []


def _sequence(found: Sequence[tuple[int, re.Match[str]]], block: Sequence[str]) -> list[tuple[int, re.Match[str]]]:
    """The labels that count on from the first to the last."""
    if not found:
        return []
    numbers = [int(m["number"]) for _, m in found]
    descending = len(numbers) > 1 and numbers[0] > 1 and numbers[1] == numbers[0] - 1
    step = -1 if descending else 1
    first = 0 if descending else next((k for k, n in enumerate(numbers) if n == 1), None)
    if first is None:
        return []
    chosen: list[tuple[int, re.Match[str]]] = []
    expected = numbers[first]
    for place in range(first, len(found)):
        index, match = found[place]
        ahead = (int(match["number"]) - expected) * step
        if not 0 <= ahead <= _LARGEST_GAP or (ahead and match["sign"] is None):
            continue
        if not _begins_a_line(match, block, index):
            continue
        chosen.append((index, match))
        expected = int(match["number"]) + step
    return chosen


def _begins_a_line(match: re.Match[str], block: Sequence[str], index: int) -> bool:
    """A label begins a line, unless an operator stands before or behind it: then it is a reference in running text.

    Behind a bare number there must be a wide blank, a dot, the line's end or no operator.
    """
    before = next((line for line in reversed(block[:index]) if line.strip() and not _ONLY_COUNT.match(line)), "")
    if re.search(r"\b(?:and|or|not)\s*$", before, re.IGNORECASE):
        return False
    rest = match["rest"].strip()
    if re.match(r"(?:and|or|not)\s", rest, re.IGNORECASE):
        return False
    return bool(match["sign"] or match["dot"] or match["gap"] or not rest)


def _cut(
    block: Sequence[str], chosen: Sequence[tuple[int, re.Match[str]]], left_out: list[str]
) -> list[tuple[int, list[str]]]:
    items = []
    for place, (index, match) in enumerate(chosen):
        last = place + 1 == len(chosen)
        end = len(block) if last else chosen[place + 1][0]
        lines = [match["rest"]]
        for line in block[index + 1 : end]:
            if last and not line.strip() and any(part.strip() for part in lines):
                break
            if _NOISE.match(line):
                left_out.append(line.strip())
            elif line.strip():
                lines.append(line)
        items.append((int(match["number"]), lines))
    return items


def _item(number: int, lines: list[str], left_out: list[str]) -> tuple[int, str, int | None]:
    """The number, query and count of a line of a list."""
    joined = " ".join(line.strip() for line in lines if line.strip())
    columns = [match.group() for match in _EBSCO_COLUMNS.finditer(joined)]
    hits: int | None = None
    if columns:
        left_out.extend(dict.fromkeys(columns))
        joined = _EBSCO_COLUMNS.sub(" ", joined)
        cut = re.search(r"(\d{1,3}(?:,\d{3})*,\d{1,2})\s+(\d{1,2})\s*$", joined)
        if cut:
            joined = f"{joined[: cut.start()]} {cut[1]}{cut[2]}"
    else:
        kept = []
        for position, line in enumerate(lines):
            count = _ONLY_COUNT.match(line)
            if count and position and (position == len(lines) - 1 or "," in line):
                hits = int(count[1].replace(",", ""))
            else:
                kept.append(line)
        joined = " ".join(line.strip() for line in kept if line.strip())
    joined = " ".join(joined.split())
    if hits is None:
        joined, hits = _counted(joined, number)
    joined = _EBSCO_DATES.sub(r" AND DT \1-\2", joined)
    return number, joined.strip(), hits


def _counted(text: str, number: int) -> tuple[str, int | None]:
    """The query and the count printed behind it."""
    glued = _GLUED_REFERENCE.search(text)
    if glued and int(glued[2]) >= number:
        for length in range(len(glued[2]) - 1, 0, -1):
            if 0 < int(glued[2][:length]) < number:
                count = glued[2][length:]
                return text[: glued.start(2) + length], int(count)
    for pattern in (_COUNT_IN_PARENTHESES, _COUNT_BEHIND_BLANK, _GLUED_COUNT):
        found = pattern.search(text)
        in_parentheses = pattern is _COUNT_IN_PARENTHESES
        if found and found.start() > 0 and not _belongs_to_query(text[: found.start()], in_parentheses=in_parentheses):
            return text[: found.start()].rstrip(), int(found[1].replace(",", ""))
    return text, None


def _belongs_to_query(before: str, *, in_parentheses: bool) -> bool:
    """True when a number behind this text is part of the query: `1 or 2`, `from 2012 to 2021`, `NEAR/3`."""
    words = r"\b(?:and|or|not|to|from|since|between)" if not in_parentheses else r"\b(?:and|or|not)"
    signs = r"" if in_parentheses else r"|[-=:#]|\b(?:near|next|w|pre)/|\badj"
    return re.search(rf"(?:{words}{signs})\s*$", before, re.IGNORECASE) is not None


_BY_HEADING: tuple[tuple[str, Dialect], ...] = (
    (r"europe\s*pmc", Dialect.EUROPE_PMC),
    (r"psyc\s*info.*proquest|proquest", Dialect.PROQUEST),
    (r"psyc\s*info", Dialect.OVID_PSYCINFO),
    (r"cinahl|ebsco", Dialect.CINAHL),
    (r"cochrane|\bcentral\b", Dialect.CENTRAL),
    (r"web of science|science citation", Dialect.WEB_OF_SCIENCE),
    (r"scopus", Dialect.SCOPUS),
    (r"embase\.com|embase.*elsevier", Dialect.EMBASE_COM),
    (r"embase", Dialect.OVID_EMBASE),
    (r"pubmed", Dialect.PUBMED),
    (r"medline|ovid", Dialect.OVID_MEDLINE),
)


def dialect_of(heading: str, body: str) -> Dialect:
    """The dialect of a database's section: by its heading, where that leaves a choice by the syntax of its text."""
    lowered = heading.casefold()
    named = next((dialect for pattern, dialect in _BY_HEADING if re.search(pattern, lowered)), None)
    seen = syntax_of(body)
    if named in OVID and "ovid" not in lowered and seen is not None and seen not in OVID:
        return seen
    if named is Dialect.EMBASE_COM or (named is Dialect.PUBMED and seen not in OVID):
        return named
    if named in (None, Dialect.PUBMED):
        return seen or Dialect.PUBMED
    assert named is not None
    return named


def syntax_of(text: str) -> Dialect | None:
    """The dialect that a text is written in, by the signs that only it has; None if there are none."""
    signs: tuple[tuple[Dialect, str], ...] = (
        (Dialect.PUBMED, r"\[(?:tiab|mesh[^\]]*|mh[^\]]*|title/abstract|tw|pt|ti|sh|publication type)\]"),
        (Dialect.EMBASE_COM, r"/(?:exp|de)\b|\]/(?:lim|py)\b|'[^']+':(?:ti|ab)"),
        (Dialect.CENTRAL, r"MeSH descriptor|\[mh\s"),
        (Dialect.WEB_OF_SCIENCE, r"\b(?:TS|TI|AB|AK)\s*=\s*"),
        (Dialect.SCOPUS, r"\b(?:TITLE-ABS-KEY|TITLE-ABS|AUTHKEY|PUBYEAR)\b"),
        (Dialect.CINAHL, r"\(?M[HM] [\"“(]|\b(?:TI|AB) [\"“(]"),
        (Dialect.OVID_MEDLINE, r"\.(?:ti|ab|tw|mp|pt|kf|fs|sh)(?:,\w\w)*\.|\bexp [^/\n]+/|\badj\d?\b|\b(?:or|and)/\d"),
    )
    counted = [(len(re.findall(pattern, text, re.IGNORECASE)), dialect) for dialect, pattern in signs]
    best = max(counted, key=lambda pair: pair[0])
    return best[1] if best[0] else None

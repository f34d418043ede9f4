"""Reads lists of identifiers: PMIDs, DOIs, PMCIDs and arXiv ids, mixed, one a line, parted by signs, or within a text.

Each entry holds an identifier only: what it names must be asked of a source. Nothing is invented for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from litapp.core.formats.importers.draft import Draft
from litapp.core.formats.importers.reading import Entry, Limits, Problem
from litapp.core.identifiers import find_identifiers, parse_identifier
from litapp.core.records import Identifier, Scheme

_ASKED = frozenset((Scheme.DOI, Scheme.PMID, Scheme.PMCID, Scheme.ARXIV, Scheme.OPENALEX, Scheme.S2))
_HEADERS = re.compile(
    r"[\s\"'#]*(?:pmids?|dois?|pmcids?|ids?|identifiers?|pubmed ids?|arxiv(?: ids?)?|uids?)[\s\"':;,]*(?:\t.*)?\Z",
    re.IGNORECASE,
)
_PARTS = re.compile(
    r"(?<![\s,;|])[\s,;|]+(?=(?:\"|')?(?:doi:|https?://|10\.\d{4,9}/|pmid|pmc\d|arxiv|\d+(?:[\s,;|\"']|\Z)))|\"\s*,\s*\"",
    re.IGNORECASE,
)
_ENUMERATION = re.compile(r"\A\s*(?:\(?\d{1,4}[.)]\s+|[-*•]\s+)")
_LABEL = re.compile(r"\b(pmid|pmcid|pmc|pubmed(?: id)?|arxiv|doi)(?:\s*[:#=]\s*|\s+)((?:pmc)?\d)", re.IGNORECASE)
"""A label, parted from its number by signs or blanks."""
_NUMBER_FIRST = re.compile(r"(\d{6,8})(?![\w./-])[\s–:;,|(.-]*(?=[^\W\d_]|[\"'])")
_SHORT_NUMBER = re.compile(r"\d{1,5}")
_MEANT = re.compile(r"(?=\S*\d)\S+")
"""A single word with digits: meant to be an identifier."""
_NO_IDENTIFIER = Problem(
    "no_identifier",
    "This line holds no PMID, DOI, PMCID or arXiv id.",
    "Correct the line, or remove it from the list.",
)


def identifiers_of_line(line: str) -> list[tuple[str, Identifier | None]]:
    """The parts of a line of a list and what each is; None where it is none."""
    text = " ".join(line.split()).strip("\ufeff[]")
    if not text.strip("\"', ;") or _HEADERS.match(text):
        return []
    out: list[tuple[str, Identifier | None]] = []
    for part in _PARTS.split(_LABEL.sub(_labelled, _ENUMERATION.sub("", text))):
        bare = part.strip().strip("\"',;").strip()
        if not bare:
            continue
        cleaned = _ENUMERATION.sub("", bare)
        if number := _NUMBER_FIRST.match(cleaned):
            out += [(number[1], parse_identifier(number[1])), (cleaned[number.end() :].strip(" )]"), None)]
            continue
        one = parse_identifier(cleaned)
        if one is None and re.match(r"doi/", cleaned, re.IGNORECASE):
            one = parse_identifier(cleaned[4:])
        if one is None or one.scheme not in _ASKED:
            found = [each for each in find_identifiers(cleaned) if each.scheme in _ASKED]
            if found:
                out += [(bare, each) for each in found]
                continue
            one = None
        out.append((bare, one))
    if any(one is None and re.search(r"[^\W\d_]{2}", part) for part, one in out):  # a year or a page, beside words
        out = [(part, None if _SHORT_NUMBER.fullmatch(part) else one) for part, one in out]
    return out


def _labelled(found: re.Match[str]) -> str:
    joint = "" if found[1].lower() == "pmc" else ":"
    return f"{found[1]}{joint}{found[2]}"


def _one_reference(line: str, parts: list[tuple[str, Identifier | None]]) -> tuple[Identifier, ...]:
    """The identifiers of one reference: a line that names one of each scheme, with their labels ("PMID: …")."""
    known = [one for _, one in parts if one is not None]
    found = tuple(dict.fromkeys(known + [one for one in find_identifiers(line) if one.scheme in _ASKED]))
    labels = len(re.findall(r"\b(?:doi|pmid|pmcid|arxiv)\b", line, re.IGNORECASE))
    if len(found) > 1 and len({one.scheme for one in found}) == len(found) and labels >= len(found) - 1:
        return found
    return ()


def looks_like_ids(text: str) -> bool:
    """Whether a text is a list of identifiers: two thirds of its lines are one, or begin or end with one and are
    short."""
    lines = [line for line in text.split("\n")[:_LOOKED_AT] if line.strip()]
    if len(lines) == _LOOKED_AT or len(text) >= 60_000:
        lines = lines[:-1] or lines  # the last one may be cut
    good = sum(bool(_only_ids(line)) for line in lines)
    return bool(lines) and good >= 0.66 * len(lines)


_LOOKED_AT = 400
_SHORT_LINE = 100


def _only_ids(line: str) -> bool:
    parts = identifiers_of_line(line)
    if not parts:
        return bool(_HEADERS.match(line))
    known = sum(one is not None for _, one in parts)
    rest = sum(len(part) for part, one in parts if one is None)
    if known and len(line) < _SHORT_LINE and len(parts) > 1 and (parts[0][1] or parts[-1][1]):
        return True
    return known > 0 and rest <= 0.3 * len(line) and len(line) < 80 * (known + 1)


def read_ids(lines: Iterator[tuple[int, str]], limits: Limits) -> Iterator[Entry]:
    """One entry for each identifier; a line without one is an entry with a problem.

    Of a line with identifiers, a single word with digits that is none is an entry with a problem too; other text is
    told as dropped at the identifier it stands beside.
    """
    number = 0
    for at, line in lines:
        parts = identifiers_of_line(line)
        if parts and all(one is None for _, one in parts):
            parts = [(line.strip(), None)]
        same = _one_reference(line, parts)
        if same:
            number += 1
            yield _entry(number, at, line.strip(), same, limits)
            continue
        for part, one, beside in _with_text_beside(parts):
            number += 1
            yield _entry(number, at, part, (one,) if one else (), limits, beside)


def _with_text_beside(
    parts: list[tuple[str, Identifier | None]],
) -> Iterator[tuple[str, Identifier | None, tuple[str, ...]]]:
    """The parts that are entries, each with the texts that stand before it; those behind the last belong to it."""
    waiting: list[str] = []
    last: tuple[str, Identifier | None, tuple[str, ...]] | None = None
    for part, one in parts:
        if one is None and len(parts) > 1 and (not _MEANT.fullmatch(part) or _SHORT_NUMBER.fullmatch(part)):
            waiting.append(part)
            continue
        if last:
            yield last
        last, waiting = (part, one, tuple(waiting)), []
    if last:
        yield last[0], last[1], (*last[2], *waiting)


def read_text_ids(lines: Iterator[tuple[int, str]], limits: Limits) -> Iterator[Entry]:
    """The identifiers within running text, each once. Lines without one are no records."""
    number = 0
    seen: set[Identifier] = set()
    before = ""
    for at, line in lines:
        text = f"{before}\n{line}" if before else line
        before = line if re.search(r"10\.\d{4,9}/\S*-\s*\Z", line) else ""
        if before:
            continue
        for one in [*find_identifiers(text), *_alone(line)]:
            if one not in seen:
                seen.add(one)
                number += 1
                yield _entry(number, at, line, (one,), limits)


def _alone(line: str) -> list[Identifier]:
    """The PMID that stands alone on a line, without label: as long as those of today, or it may be a page's number."""
    found = re.fullmatch(r"\s*(\d{7,8})[\s,;.]*", line)
    one = parse_identifier(found[1]) if found else None
    return [one] if one else []


def _entry(
    number: int, at: int, text: str, found: tuple[Identifier, ...], limits: Limits, beside: tuple[str, ...] = ()
) -> Entry:
    if not found:
        return Entry(number, at, at, text[: limits.text], None, _NO_IDENTIFIER, text_cut=len(text) > limits.text)
    draft = Draft(identifiers=dict.fromkeys(found), csl_type="document", dropped=[("text", one) for one in beside])
    return draft.entry(number, at, at, text, limits)

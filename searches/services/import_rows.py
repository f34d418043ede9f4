"""Reads a list of identifiers as people paste it: one row after the other, each as typed and as what it is."""

from __future__ import annotations

import re
from dataclasses import dataclass

from litapp.core.identifiers import find_identifiers, parse_identifier
from litapp.core.records import Identifier, Scheme

RESOLVED = (Scheme.PMID, Scheme.DOI, Scheme.PMCID, Scheme.ARXIV, Scheme.OPENALEX, Scheme.S2)
"""Schemes that name one paper."""
LONGEST = 2_000
"""Characters of a row that are kept."""
_BETWEEN = re.compile(r"[,;|\s]+")


@dataclass(frozen=True, slots=True)
class IdentifierRow:
    """A row: its line, its text as typed, and the identifier it is; or why it is none (`problem`)."""

    line: int
    text: str
    identifier: Identifier | None
    problem: str = ""


def identifier_rows(text: str) -> list[IdentifierRow]:
    """The rows of a list; empty lines are none. A line of several bare identifiers gives a row for each."""
    rows = []
    for line, typed in enumerate(text.lstrip("\ufeff").splitlines(), start=1):
        shown = typed.strip()[:LONGEST]
        if shown:
            rows += _rows(line, shown)
    return rows


def _rows(line: int, typed: str) -> list[IdentifierRow]:
    whole = parse_identifier(typed)
    if whole is not None:
        return [_row(line, typed, whole)]
    parts = [part for part in _BETWEEN.split(typed) if part]
    each = [parse_identifier(part) for part in parts]
    if len(parts) > 1 and all(one is not None and one.scheme in RESOLVED for one in each):
        return [_row(line, part, one) for part, one in zip(parts, each, strict=True) if one is not None]
    within = [one for one in find_identifiers(typed) if one.scheme in RESOLVED]
    if len(within) == 1:
        return [_row(line, typed, within[0])]
    if within:
        return [IdentifierRow(line, typed, None, "It names several identifiers. Put each on a line of its own.")]
    return [IdentifierRow(line, typed, None, "It is no PMID, DOI, PMCID or arXiv id. Look for a typing error.")]


def _row(line: int, typed: str, identifier: Identifier) -> IdentifierRow:
    if identifier.scheme not in RESOLVED:
        kind = identifier.scheme.value.upper()
        return IdentifierRow(line, typed, None, f"It is an {kind}: that names a journal or a book, not one paper.")
    return IdentifierRow(line, typed, identifier)

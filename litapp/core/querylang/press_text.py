"""Findings that are seen in the text of a line before it is a tree: signs and operators of another database, blanks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType

from litapp.core.querylang.dialects.dialect import OVID, Dialect
from litapp.core.querylang.findings import Effect, Finding, Fix, Outcome, Severity

_QUOTED_PARTS = re.compile(r"\"[^\"]*\"|[“”„«»][^“”„«»\"]*[“”„«»\"]")
_CURLY = re.compile(r"[“”„‟«»＂][^\"“”„‟«»＂]*[\"“”„‟«»＂]|\"[^\"“”„‟«»＂]*[“”„‟«»＂]")
_SINGLE = re.compile(r"(?<![\w*$)])['‘’](?=\w)(?P<words>[^'‘’()\[\]]*?)['‘’](?=[\s)\].:,]|\Z)")
_OPEN_SINGLE = re.compile(r"(?<=[*\w])['‘’](?=[\s)]|\Z)|(?<=[\s(])['‘’](?=\w)")
_ADJ = re.compile(r"(?<![\w*\"])adj\s?(\d*)(?![\w*])", re.IGNORECASE)
_SLASH_NEAR = re.compile(r"(?<![\w*\"])(NEAR|NEXT|W|PRE)/(\d+)(?![\w*])", re.IGNORECASE)
_EBSCO_NEAR = re.compile(r"(?<![\w*\"])([NW])(\d{1,2})(?=\s)")
_EXP = re.compile(r"(?<![\w*\"/])exp\s+(?=[\w\"])", re.IGNORECASE)
_BLANK_BEFORE_TAG = re.compile(r"(?<=[\w*\"”])[ \t]+(?=\[[A-Za-z])")
_TAG = re.compile(r"(?<=[\w*\"”])\[[A-Za-z]")
_BLANK_IN_TAG = re.compile(r"\[([A-Za-z /]+?)(\s*:\s+|\s+:\s*)([A-Za-z~0-9 ]+)\]")
_STRAY = re.compile(r"(?<=\])\s*([/\\;,.|]+)(?=[\s)]|\Z)")
_FOREIGN_FIELD: Mapping[Dialect, re.Pattern[str]] = MappingProxyType(
    {
        Dialect.PUBMED: re.compile(
            r"(?<=[\w*\"”)])\.(?:ti|ab|tw|mp|pt|kf|kw)(?:,(?:ti|ab|tw|kf|kw))*\.|(?<=['\w])/(?:exp|de)\b"
        ),
        Dialect.CENTRAL: re.compile(r"(?<=[\w*\"”)])\.(?:ti|ab|tw|mp|pt|kf|kw)(?:,(?:ti|ab|tw|kf|kw))*\."),
        Dialect.EMBASE_COM: re.compile(r"(?<=[\w*\"”)])\.(?:ti|ab|tw|mp|pt|kf|kw)(?:,(?:ti|ab|tw|kf|kw))*\."),
    }
)


def text_findings(text: str, dialect: Dialect) -> Iterator[Finding]:
    """The findings, with places in `text`."""
    if dialect is Dialect.PUBMED:
        yield from _pubmed(text)
    else:
        for match in _CURLY.finditer(text):
            inner = match.group().strip('"“”„‟«»＂')
            yield Finding(
                "curly_quotes",
                Severity.WARNING,
                "These are typographic quotation marks, which databases do not read as quotes.",
                *match.span(),
                'They are read here as straight quotes (").',
                Effect.EITHER,
                Fix(*match.span(), f'"{inner}"', Outcome.SAME),
            )
    if dialect not in (Dialect.PUBMED, Dialect.EMBASE_COM):
        yield from _single_quotes(text, dialect)
    yield from _foreign_operators(_without_quoted(text), dialect)


def _without_quoted(text: str) -> str:
    """The text with what stands in quotes blanked, of the same length."""
    return _QUOTED_PARTS.sub(lambda m: " " * len(m.group()), text)


def _pubmed(text: str) -> Iterator[Finding]:
    blanks, tags = list(_BLANK_BEFORE_TAG.finditer(text)), len(_TAG.findall(text))
    if blanks and tags > len(blanks):
        for match in blanks:
            yield Finding(
                "blank_before_tag",
                Severity.NOTE,
                "There is a blank between this term and its tag, unlike elsewhere in the query.",
                *match.span(),
                "PubMed takes it; other tools may not.",
                Effect.NONE,
                Fix(*match.span(), "", Outcome.SAME),
            )
    for match in _BLANK_IN_TAG.finditer(text):
        clean = f"[{match[1].strip()}:{match[3].strip()}]"
        yield Finding(
            "blank_in_tag",
            Severity.NOTE,
            "There is a blank inside this field tag.",
            *match.span(),
            f"Write {clean}.",
            Effect.NONE,
            Fix(*match.span(), clean, Outcome.SAME),
        )
    for match in _STRAY.finditer(_without_quoted(text)):
        yield Finding(
            "stray_character",
            Severity.ERROR,
            f"“{match[1]}” behind a field tag belongs to nothing: PubMed reads it as a word or reports an error.",
            *match.span(1),
            "Delete it.",
            Effect.EITHER,
            Fix(*match.span(1), "", Outcome.SAME),
        )


def _single_quotes(text: str, dialect: Dialect) -> Iterator[Finding]:
    taken: list[tuple[int, int]] = []
    for match in _SINGLE.finditer(text):
        taken.append(match.span())
        yield Finding(
            "single_quote",
            Severity.WARNING,
            f"Single quotation marks do not make a phrase in {dialect.value}.",
            *match.span(),
            'Use straight double quotes (").',
            Effect.PRECISION,
            Fix(*match.span(), f'"{match["words"]}"', Outcome.FEWER),
        )
    for match in _OPEN_SINGLE.finditer(_without_quoted(text)):
        if not any(start <= match.start() < end for start, end in taken):
            yield Finding(
                "single_quote",
                Severity.WARNING,
                "This single quotation mark stands alone.",
                *match.span(),
                "Delete it, or use straight double quotes around the phrase.",
                Effect.RECALL,
                Fix(*match.span(), "", Outcome.SAME),
            )


def _foreign_operators(text: str, dialect: Dialect) -> Iterator[Finding]:
    """Nearness operators and field codes that another database has, which are words or faults here."""
    if dialect not in OVID:
        for match in _ADJ.finditer(text):
            yield _foreign(
                match, dialect, _nearness(dialect, int(match[1]) - 1 if match[1] else 0, ordered=not match[1])
            )
    if dialect in OVID or dialect is Dialect.PUBMED or dialect is Dialect.CINAHL:
        for match in _SLASH_NEAR.finditer(text):
            yield _foreign(match, dialect, "")
    if dialect in OVID or dialect in (Dialect.CENTRAL, Dialect.EMBASE_COM, Dialect.WEB_OF_SCIENCE):
        for match in _EBSCO_NEAR.finditer(text):
            yield _foreign(match, dialect, "")
    if dialect not in OVID:
        for match in _EXP.finditer(text):
            yield Finding(
                "foreign_syntax",
                Severity.WARNING,
                f"“exp” explodes a heading in Ovid; in {dialect.value} it is a word.",
                *match.span(),
                "Delete it." if dialect is Dialect.PUBMED else "Write the heading as this database does.",
                Effect.RECALL,
                Fix(*match.span(), "", Outcome.MORE) if dialect is Dialect.PUBMED else None,
            )
    foreign = _FOREIGN_FIELD.get(dialect)
    for match in foreign.finditer(text) if foreign else ():
        yield Finding(
            "foreign_syntax",
            Severity.WARNING,
            f"“{match.group()}” is a field of another database; {dialect.value} does not know it.",
            *match.span(),
            "Write the field as this database does.",
            Effect.RECALL,
        )


def _nearness(dialect: Dialect, distance: int, *, ordered: bool) -> str:
    if dialect in (Dialect.CENTRAL, Dialect.EMBASE_COM):
        if ordered:
            return "NEXT" if dialect is Dialect.CENTRAL else "NEXT/1"
        return f"NEAR/{distance + 1}"
    if dialect is Dialect.CINAHL:
        return f"{'W' if ordered else 'N'}{distance}"
    return (
        ""
        if dialect is Dialect.PUBMED
        else f"{'PRE' if ordered else 'W'}/{distance}"
        if dialect is Dialect.SCOPUS
        else f"NEAR/{distance}"
    )


def _foreign(match: re.Match[str], dialect: Dialect, replacement: str) -> Finding:
    return Finding(
        "foreign_operator",
        Severity.WARNING,
        f"“{match.group()}” is no operator in {dialect.value}; it is searched as a word.",
        *match.span(),
        f"Write {replacement} in its place." if replacement else "Write the nearness as this database does.",
        Effect.RECALL,
        Fix(*match.span(), replacement, Outcome.OTHER) if replacement else None,
    )

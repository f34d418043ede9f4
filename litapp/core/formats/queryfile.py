"""Query files: a list of searches as JSON, read strictly; every entry that is not used is named with its reason.

Three forms are read: an object with `queries`, a list of objects, a list of strings. An object may carry `topic` (the
question) and `domain`. An entry is a text, or an object with `query` (or `boolean`, `plain`) and, optionally, a label
of its topic (`topic`, `topic_label`, `label` or `name`).
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from litapp.core.plan import PlanQuery
from litapp.core.querylang import QuerySyntaxError, Severity, Term, parse, query_blocks, query_terms
from litapp.core.querylang.ast import Node
from litapp.core.querylang.dialects import Dialect
from litapp.core.querylang.press import check_strategy
from litapp.core.querylang.tokens import Kind, tokenize

LARGEST_FILE = 1_000_000
"""Bytes. Twenty-five of the longest strategies we know fit several times."""
MOST_ENTRIES = 1_000
"""Entries that are looked at; a longer list is no list of searches."""
TERMS_A_BLOCK = 3
"""Terms of each block of a Boolean query that go into the plain words derived from it."""
LONGEST_LABEL = 200
SHOWN = 60
"""Characters of an entry that a message shows."""
_TEXT_KEYS = ("query", "text", "search")
_LABEL_KEYS = ("topic_label", "label", "topic", "name")
_ENTRY_KEYS = frozenset((*_TEXT_KEYS, *_LABEL_KEYS, "boolean", "plain"))
_FILE_KEYS = frozenset(("queries", "topic", "domain"))


@dataclass(frozen=True, slots=True)
class RejectedEntry:
    """Entry number `number` (from 1) of the file is not used; `text` is its beginning, `reason` a sentence."""

    number: int
    text: str
    reason: str

    def __str__(self) -> str:
        shown = f" (“{self.text}”)" if self.text else ""
        return f"Entry {self.number}{shown}: {self.reason}"


class QueryFileError(ValueError):
    """The file cannot be used. The message says why and what to do; `rejected` are the entries that were not valid."""

    def __init__(self, message: str, rejected: Iterable[RejectedEntry] = ()) -> None:
        super().__init__(message)
        self.rejected = tuple(rejected)


@dataclass(frozen=True, slots=True)
class QueryFile:
    """What a query file holds. `entries` are the numbers (from 1) of the entries that became `queries`, in order."""

    topic: str
    domain: str
    queries: tuple[PlanQuery, ...]
    entries: tuple[int, ...]
    rejected: tuple[RejectedEntry, ...]
    notes: tuple[str, ...]
    sha256: str


def is_query_file(text: str) -> bool:
    """True when the text looks like JSON that is a query file: a list, or an object that is no plan."""
    start = text.lstrip("\ufeff \t\r\n")[:1]
    if start not in ("[", "{"):
        return False
    if start == "[":
        return True
    try:
        data = json.loads(text.lstrip("\ufeff"))
    except (ValueError, RecursionError):
        return True
    return isinstance(data, dict) and not {"schema", "question", "sources"}.intersection(data)


def read_query_file(
    content: bytes, *, least: int, most: int, problem_of: Callable[[PlanQuery], str] = lambda query: ""
) -> QueryFile:
    """Read a query file with `least` to `most` valid queries. Raises QueryFileError, which names every bad entry.

    `problem_of` says in a sentence why a query cannot run ("" = it can), beyond the syntax that is checked here.
    """
    data = _load(content)
    topic, domain, entries, notes = _parts(data)
    if len(entries) > MOST_ENTRIES:
        raise QueryFileError(f"The file has {len(entries):,} entries; a query file has {least} to {most} queries.")
    unused: Counter[str] = Counter()
    queries: list[tuple[int, PlanQuery]] = []
    rejected: list[RejectedEntry] = []
    derived = 0
    for number, entry in enumerate(entries, start=1):
        try:
            query, was_derived = _query(entry, unused)
            _require_usable(query, problem_of)
            _require_new(query, queries)
        except _Rejected as refusal:
            rejected.append(RejectedEntry(number, _shown(entry), str(refusal)))
            continue
        queries.append((number, query))
        derived += was_derived
    notes += [f"The field “{name[:SHOWN]}” is not used ({count} entries)." for name, count in sorted(unused.items())]
    if derived:
        notes.append(
            f"{derived} of the queries are Boolean. The plain words for the sources that rank by likeness were taken "
            "from them; look at them before you approve."
        )
    if not least <= len(queries) <= most:
        raise QueryFileError(_count_sentence(len(queries), least, most, rejected), rejected)
    return QueryFile(
        topic=topic,
        domain=domain,
        queries=tuple(query for _, query in queries),
        entries=tuple(number for number, _ in queries),
        rejected=tuple(rejected),
        notes=tuple(notes),
        sha256=hashlib.sha256(content).hexdigest(),
    )


class _Rejected(ValueError):
    """An entry cannot be used; the message says why."""


def _load(content: bytes) -> Any:
    if len(content) > LARGEST_FILE:
        raise QueryFileError(f"The file has {len(content):,} bytes; a query file may have {LARGEST_FILE:,}.")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise QueryFileError("The file is not UTF-8 text. Save it as UTF-8 and try again.") from error
    if not text.strip():
        raise QueryFileError("The file is empty.")
    try:
        return json.loads(text, object_pairs_hook=_each_once, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        raise QueryFileError(
            f"Line {error.lineno}, character {error.colno}: this cannot be read as JSON ({error.msg}). "
            "A query file is a JSON list of searches, or an object with “queries”."
        ) from error
    except RecursionError as error:
        raise QueryFileError("The file is nested far deeper than a query file is.") from error


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    data = dict(pairs)
    if len(data) != len(pairs):
        twice = next(name for name, count in Counter(name for name, _ in pairs).items() if count > 1)
        raise QueryFileError(f"“{twice[:SHOWN]}” stands twice in one object; one of the two would be lost.")
    return data


def _no_constant(name: str) -> Any:
    raise QueryFileError(f"{name} is no JSON value.")


def _parts(data: Any) -> tuple[str, str, list[Any], list[str]]:
    if isinstance(data, list):
        return "", "", data, []
    if not isinstance(data, dict) or not isinstance(data.get("queries"), list):
        raise QueryFileError(
            "This is no query file: it must be a list of searches, or an object whose “queries” is such a list."
        )
    unknown = sorted(set(data) - _FILE_KEYS)
    notes = [f"The field “{name[:SHOWN]}” of the file is not used." for name in unknown]
    return _line(data, "topic"), _line(data, "domain"), data["queries"], notes


def _line(data: dict[str, Any], name: str) -> str:
    value = data.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise QueryFileError(f"“{name}” must be a text.")
    return " ".join(value.split())


def _query(entry: Any, unused: Counter[str]) -> tuple[PlanQuery, bool]:
    """The entry as a query of a plan, and whether its plain words were derived from its Boolean text."""
    if isinstance(entry, str):
        return _from_text(entry, "")
    if not isinstance(entry, dict):
        raise _Rejected("it is neither a text nor an object with a query.")
    for name in (*_TEXT_KEYS, *_LABEL_KEYS, "boolean", "plain"):
        if entry.get(name) is not None and not isinstance(entry[name], str):
            raise _Rejected(f"its “{name}” is no text.")
    unused.update(set(entry) - _ENTRY_KEYS)
    label = next((" ".join(entry[name].split()) for name in _LABEL_KEYS if entry.get(name)), "")
    if len(label) > LONGEST_LABEL:
        raise _Rejected(f"its label has {len(label)} characters; at most {LONGEST_LABEL} are taken.")
    boolean, plain = (entry.get("boolean") or "").strip(), (entry.get("plain") or "").strip()
    text = next((entry[name] for name in _TEXT_KEYS if entry.get(name)), "")
    if boolean and text.strip():
        raise _Rejected("it has a “boolean” and another query text; only one can be the query.")
    if boolean or plain:
        boolean = boolean or text.strip()
        if boolean and not plain:
            return _from_boolean(boolean, label)
        return PlanQuery(boolean, plain, label), False
    if not any(name in entry for name in (*_TEXT_KEYS, "boolean", "plain")):
        raise _Rejected("it has no “query”.")
    return _from_text(text, label)


def _from_text(text: str, label: str) -> tuple[PlanQuery, bool]:
    """A text with operators, tags, quotes or stars is Boolean; any other goes to all sources as it is."""
    text = text.strip()
    if not text:
        raise _Rejected("it is empty and was taken out.")
    if _is_boolean(text):
        return _from_boolean(text, label)
    return PlanQuery(text, text, label), False


def _from_boolean(text: str, label: str) -> tuple[PlanQuery, bool]:
    tree = _tree(text)
    plain = plain_words(tree) if tree is not None else ""
    return PlanQuery(text, plain, label), bool(plain)


def _is_boolean(text: str) -> bool:
    try:
        tokens = tokenize(text)
    except QuerySyntaxError:
        return any(sign in text for sign in '()[]"')
    marks = {Kind.QUOTED, Kind.OPEN, Kind.CLOSE}
    for token in tokens:
        if token.kind in marks or (token.kind is Kind.OPERATOR and token.as_written == token.text):
            return True
    return "[" in text or "*" in text


def _tree(text: str) -> Node | None:
    try:
        return parse(text)
    except QuerySyntaxError:
        return None


def plain_words(tree: Node) -> str:
    """The first subject terms of each block of a Boolean query, each word once, for sources that take plain words."""
    words: dict[str, str] = {}
    for block in query_blocks(tree):
        terms: tuple[Term, ...] = query_terms(block)[:TERMS_A_BLOCK]
        for term in terms:
            for word in term.text.replace("*", "").replace('"', "").split():
                words.setdefault(word.casefold(), word)
    return " ".join(words.values())


def _require_usable(query: PlanQuery, problem_of: Callable[[PlanQuery], str]) -> None:
    if query.boolean:
        for finding in check_strategy(query.boolean, Dialect.PUBMED):
            if finding.severity is Severity.ERROR:
                near = query.boolean[finding.start : finding.end].strip()[:40]
                place = f" (at character {finding.start + 1}: {near})" if near else ""
                raise _Rejected(f"{finding.message}{place} {finding.hint}".strip())
    if problem := problem_of(query):
        raise _Rejected(problem)


def _require_new(query: PlanQuery, before: list[tuple[int, PlanQuery]]) -> None:
    def same(other: PlanQuery) -> bool:
        return (other.boolean.split(), other.plain.split()) == (query.boolean.split(), query.plain.split())

    for number, other in before:
        if same(other):
            raise _Rejected(f"it repeats entry {number}.")


def _shown(entry: Any) -> str:
    if isinstance(entry, dict):
        entry = next((entry[name] for name in (*_TEXT_KEYS, "boolean", "plain", *_LABEL_KEYS) if entry.get(name)), "")
    text = " ".join(str(entry).split()) if entry is not None else "null"
    return text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"


def _count_sentence(valid: int, least: int, most: int, rejected: list[RejectedEntry]) -> str:
    queries = "1 valid query" if valid == 1 else f"{valid} valid queries"
    sentence = f"This file has {queries}; a query file has {least} to {most}. Nothing was asked of any source."
    if rejected:
        sentence += " Not valid: " + " ".join(str(entry) for entry in rejected[:most])
    return sentence

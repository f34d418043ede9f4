"""Evaluates a query tree over the corpus as PubMed does, and says what it made of it."""

from __future__ import annotations

import dataclasses
import datetime as dt
import functools
import re
from collections.abc import Callable
from dataclasses import dataclass, field

from litapp.core.querylang import And, Field, Node, Not, Or, Proximity, Range, Term
from litapp.core.querylang.ast import DATE_FIELDS, MESH_FIELDS
from litapp.sandbox.corpus import sets
from litapp.sandbox.corpus.headings import Headings
from litapp.sandbox.corpus.mapping import TermMapping
from litapp.sandbox.corpus.store import Corpus
from litapp.sandbox.corpus.values import find_values, is_value_field
from litapp.sandbox.corpus.words import COLUMNS_OF, Words, split_words

MIN_STEM = 4
DATE_KINDS = {
    Field.DATE_PUBLICATION: "dp",
    Field.DATE_PRINT: "ppdt",
    Field.DATE_ELECTRONIC: "epdt",
    Field.DATE_ENTRY: "edat",
    Field.DATE_CREATE: "crdt",
    Field.DATE_COMPLETION: "dcom",
    Field.DATE_MODIFICATION: "lr",
    Field.DATE_MESH: "mhda",
}
_CACHED_LEAVES = 5_000
_LAST = re.compile(r"last\s+(\d+)\s+(day|month|year)s?\Z", re.IGNORECASE)


@dataclass(slots=True)
class Found:
    """What a query found (`bits`, a set of article numbers) and PubMed's remarks on it."""

    bits: int = 0
    translation: str = ""
    translations: list[tuple[str, str]] = field(default_factory=list)
    phrases_not_found: list[str] = field(default_factory=list)
    fields_not_found: list[str] = field(default_factory=list)
    quoted_not_found: list[str] = field(default_factory=list)
    phrases_ignored: list[str] = field(default_factory=list)
    messages: list[str] = field(default_factory=list)

    @property
    def count(self) -> int:
        return self.bits.bit_count()


@dataclass(slots=True)
class _Part:
    """A partial result. `bits` None = PubMed ignored this part; `compound` = the text needs parentheses when joined."""

    bits: int | None
    text: str
    compound: str = ""


class Evaluator:
    """Boolean searches over the articles of one corpus that PubMed has (those with a PMID)."""

    def __init__(self, corpus: Corpus, today: dt.date | None = None) -> None:
        self.corpus = corpus
        self.today = today or dt.datetime.now(dt.UTC).date()
        self.words = Words(corpus)
        self.headings = Headings(corpus)
        self.mapping = TermMapping(corpus, self.words, self.headings)
        self.largest = int(corpus.rows("SELECT coalesce(max(id), 0) FROM article")[0][0])
        rows = corpus.rows("SELECT id FROM article WHERE pmid IS NOT NULL ORDER BY entered DESC, pmid DESC")
        self.order = [row[0] for row in rows]
        self.all_bits = sets.from_numbers(self.order, self.largest)
        self._leaves: dict[object, int] = {}

    def find(self, tree: Node) -> Found:
        """Evaluate a query tree."""
        found = Found()
        part = self._node(tree, found)
        found.bits = (part.bits or 0) & self.all_bits
        found.translation = part.text
        if not found.bits:
            found.messages.append("No items found.")
        return found

    def _node(self, node: Node, found: Found) -> _Part:
        if isinstance(node, Not):
            keep, drop = self._node(node.keep, found), self._node(node.drop, found)
            if keep.bits is None or drop.bits is None:
                return keep
            return _Part(keep.bits & ~drop.bits, f"{_inside(keep, 'NOT')} NOT {_inside(drop, '')}", "NOT")
        if isinstance(node, And | Or):
            parts = [p for p in (self._node(child, found) for child in node.children) if p.bits is not None]
            if not parts:
                return _Part(None, "")
            kind = "AND" if isinstance(node, And) else "OR"
            if len(parts) == 1:
                return parts[0]
            bits = parts[0].bits or 0
            for part in parts[1:]:
                bits = bits & (part.bits or 0) if kind == "AND" else bits | (part.bits or 0)
            return _Part(bits, f" {kind} ".join(_inside(part, kind) for part in parts), kind)
        if not isinstance(node, Term | Proximity | Range):
            raise ValueError("PubMed's parser makes no such node; the tree comes from another database's syntax.")
        return self._leaf(node, found)

    def _leaf(self, leaf: Term | Proximity | Range, found: Found) -> _Part:
        if isinstance(leaf, Range):
            return self._range(leaf)
        if isinstance(leaf, Proximity):
            words = split_words(leaf.text)
            field = leaf.field if leaf.field in COLUMNS_OF else Field.ALL
            search = functools.partial(self.words.near, words, field, leaf.distance)
            bits = self._cached(("near", leaf), search)
            return _Part(bits, f'"{leaf.text}"[{field.value}:~{leaf.distance}]')
        if leaf.field is Field.UNKNOWN:
            found.fields_not_found.append(leaf.tag)
            leaf = dataclasses.replace(leaf, field=Field.UNTAGGED)
        if leaf.field is Field.UNTAGGED and not leaf.phrase and not leaf.truncated:
            return self._mapped(leaf, found)
        return self._tagged(leaf, found)

    def _mapped(self, term: Term, found: Found) -> _Part:
        """Automatic term mapping of untagged words: an AND of ORs, evaluated as a tree of tagged terms."""
        mapped = self.mapping.map(term.text)
        found.phrases_not_found.extend(mapped.unknown)
        found.translations.extend(mapped.translations)
        if mapped.tree is None:
            return _Part(None, "")
        return self._node(mapped.tree, found)

    def _tagged(self, term: Term, found: Found) -> _Part:
        field = Field.ALL if term.field is Field.UNTAGGED else term.field
        if field in COLUMNS_OF:
            return self._text(term, field, found)
        if field in MESH_FIELDS:
            known = self.headings.known(term)
            bits = self._cached(term, lambda: self.headings.find(term))
            suffix = "" if term.explode else ":noexp"
            text = f'"{term.text}"[{field.value}{suffix}]'
        elif field is Field.SUBHEADING:
            bits = self._cached(term, lambda: self.headings.find_subheading(term.text, term.explode))
            known = bool(bits)
            text = f'"{term.text}"[{field.value}]'
        elif field in DATE_FIELDS:
            return self._single_date(term, field, found)
        elif is_value_field(field):
            bits = self._cached(term, lambda: find_values(self.corpus, self.headings, term))
            known = bool(bits)
            text = f'"{term.text}"[{field.value}]'
        else:
            known, bits, text = False, 0, f'"{term.text}"[{field.value}]'
        if not known:
            (found.quoted_not_found if term.phrase else found.phrases_not_found).append(
                f'"{term.text}"[{field.value}]' if term.phrase else term.text
            )
        return _Part(bits, text)

    def _text(self, term: Term, field: Field, found: Found) -> _Part:
        """Words of a text field: as a phrase; where the corpus has no such phrase, all of its words."""
        words = self._usable(split_words(term.text), found)
        if not words:
            found.phrases_ignored.append(term.text)
            return _Part(None, "")
        bits = self._cached((tuple(words), field), lambda: self.words.phrase(words, field))
        shown = " ".join(words)
        if bits or len(words) == 1:
            if not bits and not any("*" in word for word in words) and not self.words.known(words[0]):
                found.phrases_not_found.append(term.text)
            return _Part(bits, f'"{shown}"[{field.value}]')
        if term.phrase:
            found.quoted_not_found.append(f'"{term.text}"' + (f"[{field.value}]" if term.field else ""))
        if any("*" in word for word in words):
            return _Part(0, f'"{shown}"[{field.value}]')
        bits = self.all_bits
        for word in words:
            bits &= self._cached(((word,), field), functools.partial(self.words.phrase, [word], field))
        return _Part(bits, " AND ".join(f'"{word}"[{field.value}]' for word in words), "AND")

    @staticmethod
    def _usable(words: list[str], found: Found) -> list[str]:
        """A star behind fewer than four letters is not a wildcard in PubMed: it is dropped, with a message."""
        usable = []
        for word in words:
            if 0 <= word.find("*") < MIN_STEM:
                found.messages.append(f"Wildcard search for '{word}' needs at least four letters; '*' was ignored.")
                word = word.replace("*", "")
            if word:
                usable.append(word)
        return usable

    def _range(self, leaf: Range) -> _Part:
        if leaf.field is Field.PMID:
            sql = "SELECT id FROM article WHERE pmid BETWEEN ? AND ?"
            bits = self._cached(leaf, lambda: self.corpus.numbers(sql, (int(leaf.low), int(leaf.high))))
            return _Part(bits, f"{leaf.low}:{leaf.high}[{leaf.field.value}]")
        low, high = _first_day(leaf.low), _last_day(leaf.high)
        return self._days(leaf.field, low, high)

    def _single_date(self, term: Term, field: Field, found: Found) -> _Part:
        last = _LAST.match(term.text)
        if last:
            days = int(last[1]) * {"day": 1, "month": 30, "year": 365}[last[2].casefold()]
            start = self.today - dt.timedelta(days=days)
            return self._days(field, int(start.strftime("%Y%m%d")), int(self.today.strftime("%Y%m%d")))
        text = term.text.replace("-", "/").rstrip("*")
        if not re.match(r"\d{4}(/\d{1,2}){0,2}\Z", text):
            found.phrases_not_found.append(term.text)
            return _Part(0, f'"{term.text}"[{field.value}]')
        return self._days(field, _first_day(text), _last_day(text))

    def _days(self, field: Field, low: int, high: int) -> _Part:
        sql = "SELECT article FROM day WHERE kind = ? AND day BETWEEN ? AND ?"
        key = ("day", field, low, high)
        bits = self._cached(key, lambda: self.corpus.numbers(sql, (DATE_KINDS[field], low, high)))
        return _Part(bits, f"{_slashed(low)}:{_slashed(high)}[{field.value}]")

    def days_between(self, kind: str, low: str, high: str) -> int:
        """Articles whose date of `kind` lies between two dates, as bits: esearch's mindate and maxdate."""
        sql = "SELECT article FROM day WHERE kind = ? AND day BETWEEN ? AND ?"
        return sets.from_numbers(self.corpus.numbers(sql, (kind, _first_day(low), _last_day(high))), self.largest)

    def _cached(self, key: object, search: Callable[[], set[int]]) -> int:
        bits = self._leaves.get(key)
        if bits is None:
            bits = sets.from_numbers(search(), self.largest)
            if len(self._leaves) >= _CACHED_LEAVES:
                self._leaves.clear()
            self._leaves[key] = bits
        return bits


def _inside(part: _Part, kind: str) -> str:
    return f"({part.text})" if part.compound and part.compound != kind else part.text


def _first_day(text: str) -> int:
    parts = [int(p) for p in text.split("/")] + [1, 1]
    return parts[0] * 10_000 + parts[1] * 100 + parts[2]


def _last_day(text: str) -> int:
    parts = [int(p) for p in text.split("/")] + [12 if "/" not in text else 31, 31]
    return parts[0] * 10_000 + parts[1] * 100 + parts[2]


def _slashed(day: int) -> str:
    return f"{day // 10_000:04d}/{day // 100 % 100:02d}/{day % 100:02d}"

"""Searches by relevance, as the sources without field tags answer them."""

from __future__ import annotations

import functools
import re
from array import array
from collections.abc import Callable, Sequence

from litapp.sandbox.corpus import sets
from litapp.sandbox.corpus.vocabularies import STOP_WORDS
from litapp.sandbox.corpus.words import split_words
from litapp.sandbox.dispatch import World

MOST = 100_000
_CACHED = 64


class Ranking:
    """Ranked searches of one source. `visible` says which PMIDs the source has."""

    def __init__(self, world: World, visible: Callable[[int], bool]) -> None:
        self.world, self._visible = world, visible
        self._cached = functools.lru_cache(maxsize=_CACHED)(self._ranked)

    def any_word(self, columns_and_texts: tuple[tuple[str, str], ...]) -> Sequence[int]:
        """Articles with any of the words, best first. Each pair is (full-text columns, words)."""
        parts = []
        for columns, text in columns_and_texts:
            words = _words(text)
            if words:
                parts.append(f"{{{columns}}} : ({' OR '.join(words)})")
        return self._cached(" OR ".join(f"({part})" for part in parts)) if parts else ()

    def most_words(self, text: str, columns: str, share: float = 0.6) -> Sequence[int]:
        """Articles with at least `share` of the words, best first."""
        words = _words(text)
        if not words:
            return ()
        needed = max(1, round(len(words) * share))
        found = [0] * (needed + 1)
        evaluator = self.world.evaluator
        found[0] = evaluator.all_bits
        for word in words:
            hits = sets.from_numbers(
                self.world.corpus.numbers("SELECT rowid FROM words WHERE words MATCH ?", (f"{{{columns}}} : {word}",)),
                evaluator.largest,
            )
            for place in range(needed, 0, -1):
                found[place] |= found[place - 1] & hits
        members = set(sets.numbers_of(found[needed]))
        ranked = self._cached(f"{{{columns}}} : ({' OR '.join(words)})")
        return [number for number in ranked if number in members]

    def expression(self, expression: str) -> Sequence[int]:
        """Articles for a full-text expression, best first. Raises sqlite3.OperationalError on a bad one."""
        return self._cached(expression)

    def _ranked(self, expression: str) -> Sequence[int]:
        ranked = self.world.evaluator.words.ranked(expression, MOST)
        pmids = self.world.corpus.pmids_of_ids(ranked)
        return array("i", (number for number in ranked if number not in pmids or self._visible(pmids[number])))


def _words(text: str) -> list[str]:
    words = [word for word in split_words(text.replace("*", " ")) if word.casefold() not in STOP_WORDS]
    words = words or split_words(text.replace("*", " "))
    return [f'"{word}"' for word in dict.fromkeys(word.casefold() for word in words)][:40]


_TOKEN = re.compile(r'"[^"]*"(?:~\d+)?|\(|\)|\||[^\s()"|]+')


def boolean_expression(text: str, columns: str, *, signs: bool = False) -> str:
    """A Boolean text (AND, OR, NOT; with `signs` also + | -) as a full-text expression; "" if nothing is asked.

    Words side by side mean AND. Raises ValueError where operators have no term.
    """
    out: list[str] = []
    for piece in _TOKEN.findall(text):
        operator = _operator(piece, signs)
        if operator:
            if operator == "NOT" and out and out[-1] == "AND":
                out.pop()
            out.append(operator)
            continue
        negative = signs and piece.startswith("-") and len(piece) > 1
        term = piece if piece in ("(", ")") else _term(piece.lstrip("+-") if signs else piece)
        if not term:
            continue
        if out and term != ")" and out[-1] not in ("(", "AND", "OR", "NOT"):
            out.append("NOT" if negative else "AND")
        elif negative and out and out[-1] == "AND":
            out[-1] = "NOT"
        out.append(term)
    if out and (out[0] in ("AND", "OR", "NOT") or out[-1] in ("AND", "OR", "NOT")):
        raise ValueError("An operator has no term.")
    return f"{{{columns}}} : ({' '.join(out)})" if out else ""


def _operator(piece: str, signs: bool) -> str:
    if piece in ("AND", "OR", "NOT"):
        return piece
    return {"|": "OR", "+": "AND", "-": "NOT"}.get(piece, "") if signs else ""


def _term(piece: str) -> str:
    near = re.match(r'"([^"]*)"~(\d+)\Z', piece)
    if near:
        inside = " ".join(f'"{word}"' for word in split_words(near[1]))
        return f"NEAR({inside}, {near[2]})" if inside else ""
    words = split_words(piece.strip('"'))
    if not words:
        return ""
    phrase = " ".join(words)
    if phrase.endswith("*"):
        return f'"{phrase.replace("*", "")}" *'
    return f'"{phrase.replace("*", "")}"'

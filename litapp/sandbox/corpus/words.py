"""Finds words and phrases in the full-text index: fields, truncation anywhere, proximity."""

from __future__ import annotations

import itertools
import re

from litapp.core.querylang import Field
from litapp.sandbox.corpus.store import GAP, Corpus

COLUMNS_OF: dict[Field, str] = {
    Field.TITLE: "title",
    Field.TITLE_ABSTRACT: "title abstract keywords",
    Field.ABSTRACT: "abstract",
    Field.TEXT_WORD: "title abstract keywords mesh",
    Field.OTHER_TERM: "keywords",
    Field.TRANSLITERATED_TITLE: "title",
    Field.AFFILIATION: "affiliation",
    Field.ALL: "title abstract keywords mesh names journal affiliation other",
}
MOST_FORMS = 600
"""Most word forms a wildcard in the middle of a phrase is written out to."""
_WORD = re.compile(r"[^\W_]+(?:\*[^\W_]*)*|\*[^\W_]+")


def split_words(text: str) -> list[str]:
    """The words of a text as the index cuts them, wildcards kept."""
    return [word for word in _WORD.findall(text) if word.strip("*")]


class Words:
    """Full-text searches of one corpus."""

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus

    def phrase(self, words: list[str], field: Field) -> set[int]:
        """Articles with the words in this order, next to each other, in one column of the field."""
        expression = self._expression(words)
        if not expression:
            return set()
        return self._match(f"{{{COLUMNS_OF[field]}}} : ({expression})")

    def near(self, words: list[str], field: Field, distance: int) -> set[int]:
        """Articles with all words and at most `distance` other words among them, in any order."""
        plain = [word.replace("*", "") for word in words]
        quoted = " ".join(f'"{word}"' for word in plain)
        reach = distance + max(len(plain) - 2, 0)
        return self._match(f"{{{COLUMNS_OF[field]}}} : NEAR({quoted}, {reach})")

    def known(self, word: str) -> bool:
        """True when the word (no wildcard) stands anywhere in the corpus."""
        return bool(self._match(f'"{word}"', limit=1))

    def ranked(self, expression: str, limit: int) -> list[int]:
        """Articles for a full-text expression, best first (bm25, the title counting most)."""
        sql = (
            "SELECT rowid FROM words WHERE words MATCH ? "
            "ORDER BY bm25(words, 10.0, 2.0, 4.0, 2.0, 3.0, 1.0, 0.2, 0.2), rowid LIMIT ?"
        )
        return [row[0] for row in self.corpus.rows(sql, (expression, limit))]

    def count(self, expression: str) -> int:
        """How many articles an expression finds."""
        return int(self.corpus.rows("SELECT count(*) FROM words WHERE words MATCH ?", (expression,))[0][0])

    def _match(self, expression: str, limit: int = -1) -> set[int]:
        return self.corpus.numbers("SELECT rowid FROM words WHERE words MATCH ? LIMIT ?", (expression, limit))

    def _expression(self, words: list[str]) -> str:
        """The full-text expression of a phrase; "" when a wildcard fits no word of the corpus."""
        if not words:
            return ""
        inner = any("*" in word for word in words[:-1]) or "*" in words[-1].rstrip("*")
        if not inner:
            text = " ".join(words)
            return f'"{text.rstrip("*")}" *' if text.endswith("*") else f'"{text}"'
        forms = [self._forms(word) if "*" in word else [word] for word in words]
        if not all(forms):
            return ""
        combinations = itertools.islice(itertools.product(*forms), MOST_FORMS * 4)
        return " OR ".join(f'"{" ".join(parts)}"' for parts in combinations)

    def _forms(self, word: str) -> list[str]:
        pattern = word.casefold().replace("*", "%")
        sql = "SELECT term FROM vocabulary WHERE term LIKE ? AND term >= ? ORDER BY doc DESC LIMIT ?"
        stem = word.casefold().split("*", 1)[0]
        return [row[0] for row in self.corpus.rows(sql, (pattern, stem, MOST_FORMS)) if row[0] != GAP]

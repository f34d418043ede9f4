"""Automatic term mapping: what PubMed makes of words without a field tag.

As in PubMed: the longest run of words that names a MeSH heading or an entry term becomes the heading or its words; then
journals, then authors; what is left is searched word by word, with its plural or singular, and joined by AND.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from litapp.core.querylang import And, Field, Node, Or, Term
from litapp.sandbox.corpus.headings import Headings
from litapp.sandbox.corpus.index import folded
from litapp.sandbox.corpus.store import Corpus
from litapp.sandbox.corpus.vocabularies import STOP_WORDS
from litapp.sandbox.corpus.words import Words, split_words

LONGEST_RUN = 7
"""Most words that are tried together as one heading."""


@dataclass(slots=True)
class Mapped:
    """The tree that stands for the words (None when none is known), PubMed's list of what became what, and the words
    that occur nowhere and were dropped."""

    tree: Node | None = None
    translations: list[tuple[str, str]] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)


class TermMapping:
    """Maps untagged words of a query."""

    def __init__(self, corpus: Corpus, words: Words, headings: Headings) -> None:
        self.corpus, self.words, self.headings = corpus, words, headings

    def map(self, text: str) -> Mapped:
        """Map the words of one untagged term."""
        mapped = Mapped()
        written = text.split()
        if len(written) == 1 and written[0].replace(",", "").isdigit() and len(written[0]) >= 4:
            number = Term(written[0].replace(",", ""), Field.PMID)
            mapped.tree = Or((number, Term(number.text, Field.ALL)))
            return mapped
        parts: list[Node] = []
        position = 0
        while position < len(written):
            length, node = self._longest(written, position)
            shown = " ".join(written[position : position + length])
            position += length
            if node is not None:
                parts.append(node)
                mapped.translations.append((shown, _printed(node)))
                continue
            word_node = self._word(shown, mapped)
            if word_node is not None:
                parts.append(word_node)
        if parts:
            mapped.tree = parts[0] if len(parts) == 1 else And(tuple(parts))
        return mapped

    def _longest(self, written: list[str], position: int) -> tuple[int, Node | None]:
        most = min(LONGEST_RUN, len(written) - position)
        for length in range(most, 0, -1):
            run = " ".join(written[position : position + length])
            node = self._heading(run) or self._journal(run) or (self._author(run) if length > 1 else None)
            if node is not None:
                return length, node
        return 1, None

    def _heading(self, run: str) -> Node | None:
        if run.casefold() in STOP_WORDS:
            return None
        name = self.headings.preferred(run)
        if not name:
            return None
        alternatives: list[Node] = [Term(name, Field.MESH, phrase=True)]
        for text in dict.fromkeys((name, run.casefold())):
            words = split_words(text)
            if len(words) > 1:
                alternatives.append(And(tuple(Term(word, Field.ALL, phrase=True) for word in words)))
            alternatives.append(Term(" ".join(words), Field.ALL, phrase=True))
            alternatives.extend(Term(form, Field.ALL, phrase=True) for form in self._forms(words))
        return Or(tuple(dict.fromkeys(alternatives)))

    def _journal(self, run: str) -> Node | None:
        if len(run) < 3 or not self.corpus.rows(
            "SELECT 1 FROM attribute WHERE kind = 'ta' AND value = ? LIMIT 1", (folded(run),)
        ):
            return None
        words = split_words(run)
        everywhere: Node = Term(" ".join(words).casefold(), Field.ALL, phrase=True)
        return Or((Term(run, Field.JOURNAL, phrase=True), everywhere))

    def _author(self, run: str) -> Node | None:
        *_, last = run.split()
        if len(last) > 3 or not last.isalpha():
            return None
        rows = self.corpus.rows("SELECT 1 FROM attribute WHERE kind = 'au' AND value = ? LIMIT 1", (folded(run),))
        return Term(run, Field.AUTHOR) if rows else None

    def _word(self, text: str, mapped: Mapped) -> Node | None:
        words = [word for word in split_words(text) if word.casefold() not in STOP_WORDS]
        if not words:
            return None
        if not all(self.words.known(word) for word in words):
            mapped.unknown.append(text)
            return None
        exact = Term(" ".join(words).casefold(), Field.ALL, phrase=True)
        forms = self._forms(words)
        if not forms:
            return exact
        node = Or((exact, *(Term(form, Field.ALL, phrase=True) for form in forms)))
        mapped.translations.append((text, _printed(node)))
        return node

    def _forms(self, words: list[str]) -> list[str]:
        """Plural or singular of a single word, where the corpus has it."""
        if len(words) != 1 or not words[0].isalpha() or len(words[0]) < 4:
            return []
        word = words[0].casefold()
        tried = [word[:-1]] if word.endswith("s") and not word.endswith("ss") else [word + "s"]
        return [form for form in tried if self.words.known(form)]


def _printed(node: Node) -> str:
    if isinstance(node, Or):
        return " OR ".join(_printed(child) for child in node.children)
    if isinstance(node, And):
        return "(" + " AND ".join(_printed(child) for child in node.children) + ")"
    return f'"{node.text}"[{node.field.value}]' if isinstance(node, Term) else ""

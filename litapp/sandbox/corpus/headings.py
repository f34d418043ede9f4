"""MeSH headings: entry terms, explosion along the tree, subheadings."""

from __future__ import annotations

from litapp.core.querylang import Field, Term
from litapp.sandbox.corpus.index import folded
from litapp.sandbox.corpus.store import Corpus
from litapp.sandbox.corpus.vocabularies import NARROWER_SUBHEADINGS

_TREE = "t.number = n.number OR (t.number >= n.number || '.' AND t.number < n.number || '/')"


class Headings:
    """Searches by MeSH heading. Without a loaded MeSH tree a heading is not exploded: it finds itself only."""

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus

    def preferred(self, text: str) -> str:
        """The heading a text names (itself, or the heading whose entry term it is); "" if none is known."""
        name = " ".join(text.casefold().split())
        rows = self.corpus.rows("SELECT name FROM mesh_entry WHERE term = ?", (name,))
        if rows:
            return str(rows[0][0])
        rows = self.corpus.rows("SELECT name FROM heading WHERE name = ? LIMIT 1", (name,))
        return str(rows[0][0]) if rows else ""

    def known(self, term: Term) -> bool:
        """True when the term is a heading, or a truncated text that fits one."""
        return bool(self._names(term))

    def narrower(self, name: str) -> list[str]:
        """The heading and everything below it in the tree, lower case; only itself without a tree."""
        sql = f"SELECT DISTINCT t.name FROM mesh_tree n JOIN mesh_tree t ON {_TREE} WHERE n.name = ?"  # noqa: S608 - a constant
        rows = self.corpus.rows(sql, (name,))
        return [row[0] for row in rows] or [name]

    def find(self, term: Term) -> set[int]:
        """Articles with the heading, exploded unless the term says otherwise."""
        found: set[int] = set()
        qualifiers = self._qualifiers(term.qualifier, term.explode) if term.qualifier else [""]
        for name in self._names(term):
            names = self.narrower(name) if term.explode and not term.truncated else [name]
            for qualifier in qualifiers:
                found |= self._with(names, qualifier, term.field is Field.MESH_MAJOR)
        return found

    def find_subheading(self, text: str, explode: bool) -> set[int]:
        """Articles with the subheading on any heading."""
        found: set[int] = set()
        for qualifier in self._qualifiers(text, explode):
            found |= self.corpus.numbers("SELECT article FROM heading WHERE qualifier = ?", (qualifier,))
        return found

    def _names(self, term: Term) -> list[str]:
        if term.truncated:
            pattern = " ".join(term.heading.casefold().split()).replace("*", "%")
            rows = self.corpus.rows("SELECT DISTINCT name FROM heading WHERE name LIKE ?", (pattern,))
            return [row[0] for row in rows]
        name = self.preferred(term.heading)
        return [name] if name else []

    def _with(self, names: list[str], qualifier: str, major: bool) -> set[int]:
        found: set[int] = set()
        for start in range(0, len(names), 500):
            part = names[start : start + 500]
            marks = ",".join("?" * len(part))
            sql = f"SELECT article FROM heading WHERE name IN ({marks}) AND qualifier = ? AND major >= ?"  # noqa: S608 - only question marks
            found |= self.corpus.numbers(sql, (*part, qualifier, int(major)))
        return found

    @staticmethod
    def _qualifiers(text: str, explode: bool) -> list[str]:
        name = folded(text)
        return [name, *NARROWER_SUBHEADINGS.get(name, ())] if explode else [name]

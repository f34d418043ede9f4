"""Looks MeSH headings up by name, entry term or place in the tree, and finds names that come close to a wrong one.

The whole vocabulary (2024: 30,764 headings, 132,802 names) is kept as the lines of its file and taken apart on demand.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from functools import cached_property

from litapp.core.mesh.heading import MeshHeading, key_of

MOST_CLOSE = 4
"""Names that are offered in place of one that does not exist."""
LIKE = 0.72
"""Likeness (0 to 1, `difflib`) from which a name is offered."""


class MeshIndex:
    """A vocabulary in memory. `edition` is the year NLM gave it, "" if the file does not say.

    It satisfies `querylang.vocabulary.Vocabulary` and `querylang.draft.HeadingLookup`.
    """

    def __init__(self, lines: Sequence[str], edition: str = "") -> None:
        """`lines` as `files.read_mesh` gives them: ui, name, tree numbers, entry terms, scope, tab between."""
        self.edition = edition
        self._lines = lines
        self._places: dict[str, int] = {}
        entries: dict[str, int] = {}
        for place, line in enumerate(lines):
            _, name, _, terms, *_ = line.split("\t")
            self._places.setdefault(key_of(name), place)
            for term in terms.split("|"):
                if term:
                    entries.setdefault(key_of(term), place)
        for term, place in entries.items():
            self._places.setdefault(term, place)

    def __len__(self) -> int:
        return len(self._lines)

    @property
    def headings(self) -> Iterable[MeshHeading]:
        """Every heading, in the order of the file."""
        return (_heading(line) for line in self._lines)

    def heading(self, name: str) -> MeshHeading | None:
        """The heading that `name` is, or is an entry term of; None if there is none."""
        place = self._places.get(key_of(name))
        return None if place is None else _heading(self._lines[place])

    def preferred(self, name: str) -> str | None:
        """The name of that heading as MeSH writes it; None if there is none."""
        found = self.heading(name)
        return None if found is None else found.name

    def entry_terms(self, heading: str) -> tuple[str, ...]:
        """The entry terms of a heading, () if it is unknown."""
        found = self.heading(heading)
        return found.entry_terms if found else ()

    def surely_absent(self, name: str) -> bool:
        """False always: a file of one year does not know what NLM added later."""
        return False

    def by_ui(self, ui: str) -> MeshHeading | None:
        """The heading with this number ("D006333"); None if there is none."""
        place = self._uis.get(ui.strip().upper())
        return None if place is None else _heading(self._lines[place])

    def at(self, number: str) -> MeshHeading | None:
        """The heading at a place in the tree ("C14.280.434"); None if there is none."""
        place = self._tree.get(number)
        return None if place is None else _heading(self._lines[place])

    def above(self, number: str) -> list[MeshHeading]:
        """The headings above a place in the tree, the topmost first."""
        parts = number.split(".")
        found = (self.at(".".join(parts[:length])) for length in range(1, len(parts)))
        return [heading for heading in found if heading is not None]

    def below(self, number: str) -> list[tuple[str, MeshHeading]]:
        """The headings one step below a place in the tree, each with its own place, in the tree's order."""
        numbers, found = self._numbers, []
        place = bisect_left(numbers, f"{number}.")
        while place < len(numbers) and numbers[place].startswith(f"{number}."):
            if numbers[place].count(".") == number.count(".") + 1:
                found.append((numbers[place], _heading(self._lines[self._tree[numbers[place]]])))
            place += 1
        return found

    def count_below(self, number: str) -> int:
        """How many places lie anywhere below this one: what explosion adds."""
        return bisect_left(self._numbers, f"{number}/") - bisect_left(self._numbers, f"{number}.")

    def find(self, words: str, limit: int = 20) -> list[MeshHeading]:
        """Headings for words: called so, then beginning so, then with all the words in a name or entry term."""
        wanted = key_of(words)
        if not wanted or limit < 1:
            return []
        parts = wanted.split()
        ranked: dict[int, tuple[int, int, str]] = {}
        for name, place in self._places.items():
            if not all(part in name for part in parts):
                continue
            kind = 0 if name == wanted else 1 if name.startswith(wanted) else 2
            rank = (kind, len(name), name)
            if place not in ranked or rank < ranked[place]:
                ranked[place] = rank
        best = sorted(ranked, key=lambda place: ranked[place])[:limit]
        return [_heading(self._lines[place]) for place in best]

    def close(self, name: str) -> tuple[str, ...]:
        """Headings whose name, or an entry term, is spelled like `name`, the closest first; () if none comes close."""
        wanted = key_of(name)
        words = [word for word in wanted.split() if len(word) > 3]
        scored: dict[int, float] = {}
        matcher = SequenceMatcher(b=wanted, autojunk=False)
        for known, place in self._places.items():
            if abs(len(known) - len(wanted)) > max(3, len(wanted) // 2):
                continue
            if known[:2] != wanted[:2] and not any(word in known for word in words):
                continue
            matcher.set_seq1(known)
            if matcher.real_quick_ratio() < LIKE or matcher.quick_ratio() < LIKE:
                continue
            likeness = matcher.ratio()
            if likeness >= LIKE:
                scored[place] = max(scored.get(place, 0.0), likeness)
        best = sorted(scored, key=lambda place: (-scored[place], place))[:MOST_CLOSE]
        return tuple(_heading(self._lines[place]).name for place in best)

    @cached_property
    def _tree(self) -> dict[str, int]:
        places = {}
        for place, line in enumerate(self._lines):
            for number in line.split("\t", 3)[2].split("|"):
                if number:
                    places[number] = place
        return places

    @cached_property
    def _numbers(self) -> list[str]:
        return sorted(self._tree)

    @cached_property
    def _uis(self) -> dict[str, int]:
        return {line.split("\t", 1)[0]: place for place, line in enumerate(self._lines)}


def _heading(line: str) -> MeshHeading:
    ui, name, numbers, terms, *scope = line.split("\t")
    return MeshHeading(ui, name, _parts(numbers), _parts(terms), scope[0] if scope else "")


def _parts(text: str) -> tuple[str, ...]:
    return tuple(part for part in text.split("|") if part)

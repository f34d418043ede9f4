"""Whether two names mean the same journal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class JournalNames:
    """Known names of journals. `ids` maps a journal key (core.normalise.journal_key) to the journals it can mean."""

    ids: Mapping[str, frozenset[int]] = field(default_factory=dict)

    @classmethod
    def from_names(cls, journals: Iterable[Iterable[str]]) -> JournalNames:
        """Build from one list of names (full title, abbreviations ...) per journal."""
        raise NotImplementedError

    def knows(self, name: str) -> bool:
        """True when the list holds a journal of this name."""
        raise NotImplementedError

    def same(self, a: str, b: str) -> bool:
        """True when some journal of the list has both names."""
        raise NotImplementedError


NO_JOURNAL_NAMES = JournalNames()

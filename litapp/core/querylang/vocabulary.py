"""What the linter asks of a vocabulary of subject headings; the data come from a file, a table or a service."""

from __future__ import annotations

from typing import Protocol


class Vocabulary(Protocol):
    """MeSH as far as it is at hand."""

    @property
    def edition(self) -> str:
        """The year of the vocabulary ("2024"), "" if it is not known."""
        ...

    def preferred(self, name: str) -> str | None:
        """The heading that `name` (in any case) is, or is an entry term of, as MeSH writes it; None if unknown."""
        ...

    def surely_absent(self, name: str) -> bool:
        """True when NLM itself said that there is no such heading. False = only the data at hand do not have it."""
        ...

    def close(self, name: str) -> tuple[str, ...]:
        """Headings that are spelled nearly so, the closest first."""
        ...

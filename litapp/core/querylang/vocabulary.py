"""What the linter asks of a vocabulary of subject headings; the data come from a file, a table or a service."""

from __future__ import annotations

from typing import Protocol


class Vocabulary(Protocol):
    """MeSH as far as it is at hand."""

    @property
    def complete(self) -> bool:
        """False when headings may be missing: then an unknown heading is a doubt, no fault."""
        ...

    def preferred(self, name: str) -> str | None:
        """The heading that `name` (in any case) is, or is an entry term of, as MeSH writes it; None if unknown."""
        ...

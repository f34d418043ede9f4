"""One MeSH heading: its name, its places in the tree, the words that lead to it, its scope note."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class MeshHeading:
    """A heading as the NLM names it. `scope` is "" where the file at hand has no scope notes."""

    ui: str
    name: str
    tree_numbers: tuple[str, ...] = ()
    entry_terms: tuple[str, ...] = ()
    scope: str = ""


def key_of(name: str) -> str:
    """The form under which a name is looked up: any case, single spaces, no quotation marks."""
    return " ".join(name.replace('"', " ").casefold().split())

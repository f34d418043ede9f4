"""A first draft of a strategy from a typed question, without a model: PubMed's own translation and MeSH look-ups.

PubMed maps every part of an untagged question to headings and words (its query translation). Each such part is one
concept: its heading, the heading's entry terms and the words become a block joined by OR; the blocks are joined by AND.
Every term says where it came from, so that a person can take it out.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from litapp.core.querylang.ast import MESH_FIELDS, And, Field, Node, Not, Or, Term, leaves
from litapp.core.querylang.parser import parse
from litapp.core.querylang.printer import print_pubmed


class Origin(StrEnum):
    """Where a term came from."""

    QUESTION = "the question"
    PUBMED = "PubMed's translation"
    HEADING = "MeSH heading"
    ENTRY_TERM = "MeSH entry term"
    SEED = "a seed paper"
    SPELLING = "a spelling suggestion"
    FILTER = "a published filter"
    APPENDIX = "a published appendix"
    PERSON = "a person"


class HeadingLookup(Protocol):
    """MeSH headings with their entry terms."""

    def preferred(self, name: str) -> str | None:
        """The heading that `name` is or is an entry term of; None if MeSH has none."""
        ...

    def entry_terms(self, heading: str) -> tuple[str, ...]:
        """The entry terms of a heading, () if none are known."""
        ...


@dataclass(frozen=True, slots=True)
class DraftTerm:
    """One term of a block with its origin."""

    term: Term
    origin: Origin


@dataclass(frozen=True, slots=True)
class DraftBlock:
    """One concept: `label` is its heading or its words in the question."""

    label: str
    terms: tuple[DraftTerm, ...]

    @property
    def tree(self) -> Node:
        """The terms joined by OR."""
        nodes = tuple(found.term for found in self.terms)
        return nodes[0] if len(nodes) == 1 else Or(nodes)


MOST_ENTRY_TERMS = 12
"""Entry terms taken into a block; the rest is named in `Draft.left_out`."""


@dataclass(frozen=True, slots=True)
class Draft:
    """The blocks, and entry terms that were not taken in because there were too many."""

    blocks: tuple[DraftBlock, ...]
    left_out: tuple[str, ...] = ()

    @property
    def query(self) -> str:
        """The draft as a PubMed query; "" without blocks."""
        trees = tuple(block.tree for block in self.blocks)
        if not trees:
            return ""
        return print_pubmed(trees[0] if len(trees) == 1 else And(trees))

    def without(self, block: int, term: int | None = None) -> Draft:
        """The draft without a block, or without one term of it (a block without terms goes)."""
        blocks = list(self.blocks)
        if term is None or len(blocks[block].terms) == 1:
            del blocks[block]
        else:
            kept = blocks[block]
            blocks[block] = DraftBlock(kept.label, kept.terms[:term] + kept.terms[term + 1 :])
        return Draft(tuple(blocks), self.left_out)


def draft_from_translation(translation: str, headings: HeadingLookup) -> Draft:
    """The draft from what PubMed reports as its translation of the question.

    Only headings that `headings` knows are used. Raises QuerySyntaxError if the translation cannot be read.
    """
    blocks: list[DraftBlock] = []
    left_out: list[str] = []
    for part in _concepts(parse(translation)):
        block, rest = _block(part, headings)
        if block is not None and block.label.casefold() not in {known.label.casefold() for known in blocks}:
            blocks.append(block)
            left_out.extend(rest)
    return Draft(tuple(blocks), tuple(left_out))


def _concepts(tree: Node) -> Iterable[Node]:
    """The parts that PubMed joined by AND: each is a concept of the question."""
    while isinstance(tree, Not):
        tree = tree.keep
    if isinstance(tree, And) and not all(isinstance(child, Term) for child in tree.children):
        for child in tree.children:
            yield from _concepts(child)
    elif isinstance(tree, And):
        yield from tree.children
    else:
        yield tree


def _block(part: Node, headings: HeadingLookup) -> tuple[DraftBlock | None, list[str]]:
    terms: list[DraftTerm] = []
    names: list[str] = []
    words: list[Term] = []
    for leaf in _alternatives(part):
        if leaf.field in MESH_FIELDS:
            name = headings.preferred(leaf.heading)
            if name is not None and name not in names:
                names.append(name)
        elif leaf.field in (Field.ALL, Field.TITLE_ABSTRACT, Field.TEXT_WORD, Field.UNTAGGED):
            words.append(leaf)
    if not names:
        found = (headings.preferred(word.text) for word in words)
        names = list(dict.fromkeys(name for name in found if name is not None))
    terms += [DraftTerm(Term(name, Field.MESH, phrase=True), Origin.HEADING) for name in names]
    seen: set[str] = set()
    for word in words:
        _add_word(terms, seen, word.text, Origin.PUBMED)
    entries = [entry for name in names for entry in headings.entry_terms(name) if "," not in entry]
    fresh = [entry for entry in dict.fromkeys(entries) if entry.casefold() not in seen]
    for entry in fresh[:MOST_ENTRY_TERMS]:
        _add_word(terms, seen, entry, Origin.ENTRY_TERM)
    if not terms:
        return None, []
    return DraftBlock(names[0] if names else terms[0].term.text, tuple(terms)), fresh[MOST_ENTRY_TERMS:]


def _alternatives(part: Node) -> list[Term]:
    """The terms any of which finds the concept. Words that must stand together, such as "heart" AND "failure", are no
    alternatives: PubMed gives the phrase beside them. Only where it does not do they stand for themselves."""
    found: list[Term] = []
    waiting = [part]
    while waiting:
        node = waiting.pop(0)
        if isinstance(node, Or):
            waiting = [*node.children, *waiting]
        elif isinstance(node, Term):
            found.append(node)
    return found or [leaf for leaf in leaves(part, wanted_only=True) if isinstance(leaf, Term)]


def _add_word(terms: list[DraftTerm], seen: set[str], text: str, origin: Origin) -> None:
    clean = " ".join(text.replace('"', " ").split())
    if clean and clean.casefold() not in seen:
        seen.add(clean.casefold())
        terms.append(DraftTerm(Term(clean, Field.TITLE_ABSTRACT, phrase=" " in clean), origin))

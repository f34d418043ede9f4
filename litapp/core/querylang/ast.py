"""The query tree: frozen nodes of a Boolean search, with the place in the text each was read from.

Two trees are equal when they ask the same thing: the places (`span`) do not count. Every source's query is printed
from this tree; the sandbox evaluates it. PubMed's parser makes And, Or, Not, Term, Proximity and Range only; the other
databases' parsers (`dialects`) also make Near and, in numbered lists, LineReference.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple


class Span(NamedTuple):
    """Half-open range of character positions in the text that was parsed."""

    start: int
    end: int


NOWHERE = Span(0, 0)
"""The span of a node that was not read from a text."""


class Field(StrEnum):
    """Search fields. The value is PubMed's full name of the field, as its query translation writes it.

    Source: PubMed's field list (einfo, db=pubmed) and the search field tags of PubMed's help page. Behind
    DATE_MESH come fields that PubMed does not have (OTHER_DATABASES_FIELDS).
    """

    UNTAGGED = ""
    """No tag: PubMed applies automatic term mapping."""
    UNKNOWN = "Unknown"
    """A tag PubMed does not know; the term keeps it in `tag`."""
    ALL = "All Fields"
    TITLE = "Title"
    TITLE_ABSTRACT = "Title/Abstract"
    ABSTRACT = "Abstract"
    TEXT_WORD = "Text Word"
    OTHER_TERM = "Other Term"
    TRANSLITERATED_TITLE = "Transliterated Title"
    MESH = "MeSH Terms"
    MESH_MAJOR = "MeSH Major Topic"
    SUBHEADING = "MeSH Subheading"
    SUPPLEMENTARY_CONCEPT = "Supplementary Concept"
    PHARMACOLOGICAL_ACTION = "Pharmacological Action"
    REGISTRY_NUMBER = "EC/RN Number"
    PUBLICATION_TYPE = "Publication Type"
    AUTHOR = "Author"
    FIRST_AUTHOR = "Author - First"
    LAST_AUTHOR = "Author - Last"
    CORPORATE_AUTHOR = "Author - Corporate"
    AUTHOR_IDENTIFIER = "Author - Identifier"
    INVESTIGATOR = "Investigator"
    EDITOR = "Editor"
    PERSONAL_NAME_SUBJECT = "Subject - Personal Name"
    AFFILIATION = "Affiliation"
    JOURNAL = "Journal"
    NLM_UNIQUE_ID = "NLM Unique ID"
    VOLUME = "Volume"
    ISSUE = "Issue"
    PAGINATION = "Pagination"
    LANGUAGE = "Language"
    PLACE_OF_PUBLICATION = "Place of Publication"
    PUBLISHER = "Publisher"
    BOOK = "Book"
    ISBN = "ISBN"
    PMID = "UID"
    DOI = "DOI"
    ARTICLE_IDENTIFIER = "Article Identifier"
    LOCATION_ID = "Location ID"
    SECONDARY_SOURCE_ID = "Secondary Source ID"
    GRANT = "Grants and Funding"
    CONFLICT_OF_INTEREST = "Conflict of Interest Statements"
    SUBSET = "Subset"
    FILTER = "Filter"
    DATE_PUBLICATION = "Date - Publication"
    DATE_PRINT = "Print Publication Date"
    DATE_ELECTRONIC = "Electronic Publication Date"
    DATE_ENTRY = "Date - Entry"
    DATE_CREATE = "Date - Create"
    DATE_COMPLETION = "Date - Completion"
    DATE_MODIFICATION = "Date - Modification"
    DATE_MESH = "Date - MeSH"
    HEADING_WORD = "Heading Word"
    """Words of subject headings: Ovid `.hw.`, CENTRAL's part of `:kw`, Scopus `INDEXTERMS()`, EBSCO `MW`."""
    KEYWORDS_PLUS = "Keywords Plus"
    """Words that Web of Science takes from the titles of cited papers."""
    MULTI_PURPOSE = "Multi-Purpose"
    """Ovid `.mp.`: title, abstract, headings, substances, keywords; which ones differs by database."""
    EMTREE = "Emtree"
    EMTREE_MAJOR = "Emtree Major"
    CINAHL_HEADING = "CINAHL Heading"
    CINAHL_MAJOR = "CINAHL Major Heading"
    THESAURUS = "Thesaurus"
    """A heading of another vocabulary, for example the APA thesaurus."""
    THESAURUS_MAJOR = "Thesaurus Major"
    OTHER = "Other Field"
    """A field of one database only; the term keeps its code in `tag`."""


OTHER_DATABASES_FIELDS = frozenset(
    {
        Field.HEADING_WORD,
        Field.KEYWORDS_PLUS,
        Field.MULTI_PURPOSE,
        Field.EMTREE,
        Field.EMTREE_MAJOR,
        Field.CINAHL_HEADING,
        Field.CINAHL_MAJOR,
        Field.THESAURUS,
        Field.THESAURUS_MAJOR,
        Field.OTHER,
    }
)
"""Fields that PubMed does not have."""
DATE_FIELDS = frozenset(f for f in Field if f.name.startswith("DATE_"))
MESH_FIELDS = frozenset({Field.MESH, Field.MESH_MAJOR})
MAJOR_FIELDS = frozenset({Field.MESH_MAJOR, Field.EMTREE_MAJOR, Field.CINAHL_MAJOR, Field.THESAURUS_MAJOR})
HEADING_FIELDS = MESH_FIELDS | MAJOR_FIELDS | frozenset({Field.EMTREE, Field.CINAHL_HEADING, Field.THESAURUS})
"""Fields whose terms are headings of a controlled vocabulary."""
TEXT_FIELDS = frozenset(
    {Field.UNTAGGED, Field.UNKNOWN, Field.ALL, Field.TITLE, Field.TITLE_ABSTRACT, Field.ABSTRACT, Field.TEXT_WORD}
)
"""Fields searched as free text: a lower-case "and" between words is an operator there, not part of a name."""


@dataclass(frozen=True, slots=True)
class Term:
    """Words searched in one field.

    `text` has its blanks collapsed and keeps every `*`; `phrase` = it stood in quotes (or side by side where that
    makes a phrase); `explode` is False for `[mh:noexp]` and the like; `tag` is filled only for Field.UNKNOWN,
    Field.OTHER and limits. `also` = further fields in which the words are looked for: `x.ti,ab.` has TITLE and
    (ABSTRACT,). Wildcards of other databases are written in one way: `?` one character, `$` none or one, `*{2}` at
    most two; in a tree of PubMed's these characters stand for themselves.
    """

    text: str
    field: Field = Field.UNTAGGED
    phrase: bool = False
    explode: bool = True
    tag: str = ""
    span: Span = dataclasses.field(default=NOWHERE, compare=False, repr=False)
    also: tuple[Field, ...] = ()

    @property
    def truncated(self) -> bool:
        """True when the text holds a wildcard."""
        return "*" in self.text

    @property
    def heading(self) -> str:
        """The MeSH heading of `"Masks/adverse effects"[mh]`: the part before the slash."""
        return self.text.split("/", 1)[0].strip() if self.field in HEADING_FIELDS else self.text

    @property
    def qualifier(self) -> str:
        """The subheading of `"Masks/adverse effects"[mh]`, or ""."""
        parts = self.text.split("/", 1) if self.field in HEADING_FIELDS else [self.text]
        return parts[1].strip() if len(parts) == 2 else ""


@dataclass(frozen=True, slots=True)
class Proximity:
    """All words of `text` with at most `distance` words between them, in any order: `"a b"[tiab:~3]`."""

    text: str
    field: Field
    distance: int
    span: Span = dataclasses.field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Range:
    """A closed range, mostly of dates: `2015:2020[dp]`. `low` and `high` as written (YYYY, YYYY/MM or YYYY/MM/DD)."""

    low: str
    high: str
    field: Field
    span: Span = dataclasses.field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class And:
    """All of the children (two or more)."""

    children: tuple[Node, ...]
    span: Span = dataclasses.field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Or:
    """At least one of the children (two or more)."""

    children: tuple[Node, ...]
    span: Span = dataclasses.field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Not:
    """`keep` without `drop`."""

    keep: Node
    drop: Node
    span: Span = dataclasses.field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Near:
    """`left` and `right` in one field with at most `distance` words between them; `ordered` = left comes first."""

    left: Node
    right: Node
    distance: int
    ordered: bool = False
    span: Span = dataclasses.field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class LineReference:
    """The result of another line of a numbered list: `#3`, `S3` or `3`."""

    number: int
    span: Span = dataclasses.field(default=NOWHERE, compare=False, repr=False)


Leaf = Term | Proximity | Range
Node = And | Or | Not | Near | Term | Proximity | Range | LineReference


def children_of(node: Node) -> tuple[Node, ...]:
    """The direct children, left to right; () for a leaf."""
    if isinstance(node, And | Or):
        return node.children
    if isinstance(node, Not):
        return (node.keep, node.drop)
    if isinstance(node, Near):
        return (node.left, node.right)
    return ()


def leaves(tree: Node, *, wanted_only: bool = False) -> Iterator[Leaf]:
    """Every leaf, left to right, but no references to lines. `wanted_only` leaves out what stands behind a NOT."""
    stack = [tree]
    while stack:
        node = stack.pop()
        if isinstance(node, Term | Proximity | Range):
            yield node
        elif isinstance(node, Not) and wanted_only:
            stack.append(node.keep)
        else:
            stack.extend(reversed(children_of(node)))

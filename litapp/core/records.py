"""The bibliographic record as a source stated it: frozen, comparable, serialisable.

Every field holds what a source returned or is empty; nothing is ever filled in.
`record_to_dict` / `record_from_dict` are the one JSON form (ledger, bundles, tests);
reading back what was written gives an equal record.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import Any


class Scheme(StrEnum):
    """Identifier schemes. The value is what is stored and shown."""

    DOI = "doi"
    PMID = "pmid"
    PMCID = "pmcid"
    ARXIV = "arxiv"
    OPENALEX = "openalex"
    S2 = "s2"
    ISSN = "issn"
    ISBN = "isbn"


class NoticeKind(StrEnum):
    """What happened to a published paper (Crossref `update-to` types, PubMed CommentsCorrections)."""

    RETRACTION = "retraction"
    PARTIAL_RETRACTION = "partial_retraction"
    CONCERN = "expression_of_concern"
    CORRECTION = "correction"
    WITHDRAWAL = "withdrawal"
    REINSTATEMENT = "reinstatement"


class _Pickled:
    """Pickled as a call with all fields: what dataclasses do for frozen ones with slots takes three times as long."""

    __slots__ = ()

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), tuple(getattr(self, name) for name in _NAMES[type(self)])


@dataclass(frozen=True, slots=True, order=True)
class Identifier(_Pickled):
    """One identifier in normal form (see `core.identifiers.normalise`)."""

    scheme: Scheme
    value: str


@dataclass(frozen=True, slots=True)
class Person(_Pickled):
    """An author as printed. A group has only `literal`; a person has `family` and maybe `given`."""

    family: str = ""
    given: str = ""
    suffix: str = ""
    literal: str = ""

    @property
    def name(self) -> str:
        """The name for reading: "Horby Peter" order is never guessed; family first, then given."""
        if self.literal:
            return self.literal
        return " ".join(part for part in (self.family, self.given, self.suffix) if part)


@dataclass(frozen=True, slots=True)
class PartialDate(_Pickled):
    """A date known to the year, month or day. `text` keeps what could not be read (season, range)."""

    year: int | None = None
    month: int | None = None
    day: int | None = None
    text: str = ""


@dataclass(frozen=True, slots=True)
class AbstractSection(_Pickled):
    """One part of an abstract. `label` as printed ("METHODS"), `category` NLM's (may be empty)."""

    text: str
    label: str = ""
    category: str = ""


@dataclass(frozen=True, slots=True)
class MeshHeading(_Pickled):
    """A MeSH heading as PubMed assigned it. `qualifiers` are subheadings; `major` = major topic."""

    descriptor: str
    ui: str = ""
    qualifiers: tuple[str, ...] = ()
    major: bool = False


@dataclass(frozen=True, slots=True)
class Notice(_Pickled):
    """A statement of the source that this record was retracted, corrected ...; `doi`/`pmid` name the notice."""

    kind: NoticeKind
    doi: str = ""
    pmid: str = ""
    date: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class Record(_Pickled):
    """One record as one source returned it. `source` is a source key of `providers.registry`."""

    source: str
    source_id: str
    title: str = ""
    original_title: str = ""
    authors: tuple[Person, ...] = ()
    authors_complete: bool = True
    journal: str = ""
    journal_abbreviation: str = ""
    journal_alternatives: tuple[str, ...] = ()
    """Other names the source gives for where it appeared: series and book, a second container title."""
    issns: tuple[str, ...] = ()
    publisher: str = ""
    volume: str = ""
    issue: str = ""
    pages: str = ""
    date: PartialDate = field(default_factory=PartialDate)
    years: tuple[int, ...] = ()
    """All years the source gives (print, online, created), sorted; a year is right if it is one of these."""
    csl_type: str = "article-journal"
    publication_types: tuple[str, ...] = ()
    abstract: tuple[AbstractSection, ...] = ()
    mesh: tuple[MeshHeading, ...] = ()
    keywords: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    identifiers: tuple[Identifier, ...] = ()
    url: str = ""
    notices: tuple[Notice, ...] = ()
    is_notice: bool = False
    """True for a retraction notice, erratum ... itself: never a retracted paper."""
    is_preprint: bool = False
    published_as: tuple[Identifier, ...] = ()
    """Identifiers that the source names for the published version of this preprint; they are not the record's own."""
    comments: tuple[Identifier, ...] = ()
    """Papers that the source links as comments on this one (letters, editorials)."""
    warnings: tuple[str, ...] = ()

    def identifier(self, scheme: Scheme) -> str:
        """The first identifier of `scheme`, or "" where the source gave none."""
        return next((i.value for i in self.identifiers if i.scheme is scheme), "")

    @property
    def doi(self) -> str:
        return self.identifier(Scheme.DOI)

    @property
    def pmid(self) -> str:
        return self.identifier(Scheme.PMID)

    @property
    def year(self) -> int | None:
        return self.date.year

    @property
    def abstract_text(self) -> str:
        """The abstract as plain text, labels kept, sections parted by a blank line."""
        return "\n\n".join(f"{s.label}: {s.text}" if s.label else s.text for s in self.abstract)


def record_to_dict(record: Record) -> dict[str, Any]:
    """JSON form; empty fields are left out."""
    return _without_empty(record)


def _without_empty(value: Any) -> dict[str, Any]:
    """The filled fields of one of our dataclasses. `dataclasses.asdict` would take five times as long."""
    form = {}
    for name in _NAMES[type(value)]:
        item = getattr(value, name)
        if item is not None and item != "" and item != ():
            form[name] = item if type(item) is str else _plain(item)
    return form


def _plain(value: Any) -> Any:
    kind = type(value)
    if kind is str or kind is int or kind is bool:
        return value
    if kind is tuple:
        return [item if type(item) is str else _plain(item) for item in value]
    return _without_empty(value) if kind in _NAMES else str(value)


_NAMES: dict[type, tuple[str, ...]] = {
    form: tuple(field.name for field in fields(form))
    for form in (Record, Person, PartialDate, AbstractSection, MeshHeading, Identifier, Notice)
}


def record_from_dict(data: dict[str, Any]) -> Record:
    """Inverse of `record_to_dict`. Raises KeyError/TypeError/ValueError on a form that was never written."""
    values = {"source": "", "source_id": "", **data}
    values["authors"] = tuple(Person(**p) for p in values.get("authors", ()))
    values["date"] = PartialDate(**values.get("date", {}))
    values["abstract"] = tuple(AbstractSection(**s) for s in values.get("abstract", ()))
    values["mesh"] = tuple(
        MeshHeading(**{**m, "qualifiers": tuple(m.get("qualifiers", ()))}) for m in values.get("mesh", ())
    )
    for name in ("identifiers", "published_as", "comments"):
        values[name] = tuple(Identifier(Scheme(i["scheme"]), i["value"]) for i in values.get(name, ()))
    values["notices"] = tuple(Notice(**{**n, "kind": NoticeKind(n["kind"])}) for n in values.get("notices", ()))
    for name in ("journal_alternatives", "issns", "years", "publication_types", "keywords", "languages", "warnings"):
        values[name] = tuple(values.get(name, ()))
    return Record(**values)

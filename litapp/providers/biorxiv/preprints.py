"""A version of a preprint, as the API of bioRxiv and medRxiv gives it, and all versions as one record."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from litapp.core.normalise import strip_status_prefix
from litapp.core.records import Identifier, Notice, NoticeKind, PartialDate, Person, Record, Scheme
from litapp.providers.markup import abstract_sections, inline, title_line
from litapp.providers.reading import date_of_iso, identifiers_of, text, whole

_SERVER_NAMES = {"biorxiv": "bioRxiv", "medrxiv": "medRxiv"}
_NONE = frozenset({"", "na", "n/a"})
_BRACED = re.compile(r"\{([A-Za-z]+|\+/-|[-+=<>~]{1,2})\}")
_SIGNS = {"+/-": "±", "~": "~", "<=": "≤", ">=": "≥"}
_ENTITY = re.compile(r"\[(&(?:#x?)?\w{1,12};)\]")
_FIGURE = re.compile(r"O_(FIG|TBL)\b.*?(?:C_\1\b|\Z)", re.DOTALL)
_HEADING = re.compile(r"O_ST_ABS(.*?)C_ST_ABS", re.DOTALL)
_LIST_ITEM = re.compile(r"[OC]_(?:LI|LST|UL|OL)(?=[A-Z\s]|\Z|[OC]_)")
_MARK = re.compile(r"[OC]_(?:SCPLOW|SCPCAP|QD|FD|INLINEFIG|BLOCKQUOTE|AUTHOR|CITE|EMAIL|MCOPT|TEXTBOX)(?![a-z])")


@dataclass(frozen=True, slots=True)
class Version:
    """One version of a preprint. `kind` is the server's ("new results", "withdrawn" …); `published_doi` the DOI of the
    journal article that the server knows of ("" proves nothing)."""

    number: int
    date: PartialDate
    kind: str
    licence: str
    published_doi: str
    record: Record

    @property
    def withdrawn(self) -> bool:
        """The server marks this version as withdrawn; title and abstract stay as they were."""
        return self.kind.lower() == "withdrawn"


def version_of(item: dict[str, Any]) -> Version | None:
    """One entry of the API's collection; None where it has no DOI."""
    identifiers, warnings = identifiers_of([(Scheme.DOI, item.get("doi"))])
    if not identifiers:
        return None
    doi = identifiers[0].value
    number, date = whole(item.get("version")) or 0, date_of_iso(item.get("date"))
    kind, server = text(item.get("type")), text(item.get("server")).lower()
    published, more = identifiers_of([(Scheme.DOI, _stated(item.get("published")))])
    name = _SERVER_NAMES.get(server, text(item.get("server")))
    title = title_line(plain_marks(text(item.get("title"))))
    withdrawn = kind.lower() == "withdrawn" or (bool(title) and strip_status_prefix(title) != title)
    record = Record(
        source="biorxiv",
        source_id=doi,
        title=title,
        authors=tuple(_people(text(item.get("authors")))),
        journal=name,
        publisher=name,
        date=date,
        years=(date.year,) if date.year is not None else (),
        csl_type="article",
        publication_types=tuple(filter(None, ("preprint", kind))),
        abstract=abstract_sections(plain_marks(_stated(item.get("abstract")))),
        keywords=tuple(filter(None, (_stated(item.get("category")),))),
        identifiers=identifiers,
        url=f"https://www.{server}.org/content/{doi}v{number}" if server in _SERVER_NAMES and number else "",
        notices=(Notice(NoticeKind.WITHDRAWAL, date=text(item.get("date")), text=f"{name} marks it as withdrawn."),)
        if withdrawn
        else (),
        is_preprint=True,
        published_as=tuple(one for one in published if one.value != doi),
        warnings=(*warnings, *more),
    )
    return Version(number, date, kind, _stated(item.get("license")), _first_doi(record.published_as), record)


def _first_doi(identifiers: Iterable[Identifier]) -> str:
    return next((one.value for one in identifiers), "")


def _stated(value: Any) -> str:
    """The text, or "" where the API says NA."""
    found = text(value)
    return "" if found.lower() in _NONE else found


def _people(line: str) -> Iterable[Person]:
    """ "Wright, K. M.; Coop, G." as persons; a name without a comma is a group, or not parted."""
    for name in line.split(";"):
        family, comma, given = inline(name).partition(",")
        if comma and family.strip() and given.strip():
            yield Person(family.strip(), given.strip())
        elif family.strip():
            yield Person(literal=family.strip())


def plain_marks(line: str) -> str:
    """A title or abstract without the marks that HighWire's export leaves in it.

    `{beta}` and `[&ge;]` become the signs they stand for, list and capital marks go, headings become labels, and what
    stood in a figure's place is left out.
    """
    if "{" in line:
        line = _BRACED.sub(_sign, line)
    if "[&" in line:
        line = _ENTITY.sub(lambda found: html.unescape(found[1]), line)
    if "O_" in line or "C_" in line:
        line = _FIGURE.sub(" ", line)
        line = _HEADING.sub(lambda found: f"<h4>{found[1].strip()}</h4>", line)
        line = _MARK.sub("", _LIST_ITEM.sub(" ", line))
    return line


def _sign(found: re.Match[str]) -> str:
    name = found[1]
    if name in _SIGNS:
        return _SIGNS[name]
    letter = html.unescape(f"&{name};")
    if "\u0370" <= letter <= "\u03ff":
        return letter
    return found[0]


def newest(versions: Iterable[Version]) -> Version | None:
    """The version with the highest number; of equal ones the first."""
    return max(versions, key=lambda version: version.number, default=None)


def record_of(versions: list[Version]) -> Record | None:
    """The newest version as the record of the preprint, with the years of all and the published version of any."""
    last = newest(versions)
    if last is None:
        return None
    years = tuple(sorted({year for version in versions for year in version.record.years}))
    published = last.record.published_as or next((v.record.published_as for v in versions if v.record.published_as), ())
    remarks = list(last.record.warnings)
    if len(versions) > 1:
        remarks.append(f"The newest of {len(versions)} versions (number {last.number}).")
    return replace(last.record, years=years, published_as=published, warnings=tuple(remarks))

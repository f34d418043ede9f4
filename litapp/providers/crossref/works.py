"""A Crossref work object as a record. Every field may be missing, null or of another type."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from litapp.core.identifiers import BadIdentifier, identifier_url, normalise_doi
from litapp.core.normalise import strip_status_prefix, title_key
from litapp.core.records import Identifier, Notice, NoticeKind, PartialDate, Person, Record, Scheme
from litapp.providers.markup import abstract_sections, inline, title_line
from litapp.providers.reading import (
    date_of_parts,
    identifiers_of,
    is_notice_title,
    iso_of_date,
    mapping,
    mappings,
    sequence,
    text,
    texts,
)

_CSL_TYPES = {
    "journal-article": "article-journal",
    "posted-content": "article",
    "proceedings-article": "paper-conference",
    "book-chapter": "chapter",
    "book-section": "chapter",
    "book-part": "chapter",
    "reference-entry": "entry-encyclopedia",
    "book": "book",
    "monograph": "book",
    "edited-book": "book",
    "reference-book": "book",
    "dissertation": "thesis",
    "report": "report",
    "dataset": "dataset",
    "database": "dataset",
    "standard": "standard",
    "peer-review": "review",
}
_UPDATES = {
    "retraction": NoticeKind.RETRACTION,
    "partial_retraction": NoticeKind.PARTIAL_RETRACTION,
    "expression_of_concern": NoticeKind.CONCERN,
    "correction": NoticeKind.CORRECTION,
    "erratum": NoticeKind.CORRECTION,
    "corrigendum": NoticeKind.CORRECTION,
    "clarification": NoticeKind.CORRECTION,
    "addendum": NoticeKind.CORRECTION,
    "withdrawal": NoticeKind.WITHDRAWAL,
    "removal": NoticeKind.WITHDRAWAL,
    "reinstatement": NoticeKind.REINSTATEMENT,
}
_DATE_FIELDS = ("issued", "published", "published-print", "published-online", "published-other", "posted")


def record_of(item: dict[str, Any]) -> Record:
    """The record of one work; fields Crossref does not give are empty."""
    identifiers, warnings = identifiers_of(
        [(Scheme.DOI, item.get("DOI")), *((Scheme.ISBN, value) for value in texts(item.get("ISBN")))]
    )
    issns, issn_warnings = identifiers_of((Scheme.ISSN, value) for value in texts(item.get("ISSN")))
    doi = next((one.value for one in identifiers if one.scheme is Scheme.DOI), "")
    title, original = _titles(item)
    kind, subtype = text(item.get("type")), text(item.get("subtype"))
    containers = [inline(value) for value in texts(item.get("container-title"))]
    posted = kind == "posted-content"
    journal = containers[0] if containers else ""
    if posted and not journal:
        journal = next((inline(text(one.get("name"))) for one in mappings(item.get("institution"))), "")
    remarks = [*warnings, *issn_warnings]
    if len(containers) > 1:
        remarks.append(f"Crossref also names “{'”, “'.join(containers[1:])}” as container.")
    notices, is_notice, notice_remarks = _notices(item, doi, title)
    date = _date(item)
    return Record(
        source="crossref",
        source_id=doi,
        title=title,
        original_title=original,
        authors=_people(item.get("author")),
        journal=journal,
        journal_abbreviation=inline(next(iter(texts(item.get("short-container-title"))), "")),
        journal_alternatives=tuple(containers[1:]),
        issns=tuple(one.value for one in issns),
        publisher=inline(text(item.get("publisher"))),
        volume=text(item.get("volume")),
        issue=text(item.get("issue")),
        pages=text(item.get("page")) or text(item.get("article-number")),
        date=date,
        years=_years(item),
        csl_type=_CSL_TYPES.get(kind, "document"),
        publication_types=tuple(filter(None, (kind, subtype))),
        abstract=abstract_sections(item["abstract"]) if isinstance(item.get("abstract"), str) else (),
        keywords=(),
        languages=texts(item.get("language")),
        identifiers=identifiers,
        url=identifier_url(Identifier(Scheme.DOI, doi)) if doi else "",
        notices=notices,
        is_notice=is_notice,
        is_preprint=posted and subtype in ("", "preprint"),
        published_as=_published_as(item, doi),
        warnings=(*remarks, *notice_remarks),
    )


def with_alias(record: Record, asked: str) -> Record:
    """The record, with a remark that it was reached by another DOI."""
    remark = f"The DOI {asked} is an alias: Crossref leads from it to {record.doi}."
    return replace(record, warnings=(*record.warnings, remark))


def _titles(item: dict[str, Any]) -> tuple[str, str]:
    """Title (with subtitle, as publishers deposit it apart) and the title in another language, if given."""
    titles = [title_line(text(value)) for value in sequence(item.get("title"))] or [title_line(text(item.get("title")))]
    subtitles = [title_line(text(value)) for value in sequence(item.get("subtitle"))]
    joined = [_joined(one, subtitles[n] if n < len(subtitles) else "") for n, one in enumerate(titles)]
    joined = [one for one in joined if one]
    original = next((title_line(value) for value in texts(item.get("original-title"))), "")
    return (joined[0] if joined else ""), original or (joined[1] if len(joined) > 1 else "")


def _joined(title: str, subtitle: str) -> str:
    if not title or not subtitle or title_key(subtitle) in title_key(title):
        return title
    return f"{title} {subtitle}" if title.endswith((":", "?", "!")) else f"{title}: {subtitle}"


def _people(value: Any) -> tuple[Person, ...]:
    people: list[Person] = []
    for entry in mappings(value):
        family, given = inline(text(entry.get("family"))), inline(text(entry.get("given")))
        group = inline(text(entry.get("name")))
        if family:
            people.append(Person(family, given, text(entry.get("suffix"))))
        elif group or given:
            people.append(Person(literal=group or given))
    return tuple(people)


def _parts(item: dict[str, Any], field: str) -> PartialDate:
    dates = sequence(mapping(item.get(field)).get("date-parts"))
    return date_of_parts(dates[0]) if dates else PartialDate()


def _date(item: dict[str, Any]) -> PartialDate:
    """The date of issue; where Crossref says null there, the first other publication date."""
    return next((date for field in _DATE_FIELDS if (date := _parts(item, field)).year is not None), PartialDate())


def _years(item: dict[str, Any]) -> tuple[int, ...]:
    """Years of print and online publication. The year of registration counts only right beside one of them: for old
    papers it is merely the year in which the publisher deposited them."""
    years = {year for field in _DATE_FIELDS if (year := _parts(item, field).year) is not None}
    created = _parts(item, "created").year
    if created is not None and any(abs(created - year) <= 1 for year in years):
        years.add(created)
    return tuple(sorted(years))


def _published_as(item: dict[str, Any], doi: str) -> tuple[Identifier, ...]:
    """The published version that the preprint's depositor names. It comes late, if ever; none proves nothing."""
    entries = mappings(mapping(item.get("relation")).get("is-preprint-of"))
    dois = [_doi(one.get("id")) for one in entries if text(one.get("id-type")).lower() == "doi"]
    return tuple(Identifier(Scheme.DOI, other) for other in dict.fromkeys(dois) if other and other != doi)


def _doi(value: Any) -> str:
    try:
        return normalise_doi(text(value))
    except BadIdentifier:
        return ""


def _notices(item: dict[str, Any], doi: str, title: str) -> tuple[tuple[Notice, ...], bool, list[str]]:
    """Notices on this work, whether it is a notice itself, and remarks.

    `updated-by` stands on the paper, `update-to` on the notice. Some publishers deposit both on both: the mark in the
    title, then Retraction Watch's entry, then the title's first word decide which of the two this is.
    """
    by, to = mappings(item.get("updated-by")), mappings(item.get("update-to"))
    remarks = [
        f"Crossref names an update of the kind “{kind}”, which LitLedger does not know."
        for kind in dict.fromkeys(text(one.get("type")) for one in (*by, *to))
        if kind not in _UPDATES and kind not in ("", "new_version", "new_edition")
    ]
    on_itself = [one for one in to if _doi(one.get("DOI")) == doi]
    elsewhere = [one for one in to if text(one.get("type")) in _UPDATES and one not in on_itself]
    targets = {_doi(one.get("DOI")) for one in elsewhere}
    marked = strip_status_prefix(title) != title
    is_notice = (bool(elsewhere) or is_notice_title(title)) and not marked
    mutual = [one for one in by if _doi(one.get("DOI")) in targets and text(one.get("type")) in _UPDATES]
    if is_notice and mutual and not _is_notice_side(elsewhere, mutual, title):
        is_notice = False
    if is_notice:
        by = [one for one in by if one not in mutual]
    notices: dict[tuple[NoticeKind, str], Notice] = {}
    for one in (*by, *on_itself):
        kind = _UPDATES.get(text(one.get("type")))
        if kind is None:
            continue
        other = _doi(one.get("DOI"))
        date = iso_of_date(_parts(one, "updated"))
        origin = text(one.get("source")) or "publisher"
        before = notices.get((kind, other))
        if before is None:
            label = text(one.get("label")) or kind.value.replace("_", " ")
            notices[(kind, other)] = Notice(kind, doi=other, date=date, text=f"{label} ({origin})")
        elif f"({origin})" not in before.text and origin not in before.text:
            notices[(kind, other)] = replace(
                before, text=f"{before.text[:-1]}, {origin})", date=min(filter(None, (before.date, date)), default="")
            )
    retracting = (NoticeKind.RETRACTION, NoticeKind.PARTIAL_RETRACTION, NoticeKind.WITHDRAWAL)
    if marked and not is_notice and not any(notice.kind in retracting for notice in notices.values()):
        notices[(NoticeKind.RETRACTION, "")] = Notice(NoticeKind.RETRACTION, text="The title carries the mark.")
    return tuple(notices.values()), is_notice, remarks


def _is_notice_side(to: list[dict[str, Any]], by: list[dict[str, Any]], title: str) -> bool:
    """Of two works that claim to update each other: True when this one is the notice."""
    trusted_to = any(text(one.get("source")) == "retraction-watch" for one in to)
    trusted_by = any(text(one.get("source")) == "retraction-watch" for one in by)
    if trusted_to != trusted_by:
        return trusted_to
    return is_notice_title(title)

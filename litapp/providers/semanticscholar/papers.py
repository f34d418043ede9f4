"""A Semantic Scholar paper object as a record. Nearly every field may be null or empty."""

from __future__ import annotations

from typing import Any

from litapp.core.normalise import strip_status_prefix
from litapp.core.records import Notice, NoticeKind, PartialDate, Person, Record, Scheme
from litapp.providers.markup import abstract_sections, inline, title_line
from litapp.providers.reading import date_of_iso, identifiers_of, is_notice_title, mapping, mappings, text, texts
from litapp.providers.reading import year as plausible_year

_CSL_TYPES = {
    "JournalArticle": "article-journal",
    "Conference": "paper-conference",
    "Book": "book",
    "BookSection": "chapter",
    "Dataset": "dataset",
}
_PREPRINT_VENUES = frozenset({"arxiv", "arxiv.org", "biorxiv", "medrxiv", "research square", "ssrn", "chemrxiv"})


def record_of(item: dict[str, Any]) -> Record:
    """The record of one paper. Author names are not parted; the year may be that of a first version (preprint).

    Semantic Scholar marks no retractions: no notice means nothing.
    """
    external = mapping(item.get("externalIds"))
    corpus = text(item.get("corpusId")) or text(external.get("CorpusId"))
    pmcid = text(external.get("PubMedCentral"))
    identifiers, warnings = identifiers_of(
        [
            (Scheme.S2, item.get("paperId")),
            (Scheme.S2, f"CorpusId:{corpus}" if corpus else ""),
            (Scheme.DOI, external.get("DOI")),
            (Scheme.PMID, external.get("PubMed")),
            (Scheme.PMCID, f"PMC{pmcid.removeprefix('PMC')}" if pmcid else ""),
            (Scheme.ARXIV, external.get("ArXiv")),
        ]
    )
    paper_id = text(item.get("paperId"))
    title = title_line(text(item.get("title")))
    journal = mapping(item.get("journal"))
    venue = mapping(item.get("publicationVenue"))
    name = inline(text(journal.get("name")) or text(venue.get("name")) or text(item.get("venue")))
    types = texts(item.get("publicationTypes"))
    issns, _ = identifiers_of([(Scheme.ISSN, venue.get("issn"))])
    date, years = _dates(item)
    return Record(
        source="semanticscholar",
        source_id=paper_id,
        title=title,
        authors=tuple(
            Person(literal=author)
            for entry in mappings(item.get("authors"))
            if (author := inline(text(entry.get("name"))))
        ),
        journal=name,
        issns=tuple(one.value for one in issns),
        volume=text(journal.get("volume")),
        pages="".join(text(journal.get("pages")).split()),
        date=date,
        years=years,
        csl_type=next((_CSL_TYPES[kind] for kind in types if kind in _CSL_TYPES), "article-journal"),
        publication_types=types,
        abstract=abstract_sections(item["abstract"]) if isinstance(item.get("abstract"), str) else (),
        identifiers=identifiers,
        url=f"https://www.semanticscholar.org/paper/{paper_id}" if paper_id else "",
        notices=(Notice(NoticeKind.RETRACTION, text="The title carries the mark."),)
        if title and strip_status_prefix(title) != title
        else (),
        is_notice=is_notice_title(title),
        is_preprint=name.lower() in _PREPRINT_VENUES,
        warnings=warnings,
    )


def _dates(item: dict[str, Any]) -> tuple[PartialDate, tuple[int, ...]]:
    date = date_of_iso(item.get("publicationDate"))
    stated = plausible_year(item.get("year"))
    if date.year is None and stated is not None:
        date = PartialDate(stated)
    return date, tuple(sorted({year for year in (date.year, stated) if year is not None}))

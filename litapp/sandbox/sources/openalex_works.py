"""A paper as an OpenAlex work object."""

from __future__ import annotations

import hashlib
from typing import Any

from litapp.sandbox.corpus.article import Article
from litapp.sandbox.corpus.store import Entry
from litapp.sandbox.differences import Differences
from litapp.sandbox.dispatch import World
from litapp.sandbox.sources.crossref_works import LANGUAGES, cited_by
from litapp.sandbox.sources.eutils_links import related_ids

FIRST_WORK = 4_000_000_000
"""Works without a real OpenAlex record are numbered from here: W followed by this plus the PMID."""
_TYPES = (
    ("Preprint", "preprint"),
    ("Retraction of Publication", "retraction"),
    ("Published Erratum", "erratum"),
    ("Systematic Review", "review"),
    ("Review", "review"),
    ("Meta-Analysis", "review"),
    ("Editorial", "editorial"),
    ("Letter", "letter"),
)


def work_number(entry: Entry) -> str:
    """The work's number, like W4000012345."""
    if entry.openalex is not None:
        return str(entry.openalex["id"]).rsplit("/", 1)[-1]
    return f"W{FIRST_WORK + (entry.article.pmid if entry.article else 0)}"


def work(world: World, differences: Differences, entry: Entry, *, single: bool) -> dict[str, Any]:
    """The work object. A real OpenAlex record, where one was loaded, is given as it is."""
    if entry.openalex is not None:
        return dict(entry.openalex)
    article = entry.article
    if article is None:
        return {}
    title = differences.title(article)
    if differences.is_retracted(article) and world.draw("openalex", "retracted", article.pmid) < 0.5:
        title = f"RETRACTED: {title}"
    doi = f"https://doi.org/{differences.doi(article)}" if article.doi else None
    issued = differences.issued(article)
    number = f"https://openalex.org/{work_number(entry)}"
    identifiers = {"openalex": number, "pmid": f"https://pubmed.ncbi.nlm.nih.gov/{article.pmid}"}
    if doi:
        identifiers["doi"] = doi
    if article.pmc:
        identifiers["pmcid"] = f"https://www.ncbi.nlm.nih.gov/pmc/articles/{article.pmc.removeprefix('PMC')}"
    location = _location(differences, article, doi)
    authors = [_authorship(differences, article, place) for place in range(len(article.authors))]
    references = _referenced(world, article)
    return {
        "id": number,
        "doi": doi,
        "title": title,
        "display_name": title,
        "publication_year": issued[0] or None,
        "publication_date": f"{issued[0]:04d}-{issued[1] or 1:02d}-{issued[2] or 1:02d}" if issued[0] else None,
        "ids": identifiers,
        "language": LANGUAGES.get(article.languages[0] if article.languages else "", None),
        "primary_location": location,
        "type": next((kind for name, kind in _TYPES if name in article.types), "article"),
        "indexed_in": ["crossref", "pubmed"] if doi else ["pubmed"],
        "open_access": {
            "is_oa": bool(article.pmc),
            "oa_status": "green" if article.pmc else "closed",
            "oa_url": f"https://pmc.ncbi.nlm.nih.gov/articles/{article.pmc}" if article.pmc else None,
            "any_repository_has_fulltext": bool(article.pmc),
        },
        "authorships": authors,
        "institutions": [],
        "corresponding_author_ids": [],
        "has_fulltext": False,
        "cited_by_count": cited_by(world, article.pmid),
        "biblio": _biblio(differences, article),
        "is_retracted": differences.is_retracted(article),
        "is_paratext": False,
        "is_xpac": False,
        "mesh": _mesh(article),
        "locations_count": 1,
        "locations": [location],
        "best_oa_location": None,
        "referenced_works_count": len(references),
        "referenced_works": references,
        "related_works": _related(world, article) if single else [],
        "abstract_inverted_index": inverted(differences.abstract(article)) or None,
        "counts_by_year": [],
    }


def inverted(text: str) -> dict[str, list[int]]:
    """Words with their positions: OpenAlex's form of an abstract."""
    index: dict[str, list[int]] = {}
    for position, word in enumerate(text.split()):
        index.setdefault(word, []).append(position)
    return index


def _location(differences: Differences, article: Article, doi: str | None) -> dict[str, Any]:
    source = None
    if article.journal and not differences.withheld(article, "source"):
        source = {
            "id": f"https://openalex.org/S{_internal(article.nlm_id or article.journal)}",
            "display_name": article.journal,
            "issn_l": article.issns[0][0] if article.issns else None,
            "issn": [issn for issn, _ in article.issns] or None,
            "is_oa": False,
            "is_in_doaj": False,
            "is_core": True,
            "type": "repository" if article.is_preprint else "journal",
        }
    return {
        "id": f"doi:{article.doi}" if article.doi else f"pmid:{article.pmid}",
        "is_oa": False,
        "landing_page_url": doi or f"https://pubmed.ncbi.nlm.nih.gov/{article.pmid}",
        "pdf_url": None,
        "source": source,
        "license": None,
        "license_id": None,
        "version": "submittedVersion" if article.is_preprint else "publishedVersion",
        "is_accepted": not article.is_preprint,
        "is_published": not article.is_preprint,
        "raw_source_name": article.journal,
        "raw_type": "posted-content" if article.is_preprint else "journal-article",
    }


def _authorship(differences: Differences, article: Article, place: int) -> dict[str, Any]:
    author = article.authors[place]
    given = differences.given(article, author)
    name = author.collective or " ".join(part for part in (given, author.family, author.suffix) if part)
    position = "first" if place == 0 else "last" if place == len(article.authors) - 1 else "middle"
    return {
        "author_position": position,
        "author": {"id": f"https://openalex.org/A{_internal(author.full)}", "display_name": name, "orcid": None},
        "institutions": [],
        "countries": [],
        "is_corresponding": False,
        "raw_author_name": name,
        "raw_affiliation_strings": author.affiliations,
        "affiliations": [{"raw_affiliation_string": text, "institution_ids": []} for text in author.affiliations],
    }


def _internal(text: str) -> int:
    """A number of the source's own for something without one: always the same, ten digits."""
    return 5_000_000_000 + int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big") % 999_999_999


def _biblio(differences: Differences, article: Article) -> dict[str, Any]:
    pages = [part.strip() for part in article.pages.split("-")]
    first = pages[0] if pages[0] and not differences.withheld(article, "page") else None
    last = pages[-1] if first and len(pages) > 1 else first
    if first and last and last.isdigit() and first.isdigit() and len(last) < len(first):
        last = first[: len(first) - len(last)] + last
    return {"volume": article.volume or None, "issue": article.issue or None, "first_page": first, "last_page": last}


def _mesh(article: Article) -> list[dict[str, Any]]:
    rows = []
    for heading in article.mesh:
        pairs: list[tuple[str | None, str | None, bool]] = [(None, None, heading.major)]
        if heading.qualifiers:
            pairs = [(ui, name, major) for name, ui, major in heading.qualifiers]
        rows += [
            {
                "descriptor_ui": heading.ui,
                "descriptor_name": heading.name,
                "qualifier_ui": ui,
                "qualifier_name": name,
                "is_major_topic": major,
            }
            for ui, name, major in pairs
        ]
    return rows


def _referenced(world: World, article: Article) -> list[str]:
    numbers = world.corpus.ids_of_pmids(article.cites)
    real = world.openalex_numbers(list(numbers.values()))
    return [
        f"https://openalex.org/{real.get(numbers[pmid]) or f'W{FIRST_WORK + pmid}'}"
        for pmid in article.cites
        if pmid in numbers
    ]


def _related(world: World, article: Article) -> list[str]:
    entries = world.corpus.entries(related_ids(world, article, 10))
    return [f"https://openalex.org/{work_number(entry)}" for entry in entries]

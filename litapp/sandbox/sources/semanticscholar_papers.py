"""A paper as a Semantic Scholar paper object."""

from __future__ import annotations

import hashlib
from typing import Any

from litapp.sandbox.corpus.article import Article, Author
from litapp.sandbox.differences import Differences
from litapp.sandbox.dispatch import World
from litapp.sandbox.sources.crossref_works import cited_by

FIRST_CORPUS_ID = 200_000_000
FIELDS = frozenset(
    [
        "paperId",
        "corpusId",
        "externalIds",
        "url",
        "title",
        "abstract",
        "venue",
        "publicationVenue",
        "year",
        "referenceCount",
        "citationCount",
        "influentialCitationCount",
        "isOpenAccess",
        "openAccessPdf",
        "fieldsOfStudy",
        "s2FieldsOfStudy",
        "publicationTypes",
        "publicationDate",
        "journal",
        "citationStyles",
        "authors",
        "citations",
        "references",
        "embedding",
        "tldr",
        "textAvailability",
    ]
)
_TYPES = (
    ("Systematic Review", "Review"),
    ("Review", "Review"),
    ("Meta-Analysis", "MetaAnalysis"),
    ("Case Reports", "CaseReport"),
    ("Randomized Controlled Trial", "ClinicalTrial"),
    ("Clinical Trial", "ClinicalTrial"),
    ("Editorial", "Editorial"),
    ("Letter", "LettersAndComments"),
    ("Comment", "LettersAndComments"),
    ("News", "News"),
    ("Journal Article", "JournalArticle"),
)
PUBLICATION_TYPES = {s2: [nlm for nlm, name in _TYPES if name == s2] for _, s2 in _TYPES}


def paper_id(pmid: int) -> str:
    """Semantic Scholar's own id of a paper: 40 hexadecimal digits."""
    return hashlib.sha1(f"sandbox/{pmid}".encode(), usedforsecurity=False).hexdigest()


def paper(world: World, differences: Differences, article: Article, fields: list[str]) -> dict[str, Any]:
    """The paper object with the fields asked for; `paperId` is always there."""
    wanted = {field.split(".")[0] for field in fields} | {"paperId"}
    if fields == []:
        wanted |= {"title"}
    record = _whole(world, differences, article)
    return {name: value for name, value in record.items() if name in wanted}


def _whole(world: World, differences: Differences, article: Article) -> dict[str, Any]:
    identifier = paper_id(article.pmid)
    issued = differences.issued(article)
    doi = differences.doi(article)
    external: dict[str, Any] = {}
    if article.pmc:
        external["PubMedCentral"] = article.pmc.removeprefix("PMC")
    if doi and not differences.withheld(article, "doi"):
        external["DOI"] = doi
    external["CorpusId"] = FIRST_CORPUS_ID + article.pmid
    external["PubMed"] = str(article.pmid)
    types = list(dict.fromkeys(s2 for nlm, s2 in _TYPES if nlm in article.types))
    venue = "" if differences.withheld(article, "venue") else (article.iso or article.journal)
    journal: dict[str, Any] | None = {"name": article.journal}
    if journal is not None and article.pages and not differences.withheld(article, "pages"):
        journal["pages"] = article.pages
    if journal is not None and article.volume:
        journal["volume"] = article.volume
    full_date = f"{issued[0]:04d}-{issued[1]:02d}-{issued[2] or 1:02d}" if issued[0] and issued[1] else None
    return {
        "paperId": identifier,
        "externalIds": external,
        "corpusId": FIRST_CORPUS_ID + article.pmid,
        "publicationVenue": None,
        "url": f"https://www.semanticscholar.org/paper/{identifier}",
        "title": differences.title(article),
        "abstract": differences.abstract(article) or None,
        "venue": venue,
        "year": issued[0] or None,
        "referenceCount": len(article.cites),
        "citationCount": cited_by(world, article.pmid),
        "influentialCitationCount": 0,
        "isOpenAccess": bool(article.pmc),
        "openAccessPdf": {"url": "", "status": "GREEN" if article.pmc else "CLOSED", "license": None},
        "fieldsOfStudy": ["Medicine"],
        "s2FieldsOfStudy": [{"category": "Medicine", "source": "external"}],
        "publicationTypes": types or None,
        "publicationDate": full_date,
        "journal": journal,
        "authors": [_author(differences, article, author) for author in article.authors],
    }


def _author(differences: Differences, article: Article, author: Author) -> dict[str, Any]:
    number = int.from_bytes(hashlib.sha256(author.full.encode()).digest()[:4], "big")
    name = author.collective
    if not name:
        name = " ".join(part for part in (differences.given(article, author), author.family, author.suffix) if part)
    return {"authorId": str(number), "name": name}

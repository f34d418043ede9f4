"""A paper as Europe PMC's results give it: whole (core), short (lite), identifiers only, and as an entry of a list."""

from __future__ import annotations

from typing import Any

from litapp.sandbox.corpus.article import MONTHS, Article, Author
from litapp.sandbox.differences import Differences
from litapp.sandbox.dispatch import World
from litapp.sandbox.sources.crossref_works import cited_by

_LINKS = {
    "RetractionIn": "Retraction in",
    "RetractionOf": "Retraction of",
    "ErratumIn": "Erratum in",
    "ErratumFor": "Erratum for",
    "ExpressionOfConcernIn": "Expression of concern in",
    "ExpressionOfConcernFor": "Expression of concern for",
    "CommentIn": "Comment in",
    "CommentOn": "Comment on",
    "UpdateIn": "Preprint of",
}


def collection(article: Article) -> str:
    """PPR for a preprint, MED for everything else that PubMed has."""
    return "PPR" if article.is_preprint else "MED"


def number(article: Article) -> str:
    """The number within the collection."""
    return f"PPR{article.pmid}" if article.is_preprint else str(article.pmid)


def result(world: World, differences: Differences, article: Article, kind: str) -> dict[str, Any]:
    """One result of a search; `kind` is core, lite or idlist."""
    item: dict[str, Any] = {"id": number(article), "source": collection(article)}
    if not article.is_preprint:
        item["pmid"] = str(article.pmid)
    if article.pmc:
        item["pmcid"] = article.pmc
    if kind == "idlist":
        return item
    if article.pmc:
        item["fullTextIdList"] = {"fullTextId": [article.pmc]}
    doi = differences.doi(article)
    if doi:
        item["doi"] = doi
    item["title"] = article.title
    if article.authors:
        item["authorString"] = ", ".join(author.short for author in article.authors) + "."
    year = article.year
    if year:
        item["pubYear"] = str(year)
    if article.pages:
        item["pageInfo"] = article.pages
    item |= _core(differences, article) if kind == "core" else _lite(article)
    if article.is_preprint:
        item["bookOrReportDetails"] = {"publisher": _server(article), "yearOfPublication": year}
    item |= _flags(world, article)
    first = min((date for date in (article.electronic, article.printed) if date[0]), default=[0, 0, 0])
    if first[0]:
        item["firstPublicationDate"] = _iso(first)
    return item


def entry(world: World, article: Article, kind: str) -> dict[str, Any]:
    """One entry of a list of citations or references (`kind`)."""
    item: dict[str, Any] = {
        "id": number(article),
        "source": collection(article),
        "citationType": "; ".join(article.types),
        "title": article.title,
        "authorString": ", ".join(author.short for author in article.authors) + ".",
        "journalAbbreviation": article.iso,
        "pubYear": article.year,
        "volume": article.volume,
        "issue": article.issue,
        "pageInfo": article.pages,
        "citedByCount": cited_by(world, article.pmid),
    }
    return {name: value for name, value in item.items() if value != ""}


def _server(article: Article) -> str:
    return article.journal.partition(" : ")[0].strip() or article.iso


def _core(differences: Differences, article: Article) -> dict[str, Any]:
    item: dict[str, Any] = {}
    if article.authors:
        item["authorList"] = {"author": [_author(author) for author in article.authors]}
    if not article.is_preprint:
        item["journalInfo"] = _journal(article)
    abstract = differences.abstract(article)
    if abstract:
        item["abstractText"] = _html(article)
    if article.languages:
        item["language"] = article.languages[0]
    item["pubTypeList"] = {"pubType": ["preprint", "Preprint"] if article.is_preprint else article.types}
    if article.mesh:
        item["meshHeadingList"] = {"meshHeading": [_heading(heading) for heading in article.mesh]}
    if article.keywords:
        item["keywordList"] = {"keyword": article.keywords}
    links = [
        {
            "id": comment.pmid,
            "source": "MED",
            "reference": comment.source,
            "type": _LINKS[comment.kind],
            "orderIn": position,
        }
        for position, comment in enumerate(article.comments, 1)
        if comment.kind in _LINKS and (comment.kind != "RetractionIn" or differences.is_retracted(article))
    ]
    if links:
        item["commentCorrectionList"] = {
            "commentCorrection": [{k: v for k, v in link.items() if v != ""} for link in links]
        }
    if article.electronic[0]:
        item["electronicPublicationDate"] = _iso(article.electronic)
    return item


def _author(author: Author) -> dict[str, Any]:
    if author.collective:
        return {"fullName": author.collective}
    item: dict[str, Any] = {
        "fullName": author.short,
        "firstName": author.given,
        "lastName": author.family,
        "initials": author.initials,
    }
    if author.affiliations:
        inside = [{"affiliation": text} for text in author.affiliations]
        item["authorAffiliationDetailsList"] = {"authorAffiliation": inside}
    return {name: value for name, value in item.items() if value}


def _journal(article: Article) -> dict[str, Any]:
    year, month, _ = article.printed
    printed = " ".join(filter(None, (str(year) if year else "", MONTHS[month - 1].capitalize() if month else "")))
    info: dict[str, Any] = {
        "issue": article.issue,
        "volume": article.volume,
        "dateOfPublication": printed or " ",
        "monthOfPublication": month,
        "yearOfPublication": year,
        "printPublicationDate": _iso(article.printed) if year else "",
        "journal": _names(article),
    }
    return {name: value for name, value in info.items() if value != ""}


def _names(article: Article) -> dict[str, str]:
    issns = {kind: issn for issn, kind in article.issns}
    names = {
        "title": article.journal,
        "medlineAbbreviation": article.medline_ta,
        "isoabbreviation": article.iso,
        "issn": issns.get("Print", ""),
        "essn": issns.get("Electronic", ""),
        "nlmid": article.nlm_id,
    }
    return {name: value for name, value in names.items() if value}


def _html(article: Article) -> str:
    parts = [f"<h4>{label.capitalize()}</h4>{text}" if label else text for label, text in article.abstract]
    return "".join(parts)


def _heading(heading: Any) -> dict[str, Any]:
    item: dict[str, Any] = {"majorTopic_YN": "Y" if heading.major else "N", "descriptorName": heading.name}
    if heading.qualifiers:
        inside = [{"qualifierName": name, "majorTopic_YN": "Y" if m else "N"} for name, _, m in heading.qualifiers]
        item["meshQualifierList"] = {"meshQualifier": inside}
    return item


def _lite(article: Article) -> dict[str, Any]:
    types = ["preprint"] if article.is_preprint else [kind.casefold() for kind in article.types]
    item: dict[str, Any] = {"pubType": "; ".join(types)}
    if not article.is_preprint:
        item |= {
            "journalTitle": article.medline_ta or article.iso,
            "issue": article.issue,
            "journalVolume": article.volume,
            "journalIssn": "; ".join([*(issn for issn, _ in article.issns), ""]) if article.issns else "",
        }
    return {name: value for name, value in item.items() if value}


def _flags(world: World, article: Article) -> dict[str, Any]:
    open_text = "Y" if article.pmc else "N"
    return {
        "isOpenAccess": open_text,
        "inEPMC": open_text,
        "inPMC": open_text,
        "hasPDF": open_text,
        "hasBook": "N",
        "hasSuppl": "N",
        "citedByCount": cited_by(world, article.pmid),
        "hasReferences": "Y" if article.cites else "N",
        "hasTextMinedTerms": "N",
        "hasDbCrossReferences": "N",
        "hasLabsLinks": "N",
        "hasTMAccessionNumbers": "N",
    }


def _iso(date: list[int]) -> str:
    """A day as Europe PMC writes it: unknown parts become the first."""
    return f"{date[0]:04d}-{date[1] or 1:02d}-{date[2] or 1:02d}"

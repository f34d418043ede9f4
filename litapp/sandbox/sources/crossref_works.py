"""A paper as a Crossref work object."""

from __future__ import annotations

import datetime as dt
from typing import Any
from xml.sax.saxutils import escape

from litapp.sandbox.corpus.article import Article
from litapp.sandbox.corpus.store import Entry
from litapp.sandbox.differences import Differences, notice_doi
from litapp.sandbox.dispatch import World

LANGUAGES = {"eng": "en", "fre": "fr", "ger": "de", "spa": "es", "por": "pt", "ita": "it", "rus": "ru", "jpn": "ja"}
"""NLM's three letters to the two letters that Crossref and OpenAlex use; other languages are left out."""
_UPDATES_BY = {
    "RetractionIn": "retraction",
    "ErratumIn": "correction",
    "ExpressionOfConcernIn": "expression_of_concern",
}
_UPDATES_TO = {
    "RetractionOf": "retraction",
    "ErratumFor": "correction",
    "ExpressionOfConcernFor": "expression_of_concern",
}
_LABELS = {"retraction": "Retraction", "correction": "Correction", "expression_of_concern": "Expression of concern"}
MOST_REFERENCES = 200


def work(world: World, differences: Differences, entry: Entry, *, score: float, references: bool) -> dict[str, Any]:
    """The work object. A real Crossref record, where one was loaded, is given as it is."""
    if entry.crossref is not None:
        return {**entry.crossref, "score": score}
    article = entry.article
    if article is None:
        return {"score": score}
    issued = differences.issued(article)
    entered = article.history.get("entrez") or issued
    item: dict[str, Any] = {
        "indexed": _stamp(entered),
        "reference-count": len(article.cites),
        "content-domain": {"domain": [], "crossmark-restriction": False},
        "DOI": differences.doi(article),
        "type": "posted-content" if article.is_preprint else "journal-article",
        "created": _stamp(entered),
        "source": "Crossref",
        "is-referenced-by-count": cited_by(world, article.pmid),
        "title": [_title(world, differences, article)],
        "prefix": article.doi.split("/")[0],
        "container-title": [] if article.is_preprint else [article.journal],
        "original-title": [],
        "deposited": _stamp(entered),
        "score": score,
        "issued": date_parts(issued),
        "references-count": len(article.cites),
        "URL": f"https://doi.org/{differences.doi(article)}",
        "published": date_parts(issued),
        "relation": {},
        "subject": [],
    }
    item |= _names(differences, article)
    item |= _place(differences, article)
    abstract = differences.abstract(article)
    if abstract:
        item["abstract"] = _jats(article)
    if article.languages and article.languages[0] in LANGUAGES:
        item["language"] = LANGUAGES[article.languages[0]]
    item |= _updates(world, differences, article)
    if references and article.cites:
        item["reference"] = _references(world, article)
    return item


def cited_by(world: World, pmid: int) -> int:
    """How many papers of the corpus cite the PMID."""
    sql = "SELECT count(*) FROM attribute WHERE kind = 'cites' AND value = ?"
    return int(world.corpus.rows(sql, (str(pmid),))[0][0])


def date_parts(date: list[int]) -> dict[str, Any]:
    """Crossref's form of a partial date; [[null]] where nothing is known."""
    known = [date[0], date[1], date[2]]
    while known and not known[-1]:
        known.pop()
    return {"date-parts": [known or [None]]}


def _stamp(date: list[int]) -> dict[str, Any]:
    moment = dt.datetime(max(date[0], 1970), date[1] or 1, date[2] or 1, tzinfo=dt.UTC)
    return {
        "date-parts": [[moment.year, moment.month, moment.day]],
        "date-time": moment.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "timestamp": int(moment.timestamp() * 1000),
    }


def _title(world: World, differences: Differences, article: Article) -> str:
    title = differences.title(article)
    if differences.is_retracted(article) and world.draw("crossref", "retracted", article.pmid) < 0.5:
        return f"RETRACTED: {title}"
    return title


def _names(differences: Differences, article: Article) -> dict[str, Any]:
    people: list[dict[str, Any]] = []
    for position, author in enumerate(article.authors):
        sequence = "additional" if position else "first"
        if author.collective:
            people.append({"name": author.collective, "sequence": sequence, "affiliation": []})
            continue
        person = {
            "given": differences.given(article, author),
            "family": author.family,
            "suffix": author.suffix,
            "sequence": sequence,
            "affiliation": [{"name": name} for name in author.affiliations],
        }
        people.append({name: value for name, value in person.items() if value or name == "affiliation"})
    return {"author": people} if people else {}


def _place(differences: Differences, article: Article) -> dict[str, Any]:
    place: dict[str, Any] = {}
    if article.iso and not article.is_preprint:
        place["short-container-title"] = [article.iso]
    if article.issns:
        place["ISSN"] = [issn for issn, _ in article.issns]
        place["issn-type"] = [{"value": issn, "type": kind.casefold()} for issn, kind in article.issns if kind]
    if article.volume:
        place["volume"] = article.volume
    if article.issue and not differences.withheld(article, "issue"):
        place["issue"] = article.issue
        place["journal-issue"] = {"issue": article.issue}
    if article.pages and not differences.withheld(article, "page"):
        place["page"] = article.pages
    if article.printed[0]:
        place["published-print"] = date_parts(article.printed)
    issued = differences.issued(article)
    if article.electronic[0]:
        place["published-online"] = date_parts(article.electronic)
    elif issued != article.printed:
        place["published-online"] = date_parts(issued)
    if article.is_preprint:
        place |= {"subtype": "preprint", "institution": [{"name": article.journal}]}
    return place


def _jats(article: Article) -> str:
    parts = []
    for label, text in article.abstract:
        paragraph = f"<jats:p>{escape(text)}</jats:p>"
        title = f"<jats:title>{escape(label.capitalize())}</jats:title>"
        parts.append(f"<jats:sec>{title}{paragraph}</jats:sec>" if label else paragraph)
    return "<jats:title>Abstract</jats:title>" + "".join(parts)


def _updates(world: World, differences: Differences, article: Article) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for field, kinds in (("updated-by", _UPDATES_BY), ("update-to", _UPDATES_TO)):
        entries = []
        for kind, update in kinds.items():
            if kind == "RetractionIn" and not differences.is_retracted(article):
                continue
            doi, date = notice_doi(world, kind, article)
            if doi:
                notice_date = date if field == "updated-by" else article.printed
                entries.append(
                    {
                        "DOI": doi,
                        "type": update,
                        "label": _LABELS[update],
                        "source": "publisher",
                        "updated": _stamp(notice_date),
                    }
                )
        if entries:
            found[field] = entries
    return found


def _references(world: World, article: Article) -> list[dict[str, Any]]:
    cited = article.cites[:MOST_REFERENCES]
    known = {
        e.article.pmid: e.article for e in world.corpus.entries(world.corpus.ids_of_pmids(cited).values()) if e.article
    }
    entries = []
    for position, pmid in enumerate(cited, 1):
        entry: dict[str, Any] = {"key": f"ref{position}"}
        paper = known.get(pmid)
        if paper is not None:
            entry |= {
                "article-title": paper.title.removesuffix("."),
                "journal-title": paper.iso,
                "year": str(paper.year),
            }
            if paper.doi:
                entry |= {"doi-asserted-by": "crossref", "DOI": paper.doi}
        entries.append(entry)
    return entries

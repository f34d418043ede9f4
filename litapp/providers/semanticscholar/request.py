"""Requests to the Semantic Scholar Academic Graph and its recommendations. The key goes into a header when sent."""

from __future__ import annotations

import json
from collections.abc import Iterable
from urllib.parse import quote

from litapp.core.ports import Request
from litapp.core.records import Identifier, Scheme

RECORDS_A_PAGE = 100
MOST_RECORDS = 1_000
"""The relevance search gives 1,000 records of a query (offset + limit)."""
IDS_A_CALL = 500
MOST_RELATED = 500
LONGEST_QUERY = 1_500
"""Characters; more only makes the address too long."""
LONGEST_BOOLEAN = 5_000
"""Characters of a Boolean query, so that the encoded address stays below 8,000 bytes or so."""
BULK_MARK = ("sort", "paperId:asc")
"""The parameter by which a bulk search is told from one by likeness; by it the order stays the same between calls."""
NEWEST_FIRST = ("sort", "publicationDate:desc")
LINKS_A_PAGE = 1_000
MOST_LINKS = 9_999
"""Citations or references of one paper (offset + limit)."""
PASSAGES_A_CALL = 1_000
PAPERS_SEARCHED_WITHIN = 100
_FIELDS = (
    "paperId,corpusId,externalIds,title,abstract,authors,venue,publicationVenue,journal,year,publicationDate,"
    "publicationTypes"
)
_PREFIXES = {
    Scheme.DOI: "DOI:",
    Scheme.PMID: "PMID:",
    Scheme.PMCID: "PMCID:",
    Scheme.ARXIV: "ARXIV:",
    Scheme.S2: "",
}


def paper_key(identifier: Identifier) -> str:
    """How Semantic Scholar writes an identifier ("DOI:10.…", "PMCID:123", "CorpusId:123"). Raises KeyError."""
    value = identifier.value.removeprefix("PMC") if identifier.scheme is Scheme.PMCID else identifier.value
    return f"{_PREFIXES[identifier.scheme]}{value}"


def _get(path: str, operation: str, params: Iterable[tuple[str, str]]) -> Request:
    return Request(source="semanticscholar", method="GET", path=path, params=tuple(params), operation=operation)


def search(params: Iterable[tuple[str, str]], *, offset: int, limit: int) -> Request:
    """One page of the relevance search."""
    paging = (("fields", _FIELDS), ("offset", str(offset)), ("limit", str(limit)))
    return _get("graph/v1/paper/search", "search", (*params, *paging))


def is_bulk(params: tuple[tuple[str, str], ...]) -> bool:
    """True for a Boolean query, which goes to the bulk search."""
    return BULK_MARK in params or NEWEST_FIRST in params


def bulk(params: Iterable[tuple[str, str]], *, token: str) -> Request:
    """One page (up to 1,000 papers) of the bulk search; `token` "" starts it, then that of the page before."""
    paging = (("fields", _FIELDS), *((("token", token),) if token else ()))
    return _get("graph/v1/paper/search/bulk", "search", (*params, *paging))


def count(params: tuple[tuple[str, str], ...]) -> Request:
    """The number of papers a search reports. The bulk search cannot be told to send fewer than a page."""
    if is_bulk(params):
        return _get("graph/v1/paper/search/bulk", "count", (*params, ("fields", "paperId")))
    paging = (("fields", "paperId"), ("offset", "0"), ("limit", "1"))
    return _get("graph/v1/paper/search", "count", (*params, *paging))


def paper(identifier: Identifier) -> Request:
    """One paper."""
    key = quote(paper_key(identifier), safe="/:")
    return _get(f"graph/v1/paper/{key}", "lookup", (("fields", _FIELDS),))


def batch(identifiers: list[Identifier]) -> Request:
    """Several papers; the answer is aligned with what was asked, null for an unknown one."""
    body = json.dumps({"ids": [paper_key(identifier) for identifier in identifiers]}, ensure_ascii=False)
    return Request(
        source="semanticscholar",
        method="POST",
        path="graph/v1/paper/batch",
        params=(("fields", _FIELDS),),
        json_body=body,
        operation="batch",
    )


def match(title: str) -> Request:
    """The one paper whose title is closest; Semantic Scholar answers 404 only when nothing is near at all."""
    return _get("graph/v1/paper/search/match", "match", (("query", title[:LONGEST_QUERY]), ("fields", _FIELDS)))


def linked(identifier: Identifier, kind: str, *, offset: int, limit: int) -> Request:
    """One page of the papers that cite one (`kind` "citations") or that it cites ("references")."""
    key = quote(paper_key(identifier), safe="/:")
    params = (("fields", _FIELDS), ("offset", str(offset)), ("limit", str(limit)))
    return _get(f"graph/v1/paper/{key}/{kind}", kind, params)


def passages(words: str, *, limit: int, within: Iterable[Identifier] = ()) -> Request:
    """Passages about something, best first, in all papers or some."""
    papers = ",".join(paper_key(identifier) for identifier in within)
    params = (("query", words), ("limit", str(limit)), *((("paperIds", papers),) if papers else ()))
    return _get("graph/v1/snippet/search", "passages", params)


def recommendations(identifier: Identifier, limit: int) -> Request:
    """Papers recommended for one paper, best first."""
    body = json.dumps({"positivePaperIds": [paper_key(identifier)], "negativePaperIds": []}, ensure_ascii=False)
    return Request(
        source="semanticscholar",
        method="POST",
        path="recommendations/v1/papers/",
        params=(("fields", _FIELDS), ("limit", str(max(1, min(limit, MOST_RELATED))))),
        json_body=body,
        operation="related",
    )

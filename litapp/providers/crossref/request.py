"""Requests to the Crossref REST API. Contact and token are added when sent."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import quote

from litapp.core.ports import Request

RECORDS_A_PAGE = 100
DOIS_A_CALL = 50
LONGEST_FILTER = 5_000
"""Characters of percent-encoded DOIs in one batch, well below the limits on request lines (about 8,000)."""
LONGEST_QUERY = 1_500
"""Characters of a bibliographic query; more only makes the address too long."""


def _get(path: str, operation: str, params: Iterable[tuple[str, str]] = ()) -> Request:
    return Request(source="crossref", method="GET", path=path, params=tuple(params), operation=operation)


def work(doi: str) -> Request:
    """One work by its DOI. An alias is answered by a redirection to the DOI in use."""
    return _get(f"works/{quote(doi, safe='/')}", "lookup")


def agency(doi: str) -> Request:
    """The agency that registered the DOI (Crossref, DataCite, mEDRA …)."""
    return _get(f"works/{quote(doi, safe='/')}/agency", "lookup")


def works_by_doi(dois: list[str]) -> Request:
    """Several works at once. Unknown DOIs are silently absent from the answer, which keeps no order."""
    filters = ",".join(f"doi:{doi}" for doi in dois)
    return _get("works", "batch", (("filter", filters), ("rows", str(len(dois)))))


def can_be_batched(doi: str) -> bool:
    """False for a DOI that a filter would cut (comma) or that makes the address too long."""
    return "," not in doi and len(quote(doi)) <= 300


def batches(dois: list[str]) -> list[list[str]]:
    """DOIs in batches of at most DOIS_A_CALL and LONGEST_FILTER encoded characters."""
    result: list[list[str]] = []
    size = 0
    for doi in dois:
        length = len(quote(doi, safe="")) + 8
        if not result or len(result[-1]) >= DOIS_A_CALL or size + length > LONGEST_FILTER:
            result.append([])
            size = 0
        result[-1].append(doi)
        size += length
    return result


def search(params: Iterable[tuple[str, str]], *, cursor: str, rows: int) -> Request:
    """One page of a search; `cursor` "*" starts it, then the mark of the page before. Marks live about five minutes."""
    return _get("works", "search", (*params, ("rows", str(rows)), ("cursor", cursor)))


def count(params: Iterable[tuple[str, str]]) -> Request:
    """The number Crossref gives for a search (no real count: see `CountResult.exact`)."""
    return _get("works", "count", (*params, ("rows", "0")))


def match(title: str, *, author: str = "", rows: int = 5) -> Request:
    """Works most like a title, and an author's name if given."""
    params = [("query.bibliographic", title[:LONGEST_QUERY]), ("rows", str(rows))]
    if author:
        params.insert(1, ("query.author", author[:200]))
    return _get("works", "match", params)

"""Requests to Europe PMC's RESTful web service. It has no key and wants no contact."""

from __future__ import annotations

from collections.abc import Iterable

from litapp.core.ports import Request
from litapp.core.records import Identifier, Scheme

RECORDS_A_PAGE = 500
"""Europe PMC gives up to 1,000; whole records (core) of that many take it too long."""
MOST_A_PAGE = 1_000
IDS_A_CALL = {Scheme.PMID: 100, Scheme.PMCID: 100, Scheme.DOI: 50}
"""Identifiers joined by OR in one search. Long lists of DOIs ended in status 504."""
LONGEST_GET = 1_400
"""Characters of a query in an address: Europe PMC refuses 1,500 and more there; longer ones go as a form."""
_RECORDS_AN_ID = 4
"""One DOI may stand in several of Europe PMC's collections (MED, PMC, PPR, AGR)."""


def _search(params: Iterable[tuple[str, str]], operation: str, more: Iterable[tuple[str, str]]) -> Request:
    fields = (*params, ("format", "json"), *more)
    if len(dict(fields)["query"]) > LONGEST_GET:
        return Request(source="europepmc", method="POST", path="searchPOST", form=fields, operation=operation)
    return Request(source="europepmc", method="GET", path="search", params=fields, operation=operation)


def search(params: Iterable[tuple[str, str]], *, cursor: str, size: int) -> Request:
    """One page of whole records; `cursor` "*" starts the list, then the mark of the page before."""
    return _search(params, "search", (("resultType", "core"), ("pageSize", str(size)), ("cursorMark", cursor)))


def count(params: Iterable[tuple[str, str]]) -> Request:
    """The number of records only (with one identifier: a page of none is not possible)."""
    return _search(params, "count", (("resultType", "idlist"), ("pageSize", "1")))


def records_of(query: str, *, wanted: int, operation: str) -> Request:
    """Whole records that match, in one answer, for `wanted` identifiers or hits."""
    size = min(MOST_A_PAGE, max(wanted * _RECORDS_AN_ID, 5))
    return _search((("query", query),), operation, (("resultType", "core"), ("pageSize", str(size))))


def first_records(query: str, count: int) -> Request:
    """The first `count` records of a query, as Europe PMC ranks them."""
    return _search((("query", query),), "match", (("resultType", "core"), ("pageSize", str(count))))


def identifiers_query(identifiers: list[Identifier]) -> str:
    """The query for records of these identifiers, all of one scheme. A PMID is one only in the collection MED."""
    scheme = identifiers[0].scheme
    if scheme is Scheme.PMID:
        terms = " OR ".join(f"EXT_ID:{one.value}" for one in identifiers)
        return f"({terms}) AND SRC:MED"
    if scheme is Scheme.PMCID:
        return " OR ".join(f"PMCID:{one.value}" for one in identifiers)
    return " OR ".join(f'DOI:"{one.value.replace(chr(34), " ")}"' for one in identifiers)


def linked(collection: str, number: str, kind: str, *, page: int, size: int) -> Request:
    """Papers that cite a record (`kind` "citations") or that it cites ("references"), one page."""
    params = (("page", str(page)), ("pageSize", str(size)), ("format", "json"))
    return Request(
        source="europepmc", method="GET", path=f"{collection}/{number}/{kind}", params=params, operation=kind
    )


def full_text(pmcid: str) -> Request:
    """The full text as JATS XML, where the article is open."""
    return Request(
        source="europepmc",
        method="GET",
        path=f"{pmcid}/fullTextXML",
        accept="application/xml",
        operation="full_text",
    )

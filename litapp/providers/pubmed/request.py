"""Requests to NCBI's E-utilities. All are POST, so that long queries fit and no key ever stands in an address."""

from __future__ import annotations

from collections.abc import Iterable

from litapp.core.ports import Request

MOST_RECORDS = 9_999
"""ESearch gives the first 9,999 records of a PubMed query only (NCBI's error message for retstart > 9998)."""
RECORDS_A_CALL = 200
PLACES_A_CALL = 100


def _post(
    path: str, operation: str, form: Iterable[tuple[str, str]], accept: str, *, database: str = "pubmed"
) -> Request:
    return Request(
        source="pubmed", method="POST", path=path, form=(("db", database), *form), accept=accept, operation=operation
    )


def esearch(params: Iterable[tuple[str, str]], *, retmax: int, retstart: int = 0, operation: str = "search") -> Request:
    """Identifiers of the records that match; `params` hold term and sort. `retmax` 0 asks for the count only."""
    paging = (("retstart", str(retstart)), ("retmax", str(retmax)), ("retmode", "json"))
    return _post("esearch.fcgi", operation, (*params, *paging), "application/json")


def efetch(pmids: Iterable[str], *, operation: str = "records") -> Request:
    """Whole records as XML, at most RECORDS_A_CALL of them. The answer need not keep the order."""
    return _post("efetch.fcgi", operation, (("id", ",".join(pmids)), ("retmode", "xml")), "application/xml")


def elink_related(pmid: str) -> Request:
    """Similar articles of one PubMed record, most similar first (the record itself is among them)."""
    form = (
        ("dbfrom", "pubmed"),
        ("id", pmid),
        ("cmd", "neighbor"),
        ("linkname", "pubmed_pubmed"),
        ("retmode", "json"),
    )
    return _post("elink.fcgi", "related", form, "application/json")


def mesh_search(words: str, *, retmax: int) -> Request:
    """Identifiers of MeSH records (not the D numbers; those stand in the summaries)."""
    form = (("term", words), ("retstart", "0"), ("retmax", str(retmax)), ("retmode", "json"))
    return _post("esearch.fcgi", "headings", form, "application/json", database="mesh")


def mesh_summaries(uids: Iterable[str]) -> Request:
    """MeSH records: name and entry terms, tree numbers, scope note. EFetch gives them as plain text only."""
    form = (("id", ",".join(uids)), ("retmode", "json"))
    return _post("esummary.fcgi", "headings", form, "application/json", database="mesh")


def espell(words: str) -> Request:
    """Another spelling of a search text."""
    return _post("espell.fcgi", "spelling", (("term", words),), "application/xml")


def ecitmatch(lines: Iterable[str]) -> Request:
    """PMIDs for places (journal|year|volume|first page|author|key|), parted by carriage returns. Answers in text."""
    return _post("ecitmatch.cgi", "places", (("retmode", "xml"), ("bdata", "\r".join(lines))), "text/plain")

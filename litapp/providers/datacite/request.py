"""Requests to DataCite's REST API. The contact address goes into the User-Agent when sent."""

from __future__ import annotations

from urllib.parse import quote

from litapp.core.ports import Request

DOIS_A_CALL = 50
LONGEST_IDS = 5_000
"""Characters of percent-encoded DOIs in one batch, well below the limits on request lines (about 8,000)."""


def record(doi: str) -> Request:
    """One record by its DOI."""
    return Request(source="datacite", method="GET", path=f"dois/{quote(doi, safe='/')}", operation="lookup")


def records(dois: list[str]) -> Request:
    """Several records at once; unknown DOIs are silently absent, and the answer keeps no order."""
    params = (("ids", ",".join(dois)), ("page[size]", str(len(dois))))
    return Request(source="datacite", method="GET", path="dois", params=params, operation="batch")


def can_be_batched(doi: str) -> bool:
    """False for a DOI that the list would cut (comma) or that makes the address too long."""
    return "," not in doi and len(quote(doi)) <= 300


def batches(dois: list[str]) -> list[list[str]]:
    """DOIs in batches of at most DOIS_A_CALL and LONGEST_IDS encoded characters."""
    result: list[list[str]] = []
    size = 0
    for doi in dois:
        length = len(quote(doi, safe="")) + 3
        if not result or len(result[-1]) >= DOIS_A_CALL or size + length > LONGEST_IDS:
            result.append([])
            size = 0
        result[-1].append(doi)
        size += length
    return result

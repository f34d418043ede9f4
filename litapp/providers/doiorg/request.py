"""Requests to the resolver of all DOIs, doi.org. It has no keys."""

from __future__ import annotations

from urllib.parse import quote

from litapp.core.ports import Request

DOIS_A_CALL = 50
LONGEST_PATH = 4_000
"""Characters of percent-encoded DOIs in one address."""


def agencies(dois: list[str]) -> Request:
    """The registration agencies of several DOIs, answered in the order asked."""
    path = ",".join(quote(doi, safe="/") for doi in dois)
    return Request(source="doiorg", method="GET", path=f"doiRA/{path}", operation="agencies")


def can_be_batched(doi: str) -> bool:
    """False for a DOI that the list would cut (comma) or that makes the address too long."""
    return "," not in doi and len(quote(doi)) <= 300


def batches(dois: list[str]) -> list[list[str]]:
    """DOIs in batches of at most DOIS_A_CALL and LONGEST_PATH encoded characters; odd ones each alone."""
    result: list[list[str]] = []
    size, open_batch = 0, False
    for doi in dois:
        length = len(quote(doi, safe="/")) + 1
        fits = open_batch and len(result[-1]) < DOIS_A_CALL and size + length <= LONGEST_PATH
        if not can_be_batched(doi):
            result.insert(0, [doi])
            continue
        if not fits:
            result.append([])
            size, open_batch = 0, True
        result[-1].append(doi)
        size += length
    return result

"""Requests to PubMed Central's identifier converter. Tool and contact are added when sent."""

from __future__ import annotations

from collections.abc import Iterable

from litapp.core.ports import Request
from litapp.core.records import Identifier

IDS_A_CALL = 200
"""NCBI's limit; one kind of identifier a call (a mix of kinds is refused as a whole)."""
_KINDS = {"pmid": "pmid", "pmcid": "pmcid", "doi": "doi"}


def convert(identifiers: Iterable[Identifier]) -> Request:
    """The other identifiers of papers in PMC. All of one scheme. The old address (…/utils/idconv) leads here."""
    wanted = list(identifiers)
    params = (
        ("ids", ",".join(one.value for one in wanted)),
        ("idtype", _KINDS[wanted[0].scheme.value]),
        ("format", "json"),
    )
    return Request(source="pmc", method="GET", path="tools/idconv/api/v1/articles/", params=params, operation="convert")


def can_be_batched(identifier: Identifier) -> bool:
    """False for a value that the list would read as two (some old DOIs hold commas)."""
    return "," not in identifier.value

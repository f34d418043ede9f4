"""Requests to the API of bioRxiv and medRxiv. Both are asked at one address, by their names in the path."""

from __future__ import annotations

import re
from datetime import date
from urllib.parse import quote

from litapp.core.ports import Request

SERVERS = ("biorxiv", "medrxiv")
"""The two servers, in the order in which they are asked: a DOI does not tell which of them has the preprint."""
PREFIXES = ("10.1101", "10.64898")
"""Everything posted from December 2025 on has the second (announcement of 18 November 2025). The first is also that of
Cold Spring Harbor's journals, so it does not make a DOI a preprint's."""
_VERSION = re.compile(r"v\d{1,3}\Z", re.IGNORECASE)


def can_hold(doi: str) -> bool:
    """True for a DOI that bioRxiv or medRxiv could have: no other need be asked for here."""
    return doi.partition("/")[0] in PREFIXES


def without_version(doi: str) -> str:
    """The DOI of the preprint, from one with a version behind it ("10.1101/2020.01.30.927871v2")."""
    return _VERSION.sub("", doi)


def _details(server: str, middle: str, operation: str) -> Request:
    return Request(source="biorxiv", method="GET", path=f"details/{server}/{middle}/json", operation=operation)


def preprint(server: str, doi: str) -> Request:
    """All versions of one preprint."""
    return _details(server, f"{quote(doi, safe='/')}/na", "lookup")


def window(server: str, first: date, last: date, cursor: int) -> Request:
    """Versions posted between two days (both included), from number `cursor` (from 0) on."""
    return _details(server, f"{first.isoformat()}/{last.isoformat()}/{cursor}", "listing")

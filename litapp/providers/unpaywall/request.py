"""Requests to Unpaywall. The contact address that it asks for is added when sent."""

from __future__ import annotations

from urllib.parse import quote

from litapp.core.ports import Request


def open_copies(doi: str) -> Request:
    """Where one DOI can be read without payment. There is no call for several."""
    return Request(source="unpaywall", method="GET", path=f"v2/{quote(doi, safe='/')}", operation="lookup")

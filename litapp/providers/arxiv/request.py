"""Requests to arXiv's API. One at a time, three seconds apart (terms of use of the API)."""

from __future__ import annotations

from collections.abc import Iterable

from litapp.core.ports import Request

RECORDS_A_PAGE = 500
"""arXiv gives up to 2,000 a call; it asks for small slices and answers large ones late or empty."""
MOST_RECORDS = 30_000
"""arXiv gives the first 30,000 records of a query (API user's manual)."""
IDS_A_CALL = 100
_PATH = "api/query"


def _get(operation: str, params: Iterable[tuple[str, str]]) -> Request:
    return Request(
        source="arxiv",
        method="GET",
        path=_PATH,
        params=tuple(params),
        accept="application/atom+xml",
        operation=operation,
    )


def search(params: Iterable[tuple[str, str]], *, start: int, size: int, operation: str = "search") -> Request:
    """Entries number `start` (from 0) and the following."""
    return _get(operation, (*params, ("start", str(start)), ("max_results", str(size))))


def count(params: Iterable[tuple[str, str]]) -> Request:
    """The number of entries; one entry comes along, as a page of none is not documented."""
    return search(params, start=0, size=1, operation="count")


def by_id(ids: list[str]) -> Request:
    """Papers by arXiv id, newest versions. Without max_results ten would come; unknown ones are silently absent."""
    operation = "batch" if len(ids) > 1 else "lookup"
    return _get(operation, (("id_list", ",".join(ids)), ("max_results", str(len(ids)))))

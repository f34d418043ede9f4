"""Requests to the OpenAlex API, with what each costs in credits. The key goes into a header when sent."""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import quote

from litapp.core.ports import Request
from litapp.core.records import Identifier, Scheme

RECORDS_A_PAGE = 100
"""The documented maximum of per_page. Without per_page a batch of 49 gave 25 (recorded)."""
IDS_A_CALL = 100
LONGEST_FILTER = 6_000
"""Characters of percent-encoded identifiers; OpenAlex refuses request lines above 8,190 bytes."""
FEWEST_FOR_A_BATCH = 4
"""Fewer identifiers are asked for one by one: that is free, a batch costs a credit."""
SEARCH_COST, BATCH_COST = 10, 1
_FIELDS = (
    "id,doi,title,display_name,publication_year,publication_date,ids,language,type,primary_location,authorships,biblio,"
    "is_retracted,mesh,abstract_inverted_index"
)
_OPERATORS = re.compile(r"\b(?:AND|OR|NOT)\b")
OPERATORS_WITHOUT_LIMIT = 5
"""Searches with more AND/OR/NOT have a pace of their own (one a second without a key)."""


def _get(path: str, operation: str, params: Iterable[tuple[str, str]] = (), cost: int = 0) -> Request:
    return Request(source="openalex", method="GET", path=path, params=tuple(params), operation=operation, cost=cost)


def operators_in(text: str) -> int:
    """How many Boolean operators OpenAlex counts in a search text."""
    return len(_OPERATORS.findall(text))


def _operation(params: Iterable[tuple[str, str]]) -> str:
    text = dict(params).get("search", "")
    return "boolean_search" if operators_in(text) > OPERATORS_WITHOUT_LIMIT else "search"


def search(params: tuple[tuple[str, str], ...], *, cursor: str, per_page: int) -> Request:
    """One page of a search; `cursor` "*" starts it."""
    paging = (("select", _FIELDS), ("per_page", str(per_page)), ("cursor", cursor))
    return _get("works", _operation(params), (*params, *paging), SEARCH_COST)


def count(params: tuple[tuple[str, str], ...]) -> Request:
    """The number of works only (as dear as a page)."""
    return _get("works", _operation(params), (*params, ("select", "id"), ("per_page", "1")), SEARCH_COST)


def work(identifier: Identifier) -> Request:
    """One work. DOIs go as `doi:…`: as an address of doi.org the same call would cost a credit."""
    value = quote(identifier.value, safe="/")
    path = value if identifier.scheme is Scheme.OPENALEX else f"{identifier.scheme.value}:{value}"
    return _get(f"works/{path}", "lookup")


def works(identifiers: list[Identifier]) -> Request:
    """Several works of one scheme. Unknown ones are silently absent; the answer keeps no order."""
    scheme = identifiers[0].scheme
    name = "ids.openalex" if scheme is Scheme.OPENALEX else scheme.value
    values = "|".join(identifier.value for identifier in identifiers)
    params = (("filter", f"{name}:{values}"), ("select", _FIELDS), ("per_page", str(RECORDS_A_PAGE)))
    return _get("works", "batch", params, BATCH_COST)


def can_be_batched(identifier: Identifier) -> bool:
    """False for a value that a filter would read as several."""
    return not re.search(r"[,|!+]", identifier.value) and len(quote(identifier.value, safe="")) <= 300


def batches(identifiers: list[Identifier]) -> list[list[Identifier]]:
    """Identifiers in batches of at most IDS_A_CALL and LONGEST_FILTER encoded characters."""
    result: list[list[Identifier]] = []
    size = 0
    for identifier in identifiers:
        length = len(quote(identifier.value, safe="")) + 3
        if not result or len(result[-1]) >= IDS_A_CALL or size + length > LONGEST_FILTER:
            result.append([])
            size = 0
        result[-1].append(identifier)
        size += length
    return result


def match(text: str, *, rows: int = 5) -> Request:
    """Works most like a title (already made safe by `query.title_text`)."""
    return _get("works", "match", (("search", text), ("select", _FIELDS), ("per_page", str(rows))), SEARCH_COST)

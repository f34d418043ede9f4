"""OpenAlex's API under /openalex/: works by id, lists by search and filters, credits and limits."""

from __future__ import annotations

import base64
import binascii
import re
import sqlite3
from typing import Any

from litapp.sandbox.corpus.store import Entry
from litapp.sandbox.differences import Differences, IssuedDays
from litapp.sandbox.dispatch import World
from litapp.sandbox.ranking import Ranking, boolean_expression
from litapp.sandbox.sources.openalex_filters import FilterError, Filters
from litapp.sandbox.sources.openalex_works import work
from litapp.sandbox.wire import Request, Response, json_response, text_response

CREDITS_WITHOUT_KEY, CREDITS_WITH_KEY = 1_000, 10_000
"""Credits a day (1 credit = $0.0001). Source: the answers' X-RateLimit-Limit of June 2026 and OpenAlex's proxy."""
SEARCH_COST, LIST_COST = 10, 1
PER_SECOND = {False: 10, True: 30}
BROAD_PER_SECOND = {False: 1, True: 5}
BROAD_OPERATORS, LONGEST_SEARCH = 5, 1_500
MOST_PER_PAGE, DEFAULT_PER_PAGE, MOST_BY_PAGE = 100, 25, 10_000
_NOT_FOUND = (
    "<!doctype html>\n<html lang=en>\n<title>404 Not Found</title>\n<h1>Not Found</h1>\n<p>The requested URL was not "
    "found on the server. If you entered the URL manually please check your spelling and try again.</p>\n"
)
_SEARCHES = {
    "search": "title abstract",
    "search.title": "title",
    "search.title_and_abstract": "title abstract",
    "search.exact": "title abstract",
    "search.semantic": "title abstract",
}
_EDGE = "Invalid request rejected at the API edge"


class OpenAlex:
    """Every paper of the corpus but those drawn absent; real OpenAlex records where some were loaded."""

    name = "openalex"
    prefix = "/openalex/"

    def __init__(self, world: World) -> None:
        self.world = world
        self.differences = Differences(world, self.name)
        self.ranking = Ranking(world, self.differences.has_number)
        self.filters = Filters(world, self.differences, IssuedDays(self.differences), self.ranking)

    def operation(self, request: Request) -> str:
        route = self._route(request)
        if route.startswith("works/"):
            return "lookup"
        if route == "works":
            searches = any(request.has(name) for name in _SEARCHES) or ".search:" in request.get("filter")
            return "search" if searches else "filter"
        return route or "root"

    def lane(self, request: Request, operation: str) -> tuple[str, int] | None:
        return None

    def refuse(self, request: Request, operation: str) -> Response | None:
        key = self._key(request)
        name = f"openalex/{key or 'anonymous'}"
        if self.world.window.take(name, PER_SECOND[bool(key)]) < 0:
            return self._too_fast(operation, PER_SECOND[bool(key)], bool(key))
        text = next((request.get(n) for n in _SEARCHES if request.has(n)), "")
        operators = len(re.findall(r"\b(?:AND|OR|NOT)\b", text))
        if operators > BROAD_OPERATORS:
            limit = BROAD_PER_SECOND[bool(key)]
            if self.world.window.take(f"{name}/broad", limit) < 0:
                return json_response(_broad(operators), 429, Retry_After="1")
        cost = self._cost(request, operation)
        limit = CREDITS_WITH_KEY if key else CREDITS_WITHOUT_KEY
        done, left = self.world.budget.spend(name, cost, limit)
        return None if done else self._spent(cost, left, limit)

    def decorate(self, request: Request, operation: str, response: Response) -> None:
        key = self._key(request)
        limit = CREDITS_WITH_KEY if key else CREDITS_WITHOUT_KEY
        cost = self._cost(request, operation)
        _, left = self.world.budget.spend(f"openalex/{key or 'anonymous'}", 0, limit)
        response.headers |= {
            "X-RateLimit-Limit": str(limit),
            "X-RateLimit-Remaining": str(left),
            "X-RateLimit-Credits-Used": str(cost),
            "X-RateLimit-Reset": str(self.world.budget.seconds_to_reset()),
            "X-RateLimit-Limit-USD": _dollars(limit),
            "X-RateLimit-Remaining-USD": _dollars(left),
            "X-RateLimit-Cost-USD": _dollars(cost),
        }

    def respond(self, request: Request, operation: str) -> Response:
        if operation == "lookup":
            return self._single(request)
        if self._route(request) != "works":
            return text_response(_NOT_FOUND, 404, "text/html; charset=utf-8")
        return self._list(request)

    def _route(self, request: Request) -> str:
        return request.path.removeprefix(self.prefix).strip("/")

    @staticmethod
    def _key(request: Request) -> str:
        bearer = request.header("authorization").removeprefix("Bearer ")
        return request.get("api_key") or request.header("api-key") or bearer

    def _cost(self, request: Request, operation: str) -> int:
        if operation == "search":
            return SEARCH_COST
        if operation == "lookup":
            return 1 if "doi.org/" in request.path else 0
        return LIST_COST if operation == "filter" else 0

    def _single(self, request: Request) -> Response:
        entry = self._entry(self._route(request).removeprefix("works/"))
        if entry is None:
            return text_response(_NOT_FOUND, 404, "text/html; charset=utf-8")
        record = work(self.world, self.differences, entry, single=True)
        return json_response(_selected([record], request)[0])

    def _entry(self, name: str) -> Entry | None:
        """The work named by W…, doi:…, https://doi.org/…, pmid:…, pmcid:…; a bare DOI is unknown, as at OpenAlex."""
        corpus = self.world.corpus
        kind, _, value = name.partition(":")
        select = "SELECT article FROM attribute WHERE kind = ? AND value = ?"
        bare = name.removeprefix("https://openalex.org/").removeprefix("https:/openalex.org/")
        number: int | None = None
        doi = re.match(r"(?:doi:|https?://?(?:dx\.)?doi\.org/)(10\..+)", name, re.IGNORECASE)
        if doi:
            number = corpus.id_of_doi(doi[1])
        elif kind == "pmid" or "pubmed.ncbi" in name:
            digits = re.search(r"(\d+)/?\Z", name)
            number = corpus.ids_of_pmids([int(digits[1])]).get(int(digits[1])) if digits else None
        elif kind == "pmcid":
            number = next(iter(corpus.numbers(select, ("pmc", "pmc" + value.casefold().removeprefix("pmc")))), None)
        elif re.match(r"[Ww]\d+\Z", bare):
            number = self.filters.number_of_work(bare)
        entry = corpus.entry(number) if number else None
        return entry if entry is not None and self._has(entry) else None

    def _has(self, entry: Entry) -> bool:
        if entry.openalex is not None:
            return True
        return entry.article is not None and self.differences.has(entry.article)

    def _list(self, request: Request) -> Response:
        if request.has("limit"):
            text = "The 'limit' parameter is not valid. Did you mean 'per-page'? e.g. /works?search=foo&per-page=5"
            return json_response({"error": _EDGE, "error_source": "openalex-api-proxy", "message": text}, 400)
        searches = [(columns, request.get(name)) for name, columns in _SEARCHES.items() if request.has(name)]
        too_long = next((text for _, text in searches if len(text) > LONGEST_SEARCH), "")
        if too_long:
            return json_response(_too_long(len(too_long)), 400)
        per_page = request.get("per_page") or request.get("per-page") or str(DEFAULT_PER_PAGE)
        if not per_page.isdigit() or not 1 <= int(per_page) <= MOST_PER_PAGE:
            return _bad(f"per-page parameter must be between 1 and {MOST_PER_PAGE}")
        try:
            numbers = self._numbers(request, searches)
            offset, page = self._offset(request, int(per_page))
        except FilterError as error:
            return _bad(str(error))
        return self._page(request, numbers, offset, int(per_page), page, bool(searches))

    def _numbers(self, request: Request, searches: list[tuple[str, str]]) -> list[int]:
        numbers: list[int] | None = None
        for columns, text in searches:
            found = self._searched(columns, text)
            numbers = found if numbers is None else [n for n in numbers if n in set(found)]
        if numbers is None:
            numbers = self.filters.everything()
        keep = self.filters.matching(request.get("filter"))
        if keep is not None:
            numbers = [number for number in numbers if number in keep]
        sort = request.get("sort")
        if sort.startswith(("publication_date", "publication_year")):
            numbers.sort(key=self.filters.days.of, reverse=sort.endswith(":desc"))
        return numbers

    def _searched(self, columns: str, text: str) -> list[int]:
        if "?" in text or "*" in text:
            raise FilterError("Wildcards (* and ?) are not supported in search.")
        try:
            expression = boolean_expression(text, columns)
            return list(self.ranking.expression(expression)) if expression else self.filters.everything()
        except (ValueError, sqlite3.OperationalError) as error:
            raise FilterError("The search cannot be read: check parentheses, quotes and operators.") from error

    def _offset(self, request: Request, per_page: int) -> tuple[int, int | None]:
        cursor = request.get("cursor")
        if cursor:
            if cursor == "*":
                return 0, None
            try:
                return int(base64.urlsafe_b64decode(cursor.encode() + b"==").decode().removeprefix("sandbox:")), None
            except (binascii.Error, ValueError, UnicodeDecodeError) as error:
                raise FilterError("Cursor value is invalid.") from error
        page = request.get("page", "1")
        if not page.isdigit() or int(page) < 1:
            raise FilterError("Page parameter must be a whole number above 0.")
        if int(page) * per_page > MOST_BY_PAGE:
            raise FilterError("Maximum results size of 10,000 records is exceeded. Cursor pagination is required.")
        return (int(page) - 1) * per_page, int(page)

    def _page(
        self, request: Request, numbers: list[int], offset: int, size: int, page: int | None, ranked: bool
    ) -> Response:
        chosen = numbers[offset : offset + size]
        results = []
        total = len(numbers)
        for position, entry in enumerate(self.world.corpus.entries(chosen)):
            if not self._has(entry):
                total -= 1
                continue
            record = work(self.world, self.differences, entry, single=False)
            if ranked:
                record["relevance_score"] = round(500 / (1 + (offset + position) / 10), 4)
            results.append(record)
        meta: dict[str, Any] = {"count": total, "db_response_time_ms": 20, "page": page, "per_page": size}
        if request.has("cursor"):
            following = base64.urlsafe_b64encode(f"sandbox:{offset + len(chosen)}".encode()).decode().rstrip("=")
            meta["next_cursor"] = following if chosen else None
        meta["groups_count"] = None
        meta["cost_usd"] = (SEARCH_COST if ranked else LIST_COST) / 10_000
        return json_response({"meta": meta, "results": _selected(results, request), "group_by": []})

    def _too_fast(self, operation: str, limit: int, keyed: bool) -> Response:
        body: dict[str, Any] = {
            "error": "Rate limit exceeded",
            "message": f"Rate limit exceeded: {limit} requests per second. Please slow down.",
            "retryAfter": 0.0213,
        }
        budget = CREDITS_WITH_KEY if keyed else CREDITS_WITHOUT_KEY
        body |= _amounts(SEARCH_COST if operation == "search" else LIST_COST, 0)
        return json_response(body, 429, Retry_After="1", X_RateLimit_Limit=str(budget), X_RateLimit_Remaining="0")

    def _spent(self, cost: int, left: int, limit: int) -> Response:
        seconds = self.world.budget.seconds_to_reset()
        message = (
            f"Insufficient budget. This request costs ${_dollars(cost)} but you only have ${_dollars(left)} remaining. "
            "Resets at midnight UTC. Need more? Add funds at https://openalex.org/pricing"
        )
        body = {"error": "Rate limit exceeded", "message": message, "retryAfter": seconds} | _amounts(cost, left)
        response = json_response(body, 429, Retry_After=str(seconds), X_RateLimit_Reset=str(seconds))
        response.headers |= {
            "X-RateLimit-Limit": str(limit),
            "X-RateLimit-Remaining": str(left),
            "X-RateLimit-Credits-Required": str(cost),
            "X-RateLimit-Cost-Required-USD": _dollars(cost),
        }
        return response


def _selected(records: list[dict[str, Any]], request: Request) -> list[dict[str, Any]]:
    names = [name for name in request.get("select").split(",") if name]
    return [{n: record[n] for n in names if n in record} for record in records] if names else records


def _amounts(cost: int, left: int) -> dict[str, Any]:
    return {
        "costUsd": cost / 10_000,
        "dailyRemainingUsd": left / 10_000 if left else 0,
        "prepaidRemainingUsd": 0,
        "creditsRequired": cost,
        "creditsRemaining": left,
        "onetimeCreditsRemaining": 0,
    }


def _dollars(credits: int) -> str:
    return f"{credits / 10_000:.4f}".rstrip("0").rstrip(".")


def _bad(message: str) -> Response:
    return json_response({"error": "Invalid query parameters error.", "message": message}, 400)


def _too_long(length: int) -> dict[str, Any]:
    message = f"Your search is too long ({length} characters; the limit is {LONGEST_SEARCH})."
    return {"error": "Search query too long", "error_source": "openalex-api-proxy", "message": message}


def _broad(operators: int) -> dict[str, Any]:
    message = (
        f"Your query uses {operators} boolean operators (OR/AND/NOT). Queries with more than {BROAD_OPERATORS} "
        "operators are limited to 1 request per second per client. Please wait 1s and retry."
    )
    return {
        "error": "Rate limit exceeded",
        "message": message,
        "reason": "broad_boolean_query",
        "booleanOperators": operators,
        "retryAfter": 1,
    }

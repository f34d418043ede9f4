"""Crossref's REST API under /crossref/: works by DOI, lists by words and filters, pools with their limits."""

from __future__ import annotations

import base64
import binascii
import functools
import re
from collections.abc import Iterable, Set
from typing import Any

from litapp.sandbox.corpus.store import Entry
from litapp.sandbox.differences import Differences, IssuedDays, day_number
from litapp.sandbox.dispatch import World
from litapp.sandbox.ranking import Ranking
from litapp.sandbox.sources.crossref_works import work
from litapp.sandbox.wire import Request, Response, json_response, text_response

LIMITS = {
    ("public", "array"): (1, 1),
    ("public", "single"): (5, 1),
    ("polite", "array"): (3, 3),
    ("polite", "single"): (10, 3),
    ("plus", "array"): (150, 150),
    ("plus", "single"): (150, 150),
}
"""(requests per second, at the same time) per pool. Source: Crossref's answer headers of 2026."""
MOST_ROWS, MOST_OFFSET = 1_000, 10_000
_QUERIES = {
    "query": "title abstract names journal",
    "query.title": "title",
    "query.bibliographic": "title names journal",
    "query.author": "names",
    "query.container-title": "journal",
}
_LISTS = frozenset(
    {*_QUERIES, "filter", "rows", "offset", "cursor", "sample", "select", "sort", "order", "mailto", "facet"}
)
_FILTERS = frozenset(
    [
        "doi",
        "from-pub-date",
        "until-pub-date",
        "from-print-pub-date",
        "until-print-pub-date",
        "from-online-pub-date",
        "until-online-pub-date",
        "from-created-date",
        "until-created-date",
        "from-index-date",
        "until-index-date",
        "from-update-date",
        "until-update-date",
        "type",
        "has-abstract",
        "has-references",
        "has-orcid",
        "issn",
        "prefix",
        "container-title",
        "updates",
        "update-type",
        "is-update",
        "has-full-text",
    ]
)
_WITH_DOI = "doi IS NOT NULL AND (pmid IS NOT NULL OR crossref IS NOT NULL)"
_DAY = re.compile(r"\d{4}(-\d{1,2}(-\d{1,2})?)?\Z")


class Crossref:
    """Works of the corpus that have a DOI."""

    name = "crossref"
    prefix = "/crossref/"

    def __init__(self, world: World) -> None:
        self.world = world
        self.differences = Differences(world, self.name)
        self.days = IssuedDays(self.differences)
        self.ranking = Ranking(world, self.differences.has_number)

    def operation(self, request: Request) -> str:
        route = request.path.removeprefix(self.prefix).strip("/")
        if route.endswith("/agency"):
            return "agency"
        if route != "works":
            return "lookup"
        only_dois = request.has("filter") and not any(request.has(name) for name in _QUERIES)
        return "batch" if only_dois and "doi:" in request.get("filter") else "search"

    def lane(self, request: Request, operation: str) -> tuple[str, int] | None:
        pool, kind = self._pool(request, operation)
        return f"crossref/{pool}-{kind}", LIMITS[pool, kind][1]

    def refuse(self, request: Request, operation: str) -> Response | None:
        pool, kind = self._pool(request, operation)
        left = self.world.window.take(f"crossref/{pool}-{kind}", LIMITS[pool, kind][0])
        return None if left >= 0 else text_response("", 429)

    def decorate(self, request: Request, operation: str, response: Response) -> None:
        pool, kind = self._pool(request, operation)
        rate, together = LIMITS[pool, kind]
        response.headers |= {
            "x-api-pool": f"{pool}-{kind}",
            "x-rate-limit-limit": str(rate),
            "x-rate-limit-interval": "1s",
            "x-concurrency-limit": str(together),
        }

    def respond(self, request: Request, operation: str) -> Response:
        route = request.path.removeprefix(self.prefix).strip("/")
        if route == "works":
            return self._list(request)
        if not route.startswith("works/"):
            return json_response(
                {"status": "error", "message-type": "route-not-found", "message-version": "1.0.0", "message": None}, 404
            )
        doi = route.removeprefix("works/").removesuffix("/agency")
        refused = next((name for name in ("select", *_QUERIES, "rows", "filter") if request.has(name)), "")
        if refused:
            return _invalid("parameter-not-allowed", refused, f"This route does not support {refused}")
        entry = self._by_doi(doi)
        if entry is None:
            return text_response("Resource not found.", 404)
        if operation == "agency":
            message = {"DOI": doi.casefold(), "agency": {"id": "crossref", "label": "Crossref"}}
            return _message("work-agency", message)
        return _message("work", work(self.world, self.differences, entry, score=1, references=True))

    def _pool(self, request: Request, operation: str) -> tuple[str, str]:
        kind = "array" if operation in ("search", "batch") else "single"
        if request.header("crossref-plus-api-token"):
            return "plus", kind
        polite = request.get("mailto") or "mailto:" in request.header("user-agent")
        return ("polite" if polite else "public"), kind

    def _by_doi(self, doi: str) -> Entry | None:
        number = self.world.corpus.id_of_doi(doi)
        entry = self.world.corpus.entry(number) if number else None
        return entry if entry is not None and self._has(entry) else None

    def _has(self, entry: Entry) -> bool:
        if entry.article is None:
            return entry.crossref is not None
        return bool(entry.article.doi) and (entry.crossref is not None or self.differences.has(entry.article))

    def _list(self, request: Request) -> Response:
        unknown = next((name for name, _ in request.params if name not in _LISTS), "")
        if unknown:
            return _invalid("unknown-parameter", unknown, f"Parameter {unknown} is not recognised by this route.")
        rows = request.get("rows", "20")
        if not rows.isdigit() or int(rows) > MOST_ROWS:
            return _invalid(
                "integer-not-valid",
                rows,
                f"Integer specified as {rows} but must be a positive integer less than or equal to {MOST_ROWS}. ",
            )
        filters = _read_filters(request.get("filter"))
        bad = next((name for name, _ in filters if name not in _FILTERS), "")
        if bad:
            text = f"Filter '{bad}' specified but there is no such filter for this route. Valid filters: "
            return _invalid("filter-not-available", bad, text + ", ".join(sorted(_FILTERS)))
        wrong = next((v for n, v in filters if n.endswith("-date") and not _DAY.match(v)), "")
        if wrong:
            return _invalid("date-not-valid", wrong, f"Date specified as {wrong} but must be of the form YYYY-MM-DD")
        offset, failure = self._offset(request)
        if failure is not None:
            return failure
        return self._page(request, filters, offset, int(rows))

    def _offset(self, request: Request) -> tuple[int, Response | None]:
        cursor = request.get("cursor")
        if cursor and cursor != "*":
            try:
                return int(base64.urlsafe_b64decode(cursor.encode() + b"==").decode().removeprefix("sandbox:")), None
            except (binascii.Error, ValueError, UnicodeDecodeError):
                text = "Cursor specified but it is invalid"
                return 0, _invalid("cursor-invalid", cursor, text, 404, "resource-failure")
        offset = request.get("offset", "0")
        if not offset.isdigit() or int(offset) > MOST_OFFSET:
            text = f"Integer specified as {offset} but must be a positive integer less than or equal to {MOST_OFFSET}. "
            return 0, _invalid("integer-not-valid", offset, text)
        return int(offset), None

    def _page(self, request: Request, filters: list[tuple[str, str]], offset: int, rows: int) -> Response:
        queries = tuple((_QUERIES[name], value) for name, value in request.params if name in _QUERIES)
        ranked: Iterable[int]
        ranked = self.ranking.any_word(queries) if queries else self._all
        numbers = self._filtered(list(ranked), filters)
        if request.get("sort") in ("published", "issued", "published-online", "published-print"):
            numbers.sort(key=self.days.of, reverse=request.get("order", "desc") != "asc")
        chosen = numbers[offset : offset + rows]
        items = []
        total = len(numbers)
        for position, entry in enumerate(self.world.corpus.entries(chosen)):
            if not self._has(entry):
                total -= 1
            else:
                score = round(40 / (1 + (offset + position) / 20), 5) if queries else 1
                items.append(work(self.world, self.differences, entry, score=score, references=rows <= 100))
        wanted = [name for name in request.get("select").split(",") if name]
        if wanted:
            items = [{name: item[name] for name in wanted if name in item} for item in items]
        message: dict[str, Any] = {"facets": {}}
        if request.has("cursor"):
            text = f"sandbox:{offset + len(chosen)}".encode()
            message["next-cursor"] = base64.urlsafe_b64encode(text).decode().rstrip("=")
        terms = request.get("query") or None
        message |= {
            "total-results": total,
            "items": items,
            "items-per-page": rows,
            "query": {"start-index": offset, "search-terms": terms},
        }
        return _message("work-list", message)

    @functools.cached_property
    def _all(self) -> tuple[int, ...]:
        """Every work Crossref has, in the order of the corpus file (which does not change while it is served)."""
        rows = self.world.corpus.rows(f"SELECT id, pmid FROM article WHERE {_WITH_DOI} ORDER BY id")  # noqa: S608 - constant
        return tuple(number for number, pmid in rows if pmid is None or self.differences.has_number(pmid))

    @functools.cached_property
    def _all_set(self) -> frozenset[int]:
        return frozenset(self._all)

    def _filtered(self, numbers: list[int], filters: list[tuple[str, str]]) -> list[int]:
        keep: Set[int] = self._all_set
        groups: dict[str, list[str]] = {}
        for name, value in filters:
            groups.setdefault(name, []).append(value)
        for name, values in groups.items():
            if name.endswith("-date"):
                keep = self._by_date(keep, name, values[0])
                continue
            chosen = self._chosen(name, values)
            keep = keep & chosen if chosen is not None else keep
        return [number for number in numbers if number in keep]

    def _by_date(self, keep: Set[int], name: str, value: str) -> Set[int]:
        if "pub" not in name:
            return keep
        parts = [int(part) for part in value.split("-")]
        low = day_number([*parts, 0, 0])
        high = day_number([*parts, *([12, 31][len(parts) - 1 :])])
        if name.startswith("from"):
            return {number for number in keep if self.days.of(number) >= low}
        return {number for number in keep if 0 < self.days.of(number) <= high}

    def _chosen(self, name: str, values: list[str]) -> set[int] | None:
        """Numbers for one filter (values of the same filter mean OR); None where the filter changes nothing here."""
        corpus = self.world.corpus
        select = "SELECT article FROM attribute WHERE kind = ? AND value = ?"
        if name == "doi":
            found = (corpus.id_of_doi(value) for value in values)
            return {number for number in found if number is not None}
        if name == "issn":
            return set().union(
                *(corpus.numbers(select, ("ta", value.casefold().replace("-", " "))) for value in values)
            )
        if name == "prefix":
            like = "SELECT id FROM article WHERE doi LIKE ? || '/%'"
            return set().union(*(corpus.numbers(like, (value.casefold(),)) for value in values))
        if name == "type":
            preprints = corpus.numbers(select, ("pt", "preprint"))
            every = corpus.numbers("SELECT id FROM article")
            kinds = {"posted-content": preprints, "journal-article": every - preprints}
            return set().union(*(kinds.get(value, set()) for value in values))
        if name == "has-abstract":
            with_abstract = corpus.numbers(select, ("sb", "hasabstract"))
            return with_abstract if values[0] in ("true", "1") else None
        if name in ("updates", "update-type", "is-update"):
            notices = corpus.numbers(select, ("pt", "retraction of publication"))
            if name != "updates":
                return notices | corpus.numbers(select, ("pt", "published erratum"))
            wanted = {value.casefold() for value in values}
            entries = corpus.entries(notices | corpus.numbers(select, ("pt", "published erratum")))
            works = ((e.id, work(self.world, self.differences, e, score=1, references=False)) for e in entries)
            return {number for number, item in works if any(u["DOI"] in wanted for u in item.get("update-to", []))}
        return None


def _read_filters(text: str) -> list[tuple[str, str]]:
    """`a:x,b:y` as pairs; a comma inside a value (a DOI) belongs to it unless a filter's name follows."""
    parts = re.split(r",(?=[a-z][a-z.-]*:)", text) if text else []
    pairs = [part.split(":", 1) for part in parts if part]
    return [(pair[0], pair[1] if len(pair) == 2 else "") for pair in pairs]


def _message(kind: str, message: dict[str, Any]) -> Response:
    return json_response({"status": "ok", "message-type": kind, "message-version": "1.0.0", "message": message})


def _invalid(kind: str, value: str, text: str, status: int = 400, message_type: str = "validation-failure") -> Response:
    problem = {"type": kind, "value": value, "message": text}
    body = {"status": "failed", "message-type": message_type, "message": [problem]}
    return json_response(body, status, "application/json;charset=utf-8")

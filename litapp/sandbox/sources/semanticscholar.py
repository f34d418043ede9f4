"""Semantic Scholar's graph and recommendations APIs under /s2/: relevance and bulk search, batch, match, single."""

from __future__ import annotations

import base64
import binascii
import json
import re
import sqlite3
import threading
from typing import Any

from litapp.sandbox.arxiv_numbers import place_held
from litapp.sandbox.corpus.article import Article
from litapp.sandbox.corpus.index import folded
from litapp.sandbox.differences import Differences, IssuedDays
from litapp.sandbox.dispatch import World
from litapp.sandbox.ranking import Ranking, boolean_expression
from litapp.sandbox.sources.eutils_links import citing_ids, related_ids
from litapp.sandbox.sources.semanticscholar_papers import FIELDS, FIRST_CORPUS_ID, PUBLICATION_TYPES, paper, paper_id
from litapp.sandbox.sources.semanticscholar_snippets import passage
from litapp.sandbox.wire import Request, Response, json_response

PER_SECOND = 1
"""With a key, over all endpoints together; without one the pool is shared and no better. Source: s2-folks#218."""
MOST_PER_PAGE, MOST_BY_OFFSET, BULK_PAGE, MOST_BATCH = 100, 1_000, 1_000, 500
COLUMNS = "title abstract"
_TOO_MANY = (
    "Too Many Requests. Please wait and try again or apply for a key for higher rate limits. "
    "https://www.semanticscholar.org/product/api#api-key-form"
)
_SNIPPETS = "graph/v1/snippet/search"
_GRAPH, _RECOMMENDATIONS = "graph/v1/paper/", "recommendations/v1/papers"


class SemanticScholar:
    """Every paper of the corpus but those drawn absent."""

    name = "semanticscholar"
    prefix = "/s2/"

    def __init__(self, world: World) -> None:
        self.world = world
        self.differences = Differences(world, self.name)
        self.days = IssuedDays(self.differences)
        self.ranking = Ranking(world, self.differences.has_number)
        self._papers: dict[str, int] = {}
        self._lock = threading.Lock()

    def operation(self, request: Request) -> str:
        route = self._route(request)
        if route.startswith(_RECOMMENDATIONS):
            return "recommendations"
        if route == _SNIPPETS:
            return "snippets"
        name = route.removeprefix(_GRAPH)
        return {"search": "search", "search/bulk": "bulk", "search/match": "match", "batch": "batch"}.get(
            name, "lookup"
        )

    def lane(self, request: Request, operation: str) -> tuple[str, int] | None:
        return None

    def refuse(self, request: Request, operation: str) -> Response | None:
        key = request.header("x-api-key") or "anonymous"
        if self.world.window.take(f"s2/{key}", PER_SECOND) >= 0:
            return None
        body = {"message": _TOO_MANY, "code": "429"}
        return json_response(body, 429, x_amzn_errortype="TooManyRequestsException")

    def decorate(self, request: Request, operation: str, response: Response) -> None:
        response.headers["x-cache"] = "Miss from cloudfront" if response.status < 400 else "Error from cloudfront"

    def respond(self, request: Request, operation: str) -> Response:
        if operation == "snippets":
            return self._snippets(request)
        fields = [name.strip() for name in request.get("fields").split(",") if name.strip()]
        unknown = [name for name in fields if name.split(".")[0] not in FIELDS]
        if unknown:
            return json_response({"error": f"Unrecognized or unsupported fields: [{', '.join(unknown)}]"}, 400)
        answers = {
            "search": self._search,
            "bulk": self._bulk,
            "match": self._match,
            "batch": self._batch,
            "recommendations": self._recommend,
        }
        return answers.get(operation, self._single)(request, fields)

    def _route(self, request: Request) -> str:
        return request.path.removeprefix(self.prefix).strip("/")

    def _show(self, article: Article, fields: list[str]) -> dict[str, Any]:
        return paper(self.world, self.differences, article, fields)

    def _articles(self, numbers: list[int]) -> list[Article]:
        entries = self.world.corpus.entries(numbers)
        return [e.article for e in entries if e.article is not None and self.differences.has(e.article)]

    def _search(self, request: Request, fields: list[str]) -> Response:
        if not request.get("query").strip():
            return json_response({"error": "Missing required parameter: query"}, 400)
        offset, limit = _whole(request.get("offset"), 0), _whole(request.get("limit"), 10)
        if limit > MOST_PER_PAGE or offset + limit > MOST_BY_OFFSET:
            return json_response(
                {"error": f"Requested data for this limit and/or offset is not available: {limit}"}, 400
            )
        numbers = self._filtered(list(self.ranking.most_words(request.get("query"), COLUMNS)), request)
        if not numbers:
            return json_response({"total": 0, "offset": 0})
        body: dict[str, Any] = {"total": len(numbers), "offset": offset}
        if offset + limit < min(len(numbers), MOST_BY_OFFSET):
            body["next"] = offset + limit
        body["data"] = [self._show(a, fields) for a in self._articles(numbers[offset : offset + limit])]
        return json_response(body)

    def _bulk(self, request: Request, fields: list[str]) -> Response:
        try:
            expression = boolean_expression(request.get("query"), COLUMNS, signs=True)
            numbers = list(self.ranking.expression(expression)) if expression else []
        except (ValueError, sqlite3.OperationalError):
            return json_response({"error": "Unable to parse query"}, 400)
        numbers = self._filtered(numbers, request)
        pmids = self.world.corpus.pmids_of_ids(numbers)
        numbers = sorted((n for n in numbers if n in pmids), key=lambda n: paper_id(pmids[n]))
        start = 0
        if request.get("token"):
            try:
                start = int(base64.urlsafe_b64decode(request.get("token").encode() + b"==").decode())
            except (binascii.Error, ValueError, UnicodeDecodeError):
                return json_response({"error": "Invalid or expired continuation token"}, 400)
        data = [self._show(a, fields) for a in self._articles(numbers[start : start + BULK_PAGE])]
        body: dict[str, Any] = {"total": len(numbers)}
        following = start + BULK_PAGE
        if following < len(numbers):
            body["token"] = base64.urlsafe_b64encode(str(following).encode()).decode().rstrip("=")
        return json_response(body | {"data": data})

    def _match(self, request: Request, fields: list[str]) -> Response:
        """The closest title. There is always one when enough words agree; its score is no measure of being right."""
        if not request.get("query").strip():
            return json_response({"error": "Missing required parameter: query"}, 400)
        numbers = self._filtered(list(self.ranking.most_words(request.get("query"), "title", 0.5)), request)
        articles = self._articles(numbers[:20])
        if not articles:
            return json_response({"error": "Title match not found"}, 404)
        asked = folded(request.get("query"))
        best = next((a for a in articles if folded(a.title) == asked), articles[0])
        score = 30 + 12.5 * len(set(folded(best.title).split()) & set(asked.split()))
        return json_response({"data": [{**self._show(best, fields), "matchScore": score}]})

    def _batch(self, request: Request, fields: list[str]) -> Response:
        try:
            ids = json.loads(request.body)["ids"]
        except (json.JSONDecodeError, KeyError, TypeError):
            return json_response({"error": "Invalid JSON body"}, 400)
        if not ids or len(ids) > MOST_BATCH:
            return json_response({"error": f"No more than {MOST_BATCH} ids, and at least one"}, 400)
        found = [self._by_name(str(name)) for name in ids]
        return json_response([self._show(article, fields) if article else None for article in found])

    def _single(self, request: Request, fields: list[str]) -> Response:
        name = self._route(request).removeprefix(_GRAPH)
        name, _, list_name = name.rpartition("/") if name.endswith(("/citations", "/references")) else (name, "", "")
        article = self._by_name(name)
        if article is None:
            return json_response({"error": f"Paper with id {name} not found"}, 404)
        if list_name:
            return self._linked(request, fields, article, list_name)
        return json_response(self._show(article, fields))

    def _linked(self, request: Request, fields: list[str], article: Article, list_name: str) -> Response:
        offset, limit = _whole(request.get("offset"), 0), min(_whole(request.get("limit"), 100), 1_000)
        if list_name == "citations":
            numbers, key = citing_ids(self.world, article.pmid), "citingPaper"
        else:
            numbers, key = list(self.world.corpus.ids_of_pmids(article.cites).values()), "citedPaper"
        page = self._articles(numbers[offset : offset + limit])
        body: dict[str, Any] = {"offset": offset}
        if offset + limit < len(numbers):
            body["next"] = offset + limit
        return json_response(body | {"data": [{key: self._show(a, fields)} for a in page]})

    def _recommend(self, request: Request, fields: list[str]) -> Response:
        limit = min(_whole(request.get("limit"), 100), 500)
        route = self._route(request)
        if route.startswith(f"{_RECOMMENDATIONS}/forpaper/"):
            names = [route.removeprefix(f"{_RECOMMENDATIONS}/forpaper/")]
        else:
            try:
                names = [str(name) for name in json.loads(request.body or b"{}").get("positivePaperIds", [])]
            except (json.JSONDecodeError, AttributeError):
                names = []
        if not names:
            return json_response({"error": "No positive paper examples given"}, 400)
        seeds = [article for article in map(self._by_name, names) if article is not None]
        if not seeds:
            return json_response({"error": f"Paper with id {names[0]} not found"}, 404)
        numbers = list(dict.fromkeys(n for seed in seeds for n in related_ids(self.world, seed, limit)))
        return json_response({"recommendedPapers": [self._show(a, fields) for a in self._articles(numbers[:limit])]})

    def _snippets(self, request: Request) -> Response:
        """Titles and abstracts as passages, best first; never full texts, which the corpus does not have."""
        words = request.get("query").strip()
        if not words:
            return json_response({"error": "Missing required parameter: query"}, 400)
        limit = min(_whole(request.get("limit"), 10), MOST_BY_OFFSET)
        ranked = list(self.ranking.most_words(words, COLUMNS))
        named = [self._by_name(name) for name in request.get("paperIds").split(",") if name]
        if named:
            within = {article.pmid for article in named if article is not None}
            articles = [article for article in self._articles(ranked) if article.pmid in within]
        else:
            articles = self._articles(ranked[: 2 * limit])
        passages = [passage(self.differences, article, words) for article in articles[:limit]]
        return json_response({"data": passages, "retrievalVersion": "pa1-v1"})

    def _by_name(self, name: str) -> Article | None:
        kind, _, value = name.partition(":")
        corpus = self.world.corpus
        number: int | None = None
        if kind.upper() == "DOI" or name.startswith("10."):
            number = corpus.id_of_doi(value if kind.upper() == "DOI" else name)
        elif kind.upper() == "PMID" and value.isdigit():
            number = corpus.ids_of_pmids([int(value)]).get(int(value))
        elif kind.upper() == "PMCID":
            digits = value.casefold().removeprefix("pmc")
            select = "SELECT article FROM attribute WHERE kind = 'pmc' AND value = ?"
            number = next(iter(corpus.numbers(select, (f"pmc{digits}",))), None)
        elif kind.upper() == "ARXIV":
            number = place_held(self.world, value)
        elif kind.casefold() == "corpusid" and value.isdigit():
            pmid = int(value) - FIRST_CORPUS_ID
            number = corpus.ids_of_pmids([pmid]).get(pmid)
        elif re.match(r"[0-9a-f]{40}\Z", name):
            number = self._by_paper_id().get(name)
        found = self._articles([number]) if number else []
        return found[0] if found else None

    def _by_paper_id(self) -> dict[str, int]:
        with self._lock:
            if not self._papers:
                rows = self.world.corpus.rows("SELECT pmid, id FROM article WHERE pmid IS NOT NULL")
                self._papers = {paper_id(pmid): number for pmid, number in rows}
            return self._papers

    def _filtered(self, numbers: list[int], request: Request) -> list[int]:
        bounds = re.match(r"(\d{4})?(-)?(\d{4})?\Z", request.get("year"))
        if request.get("year") and bounds:
            low = int(bounds[1] or 0)
            high = int(bounds[3] or 9_999) if bounds[2] else low
            numbers = [n for n in numbers if low <= self.days.of(n) // 10_000 <= high]
        span = request.get("publicationDateOrYear")
        if span:
            first, _, last = span.partition(":") if ":" in span else (span, "", span)
            low, high = _day(first, 0), _day(last, 99)
            numbers = [n for n in numbers if low <= self.days.of(n) <= high]
        types = [name for name in request.get("publicationTypes").split(",") if name]
        if types:
            select = "SELECT article FROM attribute WHERE kind = 'pt' AND value = ?"
            values = [folded(nlm) for name in types for nlm in PUBLICATION_TYPES.get(name, [])]
            keep = set().union(*(self.world.corpus.numbers(select, (value,)) for value in values))
            numbers = [n for n in numbers if n in keep]
        if request.has("openAccessPdf"):
            keep = self.world.corpus.numbers("SELECT article FROM attribute WHERE kind = 'pmc'")
            numbers = [n for n in numbers if n in keep]
        return numbers


def _day(text: str, filler: int) -> int:
    if not text:
        return 99_999_999 if filler else 0
    parts = [int(part) for part in text.split("-") if part.isdigit()]
    parts += [filler] * (3 - len(parts))
    return parts[0] * 10_000 + parts[1] * 100 + parts[2]


def _whole(text: str, default: int) -> int:
    return int(text) if text.isdigit() else default

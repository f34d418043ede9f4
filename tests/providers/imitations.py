"""The sources imitated just enough to speak with: records by number, answers to each kind of request."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass

import httpx

from litapp.core.records import Identifier, Scheme
from tests.providers import imitations_further as further

Handler = Callable[[httpx.Request], httpx.Response]


def _json(data: object) -> httpx.Response:
    return httpx.Response(200, content=json.dumps(data).encode(), headers={"content-type": "application/json"})


def pubmed_article(number: int, title: str | None = None) -> str:
    shown = f"Title {number}." if title is None else title
    return (
        f'<PubmedArticle><MedlineCitation Status="MEDLINE"><PMID Version="1">{number}</PMID><Article>'
        f"<ArticleTitle>{shown}</ArticleTitle></Article></MedlineCitation><PubmedData><ArticleIdList>"
        f'<ArticleId IdType="pubmed">{number}</ArticleId><ArticleId IdType="doi">10.1000/n{number}</ArticleId>'
        "</ArticleIdList></PubmedData></PubmedArticle>"
    )


@dataclass
class Imitation:
    """One source with records 1..`size`; `null_at` and `untitled` are record numbers that are broken."""

    source: str
    size: int
    null_at: frozenset[int] = frozenset()
    untitled: frozenset[int] = frozenset()

    def __call__(self, request: httpx.Request) -> httpx.Response:
        if self.source in further.HANDLERS:
            return further.HANDLERS[self.source](self, request)
        handler: Handler = getattr(self, f"_{self.source}")
        return handler(request)

    def identifier(self, number: int) -> Identifier:
        """What record `number` is looked up by."""
        if self.source in further.IDENTIFIERS:
            return further.IDENTIFIERS[self.source](number)
        if self.source == "pubmed":
            return Identifier(Scheme.PMID, str(number))
        return Identifier(Scheme.DOI, f"10.1000/n{number}")

    def _known(self, number: int) -> bool:
        return 1 <= number <= self.size and number not in self.null_at

    def _pubmed(self, request: httpx.Request) -> httpx.Response:
        form = dict(httpx.QueryParams(request.content.decode()))
        if request.url.path.endswith("esearch.fcgi"):
            count = min(int(form["retmax"]), 9999)
            ids = [str(number) for number in range(1, min(self.size, count) + 1)]
            return _json({"esearchresult": {"count": str(self.size), "idlist": ids}})
        numbers = [int(text) for text in form["id"].split(",")]
        articles = [
            pubmed_article(number, "" if number in self.untitled else None)
            for number in sorted(numbers)
            if self._known(number)
        ]
        return httpx.Response(200, content=f"<PubmedArticleSet>{''.join(articles)}</PubmedArticleSet>".encode())

    def _crossref_work(self, number: int) -> dict[str, object] | None:
        if number in self.null_at:
            return None
        return {"DOI": f"10.1000/N{number}", "title": [] if number in self.untitled else [f"Title {number}"]}

    def _crossref(self, request: httpx.Request) -> httpx.Response:
        params = request.url.params
        if not request.url.path.endswith("/works"):
            number = int(re.sub(r"\D", "", request.url.path.rpartition("/")[2]) or 0)
            if not self._known(number):
                return httpx.Response(404, content=b"Resource not found.")
            return _json({"status": "ok", "message-type": "work", "message": self._crossref_work(number)})
        numbers: list[int]
        if "doi:" in params.get("filter", ""):
            numbers = [int(text) for text in re.findall(r"doi:10\.1000/n(\d+)", params["filter"])]
            found = [self._crossref_work(number) for number in reversed(numbers) if self._known(number)]
            message: dict[str, object] = {"total-results": len(found), "items": found}
        else:
            rows = int(params["rows"])
            start = 0 if params.get("cursor", "*") == "*" else int(params["cursor"])
            numbers = list(range(start + 1, min(start + rows, self.size) + 1))
            message = {"total-results": self.size, "items": [self._crossref_work(number) for number in numbers]}
            if "cursor" in params:
                message["next-cursor"] = str(start + len(numbers))
        return _json({"status": "ok", "message-type": "work-list", "message": message})

    def _openalex_work(self, number: int) -> dict[str, object] | None:
        if number in self.null_at:
            return None
        doi = f"https://doi.org/10.1000/n{number}"
        title = None if number in self.untitled else f"Title {number}"
        return {"id": f"https://openalex.org/W{1000 + number}", "doi": doi, "title": title, "authorships": []}

    def _openalex(self, request: httpx.Request) -> httpx.Response:
        params = request.url.params
        if not request.url.path.endswith("/works"):
            number = int(request.url.path.rpartition("/n")[2])
            if not self._known(number):
                return httpx.Response(
                    404,
                    content=(
                        b"<!doctype html>\n<html lang=en>\n<title>404 Not Found</title>\n<h1>Not Found</h1>\n"
                        b"<p>The requested URL was not found on the server.</p>\n"
                    ),
                )
            return _json(self._openalex_work(number))
        per_page = int(params.get("per_page", "25"))
        if params.get("filter", "").startswith("doi:"):
            numbers = [int(text) for text in re.findall(r"10\.1000/n(\d+)", params["filter"])]
            found = [self._openalex_work(number) for number in reversed(numbers) if self._known(number)]
            return _json({"meta": {"count": len(found)}, "results": found[:per_page]})
        start = 0 if params.get("cursor", "*") == "*" else int(params["cursor"])
        numbers = list(range(start + 1, min(start + per_page, self.size) + 1))
        meta = {"count": self.size, "next_cursor": str(start + len(numbers)) if numbers else None}
        return _json({"meta": meta, "results": [self._openalex_work(number) for number in numbers]})

    def _semanticscholar_paper(self, number: int) -> dict[str, object] | None:
        if number in self.null_at:
            return None
        title = None if number in self.untitled else f"Title {number}"
        return {"paperId": f"{number:040x}", "title": title, "externalIds": {"DOI": f"10.1000/n{number}"}}

    def _semanticscholar(self, request: httpx.Request) -> httpx.Response:
        params = request.url.params
        if request.url.path.endswith("/batch"):
            numbers = [int(text.rpartition("/n")[2]) for text in json.loads(request.content)["ids"]]
            papers = [self._semanticscholar_paper(number) if self._known(number) else None for number in numbers]
            if not any(papers):
                return httpx.Response(400, json={"error": "No valid paper ids given"})
            return _json(papers)
        if request.url.path.endswith("/match"):
            if not self.size:
                return httpx.Response(404, json={"error": "Title match not found"})
            return _json({"data": [self._semanticscholar_paper(1)]})
        start, limit = int(params["offset"]), int(params["limit"])
        if start + limit > 1000:
            return httpx.Response(400, json={"error": "Requested data for this limit and/or offset is not available"})
        if not self.size:
            return _json({"total": 0, "offset": 0})
        stop = min(start + limit, self.size)
        answer: dict[str, object] = {
            "total": self.size,
            "offset": start,
            "data": [self._semanticscholar_paper(number) for number in range(start + 1, stop + 1)],
        }
        if stop < self.size and stop < 1000:
            answer["next"] = stop
        return _json(answer)

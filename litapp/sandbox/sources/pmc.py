"""PubMed Central's identifier converter under /pmc/: PMID, PMCID and DOI of papers that PMC holds, in its new shape."""

from __future__ import annotations

import datetime as dt
from typing import Any
from urllib.parse import quote

from litapp.sandbox.corpus.article import Article
from litapp.sandbox.dispatch import World
from litapp.sandbox.wire import Request, Response, json_response, text_response

MOST_IDS = 200
PER_SECOND = 3
"""Requests a second over NCBI's services. Source: NCBI support article KA-05510."""
ROUTE = "tools/idconv/api/v1/articles"


class PubMedCentral:
    """Papers of the corpus with a PMCID. That a paper is not here says nothing of it."""

    name = "pmc"
    prefix = "/pmc/"

    def __init__(self, world: World) -> None:
        self.world = world

    def operation(self, request: Request) -> str:
        return "convert" if request.path.removeprefix(self.prefix).strip("/") == ROUTE else "lookup"

    def lane(self, request: Request, operation: str) -> tuple[str, int] | None:
        return None

    def refuse(self, request: Request, operation: str) -> Response | None:
        if self.world.window.take("pmc", PER_SECOND) >= 0:
            return None
        return json_response({"error": "API rate limit exceeded", "count": "4", "limit": str(PER_SECOND)}, 429)

    def decorate(self, request: Request, operation: str, response: Response) -> None:
        """Its answers carry no limits."""

    def respond(self, request: Request, operation: str) -> Response:
        if operation != "convert":
            return text_response("<h1>404 Not Found</h1>\n", 404, "text/html")
        asked = [text.strip() for text in request.get("ids").split(",") if text.strip()]
        kind = request.get("idtype") or _kind(asked[0] if asked else "") or "pmid"
        if not asked or len(asked) > MOST_IDS or any(_kind(one) not in (kind, "") for one in asked):
            message = quote("Identifiers are missing, too many, or not all of the type asked for")
            return json_response({"status": "error", "message": message}, 400)
        echo = "&".join(f"{name}={quote(value, safe='')}" for name, value in request.params)
        return json_response(
            {
                "status": "ok",
                "response-date": f"{dt.datetime.now(dt.UTC):%Y-%m-%d %H:%M:%S}",
                "request": {
                    "warnings": [] if request.get("email") else ["query param `email` is missing."],
                    "format": "json",
                    "ids": asked,
                    "tool": request.get("tool"),
                    "echo": echo,
                    "versions": "no",
                    "showaiid": "no",
                    "idtype": kind,
                },
                "records": [self._record(one, kind) for one in asked],
            }
        )

    def _record(self, asked: str, kind: str) -> dict[str, Any]:
        article = self._article(asked, kind)
        if article is None or not article.pmc:
            error = {"requested-id": asked, "status": "error", "errmsg": "Identifier not found in PMC"}
            return {kind: asked.lower() if kind == "doi" else asked, **error}
        found: dict[str, Any] = {"pmcid": article.pmc, "pmid": article.pmid, "requested-id": asked}
        return found | ({"doi": article.doi.lower()} if article.doi else {})

    def _article(self, asked: str, kind: str) -> Article | None:
        corpus = self.world.corpus
        number: int | None
        if kind == "doi":
            number = corpus.id_of_doi(asked.casefold())
        elif kind == "pmcid":
            digits = asked.casefold().removeprefix("pmc")
            select = "SELECT article FROM attribute WHERE kind = 'pmc' AND value = ?"
            number = next(iter(corpus.numbers(select, (f"pmc{digits}",))), None)
        else:
            number = corpus.ids_of_pmids([int(asked)]).get(int(asked)) if asked.isdigit() else None
        entry = corpus.entry(number) if number else None
        return entry.article if entry else None


def _kind(text: str) -> str:
    """The kind an identifier plainly has; "" for bare digits, which may be a PMID or a PMCID."""
    if text.startswith("10."):
        return "doi"
    return "pmcid" if text.upper().startswith("PMC") else ""

"""NCBI E-utilities for db=pubmed and db=mesh under /eutils/: limits, dispatch, and the forms of refusal."""

from __future__ import annotations

from litapp.sandbox.dispatch import World
from litapp.sandbox.sources.eutils_fetch import ecitmatch, efetch, esummary
from litapp.sandbox.sources.eutils_links import elink, espell
from litapp.sandbox.sources.eutils_mesh import mesh_search, mesh_summary
from litapp.sandbox.sources.eutils_search import History, esearch
from litapp.sandbox.wire import Request, Response, json_response, text_response

WITHOUT_KEY, WITH_KEY = 3, 10
"""Requests per second. Source: NCBI support articles KA-05510 and KA-05318, and the answers' X-RateLimit-Limit."""
_ADDRESS = "127.0.0.1"


class Eutils:
    """The E-utilities that are asked about PubMed."""

    name = "pubmed"
    prefix = "/eutils/"

    def __init__(self, world: World) -> None:
        self.world = world
        self.history = History()
        self._remaining: dict[str, int] = {}

    def operation(self, request: Request) -> str:
        tool = request.path.removeprefix(self.prefix).split(".")[0]
        return {"esearch": "search", "efetch": "fetch"}.get(tool, tool)

    def lane(self, request: Request, operation: str) -> tuple[str, int] | None:
        return None

    def refuse(self, request: Request, operation: str) -> Response | None:
        key = request.get("api_key")
        limit = WITH_KEY if key else WITHOUT_KEY
        left = self.world.window.take(f"pubmed/{key or _ADDRESS}", limit)
        self._remaining[key] = max(left, 0)
        if left >= 0:
            return None
        refusal = json_response(
            {
                "error": "API rate limit exceeded",
                "api-key": key or _ADDRESS,
                "count": str(limit + 1),
                "limit": str(limit),
            },
            429,
        )
        self.decorate(request, operation, refusal)
        return refusal

    def decorate(self, request: Request, operation: str, response: Response) -> None:
        key = request.get("api_key")
        response.headers["X-RateLimit-Limit"] = str(WITH_KEY if key else WITHOUT_KEY)
        response.headers["X-RateLimit-Remaining"] = str(self._remaining.get(key, 0))

    def respond(self, request: Request, operation: str) -> Response:
        database = request.get("db") or request.get("dbfrom")
        if database == "mesh" and operation in ("search", "esummary"):
            return (mesh_search if operation == "search" else mesh_summary)(self.world, request)
        if operation == "search" and database != "pubmed":
            return json_response({"esearchresult": {"ERROR": f"Invalid db name specified: {database}"}})
        if operation == "search":
            return esearch(self.world, self.history, request)
        if operation == "fetch":
            return efetch(self.world, self.history, request)
        if operation == "esummary":
            return esummary(self.world, self.history, request)
        if operation == "elink":
            return elink(self.world, request)
        if operation == "espell":
            return espell(self.world, request)
        if operation == "ecitmatch":
            return ecitmatch(self.world, request)
        return text_response("<h1>404 Not Found</h1>\n", 404, "text/html")

"""DataCite's REST API under /datacite/: the DOIs of the papers that the stand-in arXiv holds."""

from __future__ import annotations

from typing import Any

from litapp.sandbox.arxiv_numbers import arxiv_number, place_held
from litapp.sandbox.corpus.article import Article, Author
from litapp.sandbox.dispatch import World
from litapp.sandbox.wire import Request, Response, json_response

ARXIV_PREFIX = "10.48550/arxiv."
IN_FIVE_MINUTES = {False: 500, True: 1_000}
"""Requests without and with a mail address. Source: DataCite's documentation as cited in June 2026 (the first number
is half of the second: it is not published)."""
_JSON = "application/json; charset=utf-8"
_MISSING = "The resource you are looking for doesn't exist."


class DataCite:
    """arXiv's DOIs, and no others."""

    name = "datacite"
    prefix = "/datacite/"

    def __init__(self, world: World) -> None:
        self.world = world

    def operation(self, request: Request) -> str:
        return "batch" if self._route(request) == "dois" else "lookup"

    def lane(self, request: Request, operation: str) -> tuple[str, int] | None:
        return None

    def refuse(self, request: Request, operation: str) -> Response | None:
        named = bool(request.get("mailto")) or "mailto:" in request.header("user-agent")
        left = self.world.window.take(f"datacite/{named}", IN_FIVE_MINUTES[named], 300.0)
        return None if left >= 0 else _errors(429, "Too many requests.")

    def decorate(self, request: Request, operation: str, response: Response) -> None:
        """Its answers carry no limits."""

    def respond(self, request: Request, operation: str) -> Response:
        route = self._route(request)
        if route == "dois":
            dois = [doi for doi in request.get("ids").split(",") if doi]
            size = request.get("page[size]", "25")
            found = [item for doi in dois if (item := self._item(doi)) is not None]
            page = found[: int(size) if size.isdigit() else 25]
            meta = {"total": len(found), "totalPages": 1, "page": 1}
            return json_response({"data": page, "meta": meta}, content_type=_JSON)
        item = self._item(route.removeprefix("dois/")) if route.startswith("dois/") else None
        return _errors(404, _MISSING) if item is None else json_response({"data": item}, content_type=_JSON)

    def _route(self, request: Request) -> str:
        return request.path.removeprefix(self.prefix).strip("/")

    def _item(self, doi: str) -> dict[str, Any] | None:
        place = arxiv_place(self.world, doi)
        entry = self.world.corpus.entry(place) if place is not None else None
        if place is None or entry is None or entry.article is None:
            return None
        if self.world.faults.of_record(self.name, "missing_record", entry.article.pmid, doi):
            return None
        number = arxiv_number(place)
        attributes = _attributes(entry.article, number)
        return {"id": f"{ARXIV_PREFIX}{number}", "type": "dois", "attributes": attributes}


def arxiv_place(world: World, doi: str) -> int | None:
    """The place in the corpus file of an arXiv DOI that the stand-in arXiv holds; None for any other DOI."""
    lowered = doi.casefold()
    return place_held(world, lowered.removeprefix(ARXIV_PREFIX)) if lowered.startswith(ARXIV_PREFIX) else None


def _attributes(article: Article, number: str) -> dict[str, Any]:
    day = next((date for date in (article.electronic, article.printed) if date[0]), [0, 0, 0])
    dates = [{"date": f"{day[0]:04d}-{day[1] or 1:02d}", "dateType": "Available"}] if day[0] else []
    descriptions = [{"description": article.abstract_text, "descriptionType": "Abstract"}] if article.abstract else []
    return {
        "doi": f"{ARXIV_PREFIX}{number}",
        "identifiers": [{"identifier": number, "identifierType": "arXiv"}],
        "creators": [_creator(author) for author in article.authors],
        "titles": [{"title": article.title.removesuffix(".")}],
        "publisher": "arXiv",
        "container": {},
        "publicationYear": day[0] or None,
        "dates": dates,
        "language": None,
        "types": {"resourceTypeGeneral": "Preprint", "resourceType": "Article"},
        "relatedIdentifiers": [],
        "descriptions": descriptions,
        "version": "1",
        "state": "findable",
    }


def _creator(author: Author) -> dict[str, Any]:
    if author.collective:
        return {"name": author.collective, "nameType": "Organizational"}
    given = author.given or author.initials
    item = {"name": ", ".join(part for part in (author.family, given) if part), "nameType": "Personal"}
    return {**item, "givenName": given, "familyName": author.family}


def _errors(status: int, title: str) -> Response:
    return json_response({"errors": [{"status": str(status), "title": title}]}, status, _JSON)

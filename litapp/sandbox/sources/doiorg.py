"""doi.org under /doi/: the registration agency of DOIs, several in one call, answered in the order asked."""

from __future__ import annotations

import re

from litapp.sandbox.dispatch import World
from litapp.sandbox.sources.datacite import arxiv_place
from litapp.sandbox.wire import Request, Response, json_response, text_response

_TYPE = "application/json;charset=UTF-8"
_DOI = re.compile(r"10\.\d{4,9}(?:/.+)?\Z")
_NOT_FOUND = (
    "<!DOCTYPE html>\n<html><head><title>Error: DOI Not Found</title></head>"
    "<body>This DOI cannot be found in the DOI System.</body></html>\n"
)


class DoiOrg:
    """Every DOI of the corpus is Crossref's, those of the stand-in arXiv DataCite's; others do not exist."""

    name = "doiorg"
    prefix = "/doi/"

    def __init__(self, world: World) -> None:
        self.world = world

    def operation(self, request: Request) -> str:
        return "agencies"

    def lane(self, request: Request, operation: str) -> tuple[str, int] | None:
        return None

    def refuse(self, request: Request, operation: str) -> Response | None:
        """No limit is published."""
        return None

    def decorate(self, request: Request, operation: str, response: Response) -> None:
        """Its answers carry no headers of interest."""

    def respond(self, request: Request, operation: str) -> Response:
        kind, _, rest = request.path.removeprefix(self.prefix).strip("/").partition("/")
        if kind not in ("ra", "doiRA") or not rest:
            return text_response(_NOT_FOUND, 404, "text/html;charset=utf-8")
        return json_response([self._answer(doi) for doi in rest.split(",")], content_type=_TYPE)

    def _answer(self, doi: str) -> dict[str, str]:
        if not _DOI.match(doi):
            return {"DOI": doi, "status": "Invalid DOI"}
        agency = self._agency(doi)
        return {"DOI": doi, "RA": agency} if agency else {"DOI": doi, "status": "DOI does not exist"}

    def _agency(self, doi: str) -> str:
        if "/" not in doi:
            return "DataCite" if doi == "10.48550" else "Crossref" if self._has_prefix(doi) else ""
        if self.world.corpus.id_of_doi(doi) is not None:
            return "Crossref"
        return "DataCite" if arxiv_place(self.world, doi) is not None else ""

    def _has_prefix(self, prefix: str) -> bool:
        sql = "SELECT 1 FROM article WHERE doi LIKE ? || '/%' LIMIT 1"
        return bool(self.world.corpus.rows(sql, (prefix,)))

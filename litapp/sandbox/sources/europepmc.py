"""Europe PMC's web service under /europepmc/: search with marks, citations and references, open full text."""

from __future__ import annotations

import base64
import binascii
import functools
import re
from typing import Any
from urllib.parse import quote
from xml.sax.saxutils import escape

from litapp.sandbox.corpus import sets
from litapp.sandbox.corpus.article import Article
from litapp.sandbox.differences import Differences
from litapp.sandbox.dispatch import World
from litapp.sandbox.fielded import FieldedError
from litapp.sandbox.sources.europepmc_results import entry, result
from litapp.sandbox.sources.europepmc_search import EuropePmcSearch
from litapp.sandbox.wire import Request, Response, json_response, text_response

LONGEST_QUERY, MOST_A_PAGE = 1_500, 1_000
"""Characters of a query in an address; records of one page. Source: Europe PMC's own error messages."""
_VERSION = "6.9"
_TYPE = "application/json;charset=UTF-8"
_NO_CRITERIA = "No search criteria provided. Please provide a search criteria which is less than 1500 characters."
_LISTS = {"citations": ("citationList", "citation"), "references": ("referenceList", "reference")}
_CITING = "SELECT article FROM attribute WHERE kind = 'cites' AND value = ?"
_KEPT = 16


class EuropePMC:
    """Every article of the corpus that PubMed has, preprints in the collection PPR."""

    name = "europepmc"
    prefix = "/europepmc/"

    def __init__(self, world: World) -> None:
        self.world = world
        self.differences = Differences(world, self.name)
        self.search = EuropePmcSearch(world)
        self._found = functools.lru_cache(maxsize=_KEPT)(self._find)

    def operation(self, request: Request) -> str:
        route = self._route(request)
        last = route.rpartition("/")[2]
        return {"search": "search", "searchPOST": "search", "fullTextXML": "full_text"}.get(last, last or "root")

    def lane(self, request: Request, operation: str) -> tuple[str, int] | None:
        return None

    def refuse(self, request: Request, operation: str) -> Response | None:
        """Europe PMC publishes no limit and was not seen to refuse anybody."""
        return None

    def decorate(self, request: Request, operation: str, response: Response) -> None:
        """Its answers carry no headers of interest."""

    def respond(self, request: Request, operation: str) -> Response:
        route = self._route(request)
        if route in ("search", "searchPOST"):
            return self._search(request, by_form=route == "searchPOST")
        linked = re.fullmatch(r"([A-Z]{3})/([A-Za-z0-9]+)/(citations|references)", route)
        if linked:
            return self._linked(request, linked[2], linked[3])
        full = re.fullmatch(r"(PMC\d+)/fullTextXML", route)
        return self._full_text(full[1]) if full else text_response("", 404)

    def _route(self, request: Request) -> str:
        return request.path.removeprefix(self.prefix).strip("/")

    def _search(self, request: Request, *, by_form: bool) -> Response:
        query = request.get("query")
        size = request.get("pageSize", "25")
        kind = request.get("resultType", "lite").lower()
        mark = request.get("cursorMark", "*")
        if not query.strip() or (not by_form and len(query) >= LONGEST_QUERY):
            return _error(404, _NO_CRITERIA)
        if not size.isdigit() or not 1 <= int(size) <= MOST_A_PAGE:
            return _error(404, f"Page size should be a number in the range 1 to {MOST_A_PAGE}.")
        start = _offset(mark)
        if start is None:
            return json_response({"version": _VERSION}, content_type=_TYPE)
        try:
            numbers = self._found(query)
        except FieldedError:
            numbers = ()
        articles = [e.article for e in self.world.corpus.entries(numbers[start : start + int(size)]) if e.article]
        shown = [article for article in articles if self.differences.has(article)]
        answer: dict[str, Any] = {"version": _VERSION, "hitCount": len(numbers) - (len(articles) - len(shown))}
        following = _mark(start + len(articles)) if articles else mark
        if numbers and not request.has("page"):
            answer["nextCursorMark"] = following
            if not by_form:
                answer["nextPageUrl"] = f"/europepmc/search?query={query}&cursorMark={following}&format=json"
        answer["request"] = {
            "queryString": query,
            "resultType": kind,
            "cursorMark": quote(mark, safe=""),
            "pageSize": int(size),
            "sort": request.get("sort"),
            "synonym": False,
        }
        answer["resultList"] = {"result": [result(self.world, self.differences, one, kind) for one in shown]}
        return json_response(answer, content_type=_TYPE)

    def _find(self, query: str) -> tuple[int, ...]:
        """Articles found and held here, newest first."""
        bits = self.search.find(query)
        found = list(sets.members_in_order(bits, self.world.evaluator.order))
        pmids = self.world.corpus.pmids_of_ids(found)
        return tuple(n for n in found if self.differences.has_number(pmids[n]))

    def _linked(self, request: Request, name: str, kind: str) -> Response:
        page, size = _whole(request.get("page"), 1), min(_whole(request.get("pageSize"), 25), MOST_A_PAGE)
        digits = int(re.sub(r"\D", "", name) or 0)
        numbers = self._citing(digits) if kind == "citations" else self._cited(digits)
        chosen = numbers[(page - 1) * size : page * size]
        articles = [one.article for one in self.world.corpus.entries(chosen) if one.article]
        outer, inner = _LISTS[kind]
        answer: dict[str, Any] = {
            "version": _VERSION,
            "hitCount": len(numbers),
            "request": {"id": name, "source": request.path.split("/")[2], "page": page, "pageSize": size},
            outer: {inner: [entry(self.world, article, kind) for article in articles]},
        }
        return json_response(answer, content_type=_TYPE)

    def _citing(self, pmid: int) -> list[int]:
        return sorted(self.world.corpus.numbers(_CITING, (str(pmid),)))

    def _cited(self, pmid: int) -> list[int]:
        article = self._article(pmid)
        known = self.world.corpus.ids_of_pmids(article.cites if article else [])
        return [known[one] for one in article.cites if one in known] if article else []

    def _article(self, pmid: int) -> Article | None:
        number_in_file = self.world.corpus.ids_of_pmids([pmid]).get(pmid)
        found = self.world.corpus.entry(number_in_file) if number_in_file else None
        return found.article if found else None

    def _full_text(self, pmcid: str) -> Response:
        """The front matter and the abstract; a 404 without a word for what is not open, or unknown."""
        chosen = self.world.corpus.numbers(
            "SELECT article FROM attribute WHERE kind = 'pmc' AND value = ?", (pmcid.casefold(),)
        )
        found = self.world.corpus.entry(next(iter(chosen))) if chosen else None
        if found is None or found.article is None or not self.differences.has(found.article):
            return text_response("", 404, "application/xml")
        return text_response(_jats(found.article), 200, "application/xml")


def _jats(article: Article) -> str:
    identifiers = [("pmcid", article.pmc), ("pmid", str(article.pmid)), ("doi", article.doi)]
    ids = "".join(
        f'<article-id pub-id-type="{kind}">{escape(value)}</article-id>' for kind, value in identifiers if value
    )
    title = f"<title-group><article-title>{escape(article.title)}</article-title></title-group>"
    abstract = f"<abstract><p>{escape(article.abstract_text)}</p></abstract>" if article.abstract else ""
    return (
        '<?xml version="1.0" encoding="UTF-8"?><article article-type="research-article"><front><article-meta>'
        f"{ids}{title}{abstract}</article-meta></front><body/></article>"
    )


def _mark(offset: int) -> str:
    return base64.b64encode(f"sandbox:{offset}".encode()).decode()


def _offset(mark: str) -> int | None:
    """Where a mark continues; None for one that Europe PMC would not know."""
    if mark == "*":
        return 0
    try:
        return int(base64.b64decode(mark.encode(), validate=True).decode().removeprefix("sandbox:"))
    except (binascii.Error, ValueError, UnicodeDecodeError):
        return None


def _error(code: int, message: str) -> Response:
    return json_response({"errCode": code, "errMsg": message}, content_type=_TYPE)


def _whole(text: str, default: int) -> int:
    return int(text) if text.isdigit() and int(text) > 0 else default

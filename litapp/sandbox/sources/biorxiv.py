"""The API of bioRxiv and medRxiv under /biorxiv/: preprints by DOI and by period. It refuses with status 200."""

from __future__ import annotations

import re
from typing import Any

from litapp.sandbox.corpus.article import Article
from litapp.sandbox.dispatch import World
from litapp.sandbox.wire import Request, Response, json_response, text_response

A_PAGE = 30
"""Versions on a page of a listing, as in September 2026 (it was 100 in March)."""
SERVERS = {"biorxiv": "bioRxiv", "medrxiv": "medRxiv"}
_PREFIXES = ("10.1101/", "10.64898/")
_DAY = r"\d{4}-\d{2}-\d{2}"
_DETAILS = re.compile(rf"details/([^/]+)/(?:({_DAY})/({_DAY})/(\d+)|(10\..+?)(?:/na)?)(?:/json)?\Z")
_POSTED = """SELECT id FROM article WHERE doi LIKE '10.1101/%' OR doi LIKE '10.64898/%' ORDER BY doi"""
_WITH_PREPRINT = "SELECT article FROM attribute WHERE kind = 'pt' AND value = 'preprint'"


class Biorxiv:
    """The preprints of the corpus whose DOIs are the servers'."""

    name = "biorxiv"
    prefix = "/biorxiv/"

    def __init__(self, world: World) -> None:
        self.world = world

    def operation(self, request: Request) -> str:
        found = _DETAILS.match(self._route(request))
        return "lookup" if found and found[5] else "listing"

    def lane(self, request: Request, operation: str) -> tuple[str, int] | None:
        return None

    def refuse(self, request: Request, operation: str) -> Response | None:
        """No limit is published."""
        return None

    def decorate(self, request: Request, operation: str, response: Response) -> None:
        """Its answers carry no headers of interest."""

    def respond(self, request: Request, operation: str) -> Response:
        found = _DETAILS.match(self._route(request))
        if found is None:
            return text_response("<html><title>404 Not Found</title></html>", 404, "text/html")
        if found[1] not in SERVERS:
            return _told("Server not recognized")
        return self._preprint(found[1], found[5]) if found[5] else self._window(found[1], found[2], found[3], found[4])

    def _route(self, request: Request) -> str:
        return request.path.removeprefix(self.prefix).strip("/")

    def _preprint(self, server: str, doi: str) -> Response:
        number = self.world.corpus.id_of_doi(doi)
        entry = self.world.corpus.entry(number) if number else None
        if entry is None or entry.article is None or not self._has(entry.article, server):
            return _told("no posts found")
        versions = self._versions(entry.article)
        return json_response({"messages": [{"status": "ok", "category": "all"}], "collection": versions})

    def _window(self, server: str, first: str, last: str, cursor: str) -> Response:
        preprints = self.world.corpus.numbers(_WITH_PREPRINT)
        numbers = [row[0] for row in self.world.corpus.rows(_POSTED) if row[0] in preprints]
        articles = [entry.article for entry in self.world.corpus.entries(numbers) if entry.article]
        posted = [
            version
            for article in articles
            if self._has(article, server)
            for version in self._versions(article)
            if first <= version["date"] <= last
        ]
        page = posted[int(cursor) : int(cursor) + A_PAGE]
        if not page:
            return _told("no posts found")
        message = {
            "status": "ok",
            "category": "all",
            "interval": f"{first}:{last}",
            "funder": "all",
            "cursor": int(cursor),
            "count": len(page),
            "count_new_papers": str(sum(version["version"] == "1" for version in posted)),
            "total": str(len(posted)),
        }
        return json_response({"messages": [message], "collection": page})

    def _has(self, article: Article, server: str) -> bool:
        hidden = self.world.faults.of_record(self.name, "missing_record", article.pmid, article.doi)
        ours = article.is_preprint and article.doi.startswith(_PREFIXES)
        return ours and not hidden and server_of(article) == server

    def _versions(self, article: Article) -> list[dict[str, Any]]:
        """One or two versions, drawn by seed, both of the day that is known."""
        count = 1 + (self.world.draw(self.name, "versions", article.pmid) < 0.4)
        day = next((date for date in (article.electronic, article.printed) if date[0]), [2000, 1, 1])
        published = self._published(article)
        return [
            {
                "title": article.title.removesuffix("."),
                "authors": "; ".join(
                    _name(author.family, author.initials, author.collective) for author in article.authors
                ),
                "author_corresponding": article.authors[-1].full if article.authors else "",
                "author_corresponding_institution": "",
                "doi": article.doi,
                "date": f"{day[0]:04d}-{day[1] or 1:02d}-{day[2] or 1:02d}",
                "version": str(version),
                "type": "new results" if server_of(article) == "biorxiv" else "PUBLISHAHEADOFPRINT",
                "license": "cc_by",
                "category": "all",
                "jatsxml": "",
                "abstract": article.abstract_text,
                "funder": "NA",
                "published": published or "NA",
                "server": SERVERS[server_of(article)],
            }
            for version in range(1, count + 1)
        ]

    def _published(self, article: Article) -> str:
        """The DOI of the journal article that NLM names for the preprint, where the corpus holds it."""
        pmids = [int(link.pmid) for link in article.comments if link.kind == "UpdateIn" and link.pmid.isdigit()]
        known = self.world.corpus.ids_of_pmids(pmids)
        entries = self.world.corpus.entries(known.values())
        return next((entry.article.doi for entry in entries if entry.article and entry.article.doi), "")


def server_of(article: Article) -> str:
    """The server that posted a preprint, by the name NLM gives it."""
    return "medrxiv" if "medrxiv" in f"{article.journal} {article.iso}".casefold() else "biorxiv"


def _name(family: str, initials: str, group: str) -> str:
    return group or ", ".join(part for part in (family, " ".join(f"{letter}." for letter in initials)) if part)


def _told(status: str) -> Response:
    return json_response({"messages": [{"status": status}], "collection": []})

"""Unpaywall's API under /unpaywall/: open copies of the DOIs of the corpus. It wants a contact address."""

from __future__ import annotations

from typing import Any

from litapp.sandbox.corpus.article import Article
from litapp.sandbox.dispatch import World
from litapp.sandbox.wire import Request, Response, json_response

A_DAY = 100_000
"""Calls a day. Source: Unpaywall's documentation."""
_REFUSED_HOSTS = ("example.com", "example.org", "email.org", "yourdomain.com")
_NO_EMAIL = "Email address required in API call, see http://unpaywall.org/products/api"
_YOUR_OWN = "Please use your own email address in API calls. See http://unpaywall.org/products/api"


class Unpaywall:
    """Every DOI of the corpus; what is in PMC can be read there, some of the rest at the publisher's."""

    name = "unpaywall"
    prefix = "/unpaywall/"

    def __init__(self, world: World) -> None:
        self.world = world

    def operation(self, request: Request) -> str:
        return "lookup"

    def lane(self, request: Request, operation: str) -> tuple[str, int] | None:
        return None

    def refuse(self, request: Request, operation: str) -> Response | None:
        email = request.get("email")
        if not email:
            return _told(422, _NO_EMAIL)
        if "@" not in email or email.casefold().endswith(_REFUSED_HOSTS):
            return _told(422, _YOUR_OWN)
        done, _ = self.world.budget.spend("unpaywall", 1, A_DAY)
        return None if done else _told(429, "Too many requests.")

    def decorate(self, request: Request, operation: str, response: Response) -> None:
        """Its answers carry no limits."""

    def respond(self, request: Request, operation: str) -> Response:
        doi = request.path.removeprefix(self.prefix).strip("/").removeprefix("v2/").casefold()
        number = self.world.corpus.id_of_doi(doi)
        entry = self.world.corpus.entry(number) if number else None
        article = entry.article if entry else None
        if article is None or self.world.faults.of_record(self.name, "missing_record", article.pmid, article.doi):
            return _told(
                404, f"'{doi}' isn't in Unpaywall. See https://support.unpaywall.org/a/solutions/articles/44001900286"
            )
        return json_response(self._record(article))

    def _record(self, article: Article) -> dict[str, Any]:
        places = []
        if self.world.draw(self.name, "publisher", article.pmid) < 0.25:
            address = f"https://doi.org/{article.doi}"
            places.append(_place(address, None, address, "publisher", "cc-by", None))
        if article.pmc:
            address = f"https://www.ncbi.nlm.nih.gov/pmc/articles/{article.pmc}"
            places.append(_place(address, f"{address}/pdf", address, "repository", None, "PubMed Central"))
        for position, place in enumerate(places):
            place["is_best"] = position == 0
        known: dict[str, Any] = {}
        if article.year:
            known |= {"year": article.year, "published_date": f"{article.year:04d}-01-01"}
        if article.issns:
            known["journal_issns"] = ",".join(issn for issn, _ in article.issns)
        status = "closed" if not places else "hybrid" if places[0]["host_type"] == "publisher" else "green"
        return {
            "doi": article.doi,
            "doi_url": f"https://doi.org/{article.doi}",
            "title": article.title.removesuffix("."),
            "genre": "posted-content" if article.is_preprint else "journal-article",
            "is_paratext": False,
            "journal_name": article.journal,
            "journal_is_oa": False,
            "journal_is_in_doaj": False,
            "is_oa": bool(places),
            "oa_status": status,
            "has_repository_copy": bool(article.pmc),
            "best_oa_location": places[0] if places else None,
            "first_oa_location": places[0] if places else None,
            "oa_locations": places,
            "oa_locations_embargoed": [],
            "updated": "2026-01-01T00:00:00Z",
            "data_standard": 2,
            "z_authors": None,
            **known,
        }


def _place(
    url: str, pdf: str | None, landing: str, host: str, licence: str | None, institution: str | None
) -> dict[str, Any]:
    return {
        "url": url,
        "url_for_pdf": pdf,
        "url_for_landing_page": landing,
        "evidence": "deprecated",
        "license": licence,
        "version": "publishedVersion",
        "host_type": host,
        "is_best": False,
        "pmh_id": None,
        "endpoint_id": None,
        "repository_institution": institution,
        "oa_date": None,
        "updated": "deprecated",
    }


def _told(status: int, message: str) -> Response:
    return json_response({"HTTP_status_code": status, "error": True, "message": message}, status)

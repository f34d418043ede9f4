"""Answers of Unpaywall: what they mean, and the open copies they name."""

from __future__ import annotations

from typing import Any

from litapp.core.ports import Outcome
from litapp.providers import answers
from litapp.providers.answers import UnreadableAnswer
from litapp.providers.base import Classification, OpenAccess, OpenLocation
from litapp.providers.markup import title_line
from litapp.providers.reading import mapping, mappings, text, whole
from litapp.providers.reading import year as plausible_year

LABEL = "Unpaywall"


def classify(status: int, headers: dict[str, str], body: bytes) -> Classification:
    """What an answer means. A 404 comes as JSON or as the web page of Unpaywall's own server, but not any other."""
    if status == 429:
        return answers.too_many_requests(LABEL, headers)
    if status == 404:
        return _not_found(body)
    if status == 422:
        return Classification(
            Outcome.PERMANENT,
            "Unpaywall does not accept the contact address of this installation.",
            hint="Set LITAPP_CONTACT_EMAIL to an address that is really read.",
            code="bad_email",
        )
    by_status = answers.by_status(LABEL, status, headers)
    if by_status is not None:
        return by_status
    try:
        data = answers.read_json_object(body)
    except UnreadableAnswer as error:
        return answers.malformed(LABEL, str(error))
    code = whole(data.get("HTTP_status_code"))
    if code is not None and code != status:
        return classify(code, headers, body)
    if status >= 400:
        return answers.refused_request(LABEL, answers.plain_detail(text(data.get("message"))))
    if isinstance(data.get("results"), list):
        return Classification(Outcome.OK if data["results"] else Outcome.EMPTY)
    if text(data.get("doi")) and isinstance(data.get("is_oa"), bool):
        return Classification(Outcome.OK)
    return answers.malformed(LABEL, "data of another form than expected")


def _not_found(body: bytes) -> Classification:
    try:
        known = whole(answers.read_json_object(body).get("HTTP_status_code")) == 404
    except UnreadableAnswer:
        known = answers.is_flask_404(body)
    if known:
        return Classification(Outcome.NOT_FOUND, "Unpaywall does not have this DOI (it has those of Crossref only).")
    return answers.malformed(LABEL, "an unknown page in place of data")


def open_access(body: bytes) -> OpenAccess:
    """What is known of one DOI. Raises UnreadableAnswer."""
    data = answers.read_json_object(body)
    doi, is_open = text(data.get("doi")).lower(), data.get("is_oa")
    if not doi or not isinstance(is_open, bool):
        raise UnreadableAnswer("data of another form than expected")
    best = _location(mapping(data.get("best_oa_location")), is_best=True)
    others = [_location(entry) for entry in mappings(data.get("oa_locations"))]
    known = {location.url: location for location in reversed(others) if location is not None}
    if best is not None:
        known = {best.url: best} | {url: location for url, location in known.items() if url != best.url}
    order = [location.url for location in (best, *others) if location is not None]
    return OpenAccess(
        doi=doi,
        is_open=is_open,
        status=text(data.get("oa_status")),
        locations=tuple(known[url] for url in dict.fromkeys(order)),
        title=title_line(text(data.get("title"))),
        year=plausible_year(data.get("year")),
        kind=text(data.get("genre")),
    )


def _location(entry: dict[str, Any], *, is_best: bool = False) -> OpenLocation | None:
    """One place; None for one without an address. A missing PDF does not make it less open."""
    url = text(entry.get("url")) or text(entry.get("url_for_landing_page"))
    if not url:
        return None
    return OpenLocation(
        url=url,
        pdf_url=text(entry.get("url_for_pdf")),
        landing_url=text(entry.get("url_for_landing_page")),
        version=text(entry.get("version")),
        host=text(entry.get("host_type")),
        licence=text(entry.get("license")),
        repository=text(entry.get("repository_institution")),
        is_best=is_best or entry.get("is_best") is True,
    )

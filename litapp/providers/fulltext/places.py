"""Where sources say that a full text lies: OpenAlex' locations, Crossref's links, Unpaywall's and bioRxiv's copies."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from urllib.parse import quote

from litapp.core.identifiers import arxiv_from_doi
from litapp.core.ports import Answer, Outcome
from litapp.core.records import Identifier, Record, Scheme
from litapp.providers.answers import UnreadableAnswer, read_json_object
from litapp.providers.asking import answer_id_of, unreadable
from litapp.providers.base import Client, OpenAccess
from litapp.providers.biorxiv.parse import listing
from litapp.providers.biorxiv.preprints import newest
from litapp.providers.biorxiv.request import SERVERS, can_hold, preprint, without_version
from litapp.providers.crossref.request import work as crossref_work
from litapp.providers.openalex.request import work as openalex_work
from litapp.providers.reading import mapping, mappings, text

VERSIONS = {
    "submittedVersion": "submitted version",
    "acceptedVersion": "accepted manuscript",
    "publishedVersion": "published version",
    "am": "accepted manuscript",
    "vor": "published version",
}


@dataclass(frozen=True, slots=True)
class Place:
    """An address where the paper may be. `pdf_url` leads to the file, `landing_url` to a page that may name it.

    `licence` and `version` are the source's words ("" = it does not say); `host` is publisher, repository or "".
    """

    pdf_url: str = ""
    landing_url: str = ""
    licence: str = ""
    version: str = ""
    host: str = ""


@dataclass(frozen=True, slots=True)
class Places:
    """What one source said. `known` is False where it does not have the paper; `closed` True where it says that no open
    copy exists; `withdrawn` where it says that the paper was."""

    places: tuple[Place, ...]
    answer_id: int | None
    known: bool = True
    closed: bool = False
    withdrawn: bool = False


def of_unpaywall(found: OpenAccess | None, answer_id: int) -> Places:
    """Unpaywall's locations, its best first."""
    if found is None:
        return Places((), answer_id, known=False)
    places = tuple(
        Place(
            pdf_url=_web(one.pdf_url),
            landing_url=_web(one.landing_url or one.url),
            licence=one.licence,
            version=VERSIONS.get(one.version, one.version),
            host=one.host,
        )
        for one in found.locations
    )
    return Places(places, answer_id, closed=not found.is_open)


def ask_openalex(client: Client, identifier: Identifier, *, max_age_seconds: float | None) -> Places:
    """OpenAlex' open locations of a DOI or PMID. Raises SourceError."""
    answer = client.send(openalex_work(identifier), max_age_seconds=max_age_seconds)
    if answer.outcome is not Outcome.OK:
        return Places((), answer_id_of(answer), known=False)
    return _read("openalex", "OpenAlex", answer, openalex_places)


def openalex_places(body: bytes) -> tuple[Place, ...]:
    """Open locations of a work, its best first. Raises UnreadableAnswer."""
    data = read_json_object(body)
    if not text(data.get("id")):
        raise UnreadableAnswer("data of another form than expected")
    entries = [mapping(data.get("best_oa_location")), mapping(data.get("primary_location"))]
    entries += mappings(data.get("locations"))
    places = [
        Place(
            pdf_url=_web(text(entry.get("pdf_url"))),
            landing_url=_web(text(entry.get("landing_page_url"))),
            licence=text(entry.get("license")),
            version=VERSIONS.get(text(entry.get("version")), text(entry.get("version"))),
            host=_HOSTS.get(text(mapping(entry.get("source")).get("type")), ""),
        )
        for entry in entries
        if entry.get("is_oa") is True
    ]
    return tuple(dict.fromkeys(one for one in places if one.pdf_url or one.landing_url))


_HOSTS = {"journal": "publisher", "repository": "repository"}


def ask_crossref(client: Client, doi: str, *, max_age_seconds: float | None) -> Places:
    """The links that the publisher registered with the DOI. Raises SourceError."""
    answer = client.send(crossref_work(doi), max_age_seconds=max_age_seconds)
    if answer.outcome is not Outcome.OK:
        return Places((), answer_id_of(answer), known=False)
    return _read("crossref", "Crossref", answer, crossref_places)


def crossref_places(body: bytes) -> tuple[Place, ...]:
    """PDFs that the publisher links to. Links for Crossref's similarity check are meant for that service alone and are
    left out. Raises UnreadableAnswer."""
    message = mapping(read_json_object(body).get("message"))
    if not text(message.get("DOI")):
        raise UnreadableAnswer("data of another form than expected")
    licences = {text(one.get("content-version")): text(one.get("URL")) for one in mappings(message.get("license"))}
    places = []
    for link in mappings(message.get("link")):
        kind, meant_for = text(link.get("content-type")).lower(), text(link.get("intended-application"))
        version, address = text(link.get("content-version")), _web(text(link.get("URL")))
        if meant_for == "similarity-checking" or not address or kind not in ("application/pdf", "unspecified", ""):
            continue
        places.append(
            Place(
                pdf_url=address,
                licence=licences.get(version, ""),
                version=VERSIONS.get(version, version),
                host="publisher",
            )
        )
    return tuple(dict.fromkeys(places))


def ask_biorxiv(client: Client, doi: str, *, max_age_seconds: float | None) -> Places:
    """The PDF of the newest version of a preprint at bioRxiv or medRxiv. Raises SourceError."""
    bare, answer_id = without_version(doi), None
    for server in SERVERS:
        answer = client.send(preprint(server, bare), max_age_seconds=max_age_seconds)
        answer_id = answer_id_of(answer)
        if answer.outcome is not Outcome.OK:
            continue
        return replace(_biorxiv_places(answer, server, bare), answer_id=answer_id)
    return Places((), answer_id, known=False)


def _biorxiv_places(answer: Answer, server: str, doi: str) -> Places:
    try:
        version = newest(listing(answer.body).versions)
    except UnreadableAnswer as error:
        raise unreadable("biorxiv", "bioRxiv", answer, error) from error
    if version is None:
        return Places((), None, known=False)
    address = f"https://www.{server}.org/content/{quote(doi, safe='/')}v{max(version.number, 1)}.full.pdf"
    licence = "" if version.licence.lower() in ("na", "none") else version.licence.replace("_", " ").upper()
    return Places(
        (Place(address, address.removesuffix(".full.pdf"), licence, "preprint", "repository"),),
        None,
        withdrawn=version.withdrawn,
    )


def may_be_at_biorxiv(record: Record) -> bool:
    """True for a DOI that bioRxiv or medRxiv could have."""
    return bool(record.doi) and can_hold(record.doi)


def arxiv_places(record: Record) -> tuple[Place, ...]:
    """The PDF at arXiv of a record that has an arXiv number (or arXiv's DOI). Nothing is asked for that."""
    number = record.identifier(Scheme.ARXIV) or (arxiv_from_doi(record.doi) if record.doi else "")
    if not number:
        return ()
    part = quote(number, safe="/.")
    return (Place(f"https://arxiv.org/pdf/{part}", f"https://arxiv.org/abs/{part}", "", "preprint", "repository"),)


def landing_place(doi: str) -> Place:
    """The page that the DOI leads to."""
    return Place(landing_url=f"https://doi.org/{quote(doi, safe='/:;()')}")


def resolver_address(template: str, record: Record) -> str:
    """The address at a person's own proxy or link resolver: `{doi}` and `{url}` are filled in, and without them the
    address of the DOI is put behind (EZproxy's form). "" for a paper without a DOI."""
    if not record.doi:
        return ""
    page = landing_place(record.doi).landing_url
    if "{doi}" in template or "{url}" in template:
        return template.replace("{doi}", quote(record.doi, safe="")).replace("{url}", quote(page, safe=""))
    return (
        template + quote(page, safe="")
        if template.endswith(("=", "?", "/"))
        else f"{template}?url={quote(page, safe='')}"
    )


def _read(source: str, label: str, answer: Answer, reader: Callable[[bytes], Iterable[Place]]) -> Places:
    try:
        return Places(tuple(reader(answer.body)), answer_id_of(answer))
    except UnreadableAnswer as error:
        raise unreadable(source, label, answer, error) from error


def _web(address: str) -> str:
    """A web address, or "" for anything else."""
    return address if address.startswith(("http://", "https://")) else ""

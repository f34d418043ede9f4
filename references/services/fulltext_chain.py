"""The chain of places that are asked for one paper's full text, one after the other, until one gives it. No database.

Source of the order: issue 8. What each place said is told at once (`tell`), so that nothing is lost when a worker dies.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Protocol
from urllib.parse import urlsplit

from litapp.core.fulltext import Outcome
from litapp.core.ports import Outcome as AnswerOutcome
from litapp.core.records import Identifier, Record, Scheme
from litapp.providers.base import Client, SourceError
from litapp.providers.europepmc.provider import EuropePMC
from litapp.providers.fulltext import bucket, places
from litapp.providers.fulltext.places import Place, Places
from litapp.providers.fulltext.web import Fetched
from litapp.providers.questions import IdConversion
from litapp.providers.registry import open_access_provider, provider
from references.services.fulltext_judging import Judged, judge_jats, judge_pdf_answer

LABELS = {
    "unpaywall": "Unpaywall",
    "pmc": "PubMed Central",
    "europepmc": "Europe PMC",
    "openalex": "OpenAlex",
    "crossref": "Crossref",
    "landing": "The publisher's page",
    "biorxiv": "bioRxiv or medRxiv",
    "arxiv": "arXiv",
    "resolver": "Your own resolver",
    "upload": "Brought by a person",
}
"""The places of the chain, in order, as people read them."""
_NO_LANDING = frozenset({"doi.org", "dx.doi.org", "pubmed.ncbi.nlm.nih.gov", "www.ncbi.nlm.nih.gov", "doaj.org"})
"""Hosts whose pages name no PDF: the DOI is followed once, at the end, and PMC's bucket is asked itself."""
MOST_ADDRESSES = 15
"""Addresses that are asked for one paper in one round; further ones are named and not tried."""


class Reader(Protocol):
    """`providers.fulltext.web.WebReader`."""

    def get(self, url: str, *, operation: str = "pdf", accept: str = ...) -> Fetched:
        """Fetch an address."""


@dataclass(frozen=True, slots=True)
class Told:
    """One place that was asked, and what it gave; `copy` where a file came that is, or may be, the paper."""

    source: str
    outcome: Outcome
    message: str
    url: str = ""
    licence: str = ""
    version: str = ""
    answer_id: int | None = None
    retry_at: datetime | None = None
    copy: Copy | None = None


@dataclass(frozen=True, slots=True)
class Copy:
    """A file in the archive: the bytes of answer `answer_id`."""

    kind: str
    outcome: Outcome
    pages: int | None = None


@dataclass(slots=True)
class Chain:
    """One paper's way through the places. `client_of` gives the client of a source, or raises SourceError with the
    reason why it cannot be used; `done` are addresses that were asked in this round before a worker died."""

    record: Record
    client_of: Callable[[str], Client]
    reader: Reader
    tell: Callable[[Told], None]
    resolver: str = ""
    max_age_seconds: float | None = None
    done: set[str] = field(default_factory=set)
    told: list[Told] = field(default_factory=list)
    withdrawn: bool = False
    _landings: list[tuple[str, Place]] = field(default_factory=list)
    _asked: int = 0
    _looked_up: dict[str, str] = field(default_factory=dict)

    def run(self) -> list[Told]:
        """Ask place after place until a full text is accepted; returns all that was told."""
        for step in (
            self._unpaywall, self._pmc, self._europepmc, self._openalex, self._crossref, self._landing,
            self._biorxiv, self._arxiv, self._own_resolver,
        ):  # fmt: skip
            step()
            if self.found:
                break
        return self.told

    @property
    def found(self) -> bool:
        """A full text was accepted."""
        return any(one.outcome is Outcome.ACCEPTED for one in self.told)

    def _say(self, told: Told) -> None:
        self.told.append(told)
        self.tell(told)

    def _unpaywall(self) -> None:
        if self.record.doi:
            self._ask("unpaywall", self._open_access)

    def _open_access(self, client: Client) -> Places:
        found, answer_id = open_access_provider().open_access(
            client, self.record.doi, max_age_seconds=self.max_age_seconds
        )
        return places.of_unpaywall(found, answer_id)

    def _openalex(self) -> None:
        identifier = self._identifier(Scheme.DOI, Scheme.PMID)
        if identifier is not None:
            self._ask(
                "openalex",
                lambda client: places.ask_openalex(client, identifier, max_age_seconds=self.max_age_seconds),
            )

    def _crossref(self) -> None:
        if self.record.doi:
            self._ask(
                "crossref",
                lambda client: places.ask_crossref(client, self.record.doi, max_age_seconds=self.max_age_seconds),
            )

    def _biorxiv(self) -> None:
        if places.may_be_at_biorxiv(self.record):
            self._ask(
                "biorxiv",
                lambda client: places.ask_biorxiv(client, self.record.doi, max_age_seconds=self.max_age_seconds),
            )

    def _arxiv(self) -> None:
        self._try_all("arxiv", places.arxiv_places(self.record))

    def _own_resolver(self) -> None:
        address = places.resolver_address(self.resolver, self.record) if self.resolver else ""
        if address:
            self._try_all("resolver", (Place(pdf_url=address),))

    def _landing(self) -> None:
        """Pages that name their PDF: those the sources gave, and the one that the DOI leads to."""
        pages = list(self._landings)
        if self.record.doi:
            pages.append(("landing", places.landing_place(self.record.doi)))
        seen: set[str] = set()
        for source, place in pages:
            if place.landing_url not in seen and not self.found:
                seen.add(place.landing_url)
                self._fetch(source, replace(place, pdf_url=place.landing_url), operation="landing")

    def _identifier(self, *schemes: Scheme) -> Identifier | None:
        return next((Identifier(one, value) for one in schemes if (value := self.record.identifier(one))), None)

    def _ask(self, source: str, question: Callable[[Client], Places]) -> None:
        """Ask a source where the paper is, then try its places."""
        try:
            answer = question(self.client_of(source))
        except SourceError as error:
            outcome = _of_error(error)
            self._say(
                Told(source, outcome, error.message, answer_id=error.answer_id, retry_at=error.retry_at)
            )  # fmt: skip
            return
        self.withdrawn = self.withdrawn or answer.withdrawn
        self._say(_named(source, answer))
        self._try_all(source, answer.places)

    def _try_all(self, source: str, found: Iterable[Place]) -> None:
        for place in found:
            if self.found:
                return
            if place.pdf_url:
                self._fetch(source, place)
            if place.landing_url and urlsplit(place.landing_url).hostname not in _NO_LANDING:
                self._landings.append((source, place))

    def _fetch(self, source: str, place: Place, *, operation: str = "pdf") -> None:
        """Fetch a file; where a page comes that names the PDF, fetch that."""
        address = place.pdf_url
        for step in range(3):
            judged, fetched = self._get(source, place, address, operation if step == 0 else "pdf")
            if judged is None or judged.page is None or fetched is None:
                return
            further = judged.page.pdf_url or (judged.page.refresh_url if step == 0 else "")
            if not further or further in (address, fetched.final_url):
                return
            address = further

    def _get(
        self, source: str, place: Place, address: str, operation: str
    ) -> tuple[Judged | None, Fetched | None]:  # fmt: skip
        if address in self.done:
            return None, None
        self.done.add(address)
        if self._asked >= MOST_ADDRESSES:
            told = f"Was not tried: {MOST_ADDRESSES} addresses were asked for this paper."
            self._say(Told(source, Outcome.NOT_TRIED, told, address))
            return None, None
        self._asked += 1
        fetched = self.reader.get(address, operation=operation)
        judged = judge_pdf_answer(fetched, self.record)
        copy = Copy("pdf", judged.outcome, judged.pages) if judged.is_file else None
        self._say(
            Told(
                source, judged.outcome, judged.message, address, place.licence, place.version, fetched.answer_id,
                fetched.retry_at, copy,
            )
        )  # fmt: skip
        return judged, fetched

    def _pmc(self) -> None:
        """PMC's bucket: the article's XML and PDF, where it has them."""
        pmcid = self._pmcid()
        if not pmcid:
            return
        listing = self._text("pmc", bucket.listing_address(pmcid))
        if listing is None:
            return
        try:
            numbers = bucket.versions(listing.body, pmcid)
        except ValueError as error:
            self._say(Told("pmc", Outcome.NOT_ASKED, f"The bucket sent {error}.", listing.url))
            return
        if not numbers:
            self._say(Told("pmc", Outcome.NOTHING, "Its open bucket does not have the article.", listing.url,
                           answer_id=listing.answer_id))  # fmt: skip
            return
        described = self._text("pmc", bucket.entry_address(pmcid, numbers[0]))
        if described is None:
            return
        try:
            entry = bucket.entry(described.body, pmcid)
        except ValueError as error:
            self._say(Told("pmc", Outcome.NOT_ASKED, f"The bucket sent {error}.", described.url))
            return
        version = "accepted manuscript" if entry.is_manuscript else "published version"
        place = Place(pdf_url=entry.pdf_url, licence=entry.licence, version=version, host="repository")
        self._say(Told("pmc", Outcome.PLACES, f"Version {entry.version} of {pmcid} is in its open bucket.", "",
                       entry.licence, version, described.answer_id))  # fmt: skip
        if entry.xml_url:
            self._xml("pmc", entry.xml_url, place, pmcid)
        if entry.pdf_url:
            self._fetch("pmc", place)

    def _text(self, source: str, address: str) -> Fetched | None:
        """A small answer of the bucket; None where it gave none (which is told)."""
        fetched = self.reader.get(address, operation="listing", accept="application/xml, application/json, */*;q=0.1")
        if fetched.problem is None:
            return fetched
        self._say(
            Told(source, fetched.problem, fetched.message, address, "", "", fetched.answer_id, fetched.retry_at)
        )  # fmt: skip
        return None

    def _xml(self, source: str, address: str, place: Place, pmcid: str) -> None:
        if address in self.done:
            return
        self.done.add(address)
        fetched = self.reader.get(address, operation="xml", accept="application/xml, */*;q=0.1")
        if fetched.problem is not None:
            judged = Judged(fetched.problem, fetched.message)
        else:
            judged, _ = judge_jats(fetched.body, self.record, pmcid=pmcid)
        copy = Copy("xml", judged.outcome) if judged.is_file else None
        licence = judged.licence or place.licence
        self._say(Told(source, judged.outcome, judged.message, address, licence, place.version, fetched.answer_id,
                       fetched.retry_at, copy))  # fmt: skip

    def _europepmc(self) -> None:
        """Europe PMC's full text in XML."""
        pmcid = self._pmcid()
        if not pmcid:
            return
        try:
            found, answer_id = _europepmc().full_text(
                self.client_of("europepmc"), pmcid, max_age_seconds=self.max_age_seconds
            )
        except SourceError as error:
            self._say(Told("europepmc", _of_error(error), error.message, answer_id=error.answer_id,
                           retry_at=error.retry_at))  # fmt: skip
            return
        if found is None:
            self._say(Told("europepmc", Outcome.NOTHING, "It has no open full text of this article.",
                           answer_id=answer_id))  # fmt: skip
            return
        judged, _ = judge_jats(found.xml, self.record, pmcid=pmcid)
        copy = Copy("xml", judged.outcome) if judged.is_file else None
        self._say(Told("europepmc", judged.outcome, judged.message, f"https://europepmc.org/article/PMC/{pmcid}",
                       judged.licence, "published version", answer_id, None, copy))  # fmt: skip

    def _pmcid(self) -> str:
        """The paper's number in PubMed Central: from its record, or from PMC's converter; "" = it is not there."""
        known = self.record.identifier(Scheme.PMCID)
        if known or "pmcid" in self._looked_up:
            return known or self._looked_up["pmcid"]
        self._looked_up["pmcid"] = ""
        identifier = self._identifier(Scheme.PMID, Scheme.DOI)
        if identifier is None:
            return ""
        self._looked_up["pmcid"] = self._converted(identifier)
        return self._looked_up["pmcid"]

    def _converted(self, identifier: Identifier) -> str:
        try:
            converter = provider("pmc")
            assert isinstance(converter, IdConversion)
            result = converter.convert(
                self.client_of("pmc"), [identifier], max_age_seconds=self.max_age_seconds
            )  # fmt: skip
        except SourceError as error:
            self._say(Told("pmc", _of_error(error), error.message, answer_id=error.answer_id, retry_at=error.retry_at))
            return ""
        if failure := result.failures.get(identifier):
            self._say(Told("pmc", Outcome.NOT_ASKED, failure.message, answer_id=failure.answer_id,
                           retry_at=failure.retry_at))  # fmt: skip
        elif identifier in result.unknown:
            self._say(Told("pmc", Outcome.UNKNOWN, "The paper is not in PubMed Central.",
                           answer_id=result.unknown[identifier]))  # fmt: skip
        elif found := result.converted.get(identifier):
            return next((one.value for one in found.identifiers if one.scheme is Scheme.PMCID), "")
        return ""


def _named(source: str, answer: Places) -> Told:
    """What a source said about places, as a line of the list."""
    if not answer.known:
        return Told(source, Outcome.UNKNOWN, "It does not have this paper.", answer_id=answer.answer_id)
    if not answer.places:
        return Told(source, Outcome.NOTHING, "It knows no open copy.", answer_id=answer.answer_id)
    number = len(answer.places)
    first = answer.places[0]
    told = f"It names {number} place{'' if number == 1 else 's'}."
    return Told(source, Outcome.PLACES, told, "", first.licence, first.version, answer.answer_id)


def _of_error(error: SourceError) -> Outcome:
    if error.code == "switched_off":
        return Outcome.SWITCHED_OFF
    return Outcome.UNKNOWN if error.outcome is AnswerOutcome.NOT_FOUND else Outcome.NOT_ASKED


def _europepmc() -> EuropePMC:
    found = provider("europepmc")
    assert isinstance(found, EuropePMC)
    return found


def labelled(told: Iterable[Told]) -> Iterator[tuple[str, Outcome]]:
    """(label of the place, outcome) of each, for `core.fulltext_reasons.conclude`."""
    return ((LABELS.get(one.source, one.source), one.outcome) for one in told)

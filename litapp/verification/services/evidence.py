"""Gathers what the sources say of a batch of references: identifiers in batches, then what is left, searches last."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeVar

from django.db import connections
from django.utils import timezone

from litapp.core.identifiers import arxiv_from_doi
from litapp.core.matching.journals import is_preprint_server
from litapp.core.records import Identifier, Record, Scheme
from litapp.core.verification import Answered, Asked, Found, is_confirmed, needs_search, organisation_behind
from litapp.core.verification.freetext import claim_of, guessed_title
from litapp.core.verification.witness import same_work
from litapp.ledger.services.clients import for_the_same
from litapp.providers.base import NOT_LISTED
from litapp.providers.biorxiv.request import can_hold
from litapp.providers.causes import cause_of
from litapp.providers.registry import source_keys
from litapp.verification.journal_names import journal_names
from litapp.verification.services.asking import Asker, Said, TitleSearch

T = TypeVar("T")
INDEX_SCHEMES: Mapping[str, tuple[Scheme, ...]] = {
    "openalex": (Scheme.DOI, Scheme.PMID, Scheme.ARXIV),
    "semanticscholar": (Scheme.DOI, Scheme.PMID, Scheme.ARXIV),
}
"""Which identifier an index is asked with, the best first: one a reference."""
FIRST_SEARCHED = ("crossref",)
"""Searched for every reference that no identifier names; its hits' identifiers then lead to the other sources."""
THEN_SEARCHED = ("pubmed", "openalex", "semanticscholar")
"""Searched for what is not known then: these three must all have been silent before silence may accuse."""
SEARCHES_IN_A_ROW = 25
"""References whose searches are finished before the next ones': so results come as they are found."""


@dataclass(frozen=True, slots=True)
class Question:
    """One reference to be asked about. `text` is set for a citation that is to be matched as text; `record` then holds
    the identifiers found in it."""

    record: Record
    text: str = ""
    returned_by: tuple[str, ...] = ()


@dataclass(slots=True)
class Evidence:
    """What the sources said of each reference of a batch, by its place in the batch."""

    found: dict[int, list[Found]] = field(default_factory=dict)
    retry_at: dict[int, datetime] = field(default_factory=dict)
    """Places of references of which some source could not be asked now, and when it may be asked again."""
    silent: dict[int, dict[str, str]] = field(default_factory=dict)
    """Place -> source -> why it could not be asked about this reference (`providers.causes`). A source that is switched
    off in this installation is not among them."""

    def add(self, place: int, source: str, how: Asked, question: str, said: Said, scheme: str = "") -> None:
        """Put an answer with the reference at `place`. Several records of one answer are several entries."""
        for record in said.records or (None,):
            self.found.setdefault(place, []).append(
                Found(
                    source=source,
                    organisation=organisation_behind(source, record),
                    how=how,
                    question=question,
                    outcome=said.outcome,
                    record=record,
                    scheme=scheme,
                    answer_id=said.answer_id,
                    asked_at=said.asked_at,
                    message=said.note or said.message,
                )
            )
        if said.error is not None:
            self.silent.setdefault(place, {})[source] = cause_of(said.error).value
            if not said.error.permanent:
                self._postpone(place, said.error.retry_at or timezone.now())

    def _postpone(self, place: int, moment: datetime) -> None:
        if place not in self.retry_at or moment < self.retry_at[place]:
            self.retry_at[place] = moment

    def records(self, place: int) -> list[Record]:
        """All records found for the reference at `place`."""
        return [found.record for found in self.found.get(place, ()) if found.record is not None]


def gather(records: Sequence[Record], *, afresh: bool = False) -> Evidence:
    """Everything about `records` at once; see `gather_in_stages`."""
    gathering = Gathering([Question(record) for record in records], afresh=afresh)
    for _ in gathering.stages():
        pass
    return gathering.evidence


class Gathering:
    """Asks every usable source about `questions`, all sources side by side, each at its own pace.

    A source that cannot be asked leaves FAILED or NOT_ASKED entries with the reason; it never raises.
    `afresh` = stored answers of the sources `afresh_at` (none named = all) are not reused.
    """

    def __init__(self, questions: Sequence[Question], *, afresh: bool = False, afresh_at: Iterable[str] = ()) -> None:
        self.questions = questions
        self.evidence = Evidence()
        self._afresh = afresh
        self._afresh_at = frozenset(afresh_at)

    def claimed(self, place: int) -> Record:
        """The reference at `place` as a record; of a text, what the records found so far let us find in it."""
        question = self.questions[place]
        if not question.text:
            return question.record
        return claim_of(question.text, self.evidence.records(place), journals=journal_names())

    def identified(self, places: Iterable[int]) -> set[Identifier]:
        """Every identifier that the references at `places`, or the records found for them, carry."""
        records = [one for place in places for one in (self.questions[place].record, *self.evidence.records(place))]
        return {identifier for record in records for identifier in record.identifiers}

    def stages(self) -> Iterator[list[int]]:
        """Ask; after each stage the places of the references about which nobody is asked any more."""
        self._by_identifier()
        self._open_dois()
        self._fallbacks()
        searched = [place for place in range(len(self.questions)) if self._needs_search(place)]
        yield [place for place in range(len(self.questions)) if place not in set(searched)]
        for start in range(0, len(searched), SEARCHES_IN_A_ROW):
            places = searched[start : start + SEARCHES_IN_A_ROW]
            self._search(places)
            yield places

    # Identifiers

    def _asker(self, key: str) -> Asker:
        return Asker(key, afresh=self._afresh and (not self._afresh_at or key in self._afresh_at))

    def _by_identifier(self) -> None:
        """Every identifier at its owner and one of each reference at the two indexes, all sources side by side."""
        wanted: dict[str, dict[Identifier, list[int]]] = {}
        for place, question in enumerate(self.questions):
            for source, identifier in _to_ask(question.record):
                wanted.setdefault(source, {}).setdefault(identifier, []).append(place)

        def ask(key: str) -> dict[Identifier, Said]:
            return self._asker(key).identifiers(wanted[key], listed=True)

        for key, said in _side_by_side([key for key in source_keys() if key in wanted], ask):
            self._put(key, said, wanted[key])

    def _put(self, key: str, said: Mapping[Identifier, Said], places: Mapping[Identifier, Iterable[int]]) -> None:
        for identifier, one in said.items():
            if one.error is not None and one.error.code == NOT_LISTED:
                continue
            for place in places[identifier]:
                self.evidence.add(place, key, Asked.IDENTIFIER, identifier.value, one, identifier.scheme.value)

    def _open_dois(self) -> None:
        """DOIs that no registry has so far: doi.org says who registered them, or that they do not exist."""
        places = self._open(Scheme.DOI)
        if not places:
            return
        agencies = self._asker("doiorg").agencies([identifier.value for identifier in places])
        told = {Identifier(Scheme.DOI, doi): said for doi, said in agencies.items()}
        self._put("doiorg", told, places)
        unsure = [one for one, said in told.items() if said.outcome not in (Answered.FOUND, Answered.ABSENT)]
        wanted = {
            "crossref": [one for one, said in told.items() if said.note == "Crossref"] + unsure,
            "datacite": [one for one, said in told.items() if said.note == "DataCite"] + unsure,
            "biorxiv": [one for one in places if can_hold(one.value) and told[one].outcome is not Answered.ABSENT],
        }
        asked_before = {
            (found.source, found.question)
            for place in {place for group in places.values() for place in group}
            for found in self.evidence.found.get(place, ())
        }
        left = {key: [one for one in group if (key, one.value) not in asked_before] for key, group in wanted.items()}
        for key, said in _side_by_side(
            [key for key in left if left[key]], lambda k: self._asker(k).identifiers(left[k])
        ):
            self._put(key, said, places)

    def _open(self, scheme: Scheme, source: str = "") -> dict[Identifier, list[int]]:
        """Identifiers of `scheme` under which no owner's record was found, with their places; with `source`, only those
        that this source failed to answer for."""
        places: dict[Identifier, list[int]] = {}
        for place, question in enumerate(self.questions):
            found = self.evidence.found.get(place, ())
            for identifier in question.record.identifiers:
                if identifier.scheme is not scheme or arxiv_from_doi(identifier.value):
                    continue
                answers = [f for f in found if f.question == identifier.value and f.scheme == scheme.value]
                if source:
                    wanted = any(f.source == source and f.outcome is Answered.FAILED for f in answers)
                else:
                    owners = ("crossref", "datacite", "biorxiv")
                    wanted = not any(f.outcome is Answered.FOUND and f.source in owners for f in answers)
                if wanted:
                    places.setdefault(identifier, []).append(place)
        return places

    def _fallbacks(self) -> None:
        """Where an owner could not be asked, who else holds its records: Europe PMC for PMIDs, PubMed for DOIs."""
        chain = (("pubmed", Scheme.PMID, "europepmc"), ("crossref", Scheme.DOI, "pubmed"))
        for owner, scheme, other in chain:
            places = self._open(scheme, owner)
            if places:
                self._put(other, self._asker(other).identifiers(places), places)

    # Searches

    def _needs_search(self, place: int) -> bool:
        question, found = self.questions[place], self.evidence.found.get(place, [])
        claimed = self.claimed(place)
        if question.text and not claimed.title:
            return True
        return needs_search(claimed, found, journals=journal_names()) or not self._known(place)

    def _search(self, places: Sequence[int]) -> None:
        """Crossref first; the identifiers of a hit that is the work lead to the other sources in batches; who is still
        not known is searched for everywhere. A record that an identifier names, but that only the source which returned
        it confirms, is searched for at the others: the last resort for a second witness."""
        asked = [place for place in places if not self._own(place) & set(FIRST_SEARCHED)]
        self._searched(FIRST_SEARCHED, {place: self._first_search(place) for place in asked})
        self._follow(places)
        left = [place for place in places if not self._known(place)]
        wanted = {place: self._title_search(place) for place in left}
        own = {place: self._own(place) & set(THEN_SEARCHED) for place in left}
        for skipped in sorted(set(own.values()), key=sorted):
            keys = [key for key in THEN_SEARCHED if key not in skipped]
            self._searched(keys, {place: wanted[place] for place in left if own[place] == skipped})
        without_pubmed = [p for p in left if "pubmed" in self.evidence.silent.get(p, {})]
        at_arxiv = [
            p for p in left if is_preprint_server(self.claimed(p).journal) and "rxiv" in self.claimed(p).journal.lower()
        ]
        self._searched(("europepmc",), {p: wanted[p] for p in without_pubmed})
        self._searched(("arxiv",), {p: wanted[p] for p in at_arxiv if "arxiv" in self.claimed(p).journal.lower()})
        self._follow(left)

    def _own(self, place: int) -> frozenset[str]:
        """The sources that returned a record which an identifier names: to search there tells nothing new."""
        found = self.evidence.found.get(place, [])
        if needs_search(self.claimed(place), found, journals=journal_names()):
            return frozenset()
        return frozenset(self.questions[place].returned_by)

    def _first_search(self, place: int) -> TitleSearch:
        question = self.questions[place]
        return TitleSearch(citation=question.text) if question.text else self._title_search(place)

    def _title_search(self, place: int) -> TitleSearch:
        question, claimed = self.questions[place], self.claimed(place)
        title = claimed.title or (guessed_title(question.text) if question.text else "")
        author = (claimed.authors[0].family or claimed.authors[0].literal) if claimed.authors else ""
        return TitleSearch(title, author, claimed.year, claimed.journal)

    def _searched(self, keys: Sequence[str], wanted: Mapping[int, TitleSearch]) -> None:
        asked = {place: search for place, search in wanted.items() if search.title or search.citation}
        if not asked:
            return
        for key, said in _side_by_side(keys, lambda key: self._asker(key).searches(_for(key, asked.values()))):
            for place, search in asked.items():
                one = said[_plainer(key, search)]
                self.evidence.add(place, key, Asked.SEARCH, search.title or search.citation, one)

    def _follow(self, places: Sequence[int]) -> None:
        """Ask the other sources by the identifiers of a search hit that is the claimed work. Only what they have is
        kept, as found by this search: that they do not have an identifier nobody claimed says nothing."""
        wanted: dict[str, dict[Identifier, list[int]]] = {}
        for place in places:
            claimed, found = self.claimed(place), self.evidence.found.get(place, [])
            hits = [f for f in found if f.record is not None and f.how is Asked.SEARCH]
            same = [f.record for f in hits if f.record is not None and same_work(claimed, f, journals=journal_names())]
            held = {f.source for f in found if f.record is not None and f.record in same}
            for source, identifier in _next_to_ask(same):
                if source not in held:
                    wanted.setdefault(source, {}).setdefault(identifier, []).append(place)

        def ask(key: str) -> dict[Identifier, Said]:
            return self._asker(key).identifiers(wanted[key], listed=True)

        for key, said in _side_by_side(list(wanted), ask):
            for identifier, one in said.items():
                for place in wanted[key][identifier]:
                    if one.outcome is Answered.FOUND:
                        self.evidence.add(place, key, Asked.SEARCH, self.claimed(place).title, one)

    def _known(self, place: int) -> bool:
        """True when a source independent of those that returned the reference holds the work."""
        claimed, found = self.claimed(place), self.evidence.found.get(place, [])
        return is_confirmed(claimed, self.questions[place].returned_by, found, journals=journal_names())


def _to_ask(record: Record) -> Iterator[tuple[str, Identifier]]:
    """(source, identifier): every identifier at its owner, the best one at each index."""
    for identifier in record.identifiers:
        arxiv = arxiv_from_doi(identifier.value) if identifier.scheme is Scheme.DOI else ""
        if identifier.scheme is Scheme.PMID:
            yield "pubmed", identifier
        elif identifier.scheme is Scheme.ARXIV or arxiv:
            number = arxiv or identifier.value
            yield "arxiv", Identifier(Scheme.ARXIV, number)
            yield "datacite", Identifier(Scheme.DOI, f"10.48550/arxiv.{number.lower()}")
        elif identifier.scheme is Scheme.DOI:
            yield "crossref", identifier
    for source, schemes in INDEX_SCHEMES.items():
        best = next((Identifier(s, value) for s in schemes if (value := record.identifier(s))), None)
        if best is not None:
            yield source, _as_asked(source, best)


def _as_asked(source: str, identifier: Identifier) -> Identifier:
    """OpenAlex knows arXiv papers by the DOI that arXiv registers for them."""
    if source == "openalex" and identifier.scheme is Scheme.ARXIV:
        return Identifier(Scheme.DOI, f"10.48550/arxiv.{identifier.value.lower()}")
    return identifier


def _next_to_ask(records: Sequence[Record]) -> Iterator[tuple[str, Identifier]]:
    """Where to ask on with the identifiers of a found work: the first DOI and PMID among its records."""
    doi = next((record.doi for record in records if record.doi), "")
    pmid = next((record.pmid for record in records if record.pmid), "")
    if pmid:
        yield "pubmed", Identifier(Scheme.PMID, pmid)
    elif doi:
        yield "pubmed", Identifier(Scheme.DOI, doi)
    if doi:
        yield "crossref", Identifier(Scheme.DOI, doi)
    if doi or pmid:
        best = Identifier(Scheme.DOI, doi) if doi else Identifier(Scheme.PMID, pmid)
        yield "openalex", best
        yield "semanticscholar", best


def _plainer(key: str, search: TitleSearch) -> TitleSearch:
    """What a source makes of a search: parts that it does not look at are left out, so that equal questions are one."""
    if search.citation or key not in ("crossref", "openalex", "semanticscholar"):
        return search
    return TitleSearch(search.title)


def _for(key: str, searches: Iterable[TitleSearch]) -> list[TitleSearch]:
    return [_plainer(key, search) for search in searches]


def _side_by_side(keys: Sequence[str], ask: Callable[[str], T]) -> list[tuple[str, T]]:
    """Ask several sources at once, each in a thread of its own; the answers come in the order of `keys`."""
    if len(keys) <= 1:
        return [(key, ask(key)) for key in keys]

    def closing(key: str) -> T:
        try:
            return ask(key)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(max_workers=len(keys), thread_name_prefix="check") as pool:
        return list(zip(keys, pool.map(for_the_same(closing), keys), strict=True))

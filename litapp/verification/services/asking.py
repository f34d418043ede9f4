"""Asks one source: stored answers first, then what is left, in the source's own batches; failures as values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from django.conf import settings
from django.db import connections
from django.utils import timezone

from litapp.core.records import Identifier, Record
from litapp.core.verification import Answered
from litapp.ledger.services.clients import client_for, for_the_same, source_state
from litapp.providers.base import BatchedLookup, Client, LookupResult, SourceError, WholeCitationMatch
from litapp.providers.registry import agencies_provider, lookup_provider, match_provider
from litapp.verification.services.known_answers import (
    Known,
    identifier_question,
    known_answers,
    moments_of,
    remember,
    search_question,
)

Q = TypeVar("Q", Identifier, str, "TitleSearch")
SEARCHES_AT_ONCE = {"crossref": 3, "openalex": 3, "pubmed": 2, "europepmc": 2}
"""Searches that are under way at one source at once; others one after another. The client keeps the pace."""


@dataclass(frozen=True, slots=True)
class Said:
    """How a source answered one question. `records` are what it returned; `note` the agency where doi.org was asked."""

    outcome: Answered
    records: tuple[Record, ...] = ()
    answer_id: int | None = None
    asked_at: datetime | None = None
    message: str = ""
    note: str = ""
    error: SourceError | None = None


@dataclass(frozen=True, slots=True)
class TitleSearch:
    """What is searched for: a title with what helps to find it, or (`citation`) a whole citation as it was written."""

    title: str = ""
    author: str = ""
    year: int | None = None
    journal: str = ""
    citation: str = ""

    @property
    def question(self) -> str:
        """The name under which its answer is kept."""
        return search_question(self.title, self.author, self.year, self.journal, self.citation)


def _of(known: Known) -> Said:
    outcome = Answered.FOUND if known.found else Answered.ABSENT
    return Said(outcome, known.records, known.answer_id, known.answered_at, note=known.note)


def _failed(error: SourceError) -> Said:
    return Said(Answered.FAILED, (), error.answer_id, timezone.now(), error.message, error=error)


class Asker:
    """One source. `afresh` = stored answers are not reused. Nothing here raises SourceError."""

    def __init__(self, key: str, *, afresh: bool = False) -> None:
        self.key = key
        self._afresh = afresh
        self._age = None if afresh else settings.ARCHIVE_MAX_AGE_NEGATIVE
        state = source_state(key)
        self._not_usable = "" if state.usable else state.reason or f"{key} is not used here."

    def identifiers(self, wanted: Iterable[Identifier], *, listed: bool = False) -> dict[Identifier, Said]:
        """An answer for each identifier. `listed` = where the source leaves out of a batch what it does not have, that
        is not asked again one by one."""

        def ask(client: Client, left: list[Identifier]) -> LookupResult:
            source = lookup_provider(self.key)
            if listed and isinstance(source, BatchedLookup):
                return source.lookup_listed(client, left, max_age_seconds=self._age)
            return source.lookup(client, left, max_age_seconds=self._age)

        return self._identifiers(list(dict.fromkeys(wanted)), ask)

    def _identifiers(
        self, wanted: list[Identifier], ask: Callable[[Client, list[Identifier]], LookupResult]
    ) -> dict[Identifier, Said]:
        said, left = self._known({one: identifier_question(one) for one in wanted})
        if not left:
            return said
        if self._not_usable:
            return said | dict.fromkeys(left, Said(Answered.NOT_ASKED, message=self._not_usable))
        try:
            result = ask(client_for(self.key), left)
        except SourceError as error:
            return said | dict.fromkeys(left, _failed(error))
        records = {one: ((record,), answer_id) for one, (record, answer_id) in result.found.items()}
        absent = {one: ((), answer_id) for one, answer_id in result.absent.items()}
        fresh = self._keep({identifier_question(one): value for one, value in (records | absent).items()})
        said |= {one: _of(fresh[identifier_question(one)]) for one in records | absent}
        return said | {one: _failed(error) for one, error in result.failures.items()}

    def agencies(self, dois: Iterable[str]) -> dict[str, Said]:
        """Who registered each DOI (in `note`). ABSENT = there is no such DOI."""
        wanted = list(dict.fromkeys(dois))
        said, left = self._known({doi: f"agency:{doi}"[:400] for doi in wanted})
        if not left:
            return said
        if self._not_usable:
            return said | dict.fromkeys(left, Said(Answered.NOT_ASKED, message=self._not_usable))
        answers = agencies_provider(self.key).registration_agencies(
            client_for(self.key), left, max_age_seconds=self._age
        )
        good = {doi: one for doi, one in answers.items() if one.error is None and one.answer_id is not None}
        moments = moments_of(one.answer_id for one in good.values() if one.answer_id is not None)
        fresh = {
            doi: Known((), one.answer_id, moments.get(one.answer_id, timezone.now()), bool(one.agency), one.agency)
            for doi, one in good.items()
            if one.answer_id is not None
        }
        remember(self.key, {f"agency:{doi}"[:400]: known for doi, known in fresh.items()})
        said |= {doi: _of(known) for doi, known in fresh.items()}
        return said | {doi: _failed(one.error) for doi, one in answers.items() if one.error is not None}

    def searches(self, wanted: Iterable[TitleSearch]) -> dict[TitleSearch, Said]:
        """An answer for each search. After a refusal that asks for a longer wait the rest is not asked."""
        unique = list(dict.fromkeys(wanted))
        said, left = self._known({one: one.question for one in unique})
        if not left:
            return said
        if self._not_usable:
            return said | dict.fromkeys(left, Said(Answered.NOT_ASKED, message=self._not_usable))
        stopped: list[SourceError] = []

        def one_search(search: TitleSearch) -> tuple[list[Record], int] | SourceError:
            if stopped:
                return stopped[0]
            try:
                hits, answer_ids = self._search(search)
            except SourceError as error:
                if error.retry_at:
                    stopped.append(error)
                return error
            finally:
                connections.close_all()
            return hits, answer_ids[-1] if answer_ids else 0

        with ThreadPoolExecutor(max_workers=SEARCHES_AT_ONCE.get(self.key, 1), thread_name_prefix="search") as pool:
            results = dict(zip(left, pool.map(for_the_same(one_search), left), strict=True))
        good = {
            search: (tuple(result[0]), result[1])
            for search, result in results.items()
            if not isinstance(result, SourceError) and result[1]
        }
        fresh = self._keep({search.question: value for search, value in good.items()})
        said |= {search: _of(fresh[search.question]) for search in good}
        for search, result in results.items():
            if isinstance(result, SourceError):
                said[search] = _failed(result)
            elif search not in good:
                said[search] = Said(Answered.NOT_ASKED, message="Nothing in this reference can be searched for.")
        return said

    def _search(self, search: TitleSearch) -> tuple[list[Record], list[int]]:
        source, client = match_provider(self.key), client_for(self.key)
        if search.citation:
            if isinstance(source, WholeCitationMatch):
                return source.match_citation(client, search.citation, max_age_seconds=self._age)
            return [], []
        return source.match(
            client,
            search.title,
            author=search.author,
            year=search.year,
            journal=search.journal,
            max_age_seconds=self._age,
        )

    def _known(self, questions: Mapping[Q, str]) -> tuple[dict[Q, Said], list[Q]]:
        """What is known already, and what is left to be asked."""
        known = {} if self._afresh else known_answers(self.key, questions.values())
        said = {one: _of(known[question]) for one, question in questions.items() if question in known}
        return said, [one for one in questions if one not in said]

    def _keep(self, answers: Mapping[str, tuple[Sequence[Record], int]]) -> dict[str, Known]:
        moments = moments_of(answer_id for _, answer_id in answers.values())
        fresh = {
            question: Known(tuple(records), answer_id, moments.get(answer_id, timezone.now()), bool(records))
            for question, (records, answer_id) in answers.items()
        }
        remember(self.key, fresh)
        return fresh

"""Asks the sources about a batch of records: identifiers in batches first, a search only as last resort."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime

from django.conf import settings
from django.db import connections
from django.utils import timezone

from litapp.core.records import Identifier, Record, Scheme
from litapp.core.verification import Answered, Asked, Found, organisation_of
from litapp.ledger.services.clients import client_for, source_state
from litapp.providers.base import SourceError
from litapp.providers.causes import Cause, cause_of
from litapp.providers.registry import lookup_provider, match_provider, source_keys

ASKED_WITH = {
    "pubmed": (Scheme.PMID,),
    "crossref": (Scheme.DOI,),
    "openalex": (Scheme.DOI, Scheme.PMID),
    "semanticscholar": (Scheme.DOI, Scheme.PMID),
}
"""Which identifier each source is asked with, the best first. Another one is used only where the best is missing."""
SEARCHED = ("crossref", "pubmed")
"""Sources searched by title where a record has no identifier that anybody could resolve."""


@dataclass(slots=True)
class Evidence:
    """What the sources said of each record of a batch, by its place in the batch."""

    found: dict[int, list[Found]] = field(default_factory=dict)
    retry_at: dict[int, datetime] = field(default_factory=dict)
    """Places of records of which some source could not be asked now, and when it may be asked again."""
    silent: dict[int, dict[str, str]] = field(default_factory=dict)
    """Place -> source -> why it could not be asked about this record (`providers.causes`). A source that is switched
    off in this installation is not among them."""

    def add(self, place: int, item: Found) -> None:
        self.found.setdefault(place, []).append(item)

    def blame(self, place: int, source: str, cause: Cause) -> None:
        """Remember that `source` could not be asked about the record at `place`."""
        self.silent.setdefault(place, {})[source] = cause.value

    def postpone(self, place: int, moment: datetime | None) -> None:
        """Remember the earliest moment at which a silent source may be asked again."""
        if moment and (place not in self.retry_at or moment < self.retry_at[place]):
            self.retry_at[place] = moment


def gather(records: Sequence[Record], *, afresh: bool = False) -> Evidence:
    """Ask every usable source about `records`, all sources side by side, each at its own pace.

    A source that cannot be asked leaves FAILED or NOT_ASKED entries with the reason; it never raises.
    `afresh` = stored answers are not reused.
    """
    evidence = Evidence()
    keys = [key for key in source_keys() if key in ASKED_WITH]
    with ThreadPoolExecutor(max_workers=len(keys), thread_name_prefix="check") as pool:
        for part in pool.map(_closing(lambda key: _ask_source(key, records, afresh)), keys):
            _merge(evidence, part)
    homeless = [place for place, record in enumerate(records) if not _resolvable(record) and record.title]
    if homeless:
        with ThreadPoolExecutor(max_workers=len(SEARCHED), thread_name_prefix="check") as pool:
            for part in pool.map(_closing(lambda key: _search_source(key, records, homeless, afresh)), SEARCHED):
                _merge(evidence, part)
    return evidence


def _closing(work: Callable[[str], Evidence]) -> Callable[[str], Evidence]:
    """The same work, with the thread's database connection closed at its end."""

    def run(key: str) -> Evidence:
        try:
            return work(key)
        finally:
            connections.close_all()

    return run


def _merge(whole: Evidence, part: Evidence) -> None:
    for place, items in part.found.items():
        for item in items:
            whole.add(place, item)
    for place, moment in part.retry_at.items():
        whole.postpone(place, moment)
    for place, causes in part.silent.items():
        whole.silent.setdefault(place, {}).update(causes)


def _resolvable(record: Record) -> bool:
    return any(record.identifier(scheme) for schemes in ASKED_WITH.values() for scheme in schemes)


def _ask_source(key: str, records: Sequence[Record], afresh: bool) -> Evidence:
    """Look up every record's best identifier at one source."""
    evidence = Evidence()
    wanted = _wanted(key, records)
    state = source_state(key)
    if not state.usable:
        for identifier, places in wanted.items():
            for place in places:
                evidence.add(place, _found(key, identifier, Answered.NOT_ASKED, message=state.reason))
        return evidence
    if not wanted:
        return evidence
    asked_at = timezone.now()
    source = lookup_provider(key)
    max_age = None if afresh else settings.ARCHIVE_MAX_AGE_HITS
    try:
        result = source.lookup(client_for(key), list(wanted), max_age_seconds=max_age)
    except SourceError as error:
        for identifier, places in wanted.items():
            _failed(evidence, key, identifier, places, error, asked_at)
        return evidence
    for identifier, (record, answer_id) in result.found.items():
        for place in wanted[identifier]:
            evidence.add(
                place, _found(key, identifier, Answered.FOUND, record=record, answer_id=answer_id, asked_at=asked_at)
            )
    for identifier, answer_id in result.absent.items():
        for place in wanted[identifier]:
            evidence.add(place, _found(key, identifier, Answered.ABSENT, answer_id=answer_id, asked_at=asked_at))
    for identifier, failure in result.failures.items():
        _failed(evidence, key, identifier, wanted[identifier], failure, asked_at)
    return evidence


def _wanted(key: str, records: Sequence[Record]) -> dict[Identifier, list[int]]:
    """Identifier -> places of the records that carry it; nothing is asked twice in a batch."""
    wanted: dict[Identifier, list[int]] = {}
    for place, record in enumerate(records):
        identifier = next(
            (Identifier(scheme, value) for scheme in ASKED_WITH.get(key, ()) if (value := record.identifier(scheme))),
            None,
        )
        if identifier:
            wanted.setdefault(identifier, []).append(place)
    return wanted


def _failed(
    evidence: Evidence, key: str, identifier: Identifier, places: Iterable[int], error: SourceError, asked_at: datetime
) -> None:
    for place in places:
        evidence.blame(place, key, cause_of(error))
        evidence.add(
            place,
            _found(
                key,
                identifier,
                Answered.FAILED,
                answer_id=error.answer_id,
                asked_at=asked_at,
                message=error.message,
            ),
        )
        if not error.permanent:
            evidence.postpone(place, error.retry_at or asked_at)


def _found(
    key: str,
    identifier: Identifier,
    outcome: Answered,
    *,
    record: Record | None = None,
    answer_id: int | None = None,
    asked_at: datetime | None = None,
    message: str = "",
) -> Found:
    return Found(
        source=key,
        organisation=organisation_of(key),
        how=Asked.IDENTIFIER,
        question=identifier.value,
        scheme=identifier.scheme.value,
        outcome=outcome,
        record=record,
        answer_id=answer_id,
        asked_at=asked_at,
        message=message,
    )


def _search_source(key: str, records: Sequence[Record], places: Sequence[int], afresh: bool) -> Evidence:
    """Search one source for the titles of records that carry no identifier."""
    evidence = Evidence()
    state = source_state(key)
    source = match_provider(key)
    max_age = None if afresh else settings.ARCHIVE_MAX_AGE_HITS
    stopped: SourceError | None = None
    for place in places:
        record, asked_at = records[place], timezone.now()

        def told(
            outcome: Answered,
            *,
            found: Record | None = None,
            answer_id: int | None = None,
            message: str = "",
            title: str = record.title,
            moment: datetime = asked_at,
        ) -> Found:
            return Found(key, organisation_of(key), Asked.SEARCH, title, outcome, found, "", answer_id, moment, message)

        if not state.usable:
            evidence.add(place, told(Answered.NOT_ASKED, message=state.reason))
            continue
        if stopped:
            evidence.blame(place, key, cause_of(stopped))
            evidence.add(place, told(Answered.NOT_ASKED, message=stopped.message))
            evidence.postpone(place, stopped.retry_at)
            continue
        author = record.authors[0].family or record.authors[0].literal if record.authors else ""
        try:
            hits, answers = source.match(
                client_for(key),
                record.title,
                author=author,
                year=record.year,
                journal=record.journal,
                max_age_seconds=max_age,
            )
        except SourceError as error:
            evidence.blame(place, key, cause_of(error))
            evidence.add(place, told(Answered.FAILED, answer_id=error.answer_id, message=error.message))
            if not error.permanent:
                evidence.postpone(place, error.retry_at or asked_at)
            if error.retry_at:
                stopped = error
            continue
        answer = answers[0] if answers else None
        for hit in hits:
            evidence.add(place, told(Answered.FOUND, found=hit, answer_id=answer))
        if not hits:
            evidence.add(place, told(Answered.ABSENT, answer_id=answer))
    return evidence

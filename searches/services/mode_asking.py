"""Puts several questions to several sources at once; what a source did not answer is told, never counted as nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from django.db import connections

from litapp.core.records import Identifier, Record
from litapp.ledger.services.clients import client_for, for_the_same, source_state
from litapp.providers.answering import passages_provider
from litapp.providers.base import Client, CompiledQuery, SourceError
from litapp.providers.pubmed.members import members
from litapp.providers.questions import Passage
from litapp.providers.registry import (
    answering,
    links_provider,
    lookup_provider,
    match_provider,
    related_provider,
    search_provider,
    source,
)

AT_ONCE = 6
"""Questions that are under way at once, over all sources; the clients keep each source's pace. 1 = one by one."""
FOUND, NOTHING, FAILED, NOT_ASKED = "found", "nothing", "failed", "not_asked"


@dataclass(frozen=True, slots=True)
class Returned:
    """What a source returned: records, each with the archived answer it was read from, best first.

    `number` is the source's own count (None = it did not say); `notes` what a person must know of it.
    """

    records: tuple[tuple[Record, int], ...] = ()
    answers: tuple[int, ...] = ()
    number: int | None = None
    notes: tuple[str, ...] = ()
    passages: tuple[Passage, ...] = ()
    pmids: tuple[str, ...] = ()
    """Which of the PMIDs that were asked about a query finds (`members_question`)."""


@dataclass(frozen=True, slots=True)
class Question:
    """One question to one source. `way` is a short name that the reader of the answers knows it by; `what` is told to
    the person ("papers by Smith of 2023 on …")."""

    source: str
    way: str
    what: str
    ask: Callable[[Client], Returned]


@dataclass(frozen=True, slots=True)
class Heard:
    """A question and what came of it: `outcome` is FOUND, NOTHING, FAILED or NOT_ASKED (then `message` says why)."""

    question: Question
    outcome: str
    returned: Returned = Returned()
    message: str = ""
    hint: str = ""

    def told(self) -> dict[str, Any]:
        """As `PaperSearch.asked` keeps it."""
        return {
            "source": self.question.source,
            "label": source(self.question.source).label,
            "what": self.question.what,
            "outcome": self.outcome,
            "message": self.message or " ".join(self.returned.notes),
            "hint": self.hint,
            "number": self.returned.number,
            "answers": list(self.returned.answers),
        }


def ask_all(questions: Sequence[Question], progress: Callable[[int], None] = lambda done: None) -> list[Heard]:
    """Every question's answer, in the order given. Network, outside of transactions; raises no SourceError.

    `progress` is told after each answer how many there are.
    """
    if AT_ONCE == 1 or len(questions) < 2:
        heard = []
        for question in questions:
            heard.append(_hear(question))
            progress(len(heard))
        return heard

    def in_thread(question: Question) -> Heard:
        try:
            return _hear(question)
        finally:
            connections.close_all()

    heard = []
    with ThreadPoolExecutor(max_workers=AT_ONCE, thread_name_prefix="mode") as pool:
        for one in pool.map(for_the_same(in_thread), questions):
            heard.append(one)
            progress(len(heard))
    return heard


def _hear(question: Question) -> Heard:
    asked = answering(question.source)
    state = source_state(asked)
    if not state.usable:
        return Heard(question, NOT_ASKED, message=state.reason, hint=state.hint)
    try:
        returned = question.ask(client_for(asked))
    except SourceError as error:
        hint = error.hint or "Ask again later."
        return Heard(question, FAILED, Returned(answers=_answer(error)), error.message, hint)
    good = bool(returned.records or returned.passages or returned.number)
    return Heard(question, FOUND if good else NOTHING, returned)


def _answer(error: SourceError) -> tuple[int, ...]:
    return (error.answer_id,) if error.answer_id is not None else ()


def search_question(key: str, way: str, what: str, query: CompiledQuery, limit: int) -> Question:
    """The first records of a search, as the source ranks them."""

    def ask(client: Client) -> Returned:
        page = search_provider(key).fetch_page(client, query, {}, limit)
        hits = page.hits[:limit]
        return Returned(
            tuple((hit.record, hit.answer_id) for hit in hits),
            tuple(dict.fromkeys(hit.answer_id for hit in hits)),
            page.total if page.total is not None else len(hits),
            page.notes,
        )

    return Question(key, way, what, ask)


def count_question(key: str, way: str, what: str, query: CompiledQuery) -> Question:
    """The number of hits of a query."""

    def ask(client: Client) -> Returned:
        counted = search_provider(key).count(client, query)
        answers = (counted.answer_id,) if counted.answer_id is not None else ()
        return Returned((), answers, counted.total, counted.warnings)

    return Question(key, way, what, ask)


def members_question(way: str, what: str, query: CompiledQuery) -> Question:
    """Which PMIDs PubMed finds with a query that names some of them."""

    def ask(client: Client) -> Returned:
        found = members(client, query.text)
        return Returned((), (found.answer_id,), len(found.pmids), found.warnings, pmids=found.pmids)

    return Question("pubmed", way, what, ask)


def match_question(key: str, way: str, what: str, title: str, *, author: str, year: int | None) -> Question:
    """The records closest to a title."""

    def ask(client: Client) -> Returned:
        records, answers = match_provider(key).match(client, title, author=author, year=year)
        return listed(records, answers)

    return Question(key, way, what, ask)


def lookup_question(key: str, way: str, what: str, identifiers: Sequence[Identifier]) -> Question:
    """The records of identifiers. An identifier that could not be asked for makes the whole question a failure."""

    def ask(client: Client) -> Returned:
        result = lookup_provider(key).lookup(client, list(identifiers))
        if result.failures and not result.found:
            raise next(iter(result.failures.values()))
        found = tuple(result.found[one] for one in identifiers if one in result.found)
        answers = dict.fromkeys([answer for _, answer in found] + list(result.absent.values()))
        return Returned(found, tuple(answers), len(found))

    return Question(key, way, what, ask)


def related_question(key: str, way: str, what: str, identifier: Identifier, limit: int) -> Question:
    """The papers a source calls related to one."""

    def ask(client: Client) -> Returned:
        records, answers = related_provider(key).related(client, identifier, limit)
        return listed(records[:limit], answers)

    return Question(key, way, what, ask)


def links_question(key: str, way: str, what: str, identifier: Identifier, limit: int) -> Question:
    """The papers that cite one ("citations"), or that it cites ("references")."""

    def ask(client: Client) -> Returned:
        provider = links_provider(key)
        linked = (provider.citations if way.startswith("citations") else provider.references)(client, identifier, limit)
        notes = [] if linked.known else [f"{source(key).label} does not have this paper."]
        if linked.unreadable:
            notes.append(f"{linked.unreadable:,} entries without a title are not used.")
        if linked.total is not None and linked.total > len(linked.records) > 0:
            notes.append(f"The first {len(linked.records):,} of {linked.total:,} were read.")
        back = listed(linked.records, linked.answer_ids)
        return Returned(back.records, back.answers, linked.total, tuple(notes))

    return Question(key, way, what, ask)


def passages_question(key: str, way: str, what: str, words: str, limit: int) -> Question:
    """Passages of papers that speak about the words."""

    def ask(client: Client) -> Returned:
        passages, answers = passages_provider(key).passages(client, words, limit=limit)
        return Returned(passages=tuple(passages), answers=tuple(answers), number=len(passages))

    return Question(key, way, what, ask)


def listed(records: Sequence[Record], answers: Sequence[int]) -> Returned:
    """Records that a source listed; the last answer is the one the records were read from."""
    if not answers:
        return Returned()
    return Returned(tuple((record, answers[-1]) for record in records), tuple(answers), len(records))

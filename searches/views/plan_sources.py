"""What a plan means at each source: the query sent, its losses, the limit, and what the source counted."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from litapp.core.plan import SearchPlan
from litapp.ledger.services.clients import SourceState, source_state
from litapp.providers.registry import QueryKind, Source, answering, search_sources
from litapp.providers.registry import source as source_of
from searches.models import PlanCount
from searches.services.caps import query_share, source_shares
from searches.services.costs import Cost, cost_at
from searches.services.counts import MANY
from searches.services.queries import QueryLine, notes_of, query_lines, taken_kind
from searches.views.marked_text import Segment, dropped_words

LOSS_WORDS = {
    "wider": "Finds more",
    "narrower": "Finds less",
    "lost": "Lost",
    "": "Note",
}
"""What a remark on a compiled query means for the reader."""


@dataclass(frozen=True, slots=True)
class Remark:
    """A remark on a query: `loss` is wider, narrower, lost or "" (information); `word` the loss in words."""

    text: str
    loss: str

    @property
    def word(self) -> str:
        return LOSS_WORDS.get(self.loss, self.loss)


@dataclass(frozen=True, slots=True)
class HitCount:
    """What a source counted. `total` None = it could not be asked (`error` says why), never 0.

    `answered` is the id of the PlanCount whose answer is archived; None = nothing came back.
    """

    total: int | None
    exact: bool
    error: str
    advice: str
    translation: str
    dropped: tuple[str, ...]
    marked: tuple[Segment, ...]
    remarks: tuple[Remark, ...]
    answered: int | None
    counted_at: datetime
    many: bool


@dataclass(frozen=True, slots=True)
class QueryAtSource:
    """One query of the plan as one source takes it. `text` "" = it cannot be sent there (`error` says why)."""

    number: int
    label: str
    text: str
    params: tuple[tuple[str, str], ...]
    remarks: tuple[Remark, ...]
    error: str
    limit: str
    count: HitCount | None
    boolean: bool = False

    @property
    def has_blocks(self) -> bool:
        """Its blocks are worth counting: nothing was found by a Boolean query, or more than anybody screens."""
        return self.boolean and self.count is not None and (self.count.total == 0 or self.count.many)


@dataclass(frozen=True, slots=True)
class PlanAtSource:
    """One source of the plan with its queries. `boolean` = it gets the plan's Boolean queries."""

    source: Source
    state: SourceState
    queries: tuple[QueryAtSource, ...]
    boolean: bool
    cost: Cost | None = None

    @property
    def kind(self) -> str:
        return "Boolean" if self.boolean else "By relevance"


@dataclass(frozen=True, slots=True)
class SourceChoice:
    """A source as it is offered in the plan's form."""

    source: Source
    state: SourceState

    @property
    def kind(self) -> str:
        return "Boolean" if self.source.query_kind is QueryKind.BOOLEAN else "By relevance"


def source_choices() -> list[SourceChoice]:
    """All sources that can be searched, with whether they can be used here. One query a source."""
    return [SourceChoice(source, source_state(answering(source.key))) for source in search_sources()]


def plan_at_sources(
    content: SearchPlan, counts: Iterable[PlanCount], *, user_id: int | None = None
) -> list[PlanAtSource]:
    """The plan source by source, in its order; unknown source keys are left out (`plan_problems` names them).

    `user_id` is who looks: what is left of a budget is told for the key that a run of this person uses.
    """
    known = {source.key: source for source in search_sources()}
    rows = list(counts)
    counted = {(row.source, row.query_index): row for row in rows}
    lines: dict[str, list[QueryLine]] = {}
    kept = [key for key in dict.fromkeys(content.sources) if key in known]
    kept_content = replace(content, sources=tuple(kept))
    for line in query_lines(kept_content):
        lines.setdefault(line.source, []).append(line)
    return [
        PlanAtSource(
            known[key],
            source_state(answering(key)),
            tuple(
                _query(
                    line,
                    limit_text(content, kept, key, place, len(lines[key])),
                    counted.get((key, line.index)),
                    boolean=taken_kind(content, key) is QueryKind.BOOLEAN,
                )
                for place, line in enumerate(lines.get(key, []))
            ),
            taken_kind(content, key) is QueryKind.BOOLEAN,
            cost_at(
                kept_content, key, {row.query_index: row.total for row in rows if row.source == key}, user_id=user_id
            ),
        )
        for key in kept
    ]


def limit_text(content: SearchPlan, sources: list[str], key: str, place: int, queries: int) -> str:
    """Most records of the query at `place` (of `queries`) at this source, and which limit says so; "" = none of ours.

    A limit of source or run is parted over the source's queries; what an earlier one leaves over is for the later.
    """
    share = source_shares(content.caps, sources)[key]
    records, limit = share.records, share.limit
    fetched = 0
    for number in range(place + 1):
        part = query_share(content.caps, share, fetched_before=fetched, queries_left=queries - number)
        records, limit = part.records, part.limit
        fetched += part.records or 0
    if records is None:
        return ""
    more = ", and what the queries before it leave over" if place and limit != "per query" else ""
    return f"At most {records:,} {'record' if records == 1 else 'records'}, by the limit {limit}{more}."


def _remarks(notes: Iterable[dict[str, str]]) -> tuple[Remark, ...]:
    return tuple(Remark(item.get("text", ""), item.get("loss", "") or "") for item in notes)


def _query(line: QueryLine, limit: str, row: PlanCount | None, *, boolean: bool) -> QueryAtSource:
    query = line.query
    remarks = _remarks(notes_of(query)) if query else ()
    return QueryAtSource(
        number=line.index + 1,
        label=line.label,
        text=query.text if query else "",
        params=query.params if query else (),
        remarks=remarks,
        error=line.error,
        limit=limit,
        count=_count(row, remarks) if row else None,
        boolean=boolean,
    )


def _count(row: PlanCount, known: tuple[Remark, ...]) -> HitCount:
    return HitCount(
        total=row.total,
        exact=row.exact,
        error=row.error,
        advice=_advice(row),
        translation=row.translation,
        dropped=tuple(row.dropped_words),
        marked=dropped_words(row.query_text, row.dropped_words) if row.dropped_words else (),
        remarks=tuple(remark for remark in _remarks(row.notes) if remark not in known),
        answered=row.pk if row.answer_id else None,
        counted_at=row.counted_at,
        many=row.exact and (row.total or 0) > MANY,
    )


def _advice(row: PlanCount) -> str:
    """What to do when a source has nothing."""
    if row.total != 0:
        return ""
    if source_of(row.source).query_kind is QueryKind.PLAIN:
        return (
            "This source has nothing with all of these words. Name fewer and more general ones in the query in plain "
            "words, or widen years, languages and publication types."
        )
    if row.dropped_words:
        return "Correct or remove the words that were left out: the rest of the query then counts."
    return (
        "Nothing matches all of it. Check the spelling of phrases and headings, take out one block joined by AND to "
        "see which one excludes everything, or widen years, languages and publication types."
    )

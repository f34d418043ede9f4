"""Asks each source how many records it has for a plan, before anything is fetched."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.db import connections

from litapp.core.plan import SearchPlan
from litapp.ledger.services.clients import client_for, source_state, user_client
from litapp.projects.services.events import record_event
from litapp.providers.base import Client, CompiledQuery, CountResult, SourceError
from litapp.providers.registry import answering, search_provider, source
from searches.models import PlanCount, SearchPlanVersion
from searches.services.plan_check import require_complete
from searches.services.queries import QueryLine, note, notes_of, query_lines

MANY = 20_000
"""More records than this in one source are a warning: nobody screens them, and few sources give them."""


@dataclass(frozen=True, slots=True)
class Counted:
    """What one source said of one query: a result, or why there is none."""

    line: QueryLine
    result: CountResult | None = None
    error: str = ""
    answer_id: int | None = None


def counts_refresh(*, version: SearchPlanVersion, actor: Any = None) -> list[PlanCount]:
    """Ask every source of the plan for its number of hits, all sources side by side, and keep what they said.

    A source that could not be asked gives a row without a total and with the reason: never a zero. Raises PlanError
    when the plan cannot be searched as it is. Must not be called within a transaction: it waits for the network.
    """
    content = version.plan_content
    require_complete(content)
    counted = count_lines(content, user_id=actor.pk if actor is not None else None)
    rows = PlanCount.objects.bulk_create(_row(version, item) for item in counted)
    if actor is not None:
        totals = [{"source": row.source, "query": row.query_index, "total": row.total} for row in rows]
        record_event(
            project=version.plan.project,
            actor=actor,
            verb="plan.counted",
            subject=f"plan_version:{version.pk}",
            payload={"content_hash": version.content_hash, "counts": totals},
        )
    return rows


def count_lines(content: SearchPlan, *, user_id: int | None = None) -> list[Counted]:
    """Count every query line; one thread a source, so that a slow one holds up nobody else. With the user's own keys,
    where there are any."""
    by_source: dict[str, list[QueryLine]] = {}
    for line in query_lines(content):
        by_source.setdefault(line.source, []).append(line)
    if not by_source:
        return []
    with ThreadPoolExecutor(max_workers=len(by_source), thread_name_prefix="count") as pool:
        own = {key: client for key in by_source if (client := user_client(answering(key), user_id)) is not None}
        parts = pool.map(partial(_count_in_thread, own=own), by_source.values())
        return [item for part in parts for item in part]


def _count_in_thread(lines: Sequence[QueryLine], own: Mapping[str, Client]) -> list[Counted]:
    """The lines of one source; `own` holds the clients with keys of the user's own."""
    try:
        return [_count(line, own) for line in lines]
    finally:
        connections.close_all()


def _count(line: QueryLine, own: Mapping[str, Client] | None = None) -> Counted:
    if line.query is None:
        return Counted(line, error=line.error)
    state = source_state(answering(line.source))
    if not state.usable:
        return Counted(line, error=f"{state.reason} {state.hint}".strip())
    try:
        client = (own or {}).get(line.source) or client_for(answering(line.source))
        result = search_provider(line.source).count(client, line.query)
    except SourceError as error:
        return Counted(line, error=f"{error.message} {error.hint}".strip(), answer_id=error.answer_id)
    return Counted(line, result, answer_id=result.answer_id)


def _row(version: SearchPlanVersion, item: Counted) -> PlanCount:
    query, result = item.line.query, item.result
    notes = notes_of(query) if query else []
    if result:
        notes += [note(text) for text in result.warnings]
        if warning := many_warning(item.line.source, result, query):
            notes.append(note(warning))
    return PlanCount(
        version=version,
        content_hash=version.content_hash,
        source=item.line.source,
        query_index=item.line.index,
        query_text=query.text if query else "",
        total=result.total if result else None,
        exact=result.exact if result else True,
        translation=result.translation if result else "",
        dropped_words=list(result.dropped_words) if result else [],
        notes=notes,
        error=item.error,
        answer_id=item.answer_id,
    )


def many_warning(key: str, result: CountResult, query: CompiledQuery | None) -> str:
    """A sentence for a number of hits that nobody can screen; "" for a usual one, or one that is no count."""
    if not result.exact or result.total <= MANY:
        return ""
    return (
        f"{source(key).label} reports {result.total:,} records. That is more than a team can screen, and more than "
        "most sources give out. Narrow the query (more blocks joined by AND, years, publication types) or set a limit."
    )

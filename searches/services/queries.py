"""The queries of a plan as each source takes them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from litapp.core.plan import SearchPlan
from litapp.providers.base import CompiledQuery, SourceError
from litapp.providers.registry import QueryKind, search_provider, source


@dataclass(frozen=True, slots=True)
class QueryLine:
    """Query number `index` (from 0) of the plan at one source: compiled, or why it cannot be."""

    source: str
    index: int
    label: str
    query: CompiledQuery | None
    error: str = ""


def taken_kind(content: SearchPlan, key: str) -> QueryKind:
    """Which query of the plan `key` gets: its own kind; a source of plain words that also takes Boolean queries gets
    those where the plan says so, or has no plain words at all."""
    entry = source(key)
    if entry.query_kind is QueryKind.BOOLEAN or not entry.takes_boolean:
        return entry.query_kind
    without_words = not any(query.plain.strip() for query in content.queries)
    return QueryKind.BOOLEAN if key in content.boolean_at or without_words else QueryKind.PLAIN


def query_lines(content: SearchPlan) -> list[QueryLine]:
    """Every (source, query) of the plan, sources in the plan's order.

    A query without text of the kind that a source takes is not meant for that source and gives no line.
    """
    lines = []
    for key in content.sources:
        wanted = taken_kind(content, key)
        for index, whole in enumerate(content.queries):
            if not getattr(whole, wanted.value).strip():
                continue
            query = replace(whole, plain="") if wanted is QueryKind.BOOLEAN else whole
            try:
                compiled = search_provider(key).compile(query, content.filters)
            except SourceError as error:
                lines.append(QueryLine(key, index, query.label, None, f"{error.message} {error.hint}".strip()))
            else:
                lines.append(QueryLine(key, index, query.label, compiled))
    return lines


IN_PLACE_OF = "in_place_of"
"""Key of the remark by which a stored step says that it is asked in place of another source, whose key is the value."""


def stands_in_for(notes: Iterable[Mapping[str, Any]]) -> str:
    """The source in whose place a step with these remarks is asked; "" for a search of the plan itself."""
    return next((str(item[IN_PLACE_OF]) for item in notes if item.get(IN_PLACE_OF)), "")


def note(text: str, loss: str = "") -> dict[str, str]:
    """A remark on a query, as it is stored: {text, loss}; `loss` is wider, narrower, lost, or "" for information."""
    return {"text": text, "loss": loss}


def notes_of(query: CompiledQuery) -> list[dict[str, str]]:
    """The remarks of a compiled query, as they are stored."""
    return [note(item.text, item.loss.value if item.loss else "") for item in query.notes]


def compiled_query(source_key: str, text: str, params: list[Any]) -> CompiledQuery:
    """A compiled query back from what a step stored."""
    return CompiledQuery(source_key, text, tuple((str(name), str(value)) for name, value in params))

"""Carries a repair of the linter out in a draft, and takes it back."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from django.db import transaction

from searches.models import SearchPlanVersion
from searches.services.hits import Number, pubmed_hits
from searches.services.plans import plan_save
from searches.services.query_check import RepairGone, one_line_end, repair_of, undone


@dataclass(frozen=True, slots=True)
class Repaired:
    """The draft after the repair, and what takes it back: `written` stands at `start` in place of `was`."""

    version: SearchPlanVersion
    start: int
    written: str
    was: str


@dataclass(frozen=True, slots=True)
class BeforeAfter:
    """Hits of a query in PubMed without limits, as it is and as a change would make it."""

    before: Number
    after: Number


@transaction.atomic
def plan_repair(
    *, version: SearchPlanVersion, actor: Any, query_index: int, code: str, start: int, end: int
) -> Repaired:
    """The draft with one repair made in a query. Raises RepairGone, PlanFrozen, StaleDraft."""
    text = _query(version, query_index)
    fix = repair_of(text, code, start, end)
    edited, undo = fix.apply(text)
    saved = _saved(version, actor, query_index, edited)
    return Repaired(saved, undo.start, fix.replacement, undo.replacement)


@transaction.atomic
def plan_repair_undo(
    *, version: SearchPlanVersion, actor: Any, query_index: int, start: int, written: str, was: str
) -> SearchPlanVersion:
    """The draft as it was before the repair. Raises RepairGone, PlanFrozen, StaleDraft."""
    text = undone(_query(version, query_index), start, written, was)
    return _saved(version, actor, query_index, text)


def repair_hits(*, text: str, code: str, start: int, end: int, user_id: int | None = None) -> BeforeAfter:
    """Ask PubMed for the hits of a query before and after its repair. Network. Raises RepairGone."""
    edited, _ = repair_of(text, code, start, end).apply(text)
    before, after = pubmed_hits([text, edited], user_id=user_id)
    return BeforeAfter(before, after)


def _query(version: SearchPlanVersion, index: int) -> str:
    queries = version.plan_content.queries
    if not 0 <= index < len(queries):
        raise RepairGone
    return one_line_end(queries[index].boolean)


def _saved(version: SearchPlanVersion, actor: Any, index: int, text: str) -> SearchPlanVersion:
    content = version.plan_content
    queries = tuple(
        replace(query, boolean=text) if place == index else query for place, query in enumerate(content.queries)
    )
    return plan_save(version=version, actor=actor, content=replace(content, queries=queries), revision=version.revision)

"""Counts the parts of a query in PubMed (whole, blocks, the query without each, terms) and keeps the numbers."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

from litapp.core.querylang import QuerySyntaxError, parse
from litapp.core.querylang.blocks import block_variants
from litapp.core.querylang.editing import grid_of
from litapp.core.querylang.scope_guard import BlockHits, ScopeAdvice, scope_advice
from searches.models import SearchPlan, SearchPlanVersion
from searches.models_plans import PartCount
from searches.services.hits import pubmed_hits

MOST_AT_ONCE = 60
"""Parts counted by one press; PubMed takes three questions a second without a key."""


@dataclass(frozen=True, slots=True)
class PartsCounted:
    """How many parts were counted, how many could not be, and how many are left for the next press."""

    counted: int
    failed: int
    left: int


def parts_of(text: str) -> tuple[str, ...]:
    """The parts of a query as PubMed queries, those that matter most first: whole, blocks, without each, terms."""
    try:
        variants = block_variants(parse(text))
    except QuerySyntaxError:
        return ()
    terms = [term for block in grid_of(text) for term in block.terms]
    parts = [whole(text), *(one.alone for one in variants), *(one.without for one in variants if one.without), *terms]
    return tuple(dict.fromkeys(parts))


def whole(text: str) -> str:
    """The query as its count is kept: with single spaces."""
    return " ".join(text.split())


def parts_count(*, version: SearchPlanVersion, query_index: int, user_id: int | None = None) -> PartsCounted:
    """Ask PubMed for the hits of the parts of a query, without the plan's limits: those without a number first, then
    those with the oldest. Network, outside transactions; what was counted before a failure is kept."""
    queries = version.plan_content.queries
    if not 0 <= query_index < len(queries):
        return PartsCounted(0, 0, 0)
    parts = parts_of(queries[query_index].boolean)
    known = newest_counts(version.plan_id, parts)
    waiting = [part for part in parts if part not in known or known[part].total is None]
    wanted = waiting or sorted(parts, key=lambda part: known[part].counted_at)
    chosen = wanted[:MOST_AT_ONCE]
    numbers = pubmed_hits(chosen, user_id=user_id)
    PartCount.objects.bulk_create(
        PartCount(
            plan_id=version.plan_id,
            text=part,
            text_hash=_hash(part),
            total=number.total,
            error=number.error,
            answer_id=number.answer_id,
        )
        for part, number in zip(chosen, numbers, strict=True)
    )
    failed = sum(number.total is None for number in numbers)
    return PartsCounted(len(chosen) - failed, failed, len(waiting) - len(chosen) if waiting else 0)


def newest_counts(plan: SearchPlan | int, parts: Iterable[str]) -> dict[str, PartCount]:
    """Part -> its newest count; one that could not be had stands only where there is no number at all."""
    by_hash = {_hash(part): part for part in parts}
    found: dict[str, PartCount] = {}
    for row in PartCount.objects.filter(plan=plan, text_hash__in=by_hash).order_by("counted_at", "pk"):
        part = by_hash[row.text_hash]
        if row.total is not None or part not in found:
            found[part] = row
    return found


def advice_of(text: str, counts: dict[str, PartCount]) -> ScopeAdvice | None:
    """What to ask about a query that finds more than can be screened; None if it does not, or was not counted."""
    total = counts.get(whole(text))
    if total is None or total.total is None:
        return None
    try:
        variants = block_variants(parse(text))
    except QuerySyntaxError:
        return None
    blocks = []
    for block, variant in zip(grid_of(text), variants, strict=True):
        alone, left = counts.get(variant.alone), counts.get(variant.without)
        if alone is None or alone.total is None:
            return None
        blocks.append(BlockHits(block.label, alone.total, left.total if left else None))
    return scope_advice(blocks, total.total)


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()

"""Counts a query without each of its blocks, so that a person sees which one excludes everything, or nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.db import transaction

from litapp.core.plan import PlanQuery
from litapp.core.querylang import QuerySyntaxError, parse
from litapp.core.querylang.blocks import BlockVariants, block_variants
from litapp.ledger.services.clients import client_for, source_state, user_client
from litapp.providers.base import Client, SourceError
from litapp.providers.registry import QueryKind, answering, search_provider, source
from searches.models import SearchPlanVersion
from searches.services.hits import Number
from searches.services.plans import plan_new_version, plan_save
from searches.services.queries import taken_kind

MOST_BLOCKS = 10
"""Blocks of one query that are counted; each takes up to three requests."""
DROP, BROADEN = "drop", "broaden"


class NoBlocks(Exception):
    """The blocks of this query cannot be counted or changed. The message says why, and what can be done."""


@dataclass(frozen=True, slots=True)
class BlockCount:
    """One block: hits of it `alone`, of the query `without` it and with a `broader` form (None = there is none)."""

    variants: BlockVariants
    alone: Number
    without: Number | None
    broader: Number | None
    advice: str = ""


@dataclass(frozen=True, slots=True)
class BlockReport:
    """The blocks of query `query_index` (from 0) at one source; `total` = hits of the whole query."""

    source: str
    query_index: int
    total: Number
    blocks: tuple[BlockCount, ...]
    not_counted: int = 0


def blocks_count(
    *, version: SearchPlanVersion, source_key: str, query_index: int, user_id: int | None = None
) -> BlockReport:
    """Ask one source of the plan for the hits of every block. Network; nothing is fetched, nothing of the plan changes.

    Raises NoBlocks where there is nothing to count.
    """
    content = version.plan_content
    variants = _variants(version, source_key, query_index)
    label = source(source_key).label
    state = source_state(answering(source_key))
    if not state.usable:
        raise NoBlocks(f"{label} cannot be asked. {state.reason} {state.hint}".strip())
    asked = answering(source_key)
    client: Client = user_client(asked, user_id) or client_for(asked)

    def number(boolean: str) -> Number:
        try:
            query = search_provider(source_key).compile(PlanQuery(boolean=boolean), content.filters)
            return Number(search_provider(source_key).count(client, query).total)
        except SourceError as error:
            return Number(None, f"{error.message} {error.hint}".strip())

    total = number(content.queries[query_index].boolean)
    counted = [
        BlockCount(
            one,
            number(one.alone),
            number(one.without) if one.without else None,
            number(one.broader) if one.broader else None,
        )
        for one in variants[:MOST_BLOCKS]
    ]
    return BlockReport(source_key, query_index, total, advised(total.total, counted), len(variants) - len(counted))


def advised(total: int | None, blocks: Sequence[BlockCount]) -> tuple[BlockCount, ...]:
    """The blocks, each with a sentence where it explains a search without hits, or one with too many. Pure."""
    rest = [block.without.total for block in blocks if block.without and block.without.total is not None]
    return tuple(replace(block, advice=_advice(total, block, rest)) for block in blocks)


def _advice(total: int | None, block: BlockCount, rest: Sequence[int]) -> str:
    without = block.without.total if block.without else None
    if total is None:
        return ""
    if total == 0:
        if block.alone.total == 0:
            return "This block finds nothing by itself: check its spelling, broaden it, or take it out."
        if without and without == max(rest):
            return f"Taking this block out helps most: {without:,} records."
        return ""
    if without is not None and len(rest) > 1 and without == min(rest):
        gain = f"{total:,} in place of {without:,} records"
        return f"The widest block: it narrows the search least ({gain}). Make it narrower, or add a block."
    return ""


@transaction.atomic
def block_change(
    *, version: SearchPlanVersion, actor: Any, query_index: int, number: int, change: str
) -> SearchPlanVersion:
    """A draft in which block `number` (from 1) of the query is taken out (DROP) or broader (BROADEN).

    Nothing runs: the draft is read, approved and run by people. Raises NoBlocks where the block cannot be changed so,
    or the plan has another draft, which is left as it is.
    """
    one = next((v for v in _variants(version, "", query_index) if v.number == number), None)
    text = (one.without if change == DROP else one.broader) if one else ""
    if not text or change not in (DROP, BROADEN):
        raise NoBlocks("This block cannot be changed in that way. Edit the query by hand.")
    draft = version if not version.is_frozen else plan_new_version(version=version, actor=actor)
    if draft.content_hash != version.content_hash:
        raise NoBlocks(f"The plan has an open draft, version {draft.number}; nothing was changed. Edit that one.")
    content = draft.plan_content
    changed = tuple(
        replace(query, boolean=text) if index == query_index else query for index, query in enumerate(content.queries)
    )
    return plan_save(version=draft, actor=actor, content=replace(content, queries=changed), revision=draft.revision)


def _variants(version: SearchPlanVersion, source_key: str, query_index: int) -> tuple[BlockVariants, ...]:
    """The blocks of a query; with a source, only where that one gets the Boolean query."""
    content = version.plan_content
    if not 0 <= query_index < len(content.queries) or (source_key and source_key not in content.sources):
        raise NoBlocks("The plan has no such query.")
    boolean = content.queries[query_index].boolean
    if not boolean.strip() or (source_key and taken_kind(content, source_key) is not QueryKind.BOOLEAN):
        raise NoBlocks("Only a Boolean query has blocks; in a query in plain words, name fewer words.")
    try:
        return block_variants(parse(boolean))
    except QuerySyntaxError as error:
        raise NoBlocks(f"The query cannot be read: {error.message} {error.hint}".strip()) from error

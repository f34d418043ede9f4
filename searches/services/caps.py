"""Shares the plan's limits out over sources and queries. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from litapp.core.plan import Caps

NO_LIMIT = 1_000_000_000
"""Records asked for where the plan sets no limit."""


@dataclass(frozen=True, slots=True)
class Share:
    """Most records of one query at one source, and the limit of the plan it comes from ("" = none)."""

    records: int | None
    limit: str = ""


def source_shares(caps: Caps, sources: Sequence[str]) -> dict[str, Share]:
    """Most records of each source: its own limit, or its part of the run's limit if that is smaller.

    The run's limit is parted evenly over the sources; what remains of the division goes to the first ones. So the same
    plan always fetches the same records, whichever source answers first.
    """
    shares: dict[str, Share] = {}
    for place, key in enumerate(sources):
        share = Share(caps.per_source, "per source") if caps.per_source is not None else Share(None)
        if caps.per_run is not None:
            part = caps.per_run // len(sources) + (1 if place < caps.per_run % len(sources) else 0)
            if share.records is None or part < share.records:
                share = Share(part, "for the whole run")
        shares[key] = share
    return shares


def query_share(caps: Caps, share: Share, *, fetched_before: int, queries_left: int) -> Share:
    """Most records of the next query of a source: an even part of what the source may still give.

    `fetched_before` = records its earlier queries gave; `queries_left` counts this one. What an earlier query left over
    is there for the later ones.
    """
    best = Share(caps.per_query, "per query") if caps.per_query is not None else Share(None)
    if share.records is not None:
        left = max(0, share.records - fetched_before)
        part = -(-left // max(1, queries_left))
        if best.records is None or part < best.records:
            best = Share(part, share.limit)
    return best


def cut_sentence(label: str, share: Share, reported: int | None, *, exact: bool) -> str:
    """Says that the plan's limit cut this query's records."""
    of = f" of the {reported:,} that {label} reports" if reported is not None and exact else ""
    if share.records == 0:
        return f"Nothing was fetched{of}: the limit {share.limit} leaves no records for this query."
    return f"Cut at {share.records:,} records{of} by the limit {share.limit}."

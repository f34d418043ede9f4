"""What a plan will cost at a source that counts units (OpenAlex: credits a day), and what is left of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from litapp.core.plan import SearchPlan
from litapp.core.ports import Budget
from litapp.ledger.services.clients import budget_left
from litapp.providers.base import Metered
from litapp.providers.registry import provider, source
from searches.services.caps import query_share, source_shares
from searches.services.queries import QueryLine, query_lines


@dataclass(frozen=True, slots=True)
class Cost:
    """Units that a run of the plan takes at one source. `expected` None = not known before the hits are counted;
    `at_most` = it may be less. `left` None = the source has not said today."""

    unit: str
    expected: int | None
    at_most: bool
    left: Budget | None

    @property
    def short(self) -> bool:
        """More than is left: the run will have to wait."""
        return self.left is not None and self.expected is not None and self.expected > self.left.left

    @property
    def sentence(self) -> str:
        """Cost and rest in words."""
        if self.expected is None:
            told = f"What a run costs here in {self.unit} is known once the hits are counted."
        else:
            about = "at most" if self.at_most else "about"
            told = f"A run costs {about} {self.expected:,} {self.unit} here."
        if self.left is None:
            return f"{told} How many are left is known after the first answer of the day."
        of = f" of {self.left.of:,.0f}" if self.left.of else ""
        told = f"{told} {self.left.left:,.0f}{of} are left until {self.left.until:%H:%M} UTC."
        if self.short:
            told = f"{told} That is not enough: the run waits until then and goes on by itself."
        return told


def plan_cost(
    content: SearchPlan, key: str, lines: Sequence[QueryLine], totals: Mapping[int, int | None]
) -> tuple[int | None, bool]:
    """Units for all queries of the plan at `key`, and whether it may be less. Pure.

    `totals` maps a query's number to the records counted (None or missing = not counted). A query without a count costs
    what its limit allows, or cannot be told (None). `lines` are the plan's queries there.
    """
    entry = provider(key)
    wanted = [line for line in lines if line.query is not None]
    if not isinstance(entry, Metered) or not wanted:
        return None, False
    share = source_shares(content.caps, content.sources)[key]
    exact, cost, fetched, at_most = source(key).counts_exactly, 0, 0, False
    for place, line in enumerate(wanted):
        most = query_share(content.caps, share, fetched_before=fetched, queries_left=len(wanted) - place).records
        total = totals.get(line.index) if exact else None
        if total is None and most is None:
            return None, False
        at_most = at_most or total is None
        records = min(number for number in (total, most) if number is not None)
        cost += entry.search_cost(records)
        fetched += records
    return cost, at_most


def cost_at(
    content: SearchPlan, key: str, totals: Mapping[int, int | None], *, user_id: int | None = None
) -> Cost | None:
    """Cost and rest at `key`, with this user's own key if there is one; None for a source that counts no units."""
    entry = provider(key)
    if not isinstance(entry, Metered):
        return None
    lines = [line for line in query_lines(content) if line.source == key]
    expected, at_most = plan_cost(content, key, lines, totals)
    return Cost(entry.unit, expected, at_most, budget_left(key, user_id))

"""Figures with their interval; what cannot be said is "—"."""

from __future__ import annotations

from django import template

from litapp.core.agreement import Estimate

register = template.Library()


@register.filter
def interval(estimate: Estimate | None) -> str:
    """ "0.68 (0.50 to 0.85)" """
    if estimate is None:
        return "—"
    return f"{estimate.value:.2f} ({estimate.low:.2f} to {estimate.high:.2f})"


@register.filter
def percent_interval(estimate: Estimate | None) -> str:
    """ "85 % (77 to 91)" """
    if estimate is None:
        return "—"
    return f"{estimate.value:.0%} ({100 * estimate.low:.0f} to {100 * estimate.high:.0f})".replace(
        "%", "\N{NO-BREAK SPACE}%"
    )

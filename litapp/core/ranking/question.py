"""What a plan says of the papers that are wanted, as texts to rank by before any label."""

from __future__ import annotations

from litapp.core.plan import SearchPlan
from litapp.core.querylang.parser import parse
from litapp.core.querylang.tokens import QuerySyntaxError
from litapp.core.querylang.words import query_blocks, query_terms


def question_parts(plan: SearchPlan) -> tuple[str, ...]:
    """The question, the eligibility criteria (PICO), and for each query the words of its blocks (of those behind NOT
    none). Reasons to exclude are not read: their words would raise what they are meant to lower.

    Each text once, in order. A query that cannot be read gives nothing.
    """
    pico = plan.pico
    parts = [plan.question, pico.population, pico.intervention, pico.comparison, pico.outcome]
    for query in plan.queries:
        parts += _blocks(query.boolean) if query.boolean.strip() else [query.plain]
    return tuple(dict.fromkeys(part.strip() for part in parts if part.strip()))


def _blocks(text: str) -> list[str]:
    try:
        blocks = query_blocks(parse(text))
    except QuerySyntaxError:
        return []
    return [" ".join(term.text.replace("*", "") for term in query_terms(block)) for block in blocks]

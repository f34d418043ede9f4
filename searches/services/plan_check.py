"""Says what is missing or wrong in a plan, in plain sentences."""

from __future__ import annotations

from datetime import date
from typing import Any

from litapp.core.plan import PlanError, SearchPlan, plan_from_dict
from litapp.core.querylang import Severity
from litapp.providers.registry import QueryKind, search_keys, source, source_keys
from searches.services.queries import taken_kind
from searches.services.query_check import check_plan_query

MOST_BOOLEAN = 20_000
"""Characters. Longer Boolean queries than any we collected by a factor of two; PubMed takes them by POST."""
MOST_PLAIN = 1_000
"""Characters of a plain-language query: the semantic sources refuse or cut longer ones."""
MOST_QUERIES = 50
"""Queries of a plan. A query file may have 25 (setting)."""
FIRST_YEAR = 1500
CAP_NAMES = {"per_query": "per query", "per_source": "per source", "per_run": "for the whole run"}


def plan_problems(content: SearchPlan | dict[str, Any]) -> dict[str, str]:
    """Field name -> one sentence; {} = the plan can be approved.

    Keys: question, sources, queries, queries.<index>.boolean, queries.<index>.plain, filters.years, caps.<name>, plan.
    """
    if isinstance(content, dict):
        try:
            content = plan_from_dict(content)
        except PlanError as error:
            return dict(error.problems)
    problems: dict[str, str] = {}
    if not content.question:
        problems["question"] = "Write the question this search is to answer."
    problems |= _source_problems(content)
    problems |= _query_problems(content)
    problems |= _filter_problems(content)
    for name, words in CAP_NAMES.items():
        value = getattr(content.caps, name)
        if value is not None and (not _is_number(value) or value < 1):
            problems[f"caps.{name}"] = f"The most records {words} must be a whole number above 0 (or empty)."
    return problems


def require_complete(content: SearchPlan) -> None:
    """Raises PlanError unless `plan_problems` finds nothing."""
    problems = plan_problems(content)
    if problems:
        raise PlanError(problems)


def _is_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _kinds(content: SearchPlan) -> set[QueryKind]:
    return {taken_kind(content, key) for key in content.sources if key in search_keys()}


def _source_problems(content: SearchPlan) -> dict[str, str]:
    if not content.sources:
        return {"sources": "Choose at least one source to search."}
    unknown = [key for key in content.sources if key not in source_keys()]
    if unknown:
        return {"sources": f"LitLedger does not know the source {', '.join(unknown)}. Take it out of the plan."}
    mute = [source(key).label for key in content.sources if key not in search_keys()]
    if mute:
        return {
            "sources": f"{' and '.join(mute)} cannot be searched, only looked things up in. Take it out of the plan."
        }
    if len(set(content.sources)) != len(content.sources):
        return {"sources": "A source is named twice; name each once."}
    return {}


def _query_problems(content: SearchPlan) -> dict[str, str]:
    if not content.queries:
        return {"queries": "Write at least one query."}
    if len(content.queries) > MOST_QUERIES:
        return {"queries": f"A plan has at most {MOST_QUERIES} queries; this one has {len(content.queries)}."}
    problems: dict[str, str] = {}
    kinds = _kinds(content)
    for index, query in enumerate(content.queries):
        boolean, plain = f"queries.{index}.boolean", f"queries.{index}.plain"
        if not query.boolean.strip() and not query.plain.strip():
            problems[boolean if QueryKind.BOOLEAN in kinds or not kinds else plain] = (
                "This query is empty. Write what to search for, or delete the line."
            )
        if query.boolean.strip() and (sentence := boolean_problem(query.boolean)):
            problems[boolean] = sentence
        if sentence := plain_problem(query.plain):
            problems[plain] = sentence
    wanted = {QueryKind.BOOLEAN: "boolean", QueryKind.PLAIN: "plain"}
    for kind in sorted(kinds, key=lambda kind: kind.value):
        if not any(getattr(query, wanted[kind]).strip() for query in content.queries):
            problems.setdefault(f"queries.0.{wanted[kind]}", _missing_kind(content, kind))
    return problems


def _missing_kind(content: SearchPlan, kind: QueryKind) -> str:
    names = [source(key).label for key in content.sources if taken_kind(content, key) is kind]
    what = "a Boolean query" if kind is QueryKind.BOOLEAN else "a plain-language query"
    verb = "needs" if len(names) == 1 else "need"
    return f"{' and '.join(names)} {verb} {what}. Write one, or leave the source out."


def plain_problem(text: str) -> str:
    """Why the sources do not take these plain words; "" when they do."""
    if len(text) <= MOST_PLAIN:
        return ""
    return (
        f"The plain-language query has {len(text):,} characters; at most {MOST_PLAIN:,} are taken. "
        "Name the essential words only."
    )


def boolean_problem(text: str) -> str:
    """The first thing that keeps the query from running, with its place and what to do; "" when it can run."""
    if len(text) > MOST_BOOLEAN:
        return (
            f"The query has {len(text):,} characters; at most {MOST_BOOLEAN:,} are taken. "
            "Split it into several queries, or truncate word families with *."
        )
    for finding in check_plan_query(text):
        if finding.severity is Severity.ERROR:
            place = text[finding.start : finding.end].strip()
            near = f" (at character {finding.start + 1}: {place[:40]})" if place else ""
            return f"{finding.message}{near} {finding.hint}".strip()
    return ""


def _filter_problems(content: SearchPlan) -> dict[str, str]:
    low, high = content.filters.year_from, content.filters.year_to
    latest = date.today().year + 1
    for year in (low, high):
        if year is not None and (not _is_number(year) or not FIRST_YEAR <= year <= latest):
            return {"filters.years": f"A year must lie between {FIRST_YEAR} and {latest}; {year} does not."}
    if low is not None and high is not None and low > high:
        return {"filters.years": f"The first year ({low}) is later than the last ({high}). Exchange them."}
    return {}

"""A plan's PubMed query in the syntax of other databases, with every change labelled and what to do there."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from litapp.core.plan import SearchPlan
from litapp.core.querylang import QuerySyntaxError, leaves
from litapp.core.querylang.adapted import DEFAULT, Options
from litapp.core.querylang.database_steps import STEPS, DatabaseSteps
from litapp.core.querylang.dialects import Dialect
from litapp.core.querylang.strategy import Strategy, read_strategy
from litapp.core.querylang.translating import translate_strategy
from litapp.core.querylang.translation import Change, Meaning
from litapp.providers.base import SourceError
from litapp.providers.registry import search_provider
from searches.forms import LANGUAGES
from searches.models import SearchPlanVersion
from searches.models_plans import FrozenString

MOST_TERMS = 300
"""Terms of a query up to which the strings of all databases are made at once; with more the page would have to wait."""


class NoString(Exception):
    """The query cannot be translated. The message says why."""


@dataclass(frozen=True, slots=True)
class ChangeShown:
    """Changes of one kind with one reason, and the parts of the query that they hit."""

    meaning: Meaning
    why: str
    parts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DatabaseString:
    """The string for one database. `exact` = parts of the query that are said there exactly as in PubMed.

    `proved`: it was read back and has the tree of the original, but for what is listed as lost. `frozen_at` = when it
    was approved so (None = made just now).
    """

    steps: DatabaseSteps
    text: str
    summary: str
    proved: bool
    changes: tuple[ChangeShown, ...]
    exact: int
    methods_text: str
    frozen_at: datetime | None = None


def database_strings(
    content: SearchPlan, query_index: int, options: Options = DEFAULT, *, only: str = ""
) -> list[DatabaseString]:
    """The query with the plan's limits for every database, or for the one called `only`.

    A query of more than MOST_TERMS terms is made for one database at a time (the first, without `only`). Raises
    NoString where it cannot be read.
    """
    text = sent_to_pubmed(content, query_index)
    strategy = read_strategy(text, Dialect.PUBMED)
    if strategy.faults:
        fault = strategy.faults[0]
        raise NoString(f"The query cannot be read, so it is not translated. {fault.message} {fault.hint}".strip())
    number = sum(1 for line in strategy.lines if line.tree is not None for _ in leaves(line.tree))
    chosen = [dialect for dialect in STEPS if dialect.value == only] or list(STEPS)
    return [_string(strategy, dialect, number, options) for dialect in (chosen if number <= MOST_TERMS else chosen[:1])]


def _string(strategy: Strategy, dialect: Dialect, number: int, options: Options) -> DatabaseString:
    try:
        translation = translate_strategy(strategy, dialect, options)
    except QuerySyntaxError as error:
        raise NoString(f"The query cannot be read, so it is not translated. {error.message}") from error
    changed = {change.span for change in translation.changes if change.original}
    exact = max(0, number - len(changed))
    return DatabaseString(
        STEPS[dialect],
        translation.text,
        translation.summary,
        translation.proved,
        grouped_changes(translation.changes),
        exact,
        translation.methods_text,
    )


def strings_frozen(version: SearchPlanVersion, query_index: int) -> list[DatabaseString]:
    """The strings of a query as approved; [] for a draft, and for versions approved before strings were kept."""
    return [
        DatabaseString(
            STEPS[Dialect(row.database)],
            row.text,
            row.summary,
            row.proved,
            tuple(
                ChangeShown(Meaning(change["meaning"]), change["why"], tuple(change["parts"])) for change in row.changes
            ),
            row.exact,
            row.methods_text,
            row.frozen_at,
        )
        for row in version.frozen_strings.filter(query_index=query_index)
    ]


def strings_to_freeze(version: SearchPlanVersion) -> list[FrozenString]:
    """Rows for every query and database of a version that is about to be approved; not saved yet. Pure computing."""
    rows = []
    for index, query in enumerate(version.plan_content.queries):
        if not query.boolean.strip():
            continue
        for dialect in STEPS:
            try:
                [made] = database_strings(version.plan_content, index, only=dialect.value)
            except NoString:
                break
            rows.append(
                FrozenString(
                    version=version,
                    query_index=index,
                    database=dialect.value,
                    text=made.text,
                    summary=made.summary,
                    proved=made.proved,
                    exact=made.exact,
                    changes=[
                        {"meaning": change.meaning.value, "why": change.why, "parts": list(change.parts)}
                        for change in made.changes
                    ],
                    methods_text=made.methods_text,
                )
            )
    return rows


def sent_to_pubmed(content: SearchPlan, query_index: int) -> str:
    """The query as PubMed gets it, the plan's limits in it, languages by name (other databases have no codes for them).

    Raises NoString.
    """
    if not 0 <= query_index < len(content.queries) or not content.queries[query_index].boolean.strip():
        raise NoString("This plan has no PubMed query yet: write one, and its strings for other databases stand here.")
    query = replace(content.queries[query_index], plain="")
    names = tuple(LANGUAGES.get(code, code).casefold() for code in content.filters.languages)
    try:
        return search_provider("pubmed").compile(query, replace(content.filters, languages=names)).text
    except SourceError as error:
        raise NoString(f"{error.message} {error.hint}".strip()) from error


def grouped_changes(changes: Iterable[Change]) -> tuple[ChangeShown, ...]:
    """Changes with the same label and reason together, lost ones first."""
    order = (Meaning.LOST, Meaning.CHECK, Meaning.NARROWER, Meaning.WIDER, Meaning.EXACT)
    found: dict[tuple[Meaning, str], list[str]] = {}
    for change in changes:
        found.setdefault((change.meaning, change.why), []).append(change.original)
    shown = [
        ChangeShown(meaning, why, tuple(dict.fromkeys(part for part in parts if part)))
        for (meaning, why), parts in found.items()
    ]
    return tuple(sorted(shown, key=lambda change: order.index(change.meaning)))


def losses_text(strings: Iterable[DatabaseString]) -> str:
    """What was lost anywhere, as sentences for the methods section; "" if nothing was."""
    return " ".join(text for one in strings if (text := one.methods_text))

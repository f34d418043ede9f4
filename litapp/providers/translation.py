"""A plan's Boolean query for sources with a syntax of their own: translated, every change of meaning as a note."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from litapp.core.ports import Outcome
from litapp.core.querylang import Node, QuerySyntaxError, parse
from litapp.core.querylang.translation import Change, Meaning, Translation
from litapp.providers.base import Loss, QueryNote, SourceError

_LOSSES = {Meaning.WIDER: Loss.WIDER, Meaning.NARROWER: Loss.NARROWER, Meaning.LOST: Loss.LOST}
_SHOWN = 6
"""Terms named in one note; a strategy has hundreds that change in the same way."""


def translated(
    source: str, label: str, boolean: str, translate: Callable[[Node], Translation]
) -> tuple[str, tuple[QueryNote, ...]]:
    """The query in the source's syntax, and what changed.

    Raises SourceError (PERMANENT) for a query that cannot be read, or of which nothing can be said at the source.
    """
    try:
        tree = parse(boolean)
    except QuerySyntaxError as error:
        raise SourceError(
            source, Outcome.PERMANENT, error.message, hint=error.hint or "Correct the query.", code="unreadable_query"
        ) from error
    translation = translate(tree)
    if not translation.text:
        raise SourceError(
            source,
            Outcome.PERMANENT,
            f"Nothing of this query can be asked at {label}.",
            hint=f"Search with words in title and abstract, or leave {label} out.",
            code="nothing_left",
        )
    return translation.text, notes_of(translation.changes)


def notes_of(changes: Iterable[Change]) -> tuple[QueryNote, ...]:
    """One note for each kind of change, naming the terms it concerns."""
    terms: dict[tuple[Meaning, str], dict[str, None]] = {}
    for change in changes:
        terms.setdefault((change.meaning, change.why), {})[change.original] = None
    return tuple(
        QueryNote(_sentence(why, [name for name in names if name]), _LOSSES.get(meaning))
        for (meaning, why), names in terms.items()
    )


def _sentence(why: str, names: list[str]) -> str:
    if not names:
        return why
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return f"{', '.join(names[:_SHOWN])}{more}: {why}"

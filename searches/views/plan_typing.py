"""Buttons of the plan's form that change what is typed without saving: another query, a repair, a heading, a filter."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from django.http import QueryDict

from litapp.core.querylang import QuerySyntaxError
from litapp.core.querylang.editing import with_heading
from litapp.ledger.services.mesh import InstalledMesh
from searches.forms import MOST_QUERIES
from searches.services.query_check import RepairGone, one_line_end, repair_of, undone
from searches.views.plan_repairs import query_text, repair_named


@dataclass(frozen=True, slots=True)
class Undo:
    """What takes the last change of query `query` (from 0) back: `written` stands at `start` in place of `was`."""

    query: int
    start: int
    written: str
    was: str


@dataclass(slots=True)
class Typed:
    """The form's data after a button, what is said of it, and the undo that is offered."""

    data: QueryDict
    notes: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    undo: Undo | None = None

    def write(self, query: int, text: str, note: str) -> None:
        """Put another text into a query, to be undone whole."""
        was = query_text(self.data, query)
        self.data[f"queries-{query}-boolean"] = text
        self.undo = Undo(query, 0, text, was)
        self.notes.append(note)


def after_button(posted: QueryDict) -> Typed | None:
    """What the pressed button (`then`) makes of the form; None for buttons that save."""
    name, _, rest = posted.get("then", "").partition(":")
    act = _ACTIONS.get(name)
    if act is None:
        return None
    typed = Typed(posted.copy())
    try:
        act(typed, rest)
    except RepairGone as refusal:
        typed.refused.append(str(refusal))
    except QuerySyntaxError as error:
        why = f"{error.message} {error.hint}".strip()
        typed.refused.append(f"The query cannot be read yet, so nothing was put in. {why}")
    return typed


def _add_query(typed: Typed, rest: str) -> None:
    total = _whole(typed.data.get("queries-TOTAL_FORMS", ""))
    typed.data["queries-TOTAL_FORMS"] = str(max(1, min(MOST_QUERIES, total + 1)))


def _repair(typed: Typed, rest: str) -> None:
    named = repair_named(f"repair:{rest}")
    text = query_text(typed.data, named.query)
    fix = repair_of(text, named.code, named.start, named.end)
    edited, undo = fix.apply(text)
    typed.data[f"queries-{named.query}-boolean"] = edited
    typed.undo = Undo(named.query, undo.start, fix.replacement, undo.replacement)
    typed.notes.append(f"Changed: {_told(undo.replacement, fix.replacement)} ({fix.outcome.value}).")


def _undo(typed: Typed, rest: str) -> None:
    query = _whole(rest)
    data = typed.data
    text = undone(
        query_text(data, query), _whole(data.get("undo-start", "")), _lines(data, "written"), _lines(data, "was")
    )
    data[f"queries-{query}-boolean"] = text
    typed.notes.append("The query is as it was before.")


def _heading(typed: Typed, rest: str) -> None:
    """`heading:<query>:<name>`; the form's `queries-<query>-into` names the block (0 = one of its own)."""
    number, _, name = rest.partition(":")
    query = _whole(number)
    found = InstalledMesh().heading(name)
    if found is None:
        typed.refused.append(f"MeSH has no heading “{name}”. Nothing was put in.")
        return
    text = query_text(typed.data, query)
    block = max(0, _whole(typed.data.get(f"queries-{query}-into", "")))
    explode = typed.data.get(f"queries-{query}-narrower", "yes") != "no"
    try:
        edited = with_heading(text, found.name, block, explode=explode)
    except QuerySyntaxError:
        raise
    except ValueError as error:  # no such block (any more)
        raise RepairGone from error
    typed.write(query, edited, f"The heading “{found.name}” is in the query.")


_ACTIONS: dict[str, Callable[[Typed, str], None]] = {
    "add_query": _add_query,
    "repair": _repair,
    "undo": _undo,
    "heading": _heading,
}


def _lines(data: QueryDict, name: str) -> str:
    return one_line_end(str(data.get(f"undo-{name}", "")))


def _told(was: str, becomes: str) -> str:
    if not becomes:
        return f"“{was.strip()}” was deleted"
    return f"“{becomes.strip()}” in place of “{was.strip()}”" if was else f"“{becomes.strip()}” was added"


def _whole(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 8 else -1

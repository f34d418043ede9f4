"""Buttons of the plan's form that change what is typed without saving: another query, a repair, a heading, a filter."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date
from functools import partial

from django.http import QueryDict

from litapp.core.patient_details import Suspicion
from litapp.core.querylang import Field, QuerySyntaxError, Term, print_pubmed
from litapp.core.querylang.draft import Origin
from litapp.core.querylang.editing import grid_of, with_heading, without
from litapp.ledger.services.mesh import InstalledMesh
from searches.forms import MOST_QUERIES
from searches.services.first_draft import NoDraft, PatientDetails, question_draft
from searches.services.limit_costs import LANGUAGES, PREPRINTS, TYPES, YEARS
from searches.services.query_check import RepairGone, one_line_end, repair_of, undone
from searches.services.term_origins import origins_read
from searches.views.plan_repairs import query_text, repair_named
from searches.views.plan_typing_filters import put_filter, put_venues, take_filter


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
    suspicions: tuple[Suspicion, ...] = ()
    kind: str = ""
    """The kind of draft that waits for the person's word about the suspicions."""
    costs_wanted: bool = False

    def came_from(self, origins: dict[str, str]) -> None:
        """Note where terms came from; the first word counts."""
        known = {**origins, **origins_read(self.data.get("origins", ""))}
        self.data["origins"] = json.dumps(known, ensure_ascii=False)

    def write(self, query: int, text: str, note: str) -> None:
        """Put another text into a query, to be undone whole."""
        was = query_text(self.data, query)
        self.data[f"queries-{query}-boolean"] = text
        self.undo = Undo(query, 0, text, was)
        self.notes.append(note)


def after_button(posted: QueryDict, user_id: int | None = None) -> Typed | None:
    """What the pressed button (`then`) makes of the form; None for buttons that save. A draft asks PubMed."""
    name, _, rest = posted.get("then", "").partition(":")
    act = partial(_draft, user_id=user_id) if name == "draft" else _ACTIONS.get(name)
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
    typed.came_from({print_pubmed(Term(found.name, Field.MESH, phrase=True, explode=explode)): Origin.HEADING.value})


def _drop(typed: Typed, rest: str) -> None:
    """`drop:<query>:<block>:<term, 0 = the block>:<its text>`: the text must still be what the button showed."""
    query, block, term, shown = [*rest.split(":", 3), "", "", ""][:4]
    number, place, part = _whole(query), _whole(block), _whole(term)
    text = query_text(typed.data, number)
    blocks = grid_of(text)
    if not 1 <= place <= len(blocks) or part > len(blocks[place - 1].terms):
        raise RepairGone
    there = blocks[place - 1].terms[part - 1] if part else blocks[place - 1].text
    if there != one_line_end(shown):
        raise RepairGone
    name = there if part else f"block {place} ({blocks[place - 1].label})"
    typed.write(number, without(text, place, part or None), f"Taken out: {name}.")


LAST_YEARS = 10
"""Years that a quick plan looks back at first; a limit that the person sees, with its cost, and may take out."""


def _draft(typed: Typed, rest: str, *, user_id: int | None) -> None:
    """`draft:quick` or `draft:systematic`, with `:sure` once the person has looked at the warnings."""
    kind, _, sure = rest.partition(":")
    question = str(typed.data.get("question", ""))
    typed.kind = "quick" if kind == "quick" else "systematic"
    try:
        made = question_draft(question=question, user_id=user_id, sure=sure == "sure")
    except PatientDetails as refusal:
        typed.suspicions = refusal.suspicions
        return
    except NoDraft as refusal:
        typed.refused.append(str(refusal))
        return
    typed.write(0, made.query, "This is a first draft. Take out what does not belong, and add what is missing.")
    typed.notes.extend(made.remarks)
    typed.came_from(made.origins)
    if not str(typed.data.get("queries-0-plain", "")).strip():
        typed.data["queries-0-plain"] = " ".join(question.split())[:1000]
    if not str(typed.data.get("title", "")).strip():
        typed.data["title"] = " ".join(question.split())[:200]
    if typed.kind == "quick":
        typed.data["year_from"] = str(date.today().year - LAST_YEARS)
        typed.data.setlist("languages", sorted({*typed.data.getlist("languages"), "eng"}))
        typed.notes.append("It starts with two limits, under “Filters”: the last 10 years, and English.")
        typed.costs_wanted = True


def _drop_limit(typed: Typed, rest: str) -> None:
    data = typed.data
    if rest == YEARS:
        data["year_from"] = data["year_to"] = ""
    elif rest == LANGUAGES:
        data.setlist("languages", [])
        data["other_languages"] = ""
    elif rest == TYPES:
        data.setlist("publication_types", [])
        data["other_types"] = ""
    elif rest == PREPRINTS:
        data["preprints"] = "included"
    typed.notes.append("The limit is taken out.")
    typed.costs_wanted = True


def _limit_costs(typed: Typed, rest: str) -> None:
    typed.costs_wanted = True


_ACTIONS: dict[str, Callable[[Typed, str], None]] = {
    "add_query": _add_query,
    "repair": _repair,
    "undo": _undo,
    "heading": _heading,
    "drop": _drop,
    "filter": put_filter,
    "filter_out": take_filter,
    "venues": put_venues,
    "drop_limit": _drop_limit,
    "limit_costs": _limit_costs,
}


def _lines(data: QueryDict, name: str) -> str:
    return one_line_end(str(data.get(f"undo-{name}", "")))


def _told(was: str, becomes: str) -> str:
    if not becomes:
        return f"“{was.strip()}” was deleted"
    return f"“{becomes.strip()}” in place of “{was.strip()}”" if was else f"“{becomes.strip()}” was added"


def _whole(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 8 else -1

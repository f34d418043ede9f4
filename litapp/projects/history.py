"""Entries of the log as lines that people read: who, what, on what, with which details."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import shorten
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.urls import NoReverseMatch, reverse
from django.utils.module_loading import import_string

from litapp.projects.models import Event, Role
from litapp.projects.people import name_of
from litapp.projects.services.events import VERBS

PAGES = {
    "plan_version": "searches:plan",
    "run": "searches:run",
    "candidate": "searches:candidate",
    "import": "searches:import",
    "paper_search": "searches:paper_search",
    "reference": "references:reference",
    "briefing": "references:briefing",
    "export": "references:export",
    "verification": "verification:panel",
}
"""Kind of subject -> name of its page (project id and subject id are its arguments)."""


@dataclass(frozen=True, slots=True)
class EventLine:
    """One line of the history. `address` is empty where the subject has no page; `details` are (label, text)."""

    event: Event
    who: str
    what: str
    on: str
    address: str
    details: tuple[tuple[str, str], ...]


def lines_of(events: Sequence[Event]) -> list[EventLine]:
    """The entries as lines; one query more for each kind of thing that they are about."""
    ids: dict[str, set[int]] = {}
    for event in events:
        kind, number = _subject(event)
        if number.isdigit():
            ids.setdefault(kind, set()).add(int(number))
    names = {kind: _names(events[0].project_id, kind, found) for kind, found in ids.items()}
    return [_line(event, names) for event in events]


def _names(project_id: int, kind: str, ids: set[int]) -> dict[int, str]:
    if kind == "user":
        return {pk: name_of(person) for pk, person in User.objects.in_bulk(ids).items()}
    if kind in settings.SUBJECT_NAMES:
        return dict(import_string(settings.SUBJECT_NAMES[kind])(project_id, ids))
    return {}


def _subject(event: Event) -> tuple[str, str]:
    kind, _, number = event.subject.partition(":")
    return kind, number


def _line(event: Event, names: dict[str, dict[int, str]]) -> EventLine:
    kind, number = _subject(event)
    on = names.get(kind, {}).get(int(number), "") if number.isdigit() else ""
    on = shorten(on, 120, placeholder=" …") or f"{kind.replace('_', ' ')} {number}".strip()
    return EventLine(
        event=event,
        who=name_of(event.actor),
        what=_what(event),
        on=on,
        address=_address(event.project_id, kind, number),
        details=tuple((str(key).replace("_", " "), _text(value)) for key, value in _in_order(event.payload)),
    )


def _what(event: Event) -> str:
    """The verb in words; of a decision on many records how many, and which."""
    payload = event.payload
    if event.verb == "screening.decided_many" and "records" in payload:
        return f"decided on {payload['records']:,} candidates at once: {payload.get('decision', '')}"
    if event.verb == "reference.added" and len(payload.get("keys", ())) > 1:
        return f"added {len(payload['keys']):,} references"
    return VERBS.get(event.verb, event.verb)


def _in_order(payload: dict[str, Any]) -> list[tuple[str, Any]]:
    """Details as they were given, what was before what is after: PostgreSQL orders an object's keys by their length."""
    last = {"before": 1, "after": 2}
    return sorted(payload.items(), key=lambda item: last.get(item[0], 0))


def _address(project_id: int, kind: str, number: str) -> str:
    if kind not in PAGES or not number.isdigit():
        return ""
    try:
        return reverse(PAGES[kind], args=[project_id, int(number)])
    except NoReverseMatch:
        return ""


def _text(value: Any) -> str:
    if isinstance(value, dict):
        return "; ".join(f"{key}: {_text(item)}" for key, item in value.items())
    if isinstance(value, list):
        return ", ".join(_text(item) for item in value) or "none"
    if value is None or value == "":
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(Role(value).label) if value in Role.values else str(value)

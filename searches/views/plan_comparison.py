"""Two contents of a plan, field by field, with the words that differ marked. Pure."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from litapp.core.plan import Preprints, SearchPlan
from litapp.providers.registry import SOURCES
from searches.forms import LANGUAGES, PREPRINTS
from searches.views.marked_text import Segment

_WORDS = re.compile(r'(?:"[^"\n]*"|[\w*\-]+)(?:\[[^\]\n]*\])?\s*|[^\s\w]\s*|\s+')
"""Units of a comparison: a word or phrase with its field tag, a sign, white space. Together they cover every text."""
_LABELS = {source.key: source.label for source in SOURCES}


@dataclass(frozen=True, slots=True)
class PlanField:
    """One field of a plan as people read it. `code` is set for search strings."""

    name: str
    text: str
    code: bool = False


@dataclass(frozen=True, slots=True)
class FieldChange:
    """A field in two contents. `before` and `after` are the whole texts in segments ("removed", "added" marked)."""

    name: str
    code: bool
    same: bool
    before: tuple[Segment, ...]
    after: tuple[Segment, ...]


def plan_fields(content: SearchPlan, *, title: str | None = None) -> list[PlanField]:
    """Every field of the plan in the order of its page; empty ones too, so that two plans line up."""
    filters, caps, pico = content.filters, content.caps, content.pico
    fields = [PlanField("Title", title)] if title is not None else []
    fields += [
        PlanField("Question", content.question),
        PlanField("Population", pico.population),
        PlanField("Intervention", pico.intervention),
        PlanField("Comparison", pico.comparison),
        PlanField("Outcome", pico.outcome),
    ]
    for number, query in enumerate(content.queries, start=1):
        several = f" {number}" if len(content.queries) > 1 or number > 1 else ""
        if several or query.label:
            fields.append(PlanField(f"Name of query{several}", query.label))
        fields.append(PlanField(f"PubMed query{several}", query.boolean, code=True))
        fields.append(PlanField(f"In plain words{several}", query.plain))
    fields += [
        PlanField("Sources", ", ".join(_LABELS.get(key, key) for key in content.sources)),
        PlanField("Years", years_text(filters.year_from, filters.year_to)),
        PlanField("Publication types", ", ".join(filters.publication_types)),
        PlanField("Languages", ", ".join(LANGUAGES.get(code, code) for code in filters.languages)),
        PlanField("Preprints", PREPRINTS[Preprints(filters.preprints)]),
        PlanField("Order", "Newest first" if filters.newest_first else ""),
        PlanField("Boolean query also at", ", ".join(_LABELS.get(key, key) for key in content.boolean_at)),
        PlanField("Most records per query", _number(caps.per_query)),
        PlanField("Most records per source", _number(caps.per_source)),
        PlanField("Most records in the run", _number(caps.per_run)),
    ]
    return fields


def years_text(first: int | None, last: int | None) -> str:
    """ "2015 to 2020", "from 2015", "until 2020", or "" for all years."""
    if first and last:
        return f"{first} to {last}" if first != last else str(first)
    if first:
        return f"from {first}"
    return f"until {last}" if last else ""


def plan_changes(before: list[PlanField], after: list[PlanField]) -> list[FieldChange]:
    """Field by field, in the order of `after`; a field that only one side has is empty on the other."""
    old, new = {field.name: field for field in before}, {field.name: field for field in after}
    names = list(dict.fromkeys(name for pair in zip_longest(new, old) for name in pair if name))
    return [_change(name, old.get(name), new.get(name)) for name in names]


def _change(name: str, old: PlanField | None, new: PlanField | None) -> FieldChange:
    left, right = old.text if old else "", new.text if new else ""
    before, after = word_changes(left, right)
    either = new or old
    return FieldChange(name, either.code if either else False, left == right, before, after)


def word_changes(before: str, after: str) -> tuple[tuple[Segment, ...], tuple[Segment, ...]]:
    """Both texts in segments, the words that only one has marked. Joined, the segments give the texts again."""
    if before == after:
        same = (Segment(before),) if before else ()
        return same, same
    left, right = _WORDS.findall(before), _WORDS.findall(after)
    # autojunk leaves words as frequent as OR out of the search for equal runs: without it long queries take seconds
    matcher = difflib.SequenceMatcher(a=left, b=right, autojunk=True)
    removed, added = [], []
    for tag, a0, a1, b0, b1 in matcher.get_opcodes():
        removed.append(Segment("".join(left[a0:a1]), "" if tag == "equal" else "removed"))
        added.append(Segment("".join(right[b0:b1]), "" if tag == "equal" else "added"))
    return tuple(_kept(removed)), tuple(_kept(added))


def _kept(parts: list[Segment]) -> Iterator[Segment]:
    return (part for part in parts if part.text)


def _number(value: Any) -> str:
    return f"{value:,}" if value is not None else ""

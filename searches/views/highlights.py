"""The words that are marked in titles and abstracts: the blocks of all approved plans, and the person's own words."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

from litapp.core.plan import plan_from_dict
from litapp.core.querylang.parser import parse
from litapp.core.querylang.tokens import QuerySyntaxError
from litapp.core.querylang.words import query_blocks, query_terms
from litapp.projects.models import Project
from searches.models import ScreeningWord, SearchPlanVersion

BLOCK_CLASSES = ("hl-p", "hl-i", "hl-c", "hl-o")
"""Looks of the first four blocks; further ones begin anew."""
MOST_TERMS = 400


@lru_cache(maxsize=64)
def _blocks(boolean: str) -> tuple[tuple[str, ...], ...]:
    """The words and phrases of each block; none where the query cannot be read."""
    try:
        tree = parse(boolean)
    except QuerySyntaxError:
        return ()
    found = (tuple(dict.fromkeys(term.text for term in query_terms(block))) for block in query_blocks(tree))
    return tuple(terms for terms in found if terms)


def marks_for(project: Project, person: Any) -> list[dict[str, Any]]:
    """[{css, label, words}] in the order in which they are looked for. Two queries."""
    marks: list[dict[str, Any]] = []
    own: dict[str, list[str]] = {"for": [], "against": []}
    words = ScreeningWord.objects.filter(project=project, person=person).order_by("word")
    for kind, word in words.values_list("kind", "word"):
        own[kind].append(word)
    if own["for"]:
        marks.append({"css": "hl-for", "label": "Own words for", "words": own["for"]})
    if own["against"]:
        marks.append({"css": "hl-against", "label": "Own words against", "words": own["against"]})
    blocks = _plan_blocks(project)
    for place, (label, terms) in enumerate(blocks.items()):
        css = BLOCK_CLASSES[place % len(BLOCK_CLASSES)]
        marks.append({"css": css, "label": label, "words": list(terms[:MOST_TERMS])})
    return marks


def _plan_blocks(project: Project) -> dict[str, tuple[str, ...]]:
    """Label -> words of each block of every query in the newest approved version of each plan; the newest plan first,
    the same words once."""
    approved = SearchPlanVersion.objects.filter(plan__project=project, approved_at__isnull=False)
    newest: dict[int, SearchPlanVersion] = {}
    for version in approved.select_related("plan").order_by("-approved_at"):
        newest.setdefault(version.plan_id, version)
    found: dict[str, tuple[str, ...]] = {}
    for version in newest.values():
        booleans = [query.boolean for query in plan_from_dict(version.content).queries if query.boolean.strip()]
        for number, boolean in enumerate(booleans, 1):
            of = [version.plan.title] if len(newest) > 1 else []
            of += [f"query {number}"] if len(booleans) > 1 else []
            for place, terms in enumerate(_blocks(boolean), 1):
                label = ", ".join([*of, f"block {place}"])
                label = label if of else f"Block {place}"
                if terms not in found.values() and label not in found:
                    found[label] = terms
    return found


def marks_json(marks: list[dict[str, Any]]) -> str:
    """The marks for the page's script."""
    return json.dumps([{"css": mark["css"], "words": mark["words"]} for mark in marks], ensure_ascii=False)

"""The words that are marked in titles and abstracts: the blocks of the approved plan, and the person's own words."""

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
    newest = (
        SearchPlanVersion.objects.filter(plan__project=project, approved_at__isnull=False)
        .order_by("-approved_at")
        .first()
    )
    if newest is not None:
        queries = plan_from_dict(newest.content).queries
        boolean = next((query.boolean for query in queries if query.boolean.strip()), "")
        for place, terms in enumerate(_blocks(boolean)):
            css = BLOCK_CLASSES[place % len(BLOCK_CLASSES)]
            marks.append({"css": css, "label": f"Block {place + 1}", "words": list(terms[:MOST_TERMS])})
    return marks


def marks_json(marks: list[dict[str, Any]]) -> str:
    """The marks for the page's script."""
    return json.dumps([{"css": mark["css"], "words": mark["words"]} for mark in marks], ensure_ascii=False)

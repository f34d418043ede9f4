"""Keeps where the terms of a plan came from, and reads it back for its pages."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from django.db import transaction

from litapp.core.querylang.draft import Origin
from litapp.core.querylang.editing import grid_of
from searches.models import SearchPlan, SearchPlanVersion
from searches.models_plans import LONGEST_TERM, TermOrigin

MOST_TERMS = 2_000
_KNOWN = frozenset(origin.value for origin in Origin)


def origins_read(text: str) -> dict[str, str]:
    """Term -> origin from the form's hidden field; what is none is left out, since it would only be shown."""
    try:
        data = json.loads(text or "{}")
    except ValueError:
        return {}
    if not isinstance(data, dict):
        return {}
    pairs = list(data.items())[:MOST_TERMS]
    return {str(term): str(origin) for term, origin in pairs if origin in _KNOWN and len(str(term)) <= LONGEST_TERM}


@transaction.atomic
def origins_keep(*, version: SearchPlanVersion, actor: Any, origins: Mapping[str, str]) -> None:
    """Keep the origins of the terms that stand in this version's queries. A known term keeps its first origin."""
    present = {
        term for query in version.plan_content.queries for block in grid_of(query.boolean) for term in block.terms
    }
    rows = [
        TermOrigin(plan_id=version.plan_id, term=term, origin=origin, created_by=actor)
        for term, origin in origins.items()
        if term in present and origin in _KNOWN and origin != Origin.PERSON and len(term) <= LONGEST_TERM
    ]
    TermOrigin.objects.bulk_create(rows, ignore_conflicts=True)


def origins_of(plan: SearchPlan | int | None) -> dict[str, str]:
    """Term -> origin of a plan; {} for a plan that is not saved yet. Terms that are missing were typed by a person."""
    if plan is None:
        return {}
    return dict(TermOrigin.objects.filter(plan=plan).values_list("term", "origin"))

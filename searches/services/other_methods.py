"""Keeps what is to be searched by hand beside the databases of a plan, and what came of it."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import Any

from django.db import transaction

from searches.models import SearchPlan
from searches.models_plans import OtherMethod


@transaction.atomic
def other_methods_add(*, plan: SearchPlan, actor: Any, places: Iterable[tuple[str, str]]) -> int:
    """Add places (name, address) to the plan; one that it has already is left as it is. Returns how many are new."""
    before = plan.other_methods.count()
    rows = [OtherMethod(plan=plan, name=name, address=address, added_by=actor) for name, address in places]
    OtherMethod.objects.bulk_create(rows, ignore_conflicts=True)
    return plan.other_methods.count() - before


@transaction.atomic
def other_method_searched(*, method: OtherMethod, actor: Any, day: date, note: str) -> OtherMethod:
    """Keep that a person searched the place on a day, and what they say of it."""
    method.searched_on, method.searched_by, method.note = day, actor, note.strip()[:1000]
    method.save(update_fields=["searched_on", "searched_by", "note"])
    return method


@transaction.atomic
def other_method_remove(*, method: OtherMethod) -> bool:
    """Take a place off the list; False (and nothing happens) once it was searched: that is part of the record."""
    if method.searched_on is not None:
        return False
    method.delete()
    return True

"""The stage in an address."""

from __future__ import annotations

from django.http import Http404

from searches.models import Stage


def stage_named(text: str) -> str:
    """The stage that an address names. Raises Http404."""
    if text not in Stage.values:
        raise Http404("there is no such stage")
    return text

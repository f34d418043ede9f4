"""The last repair made in a draft, kept in the session so that it can be taken back."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest

from searches.models import SearchPlanVersion

SESSION_KEY = "plan_repair"


def undo_offered(request: HttpRequest, version: SearchPlanVersion) -> dict[str, Any] | None:
    """The repair of this draft that can be taken back; None when there is none, or it was saved again since."""
    last = request.session.get(SESSION_KEY)
    if not isinstance(last, dict) or (last.get("version"), last.get("revision")) != (version.pk, version.revision):
        return None
    return last

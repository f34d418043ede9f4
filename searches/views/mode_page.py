"""What the pages of all short searches share: the number of a request, and the state of the search."""

from __future__ import annotations

from typing import Any
from uuid import UUID, uuid4

from django.http import HttpRequest
from django.urls import reverse

from litapp.projects.installation import worker_runs
from searches.models import PaperSearch


def asked_number(request: HttpRequest) -> UUID:
    """The form's number: a double click sends it twice. A form without one gets a new number."""
    try:
        return UUID(request.POST.get("request_id", ""))
    except ValueError:
        return uuid4()


def mode_context(search: PaperSearch, seen: str) -> dict[str, Any]:
    """The search, its poll, and a number for each form of the page."""
    return {
        "search": search,
        "seen": seen,
        "address": reverse(f"searches:{search.mode}", args=[search.project_id, search.pk]),
        "worker_missing": search.is_open and not worker_runs(),
        "request_id": uuid4(),
        "failed": search.failures_told,
    }

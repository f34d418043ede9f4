"""The start page: what LitLedger is for people who are signed out, the project list for the others."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from litapp.projects.installation import no_source_answers, sources_now
from litapp.projects.views.lists import projects_of


@require_safe
def start(request: HttpRequest) -> HttpResponse:
    """Says as well when no source can be reached, and what to do then."""
    sources = sources_now()
    context: dict[str, object] = {
        "sources": sources,
        "no_source_answers": no_source_answers(sources),
        "signup_open": settings.ACCOUNT_SIGNUP_OPEN,
    }
    if request.user.is_authenticated:
        return render(request, "projects/list.html", {**context, **projects_of(request)})
    return render(request, "start.html", context)

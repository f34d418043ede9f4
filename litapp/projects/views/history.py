"""The project's log, newest first, and whether its chain of hashes is whole."""

from __future__ import annotations

from operator import itemgetter

from django.contrib.auth.models import User
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from litapp.projects.curtain import events_shown, sees_outcomes
from litapp.projects.history import lines_of
from litapp.projects.models import Event, Project
from litapp.projects.permissions import ProjectRequest, Right, project_view
from litapp.projects.services.events import AREAS, verify_chain
from litapp.web.numbers import row_number
from litapp.web.pagination import page_of_list

PAGE_SIZE = 100


@project_view(Right.VIEW)
@require_GET
def history(request: ProjectRequest, project: Project) -> HttpResponse:
    """Who did what and when. `?person=` and `?what=` narrow it, `?check=1` reads the whole chain."""
    everything = Event.objects.filter(project=project).select_related("actor").order_by("-sequence")
    events, hidden = events_shown(request.membership, everything), not sees_outcomes(request.membership)
    person, what = request.GET.get("person", ""), request.GET.get("what", "")
    if person:
        events = events.filter(actor=row_number(person)) if row_number(person) is not None else events.none()
    if what:
        events = events.filter(verb__startswith=f"{what}.")
    page = page_of_list(request, events, size=PAGE_SIZE)
    context = {
        "page": page,
        "lines": lines_of(page.items),
        "people": User.objects.filter(memberships__project=project).order_by("first_name", "pk"),
        "kinds": sorted(AREAS.items(), key=itemgetter(1)),
        "person": person,
        "what": what,
        "chain": verify_chain(project) if request.GET.get("check") else None,
        "last": None if hidden else Event.objects.filter(project=project).order_by("-sequence").first(),
        "hidden": hidden,
    }
    return render(request, "projects/history.html", context)

"""What is searched by hand beside the databases of a plan: guideline bodies and other places, with day and note."""

from __future__ import annotations

from datetime import date

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.core.validators import URLValidator
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from litapp.core.filters.guideline_bodies import GUIDELINE_BODIES
from litapp.projects.models import Project
from litapp.projects.permissions import ProjectRequest, Right, project_view
from litapp.web.htmx import redirect_page
from searches.models import SearchPlanVersion
from searches.models_plans import OtherMethod
from searches.services.other_methods import other_method_remove, other_method_searched, other_methods_add
from searches.views.plans import version_of


@project_view(Right.PLAN)
@require_http_methods(["GET", "POST"])
def other_methods(request: ProjectRequest, project: Project, version_id: int) -> HttpResponse:
    """The list with the bodies that may be added; POST adds, removes, or keeps that a place was searched."""
    version = version_of(project, version_id)
    if request.method == "POST":
        _posted(request, version)
        return redirect_page(request, reverse("searches:plan_other_methods", args=[project.pk, version.pk]))
    kept = list(version.plan.other_methods.select_related("searched_by", "added_by"))
    names = {method.name for method in kept}
    context = {
        "version": version,
        "plan": version.plan,
        "methods": kept,
        "bodies": [body for body in GUIDELINE_BODIES if body.name not in names],
        "today": timezone.localdate().isoformat(),
    }
    return render(request, "searches/plan_other_methods.html", context)


def _posted(request: ProjectRequest, version: SearchPlanVersion) -> None:
    then, _, number = request.POST.get("then", "").partition(":")
    if then == "add":
        wanted = set(request.POST.getlist("body"))
        places = [(body.name, body.address) for body in GUIDELINE_BODIES if body.name in wanted]
        name, address = request.POST.get("name", "").strip()[:200], request.POST.get("address", "").strip()[:400]
        if address and not _is_address(address):
            messages.error(request, f"“{address}” is no address (such as https://www.example.org). Nothing was added.")
            return
        added = other_methods_add(
            plan=version.plan, actor=request.user, places=[*places, *([(name, address)] if name else [])]
        )
        messages.success(request, f"{added} place{'' if added == 1 else 's'} added.")
        return
    method = get_object_or_404(OtherMethod, plan=version.plan_id, pk=int(number) if number.isdigit() else 0)
    if then == "remove":
        if not other_method_remove(method=method):
            messages.error(request, "It was searched already and stays in the record.")
    elif then == "searched":
        day = _day(request.POST.get("day", ""))
        if day is None:
            messages.error(request, "Give the day of the search, not later than today. Nothing was changed.")
            return
        other_method_searched(method=method, actor=request.user, day=day, note=request.POST.get("note", ""))
        messages.success(request, f"“{method.name}”: searched on {day:%-d %b %Y}.")


def _day(text: str) -> date | None:
    try:
        day = date.fromisoformat(text)
    except ValueError:
        return None
    return day if day <= timezone.localdate() else None


def _is_address(text: str) -> bool:
    try:
        URLValidator(schemes=["http", "https"])(text)
    except ValidationError:
        return False
    return True

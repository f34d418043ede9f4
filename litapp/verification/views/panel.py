"""The evidence behind a badge: checks, fields side by side, and what a person may do about it."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_POST

from litapp.projects.models import Project
from litapp.projects.permissions import Right, may, project_view
from litapp.verification.models import Verification
from litapp.verification.presentation import evidence_of, source_label
from litapp.verification.services.requests import CHECK_SOURCES, ManualVerdictError, recheck, set_manual


@require_GET
@project_view(Right.VIEW)
def panel(request: HttpRequest, project: Project, verification_id: int) -> HttpResponse:
    """The evidence of one verification; a partial for htmx, a page of its own otherwise."""
    return _render(request, _verification(project, verification_id))


@require_POST
@project_view(Right.VERIFY)
def recheck_view(request: HttpRequest, project: Project, verification_id: int) -> HttpResponse:
    """Ask the sources again now: those that were ticked, or all."""
    chosen = [key for key in request.POST.getlist("sources") if key in CHECK_SOURCES]
    verification = recheck(verification=_verification(project, verification_id), actor=request.user, sources=chosen)
    if request.htmx:  # type: ignore[attr-defined]  # set by django-htmx's middleware
        return _render(request, _verification(project, verification.pk))
    messages.success(request, "The sources are being asked again.")
    return redirect("verification:panel", project.pk, verification.pk)


@require_POST
@project_view(Right.VERIFY)
def manual(request: HttpRequest, project: Project, verification_id: int) -> HttpResponse:
    """A person vouches for the record, with a reason."""
    verification = _verification(project, verification_id)
    error = ""
    try:
        set_manual(verification=verification, actor=request.user, reason=request.POST.get("reason", ""))
    except ManualVerdictError as problem:
        error = str(problem)
    if error or request.htmx:  # type: ignore[attr-defined]  # set by django-htmx's middleware
        return _render(request, _verification(project, verification.pk), error=error)
    messages.success(request, "Confirmed by hand; your name and reason stand beside the badge.")
    return redirect("verification:panel", project.pk, verification.pk)


def _verification(project: Project, verification_id: int) -> Verification:
    queryset = Verification.objects.select_related("manual_by", "project")
    return get_object_or_404(queryset, pk=verification_id, project=project)


def _render(request: HttpRequest, verification: Verification, *, error: str = "") -> HttpResponse:
    context = {
        "project": verification.project,
        "verification": verification,
        "evidence": evidence_of(verification),
        "returned_by": [source_label(key) for key in verification.returned_by],
        "state_asked_of": [source_label(key) for key in verification.state_asked_of],
        "may_verify": may(request.membership, Right.VERIFY),  # type: ignore[attr-defined]  # set by project_view
        "check_sources": [(key, source_label(key)) for key in CHECK_SOURCES],
        "manual_error": error,
    }
    template = "verification/panel.html"
    if request.htmx:  # type: ignore[attr-defined]  # set by django-htmx's middleware
        template += "#panel"
    return render(request, template, context, status=422 if error else 200)

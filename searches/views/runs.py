"""Runs: the list, one run while it works and after, and what can be done with it."""

from __future__ import annotations

from uuid import UUID, uuid4

from django.contrib import messages
from django.db.models import Count, F, Q, Sum
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from litapp.core.plan import PlanError
from litapp.jobs.models import OPEN_STATES, StepState
from litapp.projects.installation import worker_runs
from litapp.projects.models import Project
from litapp.projects.permissions import ProjectRequest, Right, project_view
from litapp.web.htmx import redirect_page, unchanged, wants_part
from litapp.web.pagination import page_of_list
from searches.models import RetrievalRun
from searches.services.runs import (
    NotApproved,
    RunNotChanged,
    can_resume,
    run_again,
    run_cancel,
    run_resume,
    run_start,
)
from searches.services.source_lines import run_source_lines
from searches.services.stand_ins import stand_in_offer, stand_in_start
from searches.views.plans import version_of
from searches.views.run_page import RunShown, run_shown

PAGE_SIZE = 25


@project_view(Right.VIEW)
@require_GET
def run_list(request: ProjectRequest, project: Project) -> HttpResponse:
    """Every run, newest first."""
    runs = RetrievalRun.objects.of_project(project).annotate(
        steps_all=Count("steps"),
        steps_open=Count("steps", filter=Q(steps__state__in=OPEN_STATES)),
        fetched=Sum("steps__fetched"),
        took=F("finished_at") - F("started_at"),
    )
    page = page_of_list(request, runs, size=PAGE_SIZE)
    return render(request, "searches/run_list.html", {"page": page})


@project_view(Right.VIEW)
@never_cache
@require_GET
def run(request: ProjectRequest, project: Project, run_id: int) -> HttpResponse:
    """One run: a card per source, live while it is open; afterwards the result with its reasons."""
    return render(request, "searches/run.html", {"shown": _shown(_run_of(project, run_id)), "again_id": uuid4()})


@project_view(Right.VIEW)
@never_cache
@require_GET
def run_progress(request: ProjectRequest, project: Project, run_id: int) -> HttpResponse:
    """The moving part of the page. 204 when nothing changed since `?seen=`; a finished run's part asks no more."""
    shown = _shown(_run_of(project, run_id))
    if request.GET.get("seen") == shown.seen:
        return unchanged()
    if not wants_part(request):
        return redirect("searches:run", project.pk, run_id)
    tell = request.GET.get("told") != shown.summary
    context = {"shown": shown, "again_id": uuid4(), "tell": tell}
    return render(request, "searches/run.html#progress", context)


@project_view(Right.RUN)
@require_POST
def start(request: ProjectRequest, project: Project, version_id: int) -> HttpResponse:
    """Run an approved version; the form's number makes a double click one run."""
    version = version_of(project, version_id)
    try:
        made = run_start(version=version, actor=request.user, request_id=_number(request))
    except (NotApproved, PlanError) as refusal:
        messages.error(request, _sentence(refusal))
        return redirect_page(request, reverse("searches:plan", args=[project.pk, version.pk]))
    return redirect_page(request, _address(made))


@project_view(Right.RUN)
@require_POST
def cancel(request: ProjectRequest, project: Project, run_id: int) -> HttpResponse:
    """Stop the run; what was fetched stays."""
    stopped = _run_of(project, run_id)
    try:
        run_cancel(run=stopped, actor=request.user)
    except RunNotChanged as refusal:
        messages.info(request, str(refusal))
    else:
        messages.success(request, "The run is being cancelled. What was fetched stays in the project.")
    return redirect_page(request, _address(stopped))


@project_view(Right.RUN)
@require_POST
def resume(request: ProjectRequest, project: Project, run_id: int) -> HttpResponse:
    """Go on where the run stopped."""
    stopped = _run_of(project, run_id)
    try:
        run_resume(run=stopped, actor=request.user)
    except RunNotChanged as refusal:
        messages.info(request, str(refusal))
    return redirect_page(request, _address(stopped))


@project_view(Right.RUN)
@require_POST
def stand_in(request: ProjectRequest, project: Project, run_id: int) -> HttpResponse:
    """Ask Europe PMC's copy of PubMed's records what PubMed cannot be asked now."""
    found = _run_of(project, run_id)
    try:
        stand_in_start(run=found, actor=request.user)
    except RunNotChanged as refusal:
        messages.info(request, str(refusal))
    else:
        messages.success(request, "Europe PMC is asked in place of PubMed. What it finds is named as Europe PMC's.")
    return redirect_page(request, _address(found))


@project_view(Right.RUN)
@require_POST
def again(request: ProjectRequest, project: Project, run_id: int) -> HttpResponse:
    """Run the same approved version anew."""
    earlier = _run_of(project, run_id)
    try:
        made = run_again(run=earlier, actor=request.user, request_id=_number(request))
    except (NotApproved, PlanError) as refusal:
        messages.error(request, _sentence(refusal))
        return redirect_page(request, _address(earlier))
    return redirect_page(request, _address(made))


def _run_of(project: Project, run_id: int) -> RetrievalRun:
    runs = RetrievalRun.objects.select_related("version__plan", "version__approved_by", "started_by", "project")
    return get_object_or_404(runs, pk=run_id, project=project)


def _shown(found: RetrievalRun) -> RunShown:
    steps = list(found.steps.all())
    unfinished = can_resume(steps) or any(step.state == StepState.SKIPPED for step in steps)
    resumable = unfinished and not found.is_open and not found.bundle
    return run_shown(
        found,
        steps,
        worker_runs=worker_runs() if found.is_open else True,
        can_resume=resumable,
        source_lines=() if found.is_open else run_source_lines(found, steps),
        offer=stand_in_offer(found, steps),
    )


def _address(found: RetrievalRun) -> str:
    return reverse("searches:run", args=[found.project_id, found.pk])


def _number(request: ProjectRequest) -> UUID:
    """The form's own number; a form without a readable one counts as a new one."""
    try:
        return UUID(request.POST.get("request_id", ""))
    except ValueError:
        return uuid4()


def _sentence(refusal: Exception) -> str:
    if isinstance(refusal, PlanError):
        return "The plan cannot run as it is: " + " ".join(refusal.problems.values())
    return str(refusal)

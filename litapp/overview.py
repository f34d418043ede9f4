"""The overview page of a project: its numbers, what to do next, what is running, which sources answer.

Part of the composition root, because it shows what all floors hold.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Count, Q, Sum
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_GET

from litapp.core.prisma import FlowCounts, FlowError
from litapp.jobs.models import OPEN_STATES
from litapp.projects.curtain import events_shown, sees_outcomes
from litapp.projects.history import lines_of
from litapp.projects.installation import no_source_answers, sources_now, worker_runs
from litapp.projects.models import Event, Membership, Project
from litapp.projects.permissions import ProjectRequest, Right, may, project_view
from litapp.verification.models import Verification
from litapp.verification.presentation import told_notices
from litapp.verification.services.source_summary import project_silences
from references.services.evidence_summary import flow_of
from searches.blinding import viewer_of
from searches.models import Candidate, RetrievalRun, RunState, SearchPlanVersion
from searches.querysets import VERDICTS
from searches.seen import tally_of

EVENTS_SHOWN = 6


@dataclass(frozen=True, slots=True)
class NextStep:
    """What the person can best do now. `text` is a sentence; `address` "" = nothing to press."""

    text: str
    number: int | None = None
    address: str = ""
    action: str = ""
    icon: str = ""


@project_view(Right.VIEW)
@require_GET
def overview(request: ProjectRequest, project: Project) -> HttpResponse:
    """The page a project opens with."""
    newest = SearchPlanVersion.objects.of_project(project).first()
    runs = list(
        RetrievalRun.objects.of_project(project).annotate(
            fetched=Sum("steps__fetched"),
            steps_all=Count("steps"),
            steps_open=Count("steps", filter=Q(steps__state__in=OPEN_STATES)),
        )[:3]
    )
    outcomes = sees_outcomes(request.membership)
    flow, flow_problem = _flow(project) if outcomes else (None, "")
    waiting = waiting_for(request.membership, flow)
    sources, running = sources_now(), any(run.state == RunState.RUNNING for run in runs)
    checks_open = Verification.objects.filter(project=project).open().count()
    context = {
        "newest": newest,
        "question": _question(project, newest),
        "runs": runs,
        "flow": flow,
        "flow_problem": flow_problem,
        "verdicts": _verdicts(project, outcomes=outcomes),
        "outcomes": outcomes,
        "progress": None if outcomes or not may(request.membership, Right.SCREEN) else own_progress(request.membership),
        "checks_open": checks_open,
        "status_notices": told_notices(project) if outcomes else [],
        "silences": [silence.sentence for silence in project_silences(project)],
        "next_step": next_step(request, project, newest, runs, flow, waiting),
        "sources": sources,
        "no_source_answers": no_source_answers(sources),
        "worker_missing": (running or checks_open > 0) and not worker_runs(),
        "lines": lines_of(
            list(
                events_shown(request.membership, Event.objects.filter(project=project))
                .select_related("actor")
                .order_by("-sequence")[:EVENTS_SHOWN]
            )
        ),
    }
    return render(request, "projects/overview.html", context)


def _question(project: Project, newest: SearchPlanVersion | None) -> str:
    """The question of the newest approved plan; before there is one, of the newest draft."""
    if newest is not None and not newest.is_approved:
        approved = SearchPlanVersion.objects.of_project(project).filter(approved_at__isnull=False)
        newest = approved.first() or newest
    return str(newest.content.get("question", "")) if newest else ""


def next_step(
    request: ProjectRequest,
    project: Project,
    newest: SearchPlanVersion | None,
    runs: Sequence[RetrievalRun],
    flow: FlowCounts | None,
    waiting: int,
) -> NextStep:
    """The first thing that is missing on the way from a question to references, as far as the person may do it."""

    def allowed(right: Right) -> bool:
        return may(request.membership, right)

    def at(name: str, *args: int) -> str:
        return reverse(name, args=[project.pk, *args])

    running = next((run for run in runs if run.is_open), None)
    if newest is None:
        text = "Begin with the question and the search that shall answer it."
        return (
            NextStep(text, None, at("searches:plan_new"), "Write a search plan", "plan")
            if allowed(Right.PLAN)
            else (NextStep("There is no search plan yet. Owners, leads and librarians write it."))
        )
    if waiting and allowed(Right.SCREEN):
        return NextStep("records wait to be screened", waiting, at("searches:screen"), "Screen", "eye")
    if not sees_outcomes(request.membership):
        text = "Screening is blind and going on; its numbers are shown when it is over."
        if allowed(Right.SCREEN):
            text = "You have decided on all that is yours to screen. Your colleagues may not have."
        return NextStep(text, None, at("searches:screening"), "How we screen", "filter")
    if running:
        return NextStep(
            "A run is going on; candidates appear as they come.", None, at("searches:run", running.pk), "Watch", "bolt"
        )
    if not newest.is_approved and not (flow and flow.candidates):
        page = at("searches:plan", newest.pk)
        return NextStep(
            "The search plan waits for its hits to be counted and for approval.", None, page, "Open the plan", "plan"
        )
    if not runs:
        return NextStep(
            "The plan is approved and can run.", None, at("searches:plan", newest.pk), "Open the plan", "play"
        )
    if waiting:
        return NextStep("records wait to be screened", waiting, at("searches:candidates"), "See the candidates", "list")
    if flow and flow.included:
        return NextStep(
            "Everything is screened. The references can be exported.", None, at("references:list"), "References", "book"
        )
    if flow and flow.candidates:
        return NextStep(
            "Everything is screened, and nothing was included.",
            None,
            at("searches:candidates"),
            "See the candidates",
            "list",
        )
    return NextStep("The run brought no records.", None, at("searches:run", runs[0].pk), "See why", "bolt")


def _flow(project: Project) -> tuple[FlowCounts | None, str]:
    """The counts; or None and why they are not shown (they contradict each other)."""
    try:
        return flow_of(project), ""
    except FlowError as error:
        return None, str(error)


def own_progress(membership: Membership) -> tuple[int, int]:
    """(records to screen, of them undecided) of a member who may not know more. Two queries."""
    counted = tally_of(membership, viewer_of(membership))
    return counted.total, counted.undecided


def waiting_for(membership: Membership, flow: FlowCounts | None) -> int:
    """Records that wait to be screened: by the member where each screens alone, else by anybody."""
    if flow is None and not may(membership, Right.SCREEN):
        return 0
    if flow is None or viewer_of(membership).own:
        return own_progress(membership)[1]
    return flow.not_yet_screened


def _verdicts(project: Project, *, outcomes: bool) -> list[tuple[str, int | None, int]]:
    """(verdict, among the included, among all candidates) for every verdict; of the included None where the person
    may not know. One query."""
    counts = {f"all_{name}": Count("pk", filter=condition) for name, condition in VERDICTS.items()}
    counts |= {
        f"included_{name}": Count("pk", filter=condition & Q(final="include")) for name, condition in VERDICTS.items()
    }
    row = Candidate.objects.listed(project).order_by().aggregate(**counts)
    return [(name, row[f"included_{name}"] if outcomes else None, row[f"all_{name}"]) for name in VERDICTS]

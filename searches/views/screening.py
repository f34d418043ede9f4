"""Screening at title and abstract: one record at a time, decided by keys, buttons or plain forms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

from django import forms
from django.contrib import messages
from django.contrib.auth.models import User
from django.db.models import Exists, OuterRef
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.cache import patch_vary_headers
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from litapp.core.markup import plain_text
from litapp.projects.models import Project
from litapp.projects.people import name_of
from litapp.projects.permissions import ProjectRequest, Right, project_view
from litapp.web.htmx import wants_part
from searches.models import Candidate, Decision, ScreeningDecision
from searches.querysets import CandidateQuerySet
from searches.services.screening import NothingToUndo, StaleCandidate, current_candidate, decide, undo
from searches.services.studies import companions_of
from searches.views.record_card import record_card
from searches.views.screening_queue import ALL, ORDERS, SHOW_CHOICES, ScreeningQueue, read_queue

MOST_AHEAD = 5
"""Most records that one request prepares ahead."""


class DecisionForm(forms.Form):
    """One decision: what, on which version of the candidate, and the page's own number for it."""

    decision = forms.ChoiceField(choices=[choice for choice in Decision.choices if choice[0]])
    version = forms.IntegerField(min_value=1)
    request_id = forms.UUIDField()
    reason = forms.CharField(required=False, max_length=300)


class UndoForm(forms.Form):
    """The page's own number for taking back: a double click takes back once."""

    request_id = forms.UUIDField()


@dataclass(frozen=True, slots=True)
class Notice:
    """A sentence above the record. `kind` is one of the design system's notice classes."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Screen:
    """The screening page of one request: queue, counts and the person's last decision are the same for every record
    that it prepares."""

    request: ProjectRequest
    project: Project
    queue: ScreeningQueue

    @property
    def candidates(self) -> CandidateQuerySet:
        return Candidate.objects.listed(self.project)

    @property
    def path(self) -> str:
        return reverse("searches:screen", args=[self.project.pk])

    def address(self, record: int | None) -> str:
        """The page's address for one record, or of the queue."""
        return f"{self.path}?{self.queue.query(record=record)}".rstrip("?")

    def shared(self) -> dict[str, Any]:
        """What all records have in common. Two queries: progress, and the person's last decision."""
        return {
            "project": self.project,
            "queue": self.queue,
            "progress": self.queue.progress(self.candidates),
            "last": last_decision(self.project, self.request.user),
            "show_choices": SHOW_CHOICES,
            "orders": [(key, order.label) for key, order in ORDERS.items()],
        }

    def region(self, candidate: Candidate | None, **more: Any) -> dict[str, Any]:
        """What belongs to one record (None: nothing is left). The queries of `companions_of`."""
        record = candidate.pk if candidate else None
        return {
            "candidate": candidate,
            "card": record_card(candidate) if candidate else None,
            "companions": companions_of(candidate) if candidate else [],
            "request_id": uuid4(),
            "undo_id": uuid4(),
            "address": self.address(record),
            "ahead_query": self.queue.query(record=record),
            "back_query": self.queue.query(record=record, direction="previous"),
            **more,
        }

    def answer(self, candidate: Candidate | None, *, status: int = 200, **more: Any) -> HttpResponse:
        """The page's region for its script, the whole page for everybody else."""
        context = {**self.shared(), **self.region(candidate, **more)}
        part = "#screen" if wants_part(self.request) else ""
        response = render(self.request, f"searches/screen.html{part}", context, status=status)
        patch_vary_headers(response, ["HX-Request"])
        return response


def last_decision(project: Project, person: User) -> ScreeningDecision | None:
    """The person's latest decision that was not taken back, with its candidate's title."""
    undone = ScreeningDecision.objects.filter(
        project=project, candidate=OuterRef("candidate"), undoes=OuterRef("request_id")
    )
    return (
        ScreeningDecision.objects.filter(~Exists(undone), project=project, reviewer=person, undoes=None)
        .select_related("candidate")
        .only("decision", "request_id", "candidate__title")
        .order_by("-pk")
        .first()
    )


@never_cache
@require_GET
@project_view(Right.SCREEN)
def screen(request: ProjectRequest, project: Project) -> HttpResponse:
    """The record that the address names, or the first of the queue."""
    page = Screen(request, project, read_queue(request.GET))
    wanted = request.GET.get("record", "")
    if not wanted:
        return page.answer(page.queue.rows(page.candidates).for_card().first())
    candidate = candidate_of(project, wanted)
    if candidate.merged_into_id:
        return redirect(page.address(current_candidate(candidate).pk))
    return page.answer(candidate)


@never_cache
@require_GET
@project_view(Right.SCREEN)
def screen_next(request: ProjectRequest, project: Project) -> HttpResponse:
    """The records behind (or, with direction=previous, in front of) `record`: as parts to keep ready for the page's
    script (`count`, at most 5), as a redirect to the nearest one for a plain link."""
    page = Screen(request, project, read_queue(request.GET))
    here = candidate_of(project, request.GET.get("record", ""))
    back = request.GET.get("direction") == "previous"
    rows = page.queue.preceding(page.candidates, here) if back else page.queue.following(page.candidates, here)
    if wants_part(request):
        near = list(rows.for_card()[: _ahead(request.GET.get("count", ""))])
        shared = page.shared() if near else {}
        regions = [{**shared, **page.region(candidate)} for candidate in near]
        return render(request, "searches/screen_ahead.html", {"regions": regions})
    nearest = rows.values_list("pk", flat=True).first()
    if nearest is None:
        messages.info(request, f"This is the {'first' if back else 'last'} record of the queue.")
    return redirect(page.address(nearest or here.pk))


def _ahead(text: str) -> int:
    return max(1, min(MOST_AHEAD, int(text))) if text.isdecimal() else 1


def candidate_of(project: Project, text: str) -> Candidate:
    """The project's candidate with this id, merged away or not. Raises Http404."""
    found = None
    if text.isdecimal() and len(text) < 19:
        found = Candidate.objects.filter(project=project, pk=int(text)).for_card().first()
    if found is None:
        raise Http404("no such record in this project")
    return found


def decide_on_screen(request: ProjectRequest, project: Project, candidate: Candidate) -> HttpResponse:
    """Store one decision and answer with the next record of the queue."""
    page = Screen(request, project, read_queue(request.GET))
    form = DecisionForm(request.POST)
    if not form.is_valid():
        notice = Notice("stop", "That decision could not be read, so nothing was saved. Please decide again.")
        return page.answer(candidate, status=422, notice=notice)
    try:
        decide(project=project, candidate_id=candidate.pk, actor=request.user, **form.cleaned_data)
    except StaleCandidate as stale:
        fresh = candidate_of(project, str(stale.candidate.pk))
        return page.answer(fresh, status=409, notice=Notice("warn", refusal(fresh)))
    decision = Decision(form.cleaned_data["decision"])
    return _next_after(page, candidate, decision, form.cleaned_data["request_id"])


def _next_after(page: Screen, candidate: Candidate, decision: Decision, request_id: UUID) -> HttpResponse:
    said = f"Saved: {decision.label.lower()} “{plain_text(candidate.title)}”."
    following = page.queue.following(page.candidates, candidate).for_card().first()
    notice = None
    if following is None and page.queue.show != ALL:
        following = page.queue.rows(page.candidates).exclude(pk=candidate.pk).for_card().first()
        if following:
            notice = Notice("info", "That was the end of the queue. Here are the records that you passed over.")
    if wants_part(page.request):
        return page.answer(following, notice=notice, saved=request_id, said=said)
    messages.success(page.request, said)
    if notice:
        messages.info(page.request, notice.text)
    return redirect(page.address(following.pk if following else None))


def refusal(candidate: Candidate) -> str:
    """Why a decision was refused: what the record is now, and who made it so."""
    if candidate.decision and candidate.decided_by:
        done = Decision(candidate.decision).label.lower()
        return (
            f"Not saved: {name_of(candidate.decided_by)} decided “{done}” on this record in the meantime. "
            "Look at it again; a decision of yours would replace that one."
        )
    return (
        "Not saved: this record changed in the meantime (another source's record was joined to it, or a decision was "
        "taken back). Look at it again and decide."
    )


@require_POST
@project_view(Right.SCREEN)
def undo_view(request: ProjectRequest, project: Project) -> HttpResponse:
    """Take back the person's last decision, or bulk of decisions, and show its record again."""
    page = Screen(request, project, read_queue(request.GET))
    form = UndoForm(request.POST)
    if not form.is_valid():
        return _not_undone(
            page, "That could not be read, so nothing was taken back. Reload the page and try again.", 422
        )
    try:
        undone = undo(project=project, actor=request.user, request_id=form.cleaned_data["request_id"])
    except NothingToUndo as error:
        return _not_undone(page, str(error), 409)
    first = Candidate.objects.for_card().get(pk=next(iter(undone.restored)))
    many = len(undone.restored)
    said = (
        f"Taken back: “{plain_text(first.title)}” stands at “{first.get_decision_display().lower()}” again."
        if many == 1
        else f"Taken back: {many:,} records have the decision they had before."
    )
    if undone.kept:
        said += f" {len(undone.kept):,} were decided anew since and stay as they are."
    if request.POST.get("from") == "list":
        messages.success(request, said)
        return redirect(f"{reverse('searches:candidates', args=[project.pk])}?{request.GET.urlencode()}".rstrip("?"))
    if wants_part(request):
        return page.answer(first, undone=said)
    messages.success(request, said)
    return redirect(page.address(first.pk))


def _not_undone(page: Screen, why: str, status: int) -> HttpResponse:
    if wants_part(page.request):
        record = page.request.POST.get("record", "")
        shown = candidate_of(page.project, record) if record else page.queue.rows(page.candidates).for_card().first()
        return page.answer(shown, status=status, notice=Notice("warn", why))
    messages.warning(page.request, why)
    return redirect(page.address(None))

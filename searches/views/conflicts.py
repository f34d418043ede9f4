"""The conflict room, for leads alone: both votes with their reasons side by side, settled by one or two keys."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from django import forms
from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from litapp.core.markup import plain_text
from litapp.projects.models import Project
from litapp.projects.permissions import ProjectRequest, Right, project_view
from litapp.web.numbers import row_number
from searches.blinding import stages_of
from searches.models import Candidate, Decision, RecordNote, Stage
from searches.services.criteria import newest_version
from searches.services.refusals import DecisionRefused
from searches.services.resolving import conflicts, resolve, seen_of, votes_on
from searches.views.decision_keys import DECISION_KEYS_OF
from searches.views.highlights import marks_for, marks_json
from searches.views.record_card import record_card
from searches.views.screening import last_decision
from searches.views.stage_names import stage_named


class ResolutionForm(forms.Form):
    """How a conflict is settled; `seen` names the votes that the page showed."""

    decision = forms.ChoiceField(required=False, choices=[choice for choice in Decision.choices if choice[0]])
    request_id = forms.UUIDField()
    seen = forms.CharField(max_length=400)
    criterion_id = forms.IntegerField(required=False, min_value=1)
    criteria = forms.IntegerField(required=False, min_value=1)
    reason = forms.CharField(required=False, max_length=300)

    def clean(self) -> dict[str, Any]:
        """A criterion alone excludes."""
        data = super().clean() or {}
        if "decision" not in self.errors and not data.get("decision"):
            if not data.get("criterion_id"):
                self.add_error("decision", "Choose how to settle it.")
            data["decision"] = Decision.EXCLUDE.value
        return data


@never_cache
@require_GET
@project_view(Right.SETTLE)
def conflict_room(request: ProjectRequest, project: Project, stage: str) -> HttpResponse:
    """The conflict that the address names, or the first; with the way to the next."""
    stage = stage_named(stage)
    stages = stages_of(project)
    waiting = conflicts(project, stage)
    wanted = row_number(request.GET.get("record", ""))
    rows = waiting.for_card()
    candidate = rows.filter(pk=wanted).first() if wanted else None
    candidate = candidate or (rows.filter(pk__gt=wanted).first() if wanted else None) or rows.first()
    marks = marks_for(project, request.user)
    context: dict[str, Any] = {
        "project": project,
        "stage": stages[stage],
        "stages": [stages[name] for name in Stage.values if stages[name].in_use],
        "left": waiting.count(),
        "candidate": candidate,
        "criteria": newest_version(project),
        "keys": DECISION_KEYS_OF[stages[stage].keys],
        "marks_json": marks_json(marks),
        "request_id": uuid4(),
        "undo_id": uuid4(),
        "last": last_decision(project, request.user, stage),
    }
    if candidate is not None:
        votes = votes_on(candidate, stage)
        context |= {
            "card": record_card(candidate),
            "votes": votes,
            "seen": seen_of(votes),
            "notes": RecordNote.objects.filter(candidate=candidate, removed_at=None).select_related("person"),
            "behind": waiting.filter(pk__gt=candidate.pk).values_list("pk", flat=True).first(),
            "in_front": waiting.filter(pk__lt=candidate.pk).order_by("-pk").values_list("pk", flat=True).first(),
        }
    return render(request, "searches/conflicts.html", context)


@require_POST
@project_view(Right.SETTLE)
def resolve_view(request: ProjectRequest, project: Project, candidate_id: int, stage: str) -> HttpResponse:
    """Settle a conflict and go on to the next."""
    stage = stage_named(stage)
    candidate = Candidate.objects.filter(project=project, pk=candidate_id).first()
    if candidate is None:
        raise Http404("no such record in this project")
    form = ResolutionForm(request.POST)
    back = reverse("searches:conflicts", args=[project.pk, stage])
    if not form.is_valid():
        messages.warning(request, "That could not be read, so nothing was settled. Try again.")
        return redirect(f"{back}?record={candidate_id}")
    try:
        done = resolve(project=project, candidate_id=candidate_id, actor=request.user, stage=stage, **form.cleaned_data)
    except DecisionRefused as refused:
        messages.warning(request, f"Not settled: {refused}")
        return redirect(f"{back}?record={candidate_id}")
    except ValueError:
        messages.warning(request, "That criterion is not of this project. Reload the page.")
        return redirect(f"{back}?record={candidate_id}")
    messages.success(request, f"Settled: {Decision(done.decision).label.lower()} “{plain_text(candidate.title)}”.")
    return redirect(f"{back}?record={candidate_id}")

"""Agreement and progress of the team, for leads alone."""

from __future__ import annotations

from django import forms
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from litapp.projects.models import Project
from litapp.projects.permissions import ProjectRequest, Right, project_view
from searches.blinding import stages_of
from searches.models import Stage
from searches.team import criteria_in_conflict, paces, periods, read_pairs
from searches.views.stage_names import stage_named


class PeriodForm(forms.Form):
    """The days of the later vote, both included."""

    start = forms.DateField(label="From", required=False, widget=forms.DateInput(attrs={"type": "date"}))
    end = forms.DateField(label="To", required=False, widget=forms.DateInput(attrs={"type": "date"}))


@require_GET
@project_view(Right.SETTLE)
def agreement_page(request: ProjectRequest, project: Project, stage: str) -> HttpResponse:
    """How far each pair agrees, live; who has come how far; which criteria people disagree on."""
    stage = stage_named(stage)
    form = PeriodForm(request.GET)
    days = form.cleaned_data if form.is_valid() else {}
    stages = stages_of(project)
    context = {
        "project": project,
        "form": form,
        "stage": stages[stage],
        "stages": [stages[name] for name in Stage.values if stages[name].in_use],
        "periods": periods(read_pairs(project, stage, days.get("start"), days.get("end"))),
        "paces": paces(project, stage),
        "criteria": criteria_in_conflict(project, stage),
    }
    return render(request, "searches/agreement.html", context)

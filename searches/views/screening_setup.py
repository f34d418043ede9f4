"""How a project is screened: stages, criteria, calibration, assignment. Everybody may read it, leads change it."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.models import User
from django.db.models import F
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from litapp.projects.models import Project
from litapp.projects.permissions import ProjectRequest, Right, may, project_view
from litapp.web.numbers import row_number
from searches.blinding import stages_of, viewer_of
from searches.models import KeyPreset, Label, ScreeningStage, Sharing, Stage, StageRecord
from searches.seen import states
from searches.services import stages as services
from searches.services.assignments import assign_by_label, assign_by_share, shares_of, without_screeners
from searches.services.criteria import CriteriaProblem, Wanted, criteria_save, newest_version
from searches.services.stages import Settings, StageProblem, screeners_of
from searches.views.decision_keys import DECISION_KEYS_OF
from searches.views.remarks import own_words
from searches.views.stage_names import stage_named

ACTS = (
    ("include", "Include"),
    ("exclude", "Exclude"),
    ("maybe", "Maybe"),
    ("undo", "Undo"),
    ("next", "Next record"),
    ("previous", "Record before"),
    ("note", "Note"),
    ("label", "Label"),
    ("highlights", "Marks on or off"),
)
"""What a person can put another key on: name of `data-act`, its words."""
EMPTY_ROWS = 3
"""Places for new criteria below those that are there."""


class StageForm(forms.Form):
    """What a lead chooses for a stage."""

    in_use = forms.BooleanField(required=False)
    screeners = forms.TypedChoiceField(coerce=int, choices=((1, "One"), (2, "Two")))
    blind = forms.BooleanField(required=False)
    sharing = forms.ChoiceField(choices=Sharing.choices)
    keys = forms.ChoiceField(choices=KeyPreset.choices)


def _card(request: ProjectRequest, row: ScreeningStage) -> dict[str, Any]:
    """What the page shows of a stage; numbers that follow from votes only to those who may know them."""
    project = request.membership.project
    viewer = viewer_of(request.membership, row.stage)
    lead = may(request.membership, Right.SETTLE)
    round_records = StageRecord.objects.filter(project=project, stage=row.stage, pilot=True)
    pilot_open = round_records.filter(votes__lt=F("needed"))
    return {
        "row": row,
        "states": states(viewer),
        "shares": shares_of(project, row.stage) if lead and row.pk else [],
        "without": without_screeners(project, row.stage) if lead and row.sharing == Sharing.ASSIGNED else 0,
        "pilot_waits": pilot_open.count() if lead and row.pilot_open else 0,
        "key_list": DECISION_KEYS_OF[row.keys],
    }


@never_cache
@require_GET
@project_view(Right.VIEW)
def setup(request: ProjectRequest, project: Project) -> HttpResponse:
    """The page; for screeners what holds, for leads with forms."""
    stages = stages_of(project)
    criteria = newest_version(project)
    content = criteria.content if criteria else []
    lead = may(request.membership, Right.SETTLE)
    labels = Label.objects.filter(project=project) if lead else Label.objects.none()
    context = {
        "project": project,
        "cards": [_card(request, stages[name]) for name in Stage.values],
        "criteria": criteria,
        "criteria_rows": [*content, *({"id": "", "text": "", "prisma_text": ""} for _ in range(EMPTY_ROWS))],
        "sharings": Sharing.choices,
        "presets": [(value, label, DECISION_KEYS_OF[value]) for value, label in KeyPreset.choices],
        "screeners": screeners_of(project),
        "labels": list(labels),
        "secret": stages.secret,
        "acts": ACTS,
        **own_words(project, request.user),
    }
    return render(request, "searches/screening.html", context)


@require_POST
@project_view(Right.SETTLE)
def stage_change(request: ProjectRequest, project: Project, stage: str) -> HttpResponse:
    """Set, unblind, close or reopen a stage (`act`)."""
    stage = stage_named(stage)
    act = request.POST.get("act", "set")
    try:
        if act == "unblind":
            services.stage_unblind(project=project, actor=request.user, stage=stage)
            said = "The blinding is lifted: all who screen see all votes now. The history tells it."
        elif act == "close":
            services.stage_close(project=project, actor=request.user, stage=stage)
            said = "The stage is closed: no votes any more, and everybody sees the outcomes."
        elif act == "reopen":
            services.stage_reopen(project=project, actor=request.user, stage=stage)
            said = "The stage takes votes again."
        else:
            said = _set(request, project, stage)
        messages.success(request, said)
    except StageProblem as problem:
        messages.warning(request, str(problem))
    return redirect("searches:screening", project.pk)


def _set(request: ProjectRequest, project: Project, stage: str) -> str:
    form = StageForm(request.POST)
    if not form.is_valid():
        raise StageProblem("That could not be read, so nothing was changed. Reload the page and try again.")
    wanted = Settings(**form.cleaned_data)
    if stage == Stage.TITLE:
        wanted = Settings(**{**form.cleaned_data, "in_use": True})
    services.stage_set(project=project, actor=request.user, stage=stage, wanted=wanted)
    return "Saved."


@require_POST
@project_view(Right.SETTLE)
def pilot_change(request: ProjectRequest, project: Project, stage: str) -> HttpResponse:
    """Start a calibration round, or lock it."""
    stage = stage_named(stage)
    try:
        if request.POST.get("act") == "lock":
            services.pilot_lock(project=project, actor=request.user, stage=stage)
            messages.success(request, "The calibration round is locked. Settle its conflicts, then screen the rest.")
        else:
            size = row_number(request.POST.get("size", "")) or 0
            services.pilot_start(project=project, actor=request.user, stage=stage, size=size)
            messages.success(request, f"The calibration round has begun: {size:,} records for everybody who screens.")
    except StageProblem as problem:
        messages.warning(request, str(problem))
    return redirect("searches:screening", project.pk)


@require_POST
@project_view(Right.SETTLE)
def criteria_change(request: ProjectRequest, project: Project) -> HttpResponse:
    """Save the list as a new version."""
    texts, others = request.POST.getlist("text"), request.POST.getlist("prisma_text")
    ids = request.POST.getlist("id")
    others += [""] * (len(texts) - len(others))
    ids += [""] * (len(texts) - len(ids))
    wanted = [
        Wanted(text, other, row_number(pk)) for text, other, pk in zip(texts, others, ids, strict=False) if text.strip()
    ]
    number = row_number(request.POST.get("number", "")) or 0
    try:
        version = criteria_save(
            project=project, actor=request.user, wanted=wanted, number=number, why=request.POST.get("why", "")
        )
        messages.success(request, f"The criteria are version {version.number} now.")
    except CriteriaProblem as problem:
        messages.warning(request, f"Not saved: {problem}")
    return redirect("searches:screening", project.pk)


@require_POST
@project_view(Right.SETTLE)
def assign(request: ProjectRequest, project: Project, stage: str) -> HttpResponse:
    """Give records to people: by share of each, or those with a label to the chosen."""
    stage = stage_named(stage)
    people = screeners_of(project)
    try:
        label_id = row_number(request.POST.get("label", ""))
        if label_id is not None:
            label = Label.objects.filter(project=project, pk=label_id).first()
            if label is None:
                raise StageProblem("That label is not there any more.")
            chosen = [person.pk for person in people if request.POST.get(f"share-{person.pk}", "0") not in ("", "0")]
            given = assign_by_label(project=project, actor=request.user, stage=stage, label=label, people=chosen)
        else:
            given = assign_by_share(project=project, actor=request.user, stage=stage, shares=_shares(request, people))
        messages.success(request, f"{given:,} times a record was given to a screener.")
    except StageProblem as problem:
        messages.warning(request, str(problem))
    return redirect("searches:screening", project.pk)


def _shares(request: ProjectRequest, people: list[User]) -> dict[int, int]:
    return {person.pk: row_number(request.POST.get(f"share-{person.pk}", "")) or 0 for person in people}

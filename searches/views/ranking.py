"""Prioritised screening: how the project ranks, how far it is, and when it may stop."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from django import forms
from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from litapp.projects.models import Project
from litapp.projects.permissions import ProjectRequest, Right, project_view
from searches.blinding import sees_outcomes, viewer_of
from searches.models import Ranking, StoppingSample
from searches.ranked import order_of
from searches.services.ranking import CONTROL_SHARE, SHARES, label_counts, ranking_start, ranking_stop
from searches.services.ranking_stopping import (
    SampleRefused,
    certificate_accept,
    control_estimate,
    progress_of,
    read_of,
    sample_close,
    sample_draw,
    size_needed,
)

SHARE_CHOICES = [(str(share), f"{share:.0%} of the records" if share else "None") for share in SHARES]
LEVELS = [(str(level / 100), f"{level} %") for level in (80, 90, 95, 99)]


class StartForm(forms.Form):
    """The share of records that are drawn at random."""

    control_share = forms.ChoiceField(
        label="Random control stream",
        choices=SHARE_CHOICES,
        initial=str(CONTROL_SHARE),
        help_text="Records drawn by chance stand between the ranked ones, so that all relevant ones can be estimated.",
    )


class SampleForm(forms.Form):
    """What the sample shall show."""

    target = forms.ChoiceField(label="Recall to show", choices=LEVELS, initial="0.95")
    confidence = forms.ChoiceField(label="Confidence", choices=LEVELS, initial="0.95")
    size = forms.IntegerField(label="Records in the sample", min_value=1, max_value=100_000)
    request_id = forms.UUIDField(widget=forms.HiddenInput)


@never_cache
@require_GET
@project_view(Right.VIEW)
def ranking_page(request: ProjectRequest, project: Project) -> HttpResponse:
    """The page; what follows from everybody's decisions only to those who may know it."""
    return _page(request, project)


def _page(request: ProjectRequest, project: Project, form: SampleForm | None = None, status: int = 200) -> HttpResponse:
    ranking = Ranking.objects.filter(project=project).first()
    viewer = viewer_of(request.membership)
    context: dict[str, Any] = {
        "project": project,
        "ranking": ranking,
        "start_form": StartForm(),
        "viewer": viewer,
        "outcomes": sees_outcomes(request.membership),
    }
    if ranking is not None:
        person = request.user.pk if viewer.own else None
        relevant, irrelevant = label_counts(project, person)
        context |= {
            "order": order_of(viewer),
            "waiting": ranking.orders.filter(person=person).exclude(message="").first(),
            "labels": relevant + irrelevant,
            "relevant": relevant,
        }
    if ranking is not None and context["outcomes"]:
        context |= _stopping(ranking, form)
    return render(request, "searches/ranking.html", context, status=status)


def _stopping(ranking: Ranking, form: SampleForm | None) -> dict[str, Any]:
    samples = list(ranking.samples.select_related("drawn_by", "accepted_by").order_by("-number"))
    waiting = next((sample for sample in samples if sample.is_open), None)
    needed = None if waiting else size_needed(ranking, target=0.95, confidence=0.95)
    return {
        "progress": progress_of(ranking.project),
        "estimate": control_estimate(ranking),
        "samples": samples,
        "waiting_sample": waiting,
        "sample_read": read_of(waiting) if waiting else 0,
        "needed": needed,
        "sample_form": form or SampleForm(initial={"size": needed, "request_id": uuid4()}),
    }


@require_POST
@project_view(Right.SETTLE)
def ranking_switch(request: ProjectRequest, project: Project) -> HttpResponse:
    """Switch prioritised screening on (with `control_share`, the first time) or off (`act`)."""
    if request.POST.get("act") == "stop":
        ranking_stop(project=project, actor=request.user)
        messages.success(request, "Prioritised screening is off. The queue has its other orders.")
        return redirect("searches:ranking", project.pk)
    form = StartForm(request.POST)
    known = Ranking.objects.filter(project=project).exists()
    if not form.is_valid() and not known:
        messages.warning(request, "Choose one of the shares offered. Nothing was changed.")
        return redirect("searches:ranking", project.pk)
    share = CONTROL_SHARE if known else float(form.cleaned_data["control_share"])
    ranking_start(project=project, actor=request.user, control_share=share)
    messages.success(request, "Prioritised screening is on. The first order is made in the background.")
    return redirect("searches:ranking", project.pk)


@require_POST
@project_view(Right.SETTLE)
def ranking_sample(request: ProjectRequest, project: Project) -> HttpResponse:
    """Draw the random sample for the stopping test."""
    form = SampleForm(request.POST)
    if not form.is_valid():
        return _page(request, project, form, status=422)
    data = form.cleaned_data
    try:
        sample = sample_draw(
            project=project, actor=request.user, request_id=data["request_id"], size=data["size"],
            target=float(data["target"]), confidence=float(data["confidence"]),
        )  # fmt: skip
    except SampleRefused as refused:
        messages.warning(request, f"No sample was drawn. {refused}")
        return redirect("searches:ranking", project.pk)
    messages.success(request, f"{sample.size:,} records were drawn. They come first in every screener's queue now.")
    return redirect("searches:ranking", project.pk)


@require_POST
@project_view(Right.SETTLE)
def ranking_accept(request: ProjectRequest, project: Project, sample_id: int) -> HttpResponse:
    """A lead accepts the result of a sample: the certificate."""
    sample = StoppingSample.objects.filter(pk=sample_id, ranking__project=project).first()
    if sample is None:
        raise Http404("no such sample in this project")
    if sample.is_open:
        sample = sample_close(ranking=sample.ranking) or sample
    try:
        certificate_accept(sample=sample, actor=request.user)
    except SampleRefused as refused:
        messages.warning(request, str(refused))
    else:
        messages.success(request, "Accepted under your name. The certificate and its text stand below.")
    return redirect("searches:ranking", project.pk)

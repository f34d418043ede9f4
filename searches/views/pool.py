"""A reference pool for a manuscript: the form, the pool by category, and what of it is taken in."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from django import forms
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.cache import patch_vary_headers
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from litapp.projects.models import Project
from litapp.projects.permissions import ProjectRequest, Right, project_view
from litapp.verification.models import VerdictStatus
from litapp.web.htmx import fingerprint, redirect_page, unchanged, wants_part
from searches.models import FoundPaper, Mode, PaperSearch, SearchPlanVersion
from searches.services.mode_searches import SearchProblem
from searches.services.mode_taking import REFERENCE_POOL
from searches.services.pool import FEWEST, MOST, Scope, groups_of, pool_begin
from searches.services.pool_named import DESIGNS
from searches.services.quick_cite import recent
from searches.views.mode_page import asked_number, mode_context, take_chosen


class PoolForm(forms.Form):
    """What the manuscript is about, and what the pool may hold."""

    topic = forms.CharField(label="What is the manuscript about?", max_length=2000)
    design = forms.ChoiceField(label="Design of the study", choices=list(DESIGNS.items()), required=False)
    names = forms.CharField(
        label="Named methods, models, scores, equations, criteria", required=False, max_length=4000,
        widget=forms.Textarea(attrs={"rows": 5, "spellcheck": "false"}),
    )  # fmt: skip
    cap = forms.IntegerField(label="The journal's limit of references", required=False, min_value=1, max_value=1000)
    year_from = forms.IntegerField(label="Published from", required=False, min_value=1800, max_value=2100)
    year_to = forms.IntegerField(label="Published until", required=False, min_value=1800, max_value=2100)
    languages = forms.CharField(label="Languages", required=False, max_length=100)
    leave_out = forms.CharField(
        label="Leave out papers that speak of", required=False, max_length=500,
        widget=forms.Textarea(attrs={"rows": 3}),
    )  # fmt: skip

    def clean(self) -> dict[str, Any]:
        """Years in their order."""
        data = super().clean() or {}
        if data.get("year_from") and data.get("year_to") and data["year_from"] > data["year_to"]:
            self.add_error("year_to", "This is before the first year.")
        return data

    def scope(self) -> Scope:
        """The valid form as a scope."""
        data = self.cleaned_data
        lines = [line.strip() for line in data["leave_out"].splitlines()]
        return Scope(
            topic=data["topic"],
            cap=data["cap"],
            year_from=data["year_from"],
            year_to=data["year_to"],
            languages=tuple(data["languages"].replace(",", " ").lower().split()),
            leave_out=tuple(line for line in lines if line),
            design=data["design"],
            names=data["names"],
        )


@project_view(Right.VIEW)
@never_cache
@require_GET
def pools(request: ProjectRequest, project: Project) -> HttpResponse:
    """The form, with the query of the newest plan as topic (`again` = a pool whose scope is taken over), and the pools
    that were made before."""
    before = request.GET.get("again", "")
    if before.isdecimal():
        asked = dict(_search(project, int(before[:18])).question)
        asked |= {"languages": " ".join(asked["languages"]), "leave_out": "\n".join(asked["leave_out"])}
        return _form_page(request, project, PoolForm(initial=asked))
    newest = SearchPlanVersion.objects.of_project(project).first()
    query = next((q.boolean for q in newest.plan_content.queries if q.boolean.strip()), "") if newest else ""
    return _form_page(request, project, PoolForm(initial={"topic": query}))


def _form_page(request: ProjectRequest, project: Project, form: PoolForm, status: int = 200) -> HttpResponse:
    context = {
        "form": form,
        "searches": recent(project, Mode.POOL, 20),
        "request_id": uuid4(),
        "fewest": FEWEST,
        "most": MOST,
    }
    return render(request, "searches/pool_list.html", context, status=status)


@project_view(Right.VERIFY)
@require_POST
def pool_new(request: ProjectRequest, project: Project) -> HttpResponse:
    """Begin to gather a pool."""
    form = PoolForm(request.POST)
    if not form.is_valid():
        return _form_page(request, project, form, status=422)
    try:
        search = pool_begin(project=project, actor=request.user, request_id=asked_number(request), scope=form.scope())
    except SearchProblem as problem:
        form.add_error("topic", str(problem))
        return _form_page(request, project, form, status=422)
    return redirect_page(request, reverse("searches:pool", args=[project.pk, search.pk]))


def _search(project: Project, search_id: int) -> PaperSearch:
    rows = PaperSearch.objects.select_related("project", "requested_by")
    return get_object_or_404(rows, pk=search_id, project=project, mode=Mode.POOL)


def is_against(paper: FoundPaper) -> bool:
    """Its check found that it is not the paper it seems to be."""
    return paper.verification is not None and paper.verification.status == VerdictStatus.SUSPECT


@project_view(Right.VIEW)
@never_cache
@require_GET
def pool(request: ProjectRequest, project: Project, pool_id: int) -> HttpResponse:
    """The pool by category; the changing part alone for htmx while sources answer."""
    search = _search(project, pool_id)
    papers = list(search.papers.select_related("main_record", "verification__manual_by", "candidate"))
    kept = [paper for paper in papers if not paper.cut and not is_against(paper)]
    verified = sum(p.verification is not None and p.verification.status == VerdictStatus.VERIFIED for p in kept)
    seen = fingerprint([search.state, search.done, len(papers), verified, [p.candidate_id for p in papers]])
    if wants_part(request) and request.GET.get("seen") == seen:
        return unchanged()
    context = {
        **mode_context(search, seen),
        "report": search.result,
        "groups": groups_of(kept),
        "kept": len(kept),
        "verified": verified,
        "against": [paper for paper in papers if is_against(paper)],
        "cut": [paper for paper in papers if paper.cut],
        "missing": [one for one in search.result.get("named", []) if one["state"] != "found"],
        "design": DESIGNS.get(search.question["design"], ""),
        "counted_under": REFERENCE_POOL,
        "fewest": FEWEST,
    }
    part = "#found" if wants_part(request) else ""
    response = render(request, f"searches/pool.html{part}", context)
    patch_vary_headers(response, ["HX-Request"])
    return response


@project_view(Right.RUN)
@require_POST
def pool_take(request: ProjectRequest, project: Project, pool_id: int) -> HttpResponse:
    """Make candidates of the chosen papers (`papers`)."""
    search = _search(project, pool_id)
    take_chosen(request, search)
    return redirect_page(request, reverse("searches:pool", args=[project.pk, search.pk]))

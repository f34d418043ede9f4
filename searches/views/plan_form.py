"""Writing a plan: a new one, a draft, and a draft that somebody else saved meanwhile."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from litapp.core.filters import ALL_FILTERS, SearchFilter
from litapp.core.filters.applied import filter_library, filters_in
from litapp.core.patient_details import patient_details
from litapp.core.plan import SearchPlan, plan_from_dict
from litapp.core.querylang.editing import block_labels
from litapp.core.querylang.question import calls_for_chinese_sources
from litapp.projects.models import Event, Project
from litapp.projects.people import name_of
from litapp.projects.permissions import ProjectRequest, Right, project_view
from litapp.providers.registry import answering
from litapp.web.htmx import redirect_page
from litapp.web.once import once
from searches.forms import BaseQueryFormSet, PlanForm, QueryForm, QueryFormSet, initial_of, initial_queries
from searches.models import SearchPlanVersion
from searches.services.first_draft import suspicions_of
from searches.services.limit_costs import LimitCosts, limit_costs, limits_of
from searches.services.plans import (
    PlanFrozen,
    StaleDraft,
    plan_create,
    plan_new_version,
    plan_problems,
    plan_save,
)
from searches.services.term_origins import origins_keep, origins_of, origins_read
from searches.views.marked_text import CheckedQuery, checked_query
from searches.views.plan_comparison import plan_changes, plan_fields
from searches.views.plan_grid import BlockShown, blocks_shown
from searches.views.plan_repairs import query_text
from searches.views.plan_sources import SourceChoice, source_choices
from searches.views.plan_typing import after_button
from searches.views.plans import version_of


@dataclass(frozen=True)
class QueryItem:
    """One query of the form: its fields, what was found in its text, and the blocks a heading may go into."""

    place: int
    form: QueryForm
    origins: dict[str, str]

    @cached_property
    def text(self) -> str:
        """The PubMed query as it stands in the form."""
        return str(self.form["boolean"].value() or "")

    @cached_property
    def checked(self) -> CheckedQuery:
        """The text with what was found in it."""
        return checked_query(self.text)

    @cached_property
    def blocks(self) -> tuple[str, ...]:
        """Names of the text's blocks."""
        return block_labels(self.text)

    @cached_property
    def filters(self) -> tuple[SearchFilter, ...]:
        """Published filters that the query holds."""
        return filters_in(self.text, ALL_FILTERS)

    @property
    def venues(self) -> str:
        """Journals as they were typed, for a limit."""
        return str(self.form.data.get(self.form.add_prefix("venues"), ""))

    @cached_property
    def grid(self) -> tuple[BlockShown, ...]:
        """The blocks with their terms and where each came from; () for a query that is too long to be shown so."""
        return blocks_shown(self.text, self.origins)


@project_view(Right.PLAN)
@never_cache
@require_http_methods(["GET", "POST"])
def plan_new(request: ProjectRequest, project: Project) -> HttpResponse:
    """An empty form; the first save makes plan and version 1."""
    if request.method == "GET":
        choices = source_choices()
        usable = [choice.source.key for choice in choices if choice.state.usable]
        # bioRxiv's search is a second question to Crossref, and Europe PMC holds the same preprints: a person's choice
        form = PlanForm(initial={"sources": [key for key in usable if answering(key) == key]})
        return _form_page(request, project, None, form, _queries(project, initial=[{}]), choices=choices)
    form, queries = PlanForm(request.POST), _queries(project, data=request.POST)
    if answer := _not_yet_saved(request, project, None, form, queries):
        return answer
    user, data = request.user, form.cleaned_data

    def make() -> str:
        version = plan_create(project=project, actor=user, title=data["title"], content=form.content(queries.queries()))
        origins_keep(version=version, actor=user, origins=origins_read(data["origins"]))
        return reverse("searches:plan", args=[project.pk, version.pk])

    address = once(request_id=data["request_id"], user=user, make=make) if data["request_id"] else make()
    messages.success(request, "Draft saved. Nothing is searched before it is approved.")
    _tell_dropped(request, queries)
    return redirect_page(request, _with_count(request, address, plan_from_dict(form.content(queries.queries()))))


@project_view(Right.PLAN)
@never_cache
@require_http_methods(["GET", "POST"])
def plan_edit(request: ProjectRequest, project: Project, version_id: int) -> HttpResponse:
    """A draft. A save on an older revision answers 409 with both texts; nothing typed is lost."""
    version = version_of(project, version_id)
    if version.is_frozen and request.method == "GET":
        messages.info(request, str(PlanFrozen(version)))
        return redirect("searches:plan", project.pk, version.pk)
    if request.method == "GET":
        initial = {**initial_of(version.plan.title, version.content), "revision": version.revision}
        queries = _queries(project, initial=initial_queries(version.content))
        return _form_page(request, project, version, PlanForm(initial=initial, stored=version.content), queries)
    form = PlanForm(request.POST, stored=version.content)
    queries = _queries(project, data=request.POST)
    if answer := _not_yet_saved(request, project, version, form, queries):
        return answer
    content, revision = form.content(queries.queries()), form.cleaned_data["revision"] or 0
    if request.POST.get("then") == "new_version":
        frozen, version = version, plan_new_version(version=version, actor=request.user)
        revision = version.revision if version.content_hash == frozen.content_hash else 0
    try:
        saved = plan_save(
            version=version,
            actor=request.user,
            content=content,
            revision=revision,
            title=form.cleaned_data["title"],
        )
    except StaleDraft as stale:
        return _stale_page(request, project, stale.stored, form, queries, content)
    except PlanFrozen as frozen:
        return _stale_page(request, project, frozen.version, form, queries, content)
    origins_keep(version=saved, actor=request.user, origins=origins_read(form.cleaned_data["origins"]))
    messages.success(request, "Draft saved.")
    _tell_dropped(request, queries)
    address = reverse("searches:plan", args=[project.pk, version.pk])
    return redirect_page(request, _with_count(request, address, saved.plan_content))


@project_view(Right.PLAN)
@require_POST
def question_check(request: ProjectRequest, project: Project) -> HttpResponse:
    """What looks like details of a patient in the question, while it is being typed. Nothing is sent to a source."""
    suspicions = patient_details(request.POST.get("question", "")[:4_000])
    return render(request, "searches/plan_question_check.html", {"suspicions": suspicions})


@project_view(Right.PLAN)
@require_POST
def plan_check(request: ProjectRequest, project: Project) -> HttpResponse:
    """What is found in the one PubMed query that was sent, while it is being typed."""
    name = next((name for name in request.POST if name.endswith("boolean")), "")
    text = str(request.POST.get(name, ""))
    number = name.split("-")[1] if name.count("-") == 2 else ""
    context = {"checked": checked_query(text), "place": int(number) if number.isdigit() and len(number) < 4 else None}
    return render(request, "searches/plan_findings.html", context)


def _queries(project: Project, *, data: Any = None, initial: Any = None) -> BaseQueryFormSet:
    check = reverse("searches:plan_check", args=[project.pk])
    return QueryFormSet(data, prefix="queries", initial=initial, form_kwargs={"check_address": check})


def _tell_dropped(request: ProjectRequest, queries: BaseQueryFormSet) -> None:
    """An empty query is never dropped in silence."""
    for note in queries.dropped():
        messages.info(request, note)


def _with_count(request: ProjectRequest, address: str, content: SearchPlan) -> str:
    """Saving "and count": the plan page counts by itself when it opens, unless that would send a patient's details."""
    if request.POST.get("then") != "count":
        return address
    if suspicions_of(content):
        messages.warning(
            request, "Nothing was counted yet: the plan holds what looks like details of a patient. Look at it first."
        )
        return f"{address}#sources"
    return f"{address}?count=1#sources"


def _not_yet_saved(
    request: ProjectRequest, project: Project, version: SearchPlanVersion | None, form: PlanForm, queries: Any
) -> HttpResponse | None:
    """The form again: with a query more when that was asked for, with its errors when it cannot be read."""
    typed = after_button(request.POST, request.user.pk)
    valid = form.is_valid() & queries.is_valid()
    if typed is not None:
        changed = PlanForm(typed.data, stored=form.stored)
        again = PlanForm(initial=_typed(changed), stored=form.stored)
        costs = _costs(changed, typed.data, request.user.pk) if typed.costs_wanted else None
        queries = _queries(project, data=typed.data)
        return _form_page(request, project, version, again, queries, typed=typed, limit_costs=costs)
    if valid:
        return None
    return _form_page(request, project, version, form, queries, status=422)


def _costs(form: PlanForm, data: Any, user_id: int | None) -> LimitCosts | None:
    """What the limits of the form cost the first query; None when there is no limit or no query to count."""
    query = query_text(data, 0)
    form.fields["title"].required = False
    if not form.is_valid() or not query.strip():
        return None
    filters = plan_from_dict(form.content([])).filters
    return limit_costs(query=query, filters=filters, user_id=user_id) if limits_of(filters) else None


def _typed(form: PlanForm) -> dict[str, Any]:
    """What stands in a bound form, as start values (its errors are not shown yet)."""
    return {name: form[name].value() for name in form.fields}


def _form_page(
    request: ProjectRequest,
    project: Project,
    version: SearchPlanVersion | None,
    form: PlanForm,
    queries: Any,
    *,
    status: int = 200,
    choices: list[SourceChoice] | None = None,
    **more: Any,
) -> HttpResponse:
    problems = plan_problems(version.plan_content) if version and not form.is_bound else {}
    origins = {**origins_of(version.plan_id if version else None), **origins_read(str(form["origins"].value() or ""))}
    form.fields["question"].widget.attrs |= {
        "hx-post": reverse("searches:plan_question_check", args=[project.pk]),
        "hx-trigger": "input changed delay:500ms",
        "hx-target": "#question-check",
        "hx-params": "question",
        "hx-sync": "this:replace",
    }
    context = {
        "version": version,
        "form": form,
        "queries": queries,
        "query_items": [QueryItem(place, query, origins) for place, query in enumerate(queries.forms)],
        "library": filter_library(ALL_FILTERS),
        "chinese_sources": _calls_for_chinese(form),
        "suspicions": patient_details(str(form["question"].value() or "")),
        "problems": list(problems.values()),
        "choices": choices or source_choices(),
        "chosen": form["sources"].value() or [],
        **more,
    }
    return render(request, "searches/plan_form.html", context, status=status)


def _stale_page(
    request: ProjectRequest,
    project: Project,
    stored: SearchPlanVersion,
    form: PlanForm,
    queries: Any,
    content: dict[str, Any],
) -> HttpResponse:
    """409: mine and theirs side by side, and the form with mine, ready to be saved over theirs on purpose."""
    stored = version_of(project, stored.pk)
    mine: SearchPlan = plan_from_dict(content)
    theirs = plan_fields(stored.plan_content, title=stored.plan.title)
    changes = plan_changes(theirs, plan_fields(mine, title=form.cleaned_data["title"]))
    typed = PlanForm(initial={**_typed(form), "revision": stored.revision}, stored=form.stored)
    return _form_page(
        request,
        project,
        stored,
        typed,
        queries,
        status=409,
        stale=True,
        frozen=stored.is_frozen,
        saved_by=name_of(_last_editor(stored)),
        changes=[change for change in changes if not change.same],
    )


def _calls_for_chinese(form: PlanForm) -> bool:
    texts = [str(form[name].value() or "") for name in ("title", "question", "population", "intervention")]
    return calls_for_chinese_sources(*texts, languages=tuple(form["languages"].value() or ()))


def _last_editor(version: SearchPlanVersion) -> Any:
    subject = f"plan_version:{version.pk}"
    event = (
        Event.objects.filter(project=version.plan.project_id, subject=subject, verb__startswith="plan.")
        .select_related("actor")
        .order_by("-sequence")
        .first()
    )
    return event.actor if event else version.created_by

"""Where decisions arrive: one, from the screening page, the list or a candidate's page; many, with a preview first."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

from django import forms
from django.contrib import messages
from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST

from litapp.projects.models import Project
from litapp.projects.permissions import ProjectRequest, Right, project_view
from litapp.web.numbers import row_number
from searches.blinding import Viewer, viewer_of
from searches.models import Candidate, Decision, ScreeningDecision
from searches.seen import with_seen
from searches.services.refusals import DecisionRefused
from searches.services.screening import MOST_AT_ONCE, decide_many
from searches.views.candidate_filters import CandidateFilterForm, matching, read_list_query
from searches.views.candidate_row import decide_in_list, decide_on_page
from searches.views.screening import candidate_of, decide_on_screen


@require_POST
@project_view(Right.SCREEN)
def decide_view(request: ProjectRequest, project: Project, candidate_id: int) -> HttpResponse:
    """One decision; the answer fits the page it was made on (`from` of the form)."""
    candidate = candidate_of(project, str(candidate_id))
    answers = {"list": decide_in_list, "candidate": decide_on_page}
    return answers.get(request.POST.get("from", ""), decide_on_screen)(request, project, candidate)


class BulkForm(forms.Form):
    """A decision on several candidates. `seen` is what the preview showed; empty asks for the preview."""

    decision = forms.ChoiceField(choices=[choice for choice in Decision.choices if choice[0]])
    request_id = forms.UUIDField(required=False)
    seen = forms.CharField(required=False, max_length=64)


@dataclass(frozen=True, slots=True)
class Selection:
    """The candidates that are meant: (id, decision, version) of each. `all_matching` = everything the filters show."""

    rows: tuple[tuple[int, str, int], ...]
    all_matching: bool

    @property
    def digest(self) -> str:
        """Changes when any of the candidates does, or when others would be meant."""
        return hashlib.sha256(repr(self.rows).encode()).hexdigest()

    def count(self, decision: str) -> int:
        return sum(1 for _, current, _ in self.rows if current == decision)


def selection_of(project: Project, posted: QueryDict, address: QueryDict, viewer: Viewer) -> Selection:
    """What a form selects: the ticked rows (`ids`), or with `all` everything that the address' filters show; with the
    decisions that the viewer sees."""
    candidates = Candidate.objects.listed(project)
    if posted.get("all"):
        query = read_list_query(CandidateFilterForm(address), "")
        candidates = matching(candidates, query, viewer)
    else:
        ids = [number for text in posted.getlist("ids") if (number := row_number(text)) is not None]
        candidates = candidates.filter(pk__in=ids[:MOST_AT_ONCE])
    rows = with_seen(candidates.order_by("pk"), viewer).values_list("pk", "seen", "version")
    return Selection(tuple(rows), bool(posted.get("all")))


@require_POST
@project_view(Right.SCREEN)
def decide_many_view(request: ProjectRequest, project: Project) -> HttpResponse:
    """A decision on many: first a page that says what would change, then, confirmed, the decision with one undo."""
    back = f"{reverse('searches:candidates', args=[project.pk])}?{request.GET.urlencode()}".rstrip("?")
    form = BulkForm(request.POST)
    if form.is_valid() and _applied(request, project, form.cleaned_data["request_id"]):
        messages.info(request, "That decision was saved already; it was applied once.")
        return redirect(back)
    selection = selection_of(project, request.POST, request.GET, viewer_of(request.membership))
    if not form.is_valid() or not selection.rows:
        messages.warning(request, "Choose at least one record and what to decide. Nothing was changed.")
        return redirect(back)
    if len(selection.rows) > MOST_AT_ONCE:
        messages.warning(
            request,
            f"{len(selection.rows):,} records match; at most {MOST_AT_ONCE:,} can be decided at once. "
            "Narrow the filters. Nothing was changed.",
        )
        return redirect(back)
    decision = Decision(form.cleaned_data["decision"])
    if form.cleaned_data["seen"] != selection.digest or not form.cleaned_data["request_id"]:
        return _preview(request, project, selection, decision, back, stale=bool(form.cleaned_data["seen"]))
    try:
        done = decide_many(
            project=project,
            actor=request.user,
            candidate_ids=[pk for pk, _, _ in selection.rows],
            decision=decision,
            request_id=form.cleaned_data["request_id"],
        )
    except DecisionRefused as refused:
        messages.warning(request, f"Nothing was changed: {refused}")
        return redirect(back)
    messages.success(
        request,
        f"{decision.label}: {len(done.changed):,} records changed"
        + (f", {done.unchanged:,} had this decision already, or are not yours to decide." if done.unchanged else ".")
        + " Undo takes all of them back at once.",
    )
    return redirect(back)


def _applied(request: ProjectRequest, project: Project, request_id: UUID | None) -> bool:
    """Whether this very form was carried out before (double click, reload)."""
    if request_id is None:
        return False
    mine = ScreeningDecision.objects.filter(project=project, reviewer=request.user, request_id=request_id)
    return mine.exists()


def _preview(
    request: ProjectRequest, project: Project, selection: Selection, decision: Decision, back: str, *, stale: bool
) -> HttpResponse:
    others = [value for value in Decision if value not in (decision, Decision.UNDECIDED)]
    context: dict[str, Any] = {
        "project": project,
        "decision": decision,
        "selection": selection,
        "total": len(selection.rows),
        "undecided": selection.count(Decision.UNDECIDED),
        "same": selection.count(decision),
        "replaced": [(value, number) for value in others if (number := selection.count(value))],
        "changing": len(selection.rows) - selection.count(decision),
        "request_id": uuid4(),
        "back": back,
        "stale": stale,
        "address_query": request.GET.urlencode(),
    }
    return render(request, "searches/candidates_bulk.html", context, status=409 if stale else 200)

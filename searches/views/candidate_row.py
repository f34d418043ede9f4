"""A candidate as a row of the list, and the answer to a decision that was made there."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID, uuid4

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from litapp.core.markup import plain_text
from litapp.projects.models import Project
from litapp.projects.permissions import ProjectRequest
from litapp.web.htmx import wants_part
from searches.models import Candidate, Decision
from searches.services.screening import StaleCandidate, decide
from searches.views.record_card import source_names
from searches.views.screening import DecisionForm, refusal

DECISION_KEYS = (("include", "Include", "v"), ("exclude", "Exclude", "x"), ("maybe", "Maybe", "m"))
"""Decision, its word, its key."""


@dataclass(frozen=True, slots=True)
class CandidateRow:
    """One row: the candidate, its sources' names, addresses, and the page's number for the next decision on it."""

    candidate: Candidate
    sources: str
    request_id: UUID
    title: str
    """The title without markup, for labels."""
    page: str
    evidence: str
    said: str = ""
    """A sentence on what just happened to this row."""


def candidate_row(candidate: Candidate, said: str = "") -> CandidateRow:
    """The row of a candidate. No query."""
    place = (candidate.project_id, candidate.pk)
    checked = candidate.verification_id
    return CandidateRow(
        candidate=candidate,
        sources=", ".join(source_names(candidate.sources, short=True)),
        request_id=uuid4(),
        title=plain_text(candidate.title),
        page=reverse("searches:candidate", args=place),
        evidence=reverse("verification:panel", args=(candidate.project_id, checked)) if checked else "",
        said=said,
    )


def decide_in_list(request: ProjectRequest, project: Project, candidate: Candidate) -> HttpResponse:
    """Store one decision and answer with the row as it is now (409 when somebody else was faster)."""
    form = DecisionForm(request.POST)
    status, said = 200, ""
    if form.is_valid():
        try:
            decide(project=project, candidate_id=candidate.pk, actor=request.user, **form.cleaned_data)
            said = f"Saved: {Decision(form.cleaned_data['decision']).label.lower()}."
        except StaleCandidate as stale:
            status, said = 409, refusal(Candidate.objects.for_card().get(pk=stale.candidate.pk))
    else:
        status, said = 422, "That decision could not be read, so nothing was saved. Please decide again."
    if wants_part(request):
        fresh = Candidate.objects.for_list().get(pk=candidate.pk)
        context = {
            "project": project,
            "row": candidate_row(fresh, said),
            "list_query": request.GET.urlencode(),
            "decision_keys": DECISION_KEYS,
        }
        return render(request, "searches/candidate_row.html", context, status=status)
    (messages.success if status == 200 else messages.warning)(request, said)
    return redirect(f"{reverse('searches:candidates', args=[project.pk])}?{request.GET.urlencode()}".rstrip("?"))


def decide_on_page(request: ProjectRequest, project: Project, candidate: Candidate) -> HttpResponse:
    """Store one decision made on the candidate's own page, and show that page again."""
    form = DecisionForm(request.POST)
    if form.is_valid():
        try:
            decide(project=project, candidate_id=candidate.pk, actor=request.user, **form.cleaned_data)
            messages.success(request, f"Saved: {Decision(form.cleaned_data['decision']).label.lower()}.")
        except StaleCandidate as stale:
            messages.warning(request, refusal(Candidate.objects.for_card().get(pk=stale.candidate.pk)))
    else:
        messages.warning(request, "That decision could not be read, so nothing was saved. Please decide again.")
    return redirect("searches:candidate", project.pk, candidate.pk)

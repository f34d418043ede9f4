"""A candidate as a row of the list, and the answer to a decision that was made there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID, uuid4

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from litapp.core.brought import BROUGHT
from litapp.core.markup import plain_text
from litapp.projects.models import Project
from litapp.projects.permissions import ProjectRequest
from litapp.web.htmx import wants_part
from litapp.web.templatetags.reading import arxiv_of
from searches.blinding import viewer_of
from searches.imported import BroughtBy, brought_by, is_not_cross_checked
from searches.models import Candidate, Decision
from searches.seen import dressed
from searches.services.refusals import DecisionRefused, StaleCandidate
from searches.services.screening import decide
from searches.views.decision_keys import decision_keys
from searches.views.record_card import source_names
from searches.views.screening import DecisionForm, refusal


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
    not_cross_checked: bool = False
    """It rests on nothing but what a person typed."""
    arxiv: str = ""
    """The arXiv id of a paper without PMID and DOI."""
    said: str = ""
    """A sentence on what just happened to this row."""


def candidate_rows(candidates: Sequence[Candidate]) -> list[CandidateRow]:
    """The rows of a page of candidates; two queries where imports brought some of them, one where some have neither
    PMID nor DOI."""
    brought = brought_by(row.pk for row in candidates if BROUGHT in row.sources)
    arxiv = arxiv_ids(candidates)
    return [candidate_row(row, brought=brought.get(row.pk, ()), arxiv=arxiv.get(row.pk, "")) for row in candidates]


def arxiv_ids(candidates: Sequence[Candidate]) -> dict[int, str]:
    """The arXiv id of those that have neither PMID nor DOI, by candidate: what a row shows in their place."""
    bare = [row.pk for row in candidates if not row.pmid and not row.doi]
    if not bare:
        return {}
    found = Candidate.objects.filter(pk__in=bare).values_list("pk", "record")
    return {pk: arxiv for pk, record in found if (arxiv := arxiv_of(record))}


def candidate_row(
    candidate: Candidate, said: str = "", *, brought: Sequence[BroughtBy] = (), arxiv: str = ""
) -> CandidateRow:
    """The row of a candidate; `brought` are the imports behind it. No query."""
    place = (candidate.project_id, candidate.pk)
    checked = candidate.verification_id
    return CandidateRow(
        candidate=candidate,
        sources=", ".join(found_by(candidate.sources, brought)),
        request_id=uuid4(),
        title=plain_text(candidate.title),
        page=reverse("searches:candidate", args=place),
        evidence=reverse("verification:panel", args=(candidate.project_id, checked)) if checked else "",
        not_cross_checked=is_not_cross_checked(
            candidate.sources, brought, candidate.verification.status if candidate.verification else ""
        ),
        arxiv=arxiv,
        said=said,
    )


def found_by(sources: Sequence[str], brought: Sequence[BroughtBy], *, short: bool = True) -> list[str]:
    """The names of the sources that found a paper; in place of "brought" the databases it was imported from."""
    databases = list(dict.fromkeys(one.label for one in brought if one.source == BROUGHT))
    rest = [key for key in sources if not (key == BROUGHT and databases)]
    return [*source_names(rest, short=short), *databases]


def decide_in_list(request: ProjectRequest, project: Project, candidate: Candidate) -> HttpResponse:
    """Store one decision and answer with the row as it is now (409 when somebody else was faster)."""
    form, viewer = DecisionForm(request.POST), viewer_of(request.membership)
    status, said = 200, ""
    if form.is_valid():
        try:
            decide(project=project, candidate_id=candidate.pk, actor=request.user, **form.cleaned_data)
            said = f"Saved: {Decision(form.cleaned_data['decision']).label.lower()}."
        except StaleCandidate as stale:
            status, said = 409, refusal(Candidate.objects.for_card().get(pk=stale.candidate.pk), viewer)
        except DecisionRefused as refused:
            status, said = 422, f"Not saved: {refused}"
    else:
        status, said = 422, "That decision could not be read, so nothing was saved. Please decide again."
    if wants_part(request):
        [fresh] = dressed([Candidate.objects.for_list().get(pk=candidate.pk)], viewer)
        context = {
            "project": project,
            "row": candidate_row(
                fresh,
                said,
                brought=brought_by([fresh.pk]).get(fresh.pk, ()),
                arxiv=arxiv_ids([fresh]).get(fresh.pk, ""),
            ),
            "list_query": request.GET.urlencode(),
            "decision_keys": decision_keys(viewer.stage.keys),
        }
        return render(request, "searches/candidate_row.html", context, status=status)
    (messages.success if status == 200 else messages.warning)(request, said)
    return redirect(f"{reverse('searches:candidates', args=[project.pk])}?{request.GET.urlencode()}".rstrip("?"))


def decide_on_page(request: ProjectRequest, project: Project, candidate: Candidate) -> HttpResponse:
    """Store one decision made on the candidate's own page, and show that page again."""
    form, viewer = DecisionForm(request.POST), viewer_of(request.membership)
    if form.is_valid():
        try:
            decide(project=project, candidate_id=candidate.pk, actor=request.user, **form.cleaned_data)
            messages.success(request, f"Saved: {Decision(form.cleaned_data['decision']).label.lower()}.")
        except StaleCandidate as stale:
            messages.warning(request, refusal(Candidate.objects.for_card().get(pk=stale.candidate.pk), viewer))
        except DecisionRefused as refused:
            messages.warning(request, f"Not saved: {refused}")
    else:
        messages.warning(request, "That decision could not be read, so nothing was saved. Please decide again.")
    return redirect("searches:candidate", project.pk, candidate.pk)

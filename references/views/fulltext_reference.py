"""One reference: files of its full text, places that were asked, why there is none, letters that ask for it."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.cache import patch_vary_headers
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from litapp.core.fulltext import BEHIND_A_WALL, NEEDS_A_PERSON, SILENT, TO_ASK, Outcome
from litapp.core.fulltext_reasons import REASONS, author_message, library_request
from litapp.jobs.models import StepState
from litapp.ledger.services.bodies import DamagedBody, open_body
from litapp.projects.installation import worker_runs
from litapp.projects.models import Project
from litapp.projects.permissions import ProjectRequest, Right, project_view
from litapp.providers.fulltext.places import landing_place, resolver_address
from litapp.verification.views.answer import answer_page
from litapp.web.htmx import fingerprint, redirect_page, unchanged, wants_part
from references.models import CopyState, FullText, FullTextAttempt, FullTextCopy, Reference, ResolverAddress
from references.services.fulltext_chain import LABELS
from references.services.fulltext_reads import STATES, best_copies, sections_of, with_states
from references.services.fulltext_requests import FullTextProblem, copy_withdraw, mark_not_retrieved, mark_open
from searches.models import ReportRetrieval

MEDIA = {FullTextCopy.Kind.PDF: ("application/pdf", "pdf"), FullTextCopy.Kind.XML: ("application/octet-stream", "xml")}


def reference_of(project: Project, reference_id: int) -> Any:
    """The reference with how its full text stands; 404 for one of another project."""
    rows = with_states(Reference.objects.filter(project=project)).select_related("candidate__verification", "project")
    return get_object_or_404(rows, pk=reference_id)


@project_view(Right.VIEW, shows_outcomes=True)
@never_cache
@require_GET
def reference_fulltext(request: ProjectRequest, project: Project, reference_id: int) -> HttpResponse:
    """The page; its changing part alone for htmx, while the search goes on."""
    reference = reference_of(project, reference_id)
    search = FullText.objects.filter(reference=reference).select_related("requested_by").first()
    attempts = list(FullTextAttempt.objects.filter(full_text=search).order_by("-round", "pk")) if search else []
    following = search is not None and search.state in (StepState.QUEUED, StepState.RUNNING)
    seen = fingerprint([search.state if search else "", search.message if search else "", len(attempts)])
    if wants_part(request):
        if not following:
            done = HttpResponse(status=204)
            done["HX-Refresh"] = "true"
            return done
        if request.GET.get("seen") == seen:
            return unchanged()
    record = reference.candidate.merged_record
    person = request.user.get_full_name()
    own = ResolverAddress.objects.filter(user=request.user).first()
    copies = FullTextCopy.objects.filter(reference=reference).select_related("brought_by", "decided_by")
    context = {
        "project": project,
        "reference": reference,
        "candidate": reference.candidate,
        "state_text": STATES[reference.full_text_state],
        "search": search,
        "following": following,
        "seen": seen,
        "worker_missing": following and not worker_runs(),
        "attempts": [_attempt(one) for one in attempts],
        "copies": [{"copy": one, "from": LABELS.get(one.source, one.source)} for one in copies],
        "accepted": [one for one in copies if one.state == CopyState.ACCEPTED],
        "ending": ReportRetrieval.objects.filter(candidate=reference.candidate).select_related("actor").first(),
        "reasons": list(REASONS.items()),
        "letters": (
            ("library", "Request to a library", library_request(record, asked_by=person)),
            ("author", "Message to the author", author_message(record, asked_by=person)),
        ),
        "landing": landing_place(record.doi).landing_url if record.doi else "",
        "resolver_link": resolver_address(own.address, record) if own else "",
    }
    part = "#search" if wants_part(request) else ""
    response = render(request, f"references/fulltext_reference.html{part}", context)
    patch_vary_headers(response, ["HX-Request"])
    return response


def _attempt(one: FullTextAttempt) -> dict[str, Any]:
    outcome = Outcome(one.outcome)
    tone = "ok" if outcome is Outcome.ACCEPTED else "accent" if outcome in TO_ASK else ""
    if outcome in BEHIND_A_WALL | NEEDS_A_PERSON | SILENT:
        tone = "warn"
    return {"attempt": one, "from": LABELS.get(one.source, one.source), "tone": tone}


@project_view(Right.VIEW, shows_outcomes=True)
@never_cache
@require_GET
def text(request: ProjectRequest, project: Project, reference_id: int) -> HttpResponse:
    """The text of the best copy: JATS by sections, a PDF by pages."""
    reference = reference_of(project, reference_id)
    copy = best_copies([reference.pk]).get(reference.pk)
    if copy is None:
        raise Http404("no full text")
    try:
        sections, damage = sections_of(copy), ""
    except DamagedBody as damaged:
        sections, damage = [], str(damaged)
    context = {
        "project": project, "reference": reference, "copy": copy, "from": LABELS.get(copy.source, copy.source),
        "sections": sections, "damage": damage,
    }  # fmt: skip
    return render(request, "references/fulltext_text.html", context)


@project_view(Right.VIEW, shows_outcomes=True)
@never_cache
@require_GET
def copy_file(request: ProjectRequest, project: Project, copy_id: int) -> HttpResponse:
    """The bytes of a file, as they came. Never shown within LitLedger's own pages: a foreign file stays a download."""
    copy = get_object_or_404(FullTextCopy.objects.select_related("reference"), pk=copy_id, project=project)
    try:
        with open_body(copy.sha256) as stream:
            body = stream.read()
    except DamagedBody as damaged:
        raise Http404(str(damaged)) from damaged
    media, ending = MEDIA.get(FullTextCopy.Kind(copy.kind), ("application/octet-stream", "bin"))
    name = f"{copy.reference.key if copy.reference else 'file'}-{copy.sha256[:8]}.{ending}"
    response = HttpResponse(body, content_type=media)
    response["Content-Disposition"] = f'attachment; filename="{_ascii(name)}"'
    response["X-Content-Type-Options"] = "nosniff"
    return response


def _ascii(name: str) -> str:
    return "".join(sign if sign.isascii() and (sign.isalnum() or sign in "-_.") else "_" for sign in name)


@project_view(Right.VIEW, shows_outcomes=True)
@never_cache
@require_GET
def attempt_answer(request: ProjectRequest, project: Project, attempt_id: int) -> HttpResponse:
    """The archived answer of one place."""
    rows = FullTextAttempt.objects.select_related("answer").exclude(answer=None)
    attempt = get_object_or_404(rows, pk=attempt_id, full_text__project=project)
    assert attempt.answer is not None
    return answer_page(request, project, attempt.answer)


def _back(request: ProjectRequest, reference: Reference) -> HttpResponse:
    address = reverse("references:fulltext_reference", args=[reference.project_id, reference.pk])
    return redirect_page(request, address)


@project_view(Right.REFERENCES, shows_outcomes=True)
@require_POST
def not_retrieved(request: ProjectRequest, project: Project, reference_id: int) -> HttpResponse:
    """A person's word: it cannot be had, and why; or (without a reason) it is sought again."""
    reference = reference_of(project, reference_id)
    reason = request.POST.get("reason", "")
    try:
        if request.POST.get("again"):
            mark_open(reference=reference, actor=request.user)
        else:
            mark_not_retrieved(
                reference=reference, actor=request.user, reason=reason, because=request.POST.get("because", "")
            )
            messages.success(request, f"{reference.key} counts as not retrieved.")
    except FullTextProblem as problem:
        messages.warning(request, str(problem))
    return _back(request, reference)


@project_view(Right.REFERENCES, shows_outcomes=True)
@require_POST
def withdraw(request: ProjectRequest, project: Project, copy_id: int) -> HttpResponse:
    """Take an accepted file back: it is not the paper."""
    rows = FullTextCopy.objects.filter(project=project, reference__isnull=False).select_related("reference")
    copy = get_object_or_404(rows, pk=copy_id)
    assert copy.reference is not None
    try:
        copy_withdraw(copy=copy, actor=request.user)
        messages.success(request, "The file does not count as its full text any more. It stays in the archive.")
    except FullTextProblem as problem:
        messages.warning(request, str(problem))
    return _back(request, copy.reference)

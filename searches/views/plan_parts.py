"""The block grid on a plan's page: hits of every term and block, counted on demand and kept with their date."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST

from litapp.projects.models import Project
from litapp.projects.permissions import ProjectRequest, Right, project_view
from litapp.verification.views.answer import answer_page
from litapp.web.htmx import redirect_page
from searches.models_plans import PartCount
from searches.services.part_counts import parts_count
from searches.views.plans import version_of


@project_view(Right.PLAN)
@require_POST
def plan_parts(request: ProjectRequest, project: Project, version_id: int) -> HttpResponse:
    """Count the parts of one query in PubMed, and show them on the plan's page."""
    version = version_of(project, version_id)
    number = request.POST.get("query", "")
    index = int(number) if number.isascii() and number.isdigit() and len(number) < 4 else -1
    done = parts_count(version=version, query_index=index, user_id=request.user.pk)
    if done.failed:
        messages.error(request, f"{done.failed} parts could not be counted: see there. This is no “0 hits”.")
    if done.counted:
        rest = f" {done.left} are left: count again for the rest." if done.left else ""
        messages.success(request, f"{done.counted} parts counted.{rest}")
    return redirect_page(request, reverse("searches:plan", args=[project.pk, version.pk]) + f"#grid-{max(index, 0)}")


@project_view(Right.VIEW)
@require_GET
def part_answer(request: ProjectRequest, project: Project, part_id: int) -> HttpResponse:
    """The archived answer behind the hits of a term or block."""
    counted = PartCount.objects.select_related("answer").filter(plan__project=project)
    row = get_object_or_404(counted.exclude(answer=None), pk=part_id)
    assert row.answer is not None
    return answer_page(request, project, row.answer)

"""Which block of a query excludes everything, or nothing: counted on demand, changed in a draft only."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponse
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from litapp.projects.models import Project
from litapp.projects.permissions import ProjectRequest, Right, project_view
from litapp.providers.registry import search_keys, source
from litapp.web.htmx import redirect_page, render_part
from searches.services.block_counts import NoBlocks, block_change, blocks_count
from searches.views.plans import version_of


@project_view(Right.PLAN)
@never_cache
@require_POST
def plan_blocks(request: ProjectRequest, project: Project, version_id: int) -> HttpResponse:
    """Count the blocks of one query at one source; a part of the plan's page, and a page of its own without script."""
    version = version_of(project, version_id)
    key, index = request.POST.get("source", ""), _whole(request.POST.get("query", ""))
    context: dict[str, object] = {"version": version}
    try:
        if key not in search_keys():
            raise NoBlocks("There is no such source in the plan.")
        context["report"] = blocks_count(version=version, source_key=key, query_index=index, user_id=request.user.pk)
        context["label"] = source(key).label
    except NoBlocks as refusal:
        context["refused"] = str(refusal)
    return render_part(request, "searches/plan_blocks.html", "blocks", context)


@project_view(Right.PLAN)
@require_POST
def plan_block_change(request: ProjectRequest, project: Project, version_id: int) -> HttpResponse:
    """Take a block out, or broaden it, in a draft that is then read and approved like any other."""
    version = version_of(project, version_id)
    try:
        draft = block_change(
            version=version,
            actor=request.user,
            query_index=_whole(request.POST.get("query", "")),
            number=_whole(request.POST.get("block", "")),
            change=request.POST.get("change", ""),
        )
    except NoBlocks as refusal:
        messages.error(request, str(refusal))
        return redirect_page(request, reverse("searches:plan", args=[project.pk, version.pk]))
    messages.success(request, "The draft has the changed query. Nothing is searched before it is approved.")
    return redirect_page(request, reverse("searches:plan_edit", args=[project.pk, draft.pk]))


def _whole(text: str) -> int:
    """A number of a form; -1 for anything else, which names nothing."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 6 else -1

"""The search report (PRISMA-S): 16 items from the log with their gaps, the methods paragraph, signed statements."""

from __future__ import annotations

from uuid import UUID, uuid4

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.text import slugify
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from litapp.core.prisma.counts import FlowError
from litapp.core.prisma.methods_text import as_markdown, methods_paragraph
from litapp.core.prisma.prisma_s import Status, prisma_s
from litapp.projects.models import Project
from litapp.projects.permissions import ProjectRequest, Right, project_view
from litapp.web.htmx import redirect_page
from searches.services.prisma_s import LONGEST, StatementProblem, search_facts, statement_save
from searches.views.prisma import DAMAGED


@project_view(Right.VIEW)
@never_cache
@require_GET
def search_report(request: ProjectRequest, project: Project) -> HttpResponse:
    """The items, what is missing, and the text to copy."""
    try:
        facts = search_facts(project)
    except FlowError as error:
        return render(request, "searches/prisma_s.html", {"damage": DAMAGED.format(why=error)})
    items = prisma_s(facts)
    context = {
        "items": [(item, uuid4()) for item in items],
        "answered": sum(item.status is Status.FILLED for item in items),
        "paragraph": methods_paragraph(facts),
        "markdown": as_markdown(facts, title=project.name),
        "longest": LONGEST,
    }
    return render(request, "searches/prisma_s.html", context)


@project_view(Right.EXPORT)
@never_cache
@require_GET
def search_report_file(request: ProjectRequest, project: Project) -> HttpResponse:
    """The report as Markdown."""
    try:
        text = as_markdown(search_facts(project), title=project.name + (" (sandbox data)" if project.sandbox else ""))
    except FlowError as error:
        messages.error(request, DAMAGED.format(why=error))
        return redirect_page(request, reverse("searches:search_report", args=[project.pk]))
    response = HttpResponse(text, content_type="text/markdown; charset=utf-8")
    mark = "sandbox-" if project.sandbox else ""
    name = f"{mark}search-report-{slugify(project.name)[:60] or project.pk}-{timezone.localdate()}.md"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


@project_view(Right.PLAN)
@require_POST
def statement(request: ProjectRequest, project: Project, item: int) -> HttpResponse:
    """Keep what a person states of an item."""
    try:
        request_id = UUID(request.POST.get("request_id", ""))
    except ValueError:
        request_id = uuid4()
    text = request.POST.get("text", "")
    try:
        changed = statement_save(project=project, actor=request.user, item=item, text=text, request_id=request_id)
    except StatementProblem as problem:
        messages.error(request, str(problem))
    else:
        if changed:
            told = "was saved with your name" if text.strip() else "was taken back"
            messages.success(request, f"Item {item}: the statement {told}.")
    return redirect_page(request, reverse("searches:search_report", args=[project.pk]) + f"#item-{item}")

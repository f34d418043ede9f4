"""Reads a published appendix that is pasted: databases and lines rebuilt, errors marked, one section made a plan."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

from django.contrib import messages
from django.http import HttpResponse, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from litapp.core.querylang.dialects import Dialect
from litapp.projects.models import Project
from litapp.projects.permissions import ProjectRequest, Right, project_view
from litapp.web.htmx import redirect_page
from litapp.web.once import once
from searches.services.appendix_plans import (
    LARGEST_APPENDIX,
    MOST_SECTIONS,
    NoPlan,
    SectionRead,
    plan_from_section,
    section_again,
    sections_of,
)
from searches.services.query_check import one_line_end
from searches.views.marked_text import PlacedFinding, Segment, placed_findings


@dataclass(frozen=True, slots=True)
class SectionShown:
    """A section with its marked text, its findings and why it cannot become a plan ("" = not tried)."""

    place: int
    section: SectionRead
    segments: tuple[Segment, ...]
    findings: tuple[PlacedFinding, ...]
    refused: str = ""


@project_view(Right.PLAN)
@never_cache
@require_http_methods(["GET", "POST"])
def plan_appendix(request: ProjectRequest, project: Project) -> HttpResponse:
    """Paste, read, mend the lines, and make a plan of one database's strategy."""
    if request.method == "GET":
        return _page(request, [], request_id=str(uuid4()))
    data = request.POST
    then, _, number = data.get("then", "read").partition(":")
    if then == "read":
        return _read(request, data)
    sections = _typed_sections(data)
    chosen = int(number) if number.isascii() and number.isdigit() and int(number) < len(sections) else None
    if then != "plan" or chosen is None:
        return _page(request, sections)
    try:
        address = _made(request, project, sections[chosen], data)
    except NoPlan as refusal:
        return _page(request, sections, refused={chosen: str(refusal)}, status=422)
    messages.success(
        request, "A draft for PubMed is made of it. Read it over; nothing is searched before it is approved."
    )
    return redirect_page(request, address)


def _read(request: ProjectRequest, data: QueryDict) -> HttpResponse:
    text = one_line_end(data.get("appendix", ""))
    if len(text) > LARGEST_APPENDIX:
        why = f"The text has {len(text):,} characters; at most {LARGEST_APPENDIX:,} are read. Paste the appendix alone."
        return _page(request, [], problem=why, status=422)
    sections = sections_of(text)
    if not sections:
        why = "No search was recognised. Paste the lines of the strategy with the name of the database above them."
        return _page(request, [], problem=why, status=422)
    return _page(request, sections)


def _typed_sections(data: QueryDict) -> list[SectionRead]:
    found = []
    for place in range(MOST_SECTIONS):
        text = data.get(f"section-{place}-text")
        if text is None:
            break
        name = data.get(f"section-{place}-dialect", "")
        dialect = next((one for one in Dialect if one.value == name), Dialect.PUBMED)
        heading = data.get(f"section-{place}-heading", "")[:200]
        found.append(section_again(heading=heading, dialect=dialect, text=one_line_end(text)[:LARGEST_APPENDIX]))
    return found


def _made(request: ProjectRequest, project: Project, section: SectionRead, data: QueryDict) -> str:
    def make() -> str:
        version = plan_from_section(
            project=project,
            actor=request.user,
            section=section,
            title=data.get("title", "")[:200],
            question=data.get("question", "")[:4_000],
        )
        return reverse("searches:plan", args=[project.pk, version.pk])

    try:
        request_id = UUID(data.get("request_id", ""))
    except ValueError:
        return make()
    return once(request_id=request_id, user=request.user, make=make)


def _page(
    request: ProjectRequest,
    sections: list[SectionRead],
    *,
    refused: dict[int, str] | None = None,
    problem: str = "",
    request_id: str = "",
    status: int = 200,
) -> HttpResponse:
    shown = []
    for place, section in enumerate(sections):
        segments, findings = placed_findings(section.text, section.findings)
        shown.append(SectionShown(place, section, segments, findings, (refused or {}).get(place, "")))
    context: dict[str, Any] = {
        "sections": shown,
        "appendix": request.POST.get("appendix", ""),
        "title": request.POST.get("title", ""),
        "question": request.POST.get("question", ""),
        "request_id": request.POST.get("request_id") or request_id or str(uuid4()),
        "dialects": [dialect.value for dialect in Dialect],
        "problem": problem,
    }
    return render(request, "searches/plan_appendix.html", context, status=status)

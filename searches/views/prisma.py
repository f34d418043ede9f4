"""The PRISMA page: figure and table at any date, the records behind each number, files; where imports are counted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils import timezone
from django.utils.dateparse import parse_date, parse_datetime
from django.utils.http import urlencode
from django.utils.safestring import mark_safe
from django.utils.text import slugify
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from litapp.core.prisma.boxes import BY_KEY
from litapp.core.prisma.counts import FlowError
from litapp.core.prisma.diagram import draw
from litapp.core.prisma.events import METHOD_WORDS, Method
from litapp.core.prisma.figure_text import Row, description, notes, table_rows, words_of
from litapp.core.prisma.files import as_json, r_csv
from litapp.core.prisma.flow import OTHER_DUPLICATES, PrismaFlow
from litapp.projects.models import Project
from litapp.projects.permissions import ProjectRequest, Right, project_view
from litapp.web.htmx import redirect_page
from litapp.web.pagination import page_of_list
from searches.blinding import stages_of
from searches.models import Candidate, Decision, NotRetrieved, RecordImport, ReportRetrieval
from searches.services.prisma import import_method_set, method_of_import, papers_behind, project_flow
from searches.services.prisma_picture import NoFonts, png_of
from searches.services.prisma_reports import ReportProblem, report_mark

PAGE_SIZE = 100
DOWNLOADS = (
    ("svg", "Figure (SVG)"),
    ("png", "Figure (PNG)"),
    ("csv", "Numbers for the R package PRISMA2020 (CSV)"),
    ("json", "Numbers with the records behind them (JSON)"),
)
REPORT_KEYS = frozenset(
    f"{column}_{name}"
    for column in ("dbr", "other")
    for name in ("sought_reports", "notretrieved_reports", "assessed", "excluded")
)
"""Numbers whose lists hold reports that wait for their assessment."""
DAMAGED = (
    "The numbers contradict each other, so that none is shown: {why} Nothing is lost: the records and decisions are in "
    "their lists. Please tell whoever runs this LitLedger."
)


@dataclass(frozen=True, slots=True)
class Moment:
    """The time that a page shows: `at` None = now. `text` is what was asked for, `problem` why it could not be used."""

    at: datetime | None = None
    text: str = ""
    problem: str = ""

    @property
    def query(self) -> str:
        """The parameter that keeps it in an address; "" for now."""
        return urlencode({"at": self.text}) if self.at else ""


def moment_of(text: str) -> Moment:
    """A day means its end (so that it holds all that happened on it), a date with time that time; later means now."""
    clean = text.strip()
    if not clean:
        return Moment()
    try:
        at = parse_datetime(clean) if "T" in clean or " " in clean else None
        if at is None and (day := parse_date(clean)) is not None:
            at = datetime.combine(day, time.min) + timedelta(days=1) - timedelta(microseconds=1)
    except (ValueError, OverflowError):
        at = None
    if at is None:
        return Moment(text=clean, problem=f"“{clean[:40]}” is no date. Write it as 2026-11-30. Shown is now.")
    aware = at if timezone.is_aware(at) else at.replace(tzinfo=timezone.get_current_timezone())
    return Moment(text=clean) if aware >= timezone.now() else Moment(aware, clean)


@project_view(Right.VIEW, shows_outcomes=True)
@never_cache
@require_GET
def prisma(request: ProjectRequest, project: Project) -> HttpResponse:
    """The figure, the table that says the same, and where each import is counted."""
    moment = moment_of(request.GET.get("at", ""))
    context: dict[str, Any] = {"moment": moment, "today": timezone.localdate(), "imports": _imports(project)}
    context["download_kinds"] = DOWNLOADS
    context["methods"] = [(method.value, words) for method, words in METHOD_WORDS.items()]
    try:
        flow = project_flow(project, moment.at)
    except FlowError as error:
        context["damage"] = DAMAGED.format(why=error)
        return render(request, "searches/prisma.html", context)
    href = _addresses(project, moment)
    svg = draw(flow, title=project.name, href=href)
    context |= {
        "flow": flow,
        "svg": mark_safe(svg),  # noqa: S308 - drawn by core.prisma.diagram, which escapes every text
        "alt": description(flow, title=project.name),
        "groups": _groups(table_rows(flow), href),
        "notes": notes(flow),
    }
    return render(request, "searches/prisma.html", context)


def _addresses(project: Project, moment: Moment) -> Callable[[str, str], str]:
    def href(key: str, part: str) -> str:
        address = reverse("searches:prisma_behind", args=[project.pk, key])
        asked = {name: value for name, value in (("part", part), ("at", moment.text if moment.at else "")) if value}
        return f"{address}?{urlencode(asked)}" if asked else address

    return href


def _groups(rows: list[Row], href: Callable[[str, str], str]) -> list[tuple[str, list[tuple[Row, str]]]]:
    found: dict[str, list[tuple[Row, str]]] = {}
    for row in rows:
        found.setdefault(row.group, []).append((row, href(row.key, row.part) if row.value else ""))
    return list(found.items())


def _imports(project: Project) -> list[tuple[RecordImport, str]]:
    rows = RecordImport.objects.filter(project=project, undone_at=None).select_related("imported_by").order_by("pk")
    return [(row, method_of_import(row).value) for row in rows]


@project_view(Right.VIEW, shows_outcomes=True)
@never_cache
@require_GET
def behind(request: ProjectRequest, project: Project, key: str) -> HttpResponse:
    """The papers behind a number, as they are called now."""
    if key not in BY_KEY and key != OTHER_DUPLICATES:
        raise Http404("no such number")
    moment = moment_of(request.GET.get("at", ""))
    part = request.GET.get("part", "")
    number = _flow_or_404(project, moment)[key]
    try:
        ids = papers_behind(project, number, part)
    except KeyError as error:
        raise Http404("the number has no such part") from error
    value = number.value if not part else next(one.value for one in number.parts if one.name == part)
    rows = _in_order(ids)
    page = page_of_list(request, rows, size=PAGE_SIZE, total=len(rows))
    shown = Candidate.objects.filter(pk__in=page.items).for_list().in_bulk()
    waiting = _waiting(project, page.items) if key in REPORT_KEYS and moment.at is None else {}
    context = {
        "moment": moment,
        "words": part or words_of(key),
        "number": words_of(key),
        "part": part,
        "value": value,
        "of_records": number.of_records,
        "papers": len(ids),
        "page": page,
        "rows": [(shown[pk], waiting.get(pk)) for pk in page.items if pk in shown],
        "key": key,
        "reasons": [choice for choice in NotRetrieved.choices if choice[0]],
        "back": reverse("searches:prisma", args=[project.pk]) + (f"?{moment.query}" if moment.at else ""),
    }
    return render(request, "searches/prisma_behind.html", context)


def _waiting(project: Project, ids: list[int]) -> dict[int, str]:
    """Of these, the reports that wait for their assessment -> why each was not retrieved ("" = it is sought)."""
    if not stages_of(project).uses_fulltext:
        return {}
    rows = Candidate.objects.listed(project).filter(pk__in=ids, decision=Decision.INCLUDE)
    open_ones = rows.exclude(fulltext__in=(Decision.INCLUDE, Decision.EXCLUDE)).values_list("pk", flat=True)
    lost = dict(ReportRetrieval.objects.filter(candidate__in=open_ones).values_list("candidate_id", "reason"))
    return {pk: lost.get(pk, "") for pk in open_ones}


def _in_order(ids: list[int]) -> list[int]:
    """Ids as they are: in the order of their finding."""
    return [pk for pk in ids if pk > 0]


def _flow_or_404(project: Project, moment: Moment) -> PrismaFlow:
    try:
        return project_flow(project, moment.at)
    except FlowError as error:
        raise Http404("the numbers contradict each other") from error


@project_view(Right.EXPORT, shows_outcomes=True)
@never_cache
@require_GET
def prisma_file(request: ProjectRequest, project: Project, file_kind: str) -> HttpResponse:
    """The figure as SVG or PNG, the numbers as the R package's CSV or JSON."""
    moment = moment_of(request.GET.get("at", ""))
    try:
        flow = project_flow(project, moment.at)
        data, media = _file(flow, project, file_kind)
    except (FlowError, NoFonts) as error:
        messages.error(request, str(error) if isinstance(error, NoFonts) else DAMAGED.format(why=error))
        return redirect_page(request, reverse("searches:prisma", args=[project.pk]))
    day = (moment.at or timezone.now()).astimezone(UTC).date()
    name = f"{'sandbox-' if project.sandbox else ''}prisma-{slugify(project.name)[:60] or project.pk}-{day}.{file_kind}"
    response = HttpResponse(data, content_type=media)
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def _file(flow: PrismaFlow, project: Project, kind: str) -> tuple[str | bytes, str]:
    title = f"{project.name} (sandbox data)" if project.sandbox else project.name
    if kind == "csv":
        return r_csv(flow), "text/csv; charset=utf-8"
    if kind == "json":
        return as_json(flow, title=title), "application/json; charset=utf-8"
    svg = draw(flow, title=title)
    if kind == "svg":
        return svg, "image/svg+xml; charset=utf-8"
    if kind == "png":
        return png_of(svg), "image/png"
    raise Http404("no such file")


@project_view(Right.SCREEN, shows_outcomes=True)
@require_POST
def report(request: ProjectRequest, project: Project, candidate_id: int) -> HttpResponse:
    """Say that a report could not be retrieved, and why; or that it is sought again."""
    back = request.POST.get("back", "")
    key = back if back in REPORT_KEYS else "dbr_sought_reports"
    reason = request.POST.get("reason", "")
    try:
        if report_mark(project=project, actor=request.user, candidate_id=candidate_id, reason=reason):
            words = dict(NotRetrieved.choices)[reason] if reason else "is sought again"
            messages.success(request, f"The report {f'counts as not retrieved: {words}' if reason else words}.")
    except Candidate.DoesNotExist as error:
        raise Http404("no such record") from error
    except ReportProblem as problem:
        messages.error(request, str(problem))
    return redirect_page(request, reverse("searches:prisma_behind", args=[project.pk, key]))


@project_view(Right.RUN)
@require_POST
def import_method(request: ProjectRequest, project: Project, import_id: int) -> HttpResponse:
    """Say under which box an import's records count."""
    row = get_object_or_404(RecordImport, pk=import_id, project=project)
    try:
        changed = import_method_set(record_import=row, actor=request.user, method=request.POST.get("method", ""))
    except ValueError:
        messages.error(request, "Choose how the records of this import were identified.")
    else:
        if changed:
            words = METHOD_WORDS[Method(request.POST["method"])]
            messages.success(request, f"The records of “{row.database}” count as: {words}. The history keeps it.")
    return redirect_page(request, reverse("searches:prisma", args=[project.pk]))

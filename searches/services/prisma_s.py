"""Gathers what the log knows of a project's searches for PRISMA-S; keeps what people state of the rest, signed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any
from uuid import UUID

from django.db import transaction

from litapp.core.filters import ALL_FILTERS
from litapp.core.plan import Filters, Preprints, SearchPlan
from litapp.core.prisma.events import Method
from litapp.core.prisma.flow import PrismaFlow
from litapp.core.prisma.methods import method_of
from litapp.core.prisma.prisma_s import ASKS, Search, SearchFacts, Statement
from litapp.core.querylang.dialects import Dialect
from litapp.jobs.models import StepState
from litapp.projects.models import Project
from litapp.projects.people import name_of
from litapp.projects.services.events import record_event
from litapp.providers.registry import QueryKind, source, source_keys
from litapp.verification.presentation import source_label
from searches.models import (
    ImportKind,
    ImportMethod,
    PairAnswer,
    PairDecision,
    PrismaStatement,
    RecordImport,
    RetrievalRun,
    RetrievalStep,
    SearchPlanVersion,
)
from searches.models_plans import OtherMethod
from searches.services.prisma import project_flow

LONGEST = 4000
"""Characters of a statement."""
_OTHER_WAYS = frozenset({"Quick cite", "Reference pool", "Added by hand"})
_UNFINISHED = (StepState.FAILED, StepState.SKIPPED, StepState.CANCELLED)
_DIALECT = {"pubmed": Dialect.PUBMED}


class StatementProblem(ValueError):
    """The statement cannot be kept so; the message says why."""


def search_facts(project: Project, flow: PrismaFlow | None = None) -> SearchFacts:
    """All that is known, now. `flow` = its numbers, if they were counted already. Raises FlowError."""
    counted = flow or project_flow(project)
    runs = list(
        RetrievalRun.objects.filter(project=project, replay_of=None)
        .select_related("version__plan", "version__approved_by")
        .prefetch_related("steps")
        .order_by("pk")
    )
    versions = list({run.version_id: run.version for run in runs}.values())
    answers = (
        PairDecision.objects.filter(project=project, undone_at=None).values_list("answer", "request_id").distinct()
    )
    said = [answer for answer, _ in answers]
    return SearchFacts(
        searches=(*_run_searches(runs), *_import_searches(project), *_by_hand(project)),
        planned=tuple(
            OtherMethod.objects.filter(plan__project=project, searched_on=None).values_list("name", flat=True)
        ),
        identified=tuple(_identified(counted)),
        limits=tuple(dict.fromkeys(_limits(versions))),
        filters=tuple(_filters(runs)),
        prior=tuple(dict.fromkeys(filter(None, (_prior(version) for version in versions)))),
        approvals=tuple(filter(None, (_approval(version) for version in versions))),
        duplicates=counted.value("duplicates"),
        same=said.count(PairAnswer.SAME),
        apart=said.count(PairAnswer.APART),
        statements=tuple(_statements(project)),
    )


def _run_searches(runs: Sequence[RetrievalRun]) -> Iterator[Search]:
    place = {key: number for number, key in enumerate(source_keys())}
    for number, run in enumerate(runs, start=1):
        steps = sorted(run.steps.all(), key=lambda step: (place.get(step.source, 99), step.query_index))
        several = len({step.query_index for step in steps}) > 1
        for step in steps:
            label = [f"run {number}"] if len(runs) > 1 else []
            if several:
                label.append(step.query_label or f"query {step.query_index + 1}")
            yield _step_search(step, run, number, ", ".join(label))


def _step_search(step: RetrievalStep, run: RetrievalRun, number: int, label: str) -> Search:
    known = source(step.source) if step.source in source_keys() else None
    began = step.started_at or run.started_at
    failed = step.state in _UNFINISHED
    in_words = known is not None and known.query_kind is QueryKind.PLAIN
    return Search(
        source=source_label(step.source),
        platform=known.organisation if known and known.organisation != known.label else "",
        query=step.query_text,
        label=label,
        on=began.date() if began and not (failed and not step.fetched) else None,
        records=step.fetched,
        reported=step.reported,
        failed=(step.message or f"the search is {step.get_state_display().lower()}").rstrip(". ") if failed else "",
        capped=step.capped,
        notes=tuple(str(note["text"]) for note in step.notes if note.get("loss") and note.get("text")),
        simple=in_words and step.source not in run.version.plan_content.boolean_at,
        run=number,
    )  # fmt: skip


def _import_searches(project: Project) -> Iterator[Search]:
    chosen = dict(
        ImportMethod.objects.filter(record_import__project=project)
        .order_by("pk")
        .values_list("record_import_id", "method")
    )
    for row in RecordImport.objects.filter(project=project, undone_at=None).order_by("pk"):
        method = Method(chosen[row.pk]) if row.pk in chosen else method_of(row.database)
        skipped = f"{row.skipped:,} entries of the file could not be read" if row.skipped else ""
        yield Search(
            source=row.database,
            method=method,
            platform=row.platform if row.platform != row.database else "",
            query=row.query or row.url,
            label="other" if row.database in _OTHER_WAYS and method is Method.WEBSITE else row.file_name,
            on=row.searched_on
            or row.accessed_on
            or (row.created_at.date() if row.kind == ImportKind.BY_HAND else None),
            records=row.read,
            reported=row.count_exported,
            failed=skipped,
            elsewhere=True,
        )


def _by_hand(project: Project) -> Iterator[Search]:
    """Places beside the databases that people searched by hand, as they wrote it down."""
    rows = OtherMethod.objects.filter(plan__project=project, searched_on__isnull=False).select_related("searched_by")
    for row in rows.order_by("pk"):
        by = f"searched by {name_of(row.searched_by)}" if row.searched_by else ""
        yield Search(
            source=row.name,
            method=Method.WEBSITE,
            platform=row.address,
            on=row.searched_on,
            notes=("; ".join(part for part in (row.note, by) if part),) if row.note or by else (),
            elsewhere=True,
        )


def _identified(flow: PrismaFlow) -> Iterator[tuple[str, int]]:
    for key in ("database_specific_results", "register_specific_results", "website_results", "organisation_results",
                "citations_results"):  # fmt: skip
        yield from ((part.name, part.value) for part in flow[key].parts)
    if flow.has_previous:
        yield "Previous version of this review", flow.value("previous_reports")


def _limits(versions: Sequence[SearchPlanVersion]) -> Iterator[str]:
    for version in versions:
        plan = version.plan_content
        yield from _filter_sentences(plan.filters)
        yield from _cap_sentences(plan)


def _filter_sentences(filters: Filters) -> Iterator[str]:
    if filters.year_from or filters.year_to:
        begin, end = filters.year_from, filters.year_to
        yield f"Published {f'{begin} to {end}' if begin and end else f'from {begin}' if begin else f'until {end}'}."
    if filters.languages:
        yield f"Languages: {', '.join(filters.languages)}."
    if filters.publication_types:
        yield f"Publication types: {', '.join(filters.publication_types)}."
    if filters.preprints is not Preprints.INCLUDED:
        yield "No preprints." if filters.preprints is Preprints.EXCLUDED else "Preprints only."


def _cap_sentences(plan: SearchPlan) -> Iterator[str]:
    for most, what in ((plan.caps.per_query, "query"), (plan.caps.per_source, "source"), (plan.caps.per_run, "run")):
        if most is not None:
            order = "newest" if plan.filters.newest_first else "first"
            yield f"At most {most:,} records for each {what}, the {order} ones of the source's order."


def _filters(runs: Sequence[RetrievalRun]) -> list[str]:
    """Published filters whose text stands in a query that was sent to the database they were made for."""
    found: dict[str, None] = {}
    for run in runs:
        for step in run.steps.all():
            text = _plain(step.query_text)
            for known in ALL_FILTERS:
                if _DIALECT.get(step.source) is known.dialect and _plain(_one_line(known.text)) in text:
                    found[f"{known.name}: {known.citation}"] = None
    return list(found)


def _one_line(text: str) -> str:
    """A filter that is one query; of a numbered list, nothing that could stand in a query as it is."""
    return text if "\n" not in text.strip() else "\0"


def _plain(text: str) -> str:
    return "".join(text.casefold().replace("“", '"').replace("”", '"').split())


def _prior(version: SearchPlanVersion) -> str:
    origin = version.origin or {}
    if not origin:
        return ""
    name = str(origin.get("name") or origin.get("file") or origin.get("title") or "").strip()
    kind = {
        "query_file": "a query file", "bundle": "a bundle", "appendix": "a published appendix that was pasted",
    }.get(str(origin.get("kind")), "a file")  # fmt: skip
    return f"“{version.plan.title}” was made from {kind}{f' (“{name}”)' if name else ''}."


def _approval(version: SearchPlanVersion) -> str:
    if version.approved_at is None:
        return ""
    return (
        f"{name_of(version.approved_by)} approved “{version.plan.title}”, version {version.number}, on "
        f"{version.approved_at.date()}, before it was run."
    )


def _statements(project: Project) -> Iterator[Statement]:
    latest: dict[int, PrismaStatement] = {}
    for row in PrismaStatement.objects.filter(project=project).select_related("stated_by").order_by("pk"):
        latest[row.item] = row
    for item, row in sorted(latest.items()):
        if row.text:
            yield Statement(item, row.text, name_of(row.stated_by), row.created_at.date())


@transaction.atomic
def statement_save(*, project: Project, actor: Any, item: int, text: str, request_id: UUID) -> bool:
    """State something of an item, signed; an empty text takes the last statement back. The same request, or the same
    text again, changes nothing (False). Raises StatementProblem."""
    if not 1 <= item <= len(ASKS):
        raise StatementProblem("PRISMA-S has 16 items.")
    clean = " ".join(text.replace("\0", "").split())
    if len(clean) > LONGEST:
        raise StatementProblem(f"A statement may have {LONGEST:,} characters; this one has {len(clean):,}.")
    Project.objects.select_for_update(no_key=True).values_list("pk").get(pk=project.pk)
    if PrismaStatement.objects.filter(request_id=request_id).exists():
        return False
    last = PrismaStatement.objects.filter(project=project, item=item).order_by("-pk").first()
    if (last.text if last else "") == clean:
        return False
    PrismaStatement.objects.create(project=project, item=item, text=clean, stated_by=actor, request_id=request_id)
    payload = {"item": item, "name": ASKS[item - 1][0], "text": clean}
    record_event(project=project, actor=actor, verb="search_report.stated", payload=payload)
    return True

"""Gathers what an evidence summary says: question, search as run, flow of records, references. Reads only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from django.db.models import Count, Max, OuterRef, Subquery

from litapp.core.formats.summary import (
    DISCLAIMERS,
    SYSTEMATIC_DISCLAIMERS,
    EvidenceSummary,
    FlowTable,
    SearchLine,
)
from litapp.core.plan import Filters, Pico, Preprints, SearchPlan
from litapp.core.prisma import NO_REASON, FlowCounts
from litapp.core.prisma.figure_text import notes as told_notes
from litapp.core.prisma.figure_text import table_rows
from litapp.jobs.models import StepState
from litapp.projects.models import Project
from litapp.projects.people import name_of
from litapp.providers.registry import source_keys
from litapp.verification.models import Verification
from litapp.verification.presentation import source_label
from references.models import (
    FullTextCopy,
    MatrixChange,
    OwnColumn,
    Reference,
    SentenceDecision,
    SummaryKind,
    SummarySetup,
    SummaryTopic,
    TopicQuote,
)
from references.services.entries import ExportContent, is_sandbox
from references.services.matrix_reading import Basis
from references.services.matrix_table import matrix_table
from references.services.summary_reading import finding_topics, guidelines_among, setup_of
from references.services.transparency import limitations_of, transparency_of
from searches.imported import identified_by_imports
from searches.models import (
    Candidate,
    CandidateSource,
    RecordImport,
    RetrievalRun,
    RetrievalStep,
    ScreeningDecision,
    SearchPlanVersion,
)
from searches.services.grouping import SUPPLEMENT
from searches.services.prisma import project_flow
from searches.services.prisma_picture import NoFonts, prisma_picture

_ONE = {"records": "record", "reports": "report", "studies": "study"}
_STATE_WORDS = {StepState.DONE: "done", StepState.PARTIAL: "partial", StepState.SKIPPED: "skipped"}


def evidence_summary(project: Project, content: ExportContent, *, overrides: tuple[str, ...] = ()) -> EvidenceSummary:
    """The summary of a project as it stands. Equal state, equal summary: its time is that of the last change.

    `overrides` are failures of the checks before the output that a person let pass.
    """
    runs = list(
        RetrievalRun.objects.filter(project=project)
        .select_related("version__plan", "version__approved_by")
        .prefetch_related("steps")
        .order_by("pk")
    )
    versions = list({run.version_id: run.version for run in runs}.values())
    plans = [version.plan_content for version in versions]
    setup, counts, picture = setup_of(project), flow_of(project), flow_table(project)
    searches = (*search_lines(runs), *import_lines(project))
    table = matrix_table(project, content.entries)
    return EvidenceSummary(
        project=project.name,
        question="\n\n".join(dict.fromkeys(plan.question for plan in plans if plan.question)),
        generated_at=state_time(project),
        flow=picture,
        entries=content.entries,
        searches=searches,
        pico=plans[0].pico if len(plans) == 1 else Pico(),
        plan_label="; ".join(_plan_label(version) for version in versions),
        filters=tuple(_limits(versions, plans)),
        left_out=content.left_out,
        sandbox=is_sandbox(project),
        topics=finding_topics(project, {entry.key for entry in content.entries}),
        guidelines=guidelines_among(content.entries),
        matrix=table,
        limitations=limitations_of(
            counts, searches, content.entries, dict(table.basis_counts).get(Basis.NONE.value, 0)
        ),
        limitations_text=setup.limitations,
        transparency=transparency_of(project, setup, content.entries),
        overrides=overrides,
        disclaimers=SYSTEMATIC_DISCLAIMERS if setup.kind == SummaryKind.SYSTEMATIC else DISCLAIMERS,
    )


def state_time(project: Project) -> datetime:
    """When anything that an export shows changed last: decision, check, reference, run; else the project's making."""
    moments = [
        project.created_at,
        ScreeningDecision.objects.filter(project=project).aggregate(at=Max("created_at"))["at"],
        *Verification.objects.filter(project=project).aggregate(a=Max("checked_at"), b=Max("manual_at")).values(),
        *Reference.objects.filter(project=project).aggregate(a=Max("added_at"), b=Max("removed_at")).values(),
        *RetrievalRun.objects.filter(project=project).aggregate(a=Max("started_at"), b=Max("finished_at")).values(),
        *RecordImport.objects.filter(project=project).aggregate(a=Max("finished_at"), b=Max("undone_at")).values(),
        MatrixChange.objects.filter(cell__reference__project=project).aggregate(at=Max("made_at"))["at"],
        OwnColumn.objects.filter(project=project).aggregate(at=Max("created_at"))["at"],
        *FullTextCopy.objects.filter(project=project).aggregate(a=Max("added_at"), b=Max("decided_at")).values(),
        SentenceDecision.objects.filter(project=project).aggregate(at=Max("decided_at"))["at"],
        SummaryTopic.objects.filter(project=project).aggregate(at=Max("changed_at"))["at"],
        TopicQuote.objects.filter(topic__project=project).aggregate(at=Max("added_at"))["at"],
        SummarySetup.objects.filter(project=project).aggregate(at=Max("changed_at"))["at"],
    ]
    return max(moment for moment in moments if moment is not None).astimezone(UTC)


def flow_table(project: Project) -> FlowTable:
    """The PRISMA flow for documents. Raises FlowError where its numbers contradict each other; without fonts on this
    machine the table stands without its figure."""
    try:
        picture = prisma_picture(project)
        rows, notes, alt, png = picture.rows, picture.notes, picture.alt, picture.png
    except NoFonts:
        flow = project_flow(project)
        rows, notes, alt, png = tuple(table_rows(flow)), tuple(told_notes(flow)), "", b""
    told, group = [], ""
    for row in rows:
        step = f"\u2013 {row.text}" if row.depth else row.text
        unit = _ONE.get(row.unit, row.unit) if row.value == 1 else row.unit
        number = "not given" if row.value is None else f"{row.value:,} {unit}"
        told.append(("" if row.group == group else row.group, step, number))
        group = row.group
    return FlowTable(tuple(told), notes, alt, png)


def flow_of(project: Project) -> FlowCounts:
    """The flow of records, counted from the candidates and their decisions. Raises FlowError if it does not add up."""
    candidates = Candidate.objects.listed(project)
    identified = dict(
        CandidateSource.objects.filter(candidate__in=candidates)
        .exclude(rule=SUPPLEMENT)
        .values_list("source")
        .annotate(records=Count("pk"))
        .order_by("source")
    )
    total = sum(identified.values())
    by_import, of_source = identified_by_imports(project)
    own = [(source_label(key), identified[key] - of_source.get(key, 0)) for key in _in_order(identified)]
    named = {label for label, _ in own}
    imported = [
        (f"{name} (imported)" if name in named else name, records) for name, records in sorted(by_import.items())
    ]
    decided = Counter(dict(candidates.order_by().values_list("decision").annotate(papers=Count("pk"))))
    last_reason = ScreeningDecision.objects.filter(candidate=OuterRef("pk")).order_by("-pk").values("reason")[:1]
    reasons = Counter(
        (reason or "").strip() or NO_REASON
        for reason in candidates.filter(decision="exclude")
        .order_by()
        .annotate(why=Subquery(last_reason))
        .values_list("why", flat=True)
    )
    return FlowCounts(
        identified=tuple((label, records) for label, records in (*own, *imported) if records),
        duplicates_removed=total - decided.total(),
        screened=decided.total() - decided[""],
        excluded=decided["exclude"],
        maybe=decided["maybe"],
        included=decided["include"],
        not_yet_screened=decided[""],
        excluded_reasons=tuple(sorted(reasons.items(), key=lambda item: (-item[1], item[0]))),
    )


def _in_order(keys: Iterable[str]) -> list[str]:
    return sorted(keys, key=_place)


def _place(source: str) -> tuple[int, str]:
    """Sort key: the registry's order, unknown sources behind it."""
    known = source_keys()
    return (known.index(source) if source in known else len(known)), source


def search_lines(runs: Sequence[RetrievalRun]) -> list[SearchLine]:
    """Every query at every source, of every run, as it was sent."""
    several_runs = len(runs) > 1
    lines = []
    for number, run in enumerate(runs, start=1):
        steps = sorted(run.steps.all(), key=lambda step: (_place(step.source), step.query_index))
        several_queries = len({step.query_index for step in steps}) > 1
        for step in steps:
            parts = [f"run {number}"] if several_runs else []
            if several_queries:
                parts.append(step.query_label or f"query {step.query_index + 1}")
            lines.append(_line(step, ", ".join(parts)))
    return lines


def _line(step: RetrievalStep, label: str) -> SearchLine:
    reason = " ".join(part for part in (step.capped, step.message) if part)
    return SearchLine(
        source=source_label(step.source),
        query=step.query_text,
        state=_STATE_WORDS.get(StepState(step.state), "failed" if step.state == StepState.FAILED else step.state),
        ran_at=step.started_at.astimezone(UTC) if step.started_at else None,
        label=label,
        reported=step.reported,
        fetched=step.fetched,
        reason=reason if step.state != StepState.DONE or step.capped else "",
        notes=tuple(str(note.get("text", "")) for note in step.notes if note.get("text")),
    )


def import_lines(project: Project) -> list[SearchLine]:
    """Searches that were run elsewhere and imported, and lists that people brought, with their counts."""
    rows = RecordImport.objects.filter(project=project, undone_at=None).order_by("pk")
    return [_import_line(row) for row in rows]


def _import_line(row: RecordImport) -> SearchLine:
    platform = f" ({row.platform})" if row.platform else ""
    skipped = f"{row.skipped:,} entries of the file could not be read" if row.skipped else ""
    reason = "; ".join(part for part in (skipped, row.message) if part)
    state = _STATE_WORDS.get(StepState(row.state), "failed" if row.state == StepState.FAILED else row.state)
    return SearchLine(
        source=f"{row.database}{platform}",
        query=row.query,
        state=state,
        ran_at=row.searched_on or row.accessed_on,
        label=f"imported: {row.get_kind_display().lower()}" + (f" “{row.file_name}”" if row.file_name else ""),
        reported=row.count_exported,
        fetched=row.read,
        reason=reason,
        notes=() if row.query.strip() else ("The person who imported it did not say how it was searched for.",),
    )


def _plan_label(version: SearchPlanVersion) -> str:
    label = f"“{version.plan.title}”, version {version.number}"
    if version.approved_at is None:
        return label
    day = f"{version.approved_at.astimezone(UTC):%Y-%m-%d}"
    return f"{label}, approved {day} by {name_of(version.approved_by)}, sha256 {version.approved_hash[:12]}…"


def _limits(versions: Sequence[SearchPlanVersion], plans: Sequence[SearchPlan]) -> list[str]:
    several = len(versions) > 1
    return [
        f"{version.plan.title}, version {version.number}: {limit}" if several else limit
        for version, plan in zip(versions, plans, strict=True)
        for limit in _filters(plan.filters)
    ]


def _filters(filters: Filters) -> list[str]:
    """The limits of a plan, one sentence each; none where nothing was limited."""
    limits = []
    if filters.year_from or filters.year_to:
        limits.append(f"Years: {filters.year_from or 'any'} to {filters.year_to or 'any'}")
    if filters.publication_types:
        limits.append(f"Publication types: {', '.join(filters.publication_types)}")
    if filters.languages:
        limits.append(f"Languages: {', '.join(filters.languages)}")
    if filters.preprints is not Preprints.INCLUDED:
        limits.append("Preprints excluded" if filters.preprints is Preprints.EXCLUDED else "Preprints only")
    return limits

"""Gathers what an evidence summary says: question, search as run, flow of records, references. Reads only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from django.db.models import Count, Max, OuterRef, Subquery

from litapp.core.formats.summary import EvidenceSummary, SearchLine
from litapp.core.plan import Filters, Pico, Preprints, SearchPlan
from litapp.core.prisma import NO_REASON, FlowCounts
from litapp.jobs.models import StepState
from litapp.projects.models import Project
from litapp.projects.people import name_of
from litapp.providers.registry import source_keys
from litapp.verification.models import Verification
from litapp.verification.presentation import source_label
from references.models import Reference
from references.services.entries import ExportContent, is_sandbox
from searches.imported import identified_by_imports
from searches.models import (
    Candidate,
    CandidateSource,
    RetrievalRun,
    RetrievalStep,
    ScreeningDecision,
    SearchPlanVersion,
)
from searches.services.grouping import SUPPLEMENT

_STATE_WORDS = {StepState.DONE: "done", StepState.PARTIAL: "partial", StepState.SKIPPED: "skipped"}


def evidence_summary(project: Project, content: ExportContent) -> EvidenceSummary:
    """The summary of a project as it stands. Equal state, equal summary: its time is that of the last change."""
    runs = list(
        RetrievalRun.objects.filter(project=project)
        .select_related("version__plan", "version__approved_by")
        .prefetch_related("steps")
        .order_by("pk")
    )
    versions = list({run.version_id: run.version for run in runs}.values())
    plans = [version.plan_content for version in versions]
    return EvidenceSummary(
        project=project.name,
        question="\n\n".join(dict.fromkeys(plan.question for plan in plans if plan.question)),
        generated_at=state_time(project),
        counts=flow_of(project),
        entries=content.entries,
        searches=tuple(search_lines(runs)),
        pico=plans[0].pico if len(plans) == 1 else Pico(),
        plan_label="; ".join(_plan_label(version) for version in versions),
        filters=tuple(_limits(versions, plans)),
        left_out=content.left_out,
        sandbox=is_sandbox(project),
    )


def state_time(project: Project) -> datetime:
    """When anything that an export shows changed last: decision, check, reference, run; else the project's making."""
    moments = [
        project.created_at,
        ScreeningDecision.objects.filter(project=project).aggregate(at=Max("created_at"))["at"],
        *Verification.objects.filter(project=project).aggregate(a=Max("checked_at"), b=Max("manual_at")).values(),
        *Reference.objects.filter(project=project).aggregate(a=Max("added_at"), b=Max("removed_at")).values(),
        *RetrievalRun.objects.filter(project=project).aggregate(a=Max("started_at"), b=Max("finished_at")).values(),
    ]
    return max(moment for moment in moments if moment is not None).astimezone(UTC)


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

"""What an evidence summary says of itself: its kind, what was automatic, whether a model was used, dates, limits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import UTC

from django.db.models import Max, Min

from litapp.core.formats.entry import EntryVerdict, ExportEntry
from litapp.core.formats.summary import SearchLine, Transparency
from litapp.core.prisma import FlowCounts
from litapp.projects.models import Project
from litapp.projects.people import name_of
from litapp.verification.models import Verification
from references.models import CellState, FilledBy, MatrixCell, ReviewStep, SummaryKind, SummarySetup, SummaryTopic
from references.services.summary_reading import lacking_sentences
from searches.models import RetrievalRun, ScreeningDecision

TAKEN_IN_UNSCREENED = "Taken in by the review command without screening"
"""How the reason of a decision begins that `manage.py review` made for a whole list: no person read the records."""
KIND_TEXTS = {
    SummaryKind.RAPID: "Made in a shortened way: steps of a systematic review were left out or done by one person. "
    "It may have missed studies.",
    SummaryKind.SYSTEMATIC: "Its authors state below which steps of a systematic review were done. LitLedger does not "
    "check steps that were done outside of it.",
}


def transparency_of(project: Project, setup: SummarySetup, entries: Sequence[ExportEntry]) -> Transparency:
    """The mandatory statement, from what the ledger holds."""
    kind = SummaryKind(setup.kind)
    steps: tuple[tuple[str, str], ...] = ()
    if kind is SummaryKind.SYSTEMATIC:
        by = f"yes, as {name_of(setup.changed_by)} states" if setup.changed_by else "yes, as stated"
        steps = tuple((step.label, by if step.value in setup.steps else "not done") for step in ReviewStep)
    statements = [
        "Automatic: searches were sent to the sources named above as printed; records were read from the sources' "
        "answers, joined as duplicates and checked by fixed rules. Every reference leads to a stored answer of a "
        "source or to a named person.",
        _screening(project),
        _checks(entries),
        *_matrix(project, entries),
        _model(project),
        *_let_stand(project),
        *_dates(project),
        "Not done by LitLedger: appraisal of quality or risk of bias, conclusions, advice on patients.",
    ]
    return Transparency(kind.label.split(",")[0], KIND_TEXTS[kind], steps, tuple(line for line in statements if line))


def _screening(project: Project) -> str:
    rows = ScreeningDecision.objects.filter(project=project, undoes=None).select_related("reviewer")
    unread = rows.filter(reason__startswith=TAKEN_IN_UNSCREENED).count()
    people = Counter(name_of(row.reviewer) for row in rows.exclude(reason__startswith=TAKEN_IN_UNSCREENED))
    if unread:
        by = ", ".join(f"{name} ({number:,})" for name, number in sorted(people.items()))
        return (
            f"Screening: {unread:,} records were taken into the list by the review command; no person read them. The "
            f"flow of records counts them as screened.{f' Decisions of people: {by}.' if by else ''}"
        )
    if not people:
        return "Screening: no decision was made."
    told = ", ".join(f"{name} ({number:,})" for name, number in sorted(people.items()))
    return f"Screening: decisions of people, none of a model: {told}."


def _checks(entries: Sequence[ExportEntry]) -> str:
    verdicts = Counter(entry.verdict for entry in entries)
    told = ", ".join(f"{verdicts[verdict]:,} {verdict.value}" for verdict in EntryVerdict if verdicts[verdict])
    retracted = sum(not entry.citable and bool(entry.status_mark) for entry in entries)
    ending = f"; {retracted:,} retracted or withdrawn, whatever the verdict" if retracted else ""
    return f"Verification by fixed rules against the answers of sources: {told or 'no reference'}{ending}."


def _matrix(project: Project, entries: Sequence[ExportEntry]) -> list[str]:
    rows = MatrixCell.objects.filter(
        reference__project=project, reference__removed_at=None, reference__key__in=[entry.key for entry in entries]
    ).exclude(state=CellState.EMPTY)
    if not rows.exists():
        return ["Literature matrix: nobody has filled a cell."]
    filled = rows.filter(state=CellState.FILLED)
    by = Counter(filled.values_list("filled_by", flat=True))
    parts = [
        f"{by[FilledBy.RULE]:,} quotes that a rule found and a person accepted",
        f"{by[FilledBy.PERSON]:,} written by a person",
        f"{by[FilledBy.MODEL]:,} drafted by a language model",
        f"{rows.filter(state=CellState.NOT_REPORTED).count():,} looked at and not reported",
    ]
    unchecked = filled.filter(checked_at=None).count()
    return [f"Literature matrix: {', '.join(parts)}; {unchecked:,} filled cells not checked by anybody."]


def _model(project: Project) -> str:
    names = set(
        MatrixCell.objects.filter(
            reference__project=project, reference__removed_at=None, filled_by=FilledBy.MODEL, state=CellState.FILLED
        ).values_list("model", flat=True)
    )
    names |= set(
        SummaryTopic.objects.filter(project=project, removed_at=None)
        .exclude(drafted_by="")
        .values_list("drafted_by", flat=True)
    )
    if not names:
        return "No language model was used for anything in this document."
    return f"A language model was used for what is labelled as an AI draft: {', '.join(sorted(names))}."


def _let_stand(project: Project) -> list[str]:
    return [
        f"{name_of(one.decision.decided_by)} let a sentence stand on {one.decision.decided_at:%Y-%m-%d} "
        f"({' '.join(one.claim.told)} Reason: {one.decision.reason}): “{' '.join(one.claim.text.split())}”"
        for one in lacking_sentences(project)
        if one.decision
    ]


def _dates(project: Project) -> list[str]:
    runs = RetrievalRun.objects.filter(project=project).aggregate(first=Min("started_at"), last=Max("finished_at"))
    checks = Verification.objects.filter(
        candidate__reference__project=project, candidate__reference__removed_at=None, checked_at__isnull=False
    ).aggregate(first=Min("checked_at"), last=Max("checked_at"))
    told = []
    for what, dates in (("Searches run", runs), ("References checked", checks)):
        if dates["first"] is not None:
            first = dates["first"].astimezone(UTC)
            last = (dates["last"] or dates["first"]).astimezone(UTC)
            span = f"on {first:%Y-%m-%d}" if first.date() == last.date() else f"{first:%Y-%m-%d} to {last:%Y-%m-%d}"
            told.append(f"{what} {span}.")
    return told


def limitations_of(
    counts: FlowCounts, searches: Sequence[SearchLine], entries: Sequence[ExportEntry], without_abstract: int
) -> tuple[str, ...]:
    """What the ledger itself tells of the limits: searches that failed or were cut, what nobody has screened, what no
    source confirmed."""
    told = [
        f"{line.source}{f', {line.label}' if line.label else ''}: "
        f"{line.state}{f' ({line.reason})' if line.reason else ''}."
        for line in searches
        if line.state != "done" or line.reason
    ]
    if counts.not_yet_screened:
        told.append(f"{counts.not_yet_screened:,} records are not screened yet.")
    if counts.maybe:
        told.append(f"{counts.maybe:,} records are undecided (maybe).")
    unconfirmed = sum(entry.verdict is not EntryVerdict.VERIFIED for entry in entries)
    if unconfirmed:
        told.append(f"{unconfirmed:,} of {len(entries):,} references are not confirmed by a source.")
    if without_abstract:
        told.append(f"{without_abstract:,} of {len(entries):,} references have no abstract here.")
    return tuple(told)

"""The references as the YAML ledger tells them: with the search that found each, and the checks behind its verdict."""

from __future__ import annotations

from collections.abc import Sequence

from django.db.models import F

from litapp.core.formats.entry import ExportEntry
from litapp.core.formats.ledgeryaml import LedgerCheck, LedgerReference
from litapp.core.matrix import Column, Place
from litapp.projects.models import Project
from litapp.verification.models import Check
from litapp.verification.presentation import source_label
from references.models import CellState, MatrixCell, Reference
from searches.models import CandidateSource


def ledger_references(project: Project, entries: Sequence[ExportEntry]) -> list[LedgerReference]:
    """The entries in their order; four queries, whatever their number.

    `key_finding` are the words of the abstract that a person accepted as such in the matrix; "" where nobody did.
    """
    current = Reference.objects.filter(project=project).current()
    candidate_of = dict(current.values_list("key", "candidate_id"))
    topics: dict[int, dict[str, None]] = {}
    found = CandidateSource.objects.filter(candidate__reference__in=current).order_by("source_record__hits__step_id")
    for candidate, title in found.exclude(source_record__hits=None).values_list(
        "candidate_id", "source_record__hits__step__run__version__plan__title"
    ):
        topics.setdefault(candidate, {})[title] = None
    findings = dict(
        MatrixCell.objects.filter(
            reference__in=current, column=Column.FINDING, state=CellState.FILLED, checked_at__isnull=False,
            place=Place.ABSTRACT,
        ).values_list("reference__key", "quote")
    )  # fmt: skip
    checks: dict[int, list[LedgerCheck]] = {}
    latest = Check.objects.filter(
        verification__candidate__reference__in=current, round=F("verification__round")
    ).order_by("verification", "position")
    for candidate, source, outcome, reason, at in latest.values_list(
        "verification__candidate", "source", "outcome", "reason", "asked_at"
    ):
        day = f"{at:%Y-%m-%d}" if at else ""
        checks.setdefault(candidate, []).append(LedgerCheck(source_label(source), outcome, day, reason))
    return [
        LedgerReference(
            entry,
            search_topic="; ".join(topics.get(candidate_of[entry.key], ())),
            key_finding=findings.get(entry.key, ""),
            checks=tuple(checks.get(candidate_of[entry.key], ())),
        )
        for entry in entries
    ]

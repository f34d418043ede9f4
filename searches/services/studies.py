"""Studies: which candidates report one study. Companions and shared trial numbers are offered; people confirm."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import Q

from litapp.core.dedupe import Relation
from litapp.projects.models import Project
from litapp.projects.services.events import record_event
from searches.models import Candidate, CandidateSource, Decision, RecordPair, Study, StudyReport
from searches.services.grouping import SUPPLEMENT

COMPANION_WORDS = {
    "preprint": "preprint and article",
    "protocol": "protocol and results",
    "registration": "registration and report",
    "conference_abstract": "abstract of a meeting and full paper",
    "thesis": "thesis and article",
    "erratum": "correction of the other",
    "retraction_notice": "notice of the other's retraction",
    "expression_of_concern": "expression of concern about the other",
    "comment": "comment on the other, or a reply",
    "part": "parts of one series",
    "cochrane_version": "versions of one Cochrane review",
    "other_place": "printed in two places",
    "same_trial": "another report that names the same trial",
    "other_report": "another report by the same authors",
}
"""Relation of two companions -> its name on pages."""
NOT_REPORTS = frozenset({"erratum", "retraction_notice", "expression_of_concern", "comment", "part"})
"""Companions that do not report the study themselves."""


class StudyProblem(ValueError):
    """The reports cannot be grouped like this; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Companion:
    """Another candidate that belongs to this one, with the relation. `reports_study`: it can be another report."""

    candidate: Candidate
    relation: str
    why: str
    reports_study: bool
    in_same_study: bool


@dataclass(frozen=True, slots=True)
class Levels:
    """What PRISMA counts apart: records as the sources gave them, reports (candidates), studies among the included."""

    records: int
    reports: int
    reports_included: int
    studies_included: int


def companions_of(candidate: Candidate) -> list[Companion]:
    """The candidate's companions, each once, in order of their arrival. One query; three more where there are any."""
    links = CandidateSource.objects.filter(candidate=candidate).values("pk")
    pairs = RecordPair.objects.filter(Q(a__in=links) | Q(b__in=links), relation=Relation.COMPANION)
    found: dict[int, tuple[str, str]] = {}
    for one, other, rule, why in pairs.order_by("pk").values_list("a__candidate", "b__candidate", "rule", "why"):
        partner = other if one == candidate.pk else one
        if partner != candidate.pk:
            found.setdefault(partner, (rule, why))
    if not found:
        return []
    mine = StudyReport.objects.filter(candidate=candidate).values_list("study_id", flat=True).first()
    fellows = set(StudyReport.objects.filter(study=mine).values_list("candidate_id", flat=True)) if mine else set()
    for pk in fellows - {candidate.pk}:
        found.setdefault(pk, ("study", "A person put both into one study."))
    rows = Candidate.objects.filter(pk__in=found, merged_into=None, withdrawn_at=None).order_by("pk")
    return [
        Companion(
            row,
            COMPANION_WORDS.get(found[row.pk][0], "report of the same study"),
            found[row.pk][1],
            found[row.pk][0] not in NOT_REPORTS,
            row.pk in fellows,
        )
        for row in rows
    ]


@transaction.atomic
def study_join(*, project: Project, actor: Any, candidate_ids: Sequence[int], label: str = "") -> Study:
    """Say that these candidates report one study. A study that one of them is in takes the others in. Raises
    StudyProblem when fewer than two are listed, or they are in different studies."""
    locked = Project.objects.select_for_update(no_key=True).get(pk=project.pk)
    rows = list(Candidate.objects.listed(locked).filter(pk__in=candidate_ids).order_by("pk"))
    if len(rows) < 2:
        raise StudyProblem("Choose at least two reports that are still in the list.")
    studies = list(Study.objects.filter(reports__candidate__in=rows).distinct().order_by("pk"))
    if len(studies) > 1:
        names = " and ".join(f"“{study.label}”" for study in studies)
        raise StudyProblem(f"These reports are in different studies: {names}. Take one of them out first.")
    study = (
        studies[0]
        if studies
        else Study.objects.create(project=locked, label=(label or _label(rows))[:200], created_by=actor)
    )
    inside = set(study.reports.values_list("candidate_id", flat=True))
    added = [row for row in rows if row.pk not in inside]
    StudyReport.objects.bulk_create(StudyReport(study=study, candidate=row, added_by=actor) for row in added)
    if added:
        payload = {"label": study.label, "candidates": [row.pk for row in added]}
        record_event(project=locked, actor=actor, verb="study.joined", subject=f"study:{study.pk}", payload=payload)
    return study


@transaction.atomic
def study_leave(*, project: Project, actor: Any, candidate_id: int) -> bool:
    """Take a candidate out of its study; a study of one report is no group and goes too. False if it was in none."""
    locked = Project.objects.select_for_update(no_key=True).get(pk=project.pk)
    report = StudyReport.objects.filter(candidate=candidate_id, study__project=locked).select_related("study").first()
    if report is None:
        return False
    study = report.study
    report.delete()
    payload = {"label": study.label, "candidates": [candidate_id]}
    record_event(project=locked, actor=actor, verb="study.left", subject=f"study:{study.pk}", payload=payload)
    if study.reports.count() < 2:
        study.delete()
    return True


def _label(rows: Sequence[Candidate]) -> str:
    first = min(rows, key=lambda row: (row.is_preprint, row.year or 9999, row.pk))
    return f"{first.first_author or first.title[:60]} {first.year or ''}".strip()


def levels(project: Project) -> Levels:
    """Records, reports and studies of a project. A report in no group is a study of its own."""
    listed = Candidate.objects.listed(project)
    included = listed.filter(final=Decision.INCLUDE)
    grouped = included.filter(study_report__isnull=False)
    studies = grouped.values("study_report__study").distinct().count()
    return Levels(
        records=CandidateSource.objects.filter(project=project).exclude(rule=SUPPLEMENT).count(),
        reports=listed.count(),
        reports_included=included.count(),
        studies_included=included.filter(study_report=None).count() + studies,
    )

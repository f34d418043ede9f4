"""On a candidate's page: why its records are one paper, its companions, its study; the forms that change these."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from litapp.core.dedupe.explain import FieldStand, Stand, compare_fields
from litapp.projects.models import Membership, Project
from litapp.projects.permissions import ProjectRequest, Right, project_view
from litapp.web.numbers import row_number
from searches.blinding import stages_of
from searches.models import Candidate, CandidateSource, PairAnswer, PairDecision, StudyReport
from searches.services.duplicates import PairChanged, pair_answer, records_part
from searches.services.grouping import DECIDED, SUPPLEMENT
from searches.services.studies import StudyProblem, study_join, study_leave
from searches.views.companions import companions_seen
from searches.views.record_card import source_names
from searches.views.screening import candidate_of


@dataclass(frozen=True, slots=True)
class MergedRecord:
    """A record of the candidate: why it is here, and how it stands to the first one, field by field."""

    link: CandidateSource
    source: str
    by_person: bool
    agreeing: tuple[FieldStand, ...]
    differing: tuple[FieldStand, ...]


@dataclass(frozen=True, slots=True)
class StandingAnswer:
    """An answer of a person on records of this candidate, which can be taken back."""

    request_id: UUID
    text: str


def duplicates_context(candidate: Candidate, membership: Membership) -> dict[str, Any]:
    """What the candidate's page shows of duplicates, companions and its study."""
    links = list(
        CandidateSource.objects.filter(candidate=candidate)
        .exclude(rule=SUPPLEMENT)
        .select_related("source_record")
        .order_by("source_record_id")
    )
    report = StudyReport.objects.filter(candidate=candidate).select_related("study").first()
    return {
        "merged_records": _merged(links),
        "answers": _answers(candidate, [link.entry for link in links if link.entry]),
        "companions": companions_seen(candidate, membership, stages_of(membership.project)),
        "study": report.study if report else None,
        "part_id": uuid4(),
        "join_id": uuid4(),
    }


def _merged(links: list[CandidateSource]) -> list[MergedRecord]:
    if len(links) < 2:
        return []
    first = links[0].source_record.record
    rows = []
    for link in links:
        fields = () if link is links[0] else compare_fields(first, link.source_record.record)[1]
        rows.append(
            MergedRecord(
                link,
                source_names([link.source])[0],
                link.rule == DECIDED,
                tuple(field for field in fields if field.stand in (Stand.EQUAL, Stand.ALIKE)),
                tuple(field for field in fields if field.stand is Stand.DIFFERS),
            )
        )
    return rows


def _answers(candidate: Candidate, entries: list[str]) -> list[StandingAnswer]:
    rows = PairDecision.objects.filter(project=candidate.project_id, undone_at=None)
    found: dict[UUID, StandingAnswer] = {}
    for side in ("a", "b"):
        for row in rows.filter(**{f"{side}__in": entries}).select_related("actor").order_by("-pk"):
            said = "is one paper with" if row.answer == PairAnswer.SAME else "is not the same as"
            titles = [title for title in row.subject.get("titles", []) if title != candidate.title]
            text = f"{said} {titles[0]}" if titles else "a record of it is another paper"
            found.setdefault(row.request_id, StandingAnswer(row.request_id, text))
    return list(found.values())


class PartForm(forms.Form):
    """Records that are taken out of a candidate."""

    request_id = forms.UUIDField()


@require_POST
@project_view(Right.SCREEN)
def candidate_part(request: ProjectRequest, project: Project, candidate_id: int) -> HttpResponse:
    """Take the chosen records out: they are another paper."""
    candidate_of(project, str(candidate_id))
    form = PartForm(request.POST)
    ids = [number for text in request.POST.getlist("records") if (number := row_number(text)) is not None]
    if not form.is_valid() or not ids:
        messages.warning(request, "Choose the records that are another paper. Nothing was changed.")
        return redirect("searches:candidate", project.pk, candidate_id)
    try:
        records_part(
            project=project,
            actor=request.user,
            candidate_id=candidate_id,
            link_ids=ids,
            request_id=form.cleaned_data["request_id"],
        )
    except PairChanged as error:
        messages.warning(request, f"{error} Nothing was changed.")
    else:
        messages.success(request, "Parted. Decisions and notes are where they were made; this can be taken back below.")
    return redirect("searches:candidate", project.pk, candidate_id)


@require_POST
@project_view(Right.SCREEN)
def candidate_join(request: ProjectRequest, project: Project, candidate_id: int) -> HttpResponse:
    """Say that another candidate, named by its number, is this paper."""
    candidate_of(project, str(candidate_id))
    form = PartForm(request.POST)
    other = row_number(request.POST.get("other", "").strip())
    if not form.is_valid() or other is None:
        messages.warning(request, "Type the number of the other record, as its page shows it. Nothing was changed.")
        return redirect("searches:candidate", project.pk, candidate_id)
    try:
        pair_answer(
            project=project,
            actor=request.user,
            candidate_ids=(candidate_id, other),
            answer=PairAnswer.SAME,
            request_id=form.cleaned_data["request_id"],
        )
    except PairChanged as error:
        messages.warning(request, f"{error} Nothing was changed.")
    else:
        messages.success(request, f"Record {other} and this one are one paper now. This can be taken back below.")
    return redirect("searches:candidate", project.pk, candidate_id)


@require_POST
@project_view(Right.SCREEN)
def candidate_study(request: ProjectRequest, project: Project, candidate_id: int) -> HttpResponse:
    """Put the chosen companions into one study with this candidate, or take it out of its study."""
    candidate_of(project, str(candidate_id))
    if request.POST.get("leave"):
        if study_leave(project=project, actor=request.user, candidate_id=candidate_id):
            messages.success(request, "Taken out of the study.")
        return redirect("searches:candidate", project.pk, candidate_id)
    ids = [number for text in request.POST.getlist("reports") if (number := row_number(text)) is not None]
    try:
        study = study_join(project=project, actor=request.user, candidate_ids=[candidate_id, *ids])
    except StudyProblem as error:
        messages.warning(request, f"{error} Nothing was changed.")
    else:
        messages.success(request, f"One study now: {study.label}.")
    return redirect("searches:candidate", project.pk, candidate_id)

"""Notes, labels and own words on the screening page and on a record's own page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from django import forms
from django.contrib import messages
from django.db.models import Q
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST

from litapp.projects.models import Project
from litapp.projects.permissions import ProjectRequest, Right, project_view
from litapp.web.htmx import wants_part
from searches.blinding import Stages, stages_of
from searches.models import Candidate, CandidateLabel, Label, RecordNote, ScreeningWord
from searches.services.remarks import RemarkProblem, label_add, label_remove, note_add, note_remove, words_save


@dataclass(frozen=True, slots=True)
class Remarks:
    """What is written on a record, as far as the person may see it."""

    notes: list[RecordNote]
    mine: list[CandidateLabel]
    others: list[CandidateLabel]
    """Labels that only others put there."""


def remarks_on(candidate: Candidate, person: Any, *, all_seen: bool) -> Remarks:
    """Notes and labels on the record and on those that were merged into it. Two queries."""
    here = Q(candidate=candidate.pk) | Q(candidate__merged_into=candidate.pk)
    notes = RecordNote.objects.filter(here, removed_at=None).select_related("person").order_by("pk")
    used = CandidateLabel.objects.filter(here).select_related("label", "person").order_by("label__name", "pk")
    if not all_seen:
        notes, used = notes.filter(person=person), used.filter(person=person)
    labels = list(used)
    mine = [one for one in labels if one.person_id == person.pk]
    known = {one.label_id for one in mine}
    others = {one.label_id: one for one in labels if one.label_id not in known}
    return Remarks(list(notes), mine, list(others.values()))


def label_names(project: Project, person: Any, stages: Stages) -> list[str]:
    """Labels to choose from: all of the project, while a stage is secret only those that the person used."""
    labels = Label.objects.filter(project=project)
    if stages.secret:
        labels = labels.filter(used__person=person).distinct()
    return list(labels.order_by("name").values_list("name", flat=True))


def remarks_context(person: Any, candidate: Candidate, stages: Stages) -> dict[str, Any]:
    """What the part "remarks" needs of one record. While a stage is secret nobody sees others' notes and labels beside
    a record: leads screen as well."""
    return {
        "remarks": remarks_on(candidate, person, all_seen=not stages.secret),
        "note_id": uuid4(),
        "remarks_hidden": stages.secret,
    }


class NoteForm(forms.Form):
    text = forms.CharField(max_length=20_000, required=False, strip=True)
    request_id = forms.UUIDField()


def _candidate(project: Project, candidate_id: int) -> Candidate:
    found = Candidate.objects.filter(project=project, pk=candidate_id).first()
    if found is None:
        raise Http404("no such record in this project")
    return found


def _answer(request: ProjectRequest, project: Project, candidate: Candidate, problem: str = "") -> HttpResponse:
    """The part for htmx; else back to where the form was."""
    if wants_part(request):
        context = {"project": project, "candidate": candidate, "remark_problem": problem}
        stages = stages_of(project)
        context |= remarks_context(request.user, candidate, stages)
        context["label_names"] = label_names(project, request.user, stages)
        return render(request, "searches/screen_remarks.html", context, status=422 if problem else 200)
    if problem:
        messages.warning(request, problem)
    back = request.POST.get("back", "")
    if not url_has_allowed_host_and_scheme(back, allowed_hosts=None):
        back = reverse("searches:candidate", args=[project.pk, candidate.pk])
    return redirect(back)


@require_POST
@project_view(Right.SCREEN)
def note_new(request: ProjectRequest, project: Project, candidate_id: int) -> HttpResponse:
    """Write a note."""
    candidate, form = _candidate(project, candidate_id), NoteForm(request.POST)
    if not form.is_valid():
        return _answer(request, project, candidate, "That note could not be read. Reload the page and try again.")
    try:
        note_add(candidate=candidate, actor=request.user, **form.cleaned_data)
    except RemarkProblem as problem:
        return _answer(request, project, candidate, str(problem))
    return _answer(request, project, candidate)


@require_POST
@project_view(Right.SCREEN)
def note_delete(request: ProjectRequest, project: Project, candidate_id: int, note_id: int) -> HttpResponse:
    """Take back one's own note."""
    candidate = _candidate(project, candidate_id)
    note = RecordNote.objects.filter(pk=note_id, candidate__project=project, person=request.user).first()
    if note is None:
        raise Http404("no such note of yours")
    note_remove(note=note, actor=request.user)
    return _answer(request, project, candidate)


@require_POST
@project_view(Right.SCREEN)
def labels_change(request: ProjectRequest, project: Project, candidate_id: int) -> HttpResponse:
    """Put a label on (`label`), or take one's own off (`remove`)."""
    candidate = _candidate(project, candidate_id)
    remove = request.POST.get("remove", "")
    if remove.isdecimal() and len(remove) < 19:
        label_remove(candidate=candidate, actor=request.user, label_id=int(remove))
        return _answer(request, project, candidate)
    try:
        label_add(candidate=candidate, actor=request.user, name=request.POST.get("label", ""))
    except RemarkProblem as problem:
        return _answer(request, project, candidate, str(problem))
    return _answer(request, project, candidate)


@require_POST
@project_view(Right.SCREEN)
def words_change(request: ProjectRequest, project: Project) -> HttpResponse:
    """Save the person's own words to mark."""
    try:
        words_save(
            project=project,
            person=request.user,
            words_for=request.POST.get("for", ""),
            words_against=request.POST.get("against", ""),
        )
        messages.success(request, "Your words are saved; they are marked in titles and abstracts.")
    except RemarkProblem as problem:
        messages.warning(request, str(problem))
    return redirect("searches:screening", project.pk)


def own_words(project: Project, person: Any) -> dict[str, str]:
    """The person's words, one a line, for the form."""
    words: dict[str, list[str]] = {"for": [], "against": []}
    rows = ScreeningWord.objects.filter(project=project, person=person).order_by("word")
    for kind, word in rows.values_list("kind", "word"):
        words[kind].append(word)
    return {f"words_{kind}": "\n".join(found) for kind, found in words.items()}

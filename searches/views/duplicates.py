"""Doubtful pairs: one pair side by side, answered by keys or buttons, skipped, taken back. Works without script."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from uuid import uuid4

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from litapp.core.dedupe.explain import FieldStand, Stand, compare_fields
from litapp.core.markup import plain_text
from litapp.projects.models import Project
from litapp.projects.permissions import ProjectRequest, Right, project_view
from litapp.web.numbers import row_number
from searches.blinding import Viewer, viewer_of
from searches.models import Candidate, PairAnswer, PairDecision
from searches.seen import dressed
from searches.services.doubtful_queue import KEPT_APART, doubtful_pairs
from searches.services.duplicates import NothingToTakeBack, PairChanged, answer_undo, pair_answer
from searches.services.studies import levels
from searches.views.marked_text import Segment
from searches.views.record_card import source_names

STAND_WORDS = {
    Stand.EQUAL: ("equal", "same"),
    Stand.ALIKE: ("agrees, written otherwise", "variant"),
    Stand.DIFFERS: ("differs", "differs"),
    Stand.MISSING: ("not stated on one side", "missing"),
}
"""Stand of a field -> words, class of the design system."""
_WORDS = re.compile(r"\s+|\w+|[^\w\s]")
LONGEST_MARKED = 3000
"""Letters of a field in which words are marked; a longer one is shown plain."""


class AnswerForm(forms.Form):
    """An answer on two candidates as the page showed them."""

    answer = forms.ChoiceField(choices=PairAnswer.choices)
    pair = forms.IntegerField(min_value=1)
    one = forms.IntegerField(min_value=1)
    other = forms.IntegerField(min_value=1)
    request_id = forms.UUIDField()


@dataclass(frozen=True, slots=True)
class FieldRow:
    """A field of both records with the words that differ marked."""

    field: FieldStand
    words: str
    css: str
    left: tuple[Segment, ...]
    right: tuple[Segment, ...]

    @property
    def differs(self) -> bool:
        return self.field.stand is Stand.DIFFERS


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two: its candidate, and the source whose record stands here."""

    candidate: Candidate
    sources: tuple[str, ...]
    records: int


def field_rows(fields: tuple[FieldStand, ...]) -> list[FieldRow]:
    """The fields with the words marked that only one side has."""
    rows = []
    for field in fields:
        left, right = _marked(field.left, field.right, field.stand)
        words, css = STAND_WORDS[field.stand]
        rows.append(FieldRow(field, words, css, left, right))
    return rows


def _marked(left: str, right: str, stand: Stand) -> tuple[tuple[Segment, ...], tuple[Segment, ...]]:
    if stand in (Stand.EQUAL, Stand.MISSING) or max(len(left), len(right)) > LONGEST_MARKED:
        return (Segment(left),) if left else (), (Segment(right),) if right else ()
    a, b = _WORDS.findall(left), _WORDS.findall(right)
    ours: list[Segment] = []
    theirs: list[Segment] = []
    for tag, i, j, k, m in difflib.SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        kind = "" if tag == "equal" else "removed"
        if j > i:
            ours.append(Segment("".join(a[i:j]), kind))
        if m > k:
            theirs.append(Segment("".join(b[k:m]), "added" if kind else ""))
    return tuple(ours), tuple(theirs)


@never_cache
@require_GET
@project_view(Right.VIEW)
def duplicates(request: ProjectRequest, project: Project) -> HttpResponse:
    """The likeliest doubtful pair, or the one that `pair` names; `after` skips to the one behind."""
    ids = list(doubtful_pairs(project).values_list("pk", flat=True))
    chosen = _chosen(ids, row_number(request.GET.get("pair", "")), row_number(request.GET.get("after", "")))
    answered = PairDecision.objects.filter(project=project, undone_at=None)
    context = {
        "project": project,
        "total": len(ids),
        "answered": answered.values("request_id").distinct().count(),
        "levels": levels(project),
        "undo_id": answered.filter(actor=request.user).order_by("-pk").values_list("request_id", flat=True).first(),
    }
    if chosen is not None:
        pair, viewer = doubtful_pairs(project).get(pk=chosen), viewer_of(request.membership)
        verdict, fields = compare_fields(pair.a.source_record.record, pair.b.source_record.record)
        context |= {
            "pair": pair,
            "why": f"{pair.why} {KEPT_APART}" if pair.relation == "same" else pair.why or verdict.why,
            "sides": tuple(_side(one.candidate, one.source, viewer) for one in (pair.a, pair.b)),
            "rows": field_rows(fields),
            "request_id": uuid4(),
            "place": ids.index(chosen) + 1,
        }
    return render(request, "searches/duplicates.html", context)


def _chosen(ids: list[int], named: int | None, after: int | None) -> int | None:
    """The pair that is shown: named, behind another one, or the first."""
    if named in ids:
        return named
    if after in ids:
        return ids[(ids.index(after) + 1) % len(ids)]
    return ids[0] if ids else None


def _side(candidate: Candidate, source: str, viewer: Viewer) -> Side:
    return Side(dressed([candidate], viewer)[0], source_names([source]), candidate.source_records.count())


@require_POST
@project_view(Right.SCREEN)
def duplicates_answer(request: ProjectRequest, project: Project) -> HttpResponse:
    """Store an answer and go on with the next pair."""
    back = reverse("searches:duplicates", args=[project.pk])
    form = AnswerForm(request.POST)
    if not form.is_valid():
        messages.warning(request, "That answer could not be read, so nothing was saved. Please answer again.")
        return redirect(back)
    given = form.cleaned_data
    ids = list(doubtful_pairs(project).values_list("pk", flat=True))
    following = ids[ids.index(given["pair"]) + 1 :] if given["pair"] in ids else []
    try:
        pair_answer(
            project=project,
            actor=request.user,
            candidate_ids=(given["one"], given["other"]),
            answer=PairAnswer(given["answer"]),
            request_id=given["request_id"],
        )
    except PairChanged as error:
        messages.warning(request, f"{error} Nothing was saved.")
        return redirect(back)
    said = "joined into one paper" if given["answer"] == PairAnswer.SAME else "kept apart, now and in later imports"
    messages.success(request, f"Saved: the two records are {said}.")
    return redirect(f"{back}?pair={following[0]}" if following else back)


@require_POST
@project_view(Right.SCREEN)
def duplicates_undo(request: ProjectRequest, project: Project) -> HttpResponse:
    """Take back an answer: the one that the form names, or the person's latest."""
    named = forms.UUIDField(required=False)
    candidate = row_number(request.POST.get("candidate", ""))
    try:
        target = named.clean(request.POST.get("answer_id", ""))
        undone = answer_undo(project=project, actor=request.user, request_id=target)
    except forms.ValidationError:
        messages.warning(request, "That could not be read, so nothing was taken back.")
    except NothingToTakeBack as error:
        messages.warning(request, str(error))
    else:
        titles = Candidate.objects.filter(pk__in=undone.candidates).values_list("title", flat=True)
        told = " and ".join(f"“{plain_text(title)[:80]}”" for title in titles)
        messages.success(request, f"Taken back: the answer on {told}. Decisions and notes are where they were.")
    if candidate is not None and Candidate.objects.filter(project=project, pk=candidate).exists():
        return redirect("searches:candidate", project.pk, candidate)
    return redirect("searches:duplicates", project.pk)

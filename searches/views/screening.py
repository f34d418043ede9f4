"""Screening, at title and abstract or at full text: one record at a time, decided by keys, buttons or plain forms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

from django import forms
from django.contrib import messages
from django.contrib.auth.models import User
from django.db.models import Exists, OuterRef
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.cache import patch_vary_headers
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from litapp.core.markup import plain_text
from litapp.projects.models import Project
from litapp.projects.people import name_of
from litapp.projects.permissions import ProjectRequest, Right, project_view
from litapp.web.htmx import wants_part
from searches.blinding import Stages, Viewer, stages_of, viewer_of
from searches.models import Candidate, Decision, ScreeningDecision, Stage
from searches.querysets import CandidateQuerySet
from searches.ranked import ranked
from searches.seen import at_stage, dressed, tally_of, work_of
from searches.services.criteria import newest_version
from searches.services.refusals import DecisionRefused, NothingToUndo, NotYours, StageClosed, StaleCandidate
from searches.services.rules import check_stage
from searches.services.screening import current_candidate, decide, undo
from searches.views.companions import companions_seen
from searches.views.decision_keys import DECISION_KEYS_OF
from searches.views.highlights import marks_for, marks_json
from searches.views.provenance import decision_timeline
from searches.views.record_card import record_card
from searches.views.remarks import label_names, remarks_context
from searches.views.screening_queue import ALL, SHOW_CHOICES, Progress, ScreeningQueue, read_queue


@dataclass(frozen=True, slots=True)
class Pages:
    """The names of a stage's addresses."""

    screen: str
    next: str
    undo: str


PAGES = {
    Stage.TITLE.value: Pages("searches:screen", "searches:screen_next", "searches:undo"),
    Stage.FULLTEXT.value: Pages("searches:fulltext", "searches:fulltext_next", "searches:fulltext_undo"),
}
MOST_AHEAD = 5
"""Most records that one request prepares ahead."""


class DecisionForm(forms.Form):
    """One decision: what, at which stage, on which version of the candidate, the reason, and the page's own number for
    it. A criterion alone excludes; `criteria` is the version of the list that the page showed."""

    decision = forms.ChoiceField(required=False, choices=[choice for choice in Decision.choices if choice[0]])
    stage = forms.ChoiceField(required=False, choices=Stage.choices)
    version = forms.IntegerField(min_value=1)
    request_id = forms.UUIDField()
    reason = forms.CharField(required=False, max_length=300)
    criterion_id = forms.IntegerField(required=False, min_value=1)
    criteria = forms.IntegerField(required=False, min_value=1)

    def clean(self) -> dict[str, Any]:
        """A number key names a criterion and nothing else: that is an exclusion."""
        data = super().clean() or {}
        if "decision" not in self.errors and not data.get("decision"):
            if not data.get("criterion_id"):
                self.add_error("decision", "Choose what to decide.")
            data["decision"] = Decision.EXCLUDE.value
        data["stage"] = data.get("stage") or Stage.TITLE.value
        return data


class UndoForm(forms.Form):
    """The page's own number for taking back: a double click takes back once. `target` names an older decision."""

    request_id = forms.UUIDField()
    target = forms.UUIDField(required=False)


@dataclass(frozen=True, slots=True)
class Notice:
    """A sentence above the record. `kind` is one of the design system's notice classes."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Screen:
    """The screening page of one request: queue, counts and the person's last decision are the same for every record
    that it prepares."""

    request: ProjectRequest
    project: Project
    queue: ScreeningQueue
    stages: Stages
    viewer: Viewer

    @property
    def stage(self) -> str:
        return self.viewer.stage.stage

    @property
    def candidates(self) -> CandidateQuerySet:
        """What the person is to screen at this stage."""
        return work_of(Candidate.objects.listed(self.project), self.viewer)

    @property
    def path(self) -> str:
        return reverse(PAGES[self.stage].screen, args=[self.project.pk])

    def address(self, record: int | None) -> str:
        """The page's address for one record, or of the queue."""
        return f"{self.path}?{self.queue.query(record=record)}".rstrip("?")

    def shared(self) -> dict[str, Any]:
        """What all records have in common: progress, the person's last decision, criteria, words to mark."""
        return {
            "project": self.project,
            "queue": self.queue,
            "stages": self.stages,
            "stage": self.viewer.stage,
            "pages": PAGES[self.stage],
            "viewer": self.viewer,
            "closed": why_closed(self.stages, self.stage),
            "progress": self.progress(),
            "last": last_decision(self.project, self.request.user, self.stage),
            "criteria": newest_version(self.project),
            "marks": (marks := marks_for(self.project, self.request.user)),
            "marks_json": marks_json(marks),
            "label_names": label_names(self.project, self.request.user, self.stages),
            "keys": DECISION_KEYS_OF[self.viewer.stage.keys],
            "show_choices": SHOW_CHOICES,
            "orders": self.queue.orders,
        }

    def progress(self) -> Progress:
        """How far the queue is; without filters from the person's tally."""
        if self.queue.is_narrowed:
            return self.queue.progress(self.candidates)
        counted = tally_of(self.request.membership, self.viewer)
        return Progress(counted.total, counted.decided)

    def region(self, candidate: Candidate | None, **more: Any) -> dict[str, Any]:
        """What belongs to one record (None: nothing is left). The queries of companions, remarks and timeline."""
        record = candidate.pk if candidate else None
        parts: dict[str, Any] = {}
        if candidate is not None:
            [candidate] = dressed([candidate], self.viewer)
            parts = {
                "card": record_card(candidate),
                "companions": companions_seen(candidate, self.request.membership, self.stages),
                "timeline": decision_timeline(candidate, self.request.user, self.stages),
                "ranked": ranked(candidate, self.queue.ranking),
                **remarks_context(self.request.user, candidate, self.stages),
            }
        return {
            "candidate": candidate,
            "card": None,
            "request_id": uuid4(),
            "undo_id": uuid4(),
            "address": self.address(record),
            "ahead_query": self.queue.query(record=record),
            "back_query": self.queue.query(record=record, direction="previous"),
            **parts,
            **more,
        }

    def answer(self, candidate: Candidate | None, *, status: int = 200, **more: Any) -> HttpResponse:
        """The page's region for its script, the whole page for everybody else."""
        context = {**self.shared(), **self.region(candidate, **more)}
        part = "#screen" if wants_part(self.request) else ""
        response = render(self.request, f"searches/screen.html{part}", context, status=status)
        patch_vary_headers(response, ["HX-Request"])
        return response


def screen_of(request: ProjectRequest, project: Project, stage: str) -> Screen:
    """The screening page of a stage for this person."""
    stages = stages_of(project)
    viewer = viewer_of(request.membership, stage, stages)
    return Screen(request, project, read_queue(request.GET, viewer), stages, viewer)


def why_closed(stages: Stages, stage: str) -> str:
    """Why nobody can decide at the stage now; empty while it takes votes."""
    try:
        check_stage(stages, stage)
    except StageClosed as closed:
        return str(closed)
    return ""


def last_decision(project: Project, person: User, stage: str | None = None) -> ScreeningDecision | None:
    """The person's latest decision that was not taken back, with its candidate's title; of one stage if given."""
    undone = ScreeningDecision.objects.filter(
        project=project, candidate=OuterRef("candidate"), undoes=OuterRef("request_id")
    )
    mine = ScreeningDecision.objects.filter(~Exists(undone), project=project, reviewer=person, undoes=None)
    if stage is not None:
        mine = mine.filter(stage=stage)
    return mine.select_related("candidate").only("decision", "request_id", "candidate__title").order_by("-pk").first()


@never_cache
@require_GET
@project_view(Right.SCREEN)
def screen(request: ProjectRequest, project: Project, stage: str = Stage.TITLE) -> HttpResponse:
    """The record that the address names, or the first of the queue."""
    page = screen_of(request, project, stage)
    wanted = request.GET.get("record", "")
    if not wanted:
        return page.answer(page.queue.rows(page.candidates).for_card().first())
    candidate = candidate_of(project, wanted)
    if candidate.merged_into_id:
        return redirect(page.address(current_candidate(candidate).pk))
    if not at_stage(Candidate.objects.filter(pk=candidate.pk), page.viewer).exists():
        raise Http404("no such record at this stage")
    return page.answer(candidate)


@never_cache
@require_GET
@project_view(Right.SCREEN)
def screen_next(request: ProjectRequest, project: Project, stage: str = Stage.TITLE) -> HttpResponse:
    """The records behind (or, with direction=previous, in front of) `record`: as parts to keep ready for the page's
    script (`count`, at most 5), as a redirect to the nearest one for a plain link."""
    page = screen_of(request, project, stage)
    here = candidate_of(project, request.GET.get("record", ""))
    back = request.GET.get("direction") == "previous"
    rows = page.queue.preceding(page.candidates, here) if back else page.queue.following(page.candidates, here)
    if wants_part(request):
        near = list(rows.for_card()[: _ahead(request.GET.get("count", ""))])
        shared = page.shared() if near else {}
        regions = [{**shared, **page.region(candidate)} for candidate in near]
        return render(request, "searches/screen_ahead.html", {"regions": regions})
    nearest = rows.values_list("pk", flat=True).first()
    if nearest is None:
        messages.info(request, f"This is the {'first' if back else 'last'} record of the queue.")
    return redirect(page.address(nearest or here.pk))


def _ahead(text: str) -> int:
    return max(1, min(MOST_AHEAD, int(text))) if text.isdecimal() else 1


def candidate_of(project: Project, text: str) -> Candidate:
    """The project's candidate with this id, merged away or not. Raises Http404."""
    found = None
    if text.isdecimal() and len(text) < 19:
        found = Candidate.objects.filter(project=project, pk=int(text)).for_card().first()
    if found is None:
        raise Http404("no such record in this project")
    return found


def decide_on_screen(request: ProjectRequest, project: Project, candidate: Candidate) -> HttpResponse:
    """Store one decision and answer with the next record of the queue."""
    wanted = request.POST.get("stage", "")
    page = screen_of(request, project, wanted if wanted in Stage.values else Stage.TITLE)
    form = DecisionForm(request.POST)
    unread = Notice("stop", "That decision could not be read, so nothing was saved. Please decide again.")
    if not form.is_valid():
        return page.answer(candidate, status=422, notice=unread)
    try:
        decide(project=project, candidate_id=candidate.pk, actor=request.user, **form.cleaned_data)
    except StaleCandidate as stale:
        fresh = candidate_of(project, str(stale.candidate.pk))
        return page.answer(fresh, status=409, notice=Notice("warn", refusal(fresh, page.viewer)))
    except NotYours as refused:
        following = page.queue.following(page.candidates, candidate).for_card().first()
        return page.answer(following, status=409, notice=Notice("warn", f"Not saved: {refused}"))
    except DecisionRefused as refused:
        return page.answer(candidate, status=422, notice=Notice("warn", f"Not saved: {refused}"))
    except ValueError:  # a criterion that is not of this project
        return page.answer(candidate, status=422, notice=unread)
    decision = Decision(form.cleaned_data["decision"])
    return _next_after(page, candidate, decision, form.cleaned_data["request_id"])


def _next_after(page: Screen, candidate: Candidate, decision: Decision, request_id: UUID) -> HttpResponse:
    said = f"Saved: {decision.label.lower()} “{plain_text(candidate.title)}”."
    following = page.queue.following(page.candidates, candidate).for_card().first()
    notice = None
    if following is None and page.queue.show != ALL:
        following = page.queue.rows(page.candidates).exclude(pk=candidate.pk).for_card().first()
        if following:
            notice = Notice("info", "That was the end of the queue. Here are the records that you passed over.")
    if wants_part(page.request):
        return page.answer(following, notice=notice, saved=request_id, said=said)
    messages.success(page.request, said)
    if notice:
        messages.info(page.request, notice.text)
    return redirect(page.address(following.pk if following else None))


def refusal(candidate: Candidate, viewer: Viewer) -> str:
    """Why a decision was refused: what the record is now, and who made it so."""
    if not viewer.own and viewer.stage.stage == Stage.TITLE and candidate.decision and candidate.decided_by:
        done = Decision(candidate.decision).label.lower()
        return (
            f"Not saved: {name_of(candidate.decided_by)} decided “{done}” on this record in the meantime. "
            "Look at it again; a decision of yours would replace that one."
        )
    return (
        "Not saved: this record changed in the meantime (another source's record was joined to it, or a decision was "
        "taken back). Look at it again and decide."
    )


@require_POST
@project_view(Right.SCREEN)
def undo_view(request: ProjectRequest, project: Project, stage: str = Stage.TITLE) -> HttpResponse:
    """Take back the person's last decision, or bulk of decisions (or the one that `target` names), and show its record
    again."""
    page = screen_of(request, project, stage)
    form = UndoForm(request.POST)
    if not form.is_valid():
        return _not_undone(
            page, "That could not be read, so nothing was taken back. Reload the page and try again.", 422
        )
    try:
        undone = undo(project=project, actor=request.user, **form.cleaned_data)
    except NothingToUndo as error:
        return _not_undone(page, str(error), 409)
    first = Candidate.objects.for_card().get(pk=next(iter(undone.restored)))
    many = len(undone.restored)
    stands = Decision(undone.restored[first.pk]).label.lower()
    said = (
        f"Taken back: “{plain_text(first.title)}” stands at “{stands}” again."
        if many == 1
        else f"Taken back: {many:,} records have the decision they had before."
    )
    if undone.kept:
        said += f" {len(undone.kept):,} were decided anew since and stay as they are."
    if request.POST.get("from", "").removeprefix("conflicts-") in Stage.values:
        messages.success(request, said)
        return redirect("searches:conflicts", project.pk, request.POST["from"].removeprefix("conflicts-"))
    if request.POST.get("from") == "candidate":
        messages.success(request, said)
        return redirect("searches:candidate", project.pk, first.pk)
    if request.POST.get("from") == "list":
        messages.success(request, said)
        return redirect(f"{reverse('searches:candidates', args=[project.pk])}?{request.GET.urlencode()}".rstrip("?"))
    if wants_part(request):
        return page.answer(first, undone=said)
    messages.success(request, said)
    return redirect(page.address(first.pk))


def _not_undone(page: Screen, why: str, status: int) -> HttpResponse:
    if wants_part(page.request):
        record = page.request.POST.get("record", "")
        shown = candidate_of(page.project, record) if record else page.queue.rows(page.candidates).for_card().first()
        return page.answer(shown, status=status, notice=Notice("warn", why))
    messages.warning(page.request, why)
    return redirect(page.address(None))

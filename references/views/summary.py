"""The evidence summary's own parts: kind and limits, topics with quotes and text, sentences that wait for a person."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from django.contrib import messages
from django.http import HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from litapp.core.matrix.claims import with_numbers
from litapp.projects.models import Project
from litapp.projects.permissions import ProjectRequest, Right, project_view
from references.models import CellState, MatrixCell, ReviewStep, SummaryKind, SummaryTopic, TopicQuote
from references.services.model import has_model
from references.services.summary import (
    StaleSummary,
    SummaryProblem,
    quote_add,
    quote_remove,
    sentence_decide,
    sentence_undo,
    setup_save,
    topic_add,
    topic_move,
    topic_remove,
    topic_save,
)
from references.services.summary_reading import (
    free_findings,
    lacking_sentences,
    quotes_of,
    setup_of,
    summary_numbers,
    topics_of,
)

STALE = "Somebody changed this in the meantime. Nothing was overwritten: what is stored now stands above your text."


@never_cache
@require_GET
@project_view(Right.VIEW, shows_outcomes=True)
def summary(request: ProjectRequest, project: Project) -> HttpResponse:
    """Everything that people say in the evidence summary."""
    return _page(request, project)


@require_POST
@project_view(Right.REFERENCES, shows_outcomes=True)
def summary_change(request: ProjectRequest, project: Project) -> HttpResponse:
    """One change. Somebody else's newer text is never overwritten: both are shown (409)."""
    sent, do = request.POST, request.POST.get("do", "")
    changes: dict[str, Callable[[], str]] = {
        "setup": lambda: _setup(project, request, sent),
        "topic_add": lambda: _done(
            topic_add(project=project, actor=request.user, title=sent.get("title", "")), "topics"
        ),
        "topic_save": lambda: _topic(project, request, sent),
        "topic_remove": lambda: _done(topic_remove(topic=_one(project, sent), actor=request.user), "topics"),
        "topic_up": lambda: _done(topic_move(topic=_one(project, sent), actor=request.user, up=True), "topics"),
        "topic_down": lambda: _done(topic_move(topic=_one(project, sent), actor=request.user, up=False), "topics"),
        "quote_add": lambda: _quote(project, request, sent),
        "quote_remove": lambda: _done(
            quote_remove(
                quote=get_object_or_404(TopicQuote, topic__project=project, pk=_number(sent, "quote")),
                actor=request.user,
            ),
            "topics",
        ),
        "decide": lambda: _done(
            sentence_decide(
                project=project, actor=request.user, name=sent.get("name", ""), reason=sent.get("reason", "")
            ),
            "sentences",
        ),
        "decision_undo": lambda: _done(
            sentence_undo(project=project, actor=request.user, name=sent.get("name", "")), "sentences"
        ),
    }
    if do not in changes:
        return _page(request, project, status=422, problem="The form was incomplete. Try again.")
    try:
        place = changes[do]()
    except StaleSummary:
        return _page(request, project, status=409, problem=STALE, sent=sent)
    except SummaryProblem as problem:
        return _page(request, project, status=422, problem=str(problem), sent=sent)
    messages.success(request, "Saved.")
    answer = redirect("references:summary", project.pk)
    answer["Location"] += f"#{place}"
    return answer


def _done(_: object, place: str) -> str:
    return place


def _setup(project: Project, request: ProjectRequest, sent: QueryDict) -> str:
    setup_save(
        project=project,
        actor=request.user,
        kind=sent.get("kind", ""),
        steps=sent.getlist("steps"),
        limitations=sent.get("limitations", ""),
        keys=_keys(sent),
        version=_number(sent, "version"),
    )
    return "setup"


def _topic(project: Project, request: ProjectRequest, sent: QueryDict) -> str:
    topic = _one(project, sent)
    topic_save(
        topic=topic,
        actor=request.user,
        title=sent.get("title", ""),
        text=sent.get("text", ""),
        keys=_keys(sent),
        version=_number(sent, "version"),
    )
    return f"topic-{topic.pk}"


def _quote(project: Project, request: ProjectRequest, sent: QueryDict) -> str:
    topic = _one(project, sent)
    cell = MatrixCell.objects.filter(reference__project=project, pk=_number(sent, "cell")).first()
    if cell is None:
        raise SummaryProblem("Choose the words that are to stand under the topic.")
    quote_add(topic=topic, cell=cell, actor=request.user)
    return f"topic-{topic.pk}"


def _one(project: Project, sent: QueryDict) -> SummaryTopic:
    return get_object_or_404(SummaryTopic, project=project, removed_at=None, pk=_number(sent, "topic"))


def _number(sent: QueryDict, name: str) -> int:
    text = sent.get(name, "")
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 16 else 0


def _keys(sent: QueryDict) -> Sequence[str]:
    """The references by number, as the page showed them when the person wrote."""
    return sent.get("keys", "").split()[:5000]


def _page(
    request: ProjectRequest, project: Project, *, status: int = 200, problem: str = "", sent: QueryDict | None = None
) -> HttpResponse:
    numbers, entries = summary_numbers(project)
    setup, topics = setup_of(project), topics_of(project)
    quotes = quotes_of(topics)
    do = sent.get("do", "") if sent else ""
    typed = _number(sent, "topic") if sent is not None and do == "topic_save" else 0
    cells = MatrixCell.objects.filter(
        reference__project=project, reference__removed_at=None, state=CellState.FILLED, checked_at__isnull=False
    ).exclude(quote="")
    context: dict[str, Any] = {
        "project": project,
        "problem": problem,
        "setup": setup,
        "kinds": SummaryKind,
        "steps": [(step.value, step.label, step.value in setup.steps) for step in ReviewStep],
        "limitations": with_numbers(setup.limitations, numbers),
        "typed_limitations": sent.get("limitations", "") if sent is not None and do == "setup" else None,
        "topics": [
            {
                "topic": topic,
                "text": with_numbers(topic.text, numbers),
                "typed": {"title": sent.get("title", ""), "text": sent.get("text", "")}
                if sent is not None and typed == topic.pk
                else None,
                "quotes": [
                    {"quote": one, "number": numbers.get(one.cell.reference.key)} for one in quotes.get(topic.pk, ())
                ],
            }
            for topic in topics
        ],
        "free": [{"cell": cell, "number": numbers.get(cell.reference.key)} for cell in free_findings(project)],
        "cells": list(cells.select_related("reference", "own").order_by("reference__key", "pk")),
        "sentences": lacking_sentences(project),
        "ai_drafts": has_model(),
        "numbered": sorted(((numbers[entry.key], entry) for entry in entries), key=lambda one: one[0]),
        "keys": " ".join(sorted(numbers, key=lambda key: numbers[key])),
    }
    return render(request, "references/summary.html", context, status=status)

"""Writes of the evidence summary: kind and limits, topics with text and quotes, decisions on single sentences."""

from __future__ import annotations

from collections.abc import Sequence

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from litapp.core.matrix.claims import with_keys
from litapp.projects.models import Project
from litapp.projects.services.events import record_event
from references.models import (
    CellState,
    MatrixCell,
    ReviewStep,
    SentenceDecision,
    SummaryKind,
    SummarySetup,
    SummaryTopic,
    TopicQuote,
)
from references.models_summary import LONGEST_TEXT
from references.services.summary_reading import lacking_sentences


class SummaryProblem(ValueError):
    """A change of the summary that cannot be made; the message says why and what to do."""


class StaleSummary(Exception):
    """Somebody changed the same part since it was read; nothing was overwritten."""


@transaction.atomic
def setup_save(
    *,
    project: Project,
    actor: User,
    kind: str,
    steps: Sequence[str],
    limitations: str,
    keys: Sequence[str],
    version: int,
) -> SummarySetup:
    """Store kind, steps and limits. `keys` are the references by number as the person saw them: `[n]` is kept as its
    key. Raises SummaryProblem for an unknown kind or step and a too long text, StaleSummary."""
    if kind not in SummaryKind.values or any(step not in ReviewStep.values for step in steps):
        raise SummaryProblem("That kind or step does not exist. Reload the page and choose again.")
    text = _text(limitations, keys)
    Project.objects.select_for_update(no_key=True).get(pk=project.pk)
    setup, _ = SummarySetup.objects.get_or_create(project=project)
    chosen = [step.value for step in ReviewStep if step.value in steps]
    same = (setup.kind, setup.steps, setup.limitations) == (kind, chosen, text)
    if setup.version != version:
        if same:
            return setup
        raise StaleSummary
    if same:
        return setup
    setup.kind, setup.steps, setup.limitations = kind, chosen, text
    setup.version, setup.changed_by = version + 1, actor
    setup.save()
    record_event(
        project=project,
        actor=actor,
        verb="summary.setup_saved",
        payload={"kind": kind, "steps": chosen, "limitations": text},
    )
    return setup


@transaction.atomic
def topic_add(*, project: Project, actor: User | None, title: str, text: str = "", model: str = "") -> SummaryTopic:
    """A new topic behind the others. `model` names the language model that drafted `text`. Raises SummaryProblem."""
    name = _title(title)
    last = SummaryTopic.objects.filter(project=project).aggregate(last=Max("position"))["last"] or 0
    topic = SummaryTopic.objects.create(
        project=project, title=name, text=_text(text, ()), drafted_by=model[:200], position=last + 1, changed_by=actor
    )
    record_event(
        project=project,
        actor=actor,
        verb="summary.topic_added",
        subject=f"topic:{topic.pk}",
        payload={"title": name, "drafted_by": model} if model else {"title": name},
    )
    return topic


@transaction.atomic
def topic_save(
    *, topic: SummaryTopic, actor: User, title: str, text: str, keys: Sequence[str], version: int
) -> SummaryTopic:
    """Store title and text written on `version`. Raises SummaryProblem, and StaleSummary when it was changed since."""
    name, kept = _title(title), _text(text, keys)
    row = SummaryTopic.objects.select_for_update().get(pk=topic.pk)
    if (row.title, row.text) == (name, kept):
        return row
    if row.version != version or row.removed_at is not None:
        raise StaleSummary
    row.title, row.text, row.version, row.changed_by = name, kept, version + 1, actor
    if not kept:
        row.drafted_by = ""
    row.save()
    record_event(
        project=row.project,
        actor=actor,
        verb="summary.topic_saved",
        subject=f"topic:{row.pk}",
        payload={"title": name, "text": kept},
    )
    return row


@transaction.atomic
def topic_remove(*, topic: SummaryTopic, actor: User) -> None:
    """Take a topic out. Its text stays in the history; its quotes stand under no topic again. Twice is once."""
    if SummaryTopic.objects.filter(pk=topic.pk, removed_at=None).update(
        removed_at=timezone.now(), changed_at=timezone.now()
    ):
        record_event(
            project=topic.project,
            actor=actor,
            verb="summary.topic_removed",
            subject=f"topic:{topic.pk}",
            payload={"title": topic.title, "text": topic.text},
        )


@transaction.atomic
def topic_move(*, topic: SummaryTopic, actor: User, up: bool) -> None:
    """Put a topic one place further up or down; at the end nothing changes."""
    Project.objects.select_for_update(no_key=True).get(pk=topic.project_id)
    order = list(SummaryTopic.objects.filter(project=topic.project, removed_at=None))
    at = next((number for number, one in enumerate(order) if one.pk == topic.pk), None)
    if at is None or not 0 <= (to := at - 1 if up else at + 1) < len(order):
        return
    order[at], order[to] = order[to], order[at]
    for position, one in enumerate(order, start=1):
        SummaryTopic.objects.filter(pk=one.pk).update(position=position, changed_at=timezone.now())
    record_event(
        project=topic.project,
        actor=actor,
        verb="summary.topics_ordered",
        payload={"titles": [one.title for one in order]},
    )


@transaction.atomic
def quote_add(*, topic: SummaryTopic, cell: MatrixCell, actor: User) -> TopicQuote:
    """Put the words of a filled cell under a topic. Twice is once. Raises SummaryProblem for a cell without words."""
    if cell.reference.project_id != topic.project_id or cell.state != CellState.FILLED or not cell.checked_at:
        raise SummaryProblem("Only a filled and checked cell of this project's matrix can stand under a topic.")
    quote, made = TopicQuote.objects.get_or_create(topic=topic, cell=cell, defaults={"added_by": actor})
    if made:
        _told_quote(topic, cell, actor, "summary.quote_added")
    return quote


@transaction.atomic
def quote_remove(*, quote: TopicQuote, actor: User) -> None:
    """Take words out of a topic; the cell stays as it is."""
    topic, cell = quote.topic, quote.cell
    if TopicQuote.objects.filter(pk=quote.pk).delete()[0]:
        SummaryTopic.objects.filter(pk=topic.pk).update(changed_at=timezone.now())
        _told_quote(topic, cell, actor, "summary.quote_removed")


def _told_quote(topic: SummaryTopic, cell: MatrixCell, actor: User, verb: str) -> None:
    record_event(
        project=topic.project,
        actor=actor,
        verb=verb,
        subject=f"topic:{topic.pk}",
        payload={"topic": topic.title, "key": cell.reference.key, "quote": cell.quote},
    )


@transaction.atomic
def sentence_decide(*, project: Project, actor: User, name: str, reason: str) -> SentenceDecision:
    """Let a sentence stand although it lacks something; it counts until the sentence changes.

    Raises SummaryProblem without a reason, and for a sentence that does not stand there (any more).
    """
    why = " ".join(reason.replace("\x00", "").split())
    if not why or len(why) > 300:
        raise SummaryProblem("Say in at most 300 characters why the sentence may stand; it is printed in the summary.")
    told = next((one for one in lacking_sentences(project) if one.claim.name == name), None)
    if told is None:
        raise SummaryProblem("That sentence was changed or lacks nothing any more. Reload the page.")
    decision, made = SentenceDecision.objects.get_or_create(
        project=project,
        name=name,
        defaults={
            "sentence": told.claim.text,
            "lacked": list(told.claim.told),
            "reason": why,
            "decided_by": actor,
        },
    )
    if made:
        record_event(
            project=project,
            actor=actor,
            verb="summary.sentence_decided",
            payload={"sentence": told.claim.text, "lacked": list(told.claim.told), "reason": why},
        )
    return decision


@transaction.atomic
def sentence_undo(*, project: Project, actor: User, name: str) -> None:
    """Take back that a sentence may stand. Twice is once."""
    decision = SentenceDecision.objects.filter(project=project, name=name).first()
    if decision is not None:
        decision.delete()
        SummarySetup.objects.filter(project=project).update(changed_at=timezone.now())
        record_event(
            project=project, actor=actor, verb="summary.decision_undone", payload={"sentence": decision.sentence}
        )


def _title(title: str) -> str:
    name = " ".join(title.replace("\x00", "").split())
    if not name or len(name) > 200:
        raise SummaryProblem("A topic needs a title of at most 200 characters.")
    return name


def _text(text: str, keys: Sequence[str]) -> str:
    kept = with_keys(text.replace("\r\n", "\n").replace("\x00", "").strip(), keys)
    if len(kept) > LONGEST_TEXT:
        raise SummaryProblem(f"The text may have {LONGEST_TEXT:,} characters; this has {len(kept):,}. Shorten it.")
    return kept

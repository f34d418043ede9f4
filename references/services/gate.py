"""The checks before an output: gathers what they need, asks the sources again, and says what was found."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from litapp.core import gate as rules
from litapp.core.brought import BROUGHT
from litapp.core.formats.entry import ExportEntry
from litapp.core.formats.summary import EvidenceSummary
from litapp.jobs.models import StepState
from litapp.jobs.services import enqueue
from litapp.projects.models import Project
from litapp.projects.people import name_of
from litapp.projects.services.events import record_event
from references.models import CellState, Export, FilledBy, MatrixCell, Reference, SentenceDecision
from references.services.pandoc import Block
from references.services.requery import ask_again
from references.services.summary_reading import broken_quotes, told_claims
from searches.models import CandidateSource

LONGEST_REASON = 300


class OverrideRefused(ValueError):
    """An output cannot be let go; the message says why."""


def checks_of_entries(project: Project, entries: Sequence[ExportEntry]) -> list[rules.GateCheck]:
    """Gates 1 to 4 for references that go out. Network; outside transactions."""
    requery = ask_again(entries)
    keys = [entry.key for entry in entries]
    return [
        rules.identifiers_equal(entries, requery.answers),
        rules.title_and_pmid(entries, requery.pubmed),
        rules.returned_by_sources(entries, _returned(project, keys), broken_quotes(project, keys)),
        rules.doi_forms(entries),
    ]


def checks_of_document(
    project: Project, summary: EvidenceSummary, blocks: Sequence[Block], *, matrix_alone: bool = False
) -> list[rules.GateCheck]:
    """Gate 5 and the sentences, on the finished document."""
    linked, placed = places_of(blocks)
    checks = [rules.citations(summary, linked, placed)]
    told = [] if matrix_alone else told_claims(project)
    decided = SentenceDecision.objects.filter(project=project).values_list("name", flat=True)
    sentences = rules.sentences_stand(told, decided)
    drafts = tuple(
        rules.GateFailure(
            f"A language model drafted “{column or own}” ({model}), and nobody has checked it.", key, at="matrix"
        )
        for key, column, own, model in _drafts(project, {entry.key for entry in summary.entries})
    )
    return [*checks, rules.GateCheck(sentences.gate, sentences.looked_at, (*sentences.failures, *drafts))]


def _drafts(project: Project, keys: set[str]) -> list[tuple[str, str, str, str]]:
    """Cells that a model filled and nobody checked."""
    rows = MatrixCell.objects.filter(
        reference__project=project, reference__key__in=keys, state=CellState.FILLED, filled_by=FilledBy.MODEL,
        checked_at=None,
    )  # fmt: skip
    return [
        (key, column, own or "", model)
        for key, column, own, model in rows.order_by("reference__key", "pk").values_list(
            "reference__key", "column", "own__name", "model"
        )
    ]


def _returned(project: Project, keys: Sequence[str]) -> dict[str, bool]:
    """Key -> whether a source returned the reference: a record of a source stands behind it, or one confirmed it."""
    own = CandidateSource.objects.exclude(source=BROUGHT).filter(candidate__reference__project=project)
    found = set(own.values_list("candidate__reference__key", flat=True))
    verified = Reference.objects.filter(project=project, candidate__verification__status="verified").exclude(
        Q(candidate__verification__verified_by=[])
    )
    found |= set(verified.values_list("key", flat=True))
    return {key: key in found for key in keys}


def places_of(blocks: Sequence[Block]) -> tuple[list[str], list[str]]:
    """(keys that the document's text links to, keys that have an entry), read from the finished document."""
    linked: list[str] = []
    placed: list[str] = []

    def walk(node: Any) -> None:
        if isinstance(node, list):
            for item in node:
                walk(item)
        elif isinstance(node, dict):
            content: Any = node.get("c")
            if node.get("t") == "Link" and str(content[2][0]).startswith("#ref-"):
                linked.append(str(content[2][0]).removeprefix("#ref-"))
            if node.get("t") == "Div" and str(content[0][0]).startswith("ref-"):
                placed.append(str(content[0][0]).removeprefix("ref-"))
            walk(content)

    walk(list(blocks))
    return linked, placed


def override_lines(export: Export) -> tuple[str, ...]:
    """What a document says of the failures that a person let pass; () where nobody did."""
    if export.override_at is None:
        return ()
    by, at = name_of(export.override_by), export.override_at.astimezone(UTC)
    who = f"Let out by {by} on {at:%Y-%m-%d %H:%M} UTC: {export.override_reason}"
    failures = [
        ": ".join(part for part in (check["title"], one["key"], one["text"]) if part)
        for check in export.gate.get("checks", ())
        for one in check["failures"]
    ]
    return (who, *failures)


@transaction.atomic
def override(*, export: Export, actor: User, reason: str) -> Export:
    """Let an output go although checks failed, with a person's name and reason; it is made with both printed in it.

    Raises OverrideRefused without a reason, and where no check stopped the output.
    """
    text = " ".join(reason.replace("\x00", "").split())
    if not text or len(text) > LONGEST_REASON:
        raise OverrideRefused(f"Say in at most {LONGEST_REASON} characters why this may go out; it is printed in it.")
    row = Export.objects.select_for_update().select_related("project").get(pk=export.pk)
    if row.override_at is not None:
        return row
    if row.state != StepState.FAILED or row.gate.get("passed", True):
        raise OverrideRefused("No check stopped this export.")
    row.override_by, row.override_reason, row.override_at = actor, text, timezone.now()
    row.state, row.attempts, row.message, row.hint, row.finished_at = StepState.QUEUED, 0, "", "", None
    row.save()
    record_event(
        project=row.project,
        actor=actor,
        verb="export.overridden",
        subject=f"export:{row.pk}",
        payload={"reason": text, "failures": list(override_lines(row)[1:])},
    )
    enqueue("export", str(row.pk))
    return row

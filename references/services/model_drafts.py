"""Paragraphs that the optional model drafts from a column of the matrix; each becomes a labelled topic of the summary.

What its sentences lack (a key, a key of the list, a figure of the cited text) the summary marks, and it stops exports.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction
from django.utils import timezone

from litapp.jobs import services as jobs
from litapp.jobs.lease import kept
from litapp.jobs.models import StepState
from litapp.jobs.services import LeaseLost, enqueue
from litapp.projects.models import Project
from litapp.projects.services.events import record_event
from litapp.providers.model.client import Model, ModelFault
from litapp.providers.model.prompt import COLUMN_PROMPT_VERSION, column_messages
from references.models import CellState, ColumnDraft, MatrixCell, Reference
from references.services.matrix_reading import ColumnHead, cells_of, column_named, columns_of
from references.services.model import BadModelSettings, ModelSettings, installed_model
from references.services.summary import SummaryProblem, topic_add

log = logging.getLogger(__name__)
KIND = "column_draft"
MOST_CELLS = 60
"""Cells that are given to a model at once; further ones are counted and named."""
LONGEST_QUOTE = 600
MOST_ATTEMPTS = 3


class DraftProblem(ValueError):
    """Nothing was begun. The message says why and what can be done."""


def draftable(project: Project) -> list[tuple[ColumnHead, int]]:
    """The columns with filled cells, and how many of them. Reads."""
    filled = _filled(project)
    counts = [(head, sum(1 for _, key in filled if key == head.key)) for head in columns_of(project)]
    return [(head, number) for head, number in counts if number]


def draft_request(*, project: Project, actor: Any, request_id: UUID, column: str) -> ColumnDraft:
    """Have a paragraph drafted in the background; the same `request_id` gives the same draft. Raises DraftProblem for
    an installation without a usable model, and a column without filled cells; nothing was sent then."""
    made = ColumnDraft.objects.filter(request_id=request_id, project=project).first()
    if made is not None:
        return made
    try:
        chosen = installed_model()
    except BadModelSettings as bad:
        raise DraftProblem(str(bad)) from bad
    if chosen is None:
        raise DraftProblem("This installation has no model (LITAPP_MODEL_URL, LITAPP_MODEL_NAME).")
    head = column_named(project, column)
    count = sum(1 for _, key in _filled(project) if head is not None and key == head.key)
    if head is None or not count:
        raise DraftProblem("Nothing is filled in this column yet. Accept quotes in the matrix first.")
    try:
        with transaction.atomic():
            row = ColumnDraft.objects.create(
                project=project, requested_by=actor, request_id=request_id, column=head.key, label=head.label[:80],
                model=f"{chosen.provider}, {chosen.model}"[:200],
            )  # fmt: skip
            record_event(
                project=project, actor=actor, verb="draft.asked", subject=f"draft:{row.pk}",
                payload={"column": head.label, "model": row.model, "prompt": COLUMN_PROMPT_VERSION},
            )  # fmt: skip
            enqueue(KIND, str(row.pk))
            return row
    except IntegrityError:  # the other click of a double click was faster
        return ColumnDraft.objects.get(request_id=request_id, project=project)


def _filled(project: Project) -> dict[tuple[int, str], MatrixCell]:
    references = Reference.objects.current().filter(project=project)
    return {place: cell for place, cell in cells_of(references).items() if cell.state == CellState.FILLED}


class DraftWork:
    """The kind "column_draft" of `settings.STEP_KINDS`; a key is the id of a ColumnDraft."""

    def due(self) -> Iterable[str]:
        """Drafts that may be worked on now."""
        return [str(pk) for pk in ColumnDraft.objects.all().claimable().order_by("pk").values_list("pk", flat=True)]

    def run(self, key: str) -> None:
        """Claim the draft, ask the model once, and add the topic."""
        rows = ColumnDraft.objects.all()
        token = jobs.claim(rows, int(key))
        if token is None:
            return
        try:
            with kept(rows, token):
                _work(ColumnDraft.objects.select_related("project", "requested_by").get(pk=int(key)), token)
        except LeaseLost:
            log.info("The draft %s went to another worker.", key)


def _work(row: ColumnDraft, token: str) -> None:
    if row.attempts > MOST_ATTEMPTS:
        _end(row, token, "LitLedger stumbled over this draft several times.", "See the worker's log.")
        return
    if row.project.deleted_at is not None:
        jobs.finish(ColumnDraft.objects.all(), row.pk, token, state=StepState.CANCELLED, message="Cancelled.")
        return
    try:
        chosen = installed_model()
        if chosen is None:
            raise ModelFault("The model is not set any more (LITAPP_MODEL_URL, LITAPP_MODEL_NAME).")
        quotes, left_out = _quotes(row)
        text, reason, usage = _asked(chosen, row.label, quotes)
    except (ModelFault, BadModelSettings) as fault:
        _end(row, token, str(fault), "Correct the settings and draft again.")
        return
    if not text:
        _end(row, token, f"No draft: {reason}.", "Draft again, or write the text yourself.", usage=usage)
        return
    try:
        _keep(row, token, text, len(quotes), left_out, usage)
    except SummaryProblem as problem:
        _end(row, token, f"No draft: {problem}", "Draft again, or write the text yourself.", usage=usage)


def _quotes(row: ColumnDraft) -> tuple[list[tuple[str, str, str]], int]:
    """(key, value, quote) of the column's filled cells by citation key, and how many were left out."""
    keys = dict(Reference.objects.current().filter(project=row.project).values_list("pk", "key"))
    found = [
        (keys[reference_id], cell.value, cell.quote[:LONGEST_QUOTE])
        for (reference_id, column), cell in _filled(row.project).items()
        if column == row.column and reference_id in keys
    ]
    found.sort()
    return found[:MOST_CELLS], max(0, len(found) - MOST_CELLS)


def _asked(chosen: ModelSettings, label: str, quotes: list[tuple[str, str, str]]) -> tuple[str, str, Any]:
    """The model's paragraph, or why there is none. Network; no transaction is open."""
    if not quotes:
        return "", "nothing is filled in this column any more", None
    model = Model(chosen)
    try:
        answer = model.ask(column_messages(label, quotes))
    finally:
        model.close()
    return answer.text, answer.reason, answer.usage


@transaction.atomic
def _keep(row: ColumnDraft, token: str, text: str, cells: int, left_out: int, usage: Any) -> None:
    """The draft as a topic, labelled with model and day, only while the lease holds."""
    told = f"{row.model}, {timezone.now():%Y-%m-%d}"
    topic = topic_add(project=row.project, actor=row.requested_by, title=row.label, text=text, model=told)
    note = f"{left_out} further cells of the column were not given to the model." if left_out else ""
    jobs.finish(ColumnDraft.objects.all(), row.pk, token, state=StepState.DONE, topic=topic, cells=cells,
                left_out=left_out, usage=usage, message=note, hint="")  # fmt: skip


def _end(row: ColumnDraft, token: str, message: str, hint: str, *, usage: Any = None) -> None:
    jobs.finish(
        ColumnDraft.objects.all(), row.pk, token, state=StepState.FAILED, message=message, hint=hint, usage=usage
    )

"""Which archived answers a step read: written down while a run works, and all that a replay of it may use."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable

from django.db.models import QuerySet

from litapp.core.ports import Answer, Outcome, Request
from litapp.ledger.models import SourceAnswer
from litapp.ledger.services.archive import body_of
from litapp.ledger.services.bodies import DamagedBody
from litapp.providers.base import Client, SourceError
from litapp.providers.registry import source
from searches.models import RetrievalRun, RetrievalStep, StepAnswer

NOT_ARCHIVED = "not_archived"
"""`SourceError.code` of a replay that needs an answer which the run did not read."""
USABLE = (Outcome.OK, Outcome.EMPTY, Outcome.NOT_FOUND)
ENVELOPE = "bundle envelope"
"""`SourceAnswer.operation` of what stands in for an answer that a bundle came without: the records read from it."""


def request_hash(request: Request) -> str:
    """sha256 (hex) of what a request asks, without the source's base address: the same in every installation."""
    parts = [
        request.source,
        request.method.upper(),
        request.path.lstrip("/"),
        [list(pair) for pair in request.params],
        [list(pair) for pair in request.form],
        request.json_body,
    ]
    text = json.dumps(parts, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


class RecordingClient:
    """Wraps a client: writes down every answer the step gets, and the answer behind every failure."""

    def __init__(self, client: Client, step: RetrievalStep) -> None:
        self._client, self._step = client, step

    def send(self, request: Request, *, max_age_seconds: float | None = None) -> Answer:
        """See `base.Client.send`."""
        try:
            answer = self._client.send(request, max_age_seconds=max_age_seconds)
        except SourceError as error:
            if error.answer_id is not None:
                self._write_down(request, error.answer_id, StepAnswer.How.LIVE)
            raise
        if answer.answer_id is not None:
            self._write_down(request, answer.answer_id, self._how(answer))
        return answer

    def _how(self, answer: Answer) -> StepAnswer.How:
        """An answer that came since the run began was asked for in it, even if a killed worker did not save it."""
        if self._step.run.replay_of_id is not None:
            return StepAnswer.How.REPLAYED
        before = answer.received_at is not None and answer.received_at < self._step.run.started_at
        return StepAnswer.How.REUSED if answer.from_archive and before else StepAnswer.How.LIVE

    def _write_down(self, request: Request, answer_id: int, how: StepAnswer.How) -> None:
        row = StepAnswer(step=self._step, answer_id=answer_id, request_hash=request_hash(request), how=how)
        StepAnswer.objects.bulk_create([row], ignore_conflicts=True)


class ReplayingClient:
    """Answers from what one step of an earlier run read, and from nothing else. There is no way to the network here."""

    def __init__(self, step: RetrievalStep) -> None:
        """`step` is the step that is replayed."""
        self._step = step

    def send(self, request: Request, *, max_age_seconds: float | None = None) -> Answer:
        """The answer that the step read for this request; the latest one where it asked more than once.

        Raises SourceError (permanent, code NOT_ARCHIVED) when there is none, or its bytes are damaged.
        """
        links = whole_answers(StepAnswer.objects.filter(step=self._step, request_hash=request_hash(request)))
        link = links.select_related("answer").order_by("-pk").first()
        if link is None:
            raise self._missing(request, "did not read an answer to this request")
        row = link.answer
        try:
            body = body_of(row)
        except DamagedBody as error:
            raise self._missing(request, f"read an answer that is no longer whole ({error})") from error
        return Answer(
            request=request,
            status=row.status,
            body=body,
            headers=dict(row.headers),
            outcome=Outcome(row.outcome),
            answer_id=row.pk,
            from_archive=True,
            received_at=row.received_at,
        )

    def _missing(self, request: Request, why: str) -> SourceError:
        label = source(request.source).label
        return SourceError(
            request.source,
            Outcome.PERMANENT,
            f"Run {self._step.run_id} {why} ({label}, {request.operation or request.method}).",
            hint="A replay asks nobody. Run the plan again to ask the source.",
            code=NOT_ARCHIVED,
        )


def answers_of(run: RetrievalRun) -> QuerySet[StepAnswer]:
    """Every answer that the run's steps read, with the answer joined, in order of step and reading."""
    return StepAnswer.objects.filter(step__run=run).select_related("answer").order_by("step_id", "pk")


def whole_answers(links: QuerySet[StepAnswer]) -> QuerySet[StepAnswer]:
    """Those that a replay can read: good answers whose bytes were kept as they came.

    An imported run whose bundle came without answers has only the envelopes of its records.
    """
    return links.filter(answer__outcome__in=USABLE).exclude(answer__sha256="").exclude(answer__operation=ENVELOPE)


def can_replay(run: RetrievalRun) -> bool:
    """Whether there is anything to replay the run from."""
    return not run.is_open and whole_answers(StepAnswer.objects.filter(step__run=run)).exists()


def link_answers(step: RetrievalStep, answers: Iterable[tuple[SourceAnswer, str, str]]) -> None:
    """Write down (answer, request hash, how) of an imported step, in order."""
    StepAnswer.objects.bulk_create(
        StepAnswer(step=step, answer=answer, request_hash=digest, how=how) for answer, digest, how in answers
    )

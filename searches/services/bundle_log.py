"""The search log of a bundle: every step of a run, every request it made, and how each was answered."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from litapp.core.formats.bundle.manifest import SEARCH_LOG_FORM, utc_text
from litapp.ledger.models import SourceAnswer
from searches.models import RetrievalRun, RetrievalStep, StepAnswer
from searches.services.run_papers import CHUNK, RunPapers
from searches.services.step_answers import ENVELOPE, answers_of

SHA256_HEADER = "litledger-bundle-sha256"
"""Header under which an imported answer without its bytes keeps their hash."""


@dataclass(slots=True)
class RunLog:
    """The run's requests: `names` of the answers in the bundle ("a1"), `links` of each step to what it read."""

    steps: list[RetrievalStep]
    links: dict[int, list[StepAnswer]]
    answers: dict[int, SourceAnswer]
    names: dict[int, str] = field(default_factory=dict)

    @property
    def received(self) -> dict[int, str]:
        """When each answer came, as text."""
        return {pk: utc_text(answer.received_at) or "" for pk, answer in self.answers.items()}

    def as_json(self) -> dict[str, Any]:
        """The file `search_log.json`."""
        return {
            "schema": SEARCH_LOG_FORM,
            "steps": [_step_json(step, self.links.get(step.pk, []), self.names) for step in self.steps],
            "answers": [_answer_json(self.names[pk], answer) for pk, answer in self.answers.items()],
        }


def log_of_run(run: RetrievalRun, found: RunPapers) -> RunLog:
    """Everything the run read, in the order of steps and reading; answers that only records point to come last."""
    steps = list(run.steps.order_by("pk"))
    links: dict[int, list[StepAnswer]] = {}
    answers: dict[int, SourceAnswer] = {}
    for read in answers_of(run):
        links.setdefault(read.step_id, []).append(read)
        answers.setdefault(read.answer_id, read.answer)
    others = list(dict.fromkeys(one.answer_id for one in found.records if one.answer_id not in answers))
    for start in range(0, len(others), CHUNK):
        rows = SourceAnswer.objects.in_bulk(others[start : start + CHUNK])
        answers |= {pk: rows[pk] for pk in others[start : start + CHUNK]}
    names = {pk: f"a{number}" for number, pk in enumerate(answers, start=1)}
    return RunLog(steps, links, answers, names)


def _step_json(step: RetrievalStep, links: Iterable[StepAnswer], names: dict[int, str]) -> dict[str, Any]:
    return {
        "source": step.source,
        "query": step.query_index + 1,
        "label": step.query_label,
        "text": step.query_text,
        "params": step.query_params,
        "notes": step.notes,
        "state": step.state,
        "message": step.message,
        "hint": step.hint,
        "done": step.done,
        "total": step.total,
        "cap": step.cap,
        "reported": step.reported,
        "fetched": step.fetched,
        "empty_records": step.empty_records,
        "invalid_records": step.invalid_records,
        "missing": [str(one) for one in step.missing],
        "capped": step.capped,
        "exhausted": step.exhausted,
        "started_at": utc_text(step.started_at),
        "finished_at": utc_text(step.finished_at),
        "requests": [
            {"answer": names[link.answer_id], "request": link.request_hash, "how": link.how} for link in links
        ],
    }


def _answer_json(name: str, answer: SourceAnswer) -> dict[str, Any]:
    """What was asked and how it ended. Keys and contact addresses are not in the ledger in the first place."""
    return {
        "id": name,
        "source": answer.source,
        "operation": "" if answer.operation == ENVELOPE else answer.operation,
        "method": answer.method,
        "url": answer.url,
        "body_sent": answer.body_sent,
        "status": answer.status,
        "outcome": answer.outcome,
        "error": answer.error,
        "attempt": answer.attempt,
        "sha256": sha256_of(answer) or None,
        "size": answer.size,
        "content_type": str(answer.headers.get("content-type", "")),
        "sandbox": answer.sandbox,
        "received_at": utc_text(answer.received_at),
    }


def sha256_of(answer: SourceAnswer) -> str:
    """The hash of the source's own bytes, also where a bundle came without them."""
    return str(answer.headers.get(SHA256_HEADER, "")) or ("" if answer.operation == ENVELOPE else answer.sha256)

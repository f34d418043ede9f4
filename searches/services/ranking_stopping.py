"""Samples that show whether screening may stop: drawn, read like all records, tested, accepted by a named lead."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction
from django.utils import timezone

from litapp.core.ranking.control import draw_sample, is_control
from litapp.core.ranking.stopping import (
    Estimate,
    StoppingResult,
    StoppingTest,
    certificate_text,
    estimate_total,
    evaluate,
    sample_needed,
)
from litapp.jobs.services import enqueue
from litapp.projects.models import Project
from litapp.projects.people import name_of
from litapp.projects.services.events import record_event
from searches.models import Candidate, Ranking, StoppingSample
from searches.services.ranking import KIND, RELEVANT, keys_of

CHUNK = 500


class SampleRefused(ValueError):
    """The sample cannot be drawn, or its result not accepted. The message says why."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far title and abstract screening is, by the outcomes of all."""

    records: int
    read: int
    relevant: int

    @property
    def unread(self) -> int:
        return self.records - self.read


def progress_of(project: Project) -> Progress:
    """Records, those with an outcome, and the relevant of these. Two queries."""
    rows = Candidate.objects.listed(project)
    decisions = list(rows.exclude(decision="").order_by().values_list("decision", flat=True))
    return Progress(rows.count(), len(decisions), sum(one in RELEVANT for one in decisions))


def control_estimate(ranking: Ranking) -> Estimate | None:
    """How many of all records are relevant, by the control stream once all of it was read; None before."""
    rows = Candidate.objects.listed(ranking.project).order_by().values_list("pk", "decision")
    everything = list(rows)
    share = ranking.control_share
    drawn = [decision for pk, decision in everything if is_control(ranking.seed, pk, share)]
    if not drawn or "" in drawn:
        return None
    found = sum(decision in RELEVANT for decision in drawn)
    return estimate_total(records=len(everything), sampled=len(drawn), found=found)


def size_needed(ranking: Ranking, *, target: float, confidence: float) -> int | None:
    """The smallest sample that would pass if it held no relevant record; None where no sample can."""
    now = progress_of(ranking.project)
    number = ranking.samples.filter(void="").count() + 1
    return sample_needed(unread=now.unread, relevant=now.relevant, target=target, confidence=confidence, number=number)


def sample_draw(
    *, project: Project, actor: Any, request_id: UUID, size: int, target: float, confidence: float
) -> StoppingSample:
    """Draw a sample of the records without an outcome; they come first in every screener's queue. Its size is
    fixed now.

    The same `request_id` again gives the same sample. Raises SampleRefused.
    """
    made = StoppingSample.objects.filter(request_id=request_id, ranking__project=project).first()
    if made is not None:
        return made
    try:
        return _draw(project, actor, request_id, size, target, confidence)
    except IntegrityError:  # the other click of a double click was faster
        return StoppingSample.objects.get(request_id=request_id)


@transaction.atomic
def _draw(
    project: Project, actor: Any, request_id: UUID, size: int, target: float, confidence: float
) -> StoppingSample:
    Project.objects.select_for_update(no_key=True).values_list("pk").get(pk=project.pk)
    ranking = Ranking.objects.filter(project=project, in_use=True).first()
    if ranking is None:
        raise SampleRefused("Prioritised screening is off in this project.")
    if ranking.samples.filter(finished_at=None, void="").exists():
        raise SampleRefused("A sample is being read already. Its result comes first.")
    unread = list(Candidate.objects.listed(project).filter(decision="").order_by("pk").values_list("pk", flat=True))
    now = progress_of(project)
    if not now.relevant:
        raise SampleRefused("No relevant record is known yet: nothing could be shown of what was found.")
    if not unread:
        raise SampleRefused("Every record has been read. No sample is needed.")
    number = ranking.samples.filter(void="").count() + 1
    try:
        StoppingTest(len(unread), size, now.relevant, target, confidence, number)
        chosen = draw_sample(ranking.seed + number, unread, size)
    except ValueError as error:
        raise SampleRefused(
            f"The sample must hold 1 to {len(unread):,} records, target and confidence lie between 0 and 100 %."
        ) from error
    sample = StoppingSample.objects.create(
        ranking=ranking, number=ranking.samples.count() + 1, request_id=request_id, drawn_by=actor,
        records=now.records, unread=len(unread), relevant_before=now.relevant, size=size, target=target,
        confidence=confidence, chosen=chosen,
    )  # fmt: skip
    record_event(
        project=project, actor=actor, verb="ranking.sample_drawn", subject=f"ranking_sample:{sample.pk}",
        payload={
            "number": sample.number, "records": now.records, "unread": len(unread), "relevant": now.relevant,
            "size": size, "target": target, "confidence": confidence, "seed": ranking.seed + number, "chosen": chosen,
        },
    )  # fmt: skip
    for key in keys_of(ranking):
        enqueue(KIND, key)
    return sample


def read_of(sample: StoppingSample) -> int:
    """How many records of the sample have an outcome."""
    return sum(bool(decision) for decision in _decisions(sample.chosen).values())


def sample_close(*, ranking: Ranking) -> StoppingSample | None:
    """Write the result of the open sample down once all of its records have an outcome; None before.

    A sample of which a record left the project is void: it is no random sample of what is there any more.
    """
    sample = ranking.samples.filter(finished_at=None, void="").last()
    if sample is None:
        return None
    decisions = _decisions(sample.chosen)
    if len(decisions) == sample.size and not all(decisions.values()):
        return None
    return _close(sample, decisions)


@transaction.atomic
def _close(sample: StoppingSample, decisions: dict[int, str]) -> StoppingSample | None:
    rows = StoppingSample.objects.filter(pk=sample.pk, finished_at=None, void="")
    project = sample.ranking.project
    if len(decisions) < sample.size:
        why = f"{sample.size - len(decisions):,} of its records left the project or were joined with others."
        if rows.update(void=why):
            payload = {"number": sample.number, "why": why}
            record_event(
                project=project, actor=None, verb="ranking.sample_void", subject=f"ranking_sample:{sample.pk}",
                payload=payload,
            )  # fmt: skip
        return None
    result = evaluate(test_of(sample), sum(decision in RELEVANT for decision in decisions.values()))
    found = {"found": result.found, "p_value": result.p_value, "passed": result.passed}
    text = "" if result.passed else text_of(sample, result, accepted_by="", on="")
    if rows.update(finished_at=timezone.now(), text=text, **found):
        record_event(
            project=project, actor=None, verb="ranking.sample_read", subject=f"ranking_sample:{sample.pk}",
            payload={"number": sample.number, "too_many": result.too_many, **found},
        )  # fmt: skip
    return StoppingSample.objects.get(pk=sample.pk)


def test_of(sample: StoppingSample) -> StoppingTest:
    """The test that the sample was drawn for. Void samples tested nothing: they do not count into its number."""
    before = StoppingSample.objects.filter(ranking=sample.ranking_id, number__lt=sample.number, void="").count()
    return StoppingTest(
        sample.unread, sample.size, sample.relevant_before, sample.target, sample.confidence, before + 1
    )


def text_of(sample: StoppingSample, result: StoppingResult, *, accepted_by: str, on: str) -> str:
    """The ready text of a sample whose records were all read."""
    ranking = sample.ranking
    return certificate_text(
        result, model=f"LitLedger's ranking model {ranking.model_name}", seed=ranking.seed, records=sample.records,
        accepted_by=accepted_by, on=on,
    )  # fmt: skip


@transaction.atomic
def certificate_accept(*, sample: StoppingSample, actor: Any) -> StoppingSample:
    """A lead accepts that screening stops on this sample: the certificate, with its text. Accepted once, never changed.

    Raises SampleRefused where the target was not shown.
    """
    kept = StoppingSample.objects.select_for_update(no_key=True).select_related("ranking__project").get(pk=sample.pk)
    if kept.accepted_at is not None:
        return kept
    if not kept.passed or kept.found is None:
        raise SampleRefused("This sample did not show the target recall, so there is nothing to accept.")
    kept.accepted_by, kept.accepted_at = actor, timezone.now()
    on = f"{kept.accepted_at:%d %B %Y}".lstrip("0")
    kept.text = text_of(kept, evaluate(test_of(kept), kept.found), accepted_by=name_of(actor), on=on)
    kept.save()
    record_event(
        project=kept.ranking.project, actor=actor, verb="ranking.stopping_accepted",
        subject=f"ranking_sample:{kept.pk}",
        payload={
            "number": kept.number, "target": kept.target, "confidence": kept.confidence, "size": kept.size,
            "unread": kept.unread, "found": kept.found, "p_value": kept.p_value, "text": kept.text,
        },
    )  # fmt: skip
    return kept


def _decisions(chosen: Sequence[int]) -> dict[int, str]:
    """Outcome of each record that is in the list still."""
    found: dict[int, str] = {}
    for start in range(0, len(chosen), CHUNK):
        rows = Candidate.objects.filter(
            pk__in=chosen[start : start + CHUNK], merged_into=None, withdrawn_at=None
        ).order_by()
        found |= dict(rows.values_list("pk", "decision"))
    return found

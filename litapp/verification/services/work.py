"""Background work: leases a batch of verifications, gathers the evidence, stores checks and verdicts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import F, Max, Min
from django.utils import timezone

from litapp.core.records import record_from_dict
from litapp.core.verification.freetext import read_citation
from litapp.core.verification.rules import RULES_VERSION
from litapp.jobs.models import LEASE, StepState
from litapp.jobs.services import claim_many, enqueue
from litapp.jobs.worker import Repeated
from litapp.verification.models import Check, RetractionFile, Verification
from litapp.verification.services.evidence import Gathering, Question
from litapp.verification.services.outcomes import outcome_of, store_outcomes
from litapp.verification.services.requests import KIND
from litapp.verification.services.retraction_list import RetractionList

BATCH = 200
"""Records in one batch: one efetch of PubMed's 200, four Crossref lists of 50, two OpenAlex lists of 100."""
KEEP_LEASE_EVERY = 20.0
"""Seconds between renewals of the lease while sources are asked."""


class VerificationWork:
    """The kind "verification" of `settings.STEP_KINDS`. There is one key, "": any batch will do."""

    def due(self) -> Iterable[str]:
        """[""] when at least one verification may be claimed."""
        return [""] if Verification.objects.claimable().exists() else []

    def run(self, key: str) -> None:
        """Claim and finish batches until none is left."""
        while batch := claim_batch():
            verify_batch(batch)


def check_now(*, verification_ids: Iterable[int]) -> None:
    """One round for these verifications in this process, for callers that wait. Those of them that a worker holds, or
    that wait for a silent source, are left to it."""
    wanted = list(verification_ids)
    while batch := claim_batch(among=wanted):
        verify_batch(batch)


def claim_batch(size: int = BATCH, among: Sequence[int] | None = None) -> list[Verification]:
    """Lease up to `size` verifications (of those in `among`, if given), the most urgent first; [] for none."""
    queue = Verification.objects.claimable().order_by("priority", "id")
    if among is not None:
        queue = queue.filter(pk__in=among)
    first = queue.first()
    if first is None:
        return []
    alike = queue.filter(ask_afresh=first.ask_afresh, ask_afresh_at=first.ask_afresh_at)
    places = alike.values_list("pk", flat=True)[:size]
    token = claim_many(Verification.objects.all(), places)
    return list(Verification.objects.filter(lease_token=token).order_by("priority", "id")) if token else []


def verify_batch(batch: Sequence[Verification]) -> None:
    """Gather evidence for a leased batch (network, no transaction) and store the outcomes stage by stage (a transaction
    each), so that nobody waits for the slowest.

    Rows whose lease was lost meanwhile are left alone: whoever holds them now will store.
    """
    token = batch[0].lease_token
    standing = _standing(batch)
    _end_unchanged(standing, token)
    batch = [row for row in batch if row.pk not in standing]
    if not batch:
        return
    questions = [
        Question(
            read_citation(row.text) if row.from_text else record_from_dict(row.record),
            row.text if row.from_text else "",
            tuple(row.returned_by),
        )
        for row in batch
    ]
    gathering = Gathering(questions, afresh=batch[0].ask_afresh, afresh_at=batch[0].ask_afresh_at)
    keeper = Repeated(lambda: _keep_lease(token), KEEP_LEASE_EVERY, "lease-of-checks")
    keeper.start()
    waiting: list[Verification] = []
    try:
        for places in gathering.stages():
            stored = _store_stage(batch, places, gathering, token)
            waiting += [row for row in stored if row.state == StepState.WAITING]
    finally:
        keeper.stop()
    if waiting:
        enqueue(KIND, "", delay=_soonest(waiting, timezone.now()))


def _standing(batch: Sequence[Verification]) -> set[int]:
    """Those whose last round rests on answers that would all be reused: asking and comparing again changes nothing.

    Answers of a day are young enough even where they are a "no".
    """
    now = timezone.now()
    list_loaded = RetractionFile.objects.aggregate(at=Max("loaded_at"))["at"]
    rows = {
        row.pk
        for row in batch
        if row.checked_at
        and row.evidence_hash
        and not row.ask_afresh
        and not row.silent
        and row.rules_version == RULES_VERSION
        and (list_loaded is None or list_loaded < row.checked_at)
    }
    links = Check.answers.through.objects.filter(
        check__verification_id__in=rows, check__round=F("check__verification__round")
    )
    oldest = links.values_list("check__verification_id").annotate(at=Min("sourceanswer__received_at"))
    young = now - timedelta(seconds=settings.ARCHIVE_MAX_AGE_NEGATIVE)
    return {pk for pk, at in oldest if at >= young}


def _end_unchanged(verification_ids: Iterable[int], token: str) -> None:
    """End the turn of these rows; their verdicts stand."""
    now = timezone.now()
    held = Verification.objects.filter(pk__in=list(verification_ids), lease_token=token, state=StepState.RUNNING)
    held.update(
        state=StepState.DONE, checked_at=now, finished_at=now, not_before=None,
        lease_token="", leased_by="", lease_until=None,
    )  # fmt: skip


def _store_stage(
    batch: Sequence[Verification], places: Sequence[int], gathering: Gathering, token: str
) -> list[Verification]:
    """Store what is known of the references at `places` (one transaction); those whose lease holds are returned.

    What is compared is compared before the transaction begins.
    """
    now = timezone.now()
    retractions = RetractionList.about(gathering.identified(places))
    outcomes = {batch[place].pk: outcome_of(batch[place], place, gathering, retractions) for place in places}
    with transaction.atomic():
        held = list(
            Verification.objects.select_for_update().filter(pk__in=outcomes, lease_token=token, state=StepState.RUNNING)
        )
        store_outcomes([(row, outcomes[row.pk]) for row in held], now)
    return held


def _keep_lease(token: str) -> None:
    Verification.objects.filter(lease_token=token, state=StepState.RUNNING).update(lease_until=timezone.now() + LEASE)


def _soonest(rows: Iterable[Verification], now: datetime) -> float:
    moments = [row.not_before for row in rows if row.not_before]
    return max(1.0, (min(moments) - now).total_seconds()) if moments else 1.0

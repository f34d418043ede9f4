"""Background work on short searches: asks the sources, stores what came, waits until every paper has its verdict."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from django.utils import timezone

from litapp.jobs import services as jobs
from litapp.jobs.lease import kept
from litapp.jobs.models import OPEN_STATES, StepState
from litapp.jobs.services import LeaseLost, enqueue
from litapp.jobs.turns import writers_turn
from litapp.ledger.services.clients import asked_for
from litapp.verification.models import Verification
from litapp.verification.services.work import check_now
from searches.models import Mode, PaperSearch
from searches.services.mode_asking import Heard
from searches.services.mode_papers import Paper
from searches.services.mode_searches import KIND, search_store

log = logging.getLogger(__name__)
LOOK_AGAIN = timedelta(seconds=1)
MOST_ATTEMPTS = 5
"""Claims without progress after which the search is given up: its worker died each time."""


@dataclass(frozen=True, slots=True)
class Found:
    """What a mode's search gives: the answers of the sources, the papers in their order, and what it says beside."""

    heard: Sequence[Heard]
    papers: Sequence[Paper] = ()
    result: dict[str, Any] = field(default_factory=dict)
    check: bool = False


class PaperSearchWork:
    """The kind "paper_search" of `settings.STEP_KINDS`; a key is the id of a PaperSearch."""

    def due(self) -> Iterable[str]:
        """Searches that may be worked on now."""
        return [str(pk) for pk in PaperSearch.objects.all().claimable().order_by("pk").values_list("pk", flat=True)]

    def run(self, key: str) -> None:
        """Claim the search and do what is due; quietly nothing when it is gone, done or claimed elsewhere."""
        token = jobs.claim(PaperSearch.objects.all(), int(key))
        if token is None:
            return
        try:
            row = PaperSearch.objects.select_related("project", "version").get(pk=int(key))
            with kept(PaperSearch.objects.all(), token), asked_for(row.requested_by_id):
                _work(row, token)
        except LeaseLost:
            log.info("The search %s went to another worker.", key)


def _work(row: PaperSearch, token: str) -> None:
    rows = PaperSearch.objects.all()
    if row.project.deleted_at is not None:
        jobs.finish(rows, row.pk, token, state=StepState.CANCELLED, message="The project was deleted.")
        return
    if row.attempts > MOST_ATTEMPTS:
        jobs.finish(
            rows, row.pk, token, state=StepState.FAILED, message="LitLedger stumbled over this search several times.",
            hint="Search again; if it stays so, see the worker's log.",
        )  # fmt: skip
        return
    if row.searched_at is None:
        from searches.services.mode_registry import finder_of  # late: the modes' services use this module

        def progress(done: int, total: int) -> None:
            jobs.renew(rows, row.pk, token, done=done, total=total)

        found = finder_of(Mode(row.mode))(row, progress)
        with writers_turn():
            search_store(
                search=row, token=token, heard=found.heard, papers=found.papers, result=found.result, check=found.check
            )
    _settle(row, token)


def _settle(row: PaperSearch, token: str) -> None:
    """End the search when every paper has its verdict; look again a moment later otherwise."""
    rows = PaperSearch.objects.all()
    ours = Verification.objects.filter(found_paper__search=row)
    check_now(verification_ids=list(ours.filter(state__in=OPEN_STATES).values_list("pk", flat=True)))
    if ours.filter(checked_at=None, state__in=OPEN_STATES).exists():
        jobs.postpone(rows, row.pk, token, until=timezone.now() + LOOK_AGAIN, attempts=0)
        enqueue(KIND, str(row.pk), delay=LOOK_AGAIN.total_seconds())
        return
    jobs.finish(rows, row.pk, token, state=StepState.DONE, message="", hint="")


Progress = Callable[[int, int], None]
Finder = Callable[[PaperSearch, Progress], Found]

"""Background work: one step = one query at one source, fetched page by page under a lease."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from django.db import DatabaseError, transaction
from django.utils import timezone

from litapp.jobs import services as jobs
from litapp.jobs.lease import kept
from litapp.jobs.models import OPEN_STATES, StepState
from litapp.jobs.services import LeaseLost
from litapp.jobs.turns import writers_turn
from litapp.ledger.services.clients import client_for, source_state, user_client
from litapp.providers.base import Client, Deferred, Page, SourceError
from litapp.providers.registry import answering, search_provider, source
from searches.models import RetrievalRun, RetrievalStep
from searches.services.ahead import PageAhead
from searches.services.candidates import absorb_hits, think_ahead
from searches.services.caps import NO_LIMIT, Share, cut_sentence, query_share, source_shares
from searches.services.outcome import final_state
from searches.services.queries import compiled_query, note, stands_in_for
from searches.services.replay import compared, replayed_step
from searches.services.reuse import ReusingClient
from searches.services.runs import KIND, run_close_if_done
from searches.services.step_answers import RecordingClient, ReplayingClient

log = logging.getLogger(__name__)
RETRY_WAITS = (5, 20, 60, 180)
"""Seconds before a failed page is tried again; after the last one the step has failed. The client has already repeated
each request by itself."""
MOST_REFUSALS = 12
"""How often in a row a source may put a step off by an answer of its own (429) before it is given up."""
TURN = 30.0
"""Seconds a step works before it goes to the end of the queue, so that many runs share the worker's threads."""
MOST_STUMBLES = 20
"""Claims without a page saved, or a word of the source, after which a step is given up: the fault is the program's."""
FETCH_AHEAD = True
"""The next page is fetched in a thread of its own while the last one is absorbed."""
CURSOR_EXPIRED = "cursor_expired"
INSTANT = timedelta(microseconds=1)
"""An answer received at the very moment of a failure is not reused after it."""


class RetrievalWork:
    """The kind "retrieval" of `settings.STEP_KINDS`; a key is the id of a RetrievalStep."""

    def due(self) -> Iterable[str]:
        """The next step of every lane (run and source) that may be worked on now."""
        return [str(pk) for pk in RetrievalStep.objects.due().values_list("pk", flat=True)]

    def run(self, key: str) -> None:
        """Claim the step and fetch its pages until it ends, waits, is cancelled, or its turn is over."""
        step = RetrievalStep.objects.filter(pk=int(key)).first()
        token = step and _claim(step)
        if step is None or not token:
            return
        try:
            with kept(RetrievalStep.objects.all(), token):
                _work(step.pk, token)
        except LeaseLost:
            log.info("Step %s went to another worker.", key)
            return
        except Exception:
            _stumbled(step.pk, token)
            raise
        for pk in RetrievalStep.objects.due().filter(run_id=step.run_id).values_list("pk", flat=True):
            jobs.enqueue(KIND, str(pk))


@transaction.atomic
def _claim(step: RetrievalStep) -> str | None:
    """Lease the step if no other of its lane is being worked on. The run's row is the lane's lock."""
    RetrievalRun.objects.select_for_update().get(pk=step.run_id)
    if not RetrievalStep.objects.due().filter(pk=step.pk).exists():
        return None
    return jobs.claim(RetrievalStep.objects.all(), step.pk)


def _work(step_id: int, token: str) -> None:
    step = _read(step_id)
    if step.attempts > MOST_STUMBLES:
        _end(step, token, StepState.FAILED, "LitLedger stumbled over this step several times.", "See the worker's log.")
        return
    if step.run.replay_of_id is None and not (state := source_state(answering(step.source))).usable:
        _end(step, token, _failed_state(step), state.reason, state.hint)
        return
    if step.reuse_from is None:
        jobs.renew(_rows(), step_id, token, reuse_from=timezone.now())
        step = _read(step_id)
    share = _share(step)
    turn_ends = time.monotonic() + TURN
    ahead = PageAhead(_fetch, enabled=FETCH_AHEAD)
    while True:
        if sentence := _stop_reason(step):
            _end(step, token, StepState.CANCELLED, sentence)
            return
        if step.exhausted or (share.records is not None and step.done >= share.records):
            _end_complete(step, token, share)  # also where the worker was killed between the last page and this
            return
        try:
            page = ahead.page(step, share)
        except SourceError as error:
            if _restart(step, token, error):
                step = _read(step_id)
                continue
            _failed(step, token, error)
            return
        turn_is_over = time.monotonic() > turn_ends
        if not turn_is_over:  # else the next holder of the step would ask for the same page beside this thread
            ahead.begin(step, page, share)
        _save(step, token, page, share)
        step = _read(step_id)
        if not step.exhausted and turn_is_over:
            jobs.put_back(_rows(), step_id, token)
            return


def _rows() -> Any:
    return RetrievalStep.objects.all()


def _read(step_id: int) -> RetrievalStep:
    return RetrievalStep.objects.select_related("run__project", "run__version").get(pk=step_id)


def _stop_reason(step: RetrievalStep) -> str:
    """Why the step is to stop before its next page; "" = go on."""
    if step.run.cancel_requested_at is not None:
        return "Cancelled."
    return "The project was deleted." if step.run.project.deleted_at is not None else ""


def _share(step: RetrievalStep) -> Share:
    """Most records of this step, by the plan's limits and what its lane has fetched already."""
    caps = step.run.version.plan_content.caps
    steps = list(step.run.steps.exclude(state=StepState.SKIPPED))
    original = stands_in_for(step.notes)
    of_plan = {one.source for one in steps if not stands_in_for(one.notes)}
    lanes = [key for key in step.run.version.plan_content.sources if key in of_plan]
    share = source_shares(caps, lanes)[original or step.source]
    lane = [one for one in steps if one.source == step.source and stands_in_for(one.notes) == original]
    before = sum(one.fetched for one in lane if one.pk != step.pk)
    left = sum(one.state in OPEN_STATES for one in lane)
    own = query_share(caps, share, fetched_before=before, queries_left=left)
    earlier = replayed_step(step)
    return own if earlier is None or earlier.cap is None else Share(earlier.cap, own.limit)


def _fetch(step: RetrievalStep, share: Share) -> Page:
    """The next page from the source. A first page without records must be proven by the source's own count."""
    asked = search_provider(step.source)
    client = RecordingClient(_client(step), step)
    query = compiled_query(step.source, step.query_text, step.query_params)
    limit = NO_LIMIT if share.records is None else share.records - step.done
    page = compared(step, asked.fetch_page(client, query, dict(step.cursor), limit))
    if page.cursor is not None and page.cursor == step.cursor:
        raise _unproven(step, "went round in circles")
    if page.hits or page.cursor is not None or step.done or page.missing or page.invalid_records or page.empty_records:
        return page
    total = page.total if page.total is not None else asked.count(client, query).total
    if total:
        raise _unproven(step, f"reports {total:,} records and gave none")
    return page


def _client(step: RetrievalStep) -> Client:
    """Who answers the step: the source, or in a replay what the earlier step read."""
    earlier = replayed_step(step)
    if earlier is not None:
        return ReplayingClient(earlier)
    asked = answering(step.source)
    client = user_client(asked, step.run.started_by_id) or client_for(asked)
    return ReusingClient(client, since=step.reuse_from or timezone.now())


def _unproven(step: RetrievalStep, what: str) -> SourceError:
    from litapp.core.ports import Outcome

    label = source(step.source).label
    return SourceError(step.source, Outcome.MALFORMED, f"{label} {what}.", hint="Resume the run later.")


def _save(step: RetrievalStep, token: str, page: Page, share: Share) -> None:
    """Records, candidates, cursor and counts of one page in one transaction, only while the lease holds."""
    taken = step.done + len(page.hits)
    full = share.records is not None and taken >= share.records
    reported = page.total if page.total is not None else step.reported
    known = {item["text"] for item in step.notes}
    exact = source(step.source).counts_exactly
    bench = think_ahead(step=step, page=page)
    with writers_turn(), transaction.atomic():
        absorbed = absorb_hits(step=step, page=page, bench=bench)
        jobs.renew(
            _rows(),
            step.pk,
            token,
            cursor=page.cursor or {},
            exhausted=page.cursor is None or full,
            done=taken,
            total=_expected(reported, share, exact=exact),
            reported=reported,
            fetched=absorbed.hits_of_step,
            cap=share.records,
            empty_records=step.empty_records + page.empty_records,
            invalid_records=step.invalid_records + page.invalid_records,
            missing=[*step.missing, *page.missing],
            capped=_capped(step, page, share, reported, taken)[:200],
            notes=[*step.notes, *(note(text) for text in dict.fromkeys(page.notes) if text not in known)],
            attempts=0,
            failures=0,
            message="",
            hint="",
        )


def _expected(reported: int | None, share: Share, *, exact: bool) -> int | None:
    """How many records the step is going to have, for its progress bar; None = not known."""
    if share.records is None:
        return reported if exact else None
    return share.records if reported is None or not exact else min(reported, share.records)


def _capped(step: RetrievalStep, page: Page, share: Share, reported: int | None, taken: int) -> str:
    """Why fewer records than reported are fetched, as a sentence; "" = nothing is cut."""
    entry = source(step.source)
    if share.records is not None and taken >= share.records:
        more = page.cursor is not None or page.capped or (reported is not None and reported > taken)
        if more:
            return cut_sentence(entry.label, share, reported, exact=entry.counts_exactly)
    if page.capped:
        of = f"; it reports {reported:,}" if reported is not None and entry.counts_exactly else ""
        return f"{entry.label} gives no more of this query than the {taken:,} records that were fetched{of}."
    return step.capped


def _restart(step: RetrievalStep, token: str, error: SourceError) -> bool:
    """A source's list that expired is read again from its start; records already here are recognised."""
    if error.code != CURSOR_EXPIRED or not step.cursor:
        return False
    text = f"{source(step.source).label} forgot its list before all of it was read; it was read again from the start."
    notes = step.notes if any(item["text"] == text for item in step.notes) else [*step.notes, note(text)]
    fresh: dict[str, Any] = {"cursor": {}, "done": 0, "empty_records": 0, "invalid_records": 0, "missing": []}
    jobs.renew(_rows(), step.pk, token, **fresh, notes=notes, reuse_from=timezone.now() + INSTANT)
    return True


def _failed(step: RetrievalStep, token: str, error: SourceError) -> None:
    """Wait and try again, or give up: at once if asking again cannot help, else after the last of RETRY_WAITS, or after
    MOST_REFUSALS times in a row that the source itself put us off. Waiting for a turn of ours is no refusal."""
    now, told = timezone.now(), {"message": error.message, "hint": error.hint, "attempts": 0}
    if isinstance(error, Deferred) and error.retry_at is not None:
        refusals = step.failures + (error.answer_id is not None)
        if refusals > MOST_REFUSALS:
            _end(step, token, _failed_state(step), error.message, error.hint)
        else:
            jobs.postpone(_rows(), step.pk, token, until=max(error.retry_at, now), failures=refusals, **told)
    elif error.permanent or step.failures >= len(RETRY_WAITS):
        _end(step, token, _failed_state(step), error.message, error.hint)
    else:
        until = _retry_at(now, step.failures, error.retry_at)
        # What came back is not to be used again: the next attempt asks anew.
        jobs.postpone(
            _rows(), step.pk, token, until=until, failures=step.failures + 1, reuse_from=now + INSTANT, **told
        )


def _retry_at(now: datetime, failures: int, wanted: datetime | None) -> datetime:
    return max(now + timedelta(seconds=RETRY_WAITS[failures]), wanted or now)


def _failed_state(step: RetrievalStep) -> StepState:
    """FAILED; PARTIAL when some records are here (they are kept)."""
    return StepState.PARTIAL if step.fetched else StepState.FAILED


def _end_complete(step: RetrievalStep, token: str, share: Share) -> None:
    """Nothing is left to fetch: done, or partial if something is missing."""
    if share.records == 0 and not step.capped:
        step.capped = cut_sentence(source(step.source).label, share, step.reported, exact=True)[:200]
    step.exhausted = True
    _end(step, token, final_state(step), exhausted=True, capped=step.capped, cap=share.records)


def _end(step: RetrievalStep, token: str, state: StepState, message: str = "", hint: str = "", **fields: Any) -> None:
    """End the step and, if it was the last one, the run, in one transaction."""
    with transaction.atomic():
        RetrievalRun.objects.select_for_update().get(pk=step.run_id)
        jobs.finish(_rows(), step.pk, token, state=state, message=message, hint=hint, **fields)
        run_close_if_done(run_id=step.run_id)


def _stumbled(step_id: int, token: str) -> None:
    """An unforeseen error: give the step back with a growing pause, so that it cannot keep a thread busy."""
    told = {"message": "LitLedger stumbled here and tries again.", "hint": "If it stays so, see the worker's log."}
    try:
        attempts = _rows().values_list("attempts", flat=True).get(pk=step_id)
        until = timezone.now() + timedelta(seconds=10 * attempts)
        jobs.postpone(_rows(), step_id, token, until=until, **told)
    except LeaseLost:
        log.info("Step %s went to another worker.", step_id)
    except DatabaseError:
        log.warning("Step %s is taken up again when its lease runs out.", step_id, exc_info=True)

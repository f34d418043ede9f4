"""Looks for passages of papers that speak about some words: the source is asked within the papers it knows.

A paper is named to the source by its identifier first; only passages of the paper that it then names are taken.
What is stored is what was returned. A request that failed is told as that, never as "no passages".
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import timezone

from litapp.core.records import Identifier, Record, Scheme
from litapp.jobs import services as jobs
from litapp.jobs.lease import kept
from litapp.jobs.models import StepState
from litapp.jobs.services import LeaseLost, enqueue
from litapp.ledger.services.clients import asked_for, client_for, source_state
from litapp.projects.models import Project
from litapp.projects.services.events import record_event
from litapp.providers.answering import passages_provider
from litapp.providers.base import SourceError
from litapp.providers.questions import Passage
from litapp.providers.registry import lookup_provider, source
from searches.models import Candidate
from searches.models_passages import PassageLookup, PassageSearch, StoredPassage
from searches.services.abstracts import asked_identifier, is_same_paper

log = logging.getLogger(__name__)
KIND = "passages"
SOURCE = "semanticscholar"
BATCH = 100
"""Papers that the source lets be searched within at once."""
MOST_PASSAGES = 1_000
"""Passages that one answer holds at most."""
LONGEST_WORDS = 500
MOST_ATTEMPTS = 5
"""Claims of one batch after which the search is given up: its worker died each time."""
CORPUS = "CorpusId:"
"""How the source names a paper in its passages."""
Outcome = PassageLookup.Outcome


class PassageProblem(ValueError):
    """Nothing was begun or changed. The message says why and what can be done."""


@dataclass(slots=True)
class _Said:
    """What came of one candidate."""

    outcome: Outcome
    message: str = ""
    answer_id: int | None = None
    passages: list[Passage] = field(default_factory=list)


def passages_request(
    *, project: Project, actor: Any, request_id: UUID, words: str, candidate_ids: Sequence[int]
) -> PassageSearch:
    """Ask for passages about `words` in these candidates; the work is done in the background.

    The same `request_id` again gives the same request. Raises PassageProblem for no or too many words, or no papers.
    """
    made = PassageSearch.objects.filter(request_id=request_id, project=project).first()
    if made is not None:
        return made
    asked = " ".join(words.replace("\x00", "").split())
    if not asked or len(asked) > LONGEST_WORDS:
        raise PassageProblem(f"Write what the passages should be about, in at most {LONGEST_WORDS} characters.")
    if not candidate_ids:
        raise PassageProblem("There is no reference without full text to look in.")
    try:
        with transaction.atomic():
            row = PassageSearch.objects.create(
                project=project, requested_by=actor, request_id=request_id, words=asked, chosen=list(candidate_ids),
                total=len(candidate_ids),
            )  # fmt: skip
            record_event(
                project=project, actor=actor, verb="passages.asked", subject=f"passages:{row.pk}",
                payload={"papers": len(candidate_ids), "words": asked},
            )  # fmt: skip
            enqueue(KIND, str(row.pk))
            return row
    except IntegrityError:  # the other click of a double click was faster
        return PassageSearch.objects.get(request_id=request_id, project=project)


@transaction.atomic
def passages_cancel(*, search: PassageSearch, actor: Any) -> None:
    """Stop behind the batch that is being asked; what was found stays. Raises PassageProblem when it has ended."""
    row = PassageSearch.objects.select_for_update().get(pk=search.pk)
    if not row.is_open:
        raise PassageProblem("This search has ended; there is nothing to cancel.")
    row.cancel_requested_at = timezone.now()
    fields = ["cancel_requested_at"]
    if row.state != StepState.RUNNING:
        row.state, row.finished_at = StepState.CANCELLED, timezone.now()
        row.counts, row.troubles = _summary(row)
        fields += ["state", "finished_at", "counts", "troubles"]
    row.save(update_fields=fields)
    record_event(project=row.project, actor=actor, verb="passages.cancelled", subject=f"passages:{row.pk}", payload={})


@transaction.atomic
def passages_resume(*, search: PassageSearch, actor: Any) -> None:
    """Go on behind the last batch of a search that was cancelled or given up. Raises PassageProblem."""
    row = PassageSearch.objects.select_for_update().get(pk=search.pk)
    if row.state not in (StepState.CANCELLED, StepState.FAILED) or row.done >= len(row.chosen):
        raise PassageProblem("Nothing is left to do in this search.")
    row.state, row.cancel_requested_at, row.finished_at, row.attempts = StepState.QUEUED, None, None, 0
    row.message = row.hint = ""
    row.save()
    record_event(project=row.project, actor=actor, verb="passages.resumed", subject=f"passages:{row.pk}", payload={})
    enqueue(KIND, str(row.pk))


class PassageWork:
    """The kind "passages" of `settings.STEP_KINDS`; a key is the id of a PassageSearch."""

    def due(self) -> Iterable[str]:
        """Requests that may be worked on now."""
        return [str(pk) for pk in PassageSearch.objects.all().claimable().order_by("pk").values_list("pk", flat=True)]

    def run(self, key: str) -> None:
        """Claim the request and work it off, batch by batch; a killed worker's successor goes on behind its last."""
        token = jobs.claim(PassageSearch.objects.all(), int(key))
        if token is None:
            return
        try:
            asker = PassageSearch.objects.values_list("requested_by_id", flat=True).get(pk=int(key))
            with kept(PassageSearch.objects.all(), token), asked_for(asker):
                _work(PassageSearch.objects.select_related("project").get(pk=int(key)), token)
        except LeaseLost:
            log.info("The search %s for passages went to another worker.", key)


def _work(search: PassageSearch, token: str) -> None:
    rows = PassageSearch.objects.all()
    if search.attempts > MOST_ATTEMPTS:
        counts, troubles = _summary(search)
        told = {"message": "LitLedger stumbled over this several times.", "hint": "See the worker's log."}
        jobs.finish(rows, search.pk, token, state=StepState.FAILED, counts=counts, troubles=troubles, **told)
        return
    while search.done < len(search.chosen) and not _stopped(search):
        chosen = search.chosen[search.done : search.done + BATCH]
        said = _ask(search, chosen)
        with transaction.atomic():
            _store(search, said)
            jobs.renew(rows, search.pk, token, done=search.done + len(chosen), attempts=1)
        search.refresh_from_db()
    with transaction.atomic():
        counts, troubles = _summary(search)
        state = StepState.PARTIAL if troubles else StepState.DONE
        if search.done < len(search.chosen):
            state = StepState.CANCELLED
        jobs.finish(rows, search.pk, token, state=state, counts=counts, troubles=troubles)
        record_event(
            project=search.project, actor=None, verb="passages.finished", subject=f"passages:{search.pk}",
            payload={"counts": counts, "troubles": troubles, "looked at": search.done},
        )  # fmt: skip


def _stopped(search: PassageSearch) -> bool:
    return search.cancel_requested_at is not None or search.project.deleted_at is not None


def _ask(search: PassageSearch, chosen: Sequence[int]) -> dict[int, _Said]:
    """What comes of each candidate. Network; no transaction is open. Nothing is sent for papers without identifier."""
    rows = Candidate.objects.filter(project=search.project, pk__in=chosen).in_bulk()
    records = {pk: row.merged_record for pk, row in rows.items()}
    said: dict[int, _Said] = {}
    papers: dict[int, Identifier] = {}
    wanted: dict[Identifier, list[int]] = {}
    for pk, record in records.items():
        identifier = asked_identifier(SOURCE, record)
        if identifier is None:
            said[pk] = _Said(Outcome.NO_IDENTIFIER)
        else:
            wanted.setdefault(identifier, []).append(pk)
    if not wanted:
        return said
    state = source_state(SOURCE)
    if not state.usable:
        return said | {pk: _Said(Outcome.NOT_ASKED, state.reason) for pks in wanted.values() for pk in pks}
    _name_papers(wanted, records, papers, said)
    if papers:
        _ask_within(search.words, papers, said)
    return said


def _name_papers(
    wanted: dict[Identifier, list[int]],
    records: dict[int, Record],
    papers: dict[int, Identifier],
    said: dict[int, _Said],
) -> None:
    """Learn how the source names each paper: its passages carry no other identifier. Fills `papers` or `said`."""
    try:
        result = lookup_provider(SOURCE).lookup(
            client_for(SOURCE), list(wanted), max_age_seconds=settings.ARCHIVE_MAX_AGE_HITS
        )
    except SourceError as error:
        said |= {pk: _Said(Outcome.NOT_ASKED, error.message, error.answer_id) for pks in wanted.values() for pk in pks}
        return
    for identifier, pks in wanted.items():
        for pk in pks:
            if identifier in result.found:
                record, answer_id = result.found[identifier]
                name = next((one for one in record.identifiers if _names_corpus(one)), None)
                if not is_same_paper(records[pk], record):
                    said[pk] = _Said(Outcome.OTHER_PAPER, answer_id=answer_id)
                elif name is None:
                    said[pk] = _Said(Outcome.NOT_ASKED, "It gave no name by which to ask for passages.", answer_id)
                else:
                    papers[pk] = name
            elif identifier in result.absent:
                said[pk] = _Said(Outcome.ABSENT, answer_id=result.absent[identifier])
            else:
                failure = result.failures.get(identifier)
                why = failure.message if failure else "It did not answer for this identifier."
                said[pk] = _Said(Outcome.NOT_ASKED, why, failure.answer_id if failure else None)


def _names_corpus(identifier: Identifier) -> bool:
    return identifier.scheme is Scheme.S2 and identifier.value.startswith(CORPUS)


def _ask_within(words: str, papers: dict[int, Identifier], said: dict[int, _Said]) -> None:
    """Ask for passages within the papers. A full answer may have crowded some out: those are asked for again."""
    left = dict(papers)
    while left:
        try:
            found, answers = passages_provider(SOURCE).passages(
                client_for(SOURCE), words, limit=MOST_PASSAGES, within=list(dict.fromkeys(left.values())),
                max_age_seconds=settings.ARCHIVE_MAX_AGE_HITS,
            )  # fmt: skip
        except SourceError as error:
            said |= {pk: _Said(Outcome.NOT_ASKED, error.message, error.answer_id) for pk in left}
            return
        answer_id = answers[-1] if answers else None
        heard = {}
        for pk, name in left.items():
            if own := [one for one in found if name in one.identifiers]:
                heard[pk] = _Said(Outcome.FOUND, answer_id=own[0].answer_id, passages=own)
        said |= heard
        left = {pk: name for pk, name in left.items() if pk not in heard}
        if len(found) < MOST_PASSAGES:
            said |= {pk: _Said(Outcome.NONE, answer_id=answer_id) for pk in left}
            return
        if not heard:
            why = "Its answer was full of passages of other papers."
            said |= {pk: _Said(Outcome.NOT_ASKED, why, answer_id) for pk in left}
            return


def _store(search: PassageSearch, said: dict[int, _Said]) -> None:
    """Write down what came of each paper, and the passages as they were returned. In the caller's transaction."""
    present = set(Candidate.objects.filter(pk__in=said).values_list("pk", flat=True))
    said = {pk: one for pk, one in said.items() if pk in present}
    PassageLookup.objects.bulk_create(
        [
            PassageLookup(
                search=search,
                candidate_id=pk,
                outcome=one.outcome,
                passages=len(one.passages),
                message=one.message,
                answer_id=one.answer_id,
            )
            for pk, one in said.items()
        ],
        ignore_conflicts=True,
    )
    StoredPassage.objects.bulk_create(
        [
            StoredPassage(
                candidate_id=pk,
                source=SOURCE,
                answer_id=passage.answer_id,
                position=passage.position,
                text=passage.text,
                section=passage.section,
                kind=passage.kind[:40],
                words=search.words,
            )
            for pk, one in said.items()
            for passage in one.passages
        ],
        ignore_conflicts=True,
    )


def _summary(search: PassageSearch) -> tuple[dict[str, int], list[str]]:
    """How the papers ended, and why the source could not be asked for how many."""
    rows = list(search.lookups.values_list("outcome", "passages", "message"))
    ended = Counter(outcome for outcome, _, _ in rows)
    counts = {str(one): ended[one] for one in Outcome} | {"passages": sum(number for _, number, _ in rows)}
    failed = Counter(message for outcome, _, message in rows if outcome == Outcome.NOT_ASKED)
    troubles = [
        f"{source(SOURCE).label} could not be asked for {number:,} paper{'' if number == 1 else 's'}: {message}"
        for message, number in sorted(failed.items())
    ]
    return counts, troubles

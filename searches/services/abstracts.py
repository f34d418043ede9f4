"""Finds missing abstracts: other sources are asked for the same paper by its identifier. Nothing is ever written here.

What a source returns becomes a source record of the candidate (new evidence, rule `SUPPLEMENT`); the source is not
counted among those that found the paper. A record under the identifier that is another paper is not taken.
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

from litapp.core.dedupe import Relation, compare, keeps_apart
from litapp.core.matching.titles import compare_titles
from litapp.core.matching.verdicts import Agreement
from litapp.core.records import Identifier, Record, Scheme
from litapp.jobs import services as jobs
from litapp.jobs.lease import kept
from litapp.jobs.models import StepState
from litapp.jobs.services import LeaseLost, enqueue
from litapp.ledger.services.clients import asked_for, client_for, source_state
from litapp.ledger.services.records import store_lookup
from litapp.projects.models import Project
from litapp.projects.services.events import record_event
from litapp.providers.base import SourceError
from litapp.providers.registry import Capability, lookup_provider, source, source_keys
from searches.models import AbstractFill, AbstractLookup, Candidate, CandidateSource
from searches.services.candidates import rebuild_candidate
from searches.services.grouping import SUPPLEMENT

log = logging.getLogger(__name__)
KIND = "abstracts"
BATCH = 200
"""Candidates that are looked at together: one call of PubMed's 200."""
MOST_CHOSEN = 50_000
MOST_ATTEMPTS = 5
"""Claims of one search after which it is given up: its worker died each time."""
ORDER = ("pubmed", "europepmc", "openalex", "semanticscholar", "crossref", "arxiv", "biorxiv")
"""Who is asked, and who first: where most abstracts are. Each is asked only for what those before it did not give.
DataCite and doi.org are not: they hold few abstracts of papers and would be asked for every DOI one by one."""
NOT_ITS_OWN = frozenset({"unsupported_prefix", "unsupported_scheme"})
"""`SourceError.code` of a source that never has papers with such an identifier: it was not asked, and need not be."""
Outcome = AbstractLookup.Outcome


class NothingMissing(ValueError):
    """None of the candidates lacks an abstract. The message says so."""


@dataclass(slots=True)
class Said:
    """What one source said of one candidate; `record` and `answer_id` where it gave the abstract."""

    candidate_id: int
    source: str
    identifier: Identifier
    outcome: Outcome
    message: str = ""
    answer_id: int | None = None
    record: Record | None = None


@dataclass(slots=True)
class _Batch:
    """Candidates of one batch and who has records of each; `left` are those still without an abstract."""

    candidates: dict[int, Candidate]
    records: dict[int, Record]
    sources: dict[int, set[str]]
    said: list[Said] = field(default_factory=list)

    def left(self) -> list[int]:
        filled = {one.candidate_id for one in self.said if one.outcome is Outcome.FILLED}
        return [pk for pk in self.candidates if pk not in filled]


def asked_sources() -> list[str]:
    """Sources that can be asked by identifier, in the order in which they are asked."""
    able = {key for key in source_keys() if Capability.LOOKUP in source(key).capabilities}
    return [key for key in ORDER if key in able]


def abstracts_request(
    *, project: Project, actor: Any, request_id: UUID, candidate_ids: Iterable[int] | None = None
) -> AbstractFill:
    """Ask for the missing abstracts of all candidates, or of those chosen; the work is done in the background.

    The same `request_id` again gives the same request. Raises NothingMissing when no candidate lacks an abstract.
    """
    made = AbstractFill.objects.filter(request_id=request_id, project=project).first()
    if made is not None:
        return made
    lacking = Candidate.objects.listed(project).without_abstract().order_by("pk").values_list("pk", flat=True)
    chosen = list(lacking)
    if candidate_ids is not None:
        wanted = set(candidate_ids)
        chosen = [pk for pk in chosen if pk in wanted]
    if not chosen:
        which = "None of these records" if candidate_ids is not None else "No record"
        raise NothingMissing(f"{which} lacks an abstract. There is nothing to look for.")
    try:
        return _create(project, actor, request_id, chosen[:MOST_CHOSEN])
    except IntegrityError:  # the other click of a double click was faster
        return AbstractFill.objects.get(request_id=request_id, project=project)


@transaction.atomic
def _create(project: Project, actor: Any, request_id: UUID, chosen: list[int]) -> AbstractFill:
    fill = AbstractFill.objects.create(
        project=project, requested_by=actor, request_id=request_id, chosen=chosen, total=len(chosen)
    )
    record_event(
        project=project, actor=actor, verb="abstracts.asked", subject=f"abstracts:{fill.pk}",
        payload={"records": len(chosen)},
    )  # fmt: skip
    enqueue(KIND, str(fill.pk))
    return fill


class AbstractWork:
    """The kind "abstracts" of `settings.STEP_KINDS`; a key is the id of an AbstractFill."""

    def due(self) -> Iterable[str]:
        """Requests that may be worked on now."""
        return [str(pk) for pk in AbstractFill.objects.all().claimable().order_by("pk").values_list("pk", flat=True)]

    def run(self, key: str) -> None:
        """Claim the request and work it off, batch by batch; a killed worker's successor goes on behind its last."""
        token = jobs.claim(AbstractFill.objects.all(), int(key))
        if token is None:
            return
        try:
            asker = AbstractFill.objects.values_list("requested_by_id", flat=True).get(pk=int(key))
            with kept(AbstractFill.objects.all(), token), asked_for(asker):
                _work(int(key), token)
        except LeaseLost:
            log.info("The search %s for abstracts went to another worker.", key)


def _work(fill_id: int, token: str) -> None:
    fill = AbstractFill.objects.select_related("project").get(pk=fill_id)
    if fill.attempts > MOST_ATTEMPTS:
        told = {"message": "LitLedger stumbled over this several times.", "hint": "See the worker's log."}
        jobs.finish(AbstractFill.objects.all(), fill_id, token, state=StepState.FAILED, **told)
        return
    while fill.done < len(fill.chosen) and fill.project.deleted_at is None:
        chosen = fill.chosen[fill.done : fill.done + BATCH]
        batch = _batch(fill, chosen)
        _ask_all(batch)
        with transaction.atomic():
            _store(fill, batch)
            jobs.renew(AbstractFill.objects.all(), fill_id, token, done=fill.done + len(chosen), attempts=1)
        fill.refresh_from_db()
    with transaction.atomic():
        counts, troubles = _summary(fill)
        state = StepState.PARTIAL if troubles else StepState.DONE
        jobs.finish(AbstractFill.objects.all(), fill_id, token, state=state, counts=counts, troubles=troubles)
        record_event(
            project=fill.project, actor=None, verb="abstracts.filled", subject=f"abstracts:{fill_id}",
            payload={"counts": counts, "troubles": troubles},
        )  # fmt: skip


def _batch(fill: AbstractFill, chosen: Sequence[int]) -> _Batch:
    """The chosen candidates that still lack an abstract."""
    rows = Candidate.objects.listed(fill.project).without_abstract().filter(pk__in=chosen).in_bulk()
    links = CandidateSource.objects.filter(candidate__in=rows).values_list("candidate_id", "source").distinct()
    sources: dict[int, set[str]] = {pk: set() for pk in rows}
    for candidate_id, key in links:
        sources[candidate_id].add(key)
    return _Batch(rows, {pk: row.merged_record for pk, row in rows.items()}, sources)


def _ask_all(batch: _Batch) -> None:
    """Ask one source after the other, each only for what is still missing. Network; no transaction is open."""
    for key in asked_sources():
        wanted: dict[Identifier, list[int]] = {}
        for pk in batch.left():
            identifier = asked_identifier(key, batch.records[pk])
            if identifier is not None and key not in batch.sources[pk]:
                wanted.setdefault(identifier, []).append(pk)
        if wanted:
            batch.said += _ask(key, wanted, batch.records)


def asked_identifier(key: str, record: Record) -> Identifier | None:
    """The identifier with which this source is asked for the record; None when it has none that the source takes."""
    for scheme in lookup_provider(key).lookup_schemes:
        if value := record.identifier(Scheme(scheme)):
            return Identifier(Scheme(scheme), value)
    return None


def _ask(key: str, wanted: dict[Identifier, list[int]], records: dict[int, Record]) -> list[Said]:
    """What one source says of each candidate. A source that cannot be asked says nothing, and that is noted."""
    state = source_state(key)
    if not state.usable:
        return _each(key, wanted, wanted, Outcome.NOT_ASKED, state.reason)
    try:
        result = lookup_provider(key).lookup(
            client_for(key), list(wanted), max_age_seconds=settings.ARCHIVE_MAX_AGE_HITS
        )
    except SourceError as error:
        return _each(key, wanted, wanted, Outcome.NOT_ASKED, error.message, error.answer_id)
    said: list[Said] = []
    for identifier, (record, answer_id) in result.found.items():
        for pk in wanted[identifier]:
            outcome = _outcome(records[pk], record)
            given = record if outcome is Outcome.FILLED else None
            said.append(Said(pk, key, identifier, outcome, answer_id=answer_id, record=given))
    for identifier, answer_id in result.absent.items():
        said += _each(key, wanted, [identifier], Outcome.ABSENT, "", answer_id)
    for identifier, failure in result.failures.items():
        if failure.code in NOT_ITS_OWN:
            continue
        said += _each(key, wanted, [identifier], Outcome.NOT_ASKED, failure.message, failure.answer_id)
    return said


def _each(
    key: str,
    wanted: dict[Identifier, list[int]],
    which: Iterable[Identifier],
    outcome: Outcome,
    message: str,
    answer_id: int | None = None,
) -> list[Said]:
    return [Said(pk, key, one, outcome, message, answer_id) for one in which for pk in wanted[one]]


def _outcome(ours: Record, theirs: Record) -> Outcome:
    if not is_same_paper(ours, theirs):
        return Outcome.OTHER_PAPER
    return Outcome.FILLED if theirs.abstract_text.strip() else Outcome.NO_ABSTRACT


def is_same_paper(ours: Record, theirs: Record) -> bool:
    """Whether a record found under our identifier is our paper: joined by `core.dedupe`, or of the same title and not
    kept apart by it (an erratum under the article's DOI is)."""
    verdict = compare(ours, theirs)
    if verdict.relation is Relation.SAME:
        return True
    if keeps_apart(verdict):
        return False
    others = tuple(title for title in (ours.original_title, theirs.original_title) if title)
    return compare_titles(ours.title, theirs.title, *others).verdict in (Agreement.SAME, Agreement.VARIANT)


def _store(fill: AbstractFill, batch: _Batch) -> None:
    """Write down what was said, and add the records that have the abstract. In the caller's transaction."""
    Project.objects.select_for_update(no_key=True).get(pk=fill.project_id)
    for one in batch.said:
        stored = None
        if one.record is not None and one.answer_id is not None:
            stored = store_lookup(answer_id=one.answer_id, record=one.record)
            one.message = _link(fill.project, one, stored.pk)
            if one.message:
                one.outcome, stored = Outcome.OTHER_PAPER, None
        AbstractLookup.objects.update_or_create(
            fill=fill,
            candidate_id=one.candidate_id,
            source=one.source,
            defaults={
                "scheme": one.identifier.scheme.value,
                "identifier": one.identifier.value[:300],
                "outcome": one.outcome,
                "message": one.message,
                "answer_id": one.answer_id,
                "source_record": stored,
            },
        )


def _link(project: Project, one: Said, record_id: int) -> str:
    """Join the record to its candidate; why it cannot be ("" = it was)."""
    why = f"Asked for the abstract by {one.identifier.scheme.value.upper()} {one.identifier.value}."
    link, made = CandidateSource.objects.get_or_create(
        project=project,
        source_record_id=record_id,
        defaults={"candidate_id": one.candidate_id, "source": one.source, "rule": SUPPLEMENT, "why": why[:300]},
    )
    if not made and link.candidate_id != one.candidate_id:
        return f"This record belongs to another candidate of the project ({link.candidate_id})."
    candidate = Candidate.objects.get(pk=one.candidate_id)
    if candidate.merged_into_id is None:
        rebuild_candidate(candidate=candidate)
    return ""


def _summary(fill: AbstractFill) -> tuple[dict[str, Any], list[str]]:
    """How the chosen candidates ended, and which source could not be asked for how many."""
    rows = list(fill.lookups.order_by("pk").values_list("candidate_id", "source", "outcome", "message"))
    filled = {candidate: key for candidate, key, outcome, _ in rows if outcome == Outcome.FILLED}
    asked = {candidate for candidate, _, _, _ in rows}
    still = set(
        Candidate.objects.listed(fill.project)
        .without_abstract()
        .filter(pk__in=fill.chosen)
        .values_list("pk", flat=True)
    )
    counts = {
        "wanted": len(fill.chosen),
        "filled": len(filled),
        "filled_by": dict(sorted(Counter(filled.values()).items())),
        "missing": len(still),
        "no_identifier": len(still - asked),
        "elsewhere": len(set(fill.chosen) - set(filled) - still),
    }
    failed = Counter(
        (key, message) for candidate, key, outcome, message in rows
        if outcome == Outcome.NOT_ASKED and candidate in still
    )  # fmt: skip
    troubles = [
        f"{source(key).label} could not be asked for {number:,} paper{'' if number == 1 else 's'}: {message}"
        for (key, message), number in sorted(failed.items())
    ]
    return counts, troubles

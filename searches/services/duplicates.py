"""People's answers on duplicates: two candidates are one paper or are not, a record belongs to another paper; and each
of these taken back. Answers outweigh every rule and are remembered for later imports."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from litapp.core.dedupe import Relation, keeps_apart
from litapp.projects.models import Project
from litapp.projects.services.events import record_event
from searches.models import Candidate, CandidateSource, PairAnswer, PairDecision
from searches.services.grouping import Node
from searches.services.neighbourhood import Neighbourhood
from searches.services.regrouping import regroup
from searches.services.workbench import Workbench


class PairChanged(Exception):
    """The records are not as the page showed them: somebody answered meanwhile, or a record came. Nothing was saved."""


class NothingToTakeBack(Exception):
    """No answer of the person is left in this project that could be taken back."""


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer as it stands. `candidates` are those it is about; `applied` is False where it had been given before."""

    request_id: UUID
    answer: str
    candidates: tuple[int, ...]
    applied: bool = True


@transaction.atomic
def pair_answer(
    *, project: Project, actor: Any, candidate_ids: tuple[int, int], answer: PairAnswer, request_id: UUID
) -> Answered:
    """Say that two candidates are the same paper, or are not. Merges them, or keeps them apart, from now on.

    The same `request_id` again changes nothing. Raises PairChanged when one of them is not listed any more, or they are
    one already.
    """
    locked, before = _begin(project, actor, request_id)
    if before is not None:
        return before
    one, other = candidate_ids
    rows = Candidate.objects.listed(locked).in_bulk([one, other])
    if one == other or len(rows) != 2:
        raise PairChanged("One of the two records was joined with another meanwhile, or taken away.")
    near = Neighbourhood(locked.pk, Workbench())
    nodes = {pk: _nodes(near, pk) for pk in (one, other)}
    settled = _settled_by(near, nodes[one], nodes[other], answer)
    _write(locked, actor, request_id, answer, settled, [rows[one], rows[other]])
    _regroup(locked, [*nodes[one], *nodes[other]], actor)
    verb = "duplicates.joined" if answer is PairAnswer.SAME else "duplicates.kept_apart"
    _record(locked, actor, verb, request_id, [rows[one], rows[other]])
    return Answered(request_id, answer.value, (one, other))


@transaction.atomic
def records_part(
    *, project: Project, actor: Any, candidate_id: int, link_ids: Collection[int], request_id: UUID
) -> Answered:
    """Say that some records of a candidate are another paper: they leave it, together.

    A record that came in with a merge goes back to its own candidate, with the decisions that were made there. The same
    `request_id` again changes nothing. Raises PairChanged when the records are not (or are all) of the candidate.
    """
    locked, before = _begin(project, actor, request_id)
    if before is not None:
        return before
    candidate = Candidate.objects.listed(locked).filter(pk=candidate_id).first()
    near = Neighbourhood(locked.pk, Workbench())
    nodes = _nodes(near, candidate_id) if candidate else []
    leaving = _with_copies(nodes, link_ids)
    staying = [node for node in nodes if node not in leaving]
    if candidate is None or not leaving or not staying or not set(link_ids) <= {n.link_id for n in nodes}:
        raise PairChanged("These records are not part of this paper any more, or nothing of it would be left.")
    settled = {_entries(one, other) for one in leaving for other in staying}
    _write(locked, actor, request_id, PairAnswer.APART, settled, [candidate])
    _regroup(locked, nodes, actor)
    _record(locked, actor, "duplicates.parted", request_id, [candidate], records=len(leaving))
    now = sorted({node.candidate_id or 0 for node in _reread(locked, nodes)})
    return Answered(request_id, PairAnswer.APART.value, tuple(now))


@transaction.atomic
def answer_undo(*, project: Project, actor: Any, request_id: UUID | None = None) -> Answered:
    """Take back an answer, the person's latest that stands unless `request_id` names one. Everything goes back to what
    rules and the other answers say, decisions and notes included. Raises NothingToTakeBack."""
    locked = Project.objects.select_for_update(no_key=True).get(pk=project.pk)
    standing = PairDecision.objects.filter(project=locked, undone_at=None)
    target = request_id or (standing.filter(actor=actor).order_by("-pk").values_list("request_id", flat=True).first())
    rows = list(standing.filter(request_id=target).order_by("pk")) if target else []
    if not rows or target is None:
        raise NothingToTakeBack("No answer of yours on duplicates is left to take back.")
    standing.filter(request_id=target).update(undone_at=timezone.now(), undone_by=actor)
    entries = {entry for row in rows for entry in (row.a, row.b)}
    links = CandidateSource.objects.filter(project=locked, entry__in=entries)
    near = Neighbourhood(locked.pk, Workbench())
    _regroup(locked, near.read(links.values_list("pk", flat=True)), actor)
    candidates = tuple(rows[0].subject.get("candidates", ()))
    record_event(
        project=locked,
        actor=actor,
        verb="duplicates.answer_undone",
        subject=f"candidate:{candidates[0]}" if candidates else "",
        payload={"request": target, "answer": rows[0].answer, "titles": rows[0].subject.get("titles", [])},
    )
    return Answered(target, rows[0].answer, candidates)


def _begin(project: Project, actor: Any, request_id: UUID) -> tuple[Project, Answered | None]:
    """The locked project, and the answer if this request was applied before."""
    locked = Project.objects.select_for_update(no_key=True).get(pk=project.pk)
    row = PairDecision.objects.filter(project=locked, actor=actor, request_id=request_id).first()
    if row is None:
        return locked, None
    return locked, Answered(request_id, row.answer, tuple(row.subject.get("candidates", ())), applied=False)


def _nodes(near: Neighbourhood, candidate_id: int) -> list[Node]:
    links = CandidateSource.objects.filter(candidate=candidate_id).order_by("pk").values_list("pk", flat=True)
    return [node for node in near.read(links) if not node.is_supplement]


def _reread(project: Project, nodes: Iterable[Node]) -> list[Node]:
    return Neighbourhood(project.pk, Workbench()).read([node.link_id for node in nodes if node.link_id is not None])


def _with_copies(nodes: Sequence[Node], link_ids: Collection[int]) -> list[Node]:
    """The chosen records with their copies and other versions of the same entry: these cannot be told apart."""
    chosen = [node for node in nodes if node.link_id in link_ids]
    entries, identities = {node.entry for node in chosen}, {node.identity for node in chosen}
    return [node for node in nodes if node.entry in entries or node.identity in identities]


def _entries(one: Node, other: Node) -> tuple[str, str]:
    return min(one.entry, other.entry), max(one.entry, other.entry)


def _settled_by(
    near: Neighbourhood, ones: Sequence[Node], others: Sequence[Node], answer: PairAnswer
) -> set[tuple[str, str]]:
    """The pairs of records that the answer on two candidates is about.

    Not the same: every record of one with every record of the other. The same: one pair joins them, and the answer
    outweighs whatever keeps any two of their records apart.
    """
    pairs = {_entries(one, other) for one in ones for other in others if one.entry != other.entry}
    if answer is PairAnswer.APART or not pairs:
        return pairs
    ids = {node.link_id: node for node in (*ones, *others) if node.link_id is not None}
    told = {_entries(ones[0], others[0])}
    for a, b, verdict in near.verdicts_among(ids):
        if verdict.relation is Relation.SAME or keeps_apart(verdict):
            told.add(_entries(ids[a], ids[b]))
    told |= {tuple(sorted(pair)) for pair in near.answers([*ones, *others]).apart}  # type: ignore[misc]
    return told & pairs


def _write(
    project: Project,
    actor: Any,
    request_id: UUID,
    answer: PairAnswer,
    pairs: Iterable[tuple[str, str]],
    candidates: Sequence[Candidate],
) -> None:
    subject = {"titles": [row.title for row in candidates], "candidates": [row.pk for row in candidates]}
    PairDecision.objects.bulk_create(
        PairDecision(project=project, a=a, b=b, answer=answer, actor=actor, request_id=request_id, subject=subject)
        for a, b in sorted(pairs)
    )


def _regroup(project: Project, nodes: Iterable[Node], actor: Any) -> None:
    near = Neighbourhood(project.pk, Workbench())
    near.ask_for(node.link_id for node in nodes if node.link_id is not None)
    regroup(project=project, near=near, actor=actor)


def _record(
    project: Project, actor: Any, verb: str, request_id: UUID, candidates: Sequence[Candidate], **more: Any
) -> None:
    record_event(
        project=project,
        actor=actor,
        verb=verb,
        subject=f"candidate:{candidates[0].pk}",
        payload={
            "request": request_id,
            "candidates": [row.pk for row in candidates],
            "titles": [row.title for row in candidates],
            **more,
        },
    )

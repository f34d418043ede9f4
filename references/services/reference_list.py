"""The project's reference list: what decisions put into it and take out of it, and the notes people write."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from litapp.core.citations import assign_citation_keys
from litapp.projects.models import Project
from litapp.projects.services.events import record_event
from references.models import Reference
from searches.models import Candidate, Decision, ScreeningDecision

LONGEST_NOTE = 20_000
"""Characters of a note."""
_AT_ONCE = 500
"""Candidates handled in one query: databases limit the number of parameters."""


class StaleReference(Exception):
    """Somebody changed the reference since it was read. `current` is the reference as it is now."""

    def __init__(self, current: Reference) -> None:
        super().__init__("This reference was changed in the meantime.")
        self.current = current


class ReferenceProblem(ValueError):
    """A change of the list that cannot be made; the message says why and what to do."""


@transaction.atomic
def after_decisions(*, project: Project, candidate_ids: Iterable[int]) -> None:
    """Bring the list in line with the decisions on these candidates: include puts a paper in, all else takes it out.

    Called inside the transaction of the decisions. A paper that comes back gets its old row, note and key. Of
    candidates that were joined, the one that stays takes the reference over, and gives it back when they are parted.
    """
    Project.objects.select_for_update(no_key=True).values_list("pk").get(pk=project.pk)
    ids = sorted(_with_those_that_stay(set(candidate_ids)))
    for chunk in _chunks(ids):
        _follow_partings(chunk)
        _follow_merges(chunk)
    for chunk in _chunks(ids):
        _after_decisions(project, chunk)


def _with_those_that_stay(ids: set[int]) -> set[int]:
    """The ids, and those of the candidates that some of them were joined into."""
    merged = Candidate.objects.filter(merged_into__isnull=False)
    found = set(ids)
    for chunk in _chunks(sorted(ids)):
        found |= set(merged.filter(pk__in=chunk).values_list("merged_into_id", flat=True))
    return found


def _chunks(ids: Sequence[int]) -> Iterator[Sequence[int]]:
    return (ids[start : start + _AT_ONCE] for start in range(0, len(ids), _AT_ONCE))


def _after_decisions(project: Project, ids: Sequence[int]) -> None:
    candidates = list(Candidate.objects.filter(project=project, pk__in=ids, merged_into=None).order_by("pk"))
    known = {reference.candidate_id: reference for reference in Reference.objects.filter(candidate_id__in=ids)}
    included = [c for c in candidates if c.final == Decision.INCLUDE and c.withdrawn_at is None]
    actor = _last_reviewer(ids)
    _add(project, [candidate for candidate in included if candidate.pk not in known], actor)
    back = [known[c.pk] for c in included if c.pk in known and known[c.pk].removed_at is not None]
    _change(project, back, actor, verb="reference.restored", removed=False)
    out = [known[c.pk] for c in candidates if c not in included and c.pk in known and known[c.pk].removed_at is None]
    _change(project, out, actor, verb="reference.removed", removed=True)


def _follow_merges(ids: Sequence[int]) -> None:
    """Hand the reference of a candidate that was joined into another over to the one that stays; where that has a
    reference of its own, the joined one leaves the list."""
    merged = Reference.objects.filter(candidate_id__in=ids, candidate__merged_into__isnull=False).select_related(
        "candidate", "project"
    )
    for reference in merged:
        stays = reference.candidate.merged_into_id
        if stays is None:
            continue
        if not Reference.objects.filter(candidate_id=stays).exists():
            came_from = reference.came_from_id or reference.candidate_id
            Reference.objects.filter(pk=reference.pk).update(
                candidate_id=stays, came_from=came_from, version=F("version") + 1
            )
        elif reference.removed_at is None:
            _change(reference.project, [reference], None, verb="reference.removed", removed=True)


def _follow_partings(ids: Sequence[int]) -> None:
    """Give a candidate that was joined and stands for itself again its reference back, with note and key."""
    back = Reference.objects.filter(came_from__in=ids, came_from__merged_into=None).exclude(candidate=F("came_from"))
    for pk, home in back.values_list("pk", "came_from_id"):
        if not Reference.objects.filter(candidate_id=home).exists():
            Reference.objects.filter(pk=pk).update(candidate_id=home, came_from=None, version=F("version") + 1)


def _last_reviewer(ids: Sequence[int]) -> User | None:
    last = ScreeningDecision.objects.filter(candidate_id__in=ids).select_related("reviewer").order_by("-pk").first()
    return last.reviewer if last else None


def _add(project: Project, candidates: Sequence[Candidate], actor: User | None) -> None:
    if not candidates:
        return
    taken = frozenset(Reference.objects.filter(project=project).values_list("key", flat=True))
    keys = assign_citation_keys([candidate.merged_record for candidate in candidates], taken)
    added = Reference.objects.bulk_create(
        [
            Reference(project=project, candidate=candidate, key=key, added_by=actor)
            for candidate, key in zip(candidates, keys, strict=True)
        ]
    )
    _record(project, added, actor, "reference.added")


def _change(project: Project, references: Sequence[Reference], actor: User | None, *, verb: str, removed: bool) -> None:
    if not references:
        return
    Reference.objects.filter(pk__in=[reference.pk for reference in references]).update(
        removed_at=timezone.now() if removed else None, version=F("version") + 1
    )
    _record(project, references, actor, verb)


def _record(project: Project, references: Sequence[Reference], actor: User | None, verb: str) -> None:
    subject = f"reference:{references[0].pk}" if len(references) == 1 else ""
    payload = {"keys": [reference.key for reference in references]}
    record_event(project=project, actor=actor, verb=verb, subject=subject, payload=payload)


@transaction.atomic
def note_save(*, reference: Reference, actor: User, note: str, version: int) -> Reference:
    """Store the note that was written on `version` of the reference.

    Raises StaleReference when somebody changed the reference since (the same text twice is no conflict), and
    ReferenceProblem for a note over 20,000 characters.
    """
    text = note.replace("\r\n", "\n").strip()
    if len(text) > LONGEST_NOTE:
        raise ReferenceProblem(f"A note may have {LONGEST_NOTE:,} characters; this one has {len(text):,}. Shorten it.")
    changed = Reference.objects.filter(pk=reference.pk, version=version).exclude(note=text)
    saved = changed.update(note=text, version=F("version") + 1)
    current = Reference.objects.for_list().get(pk=reference.pk)
    if saved:
        record_event(
            project=current.project,
            actor=actor,
            verb="reference.note_saved",
            subject=f"reference:{current.pk}",
            payload={"key": current.key, "note": text},
        )
    elif current.note != text:
        raise StaleReference(current)
    return current


@transaction.atomic
def reference_remove(*, reference: Reference, actor: User) -> None:
    """Take a reference out of the list; its decision stays "include", its key is never given again. Twice is once."""
    row = Reference.objects.select_for_update().select_related("project").get(pk=reference.pk)
    if row.removed_at is None:
        _change(row.project, [row], actor, verb="reference.removed", removed=True)


@transaction.atomic
def reference_restore(*, reference: Reference, actor: User) -> None:
    """Put a reference back that was taken out. Raises ReferenceProblem when its paper is not included any more."""
    row = Reference.objects.select_for_update().select_related("project", "candidate").get(pk=reference.pk)
    if row.candidate.final != Decision.INCLUDE:
        raise ReferenceProblem("This paper is not included any more. Include it in screening; it then comes back.")
    if row.removed_at is not None:
        _change(row.project, [row], actor, verb="reference.restored", removed=False)

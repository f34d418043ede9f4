"""Notes, labels and own words: what people write on records beside their decisions."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction
from django.utils import timezone

from litapp.projects.models import Project
from litapp.projects.services.events import record_event
from searches.models import Candidate, CandidateLabel, Label, RecordNote, ScreeningWord

LONGEST_NOTE, LONGEST_LABEL, LONGEST_WORD, MOST_WORDS = 5_000, 60, 80, 200


class RemarkProblem(ValueError):
    """The note, label or word cannot be stored so; the message says why."""


def note_add(*, candidate: Candidate, actor: Any, text: str, request_id: UUID) -> RecordNote:
    """Write a note on a record; the same `request_id` again gives the same note. Raises RemarkProblem."""
    words = text.replace("\r\n", "\n").strip()
    if not words:
        raise RemarkProblem("The note is empty.")
    if len(words) > LONGEST_NOTE:
        raise RemarkProblem(f"A note may have {LONGEST_NOTE:,} characters; this one has {len(words):,}. Shorten it.")
    try:
        with transaction.atomic():
            known = RecordNote.objects.filter(request_id=request_id, person=actor, candidate=candidate).first()
            if known is not None:
                return known
            note = RecordNote.objects.create(candidate=candidate, person=actor, text=words, request_id=request_id)
            _event(candidate, actor, "note.added", {"note": note.pk})
            return note
    except IntegrityError:  # the same request, at the same moment
        return RecordNote.objects.get(request_id=request_id, person=actor, candidate=candidate)


@transaction.atomic
def note_remove(*, note: RecordNote, actor: Any) -> None:
    """Take back one's own note; it stays in the database, and is shown nowhere. Twice is once."""
    mine = RecordNote.objects.filter(pk=note.pk, person=actor, removed_at=None)
    if mine.update(removed_at=timezone.now()):
        _event(note.candidate, actor, "note.removed", {"note": note.pk})


@transaction.atomic
def label_add(*, candidate: Candidate, actor: Any, name: str) -> Label:
    """Put a label on a record; a new name makes a new label. Twice is once. Raises RemarkProblem."""
    words = " ".join(name.split())
    if not words:
        raise RemarkProblem("The label is empty.")
    if len(words) > LONGEST_LABEL:
        raise RemarkProblem(f"A label may have {LONGEST_LABEL} characters.")
    labels = Label.objects.filter(project=candidate.project_id)
    mine = labels.filter(used__person=actor, name__iexact=words)  # others' spelling would tell of their labels
    label = labels.filter(name=words).first() or mine.first()
    if label is None:
        label = Label.objects.create(project=candidate.project, name=words)
    _, new = CandidateLabel.objects.get_or_create(candidate=candidate, label=label, person=actor)
    if new:
        _event(candidate, actor, "label.added", {"label": label.name})
    return label


@transaction.atomic
def label_remove(*, candidate: Candidate, actor: Any, label_id: int) -> None:
    """Take back a label that the person put on a record. Twice is once."""
    mine = CandidateLabel.objects.filter(candidate=candidate, person=actor, label=label_id).select_related("label")
    for used in list(mine):
        used.delete()
        _event(candidate, actor, "label.removed", {"label": used.label.name})


@transaction.atomic
def words_save(*, project: Project, person: Any, words_for: str, words_against: str) -> None:
    """Replace the person's own words to mark, one a line or parted by commas. Raises RemarkProblem."""
    wanted: dict[str, str] = {}
    for kind, text in ((ScreeningWord.Kind.FOR, words_for), (ScreeningWord.Kind.AGAINST, words_against)):
        for part in text.replace(",", "\n").splitlines():
            word = " ".join(part.split())
            if word and len(word) > LONGEST_WORD:
                raise RemarkProblem(f"“{word[:40]}…” is too long: a word or phrase may have {LONGEST_WORD} characters.")
            if word:
                wanted.setdefault(word.casefold(), kind.value)
    if len(wanted) > MOST_WORDS:
        raise RemarkProblem(f"At most {MOST_WORDS} words; these are {len(wanted)}.")
    ScreeningWord.objects.filter(project=project, person=person).delete()
    ScreeningWord.objects.bulk_create(
        ScreeningWord(project=project, person=person, word=word, kind=kind) for word, kind in wanted.items()
    )


def _event(candidate: Candidate, actor: Any, verb: str, payload: dict[str, Any]) -> None:
    record_event(
        project=candidate.project, actor=actor, verb=verb, subject=f"candidate:{candidate.pk}", payload=payload
    )

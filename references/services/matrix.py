"""Writes of the literature matrix: accept, edit, check, clear and undo cells; a project's own columns."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.db.models import Max
from django.utils import timezone

from litapp.core.matrix import RULES_VERSION, Place, find_quote, place_in
from litapp.projects.models import Project
from litapp.projects.services.events import record_event
from references.models import CellState, FilledBy, FullTextCopy, MatrixCell, MatrixChange, OwnColumn, Reference
from references.models_matrix import LONGEST_QUOTE, LONGEST_VALUE
from references.services.fulltext_reads import best_copies, sections_of
from references.services.matrix_reading import ColumnHead, offers_of, records_of
from searches.models_passages import StoredPassage

_KEPT = (
    "state", "value", "quote", "place", "source_record_id", "section", "section_label", "start", "end",
    "full_text_id", "passage_id", "page", "filled_by", "person_id", "rule", "rule_version", "model", "filled_at",
    "checked_by_id", "checked_at",
)  # fmt: skip
"""Fields that a change keeps of the cell before, and an undo brings back."""
_EMPTY: dict[str, Any] = {
    "state": CellState.EMPTY, "value": "", "quote": "", "place": "", "source_record_id": None, "section": None,
    "section_label": "", "start": None, "end": None, "full_text_id": None, "passage_id": None, "page": "",
    "filled_by": "", "person_id": None, "rule": "", "rule_version": 0, "model": "", "filled_at": None,
    "checked_by_id": None, "checked_at": None,
}  # fmt: skip


class MatrixProblem(ValueError):
    """A change of the matrix that cannot be made; the message says why and what to do."""


class StaleCell(Exception):
    """Somebody changed the cell since it was read. `current` is the cell as it is now."""

    def __init__(self, current: MatrixCell) -> None:
        super().__init__("This cell was changed in the meantime.")
        self.current = current


@transaction.atomic
def cell_accept(
    *, reference: Reference, head: ColumnHead, actor: User, offer: str, version: int, value: str = ""
) -> MatrixCell:
    """Take what a rule offers (`offer` is its name), with another `value` where the person wrote one; its quote stays.

    Raises MatrixProblem when the record does not say it (any more), StaleCell when the cell was changed since.
    """
    pk = reference.candidate_id
    passages = StoredPassage.objects.of([pk]).get(pk, ())
    offers = offers_of(records_of([pk]).get(pk, ()), passages).get(head.key, [])
    chosen = next((one for one in offers if one.suggestion.name == offer), None)
    if chosen is None:
        raise MatrixProblem("The records of this paper do not offer that quote any more. Reload and choose again.")
    one, now = chosen.suggestion, timezone.now()
    text = _value(value) or one.value
    as_offered = text == one.value
    return _change(
        reference, head, actor, version, "matrix.filled",
        {
            **_EMPTY, "state": CellState.FILLED, "value": text, "quote": one.quote, "place": str(one.place),
            "source_record_id": chosen.record.pk if chosen.record else None,
            "passage_id": chosen.passage.pk if chosen.passage else None, "section_label": one.label[:200],
            "section": one.span.section if one.span else None, "start": one.span.start if one.span else None,
            "end": one.span.end if one.span else None, "filled_by": FilledBy.RULE if as_offered else FilledBy.PERSON,
            "person_id": None if as_offered else actor.pk, "rule": one.rule, "rule_version": RULES_VERSION,
            "filled_at": now, "checked_by_id": actor.pk, "checked_at": now,
        },
    )  # fmt: skip


def cell_save(
    *, reference: Reference, head: ColumnHead, actor: User, value: str, quote: str, page: str, version: int
) -> MatrixCell:
    """Store what a person wrote. The quote is looked up in the paper's stored abstracts, then in its kept full text
    (which may take seconds, before the transaction) and its stored passages; else it needs its page.

    Raises MatrixProblem for an empty or too long value, a missing quote, and words that no stored abstract holds;
    StaleCell when the cell was changed since.
    """
    text, now = _value(value), timezone.now()
    if not text:
        raise MatrixProblem("Write a value, or choose “Not reported” where the paper does not say it.")
    fields = {
        **_EMPTY, **_place_of(reference, head, quote, page), "state": CellState.FILLED, "value": text,
        "filled_by": FilledBy.PERSON, "person_id": actor.pk, "filled_at": now, "checked_by_id": actor.pk,
        "checked_at": now,
    }  # fmt: skip
    return _change(reference, head, actor, version, "matrix.filled", fields)


def cell_draft(*, reference: Reference, head: ColumnHead, value: str, quote: str, model: str) -> MatrixCell | None:
    """Put what a language model drafted into a cell that nobody has looked at; it waits for a person's check.

    None where somebody was there before. Raises MatrixProblem when no stored abstract says the quote word for word.
    """
    current = MatrixCell.objects.filter(reference=reference, **_column(head)).first()
    if current is not None and current.state != CellState.EMPTY:
        return None
    fields = {
        **_EMPTY, **_place_of(reference, head, quote, ""), "state": CellState.FILLED, "value": _value(value),
        "filled_by": FilledBy.MODEL, "model": model[:200], "filled_at": timezone.now(),
    }  # fmt: skip
    if not fields["value"] or not fields["quote"] or not model:
        raise MatrixProblem("A draft needs its value, its quote and the name of the model.")
    try:
        return _change(reference, head, None, current.version if current else 0, "matrix.filled", fields)
    except StaleCell:
        return None


@transaction.atomic
def cell_check(*, reference: Reference, head: ColumnHead, actor: User, version: int) -> MatrixCell:
    """A person has compared a filled cell with its source. Raises MatrixProblem for an empty one, StaleCell."""
    current = MatrixCell.objects.filter(reference=reference, **_column(head)).first()
    if current is None or current.state == CellState.EMPTY:
        raise MatrixProblem("Nothing stands in this cell yet.")
    fields = {name: getattr(current, name) for name in _KEPT}
    fields |= {"checked_by_id": actor.pk, "checked_at": timezone.now()}
    return _change(reference, head, actor, version, "matrix.checked", fields)


@transaction.atomic
def cell_not_reported(*, reference: Reference, head: ColumnHead, actor: User, version: int) -> MatrixCell:
    """A person has looked, and what there is to read does not say it."""
    now = timezone.now()
    fields = {
        **_EMPTY, "state": CellState.NOT_REPORTED, "filled_by": FilledBy.PERSON, "person_id": actor.pk,
        "filled_at": now, "checked_by_id": actor.pk, "checked_at": now,
    }  # fmt: skip
    return _change(reference, head, actor, version, "matrix.filled", fields)


@transaction.atomic
def cell_clear(*, reference: Reference, head: ColumnHead, actor: User, version: int) -> MatrixCell:
    """Empty a cell: it then counts as not looked at."""
    return _change(reference, head, actor, version, "matrix.cleared", dict(_EMPTY))


@transaction.atomic
def cell_undo(*, reference: Reference, head: ColumnHead, actor: User, version: int) -> MatrixCell:
    """Bring back the cell as it was before its latest change. Undone twice, the change is there again.

    Raises MatrixProblem when there is nothing to take back, StaleCell when the cell was changed since.
    """
    last = MatrixChange.objects.filter(
        cell__reference=reference, made_version=version, **{f"cell__{k}": v for k, v in _column(head).items()}
    ).last()
    if last is None:
        current = MatrixCell.objects.filter(reference=reference, **_column(head)).first()
        if current is not None and current.version != version:
            raise StaleCell(current)
        raise MatrixProblem("Nothing was changed here that could be taken back.")
    return _change(reference, head, actor, version, "matrix.undone", {**_EMPTY, **last.before})


def _column(head: ColumnHead) -> dict[str, Any]:
    return {"own": head.own, "column": ""} if head.own else {"own": None, "column": head.key}


def _value(text: str) -> str:
    value = text.replace("\r\n", "\n").replace("\x00", "").strip()
    if len(value) > LONGEST_VALUE:
        raise MatrixProblem(f"A cell may have {LONGEST_VALUE:,} characters; this has {len(value):,}. Shorten it.")
    return value


def _place_of(reference: Reference, head: ColumnHead, quote: str, page: str) -> dict[str, Any]:
    """Where a typed quote stands: in a stored abstract, word for word, or on the page that the person names."""
    words, page = quote.replace("\x00", "").strip(), page.replace("\x00", "").strip()
    if len(words) > LONGEST_QUOTE or len(page) > 40:
        raise MatrixProblem(f"A quote may have {LONGEST_QUOTE:,} characters and a page 40. Shorten it.")
    if not words:
        if head.needs_quote:
            raise MatrixProblem(
                "Add the words of the source that this rests on. Where it does not say it, choose “Not reported”."
            )
        return {}
    for row in records_of([reference.candidate_id]).get(reference.candidate_id, ()):
        record = row.record
        if span := find_quote(record, words):
            part = record.abstract[span.section]
            return {
                "quote": part.text[span.start : span.end], "place": str(Place.ABSTRACT), "source_record_id": row.pk,
                "section": span.section, "section_label": part.label[:200], "start": span.start, "end": span.end,
            }  # fmt: skip
    copy = best_copies([reference.pk]).get(reference.pk)
    if copy is not None and (told := _in_full_text(copy, words)):
        return {**told, "page": page}
    passages = StoredPassage.objects.of([reference.candidate_id]).get(reference.candidate_id, [])
    for passage in passages:
        if found := place_in(passage.text, words):
            return {
                "quote": passage.text[found[0] : found[1]], "place": str(Place.PASSAGE), "passage_id": passage.pk,
                "section_label": passage.section[:200], "start": found[0], "end": found[1],
            }  # fmt: skip
    if not page:
        also = ("nor its full text " if copy else "") + ("nor a stored passage " if passages else "")
        raise MatrixProblem(
            f"No stored abstract of this paper {also}holds these words. Copy them "
            "exactly, or name the page of the document that you read them on."
        )
    return {"quote": words, "place": str(Place.PAGE), "page": page}


def _in_full_text(copy: FullTextCopy, words: str) -> dict[str, Any]:
    """The place of the words in a kept copy; {} where it does not say them."""
    for part in sections_of(copy):
        if found := place_in(part.text, words):
            return {
                "quote": part.text[found[0] : found[1]], "place": str(Place.FULL_TEXT), "full_text_id": copy.pk,
                "section_label": " / ".join(part.heading)[:200],
            }  # fmt: skip
    return {}


@transaction.atomic
def _change(
    reference: Reference, head: ColumnHead, actor: User | None, version: int, verb: str, fields: dict[str, Any]
) -> MatrixCell:
    """Write the cell if it is still at `version`, keep what it was, tell the log. The same content twice is nothing."""
    project = Project.objects.get(pk=reference.project_id)
    Reference.objects.select_for_update(no_key=True).get(pk=reference.pk)
    cell, _ = MatrixCell.objects.get_or_create(reference=reference, **_column(head))
    before = {name: getattr(cell, name) for name in _KEPT}
    said = ("state", "value", "quote", "place", "page", "start", "filled_by")
    if cell.version != version:
        if cell.version == version + 1 and all(before[name] == fields[name] for name in said):
            return cell  # a double click: it is there already
        raise StaleCell(cell)
    for name, value in fields.items():
        setattr(cell, name, value)
    cell.version = version + 1
    cell.save()
    kept = {name: value.isoformat() if hasattr(value, "isoformat") else value for name, value in before.items()}
    MatrixChange.objects.create(cell=cell, actor=actor, made_version=cell.version, before=kept)
    record_event(
        project=project,
        actor=actor,
        verb=verb,
        subject=f"reference:{reference.pk}",
        payload={
            "key": reference.key, "column": head.label, "state": cell.state, "value": cell.value, "quote": cell.quote,
            "place": cell.place, "filled_by": cell.filled_by,
        },
    )  # fmt: skip
    cell.refresh_from_db()
    return cell


# A project's own columns


@transaction.atomic
def column_add(*, project: Project, actor: User, name: str) -> OwnColumn:
    """Add a column behind the others; one that was taken out comes back with its cells.

    Raises MatrixProblem for an empty, too long or taken name.
    """
    text = _column_name(project, name)
    old = OwnColumn.objects.filter(project=project, name=text).exclude(removed_at=None).order_by("-pk").first()
    if old is not None:
        old.removed_at = None
        old.save(update_fields=["removed_at"])
        column = old
    else:
        last = OwnColumn.objects.filter(project=project).aggregate(last=Max("position"))["last"] or 0
        column = OwnColumn.objects.create(project=project, name=text, position=last + 1, created_by=actor)
    record_event(
        project=project, actor=actor, verb="matrix.column_added", subject=f"column:{column.pk}", payload={"name": text}
    )
    return column


@transaction.atomic
def column_rename(*, column: OwnColumn, actor: User, name: str) -> OwnColumn:
    """Call a column of the project's own something else. Raises MatrixProblem like `column_add`."""
    if name.strip() == column.name:
        return column
    before, column.name = column.name, _column_name(column.project, name)
    try:
        with transaction.atomic():
            column.save(update_fields=["name"])
    except IntegrityError as error:
        raise MatrixProblem(f"There is a column called “{column.name}” already.") from error
    record_event(
        project=column.project,
        actor=actor,
        verb="matrix.column_renamed",
        subject=f"column:{column.pk}",
        payload={"from": before, "to": column.name},
    )
    return column


@transaction.atomic
def column_remove(*, column: OwnColumn, actor: User) -> None:
    """Take a column out of the matrix; its cells are kept, and come back with a column of that name. Twice is once."""
    if OwnColumn.objects.filter(pk=column.pk, removed_at=None).update(removed_at=timezone.now()):
        record_event(
            project=column.project,
            actor=actor,
            verb="matrix.column_removed",
            subject=f"column:{column.pk}",
            payload={"name": column.name},
        )


def _column_name(project: Project, name: str) -> str:
    text = " ".join(name.replace("\x00", "").split())
    if not text or len(text) > 80:
        raise MatrixProblem("A column needs a name of at most 80 characters.")
    taken = {
        one.lower() for one in OwnColumn.objects.filter(project=project, removed_at=None).values_list("name", flat=True)
    }
    if text.lower() in taken or text.lower() in {
        "design",
        "population",
        "n",
        "methods",
        "key finding",
        "limitation",
        "relevance",
    }:
        raise MatrixProblem(f"There is a column called “{text}” already.")
    return text

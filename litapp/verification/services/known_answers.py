"""What the ledger already answers: the latest word of each source on each question, while it is young enough."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Q
from django.utils import timezone

from litapp.core.records import Identifier, Record, record_from_dict, record_to_dict
from litapp.ledger.models import SourceAnswer
from litapp.verification.models import KnownAnswer

_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class Known:
    """An answer to a question: the records read from it ([] = "no"), and the archived answer. `note`: see the model."""

    records: tuple[Record, ...]
    answer_id: int
    answered_at: datetime
    found: bool = True
    note: str = ""


def identifier_question(identifier: Identifier) -> str:
    """The question for one identifier."""
    return f"{identifier.scheme.value}:{identifier.value}"[:400]


def search_question(*parts: object) -> str:
    """The question of a search, whatever it consists of."""
    text = json.dumps([str(part) for part in parts], ensure_ascii=False)
    return f"search:{hashlib.sha256(text.encode()).hexdigest()}"


def known_answers(source: str, questions: Iterable[str]) -> dict[str, Known]:
    """The stored answers to these questions that may be reused: hits for 30 days, a "no" for one."""
    wanted, now = list(dict.fromkeys(questions)), timezone.now()
    young = Q(found=True, answered_at__gte=now - timedelta(seconds=settings.ARCHIVE_MAX_AGE_HITS)) | Q(
        found=False, answered_at__gte=now - timedelta(seconds=settings.ARCHIVE_MAX_AGE_NEGATIVE)
    )
    known: dict[str, Known] = {}
    for start in range(0, len(wanted), _AT_ONCE):
        rows = KnownAnswer.objects.filter(young, source=source, question__in=wanted[start : start + _AT_ONCE])
        for question, records, answer_id, moment, found, note in rows.values_list(
            "question", "records", "answer_id", "answered_at", "found", "note"
        ):
            read = tuple(map(record_from_dict, records))
            known[question] = Known(read, answer_id, moment, found, note)
    return known


def remember(source: str, answers: Mapping[str, Known]) -> None:
    """Keep answers for later; the latest word on a question takes the place of the one before."""
    rows = [
        KnownAnswer(
            source=source,
            question=question,
            found=known.found,
            records=[record_to_dict(record) for record in known.records],
            note=known.note[:200],
            answer_id=known.answer_id,
            answered_at=known.answered_at,
        )
        for question, known in answers.items()
    ]
    KnownAnswer.objects.bulk_create(
        rows,
        batch_size=_AT_ONCE,
        update_conflicts=True,
        unique_fields=["source", "question"],
        update_fields=["found", "records", "note", "answer", "answered_at"],
    )


def moments_of(answer_ids: Iterable[int]) -> dict[int, datetime]:
    """When each archived answer was received."""
    rows = SourceAnswer.objects.filter(pk__in=set(answer_ids))
    return dict(rows.values_list("pk", "received_at"))

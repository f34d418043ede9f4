"""What a person brought, kept in the ledger like an answer: the text as it came, and the records read from it."""

from __future__ import annotations

from collections.abc import Sequence

from django.conf import settings
from django.utils import timezone

from litapp.core.brought import BROUGHT
from litapp.core.ports import Outcome
from litapp.core.records import Record
from litapp.ledger.models import SourceAnswer, SourceRecord
from litapp.ledger.services.archive import request_key
from litapp.ledger.services.bodies import write_body
from litapp.ledger.services.records import store_records


def brought_answer(*, operation: str, label: str, sha256: str, size: int) -> SourceAnswer:
    """The ledger's entry for bytes that a person brought and that are archived already (`bodies.write_stream`).

    `operation` is "file", "list" or "record"; `label` says where it came from ("list pasted by A. Weber").
    """
    return SourceAnswer.objects.create(
        source=BROUGHT,
        operation=operation,
        method="",
        url=label,
        request_key=request_key("", label, sha256),
        status=0,
        outcome=Outcome.OK.value,
        sha256=sha256,
        size=size,
        sandbox=bool(settings.SANDBOX_URL),
        received_at=timezone.now(),
    )


def store_brought(*, label: str, text: str, records: Sequence[Record]) -> list[SourceRecord]:
    """Archive `text` (sha256 and all) and append `records`, read from it in their order. Source of each is "brought".

    Raises ValueError when a record claims another source.
    """
    if strange := [record.source for record in records if record.source != BROUGHT]:
        raise ValueError(f"a brought record claims to be of {strange[0]}")
    body = text.encode()
    answer = brought_answer(operation="list", label=label, sha256=write_body(body), size=len(body))
    return store_records(answer_id=answer.pk, records=list(enumerate(records)))

"""What a person brought, kept in the ledger like an answer: the text as it came, and the records read from it."""

from __future__ import annotations

from collections.abc import Sequence

from django.conf import settings
from django.utils import timezone

from litapp.core.ports import Outcome
from litapp.core.records import Record
from litapp.ledger.models import SourceAnswer, SourceRecord
from litapp.ledger.services.archive import request_key
from litapp.ledger.services.bodies import write_body
from litapp.ledger.services.records import store_records

BROUGHT = "brought"
"""Source key of records that no source returned. It confirms nothing: their checks start from zero."""


def store_brought(*, label: str, text: str, records: Sequence[Record]) -> list[SourceRecord]:
    """Archive `text` (sha256 and all) and append `records`, read from it in their order. Source of each is "brought".

    `label` says where it came from ("list pasted by A. Weber"). Raises ValueError when a record claims another source.
    """
    if strange := [record.source for record in records if record.source != BROUGHT]:
        raise ValueError(f"a brought record claims to be of {strange[0]}")
    body = text.encode()
    answer = SourceAnswer.objects.create(
        source=BROUGHT,
        operation="list",
        method="",
        url=label,
        request_key=request_key("", label, ""),
        status=0,
        outcome=Outcome.OK.value,
        sha256=write_body(body),
        size=len(body),
        sandbox=bool(settings.SANDBOX_URL),
        received_at=timezone.now(),
    )
    return store_records(answer_id=answer.pk, records=list(enumerate(records)))

"""Records that a person brings into a project: candidates like any other, checked from zero, named as brought."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db import transaction

from litapp.core.records import Record
from litapp.ledger.services.brought import store_brought
from litapp.projects.models import Project
from litapp.projects.services.events import record_event
from searches.models import Candidate
from searches.services.candidates import absorb_brought


@transaction.atomic
def records_bring(*, project: Project, actor: Any, label: str, text: str, records: Sequence[Record]) -> list[Candidate]:
    """Keep `text` in the ledger, make a candidate of each record (or add it to the one that is the same paper).

    Records have the source "brought". Returns the candidates in the order of the records.
    """
    rows = store_brought(label=label, text=text, records=records)
    ids = absorb_brought(project=project, rows=rows)
    record_event(
        project=project, actor=actor, verb="records.brought", payload={"label": label, "records": len(records)}
    )
    found = Candidate.objects.in_bulk(ids)
    return [found[pk] for pk in ids]

"""Background work on imports: reads a file, resolves a list of identifiers, or takes an import back."""

from __future__ import annotations

import logging
from collections.abc import Iterable

from litapp.jobs import services as jobs
from litapp.jobs.lease import kept
from litapp.jobs.models import StepState
from litapp.jobs.services import LeaseLost
from litapp.ledger.services.clients import asked_for
from searches.models import ImportKind, RecordImport
from searches.services.import_reading import read_pages
from searches.services.import_resolving import resolve_rows
from searches.services.import_state import end_import
from searches.services.import_undo import undo_pages

log = logging.getLogger(__name__)
MOST_ATTEMPTS = 5
"""Claims of one import without a page written after which it is given up: its worker died each time."""


class ImportWork:
    """The kind "import" of `settings.STEP_KINDS`; a key is the id of a RecordImport."""

    def due(self) -> Iterable[str]:
        """Imports that may be worked on now."""
        return [str(pk) for pk in RecordImport.objects.all().claimable().order_by("pk").values_list("pk", flat=True)]

    def run(self, key: str) -> None:
        """Claim the import and work until it ends, is cancelled, or waits; a successor goes on behind its last page."""
        token = jobs.claim(RecordImport.objects.all(), int(key))
        if token is None:
            return
        try:
            row = RecordImport.objects.select_related("project").get(pk=int(key))
            with kept(RecordImport.objects.all(), token), asked_for(row.imported_by_id):
                _work(row, token)
        except LeaseLost:
            log.info("The import %s went to another worker.", key)


def _work(row: RecordImport, token: str) -> None:
    if row.attempts > MOST_ATTEMPTS:
        told = "LitLedger stumbled over this import several times."
        end_import(
            row,
            token,
            StepState.FAILED,
            told,
            "What was read is here. Resume it; if it stays so, see the worker's log.",
        )
    elif row.undo_requested_at is not None:
        undo_pages(row, token)
    elif row.kind == ImportKind.IDENTIFIERS:
        resolve_rows(row, token)
    else:
        read_pages(row, token)

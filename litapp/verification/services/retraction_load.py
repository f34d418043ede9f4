"""Loads a list of retractions into the database, in place of the one before."""

from __future__ import annotations

import gzip
import hashlib
import io
from pathlib import Path

from django.db import transaction

from litapp.core.retraction_csv import BadRetractionFile, retraction_rows
from litapp.verification.models import ListedRetraction, RetractionFile

_AT_ONCE = 2000


@transaction.atomic
def retractions_load(*, path: Path) -> RetractionFile:
    """Read the CSV at `path` (also as .gz) and keep its rows; those of the list before go. Whole or not at all.

    Raises BadRetractionFile for a file that is no such list or has no usable row, OSError for one that cannot be read.
    """
    body = path.read_bytes()
    digest = hashlib.sha256(body).hexdigest()
    try:
        text = (gzip.decompress(body) if body[:2] == b"\x1f\x8b" else body).decode("utf-8-sig")
    except UnicodeDecodeError:
        text = body.decode("latin-1")
    except (OSError, EOFError) as error:
        raise BadRetractionFile(f"{path.name} cannot be unpacked: {error}") from error
    loaded = RetractionFile.objects.create(name=path.name[:200], sha256=digest)
    waiting: list[ListedRetraction] = []
    for row in retraction_rows(io.StringIO(text, newline="")):
        if row is None:
            loaded.unusable += 1
            continue
        loaded.rows += 1
        waiting.append(
            ListedRetraction(
                file=loaded, line=row.line, doi=row.doi[:300], pmid=row.pmid, kind=row.kind.value,
                notice_doi=row.notice_doi[:300], notice_pmid=row.notice_pmid, date=row.date, title=row.title,
            )
        )  # fmt: skip
        if len(waiting) >= _AT_ONCE:
            ListedRetraction.objects.bulk_create(waiting)
            waiting = []
    ListedRetraction.objects.bulk_create(waiting)
    if not loaded.rows:
        raise BadRetractionFile(f"{path.name} holds no row with a DOI or PubMed id and a known kind of notice.")
    RetractionFile.objects.exclude(pk=loaded.pk).delete()
    loaded.save(update_fields=["rows", "unusable"])
    return loaded

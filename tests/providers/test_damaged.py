"""Whatever becomes of an answer on its way: a record or an error that is told, never a crash or "nothing found"."""

from __future__ import annotations

import random
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from litapp.core.ports import Outcome
from litapp.providers import registry
from litapp.providers.answers import UnreadableAnswer
from litapp.providers.arxiv import parse as arxiv
from litapp.providers.biorxiv import parse as biorxiv
from litapp.providers.crossref import parse as crossref
from litapp.providers.datacite import parse as datacite
from litapp.providers.doiorg import parse as doiorg
from litapp.providers.europepmc import parse as europepmc
from litapp.providers.openalex import parse as openalex
from litapp.providers.pubmed import parse as pubmed
from litapp.providers.semanticscholar import parse as semanticscholar
from litapp.providers.unpaywall import parse as unpaywall
from tests.providers.damaged import changed, useless
from tests.providers.test_classification import FOLDERS, rows

CHANGES = 3
"""Changed copies of each recording; the damage is drawn by the file's name and is the same every time."""
READERS: dict[str, tuple[Callable[[bytes], Any], ...]] = {
    "pubmed": (pubmed.search_result, pubmed.records, pubmed.related_pmids),
    "crossref": (crossref.work_list, crossref.work, crossref.works_by_doi, crossref.agency),
    "openalex": (openalex.work_list, openalex.total, openalex.work),
    "semanticscholar": (
        semanticscholar.paper_list,
        lambda body: semanticscholar.batch(body, 3),
        semanticscholar.matches,
        semanticscholar.paper,
        semanticscholar.recommended,
        semanticscholar.links,
    ),
    "europepmc": (europepmc.total, europepmc.record_list, europepmc.linked_records, europepmc.full_text),
    "arxiv": (arxiv.feed,),
    "biorxiv": (biorxiv.listing,),
    "datacite": (datacite.record, datacite.record_list),
    "doiorg": (doiorg.agencies,),
    "unpaywall": (unpaywall.open_access,),
}
NOTHING = (Outcome.EMPTY, Outcome.NOT_FOUND)


def recordings() -> list[tuple[str, str, int, str]]:
    return [(source, file, status, outcome) for source, file, status, outcome, _ in rows()]


def read_by_all(source: str, body: bytes) -> None:
    for reader in READERS[source]:
        try:
            reader(body)
        except UnreadableAnswer:
            continue


@pytest.mark.shared
@pytest.mark.parametrize(("source", "file", "status", "outcome"), recordings())
def test_a_damaged_answer(shared: Path, source: str, file: str, status: int, outcome: str) -> None:
    """Useless damage of an answer with status 200 is never "nothing found"; no damage is a crash."""
    body = (shared / "wire" / FOLDERS[source] / file).read_bytes()
    chance = random.Random(zlib.crc32(file.encode()))
    judge = registry.provider(source).classify
    for what, damaged in useless(body, chance):
        verdict = judge(200, {}, damaged)
        assert verdict.outcome not in NOTHING, f"{what}: {verdict}"
        judge(status, {}, damaged)
        read_by_all(source, damaged)
    if len(body) < 60_000:
        for what, damaged in changed(body, chance, CHANGES):
            try:
                judge(status, {}, damaged)
                read_by_all(source, damaged)
            except Exception as error:
                raise AssertionError(f"{what}: {error!r}") from error

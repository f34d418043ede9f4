"""What is read from recorded answers is what stands in them, field by field.

The expected values lie in recorded_<source>.tsv; they were taken from the files by other means than our parsers
(ElementTree, plain json) and looked through by a person.
"""

from __future__ import annotations

import csv
import html
from collections.abc import Callable
from pathlib import Path

import pytest

from litapp.core.records import NoticeKind, PartialDate, Person, Record, Scheme
from litapp.providers.crossref import parse as crossref
from litapp.providers.openalex import parse as openalex
from litapp.providers.pubmed import parse as pubmed
from litapp.providers.reading import date_of_iso
from litapp.providers.semanticscholar import parse as semanticscholar

pytestmark = pytest.mark.shared


def rows(source: str) -> list[dict[str, str]]:
    path = Path(__file__).parent / f"recorded_{source}.tsv"
    with path.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


def named(source: str) -> dict[str, object]:
    found = rows(source)
    return {"argvalues": found, "ids": [row["file"] + row.get("entry", "") for row in found]}


def shown(person: Person) -> str:
    return person.literal or ", ".join(part for part in (person.family, person.given, person.suffix) if part)


def people(record: Record) -> tuple[str, str, str]:
    authors = record.authors
    return (str(len(authors)), shown(authors[0]), shown(authors[-1])) if authors else ("0", "", "")


@pytest.fixture
def read(shared: Path) -> Callable[[str, str], bytes]:
    return lambda folder, file: (shared / "wire" / folder / file).read_bytes()


@pytest.mark.parametrize("row", **named("pubmed"))
def test_pubmed(read: Callable[[str, str], bytes], row: dict[str, str]) -> None:
    record = pubmed.records(read("pubmed", row["file"]))[0]
    kinds = {
        NoticeKind.RETRACTION: "RetractionIn",
        NoticeKind.CORRECTION: "ErratumIn",
        NoticeKind.CONCERN: "ExpressionOfConcernIn",
    }
    authors, first, last = people(record)
    assert {
        "file": row["file"],
        "pmid": record.pmid,
        "title": record.title,
        "authors": authors,
        "first": first,
        "last": last,
        "journal": record.journal,
        "volume": record.volume,
        "issue": record.issue,
        "pages": record.pages,
        "doi": record.doi,
        "pmcid": record.identifier(Scheme.PMCID),
        "mesh": str(len(record.mesh)),
        "sections": str(len(record.abstract)),
        "languages": ",".join(record.languages),
        "notices": "|".join(sorted(f"{kinds[notice.kind]}:{notice.pmid}" for notice in record.notices)),
    } == row


@pytest.mark.parametrize("row", **named("crossref"))
def test_crossref(read: Callable[[str, str], bytes], row: dict[str, str]) -> None:
    record, _ = crossref.work(read("crossref", row["file"]))
    authors, first, last = people(record)
    updates = sorted({f"{notice.kind.value}:{notice.doi}" for notice in record.notices})
    expected = [text for text in row["updates"].split("|") if text and not text.startswith("new_version")]
    assert updates == expected
    posted = record.publication_types[0] == "posted-content"
    assert {
        **row,
        "doi": record.doi,
        "title": record.title,
        "authors": authors,
        "first": first,
        "last": last,
        "container": "" if posted else record.journal,
        "volume": record.volume,
        "issue": record.issue,
        "pages": record.pages,
        "years": ",".join(map(str, record.years)),
        "type": record.publication_types[0],
        "publisher": record.publisher,
    } == {**row, "container": "" if posted else html.unescape(row["container"])}


@pytest.mark.parametrize("row", **named("openalex"))
def test_openalex(read: Callable[[str, str], bytes], row: dict[str, str]) -> None:
    record = openalex.work(read("openalex", row["file"]))
    authors, first, last = people(record)
    stated = date_of_iso(row["date"]) if row["date"] else PartialDate(int(row["year"]))
    year_only = (stated.month, stated.day) == (1, 1)
    assert record.date == (PartialDate(stated.year) if year_only else stated)
    assert {
        **row,
        "id": record.source_id,
        "doi": record.doi,
        "pmid": record.pmid,
        "title": record.title,
        "authors": authors,
        "first": first,
        "last": last,
        "venue": record.journal,
        "volume": record.volume,
        "issue": record.issue,
        "pages": record.pages,
        "year": str(record.year),
        "type": record.publication_types[0],
        "retracted": str(any(notice.kind is NoticeKind.RETRACTION for notice in record.notices)).lower(),
    } == row
    assert bool(record.abstract) is (int(row["words"]) > 0)


@pytest.mark.parametrize("row", **named("semanticscholar"))
def test_semanticscholar(read: Callable[[str, str], bytes], row: dict[str, str]) -> None:
    body = read("semantic_scholar", row["file"])
    if row["file"].startswith("paper_batch"):
        record = semanticscholar.batch(body, 4)[int(row["entry"])]
    elif row["file"].startswith("paper_search_match"):
        record = semanticscholar.matches(body)[0]
    elif row["file"].startswith("paper_search"):
        record = dict(semanticscholar.paper_list(body).records)[int(row["entry"])]
    else:
        record = semanticscholar.paper(body)
    assert record is not None
    authors, first, _ = people(record)
    assert record.date == (date_of_iso(row["date"]) if row["date"] else date_of_iso(row["year"]))
    assert {
        **row,
        "id": record.source_id,
        "doi": record.doi,
        "pmid": record.pmid,
        "title": record.title,
        "authors": authors,
        "first": first,
        "venue": record.journal,
        "volume": record.volume,
        "pages": record.pages,
        "year": str(record.year or ""),
        "types": ",".join(record.publication_types),
    } == row


def test_the_batch_of_semantic_scholar_is_aligned_with_null_for_the_unknown(
    read: Callable[[str, str], bytes],
) -> None:
    body = read("semantic_scholar", "paper_batch_allfields__2024-12-08.json")
    found = [paper and paper.source_id[:6] for paper in semanticscholar.batch(body, 4)]
    assert found == [None, "c31c87", "cb1ebd", "0f40b1"]

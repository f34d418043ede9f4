"""The duplicate sets of the shared folder as records, with the truth about pairs for looking at errors."""

from __future__ import annotations

import csv
import gzip
import re
import sys
from pathlib import Path

from litapp.core.identifiers import BadIdentifier, normalise_doi, normalise_pmid
from litapp.core.records import AbstractSection, Identifier, PartialDate, Person, Record, Scheme

csv.field_size_limit(sys.maxsize)

_INITIALS_LAST = re.compile(r"(.+?),?\s+((?:[^\W\d_]\.?-?\s?){1,5}(?:\s*(?:Jr|Sr|II|III)\.?)?)\Z")
_YEAR = re.compile(r"\b(1[89]\d\d|20\d\d)\b")


def read_rows(path: Path) -> list[dict[str, str]]:
    """All rows of one csv (or csv.gz)."""
    with (
        gzip.open(path, "rt", encoding="utf-8", newline="")
        if path.suffix == ".gz"
        else path.open(encoding="utf-8", newline="") as file
    ):
        return list(csv.DictReader(file))


def read_person(text: str) -> Person:
    """ "Family, Given", "Family A. B." or, where the parts cannot be told apart, the name in one piece."""
    text = text.strip()
    if "," in text:
        family, _, given = text.partition(",")
        return Person(family=family.strip(), given=given.strip())
    found = _INITIALS_LAST.fullmatch(text)
    if found and found[2].replace(" ", "").replace(".", "").replace("-", "").isupper():
        return Person(family=found[1], given=found[2].strip())
    return Person(literal=text)


def read_record(row: dict[str, str]) -> Record:
    """One row as a record of its source."""
    identifiers = []
    for name, scheme, normalise in (("doi", Scheme.DOI, normalise_doi), ("pmid", Scheme.PMID, normalise_pmid)):
        if row[name]:
            try:
                identifiers.append(Identifier(scheme, normalise(row[name])))
            except BadIdentifier:
                continue
    year = _YEAR.search(row["year"])
    kind = row["pub_type"].lower()
    return Record(
        source=row["source_db"].lower(),
        source_id=row["record_id"],
        title=row["title"],
        authors=tuple(read_person(name) for name in row["authors"].split("; ") if name.strip()),
        journal=row["journal"],
        volume=row["volume"],
        issue=row["issue"],
        pages=row["pages"],
        issns=tuple(re.findall(r"\d{4}-?\d{3}[\dXx]", row["issn"])),
        date=PartialDate(year=int(year[1]) if year else None),
        publication_types=(row["pub_type"],) if row["pub_type"] else (),
        is_preprint=kind == "preprint",
        abstract=(AbstractSection(row["abstract"]),) if row["abstract"] else (),
        identifiers=tuple(identifiers),
    )


def read_set(folder: Path) -> dict[str, Record]:
    """record_id -> record."""
    return {row["record_id"]: read_record(row) for row in read_rows(folder / "records.csv.gz")}


def read_truth(folder: Path) -> dict[str, str]:
    """record_id -> id of its true cluster; records that stand alone are absent."""
    return {row["record_id"]: row["cluster_id"] for row in read_rows(folder / "clusters.csv")}

"""Names that a source returned in one string: how citations part them, and where they stay whole."""

from __future__ import annotations

import io
from collections.abc import Callable

import pytest

from litapp.core.citations import base_key
from litapp.core.cited_names import cited_authors
from litapp.core.formats.bibtex import write_bibtex
from litapp.core.formats.csljson import write_csljson
from litapp.core.formats.csvtable import write_reference_csv
from litapp.core.formats.entry import ExportEntry
from litapp.core.formats.importers import read_file
from litapp.core.formats.nbib import write_nbib
from litapp.core.formats.ris import write_ris
from litapp.core.records import Identifier, PartialDate, Person, Record, Scheme


def of(source: str, *names: str) -> Record:
    return Record(
        source=source,
        source_id="1",
        title="Sleep in wolves",
        authors=tuple(Person(literal=name) for name in names),
        date=PartialDate(2021),
        identifiers=(Identifier(Scheme.ARXIV, "2101.12345"),),
    )


@pytest.mark.parametrize(
    ("name", "person"),
    [
        ("Pavel Dyachenko", Person("Dyachenko", "Pavel")),
        ("Ludwig van Beethoven", Person("van Beethoven", "Ludwig")),
        ("J. R. R. Tolkien", Person("Tolkien", "J. R. R.")),
        ("Dyachenko P", Person("Dyachenko", "P")),
        ("Dyachenko, Pavel", Person("Dyachenko", "Pavel")),
        ("Martin King Jr.", Person("King", "Martin", "Jr.")),
        ("Sarah O'Neill", Person("O'Neill", "Sarah")),
        ("Мария Иванова", Person("Иванова", "Мария")),
        ("王小明", Person(literal="王小明")),
        ("王 小明", Person(literal="王 小明")),
        ("Plato", Person(literal="Plato")),
        ("ATLAS Collaboration", Person(literal="ATLAS Collaboration")),
        ("Physicians for Sleep", Person(literal="Physicians for Sleep")),
        ("GPT-4 Authors 2", Person(literal="GPT-4 Authors 2")),
        ("Matthew J. M. Smith MD", Person(literal="Matthew J. M. Smith MD")),
    ],
)
@pytest.mark.parametrize("source", ["arxiv", "openalex", "semanticscholar"])
def test_the_rule(source: str, name: str, person: Person) -> None:
    assert cited_authors(of(source, name)) == (person,)


@pytest.mark.parametrize("source", ["pubmed", "crossref", "europepmc", "datacite", "import"])
def test_a_name_that_another_source_returned_whole_is_a_group(source: str) -> None:
    assert cited_authors(of(source, "Cochrane Stroke")) == (Person(literal="Cochrane Stroke"),)


def test_the_key_begins_with_the_family_name() -> None:
    keys = [base_key(of("arxiv", name)) for name in ("Pavel Dyachenko", "Ludwig van Beethoven", "ATLAS Collaboration")]
    assert keys == ["Dyachenko_2021_Sleep", "VanBeethoven_2021_Sleep", "AtlasCollaboration_2021_Sleep"]


@pytest.mark.parametrize("write", [write_bibtex, write_ris, write_nbib, write_csljson, write_reference_csv])
def test_reference_files_carry_parted_names_and_the_arxiv_id(write: Callable[[list[ExportEntry]], str]) -> None:
    record = of("arxiv", "Pavel Dyachenko", "ATLAS Collaboration")
    text = write([ExportEntry(record, "Dyachenko_2021_Sleep", "unverified")])
    (back,) = read_file(io.BytesIO(text.encode())).entries
    assert back.record is not None
    assert back.record.authors == (Person("Dyachenko", "Pavel"), Person(literal="ATLAS Collaboration"))
    assert back.record.identifier(Scheme.ARXIV) == "2101.12345"
    assert record.authors == (Person(literal="Pavel Dyachenko"), Person(literal="ATLAS Collaboration"))

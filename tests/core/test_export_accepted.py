"""What other programs say of our exports: every record of ../shared/imports, written and read by pandoc and biber."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pypandoc
import pytest

from litapp.core.citations import assign_citation_keys
from litapp.core.formats.bibtex import write_bibtex
from litapp.core.formats.csljson import write_csljson
from litapp.core.formats.entry import ExportEntry
from litapp.core.formats.importers import UnreadableFile, read_file
from litapp.core.formats.ris import write_ris
from litapp.core.records import Record

pytestmark = pytest.mark.shared
LARGEST = 100_000
NO_RECORDS = ("plain-text", "llm-reference-lists", "bibtex-export", "id-lists")


@pytest.fixture(scope="module")
def exported(shared: Path) -> list[ExportEntry]:
    """One entry for each record with a title in the shared files."""
    records: list[Record] = []
    for path in sorted((shared / "imports").rglob("*")):
        if not path.is_file() or path.stat().st_size > LARGEST or path.parent.name in NO_RECORDS:
            continue
        if path.suffix in (".tsv", ".md") or ".expected." in path.name:
            continue
        with path.open("rb") as stream:
            try:
                records += [one.record for one in read_file(stream).entries if one.record and one.record.title]
            except UnreadableFile:
                continue
    keys = assign_citation_keys(records, set())
    return [ExportEntry(record, key) for record, key in zip(records, keys, strict=True)]


@pytest.mark.parametrize(
    ("write", "form"),
    [(write_bibtex, "bibtex"), (write_bibtex, "biblatex"), (write_ris, "ris"), (write_csljson, "csljson")],
)
def test_pandoc_reads_every_record_with_its_doi(
    exported: list[ExportEntry], write: Callable[[list[ExportEntry]], str], form: str
) -> None:
    said = subprocess.run(
        [pypandoc.get_pandoc_path(), "--sandbox", "-f", form, "-t", "csljson"],
        input=write(exported).encode(), capture_output=True, check=False,
    )  # fmt: skip
    assert (said.returncode, said.stderr.decode()) == (0, "")
    read = {one["id"]: one.get("DOI", "").lower() for one in json.loads(said.stdout)}
    assert read == {entry.key: entry.record.doi.lower() for entry in exported}


OURS = {"verified", "verified_by", "verified_on", "found_in", "pmid", "pmcid", "eissn"}


@pytest.mark.skipif(shutil.which("biber") is None, reason="biber is not installed")
def test_biber_knows_every_field_but_ours(exported: list[ExportEntry], tmp_path: Path) -> None:
    (tmp_path / "all.bib").write_text(write_bibtex(exported))
    said = subprocess.run(
        ["biber", "--tool", "--nolog", "--validate-datamodel", "--output-file", "out.bib", "all.bib"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert said.returncode == 0
    assert [line for line in said.stdout.splitlines() if line.startswith("ERROR")] == []
    assert set(re.findall(r"Field '(\w+)' invalid in data model", said.stdout)) <= OURS

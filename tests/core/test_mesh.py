"""MeSH files are read whole or refused with the place; headings are found by name, entry term, place, near spelling."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from litapp.core.mesh import BadMeshFile, MeshFile, MeshHeading, MeshIndex, read_mesh, write_mesh

TABLE = """# MeSH 2024 of a test
ui\tname\ttree_numbers\tentry_terms
D006331\tHeart Diseases\tC14.280\tCardiac Diseases|heart diseases
D006333\tHeart Failure\tC14.280.434\tCardiac Failure|Heart Decompensation
D054144\tHeart Failure, Diastolic\tC14.280.434.313\tDiastolic Heart Failure
D012076\tRemission, Spontaneous\tC23.550.291.750
"""
XML = """<?xml version="1.0"?>
<!DOCTYPE DescriptorRecordSet SYSTEM "https://www.nlm.nih.gov/databases/dtd/nlmdescriptorrecordset_20240101.dtd">
<DescriptorRecordSet LanguageCode="eng">
<DescriptorRecord DescriptorClass="1"><DescriptorUI>D006333</DescriptorUI>
 <DescriptorName><String>Heart Failure</String></DescriptorName>
 <TreeNumberList><TreeNumber>C14.280.434</TreeNumber></TreeNumberList>
 <ConceptList><Concept PreferredConceptYN="N"><ScopeNote>Another concept.</ScopeNote>
   <TermList><Term><String>Heart Decompensation</String></Term></TermList></Concept>
  <Concept PreferredConceptYN="Y"><ScopeNote>A heterogeneous
   condition.</ScopeNote><TermList><Term><String>Heart Failure</String></Term>
   <Term><String>Cardiac Failure</String></Term></TermList></Concept></ConceptList>
</DescriptorRecord></DescriptorRecordSet>"""


def written(folder: Path, text: str | bytes, name: str = "mesh.tsv") -> Path:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


@pytest.fixture
def index(tmp_path: Path) -> MeshIndex:
    read = read_mesh(written(tmp_path, TABLE))
    return MeshIndex(read.lines, read.edition)


def test_a_table_is_read_plain_or_packed(tmp_path: Path) -> None:
    plain = read_mesh(written(tmp_path, TABLE))
    packed = read_mesh(written(tmp_path, gzip.compress(TABLE.encode()), "x.gz"))
    assert plain == packed
    assert plain == MeshFile(
        (
            "D006331\tHeart Diseases\tC14.280\tCardiac Diseases",
            "D006333\tHeart Failure\tC14.280.434\tCardiac Failure|Heart Decompensation",
            "D054144\tHeart Failure, Diastolic\tC14.280.434.313\tDiastolic Heart Failure",
            "D012076\tRemission, Spontaneous\tC23.550.291.750\t",
        ),
        "2024",
    )


def test_nlms_xml_is_read_with_its_scope_note(tmp_path: Path) -> None:
    read = read_mesh(written(tmp_path, XML, "desc2025.xml"))
    assert read.edition == "2025"
    assert list(MeshIndex(read.lines).headings) == [
        MeshHeading(
            "D006333",
            "Heart Failure",
            ("C14.280.434",),
            ("Heart Decompensation", "Cardiac Failure"),
            "A heterogeneous condition.",
        )
    ]


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    lines = read_mesh(written(tmp_path, XML, "desc2025.xml")).lines
    target = tmp_path / "mesh.tsv.gz"
    assert write_mesh(lines, target, edition="2025") == 1
    assert read_mesh(target) == MeshFile(lines, "2025")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.tsv", "D1\tX\tC14\n", "a.tsv, line 1: “D1” is not the number of a heading"),
        ("a.tsv", "D000001\tX\tC14\n\nD000002\tY\n", "a.tsv, line 3: expected number, name, tree numbers"),
        ("a.tsv", "D000001\tX\tC1.4\n", "a.tsv, line 1: “C1.4” is no tree number"),
        ("a.tsv", "D000001\tX\tC14\nD000002\tx\tC15\n", "a.tsv, line 2: the heading “x” stands there twice."),
        ("a.tsv", b"D000001\t\xff\tC14\n", "a.tsv, line 1: this is no text in UTF-8."),
        ("a.tsv", "# nothing\n", "a.tsv holds no MeSH headings."),
        ("a.xml", XML[:-60], "a.xml, line "),
        ("a.xml", XML.replace("D006333", "Q1"), "a.xml, heading 1: it has no number"),
        ("a.gz", gzip.compress(TABLE.encode())[:-20], "a.gz is damaged or cut off"),
    ],
)
def test_a_file_that_is_no_mesh_is_refused_with_its_place(
    tmp_path: Path, name: str, content: str | bytes, message: str
) -> None:
    with pytest.raises(BadMeshFile) as refusal:
        read_mesh(written(tmp_path, content, name))
    assert str(refusal.value).startswith(message)


def test_a_heading_is_found_by_name_and_by_entry_term(index: MeshIndex) -> None:
    assert [index.preferred(name) for name in ("heart FAILURE", ' "Cardiac  failure" ', "Hart Failure")] == [
        "Heart Failure",
        "Heart Failure",
        None,
    ]
    assert index.entry_terms("heart failure") == ("Cardiac Failure", "Heart Decompensation")
    assert index.by_ui("d006331") == index.heading("cardiac diseases")


def test_the_tree_is_walked_up_and_down(index: MeshIndex) -> None:
    assert [heading.name for heading in index.above("C14.280.434")] == ["Heart Diseases"]
    assert [(number, heading.name) for number, heading in index.below("C14.280")] == [("C14.280.434", "Heart Failure")]
    assert (index.count_below("C14.280"), index.count_below("C14.280.434.313")) == (2, 0)


def test_words_find_the_heading_called_so_first(index: MeshIndex) -> None:
    assert [heading.name for heading in index.find("heart failure")] == ["Heart Failure", "Heart Failure, Diastolic"]
    assert [heading.name for heading in index.find("failure diastolic")] == ["Heart Failure, Diastolic"]
    assert index.find("  ") == []


def test_names_spelled_nearly_so_are_offered(index: MeshIndex) -> None:
    assert index.close("Hart Failure")[0] == "Heart Failure"
    assert index.close("Cardiak Failure") == ("Heart Failure",)
    assert index.close("Zebrafish") == ()

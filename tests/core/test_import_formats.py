"""Kinds of faults that files of references have, and what is read nevertheless."""

from __future__ import annotations

import io

import pytest

from litapp.core.formats.importers import Entry, read_file
from litapp.core.formats.importers.columns import is_header
from litapp.core.formats.importers.dates import parse_date
from litapp.core.formats.importers.names import person
from litapp.core.formats.importers.sources import Source, parse_source
from litapp.core.formats.importers.tables import people_in_cell
from litapp.core.records import PartialDate, Person


def entries(text: str | bytes) -> list[Entry]:
    return list(read_file(io.BytesIO(text if isinstance(text, bytes) else text.encode())).entries)


def titles(text: str | bytes) -> list[str | None]:
    return [entry.record.title if entry.record else None for entry in entries(text)]


def test_ris_without_er_without_ty_and_with_lines_between() -> None:
    text = (
        "Record #1 of 3\nTY  - JOUR\nTI  - One\nTY  - JOUR\nT1  - Two\nAU  - King, M\nER  - \n"
        "C1  - stray\n\nti  - Three\npy  - 2020\ndo  - 10.5555/c\ner  - \n"
    )
    read = entries(text)
    assert [(e.record.title if e.record else None, e.first_line, e.last_line) for e in read] == [
        ("One", 2, 3), ("Two", 4, 7), ("Three", 8, 13),
    ]  # fmt: skip
    assert ["no ER line" in " ".join(e.warnings) for e in read] == [True, False, False]
    assert read[2].dropped == ("C1: stray",)


def test_what_a_record_does_not_carry_is_kept_with_its_name() -> None:
    (entry,) = entries(
        "TY  - CHAP\nTI  - One\nA2  - Editor, Ann\nXX  - odd\nN1  - a note\nUR  - https://a.org/1\nUR  - https://a.org/2\nER  - \n"  # noqa: E501
    )
    assert entry.record is not None
    assert (entry.record.authors, entry.record.url) == ((), "https://a.org/1")
    assert set(entry.dropped) == {"A2: Editor, Ann", "XX: odd", "N1: a note", "UR: https://a.org/2"}


def test_an_entry_without_anything_to_cite_is_a_problem_with_its_lines() -> None:
    (first, second) = entries("TY  - JOUR\nN1  - only a note\nER  - \nTY  - JOUR\nTI  - Fine\nER  - \n")
    assert (first.record, first.problem and first.problem.kind, first.first_line, first.last_line) == (
        None,
        "empty_record",
        1,
        3,
    )
    assert second.record is not None


@pytest.mark.parametrize(
    ("codec", "mark", "label"),
    [
        ("utf-8", b"", "UTF-8"),
        ("utf-8", b"\xef\xbb\xbf", "UTF-8 with byte order mark"),
        ("utf-16-le", b"\xff\xfe", "UTF-16 little endian"),
        ("utf-16-be", b"\xfe\xff", "UTF-16 big endian"),
        ("utf-16-le", b"", "UTF-16 little endian"),
        ("cp1252", b"", "Windows-1252"),
        ("mac_roman", b"", "Mac Roman"),
    ],
)
def test_encodings_are_found_and_named(codec: str, mark: bytes, label: str) -> None:
    text = "TY  - JOUR\nAU  - Köhler, Zoé\nTI  - Größe und Übergänge bei Männern, Mütter später für Ähnliches\nER  - \n"
    reading = read_file(io.BytesIO(mark + text.encode(codec)))
    assert reading.encoding == label
    assert [entry.record.authors for entry in reading.entries if entry.record] == [(Person("Köhler", "Zoé"),)]


def test_chinese_in_gb18030_is_found() -> None:
    text = "%0 Journal Article\n%A 余敏\n%T 参考文献管理工具研究的现状与发展\n%J 现代情报\n%D 2009\n"
    reading = read_file(io.BytesIO(text.encode("gb18030")))
    assert (reading.encoding, [e.record.title for e in reading.entries if e.record]) == (
        "GB18030",
        ["参考文献管理工具研究的现状与发展"],
    )


def test_one_record_in_another_encoding_costs_nothing() -> None:
    good = "TY  - JOUR\nTI  - Für Zoé\nER  - \n".encode()
    assert titles(good * 3 + "TY  - JOUR\nTI  - Für Zoé\nER  - \n".encode("cp1252")) == ["Für Zoé"] * 4


def test_only_cr_lf_and_crlf_end_a_line() -> None:
    assert titles("TY  - JOUR\rTI  - One\u2028two\x0cthree\rER  - \r") == ["One two three"]


def test_bibtex_macros_parents_and_damage() -> None:
    text = (
        '@string{l = "The " # {Lancet}}\n@inproceedings{a, title={A}, crossref={p}}\n'
        "@article{b, title={Unclosed {brace}, year=1997}\n@article{b, title={C}\n journal=l, year=2001}\n@proceedings{p, title={Book}, year=2000}\n"  # noqa: E501
    )
    read = entries(text)
    assert [(e.record.title, e.record.journal, e.record.year) for e in read if e.record] == [
        ("A", "Book", 2000), ("Unclosed brace", "", 1997), ("C", "The Lancet", 2001), ("Book", "", 2000),
    ]  # fmt: skip
    assert "A comma is missing before the field “journal”." in read[2].warnings
    assert "The citation key b was used before, in line 3." in read[2].warnings


def test_bibtex_texts_are_unicode_and_addresses_are_not_touched() -> None:
    (entry,) = entries(
        r"@article{k, author={{World Health Organization} and K{\"o}hler, Zo{\'e} and others}, title={{BRCA1} and 10$^{-6}$ \& caf\'e}, doi={10.5555/a\_b}, url={https://a.org/x_y%20z}}"  # noqa: E501
    )
    record = entry.record
    assert record is not None
    assert (record.title, record.doi, record.url) == ("BRCA1 and 10⁻⁶ & café", "10.5555/a_b", "https://a.org/x_y%20z")
    assert (record.authors, record.authors_complete) == (
        (Person(literal="World Health Organization"), Person("Köhler", "Zoé")),
        False,
    )


def test_broken_xml_costs_its_record_only() -> None:
    text = "<xml><records><record><titles><title>One</title></titles></record><record><titles><title>b</i></titles></record><record><titles><title>Three &nbsp;&#1;</title></titles></record></records></xml>"  # noqa: E501
    assert titles(text) == ["One", None, "Three"]
    assert [entry.problem.kind for entry in entries(text) if entry.problem] == ["broken_xml"]


def test_json_that_breaks_in_the_middle_costs_its_item_only() -> None:
    assert titles('[{"title": "One"}, {"title": Two}, {"title": "Three"}]') == ["One", None, "Three"]


def test_a_quote_that_is_never_closed_costs_its_row_only() -> None:
    assert titles('Title,Year\nOne,2020\n"Two,2021\nThree,2022\n')[::2] == ["One", "Three"]


def test_embase_states_its_query_and_excel_its_quotes() -> None:
    text = '"SEARCH QUERY","dinosaur:ti"\n-----\n\n"Title","Author Names","PMID"\n="One","King M., Smith J.A.",="123"\n'
    reading = read_file(io.BytesIO(text.encode()))
    (record,) = [entry.record for entry in reading.entries]
    assert record is not None
    assert (reading.query, record.title, record.pmid) == ("dinosaur:ti", "One", "123")
    assert record.authors == (Person("King", "M."), Person("Smith", "J.A."))


def test_lists_of_identifiers_are_read_line_by_line() -> None:
    text = "pmid\n123\nhttps://doi.org/10.5555/A(1)\nPMC45\narXiv:2101.12345v2\nno identifier\n7, 8\ndoi: 10.5555/b PMID: 9\n"  # noqa: E501
    assert [tuple(i.value for i in e.record.identifiers) if e.record else e.problem and e.problem.kind for e in entries(text)] == [  # noqa: E501
        ("123",), ("10.5555/a(1)",), ("PMC45",), ("2101.12345",), "no_identifier", ("7",), ("8",), ("10.5555/b", "9"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("King, Martin Luther, Jr", Person("King", "Martin Luther", "Jr")),
        ("Last,F.M.", Person("Last", "F.M.")),
        ("Liu R.", Person("Liu", "R.")),
        ("van den Hoven, null", Person("van den Hoven")),
        ("A. Author-One", Person("Author-One", "A.")),
        ("RECOVERY Collaborative Group", Person(literal="RECOVERY Collaborative Group")),
        ("Centre for Disease Control, Atlanta", Person(literal="Centre for Disease Control, Atlanta")),
        ("Smith & Sons,", Person(literal="Smith & Sons")),
        ("et al.", None),
        ("余敏", Person(literal="余敏")),
    ],
)
def test_names(text: str, expected: Person | None) -> None:
    assert person(text) == expected


@pytest.mark.parametrize(
    ("cell", "families"),
    [
        ("Yang Z., Jiang B., McNamara M.E.", ["Yang", "Jiang", "McNamara"]),
        ("Yang, Z. and Jiang, B.", ["Yang", "Jiang"]),
        ("['Marx, Karl', 'Lindgren, Astrid']", ["Marx", "Lindgren"]),
        ("Massimo Aria|Corrado Cuccurullo", ["Aria", "Cuccurullo"]),
        ("Smith, J., Doe, A.B.", ["Smith", "Doe"]),
        ("Griffin DK, Larkin DM, O'Connor RE.", ["Griffin", "Larkin", "O'Connor"]),
    ],
)
def test_names_in_one_cell(cell: str, families: list[str]) -> None:
    assert [one.family for one in people_in_cell(cell)[0]] == families


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2016/01/30/", PartialDate(2016, 1, 30)), ("2024///", PartialDate(2024)), ("2015/october", PartialDate(2015, 10)),  # noqa: E501
        ("2019 Feb 12", PartialDate(2019, 2, 12)), ("Start date: 20170812", PartialDate(2017, 8, 12)),
        ("4-8 Aug. 2020", PartialDate(2020, 8, None, "4-8 Aug. 2020")), ("2022 Jan-Feb", PartialDate(2022, None, None, "2022 Jan-Feb")),  # noqa: E501
        ("4/3/2024", PartialDate(2024, None, None, "4/3/2024")), ("31/3/2024", PartialDate(2024, 3, 31)), ("199²", PartialDate(None, None, None, "199²")),  # noqa: E501
    ],
)  # fmt: skip
def test_dates(text: str, expected: PartialDate) -> None:
    assert parse_date(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Lancet. 382(9891):507-16, 2013 Aug 10.", Source("Lancet", "382", "9891", "507-16", PartialDate(2013, 8, 10))),
        (
            "Endoscopic Ultrasound (2014) 3:3 (152-160). Date of Publication: 2014",
            Source("Endoscopic Ultrasound", "3", "3", "152-160", PartialDate(2014)),
        ),
        (
            "Res. 22 (1) (no pagination), 2021. Article Number: 105. Date",
            Source("Res", "22", "1", "105", PartialDate(2021)),
        ),
        (
            "N Engl J Med. 2020 Feb 20;382(8):727-733. doi: 10.1056/x.",
            Source("N Engl J Med", "382", "8", "727-733", PartialDate(2020, 2, 20)),
        ),
    ],
)
def test_source_lines(text: str, expected: Source) -> None:
    assert parse_source(text) == expected


def test_a_header_names_columns_and_no_row_of_values_does() -> None:
    assert is_header(["Title", "Authors", "Year"])
    assert not is_header(["A trial of something", "King M", "2020"])

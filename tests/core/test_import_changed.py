"""What editors, converters and other versions of a program do to a file: the records stay the same."""

from __future__ import annotations

import io

import pytest

from litapp.core.formats.importers import Entry, read_file
from litapp.core.records import Person, Scheme

RIS = (
    "TY  - BOOK\nAU  - King, Martin\nTI  - One\nPY  - 2020\nER  - \nTY  - JOUR\nAU  - Smith, Jane\nTI  - Two\nER  - \n"
)
KING, SMITH = (Person("King", "Martin"),), (Person("Smith", "Jane"),)


def entries(data: str | bytes) -> list[Entry]:
    return list(read_file(io.BytesIO(data if isinstance(data, bytes) else data.encode())).entries)


def told(data: str | bytes) -> list[tuple[str, str, tuple[Person, ...]]]:
    return [(e.record.title, e.record.csl_type, e.record.authors) if e.record else ("", "", ()) for e in entries(data)]


WHOLE = [("One", "book", KING), ("Two", "article-journal", SMITH)]


@pytest.mark.parametrize(
    "changed",
    [
        RIS.replace("\n", "\r\r\n"),
        RIS.replace("\n", "\x85"),
        RIS.replace("\n", "\u2028"),
        RIS + "\x1a",
        RIS + "\x00\x00",
        "\ufeff\ufeff" + RIS,
        RIS.replace("TY  - JOUR", "\ufeffTY  - JOUR"),
        RIS.replace("  - ", "   - "),
        RIS.replace("  - ", "\u00a0 - "),
        RIS.replace("  - ", "  \u2013 "),
        RIS.replace("ER  - \nTY", "ER  - TY"),
        RIS.replace("ER  - \nTY", "ER  -TY"),
    ],
)
def test_a_changed_ris_file_has_the_same_records(changed: str) -> None:
    assert told(changed) == WHOLE


def test_a_line_end_that_a_block_of_the_file_cuts_is_one_line_end() -> None:
    for shift in range(4):
        text = "TY  - JOUR\r\r\nTI  - One\r\r\nAB  - " + "a" * (8192 - 40 + shift) + "\r\r\nER  - \r\r\n"
        (entry,) = entries(text)
        assert (entry.first_line, entry.last_line) == (1, 4)


def test_records_without_type_and_end_are_parted_by_blank_lines() -> None:
    one = "AU  - King, Martin\nTI  - One\nPY  - 2020\nVL  - 3\nDO  - 10.5555/a\n"
    assert [title for title, _, _ in told(f"{one}\n{one.replace('One', 'Two')}\n{one.replace('One', 'Three')}")] == [
        "One", "Two", "Three",
    ]  # fmt: skip


def test_a_header_that_names_a_wide_encoding_in_single_bytes_is_not_believed() -> None:
    (entry,) = entries("% Encoding: UTF-16BE\n@article{k, title={Größe}}\n".encode("cp1252"))
    assert entry.record is not None
    assert entry.record.title == "Größe"


@pytest.mark.parametrize(
    "text",
    [
        "TY  - JOUR\nTI  - One\nAU  - Pe&ntilde;alver, Juan; Ib&aacute;&ntilde;ez, Oriol\nER  - \n",
        "%0 Journal Article\n%T One\n%A Pe&ntilde;alver, Juan; Ib&#225;&ntilde;ez, Oriol\n",
        "RT Journal Article\nT1 One\nA1 Pe&ntilde;alver,Juan;Ib&aacute;&ntilde;ez,Oriol\n",
        "Title,Authors\nOne,\"Pe&ntilde;alver, Juan; Ib&aacute;&amp;ntilde;ez, Oriol\"\n",
        "PMID- 1\nTI  - One\nFAU - Pe&ntilde;alver, Juan\nFAU - Ib&aacute;&ntilde;ez, Oriol\n",
    ],
)  # fmt: skip
def test_the_semicolon_of_an_entity_parts_no_names(text: str) -> None:
    assert [people for _, _, people in told(text)] == [(Person("Peñalver", "Juan"), Person("Ibáñez", "Oriol"))]


@pytest.mark.parametrize("form", [' xmlns="http://example.org/x"', ' xmlns:q="http://example.org/x"'])
def test_xml_with_a_namespace_is_the_same(form: str) -> None:
    mark = "q:" if ":q" in form else ""
    pubmed = "<@PubmedArticleSet><@PubmedArticle><@MedlineCitation><@PMID>12</@PMID><@Article><@ArticleTitle>One</@ArticleTitle></@Article></@MedlineCitation></@PubmedArticle></@PubmedArticleSet>"  # noqa: E501
    endnote = "<@xml><@records><@record><@ref-type name='Book'>6</@ref-type><@titles><@title>One</@title></@titles></@record></@records></@xml>"  # noqa: E501
    for text in (pubmed, endnote):
        text = text.replace("<@", f"<{mark}").replace("</@", f"</{mark}").replace(">", f"{form}>", 1)
        assert [title for title, _, _ in told(text)] == ["One"]


def test_pubmed_text_of_two_files_without_a_blank_line_between() -> None:
    text = "OWN - ERIC\nTI  - One\nPMID- 12\nOWN - NLM\nTI  - Two\nOWN - ERIC\nTI  - Three\n"
    assert [(e.record.title, e.record.pmid) for e in entries(text) if e.record] == [
        ("One", ""), ("Two", "12"), ("Three", ""),
    ]  # fmt: skip


def test_tags_as_column_names_may_be_small() -> None:
    text = 'ti,au,so\n"One","King M.; Smith J.","Lancet. 382(9891):507-16, 2013 Aug 10."\n'
    assert [(e.record.journal, e.record.volume, e.record.pages) for e in entries(text) if e.record] == [
        ("Lancet", "382", "507-16")
    ]


TABLE = "Title,Authors,Year,DOI\n"


def test_quotes_behind_a_backslash_are_signs_of_the_text() -> None:
    text = TABLE + '"The \\"best\\", they said","King, M.",2020,10.5555/a\n"Path C:\\","King, M.",2021,10.5555/b\n'
    assert [(e.record.title, e.record.doi) for e in entries(text) if e.record] == [
        ('The "best", they said', "10.5555/a"), ("Path C:\\", "10.5555/b"),
    ]  # fmt: skip


def test_a_table_that_ends_within_a_quoted_cell_has_its_rows() -> None:
    text = 'Title,DOI,Abstract\nOne,10.5555/a,x\nTwo,10.5555/b,"First line, and more\nsecond line\nthird, and'
    read = entries(text)
    assert [(e.record.title, e.record.doi) for e in read if e.record] == [("One", "10.5555/a"), ("Two", "10.5555/b")]
    assert "never closed" in read[1].warnings[0]


def test_two_stray_quotes_at_the_start_of_cells_swallow_no_rows() -> None:
    text = TABLE + '"One,A,2020,10.5555/a\nTwo,B,2021,10.5555/b\n"Three,C,2022,10.5555/c\nFour,D,2023,10.5555/d\n'
    assert [title for title, _, _ in told(text)] == ["One", "Two", "Three", "Four"]


@pytest.mark.parametrize(
    "header",
    [
        "Titel;Autoren;Jahr;Zeitschrift;Band;Heft;Seiten",
        "Titre;Auteurs;Année;Revue;Volume;Numéro;Pages",
        "Título;Autores;Año;Revista;Volumen;Número;Páginas",
        "Título;Autores;Ano;Revista;Volume;Número;Páginas",
        "Titolo;Autori;Anno;Rivista;Volume;Numero;Pagine",
        "Titel;Auteurs;Jaar;Tijdschrift;Jaargang;Nummer;Pagina's",
        "标题;作者;年份;期刊;卷;期;页码",
        "TITLE;AUTHOR_STRING;PUB_YEAR;JOURNAL_TITLE;JOURNAL_VOLUME;ISSUE;PAGE_INFO",
        "title;Authors;year;pubtitle;volume;issue;pages",
    ],
)
def test_columns_in_other_languages_and_of_other_programs(header: str) -> None:
    (entry,) = entries(f'{header}\nOne;"King, Martin; Smith, Jane";2020;Lancet;12;3;100-110\n')
    record = entry.record
    assert record is not None
    assert (record.title, record.authors, record.year, record.journal, record.volume, record.issue, record.pages) == (
        "One", KING + SMITH, 2020, "Lancet", "12", "3", "100-110",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("12345678, 1234567890123, 10.5555/x\n34567890\n", ["12345678", "", "10.5555/x", "34567890"]),
        ("12345678; foo\n22345678\n", ["12345678", "22345678"]),
        ("1. 12345678\n2) 22345678\n- 32345678\n", ["12345678", "22345678", "32345678"]),
        ("PMID: 12345678 (King 2020)\nPMC 123456\n22345678 Smith on sleep\n", ["12345678", "PMC123456", "22345678"]),
        ("Smith 2020, 12345678\nKing 1999, 22345678\n", ["12345678", "22345678"]),
        ("12345678,22345678,nothing,32345678\n", ["12345678", "22345678", "32345678"]),
        ("This list is from our last meeting.\n12345678\nand 10.5555/x.\n", ["", "12345678", "10.5555/x"]),
    ],
)
def test_identifiers_in_lists_as_people_write_them(text: str, expected: list[str]) -> None:
    """No number that only looks like a PMID (a year, a place in the list) becomes one."""
    read = entries(text)
    assert [e.record.identifiers[0].value if e.record else "" for e in read] == expected
    assert all(one.scheme is not Scheme.ISBN for e in read if e.record for one in e.record.identifiers)


def test_text_beside_an_identifier_is_told() -> None:
    assert [e.dropped for e in entries("12345678; foo\n22345678\nSome title, 10.5555/abc\n")] == [
        ("text: foo",), (), ("text: Some title",),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("codec", "label", "title"),
    [
        ("euc_kr", "Korean (EUC-KR)", "한국에서의 고혈압 치료에 관한 연구"),
        ("cp1250", "Windows-1250", "Leczenie nadciśnienia tętniczego u osób starszych, żółw"),
        ("iso8859_2", "ISO 8859-2", "Leczenie nadciśnienia tętniczego u osób starszych, żółw"),
        ("cp1254", "Windows-1254", "Yaşlı hastalarda hipertansiyon tedavisi için çalışma"),
        ("cp1251", "cp1251 (guessed)", "Лечение артериальной гипертензии у пожилых"),
        ("koi8_r", "koi8-r (guessed)", "Лечение артериальной гипертензии у пожилых"),
        ("shift_jis", "cp932 (guessed)", "日本における高血圧の治療についての研究"),
        ("big5", "big5 (guessed)", "參考文獻管理工具研究的現狀與發展"),
        ("cp1252", "Windows-1252", "Größe naïver Mütter, “±3 m³” in Århus und Besançon"),
    ],
)
def test_encodings_of_other_languages_are_found_and_named(codec: str, label: str, title: str) -> None:
    data = f"TY  - JOUR\nTI  - {title}\nER  - \n".encode(codec)
    reading = read_file(io.BytesIO(data))
    assert (reading.encoding, [e.record.title for e in reading.entries if e.record]) == (label, [title])


@pytest.mark.parametrize(
    ("names", "people"),
    [
        ("Ann King, Ben Smith, Cem Weber", (Person("King", "Ann"), Person("Smith", "Ben"), Person("Weber", "Cem"))),
        ("King, Jr., Martin Luther", (Person("King", "Martin Luther", "Jr."),)),
        ("de la Cruz, III, Juan", (Person("de la Cruz", "Juan", "III"),)),
    ],
)
def test_names_of_bibtex_that_commas_part(names: str, people: tuple[Person, ...]) -> None:
    ((_, _, read),) = told(f"@article{{k, title={{One}}, author={{{names}}}}}")
    assert read == people

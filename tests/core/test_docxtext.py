"""Paragraphs of Word files: what is read, and what is refused."""

from __future__ import annotations

import io
import zipfile

import pytest

from litapp.core.formats import docxtext
from litapp.core.formats.docxtext import Paragraph, docx_paragraphs, numbered_lines
from litapp.core.formats.importers import UnreadableFile
from litapp.core.formats.reftext import split_lines

SPACE = (
    'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" '
    'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
)
HEADING = '<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:t>References</w:t></w:r></w:p>'
LISTED = "<w:pPr><w:numPr><w:ilvl w:val='0'/><w:numId w:val='3'/></w:numPr></w:pPr>"


def word(body: str, **parts: str) -> io.BytesIO:
    """A Word file with this body, and other parts by their names."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", f"<w:document {SPACE}><w:body>{body}</w:body></w:document>")
        for name, content in parts.items():
            archive.writestr(name, content)
    stream.seek(0)
    return stream


def paragraph(text: str, before: str = "") -> str:
    return f"<w:p>{before}<w:r><w:t>{text}</w:t></w:r></w:p>"


def test_paragraphs_with_headings_lists_and_deleted_text() -> None:
    body = (
        paragraph("Text")
        + HEADING
        + paragraph("Weber A. Steroids. J Trials 2010;1:2.", LISTED)
        + "<w:p><w:del><w:r><w:delText>gone</w:delText></w:r></w:del><w:ins><w:r><w:t>new</w:t></w:r></w:ins></w:p>"
    )
    assert docx_paragraphs(word(body)) == (
        Paragraph(1, "Text"),
        Paragraph(2, "References", heading=1),
        Paragraph(3, "Weber A. Steroids. J Trials 2010;1:2.", listed=True),
        Paragraph(4, "new"),
    )


def test_numbers_that_word_keeps_to_itself_still_part_the_references() -> None:
    body = (
        paragraph("As said in 2009 (3:4).")
        + HEADING
        + "".join(paragraph(f"Weber A. Steroids {n}. J Trials 20{n};1:2.", LISTED) for n in range(10, 14))
    )
    found = split_lines(numbered_lines(docx_paragraphs(word(body)))).references
    assert [(piece.first_line, piece.text) for piece in found] == [
        (n - 7, f"Weber A. Steroids {n}. J Trials 20{n};1:2.") for n in range(10, 14)
    ]


def test_the_address_behind_a_link_is_kept_where_it_is_an_identifier() -> None:
    body = '<w:p><w:hyperlink r:id="rId1"><w:r><w:t>Steroids</w:t></w:r></w:hyperlink></w:p>'
    links = '<Relationships><Relationship Id="rId1" Target="https://doi.org/10.5555/x"/></Relationships>'
    [one] = docx_paragraphs(word(body, **{"word/_rels/document.xml.rels": links}))
    assert one.text == "Steroids https://doi.org/10.5555/x"


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 no zip", b"%PDF-1.4"])
def test_no_word_file_is_refused_in_words(content: bytes) -> None:
    with pytest.raises(UnreadableFile, match="Word file"):
        docx_paragraphs(io.BytesIO(content))


def test_entities_are_refused() -> None:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr(
            "word/document.xml",
            f'<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/passwd">]><w:document {SPACE}><w:body>'
            f"{paragraph('&x;')}</w:body></w:document>",
        )
    with pytest.raises(UnreadableFile):
        docx_paragraphs(stream)


def test_a_part_that_unpacks_to_too_much_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(docxtext, "LARGEST_PART", 10_000)
    with pytest.raises(UnreadableFile, match="too large"):
        docx_paragraphs(word(paragraph("a" * 20_000)))


def test_another_archive_is_no_word_file() -> None:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("xl/workbook.xml", "<a/>")
    with pytest.raises(UnreadableFile, match="no main text"):
        docx_paragraphs(stream)

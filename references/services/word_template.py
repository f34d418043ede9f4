"""The Word template of our documents: pandoc's own, with Word styles of ours, an A4 page and page numbers."""

from __future__ import annotations

import io
import zipfile
from functools import cache
from typing import Any
from xml.sax.saxutils import escape

from lxml import etree

from references.services.pandoc import default_template

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
NAMESPACES = f'xmlns:w="{W}" xmlns:r="{R}"'

QUERY_STYLE = "Search Query"
"""Paragraph style of a search string."""
NOTICE_STYLE = "Notice"
"""Paragraph style of the disclaimer and of warnings."""
MARK_STYLE = "Citation Mark"
"""Character style of [UNVERIFIED ...] and [RETRACTED ...]."""
DETAIL_STYLE = "Reference Detail"
"""Paragraph style of what is said below a reference or a title, smaller."""
MATRIX_STYLE = "Matrix Cell"
"""Paragraph style of the cells of a matrix, small."""
REFERENCE_STYLE = "Bibliography"
"""Paragraph style of a reference; Word's own name."""

_READ = '<w:rFonts w:ascii="Cambria" w:hAnsi="Cambria" w:cs="Times New Roman" w:eastAsia="MS Mincho"/>'
_OPERATE = '<w:rFonts w:ascii="Calibri" w:hAnsi="Calibri" w:cs="Calibri" w:eastAsia="MS Gothic"/>'
_TYPED = '<w:rFonts w:ascii="Consolas" w:hAnsi="Consolas" w:cs="Courier New" w:eastAsia="MS Gothic"/>'
_INK, _INK_2, _ACCENT, _STOP = "1B2126", "454E57", "0B5F66", "9B1C2E"


def _size(points: float) -> str:
    return f'<w:sz w:val="{round(points * 2)}"/><w:szCs w:val="{round(points * 2)}"/>'


def _color(value: str) -> str:
    return f'<w:color w:val="{value}"/>'


_HEAD_PARAGRAPH = (
    '<w:keepNext/><w:keepLines/><w:spacing w:before="{before}" w:after="80"/><w:outlineLvl w:val="{level}"/>'
)
_BOX = "".join(
    f'<w:{side} w:val="single" w:sz="4" w:space="4" w:color="CAC3B3"/>' for side in ("top", "left", "bottom", "right")
)

CHANGED_STYLES: dict[str, tuple[str, str]] = {
    "BodyText": ('<w:spacing w:before="0" w:after="120"/>', ""),
    "Compact": ('<w:spacing w:before="20" w:after="20"/>', ""),
    "Title": (
        '<w:keepNext/><w:spacing w:before="0" w:after="60" w:line="240" w:lineRule="auto"/><w:jc w:val="left"/>',
        f"{_OPERATE}<w:b/>{_color(_INK)}{_size(22)}",
    ),
    "TitleChar": ("", f"{_OPERATE}<w:b/>{_color(_INK)}{_size(22)}"),
    "Subtitle": (
        '<w:spacing w:before="0" w:after="240"/><w:jc w:val="left"/>',
        f"{_OPERATE}{_color(_INK_2)}{_size(11)}",
    ),
    "SubtitleChar": ("", f"{_OPERATE}{_color(_INK_2)}{_size(11)}"),
    "Heading1": (
        _HEAD_PARAGRAPH.format(before=360, level=0),
        f"{_OPERATE}<w:b/>{_color(_ACCENT)}{_size(15)}",
    ),
    "Heading1Char": ("", f"{_OPERATE}<w:b/>{_color(_ACCENT)}{_size(15)}"),
    "Heading2": (_HEAD_PARAGRAPH.format(before=240, level=1), f"{_OPERATE}<w:b/>{_color(_INK)}{_size(12)}"),
    "Heading2Char": ("", f"{_OPERATE}<w:b/>{_color(_INK)}{_size(12)}"),
    "Heading3": (_HEAD_PARAGRAPH.format(before=180, level=2), f"{_OPERATE}<w:b/>{_color(_INK_2)}{_size(11)}"),
    "Heading3Char": ("", f"{_OPERATE}<w:b/>{_color(_INK_2)}{_size(11)}"),
    "Bibliography": ('<w:keepLines/><w:spacing w:before="0" w:after="100"/>', ""),
    "Hyperlink": ("", f'{_color(_ACCENT)}<w:u w:val="single"/>'),
    "VerbatimChar": ("", f"{_TYPED}{_size(9.5)}"),
}
"""Styles of pandoc's template that look different in ours: paragraph properties, character properties."""

NEW_STYLES = f"""<w:styles {NAMESPACES}>
<w:style w:type="paragraph" w:customStyle="1" w:styleId="SearchQuery"><w:name w:val="{QUERY_STYLE}"/>
<w:basedOn w:val="Normal"/><w:next w:val="BodyText"/><w:qFormat/>
<w:pPr><w:pBdr>{_BOX}</w:pBdr><w:shd w:val="clear" w:color="auto" w:fill="F2EFE7"/>
<w:spacing w:before="60" w:after="160"/><w:ind w:left="113" w:right="113"/></w:pPr>
<w:rPr>{_TYPED}<w:noProof/>{_size(9.5)}</w:rPr></w:style>
<w:style w:type="paragraph" w:customStyle="1" w:styleId="Notice"><w:name w:val="{NOTICE_STYLE}"/>
<w:basedOn w:val="Normal"/><w:next w:val="BodyText"/><w:qFormat/>
<w:pPr><w:pBdr>{_BOX}</w:pBdr><w:spacing w:before="120" w:after="160"/><w:ind w:left="113" w:right="113"/></w:pPr>
<w:rPr>{_OPERATE}{_color(_INK_2)}{_size(10)}</w:rPr></w:style>
<w:style w:type="paragraph" w:customStyle="1" w:styleId="ReferenceDetail"><w:name w:val="{DETAIL_STYLE}"/>
<w:basedOn w:val="Normal"/><w:next w:val="BodyText"/><w:qFormat/>
<w:pPr><w:spacing w:before="0" w:after="120"/></w:pPr>
<w:rPr>{_OPERATE}{_color(_INK_2)}{_size(9.5)}</w:rPr></w:style>
<w:style w:type="paragraph" w:customStyle="1" w:styleId="MatrixCell"><w:name w:val="{MATRIX_STYLE}"/>
<w:basedOn w:val="Normal"/><w:qFormat/>
<w:pPr><w:spacing w:before="10" w:after="10" w:line="240" w:lineRule="auto"/></w:pPr>
<w:rPr>{_READ}{_size(8.5)}</w:rPr></w:style>
<w:style w:type="character" w:customStyle="1" w:styleId="CitationMark"><w:name w:val="{MARK_STYLE}"/>
<w:basedOn w:val="DefaultParagraphFont"/><w:qFormat/>
<w:rPr><w:b/>{_color(_STOP)}</w:rPr></w:style>
<w:style w:type="paragraph" w:styleId="Footer"><w:name w:val="footer"/><w:basedOn w:val="Normal"/>
<w:pPr><w:tabs><w:tab w:val="right" w:pos="9638"/></w:tabs><w:spacing w:before="0" w:after="0"/></w:pPr>
<w:rPr>{_OPERATE}{_color(_INK_2)}{_size(9)}</w:rPr></w:style>
</w:styles>"""

_TABLE_PROPERTIES = f"""<w:x {NAMESPACES}><w:tblPr><w:tblBorders>
<w:top w:val="single" w:sz="8" w:space="0" w:color="{_INK_2}"/>
<w:bottom w:val="single" w:sz="8" w:space="0" w:color="{_INK_2}"/>
<w:insideH w:val="single" w:sz="4" w:space="0" w:color="CAC3B3"/></w:tblBorders>
<w:tblCellMar><w:top w:w="40" w:type="dxa"/><w:left w:w="85" w:type="dxa"/><w:bottom w:w="40" w:type="dxa"/>
<w:right w:w="85" w:type="dxa"/></w:tblCellMar></w:tblPr>
<w:tblStylePr w:type="firstRow"><w:rPr>{_OPERATE}<w:b/>{_size(10)}</w:rPr></w:tblStylePr></w:x>"""

_PAGE = """<w:x {namespaces}><w:footerReference w:type="default" r:id="rIdFooter"/>
<w:footnotePr><w:numRestart w:val="eachSect"/></w:footnotePr><w:pgSz w:w="11906" w:h="16838"/>
<w:pgMar w:top="1134" w:right="1134" w:bottom="1134" w:left="1134" w:header="567" w:footer="567" w:gutter="0"/></w:x>"""


def section_break(*, across: bool) -> dict[str, Any]:
    """A block of pandoc's tree that ends a section of the document; its pages lie across or upright.

    The foot of the page comes in when the file is written: pandoc gives its reference a number of its own.
    """
    size = 'w:w="16838" w:h="11906" w:orient="landscape"' if across else 'w:w="11906" w:h="16838"'
    xml = (
        f'<w:p><w:pPr><w:sectPr><w:type w:val="nextPage"/><w:pgSz {size}/><w:pgMar w:top="1134" w:right="1134" '
        'w:bottom="1134" w:left="1134" w:header="567" w:footer="567" w:gutter="0"/></w:sectPr></w:pPr></w:p>'
    )
    return {"t": "RawBlock", "c": ["openxml", xml]}


_FOOTER_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml.footer+xml"


@cache
def word_template(footer: str) -> bytes:
    """A reference.docx for pandoc with our styles; `footer` stands at the foot of every page, beside its number.

    Raises what `default_template` raises.
    """
    parts: dict[str, bytes] = {}
    with zipfile.ZipFile(io.BytesIO(default_template())) as archive:
        for name in archive.namelist():
            parts[name] = archive.read(name)
    parts["word/styles.xml"] = _styles(parts["word/styles.xml"])
    parts["word/document.xml"] = _document(parts["word/document.xml"])
    parts["word/footer1.xml"] = _footer(footer)
    parts["word/_rels/document.xml.rels"] = parts["word/_rels/document.xml.rels"].replace(
        b"</Relationships>",
        f'<Relationship Id="rIdFooter" Type="{R}/footer" Target="footer1.xml"/></Relationships>'.encode(),
    )
    parts["[Content_Types].xml"] = parts["[Content_Types].xml"].replace(
        b"</Types>", f'<Override PartName="/word/footer1.xml" ContentType="{_FOOTER_TYPE}"/></Types>'.encode()
    )
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(zipfile.ZipInfo(name), content)
    return packed.getvalue()


def _styles(xml: bytes) -> bytes:
    root = _parse(xml)
    defaults = root.find(f"{{{W}}}docDefaults")
    if defaults is not None:
        root.replace(
            defaults,
            _parse(
                f"<w:docDefaults {NAMESPACES}><w:rPrDefault><w:rPr>{_READ}{_size(11)}"
                '<w:lang w:val="en-US" w:eastAsia="zh-CN" w:bidi="ar-SA"/></w:rPr></w:rPrDefault><w:pPrDefault><w:pPr>'
                '<w:spacing w:after="120" w:line="264" w:lineRule="auto"/></w:pPr></w:pPrDefault></w:docDefaults>'
            ),
        )
    for style in root.findall(f"{{{W}}}style"):
        name = style.get(f"{{{W}}}styleId", "")
        if name in CHANGED_STYLES:
            _set_properties(style, *CHANGED_STYLES[name])
        elif name == "Table":
            for old in [*style.findall(f"{{{W}}}tblPr"), *style.findall(f"{{{W}}}tblStylePr")]:
                style.remove(old)
            style.extend(list(_parse(_TABLE_PROPERTIES)))
    root.extend(list(_parse(NEW_STYLES)))
    return etree.tostring(root, xml_declaration=True, encoding="UTF-8", standalone=True)


def _set_properties(style: etree._Element, paragraph: str, characters: str) -> None:
    for tag, content in (("pPr", paragraph), ("rPr", characters)):
        for old in style.findall(f"{{{W}}}{tag}"):
            style.remove(old)
        if content:
            style.append(_parse(f"<w:{tag} {NAMESPACES}>{content}</w:{tag}>"))


def _document(xml: bytes) -> bytes:
    root = _parse(xml)
    for section in root.iter(f"{{{W}}}sectPr"):
        for child in list(section):
            section.remove(child)
        section.extend(list(_parse(_PAGE.format(namespaces=NAMESPACES))))
    return etree.tostring(root, xml_declaration=True, encoding="UTF-8", standalone=True)


def _footer(text: str) -> bytes:
    def field(code: str) -> str:
        return f'<w:fldSimple w:instr=" {code} "><w:r><w:t>1</w:t></w:r></w:fldSimple>'

    return (
        f'<?xml version="1.0" encoding="UTF-8" standalone="yes"?><w:ftr {NAMESPACES}>'
        f'<w:p><w:pPr><w:pStyle w:val="Footer"/></w:pPr>'
        f'<w:r><w:t xml:space="preserve">{escape(text)}</w:t></w:r><w:r><w:tab/></w:r>'
        f'<w:r><w:t xml:space="preserve">Page </w:t></w:r>{field("PAGE")}'
        f'<w:r><w:t xml:space="preserve"> of </w:t></w:r>{field("NUMPAGES")}</w:p></w:ftr>'
    ).encode()


def _parse(xml: bytes | str) -> etree._Element:
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, remove_blank_text=True)
    return etree.fromstring(xml.encode() if isinstance(xml, str) else xml, parser)

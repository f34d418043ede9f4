# ruff: noqa: RUF001 - dashes, brackets and stops of all scripts are what these patterns look for
"""The signs by which a line of pasted text shows what it is: list marks, headings, labels, parts of a reference."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from litapp.core.identifiers import find_identifiers

_UPPER = "A-ZÀ-ÖØ-ÞĀĂĄĆČĎĐĒĘĚĞĢĪİĶĹĻŁŃŅŇŌŐŒŔŘŚŞŠŢŤŪŮŰŹŻŽА-ЯЁΑ-Ω"
_WORD = r"[^\W\d_][\w'’ʼ‘`´‑‐-]*"
_NAME = rf"(?:(?:[dD]['’]|[oO]['’])?[{_UPPER}][\w'’ʼ‑‐-]*)"
_PARTICLE = (
    r"(?:(?:van|von|vom|zu|zur|de|del|della|den|der|des|di|da|das|do|dos|du|el|al|la|le|les|ten|ter|bin|ibn|af|av|'t|"
    r"Van|Von|De|Del|Della|Den|Der|Di|Da|Dos|Du|El|Al|La|Le|Ten|Ter|St|Saint)[.\s]\s*)"
)
_INITIALS = rf"(?:[{_UPPER}][a-z]?\.?[\s‑‐-]?){{1,4}}"
_AUTHOR_START = re.compile(
    rf"\W{{0,3}}(?:"
    rf"{_PARTICLE}{{0,3}}{_NAME}(?:[\s‑‐-]+{_NAME}){{0,2}}\s+[{_UPPER}]{{1,4}}(?:\s(?:Jr|Sr|II|III|2nd|"
    rf"3rd))?\.?\s?(?:[,.;:(&]|and\b|et\b)"
    rf"|{_PARTICLE}{{0,3}}{_NAME}(?:[\s‑‐-]+{_NAME}){{0,2}},\s*[{_UPPER}](?:[.\s,‑‐-]|"
    rf"[{_UPPER}]{{0,3}}[.,;:\s]|[a-zà-ÿ]+)"
    rf"|{_INITIALS}\s?{_PARTICLE}{{0,3}}{_NAME}(?:\s*[,:;&]|\s+(?:and|et|und|y)\b)"
    rf"|[\u4e00-\u9fff\u3040-\u30ff]{{2,5}}\s?[,，、.．]"
    rf")"
)
_ET_AL = re.compile(r"\bet\.? al\b|\bu\. ?a\.|等[.，,。]|\band (?:others|colleagues)\b", re.IGNORECASE)
_YEAR = re.compile(r"(?<![\d.])(?:1[89]|20)\d\d[a-z]?(?!\d)(?!\.\d)")
_PLACE = re.compile(
    r"\d+\s*(?:\(\s*(?:[\w\s./–‑-]{1,24}|)\)|\[[\w\s./–-]{1,16}\])\s*[:;,.]?\s*(?:pp?\.?\s*)?[A-Za-z]{0,4}\d+"
    r"|\d+\s*:\s*(?:pp?\.?\s*)?[A-Za-z]{0,3}\d+\s*(?:[–—‑-]|\b)"
    r"|\b\d+,\s*\d+\s*[–—‑-]\s*\d+|\bvol(?:ume)?\.?\s*\d+|\bpp?\.\s*[A-Za-z]?\d+|\bno\.?\s*\d+",
    re.IGNORECASE,
)
_WORDS_OF_A_REFERENCE = re.compile(
    r"\b(?:In:|\(eds?\.?\)|[Ee]ditors?\b|ISBN|ISSN|[Aa]vailable (?:from|at)|[Rr]etrieved from|[Aa]ccessed|"
    r"[Aa]rXiv|medRxiv|bioRxiv|"
    r"[Tt]hesis|[Dd]issertation|[Pp]roceedings|University Press|Springer|Elsevier|Wiley|[Jj]ournal|J\.? [A-Z]|"
    r"Lancet|BMJ|JAMA|"
    r"N\.? Engl|Nature|Science|PLo?S|[Ii]n press|[Ee]pub|[Pp]reprint|[Rr]eport|[Gg]uidelines?)|\[[JMDCR]\]|"
    rf"[{_UPPER}]\w+(?:,\s*[{_UPPER}]\w+)?:\s?[^;:]{{2,60}}[;,]\s?(?:19|20)\d\d"
)
_LINK = re.compile(r"https?://\S+|\bwww\.\S+|\bdoi\s*[:.]", re.IGNORECASE)

_HEADING_WORDS = (
    r"(?:list of |cited |key |main |selected |primary |additional |further |full )*(?:"
    r"references?(?: list| section| cited)?|bibliograph(?:y|ie|ía|ia)|literature(?: cited| references)?|works cited|"
    r"citations|sources|literatur(?:verzeichnis|angaben)?|quellen(?:verzeichnis|angaben)?|"
    r"référence?s(?: bibliographiques)?|"
    r"referenc?ias(?: bibliogr[áa]ficas)?|referências(?: bibliográficas)?|bibliografía|"
    r"riferimenti(?: bibliografici)?|referenties|"
    r"literatuur(?:lijst)?|referenser|piśmiennictwo|литература|список литературы|"
    r"参考文献|參考文獻|引用文献|文献|참고문헌)"
)
_REFERENCE_HEADING = re.compile(
    rf"(?P<hash>#{{1,6}})?\s*(?:[*_]{{1,3}})?\s*(?:(?:\d{{1,2}}(?:\.\d{{1,2}})*|[IVX]{{1,4}}|"
    rf"[A-H])[.)、]?\s+)?(?:[*_]{{1,3}})?"
    rf"{_HEADING_WORDS}(?:\s*[(（][^)）]{{0,40}}[)）])?\s*[:：]?\s*(?:[*_]{{1,3}})?\s*[:：]?\s*#*",
    re.IGNORECASE,
)
_MARKDOWN_HEADING = re.compile(r"(#{1,6})\s+\S")
_BACK_MATTER = re.compile(
    r"(?:#{1,6}\s*)?(?:[*_]{2,3})?(?:appendi(?:x|ces)|supplement(?:ary|al)?|supporting information|(?:figure|"
    r"table)s?(?: legends?| captions?)?|"
    r"legends?|acknowledge?ments?|funding|author(?:s’|s'|'s)? contributions?|(?:conflicts?|"
    r"declarations?) of interests?|"
    r"competing interests?|data availability|abbreviations|disclosures?|anhang|annexe|danksagung)"
    r"(?:\s+[\w.]{1,8})?\s*[:.]?\s*(?:[*_]{2,3})?",
    re.IGNORECASE,
)
_FIELD_LABEL = re.compile(
    r"(?:[*_]{1,3})?(authors?|title|journal(?: name)?|source|year|date|published(?: in)?|publication(?: date|"
    r" year)?|publisher|volume|issue|"
    r"pages?|doi|pmid|pmcid|pubmed(?: id)?|link|url|citation|reference)(?:[*_]{1,3})?\s*[:：](?:[*_]{1,3})?",
    re.IGNORECASE,
)
_ANNOTATION = re.compile(
    r"(?:[*_]{1,3})?(?:summary|key (?:findings?|points?|messages?|takeaways?)|findings?|results?|conclusions?|"
    r"why|relevance|relevant|note|"
    r"notes|abstract|description|comment|significance|importance|evidence|design|population|methods?|takeaway|"
    r"limitations?|this (?:study|paper|"
    r"review|trial|article|meta)|these (?:studies|papers))\b[^:：]{0,40}",
    re.IGNORECASE,
)
_CHAT = re.compile(
    r"(?:here (?:are|is)|sure\b|certainly\b|of course|please (?:note|verify|check|let)|let me know|i (?:hope|"
    r"can|cannot|can't|could|have|am|was|"
    r"would|recommend|suggest)\b|note\s*:|disclaimer|as an ai|if you (?:need|want|would|like)|would you like|"
    r"feel free|these (?:are|"
    r"references|studies|papers)|the following|below (?:are|is)|you (?:can|may|should)\b|remember\b|hope this|thank)",
    re.IGNORECASE,
)


class MarkKind(StrEnum):
    """What stands at the beginning of a list's item."""

    NUMBER = "number"
    BRACKET = "bracket"
    FOOTNOTE = "footnote"
    BARE = "bare"
    BULLET = "bullet"
    TABLE = "table"


@dataclass(frozen=True, slots=True)
class Mark:
    """A list mark: its kind, its number ("" for bullets) and the text behind it."""

    kind: MarkKind
    label: str
    rest: str

    @property
    def number(self) -> int | None:
        return int(self.label) if self.label.isdecimal() else None


_DIGITS = str.maketrans("０１２３４５６７８９⁰¹²³⁴⁵⁶⁷⁸⁹", "01234567890123456789")
_MARKS: tuple[tuple[MarkKind, re.Pattern[str]], ...] = (
    (MarkKind.FOOTNOTE, re.compile(r"\[\^([^\]\s]{1,30})\]\s?[:：]\s*(.*)", re.DOTALL)),
    (
        MarkKind.BRACKET,
        re.compile(
            r"(?:\\?\[|［|【|〔)\s*(?:ref\.?\s*)?(\d{1,4})\s*(?:\\?\]|］|】|〕)[.:)]?(?!\()\s*(.*)", re.DOTALL | re.I
        ),
    ),
    (MarkKind.BRACKET, re.compile(r"(?:\(|（)\s*(\d{1,4})\s*(?:\)|）)[.:]?(?=\s|[^\W\d_])\s*(.*)", re.DOTALL)),
    (MarkKind.NUMBER, re.compile(r"(?:#|№|R|ref(?:erence)?\.?\s?)(\d{1,4})\s*[.:)\]]?\s+(.*)", re.DOTALL | re.I)),
    (MarkKind.NUMBER, re.compile(r"(?:\*\*|__)(\d{1,4})\s?[.):]?(?:\*\*|__)\s?[.):]?\s*(.*)", re.DOTALL)),
    (MarkKind.NUMBER, re.compile(r"((?:\*\*|__)?)(\d{1,4})\s?\\?(?:[.)．、](?!\d\S)|[:：](?=\s))\s*(.*)", re.DOTALL)),
    (MarkKind.BARE, re.compile(r"(\d{1,4})[\s\t]+(.*)", re.DOTALL)),
    (MarkKind.BULLET, re.compile(r"[-*•●▪‣◦·–—+∙□■➢✓](?![-*—–])[\s\t]+(\S.*)", re.DOTALL)),
    (MarkKind.BULLET, re.compile(r"[•●▪‣◦∙■]\s*(\S.*)", re.DOTALL)),
)
_SUPERSCRIPT = re.compile(r"([⁰¹²³⁴⁵⁶⁷⁸⁹]{1,4})\s*(\S.*)", re.DOTALL)


def read_mark(line: str) -> Mark | None:
    """The list mark at the beginning of `line` (without its indent), or None. Whether a number is one, or a year or a
    page, is for the reader of the list to decide (`plausible`)."""
    raised = _SUPERSCRIPT.fullmatch(line)
    if raised:
        return Mark(MarkKind.BARE, raised[1].translate(_DIGITS), raised[2])
    line = line[:8].translate(_DIGITS) + line[8:] if line[:1].isdigit() or line[:1] in "[［【(（" else line
    for kind, pattern in _MARKS:
        found = pattern.fullmatch(line)
        if found is None:
            continue
        groups = found.groups()
        if kind is MarkKind.BULLET:
            return Mark(kind, "", groups[-1])
        if len(groups) == 3:  # bold that began before the number goes on behind it
            return Mark(kind, str(int(groups[1])), f"{groups[0]}{groups[2]}")
        label = groups[0]
        return Mark(kind, str(int(label)) if label.isdecimal() else label, groups[1])
    return None


_NO_BEGINNING = re.compile(
    r"(?:e?pub\b|epub|doi\b|pmid\b|pubmed\b|available\b|accessed\b|https?:|[;:,)\]])", re.IGNORECASE
)
_BEGINNING = re.compile(r"""[\s*_"“”‘’'«「『《\[(<{]*[^\W\d_]""")


def plausible(mark: Mark, *, expected: bool) -> bool:
    """Whether a number at a line's beginning can be a list mark. `expected` = it follows the number before it."""
    number = mark.number
    if number is None:
        return True
    if not mark.rest.strip():
        return mark.kind is not MarkKind.BARE and (expected or number <= 1)
    if _NO_BEGINNING.match(mark.rest):
        return False
    if expected:
        return mark.kind is not MarkKind.BARE or bool(_BEGINNING.match(mark.rest)) or mark.rest[:4].isdecimal()
    if 1500 <= number <= 2100:
        return False
    if not _BEGINNING.match(mark.rest):
        return False
    first = mark.rest.lstrip("*_\"“‘'«[( ")[:1]
    return mark.kind is not MarkKind.BARE or first.isupper() or not first.isascii()


def heading_level(line: str) -> int | None:
    """1 to 6 for a Markdown heading, else None."""
    found = _MARKDOWN_HEADING.match(line)
    return len(found[1]) if found else None


def is_reference_heading(line: str) -> bool:
    """Whether the line is the heading of a list of references, in one of a dozen languages, and nothing else."""
    return len(line) <= 80 and _REFERENCE_HEADING.fullmatch(line.strip()) is not None


def is_back_matter(line: str) -> bool:
    """Whether the line heads what stands behind a list of references: appendix, legends, funding."""
    return len(line) <= 60 and _BACK_MATTER.fullmatch(line.strip()) is not None


def field_label(line: str) -> str:
    """The field that the line names before a colon ("doi" of "DOI: 10.…"), lower case; "" for none."""
    mark = read_mark(line)
    text = mark.rest if mark is not None and mark.kind is MarkKind.BULLET else line
    found = _FIELD_LABEL.match(text)
    return found[1].lower() if found else ""


def is_annotation(text: str) -> bool:
    """Whether a line below a reference speaks about it ("Key finding: …")."""
    return bool(_ANNOTATION.match(text))


def is_chat(text: str) -> bool:
    """Whether a line speaks to the reader, as assistants do before and after a list."""
    return bool(_CHAT.match(text.lstrip("*_>#- ")))


def starts_like_author(text: str) -> bool:
    """Whether the text begins with a person's name in one of the orders that reference styles use."""
    return bool(_AUTHOR_START.match(text))


def has_year(text: str) -> bool:
    return bool(_YEAR.search(text))


def has_place(text: str) -> bool:
    """Whether volume, issue or pages stand in the text."""
    return bool(_PLACE.search(text))


def has_identifier(text: str) -> bool:
    return bool(find_identifiers(text))


def signs(text: str) -> int:
    """How many signs of a reference the text shows (0 to 8): author first, et al., year, volume and pages, publisher or
    journal words, link; an identifier counts double."""
    identified = has_identifier(text)
    return (
        2 * identified
        + starts_like_author(text)
        + bool(_ET_AL.search(text))
        + has_year(text)
        + has_place(text)
        + bool(_WORDS_OF_A_REFERENCE.search(text))
        + bool(not identified and _LINK.search(text))
    )

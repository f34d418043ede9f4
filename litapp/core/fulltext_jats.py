"""The text of an article in JATS, section by section; reviews, replies and other sub-articles are left out. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from lxml import etree

_MATHML = "http://www.w3.org/1998/Math/MathML"
_XLINK = "{http://www.w3.org/1999/xlink}href"
_INNER_ARTICLES = ("sub-article", "response")
_NO_TEXT = frozenset(
    {"ref-list", "object-id", "journal-id", "graphic", "inline-graphic", "media", "annotation", "tex-math"}
)
_BLOCKS = frozenset({"p", "list", "disp-quote", "boxed-text", "fig", "fig-group", "table-wrap", "table-wrap-group",
                     "disp-formula", "disp-formula-group", "def-list", "supplementary-material", "statement",
                     "verse-group", "preformat", "code"})  # fmt: skip
_LICENCE = re.compile(r"creativecommons\.org/(?:licenses/([a-z-]+)/(\d\.\d)|(publicdomain)/(zero|mark))", re.IGNORECASE)


class NotJats(ValueError):
    """The bytes are no article in JATS. The message says what was met."""


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the article's text. `heading` is its path ("Results", "Mortality"); `text` its paragraphs, parted by an
    empty line; `kind` is abstract, body or float (figures and tables that stand outside the sections)."""

    heading: tuple[str, ...]
    text: str
    kind: str = "body"

    @property
    def name(self) -> str:
        """The heading as people read it; parts of the abstract say that they are."""
        path = " / ".join(self.heading)
        if self.kind == "abstract":
            return f"Abstract / {path}" if path and path.lower() not in ("abstract", "summary") else "Abstract"
        return path or ("Figures and tables" if self.kind == "float" else "Text")


@dataclass(frozen=True, slots=True)
class JatsArticle:
    """An article. Identifiers are "" where it does not say; `kind` is its article-type; `licence` as short as it can be
    named ("CC BY 4.0", or the address). `has_body` is False for scanned or closed articles: they are no full text.
    `left_out` names the kinds of sub-articles whose text is not the article's."""

    pmcid: str
    pmid: str
    doi: str
    title: str
    kind: str
    licence: str
    sections: tuple[Section, ...]
    has_body: bool
    left_out: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """All sections with their headings, as plain text."""
        return "\n\n".join(f"{part.name}\n\n{part.text}" for part in self.sections)


def read_jats(body: bytes) -> JatsArticle:
    """The article in an answer of Europe PMC, PMC's bucket, E-utilities or OAI-PMH. Raises NotJats."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        root = etree.fromstring(body.lstrip(), parser)
    except (etree.XMLSyntaxError, ValueError):
        raise NotJats("data that is cut off or damaged") from None
    article = _article(root)
    if article is None:
        raise NotJats("something other than an article")
    _without_namespaces(article)
    front = article.find("front")
    meta = front.find("article-meta") if front is not None else None
    if meta is None:
        raise NotJats("an article without a head")
    named = _identifiers(meta)
    number = (named.get("pmcid") or named.get("pmc") or named.get("pmcaid") or "").upper().removeprefix("PMC")
    title = meta.find("title-group/article-title")
    main = article.find("body")
    body_parts = tuple(_body_parts(main)) if main is not None else ()
    floats = article.find("floats-group")
    loose = tuple(_floats(floats)) if floats is not None else ()
    return JatsArticle(
        pmcid=f"PMC{number.partition('.')[0]}" if number else "",
        pmid=named.get("pmid", ""),
        doi=named.get("doi", "").lower(),
        title=_line(title) if title is not None else "",
        kind=article.get("article-type") or "",
        licence=_licence(meta),
        sections=(*_abstracts(meta), *body_parts, *loose),
        has_body=any(part.text for part in body_parts),
        left_out=tuple(
            one.get("article-type") or one.get("response-type") or one.tag
            for tag in _INNER_ARTICLES for one in article.findall(tag)
        ),
    )  # fmt: skip


def _article(root: etree._Element) -> etree._Element | None:
    """The first article that is no part of another one."""
    if _local(root) == "article":
        return root
    return next((one for one in root.iter() if _local(one) == "article"), None)


def _local(element: etree._Element) -> str:
    return etree.QName(element).localname if isinstance(element.tag, str) else ""


def _without_namespaces(article: etree._Element) -> None:
    """OAI-PMH serves JATS in a namespace; MathML keeps its own."""
    for element in article.iter():
        if (
            isinstance(element.tag, str)
            and element.tag.startswith("{")
            and not element.tag.startswith(f"{{{_MATHML}}}")
        ):
            element.tag = etree.QName(element).localname


def _identifiers(meta: etree._Element) -> dict[str, str]:
    named: dict[str, str] = {}
    for one in meta.findall("article-id"):
        named.setdefault(one.get("pub-id-type") or "", "".join(_strings(one)).strip())
    return named


def _licence(meta: etree._Element) -> str:
    """The licence as the article's permissions name it; "" where they do not."""
    for licence in meta.iterfind("permissions/license"):
        places = [licence.get(_XLINK) or "", *(_line(one) for one in licence.iter("license_ref"))]
        places += [one.get(_XLINK) or "" for one in licence.iter("ext-link", "uri")]
        for place in filter(None, places):
            if found := _LICENCE.search(place):
                return f"CC {found[1].upper()} {found[2]}" if found[1] else f"public domain ({found[4].lower()})"
        if kind := (licence.get("license-type") or ""):
            return kind
        if text := _line(licence):
            return text[:200]
        if places and places[0]:
            return places[0]
    return ""


def _abstracts(meta: etree._Element) -> Iterator[Section]:
    for abstract in meta.findall("abstract"):
        kind = abstract.get("abstract-type") or ""
        if kind in ("graphical", "toc", "teaser", "video"):
            continue
        yield from _parts(abstract, (), "abstract")


def _body_parts(body: etree._Element) -> Iterator[Section]:
    yield from _parts(body, (), "body")


def _parts(container: etree._Element, path: tuple[str, ...], kind: str) -> Iterator[Section]:
    """The container's own text, then its sections, in order."""
    own = [_block(child) for child in container if _local(child) in _BLOCKS]
    text = "\n\n".join(part for part in own if part)
    if text:
        yield Section(path, text, kind)
    for child in container:
        if _local(child) != "sec":
            continue
        heading = child.find("title")
        name = _line(heading) if heading is not None else ""
        yield from _parts(child, (*path, name) if name else path, kind)


def _floats(group: etree._Element) -> Iterator[Section]:
    text = "\n\n".join(part for part in (_block(child) for child in group if _local(child) in _BLOCKS) if part)
    if text:
        yield Section((), text, "float")


def _block(element: etree._Element) -> str:
    """A paragraph, list, figure, table or formula as lines of text."""
    tag = _local(element)
    if tag in ("table-wrap", "fig", "supplementary-material"):
        head = " ".join(filter(None, (_line(one) for one in element.findall("label") + element.findall("caption"))))
        rows = [" | ".join(_line(cell) for cell in row if _local(cell) in ("td", "th")) for row in element.iter("tr")]
        notes = [_line(one) for one in element.findall("table-wrap-foot")]
        return "\n".join(part for part in (head, *rows, *notes) if part)
    if tag in ("list", "def-list"):
        return "\n".join(f"- {_line(item)}" for item in element if _local(item) in ("list-item", "def-item"))
    if tag in ("boxed-text", "disp-quote", "fig-group", "table-wrap-group", "statement"):
        inner = [_block(child) if _local(child) in _BLOCKS else _line(child) for child in element]
        return "\n\n".join(part for part in inner if part)
    if tag == "p" and any(_local(child) in ("list", "fig", "table-wrap", "boxed-text") for child in element):
        pieces = [_line(element, without=("list", "fig", "table-wrap", "boxed-text"))]
        pieces += [_block(child) for child in element if _local(child) in ("list", "fig", "table-wrap", "boxed-text")]
        return "\n\n".join(part for part in pieces if part)
    return _line(element)


def _line(element: etree._Element, *, without: tuple[str, ...] = ()) -> str:
    return " ".join("".join(_strings(element, without)).split())


def _strings(element: etree._Element, without: tuple[str, ...] = ()) -> Iterator[str]:
    """The text within an element, without comments, second forms of a formula, and what is no text."""
    if element.text:
        yield element.text
    for child in element:
        tag: Any = child.tag
        if isinstance(tag, str):
            name = etree.QName(child).localname
            if name == "alternatives":
                yield from _strings(_best_form(child), without)
            elif name not in _NO_TEXT and name not in without:
                if name in ("p", "title", "break", "list-item", "td", "th", "label"):
                    yield " "
                yield from _strings(child, without)
                if name in ("p", "title", "label", "list-item"):
                    yield " "
        if child.tail:
            yield child.tail


def _best_form(alternatives: etree._Element) -> etree._Element:
    """Of several forms of one formula or table, the one that reads best: MathML or text before TeX and pictures."""
    for child in alternatives:
        if _local(child) in ("math", "textual-form", "table"):
            return child
    return alternatives

"""Titles and abstracts with JATS, HTML or MathML inside: kept are <i>, <b>, <sub>, <sup>; the rest becomes plain text.

A "<" that opens no known tag is a plain character and stays ("P<0.05"). Whoever shows these strings renders exactly
the four tags and escapes everything else.
"""

from __future__ import annotations

import html
import re

from litapp.core.records import AbstractSection

_KEPT = {
    "i": "i", "em": "i", "italic": "i", "b": "b", "strong": "b", "bold": "b",
    "sub": "sub", "inf": "sub", "sup": "sup",
}  # fmt: skip
_BLOCKS = frozenset(
    """p sec title list list-item li ul ol br div disp-formula table tr td th h1 h2 h3 h4 h5 h6 label break
    boxed-text disp-quote""".split()  # noqa: SIM905 - a list of 25 quoted names reads worse
)
_PLAIN = _BLOCKS | frozenset(
    """span u underline sc scp a ext-link xref inline-formula tex-math math mi mo mn mrow msub msup msubsup mfrac
    mtext mspace mover munder munderover mstyle msqrt mroot mtable mtr mtd mfenced mpadded mphantom semantics
    annotation annotation-xml alternatives inline-graphic graphic named-content styled-content abstract
    trans-abstract font small big tt monospace roman overline strike sans-serif private-char email uri institution
    fn q blockquote tbody thead inline-supplementary-material related-article related-object def
    term abbrev""".split()  # noqa: SIM905 - as above
)
_DROPPED = frozenset({"tex-math", "annotation", "annotation-xml"})
_PREFIXES = frozenset({"jats", "mml", "m", "ali", "xlink", "xhtml", "html"})
_TOKEN = re.compile(r"<!--.*?-->|<(/?)((?:[A-Za-z][\w-]*:)?[A-Za-z][\w.-]*)((?:\s[^<>]*)?)(/?)>", re.S)
_STANDARD_LABELS = frozenset({"abstract", "summary", "zusammenfassung", "résumé", "resumen"})


def _name(found: re.Match[str]) -> str | None:
    """The tag's name without prefix, or None when this is no tag of a known vocabulary."""
    if found[2] is None:
        return ""
    prefix, _, local = found[2].rpartition(":")
    local = local.lower()
    if prefix:
        return local if prefix.lower() in _PREFIXES else None
    return local if local in _KEPT or local in _PLAIN else None


class _Builder:
    """Collects text and kept tags of one string; tags that are not closed, or not opened, are dropped."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._open: list[tuple[str, int]] = []

    def text(self, text: str) -> None:
        self._pieces.append(text)

    def tag(self, name: str, closing: bool) -> None:
        if not closing:
            self._open.append((name, len(self._pieces)))
            self._pieces.append(f"<{name}>")
        elif self._open and self._open[-1][0] == name:
            self._open.pop()
            self._pieces.append(f"</{name}>")

    def finish(self) -> str:
        for _, index in self._open:
            self._pieces[index] = ""
        line = " ".join("".join(self._pieces).split())
        self._pieces, self._open = [], []
        return re.sub(r"<(i|b|sub|sup)>\s*</\1>", "", line).strip()


def _decoded(text: str) -> str:
    """Entities undone twice: registries hold strings that were escaped once too often (`&amp;lt;`)."""
    text = text.replace("\x00", "")
    return html.unescape(html.unescape(text)) if "&" in text else text


def inline(text: str) -> str:
    """One line of text with at most the four tags."""
    if "<" not in text and "&" not in text:
        return " ".join(text.replace("\x00", "").split())
    return " ".join(section.text for section in _sections(text, as_title=True))


def title_line(text: str) -> str:
    """A title on one line with at most the four tags, without the full stop some sources put after it."""
    line = inline(text)
    return line[:-1].rstrip() if line.endswith(".") and not line.endswith("..") else line


def abstract_sections(text: str) -> tuple[AbstractSection, ...]:
    """An abstract as its sections. `<title>` elements become labels; a label that only says "Abstract" is left out."""
    return tuple(_sections(text, as_title=False))


def _sections(text: str, *, as_title: bool) -> list[AbstractSection]:
    builder, sections = _Builder(), list[AbstractSection]()
    label, in_title, skipping = "", False, ""
    text = _decoded(text)
    position = 0

    def flush() -> None:
        nonlocal label
        line = builder.finish()
        if not line:
            return
        if in_title and not as_title:
            label = "" if line.casefold().strip(" .:") in _STANDARD_LABELS else line.rstrip(" :")
            return
        sections.append(AbstractSection(line, label))
        label = ""

    for found in _TOKEN.finditer(text):
        name = _name(found)
        if name is None:
            continue
        if not skipping:
            builder.text(text[position : found.start()])
        position = found.end()
        closing = bool(found[1])
        if skipping:
            skipping = "" if closing and name == skipping else skipping
        elif name in _DROPPED and not closing and not found[4]:
            skipping = name
        elif name in _KEPT and not found[4]:
            builder.tag(_KEPT[name], closing)
        elif name in _BLOCKS:
            if as_title:
                builder.text(" ")
            elif name in ("title", "p", "sec", "abstract", "div") or name.startswith("h"):
                flush()
                in_title = name in ("title", "h1", "h2", "h3", "h4", "h5", "h6") and not closing
            else:
                builder.text(" ")
    builder.text("" if skipping else text[position:])
    flush()
    if label and not as_title:
        sections.append(AbstractSection(label))
    return sections

"""Inline markup of titles and abstracts: an allow-list of italic, bold, subscript, superscript, and what it becomes.

Sources mix markup into titles (PubMed `<i>`, Crossref JATS and MathML, entities escaped once or twice). `runs` reads it
once; `plain_text`, `safe_html`, `pandoc_markdown` and `latex` write it. Formatting tags that are not on the list lose
their tag and keep their text. Whatever is no formatting tag ("P<0.001", "<LOD>", "<script>") is text and is shown as
such, escaped for the format.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass, field

ITALIC, BOLD, SUB, SUP = "i", "b", "sub", "sup"
_ORDER = (ITALIC, BOLD, SUB, SUP)
_STYLES = {
    "i": ITALIC, "em": ITALIC, "italic": ITALIC, "b": BOLD, "strong": BOLD, "bold": BOLD, "sub": SUB, "inf": SUB,
    "sup": SUP,
}  # fmt: skip
_BLOCKS = frozenset(["p", "br", "div", "title", "sec", "list", "list-item", "li", "ul", "ol", "label", "tr", "break"])
_DROPPED = _BLOCKS | {
    "u", "underline", "sc", "scp", "small", "big", "tt", "monospace", "sans-serif", "roman", "span", "font", "nobr",
    "named-content", "styled-content", "inline-formula", "tex-math", "ext-link", "xref", "abstract", "strike", "s",
}  # fmt: skip
_ATTRIBUTE = r"""\s+[\w:.-]+\s*=\s*(?:"[^"<>]*"|'[^'<>]*'|[^\s"'<>]+)"""
_TAG = re.compile(rf"<(/?)(?:(jats|mml):)?([A-Za-z][\w.-]*)((?:{_ATTRIBUTE})*)\s*(/?)>")
_CONTROL = re.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]|[\ud800-\udfff]"
)
"""Control characters, direction overrides (they make text read as another one) and halves of surrogate pairs."""

_SUPERSCRIPT = dict(zip("0123456789+-−=()n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿ", strict=True))
_SUBSCRIPT = dict(zip("0123456789+-−=()", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎", strict=True))


@dataclass(frozen=True, slots=True)
class Run:
    """A stretch of text in one style. `styles` holds any of "i", "b", "sub", "sup"."""

    text: str
    styles: frozenset[str] = field(default_factory=frozenset)


def runs(text: str) -> tuple[Run, ...]:
    """The text in runs, blanks collapsed, entities undone. An opening tag that is never closed, or a closing one that
    was never opened, is text."""
    if "&" in text:
        text = html.unescape(html.unescape(text))
    text = _CONTROL.sub("", text)
    if "<" not in text:
        joined = " ".join(text.split())
        return (Run(joined),) if joined else ()
    tags = list(_TAG.finditer(text))
    paired = _pairs(tags)
    depth = dict.fromkeys(_ORDER, 0)
    pieces: list[tuple[str, frozenset[str]]] = []
    position = 0
    for tag in tags:
        style = _style(tag)
        if (style and tag.start() not in paired) or (not style and not _is_dropped(tag)):
            continue
        now = frozenset(s for s in _ORDER if depth[s])
        pieces.append((text[position : tag.start()] + (" " if tag[3].lower() in _BLOCKS else ""), now))
        position = tag.end()
        if style:
            depth[style] += -1 if tag[1] else 1
    pieces.append((text[position:], frozenset(s for s in _ORDER if depth[s])))
    return _joined(pieces)


def _style(tag: re.Match[str]) -> str:
    """The style of an allowed tag, or ""."""
    return "" if tag[2] == "mml" or tag[5] else _STYLES.get(tag[3].lower(), "")


def _is_dropped(tag: re.Match[str]) -> bool:
    """A formatting tag that is not on the list: the tag goes, its text stays."""
    return bool(tag[2]) or tag[3].lower() in _DROPPED or tag[3].lower() == "math"


def _pairs(tags: list[re.Match[str]]) -> set[int]:
    """Start positions of the allowed tags that have their partner; styles may cross."""
    waiting: dict[str, list[int]] = {style: [] for style in _ORDER}
    paired: set[int] = set()
    for tag in tags:
        style = _style(tag)
        if style and not tag[1]:
            waiting[style].append(tag.start())
        elif style and waiting[style]:
            paired |= {waiting[style].pop(), tag.start()}
    return paired


def _joined(pieces: list[tuple[str, frozenset[str]]]) -> tuple[Run, ...]:
    """Neighbours of one style joined, white space collapsed over run borders and trimmed at both ends."""
    out: list[Run] = []
    blank_before = True
    for raw, styles in pieces:
        collapsed = re.sub(r"\s+", " ", raw)
        if blank_before:
            collapsed = collapsed.lstrip(" ")
        if not collapsed:
            continue
        blank_before = collapsed.endswith(" ")
        if out and out[-1].styles == styles:
            out[-1] = Run(out[-1].text + collapsed, styles)
        else:
            out.append(Run(collapsed, styles))
    while out:
        last = out.pop()
        trimmed = last.text.rstrip(" ")
        if trimmed:
            out.append(Run(trimmed, last.styles))
            break
    return tuple(out)


def plain_text(text: str) -> str:
    """Text without markup. Raised and lowered digits become Unicode ("10⁶", "H₂O"), so that 10⁶ is never 106."""
    return "".join(_plain_run(run) for run in runs(text))


def _plain_run(run: Run) -> str:
    if SUP in run.styles:
        return _script(run.text, _SUPERSCRIPT, "^")
    if SUB in run.styles:
        return _script(run.text, _SUBSCRIPT, "_")
    return run.text


def _script(text: str, table: dict[str, str], sign: str) -> str:
    if all(letter in table for letter in text):
        return "".join(table[letter] for letter in text)
    return sign + text if any(letter.isdigit() for letter in text) else text


def safe_html(text: str) -> str:
    """HTML with at most `<i>`, `<b>`, `<sub>`, `<sup>` without attributes; everything else is escaped."""
    out = []
    for run in runs(text):
        shown = html.escape(run.text, quote=True)
        for style in reversed(_ORDER):
            if style in run.styles:
                shown = f"<{style}>{shown}</{style}>"
        out.append(shown)
    return "".join(out)


_MARKDOWN_MARKS = {ITALIC: "*", BOLD: "**", SUB: "~", SUP: "^"}
_MARKDOWN_SIGNS = re.compile(r"([\\`*_{}\[\]#<>~^$|\"'@&!])")
_MARKDOWN_PAIRS = re.compile(r"-(?=-)|(?<=-)-|\.(?=\.)|(?<=\.)\.")
_MARKDOWN_START = re.compile(r"\A(?:(\(?[\w#]{1,9})(?=\)|\.(?: |\Z))|(?=[:%+=-]))")
"""What at the start of a line makes a list, a definition, a title or a heading: "1.", "a)", "(1)", ":", "%", "-"."""


def escape_markdown(text: str) -> str:
    """One line of plain text for pandoc's Markdown (and GitHub's): no sign in it means anything."""
    line = " ".join(_CONTROL.sub("", text).split())
    line = _MARKDOWN_SIGNS.sub(r"\\\1", line)
    line = _MARKDOWN_PAIRS.sub(lambda found: "\\" + found[0], line)
    line = re.sub(r"(?i)\b(https?|ftp|mailto|www)([:.])", r"\1\\\2", line)
    return _MARKDOWN_START.sub(r"\1\\", line)


_SAFE_IN_SCRIPT = re.compile(r"(?:[A-Za-z0-9 +=,/():;%]|[^\x00-\x7f]|\.(?!\.)|-(?!-))+")
"""pandoc reads what stands between "^" or "~" twice, so that an escaped "<" becomes raw HTML: only signs that mean
nothing may stand there (seen with pandoc 3.9)."""


def pandoc_markdown(text: str) -> str:
    """pandoc Markdown: `*i*`, `**b**`, `~sub~`, `^sup^`, all other signs escaped.

    A raised or lowered part that holds signs of Markdown stays on the line as plain text.
    """
    out = ""
    for run in runs(text):
        before, core, after = _edges(run.text)
        if not core:
            out += run.text
            continue
        shown = _MARKDOWN_PAIRS.sub(r"\\\g<0>", _MARKDOWN_SIGNS.sub(r"\\\1", core))
        if not out:
            shown = _MARKDOWN_START.sub(r"\1\\", shown)
        styles = run.styles if _SAFE_IN_SCRIPT.fullmatch(core) else run.styles - {SUB, SUP}
        if styles & {SUB, SUP}:
            shown = core.replace(" ", "\\ ")
        for style in reversed(_ORDER):
            if style in styles:
                shown = _MARKDOWN_MARKS[style] + shown + _MARKDOWN_MARKS[style]
        if styles and not before and out[-1:] in ("*", "~", "^"):
            out += "<!-- -->"
        out += before + shown + after
    return out


def _edges(text: str) -> tuple[str, str, str]:
    core = text.strip(" ")
    start = text.index(core) if core else 0
    return text[:start], core, text[start + len(core) :]


_LATEX_SIGNS = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "\u00a0": "~",
}  # fmt: skip
_LATEX_TABLE = str.maketrans(_LATEX_SIGNS)
_LATEX_LIGATURES = re.compile(r"-(?=-)|'(?=')|`(?=`)|[?!](?=`)")
_LATEX_COMMANDS = {ITALIC: r"\textit", BOLD: r"\textbf", SUB: r"\textsubscript", SUP: r"\textsuperscript"}


def escape_latex(text: str) -> str:
    """Plain text for a LaTeX text field: commands, comments and ligatures switched off; Unicode letters stay.

    `"` and "|" stay too: their commands need font encodings that a plain document has not, or are unknown to readers.
    """
    if not text or text.isalnum():
        return text
    return _LATEX_LIGATURES.sub(r"\g<0>{}", _CONTROL.sub("", text).translate(_LATEX_TABLE))


def latex(text: str) -> str:
    """LaTeX: `\\textit`, `\\textbf`, `\\textsubscript`, `\\textsuperscript`, all other signs escaped."""
    out = []
    for run in runs(text):
        shown = escape_latex(run.text)
        for style in reversed(_ORDER):
            if style in run.styles:
                shown = f"{_LATEX_COMMANDS[style]}{{{shown}}}"
        out.append(shown)
    return "".join(out)

"""LaTeX text as Unicode by a fixed table: accents, letters, Greek, symbols, formatting commands.

Only for text fields (titles, names, journals, abstracts). Never for DOIs or addresses: their "_" and "%" are their own.
A command that the table does not know stays as it is, so that nothing is lost in silence.
"""

from __future__ import annotations

import re
import unicodedata

_ACCENTS = {
    "`": "\u0300",
    "'": "\u0301",
    "^": "\u0302",
    "~": "\u0303",
    "=": "\u0304",
    "u": "\u0306",
    ".": "\u0307",
    '"': "\u0308",
    "r": "\u030a",
    "ocirc": "\u030a",
    "H": "\u030b",
    "v": "\u030c",
    "d": "\u0323",
    "c": "\u0327",
    "k": "\u0328",
    "b": "\u0331",
}
_LETTERS = {
    "ss": "ß",
    "SS": "ẞ",
    "o": "ø",
    "O": "Ø",
    "l": "ł",
    "L": "Ł",
    "ae": "æ",
    "AE": "Æ",
    "oe": "œ",
    "OE": "Œ",
    "aa": "å",
    "AA": "Å",
    "dh": "ð",
    "DH": "Ð",
    "th": "þ",
    "TH": "Þ",
    "dj": "đ",
    "DJ": "Đ",
    "ng": "ŋ",
    "NG": "Ŋ",
    "i": "ı",
    "j": "ȷ",
}
_GREEK = {
    unicodedata.name(chr(code)).rsplit(maxsplit=1)[-1].lower(): chr(code)
    for code in [*range(0x3B1, 0x3C2), *range(0x3C3, 0x3CA)]
}
_GREEK |= {
    "lambda": "λ",
    "Gamma": "Γ",
    "Delta": "Δ",
    "Theta": "Θ",
    "Lambda": "Λ",
    "Xi": "Ξ",
    "Pi": "Π",
    "Sigma": "Σ",
    "Upsilon": "Υ",
    "Phi": "Φ",
    "Psi": "Ψ",
    "Omega": "Ω",
    "varepsilon": "ε",
    "vartheta": "ϑ",
    "varphi": "φ",
    "varsigma": "ς",
}
_SYMBOLS = {
    "textasciitilde": "~",
    "textasciicircum": "^",
    "textbackslash": "\\",
    "textbar": "|",
    "textless": "<",
    "textgreater": ">",
    "textunderscore": "_",
    "textendash": "–",
    "textemdash": "—",
    "textquoteright": "’",
    "textquoteleft": "‘",
    "textquotedblleft": "“",
    "textquotedblright": "”",
    "textquotesingle": "'",
    "textdegree": "°",
    "degree": "°",
    "textmu": "µ",
    "textregistered": "®",
    "texttrademark": "™",
    "copyright": "©",
    "textcopyright": "©",
    "pounds": "£",
    "euro": "€",
    "texteuro": "€",
    "S": "§",
    "P": "¶",
    "dag": "†",
    "ddag": "‡",
    "pm": "±",
    "textpm": "±",
    "times": "×",
    "texttimes": "×",
    "div": "÷",
    "cdot": "·",
    "leq": "≤",
    "le": "≤",
    "geq": "≥",
    "ge": "≥",
    "less": "<",
    "greater": ">",
    "lt": "<",
    "gt": ">",
    "neq": "≠",
    "approx": "≈",
    "sim": "∼",
    "infty": "∞",
    "rightarrow": "→",
    "to": "→",
    "leftarrow": "←",
    "ldots": "…",
    "dots": "…",
    "textellipsis": "…",
    "prime": "′",
    "circ": "°",
    "langle": "⟨",
    "rangle": "⟩",
    "LaTeX": "LaTeX",
    "TeX": "TeX",
    "BibTeX": "BibTeX",
    "quad": " ",
    "qquad": " ",
    "space": " ",
    "textvisiblespace": " ",
    "guillemotleft": "«",
    "guillemotright": "»",
}
_WORDS = _LETTERS | _GREEK | _SYMBOLS
_TRANSPARENT = frozenset(
    re.findall(
        r"\w+",
        "textit emph textbf textsc textrm textsf texttt textup textmd textnormal textsl underline mathrm "
        "mathit mathbf mathsf mathtt mathcal mathbb text "
        "mkbibemph mkbibitalic mkbibbold mkbibparens mbox ensuremath hbox url it bf em sc rm sf tt itshape bfseries scshape",  # noqa: E501
    )
)
_SUPERSCRIPT = dict(zip("0123456789+-=()ni", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱ", strict=True))
_SUBSCRIPT = dict(zip("0123456789+-=()", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎", strict=True))

# Signs that were escaped are carried through as private-use characters until the braces and dollars of LaTeX are gone.
_HELD = {"{": "\ue001", "}": "\ue002", "$": "\ue003", "~": "\ue004", "_": "\ue005", "^": "\ue006", "\\": "\ue007"}
_RELEASE = str.maketrans({held: sign for sign, held in _HELD.items()})
_FOREIGN_HELD = re.compile("[\ue001-\ue007]")

_NEEDS = re.compile(r"[\\{}$~]|--|``|''")
_BASE = r"(?:\{\s*(\\[ij](?![A-Za-z])|[^\W\d_])\s*\}|(\\[ij])(?:\{\}|\s+|(?![A-Za-z]))|([^\W\d_]))"
_ACCENT_SIGN = re.compile(rf"""\\([`'^~=."])\s*{_BASE}""")
_ACCENT_LETTER = re.compile(rf"\\(ocirc|[uvHcdbkr])(?=\s|\{{)\s*{_BASE}")
_MATH = re.compile(r"\$(?=\S)([^$]{1,400})(?<=\S)\$(?!\d)")
_SURE_MATH = re.compile(r"(?<!\\)\$((?:[^$\\]|\\[^$]){0,200}?[\\^_](?:[^$\\]|\\[^$]){0,200}?)(?<!\\)\$")
"""Math beyond doubt: it holds a command or a script. A lone "$" elsewhere may be a price."""
_OPERATOR = re.compile(r"(?<!\\)\$([-+=<>]{1,2})\$")
_ENDS_IN_COMMAND = re.compile(r"\\[A-Za-z]+\Z")
_QUOTED = re.compile(r"\\(?:enquote|mkbibquote)\*?\s*\{([^{}]*)\}")
_MATH_SCRIPT = re.compile(r"([\^_])\s*(?:\{([^{}]*)\}|([A-Za-z0-9+-]))")
_TEXT_SCRIPT = re.compile(r"\\text(super|sub)script\s*(?:\{([^{}]*)\}|([A-Za-z0-9]))")
_LINK = re.compile(r"\\href\s*\{[^{}]*\}\s*(?=\{)")
_TIE = re.compile(r"(?<=\S)~(?=\S)")
_COMMAND = re.compile(r"\\([A-Za-z]+)(?:\{\}|(?=[^A-Za-z\s])|\s+|\Z)")
_ESCAPED = re.compile(r"\\([{}$~_^&%#])")
_SMALL_SPACE = re.compile(r"\\[,;:! ]|\\/|\\-")


def latex_to_unicode(text: str) -> str:
    """`text` with LaTeX commands as the characters they print, braces and math signs removed.

    Decoding, so not idempotent: `\\textbackslash{}alpha` prints "\\alpha". Text without LaTeX comes back unchanged
    ("100% sure" too).
    """
    if not _NEEDS.search(text):
        return text
    text = _FOREIGN_HELD.sub("", text)
    if "$" in text:
        text = _OPERATOR.sub(r"\1", text)
        text = _SURE_MATH.sub(lambda found: _math(found) + ("{}" if _ENDS_IN_COMMAND.search(found[1]) else ""), text)
    if "\\" in text:
        text = _LINK.sub("", text.replace("\\\\", " "))
        text = _QUOTED.sub(r"“\1”", text)
        text = _ACCENT_LETTER.sub(_accented, _ACCENT_SIGN.sub(_accented, text))
        text = _ESCAPED.sub(lambda found: _HELD.get(found[1], found[1]), text)
        text = _TEXT_SCRIPT.sub(lambda m: _script(m[1] == "super", m[2] if m[2] is not None else m[3]), text)
        text = _COMMAND.sub(_word, _SMALL_SPACE.sub(_small_space, text))
    if "$" in text:
        text = _MATH.sub(_math, text)
    text = text.replace("---", "—").replace("--", "–").replace("``", "“").replace("''", "”")
    text = _TIE.sub("\u00a0", text.replace("{", "").replace("}", ""))
    return text.translate(_RELEASE)


def _accented(found: re.Match[str]) -> str:
    letter = found[2] or found[3] or found[4]
    letter = letter[1:] if letter.startswith("\\") else letter
    return unicodedata.normalize("NFC", letter + _ACCENTS[found[1]])


def _small_space(found: re.Match[str]) -> str:
    return "" if found[0] in ("\\!", "\\/", "\\-") else " "


def _word(found: re.Match[str]) -> str:
    name = found[1]
    if name in _TRANSPARENT:
        return ""
    sign = _WORDS.get(name)
    if sign is None:
        return found[0]
    return _HELD.get(sign, sign)


def _math(found: re.Match[str]) -> str:
    return _MATH_SCRIPT.sub(lambda m: _script(m[1] == "^", m[2] if m[2] is not None else m[3]), found[1])


def _script(raised: bool, content: str) -> str:
    """A raised or lowered part as Unicode; where there are no such signs "^" or "_" stays, so that 10^6 is not 106."""
    table = _SUPERSCRIPT if raised else _SUBSCRIPT
    if content and all(sign in table for sign in content):
        return "".join(table[sign] for sign in content)
    return _HELD["^" if raised else "_"] + content

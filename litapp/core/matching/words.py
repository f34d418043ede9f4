"""Words of a title: how they are cut, folded and aligned."""

from __future__ import annotations

import html
import re
import unicodedata
from dataclasses import dataclass

from rapidfuzz.distance import Indel

from litapp.core.latex import latex_to_unicode
from litapp.core.matching.mojibake import repair_mojibake
from litapp.core.matching.verdicts import WordDiff
from litapp.core.normalise import strip_status_prefix, strip_tags, title_key

ARTICLES = frozenset({"a", "an", "the"})

_GREEK_RUN = re.compile("(?<![\u0370-\u03ff])[\u03b1-\u03c9\u0391-\u03a9]{2,3}(?![\u0370-\u03ff])")
_BREAK = re.compile(
    r"(?<=\w):(?=\s)|\s:\s|\s[–—-]{1,3}\s|—|(?<=[?!])\s|(?<=\w\w)\.\s(?=\W*[A-Z\d])|(?<=\w\w\w)\.\s|(?<=\w\))[.:]\s|;\s"
)
_THOUSANDS = re.compile(r"(?<=\d)[,\u00a0\u2009\u202f ](?=\d{3}(?!\d))")
_DECIMAL = re.compile(r"\d+(?:[.,·]\d+)+")
_SIGNED = re.compile(r"(\w+)\s?(\+|[-\u2212\u207b](?=[\s,.;:)/]|\Z))")
_RELATION = re.compile(r"[<>≤≥≦≧]")
_DIGITS = re.compile(r"\d+")
_HANGING_HYPHEN = re.compile(r"(?<=[^\W\d_]{2})[-\u2010\u2011]\s+(?=[a-zà-ÿ])")
_SUBJECT_CODES = re.compile(r"(?:\s+(?:0[1-9]|1\d|2[0-2])(?:\d\d)?\s+[A-Z][A-Za-z, ]+?(?=\s+\d|\s*\Z)){2,}\s*\Z")
"""Field-of-research codes that one publisher's deposits left at the end of titles."""
_TAIL_MARK = re.compile(
    r"\s*[\[(]\s*(?:in [a-z]+(?:,? with [a-z ]+)?|see comments?|letters?|abstracts?|editorial|comments?|correspondence|"
    r"corrected(?: and republished)?|reviews?|\d+ ref(?:erence)?s|(?:provisional|structured) abstract|brief record|"
    r"(?:published )?erratum appears [^\])]*|author'?s? transl\.?|transl\.?|proceeding|article|"
    r"(?:chinese|french|german|japanese|korean|polish|portuguese|russian|spanish|italian|turkish|dutch|czech|hungarian))"
    r"\s*[\])]\s*[.;:]?\s*\Z",
    re.IGNORECASE,
)


_MASS = r"3|11|13|14|15|18|32|35|64|67|68|82|89|90|99m|111|123|124|125|131|177|201|223"
_ELEMENT = r"H|C|N|O|F|P|S|Cu|Ga|Rb|Zr|Y|Tc|In|I|Lu|Tl|Ra"
_ISOTOPE = re.compile(rf"[(\[]*\b({_MASS})[)\]]?[- ]?({_ELEMENT})\b[)\]]?|\b({_ELEMENT})-\(?({_MASS})\b\)?")
_OR_EQUAL = re.compile(r"([<>])\s*or\s*=")
_JOINING_PLUS = re.compile(r"(?<=[A-Za-z])\+(?=[A-Za-z])")


def _in_one_form(text: str) -> str:
    """Isotopes ("[11C]", "C-11", "(11)C"), "> or =" and a joining plus sign written in one way."""
    if "+" in text:
        text = _JOINING_PLUS.sub(" plus ", text)
    if "<" in text or ">" in text:
        text = _OR_EQUAL.sub(r"\1=", text)
    return _ISOTOPE.sub(lambda f: f" {f[2] or f[3]}{f[1] or f[4]} ", text)


@dataclass(frozen=True, slots=True)
class TitleWords:
    """A title ready for comparison.

    `words` are folded; `breaks` the numbers of words before each colon, dash or full stop (where a subtitle may start);
    `joined` the words without blanks; `digits` all runs of digits in order; `decimals` the numbers with a decimal
    point; `plus`/`minus` what carries a sign ("her2"); `relations` the signs < > in order.
    """

    words: tuple[str, ...]
    joined: str
    breaks: tuple[int, ...] = ()
    digits: tuple[str, ...] = ()
    decimals: tuple[str, ...] = ()
    plus: frozenset[str] = frozenset()
    minus: frozenset[str] = frozenset()
    relations: str = ""


def readable(text: str) -> str:
    """A title as a reader sees it: without markup, LaTeX, entities, status prefix and closing mark ("[letter]")."""
    if "\\" in text or "{" in text:
        text = latex_to_unicode(text)
    if "&" in text:
        text = html.unescape(html.unescape(text))
    text = strip_tags(text)
    if not text.isascii():
        text = repair_mojibake(text)
        text = unicodedata.normalize("NFKC", text.replace("\u00ad", ""))
    text = strip_status_prefix(text)
    if any(map(str.isdigit, text[-80:])) or "Sciences" in text:
        text = _SUBJECT_CODES.sub("", text)
    while "[" in text or "(" in text:
        shorter = _TAIL_MARK.sub("", text)
        if shorter == text or not shorter.strip():
            break
        text = shorter
    return text.strip()


def _greek_names(text: str) -> str:
    return _GREEK_RUN.sub(lambda found: "".join(title_key(letter) for letter in found[0]), text)


def title_words(text: str) -> TitleWords:
    """Cut and fold one title."""
    text = readable(text)
    if not text.isascii():
        text = _greek_names(text)
    decimals: tuple[str, ...] = ()
    has_digit = any(map(str.isdigit, text))
    if has_digit:
        text = _in_one_form(_THOUSANDS.sub("", text))
        decimals = tuple(number.replace("·", ".").replace(",", ".") for number in _DECIMAL.findall(text))
    words: list[str] = []
    breaks: list[int] = []
    for part in _BREAK.split(text):
        if words:
            breaks.append(len(words))
        words += title_key(part).split()
    joined = "".join(words)
    plus: frozenset[str] = frozenset()
    minus: frozenset[str] = frozenset()
    if "+" in text or "\u2212" in text or "- " in text or "-," in text or "-)" in text or text.endswith("-"):
        signs = _SIGNED.findall(text)
        plus = frozenset(title_key(word) for word, sign in signs if sign == "+")
        minus = frozenset(title_key(word) for word, sign in signs if sign != "+")
    relations = "".join(_RELATION.findall(text)) if not text.isalpha() else ""
    return TitleWords(
        words=tuple(words),
        joined=joined,
        breaks=tuple(at for at in breaks if at < len(words)),
        digits=tuple(_DIGITS.findall(" ".join(words))) if has_digit else (),
        decimals=decimals,
        plus=plus,
        minus=minus,
        relations=relations,
    )


def _display_words(text: str) -> list[str]:
    return readable(_HANGING_HYPHEN.sub("", text)).split()


def diff_words(ours: str, theirs: str) -> tuple[WordDiff, ...]:
    """Word-level difference for display: runs that are the same, only ours, only theirs; markup is dropped.

    Words that differ only in case, accents or punctuation count as the same and are shown as ours.
    """
    left, right = _display_words(ours), _display_words(theirs)
    runs: list[WordDiff] = []
    operations = Indel.opcodes([title_key(word) for word in left], [title_key(word) for word in right])
    for operation in operations:
        ours_run = " ".join(left[operation.src_start : operation.src_end])
        theirs_run = " ".join(right[operation.dest_start : operation.dest_end])
        if operation.tag == "equal":
            runs.append(WordDiff("same", ours_run))
            continue
        if ours_run:
            runs.append(WordDiff("ours", ours_run))
        if theirs_run:
            runs.append(WordDiff("theirs", theirs_run))
    return _tidy(runs)


def _tidy(runs: list[WordDiff]) -> tuple[WordDiff, ...]:
    """Between two equal runs: what is ours first, then what is theirs, each in one run."""
    tidy: list[WordDiff] = []
    pending: dict[str, list[str]] = {"ours": [], "theirs": []}
    for run in [*runs, WordDiff("same", "")]:
        if run.kind != "same":
            pending[run.kind].append(run.text)
            continue
        for kind, texts in pending.items():
            if texts:
                tidy.append(WordDiff(kind, " ".join(texts)))
                texts.clear()
        if run.text:
            tidy.append(run)
    return tuple(tidy)

"""Comparison of years, volumes, issues and pages."""

from __future__ import annotations

import re

from litapp.core.matching.spelling import ROMAN
from litapp.core.matching.verdicts import Agreement

_DASH = re.compile("\\s*[-\u00ad\u2010-\u2015\u2212\u2e3a\u2e3b\ufe58\ufe63\uff0d\u02d7~]+\\s*")
_PAGE_WORD = re.compile(
    r"\b(?:pp?|pgs?|pages?|seiten?|s|article(?:\s+(?:no|number|id))?|art(?:\.?\s*(?:no|id))?|no|paper|id|e-?pub|"
    r"epub\s+ahead\s+of\s+print)\b\.?\s*:?\s*",
    re.IGNORECASE,
)
_AHEAD = re.compile(
    r"(?:e-?pub|ahead of print|in press|online first|early (?:view|online|access)|forthcoming|n/?a)\b", re.IGNORECASE
)
_LEAD = re.compile(r"([a-z]{0,8}?)[ .:_]*0*(\d+)([a-z]?)")
_ARTICLE_NUMBER = re.compile(r"[a-z]{1,4}\.?\d{3,}|\d{6,}", re.IGNORECASE)
_SUPPLEMENT = re.compile(r"suppl?(?:ement(?:al|um)?)?\.?", re.IGNORECASE)
_PART = re.compile(
    r"\b(?:pt|part|no|nr|issue|iss|number|vol|volume|band|bd|heft|h|jahrg\w*|tome?|t|v)\b\.?\s*(?=[\divxl])",
    re.IGNORECASE,
)


def compare_years(ours: set[int], theirs: set[int]) -> tuple[Agreement, str]:
    """Any year that a source carries (print, online) is right; one year off is a note, more is wrong."""
    if not ours or not theirs:
        return Agreement.ABSENT, ""
    if ours & theirs:
        return Agreement.SAME, ""
    gap = min(abs(a - b) for a in ours for b in theirs)
    known = ", ".join(map(str, sorted(theirs)))
    if gap == 1:
        return Agreement.VARIANT, f"Year: one year from the source's ({known}), as with print and online dates."
    return Agreement.DIFFERS, f"Year: {', '.join(map(str, sorted(ours)))} where the source has {known}."


def first_page(pages: str) -> tuple[str, str]:
    """(letters before, digits of) the first page or article number, leading zeros dropped; ("", "") if unreadable."""
    text = _PAGE_WORD.sub("", _DASH.sub("-", pages.strip().lower()))
    found = _LEAD.match(text.strip(" .,:;()[]"))
    return (found[1], found[2]) if found else ("", "")


def compare_pages(ours: str, theirs: str, *, theirs_final: bool = True) -> tuple[Agreement, str]:
    """The first page or article number decides. Pages of the online version ("1-9") and counts of pages are only notes:
    on our side always, on theirs where the source's record is not final (`theirs_final`: it has a volume)."""
    if not ours.strip() or not theirs.strip() or _AHEAD.search(ours) or _AHEAD.search(theirs):
        return Agreement.ABSENT, ""
    left, right = _spans(ours), _spans(theirs)
    if not left or not right:
        same = "".join(ours.lower().split()) == "".join(theirs.lower().split())
        return (Agreement.SAME, "") if same else (Agreement.ABSENT, "")
    if left == right:
        return Agreement.SAME, ""
    (letters_a, start_a, end_a), (letters_b, start_b, end_b) = left, right
    if start_a == start_b and _letters_fit(letters_a, letters_b):
        if end_a and end_b and _whole_end(start_a, end_a) != _whole_end(start_b, end_b):
            return Agreement.VARIANT, f"Pages: first page agrees, last page {end_a} where the source has {end_b}."
        return Agreement.VARIANT, "Pages: written differently."
    if _run_together(left, right) or _run_together(right, left):
        return Agreement.VARIANT, "Pages: the dash is lost on one side."
    if _ahead_of_print(left, right) or (not theirs_final and _ahead_of_print(right, left)):
        return Agreement.VARIANT, "Pages: one side gives pages of the online version or a count of pages."
    return Agreement.DIFFERS, f"Pages: {ours.strip()} where the source has {theirs.strip()}."


def _spans(pages: str) -> tuple[str, str, str] | None:
    text = _DASH.sub("-", _PAGE_WORD.sub("", pages.strip().lower())).strip(" .,:;()[]")
    text = re.split(r"[,;]", text, maxsplit=1)[0]
    start, _, end = text.partition("-")
    found = _LEAD.fullmatch(start.strip()) or _LEAD.match(start.strip())
    if not found:
        return None
    digits = re.search(r"\d+", end)
    return found[1] + found[3], found[2], digits[0] if digits else ""


def _run_together(a: tuple[str, str, str], b: tuple[str, str, str]) -> bool:
    """`a` is first and last page of `b` without the dash ("907916" for 907-916), as copied text has them."""
    (letters, start, end), (_, first, last) = a, b
    return not letters and not end and bool(last) and start in (first + last, first + _whole_end(first, last))


def _letters_fit(a: str, b: str) -> bool:
    return a == b or not a or not b or {a, b} <= {"e", "article", "art", "ce", ""}


def _whole_end(start: str, end: str) -> str:
    return start[: len(start) - len(end)] + end if len(end) < len(start) else end


def _ahead_of_print(a: tuple[str, str, str], b: tuple[str, str, str]) -> bool:
    """`a` is "1-9" (pages counted within an online article) or one small number (a count of pages)."""
    letters, start, end = a
    if letters:
        return False
    if start == "1" and end and int(end) <= 60:
        return True
    counted = int(_whole_end(b[1], b[2])) - int(b[1]) + 1 if b[2] and len(b[1]) < 10 and len(b[2]) < 10 else 0
    return not end and len(start) <= 2 and (int(start) == counted or (not b[2] and len(b[1]) >= 4))


def _number(text: str) -> tuple[str, bool]:
    """(the number in normal form, is a supplement)."""
    text = text.strip().lower()
    supplement = bool(_SUPPLEMENT.search(text)) or bool(re.fullmatch(r"s\d{1,3}", text))
    text = _SUPPLEMENT.sub(" ", text)
    text = _PART.sub(" ", _DASH.sub("-", text))
    text = re.sub(r"[^a-z0-9-]+", " ", text).strip(" -")
    text = re.sub(r"\bs(?=\d)", "", text) if supplement else text
    text = ROMAN.get(text, text) if len(text) > 1 or text in ("v", "x", "i") else text
    return re.sub(r"\b0+(?=\d)", "", text), supplement


def compare_numbers(name: str, ours: str, theirs: str, *, years: frozenset[int] = frozenset()) -> tuple[Agreement, str]:
    """Compare volumes or issues. A double number ("3-4") agrees with either; a volume given as the year is a note."""
    if not ours.strip() or not theirs.strip():
        return Agreement.ABSENT, ""
    if name == "Issue" and (_ARTICLE_NUMBER.fullmatch(ours.strip()) or _ARTICLE_NUMBER.fullmatch(theirs.strip())):
        return Agreement.ABSENT, ""
    (left, extra_a), (right, extra_b) = _number(ours), _number(theirs)
    if left == right and extra_a == extra_b:
        return Agreement.SAME, ""
    if left == right or not left or not right:
        return Agreement.VARIANT, f"{name}: supplement marked on one side only."
    parts_a, parts_b = set(re.findall(r"\w+", left)), set(re.findall(r"\w+", right))
    if parts_a & parts_b:
        return Agreement.VARIANT, f"{name}: written differently."
    if name == "Volume" and any(text.isdigit() and int(text) in years for text in (left, right)):
        return Agreement.VARIANT, "Volume: one side gives the year."
    if not re.search(r"\d", left) or not re.search(r"\d", right):
        return Agreement.ABSENT, ""
    return Agreement.DIFFERS, f"{name}: {ours.strip()} where the source has {theirs.strip()}."

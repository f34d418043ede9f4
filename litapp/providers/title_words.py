"""The words of a title or a name worth searching for, at sources that match words exactly."""

from __future__ import annotations

import re

from litapp.core.normalise import strip_tags

_STOP_WORDS = frozenset(
    """a an and are as at be by can do does for from has have how in into is it its of on or that the their to versus vs
    was were what when which with without not""".split()  # noqa: SIM905 - reads better than 40 quotes
)
_WORD = re.compile(r"[^\W_]+(?:-[^\W_]+)*")
_INITIALS = re.compile(r"\s+(?:[A-Z]\.?[\s-]?){1,4}\Z")


def title_words(title: str) -> list[str]:
    """The telling words of a title, lower case, in order, each once; hyphenated words stay whole."""
    words = (word.lower() for word in _WORD.findall(strip_tags(title).replace("'", " ")))
    return list(dict.fromkeys(w for w in words if w not in _STOP_WORDS and (len(w) > 1 or w.isdigit())))


def longest_words(words: list[str], count: int) -> list[str]:
    """The `count` longest of the words, the longest first: what a misspelt or shortened title still has in common."""
    return sorted(words, key=len, reverse=True)[:count]


def family_name(author: str) -> str:
    """The family name within "Horby, Peter", "Horby P" or "Horby"; other forms are taken as they are."""
    return _INITIALS.sub("", " ".join(author.split(",")[0].replace('"', " ").split()))

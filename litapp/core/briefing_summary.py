"""Whether a model's summary may stand: its length, and no figure that the abstract does not hold. Pure."""

from __future__ import annotations

import re

_FIGURE = re.compile(r"\d+(?:[.,·]\d+)*")
_REFUSAL = re.compile(
    r"^(?:i(?:'|’)?m sorry|i am sorry|sorry,|i can(?:no|')?t|i am unable|i'm unable|as an ai|"
    r"i do not have|please provide)",
    re.IGNORECASE,
)


def summary_problem(text: str, *, title: str, abstract: str, fewest: int, most: int) -> str:
    """Why a summary is not used, as the end of the sentence "No AI summary: …"; "" = it may stand."""
    if _REFUSAL.match(text.strip()):
        return "the model refused"
    words = len(text.split())
    if not fewest <= words <= most:
        return f"the answer had {words} words in place of {fewest} to {most}"
    known = set(map(_plain, _FIGURE.findall(f"{title} {abstract}")))
    strange = [figure for figure in _FIGURE.findall(text) if _plain(figure) not in known]
    if strange:
        return f"the answer holds a figure that the abstract does not: {strange[0]}"
    return ""


def _plain(figure: str) -> str:
    """A figure without the signs that part thousands, and with a point for decimals."""
    bare = re.sub(r"[,](?=\d{3}\b)", "", figure.replace("·", "."))
    return bare.replace(",", ".").rstrip(".")


def ai_label(provider: str, model: str, day: str) -> str:
    """What stands beside every summary of a model. Source: issue 8."""
    return f"AI summary: {provider}, {model}, {day}; check against the abstract"

"""Volume, issue, pages and year within a citation, and the text that stands before them (the journal's name)."""

from __future__ import annotations

import re
from dataclasses import dataclass

_PAGE = r"[A-Za-z]{0,3}\d[\dA-Za-z.]{0,19}"
_PAGES = rf"{_PAGE}(?:\s?[-\u2010-\u2015\u2011]\s?{_PAGE})?(?![\dA-Za-z])"
_MONTH = r"(?:\s+(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\w*\.?(?:[-\u2013/ ]\w{3,9})?(?:\s+\d{1,2})?)?"
_VOLUME = r"\d{1,4}(?:-?[A-Za-z])?(?:\s?[-\u2013/]\s?\d{1,4})?"
_ISSUE = r"(?:\s?\(\s?(?P<issue>[^()]{1,25}?)\s?\))?"
_NUMBER = (
    r"(?:,?\s(?:no|nr|n\u00b0|iss(?:ue)?)\.?\s?"
    r"(?P<issue>(?:(?:Pt|Part|Suppl\w*)\.?\s?)?[\w./-]{1,14}(?:\s(?:Pt|Part|Suppl)\.?\s?\w{0,3})?))?"
)
_WITH_NUMBER = _NUMBER.removesuffix("?")
_YEAR_IN = r"(?:[A-Z]\w{2,8}\.?\s)?(?P<year>(?:1[6-9]|20)\d\d)"
_SUPPLEMENT = r"(?:\s?(?:Suppl?\.?(?:ement)?|Pt\.?)\s?\w{0,3})?"

_FORMS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        # 2014;112(5): 842-51    2010. 636(1-3): 96-101    2001; 95: 233-41    2009;35(3): 212
        rf"(?P<year>(?:1[6-9]|20)\d\d){_MONTH}\s?[;.,]\s?(?:vol\.?\s*)?(?P<volume>{_VOLUME}){_SUPPLEMENT}{_ISSUE}\s?[:,]\s?(?:pp?\.?\s*)?(?P<pages>{_PAGES})",
        # vol. 98, no. 2, pp. 126-137, 2015
        rf"vol(?:ume)?\.?\s*(?P<volume>{_VOLUME})(?:\s?,?\s*(?:no|n\u00b0|nr|issue|iss)\.?\s*(?P<issue>[\w-]{{1,12}}))?(?:,\s(?:[A-Z]\w{{2,8}}\.?\s)?(?P<year>(?:1[6-9]|20)\d\d)(?=,))?(?:\s?,?\s*(?:(?:pp?|pages?|art(?:icle)?)\.?\s*(?:no\.?\s*)?(?P<pages>{_PAGES})))?",
        # 48, no. 5 (1978): 773-8    48, no. Pt 4 (1978)
        rf"(?<![\w(/-])(?P<volume>{_VOLUME}){_NUMBER}\s?\({_YEAR_IN}\)\s?[:,]?\s?(?:pp?\.?\s*)?(?P<pages>{_PAGES})",
        rf"(?<![\w(/-])(?P<volume>{_VOLUME}){_WITH_NUMBER}\s?\({_YEAR_IN}\)(?=[.,;]|\s*\Z)",
        # 102 (2013)    8(2) (2013)
        rf"(?<=[^\W\d]\s)(?P<volume>{_VOLUME}){_ISSUE}\s\((?P<year>(?:1[6-9]|20)\d\d)\)(?=[.,;]|\s*\Z)",
        # 26: 5988-93, 2008      30, 194-202      24, 270-275 (2003)    8(2):e1001
        rf"(?<![\w(/-])(?<!pp\.\s)(?P<volume>{_VOLUME}){_SUPPLEMENT}{_ISSUE}\s?[:,]\s?(?:pp?\.?\s*)?(?P<pages>{_PAGES})(?!\s?\((?!(?:1[6-9]|20)\d\d\)))",
        # 2014;112(5)
        rf"(?P<year>(?:1[6-9]|20)\d\d){_MONTH}\s?;\s?(?P<volume>{_VOLUME}){_SUPPLEMENT}{_ISSUE}(?=\s*[.,]|\s*\Z)",
        # , 7(23).    , 7.
        rf"(?<=\w)[,.]\s(?P<volume>{_VOLUME})(?:\s?\(\s?(?P<issue>[^()]{{1,25}}?)\s?\))?(?=\s*\.?\s*\Z)",
        # 2014:842-51
        rf"(?P<year>(?:1[6-9]|20)\d\d){_MONTH}\s?[:;]\s?:?\s?(?P<pages>{_PAGES})(?!\s?\()",
        rf"(?<!\w)(?:pp?\.|pages)\s*(?P<pages>{_PAGES})",
    )
)
_YEAR = re.compile(r"(?<![-\u2013\d])(?<!pp\. )[(\[]?\b((?:1[6-9]|20)\d\d)[a-z]?\b(?!\s?[-\u2013]\s?\d)[)\]]?")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a paper stands, as the text says.

    `before` is the text in front of it; `found` = a place or year stands there.
    """

    volume: str = ""
    issue: str = ""
    pages: str = ""
    year: int | None = None
    before: str = ""
    found: bool = False


def place_in(text: str) -> Place:
    """The first place in `text`, which is what follows the title. Only forms that are in common use are read."""
    year_at = _YEAR.search(text)
    for form in _FORMS:
        found = form.search(text)
        if found is None:
            continue
        parts = found.groupdict()
        volume, pages = parts.get("volume") or "", parts.get("pages") or ""
        if re.fullmatch(r"(?:1[6-9]|20)\d\d[a-z]?", volume) and not parts.get("year"):
            continue
        start = found.start()
        if year_at and pages and found.start("pages") <= year_at.start() < found.end("pages"):
            year_at = _YEAR.search(text, found.end("pages"))
        year = int(parts["year"]) if parts.get("year") else int(year_at[1]) if year_at else None
        if year_at and year_at.start() < start:
            start = year_at.start()
        return Place(_tidy(volume), _tidy(parts.get("issue") or ""), _tidy(pages), year, text[:start], True)
    if year_at:
        return Place(year=int(year_at[1]), before=text[: year_at.start()], found=True)
    return Place(before=text)


def _tidy(value: str) -> str:
    return re.sub(r"\s?[\u2010-\u2015]\s?", "-", value).strip(" .")

"""Sees what looks like details of a patient in a text that is about to be sent: names, birth dates, record numbers.

A guess that warns, by patterns only: it finds neither every name nor only names. The person decides.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum


class Detail(StrEnum):
    """What something looks like."""

    NAME = "a person's name"
    BIRTH_DATE = "a date of birth or of a visit"
    RECORD_NUMBER = "a record or identity number"
    CONTACT = "an address or telephone number"


@dataclass(frozen=True, slots=True)
class Suspicion:
    """One place that looks like a detail of a patient."""

    kind: Detail
    text: str
    start: int
    end: int


_GIVEN_NAMES = (
    "Adam|Ahmed|Albert|Alex|Alexander|Ali|Alice|Amy|Ana|Andrea|Andrew|Angela|Anita|Ann|Anna|Anne|Anthony|Antonio|"
    "Barbara|Ben|Benjamin|Bernd|Brian|Carlos|Carol|Caroline|Catherine|Charles|Chen|Christina|Christine|Claire|"
    "Claudia|Daniel|David|Deborah|Diana|Donald|Dorothy|Edward|Elena|Elizabeth|Emily|Emma|Eric|Eva|Fatima|"
    "Francesca|Frank|Gary|George|Gerald|Giovanni|Hannah|Hans|Hassan|Heinz|Helen|Helga|Henry|Ibrahim|Irene|Jack|"
    "James|Jan|Jane|Janet|Jean|Jennifer|Jessica|Jim|Joan|Johann|John|Jonathan|Jose|José|Joseph|Juan|Judith|Julia|"
    "Julie|Karen|Karl|Katherine|Kathleen|Keith|Kenneth|Kevin|Khaled|Klaus|Larissa|Laura|Lee|Li|Linda|Lisa|Louise|"
    "Lucy|Luis|Manfred|Margaret|Maria|Marie|Mario|Mark|Martha|Martin|Mary|Matthew|Maurice|Michael|Michelle|"
    "Mohamed|Mohammed|Monika|Nancy|Nicole|Olga|Omar|Pamela|Patricia|Paul|Pedro|Peter|Petra|Philip|Rachel|Ralph|"
    "Raymond|Rebecca|Richard|Robert|Roger|Ronald|Rosa|Ruth|Sabine|Samuel|Sandra|Sara|Sarah|Sharon|Sofia|Stephen|"
    "Steven|Susan|Susanne|Thomas|Timothy|Ursula|Wang|Werner|William|Wolfgang|Yusuf|Zhang"
)
"""Frequent given names of several languages. With a capitalised word behind them they look like a person."""
_MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
_CAPITAL = r"[A-ZÀ-ÖØ-Þ][a-zß-öø-ÿ'’]+(?:-[A-ZÀ-ÖØ-Þ][a-zß-öø-ÿ]+)?"
_PATTERNS = (
    (
        Detail.NAME,
        re.compile(
            rf"\b(?:Mr|Mrs|Ms|Miss|Mister|Herr|Frau|Mme|Monsieur|Madame|Señora?|Sig(?:nora)?)\.?\s+{_CAPITAL}(?:\s+{_CAPITAL})?"
        ),
    ),
    (
        Detail.NAME,
        re.compile(
            rf"\b(?:[Pp]atient|[Nn]amed?|[Cc]alled)(?:\s+is)?[:,]?\s+{_CAPITAL}(?:\s+{_CAPITAL}|,\s*{_CAPITAL})"
        ),
    ),
    (Detail.NAME, re.compile(rf"\b(?:{_GIVEN_NAMES})\s+(?:[A-Z]\.\s*)?{_CAPITAL}")),
    (Detail.NAME, re.compile(r"(?:姓名|患者姓名|病人)[:\uff1a\s]*[\u4e00-\u9fff]{2,4}")),
    (
        Detail.BIRTH_DATE,
        re.compile(
            r"\b(?:born|d\.?o\.?b\.?|date of birth|birth ?da(?:te|y)|geb(?:oren)?\.?(?: am)?)\b[\s:on]*[\d./-]{4,12}",
            re.IGNORECASE,
        ),
    ),
    (Detail.BIRTH_DATE, re.compile(r"(?<![\d./-])\d{1,2}([./-])\d{1,2}\1(?:\d{4}|\d{2})(?![\d./-])")),
    (Detail.BIRTH_DATE, re.compile(r"(?<![\d-])(?:19|20)\d{2}([-/.])\d{1,2}\1\d{1,2}(?![\d-])")),
    (Detail.BIRTH_DATE, re.compile(rf"\b\d{{1,2}}(?:st|nd|rd|th)?\.?\s+(?:{_MONTHS}),?\s+(?:19|20)\d{{2}}\b")),
    (Detail.BIRTH_DATE, re.compile(rf"\b(?:{_MONTHS})\s+\d{{1,2}}(?:st|nd|rd|th)?,?\s+(?:19|20)\d{{2}}\b")),
    (Detail.BIRTH_DATE, re.compile(r"(?:19|20)\d{2}年\d{1,2}月\d{1,2}日")),
    (
        Detail.RECORD_NUMBER,
        re.compile(
            r"\b(?:mrn|medical record|record|chart|case|file|patient|hospital|admission|insurance|nhs|ssn|passport)"
            r"(?:\s+(?:no|nr|number|id))?\.?\s*[:#]?\s*[A-Z]{0,3}-?\d{4,}",
            re.IGNORECASE,
        ),
    ),
    (Detail.RECORD_NUMBER, re.compile(r"(?<![\d-])\d{3}-\d{2}-\d{4}(?![\d-])")),
    (Detail.RECORD_NUMBER, re.compile(r"(?<!\d)\d{3} \d{3} \d{4}(?!\d)")),
    (Detail.RECORD_NUMBER, re.compile(r"(?<![\w./:-])(?<!PMID )(?<!pmid )\d{6,18}[\dXx]?(?![\w])")),
    (Detail.CONTACT, re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")),
    (Detail.CONTACT, re.compile(r"(?<!\w)\+\d{1,3}[\s\d()/-]{7,}\d")),
)


_GIVEN_NAME = re.compile(rf"(?:{_GIVEN_NAMES})\b")
_WRITTEN_DATE = re.compile(rf"(?:19|20)\d{{2}}\D|.*\b(?:{_MONTHS})\b")
_BARE_NUMBER = re.compile(r"\d{6,18}[\dXx]?")


def patient_details(text: str, *, citation: bool = False) -> tuple[Suspicion, ...]:
    """Every place that looks so, in order; where several patterns meet, the first of the list wins.

    With `citation` the text names a paper: names without a title such as "Mrs", written dates and bare numbers belong
    there (authors, the day of publication, PMIDs) and raise no suspicion.
    """
    found: list[Suspicion] = []
    for kind, pattern in _PATTERNS:
        for match in pattern.finditer(text):
            start, end = match.span()
            if not any(start < other.end and other.start < end for other in found):
                found.append(Suspicion(kind, match.group().strip(), start, end))
    if citation:
        found = [one for one in found if not _of_a_citation(one)]
    return tuple(sorted(found, key=lambda suspicion: suspicion.start))


def _of_a_citation(one: Suspicion) -> bool:
    if one.kind is Detail.NAME:
        return _GIVEN_NAME.match(one.text) is not None
    if one.kind is Detail.BIRTH_DATE:
        return _WRITTEN_DATE.match(one.text) is not None
    return one.kind is Detail.RECORD_NUMBER and _BARE_NUMBER.fullmatch(one.text) is not None

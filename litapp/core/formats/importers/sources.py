"""Reads the source line of Ovid, Embase and PubMed ("Lancet. 382(9891):507-16, 2013 Aug 10."): journal, volume,
pages, date."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from litapp.core.formats.importers.dates import parse_date
from litapp.core.records import PartialDate

_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec|Spring|Summer|Autumn|Fall|Winter)[a-z]*\.?"
_V = r"(?P<volume>[A-Za-z]{0,2}\d[\w-]*)"
_I = r"(?:\s*\((?P<issue>(?!pp?\b|no pag)[^()]{1,60})\))?"
_P = r"(?P<pages>[A-Za-z]{0,4}\d[\w.]*(?:\s*[-–]\s*[A-Za-z]{0,4}\d[\w.]*)?(?:,\s*\d+(?:-\d+)?)*)"
_FORMS = tuple(
    re.compile(form, re.IGNORECASE if number else 0)
    for number, form in enumerate(
        (
            # BIOSIS, part of a book: "Editor [Editor]. Book.:371-397, 2004."
            rf"(?:.*\[Editor[^\]]*\][^.]*\.\s+)?(?P<journal>[^.]+)\.?:{_P},\s*(?P<date>\d{{4}})\.?",
            # Journals@Ovid: "Journal June 2019;1(6):123-456"
            rf"(?P<journal>.+?)\.?\s+(?P<date>(?:\d{{1,2}}\s+)?(?:{_MONTH}(?:\s*[-/]\s*{_MONTH})?\s*)?(?:\d{{1,2}},?\s+)?\d{{4}})\s*;\s*{_V}?{_I}\s*:?\s*{_P}?.*",
            # Embase.com: "Endoscopic Ultrasound (2014) 3:3 (152-160)"
            rf"(?P<journal>.+?)\s+\((?P<date>\d{{4}})\)\s*(?:{_V})?(?:\s*:\s*(?P<issue>[^\s(.,][^(.,]*?))?(?:\s*\(\s*(?:pp\.?\s*)?{_P}\s*\))?\s*(?:\.?\s*(?:Article Number|Art\.? no\.?):?\s*(?P<article>\w[\w.-]*).*)?\.?(?:\s*Date of Publication.*)?",  # noqa: E501
            # PubMed: "Lancet. 2013 Aug 10;382(9891):507-16. doi: …"
            rf"(?P<journal>.+?)\.\s+(?P<date>\d{{4}}[^;:]*)(?:[;:]\s*{_V}?{_I}\s*(?::\s*{_P})?)?(?:\s*[.;]\s.*|\.)?",
            # PsycINFO: "Journal. Vol.43(5), Sep 2015, pp. 623-634."
            rf"(?P<journal>.+?)\.\s+Vol\.?\s*{_V}{_I},?\s*(?P<date>[^,]*\d{{4}}),?\s*(?:(?:pp?\.?\s*)?{_P})?.*",
            # BIOSIS: "Journal. 201(2-3), November 22, 2004. 327-334."
            rf"(?P<journal>.+?)\.\s+(?:Vol\.?\s*)?{_V}{_I},\s*(?P<date>[A-Z][^;]*?\d{{4}})\.\s*{_P}?.*",
            # Embase on Ovid: "Journal. 3 (3) (pp 152-160), 2014. Date of Publication: July 2014."
            rf"(?P<journal>.+?)\.\s+(?:Conference:\s.*?\s)?(?:Vol\.?\s*)?{_V}{_I}\s*(?:\((?:pp?\.?\s*{_P}|no pagination)\))?\s*,\s*(?P<date>[^,.;]*\d{{4}})\b(?:.*?Article Number:\s*(?P<article>\w[\w-]*))?.*",  # noqa: E501
            # MEDLINE on Ovid: "Journal. 28(2):103-106, April 2015."; "345:e1234, 2012."
            rf"(?P<journal>.+?)\.\s+(?:Vol\.?\s*)?(?:{_V})?{_I}\s*:\s*{_P},?\s*(?P<date>[^;]*?\d{{4}}[^;]*?)\.?",
            rf"(?P<journal>.+?)\.\s+{_V}{_I}[,.]?\s*(?P<date>[A-Z][^;]*\d{{4}}|\d{{4}}[^;]*?)\.?",
        )
    )
)
_NOT_JOURNAL = re.compile(r"(?:\A|\s)\d+\s*\(|;|:\s*\d")


@dataclass(frozen=True, slots=True)
class Source:
    """What a source line states; empty where it does not say."""

    journal: str = ""
    volume: str = ""
    issue: str = ""
    pages: str = ""
    date: PartialDate = field(default_factory=PartialDate)


def parse_source(text: str) -> Source:
    """The parts of a source line. Where no known form fits, only what stands before the first full stop is the
    journal."""
    text = " ".join(text.split())
    if not text or len(text) > 2000:
        return Source()
    for form in _FORMS:
        found = form.fullmatch(text)
        if found:
            parts = {name: (value or "").strip(" .,") for name, value in found.groupdict().items()}
            if re.fullmatch(r"\d+pp?", parts.get("volume", ""), re.IGNORECASE):
                parts["volume"] = ""
            elif re.fullmatch(r"\d+-\d+", parts.get("volume", "")) and not (parts.get("issue") or parts.get("pages")):
                parts["volume"], parts["pages"] = "", parts["volume"]
            return Source(
                parts["journal"].split(". Conference:")[0].strip(" ."),
                parts.get("volume", ""),
                parts.get("issue", ""),
                parts.get("pages", "") or parts.get("article", ""),
                parse_date(parts.get("date", "")),
            )
    journal = text.split(". ")[0].strip(" .")
    return Source(
        "" if _NOT_JOURNAL.search(journal) else journal,
        date=parse_date(text) if re.search(r"\d{4}", text) else PartialDate(),
    )

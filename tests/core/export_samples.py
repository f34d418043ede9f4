"""References for the tests of exports: titles and names are made up, with every sign that formats trip over."""

from __future__ import annotations

from datetime import date
from typing import Any

from hypothesis import strategies as st

from litapp.core.formats.entry import ExportEntry
from litapp.core.records import Identifier, PartialDate, Person, Record, Scheme

NASTY_TITLE = (
    'Dexamethasone in <i>E. coli</i> &amp; COVID-19: R&D of {sic} 5% a_b #1 ~ 2^3 \\ <LOD> "q" for Crohn\'s vitamin C, '
    "p53 10<sup>6</sup>. mRNA in the Lancet."
)
SICI = "10.1002/(sici)1097-0142(19990101)85:1<3::aid-cncr2>3.0.co;2-#"


def record(title: str = "A plain title", **fields: Any) -> Record:
    values: dict[str, Any] = {
        "source": "pubmed",
        "source_id": "12",
        "title": title,
        "authors": (Person("van der Berg", "Jan"), Person("King", "Martin", "Jr"), Person(literal="Smith & Sons")),
        "journal": "Health & Care",
        "journal_abbreviation": "Health Care",
        "volume": "1",
        "issue": "2",
        "pages": "480-486",
        "date": PartialDate(2020, 3, 4),
        "issns": ("0028-4793",),
        "identifiers": (
            Identifier(Scheme.DOI, "10.5555/bug_48(1)"),
            Identifier(Scheme.PMID, "12"),
            Identifier(Scheme.PMCID, "PMC34"),
        ),
    }
    return Record(**{**values, **fields})


def verified(key: str = "Berg_2020_Plain", paper: Record | None = None, **fields: Any) -> ExportEntry:
    values = {"verified_by": ("crossref", "openalex"), "verified_on": date(2026, 1, 2)} | fields
    return ExportEntry(paper or record(), key, "verified", **values)


def retracted(key: str = "Berg_2020_Retracted", paper: Record | None = None, **fields: Any) -> ExportEntry:
    return ExportEntry(
        paper or record("A retracted title"),
        key,
        fields.pop("verdict", "unverified"),
        status="retracted",
        status_date="2020-06-05",
        notice_doi="10.5555/notice_1",
        **fields,
    )


TITLE_SIGNS = "abcABC mRNA 019-–—'’`\"“.,:;()[]{}<>/&$%#_~^\\|@!?=+*αßøŁ漢²\u00a0\n"
NASTY_TEXT = st.text(
    st.sampled_from(TITLE_SIGNS) | st.characters(codec="utf-8", exclude_categories=["C"]), min_size=1, max_size=40
)

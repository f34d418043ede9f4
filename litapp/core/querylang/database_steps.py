"""How a string is carried to a database without an interface and its records back: steps, fields to tick, obstacles.

Written from the vendors' help pages and the faults of real export files; without figures that change by contract.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from litapp.core.querylang.dialects import Dialect


@dataclass(frozen=True, slots=True)
class DatabaseSteps:
    """One database for a person who searches it by hand.

    `database`, `platform` are the names that the import form and PRISMA-S use. `file` says which kind of export to
    choose, `fields` what to tick there.
    """

    dialect: Dialect
    database: str
    platform: str
    address: str
    steps: tuple[str, ...]
    file: str
    fields: tuple[str, ...]
    obstacles: tuple[str, ...]


_FIELDS = (
    "title",
    "all authors",
    "journal",
    "year",
    "volume, issue, pages",
    "abstract",
    "DOI",
    "PMID or accession number",
    "index terms and keywords",
)
_IN_PORTIONS = (
    "Large results are exported in portions: take every range, and note how many records the database counted."
)
_OVID_STEPS = (
    "Choose the database, and “Advanced Search” with “Keyword”; switch “Map Term to Subject Heading” off.",
    "Paste one line of the string, press Search, then the next line. Keep the order: the lines count from 1.",
    "Note the day and the hits of the last line.",
    "Mark all records of the last line and choose Export.",
)
_OVID_OBSTACLES = (
    "The numbers of the lines must be those of the string: clear the search history first.",
    "Ovid writes its search lines between the records of an RIS file; the import reads past them.",
    _IN_PORTIONS,
)

STEPS: Mapping[Dialect, DatabaseSteps] = MappingProxyType(
    {
        steps.dialect: steps
        for steps in (
            DatabaseSteps(
                Dialect.OVID_MEDLINE,
                "MEDLINE",
                "Ovid",
                "https://ovidsp.ovid.com",
                _OVID_STEPS,
                "RIS",
                ("“Complete reference”", *_FIELDS),
                (
                    *_OVID_OBSTACLES,
                    "Choose “MEDLINE ALL”: the plain “MEDLINE” segment leaves out papers not yet indexed.",
                ),
            ),
            DatabaseSteps(
                Dialect.OVID_EMBASE,
                "Embase",
                "Ovid",
                "https://ovidsp.ovid.com",
                _OVID_STEPS,
                "RIS",
                ("“Complete reference”", *_FIELDS),
                (
                    *_OVID_OBSTACLES,
                    "Embase has Emtree headings: look each heading of the string up before you send it.",
                ),
            ),
            DatabaseSteps(
                Dialect.EMBASE_COM,
                "Embase",
                "Embase.com",
                "https://www.embase.com",
                (
                    "Open “Advanced” or “Results”, and paste the string into the search line.",
                    "Take every mapping option off: the string says itself what is exploded.",
                    "Note the day and the hits.",
                    "Select all results and choose Export.",
                ),
                "RIS",
                ("“Full record”", *_FIELDS),
                (
                    "Look each Emtree heading up: a MeSH heading may have another name there, or none.",
                    "Some RIS files of Embase.com lack the journal, or hold a line that is no field; the import tells.",
                    _IN_PORTIONS,
                ),
            ),
            DatabaseSteps(
                Dialect.CENTRAL,
                "Cochrane Central Register of Controlled Trials",
                "Cochrane Library",
                "https://www.cochranelibrary.com/advanced-search/search-manager",
                (
                    "Open the Search manager and paste one line of the string into each row.",
                    "Set the limits (years, “Trials”) at the row's own limit button: they are not part of the string.",
                    "Note the day and the hits under “Trials”.",
                    "Open the results, select all Trials and choose Export selected citations.",
                ),
                "RIS (EndNote)",
                ("“Include abstract”",),
                (
                    "All records of CENTRAL are trials: leave a filter for trials out.",
                    "The keyword field also holds index terms, so that more is found than by [tiab] in PubMed.",
                    _IN_PORTIONS,
                ),
            ),
            DatabaseSteps(
                Dialect.WEB_OF_SCIENCE,
                "Web of Science Core Collection",
                "Web of Science",
                "https://www.webofscience.com/wos/woscc/advanced-search",
                (
                    "Choose “Web of Science Core Collection” and note which editions your institution has.",
                    "Open Advanced search, paste the string into the query box and press Search.",
                    "Note the day and the hits.",
                    "Choose Export, RIS (other reference software), and a range of records.",
                ),
                "RIS",
                ("“Full record”", *_FIELDS),
                (
                    "There are no subject headings: headings became words, or are listed as lost.",
                    "The PMID stands only in records that came from MEDLINE.",
                    _IN_PORTIONS,
                ),
            ),
            DatabaseSteps(
                Dialect.SCOPUS,
                "Scopus",
                "Scopus",
                "https://www.scopus.com/search/form.uri?display=advanced",
                (
                    "Open Advanced document search and paste the string.",
                    "Note the day and the hits.",
                    "Select all and choose Export, RIS or CSV.",
                ),
                "RIS or CSV",
                ("Citation information", "Bibliographical information with PubMed ID", "Abstract and keywords"),
                (
                    "When Scopus reads AND NOT depends on its version: the parentheses of the string decide.",
                    "In a CSV file authors may be cut off after many names; the import says so.",
                    _IN_PORTIONS,
                ),
            ),
            DatabaseSteps(
                Dialect.CINAHL,
                "CINAHL",
                "EBSCOhost",
                "https://search.ebscohost.com",
                (
                    "Choose CINAHL alone, and Advanced search.",
                    "Switch “Apply equivalent subjects” and “Apply related words” off: they find other records.",
                    "Paste the string into the first box; choose no field beside it. Note the day and the hits.",
                    "Choose Share or Export for all results, as RIS.",
                ),
                "RIS",
                _FIELDS,
                (
                    "CINAHL has its own headings: look each heading of the string up.",
                    "Author keywords cannot be searched: less is found than by [tiab] in PubMed.",
                    "The export of all results comes by e-mail on some platforms.",
                    _IN_PORTIONS,
                ),
            ),
            DatabaseSteps(
                Dialect.EUROPE_PMC,
                "Europe PMC",
                "Europe PMC",
                "https://europepmc.org",
                (
                    "LitLedger searches Europe PMC itself when the plan names it as a source.",
                    "To look at it by hand, paste the string into the search box.",
                ),
                "RIS",
                ("nothing to tick",),
                ("Headings are not exploded there: narrower headings have to be named.",),
            ),
        )
    }
)
"""The databases that a plan's strings are made for, in the order in which they are shown."""

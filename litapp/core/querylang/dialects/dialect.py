"""The databases whose search syntax is read and written, and the rules in which they differ."""

from __future__ import annotations

from enum import StrEnum


class Dialect(StrEnum):
    """A database together with its search interface; the value is the name that people know."""

    PUBMED = "PubMed"
    OVID_MEDLINE = "Ovid MEDLINE"
    OVID_EMBASE = "Ovid Embase"
    OVID_PSYCINFO = "Ovid APA PsycInfo"
    EMBASE_COM = "Embase.com"
    CENTRAL = "Cochrane CENTRAL"
    WEB_OF_SCIENCE = "Web of Science"
    SCOPUS = "Scopus"
    CINAHL = "CINAHL (EBSCOhost)"
    EUROPE_PMC = "Europe PMC"
    PROQUEST = "ProQuest"
    """Read only: nothing is translated into it."""

    @property
    def is_ovid(self) -> bool:
        """True for the databases searched through Ovid."""
        return self in OVID

    @property
    def reads_left_to_right(self) -> bool:
        """True where AND, OR and NOT have no precedence and are taken in the order in which they stand."""
        return self in (Dialect.PUBMED, Dialect.EMBASE_COM)


OVID = frozenset({Dialect.OVID_MEDLINE, Dialect.OVID_EMBASE, Dialect.OVID_PSYCINFO})

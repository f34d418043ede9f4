"""A published search filter as an object: whose, for which database, in which version, and its text."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from litapp.core.querylang.ast import Node
from litapp.core.querylang.dialects import Dialect
from litapp.core.querylang.strategy import read_strategy


class Purpose(StrEnum):
    """What a filter finds."""

    TRIALS = "randomized trials"
    REVIEWS = "systematic reviews"
    DIAGNOSIS = "diagnosis"
    PROGNOSIS = "prognosis"
    ETIOLOGY = "etiology"
    PREDICTION = "clinical prediction"
    OBSERVATIONAL = "observational studies"
    TRIALS_AND_COHORTS = "trials and cohort studies"
    ANIMALS_ONLY = "papers on animals only"
    GUIDELINES = "guidelines"
    AGE = "age groups"


class WrongDatabase(ValueError):
    """A filter was asked for in a database it was not made for. The message is for the person who asked."""


@dataclass(frozen=True, slots=True)
class SearchFilter:
    """One filter. `text` is as published (one query, or a numbered list whose last line is the filter).

    `source` cites it; `doi` and `pmid` are "" where our sources give none. `sensitivity` and `precision` (0 to 1) are
    None where no published figure is at hand.
    """

    key: str
    name: str
    purpose: Purpose
    dialect: Dialect
    version: str
    source: str
    text: str
    doi: str = ""
    pmid: str = ""
    note: str = ""
    sensitivity: float | None = None
    precision: float | None = None

    def tree(self, dialect: Dialect) -> Node:
        """The filter's tree for a search in `dialect`. Raises WrongDatabase for any other than its own.

        A filter is validated in one database: it is never derived for another by exchanging symbols.
        """
        if dialect is not self.dialect:
            raise WrongDatabase(
                f"“{self.name}” ({self.version}) was made for {self.dialect.value} and is not used in {dialect.value}. "
                f"Choose a filter for {dialect.value}."
            )
        return read_strategy(self.text, self.dialect).tree()

    @property
    def citation(self) -> str:
        """Source, version and identifier in one line, for PRISMA-S item 10."""
        identifiers = [f"doi:{self.doi}" if self.doi else "", f"PMID {self.pmid}" if self.pmid else ""]
        return "; ".join(part for part in (self.source, self.version, *identifiers) if part)

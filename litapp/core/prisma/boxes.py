"""The boxes of the PRISMA 2020 flow diagram, by the names that the R package PRISMA2020 gives them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Unit(StrEnum):
    """What a box counts. Record = title/abstract entry; report = document; study = investigation."""

    RECORDS = "records"
    REPORTS = "reports"
    STUDIES = "studies"


@dataclass(frozen=True, slots=True)
class Box:
    """A number of the diagram: its key in the CSV, what it is called, what it counts.

    `node` and `box` are the R package's names of the diagram's parts. `parts` = the key holds a list of names with
    numbers. `ours` = the R package has no such key; a published figure may need it all the same.
    """

    key: str
    words: str
    unit: Unit
    node: str = ""
    box: str = ""
    parts: bool = False
    ours: bool = False


_R, _P, _S = Unit.RECORDS, Unit.REPORTS, Unit.STUDIES
BOXES: tuple[Box, ...] = (
    Box("previous_studies", "Studies included in previous version of review", _S, "node5", "box1"),
    Box("previous_reports", "Reports of studies included in previous version of review", _P, "", "box1"),
    Box("database_results", "Records identified from databases", _R, "node7", "box2"),
    Box("database_specific_results", "Records identified from each database", _R, "", "box2", parts=True),
    Box("register_results", "Records identified from registers", _R, "", "box2"),
    Box("register_specific_results", "Records identified from each register", _R, "", "box2", parts=True),
    Box("website_results", "Records identified from websites", _R, "node17", "box11"),
    Box("organisation_results", "Records identified from organisations", _R, "", "box11"),
    Box("citations_results", "Records identified from citation searching", _R, "", "box11"),
    Box("duplicates", "Duplicate records removed", _R, "node8", "box3"),
    Box("excluded_automatic", "Records marked as ineligible by automation tools", _R, "", "box3"),
    Box("excluded_other", "Records removed for other reasons", _R, "", "box3"),
    Box("records_screened", "Records screened", _R, "node9", "box4"),
    Box("records_excluded", "Records excluded", _R, "node10", "box5"),
    Box("dbr_sought_reports", "Reports sought for retrieval", _P, "node11", "box6"),
    Box("dbr_notretrieved_reports", "Reports not retrieved", _P, "node12", "box7"),
    Box("other_sought_reports", "Reports sought for retrieval (other methods)", _P, "node18", "box12"),
    Box("other_notretrieved_reports", "Reports not retrieved (other methods)", _P, "node19", "box13"),
    Box("dbr_assessed", "Reports assessed for eligibility", _P, "node13", "box8"),
    Box("dbr_excluded", "Reports excluded, by reason", _P, "node14", "box9", parts=True),
    Box("other_assessed", "Reports assessed for eligibility (other methods)", _P, "node20", "box14"),
    Box("other_excluded", "Reports excluded, by reason (other methods)", _P, "node21", "box15", parts=True),
    Box("new_studies", "New studies included in review", _S, "node15", "box10"),
    Box("new_reports", "Reports of new included studies", _P, "", "box10"),
    Box("total_studies", "Total studies included in review", _S, "node22", "box16"),
    Box("total_reports", "Reports of total included studies", _P, "", "box16"),
    Box("total_studies_ma", "Total studies included in meta-analysis", _S, "node23", "box17"),
    Box("total_reports_ma", "Reports of total studies included in meta-analysis", _P, "", "box17"),
    Box("merged_other_sources", "Records from other sources, put in the database column", _R, ours=True),
    Box("included_via_databases", "Reports included through databases and registers", _P, ours=True),
    Box("included_via_other", "Reports included through other methods", _P, ours=True),
)
"""In the order of the R package's CSV; behind them what figures hold that the package has no place for."""

BY_KEY: dict[str, Box] = {box.key: box for box in BOXES}
LISTS: frozenset[str] = frozenset(box.key for box in BOXES if box.parts)
TITLE_ROWS: dict[str, tuple[str, str]] = {
    "prevstud": ("node4", "Previous studies"),
    "newstud": ("node6", "Identification of new studies via databases and registers"),
    "othstud": ("node16", "Identification of new studies via other methods"),
    "identification": ("node1", "Identification"),
    "screening": ("node2", "Screening"),
    "included": ("node3", "Included"),
}
"""Rows of the CSV that hold no number but the heading of a column or band: key -> (node, heading)."""

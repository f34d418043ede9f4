"""The flow in words: the boxes of the figure with their lines, the rows of its table, its description for people who do
not see it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from litapp.core.prisma.boxes import BY_KEY
from litapp.core.prisma.flow import OTHER_DUPLICATES, FlowNumber, PrismaFlow, unit_of

MOST_LINES = 14
"""Parts that a box of the figure names; the rest are summed in one line that says so. The table names all."""
NO_FULLTEXT = (
    "This review has no full-text stage: reports were included by title and abstract, so that reports sought, "
    "assessed and included are the same."
)
INTERIM = "Interim: not everything is screened and assessed."


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a box: a text, and the number behind it (`key`, `part`; "" = none). `depth` = how far it is set in."""

    text: str
    key: str = ""
    part: str = ""
    depth: int = 0
    is_open: bool = False


@dataclass(frozen=True, slots=True)
class FigureBox:
    """A box of the figure by its name, with its lines."""

    name: str
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the table that says all that the figure says, and more."""

    group: str
    text: str
    key: str
    part: str
    value: int | None
    unit: str
    depth: int = 0
    is_open: bool = False


def count(value: int | None) -> str:
    """A number as the figure prints it; "—" = not given."""
    return "—" if value is None else f"{value:,}"


def figure_boxes(flow: PrismaFlow) -> dict[str, FigureBox]:
    """All boxes by name; those of columns that the flow does not have are left out."""
    boxes = [
        FigureBox("identified", (Line("Records identified from:"), *_sources(flow))),
        FigureBox(
            "removed",
            (
                Line("Records removed before screening:"),
                _line(flow, "duplicates", "Duplicate records removed"),
                *_listed(flow, "excluded_automatic", "Records marked as ineligible by automation tools"),
                *_listed(flow, "excluded_other", told(flow, "excluded_other")),
            ),
        ),
        FigureBox("screened", (_line(flow, "records_screened", "Records screened"),)),
        FigureBox("excluded", (_line(flow, "records_excluded", "Records excluded"),)),
        *_reports(flow, "dbr", ""),
        FigureBox(
            "included",
            (
                _line(flow, "new_studies", "New studies included in review" if flow.has_previous else
                      "Studies included in review"),
                _line(flow, "new_reports", "Reports of new included studies" if flow.has_previous else
                      "Reports of included studies"),
            ),
        ),
    ]  # fmt: skip
    if flow.has_other_methods:
        boxes += [
            FigureBox(
                "other_identified",
                (
                    Line("Records identified from:"),
                    _line(flow, "website_results", "Websites and hand searches"),
                    _line(flow, "organisation_results", "Organisations"),
                    _line(flow, "citations_results", "Citation searching"),
                ),
            ),
            *_reports(flow, "other", "other_"),
        ]
    if flow.has_previous:
        boxes += [
            FigureBox(
                "previous",
                (
                    _line(flow, "previous_studies", "Studies included in previous version of review"),
                    _line(flow, "previous_reports", "Reports of studies included in previous version of review"),
                ),
            ),
            FigureBox(
                "total",
                (
                    _line(flow, "total_studies", "Total studies included in review"),
                    _line(flow, "total_reports", "Reports of total included studies"),
                ),
            ),
        ]
    return {box.name: box for box in boxes}


_OPEN_WORDS = {
    "excluded_other": ("Records removed for other reasons", "Records removed for other reasons, or not screened yet"),
    "dbr_excluded": ("Reports excluded", "Reports excluded, or not assessed yet"),
    "other_excluded": ("Reports excluded", "Reports excluded, or not assessed yet"),
}


def told(flow: PrismaFlow, key: str) -> str:
    """What a box says it holds: that some of it is not finished, where it is so."""
    done, under_way = _OPEN_WORDS[key]
    return under_way if flow[key].open_value else done


def _line(flow: PrismaFlow, key: str, words: str, depth: int = 0) -> Line:
    return Line(f"{words} (n = {count(flow[key].value)})", key, "", depth)


def _parts(number: FlowNumber, depth: int = 1) -> Iterator[Line]:
    """The parts, the most frequent first; beyond MOST_LINES their sum, told as such. What is open is always named."""
    parts = number.parts
    shown = parts if len(parts) <= MOST_LINES else parts[: MOST_LINES - 1]
    shown += tuple(part for part in parts[len(shown) :] if part.is_open)
    for part in shown:
        yield Line(f"{part.name} (n = {count(part.value)})", number.key, part.name, depth, part.is_open)
    rest = [part for part in parts if part not in shown]
    if rest:
        total = sum(part.value for part in rest)
        yield Line(f"{len(rest):,} further, named in the table (n = {count(total)})", number.key, "", depth)


def _listed(flow: PrismaFlow, key: str, words: str) -> Iterator[Line]:
    yield _line(flow, key, words)
    yield from _parts(flow[key])


def _sources(flow: PrismaFlow) -> Iterator[Line]:
    yield _line(flow, "database_results", "Databases")
    yield from _parts(flow["database_specific_results"])
    yield _line(flow, "register_results", "Registers")
    yield from _parts(flow["register_specific_results"])


def _reports(flow: PrismaFlow, column: str, prefix: str) -> list[FigureBox]:
    excluded = f"{column}_excluded"
    return [
        FigureBox(f"{prefix}sought", (_line(flow, f"{column}_sought_reports", "Reports sought for retrieval"),)),
        FigureBox(
            f"{prefix}not_retrieved", tuple(_listed(flow, f"{column}_notretrieved_reports", "Reports not retrieved"))
        ),
        FigureBox(f"{prefix}assessed", (_line(flow, f"{column}_assessed", "Reports assessed for eligibility"),)),
        FigureBox(f"{prefix}reasons", (_line(flow, excluded, told(flow, excluded)), *_parts(flow[excluded]))),
    ]


GROUPS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("Previous studies", ("previous_studies", "previous_reports")),
    ("Databases and registers: identification",
     ("database_results", "register_results", "duplicates", "excluded_automatic", "excluded_other")),
    ("Databases and registers: screening",
     ("records_screened", "records_excluded", "dbr_sought_reports", "dbr_notretrieved_reports", "dbr_assessed",
      "dbr_excluded", "included_via_databases")),
    ("Other methods",
     ("website_results", "organisation_results", "citations_results", OTHER_DUPLICATES, "other_sought_reports",
      "other_notretrieved_reports", "other_assessed", "other_excluded", "included_via_other")),
    ("Included", ("new_studies", "new_reports", "total_studies", "total_reports")),
)  # fmt: skip
"""Rows of the table in their order."""
_DETAIL = {"database_results": "database_specific_results", "register_results": "register_specific_results"}
_WORDS = {
    OTHER_DUPLICATES: "Records of other methods that were duplicates (no box of the figure)",
    "website_results": "Records identified from websites and hand searches",
    "dbr_excluded": "Reports excluded",
    "other_excluded": "Reports excluded (other methods)",
}


def words_of(key: str) -> str:
    """What a number is called."""
    return _WORDS.get(key) or BY_KEY[key].words


def table_rows(flow: PrismaFlow) -> list[Row]:
    """Every number with all of its parts. Columns that the flow does not have are left out."""
    rows: list[Row] = []
    for group, keys in GROUPS:
        if group == "Previous studies" and not flow.has_previous:
            continue
        if group == "Other methods" and not flow.has_other_methods and not flow.value(OTHER_DUPLICATES):
            continue
        for key in keys:
            if key in ("total_studies", "total_reports") and not flow.has_previous:
                continue
            number = flow[key]
            unit = unit_of(key).value
            words = told(flow, key) if key in _OPEN_WORDS else words_of(key)
            rows.append(Row(group, words, key, "", number.value, unit))
            listed = flow[_DETAIL[key]] if key in _DETAIL else number
            rows += [
                Row(group, part.name, listed.key, part.name, part.value, unit, 1, part.is_open) for part in listed.parts
            ]
    return rows


def notes(flow: PrismaFlow) -> list[str]:
    """What must stand below the figure."""
    below: list[str] = []
    if flow.is_interim:
        below.append(INTERIM)
    if not flow.uses_fulltext:
        below.append(NO_FULLTEXT)
    if again := flow.value(OTHER_DUPLICATES):
        were = "was a duplicate" if again == 1 else "were duplicates"
        below.append(f"{_n(again, 'record')} of other methods {were} of records found before and not counted again.")
    return below


def _plural(number: int, word: str) -> str:
    return word if number == 1 else f"{word}s"


def description(flow: PrismaFlow, *, title: str = "") -> str:
    """The figure in sentences: its alternative text."""
    value = flow.value
    identified = value("database_results") + value("register_results")
    said = [
        f"PRISMA 2020 flow diagram{f' of {title}' if title else ''}.",
        f"Databases and registers: {_n(identified, 'record')} identified"
        f"{_names(flow['database_specific_results'].parts, flow['register_specific_results'].parts)}, "
        f"{_n(value('duplicates'), 'duplicate')} removed, "
        f"{count(value('excluded_automatic'))} marked as ineligible by automation tools, "
        f"{count(value('excluded_other'))} removed for other reasons{_open(flow['excluded_other'])}; "
        f"{_n(value('records_screened'), 'record')} screened, {count(value('records_excluded'))} excluded; "
        f"{_column(flow, 'dbr')}.",
    ]
    if flow.has_other_methods:
        others = sum(value(key) for key in ("website_results", "organisation_results", "citations_results"))
        said.append(f"Other methods: {_n(others, 'record')} identified; {_column(flow, 'other')}.")
    if flow.has_previous:
        said.append(
            f"Previous version of the review: {_studies(value('previous_studies'))} in "
            f"{_n(value('previous_reports'), 'report')}."
        )
    said.append(f"Included: {_studies(value('new_studies'))} in {_n(value('new_reports'), 'report')}.")
    if flow.has_previous:
        said.append(f"In all: {_studies(value('total_studies'))} in {_n(value('total_reports'), 'report')}.")
    return " ".join([*said, *notes(flow)])


def _column(flow: PrismaFlow, column: str) -> str:
    excluded = flow[f"{column}_excluded"]
    reasons = "; ".join(f"{part.name}: {count(part.value)}" for part in excluded.parts)
    return (
        f"{_n(flow.value(f'{column}_sought_reports'), 'report')} sought, "
        f"{count(flow.value(f'{column}_notretrieved_reports'))} not retrieved, "
        f"{count(flow.value(f'{column}_assessed'))} assessed, {count(excluded.value)} excluded"
        f"{f' ({reasons})' if reasons else ''}"
    )


def _names(*lists: Sequence[object]) -> str:
    parts = [f"{part.name}: {count(part.value)}" for parts in lists for part in parts]  # type: ignore[attr-defined]
    return f" ({'; '.join(parts)})" if parts else ""


def _open(number: FlowNumber) -> str:
    return f" ({count(number.open_value)} of them not screened yet)" if number.open_value else ""


def _n(number: int, word: str) -> str:
    return f"{count(number)} {_plural(number, word)}"


def _studies(number: int) -> str:
    return f"{count(number)} {'study' if number == 1 else 'studies'}"

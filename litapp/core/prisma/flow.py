"""The PRISMA 2020 flow, counted from events: every number with the records or papers behind it. No number is given in.

Each record leaves the flow at one place, so that rules R1 to R11 hold in every state. What is not finished stands in a
part of its own ("Not screened yet", "Not assessed yet") inside the box through which it would leave, never in the boxes
further down: what is shown as screened, assessed or included is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from litapp.core.prisma.boxes import BY_KEY, LISTS, Unit
from litapp.core.prisma.check_rules import check_rules
from litapp.core.prisma.counts import NO_REASON, FlowError
from litapp.core.prisma.events import Event, Id, Method, Removed
from litapp.core.prisma.published import PublishedFlow
from litapp.core.prisma.reading_numbers import Reading
from litapp.core.prisma.reading_parts import Part
from litapp.core.prisma.state import Reasoned, ReviewState, state_at
from litapp.core.screening import State

NOT_SCREENED = "Not screened yet"
NOT_ASSESSED = "Not assessed yet"
IN_PREVIOUS = "Included in the previous version of this review"
AT_TITLE = "Not relevant by title and abstract"
BY_TOOL = "Marked as ineligible by an automation tool"
OPEN_PARTS = frozenset({NOT_SCREENED, NOT_ASSESSED})
"""Names of the parts that hold what is not finished."""
OTHER_DUPLICATES = "other_duplicates"
"""Records of other methods that databases or registers found too, or that other methods found twice. PRISMA 2020 has
no box for them: its column of other methods begins after duplicates were removed."""


@dataclass(frozen=True, slots=True)
class FlowPart:
    """A part of a number: a database, a reason. `ids` as in `FlowNumber`."""

    name: str
    ids: tuple[Id, ...]

    @property
    def value(self) -> int:
        return len(self.ids)

    @property
    def is_open(self) -> bool:
        """It holds what is not finished."""
        return self.name in OPEN_PARTS


@dataclass(frozen=True, slots=True)
class FlowNumber:
    """A number of the flow. `ids` are records where `of_records`, else papers; of a number of studies the papers that
    report them. `value` None = not given (a published figure). `parts` sum to the value where there are any."""

    key: str
    value: int | None
    ids: tuple[Id, ...] = ()
    parts: tuple[FlowPart, ...] = ()
    of_records: bool = False

    @property
    def open_value(self) -> int:
        """How many of it are not finished."""
        return sum(part.value for part in self.parts if part.is_open)


@dataclass(frozen=True, slots=True)
class PrismaFlow:
    """All numbers of a flow by the keys of `boxes`, with `other_duplicates`. Raises FlowError for a violated rule."""

    numbers: Mapping[str, FlowNumber]
    uses_fulltext: bool = True
    until: datetime | None = None

    def __post_init__(self) -> None:
        for number in self.numbers.values():
            if number.parts and sum(part.value for part in number.parts) != number.value:
                raise FlowError(f"The parts of {number.key} do not sum to {number.value}.")
        broken = [one for one in check_rules(self.published()) if one.violated]
        if broken:
            raise FlowError(f"{broken[0].rule}: {broken[0].text}")

    def __getitem__(self, key: str) -> FlowNumber:
        """The number of a box; one that is not given where the flow does not have it."""
        return self.numbers.get(key) or FlowNumber(key, None)

    def value(self, key: str) -> int:
        """A number as it is counted; 0 where the flow has no such box (counted flows have all that apply)."""
        return self[key].value or 0

    @property
    def is_interim(self) -> bool:
        """Something is not screened or assessed yet."""
        return any(number.open_value for number in self.numbers.values())

    @property
    def has_other_methods(self) -> bool:
        return any(self.value(key) for key in ("website_results", "organisation_results", "citations_results"))

    @property
    def has_previous(self) -> bool:
        return bool(self.value("previous_reports"))

    def published(self) -> PublishedFlow:
        """The same numbers as a figure would state them: what the checker reads."""
        numbers: dict[str, int] = {}
        parts: dict[str, tuple[Part, ...]] = {}
        for key, number in self.numbers.items():
            if key in LISTS:
                listed = number.parts or ((FlowPart("", number.ids),) if number.value is not None else ())
                parts[key] = tuple(Part(part.name, Reading(part.value)) for part in listed)
            elif key in BY_KEY and number.value is not None:
                numbers[key] = number.value
        return PublishedFlow(numbers, parts)


def flow(log: Iterable[Event], until: datetime | None = None) -> PrismaFlow:
    """The flow after all events up to and with `until`. Raises FlowError where the counting has a fault."""
    return _Count(state_at(log, until)).flow(until)


class _Count:
    """Puts each record and paper at the one place where it leaves the flow."""

    def __init__(self, state: ReviewState) -> None:
        self.state = state
        self.papers = state.papers()
        self.outcomes = state.outcomes()
        self.removed = {state.paper(paper): event for paper, event in state.removed.items()}
        latest = sorted(state.retrieval.items(), key=lambda item: item[1].at)
        self.retrieval = {state.paper(paper): event for paper, event in latest}
        self.study_of = {state.paper(paper): study for paper, study in sorted(state.study_of.items())}

    def flow(self, until: datetime | None) -> PrismaFlow:
        previous = [paper for paper, records in self.papers.items() if self._has(records, Method.PREVIOUS)]
        before = set(previous)
        by_database = [
            paper for paper, records in self.papers.items() if self._has(records, Method.DATABASE, Method.REGISTER)
        ]
        other = sorted(set(self.papers) - set(by_database) - before)
        numbers = {
            **self._identified(by_database),
            **self._databases(by_database, before),
            **self._others(other, before | set(by_database)),
        }
        numbers |= self._included(numbers, previous)
        return PrismaFlow(numbers, self.state.stages.uses_fulltext, until)

    def _method(self, record: Id) -> Method:
        return self.state.where[record].method

    def _has(self, records: Iterable[Id], *methods: Method) -> bool:
        return any(self._method(record) in methods for record in records)

    def _identified(self, papers: Sequence[Id]) -> dict[str, FlowNumber]:
        """Records of databases and registers, by name; the first of each paper goes on, the others are duplicates."""
        names: dict[Method, dict[str, list[Id]]] = {Method.DATABASE: {}, Method.REGISTER: {}}
        duplicates: list[Id] = []
        for paper in papers:
            mine = [record for record in self.papers[paper] if self._method(record) in names]
            duplicates += mine[1:]
            for record in mine:
                where = self.state.where[record]
                names[where.method].setdefault(where.name, []).append(record)
        found: dict[str, FlowNumber] = {}
        for method, whole, listed in (
            (Method.DATABASE, "database_results", "database_specific_results"),
            (Method.REGISTER, "register_results", "register_specific_results"),
        ):
            parts = tuple(FlowPart(name, tuple(sorted(ids))) for name, ids in sorted(names[method].items()))
            found[whole] = _of_parts(whole, parts, of_records=True, keep=False)
            found[listed] = _of_parts(listed, parts, of_records=True)
        found["duplicates"] = _number("duplicates", duplicates, of_records=True)
        return found

    def _databases(self, papers: Sequence[Id], before: set[Id]) -> dict[str, FlowNumber]:
        """The column of databases and registers, from removal to the included reports."""
        away: dict[str, list[Id]] = {}
        tools: dict[str, list[Id]] = {}
        screened, unscreened = list[Id](), list[Id]()
        for paper in papers:
            removal = self._removal(paper)
            if paper in before:
                away.setdefault(IN_PREVIOUS, []).append(paper)
            elif removal is not None:
                place = tools if removal.by_tool else away
                place.setdefault(removal.reason.strip() or NO_REASON, []).append(paper)
            elif self._title(paper) in ("include", "exclude"):
                screened.append(paper)
            else:
                unscreened.append(paper)
        if unscreened:
            away[NOT_SCREENED] = unscreened
        sought = [paper for paper in screened if self._title(paper) == "include"]
        out = [paper for paper in screened if self._title(paper) == "exclude"]
        lost, assessed = self._retrieved(sought)
        return {
            "excluded_automatic": _of_reasons("excluded_automatic", tools),
            "excluded_other": _of_reasons("excluded_other", away),
            "records_screened": _number("records_screened", screened),
            "records_excluded": _of_reasons("records_excluded", self._reasons(out, fulltext=False)),
            "dbr_sought_reports": _number("dbr_sought_reports", sought),
            "dbr_notretrieved_reports": _of_reasons("dbr_notretrieved_reports", lost),
            **self._assessed("dbr_assessed", "dbr_excluded", "included_via_databases", assessed, {}),
        }

    def _others(self, papers: Sequence[Id], elsewhere: set[Id]) -> dict[str, FlowNumber]:
        """The column of other methods. It has no box for screening: what is excluded by title leaves by a reason."""
        names: dict[Method, dict[str, list[Id]]] = {}
        again: list[Id] = []
        for paper in papers:
            first, *rest = self.papers[paper]
            again += rest
            where = self.state.where[first]
            names.setdefault(where.method, {}).setdefault(where.name, []).append(paper)
        for paper in elsewhere & set(self.papers):
            again += [record for record in self.papers[paper] if self._method(record).is_other]
        early: dict[str, list[Id]] = {}
        chosen: list[Id] = []
        for paper in papers:
            removal, title = self._removal(paper), self._title(paper)
            if removal is not None:
                early.setdefault(BY_TOOL if removal.by_tool else removal.reason.strip() or NO_REASON, []).append(paper)
            elif title == "include":
                chosen.append(paper)
            else:
                early.setdefault(AT_TITLE if title == "exclude" else NOT_ASSESSED, []).append(paper)
        lost, assessed = self._retrieved(chosen)
        found = {
            key: _of_parts(
                key, tuple(FlowPart(n, tuple(sorted(ids))) for n, ids in sorted(names.get(method, {}).items()))
            )
            for method, key in (
                (Method.WEBSITE, "website_results"),
                (Method.ORGANISATION, "organisation_results"),
                (Method.CITATIONS, "citations_results"),
            )
        }
        gone = [paper for ids in early.values() for paper in ids]
        return {
            **found,
            OTHER_DUPLICATES: _number(OTHER_DUPLICATES, again, of_records=True),
            "other_sought_reports": _number("other_sought_reports", papers),
            "other_notretrieved_reports": _of_reasons("other_notretrieved_reports", lost),
            **self._assessed("other_assessed", "other_excluded", "included_via_other", [*assessed, *gone], early),
        }

    def _removal(self, paper: Id) -> Removed | None:
        """The removal before screening: as somebody decided, or because screening was stopped before it."""
        known = self.removed.get(paper)
        if known is not None:
            return known
        stop = self.state.stopped
        looked_at = self.outcomes.get((paper, False))
        if stop is None or (looked_at is not None and looked_at.state is not State.OPEN):
            return None
        found = min(self.state.found_at[record] for record in self.papers[paper])
        return Removed(stop.at, paper, stop.tool, by_tool=True) if found <= stop.at else None

    def _title(self, paper: Id) -> str:
        found = self.outcomes.get((paper, False))
        return found.decision if found else ""

    def _fulltext(self, paper: Id) -> str:
        if not self.state.stages.uses_fulltext:
            return "include"
        found = self.outcomes.get((paper, True))
        return found.decision if found else ""

    def _retrieved(self, sought: Sequence[Id]) -> tuple[dict[str, list[Id]], list[Id]]:
        """Reports not retrieved, by reason; the rest. One that was decided on was had, whatever is noted."""
        lost: dict[str, list[Id]] = {}
        rest: list[Id] = []
        for paper in sought:
            known = self.retrieval.get(paper)
            if known and known.not_retrieved and self._fulltext(paper) not in ("include", "exclude"):
                lost.setdefault(known.reason.strip() or NO_REASON, []).append(paper)
            else:
                rest.append(paper)
        return lost, rest

    def _assessed(
        self, assessed: str, excluded: str, included: str, papers: Sequence[Id], early: Mapping[str, list[Id]]
    ) -> dict[str, FlowNumber]:
        """From the reports that were had to those included. `early` = those that left by another reason."""
        gone = {paper for ids in early.values() for paper in ids}
        here = [paper for paper in papers if paper not in gone]
        reasons = {name: list(ids) for name, ids in early.items()}
        out = [paper for paper in here if self._fulltext(paper) == "exclude"]
        for name, ids in self._reasons(out, fulltext=True).items():
            reasons.setdefault(name, []).extend(ids)
        waiting = [paper for paper in here if self._fulltext(paper) not in ("include", "exclude")]
        if waiting:
            reasons.setdefault(NOT_ASSESSED, []).extend(waiting)
        inside = [paper for paper in here if self._fulltext(paper) == "include"]
        return {
            assessed: _number(assessed, papers),
            excluded: _of_reasons(excluded, reasons),
            included: _number(included, inside),
        }

    def _reasons(self, papers: Iterable[Id], *, fulltext: bool) -> dict[str, list[Id]]:
        found: dict[str, list[Id]] = {}
        for paper in papers:
            by = self.outcomes[paper, fulltext].by
            reason = by.reason.strip() if isinstance(by, Reasoned) else ""
            found.setdefault(reason or NO_REASON, []).append(paper)
        return found

    def _included(self, numbers: Mapping[str, FlowNumber], previous: Sequence[Id]) -> dict[str, FlowNumber]:
        """Reports and studies: new, previous, all. A new report of a study that was included before is no new study."""
        new = [*numbers["included_via_databases"].ids, *numbers["included_via_other"].ids]
        old_studies = self._studies(previous)
        new_studies = {study: ids for study, ids in self._studies(new).items() if study not in old_studies}
        of_new = [paper for ids in new_studies.values() for paper in ids]
        return {
            "previous_studies": _number("previous_studies", previous, value=len(old_studies)),
            "previous_reports": _number("previous_reports", previous),
            "new_studies": _number("new_studies", of_new, value=len(new_studies)),
            "new_reports": _number("new_reports", new),
            "total_studies": _number("total_studies", [*previous, *new], value=len(old_studies) + len(new_studies)),
            "total_reports": _number("total_reports", [*previous, *new]),
        }

    def _studies(self, papers: Iterable[Id]) -> dict[tuple[str, Id], list[Id]]:
        """Study -> its reports among these; a report in no study is one of its own."""
        found: dict[tuple[str, Id], list[Id]] = {}
        for paper in papers:
            study = self.study_of.get(paper)
            key = ("paper", paper) if study is None else ("study", study)
            found.setdefault(key, []).append(paper)
        return found


def _number(key: str, ids: Iterable[Id], *, value: int | None = None, of_records: bool = False) -> FlowNumber:
    behind = tuple(sorted(ids))
    return FlowNumber(key, len(behind) if value is None else value, behind, (), of_records)


def _of_parts(key: str, parts: tuple[FlowPart, ...], *, of_records: bool = False, keep: bool = True) -> FlowNumber:
    ids = tuple(sorted(one for part in parts for one in part.ids))
    return FlowNumber(key, len(ids), ids, parts if keep else (), of_records)


def _of_reasons(key: str, reasons: Mapping[str, Iterable[Id]]) -> FlowNumber:
    """Most frequent reason first; what is not finished stands last."""
    parts = [FlowPart(name, tuple(sorted(ids))) for name, ids in reasons.items()]
    parts.sort(key=lambda part: (part.is_open, -part.value, part.name))
    return _of_parts(key, tuple(parts))


def flow_of_published(published: PublishedFlow) -> Mapping[str, FlowNumber]:
    """The numbers of a published figure as flow numbers, without anything behind them: for drawing it."""
    found = {key: FlowNumber(key, value) for key, value in published.numbers.items()}
    return found | {key: FlowNumber(key, None) for key in published.unreadable if key not in found}


def unit_of(key: str) -> Unit:
    """What a number counts."""
    return BY_KEY[key].unit if key in BY_KEY else Unit.RECORDS

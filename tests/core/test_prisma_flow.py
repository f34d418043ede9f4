"""The flow counted from events: rules R1 to R11 hold in every state, at every past date; nothing is lost or doubled."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from litapp.core.prisma.check_rules import Outcome, check_rules
from litapp.core.prisma.counts import FlowError
from litapp.core.prisma.events import (
    Decided,
    Event,
    Found,
    Joined,
    Left,
    Merged,
    Method,
    Moved,
    Parted,
    Removed,
    Restored,
    Retrieval,
    StagesSet,
    Stopped,
    VotesNeeded,
    Where,
)
from litapp.core.prisma.flow import (
    AT_TITLE,
    IN_PREVIOUS,
    NOT_ASSESSED,
    NOT_SCREENED,
    OTHER_DUPLICATES,
    FlowNumber,
    PrismaFlow,
    flow,
)
from litapp.core.prisma.state import state_at

START = datetime(2026, 1, 1, tzinfo=UTC)
PUBMED, EMBASE = Where(Method.DATABASE, "PubMed"), Where(Method.DATABASE, "Embase")
PLACES = [
    PUBMED,
    EMBASE,
    Where(Method.REGISTER, "ClinicalTrials.gov"),
    Where(Method.WEBSITE, "Added by hand"),
    Where(Method.ORGANISATION, "WHO"),
    Where(Method.CITATIONS, "Citation searching"),
    Where(Method.PREVIOUS, "Review of 2019"),
]


def at(hour: int) -> datetime:
    return START + timedelta(hours=hour)


def decide(hour: int, paper: int, decision: str, *, fulltext: bool = False, who: str = "ada", **more: Any) -> Decided:
    return Decided(at(hour), hour, paper, fulltext, who, decision, request=more.pop("request", hour), **more)


def values(counted: PrismaFlow) -> dict[str, int]:
    return {key: number.value or 0 for key, number in counted.numbers.items() if number.value}


def parts(number: FlowNumber) -> dict[str, tuple[int, ...]]:
    return {part.name: part.ids for part in number.parts}


REVIEW: list[Event] = [
    StagesSet(at(0), title_votes=1, fulltext_votes=1, uses_fulltext=True),
    *(Found(at(1), record, record, PUBMED) for record in range(1, 7)),
    Found(at(2), 11, 1, EMBASE),
    Found(at(2), 12, 12, EMBASE),
    Found(at(2), 13, 13, Where(Method.REGISTER, "ClinicalTrials.gov")),
    Found(at(3), 21, 21, Where(Method.CITATIONS, "Citation searching")),
    Found(at(3), 22, 2, Where(Method.CITATIONS, "Citation searching")),
    Found(at(3), 23, 23, Where(Method.WEBSITE, "Added by hand")),
    Found(at(3), 31, 31, Where(Method.PREVIOUS, "Review of 2019")),
    Found(at(3), 32, 32, Where(Method.PREVIOUS, "Review of 2019")),
    Found(at(4), 33, 31, PUBMED),
    Removed(at(5), 6, "Tool", by_tool=True),
    decide(10, 1, "include"),
    decide(11, 2, "include"),
    decide(12, 3, "include"),
    decide(13, 4, "exclude", reason="Wrong population"),
    decide(14, 12, "include"),
    decide(15, 13, "maybe"),
    decide(16, 21, "include"),
    decide(17, 23, "exclude"),
    decide(20, 1, "include", fulltext=True),
    decide(21, 2, "exclude", fulltext=True, reason="Wrong outcome"),
    decide(22, 21, "include", fulltext=True),
    Retrieval(at(23), 3, True, "No copy found"),
    Joined(at(24), 500, (21, 31, 32)),
]


def test_a_review_is_counted_with_what_stands_behind_each_number() -> None:
    counted = flow(REVIEW)
    assert values(counted) == {
        "database_results": 9, "database_specific_results": 9, "register_results": 1, "register_specific_results": 1,
        "duplicates": 1, "excluded_automatic": 1, "excluded_other": 3, "records_screened": 5, "records_excluded": 1,
        "dbr_sought_reports": 4, "dbr_notretrieved_reports": 1, "dbr_assessed": 3, "dbr_excluded": 2,
        "included_via_databases": 1, "website_results": 1, "citations_results": 1, "other_duplicates": 1,
        "other_sought_reports": 2, "other_assessed": 2, "other_excluded": 1, "included_via_other": 1,
        "previous_studies": 1, "previous_reports": 2, "new_studies": 1, "new_reports": 2, "total_studies": 2,
        "total_reports": 4,
    }  # fmt: skip
    assert parts(counted["database_specific_results"]) == {
        "Embase": (11, 12), "PubMed": (1, 2, 3, 4, 5, 6, 33)
    }  # fmt: skip
    assert counted["duplicates"].ids == (11,)
    assert parts(counted["excluded_other"]) == {IN_PREVIOUS: (31,), NOT_SCREENED: (5, 13)}
    assert parts(counted["dbr_notretrieved_reports"]) == {"No copy found": (3,)}
    assert parts(counted["dbr_excluded"]) == {"Wrong outcome": (2,), NOT_ASSESSED: (12,)}
    assert parts(counted["other_excluded"]) == {AT_TITLE: (23,)}
    assert counted[OTHER_DUPLICATES].ids == (22,)
    assert counted["new_studies"].ids == (1,), "a new report of a study that was included before is no new study"
    assert counted.is_interim
    assert {one.rule for one in check_rules(counted.published()) if one.outcome is not Outcome.NOT_CHECKED} == {
        f"R{number}" for number in range(1, 12)
    }


def test_without_a_full_text_stage_what_the_title_includes_is_included() -> None:
    log = [Found(at(1), 1, 1, PUBMED), Found(at(1), 2, 2, PUBMED), decide(2, 1, "include"), decide(3, 2, "exclude")]
    counted = flow(log)
    assert (counted.value("new_reports"), counted.value("dbr_assessed"), counted.is_interim) == (1, 1, False)


def test_two_screeners_conflict_and_resolution() -> None:
    log: list[Event] = [
        StagesSet(at(0), title_votes=2), Found(at(1), 1, 1, PUBMED), decide(2, 1, "include"),
    ]  # fmt: skip
    steps = [
        decide(3, 1, "exclude", who="bob", reason="b"),
        decide(4, 1, "exclude", who="eve", reason="e", resolution=True),
    ]
    assert [flow([*log, *steps[:n]]).value("records_screened") for n in range(3)] == [0, 0, 1]
    assert parts(flow([*log, *steps])["records_excluded"]) == {"e": (1,)}
    taken_back = decide(5, 1, "", who="eve", undoes=4, resolution=True)
    assert flow([*log, *steps, taken_back]).value("records_screened") == 0


def test_what_nobody_looked_at_before_an_accepted_stop_leaves_by_the_tool() -> None:
    log: list[Event] = [
        *(Found(at(1), record, record, PUBMED) for record in (1, 2, 3)),
        decide(2, 1, "include"),
        decide(3, 2, "maybe"),
        Stopped(at(5), "Ranking, stopped at 95 % recall"),
        Found(at(6), 4, 4, PUBMED),
    ]
    counted = flow(log)
    assert parts(counted["excluded_automatic"]) == {"Ranking, stopped at 95 % recall": (3,)}
    assert parts(counted["excluded_other"]) == {NOT_SCREENED: (2, 4)}
    assert flow([*log, decide(7, 3, "exclude")]).value("excluded_automatic") == 0


def test_a_part_that_does_not_sum_is_refused() -> None:
    counted = flow(REVIEW)
    wrong = replace(counted["records_screened"], value=6)
    with pytest.raises(FlowError, match="R3"):
        PrismaFlow({**counted.numbers, "records_screened": wrong})


PAPERS = st.integers(1, 8)
WHO = st.sampled_from(["ada", "bob", "eve"])
WHEN = st.integers(0, 40)
DECISIONS = st.sampled_from(["include", "exclude", "maybe", ""])
REASONS = st.sampled_from(["", "Wrong population", "Wrong outcome"])


@st.composite
def logs(draw: st.DrawFn) -> list[Event]:
    """Any order of import, re-run, merge, un-merge, move, undo of an import, decide, resolve, undo, leave, settings."""
    log: list[Event] = []
    requests: list[tuple[int, int, str]] = []
    for order in range(draw(st.integers(0, 40))):
        when, paper, other = at(draw(WHEN)), draw(PAPERS), draw(PAPERS)
        match draw(st.integers(0, 13)):
            case 0 | 1 | 2:
                log.append(Found(when, draw(st.integers(1, 20)), paper, draw(st.sampled_from(PLACES))))
            case 3:
                log.append(Moved(when, draw(st.integers(1, 20)), draw(st.none() | PAPERS)))
            case 4 if paper != other:
                log.append(Merged(when, paper, other))
            case 5:
                log.append(Parted(when, paper))
            case 6 | 7 | 8:
                who, full = draw(WHO), draw(st.booleans())
                log.append(
                    Decided(
                        when, order, paper, full, who, draw(DECISIONS), draw(REASONS), order, None, draw(st.booleans())
                    )
                )
                requests.append((order, paper, who))
            case 9 if requests:
                request, decided, who = draw(st.sampled_from(requests))
                log.append(Decided(when, order, decided, draw(st.booleans()), who, "", "", order, request))
            case 10 if draw(st.booleans()):
                log.append(Stopped(when, "Ranking"))
            case 10:
                log.append(draw(st.sampled_from([Removed(when, paper, "Tool", True), Removed(when, paper, "")])))
                log.append(Restored(at(draw(WHEN)), other))
            case 11:
                log.append(StagesSet(when, draw(st.integers(1, 2)), draw(st.integers(1, 2)), draw(st.booleans())))
                log.append(VotesNeeded(when, paper, draw(st.booleans()), draw(st.integers(0, 2))))
            case 12:
                log.append(Retrieval(when, paper, draw(st.booleans()), draw(REASONS)))
            case 13:
                log.append(
                    draw(st.sampled_from([Joined(when, 900 + other, (paper,)), Left(when, 900 + other, (paper,))]))
                )
            case _:
                pass
    return log


@settings(max_examples=400, deadline=None)
@given(logs(), WHEN)
def test_the_rules_hold_in_every_state_at_every_date(log: list[Event], hour: int) -> None:
    for until in (at(hour), None):
        counted = flow(log, until)
        rules = check_rules(counted.published())
        assert [one.text for one in rules if one.violated] == []
        checked = {one.rule for one in rules if one.outcome is Outcome.HOLDS}
        assert {"R3", "R4", "R5", "R6", "R7", "R8", "R9", "R10", "R11"} <= checked
        every = state_at(log, until)
        # every record that is in the review stands at exactly one place where records enter or leave
        behind: Counter[int] = Counter()
        for key in ("database_results", "register_results", OTHER_DUPLICATES):
            behind.update(counted[key].ids)
        firsts = {paper: records[0] for paper, records in every.papers().items()}
        for key in ("website_results", "organisation_results", "citations_results"):
            behind.update(firsts[paper] for paper in counted[key].ids)
        previous = {record for record in every.placed if every.where[record].method is Method.PREVIOUS}
        assert set(behind) == set(every.placed) - previous
        assert set(behind.values()) <= {1}
        ends = Counter(
            paper
            for key in ("excluded_automatic", "excluded_other", "records_excluded", "dbr_notretrieved_reports",
                        "dbr_excluded", "included_via_databases", "other_notretrieved_reports", "other_excluded",
                        "included_via_other")
            for paper in counted[key].ids
        )  # fmt: skip
        assert set(ends.values()) <= {1}
        assert set(ends) | set(counted["previous_reports"].ids) == set(every.papers())


@settings(max_examples=150, deadline=None)
@given(logs(), WHEN)
def test_a_past_date_shows_what_was_known_then(log: list[Event], hour: int) -> None:
    assert flow(log, at(hour)).numbers == flow([event for event in log if event.at <= at(hour)]).numbers


@settings(max_examples=150, deadline=None)
@given(logs(), PAPERS, PAPERS)
def test_a_merge_that_is_parted_leaves_no_trace(log: list[Event], kept: int, absorbed: int) -> None:
    state = state_at(log)
    if kept == absorbed or {kept, absorbed} & {*state.stands_in, *state.stands_in.values()}:
        return
    after = [*log, Merged(at(50), kept, absorbed), Parted(at(51), absorbed)]
    assert flow(after).numbers == flow(log).numbers


@settings(max_examples=150, deadline=None)
@given(logs(), PAPERS, WHO, DECISIONS, st.booleans())
def test_a_decision_that_is_undone_leaves_no_trace(
    log: list[Event], paper: int, who: str, decision: str, fulltext: bool
) -> None:
    done = Decided(at(50), 1000, paper, fulltext, who, decision, "", 1000)
    undone = Decided(at(51), 1001, paper, fulltext, who, "", "", 1001, undoes=1000)
    assert flow([*log, done, undone]).numbers == flow(log).numbers


@settings(max_examples=150, deadline=None)
@given(logs(), PAPERS)
def test_a_rerun_that_finds_the_same_again_adds_duplicates_and_nothing_else(log: list[Event], paper: int) -> None:
    before = flow(log)
    known = state_at(log)
    if not {"database", "register"} & {
        known.where[record].method.value for record in known.papers().get(known.paper(paper), ())
    }:
        return
    after = flow([*log, Found(at(60), 999, paper, PUBMED)])
    changed = {key for key in after.numbers if after.numbers[key].value != before.numbers[key].value}
    assert changed == {"database_results", "database_specific_results", "duplicates"}
    assert after.value("duplicates") == before.value("duplicates") + 1

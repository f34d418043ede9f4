"""Reads for leads: how far screeners agree, per pair and period, and how far each has come."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import combinations, pairwise
from statistics import median

from django.contrib.auth.models import User
from django.db.models import Count, Q
from django.utils import timezone

from litapp.core.agreement import Agreement, agreement
from litapp.projects.models import Project
from searches.models import ScreeningDecision, StageRecord, Vote
from searches.services.assignments import Share, shares_of

CATEGORIES = 3
"""Include, exclude, maybe."""
LONGEST_PAUSE = timedelta(minutes=10)
"""A longer gap between two decisions is a break, not the time of a record."""
LATEST = 500
"""Decisions of a person that the pace is taken from."""


@dataclass(frozen=True, slots=True)
class Both:
    """A record that two people voted on: their decisions and when the later one was made."""

    one: int
    other: int
    decisions: tuple[str, str]
    at: datetime
    pilot: bool


@dataclass(frozen=True, slots=True)
class PairAgreement:
    """How far two people agree over a period."""

    one: User
    other: User
    figures: Agreement


@dataclass(frozen=True, slots=True)
class Period:
    """Agreement of all pairs over a period; `name` is what the page says."""

    name: str
    pairs: tuple[PairAgreement, ...]


@dataclass(frozen=True, slots=True)
class Pace:
    """How far a person has come: their share of the work, votes today, the middle of the seconds per record (None
    where too few are there to say)."""

    share: Share
    today: int
    seconds: float | None


@dataclass(frozen=True, slots=True)
class CriterionConflicts:
    """How often a criterion was given by one of two who disagree: its wording may need work."""

    text: str
    conflicts: int


def read_pairs(project: Project, stage: str, start: date | None = None, end: date | None = None) -> list[Both]:
    """All records with two or more votes, once per pair of people; `start` and `end` (both included) narrow by the day
    of the later vote. Two queries."""
    pilot = set(
        StageRecord.objects.filter(project=project, stage=stage, pilot=True).values_list("candidate_id", flat=True)
    )
    votes = Vote.objects.filter(
        project=project, stage=stage, candidate__merged_into=None, candidate__withdrawn_at=None
    ).exclude(decision="")
    by_record: dict[int, list[tuple[int, str, datetime]]] = defaultdict(list)
    for candidate, reviewer, decision, at in votes.order_by("reviewer").values_list(
        "candidate", "reviewer", "decision", "decided_at"
    ):
        if at is not None:
            by_record[candidate].append((reviewer, decision, at))
    found = []
    for candidate, known in by_record.items():
        for (one, here, early), (other, there, late) in combinations(known, 2):
            at = max(early, late)
            day = timezone.localtime(at).date()
            if (start is None or day >= start) and (end is None or day <= end):
                found.append(Both(one, other, (here, there), at, candidate in pilot))
    return found


def agreement_by_pair(name: str, pairs: Iterable[Both], people: dict[int, User]) -> Period:
    """The figures of each pair of people."""
    by_pair: dict[tuple[int, int], list[tuple[str, str]]] = defaultdict(list)
    for both in pairs:
        by_pair[both.one, both.other].append(both.decisions)
    rows = (
        PairAgreement(people[one], people[other], agreement(decisions, CATEGORIES))
        for (one, other), decisions in sorted(by_pair.items())
    )
    return Period(name, tuple(rows))


def periods(pairs: list[Both]) -> list[Period]:
    """All together, the calibration round, and each month, newest first; empty ones are left out. One query."""
    people = User.objects.in_bulk({both.one for both in pairs} | {both.other for both in pairs})
    months: dict[str, list[Both]] = defaultdict(list)
    for both in pairs:
        months[timezone.localtime(both.at).strftime("%Y-%m")].append(both)
    named = [("All", pairs), ("Calibration round", [both for both in pairs if both.pilot])]
    named += sorted(months.items(), reverse=True)
    return [agreement_by_pair(name, chosen, people) for name, chosen in named if chosen]


def paces(project: Project, stage: str) -> list[Pace]:
    """Each person's progress. Three queries and one per person."""
    midnight = timezone.localtime().replace(hour=0, minute=0, second=0, microsecond=0)
    entries = ScreeningDecision.objects.filter(project=project, stage=stage, undoes=None, resolution=False)
    today = dict(
        entries.filter(created_at__gte=midnight).order_by().values("reviewer").annotate(n=Count("pk")).values_list(
            "reviewer", "n"
        )
    )  # fmt: skip
    found = []
    for share in shares_of(project, stage):
        latest = list(
            entries.filter(reviewer=share.person).order_by("-pk").values_list("created_at", flat=True)[:LATEST]
        )
        gaps = [(late - early).total_seconds() for late, early in pairwise(latest) if late - early < LONGEST_PAUSE]
        found.append(Pace(share, today.get(share.person.pk, 0), median(gaps) if len(gaps) >= 5 else None))
    return found


def criteria_in_conflict(project: Project, stage: str) -> list[CriterionConflicts]:
    """Which criteria conflicts, settled or not, were about; the most frequent first."""
    records = StageRecord.objects.filter(project=project, stage=stage, state__in=("conflict", "resolved"))
    votes = Vote.objects.filter(candidate__in=records.values("candidate"), stage=stage, decision="exclude")
    rows = votes.filter(~Q(entry__criterion=None)).order_by().values("entry__criterion__text").annotate(n=Count("pk"))
    ordered = rows.order_by("-n", "entry__criterion__text").values_list("entry__criterion__text", "n")
    return [CriterionConflicts(text, number) for text, number in ordered]

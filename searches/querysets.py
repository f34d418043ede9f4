"""What is read of plans, runs and candidates: lists, filters, orders, the screening queue, counts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from django.db import models
from django.db.models import Case, Count, Exists, F, IntegerField, Max, Min, OuterRef, Q, Value, When

from litapp.core.normalise import title_key
from litapp.jobs.models import OPEN_STATES, LeasedStepQuerySet, StepState
from litapp.verification.models import PublicationState, VerdictStatus
from searches.services.grouping import SUPPLEMENT
from searches.text_search import with_words

if TYPE_CHECKING:
    from litapp.projects.models import Project
    from searches.models import (  # noqa: F401 - named in the quoted type arguments of the classes below
        Candidate,
        PlanCount,
        RetrievalRun,
        RetrievalStep,
        SearchPlanVersion,
    )

RETRACTED_STATES = (PublicationState.RETRACTED, PublicationState.PARTLY_RETRACTED, PublicationState.WITHDRAWN)
VERDICTS = {
    "verified": Q(verification__status=VerdictStatus.VERIFIED),
    "suspect": Q(verification__status=VerdictStatus.SUSPECT),
    "unverified": Q(verification__status=VerdictStatus.UNVERIFIED, verification__checked_at__isnull=False),
    "manual": Q(verification__status=VerdictStatus.MANUAL),
    "unchecked": Q(verification=None)
    | Q(verification__status=VerdictStatus.UNVERIFIED, verification__checked_at__isnull=True),
    "retracted": Q(verification__publication_state__in=RETRACTED_STATES),
}
"""Values of the verdict filter. The first five part all candidates; "retracted" stands beside them."""
_VERDICT_RANK = Case(
    When(VERDICTS["retracted"], then=Value(0)),
    When(VERDICTS["suspect"], then=Value(1)),
    When(VERDICTS["unverified"], then=Value(2)),
    When(VERDICTS["unchecked"], then=Value(3)),
    When(VERDICTS["manual"], then=Value(4)),
    default=Value(5),
    output_field=IntegerField(),
)
SORTS: dict[str, tuple[Any, ...]] = {
    "fit": (F("fit").desc(), F("id").asc()),
    "year": (F("year").desc(nulls_last=True), F("id").asc()),
    "title": (F("title_key").asc(), F("id").asc()),
    "author": (F("author_key").asc(), F("id").asc()),
    "journal": (F("journal").asc(), F("id").asc()),
    "verdict": (F("verdict_rank").asc(), F("id").asc()),
    "newest": (F("id").desc(),),
}
"""Orders of the list by name; "-name" is the reverse of each."""
DECISIONS = ("undecided", "include", "exclude", "maybe")
"""Values of the decision filter."""


class VersionQuerySet(models.QuerySet["SearchPlanVersion"]):
    def of_project(self, project: Project) -> VersionQuerySet:
        """Versions of the project's plans, newest plan and version first."""
        return self.filter(plan__project=project).select_related("plan", "approved_by").order_by("-plan_id", "-number")


class PlanCountQuerySet(models.QuerySet["PlanCount"]):
    def newest_of(self, version: SearchPlanVersion) -> PlanCountQuerySet:
        """The newest count of each source and query for the version's content as it is now."""
        newest = (
            self.filter(version=version, content_hash=version.content_hash)
            .order_by()
            .values("source", "query_index")
            .annotate(newest=Max("pk"))
            .values("newest")
        )
        return self.filter(pk__in=newest).order_by("pk")


class RunQuerySet(models.QuerySet["RetrievalRun"]):
    def of_project(self, project: Project) -> RunQuerySet:
        """The project's runs, newest first."""
        return self.filter(project=project).select_related("version__plan", "started_by").order_by("-pk")


class StepQuerySet(LeasedStepQuerySet["RetrievalStep"]):
    def due(self) -> StepQuerySet:
        """The first claimable step of every lane (run and source) in which no other step is being worked on."""
        same_lane = type(self)(self.model).filter(run=OuterRef("run"), source=OuterRef("source"))
        held = same_lane.filter(state=StepState.RUNNING).exclude(pk=OuterRef("pk"))
        earlier = same_lane.filter(state__in=OPEN_STATES, query_index__lt=OuterRef("query_index"))
        return self.claimable().filter(~Exists(held), ~Exists(earlier)).order_by("pk")  # type: ignore[return-value]


@dataclass(frozen=True, slots=True)
class CandidateFilter:
    """What the list shows. Empty = everything; `years` are inclusive; `text`: every word, from its beginning.

    `run` = found by that run, narrowed by `at` (source), `query` (number from 1) and `overlap` (see `found_in`);
    `not_in` = not found by that other run; `abstract` is missing, filled or present. `brought` = an import: what it
    brought, narrowed by `brought_as` ("new" = nothing else found it, "known" = something else found it too).
    """

    verdict: str = ""
    decision: str = ""
    source: str = ""
    fit: int | None = None
    year_from: int | None = None
    year_to: int | None = None
    text: str = ""
    run: int | None = None
    at: str = ""
    query: int | None = None
    overlap: str = ""
    not_in: int | None = None
    abstract: str = ""
    brought: int | None = None
    brought_as: str = ""

    @property
    def words(self) -> tuple[str, ...]:
        """The words of `text` in their normal form."""
        return tuple(dict.fromkeys(title_key(self.text).split()))


@dataclass(frozen=True, slots=True)
class Facets:
    """How many candidates each filter value would show."""

    total: int
    decisions: dict[str, int]
    verdicts: dict[str, int]
    fits: dict[int, int]
    sources: dict[str, int] = field(default_factory=dict)
    year_min: int | None = None
    year_max: int | None = None


class CandidateQuerySet(models.QuerySet["Candidate"]):
    """Reads of candidates. Start with `listed`: it leaves out those merged into another, or withdrawn."""

    def listed(self, project: Project) -> CandidateQuerySet:
        """The project's candidates, each paper once."""
        return self.filter(project=project, merged_into=None, withdrawn_at=None)

    def filtered(self, wanted: CandidateFilter) -> CandidateQuerySet:
        """Those that match. An unknown verdict or decision value matches nothing."""
        rows: CandidateQuerySet = self
        if wanted.verdict:
            rows = rows.filter(VERDICTS.get(wanted.verdict, Q(pk=None)))
        if wanted.decision:
            decision = "" if wanted.decision == "undecided" else wanted.decision
            rows = rows.filter(decision=decision)
        if wanted.fit is not None:
            rows = rows.filter(fit=wanted.fit)
        if wanted.source:
            rows = rows.from_source(wanted.source)
        if wanted.year_from is not None:
            rows = rows.filter(year__gte=wanted.year_from)
        if wanted.year_to is not None:
            rows = rows.filter(year__lte=wanted.year_to)
        if wanted.run is not None:
            rows = rows.found_in(wanted.run, source=wanted.at, query=wanted.query, overlap=wanted.overlap)
        if wanted.not_in is not None:
            rows = rows.not_found_in(wanted.not_in)
        if wanted.abstract:
            rows = rows.by_abstract(wanted.abstract)
        if wanted.brought is not None:
            rows = rows.brought_by(wanted.brought, wanted.brought_as)
        return with_words(rows, wanted.words)

    def from_source(self, source: str) -> CandidateQuerySet:
        """Those that `source` returned."""
        from searches.models import CandidateSource  # late: the models import this module

        found = CandidateSource.objects.filter(candidate=OuterRef("pk"), source=source).exclude(rule=SUPPLEMENT)
        return self.filter(Exists(found))

    def without_abstract(self) -> CandidateQuerySet:
        """Those of which no source gave the abstract."""
        return self.filter(has_abstract=False)

    def by_abstract(self, status: str) -> CandidateQuerySet:
        """Those whose abstract is "missing", "filled" or "present"; another word matches nothing."""
        if status == "missing":
            return self.without_abstract()
        if status == "filled":
            return self.with_filled_abstract()
        return self.filter(~_asked_for(), has_abstract=True) if status == "present" else self.none()

    def found_in(self, run: int, *, source: str = "", query: int | None = None, overlap: str = "") -> CandidateQuerySet:
        """Those that a run of their project found: anywhere, at one source, or with one of its queries.

        `overlap` "only" leaves those that nothing else of that run found, "shared" those that something else found too.
        "Something else" is another source; with `query`, any other query or source.
        """
        hits = _hits_of_run(run)
        place = Q(step__source=source) if source else Q()
        if query is not None:
            place &= Q(step__query_index=query - 1)
        rows = self.filter(Exists(hits.filter(place)))
        if not overlap or not place:
            return rows
        elsewhere = Exists(hits.exclude(place))
        return rows.filter(elsewhere) if overlap == "shared" else rows.filter(~elsewhere)

    def not_found_in(self, run: int) -> CandidateQuerySet:
        """Those that this run of their project did not find."""
        return self.filter(~Exists(_hits_of_run(run)))

    def brought_by(self, record_import: int, how: str = "") -> CandidateQuerySet:
        """Those that an import of their project brought; `how`: "new" if nothing else found them, "known" if it did."""
        from searches.models import CandidateSource, ImportedEntry  # late: the models import this module

        entries = ImportedEntry.objects.filter(
            record_import=record_import, record_import__undone_at=None, record_import__project=OuterRef("project")
        )
        ours = entries.filter(source_record__candidates__candidate=OuterRef("pk"))
        rows = self.filter(Exists(ours))
        if not how:
            return rows
        links = CandidateSource.objects.filter(candidate=OuterRef("pk")).exclude(rule=SUPPLEMENT)
        here = ImportedEntry.objects.filter(record_import=record_import, source_record=OuterRef("source_record"))
        elsewhere = Exists(links.filter(~Exists(here)))
        return rows.filter(elsewhere) if how == "known" else rows.filter(~elsewhere)

    def with_filled_abstract(self) -> CandidateQuerySet:
        """Those whose abstract a source was asked for: none of those that found the paper gave it."""
        return self.filter(_asked_for(), has_abstract=True)

    def sorted_by(self, name: str) -> CandidateQuerySet:
        """In one of SORTS ("-name" reversed); an unknown name means "fit"."""
        key = name.removeprefix("-")
        order = SORTS.get(key, SORTS["fit"])
        rows = self.alias(verdict_rank=_VERDICT_RANK) if key == "verdict" else self
        if name.startswith("-") and key in SORTS:
            order = tuple(_reversed(part) for part in order)
        return rows.order_by(*order)

    def for_list(self) -> CandidateQuerySet:
        """Only what a list row shows, with its verdict, in one query."""
        return self.select_related("verification").defer(
            "record", "provenance", "search_text", "verification__record", "verification__reasons"
        )

    def for_card(self) -> CandidateQuerySet:
        """All that the one-record view shows, in one query (its source records come separately)."""
        return self.select_related("verification", "decided_by").defer("search_text", "verification__record")

    def queue(self) -> CandidateQuerySet:
        """Undecided ones in screening order: best fit first, then in order of arrival."""
        return self.filter(decision="").order_by("-fit", "id")

    def after(self, candidate: Candidate) -> CandidateQuerySet:
        """Those behind `candidate` in screening order, nearest first (decided or not: filter with `queue` before)."""
        return self.filter(Q(fit__lt=candidate.fit) | Q(fit=candidate.fit, id__gt=candidate.pk)).order_by("-fit", "id")

    def before(self, candidate: Candidate) -> CandidateQuerySet:
        """Those in front of `candidate` in screening order, nearest first."""
        return self.filter(Q(fit__gt=candidate.fit) | Q(fit=candidate.fit, id__lt=candidate.pk)).order_by("fit", "-id")

    def facets(self) -> Facets:
        """Counts for every filter value over these candidates; two queries whatever their number."""
        from searches.models import CandidateSource  # late: the models import this module

        groups = (
            self.order_by()
            .annotate(unchecked=VERDICTS["unchecked"])
            .values_list("decision", "fit", "verification__status", "unchecked", "verification__publication_state")
            .annotate(papers=Count("pk"), earliest=Min("year"), latest=Max("year"))
        )
        decisions, fits, verdicts = dict.fromkeys(DECISIONS, 0), dict.fromkeys((3, 2, 1), 0), dict.fromkeys(VERDICTS, 0)
        total, years = 0, list[int]()
        for decision, fit, status, unchecked, state, papers, earliest, latest in groups:
            total += papers
            decisions[decision or "undecided"] += papers
            fits[fit] += papers
            verdicts["unchecked" if unchecked else status] += papers
            if state in RETRACTED_STATES:
                verdicts["retracted"] += papers
            years += [year for year in (earliest, latest) if year is not None]
        links = CandidateSource.objects.filter(candidate__in=self.order_by().values("pk")).exclude(rule=SUPPLEMENT)
        sources = links.values("source").annotate(papers=Count("candidate", distinct=True))
        return Facets(
            total=total,
            decisions=decisions,
            verdicts=verdicts,
            fits=fits,
            sources=dict(sources.order_by("source").values_list("source", "papers")),
            year_min=min(years, default=None),
            year_max=max(years, default=None),
        )

    def visible_ids(self, ids: Iterable[int]) -> list[int]:
        """Those of `ids` that are among these candidates."""
        return list(self.filter(pk__in=list(ids)).values_list("pk", flat=True))


def _asked_for() -> Exists:
    """A source was asked for the candidate's abstract and gave it."""
    from searches.models import CandidateSource  # late: the models import this module

    return Exists(CandidateSource.objects.filter(candidate=OuterRef("pk"), rule=SUPPLEMENT))


def _hits_of_run(run: int) -> models.QuerySet[Any]:
    """The hits of a candidate in a run of its own project."""
    from searches.models import RetrievalHit  # late: the models import this module

    return RetrievalHit.objects.filter(
        source_record__candidates__candidate=OuterRef("pk"), step__run=run, step__run__project=OuterRef("project")
    )


def _reversed(part: Any) -> Any:
    """The same order the other way round; unknown years stay at the end."""
    return part.expression.asc(nulls_last=part.nulls_last) if part.descending else part.expression.desc()

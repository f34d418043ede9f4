"""Plans, runs, what was retrieved, and what people decided about it."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import models

from litapp.core.plan import SearchPlan as PlanContent
from litapp.core.plan import plan_from_dict
from litapp.core.records import Record, record_from_dict
from litapp.jobs.models import LeasedStep
from litapp.ledger.models import SourceAnswer, SourceRecord
from litapp.projects.models import Project
from litapp.verification.models import Verification
from searches import models_passages, models_plans  # noqa: F401 - their tables belong to this app
from searches.models_abstracts import AbstractFill, AbstractLookup
from searches.models_duplicates import BlockKey, PairAnswer, PairDecision, RecordPair, Study, StudyReport
from searches.models_fulltext import ReportRetrieval, RetrievalOutcome
from searches.models_imports import ImportedEntry, ImportKind, RecordImport
from searches.models_modes import FoundPaper, Mode, PaperSearch
from searches.models_prisma import ImportMethod, PrismaStatement, RecordMove, ReportOutcome
from searches.models_ranking import RankedRecord, Ranking, RankingOrder, StoppingSample
from searches.models_screening import (
    Assignment,
    CandidateLabel,
    CriteriaVersion,
    Criterion,
    Decision,
    KeyPreset,
    Label,
    NotRetrieved,
    RecordNote,
    ScreeningDecision,
    ScreeningStage,
    ScreeningWord,
    Sharing,
    Stage,
    StageRecord,
    StateChoices,
    Vote,
)
from searches.querysets import CandidateQuerySet, PlanCountQuerySet, RunQuerySet, StepQuerySet, VersionQuerySet

USER = settings.AUTH_USER_MODEL
__all__ = [
    "AbstractFill",
    "AbstractLookup",
    "Assignment",
    "BlockKey",
    "Candidate",
    "CandidateLabel",
    "CandidateSource",
    "CriteriaVersion",
    "Criterion",
    "Decision",
    "Fit",
    "FoundPaper",
    "ImportKind",
    "ImportMethod",
    "ImportedEntry",
    "KeyPreset",
    "Label",
    "Mode",
    "NotRetrieved",
    "PairAnswer",
    "PairDecision",
    "PaperSearch",
    "PlanCount",
    "PrismaStatement",
    "RankedRecord",
    "Ranking",
    "RankingOrder",
    "RecordImport",
    "RecordMove",
    "RecordNote",
    "RecordPair",
    "ReportOutcome",
    "ReportRetrieval",
    "RetrievalHit",
    "RetrievalOutcome",
    "RetrievalRun",
    "RetrievalStep",
    "RunState",
    "ScreeningDecision",
    "ScreeningStage",
    "ScreeningWord",
    "SearchPlan",
    "SearchPlanVersion",
    "Sharing",
    "Stage",
    "StageRecord",
    "StateChoices",
    "StepAnswer",
    "StoppingSample",
    "Study",
    "StudyReport",
    "Vote",
]


class SearchPlan(models.Model):
    """A search strategy of a project; its content lives in numbered versions."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="plans")
    title = models.CharField(max_length=200)
    created_by = models.ForeignKey(USER, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.title


class SearchPlanVersion(models.Model):
    """One version of a plan. Editable while a draft; frozen once approved (who, when, hash).

    A version that came with a bundle is frozen too, but approved by nobody here: before it runs it needs that."""

    plan = models.ForeignKey(SearchPlan, on_delete=models.CASCADE, related_name="versions")
    number = models.PositiveIntegerField()
    content = models.JSONField()
    """`core.plan.plan_to_dict`."""
    content_hash = models.CharField(max_length=64)
    revision = models.PositiveIntegerField(default=1)
    """Rises with every save of a draft: a save on an older revision is refused (two people, two tabs)."""
    created_by = models.ForeignKey(USER, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)
    approved_by = models.ForeignKey(USER, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    approved_at = models.DateTimeField(null=True, blank=True)
    approved_hash = models.CharField(max_length=64, blank=True, default="")
    origin = models.JSONField(default=dict, blank=True)
    """Where the content came from if it was not written here: `{"kind": "query_file" or "bundle", ...}`; {} = here.
    A fact about the plan's beginning: it stays when a draft is edited, and new versions keep it."""

    objects = VersionQuerySet.as_manager()

    class Meta:
        ordering = ["plan", "-number"]
        constraints = [
            models.UniqueConstraint(fields=["plan", "number"], name="plan_versions_are_numbered"),
            models.CheckConstraint(
                condition=models.Q(approved_at=None, approved_by=None, approved_hash="")
                | models.Q(
                    approved_at__isnull=False, approved_by__isnull=False, approved_hash=models.F("content_hash")
                ),
                name="approval_is_of_this_content",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.plan.title}, version {self.number}"

    @property
    def is_approved(self) -> bool:
        return self.approved_at is not None

    @property
    def is_frozen(self) -> bool:
        """It does not change any more: it is approved, or a run was imported with it (that is no approval here)."""
        return self.is_approved or self.runs.exists()

    @property
    def plan_content(self) -> PlanContent:
        return plan_from_dict(self.content)


class PlanCount(models.Model):
    """How many records a source reported for one query of a plan version, before anything was fetched. Kept."""

    version = models.ForeignKey(SearchPlanVersion, on_delete=models.CASCADE, related_name="counts")
    content_hash = models.CharField(max_length=64)
    source = models.CharField(max_length=40)
    query_index = models.PositiveSmallIntegerField()
    query_text = models.TextField()
    total = models.PositiveBigIntegerField(null=True)
    """Empty = the source could not be asked (`error` says why): never read as 0."""
    exact = models.BooleanField(default=True)
    translation = models.TextField(blank=True, default="")
    dropped_words = models.JSONField(default=list)
    notes = models.JSONField(default=list)
    """[{text, loss}]: what a person must know of the query sent and the number; `loss` "" = information."""
    error = models.TextField(blank=True, default="")
    answer = models.ForeignKey(SourceAnswer, null=True, on_delete=models.PROTECT, related_name="+")
    counted_at = models.DateTimeField(auto_now_add=True)

    objects = PlanCountQuerySet.as_manager()

    def __str__(self) -> str:
        return f"{self.source}: {'not counted' if self.total is None else self.total}"


class RunState(models.TextChoices):
    RUNNING = "running", "Running"
    SUCCESS = "success", "Success"
    PARTIAL = "partial_success", "Partial success"
    FAILED = "failed", "Failed"
    CANCELLED = "cancelled", "Cancelled"


class RetrievalRun(models.Model):
    """One execution of an approved plan version."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="runs")
    version = models.ForeignKey(SearchPlanVersion, on_delete=models.PROTECT, related_name="runs")
    started_by = models.ForeignKey(USER, null=True, on_delete=models.PROTECT, related_name="+")
    request_id = models.UUIDField(unique=True)
    """Made by the form: a double click starts one run."""
    state = models.CharField(max_length=16, choices=RunState, default=RunState.RUNNING)
    reasons = models.JSONField(default=list)
    """Sentences that say why the run is only partly successful, or failed."""
    cancel_requested_at = models.DateTimeField(null=True, blank=True)
    started_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    sandbox = models.BooleanField(default=False)
    replay_of = models.ForeignKey("self", null=True, blank=True, on_delete=models.PROTECT, related_name="replays")
    """The run whose archived answers this one reads; it never asks a source. Empty = a run of its own."""
    bundle = models.JSONField(default=dict, blank=True)
    """Of an imported run: where it comes from, as its bundle's manifest says. {} = it was run here."""

    objects = RunQuerySet.as_manager()

    def __str__(self) -> str:
        return f"Run {self.pk}"

    @property
    def is_open(self) -> bool:
        """Still working (or waiting) for records."""
        return self.state == RunState.RUNNING


class RetrievalStep(LeasedStep):
    """One query at one source within a run: its exact text, its cursor, its counts."""

    run = models.ForeignKey(RetrievalRun, on_delete=models.CASCADE, related_name="steps")
    source = models.CharField(max_length=40)
    query_index = models.PositiveSmallIntegerField()
    query_label = models.CharField(max_length=200, blank=True, default="")
    query_text = models.TextField()
    query_params = models.JSONField(default=list)
    notes = models.JSONField(default=list)
    """[{text, loss}]: how the query sent differs from the plan's, and what the source said."""
    cursor = models.JSONField(default=dict)
    reuse_from = models.DateTimeField(null=True, blank=True)
    """Answers archived since then are used again in place of a new request (a worker was killed); set at the start and
    after a failure."""
    exhausted = models.BooleanField(default=False)
    """Nothing is left to fetch here: the source gave its last page, or the cap was reached."""
    cap = models.PositiveIntegerField(null=True)
    """Most records wanted from this step; empty = no cap of ours."""
    reported = models.PositiveBigIntegerField(null=True)
    """Total that the source reported; empty = it did not say."""
    fetched = models.PositiveIntegerField(default=0)
    empty_records = models.PositiveIntegerField(default=0)
    invalid_records = models.PositiveIntegerField(default=0)
    missing = models.JSONField(default=list)
    capped = models.CharField(max_length=200, blank=True, default="")
    """Why fewer than reported were fetched; empty = nothing was cut."""

    objects = StepQuerySet.as_manager()

    class Meta:
        ordering = ["run", "source", "query_index"]
        constraints = [
            models.UniqueConstraint(fields=["run", "source", "query_index"], name="one_step_per_source_and_query")
        ]
        indexes = [models.Index(fields=["state", "id"], name="retrieval_queue")]

    def __str__(self) -> str:
        return f"{self.source}, query {self.query_index + 1} of run {self.run_id}"


class StepAnswer(models.Model):
    """An archived answer that a step read: what a replay may use, and nothing else. In order of reading.

    `request_hash` names the request without the source's base address (`services.step_answers`), so that a run can be
    replayed in another installation.
    """

    class How(models.TextChoices):
        LIVE = "live", "Asked in this run"
        REUSED = "reused", "Answered before this run"
        REPLAYED = "replayed", "Read again in a replay"

    step = models.ForeignKey(RetrievalStep, on_delete=models.CASCADE, related_name="answers")
    answer = models.ForeignKey(SourceAnswer, on_delete=models.PROTECT, related_name="steps")
    request_hash = models.CharField(max_length=64)
    how = models.CharField(max_length=8, choices=How)

    class Meta:
        ordering = ["step", "id"]
        constraints = [models.UniqueConstraint(fields=["step", "answer", "request_hash"], name="answer_of_a_step_once")]

    def __str__(self) -> str:
        return f"Answer {self.answer_id} of step {self.step_id}"


class Fit(models.IntegerChoices):
    """Fit to the plan by rule (`core.fit`), no AI."""

    LOW = 1, "Low"
    MEDIUM = 2, "Medium"
    HIGH = 3, "High"


class Candidate(models.Model):
    """A paper found by at least one source: the records of all sources that are the same paper, seen as one.

    The display and sort columns are derived from its SourceRecords by `services.candidates` alone and can be rebuilt.
    `version` rises with every decision or regrouping: a decision on an older version is refused.
    """

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="candidates")
    merged_into = models.ForeignKey("self", null=True, blank=True, on_delete=models.PROTECT, related_name="absorbed")
    """Set when this candidate turned out to be the same paper as another; it is then shown nowhere."""
    withdrawn_at = models.DateTimeField(null=True, blank=True)
    """Set when nothing that found it is left, because an import was undone; it is then shown nowhere. Its decisions
    stay and count again when the file is imported anew."""
    record = models.JSONField()
    """The merged record (`core.records.record_to_dict`)."""
    provenance = models.JSONField(default=dict)
    """Field name -> source key the value came from."""
    sources = models.JSONField(default=list)
    title = models.TextField()
    first_author = models.CharField(max_length=200, blank=True, default="")
    last_author = models.CharField(max_length=200, blank=True, default="")
    journal = models.CharField(max_length=300, blank=True, default="")
    year = models.PositiveSmallIntegerField(null=True)
    pmid = models.CharField(max_length=20, blank=True, default="")
    doi = models.CharField(max_length=300, blank=True, default="")
    has_abstract = models.BooleanField(default=False)
    is_preprint = models.BooleanField(default=False)
    title_key = models.CharField(max_length=300, blank=True, default="")
    author_key = models.CharField(max_length=200, blank=True, default="")
    search_text = models.TextField(blank=True, default="")
    """Normalised title, authors, journal, identifiers, abstract and MeSH, for the text filter."""
    fit = models.PositiveSmallIntegerField(choices=Fit, default=Fit.LOW)
    fit_reason = models.CharField(max_length=300, blank=True, default="")
    decision = models.CharField(max_length=8, choices=Decision, blank=True, default="")
    """The outcome at title and abstract. Derived, as the next two, by `services.outcomes`."""
    fulltext = models.CharField(max_length=8, choices=Decision, blank=True, default="")
    """The outcome at full text; empty in a project without that stage."""
    final = models.CharField(max_length=8, choices=Decision, blank=True, default="")
    """Whether it is part of the review (`core.screening.final_decision`): "include" makes a reference."""
    decided_by = models.ForeignKey(USER, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    decided_at = models.DateTimeField(null=True, blank=True)
    version = models.PositiveIntegerField(default=1)
    verification = models.OneToOneField(
        Verification, null=True, blank=True, on_delete=models.PROTECT, related_name="candidate"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    objects = CandidateQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(fields=["project", "merged_into", "title_key"], name="candidate_by_title"),
            models.Index(fields=["project", "merged_into", "author_key"], name="candidate_by_author"),
            models.Index(fields=["project", "merged_into", "withdrawn_at", "-fit", "id"], name="listed_by_fit"),
            models.Index(
                fields=["project", "merged_into", "withdrawn_at", "decision", "-fit", "id"], name="listed_by_decision"
            ),
            models.Index(fields=["project", "merged_into", "withdrawn_at", "year", "id"], name="listed_by_year"),
            models.Index(
                fields=["project", "merged_into", "withdrawn_at", "verification", "decision", "final", "fit", "year"],
                name="listed_by_verdict",
            ),
        ]

    def __str__(self) -> str:
        return self.title

    @property
    def merged_record(self) -> Record:
        return record_from_dict(self.record)

    def as_dict(self) -> dict[str, Any]:
        return dict(self.record)


class CandidateSource(models.Model):
    """A source record that belongs to a candidate."""

    candidate = models.ForeignKey(Candidate, on_delete=models.CASCADE, related_name="source_records")
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="+")
    source_record = models.ForeignKey(SourceRecord, on_delete=models.PROTECT, related_name="candidates")
    source = models.CharField(max_length=40)
    rule = models.CharField(max_length=60, blank=True, default="")
    """Why it was taken as the same paper (rule of `core.dedupe`); empty for the first record."""
    why = models.CharField(max_length=300, blank=True, default="")
    home = models.ForeignKey(Candidate, null=True, on_delete=models.CASCADE, related_name="home_records")
    """The candidate that the record came into first: there it goes back to when a merge is undone."""
    entry = models.CharField(max_length=64, blank=True, default="")
    """sha256 of what the record says (`core.dedupe.entry_key`): the same record imported again has the same."""

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "source_record"], name="a_record_is_in_one_candidate")
        ]
        indexes = [
            models.Index(fields=["candidate", "source"], name="candidate_sources"),
            models.Index(fields=["project", "entry"], name="same_entries"),
        ]

    def __str__(self) -> str:
        return f"{self.source} record of candidate {self.candidate_id}"


class RetrievalHit(models.Model):
    """A record at its rank in one step: the way from a candidate back to source, query and answer."""

    step = models.ForeignKey(RetrievalStep, on_delete=models.CASCADE, related_name="hits")
    rank = models.PositiveIntegerField()
    source_record = models.ForeignKey(SourceRecord, on_delete=models.PROTECT, related_name="hits")
    duplicate_in_source = models.BooleanField(default=False)
    """The source returned this paper before in the same step: counted, shown, not used again."""

    class Meta:
        constraints = [models.UniqueConstraint(fields=["step", "rank"], name="one_hit_per_rank")]

    def __str__(self) -> str:
        return f"Rank {self.rank} of step {self.step_id}"

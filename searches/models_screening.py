"""Screening: stages and how they are screened, decisions as an append-only log, what stands by that log, criteria."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from litapp.core.screening import State
from litapp.projects.models import Project

USER = settings.AUTH_USER_MODEL


class Decision(models.TextChoices):
    """What was decided of a candidate at a stage. UNDECIDED also records an undo."""

    UNDECIDED = "", "Not decided"
    INCLUDE = "include", "Include"
    EXCLUDE = "exclude", "Exclude"
    MAYBE = "maybe", "Maybe"


class Stage(models.TextChoices):
    """The two stages of PRISMA 2020: records are screened, reports are assessed."""

    TITLE = "title", "Title / abstract"
    FULLTEXT = "fulltext", "Full text"


class KeyPreset(models.TextChoices):
    """Whose keys a project starts with; each person can choose others on their device."""

    LITLEDGER = "litledger", "LitLedger"
    RAYYAN = "rayyan", "Rayyan"
    COVIDENCE = "covidence", "Covidence"
    ASREVIEW = "asreview", "ASReview"


class Sharing(models.TextChoices):
    """Who screens which record."""

    EVERYONE = "everyone", "Everybody sees every record"
    ASSIGNED = "assigned", "Each record has its screeners"


class NotRetrieved(models.TextChoices):
    """Why a report could not be had (PRISMA 2020, "reports not retrieved"); no reason of exclusion."""

    NO = "", "Retrieved, or not tried yet"
    PAYWALL = "paywall", "Behind a paywall"
    NO_COPY = "no_copy", "No copy found"
    LANGUAGE = "language", "In a language nobody here reads"
    WITHDRAWN = "withdrawn", "Withdrawn by its publisher"


class StateChoices(models.TextChoices):
    """`core.screening.State` for the database."""

    OPEN = State.OPEN.value, "Not decided"
    PARTLY = State.PARTLY.value, "Waits for another vote"
    AGREED = State.AGREED.value, "Decided"
    CONFLICT = State.CONFLICT.value, "Conflict"
    RESOLVED = State.RESOLVED.value, "Conflict resolved"


class ScreeningStage(models.Model):
    """How one stage of a project is screened. A project without a row screens titles and abstracts with one screener
    per record, seen by all, and uses no full-text stage (`services.stages.stage_of` gives that default)."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="screening_stages")
    stage = models.CharField(max_length=8, choices=Stage)
    in_use = models.BooleanField(default=True)
    """False for a full-text stage that the project does not use (any more)."""
    screeners = models.PositiveSmallIntegerField(default=1)
    """Votes that a record needs: 1 or 2."""
    blind = models.BooleanField(default=False)
    """Nobody sees another screener's decision, note or label, nor what follows from them; leads see outcomes."""
    sharing = models.CharField(max_length=8, choices=Sharing, default=Sharing.EVERYONE)
    keys = models.CharField(max_length=9, choices=KeyPreset, default=KeyPreset.LITLEDGER)
    pilot_size = models.PositiveIntegerField(default=0)
    """Records of the calibration round; 0 = none was held."""
    pilot_started_at = models.DateTimeField(null=True, blank=True)
    pilot_locked_at = models.DateTimeField(null=True, blank=True)
    """Since then the votes of the round stand; what screeners disagree on is settled in the conflict room."""
    unblinded_at = models.DateTimeField(null=True, blank=True)
    closed_at = models.DateTimeField(null=True, blank=True)
    """Closed: no votes any more, everybody sees the outcomes."""
    version = models.PositiveIntegerField(default=1)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "stage"], name="one_row_per_stage"),
            models.CheckConstraint(condition=models.Q(screeners__in=[1, 2]), name="one_or_two_screeners"),
            models.CheckConstraint(
                condition=models.Q(blind=False) | models.Q(screeners=2), name="blind_needs_two_screeners"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_stage_display()} of project {self.project_id}"

    @property
    def pilot_open(self) -> bool:
        """A calibration round is being screened."""
        return self.pilot_started_at is not None and self.pilot_locked_at is None

    @property
    def own_votes(self) -> bool:
        """Each screener decides alone: pages show the person's own vote, not the record's."""
        return self.screeners > 1 or self.pilot_open

    @property
    def secret(self) -> bool:
        """Votes, and what follows from them, are hidden from screeners now."""
        return self.closed_at is None and (self.blind or self.pilot_open)


class Criterion(models.Model):
    """A reason to exclude. Its row is its identity through all versions of the list; the text is the newest one."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="criteria")
    text = models.CharField(max_length=200)
    prisma_text = models.CharField(max_length=200, blank=True, default="")
    """How the flow diagram names it; empty = as `text`."""
    position = models.PositiveSmallIntegerField(null=True, blank=True)
    """Place in the list, from 1: the key that gives it. Empty = not in the list any more."""

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "position"], name="one_criterion_per_place")]
        ordering = ["project", "position", "pk"]

    def __str__(self) -> str:
        return self.text


class CriteriaVersion(models.Model):
    """The list of criteria as it was from a time on. Never changed; each decision names the one it was made under."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="criteria_versions")
    number = models.PositiveIntegerField()
    content = models.JSONField()
    """[{id, text, prisma_text}] in the order of their keys."""
    why = models.CharField(max_length=300, blank=True, default="")
    created_by = models.ForeignKey(USER, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "number"], name="one_criteria_version_per_number")]

    def __str__(self) -> str:
        return f"Criteria, version {self.number}"


class ScreeningDecision(models.Model):
    """One decision of one person at one stage. Append-only; an undo is a new entry. `resolution` = a lead settled a
    conflict; all others are votes."""

    candidate = models.ForeignKey("searches.Candidate", on_delete=models.CASCADE, related_name="decisions")
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="+")
    stage = models.CharField(max_length=8, choices=Stage, default=Stage.TITLE)
    reviewer = models.ForeignKey(USER, on_delete=models.PROTECT, related_name="+")
    decision = models.CharField(max_length=8, choices=Decision, blank=True)
    resolution = models.BooleanField(default=False)
    previous = models.CharField(max_length=8, choices=Decision, blank=True, default="")
    reason = models.CharField(max_length=300, blank=True, default="")
    """The reason in words; where a criterion was given, its text at that time."""
    criterion = models.ForeignKey(Criterion, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    criteria_version = models.ForeignKey(
        CriteriaVersion, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    """The list of criteria that the person had; empty = the project had none."""
    request_id = models.UUIDField()
    """Made by the page: a double click or a re-send is applied once. A bulk decision shares one."""
    undoes = models.UUIDField(null=True, blank=True)
    """`request_id` of the decision (or bulk) that this entry takes back."""
    made_on = models.ForeignKey("searches.Candidate", null=True, blank=True, on_delete=models.CASCADE, related_name="+")
    """The candidate it was made on, where that was merged into `candidate` since; empty = `candidate` itself."""
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["candidate", "request_id"], name="decision_applied_once")]
        indexes = [
            models.Index(fields=["project", "reviewer", "-id"], name="decisions_of_person"),
            models.Index(fields=["project", "request_id"], name="decisions_of_request"),
        ]

    def __str__(self) -> str:
        return f"{self.decision or 'undecided'}: candidate {self.candidate_id}"


class Vote(models.Model):
    """What one person's decisions on a record come to at a stage. Derived from ScreeningDecision by
    `services.outcomes` alone; can be rebuilt."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="+")
    stage = models.CharField(max_length=8, choices=Stage)
    candidate = models.ForeignKey("searches.Candidate", on_delete=models.CASCADE, related_name="votes")
    reviewer = models.ForeignKey(USER, on_delete=models.PROTECT, related_name="+")
    decision = models.CharField(max_length=8, choices=Decision, blank=True, default="")
    """Empty = taken back; the row stays for its `version`."""
    entry = models.ForeignKey(ScreeningDecision, null=True, on_delete=models.CASCADE, related_name="+")
    """The decision that stands: its reason, criterion and criteria version."""
    version = models.PositiveIntegerField(default=0)
    """Entries of this person on this record and stage: a decision on an older one is refused."""
    decided_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["candidate", "stage", "reviewer"], name="one_vote_per_person")]
        indexes = [
            models.Index(fields=["project", "stage", "reviewer", "decision", "candidate"], name="votes_of_person")
        ]

    def __str__(self) -> str:
        return f"user {self.reviewer_id} on candidate {self.candidate_id}: {self.decision or 'taken back'}"


class StageRecord(models.Model):
    """Where a record stands at a stage. Derived by `services.outcomes` but for `needed`, `pilot` and `not_retrieved`.
    No row = nothing has happened to it there."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="+")
    stage = models.CharField(max_length=8, choices=Stage)
    candidate = models.ForeignKey("searches.Candidate", on_delete=models.CASCADE, related_name="stage_records")
    state = models.CharField(max_length=8, choices=StateChoices, default=StateChoices.OPEN)
    decision = models.CharField(max_length=8, choices=Decision, blank=True, default="")
    """The outcome; empty while open, one of two, or a conflict."""
    entry = models.ForeignKey(ScreeningDecision, null=True, on_delete=models.SET_NULL, related_name="+")
    """The entry whose reason counts: the resolution, or of the votes that agree the first."""
    votes = models.PositiveSmallIntegerField(default=0)
    pilot = models.BooleanField(default=False)
    """Belongs to the calibration round."""
    needed = models.PositiveSmallIntegerField(default=0)
    """Votes that it needs where that differs from the stage (calibration); 0 = as the stage says."""
    not_retrieved = models.CharField(max_length=10, choices=NotRetrieved, blank=True, default="")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["candidate", "stage"], name="one_state_per_stage")]
        indexes = [
            models.Index(fields=["project", "stage", "state", "candidate"], name="records_by_state"),
            models.Index(fields=["project", "stage", "votes", "candidate"], name="records_by_votes"),
        ]

    def __str__(self) -> str:
        return f"candidate {self.candidate_id}, {self.stage}: {self.state}"


class Assignment(models.Model):
    """A record that a person shall screen at a stage. Removed when it is given to somebody else; votes stay."""

    class How(models.TextChoices):
        PILOT = "pilot", "Calibration"
        SHARE = "share", "By share"
        LABEL = "label", "By label"
        REROUTED = "rerouted", "Taken over from a member who left"

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="+")
    stage = models.CharField(max_length=8, choices=Stage)
    candidate = models.ForeignKey("searches.Candidate", on_delete=models.CASCADE, related_name="assignments")
    reviewer = models.ForeignKey(USER, on_delete=models.PROTECT, related_name="+")
    how = models.CharField(max_length=8, choices=How)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["candidate", "stage", "reviewer"], name="assigned_once")]
        indexes = [models.Index(fields=["project", "stage", "reviewer", "candidate"], name="work_of_person")]

    def __str__(self) -> str:
        return f"candidate {self.candidate_id} for user {self.reviewer_id}"


class Label(models.Model):
    """A word that people of a project put on records."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="labels")
    name = models.CharField(max_length=60)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "name"], name="one_label_per_name")]
        ordering = ["project", "name"]

    def __str__(self) -> str:
        return self.name


class CandidateLabel(models.Model):
    """A label that a person put on a record. Hidden from other screeners while a stage is blind."""

    candidate = models.ForeignKey("searches.Candidate", on_delete=models.CASCADE, related_name="labelled")
    label = models.ForeignKey(Label, on_delete=models.CASCADE, related_name="used")
    person = models.ForeignKey(USER, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["candidate", "label", "person"], name="labelled_once")]

    def __str__(self) -> str:
        return f"{self.label_id} on candidate {self.candidate_id}"


class RecordNote(models.Model):
    """A note of a person on a record. Hidden from other screeners while a stage is blind."""

    candidate = models.ForeignKey("searches.Candidate", on_delete=models.CASCADE, related_name="record_notes")
    person = models.ForeignKey(USER, on_delete=models.PROTECT, related_name="+")
    text = models.TextField()
    request_id = models.UUIDField(unique=True)
    """Made by the form: a double click writes once."""
    created_at = models.DateTimeField(auto_now_add=True)
    removed_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"note of user {self.person_id} on candidate {self.candidate_id}"


class ScreeningWord(models.Model):
    """A word that a person wants marked in titles and abstracts: for, or against including."""

    class Kind(models.TextChoices):
        FOR = "for", "Speaks for including"
        AGAINST = "against", "Speaks for excluding"

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="+")
    person = models.ForeignKey(USER, on_delete=models.CASCADE, related_name="+")
    word = models.CharField(max_length=80)
    kind = models.CharField(max_length=7, choices=Kind)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "person", "word"], name="own_word_once")]

    def __str__(self) -> str:
        return self.word

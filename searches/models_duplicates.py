"""What is known of pairs of records (same, companion, doubtful), what people decided of them, and groups of reports
of one study."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from litapp.core.dedupe import Relation
from litapp.projects.models import Project

USER = settings.AUTH_USER_MODEL
RELATIONS = [(relation.value, relation.value) for relation in Relation if relation is not Relation.DIFFERENT]


class BlockKey(models.Model):
    """A key under which a record can be found as a possible duplicate (`core.dedupe.block_keys`).

    Of records that say exactly the same only the first has keys: the others are joined to it.
    """

    link = models.ForeignKey("searches.CandidateSource", on_delete=models.CASCADE, related_name="block_keys")
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="+", db_index=False)
    key = models.CharField(max_length=200)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "key", "link"], name="block_key_of_a_record_once")]

    def __str__(self) -> str:
        return self.key


class RecordPair(models.Model):
    """Two records of a project that are not simply different, as the rules say: facts, from which groups are made.

    `a` was linked before `b`. Pairs are never changed; they go with their records.
    """

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="+", db_index=False)
    a = models.ForeignKey(
        "searches.CandidateSource", on_delete=models.CASCADE, related_name="pairs_after", db_index=False
    )
    b = models.ForeignKey("searches.CandidateSource", on_delete=models.CASCADE, related_name="pairs_before")
    relation = models.CharField(max_length=10, choices=RELATIONS)
    rule = models.CharField(max_length=60)
    why = models.CharField(max_length=300)
    rank = models.FloatField(default=0.0)
    """Likelihood of a doubtful pair, 0 to 1: orders the queue."""
    queued = models.BooleanField(default=False)
    """Derived: waits for a person (the likeliest pair between two candidates, nobody has decided)."""

    class Meta:
        constraints = [models.UniqueConstraint(fields=["a", "b"], name="a_pair_once")]
        indexes = [
            models.Index(
                fields=["project", "-rank", "id"], condition=models.Q(queued=True), name="doubtful_pairs_in_order"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.relation} ({self.rule}): records {self.a_id} and {self.b_id}"


class PairAnswer(models.TextChoices):
    SAME = "same", "The same record"
    APART = "apart", "Not duplicates"


class PairDecision(models.Model):
    """A person's word on two records. It outweighs every rule, now and when the same records are imported again.

    Records are named by their content (`CandidateSource.entry`, the smaller first), so that the word outlives an
    import that is undone. Of several on one pair the latest that is not undone counts.
    """

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="pair_decisions")
    a = models.CharField(max_length=64)
    b = models.CharField(max_length=64)
    answer = models.CharField(max_length=5, choices=PairAnswer)
    actor = models.ForeignKey(USER, null=True, on_delete=models.PROTECT, related_name="+")
    request_id = models.UUIDField()
    """Made by the page: one answer of a person, which may settle several pairs of records."""
    subject = models.JSONField(default=dict)
    """{"titles": [..], "candidates": [..]}: what the person saw."""
    created_at = models.DateTimeField(auto_now_add=True)
    undone_at = models.DateTimeField(null=True, blank=True)
    undone_by = models.ForeignKey(USER, null=True, blank=True, on_delete=models.PROTECT, related_name="+")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "request_id", "a", "b"], name="pair_answered_once"),
            models.CheckConstraint(condition=models.Q(a__lte=models.F("b")), name="pair_smaller_first"),
        ]
        indexes = [
            models.Index(fields=["project", "a"], name="pair_decisions_by_a"),
            models.Index(fields=["project", "b"], name="pair_decisions_by_b"),
        ]

    def __str__(self) -> str:
        return f"{self.answer}: {self.a[:8]} and {self.b[:8]}"


class Study(models.Model):
    """A study of which several reports were found. Made and confirmed by people; PRISMA counts it once."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="studies")
    label = models.CharField(max_length=200)
    """A trial's number or the first author and year of its main report."""
    created_by = models.ForeignKey(USER, null=True, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.label


class StudyReport(models.Model):
    """A candidate that reports a study. A candidate belongs to one study at most."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="reports")
    candidate = models.OneToOneField("searches.Candidate", on_delete=models.CASCADE, related_name="study_report")
    added_by = models.ForeignKey(USER, null=True, on_delete=models.PROTECT, related_name="+")
    added_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"Candidate {self.candidate_id} of study {self.study_id}"

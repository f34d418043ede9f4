"""Prioritised screening: how a project ranks, the order of each screener, and samples that prove when to stop."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from litapp.jobs.models import LeasedStep, LeasedStepQuerySet
from litapp.projects.models import Project

USER = settings.AUTH_USER_MODEL


class Ranking(models.Model):
    """How titles and abstracts of a project are ranked. Frozen when it is first switched on: a later version of
    LitLedger with other defaults ranks this project as before."""

    project = models.OneToOneField(Project, on_delete=models.CASCADE, related_name="ranking")
    in_use = models.BooleanField(default=True)
    seed = models.PositiveBigIntegerField()
    settings = models.JSONField()
    """`core.ranking.model.settings_dict`: the model's name and everything that decides it."""
    question = models.JSONField(default=list)
    """The texts that ranked before the first label: question, PICO and blocks of the plans, as they were then."""
    control_share = models.FloatField()
    """Share of all records that are drawn at random into the control stream."""
    started_by = models.ForeignKey(USER, on_delete=models.PROTECT, related_name="+")
    started_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(control_share__gte=0, control_share__lte=0.5), name="control_share_is_a_share"
            )
        ]

    def __str__(self) -> str:
        return f"Ranking of project {self.project_id}"

    @property
    def model_name(self) -> str:
        return str(self.settings["model"])


class RankingOrder(LeasedStep):
    """The order for one screener (trained on that person's labels alone), or for all (`person` empty). Its own unit of
    background work: each training is claimed anew. The counts are those of the last training."""

    ranking = models.ForeignKey(Ranking, on_delete=models.CASCADE, related_name="orders")
    person = models.ForeignKey(USER, null=True, blank=True, on_delete=models.CASCADE, related_name="+")
    trainings = models.PositiveIntegerField(default=0)
    relevant = models.PositiveIntegerField(default=0)
    irrelevant = models.PositiveIntegerField(default=0)
    records = models.PositiveIntegerField(default=0)
    whole_at = models.PositiveIntegerField(default=0)
    """Labels when the places of all records were last written; between, those of the first ones are."""
    sample = models.PositiveIntegerField(default=0)
    """Number of the stopping sample that stands in front; 0 = none does."""
    trained_at = models.DateTimeField(null=True, blank=True)
    seconds = models.FloatField(null=True, blank=True)

    objects = LeasedStepQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["ranking", "person"], name="one_order_per_screener"),
            models.UniqueConstraint(fields=["ranking"], condition=models.Q(person=None), name="one_order_for_all"),
        ]

    def __str__(self) -> str:
        return f"Order for user {self.person_id}" if self.person_id else "Order for all"

    @property
    def labels(self) -> int:
        return self.relevant + self.irrelevant


class RankedRecord(models.Model):
    """The place of a record in an order. Decided ones keep the place they had."""

    class Mark(models.TextChoices):
        RANKED = "", "By the ranking"
        CONTROL = "control", "Random control"
        SAMPLE = "sample", "Random sample for the stopping test"

    order = models.ForeignKey(RankingOrder, on_delete=models.CASCADE, related_name="ranked")
    candidate = models.ForeignKey("searches.Candidate", on_delete=models.CASCADE, related_name="places")
    place = models.BigIntegerField()
    """Smaller = sooner. Every training writes in front of all earlier ones (`services.ranking_places`)."""
    position = models.PositiveIntegerField()
    """From 1, among the records that were unread at that training."""
    training = models.PositiveIntegerField()
    mark = models.CharField(max_length=7, choices=Mark, blank=True, default="")
    why = models.JSONField(default=dict, blank=True)
    """{"for": [words], "against": [words], "learned": bool}; {} = far behind, not told."""

    class Meta:
        constraints = [models.UniqueConstraint(fields=["order", "candidate"], name="one_place_per_record")]
        indexes = [models.Index(fields=["order", "place", "candidate"], name="records_by_place")]

    def __str__(self) -> str:
        return f"candidate {self.candidate_id} at {self.position}"


class StoppingSample(models.Model):
    """A random sample of the unread records that shall show whether screening may stop, and what it came to. The
    certificate is this row once somebody accepted it; it is then never changed."""

    ranking = models.ForeignKey(Ranking, on_delete=models.CASCADE, related_name="samples")
    number = models.PositiveIntegerField()
    request_id = models.UUIDField(unique=True)
    """Made by the form: a double click draws one sample."""
    drawn_by = models.ForeignKey(USER, on_delete=models.PROTECT, related_name="+")
    drawn_at = models.DateTimeField(auto_now_add=True)
    records = models.PositiveIntegerField()
    unread = models.PositiveIntegerField()
    relevant_before = models.PositiveIntegerField()
    size = models.PositiveIntegerField()
    target = models.FloatField()
    confidence = models.FloatField()
    chosen = models.JSONField()
    """Ids of the candidates, in the order in which they were drawn."""
    void = models.CharField(max_length=300, blank=True, default="")
    """Why the sample proves nothing; empty = it counts."""
    found = models.PositiveIntegerField(null=True)
    p_value = models.FloatField(null=True)
    passed = models.BooleanField(null=True)
    finished_at = models.DateTimeField(null=True)
    accepted_by = models.ForeignKey(USER, null=True, on_delete=models.PROTECT, related_name="+")
    accepted_at = models.DateTimeField(null=True)
    text = models.TextField(blank=True, default="")
    """The ready text; written when the result is."""

    class Meta:
        ordering = ["ranking", "number"]
        constraints = [
            models.UniqueConstraint(fields=["ranking", "number"], name="samples_are_numbered"),
            models.CheckConstraint(
                condition=models.Q(accepted_at=None, accepted_by=None)
                | models.Q(accepted_at__isnull=False, accepted_by__isnull=False, passed=True),
                name="only_a_passed_test_is_accepted",
            ),
        ]

    def __str__(self) -> str:
        return f"Sample {self.number} of project ranking {self.ranking_id}"

    @property
    def is_open(self) -> bool:
        """Its records are still being read."""
        return self.finished_at is None and not self.void

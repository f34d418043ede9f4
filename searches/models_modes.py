"""Short ways to papers (quick cite, related papers, seeds of a plan, reference pool): the search, and what it found."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import models

from litapp.core.records import Record
from litapp.jobs.models import LeasedStep, LeasedStepQuerySet
from litapp.ledger.models import SourceRecord
from litapp.projects.models import Project
from litapp.verification.models import Verification


class Mode(models.TextChoices):
    QUICK_CITE = "quick_cite", "Quick cite"
    RELATED = "related", "Related papers"
    SEEDS = "seeds", "Seed papers"
    POOL = "pool", "Reference pool"


class PaperSearch(LeasedStep):
    """One short search of a person. It is its own unit of background work.

    `done` and `total` count the questions that were put to sources. Once they are answered (`searched_at`), it waits
    until every paper that is to be checked has its verdict.
    """

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="paper_searches")
    mode = models.CharField(max_length=12, choices=Mode)
    requested_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+")
    request_id = models.UUIDField(unique=True)
    """Made by the form: a double click searches once."""
    title = models.CharField(max_length=300)
    question = models.JSONField(default=dict)
    """What the person asked, as the mode's service reads it."""
    asked = models.JSONField(default=list, blank=True)
    """[{source, label, what, outcome, message, hint, number, answers}]: each question to a source and what came of it.
    `outcome` is found, nothing, failed or not_asked; `number` None = the source did not say."""
    result = models.JSONField(default=dict, blank=True)
    """What the mode has to say beside its papers."""
    version = models.ForeignKey(
        "searches.SearchPlanVersion", null=True, blank=True, on_delete=models.CASCADE, related_name="paper_searches"
    )
    """The plan version whose seeds are looked for; empty in the other modes."""
    searched_at = models.DateTimeField(null=True, blank=True)

    objects = LeasedStepQuerySet.as_manager()

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(mode=Mode.SEEDS, version__isnull=False)
                | (~models.Q(mode=Mode.SEEDS) & models.Q(version__isnull=True)),
                name="seeds_belong_to_a_plan_version",
            )
        ]

    def __str__(self) -> str:
        return f"{self.get_mode_display()} {self.pk}"

    @property
    def failures_told(self) -> list[dict[str, Any]]:
        """The questions that a source did not answer."""
        return [one for one in self.asked if one["outcome"] in ("failed", "not_asked")]


class FoundPaper(models.Model):
    """A paper that sources returned to a search: an offer, no candidate until a person takes it in."""

    search = models.ForeignKey(PaperSearch, on_delete=models.CASCADE, related_name="papers")
    place = models.PositiveIntegerField()
    """Its place in the list, from 1, the best first."""
    group = models.CharField(max_length=20, blank=True, default="")
    """Category of a reference pool."""
    label = models.CharField(max_length=200, blank=True, default="")
    """What the person called it (a named method of a reference pool)."""
    records = models.ManyToManyField(SourceRecord, related_name="found_papers")
    main_record = models.ForeignKey(SourceRecord, on_delete=models.PROTECT, related_name="+")
    """The record that is shown and checked."""
    why = models.JSONField(default=list, blank=True)
    """Sentences that say why it is offered."""
    passage = models.JSONField(default=dict, blank=True)
    """{text, source, section, answer}: words of a source that fit the question; {} = none."""
    cut = models.CharField(max_length=200, blank=True, default="")
    """Why it is left out of the list although it was found; "" = it is in."""
    verification = models.OneToOneField(
        Verification, null=True, blank=True, on_delete=models.PROTECT, related_name="found_paper"
    )
    candidate = models.ForeignKey(
        "searches.Candidate", null=True, blank=True, on_delete=models.SET_NULL, related_name="found_papers"
    )
    """What it became when it was taken into the project."""

    class Meta:
        ordering = ["search", "place"]
        constraints = [models.UniqueConstraint(fields=["search", "place"], name="found_papers_in_order")]

    def __str__(self) -> str:
        return f"Paper {self.place} of search {self.search_id}"

    @property
    def record(self) -> Record:
        return self.main_record.record

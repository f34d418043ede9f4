"""What is known of the parts of a plan's queries: where each term came from, and the hits each part had."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from litapp.ledger.models import SourceAnswer

LONGEST_TERM = 500


class TermOrigin(models.Model):
    """Where a term of a plan came from. A term without a row was typed by a person."""

    plan = models.ForeignKey("searches.SearchPlan", on_delete=models.CASCADE, related_name="term_origins")
    term = models.CharField(max_length=LONGEST_TERM)
    """The term as PubMed's syntax has it (`core.querylang.print_pubmed`)."""
    origin = models.CharField(max_length=40)
    """A value of `core.querylang.draft.Origin`."""
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["plan", "term"], name="one_origin_per_term")]

    def __str__(self) -> str:
        return f"{self.term}: {self.origin}"


class PartCount(models.Model):
    """What PubMed counted for a part of a plan: a term, a block, a whole query. Append-only; the newest row counts."""

    plan = models.ForeignKey("searches.SearchPlan", on_delete=models.CASCADE, related_name="part_counts")
    text = models.TextField()
    """The part as a PubMed query, without the plan's limits."""
    text_hash = models.CharField(max_length=64)
    total = models.PositiveBigIntegerField(null=True)
    """None = PubMed could not be asked (`error`), never 0."""
    error = models.TextField(blank=True, default="")
    answer = models.ForeignKey(SourceAnswer, null=True, on_delete=models.PROTECT, related_name="+")
    counted_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes = [models.Index(fields=["plan", "text_hash", "-counted_at"], name="part_count_by_text")]

    def __str__(self) -> str:
        return f"{self.text[:40]}: {self.total}"


class OtherMethod(models.Model):
    """A place that is to be searched by hand beside the databases: a guideline body, a website (PRISMA-S item 8)."""

    plan = models.ForeignKey("searches.SearchPlan", on_delete=models.CASCADE, related_name="other_methods")
    name = models.CharField(max_length=200)
    address = models.URLField(max_length=400, blank=True, default="")
    added_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    added_at = models.DateTimeField(auto_now_add=True)
    searched_on = models.DateField(null=True)
    """When a person searched it by hand; None = not yet."""
    searched_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+")
    note = models.CharField(max_length=1000, blank=True, default="")
    """Words used and what was found, as the person wrote it."""

    class Meta:
        constraints = [models.UniqueConstraint(fields=["plan", "name"], name="one_other_method_per_name")]
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


class FrozenString(models.Model):
    """A query of an approved version in another database's syntax, as it was on the day of approval. Never changed."""

    version = models.ForeignKey("searches.SearchPlanVersion", on_delete=models.CASCADE, related_name="frozen_strings")
    query_index = models.PositiveIntegerField()
    database = models.CharField(max_length=40)
    """A value of `core.querylang.dialects.Dialect`."""
    text = models.TextField(blank=True, default="")
    """The string; "" = nothing of the query can be said there."""
    summary = models.TextField(blank=True, default="")
    proved = models.BooleanField(default=False)
    exact = models.PositiveIntegerField(default=0)
    changes = models.JSONField(default=list)
    """[{meaning, why, parts}], as the page shows them."""
    methods_text = models.TextField(blank=True, default="")
    frozen_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["version", "query_index", "database"], name="one_frozen_string_a_database")
        ]
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"{self.database}: {self.text[:40]}"

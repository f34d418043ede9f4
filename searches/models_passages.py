"""Passages of papers that a source returned for some words: the search for them, what came of it, and the passages."""

from __future__ import annotations

from collections.abc import Iterable

from django.conf import settings
from django.db import models
from django.db.models import Q

from litapp.jobs.models import LeasedStep, LeasedStepQuerySet
from litapp.ledger.models import SourceAnswer
from litapp.projects.models import Project


class PassageSearch(LeasedStep):
    """One request to look for passages about `words` in `chosen` candidates. Its own unit of background work.

    `done` counts candidates that were looked at, `total` all of them; `counts` says how they ended.
    """

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="passage_searches")
    requested_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+")
    request_id = models.UUIDField(unique=True)
    """Made by the form: a double click asks once."""
    words = models.CharField(max_length=500)
    chosen = models.JSONField(default=list)
    """Ids of the candidates, in the order in which they are looked at; fixed when it was asked for."""
    counts = models.JSONField(default=dict, blank=True)
    """`PassageLookup.Outcome` -> papers, and "passages": how many were returned."""
    troubles = models.JSONField(default=list, blank=True)
    """Sentences: for how many papers the source could not be asked, and why."""
    cancel_requested_at = models.DateTimeField(null=True, blank=True)

    objects = LeasedStepQuerySet.as_manager()

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"Search {self.pk} for passages"


class PassageLookup(models.Model):
    """What came of one candidate in one search for passages. Append-only."""

    class Outcome(models.TextChoices):
        FOUND = "found", "papers with passages"
        NONE = "none", "no passage about these words"
        ABSENT = "absent", "the source does not have the paper"
        OTHER_PAPER = "other_paper", "another paper under this identifier"
        NO_IDENTIFIER = "no_identifier", "no identifier that the source takes: nothing was sent"
        NOT_ASKED = "not_asked", "the source could not be asked"

    search = models.ForeignKey(PassageSearch, on_delete=models.CASCADE, related_name="lookups")
    candidate = models.ForeignKey("searches.Candidate", on_delete=models.CASCADE, related_name="passage_lookups")
    outcome = models.CharField(max_length=13, choices=Outcome)
    passages = models.PositiveIntegerField(default=0)
    message = models.TextField(blank=True, default="")
    answer = models.ForeignKey(SourceAnswer, null=True, on_delete=models.PROTECT, related_name="+")
    asked_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["search", "candidate"], name="a_paper_is_looked_at_once_a_passage_search")
        ]

    def __str__(self) -> str:
        return f"{self.get_outcome_display()}: candidate {self.candidate_id}"


class StoredPassageQuerySet(models.QuerySet["StoredPassage"]):
    """Reads of passages."""

    def of(self, candidate_ids: Iterable[int]) -> dict[int, list[StoredPassage]]:
        """Candidate -> its passages and those of candidates merged into it, in the order returned, newest answer
        first; the same words are shown once. One query."""
        wanted = set(candidate_ids)
        rows = self.filter(Q(candidate__in=wanted) | Q(candidate__merged_into__in=wanted))
        found: dict[int, list[StoredPassage]] = {}
        seen: set[tuple[int, str]] = set()
        for row in rows.select_related("candidate").order_by("-answer", "position"):
            owner = row.candidate_id if row.candidate_id in wanted else row.candidate.merged_into_id or 0
            if (owner, row.text) not in seen:
                seen.add((owner, row.text))
                found.setdefault(owner, []).append(row)
        return found

    def kinds_of(self, candidate_ids: Iterable[int]) -> dict[int, set[str]]:
        """Candidate -> the kinds of its passages, those of candidates merged into it among them. One query."""
        wanted = set(candidate_ids)
        rows = self.filter(Q(candidate__in=wanted) | Q(candidate__merged_into__in=wanted))
        found: dict[int, set[str]] = {}
        for pk, into, kind in rows.values_list("candidate", "candidate__merged_into", "kind").distinct():
            found.setdefault(pk if pk in wanted else into, set()).add(kind)
        return found


class StoredPassage(models.Model):
    """A passage of a paper, word for word as the source returned it. Never its full text. Append-only."""

    candidate = models.ForeignKey("searches.Candidate", on_delete=models.CASCADE, related_name="passages")
    source = models.CharField(max_length=40)
    answer = models.ForeignKey(SourceAnswer, on_delete=models.PROTECT, related_name="+")
    position = models.PositiveIntegerField()
    """Place in the answer, from 0."""
    text = models.TextField()
    section = models.TextField(blank=True, default="")
    kind = models.CharField(max_length=40, blank=True, default="")
    """The source's word: title, abstract or body."""
    words = models.CharField(max_length=500)
    """What was asked."""
    found_at = models.DateTimeField(auto_now_add=True)

    objects = StoredPassageQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["candidate", "answer", "position"], name="a_passage_is_stored_once")
        ]

    def __str__(self) -> str:
        return f"passage {self.position} of answer {self.answer_id}"

"""The ledger: every answer of a source, archived; every record read from one, append-only."""

from __future__ import annotations

from django.db import models

from litapp.core.ports import Outcome
from litapp.core.records import Record, record_from_dict

OUTCOMES = [(o.value, o.value.replace("_", " ")) for o in Outcome]


class SourceAnswer(models.Model):
    """One request to a source and what came back. Never changed, never deleted.

    `url` and `body_sent` carry no key and no contact address. The bytes lie content-addressed beside the database
    (`ledger.services.bodies`), `sha256` names them; it is empty where nothing came back (time-out, refused connection).
    """

    source = models.CharField(max_length=40)
    operation = models.CharField(max_length=40, blank=True, default="")
    method = models.CharField(max_length=6)
    url = models.TextField()
    body_sent = models.TextField(blank=True, default="")
    request_key = models.CharField(max_length=64)
    """sha256 of method, URL and body: equal requests have equal keys."""
    status = models.PositiveSmallIntegerField()
    headers = models.JSONField(default=dict)
    outcome = models.CharField(max_length=20, choices=OUTCOMES)
    error = models.TextField(blank=True, default="")
    sha256 = models.CharField(max_length=64, blank=True, default="")
    size = models.PositiveIntegerField(default=0)
    elapsed_ms = models.PositiveIntegerField(default=0)
    attempt = models.PositiveSmallIntegerField(default=1)
    sandbox = models.BooleanField(default=False)
    received_at = models.DateTimeField()

    class Meta:
        indexes = [
            models.Index(fields=["request_key", "-received_at"], name="answer_by_request"),
            models.Index(fields=["source", "-received_at"], name="answer_by_source"),
        ]

    def __str__(self) -> str:
        return f"{self.source} {self.operation or self.method} {self.received_at:%Y-%m-%d %H:%M:%S}"


class SourceRecord(models.Model):
    """A record exactly as one answer stated it: entry number `position` of `answer`. Append-only."""

    answer = models.ForeignKey(SourceAnswer, on_delete=models.PROTECT, related_name="records")
    position = models.PositiveIntegerField()
    source = models.CharField(max_length=40)
    source_id = models.CharField(max_length=200)
    data = models.JSONField()
    """`core.records.record_to_dict`."""
    sha256 = models.CharField(max_length=64)
    """Of the canonical JSON of `data`: the same statement twice has the same hash."""
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["answer", "position"], name="one_record_per_place")]
        indexes = [models.Index(fields=["source", "source_id"], name="record_by_source_id")]

    def __str__(self) -> str:
        return f"{self.source} {self.source_id}"

    @property
    def record(self) -> Record:
        return record_from_dict(self.data)


class MeshAnswer(models.Model):
    """What NLM itself said of a heading that the MeSH file at hand does not have: the heading, or that there is none.

    A later answer takes the place of an earlier one; the answers themselves stay archived.
    """

    key = models.CharField(max_length=300, unique=True)
    """The name asked for, as `core.mesh.heading.key_of` writes it."""
    heading = models.JSONField(null=True)
    """{ui, name, tree_numbers, entry_terms, scope}, or null: NLM has no such heading."""
    answer = models.ForeignKey(SourceAnswer, on_delete=models.PROTECT, related_name="+")
    asked_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.key}: {self.heading['name'] if self.heading else 'no such heading'}"

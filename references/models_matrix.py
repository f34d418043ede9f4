"""The literature matrix: one cell a reference and column, with the words it rests on, who filled and who checked it."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from litapp.core.matrix import COLUMN_LABELS
from litapp.core.matrix import Column as MatrixColumnKey
from litapp.core.matrix import Place as QuotePlace
from litapp.ledger.models import SourceRecord
from litapp.projects.models import Project

USER = settings.AUTH_USER_MODEL
LONGEST_VALUE = 4_000
"""Characters of a cell's value."""
LONGEST_QUOTE = 8_000


class OwnColumn(models.Model):
    """A column that a project added to its matrix. Taking it out keeps its cells."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="matrix_columns")
    name = models.CharField(max_length=80)
    position = models.PositiveIntegerField(default=0)
    created_by = models.ForeignKey(USER, null=True, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    removed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["position", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["project", "name"], condition=Q(removed_at=None), name="matrix_column_named_once"
            )
        ]

    def __str__(self) -> str:
        return self.name


class CellState(models.TextChoices):
    """EMPTY: nobody has looked (the same as no row). NOT_REPORTED: somebody looked, and the source does not say."""

    EMPTY = "", "Not looked at"
    FILLED = "filled", "Filled"
    NOT_REPORTED = "not_reported", "Not reported"


class FilledBy(models.TextChoices):
    NOBODY = "", "Nobody"
    PERSON = "person", "A person"
    RULE = "rule", "A rule"
    MODEL = "model", "A language model"


class MatrixCell(models.Model):
    """What is told of one reference in one column.

    `column` names one of the columns that every matrix has; it is empty where the column is `own`. `quote` is verbatim:
    at `start` to `end` of section `section` of the abstract of `source_record`, or entries of its publication types or
    MeSH headings; with `place` "full_text" in a kept copy, in the part that `section_label` names; with "passage" at
    `start` to `end` of a stored passage; with "page" a person typed it from a document, and its
    text cannot be looked up here.
    """

    reference = models.ForeignKey("references.Reference", on_delete=models.CASCADE, related_name="cells")
    column = models.CharField(
        max_length=12, choices=[(str(key), COLUMN_LABELS[key]) for key in MatrixColumnKey], blank=True, default=""
    )
    own = models.ForeignKey(OwnColumn, null=True, blank=True, on_delete=models.CASCADE, related_name="cells")
    state = models.CharField(max_length=12, choices=CellState, blank=True, default=CellState.EMPTY)
    value = models.TextField(blank=True, default="")
    quote = models.TextField(blank=True, default="")
    place = models.CharField(max_length=20, choices=[(str(p), str(p)) for p in QuotePlace if p], blank=True, default="")
    source_record = models.ForeignKey(SourceRecord, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    section = models.PositiveSmallIntegerField(null=True, blank=True)
    section_label = models.CharField(max_length=200, blank=True, default="")
    start = models.PositiveIntegerField(null=True, blank=True)
    end = models.PositiveIntegerField(null=True, blank=True)
    full_text = models.ForeignKey(
        "references.FullTextCopy", null=True, blank=True, on_delete=models.RESTRICT, related_name="+"
    )  # fmt: skip
    passage = models.ForeignKey(
        "searches.StoredPassage", null=True, blank=True, on_delete=models.RESTRICT, related_name="+"
    )  # fmt: skip
    page = models.CharField(max_length=40, blank=True, default="")
    filled_by = models.CharField(max_length=8, choices=FilledBy, blank=True, default="")
    person = models.ForeignKey(USER, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    rule = models.CharField(max_length=60, blank=True, default="")
    rule_version = models.PositiveSmallIntegerField(default=0)
    model = models.CharField(max_length=200, blank=True, default="")
    filled_at = models.DateTimeField(null=True, blank=True)
    checked_by = models.ForeignKey(USER, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    checked_at = models.DateTimeField(null=True, blank=True)
    version = models.PositiveIntegerField(default=0)
    """Rises with every change: a save on an older version is refused."""

    class Meta:
        ordering = ["reference", "column", "own"]
        constraints = [
            models.UniqueConstraint(fields=["reference", "column"], condition=Q(own=None), name="matrix_cell_once"),
            models.UniqueConstraint(fields=["reference", "own"], name="matrix_own_cell_once"),
            models.CheckConstraint(
                condition=Q(own=None) & ~Q(column="") | Q(own__isnull=False, column=""), name="cell_has_one_column"
            ),
            models.CheckConstraint(
                condition=~Q(state="filled") | ~Q(value="") & ~Q(filled_by=""), name="filled_cell_says_what_and_by_whom"
            ),
            models.CheckConstraint(
                condition=~Q(place__in=["abstract", "publication_types", "mesh"]) | Q(source_record__isnull=False),
                name="quote_of_a_source_names_its_record",
            ),
            models.CheckConstraint(
                condition=~Q(place="full_text") | Q(full_text__isnull=False), name="quote_of_a_full_text_names_its_copy"
            ),
            models.CheckConstraint(
                condition=~Q(place="passage")
                | Q(passage__isnull=False, start__isnull=False, end__gt=models.F("start")),
                name="quote_of_a_passage_has_its_place",
            ),
            models.CheckConstraint(
                condition=~Q(place="abstract")
                | Q(section__isnull=False, start__isnull=False, end__gt=models.F("start")),
                name="quote_of_an_abstract_has_its_span",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.column or self.own}: {self.get_state_display()}"


class MatrixChange(models.Model):
    """One change of a cell, with the cell as it was before: what an undo brings back. Append-only."""

    cell = models.ForeignKey(MatrixCell, on_delete=models.CASCADE, related_name="changes")
    actor = models.ForeignKey(USER, null=True, on_delete=models.PROTECT, related_name="+")
    made_version = models.PositiveIntegerField()
    """The cell's version after the change: only the latest change can be undone."""
    before = models.JSONField(default=dict)
    made_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["cell", "pk"]

    def __str__(self) -> str:
        return f"change {self.made_version} of cell {self.cell_id}"

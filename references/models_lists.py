"""Lists of references that a person brought to be checked: the list, and every piece of it with its verdict."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Case, Count, IntegerField, Q, Value, When

from litapp.jobs.models import OPEN_STATES, LeasedStep, LeasedStepQuerySet, StepState
from litapp.ledger.models import SourceAnswer
from litapp.projects.models import Project
from litapp.verification.findings import GRAVE_STATES
from litapp.verification.models import PublicationState, VerdictStatus, Verification
from searches.models import Candidate


class ReferenceListCheck(LeasedStep):
    """A text or file of references, checked entry by entry. It is its own unit of background work.

    `done` counts the pieces of the list that were read, in their order: a killed worker's successor goes on behind
    them. Once all are read (`read_at`), it waits until every entry has its verdict.
    """

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="list_checks")
    requested_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+")
    request_id = models.UUIDField(unique=True)
    """Made by the form: a double click starts one check."""
    title = models.CharField(max_length=200)
    file_name = models.CharField(max_length=255, blank=True, default="")
    """"" for pasted text."""
    answer = models.OneToOneField(SourceAnswer, on_delete=models.PROTECT, related_name="list_check")
    """The text or file in the ledger, as it came."""
    format = models.CharField(max_length=60, blank=True, default="")
    encoding = models.CharField(max_length=60, blank=True, default="")
    notes = models.JSONField(default=list, blank=True)
    """Sentences about the file as a whole."""
    read_at = models.DateTimeField(null=True, blank=True)
    cancel_requested_at = models.DateTimeField(null=True, blank=True)

    objects = LeasedStepQuerySet.as_manager()

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"List {self.pk}: {self.title}"

    @property
    def can_resume(self) -> bool:
        """It ended before every entry had a verdict, and can go on."""
        return self.state in (StepState.CANCELLED, StepState.FAILED)


class EntryKind(models.TextChoices):
    """What a piece of the list is. OTHER = not a reference: a heading, an assistant's words; kept and counted."""

    REFERENCE = "reference", "Reference"
    UNREADABLE = "unreadable", "Could not be read"
    OTHER = "other", "Not a reference"


_V = "verification__"
_CHECKED = Q(**{f"{_V}checked_at__isnull": False})
_SUSPECT = _CHECKED & Q(**{f"{_V}status": VerdictStatus.SUSPECT})
FILTERS: dict[str, Q] = {
    "identity": _SUSPECT & Q(**{f"{_V}kind": "identity"}),
    "details": _SUSPECT & ~Q(**{f"{_V}kind": "identity"}),
    "retracted": Q(**{f"{_V}publication_state__in": (*GRAVE_STATES, PublicationState.CONCERN)}),
    "unverified": _CHECKED & Q(**{f"{_V}status": VerdictStatus.UNVERIFIED}),
    "unreadable": Q(kind=EntryKind.UNREADABLE),
    "manual": Q(**{f"{_V}status": VerdictStatus.MANUAL}),
    "verified": _CHECKED & Q(**{f"{_V}status": VerdictStatus.VERIFIED}),
    "checking": Q(kind=EntryKind.REFERENCE, **{f"{_V}checked_at__isnull": True})
    & ~Q(**{f"{_V}status": VerdictStatus.MANUAL}),
    "duplicate": Q(duplicate_of__isnull=False),
    "other": Q(kind=EntryKind.OTHER),
}
"""Filters of a checked list. "retracted" and "duplicate" stand beside the verdict; the others part the list."""


class ListEntryQuerySet(models.QuerySet["ListEntry"]):
    """Reads of a checked list."""

    def entries(self) -> ListEntryQuerySet:
        """What was brought as a reference, readable or not."""
        return self.exclude(kind=EntryKind.OTHER)

    def shown(self, name: str) -> ListEntryQuerySet:
        """Those that the filter `name` shows; all entries (without stray pieces) for any other name."""
        return self.filter(FILTERS[name]) if name in FILTERS else self.entries()

    def worst_first(self) -> ListEntryQuerySet:
        """Not existing, retracted, wrong details, of concern, undecided, by hand, verified; unchecked last."""
        groups = (
            FILTERS["identity"],
            Q(**{f"{_V}publication_state__in": GRAVE_STATES}),
            FILTERS["details"],
            FILTERS["retracted"],
            FILTERS["unreadable"],
            FILTERS["unverified"],
            FILTERS["manual"],
            FILTERS["verified"],
        )
        order = Case(
            *(When(group, then=Value(place)) for place, group in enumerate(groups)),
            default=Value(len(groups)),
            output_field=IntegerField(),
        )
        return self.annotate(rank=order).order_by("rank", "number")

    def counts(self) -> dict[str, int]:
        """How many each filter would show, and "all" entries. One query."""
        named = {name: Count("pk", filter=condition) for name, condition in FILTERS.items()}
        every = Count("pk", filter=~Q(kind=EntryKind.OTHER))
        return {**self.order_by().aggregate(all=every, **named)}

    def unfinished(self) -> ListEntryQuerySet:
        """Entries without a verdict, or being asked about again. One that only waits for a silent source has its
        verdict ("unverified", with the reason)."""
        working = Q(**{f"{_V}state__in": (StepState.QUEUED, StepState.RUNNING)})
        waiting = Q(**{f"{_V}checked_at__isnull": True, f"{_V}state__in": OPEN_STATES})
        return self.filter(verification__isnull=False).filter(working | waiting)


class ListEntry(models.Model):
    """One piece of a checked list: a reference with its verification, one that could not be read, or a stray piece."""

    list_check = models.ForeignKey(ReferenceListCheck, on_delete=models.CASCADE, related_name="entries")
    place = models.PositiveIntegerField()
    """Place among all pieces of the list, from 1."""
    number = models.PositiveIntegerField(default=0)
    """Place among the references, from 1; 0 for a stray piece."""
    kind = models.CharField(max_length=12, choices=EntryKind, default=EntryKind.REFERENCE)
    label = models.CharField(max_length=40, blank=True, default="")
    """The number or mark that the list itself gives it."""
    first_line = models.PositiveIntegerField(default=0)
    last_line = models.PositiveIntegerField(default=0)
    text = models.TextField(blank=True, default="")
    """As it stands in the list (cut where very long)."""
    parsed = models.BooleanField(default=False)
    """Fields were read from a structured file; otherwise the text is matched as a whole."""
    problem = models.TextField(blank=True, default="")
    """Why it could not be read and what to do, or why it is no reference."""
    warnings = models.JSONField(default=list, blank=True)
    verification = models.OneToOneField(
        Verification, null=True, blank=True, on_delete=models.PROTECT, related_name="list_entry"
    )
    duplicate_of = models.ForeignKey("self", null=True, blank=True, on_delete=models.SET_NULL, related_name="again")
    """The earlier entry of this list that is the same paper."""
    candidate = models.ForeignKey(
        Candidate, null=True, blank=True, on_delete=models.SET_NULL, related_name="list_entries"
    )
    """What it became when it was taken into the project."""

    objects = ListEntryQuerySet.as_manager()

    class Meta:
        ordering = ["list_check", "place"]
        constraints = [
            models.UniqueConstraint(fields=["list_check", "place"], name="pieces_of_a_list_in_order"),
            models.CheckConstraint(
                condition=models.Q(kind=EntryKind.REFERENCE, verification__isnull=False)
                | (~models.Q(kind=EntryKind.REFERENCE) & models.Q(verification__isnull=True)),
                name="every_reference_of_a_list_is_checked",
            ),
        ]

    def __str__(self) -> str:
        return f"entry {self.number or self.place} of list {self.list_check_id}"

"""Which candidates a page shows, and in which order: read from the address, the same for list and screening."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from django import forms
from django.db.models import Exists, F, OrderBy, OuterRef, Q, QuerySet
from django.http import QueryDict

from litapp.core.normalise import title_key
from litapp.providers.registry import SOURCES
from litapp.verification.models import PublicationState, VerdictStatus
from searches.models import Candidate, CandidateSource, Decision, Fit

UNDECIDED = "undecided"
"""How "not decided" is written in an address (its stored value is empty)."""
RETRACTED = "retracted"
NOTICED = "noticed"

DECISION_CHOICES = (
    ("", "Any decision"),
    (UNDECIDED, "Not decided"),
    (Decision.INCLUDE.value, "Included"),
    (Decision.EXCLUDE.value, "Excluded"),
    (Decision.MAYBE.value, "Maybe"),
)
VERDICT_CHOICES = (
    ("", "Any verdict"),
    (RETRACTED, "Retracted or withdrawn"),
    (NOTICED, "Other notice (concern, correction …)"),
    (VerdictStatus.VERIFIED.value, "Verified"),
    (VerdictStatus.SUSPECT.value, "Suspect"),
    (VerdictStatus.UNVERIFIED.value, "Unverified"),
    (VerdictStatus.MANUAL.value, "Confirmed by a person"),
)
RETRACTED_STATES = (PublicationState.RETRACTED, PublicationState.WITHDRAWN, PublicationState.PARTLY_RETRACTED)
SORTS: Mapping[str, str] = MappingProxyType(
    {
        "fit": "fit",
        "title": "title_key",
        "author": "author_key",
        "journal": "journal",
        "year": "year",
        "decision": "decision",
        "found": "id",
    }
)
"""What a list can be sorted by -> column. Ties are always broken by the order of finding (id)."""
DEFAULT_SORT = "-fit"
SCREEN_ORDERS = (
    ("-fit", "Best fit first"),
    ("-year", "Newest first"),
    ("year", "Oldest first"),
    ("title", "By title"),
    ("found", "As found"),
)


class CandidateFilterForm(forms.Form):
    """The filters of the candidate list; every field may be empty."""

    q = forms.CharField(
        label="Words", required=False, max_length=500, help_text="In title, authors, journal, abstract, MeSH, DOI, PMID"
    )
    decision = forms.ChoiceField(label="Decision", required=False, choices=DECISION_CHOICES)
    verdict = forms.ChoiceField(label="Verdict", required=False, choices=VERDICT_CHOICES)
    fit = forms.ChoiceField(
        label="Fit",
        required=False,
        choices=(("", "Any fit"), *((str(level.value), level.label) for level in reversed(Fit))),
    )
    source = forms.ChoiceField(
        label="Found by", required=False, choices=(("", "Any source"), *((s.key, s.label) for s in SOURCES))
    )
    year_from = forms.IntegerField(label="Year from", required=False, min_value=1500, max_value=2200)
    year_to = forms.IntegerField(label="Year to", required=False, min_value=1500, max_value=2200)

    def clean(self) -> dict[str, Any]:
        """Refuse years that exclude each other: the list would be empty for no visible reason."""
        data = super().clean() or {}
        first, last = data.get("year_from"), data.get("year_to")
        if first and last and first > last:
            self.add_error("year_to", "This year lies before “Year from”, so nothing could be found.")
        return data


@dataclass(frozen=True, slots=True)
class CandidateFilter:
    """What to show and how to order it. `parameters` are the valid, non-empty query parameters, for links."""

    parameters: tuple[tuple[str, str], ...]
    conditions: Q
    sort: str

    def rows(self, candidates: QuerySet[Candidate]) -> QuerySet[Candidate]:
        """The matching ones of `candidates`, in order."""
        return candidates.filter(self.conditions).order_by(*ordering(self.sort))

    @property
    def is_narrowed(self) -> bool:
        """True when some filter is set (sorting does not count)."""
        return any(name != "sort" for name, _ in self.parameters)

    def query(self, **changes: object) -> str:
        """The filters as a query string with `changes` (None takes a parameter out)."""
        query = QueryDict(mutable=True)
        for name, value in self.parameters:
            query[name] = value
        for name, change in changes.items():
            query.pop(name, None)
            if change is not None:
                query[name] = str(change)
        return query.urlencode()


def read_filter(form: CandidateFilterForm, sort: str) -> CandidateFilter:
    """The filter that the valid fields of `form` describe; a field with an error is left out (the form shows it)."""
    form.is_valid()
    values = {name: value for name, value in form.cleaned_data.items() if value not in ("", None)}
    conditions = Q()
    for word in title_key(values.get("q", "")).split():
        conditions &= Q(search_text__contains=word)
    if decision := values.get("decision"):
        conditions &= Q(decision=Decision.UNDECIDED if decision == UNDECIDED else decision)
    if verdict := values.get("verdict"):
        conditions &= _verdict(verdict)
    if fit := values.get("fit"):
        conditions &= Q(fit=int(fit))
    if source := values.get("source"):
        conditions &= Q(Exists(CandidateSource.objects.filter(candidate=OuterRef("pk"), source=source)))
    if first := values.get("year_from"):
        conditions &= Q(year__gte=first)
    if last := values.get("year_to"):
        conditions &= Q(year__lte=last)
    parameters = tuple((name, str(value)) for name, value in values.items())
    known = sort.removeprefix("-") in SORTS
    if known and sort != DEFAULT_SORT:
        parameters += (("sort", sort),)
    return CandidateFilter(parameters, conditions, sort if known else DEFAULT_SORT)


def _verdict(verdict: str) -> Q:
    if verdict == RETRACTED:
        return Q(verification__publication_state__in=RETRACTED_STATES)
    if verdict == NOTICED:
        return ~Q(verification__publication_state__in=("", *RETRACTED_STATES)) & Q(verification__isnull=False)
    if verdict == VerdictStatus.UNVERIFIED:
        return Q(verification__status=verdict) | Q(verification=None)
    return Q(verification__status=verdict)


def ordering(sort: str) -> list[OrderBy]:
    """The ORDER BY of a sort key ("-year" = descending): empty years last either way, then by order of finding."""
    column = SORTS[sort.removeprefix("-")]
    first = F(column).desc(nulls_last=True) if sort.startswith("-") else F(column).asc(nulls_last=True)
    return [first, F("id").asc()]


def following(sort: str, place: Candidate) -> Q:
    """Condition of the rows that come after `place` in the order `sort`."""
    column = SORTS[sort.removeprefix("-")]
    if column == "id":
        return Q(id__lt=place.pk) if sort.startswith("-") else Q(id__gt=place.pk)
    value = getattr(place, column)
    if value is None:
        return Q(**{f"{column}__isnull": True}, id__gt=place.pk)
    beyond = f"{column}__lt" if sort.startswith("-") else f"{column}__gt"
    after = Q(**{beyond: value}) | Q(**{column: value}, id__gt=place.pk)
    return after | Q(**{f"{column}__isnull": True}) if column == "year" else after


def preceding(sort: str, place: Candidate) -> Q:
    """Condition of the rows that come before `place` in the order `sort`."""
    return ~Q(pk=place.pk) & ~following(sort, place)


def reversed_ordering(sort: str) -> list[OrderBy]:
    """The same order read backwards, to find the row just before a place."""
    column = SORTS[sort.removeprefix("-")]
    first = F(column).asc(nulls_first=True) if sort.startswith("-") else F(column).desc(nulls_first=True)
    return [first, F("id").desc()]

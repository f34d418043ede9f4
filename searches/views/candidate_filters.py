"""The filters and the order of the candidate list, read from the address and written back into links."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any
from urllib.parse import parse_qsl

from django import forms
from django.http import QueryDict

from litapp.providers.registry import search_sources
from searches.blinding import Viewer
from searches.models import Fit
from searches.querysets import CandidateFilter, CandidateQuerySet
from searches.seen import decided_as, in_state, with_label

DECISION_CHOICES = (
    ("undecided", "Not decided"),
    ("include", "Included"),
    ("exclude", "Excluded"),
    ("maybe", "Maybe"),
)
VERDICT_CHOICES = (
    ("retracted", "Retracted or withdrawn"),
    ("verified", "Verified"),
    ("suspect", "Suspect"),
    ("unverified", "Unverified"),
    ("unchecked", "Not checked yet"),
    ("manual", "Confirmed by a person"),
)
STATE_CHOICES = (
    ("conflict", "In conflict"),
    ("partly", "Wait for another vote"),
    ("agreed", "Agreed"),
    ("resolved", "Conflict settled"),
)
LARGEST_ID = 2**62
DEFAULT_SORT = "-fit"
SORTS: Mapping[str, str] = MappingProxyType(
    {
        "fit": "-fit",
        "-fit": "fit",
        "title": "title",
        "-title": "-title",
        "author": "author",
        "-author": "-author",
        "journal": "journal",
        "-journal": "-journal",
        "year": "-year",
        "-year": "year",
        "verdict": "verdict",
        "-verdict": "-verdict",
    }
)
"""`sort` of an address ("-" = descending) -> order of `CandidateQuerySet.sorted_by`, which names some by their best."""


class CandidateFilterForm(forms.Form):
    """The filters of the candidate list; every field may be empty."""

    q = forms.CharField(label="Words", required=False, max_length=500)
    decision = forms.ChoiceField(label="Decision", required=False, choices=(("", "Any"), *DECISION_CHOICES))
    verdict = forms.ChoiceField(label="Verdict", required=False, choices=(("", "Any"), *VERDICT_CHOICES))
    source = forms.ChoiceField(
        label="Found by", required=False, choices=(("", "Any source"), *((s.key, s.label) for s in search_sources()))
    )
    fit = forms.TypedChoiceField(
        label="Fit",
        required=False,
        coerce=int,
        empty_value=None,
        choices=(("", "Any"), *((str(level.value), level.label) for level in reversed(Fit))),
    )
    run = forms.IntegerField(widget=forms.HiddenInput, required=False, min_value=1, max_value=LARGEST_ID)
    at = forms.CharField(widget=forms.HiddenInput, required=False, max_length=40)
    query = forms.IntegerField(widget=forms.HiddenInput, required=False, min_value=1, max_value=1000)
    overlap = forms.ChoiceField(
        widget=forms.HiddenInput, required=False, choices=(("", ""), ("shared", "shared"), ("only", "only"))
    )
    not_in = forms.IntegerField(widget=forms.HiddenInput, required=False, min_value=1, max_value=LARGEST_ID)
    abstract = forms.ChoiceField(
        widget=forms.HiddenInput,
        required=False,
        choices=(("", ""), ("missing", "missing"), ("filled", "filled"), ("present", "present")),
    )
    brought = forms.IntegerField(widget=forms.HiddenInput, required=False, min_value=1, max_value=LARGEST_ID)
    brought_as = forms.ChoiceField(
        widget=forms.HiddenInput, required=False, choices=(("", ""), ("new", "new"), ("known", "known"))
    )
    state = forms.ChoiceField(label="Votes", required=False, choices=(("", "Any"), *STATE_CHOICES))
    label = forms.CharField(label="Label", required=False, max_length=60)
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
class ListQuery:
    """What an address asks of the list: its filters, its order, and both as parameters for links."""

    wanted: CandidateFilter
    sort: str
    parameters: tuple[tuple[str, str], ...]
    state: str = ""
    """State of the votes, for those who may know it."""
    label: str = ""
    """Name of a label that the viewer may see."""

    @property
    def order(self) -> str:
        """The order for `CandidateQuerySet.sorted_by`."""
        return SORTS[self.sort]

    @property
    def is_narrowed(self) -> bool:
        """True when some filter is set."""
        return bool(self.parameters)

    def query(self, **changes: object) -> str:
        """The query string with `changes`; None takes a parameter out."""
        query = QueryDict(mutable=True)
        for name, value in self.parameters:
            query[name] = value
        if self.sort != DEFAULT_SORT:
            query["sort"] = self.sort
        for name, change in changes.items():
            query.pop(name, None)
            if change is not None:
                query[name] = str(change)
        return query.urlencode()

    @property
    def fields(self) -> list[tuple[str, str]]:
        """The same as hidden fields of a form."""
        return parse_qsl(self.query())


def read_list_query(form: CandidateFilterForm, sort: str) -> ListQuery:
    """What the valid fields of `form` ask for; a field with an error is left out (the form shows the error)."""
    form.is_valid()
    values = {name: value for name, value in form.cleaned_data.items() if value not in ("", None)}
    return ListQuery(
        wanted=CandidateFilter(
            verdict=values.get("verdict", ""),
            decision=values.get("decision", ""),
            source=values.get("source", ""),
            fit=values.get("fit"),
            year_from=values.get("year_from"),
            year_to=values.get("year_to"),
            text=values.get("q", ""),
            run=values.get("run"),
            at=values.get("at", ""),
            query=values.get("query"),
            overlap=values.get("overlap", ""),
            not_in=values.get("not_in"),
            abstract=values.get("abstract", ""),
            brought=values.get("brought"),
            brought_as=values.get("brought_as", ""),
        ),
        sort=sort if sort in SORTS else DEFAULT_SORT,
        parameters=tuple((name, str(value)) for name, value in values.items()),
        state=values.get("state", ""),
        label=values.get("label", ""),
    )


def matching(
    candidates: CandidateQuerySet, query: ListQuery, viewer: Viewer, *, decided: bool = True
) -> CandidateQuerySet:
    """The candidates that the filters let through, as the viewer sees them; `decided` False leaves the filter by
    decision out."""
    rows = candidates.filtered(replace(query.wanted, decision=""))
    rows = with_label(in_state(rows, query.state, viewer), query.label, viewer)
    return decided_as(rows, query.wanted.decision, viewer) if decided else rows

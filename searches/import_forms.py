"""Forms of imports: a file, a list of identifiers, one record by hand, and what PRISMA-S asks of the search."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any
from uuid import uuid4

from django import forms
from django.core.validators import URLValidator
from django.utils import timezone

from litapp.core.identifiers import BadIdentifier, normalise
from litapp.core.records import Identifier, Person, Scheme
from searches.models import RecordImport
from searches.services.import_by_hand import TypedRecord
from searches.services.imports import IDENTIFIER_DATABASE, LIST_LARGEST, ImportDetails

ACCEPT = ".ris,.nbib,.txt,.enw,.bib,.xml,.csv,.tsv,.json,.ciw,.rdf,.yaml,.yml"
TYPES = (
    ("report", "Guideline or report"),
    ("webpage", "Web page"),
    ("article-journal", "Journal article"),
    ("book", "Book"),
    ("chapter", "Chapter"),
    ("thesis", "Thesis"),
    ("paper-conference", "Conference paper"),
)


class SearchForm(forms.Form):
    """What PRISMA-S asks of a search. Only the database must be told."""

    database = forms.CharField(
        label="Database",
        max_length=120,
        widget=forms.TextInput(attrs={"list": "databases", "autocomplete": "off"}),
        error_messages={"required": "Say which database was searched: PRISMA counts its records by it."},
    )
    platform = forms.CharField(
        label="Platform", max_length=120, required=False,
        widget=forms.TextInput(attrs={"list": "platforms", "autocomplete": "off"}),
    )  # fmt: skip
    searched_on = forms.DateField(label="Date searched", required=False, widget=forms.DateInput(attrs={"type": "date"}))
    count_exported = forms.IntegerField(label="Records exported", required=False, min_value=0, max_value=10_000_000)
    query = forms.CharField(
        label="Query as run",
        required=False,
        strip=False,
        max_length=100_000,
        widget=forms.Textarea(attrs={"rows": 4, "spellcheck": "false"}),
    )

    def clean_searched_on(self) -> Any:
        """No search was run in the future."""
        day = self.cleaned_data["searched_on"]
        if day and day > timezone.now().date() + timedelta(days=1):
            raise forms.ValidationError("This day is still to come.")
        return day

    def details(self) -> ImportDetails:
        """What was told, after `is_valid()`."""
        data = self.cleaned_data
        return ImportDetails(
            data["database"].strip(), data["platform"].strip(), data["searched_on"], data["query"].strip(),
            data["count_exported"],
        )  # fmt: skip


def details_of(row: RecordImport) -> dict[str, Any]:
    """The initial values of a SearchForm for an import."""
    return {name: getattr(row, name) for name in SearchForm.base_fields}


class ImportFileForm(SearchForm):
    """A file and the search it came from."""

    file = forms.FileField(
        label="File",
        widget=forms.ClearableFileInput(attrs={"accept": ACCEPT}),
        error_messages={"required": "Choose a file.", "empty": "The file is empty. Export the records again."},
    )
    request_id = forms.UUIDField(widget=forms.HiddenInput, required=False, initial=uuid4)
    field_order = ("file", "database", "platform", "searched_on", "count_exported", "query")


class IdentifiersForm(SearchForm):
    """A list of identifiers: pasted or uploaded, not both. `listed` is its text after `is_valid()`."""

    text = forms.CharField(
        label="Identifiers",
        required=False,
        strip=False,
        max_length=LIST_LARGEST,
        widget=forms.Textarea(attrs={"rows": 8, "spellcheck": "false"}),
    )
    file = forms.FileField(
        label="Or upload the list", required=False, widget=forms.ClearableFileInput(attrs={"accept": ".txt,.csv"})
    )
    request_id = forms.UUIDField(widget=forms.HiddenInput, required=False, initial=uuid4)
    listed = ""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["database"].initial = IDENTIFIER_DATABASE
        self.fields["database"].label = "Where the list comes from"

    def clean(self) -> dict[str, Any]:
        """Read the list, from the one place where it stands."""
        data: dict[str, Any] = super().clean() or {}
        pasted, uploaded = (data.get("text") or "").strip(), data.get("file")
        if bool(pasted) is bool(uploaded):
            self.add_error("text", "Paste the list or upload it: one of the two." if pasted else "Paste the list here.")
        elif uploaded is None:
            self.listed = pasted
        elif uploaded.size > LIST_LARGEST:
            self.add_error("file", f"The list has more than {LIST_LARGEST:,} bytes. Part it.")
        else:
            try:
                self.listed = uploaded.read().decode("utf-8-sig")
            except UnicodeDecodeError:
                self.add_error("file", "This is no plain text (UTF-8). Save the list as text, one identifier a line.")
        return data


class RecordForm(forms.Form):
    """One record, typed by a person."""

    title = forms.CharField(
        label="Title", max_length=1_000, error_messages={"required": "Give the title as it is printed."}
    )
    authors = forms.CharField(
        label="Authors",
        required=False,
        max_length=20_000,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="One a line: “Family, Given”. A line without a comma is a group (World Health Organization).",
    )
    csl_type = forms.ChoiceField(label="Kind", choices=TYPES)
    year = forms.IntegerField(label="Year", required=False, min_value=1500, max_value=2200)
    published_in = forms.CharField(label="Journal, series or site", required=False, max_length=300)
    publisher = forms.CharField(label="Publisher", required=False, max_length=300)
    url = forms.CharField(label="Address", required=False, max_length=2_000, widget=forms.URLInput)
    accessed_on = forms.DateField(
        label="Read on", required=False, widget=forms.DateInput(attrs={"type": "date"}),
        help_text="The day on which you read it at this address.",
    )  # fmt: skip
    doi = forms.CharField(label="DOI", required=False, max_length=500)
    pmid = forms.CharField(label="PMID", required=False, max_length=100)
    request_id = forms.UUIDField(widget=forms.HiddenInput, required=False, initial=uuid4)

    def clean_url(self) -> str:
        """Only addresses of the web; nothing is fetched from it."""
        address = str(self.cleaned_data["url"]).strip()
        if address:
            URLValidator(schemes=["http", "https"], message="This is no web address (https://…).")(address)
        return address

    def clean_doi(self) -> str:
        return _identifier(Scheme.DOI, self.cleaned_data["doi"])

    def clean_pmid(self) -> str:
        return _identifier(Scheme.PMID, self.cleaned_data["pmid"])

    def clean(self) -> dict[str, Any]:
        """An address without its day cannot be cited: pages change."""
        data: dict[str, Any] = super().clean() or {}
        if data.get("url") and not data.get("accessed_on") and "accessed_on" not in self.errors:
            self.add_error("accessed_on", "Say when you read it there: pages change.")
        return data

    def typed(self) -> TypedRecord:
        """The record, after `is_valid()`."""
        data = self.cleaned_data
        identifiers = [(Scheme.DOI, data["doi"]), (Scheme.PMID, data["pmid"])]
        return TypedRecord(
            title=" ".join(data["title"].split()),
            authors=tuple(_person(line) for line in data["authors"].splitlines() if line.strip()),
            year=data["year"],
            csl_type=data["csl_type"],
            published_in=data["published_in"].strip(),
            publisher=data["publisher"].strip(),
            url=data["url"],
            accessed_on=data["accessed_on"],
            identifiers=tuple(Identifier(scheme, value) for scheme, value in identifiers if value),
        )


def _identifier(scheme: Scheme, text: str) -> str:
    if not text.strip():
        return ""
    try:
        return normalise(scheme, text.strip())
    except BadIdentifier as error:
        raise forms.ValidationError(str(error)) from error


def _person(line: str) -> Person:
    family, comma, given = line.strip().partition(",")
    if not comma:
        return Person(literal=re.sub(r"\s+", " ", family.strip()))
    return Person(family=family.strip(), given=given.strip())

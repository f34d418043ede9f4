"""The form of a search plan: what people type, turned into the plan's content and back."""

from __future__ import annotations

import re
import uuid
from typing import Any, cast

from django import forms

from litapp.core.plan import Preprints
from litapp.providers.registry import QueryKind, search_keys, search_sources

MOST_QUERIES = 50
LONGEST_QUERY = 100_000
"""Characters of one query. Real strategies reach about 12,000; PubMed takes far more by POST."""

PUBLICATION_TYPES = (
    "Randomized Controlled Trial",
    "Clinical Trial",
    "Systematic Review",
    "Meta-Analysis",
    "Review",
    "Practice Guideline",
    "Observational Study",
    "Comparative Study",
    "Case Reports",
    "Editorial",
    "Letter",
)
"""PubMed's names of the types asked for most; others are typed."""

LANGUAGES = {
    "eng": "English",
    "ger": "German",
    "fre": "French",
    "spa": "Spanish",
    "ita": "Italian",
    "por": "Portuguese",
    "dut": "Dutch",
    "pol": "Polish",
    "rus": "Russian",
    "chi": "Chinese",
    "jpn": "Japanese",
    "kor": "Korean",
}
"""Codes as PubMed writes them (ISO 639-2/B) of the languages asked for most; other codes are typed."""

PREPRINTS = {
    Preprints.INCLUDED: "Included",
    Preprints.EXCLUDED: "Excluded",
    Preprints.ONLY: "Only preprints",
}

_PLAIN = [source.label for source in search_sources() if source.query_kind is QueryKind.PLAIN]
_BOOLEAN = [source.label for source in search_sources() if source.query_kind is QueryKind.BOOLEAN]

_NO_YEAR = {"invalid": "Write a year, such as 2015, or leave this empty."}


def _joined(names: list[str]) -> str:
    """ "A, B and C"."""
    return " and ".join(part for part in (", ".join(names[:-1]), *names[-1:]) if part)


def _words(rows: int, **attrs: str) -> forms.Textarea:
    return forms.Textarea(attrs={"rows": rows, **attrs})


class WholeNumberField(forms.IntegerField):
    """A whole number as people write it ("10,000"). A text field: what is no number comes back to be corrected, where
    a browser's number field would drop it."""

    default_error_messages = {"invalid": "Write a whole number, such as 500, or leave this empty."}

    def __init__(self, **options: Any) -> None:
        widget = forms.TextInput(attrs={"inputmode": "numeric", "autocomplete": "off"})
        super().__init__(required=False, widget=widget, **options)

    def to_python(self, value: Any) -> int | None:
        """Without the separators of thousands."""
        text = re.sub(r"(?<=\d)[\s,](?=\d{3}\b)", "", value.strip()) if isinstance(value, str) else value
        number: int | None = super().to_python(text)
        return number


class QueryForm(forms.Form):
    """One query of the plan: in PubMed's syntax for Boolean sources, in plain words for the others."""

    label = forms.CharField(label="Name of this query", max_length=200, required=False)
    boolean = forms.CharField(
        label="PubMed query",
        required=False,
        max_length=LONGEST_QUERY,
        strip=False,
        widget=_words(8),
        help_text=f"For {_joined(_BOOLEAN)}; translated where a source has a syntax of its own. With field tags, as in "
        '("Heart Failure"[mh] OR heart failure[tiab]) AND sacubitril[tiab]',
    )
    plain = forms.CharField(
        label="In plain words",
        required=False,
        max_length=5_000,
        widget=_words(2),
        help_text=f"For {_joined(_PLAIN)}, which rank by likeness. A sentence is fine.",
    )

    def __init__(self, *args: Any, check_address: str = "", **kwargs: Any) -> None:
        """`check_address` is asked for findings while the PubMed query is typed (htmx)."""
        super().__init__(*args, **kwargs)
        if check_address:
            self.fields["boolean"].widget.attrs |= {
                "hx-post": check_address,
                "hx-trigger": "input changed delay:500ms",
                "hx-target": f"#{self.prefix}-findings",
                "hx-params": self.add_prefix("boolean"),
                "hx-sync": "this:replace",
            }


class BaseQueryFormSet(forms.BaseFormSet):
    """The queries of a plan. Blank ones are left out; at least one must remain."""

    def queries(self) -> list[dict[str, str]]:
        """The queries in plan form, without those that are blank or marked for removal."""
        found = []
        for form in self.forms:
            data = form.cleaned_data if hasattr(form, "cleaned_data") else {}
            text = {name: str(data.get(name) or "").strip() for name in ("boolean", "plain", "label")}
            text["boolean"] = text["boolean"].replace("\r\n", "\n")
            if (text["boolean"] or text["plain"]) and not data.get("DELETE"):
                found.append(text)
        return found

    def dropped(self) -> list[str]:
        """A note for each query that was sent without text and is left out; none while there is only one."""
        if len(self.forms) < 2:
            return []
        notes = []
        for number, form in enumerate(self.forms, start=1):
            data = form.cleaned_data if hasattr(form, "cleaned_data") else {}
            if not any(str(data.get(name) or "").strip() for name in ("boolean", "plain")) and not data.get("DELETE"):
                label = str(data.get("label") or "").strip()
                notes.append(f"Query {number}{f' (“{label}”)' if label else ''} was empty and was taken out.")
        return notes


QueryFormSet = cast(
    "type[BaseQueryFormSet]",
    forms.formset_factory(
        QueryForm,
        formset=BaseQueryFormSet,
        extra=0,
        min_num=1,
        max_num=MOST_QUERIES,
        absolute_max=MOST_QUERIES + 1,
    ),
)


class PlanForm(forms.Form):
    """Everything of a plan but its queries. `content` gives the plan's dict; a draft may be saved with gaps."""

    title = forms.CharField(
        label="Title of the plan", max_length=200, error_messages={"required": "Give the plan a title."}
    )
    question = forms.CharField(
        label="Question",
        max_length=4_000,
        required=False,
        widget=_words(3),
        help_text="The question the search shall answer, as you would ask a colleague. "
        "No patient details (names, birth dates, record numbers): it is sent to the sources and kept.",
    )
    population = forms.CharField(label="Population", max_length=2_000, required=False, widget=_words(2))
    intervention = forms.CharField(label="Intervention", max_length=2_000, required=False, widget=_words(2))
    comparison = forms.CharField(label="Comparison", max_length=2_000, required=False, widget=_words(2))
    outcome = forms.CharField(label="Outcome", max_length=2_000, required=False, widget=_words(2))
    sources = forms.MultipleChoiceField(
        choices=[(source.key, source.label) for source in search_sources()],
        widget=forms.CheckboxSelectMultiple,
        required=False,
    )
    year_from = WholeNumberField(label="From year", min_value=1500, max_value=2200, error_messages=_NO_YEAR)
    year_to = WholeNumberField(label="To year", min_value=1500, max_value=2200, error_messages=_NO_YEAR)
    publication_types = forms.MultipleChoiceField(
        choices=[(name, name) for name in PUBLICATION_TYPES], widget=forms.CheckboxSelectMultiple, required=False
    )
    other_types = forms.CharField(
        label="Other types", max_length=1_000, required=False, help_text="PubMed's names, parted by semicolons."
    )
    languages = forms.MultipleChoiceField(
        choices=list(LANGUAGES.items()), widget=forms.CheckboxSelectMultiple, required=False
    )
    other_languages = forms.CharField(
        label="Other languages",
        max_length=200,
        required=False,
        help_text="Three-letter codes as PubMed writes them (swe, dan), parted by spaces.",
    )
    preprints = forms.ChoiceField(
        choices=[(key.value, text) for key, text in PREPRINTS.items()],
        widget=forms.RadioSelect,
        initial=Preprints.INCLUDED.value,
    )
    newest_first = forms.BooleanField(
        label="Newest first, in place of the closest ones (decides what a limit keeps)", required=False
    )
    boolean_at = forms.MultipleChoiceField(
        label="Send the Boolean query also to",
        choices=[(source.key, source.label) for source in search_sources() if source.takes_boolean],
        widget=forms.CheckboxSelectMultiple,
        required=False,
        help_text="In place of the plain words; these sources then search by AND, OR and NOT. It is done by itself "
        "where the plan has no plain words.",
    )
    per_query = WholeNumberField(label="Per query", min_value=1, max_value=10_000_000)
    per_source = WholeNumberField(label="Per source", min_value=1, max_value=10_000_000)
    per_run = WholeNumberField(label="For the whole run", min_value=1, max_value=10_000_000)
    origins = forms.CharField(max_length=400_000, required=False, strip=False)
    """Where terms of the queries came from, as JSON (`services.term_origins`)."""
    revision = forms.IntegerField(widget=forms.HiddenInput, required=False)
    request_id = forms.UUIDField(widget=forms.HiddenInput, required=False, initial=uuid.uuid4)

    def __init__(self, *args: Any, stored: dict[str, Any] | None = None, **kwargs: Any) -> None:
        """`stored` is the content of the draft that is edited: what this form does not show of it is kept."""
        super().__init__(*args, **kwargs)
        self.stored = stored or {}
        self.unknown_sources = [key for key in self.stored.get("sources") or [] if key not in search_keys()]
        field = self.fields["sources"]
        if isinstance(field, forms.MultipleChoiceField):
            known = [(source.key, source.label) for source in search_sources()]
            field.choices = [*known, *((key, key) for key in self.unknown_sources)]

    def clean_other_languages(self) -> list[str]:
        """Typed codes as a list, lower case."""
        codes = self.cleaned_data["other_languages"].replace(",", " ").lower().split()
        for code in codes:
            if not (len(code) == 3 and code.isascii() and code.isalpha()):
                raise forms.ValidationError(f"{code} is not a three-letter code.")
        return codes

    def clean_other_types(self) -> list[str]:
        """Typed names as a list."""
        return [name.strip() for name in self.cleaned_data["other_types"].split(";") if name.strip()]

    def clean(self) -> dict[str, Any]:
        """The years must be in order."""
        data: dict[str, Any] = super().clean() or {}
        first, last = data.get("year_from"), data.get("year_to")
        if first and last and first > last:
            self.add_error("year_to", f"This is before the first year, {first}.")
        return data

    def content(self, queries: list[dict[str, str]]) -> dict[str, Any]:
        """The plan's content (`core.plan.plan_to_dict` form) from what was typed. Only after `is_valid()`."""
        data = self.cleaned_data
        shown = {
            "question": data["question"],
            "sources": data["sources"],
            "queries": queries,
            "pico": {name: data[name] for name in ("population", "intervention", "comparison", "outcome")},
            "filters": {
                "year_from": data["year_from"],
                "year_to": data["year_to"],
                "publication_types": _merged(data["publication_types"], data["other_types"]),
                "languages": _merged(data["languages"], data["other_languages"]),
                "preprints": data["preprints"],
                **({"newest_first": True} if data["newest_first"] else {}),
            },
            "caps": {name: data[name] for name in ("per_query", "per_source", "per_run")},
        }
        kept = {name: value for name, value in self.stored.items() if name != "boolean_at"}
        chosen = {"boolean_at": data["boolean_at"]} if data["boolean_at"] else {}
        return {**kept, **shown, **chosen}


def initial_of(title: str, content: dict[str, Any]) -> dict[str, Any]:
    """Start values of PlanForm from a plan's content (its dict form)."""
    filters, caps, pico = content.get("filters") or {}, content.get("caps") or {}, content.get("pico") or {}
    types, languages = filters.get("publication_types") or [], filters.get("languages") or []
    return {
        "title": title,
        "question": content.get("question", ""),
        "sources": content.get("sources") or [],
        **{name: pico.get(name, "") for name in ("population", "intervention", "comparison", "outcome")},
        "year_from": filters.get("year_from"),
        "year_to": filters.get("year_to"),
        "publication_types": [name for name in types if name in PUBLICATION_TYPES],
        "other_types": "; ".join(name for name in types if name not in PUBLICATION_TYPES),
        "languages": [code for code in languages if code in LANGUAGES],
        "other_languages": " ".join(code for code in languages if code not in LANGUAGES),
        "preprints": filters.get("preprints") or Preprints.INCLUDED.value,
        "newest_first": filters.get("newest_first") is True,
        "boolean_at": content.get("boolean_at") or [],
        **{name: caps.get(name) for name in ("per_query", "per_source", "per_run")},
    }


def initial_queries(content: dict[str, Any]) -> list[dict[str, str]]:
    """Start values of QueryFormSet from a plan's content."""
    return [dict(query) for query in content.get("queries") or []] or [{}]


def _merged(chosen: list[str], typed: list[str]) -> list[str]:
    return list(dict.fromkeys([*chosen, *typed]))

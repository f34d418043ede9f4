"""Sample values for the style guide page: shapes as on the real pages; numbers and verdicts are illustrations."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

from django import forms, template

from litapp.core.records import AbstractSection, Person
from litapp.web.pagination import ListPage, PageLink

register = template.Library()

_CHECKED = datetime(2026, 11, 14, 9, 14, 2, tzinfo=UTC)


class SampleForm(forms.Form):
    """Every kind of field that the product uses."""

    question = forms.CharField(label="Question", help_text="One sentence, as you would ask a colleague.")
    query = forms.CharField(label="PubMed query", widget=forms.Textarea, help_text="Boolean, with field tags.")
    year_from = forms.IntegerField(label="From year", required=False, min_value=1800, max_value=2100)
    preprints = forms.ChoiceField(
        label="Preprints",
        choices=[("included", "Included"), ("excluded", "Excluded"), ("only", "Only")],
        widget=forms.RadioSelect,
    )
    sources = forms.MultipleChoiceField(
        label="Sources",
        choices=[("pubmed", "PubMed"), ("crossref", "Crossref"), ("openalex", "OpenAlex")],
        widget=forms.CheckboxSelectMultiple,
    )
    notify = forms.BooleanField(label="Tell me when the run has ended", required=False)


@dataclass(frozen=True)
class SampleVerification:
    """The attributes of a Verification that badges read."""

    status: str
    passed: int = 0
    asked: int = 0
    reasons: list[str] = field(default_factory=list)
    publication_state: str = ""
    notice_date: str = ""
    checked_at: datetime | None = _CHECKED
    is_open: bool = False
    manual_by: Any = None


def _papers() -> list[dict[str, Any]]:
    weber = SimpleNamespace(get_full_name=lambda: "A. Weber", get_username=lambda: "weber")
    return [
        {
            "title": "Dexamethasone in Hospitalized Patients with Covid-19",
            "authors": ["Horby P", "Lim WS", "Emberson JR", "Landray MJ"],
            "journal": "N Engl J Med",
            "year": 2021,
            "key": "Horby_2021_Dexamethasone",
            "verification": SampleVerification("verified", 4, 4),
            "fit": 3,
            "decision": "include",
        },
        {
            "title": "Effect of Hydrocortisone on Mortality and Organ Support in Patients With Severe COVID-19",
            "authors": ["Angus DC", "Derde L", "Al-Beidh F", "Gordon AC"],
            "journal": "JAMA",
            "year": 2019,
            "key": "Angus_2020_Hydrocortisone",
            "verification": SampleVerification("suspect", 3, 4, ["Year differs"]),
            "fit": 3,
            "decision": "maybe",
        },
        {
            "title": "Hydroxychloroquine or chloroquine with or without a macrolide for treatment of COVID-19: "
            "a multinational registry analysis",
            "authors": ["Mehra MR", "Desai SS", "Ruschitzka F", "Patel AN"],
            "journal": "Lancet",
            "year": 2020,
            "key": "Mehra_2020_Hydroxychloroquine",
            "verification": SampleVerification(
                "verified", 3, 3, publication_state="retracted", notice_date="2020-06-05"
            ),
            "fit": 2,
            "decision": "exclude",
        },
        {
            "title": "A title with markup: <i>in vitro</i>, CO<sub>2</sub>, 10<sup>6</sup>, and <script>text</script>",
            "authors": ["Sample author"],
            "journal": "medRxiv",
            "year": 2020,
            "key": "",
            "verification": SampleVerification("unverified", reasons=["Crossref could not be reached"]),
            "preprint": True,
            "fit": 1,
            "decision": "",
        },
        {
            "title": "Regional audit of steroid use in intensive care",
            "authors": ["Weber A", "Roth K"],
            "journal": "Hospital report",
            "year": 2022,
            "key": "Weber_2022_Regional",
            "verification": SampleVerification("manual", manual_by=weber),
            "fit": 2,
            "decision": "include",
        },
    ]


_CARDS = [
    {"key": "pubmed", "name": "PubMed", "state": "done", "done": 864, "total": 864, "message": "Exact query kept.",
     "query": '("dexamethasone"[MeSH Terms] OR dexamethasone[tiab]) AND "COVID-19"[MeSH Terms]'},
    {"key": "openalex", "name": "OpenAlex", "state": "running", "done": 300, "total": 500,
     "message": "12 of 1,000 credits used today."},
    {"key": "s2", "name": "Semantic Scholar", "state": "waiting", "done": 100, "total": 160,
     "message": "Asked to slow down; goes on at 09:15:40."},
    {"key": "crossref", "name": "Crossref", "state": "failed", "done": 0, "total": None,
     "message": "Refused the request (403) and was left alone.", "hint": "Set a contact address, then resume."},
    {"key": "europepmc", "name": "Europe PMC", "state": "partial", "done": 10000, "total": 12480,
     "message": "Gives no more than 10,000 records for one query.", "hint": "Split the query by year."},
    {"key": "arxiv", "name": "arXiv", "state": "skipped", "done": 0, "total": None, "message": "Switched off here."},
    {"key": "biorxiv", "name": "bioRxiv", "state": "queued", "done": 0, "total": None, "message": ""},
    {"key": "datacite", "name": "DataCite", "state": "running", "done": 40, "total": None, "message": "No total."},
]  # fmt: skip

_FIELDS = [
    {"name": "Title", "ours": "Effect of Hydrocortisone", "theirs": "Effect of Hydrocortisone",
     "agreement": "same", "sources": "PubMed, Crossref"},
    {"name": "Year", "ours": "2019", "theirs": "2020", "agreement": "differs", "sources": "PubMed, Crossref, OpenAlex"},
    {"name": "Journal", "ours": "JAMA", "theirs": "Journal of the American Medical Association", "agreement": "variant",
     "why": "journal abbreviated"},
    {"name": "Pages", "ours": "", "theirs": "1317-1329", "agreement": "absent"},
]  # fmt: skip

_CHECKS = [
    {"outcome": "pass", "text": "PMID 32876697 names this paper", "source": "pubmed", "asked_at": _CHECKED,
     "answer_url": "#answer-1"},
    {"outcome": "pass", "text": "DOI 10.1001/jama.2020.17022 names this paper", "source": "crossref",
     "asked_at": _CHECKED, "answer_url": "#answer-2"},
    {"outcome": "fail", "text": "Year differs from every source", "source": "openalex", "asked_at": _CHECKED,
     "answer_url": "#answer-3"},
    {"outcome": "skipped", "text": "Title not cross-checked", "source": "semanticscholar",
     "reason": "Asked to slow down; will be asked again."},
]  # fmt: skip


@register.simple_tag
def style_samples() -> dict[str, Any]:
    """Everything the style guide shows."""
    links = (
        PageLink(1, "?page=1"),
        PageLink(2, "?page=2", True),
        PageLink(3, "?page=3"),
        PageLink(0),
        PageLink(30, "?page=30"),
    )
    return {
        "papers": _papers(),
        "cards": _CARDS,
        "evidence": {
            "title": "Effect of Hydrocortisone on Mortality and Organ Support in Patients With Severe COVID-19",
            "summary": "The paper exists. One field differs from every source.",
            "checked_at": _CHECKED,
            "fields": _FIELDS,
            "checks": _CHECKS,
        },
        "suspect": SampleVerification("suspect", 3, 4, ["Year differs"]),
        "queued": SampleVerification("unverified", checked_at=None, is_open=True),
        "form": SampleForm(),
        "wrong_form": SampleForm(
            {"query": "(asthma", "year_from": "95", "preprints": "included"}, auto_id="wrong_%s"
        ),
        "page": ListPage(items=[], number=2, pages=30, total=1480, first=51, last=100, links=links,
                         previous="?page=1", next="?page=3"),
        "people": (Person("Horby", "Peter"), Person("Lim", "Wei Shen"), Person("Emberson", "Jonathan R"),
                   Person("Landray", "Martin J")),
        "abstract": (
            AbstractSection("What led to the study, in a sentence or two.", "BACKGROUND"),
            AbstractSection("", "METHODS"),
        ),
    }  # fmt: skip

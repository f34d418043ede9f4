"""How a verification is told to people: its fields side by side, its checks, what was not asked."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.urls import reverse
from django.utils.safestring import SafeString

from litapp.core.markup import plain_text
from litapp.core.records import record_from_dict
from litapp.projects.models import Project
from litapp.providers.registry import SOURCES
from litapp.verification.models import Check, PublicationState, Verification
from litapp.web.templatetags.badges import verification_badges

FIELD_LABELS = {
    "title": "Title",
    "authors": "Authors",
    "year": "Year",
    "journal": "Journal",
    "volume": "Volume",
    "issue": "Issue",
    "pages": "Pages",
    "doi": "DOI",
    "pmid": "PMID",
}
RULE_QUESTIONS = {
    "identifier_resolves": "The identifier leads to this paper",
    "identifiers_agree": "PMID and DOI name the same paper",
    "title_cross_source": "Another source knows this paper",
    "title_known": "Any source knows this title",
    "fields_agree": "The details agree",
}
"""What each rule of `core.verification` asks, in words."""
_OTHER_LABELS = {"brought": "brought by a person", "retractionwatch": "Retraction Watch list"}
_LABELS = {source.key: source.label for source in SOURCES}


def source_label(key: str) -> str:
    """The name of a source for reading; a key that is no source of ours stands for itself."""
    return _OTHER_LABELS.get(key) or _LABELS.get(key, key)


@dataclass(frozen=True, slots=True)
class ComparedField:
    """One value of one field as one or more sources state it, beside ours (`partials/compare.html`)."""

    name: str
    ours: str
    theirs: str
    agreement: str
    why: str
    sources: str


@dataclass(frozen=True, slots=True)
class ToldCheck:
    """A check as a line: what was asked, of whom, when, what came out (`partials/checks.html`)."""

    outcome: str
    text: str
    source: str
    asked_at: datetime | None
    answer_url: str
    reason: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """Everything behind one badge (`partials/evidence.html`)."""

    title: str
    badges: SafeString
    summary: str
    checked_at: datetime | None
    fields: list[ComparedField]
    checks: list[ToldCheck]


def compared_fields(checks: Iterable[Check]) -> list[ComparedField]:
    """Every compared field in reading order: one row for each different value, with the sources that state it."""
    rows: dict[tuple[str, str, str], tuple[dict[str, str], list[str]]] = {}
    for check in checks:
        for entry in check.fields:
            key = (entry["field"], entry["theirs"], entry["verdict"])
            _, sources = rows.setdefault(key, (entry, []))
            label = source_label(check.source)
            if label not in sources:
                sources.append(label)
    order = {name: place for place, name in enumerate(FIELD_LABELS)}
    ordered = sorted(rows.values(), key=lambda row: order.get(row[0]["field"], len(order)))
    return [
        ComparedField(
            FIELD_LABELS.get(entry["field"], entry["field"].capitalize()),
            plain_text(entry["ours"]),
            plain_text(entry["theirs"]),
            entry["verdict"],
            entry["why"],
            ", ".join(sources),
        )
        for entry, sources in ordered
        if entry["ours"] or entry["theirs"]
    ]


def told_checks(checks: Iterable[Check], project_id: int) -> list[ToldCheck]:
    """The checks with their words; `checks` should have its answers prefetched."""
    return [
        ToldCheck(
            check.outcome,
            RULE_QUESTIONS.get(check.rule, check.rule.replace("_", " ").capitalize()),
            check.source,
            check.asked_at,
            next((reverse("verification:answer", args=[project_id, a.pk]) for a in check.answers.all()), ""),
            check.reason,
        )
        for check in checks
    ]


def evidence_of(verification: Verification) -> Evidence:
    """What the panel shows; two queries."""
    checks = list(verification.checks.filter(round=verification.round).prefetch_related("answers"))
    record = record_from_dict(verification.record)
    return Evidence(
        title=record.title,
        badges=verification_badges(verification, preprint=record.is_preprint),
        summary=" ".join(verification.reasons),
        checked_at=verification.checked_at,
        fields=compared_fields(checks),
        checks=told_checks(checks, verification.project_id),
    )


@dataclass(frozen=True, slots=True)
class ToldNotice:
    """News about one reference: what became of it, in words, with the way to its evidence."""

    pk: int
    verification_id: int
    title: str
    state: str
    label: str
    notice_doi: str
    notice_pmid: str
    raised_at: datetime


def told_notices(project: Project) -> list[ToldNotice]:
    """The project's notices that nobody has seen, newest first. One query."""
    return [
        ToldNotice(
            notice.pk,
            notice.verification_id,
            plain_text(record_from_dict(notice.verification.record).title) or "A reference without a title",
            notice.state,
            PublicationState(notice.state).label,
            notice.verification.notice_doi,
            notice.verification.notice_pmid,
            notice.raised_at,
        )
        for notice in project.status_notices.filter(seen_at=None).select_related("verification")
    ]

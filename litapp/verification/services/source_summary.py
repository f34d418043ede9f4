"""One line per source that could not be asked about some references: how many, why, and who was asked instead."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import QuerySet

from litapp.projects.models import Project
from litapp.providers.causes import words_of
from litapp.providers.registry import source_keys
from litapp.verification.models import VerdictStatus, Verification
from litapp.verification.presentation import source_label


@dataclass(frozen=True, slots=True)
class SourceSilence:
    """What one source left unanswered. `causes` the most frequent first; `instead` are the sources that confirmed such
    references, `unsettled` how many of them nobody did."""

    source: str
    references: int
    causes: tuple[str, ...]
    instead: tuple[str, ...]
    unsettled: int

    @property
    def sentence(self) -> str:
        """ "Crossref unavailable for 14 references (rate-limited); checked with PubMed instead"."""
        number = "1 reference" if self.references == 1 else f"{self.references:,} references"
        told = f"{source_label(self.source)} unavailable for {number} ({', '.join(map(words_of, self.causes))})"
        if self.instead:
            told += f"; checked with {_joined([source_label(key) for key in self.instead])} instead"
        if self.unsettled and not self.instead:
            told += "; no other source confirmed " + ("it" if self.references == 1 else "them")
        elif self.unsettled:
            told += f", except {self.unsettled:,} that no other source confirmed"
        return f"{told}."


def silences(verifications: QuerySet[Verification]) -> list[SourceSilence]:
    """What each source left unanswered among these, sources in their usual order. One query."""
    rows = verifications.exclude(silent={}).exclude(checked_at=None).order_by()
    return silences_of(rows.values_list("silent", "status", "verified_by"))


def silences_of(rows: Iterable[tuple[dict[str, str], str, list[str]]]) -> list[SourceSilence]:
    """The same from (silent, status, verified_by) of each reference. Pure."""
    causes: dict[str, Counter[str]] = {}
    instead: dict[str, Counter[str]] = {}
    unsettled: Counter[str] = Counter()
    for silent, status, verified_by in rows:
        for source, cause in silent.items():
            causes.setdefault(source, Counter())[cause] += 1
            others = [key for key in verified_by if key != source] if status == VerdictStatus.VERIFIED else []
            instead.setdefault(source, Counter()).update(others)
            unsettled[source] += not others
    place = {key: number for number, key in enumerate(source_keys())}
    return [
        SourceSilence(
            source,
            sum(causes[source].values()),
            tuple(cause for cause, _ in causes[source].most_common()),
            tuple(key for key, _ in instead[source].most_common()),
            unsettled[source],
        )
        for source in sorted(causes, key=lambda key: (place.get(key, len(place)), key))
    ]


def project_silences(project: Project) -> list[SourceSilence]:
    """The same for all references of a project."""
    return silences(Verification.objects.filter(project=project))


def _joined(names: list[str]) -> str:
    return " and ".join(part for part in (", ".join(names[:-1]), *names[-1:]) if part)

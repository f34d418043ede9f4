"""The references of a project as exports see them: record, key, verdict, notices, and what may not go out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.conf import settings
from django.db.models import Exists, OuterRef

from litapp.core.formats.entry import EntryVerdict, ExportEntry
from litapp.core.formats.summary import LeftOutReference
from litapp.core.markup import plain_text
from litapp.projects.models import Project
from references.models import Reference, Scope
from searches.citable import entry_of
from searches.models import CandidateSource

NOT_IN_LEDGER = "no source record stands behind it in the ledger"


@dataclass(frozen=True, slots=True)
class ExportContent:
    """What one export holds: `entries` go out, `left_out` do not (by name, with the reason).

    `everything` are the entries of the whole list, whatever the scope (for the second file of identifier lists).
    """

    entries: tuple[ExportEntry, ...]
    left_out: tuple[LeftOutReference, ...]
    everything: tuple[ExportEntry, ...]


def is_sandbox(project: Project) -> bool:
    """Whether the project's records came from the sandbox, or may have."""
    return project.sandbox or bool(settings.SANDBOX_URL)


def export_content(project: Project, scope: str) -> ExportContent:
    """The current references, in the order of their keys, parted by what `scope` lets out. One query.

    A reference without a source record never goes out. Raises ValueError for an unknown scope.
    """
    wanted = Scope(scope)
    entries, left_out = [], []
    everything = []
    for reference in _references(project):
        if not reference.in_ledger:  # type: ignore[attr-defined]  # annotated below
            left_out.append(_left_out(reference.key, reference.candidate.title, NOT_IN_LEDGER))
            continue
        entry = entry_of(reference.candidate, key=reference.key, sandbox=is_sandbox(project))
        everything.append(entry)
        if wanted is Scope.VERIFIED and not entry.citable:
            left_out.append(_left_out(entry.key, entry.record.title, why_not_citable(entry)))
        else:
            entries.append(entry)
    return ExportContent(tuple(entries), tuple(left_out), tuple(everything))


def why_not_citable(entry: ExportEntry) -> str:
    """Why an entry is no verified one, in words: its notice, then its verdict with the reason."""
    words = {EntryVerdict.VERIFIED: "", EntryVerdict.MANUAL: "Confirmed by a person, not by a source"}
    verdict = words.get(entry.verdict, entry.verdict.value.capitalize())
    reason = f"{verdict}: {entry.verdict_note}" if verdict and entry.verdict_note else verdict
    return " ".join(part for part in (entry.status_mark, reason) if part)


def _references(project: Project) -> Iterable[Reference]:
    links = CandidateSource.objects.filter(candidate=OuterRef("candidate"))
    return (
        Reference.objects.filter(project=project)
        .current()
        .select_related("candidate__verification__manual_by")
        .annotate(in_ledger=Exists(links))
        .order_by("key", "pk")
    )


def _left_out(key: str, title: str, why: str) -> LeftOutReference:
    return LeftOutReference(key=key, title=plain_text(title), why=why)

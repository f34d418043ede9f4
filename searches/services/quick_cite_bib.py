"""The .bib entry of a found paper, by the exporter that makes every other one: its marks say what is not verified."""

from __future__ import annotations

from collections.abc import Iterable

from django.conf import settings

from litapp.core.citations import assign_citation_keys
from litapp.core.formats.bibtex import write_bibtex
from litapp.core.formats.entry import EntryVerdict, ExportEntry
from litapp.core.verification.status import PublicationState
from litapp.projects.people import name_of
from litapp.verification.models import Verification
from litapp.verification.presentation import source_label
from searches.models import Candidate, FoundPaper, PaperSearch


def bib_entries(search: PaperSearch, papers: Iterable[FoundPaper], *, own_keys: bool = True) -> dict[int, str]:
    """Paper id -> its entry. A paper in the reference list has its key there; the others get keys that are free.

    Without `own_keys` (screening is blind) none has: a key of the list would tell what was decided.
    """
    listed = list(papers)
    used = Candidate.objects.filter(project=search.project_id, reference__isnull=False)
    taken = frozenset(used.values_list("reference__key", flat=True)) if own_keys else frozenset()
    own = {paper.pk: key for paper in listed if own_keys and (key := _key(paper))}
    new = [paper for paper in listed if paper.pk not in own]
    made = assign_citation_keys([paper.record for paper in new], taken)
    keys = own | {paper.pk: key for paper, key in zip(new, made, strict=True)}
    sandbox = search.project.sandbox or bool(settings.SANDBOX_URL)
    return {paper.pk: write_bibtex([_entry(paper, keys[paper.pk], sandbox)]).strip() for paper in listed}


def _key(paper: FoundPaper) -> str:
    reference = getattr(paper.candidate, "reference", None) if paper.candidate else None
    return str(reference.key) if reference is not None else ""


def _entry(paper: FoundPaper, key: str, sandbox: bool) -> ExportEntry:
    verification = paper.verification
    found_in = tuple(dict.fromkeys(paper.records.order_by("pk").values_list("source", flat=True)))
    if verification is None:
        return ExportEntry(paper.record, key, verdict_note="not checked yet", found_in=found_in, sandbox=sandbox)
    verdict, note = _verdict(verification)
    confirmed = verdict is EntryVerdict.VERIFIED
    return ExportEntry(
        record=paper.record,
        key=key,
        verdict=verdict,
        verified_by=tuple(source_label(name) for name in verification.verified_by) if confirmed else (),
        verified_on=verification.verified_on if confirmed else None,
        verdict_note=note,
        status=PublicationState(verification.publication_state),
        status_date=verification.notice_date,
        notice_doi=verification.notice_doi,
        notice_pmid=verification.notice_pmid,
        found_in=found_in,
        sandbox=sandbox,
    )


def _verdict(row: Verification) -> tuple[EntryVerdict, str]:
    if row.status == "manual":
        return EntryVerdict.MANUAL, f"{name_of(row.manual_by)}: {row.manual_reason}"
    if row.checked_at is None:
        return EntryVerdict.UNVERIFIED, "not checked yet"
    if row.status == "verified" and row.verified_by:
        return EntryVerdict.VERIFIED, ""
    verdict = EntryVerdict.SUSPECT if row.status == "suspect" else EntryVerdict.UNVERIFIED
    return verdict, " ".join(row.reasons)

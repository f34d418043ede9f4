"""Which papers that sources returned are candidates of the project already, and what was decided of them."""

from __future__ import annotations

from collections.abc import Sequence

from django.db.models import Q

from litapp.core.records import Record
from litapp.ledger.models import SourceRecord
from litapp.projects.models import Project
from searches.models import Candidate
from searches.services.mode_papers import is_one_paper


def standing_candidates(project: Project, papers: Sequence[Sequence[SourceRecord]]) -> list[int | None]:
    """For each paper (its source records) the candidate of the project that it is, or None. Few queries for all.

    An identifier leads to a candidate; it counts where the rules of duplicates call both the same paper.
    """
    read = [[row.record for row in rows] for rows in papers]
    near: dict[tuple[str, str], list[Candidate]] = {}
    pmids, dois = _values(read, "pmid"), _values(read, "doi")
    for start in range(0, max(len(pmids), len(dois)), 300):
        wanted = Q(pmid__in=pmids[start : start + 300]) | Q(doi__in=dois[start : start + 300])
        for candidate in Candidate.objects.listed(project).filter(wanted).only("pmid", "doi", "record", "project_id"):
            for scheme, value in (("pmid", candidate.pmid), ("doi", candidate.doi)):
                if value:
                    near.setdefault((scheme, value), []).append(candidate)
    return [_standing(records, near) for records in read]


def _values(papers: Sequence[Sequence[Record]], scheme: str) -> list[str]:
    return sorted({value for records in papers for record in records if (value := getattr(record, scheme))})


def _standing(records: Sequence[Record], near: dict[tuple[str, str], list[Candidate]]) -> int | None:
    for record in records:
        for key in (("pmid", record.pmid), ("doi", record.doi)):
            for candidate in near.get(key, ()):
                if is_one_paper(candidate.merged_record, record):
                    return candidate.pk
    return None

"""Documents of briefings for tests."""

from __future__ import annotations

from typing import Any

from litapp.core.formats.briefing import opening_summary, paper_entry
from litapp.core.records import Record


def document_with(*records: Record, **changes: Any) -> dict[str, Any]:
    """A document of these papers, with their openings."""
    papers = [paper_entry(record, opening_summary(record)) for record in records]
    document: dict[str, Any] = {
        "schema_version": "1",
        "version": 1,
        "generated_at": "2026-11-30T09:00:00Z",
        "input_sha256": "0" * 64,
        "sandbox": False,
        "query": {"asked": "BRCA1", "topic": "gene", "source": "pubmed", "sent": '("BRCA1"[tiab]) AND eng[la]'},
        "settings": {
            "papers": 10, "language": "eng", "order": "newest first, by the date as read", "ai_summaries": False,
            "model": None,
        },
        "warnings": [],
        "counts": {
            "found": len(papers), "papers": len(papers),
            "with_abstract": sum(paper["abstract"] is not None for paper in papers), "openings": len(papers),
            "ai_summaries": 0, "fallbacks": 0, "unavailable": 0, "tokens": None,
        },
        "papers": papers,
    }  # fmt: skip
    return document | changes

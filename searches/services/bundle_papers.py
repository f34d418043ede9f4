"""The records and papers of a run as `litledger.paper.v1`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from litapp.core.formats.bundle.papers import AbstractOrigin, AbstractStatus, QueryMatch, SourceEntry, paper_of
from litapp.core.records import Record, record_to_dict
from searches.services.run_papers import RunPapers, RunRecord


class Described:
    """Says what stands in the two lists of papers. `names` and `received` are of the answers, by id."""

    def __init__(self, found: RunPapers, names: Mapping[int, str], received: Mapping[int, str]) -> None:
        self._found, self._names, self._received = found, names, received
        self._matches: dict[int, list[QueryMatch]] = {}
        for hit in found.hits:
            match = QueryMatch(hit.source, hit.query_index + 1, hit.label, hit.rank)
            self._matches.setdefault(hit.record, []).append(match)

    def record(self, place: int) -> dict[str, Any]:
        """One record as its source stated it."""
        one = self._found.records[place]
        record = one.record
        filled = dict.fromkeys(_filled_fields(record), record.source)
        return paper_of(
            record,
            paper_id=f"n{place + 1}",
            entries=[self._entry(place)],
            matches=self._matches.get(place, ()),
            abstract=_origin(record.source, [one]) if record.abstract_text.strip() else None,
            field_sources=filled,
        )

    def paper(self, number: int) -> dict[str, Any]:
        """One paper of all its records; `number` from 0."""
        paper = self._found.papers[number]
        merged = paper.merged()
        places = paper.places
        sources = dict(merged.provenance)
        records = [self._found.records[place] for place in places]
        has_abstract = bool(merged.record.abstract_text.strip())
        return paper_of(
            merged.record,
            paper_id=f"p{number + 1}",
            entries=[self._entry(place) for place in places],
            matches=[match for place in places for match in self._matches.get(place, ())],
            abstract=_origin(sources["abstract"], records) if has_abstract else None,
            field_sources=sources,
        )

    def _entry(self, place: int) -> SourceEntry:
        one = self._found.records[place]
        return SourceEntry(
            source=one.record.source,
            source_id=one.record.source_id,
            normalized=f"n{place + 1}",
            answer=self._names[one.answer_id],
            retrieved_at=self._received[one.answer_id],
        )


def _origin(source: str, records: Iterable[RunRecord]) -> AbstractOrigin:
    """Whether a source that found the paper gave the abstract, or one that was asked for it."""
    givers = [one for one in records if one.record.source == source and one.record.abstract_text.strip()]
    asked = [one for one in givers if one.supplement_of is not None]
    if asked and len(asked) == len(givers):
        return AbstractOrigin(source, AbstractStatus.FILLED, asked[-1].asked_with)
    return AbstractOrigin(source)


def _filled_fields(record: Record) -> list[str]:
    return sorted(set(record_to_dict(record)) - {"source", "source_id", "authors_complete"})

"""Asks PubMed which of the seeds each line of a strategy finds; a line that was not answered decides nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from litapp.core.plan import Filters, PlanQuery
from litapp.core.records import Identifier, Record, Scheme
from litapp.providers.pubmed.members import any_of
from litapp.providers.registry import search_provider
from searches.services.mode_asking import (
    FAILED,
    NOT_ASKED,
    Heard,
    Question,
    ask_all,
    count_question,
    lookup_question,
    members_question,
)
from searches.services.mode_work import Progress
from searches.services.seeds_lines import Line, Role

WHOLE, TOTAL, RECORDS = "whole", "total", "records"


@dataclass(slots=True)
class Losses:
    """What PubMed said. `finds`: line number -> the seeds it finds (None = not answered). `whole` = those the whole
    strategy finds; `total` its hits; None = not answered."""

    heard: list[Heard] = field(default_factory=list)
    records: dict[str, Record] = field(default_factory=dict)
    absent: tuple[str, ...] = ()
    finds: dict[int, frozenset[str] | None] = field(default_factory=dict)
    whole: frozenset[str] | None = None
    total: int | None = None

    def lost_by(self, pmid: str, lines: Sequence[Line]) -> list[int]:
        """The lines that lose this seed: needed or limiting without finding it, or excluding it."""
        lost = []
        for line in lines:
            finds = self.finds.get(line.number)
            if finds is not None and (pmid in finds) == (line.role is Role.EXCLUDED):
                lost.append(line.number)
        return lost

    def unknown(self, lines: Sequence[Line]) -> list[int]:
        """Lines that PubMed did not answer for."""
        return [line.number for line in lines if self.finds.get(line.number) is None]


def ask_losses(
    boolean: str, filters: Filters, lines: Sequence[Line], pmids: Sequence[str], progress: Progress
) -> Losses:
    """One request for the seeds' records, one for the whole strategy, one for each line, one for its hits."""
    those = any_of(pmids)

    def among(text: str, limit: Filters = Filters()) -> Any:  # noqa: B008 - an immutable value
        return search_provider("pubmed").compile(PlanQuery(boolean=text), limit)

    questions = [
        lookup_question("pubmed", RECORDS, "the seed papers themselves", [Identifier(Scheme.PMID, p) for p in pmids]),
        members_question(WHOLE, "the whole strategy, among the seeds", among(f"({boolean}) AND ({those})", filters)),
        *(_line_question(line, those) for line in lines),
        count_question("pubmed", TOTAL, "hits of the whole strategy", among(boolean, filters)),
    ]
    found = Losses(heard=ask_all(questions, lambda done: progress(done, len(questions))))
    for one in found.heard:
        silent = one.outcome in (FAILED, NOT_ASKED)
        way = one.question.way
        if way == RECORDS and not silent:
            found.records = {record.pmid: record for record, _ in one.returned.records}
            found.absent = tuple(pmid for pmid in pmids if pmid not in found.records)
        elif way == WHOLE:
            found.whole = None if silent else frozenset(one.returned.pmids)
        elif way == TOTAL:
            found.total = None if silent else one.returned.number
        elif way.startswith("line "):
            found.finds[int(way.removeprefix("line "))] = None if silent else frozenset(one.returned.pmids)
    return found


def _line_question(line: Line, those: str) -> Question:
    provider = search_provider("pubmed")
    if line.role is Role.LIMIT:
        query = provider.compile(PlanQuery(boolean=those), line.limit)
    else:
        query = provider.compile(PlanQuery(boolean=f"({line.text}) AND ({those})"), Filters())
    return members_question(f"line {line.number}", f"line {line.number}, among the seeds", query)

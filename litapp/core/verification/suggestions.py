"""What to offer beside a finding: the right value of a wrong field, and the nearest real papers. Never substituted."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from litapp.core.matching import COMPARED_FIELDS, Agreement, JournalNames
from litapp.core.matching.journals import NO_JOURNAL_NAMES
from litapp.core.records import Record
from litapp.core.verification.evidence import CheckResult, Found, Result
from litapp.core.verification.sources import REGISTRIES
from litapp.core.verification.witness import Work, witnesses


@dataclass(frozen=True, slots=True)
class Correction:
    """A wrong field with the value a source states instead."""

    field: str
    ours: str
    theirs: str
    source: str
    why: str


def corrections(checks: Iterable[CheckResult]) -> tuple[Correction, ...]:
    """For every field that the checks find wrong, the value of the most authoritative record of the work, in the order
    of the field list."""
    best: dict[str, Correction] = {}
    failed = [check for check in checks if check.outcome is Result.FAIL and check.rule == "fields_agree"]
    for check in sorted(failed, key=lambda check: (check.source not in REGISTRIES, check.source)):
        for verdict in check.fields:
            if verdict.field in check.wrong and verdict.verdict is Agreement.DIFFERS:
                offered = Correction(verdict.field, verdict.ours, verdict.theirs, check.source, verdict.why)
                best.setdefault(verdict.field, offered)
    return tuple(best[name] for name in COMPARED_FIELDS if name in best)


def nearest(
    claimed: Record, evidence: Iterable[Found], *, limit: int = 3, journals: JournalNames = NO_JOURNAL_NAMES
) -> tuple[Found, ...]:
    """The found records most like the claimed one, one a work, likest first: "did you mean".

    Likeness (shared words of the title, shared authors) only ranks; nothing with neither is offered.
    """
    ranked = []
    for witness in witnesses(claimed, evidence, journals):
        authors = witness.comparison.authors
        people = authors.matched / authors.ours if authors.ours else 0.0
        score = (witness.work is Work.SAME, witness.likeness + people)
        if witness.likeness >= 0.3 or people > 0:
            ranked.append((score, witness))
    offered: dict[str, Found] = {}
    for _, witness in sorted(
        ranked, key=lambda pair: (pair[0], pair[1].source, pair[1].record.source_id), reverse=True
    ):
        key = witness.record.doi or witness.record.pmid or witness.record.title
        offered.setdefault(key, witness.found)
    return tuple(offered.values())[:limit]

"""Is the title known to sources other than the one that returned the record."""

from __future__ import annotations

from litapp.core.verification.evidence import Answered, Asked, CheckResult, Found, Result
from litapp.core.verification.rules.hearing import Hearing, silent
from litapp.core.verification.sources import INDEXES, TITLE_SOURCES, label
from litapp.core.verification.witness import Witness, Work

CROSS_SOURCE = "title_cross_source"


def title_cross_source(hearing: Hearing) -> tuple[CheckResult, ...]:
    """One check per title source that was asked. A source that knows the title confirms; one that does not accuses
    nobody here (see title_known)."""
    checks = []
    for source in TITLE_SOURCES:
        asked = tuple(found for found in hearing.evidence if found.source == source and not _owned(hearing, found))
        if asked:
            checks.append(_check(hearing, source, asked))
    return tuple(checks)


def _owned(hearing: Hearing, found: Found) -> bool:
    """True for an owner's answer about its own identifier: identifier_resolves tells of it."""
    return found.how is Asked.IDENTIFIER and any(
        witness.found is found and witness.owner for witness in hearing.witnesses
    )


def _check(hearing: Hearing, source: str, asked: tuple[Found, ...]) -> CheckResult:
    there = [witness for witness in hearing.witnesses if witness.found in asked]
    same = next((witness for witness in there if witness.work is Work.SAME), None)
    if same is not None:
        return hearing.check(CROSS_SOURCE, source, Result.PASS, _known(hearing, same), witness=same)
    if not there and all(map(silent, asked)):
        reason = "; ".join(dict.fromkeys(found.message for found in asked if found.message))
        verb = "could not be asked" if any(f.outcome is Answered.FAILED for f in asked) else "was not asked"
        text = f"{label(source)} {verb}{': ' + reason if reason else '.'}"
        return hearing.check(CROSS_SOURCE, source, Result.SKIPPED, text, answers=asked)
    wrong_record = next((w for w in there if w.by_identifier), None)
    if wrong_record is not None:
        return hearing.check(
            CROSS_SOURCE,
            source,
            Result.SKIPPED,
            f"{label(source)} has “{wrong_record.record.title}” under this identifier; only the identifier's own "
            "registry decides which paper it is.",
            witness=wrong_record,
        )
    closest = max(there, key=lambda witness: witness.likeness, default=None)
    reason = f"{label(source)} does not know this title" + (
        f"; the closest record is “{closest.record.title}”." if closest and closest.likeness >= 0.3 else "."
    )
    return hearing.check(CROSS_SOURCE, source, Result.SKIPPED, reason, witness=closest, answers=asked)


def _known(hearing: Hearing, witness: Witness) -> str:
    name = label(witness.source)
    if not hearing.independent(witness.found.organisation):
        return f"{name}, which returned the record, knows the title."
    version = " (as the preprint)" if witness.other_version and witness.record.is_preprint else ""
    gathers = " It gathers records from Crossref and others." if witness.source in INDEXES else ""
    return f"{name} knows this title by these authors{version}.{gathers}"

"""Are the fields right: compared with every record found for the work."""

from __future__ import annotations

from dataclasses import replace

from litapp.core.matching import Agreement, FieldVerdict
from litapp.core.verification.evidence import CheckResult, Kind, Result
from litapp.core.verification.rules.hearing import Hearing
from litapp.core.verification.sources import label
from litapp.core.verification.witness import Witness, Work, agreeing

FIELDS = "fields_agree"
JUDGED = ("title", "authors", "year", "journal", "volume", "issue", "pages")
"""Fields that can be found wrong here; DOI and PMID have rules of their own."""
VERSION_BOUND = frozenset({"year", "journal", "volume", "issue", "pages"})
"""Fields in which a preprint and the published article rightly differ."""
PLACE = ("year", "journal", "volume", "pages")


def fields_agree(hearing: Hearing) -> tuple[CheckResult, ...]:
    """One check per record of the work. A field is wrong when every authoritative record that states it differs;
    a preprint beside the article is named, not compared in what belongs to a version."""
    of_the_work = [witness for witness in hearing.witnesses if _of_the_work(hearing, witness)]
    wrong = wrong_fields(of_the_work)
    checks = []
    for witness in _one_per_source(of_the_work):
        fields = _fields(witness)
        here = tuple(f.field for f in fields if f.field in wrong and f.verdict is Agreement.DIFFERS)
        stated = [f for f in fields if f.field in JUDGED and f.verdict is not Agreement.ABSENT]
        if here:
            outcome, reason = Result.FAIL, " ".join(f.why for f in fields if f.field in here)
        elif stated:
            outcome, reason = Result.PASS, _all_right(witness, fields, wrong)
        else:
            outcome, reason = Result.SKIPPED, f"{label(witness.source)} states no field to compare."
        foreign = "authors" in here and witness.comparison.authors.foreign
        kind = Kind.NONE if not here else Kind.IDENTITY if foreign else Kind.DETAILS
        check = hearing.check(FIELDS, witness.source, outcome, reason, kind=kind, witness=witness, wrong=here)
        checks.append(replace(check, fields=fields))
    return tuple(checks)


def _of_the_work(hearing: Hearing, witness: Witness) -> bool:
    """By identifier: all but another work. By search: only a record of this title by these people."""
    if witness.by_identifier:
        if witness.owner or not witness.index:
            return witness.work in (Work.SAME, Work.TWIN, Work.REWORDED) and not _refuted(hearing, witness)
        return witness.work is Work.SAME or (witness.work in (Work.TWIN, Work.REWORDED) and not hearing.resolved())
    return witness.work is Work.SAME


def _refuted(hearing: Hearing, witness: Witness) -> bool:
    """A twin by title when the work itself was found elsewhere."""
    return witness.work is Work.TWIN and any(w.work is Work.SAME for w in hearing.witnesses)


def _one_per_source(of_the_work: list[Witness]) -> list[Witness]:
    """The best record of each source (they come best first)."""
    best: dict[str, Witness] = {}
    for witness in of_the_work:
        best.setdefault(witness.source, witness)
    return list(best.values())


def _fields(witness: Witness) -> tuple[FieldVerdict, ...]:
    """The comparison with what belongs to another version set aside."""
    if not witness.other_version:
        return witness.comparison.fields
    return tuple(
        replace(f, verdict=Agreement.ABSENT, why="One is the preprint, the other the published article.")
        if f.field in VERSION_BOUND and f.verdict is Agreement.DIFFERS
        else f
        for f in witness.comparison.fields
    )


def _accuses(witness: Witness) -> bool:
    """A search hit may accuse of details only where most of its place agrees: else it may be another version."""
    return witness.by_identifier or agreeing(witness.comparison, PLACE) >= 2


def wrong_fields(of_the_work: list[Witness]) -> frozenset[str]:
    """Fields that no authoritative record confirms and some (or, where none states the field, two indexes) contradict.

    Two indexes that agree outweigh a registry: such is a deposit with a lost author or garbled names. For the year one
    is enough, since registries do not always carry both the print and the online date. Where no registry answered at
    all, indexes accuse of a foreign title or foreign authors only: their journals and lists are too often shortened.
    """
    return frozenset(name for name in JUDGED if _is_wrong(name, of_the_work))


def _is_wrong(name: str, of_the_work: list[Witness]) -> bool:
    stated = [(w, f.verdict) for w in of_the_work for f in _fields(w) if f.field == name]
    stated = [(w, verdict) for w, verdict in stated if verdict is not Agreement.ABSENT]
    registries = [(w, v is not Agreement.DIFFERS) for w, v in stated if w.authoritative]
    indexes = [(w, v is not Agreement.DIFFERS) for w, v in stated if not w.authoritative]
    agreeing_indexes = {w.source for w, agrees in indexes if agrees}
    if registries:
        enough = 1 if name == "year" else 2
        contradicted = any(_accuses(w) for w, _ in registries)
        return contradicted and not any(agrees for _, agrees in registries) and len(agreeing_indexes) < enough
    contradicting = [w for w, agrees in indexes if not agrees and _accuses(w)]
    if agreeing_indexes or len({w.source for w in contradicting}) < 2:
        return False
    if any(w.authoritative for w in of_the_work):
        return True
    return name == "title" or (name == "authors" and all(w.comparison.authors.foreign for w in contradicting))


def _all_right(witness: Witness, fields: tuple[FieldVerdict, ...], wrong: frozenset[str]) -> str:
    name = label(witness.source)
    differing = [f.field for f in fields if f.field in JUDGED and f.verdict is Agreement.DIFFERS]
    notes = [f.why for f in fields if f.verdict is Agreement.VARIANT and f.why]
    text = f"{name} differs in {', '.join(differing)}; another record agrees." if differing else f"{name} agrees."
    return " ".join([text, *notes])

"""Thousands of real records cited in many ways, right and with planted faults: false alarms and what is caught.

    python benchmarks/verification/stress.py [--corpus FOLDER] [--count 3000] [--seed 1] [--text] [--errors KIND|all]

FOLDER holds the real records (default: ../shared/corpus beside the project). `--text`: references as text in eleven
styles instead of records. Engine only, no HTTP: the sources are stress_world.py.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.verification.evidence import load_journals
from benchmarks.verification.stress_faults import FAULTS, NEVER_VERIFIED, Scene
from benchmarks.verification.stress_styles import HARMLESS, STYLES, plain, tidy
from benchmarks.verification.stress_world import RealWork, RealWorld
from litapp.core.matching import JournalNames
from litapp.core.records import Record, Scheme
from litapp.core.verification import Status, Verdict, check_record, judge
from litapp.core.verification.freetext import claim_of, plain_citation, read_citation

CORPUS = Path(__file__).resolve().parents[3] / "shared" / "corpus"

NOT_IN_THE_WORLD = "10.48550/"
"""DOIs of arXiv, which this world does not hold: faults are planted in other references."""


@dataclass(frozen=True, slots=True)
class Trial:
    """One reference: what was done to it, in which style it was written ("" = a record), what came of it."""

    kind: str
    style: str
    work: RealWork
    cited: Record
    text: str
    claimed: Record
    verdict: Verdict


def cited_record(work: RealWork) -> Record:
    """A work as somebody cites it: without what only a source knows."""
    record = work.record
    return Record(
        source="list",
        source_id="",
        title=record.title,
        original_title=record.original_title,
        authors=record.authors,
        authors_complete=record.authors_complete,
        journal=record.journal or record.journal_abbreviation,
        journal_abbreviation=record.journal_abbreviation,
        volume=record.volume,
        issue=record.issue,
        pages=record.pages,
        date=replace(record.date, month=None, day=None),
        years=record.years,
        csl_type=record.csl_type,
        languages=record.languages,
        identifiers=tuple(i for i in record.identifiers if i.scheme in (Scheme.DOI, Scheme.PMID)),
    )


def with_some_identifiers(record: Record, chance: random.Random) -> Record:
    """All identifiers, one of them, or none."""
    turn = chance.random()
    if turn < 0.3 or not record.identifiers:
        return replace(record, identifiers=())
    return record if turn < 0.6 else replace(record, identifiers=(chance.choice(record.identifiers),))


class Bench:
    """Runs references against the world."""

    def __init__(self, world: RealWorld, journals: JournalNames, *, as_text: bool, seed: int) -> None:
        self.world, self.journals, self.as_text = world, journals, as_text
        self.chance = random.Random(seed)
        self.spent = 0.0

    def try_out(self, kind: str, work: RealWork, cited: Record, right: Record | None = None) -> Trial | None:
        """Cite, check and judge. None where the citation as text reads as that of the `right` record: the fault is
        behind its "et al."."""
        style = self.chance.choice(sorted(STYLES)) if self.as_text else ""
        cited = replace(cited, years=()) if self.as_text else cited
        text = tidy(STYLES[style](cited)) if style else ""
        if right is not None and text and text == tidy(STYLES[style](right)):
            return None
        began = time.process_time()
        claimed, found = self._read(text) if text else (cited, None)
        evidence = found if found is not None else self.world.evidence(claimed, self.journals)
        verdict = judge(check_record(claimed, (), evidence, journals=self.journals))
        self.spent += time.process_time() - began
        return Trial(kind, style, work, cited, text, claimed, verdict)

    def _read(self, text: str):  # type: ignore[no-untyped-def]
        """A citation as the product reads it: identifiers, then a search for the whole text, then for its title."""
        bare = read_citation(text)
        found = [f for i in bare.identifiers if i.scheme in (Scheme.DOI, Scheme.PMID) for f in self.world.look_up(i)]
        claimed = claim_of(text, [f.record for f in found if f.record], journals=self.journals)
        if any(v.record for v in found) and _decided(claimed, found, self.journals):
            return claimed, found
        found += self.world.search(plain_citation(text), ("crossref",))
        claimed = claim_of(text, [f.record for f in found if f.record], journals=self.journals)
        found += self.world.search(claimed.title)
        return claim_of(text, [f.record for f in found if f.record], journals=self.journals), found


def _decided(claimed: Record, found: list, journals: JournalNames) -> bool:  # type: ignore[type-arg]
    from litapp.core.verification import needs_search

    return bool(claimed.title) and not needs_search(claimed, found, journals=journals)


def run(bench: Bench, works: list[RealWork], count: int) -> list[Trial]:
    """`count` right references and as many with faults."""
    trials: list[Trial] = []
    names = sorted(HARMLESS)
    chance = bench.chance
    for number in range(count):
        work = works[number % len(works)]
        record = with_some_identifiers(cited_record(work), chance)
        kind = names[number % len(names)]
        changed = HARMLESS[kind](record, chance)
        if changed is None:
            kind, changed = "plain", plain(record, chance)
        trials += filter(None, [bench.try_out(kind, work, changed)])
    faults = sorted(FAULTS)
    made: Counter[str] = Counter()
    number = 0
    while sum(made.values()) < count and number < 40 * count:
        work, other = works[number % len(works)], chance.choice(works)
        kind = faults[number % len(faults)]
        number += 1
        if work.record.doi.startswith(NOT_IN_THE_WORLD) or other is work or made[kind] > 1.3 * count / len(faults):
            continue
        cited = cited_record(work)
        wrong = FAULTS[kind](cited, Scene(bench.world, chance, other))
        if wrong is None or wrong == cited:
            continue
        if kind not in NEVER_VERIFIED and not kind.startswith("chimera_here"):
            wrong = with_some_identifiers(wrong, chance)
        right = None if kind in NEVER_VERIFIED else replace(cited, years=(), identifiers=wrong.identifiers)
        trial = bench.try_out(kind, work, wrong, right)
        if trial is not None:
            made[kind] += 1
            trials.append(trial)
    return trials


def table(trials: list[Trial], names: dict[str, object], wanted: Callable[[Trial], bool], word: str, by: str) -> None:
    """One line a kind: how many, how many suspect, verified, unverified."""
    groups: defaultdict[str, list[Trial]] = defaultdict(list)
    for trial in trials:
        if trial.kind in names:
            groups[getattr(trial, by)].append(trial)
    total = [trial for group in groups.values() for trial in group]
    print(f"\n| {by} | n | {word} % | verified % | unverified % |\n| --- | --- | --- | --- | --- |")
    for name, group in [*sorted(groups.items()), ("all", total)]:
        share = 100 * sum(map(wanted, group)) / len(group)
        states = Counter(trial.verdict.status for trial in group)
        print(
            f"| {name} | {len(group)} | {share:.2f} | {100 * states[Status.VERIFIED] / len(group):.1f} "
            f"| {100 * states[Status.UNVERIFIED] / len(group):.1f} |"
        )


def show(trial: Trial) -> None:
    """Everything about one trial, for reading."""
    claimed = trial.text or {
        "title": trial.cited.title, "authors": [p.name for p in trial.cited.authors], "journal": trial.cited.journal,
        "year": trial.cited.year, "place": (trial.cited.volume, trial.cited.issue, trial.cited.pages),
        "ids": [i.value for i in trial.cited.identifiers],
    }  # fmt: skip
    print(
        f"\n{trial.kind} {trial.style}: {trial.verdict.status} {trial.verdict.kind} {trial.verdict.wrong}\n  {claimed}"
    )
    if trial.text:
        c = trial.claimed
        print(
            "  read",
            c.title,
            "|",
            [p.name for p in c.authors],
            c.authors_complete,
            "|",
            c.journal,
            c.year,
            c.volume,
            c.pages,
        )
    real = trial.work.record
    print(
        "  real",
        real.title,
        "|",
        real.original_title,
        "|",
        [p.name for p in real.authors],
        real.journal,
        real.years,
        real.volume,
        real.pages,
    )
    for reason in trial.verdict.reasons:
        print("    ", reason)


def main() -> None:
    """Run and print the tables."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--corpus", type=Path, default=CORPUS)
    options.add_argument("--count", type=int, default=3000)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--text", action="store_true")
    options.add_argument("--errors", default="")
    options.add_argument("--most", type=int, default=20, help="errors shown of a kind")
    chosen = options.parse_args()
    world = RealWorld(chosen.corpus)
    works = list(world.works)
    random.Random(chosen.seed).shuffle(works)
    recent = [w for w in works if (w.record.year or 0) >= 1995]
    mixed = [w for pair in zip(recent, works, strict=False) for w in pair]
    bench = Bench(world, load_journals(chosen.corpus / "journals"), as_text=chosen.text, seed=chosen.seed)
    trials = run(bench, mixed, chosen.count)
    print(f"{len(world.works)} works, {len(trials)} references, {bench.spent:.0f} s of processor")
    alarm: Callable[[Trial], bool] = lambda trial: trial.verdict.status is Status.SUSPECT  # noqa: E731
    table(trials, dict(HARMLESS), alarm, "false alarms", "kind")
    if chosen.text:
        table(trials, dict(HARMLESS), alarm, "false alarms", "style")
    table(trials, dict(FAULTS), alarm, "caught", "kind")
    bad = [t for t in trials if t.kind in NEVER_VERIFIED and t.verdict.status is Status.VERIFIED]
    print(f"\ninvented papers and identifiers of other papers called verified: {len(bad)}")
    shown: Counter[str] = Counter()
    for trial in trials:
        wrong = alarm(trial) if trial.kind in HARMLESS else not alarm(trial)
        if chosen.errors in ("all", trial.kind) and wrong and shown[trial.kind] < chosen.most:
            shown[trial.kind] += 1
            show(trial)


if __name__ == "__main__":
    main()

"""Measure the verification engine on the labelled cases: one table by kind, and the hard promises.

    python benchmarks/verification/run.py [--shared FOLDER] [--errors KIND|all] [--predictions FILE] [--speed]

FOLDER is the folder with make_cases.py, records.jsonl and cases.jsonl (default: ../shared/verify beside the project).
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.verification.evidence import Sources, claimed_record, load_journals, load_module
from litapp.core.matching import JournalNames, compare_fields
from litapp.core.records import Record
from litapp.core.verification import (
    SILENCE_SOURCES,
    Answered,
    CheckResult,
    Kind,
    PublicationState,
    Status,
    Verdict,
    check_record,
    judge,
    publication_status,
)

SHARED = Path(__file__).resolve().parents[3] / "shared" / "verify"
RETRACTED = {PublicationState.RETRACTED, PublicationState.PARTLY_RETRACTED, PublicationState.WITHDRAWN}


def main() -> None:
    """Run all cases, score them with the shared scorer, print the table."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--shared", type=Path, default=SHARED)
    options.add_argument("--cases", type=Path)
    options.add_argument("--errors", default="")
    options.add_argument("--predictions", type=Path)
    options.add_argument("--seed", type=int, help="build other cases of the same kinds from the records")
    options.add_argument("--two-witnesses", action="store_true", help="let silence accuse without PubMed's answer")
    options.add_argument("--failing", type=float, default=0.0, help="share of questions that fail, drawn by seed")
    options.add_argument("--speed", action="store_true")
    chosen = options.parse_args()
    benchmark = load_module(chosen.shared, "make_cases")
    wire = load_module(chosen.shared, "world_http")
    world = benchmark.World(benchmark.load_jsonl(chosen.shared / "records.jsonl"))
    if chosen.seed is not None:
        cases = benchmark.build(benchmark.load_jsonl(chosen.shared / "records.jsonl"), chosen.seed)
    else:
        cases = benchmark.load_jsonl(chosen.cases or chosen.shared / "cases.jsonl")
    silence = ("openalex", "semanticscholar") if chosen.two_witnesses else SILENCE_SOURCES
    journals = load_journals(chosen.shared.parent / "corpus" / "journals")
    if chosen.speed:
        speed(Sources(world, wire), cases, journals)
        return
    sources = Sources(world, wire, failing=chosen.failing)
    predictions = run(sources, cases, journals, silence)
    if chosen.failing:
        outages(cases, predictions)
        return
    print(benchmark.report(cases, predictions))
    promises(cases, predictions)
    if chosen.errors:
        errors(benchmark, cases, predictions, chosen.errors)
    if chosen.predictions:
        chosen.predictions.write_text("".join(json.dumps(_plain(p)) + "\n" for p in predictions), encoding="utf-8")


def run(sources: Sources, cases: list[Any], journals: JournalNames, silence: tuple[str, ...]) -> list[dict[str, Any]]:
    """One prediction a case: verdict, fields found wrong, status."""
    predictions = []
    spent = 0.0
    for case in cases:
        sources.world.set_case(case)
        claimed = claimed_record(case["ref"])
        evidence = sources.evidence(claimed, journals)
        began = time.perf_counter()
        checks = check_record(claimed, (), evidence, journals=journals, silence_sources=silence)
        verdict = judge(checks)
        status = publication_status(claimed, evidence)
        spent += time.perf_counter() - began
        retraction = "retracted" if status.state in RETRACTED else "none"
        if status.state is PublicationState.CONCERN:
            retraction = "concern"
        predictions.append(
            {
                "id": case["id"],
                "verdict": verdict.status.value,
                "mismatch": list(verdict.wrong),
                "retraction": retraction,
                "checks": checks,
                "judged": verdict,
            }
        )
    each = 1000 * spent / len(cases)
    print(f"{len(cases)} cases, {sources.requests} questions, {each:.2f} ms of checking a case\n")
    return predictions


def _plain(prediction: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in prediction.items() if key not in ("checks", "judged")}


def promises(cases: list[Any], predictions: list[dict[str, Any]]) -> None:
    """What must hold without exception."""
    bad: Counter[str] = Counter()
    for case, found in zip(cases, predictions, strict=True):
        verdict: Verdict = found["judged"]
        kind, group = case["kind"], case["group"]
        everything_down = kind.startswith("all_down") or kind == "one_source_left_fabricated"
        invented = (
            group == "fabricated"
            or kind in ("doi_one_digit", "doi_three_chars", "doi_unrelated")
            or (kind.startswith(("pmid_", "arxiv_unrelated")))
        )
        if invented and verdict.status is Status.VERIFIED:
            bad["fabricated or wrong identifier called verified"] += 1
        if group == "chimera" and not {"authors", "title"} & set(verdict.wrong):
            bad["chimera without its authors or title named"] += 1
        if group in ("clean", "harmless", "natural", "coverage") and verdict.status is Status.SUSPECT:
            bad["suspect on a reference that must stay quiet"] += not case["expect"]["must_flag"]
        if everything_down and verdict.status is not Status.UNVERIFIED:
            bad["decided in an outage"] += 1
    print("\nbroken promises:", dict(bad) or "none")


def outages(cases: list[Any], predictions: list[dict[str, Any]]) -> None:
    """With questions failing at random: every verdict that is wrong, and how many are left open."""
    counts: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    for case, found in zip(cases, predictions, strict=True):
        status, expect = found["judged"].status, case["expect"]
        counts[status.value] += 1
        allowed = {expect["verdict"], *expect["also_ok"], "unverified"}
        if status.value not in allowed:
            wrong[f"{case['kind']}: {status.value} instead of {expect['verdict']}"] += 1
            if status is Status.SUSPECT:
                for check in found["checks"]:
                    _show(check)
    print(dict(counts))
    print("wrong verdicts:", dict(wrong) or "none")


def errors(benchmark: Any, cases: list[Any], predictions: list[dict[str, Any]], wanted: str) -> None:
    """List the cases that are not exact."""
    rows, _, _ = benchmark.score(cases, predictions)
    for case, row, found in zip(cases, rows, predictions, strict=True):
        if row["exact"] or (wanted != "all" and wanted != case["kind"]):
            continue
        expect = case["expect"]
        print(
            f"\n{case['id']} {case['kind']}: {found['verdict']} {found['mismatch']} {found['retraction']}; expected "
            f"{expect['verdict']} {expect['also_ok']} {expect['mismatch']} (tolerated {expect['tolerated']}) "
            f"{expect['retraction']}\n   {case['why']}\n   {json.dumps(case['ref'], ensure_ascii=False)[:600]}"
        )
        for check in found["checks"]:
            _show(check)


def _show(check: CheckResult) -> None:
    kind = f" [{check.kind.value}]" if check.kind is not Kind.NONE else ""
    print(
        f"   {check.outcome.value:7} {check.rule} @{check.source}{kind} {','.join(check.wrong)}: {check.reason[:230]}"
    )


def speed(sources: Sources, cases: list[Any], journals: JournalNames) -> None:
    """Full field comparisons a second on one core, over all pairs of claimed and found records of the cases."""
    pairs: list[tuple[Record, Record]] = []
    for case in cases:
        sources.world.set_case(case)
        claimed = claimed_record(case["ref"])
        pairs += [
            (claimed, found.record)
            for found in sources.by_identifiers(claimed)
            if found.outcome is Answered.FOUND and found.record is not None
        ]
    began = time.process_time()
    for claimed, record in pairs:
        compare_fields(claimed, record, journals=journals)
    spent = time.process_time() - began
    print(f"{len(pairs)} full comparisons in {spent:.2f} CPU s: {len(pairs) / spent:.0f} a second")


if __name__ == "__main__":
    main()

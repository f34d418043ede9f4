"""The same labelled references through rival checkers from PyPI, against the same local services.

    python benchmarks/verification/rivals.py PEERS/bin/python bibaudit|refchecker [--every 8]

PEERS is an environment with `pip install bibaudit academic-refchecker`. The references go in as a .bib file; cases with
an outage or a corrupt record are left out. Their addresses are built in: rival_runner.py points their transport at the
reference world. bibaudit's download of Retraction Watch is off: the world has none, and it waits for it again and
again. What they report as failing counts as suspect, its fields as wrong; notes and hints count as nothing.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.verification.evidence import load_module
from benchmarks.verification.http_path import SHARED, WorldServer

RUNNER = Path(__file__).with_name("rival_runner.py")
FIELDS = {"author": "authors", "venue": "journal", "number": "issue", "page": "pages", "identifier": "doi"}
LONGEST = 900
"""Seconds a program may take."""


def main() -> None:
    """Run one program on the cases and print the scores."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("python", type=Path)
    options.add_argument("program", choices=("bibaudit", "refchecker"))
    options.add_argument("--shared", type=Path, default=SHARED)
    options.add_argument("--every", type=int, default=8, help="only every n-th case")
    chosen = options.parse_args()
    benchmark = load_module(chosen.shared, "make_cases")
    wire = load_module(chosen.shared, "world_http")
    server = WorldServer(benchmark.World(benchmark.load_jsonl(chosen.shared / "records.jsonl")), wire)
    cases = benchmark.load_jsonl(chosen.shared / "cases.jsonl")[:: chosen.every]
    cases = [case for case in cases if not case.get("down") and not case.get("overlay")]
    predictions, spent = [], 0.0
    lists = [cases] if chosen.program == "bibaudit" else without_twins(cases)
    for part in lists:
        with tempfile.TemporaryDirectory() as folder:
            bibliography = Path(folder) / "cases.bib"
            bibliography.write_text("\n".join(map(benchmark.to_bibtex, part)), encoding="utf-8")
            began = time.perf_counter()
            report = run(chosen, server.address, bibliography)
            spent += time.perf_counter() - began
        predictions += bibaudit(part, report) if chosen.program == "bibaudit" else refchecker(part, report)
    cases = [case for part in lists for case in part]
    print(benchmark.report(cases, predictions))
    print(f"{chosen.program}: {len(cases)} references, {spent:.0f} s, requests {dict(server.requests)}")
    server.close()


def without_twins(cases: list[Any]) -> list[list[Any]]:
    """The cases as lists in which no paper stands twice: academic-refchecker takes the like for one reference."""
    lists: list[list[Any]] = []
    for case in cases:
        fitting = next((part for part in lists if all(case["record"] != other["record"] for other in part)), None)
        if fitting is None:
            lists.append([case])
        else:
            fitting.append(case)
    return lists


def run(chosen: argparse.Namespace, address: str, bibliography: Path) -> Any:
    """The program's own JSON report."""
    out = bibliography.with_suffix(".json")
    if chosen.program == "bibaudit":
        arguments = ["check", str(bibliography), "--format", "json", "-o", str(out)]
        arguments += ["--cache-dir", str(bibliography.parent / "cache"), "--no-retraction-check"]
    else:
        arguments = ["--paper", str(bibliography), "--report-file", str(out), "--report-format", "json"]
    command = [str(chosen.python), str(RUNNER), address, chosen.program, *arguments]
    subprocess.run(command, cwd=bibliography.parent, check=False, capture_output=True, timeout=LONGEST)
    return json.loads(out.read_text(encoding="utf-8"))


def _prediction(key: str, verdict: str, wrong: set[str], retracted: bool) -> dict[str, Any]:
    fields = sorted(FIELDS.get(name, name) for name in wrong)
    return {"id": key, "verdict": verdict, "mismatch": fields, "retraction": "retracted" if retracted else "none"}


def bibaudit(cases: list[Any], report: Any) -> list[dict[str, Any]]:
    """Its verdicts by citation key, which is the case's id."""
    results = {result["key"]: result for result in report["results"]}
    made = []
    for case in cases:
        result = results.get(case["id"])
        if result is None:
            made.append(_prediction(case["id"], "unverified", set(), False))
            continue
        unknown = result["verdict"] in ("UNCONFIRMED", "UNCHECKED")
        retracted = result["verdict"] == "RETRACTED"
        suspect = result["fails"] and not retracted and not unknown
        wrong = {issue["field"] for issue in result["issues"] if issue["severity"] in ("error", "warning")}
        verdict = "unverified" if unknown else "suspect" if suspect else "verified"
        made.append(_prediction(case["id"], verdict, wrong - {"status"} if suspect else set(), retracted))
    return made


def refchecker(cases: list[Any], report: Any) -> list[dict[str, Any]]:
    """Its flagged references by citation key. Errors make suspect, errors and warnings name fields."""
    flagged = {record["original_reference"].get("bibtex_key"): record for record in report["records"]}
    made = []
    for case in cases:
        said = flagged.get(case["id"], {}).get("_original_errors", [])
        errors = {one["error_type"] for one in said if one.get("error_type")}
        wrong = errors | {one["warning_type"] for one in said if one.get("warning_type")}
        verdict = "suspect" if errors - {"unverified"} else "unverified" if errors else "verified"
        retracted = any("retract" in kind for kind in wrong)
        made.append(_prediction(case["id"], verdict, wrong - {"unverified"}, retracted))
    return made


if __name__ == "__main__":
    main()

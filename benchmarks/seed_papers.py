"""Seed papers on five strategies over a sandbox corpus: are the lost ones and the lines that lose them named rightly?

    python benchmarks/seed_papers.py CORPUS.sqlite3 [--clock N]

CORPUS is made by `manage.py sandbox_load` from PubMed files. For each strategy known records of the corpus are planted
as seeds: found ones, ones that exactly one line or limit loses, ones that several lose, and a PMID that is not there.
What is true of each is worked out from the corpus itself, line by line, without the product. The product then asks the
sandbox's PubMed (with --clock 1 at NCBI's published pace without a key, three requests a second) and its verdicts are
compared with the truth, seed by seed. Prints one row a strategy, and what was counted to bring seeds back against the
corpus. Ends with status 1 when anything is wrong. Writes nothing but its own temporary folder.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

STRATEGIES: tuple[tuple[str, str, dict[str, Any]], ...] = (
    (
        "COVID-19 vaccination",
        '(covid-19[tiab] OR "SARS-CoV-2"[tiab]) AND (vaccin*[tiab] OR immuni*[tiab]) AND (efficacy[tiab] OR '
        "effectiveness[tiab] OR safety[tiab]) NOT (mice[tiab] OR animal*[tiab])",
        {"year_from": 2021},
    ),
    (
        "Telemedicine and diabetes",
        '(telemedicine[tiab] OR telehealth[tiab] OR mobile[tiab]) AND (diabet*[tiab] OR "Diabetes Mellitus"[Mesh]) '
        "AND (patient*[tiab] OR care[tiab])",
        {"year_from": 2020, "year_to": 2021},
    ),
    (
        "Hypertension and its treatment, 1976-80",
        '("Hypertension"[Mesh] OR hypertens*[ti]) AND (drug therapy[sh] OR treatment[tiab] OR therapy[tiab])',
        {"year_to": 1978, "languages": ("eng",)},
    ),
    (
        "Chest imaging",
        "(chest[tiab] OR lung[tiab] OR pulmonary[tiab]) AND (tomography[tiab] OR ultrasound[tiab] OR x-ray[tiab]) AND "
        "(diagnos*[tiab] OR detect*[tiab]) NOT review[pt]",
        {"languages": ("eng",)},
    ),
    (
        "Surgery in older people",
        '(elderly[tiab] OR "older adults"[tiab] OR aged[mh]) AND (surg*[tiab] OR operati*[tiab]) AND '
        "(mortality[tiab] OR complication*[tiab] OR outcome*[tiab])",
        {"year_from": 1977, "publication_types": ("Journal Article",)},
    ),
)
FOUND, LOST_BY_ONE, LOST_BY_MORE = 3, 2, 2
"""Seeds that are planted of each kind: found; for each line; lost by two or more lines."""
NOT_THERE = "99999999"


@dataclass(frozen=True)
class Truth:
    """What the corpus says of a seed."""

    state: str
    lost_by: tuple[int, ...]


def plant(corpus: Path, boolean: str, filters: Any) -> tuple[dict[str, Truth], list[Any], Any]:
    """The seeds with what is true of them, the lines, and a function that counts a query in the corpus."""
    from litapp.core.plan import PlanQuery
    from litapp.core.querylang import parse
    from litapp.providers.pubmed.query import compile_query
    from litapp.sandbox.corpus import sets
    from litapp.sandbox.corpus.evaluate import Evaluator
    from litapp.sandbox.corpus.store import Corpus
    from searches.services.seeds_lines import Role, lines_of

    evaluator = Evaluator(Corpus(corpus))

    def find(text: str, limit: Any = None) -> set[int]:
        compiled = compile_query(PlanQuery(boolean=text), limit) if limit is not None else None
        return set(sets.numbers_of(evaluator.find(parse(compiled.text if compiled else text)).bits))

    lines = lines_of(parse(boolean), filters)
    everything = set(sets.numbers_of(evaluator.all_bits))
    passing: dict[int, set[int]] = {}
    for line in lines:
        if line.role is Role.LIMIT:
            limited = compile_query(PlanQuery(boolean="1[uid]"), line.limit).text
            matching = find(limited.removeprefix("(1[uid]) AND "))
        else:
            matching = find(line.text)
        passing[line.number] = everything - matching if line.role is Role.EXCLUDED else matching
    wanted: dict[int, Truth] = {}
    whole = set.intersection(*passing.values())
    for number in sorted(whole)[:: max(1, len(whole) // FOUND)][:FOUND]:
        wanted[number] = Truth("found", ())
    for line in lines:
        others = set.intersection(*(found for at, found in passing.items() if at != line.number))
        for number in sorted(others - passing[line.number])[:LOST_BY_ONE]:
            wanted[number] = Truth("lost", (line.number,))
    some = set.union(*(passing[line.number] for line in lines if line.role is Role.NEEDED))
    for number in sorted(some - whole):
        lost = tuple(at for at, found in passing.items() if number not in found)
        if len(lost) > 1 and number not in wanted:
            wanted[number] = Truth("lost", lost)
        if sum(len(truth.lost_by) > 1 for truth in wanted.values()) >= LOST_BY_MORE:
            break
    pmids = evaluator.corpus.pmids_of_ids(wanted)
    planted = {str(pmids[number]): truth for number, truth in wanted.items()}
    return planted | {NOT_THERE: Truth("absent", ())}, lines, lambda text, limit: len(find(text, limit))


def look(version: Any, actor: Any, planted: dict[str, Truth]) -> tuple[Any, float]:
    from searches.services.mode_work import PaperSearchWork
    from searches.services.seeds import seeds_begin

    search = seeds_begin(version=version, actor=actor, request_id=uuid4(), text="\n".join(planted))
    started = time.monotonic()
    PaperSearchWork().run(str(search.pk))
    search.refresh_from_db()
    return search, time.monotonic() - started


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--clock", type=int, default=1)
    options = parser.parse_args()
    from tests.e2e.conftest import free_port, wait_until_answers

    folder, port = Path(tempfile.mkdtemp(prefix="seeds-")), free_port()
    os.environ |= {
        "LITAPP_DATA_DIR": str(folder), "LITAPP_SANDBOX_URL": f"http://127.0.0.1:{port}",
        "LITAPP_SANDBOX_CLOCK": str(options.clock), "DJANGO_SETTINGS_MODULE": "litapp.settings",
    }  # fmt: skip
    command = [sys.executable, "manage.py"]
    quiet = {"cwd": ROOT, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    subprocess.run([*command, "prepare"], check=True, **quiet)  # type: ignore[call-overload]
    sandbox = subprocess.Popen(  # type: ignore[call-overload]
        [*command, "sandbox", "--port", str(port), "--data", str(options.corpus), "--clock", str(options.clock)],
        **quiet,
    )
    try:
        wait_until_answers(f"{os.environ['LITAPP_SANDBOX_URL']}/_control/log", sandbox)
        wrong = measure(options.corpus)
    finally:
        sandbox.terminate()
    raise SystemExit(1 if wrong else 0)


def measure(corpus: Path) -> int:
    import logging

    import django

    django.setup()
    logging.disable(logging.WARNING)
    from django.contrib.auth.models import User

    from litapp.core.plan import Filters, PlanQuery, SearchPlan
    from litapp.projects.models import Project
    from searches.services.plans import plan_create

    person = User.objects.create_user("bench")
    project = Project.objects.create(name="Seeds", created_by=person)
    wrong_in_all = seeds_in_all = 0
    for name, boolean, limits in STRATEGIES:
        filters = Filters(**limits)
        planted, lines, count = plant(corpus, boolean, filters)
        content = SearchPlan(question=name, sources=("pubmed",), queries=(PlanQuery(boolean=boolean),), filters=filters)
        version = plan_create(project=project, actor=person, title=name, content=content)
        search, seconds = look(version, person, planted)
        told = {seed["pmid"]: Truth(seed["state"], tuple(seed["lost_by"])) for seed in search.result["seeds"]}
        wrong = [p for p, truth in planted.items() if told[p] != truth and truth.state != "absent"]
        wrong += [NOT_THERE] if told[NOT_THERE].state != "absent" else []
        changes = [c for c in search.result["changes"] if c["query"] and c["what"].startswith("Without line")]
        limit_numbers = {line.number for line in lines if line.role.value == "limit"}
        recounted = [c for c in changes if not limit_numbers & {int(w) for w in c["what"].split() if w.isdigit()}]
        miscounted = [c["what"] for c in recounted if count(c["query"], filters) != c["total"]]
        unproved = [c["what"] for c in changes if c["proved"] != c["pmids"]]
        row = {
            "strategy": name, "lines": len(lines), "hits": search.result["total"], "seeds": len(planted),
            "lost": sum(t.state == "lost" for t in planted.values()), "wrong": wrong,
            "named_after_seconds": search.result["seconds"], "with_ways_back_seconds": round(seconds, 2),
            "requests": len(search.asked), "ways_back": len(search.result["changes"]),
            "recounted_in_corpus": len(recounted), "miscounted": miscounted, "unproved": unproved,
        }  # fmt: skip
        print(json.dumps(row, ensure_ascii=False), flush=True)
        wrong_in_all += len(wrong) + len(miscounted) + len(unproved)
        seeds_in_all += len(planted)
    print(json.dumps({"seeds": seeds_in_all, "wrong": wrong_in_all}))
    return wrong_in_all


if __name__ == "__main__":
    main()

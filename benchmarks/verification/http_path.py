"""The labelled cases through the product: Django, database, polite client, HTTP, the services' own answers.

    python benchmarks/verification/http_path.py cases [--text] [--seed N] [--kinds K,..] [--errors KIND|all]
    python benchmarks/verification/http_path.py failing 0.2 [--dead SOURCE] [--swapped SOURCE]

The reference world of ../shared/verify answers on loopback behind the services' own addresses; every request passes the
client with its pace (run faster by --clock), archive and breaker. `--text` gives each case as a Vancouver string, which
is matched as a citation. `failing` lets that share of requests fail, a source be dead, or one serve another paper's
title, and counts wrong verdicts. All works in a temporary folder.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
import threading
import time
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import ModuleType
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.verification.evidence import claimed_record, load_module

SHARED = Path(__file__).resolve().parents[3] / "shared" / "verify"
HOSTS = {
    "pubmed": "eutils.ncbi.nlm.nih.gov/entrez/eutils",
    "crossref": "api.crossref.org",
    "openalex": "api.openalex.org",
    "semanticscholar": "api.semanticscholar.org",
    "arxiv": "export.arxiv.org",
    "datacite": "api.datacite.org",
    "doiorg": "doi.org",
}
WITHOUT_WORLD = ("europepmc", "biorxiv", "unpaywall", "pmc")
RETRACTED = {"retracted", "partly_retracted", "withdrawn"}


class WorldServer:
    """The reference world on loopback. `failing` = share of requests answered with 503; `swapped` = a source whose
    records carry another paper's title; `dead` = sources that never answer well. `requests` counts by source."""

    def __init__(self, world: Any, wire: ModuleType) -> None:
        self.world, self.wire = world, wire
        self.failing, self.swapped, self.dead = 0.0, "", frozenset[str]()
        self.chance = random.Random(20261130)
        self.requests: Counter[str] = Counter()
        self.latency = 0.0
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self) -> None:
                size = int(self.headers.get("Content-Length") or 0)
                body = self.rfile.read(size) if size else b""
                status, headers, content = outer.respond(self.command, self.path, body)
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            do_GET = do_POST = answer

            def log_message(self, *args: object) -> None:
                """Nothing is printed a request."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.address = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def respond(self, method: str, path: str, body: bytes) -> tuple[int, dict[str, str], bytes]:
        host = path.lstrip("/").split("/")[0]
        source = next((key for key, value in HOSTS.items() if value.startswith(host)), host)
        self.requests[source] += 1
        if self.latency:
            time.sleep(self.latency)
        if source in self.dead or (self.failing and self.chance.random() < self.failing):
            return 503, {"Content-Type": "text/html"}, b"<html><body><h1>503 Service Unavailable</h1></body></html>"
        return self.wire.respond(self.world, method, "https:/" + path, body)

    def close(self) -> None:
        self._server.shutdown()


def set_up(folder: str, address: str, clock: float, *, email: str = "") -> None:
    """Django on a fresh database in `folder`, all sources at `address`."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "litapp.settings")
    os.environ["LITAPP_DATA_DIR"] = folder
    os.environ["LITAPP_LOG_LEVEL"] = "ERROR"
    os.environ["LITAPP_SANDBOX_CLOCK"] = str(int(clock))
    os.environ["LITAPP_SANDBOX_URL"] = address
    os.environ["LITAPP_CONTACT_EMAIL"] = email
    import django

    django.setup()
    from django.conf import settings
    from django.core.management import call_command

    for key, entry in settings.SOURCES.items():
        entry["sandbox_path"] = f"/{HOSTS.get(key, key)}"
        entry["enabled"] = key not in WITHOUT_WORLD
    call_command("migrate", verbosity=0)


def new_project() -> Any:
    """A project to check references in."""
    from django.contrib.auth import get_user_model

    from litapp.projects.models import Project

    person, _ = get_user_model().objects.get_or_create(username="benchmark", defaults={"email": "b@example.org"})
    return Project.objects.create(name="Benchmark", created_by=person)


def forget() -> None:
    """Empty what is known, and every source's health, so that the next case starts from nothing."""
    from litapp.jobs.models import SourceHealth
    from litapp.ledger.models import SourceAnswer
    from litapp.verification.models import Check, KnownAnswer, Verification

    Check.answers.through.objects.all().delete()
    for model in (KnownAnswer, Check, Verification):
        model.objects.all().delete()
    SourceAnswer.objects.all().delete()
    SourceHealth.objects.all().delete()


def check(project: Any, cases: list[Any], texts: dict[str, str] | None) -> list[Any]:
    """The verifications of these cases after one round."""
    from litapp.verification.models import Verification
    from litapp.verification.services.requests import Claim, claims_request
    from litapp.verification.services.work import check_now

    claims = [
        Claim(text=texts[case["id"]]) if texts is not None else Claim(claimed_record(case["ref"])) for case in cases
    ]
    rows = claims_request(project=project, claims=claims)
    check_now(verification_ids=[row.pk for row in rows])
    done = Verification.objects.in_bulk([row.pk for row in rows])
    return [done[row.pk] for row in rows]


def prediction(case: Any, row: Any) -> dict[str, Any]:
    """What the scorer wants of a case."""
    retraction = "retracted" if row.publication_state in RETRACTED else "none"
    if row.publication_state == "concern":
        retraction = "concern"
    return {"id": case["id"], "verdict": row.status, "mismatch": list(row.wrong), "retraction": retraction, "row": row}


def run(server: WorldServer, cases: list[Any], texts: dict[str, str] | None) -> list[dict[str, Any]]:
    """All cases: those of a world in order together, those with an outage or a corrupt record one by one."""
    project = new_project()
    plain = [case for case in cases if not case.get("down") and not case.get("overlay")]
    server.world.set_case({})
    began = time.perf_counter()
    found = dict(zip([c["id"] for c in plain], check(project, plain, texts), strict=True))
    spent = time.perf_counter() - began
    print(f"{len(plain)} cases together: {sum(server.requests.values())} requests, {spent:.1f} s")
    operations()
    for case in cases:
        if case["id"] not in found:
            forget()
            server.world.set_case(case)
            found[case["id"]] = check(project, [case], texts)[0]
    return [prediction(case, found[case["id"]]) for case in cases]


def operations() -> None:
    """Print how many requests of each kind the ledger holds."""
    from django.db.models import Count

    from litapp.ledger.models import SourceAnswer

    kinds = SourceAnswer.objects.values_list("source", "operation").annotate(number=Count("pk")).order_by("source")
    print("   " + ", ".join(f"{source} {operation} {number}" for source, operation, number in kinds) + "\n")


def errors(benchmark: ModuleType, cases: list[Any], predictions: list[dict[str, Any]], kind: str) -> None:
    """Print every case that is not exactly right."""
    results, _, _ = benchmark.score(cases, [{k: v for k, v in one.items() if k != "row"} for one in predictions])
    for case, found, result in zip(cases, predictions, results, strict=True):
        if (kind in ("all", case["kind"])) and not result["exact"]:
            row = found["row"]
            print(
                case["id"],
                case["kind"],
                "expected",
                case["expect"],
                "\n  got",
                row.status,
                row.kind,
                row.wrong,
                row.publication_state,
                row.reasons,
            )
            print("  ref", row.text or {k: v for k, v in case["ref"].items() if v}, "\n  rec", row.record, "\n")


def wrong_verdicts(cases: list[Any], predictions: list[dict[str, Any]]) -> None:
    """With failing sources: what must never happen, and what became unverified."""
    bad: Counter[str] = Counter()
    verdicts = Counter(found["verdict"] for found in predictions)
    without_reason = sum(not found["row"].reasons for found in predictions if found["verdict"] == "unverified")
    for case, found in zip(cases, predictions, strict=True):
        expect = case["expect"]
        quiet = case["group"] in ("clean", "harmless", "natural", "coverage") or not expect.get("must_flag")
        if quiet and found["verdict"] == "suspect" and expect["verdict"] != "suspect":
            bad["right reference called suspect"] += 1
            print("  ", case["id"], case["kind"], found["row"].reasons)
        wrong_identifier = case["group"] == "corrupt" and case["kind"].startswith(("doi_", "pmid_", "arxiv_"))
        invented = case["group"] == "fabricated" or wrong_identifier
        if invented and found["verdict"] == "verified":
            bad["fabricated or wrong identifier called verified"] += 1
            print("  ", case["id"], case["kind"], found["row"].reasons)
    print(f"verdicts {dict(verdicts)}; unverified without a reason: {without_reason}; wrong: {dict(bad) or 'none'}")


def main() -> None:
    """Parse the command line and run."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("what", choices=("cases", "failing"))
    options.add_argument("share", nargs="?", type=float, default=0.0)
    options.add_argument("--shared", type=Path, default=SHARED)
    options.add_argument("--seed", type=int)
    options.add_argument("--text", action="store_true")
    options.add_argument("--kinds", default="")
    options.add_argument("--errors", default="")
    options.add_argument("--every", type=int, default=1, help="only every n-th case")
    options.add_argument("--clock", type=float, default=200)
    options.add_argument("--dead", default="")
    options.add_argument("--swapped", default="")
    chosen = options.parse_args()
    benchmark = load_module(chosen.shared, "make_cases")
    wire = load_module(chosen.shared, "world_http")
    records = benchmark.load_jsonl(chosen.shared / "records.jsonl")
    server = WorldServer(benchmark.World(records), wire)
    cases = benchmark.load_jsonl(chosen.shared / "cases.jsonl")
    if chosen.seed is not None:
        cases = benchmark.build(records, chosen.seed)
    if chosen.kinds:
        cases = [case for case in cases if case["kind"] in chosen.kinds.split(",")]
    cases = cases[:: chosen.every]
    texts = {case["id"]: benchmark.to_vancouver(case["ref"]) for case in cases} if chosen.text else None
    with tempfile.TemporaryDirectory() as folder:
        set_up(folder, server.address, chosen.clock)
        if chosen.what == "failing":
            cases = [case for case in cases if not case.get("down") and not case.get("overlay")]
            server.failing, server.dead = chosen.share, frozenset(filter(None, [chosen.dead]))
            if chosen.swapped:
                swap_titles(server.world, {"semanticscholar": "s2"}.get(chosen.swapped, chosen.swapped))
            wrong_verdicts(cases, run(server, cases, texts))
        else:
            predictions = run(server, cases, texts)
            print(benchmark.report(cases, [{k: v for k, v in one.items() if k != "row"} for one in predictions]))
            if chosen.errors:
                errors(benchmark, cases, predictions, chosen.errors)
        from django.db import connections

        connections.close_all()
    server.close()


def swap_titles(world: Any, source: str) -> None:
    """Let `source` serve every record under the title of another one."""
    served = world.served
    titles = [record["title"] for record in world.records]

    def with_other_title(record: Any, asked: str) -> Any:
        answer = served(record, asked)
        if answer and asked == source:
            at = titles.index(record["title"])
            answer = {**answer, "title": titles[(at + 1) % len(titles)]}
        return answer

    world.served = with_other_title


if __name__ == "__main__":
    main()

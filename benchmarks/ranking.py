"""Measure prioritised screening against labelled reviews: how much of the reading it spares.

    python benchmarks/ranking.py [--shared FOLDER] [--sets NAME ...] [--starts question priors priors+question]
                                 [--seeds 1 2 3] [--out FILE.json]
    python benchmarks/ranking.py --speed          one training step at 10,000 records
    python benchmarks/ranking.py --coverage       how often the stopping test is wrong

FOLDER holds one csv.gz per review (title, abstract, label_included) and topics.tsv (set, topic). Where
asreview-3.0.8-results.tsv lies beside them, its figures stand in the same table. Definitions are those of its README:
N and recall count every record, priors too; WSS@95 = (N - records to 95 %) / N - 0.05; RRF@10 = recall after 10 % of N.
The model is trained again whenever `next_training` says so, as the worker does; CPU counts features and trainings.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import os
import random
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from math import ceil
from pathlib import Path
from statistics import fmean

os.environ["OMP_NUM_THREADS"] = "1"
os.environ["OPENBLAS_NUM_THREADS"] = "1"
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np

from litapp.core.ranking.control import draw_sample
from litapp.core.ranking.features import Features, build_features
from litapp.core.ranking.model import MODEL, ModelSettings, next_training, train
from litapp.core.ranking.stopping import StoppingTest, evaluate
from litapp.core.ranking.text import RankedText, question_text

SHARED = Path(__file__).resolve().parents[2] / "shared" / "screening"
STARTS = ("question", "priors", "priors+question")
PEER = "asreview-3.0.8-results.tsv"
PEER_MODEL = "elas_u4"
csv.field_size_limit(10_000_000)


@dataclass(frozen=True)
class Review:
    """A labelled review: its records in the order of the file."""

    name: str
    texts: list[RankedText]
    relevant: np.ndarray
    topic: str


@dataclass(frozen=True)
class Measured:
    """One simulated screening. `order` = the places at which the relevant ones were read, from 1."""

    review: str
    start: str
    seed: int
    records: int
    included: int
    wss95: float
    rrf10: float
    recall20: float
    to_95: int
    to_all: int
    labels: int
    trainings: int
    cpu_ms_per_label: float


def read_review(path: Path, topics: dict[str, str]) -> Review:
    """A set and its topic; a set without a line in topics.tsv has none."""
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    name = path.name.removesuffix(".csv.gz")
    texts = [RankedText(row["title"], row["abstract"]) for row in rows]
    return Review(name, texts, np.array([row["label_included"] == "1" for row in rows]), topics.get(name, ""))


def read_topics(folder: Path) -> dict[str, str]:
    """Set -> topic."""
    file = folder / "topics.tsv"
    if not file.exists():
        return {}
    lines = [line.split("\t") for line in file.read_text(encoding="utf-8").splitlines()[1:] if line.strip()]
    return {line[0]: line[1] for line in lines}


def reading_order(features: Features, review: Review, start: str, settings: ModelSettings, seed: int) -> tuple:
    """Read until every relevant record is found: the order of reading, and the number of trainings."""
    labels: dict[int, bool] = {}
    if "priors" in start:
        draw = random.Random(seed)
        for kind in (True, False):
            labels[draw.choice(np.flatnonzero(review.relevant == kind).tolist())] = kind
    trainings, found, wanted = 0, sum(labels.values()), int(review.relevant.sum())
    while found < wanted:
        trained = train(features, labels, settings, seed=seed)
        trainings += 1
        ranked = np.argsort(-trained.scores, kind="stable")
        places = [int(place) for place in ranked if int(place) not in labels][: next_training(len(labels))]
        for place in places:
            labels[place] = bool(review.relevant[place])
            found += labels[place]
    return list(labels), trainings


def measure(review: Review, features: Features, features_cpu: float, start: str, settings: ModelSettings, seed: int):
    """One simulated screening, measured."""
    began = time.process_time()
    order, trainings = reading_order(features, review, start, settings, seed)
    cpu = time.process_time() - began + features_cpu
    records, included = len(review.texts), int(review.relevant.sum())
    hits = [place for place, row in enumerate(order, start=1) if review.relevant[row]]
    to_95 = hits[ceil(Fraction(95, 100) * included) - 1]
    return Measured(
        review.name, start, seed, records, included,
        wss95=(records - to_95) / records - 0.05,
        rrf10=sum(place <= ceil(Fraction(records, 10)) for place in hits) / included,
        recall20=sum(place <= ceil(Fraction(records, 5)) for place in hits) / included,
        to_95=to_95, to_all=hits[-1], labels=len(order), trainings=trainings,
        cpu_ms_per_label=1000 * cpu / len(order),
    )  # fmt: skip


def run_review(review: Review, starts: Iterable[str], seeds: Sequence[int], settings: ModelSettings) -> list[Measured]:
    """All starts of one review. Without priors nothing is drawn, so that there is one run."""
    results = []
    for with_question in (True, False):
        chosen = [start for start in starts if ("question" in start) is with_question]
        if not chosen:
            continue
        began = time.process_time()
        question = question_text([review.topic] if with_question else [])
        features = build_features(review.texts, question, settings.features, seed=1)
        cpu = time.process_time() - began
        for start in chosen:
            for seed in seeds if "priors" in start else seeds[:1]:
                results.append(measure(review, features, cpu, start, settings, seed))
    return results


def peer_figures(folder: Path) -> dict[tuple[str, str], tuple[float, float]]:
    """(set, with priors?) -> mean WSS@95 and RRF@10 of the peer's default model."""
    found: dict[tuple[str, str], list[tuple[float, float]]] = {}
    if not (folder / PEER).exists():
        return {}
    with (folder / PEER).open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            if row["model"] == PEER_MODEL:
                kind = "priors" if row["start"].startswith("priors") else "none"
                found.setdefault((row["set"], kind), []).append((float(row["wss95"]), float(row["rrf10"])))
    return {key: (fmean(v[0] for v in values), fmean(v[1] for v in values)) for key, values in found.items()}


def report(results: Sequence[Measured], peer: dict[tuple[str, str], tuple[float, float]]) -> None:
    """The tables, as Markdown."""
    for start in dict.fromkeys(one.start for one in results):
        kind = "priors" if "priors" in start else "none"
        print(f"\nStart: {start}\n")
        print(f"| set | n | incl. | {COLUMNS} | peer WSS@95 | RRF@10 |")
        print("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
        rows = []
        for name in dict.fromkeys(one.review for one in results if one.start == start):
            runs = [one for one in results if one.review == name and one.start == start]
            values = [fmean(getattr(run, field) for run in runs) for field in FIELDS]
            theirs = peer.get((name, kind))
            rows.append((name, values, theirs))
            print(f"| {name} | {runs[0].records} | {runs[0].included} | {_cells(values)} | {_peer_cells(theirs)} |")
        groups = {
            "all": rows,
            "SYNERGY": [row for row in rows if row[0].startswith("SYNERGY")],
            "others": [row for row in rows if not row[0].startswith("SYNERGY")],
        }
        for label, group in groups.items():
            if not group:
                continue
            means = [fmean(values[at] for _, values, _ in group) for at in range(len(FIELDS))]
            known = [theirs for _, _, theirs in group if theirs]
            theirs = (fmean(t[0] for t in known), fmean(t[1] for t in known)) if len(known) == len(group) else None
            print(f"| mean, {label} ({len(group)}) | | | {_cells(means)} | {_peer_cells(theirs)} |")
        compared = [(values, theirs) for _, values, theirs in rows if theirs]
        for at, label in ((0, "WSS@95"), (1, "RRF@10")):
            differences = [values[at] - theirs[at] for values, theirs in compared]
            better, equal = sum(d > 5e-4 for d in differences), sum(abs(d) <= 5e-4 for d in differences)
            print(f"\n{label}: better on {better} of {len(compared)} sets, equal on {equal}.")


COLUMNS = "WSS@95 | RRF@10 | recall@20 % | to 95 % | to all | CPU ms/label"
FIELDS = ("wss95", "rrf10", "recall20", "to_95", "to_all", "cpu_ms_per_label")


def _cells(values: Sequence[float]) -> str:
    return " | ".join(f"{v:.3f}" if at < 3 else f"{v:.0f}" if at < 5 else f"{v:.1f}" for at, v in enumerate(values))


def _peer_cells(theirs: tuple[float, float] | None) -> str:
    return f"{theirs[0]:.3f} | {theirs[1]:.3f}" if theirs else "— | —"


def speed(reviews: Sequence[Review], settings: ModelSettings, records: int = 10_000) -> None:
    """One training step with `records` records of all reviews together and 500, 1,000, 2,000 labels."""
    texts = [text for review in reviews for text in review.texts]
    truth = [bool(one) for review in reviews for one in review.relevant]
    chosen = random.Random(1).sample(range(len(texts)), records)
    began = time.perf_counter()
    features = build_features([texts[at] for at in chosen], question_text(["Treatment"]), settings.features)
    print(f"features of {records:,} records: {time.perf_counter() - began:.1f} s (once per set of records)")
    for count in (100, 500, 1000, 2000, 4000):
        labels = {at: truth[chosen[at]] for at in range(count)}
        began, cpu = time.perf_counter(), time.process_time()
        train(features, labels, settings)
        wall, cpu = time.perf_counter() - began, time.process_time() - cpu
        print(f"training step, {count:,} labels: {wall:.2f} s wall, {cpu:.2f} s CPU")


def coverage(reviews: Sequence[Review], settings: ModelSettings, draws: int = 400) -> None:
    """How often the stopping test passes although recall is below its target: the ranking stops after random shares
    of each review, samples of several sizes are drawn, and the test is repeated up to three times while it goes on."""
    wrong = passed = tried = 0
    for review in reviews:
        features = build_features(review.texts, question_text([review.topic]), settings.features, seed=1)
        order, _ = reading_order(features, review, "question", settings, 1)
        order += sorted(set(range(len(review.texts))) - set(order))
        included = int(review.relevant.sum())
        for draw in range(draws):
            chance = random.Random(f"{review.name}:{draw}")
            read = set(order[: int(len(order) * chance.uniform(0.05, 0.9))])
            tried, certified = tried + 1, False
            for number in (1, 2, 3):
                unread = [row for row in order if row not in read]
                if not unread:
                    break
                known = sum(bool(review.relevant[row]) for row in read)
                size = max(1, int(len(unread) * chance.uniform(0.05, 0.8)))
                sample = draw_sample(chance.randrange(10**9), unread, size)
                test = StoppingTest(len(unread), size, known, 0.95, 0.95, number)
                certified = evaluate(test, sum(bool(review.relevant[row]) for row in sample)).passed
                read |= set(sample)
                if certified:
                    break
                left = [row for row in order if row not in read]
                read |= set(left[: len(left) // 4])
            recall = sum(bool(review.relevant[row]) for row in read) / included
            passed += certified
            wrong += certified and recall < 0.95
    print(f"{tried:,} stops: {passed:,} passed (target 95 %, confidence 95 %), {wrong:,} of all stops wrongly "
          f"({100 * wrong / tried:.2f} %; allowed: 5 %)")  # fmt: skip


def main() -> None:
    """Reads the arguments, measures, prints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shared", type=Path, default=SHARED)
    parser.add_argument("--sets", nargs="*")
    parser.add_argument("--starts", nargs="*", default=["question", "priors"], choices=STARTS)
    parser.add_argument("--seeds", nargs="*", type=int, default=[1, 2, 3])
    parser.add_argument("--out", type=Path)
    parser.add_argument("--speed", action="store_true")
    parser.add_argument("--coverage", action="store_true")
    options = parser.parse_args()
    topics = read_topics(options.shared)
    paths = [path for path in sorted(options.shared.glob("*.csv.gz"))
             if not options.sets or path.name.removesuffix(".csv.gz") in options.sets]  # fmt: skip
    if not paths:
        parser.error(f"There are no sets in {options.shared}.")
    reviews = (read_review(path, topics) for path in paths)
    settings = ModelSettings()
    print(f"Model {MODEL}, {settings}")
    if options.speed:
        speed(list(reviews), settings)
        return
    if options.coverage:
        coverage(list(reviews), settings)
        return
    results: list[Measured] = []
    for review in reviews:
        results += run_review(review, options.starts, options.seeds, settings)
        print(f"{review.name} done", file=sys.stderr)
    report(results, peer_figures(options.shared))
    if options.out:
        options.out.write_text(json.dumps([asdict(one) for one in results], indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()

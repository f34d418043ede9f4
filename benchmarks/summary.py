"""The evidence summary of a list of references: how long its documents take, without network and checks.

    python benchmarks/summary.py [--count 200] [--rounds 5] [--style nlm-citation-sequence]

A project with `count` references (invented records, each with an abstract of five sections), the first offer of every
cell of the matrix accepted, and ten topics that cite all of them. Reading the database, the text with its references
(two calls of pandoc), Word, Markdown and HTML are timed apart: by the clock, and as processor time of this process and
pandoc, which other work on the machine lengthens less. Median of the rounds, and the load of the machine.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
STEPS = ("read", "text and references", "Word", "Markdown", "HTML", "the Word file, without reading")


def abstract(number: int) -> Any:
    """Five sections about as long as those of trials in PubMed."""
    from litapp.core.records import AbstractSection

    return (
        AbstractSection("Severe pneumonia carries a high risk of death. Steroids may help. " * 2, "BACKGROUND"),
        AbstractSection(
            f"In this randomized, double-blind, placebo-controlled trial, we assigned {200 + number} adults "
            "with severe pneumonia to dexamethasone or placebo. The primary outcome was death at 28 days.",
            "METHODS", "METHODS",
        ),
        AbstractSection(
            f"Of {200 + number} patients, {number % 40}% died with dexamethasone and 31% with placebo "
            "(risk ratio, 0.83; 95% CI, 0.70 to 0.99; P = .04). Hyperglycaemia was more frequent with dexamethasone.",
            "RESULTS", "RESULTS",
        ),
        AbstractSection("Dexamethasone reduced mortality in severe pneumonia.", "CONCLUSIONS", "CONCLUSIONS"),
        AbstractSection("A limitation of this trial is its small sample.", "LIMITATIONS"),
    )  # fmt: skip


def make_project(count: int) -> Any:
    """The project with its references, cells and topics."""
    from uuid import uuid4

    from references.models import MatrixCell, Reference
    from references.services.matrix import cell_accept
    from references.services.matrix_reading import columns_of, rows_of
    from references.services.summary import quote_add, topic_add
    from searches.services.screening import decide_many
    from tests.references.world import make_world

    world = make_world()
    for number in range(1, count + 1):
        world.verify(world.candidate(number, abstract=abstract(number)), ("verified", "suspect")[number % 5 == 0])
    ids = [candidate.pk for candidate in world.candidates]
    decide_many(project=world.project, actor=world.owner, candidate_ids=ids, decision="include", request_id=uuid4())
    references = list(Reference.objects.for_list().order_by("key"))
    for row in rows_of(world.project, references, columns_of(world.project)):
        for view in row.cells:
            if view.offers:
                offer = view.offers[0].suggestion.name
                cell_accept(reference=row.reference, head=view.head, actor=world.owner, offer=offer, version=0)
    findings = list(MatrixCell.objects.filter(column="finding").select_related("reference").order_by("pk"))
    for at in range(10):
        part = findings[at::10]
        text = " ".join(f"One study says so [@{cell.reference.key}]." for cell in part)
        topic = topic_add(project=world.project, actor=world.owner, title=f"Topic {at + 1}", text=text)
        for cell in part:
            quote_add(topic=topic, cell=cell, actor=world.owner)
    return world.project


def moment() -> tuple[float, float]:
    """(clock, processor time of this process and of those it started), in seconds."""
    return time.monotonic(), sum(os.times()[:4])


def once(project: Any, style: str) -> dict[str, tuple[float, float]]:
    """(clock, processor) seconds of each step."""
    from references.services.documents import docx_of, html_of, markdown_of, summary_blocks
    from references.services.entries import export_content
    from references.services.evidence_summary import evidence_summary

    begun = moment()
    summary = evidence_summary(project, export_content(project, "all"))
    read = moment()
    blocks = summary_blocks(summary, style)
    text = moment()
    word = docx_of(blocks, summary)
    worded = moment()
    markdown_of(blocks)
    marked = moment()
    html_of(blocks, summary)
    ended = moment()
    if len(summary.entries) == 0 or not word:
        raise SystemExit("Nothing was made.")
    spans = ((begun, read), (read, text), (text, worded), (worded, marked), (marked, ended), (read, worded))
    return {step: (b[0] - a[0], b[1] - a[1]) for step, (a, b) in zip(STEPS, spans, strict=True)}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--style", default="nlm-citation-sequence")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="litledger-summary-") as folder:
        os.environ["LITAPP_DATA_DIR"] = folder
        os.environ["DJANGO_SETTINGS_MODULE"] = "litapp.settings"
        import django

        django.setup()
        from django.core.management import call_command

        call_command("migrate", verbosity=0)
        project = make_project(given.count)
        rounds = [once(project, given.style) for _ in range(given.rounds)]
        from references.models import MatrixCell

        cells = MatrixCell.objects.count()
        print(f"{given.count} references, {cells} cells, {given.rounds} rounds, load {os.getloadavg()[0]:.1f}")
        for step in STEPS:
            clock, processor = (statistics.median(one[step][at] for one in rounds) for at in (0, 1))
            print(f"{step}: {clock:.2f} s by the clock, {processor:.2f} s of processor time")


if __name__ == "__main__":
    main()

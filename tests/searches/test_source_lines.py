"""How a run ended at each source: one line a source."""

from __future__ import annotations

import pytest

from litapp.jobs.models import StepState
from litapp.verification.services.source_summary import silences_of
from searches.models import RetrievalStep
from searches.services.source_lines import source_lines

LIMITED = {"crossref": "rate_limited"}


def step(
    source: str, state: StepState = StepState.DONE, fetched: int = 0, message: str = "", **more: object
) -> RetrievalStep:
    more.setdefault("exhausted", state == StepState.DONE)
    return RetrievalStep(source=source, state=state, fetched=fetched, message=message, **more)


@pytest.mark.parametrize(
    ("steps", "rows", "lines"),
    [
        ([step("pubmed", fetched=1)], [], ["PubMed: the search was made, 1 record."]),
        (
            [step("crossref", fetched=200), step("pubmed", fetched=1_000), step("pubmed", fetched=234)],
            [(LIMITED, "verified", ["pubmed"])] * 14,
            [
                "PubMed: all 2 searches were made, 1,234 records.",
                "Crossref: the search was made, 200 records. In the checks: Crossref unavailable for 14 references "
                "(rate-limited); checked with PubMed instead.",
            ],
        ),
        (
            [
                step("openalex", StepState.FAILED, message="OpenAlex could not be reached."),
                step("openalex", StepState.PARTIAL, 40, "OpenAlex could not be reached."),
                step("openalex", fetched=10),
            ],
            [],
            [
                "OpenAlex: 2 of 3 searches were not made or not finished (OpenAlex could not be reached), 50 records.",
            ],
        ),
        (
            [step("pubmed", StepState.PARTIAL, 9_999, exhausted=True)],
            [],
            ["PubMed: the search was made, 9,999 records."],
        ),
        (
            [step("pubmed", StepState.CANCELLED, 5), step("pubmed", StepState.SKIPPED, message="Switched off.")],
            [],
            ["PubMed: 2 of 2 searches were not made or not finished (cancelled; Switched off), 5 records."],
        ),
        (
            [step("pubmed", fetched=3)],
            [({"semanticscholar": "slow"}, "verified", ["pubmed"])],
            [
                "PubMed: the search was made, 3 records.",
                "Semantic Scholar unavailable for 1 reference (it did not answer in time); checked with PubMed "
                "instead.",
            ],
        ),
        (
            [
                step("pubmed", StepState.FAILED, message="PubMed refuses requests from this installation."),
                step(
                    "pubmed",
                    StepState.FAILED,
                    message="PubMed refuses requests from this installation and is left alone until 12:10 UTC.",
                ),
            ],
            [],
            [
                "PubMed: 2 of 2 searches were not made or not finished (PubMed refuses requests from this installation "
                "and is left alone until 12:10 UTC), 0 records.",
            ],
        ),
        ([], [], []),
    ],
)
def test_one_line_a_source(
    steps: list[RetrievalStep], rows: list[tuple[dict[str, str], str, list[str]]], lines: list[str]
) -> None:
    assert source_lines(steps, silences_of(rows)) == lines

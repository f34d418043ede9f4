"""One line per source that could not be asked, in words a clinician understands."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.utils import timezone

from litapp.core.ports import Outcome
from litapp.projects.models import Project
from litapp.providers.base import SourceError
from litapp.providers.causes import Cause, cause_of, words_of
from litapp.verification.models import Verification
from litapp.verification.services.requests import verification_request
from litapp.verification.services.source_summary import project_silences, silences_of
from litapp.verification.services.work import VerificationWork
from tests.verification.conftest import StandIn, paper

LIMITED, SLOW = Cause.RATE_LIMITED.value, Cause.SLOW.value


@pytest.mark.parametrize(
    ("rows", "sentences"),
    [
        ([], []),
        (
            [({"crossref": LIMITED}, "verified", ["pubmed"])] * 14,
            ["Crossref unavailable for 14 references (rate-limited); checked with PubMed instead."],
        ),
        (
            [({"crossref": LIMITED}, "verified", ["pubmed", "openalex"]), ({"crossref": SLOW}, "verified", ["pubmed"])],
            [
                "Crossref unavailable for 2 references (rate-limited, it did not answer in time); checked with PubMed "
                "and OpenAlex instead."
            ],
        ),
        (
            [({"pubmed": SLOW}, "unverified", [])],
            [
                "PubMed unavailable for 1 reference (it did not answer in time); no other source confirmed it.",
            ],
        ),
        (
            [({"crossref": LIMITED}, "verified", ["pubmed"])] * 3 + [({"crossref": LIMITED}, "suspect", ["pubmed"])],
            [
                "Crossref unavailable for 4 references (rate-limited); checked with PubMed instead, except 1 that no "
                "other source confirmed."
            ],
        ),
        (
            [({"openalex": Cause.BUDGET.value, "pubmed": Cause.LEFT_ALONE.value}, "verified", ["crossref"])] * 1_200,
            [
                "PubMed unavailable for 1,200 references (it was in trouble and left alone); checked with Crossref "
                "instead.",
                "OpenAlex unavailable for 1,200 references (its daily budget is spent); checked with Crossref instead.",
            ],
        ),
        (
            [({"gone": "unheard_of"}, "unverified", [])],
            ["gone unavailable for 1 reference (unheard_of); no other source confirmed it."],
        ),
    ],
)
def test_the_line_of_each_source(rows: list[tuple[dict[str, str], str, list[str]]], sentences: list[str]) -> None:
    assert [silence.sentence for silence in silences_of(rows)] == sentences


@pytest.mark.django_db(transaction=True)
def test_a_batch_with_one_source_down_ends_with_its_line(
    project: Project, world: dict[str, StandIn], fails: Callable[..., SourceError]
) -> None:
    record = paper()
    for key in ("pubmed", "openalex", "semanticscholar"):
        world[key].records = {identifier.value: paper(key) for identifier in record.identifiers}
    world["crossref"].error = fails("crossref")
    for _ in range(2):
        verification_request(project=project, record=record, returned_by=[])
    VerificationWork().run("")
    assert [silence.sentence for silence in project_silences(project)] == [
        "Crossref unavailable for 2 references (rate-limited); checked with PubMed, OpenAlex and Semantic Scholar "
        "instead."
    ]
    # Once it answers, nothing is left to say.
    world["crossref"].error = None
    world["crossref"].records = {"10.1056/nejmoa2021436": paper("crossref")}
    Verification.objects.update(not_before=timezone.now() - timedelta(seconds=1))
    VerificationWork().run("")
    assert project_silences(project) == []


@pytest.mark.django_db(transaction=True)
def test_a_source_that_is_switched_off_is_no_failure(project: Project, world: dict[str, StandIn]) -> None:
    world["semanticscholar"].usable = False
    verification_request(project=project, record=paper(), returned_by=[])
    VerificationWork().run("")
    assert project_silences(project) == []


@pytest.mark.parametrize(
    ("outcome", "code", "cause"),
    [
        (Outcome.RATE_LIMITED, "", Cause.RATE_LIMITED),
        (Outcome.RATE_LIMITED, "busy", Cause.RATE_LIMITED),
        (Outcome.RATE_LIMITED, "budget_spent", Cause.BUDGET),
        (Outcome.TRANSIENT, "timeout", Cause.SLOW),
        (Outcome.TRANSIENT, "unreachable", Cause.UNREACHABLE),
        (Outcome.TRANSIENT, "refused_address", Cause.UNREACHABLE),
        (Outcome.TRANSIENT, "left_alone", Cause.LEFT_ALONE),
        (Outcome.TRANSIENT, "", Cause.TROUBLE),
        (Outcome.MALFORMED, "", Cause.UNREADABLE),
        (Outcome.PERMANENT, "refused", Cause.REFUSED),
        (Outcome.PERMANENT, "bad_key", Cause.KEY),
    ],
)
def test_the_kind_of_a_failure(outcome: Outcome, code: str, cause: Cause) -> None:
    assert cause_of(SourceError("crossref", outcome, "x", code=code)) is cause
    assert words_of(cause.value)

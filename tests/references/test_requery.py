"""Identifiers are asked again right before references go out: whom, for how many, and what silence means."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from litapp.core.formats.entry import ExportEntry
from litapp.core.gate import AskedAgain, identifiers_equal
from litapp.core.records import Identifier, Record, Scheme
from litapp.core.verification import Answered
from litapp.ledger.models import SourceAnswer
from litapp.verification.services.asking import Said
from litapp.verification.services.known_answers import Known, identifier_question, remember
from references.services import requery
from references.services.requery import ask_again
from tests.references.world import MOMENT, record

pytestmark = pytest.mark.django_db


class Sources:
    """Stand-ins of the askers: what each source says, and what it was asked."""

    def __init__(self) -> None:
        self.records: dict[tuple[str, Identifier], Record] = {}
        self.registered: set[str] = set()
        self.silent: set[str] = set()
        self.asked: list[tuple[str, str]] = []

    def __call__(self, key: str, *, afresh: bool = False) -> Any:
        assert afresh
        sources = self

        class One:
            def identifiers(self, wanted: Iterable[Identifier]) -> dict[Identifier, Said]:
                return {one: sources.answer(key, one) for one in wanted}

            def agencies(self, dois: Iterable[str]) -> dict[str, Said]:
                sources.asked += [(key, doi) for doi in dois]
                return {
                    doi: Said(Answered.FOUND if doi in sources.registered else Answered.ABSENT, note="DataCite")
                    for doi in dois
                }

        return One()

    def answer(self, key: str, one: Identifier) -> Said:
        self.asked.append((key, one.value))
        if key in self.silent:
            return Said(Answered.FAILED, message="It did not answer in time.")
        found = self.records.get((key, one))
        return Said(Answered.FOUND, (found,)) if found else Said(Answered.ABSENT)


@pytest.fixture
def sources(monkeypatch: pytest.MonkeyPatch) -> Sources:
    made = Sources()
    monkeypatch.setattr(requery, "Asker", made)
    return made


def entries(sources: Sources, *, pmids: int, dois: int) -> list[ExportEntry]:
    """References with a PMID, then some with a DOI alone; their sources know them."""
    made: list[ExportEntry] = []
    for number in range(1, pmids + dois + 1):
        whole = record(number)
        if number > pmids:
            whole = record(number, identifiers=(Identifier(Scheme.DOI, whole.doi),))
        made.append(ExportEntry(whole, f"Key_{number}"))
        if number <= pmids:
            sources.records["pubmed", Identifier(Scheme.PMID, whole.pmid)] = whole
        sources.records["crossref", Identifier(Scheme.DOI, whole.doi)] = whole
    return made


def asked_of(sources: Sources) -> list[str]:
    return [source for source, _ in sources.asked]


def passed(told: Sequence[ExportEntry], answers: dict[str, AskedAgain]) -> bool:
    return identifiers_equal(told, answers).passed


def test_every_pmid_is_asked_and_dois_until_five_are(sources: Sources) -> None:
    told = entries(sources, pmids=3, dois=7)
    answer = ask_again(told)
    assert asked_of(sources) == ["pubmed"] * 3 + ["crossref"] * 2
    assert set(answer.pubmed) == {"30000001", "30000002", "30000003"}
    assert passed(told, answer.answers)


def test_many_pmids_are_all_asked_and_no_doi(sources: Sources) -> None:
    told = entries(sources, pmids=8, dois=2)
    assert len(ask_again(told).answers) == 8
    assert set(asked_of(sources)) == {"pubmed"}


def test_a_doi_that_crossref_does_not_have_is_looked_for_at_its_registry(sources: Sources) -> None:
    told = entries(sources, pmids=0, dois=2)
    sources.records.clear()
    sources.registered.add(told[0].record.doi)
    answers = ask_again(told).answers
    assert [failure.key for failure in identifiers_equal(told, answers).failures] == ["Key_2"]
    assert answers["Key_1"].registered


def test_silence_is_a_failure_and_never_agreement(sources: Sources) -> None:
    told = entries(sources, pmids=1, dois=0)
    sources.silent.add("pubmed")
    [failure] = identifiers_equal(told, ask_again(told).answers).failures
    assert failure.text == "PubMed could not be asked again: It did not answer in time."


@pytest.mark.parametrize(("minutes", "asks"), [(5, 0), (15, 1)])
def test_an_answer_of_the_last_minutes_is_not_asked_for_twice(sources: Sources, minutes: int, asks: int) -> None:
    [entry] = entries(sources, pmids=1, dois=0)
    answer = SourceAnswer.objects.create(
        source="pubmed", method="GET", url="https://x.example", request_key="k", status=200, outcome="ok",
        received_at=MOMENT,
    )  # fmt: skip
    at = timezone.now() - timedelta(minutes=minutes)
    question = identifier_question(Identifier(Scheme.PMID, entry.record.pmid))
    remember("pubmed", {question: Known((entry.record,), answer.pk, at)})
    assert passed([entry], ask_again([entry]).answers)
    assert len(sources.asked) == asks

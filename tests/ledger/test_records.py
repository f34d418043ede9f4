"""Source records: exactly what an answer said, once per place."""

from __future__ import annotations

import pytest
from django.utils import timezone

from litapp.ledger.models import SourceAnswer, SourceRecord
from litapp.ledger.services.records import data_hash, store_hits, store_records
from tests.searches.stand_in import paper, papers


@pytest.fixture
def answer(db: None) -> SourceAnswer:
    return SourceAnswer.objects.create(
        source="pubmed", method="GET", url="/", request_key="k", status=200, outcome="ok", received_at=timezone.now()
    )


def test_records_come_back_equal_and_in_order(answer: SourceAnswer) -> None:
    records = papers(3)
    rows = store_records(answer_id=answer.pk, records=[(2, records[0]), (0, records[1]), (1, records[2])])
    assert [(row.position, row.record, row.source_id) for row in rows] == [
        (2, records[0], "1000001"),
        (0, records[1], "1000002"),
        (1, records[2], "1000003"),
    ]
    assert all(row.sha256 == data_hash(row.data) for row in SourceRecord.objects.all())


def test_storing_twice_changes_nothing(answer: SourceAnswer) -> None:
    first = store_records(answer_id=answer.pk, records=[(0, paper(1))])
    again = store_records(answer_id=answer.pk, records=[(0, paper(2)), (1, paper(3))])
    assert again[0] == first[0]
    assert [row.record for row in again] == [paper(1), paper(3)]
    assert SourceRecord.objects.count() == 2


def test_hits_of_several_answers_are_stored_at_once(
    answer: SourceAnswer, django_assert_max_num_queries: pytest.FixtureRequest
) -> None:
    other = SourceAnswer.objects.create(
        source="pubmed", method="GET", url="/", request_key="l", status=200, outcome="ok", received_at=timezone.now()
    )
    with django_assert_max_num_queries(4):  # type: ignore[operator]
        rows = store_hits([(answer.pk, 0, paper(1)), (other.pk, 0, paper(2)), (answer.pk, 1, paper(3))])
    assert [(row.answer_id, row.position, row.record) for row in rows] == [
        (answer.pk, 0, paper(1)),
        (other.pk, 0, paper(2)),
        (answer.pk, 1, paper(3)),
    ]


def test_nothing_to_store_is_nothing(db: None) -> None:
    assert store_hits([]) == []


def test_equal_statements_have_equal_hashes_whatever_the_order_of_fields() -> None:
    assert data_hash({"a": 1, "b": ["ä"]}) == data_hash({"b": ["ä"], "a": 1})
    assert data_hash({"a": 1}) != data_hash({"a": 2})

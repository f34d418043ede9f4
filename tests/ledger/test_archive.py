"""The archive: whole or not at all, found again by what was asked, never trusted unread."""

from __future__ import annotations

import gzip
import hashlib
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from litapp.core.ports import Outcome, Request
from litapp.ledger.models import SourceAnswer
from litapp.ledger.services.archive import DatabaseArchive, body_of, request_key
from litapp.ledger.services.bodies import DamagedBody, body_path, read_body, write_body

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
REQUEST = Request("pubmed", "GET", "/esearch.fcgi", (("term", "a b&c"), ("retmax", "10")), operation="search")
DAY = 86_400.0


@pytest.fixture
def archive(db: None) -> DatabaseArchive:
    return DatabaseArchive({"pubmed": "https://one.example/eutils/", "crossref": "https://two.example"})


def store(archive: DatabaseArchive, request: Request = REQUEST, **changes: Any) -> SourceAnswer:
    values: dict[str, Any] = {
        "status": 200,
        "headers": {"content-type": "text/xml"},
        "body": b"<ok/>",
        "outcome": Outcome.OK,
        "elapsed_seconds": 0.1234,
        "attempt": 1,
        "error": "",
    }
    answer = archive.store(request, **{**values, **changes})
    return SourceAnswer.objects.get(pk=answer.answer_id)


def test_an_answer_is_kept_with_what_was_asked(archive: DatabaseArchive, time_machine: Any) -> None:
    time_machine.move_to(NOW, tick=False)
    row = store(archive)
    assert {
        name: getattr(row, name)
        for name in ("source", "operation", "method", "url", "body_sent", "status", "headers", "outcome", "size",
                     "elapsed_ms", "attempt", "sandbox", "received_at", "error")
    } == {
        "source": "pubmed",
        "operation": "search",
        "method": "GET",
        "url": "https://one.example/eutils/esearch.fcgi?term=a+b%26c&retmax=10",
        "body_sent": "",
        "status": 200,
        "headers": {"content-type": "text/xml"},
        "outcome": "ok",
        "size": 5,
        "elapsed_ms": 123,
        "attempt": 1,
        "sandbox": False,
        "received_at": NOW,
        "error": "",
    }  # fmt: skip
    assert (row.sha256, body_of(row)) == (hashlib.sha256(b"<ok/>").hexdigest(), b"<ok/>")


def test_a_failure_without_an_answer_is_kept_too(archive: DatabaseArchive) -> None:
    row = store(archive, status=0, body=b"", outcome=Outcome.TRANSIENT, error="no connection")
    assert (row.status, row.sha256, row.size, row.error, body_of(row)) == (0, "", 0, "no connection", b"")


def test_equal_bytes_lie_on_the_disk_once(archive: DatabaseArchive, tmp_path: Path) -> None:
    rows = [store(archive) for _ in range(2)]
    assert rows[0].sha256 == rows[1].sha256
    files = [path for path in (tmp_path / "answers").rglob("*") if path.is_file()]
    assert files == [tmp_path / "answers" / rows[0].sha256[:2] / f"{rows[0].sha256}.gz"]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=2000))
def test_any_bytes_come_back_as_they_were(tmp_path: Path, body: bytes) -> None:
    assert read_body(write_body(body)) == body


@pytest.mark.parametrize("damage", ["changed", "cut", "gone", "no gzip"])
def test_damaged_bytes_are_never_returned(archive: DatabaseArchive, damage: str) -> None:
    row = store(archive)
    path = body_path(row.sha256)
    whole = path.read_bytes()
    if damage == "gone":
        path.unlink()
    else:
        path.write_bytes({"changed": gzip.compress(b"<no/>"), "cut": whole[:-9], "no gzip": b"<ok/>"}[damage])
    with pytest.raises(DamagedBody):
        body_of(row)
    assert archive.find(REQUEST, DAY) is None


def test_a_half_written_file_is_not_an_archived_one(
    archive: DatabaseArchive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(descriptor: int) -> None:
        raise OSError("disk full")

    monkeypatch.setattr("litapp.ledger.services.bodies.os.fsync", fail)
    with pytest.raises(OSError, match="disk full"):
        store(archive)
    assert SourceAnswer.objects.count() == 0
    assert [path for path in (tmp_path / "answers").rglob("*") if path.is_file()] == []


@pytest.mark.parametrize("outcome", list(Outcome))
def test_only_answers_that_say_something_are_found(archive: DatabaseArchive, outcome: Outcome) -> None:
    row = store(archive, outcome=outcome)
    found = archive.find(REQUEST, DAY)
    if outcome in (Outcome.OK, Outcome.EMPTY, Outcome.NOT_FOUND):
        assert found is not None
        assert (found.answer_id, found.body, found.status, found.headers, found.outcome, found.from_archive) == (
            row.pk, b"<ok/>", 200, {"content-type": "text/xml"}, outcome, True,
        )  # fmt: skip
    else:
        assert found is None


def test_the_newest_answer_young_enough_is_found(archive: DatabaseArchive, time_machine: Any) -> None:
    time_machine.move_to(NOW, tick=False)
    store(archive, body=b"old")
    time_machine.move_to(NOW + timedelta(hours=1), tick=False)
    store(archive, body=b"new")
    time_machine.move_to(NOW + timedelta(hours=2), tick=False)
    ages = {age: archive.find(REQUEST, age) for age in (None, 0.0, 3599.0, 3600.0, 7200.0)}
    assert {age: found and found.body for age, found in ages.items()} == {
        None: None, 0.0: None, 3599.0: None, 3600.0: b"new", 7200.0: b"new",
    }  # fmt: skip


@pytest.mark.parametrize(
    "other",
    [
        Request("pubmed", "POST", "/esearch.fcgi", REQUEST.params),
        Request("pubmed", "GET", "/efetch.fcgi", REQUEST.params),
        Request("pubmed", "GET", "/esearch.fcgi", (("term", "a b&c"), ("retmax", "11"))),
        Request("crossref", "GET", "/esearch.fcgi", REQUEST.params),
        Request("pubmed", "GET", "/esearch.fcgi", REQUEST.params, json_body="{}"),
        Request("pubmed", "GET", "/esearch.fcgi", REQUEST.params, form=(("id", "1"),)),
    ],
)
def test_another_request_is_not_answered_by_this_one(archive: DatabaseArchive, other: Request) -> None:
    store(archive)
    assert archive.find(other, DAY) is None


def test_what_is_asked_and_why_are_different_things(archive: DatabaseArchive) -> None:
    """The operation is for people and paces; the same question is the same request."""
    store(archive)
    again = Request("pubmed", "GET", "/esearch.fcgi", REQUEST.params, operation="count")
    assert archive.find(again, DAY) is not None


def test_the_sandbox_never_answers_for_the_source(archive: DatabaseArchive, settings: Any) -> None:
    settings.SANDBOX_URL = "http://127.0.0.1:1"
    sandbox = DatabaseArchive({"pubmed": "http://127.0.0.1:1/eutils"})
    row = store(sandbox)
    assert row.sandbox is True
    assert archive.find(REQUEST, DAY) is None


@given(st.lists(st.tuples(st.text(), st.text(), st.text()), min_size=2, max_size=2, unique=True))
def test_different_requests_have_different_keys(parts: list[tuple[str, str, str]]) -> None:
    first, second = parts
    same = (first[0].upper(), *first[1:]) == (second[0].upper(), *second[1:])
    assert (request_key(*first) == request_key(*second)) is same

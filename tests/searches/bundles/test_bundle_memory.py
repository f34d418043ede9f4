"""A large bundle is taken in piece by piece: memory follows one answer, not the bundle."""

from __future__ import annotations

import io
import json
import tracemalloc
from typing import Any

import pytest

from litapp.core.formats.bundle.files import RAW
from searches.services import bundle_run

ANSWERS, RECORDS, LENGTH = 60, 40, 4_000


class Lines(io.RawIOBase):
    """The raw records of a bundle, made as they are read."""

    def __init__(self) -> None:
        self._lines = (
            json.dumps({"answer": f"a{answer}", "kind": "hit", "record": {"title": "x" * LENGTH}}).encode() + b"\n"
            for answer in range(1, ANSWERS + 1)
            for _ in range(RECORDS)
        )

    def readline(self, size: int | None = -1, /) -> bytes:
        return next(self._lines, b"")


class Files:
    """A bundle without archived answers."""

    def names(self) -> list[str]:
        return [RAW]

    def open(self, name: str) -> Lines:
        return Lines()


def test_a_bundle_without_archived_answers_is_taken_in_answer_by_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    kept: list[int] = []
    monkeypatch.setattr(bundle_run, "write_body", lambda body: kept.append(len(body)) or f"sha{len(kept)}")
    log: dict[str, Any] = {"answers": [{"id": f"a{number}", "sha256": ""} for number in range(1, ANSWERS + 1)]}
    tracemalloc.start()
    bodies = bundle_run._bodies(Files(), log)  # type: ignore[arg-type]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(kept) == ANSWERS
    assert min(kept) > RECORDS * LENGTH
    assert [(body.sha256, body.envelope) for body in bodies] == [(f"sha{n}", True) for n in range(1, ANSWERS + 1)]
    assert peak < 6 * kept[0]

"""Answers of Semantic Scholar: what they mean (errors come under three different keys), and what they hold."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from litapp.core.ports import Outcome
from litapp.core.records import Record
from litapp.providers import answers
from litapp.providers.answers import UnreadableAnswer
from litapp.providers.base import Classification
from litapp.providers.reading import mapping, text, whole
from litapp.providers.semanticscholar.papers import record_of

LABEL = "Semantic Scholar"
_NOT_FOUND = re.compile(r"\bnot found\b", re.IGNORECASE)
_NO_VALID_IDS = re.compile(r"no valid paper ids given", re.IGNORECASE)
_BAD_TOKEN = re.compile(r"\btoken\b", re.IGNORECASE)
_BEYOND_CAP = re.compile(r"limit and/or offset is not available|sum of offset and limit", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class LinkList:
    """A page of citations or references. `unreadable` = entries without a title, or without any identifier;
    `withheld` = the publisher does not let Semantic Scholar show the list."""

    records: tuple[Record, ...]
    next_offset: int | None
    entries: int
    unreadable: int
    withheld: bool = False


@dataclass(frozen=True, slots=True)
class PaperList:
    """A page of papers. `records` holds (position, record); `empty` null entries; `invalid` papers without title.

    A search by likeness goes on at `next_offset`, a bulk search with `token`.
    """

    total: int
    next_offset: int | None
    entries: int
    records: tuple[tuple[int, Record], ...]
    empty: int
    invalid: int
    token: str = ""


def classify(status: int, headers: dict[str, str], body: bytes) -> Classification:
    """What an answer means. A batch in which no identifier is known comes as 400 "No valid paper ids given"."""
    if status == 429:
        return _too_many(headers)
    try:
        data: Any = answers.read_json(body)
    except UnreadableAnswer as error:
        return answers.by_status(LABEL, status, headers) or answers.malformed(LABEL, str(error))
    problem = mapping(data)
    message = text(problem.get("error")) or text(problem.get("message"))
    if text(problem.get("code")) == "429":
        return _too_many(headers)
    if status == 404 and _NOT_FOUND.search(text(problem.get("error"))):
        return Classification(Outcome.NOT_FOUND, "Semantic Scholar does not have this paper.")
    if status == 400 and _NO_VALID_IDS.search(message):
        return Classification(Outcome.NOT_FOUND, "Semantic Scholar has none of these papers.")
    if status == 400 and _BEYOND_CAP.search(message):
        return Classification(
            Outcome.PERMANENT,
            "Semantic Scholar gives no more records of this query.",
            hint="Narrow the query to see the rest.",
            code="beyond_cap",
        )
    if status == 400 and _BAD_TOKEN.search(message):
        return Classification(
            Outcome.PERMANENT,
            "Semantic Scholar no longer knows the place in its list.",
            hint="LitLedger goes through the list again from the start.",
            code="cursor_expired",
        )
    by_status = answers.by_status(LABEL, status, headers)
    if by_status is not None:
        return by_status
    if status == 404:
        return answers.malformed(LABEL, "an unknown page in place of data")
    if status >= 400:
        return answers.refused_request(LABEL, answers.plain_detail(message))
    return _classify_data(data, message)


def _too_many(headers: dict[str, str]) -> Classification:
    return Classification(
        Outcome.RATE_LIMITED,
        "Semantic Scholar is asked too often at the moment, by this installation or by all users without a key.",
        answers.retry_after(headers),
        hint="LitLedger waits and goes on by itself. A key of your own makes this rarer.",
    )


def _classify_data(data: Any, message: str) -> Classification:
    if isinstance(data, list):
        return Classification(Outcome.OK if any(data) else Outcome.EMPTY)
    if not isinstance(data, dict):
        return answers.malformed(LABEL, "data of another form than expected")
    if isinstance(data.get("data"), list):
        return Classification(Outcome.OK if data["data"] or whole(data.get("total")) else Outcome.EMPTY)
    if isinstance(data.get("recommendedPapers"), list):
        return Classification(Outcome.OK if data["recommendedPapers"] else Outcome.EMPTY)
    if (
        "data" in data
        and data["data"] is None
        and whole(data.get("offset")) is not None
        and not whole(data.get("total"))
    ):
        return Classification(Outcome.EMPTY, "The publisher does not let Semantic Scholar show this list.")
    if "data" not in data and whole(data.get("total")) == 0:
        return Classification(Outcome.EMPTY)
    if text(data.get("paperId")) or text(data.get("authorId")):
        return Classification(Outcome.OK)
    return answers.malformed(LABEL, "data of another form than expected")


def paper_list(body: bytes) -> PaperList:
    """A page of a search; an empty one has no `data`. Raises UnreadableAnswer."""
    data = answers.read_json_object(body)
    total, items = whole(data.get("total")), data.get("data", [])
    if total is None or not isinstance(items, list) or (total > 0 and "data" not in data):
        raise UnreadableAnswer("a list without a count")
    records, empty, invalid = _records(items)
    token = text(data.get("token"))
    return PaperList(total, whole(data.get("next")), len(items), records, empty, invalid, token)


def _records(items: list[Any]) -> tuple[tuple[tuple[int, Record], ...], int, int]:
    records: list[tuple[int, Record]] = []
    empty = invalid = 0
    for position, item in enumerate(items):
        if not isinstance(item, dict) or not item:
            empty += 1
            continue
        record = record_of(item)
        if record.title and record.source_id:
            records.append((position, record))
        else:
            invalid += 1
    return tuple(records), empty, invalid


def batch(body: bytes, asked: int) -> list[Record | None]:
    """The papers of a batch, aligned with what was asked; None for an unknown one. Raises UnreadableAnswer."""
    data = answers.read_json(body)
    if not isinstance(data, list) or len(data) != asked:
        raise UnreadableAnswer("a list of another length than was asked for")
    papers = [record_of(item) if isinstance(item, dict) and item else None for item in data]
    return [paper if paper is None or paper.source_id else None for paper in papers]


def matches(body: bytes) -> list[Record]:
    """The papers of a title match. Raises UnreadableAnswer."""
    items = answers.read_json_object(body).get("data")
    if not isinstance(items, list):
        raise UnreadableAnswer("an answer without papers")
    return [record for _, record in _records(items)[0]]


def paper(body: bytes) -> Record:
    """One paper, also one without title. Raises UnreadableAnswer."""
    record = record_of(answers.read_json_object(body))
    if not record.source_id:
        raise UnreadableAnswer("a paper without its identifier")
    return record


def recommended(body: bytes) -> list[Record]:
    """Recommended papers, best first. Raises UnreadableAnswer."""
    items = answers.read_json_object(body).get("recommendedPapers")
    if not isinstance(items, list):
        raise UnreadableAnswer("an answer without recommendations")
    return [record for _, record in _records(items)[0]]


def links(body: bytes) -> LinkList:
    """A page of citations or references. Entries that are known by their text only have a null paperId; those with
    another identifier are kept, the others counted. Raises UnreadableAnswer."""
    data = answers.read_json_object(body)
    if data.get("data", 0) is None:
        return LinkList((), None, 0, 0, withheld=True)
    if not isinstance(data.get("data"), list):
        raise UnreadableAnswer("an answer without papers")
    records: list[Record] = []
    for item in data["data"]:
        entry = mapping(item)
        record = record_of(mapping(entry.get("citingPaper")) or mapping(entry.get("citedPaper")))
        if record.title and (record.source_id or record.identifiers):
            records.append(record)
    entries = len(data["data"])
    return LinkList(tuple(records), whole(data.get("next")), entries, entries - len(records))

"""Answers of the Crossref REST API: what they mean, and the lists they hold."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from litapp.core.ports import Outcome
from litapp.core.records import Record
from litapp.providers import answers
from litapp.providers.answers import UnreadableAnswer
from litapp.providers.base import Classification
from litapp.providers.crossref.works import record_of
from litapp.providers.reading import mapping, mappings, text, whole

LABEL = "Crossref"
_NOT_FOUND = b"Resource not found."
_INTERVAL = re.compile(r"(\d+(?:\.\d+)?)\s*s?\Z")


@dataclass(frozen=True, slots=True)
class WorkList:
    """A page of works. `records` holds (position, record); `empty` null entries; `invalid` works without title."""

    total: int
    next_cursor: str
    entries: int
    records: tuple[tuple[int, Record], ...]
    empty: int
    invalid: int


def classify(status: int, headers: dict[str, str], body: bytes) -> Classification:
    """What an answer means. Crossref labels plain text as JSON at times, so the body is looked at first."""
    if status == 429:
        return answers.too_many_requests(LABEL, headers)
    if status == 404 and body.strip() == _NOT_FOUND:
        return Classification(Outcome.NOT_FOUND, "Crossref does not have this DOI.")
    by_status = answers.by_status(LABEL, status, headers)
    if by_status is not None:
        return by_status
    try:
        data = answers.read_json_object(body)
    except UnreadableAnswer as error:
        if status == 414 or status == 431:
            return answers.refused_request(LABEL, "it is too long.")
        return answers.malformed(LABEL, str(error))
    if status >= 400 or text(data.get("status")) == "failed":
        return _refusal(data)
    if "status" not in data and text(data.get("DOI")) and text(data.get("type")):
        return Classification(Outcome.OK)  # a work without its envelope: what content negotiation gives
    message = data.get("message")
    if text(data.get("status")) != "ok" or not isinstance(message, dict):
        return answers.malformed(LABEL, "data of another form than expected")
    if text(data.get("message-type")).endswith("-list"):
        total = whole(message.get("total-results"))
        if total is None or not isinstance(message.get("items"), list):
            return answers.malformed(LABEL, "a list without a count")
        return Classification(Outcome.OK if total or message["items"] else Outcome.EMPTY)
    if not text(message.get("DOI")):
        return answers.malformed(LABEL, "a work without its DOI")
    return Classification(Outcome.OK)


def _refusal(data: dict[str, Any]) -> Classification:
    problems = mappings(data.get("message"))
    kinds = {text(problem.get("type")) for problem in problems}
    if "cursor-invalid" in kinds:
        return Classification(
            Outcome.PERMANENT,
            "Crossref no longer knows the place in its list (it keeps it for about five minutes).",
            hint="LitLedger goes through the list again from the start.",
            code="cursor_expired",
        )
    details = " ".join(text(problem.get("message")) for problem in problems)
    return answers.refused_request(LABEL, answers.plain_detail(details))


def work_list(body: bytes) -> WorkList:
    """A list of works. Raises UnreadableAnswer."""
    message = mapping(answers.read_json_object(body).get("message"))
    items, total = message.get("items"), whole(message.get("total-results"))
    if not isinstance(items, list) or total is None:
        raise UnreadableAnswer("a list without a count")
    records: list[tuple[int, Record]] = []
    empty = invalid = 0
    for position, item in enumerate(items):
        record = record_of(item) if isinstance(item, dict) and item else None
        if record is None:
            empty += 1
        elif record.title and record.doi:
            records.append((position, record))
        else:
            invalid += 1
    return WorkList(total, text(message.get("next-cursor")), len(items), tuple(records), empty, invalid)


def work(body: bytes) -> tuple[Record, tuple[str, ...]]:
    """One work, also one without title, and the DOIs that are aliases of it. Raises UnreadableAnswer."""
    data = answers.read_json_object(body)
    message = mapping(data.get("message")) if "message" in data else data
    record = record_of(message)
    if not record.doi:
        raise UnreadableAnswer("a work without its DOI")
    return record, aliases(message)


def works_by_doi(body: bytes) -> dict[str, Record]:
    """The works of a batch by DOI and by alias. Raises UnreadableAnswer."""
    message = mapping(answers.read_json_object(body).get("message"))
    if not isinstance(message.get("items"), list):
        raise UnreadableAnswer("an answer without a list of works")
    found: dict[str, Record] = {}
    for item in mappings(message["items"]):
        record = record_of(item)
        if record.doi:
            found.setdefault(record.doi, record)
            for alias in aliases(item):
                found.setdefault(alias, record)
    return found


def aliases(item: dict[str, Any]) -> tuple[str, ...]:
    """Other DOIs of a work, in lower case."""
    values = item.get("aliases")
    return tuple(text(value).lower() for value in values) if isinstance(values, list) else ()


def agency(body: bytes) -> str:
    """The registration agency's key ("crossref", "datacite" …). Raises UnreadableAnswer."""
    message = mapping(answers.read_json_object(body).get("message"))
    name = text(mapping(message.get("agency")).get("id"))
    if not name:
        raise UnreadableAnswer("an answer without an agency")
    return name.lower()


def published_limit(headers: dict[str, str]) -> float | None:
    """Requests a second of the caller's pool; Crossref has spelt the header in three ways since 2022."""
    limit = answers.number_in(headers, "x-rate-limit-limit", "x-ratelimit-limit", "x-rate-limit")
    if limit is None:
        return None
    interval = headers.get("x-rate-limit-interval") or headers.get("x-ratelimit-interval") or "1s"
    found = _INTERVAL.match(interval.strip())
    seconds = float(found[1]) if found else 1.0
    return limit / seconds if seconds > 0 else None

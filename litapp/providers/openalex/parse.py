"""Answers of the OpenAlex API: what they mean (a 429 has eight meanings), and the lists they hold."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from litapp.core.ports import Outcome
from litapp.core.records import Record
from litapp.providers import answers
from litapp.providers.answers import UnreadableAnswer
from litapp.providers.base import Classification
from litapp.providers.openalex.works import record_of
from litapp.providers.reading import mapping, text, whole

LABEL = "OpenAlex"
_FLASK_404 = re.compile(rb"<title>\s*404 Not Found\s*</title>", re.IGNORECASE)
_WORK_ID = re.compile(r"https?://openalex\.org/W\d+\Z", re.IGNORECASE)
_PER_SECOND = re.compile(rb"(\d+)\s+(?:requests?\s+)?per\s+(?:1\s+)?second", re.IGNORECASE)
_KEY_HINT = "A free OpenAlex key in the settings gives a larger share."


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
    """What an answer means. The body decides: OpenAlex's 404 is a web page, and its 429 says why."""
    if status == 429:
        return _too_many(headers, body)
    if status == 404:
        return _not_found(body)
    if status in (400, 403, 414, 431) or status >= 500:
        return _failed(status, headers, body)
    by_status = answers.by_status(LABEL, status, headers)
    if by_status is not None:
        return by_status
    try:
        data = answers.read_json_object(body)
    except UnreadableAnswer as error:
        return answers.malformed(LABEL, str(error))
    if status >= 400:
        return answers.refused_request(LABEL)
    if isinstance(data.get("results"), list):
        total = whole(mapping(data.get("meta")).get("count"))
        if total is None:
            return answers.malformed(LABEL, "a list without a count")
        return Classification(Outcome.OK if total or data["results"] else Outcome.EMPTY)
    if _WORK_ID.match(text(data.get("id"))) or ("error" not in data and text(data.get("doi"))):
        return Classification(Outcome.OK)
    return answers.malformed(LABEL, "data of another form than expected")


def _error_of(body: bytes) -> dict[str, Any]:
    try:
        return answers.read_json_object(body)
    except UnreadableAnswer:
        return {}


def _not_found(body: bytes) -> Classification:
    if _FLASK_404.search(body[:1000]) or text(_error_of(body).get("error")):
        return Classification(Outcome.NOT_FOUND, "OpenAlex does not have this work.")
    return answers.malformed(LABEL, "an unknown page in place of data")


def _failed(status: int, headers: dict[str, str], body: bytes) -> Classification:
    data = _error_of(body)
    message = text(data.get("message"))
    if status == 403 and "quer" not in text(data.get("error")).lower():
        data = {}
    if status < 500 and data:
        return answers.refused_request(LABEL, answers.plain_detail(message))
    if status in (414, 431):
        return answers.refused_request(LABEL, "it is too long.")
    if status == 400:
        return answers.malformed(LABEL, "a refusal that cannot be read")
    if status == 503 and "anonymous search" in message.lower():
        return Classification(
            Outcome.RATE_LIMITED,
            "OpenAlex has switched off searching without a key for a while.",
            answers.retry_after(headers),
            hint=_KEY_HINT,
            code="anonymous_search_off",
            whole_source=False,
        )
    if status == 504:
        return Classification(
            Outcome.TRANSIENT,
            "OpenAlex could not finish this search in time.",
            answers.retry_after(headers),
            hint="A shorter query may help.",
            code="query_timeout",
            repeats=1,
        )
    return answers.by_status(LABEL, status, headers) or answers.malformed(LABEL, "data of another form than expected")


def _too_many(headers: dict[str, str], body: bytes) -> Classification:
    """The eight kinds of 429. "Remaining 0" is in several of them and means nothing; the message tells."""
    data = _error_of(body)
    message = text(data.get("message"))
    lowered = message.lower()
    seconds = data.get("retryAfter")
    after = float(seconds) if isinstance(seconds, (int, float)) and not isinstance(seconds, bool) else None
    wait = answers.retry_after(headers)
    wait = after if wait is None else wait
    if "plan upgrade required" in text(data.get("error")).lower():
        return Classification(
            Outcome.PERMANENT,
            "OpenAlex gives this only to paying users.",
            hint="Change the filters; waiting does not help.",
            code="plan_needed",
        )
    if "insufficient budget" in lowered:
        return Classification(
            Outcome.RATE_LIMITED,
            "OpenAlex's daily budget for this installation is spent, or too small for this search.",
            wait,
            hint=f"It starts anew at midnight UTC. {_KEY_HINT}",
            code="budget_spent",
            whole_source=False,
        )
    if text(data.get("reason")) == "broad_boolean_query":
        return Classification(
            Outcome.RATE_LIMITED,
            "OpenAlex answers searches with many AND/OR/NOT only once a second.",
            wait,
            hint="LitLedger waits and goes on by itself.",
            code="broad_boolean",
            whole_source=False,
        )
    if "anonymous search" in lowered:
        return Classification(
            Outcome.RATE_LIMITED,
            "OpenAlex rations searching without a key at the moment.",
            wait,
            hint=_KEY_HINT,
            code="anonymous_search_rationed",
            whole_source=False,
        )
    if "throttled while we investigate" in lowered:
        return Classification(
            Outcome.RATE_LIMITED,
            "OpenAlex slows this key down on purpose.",
            wait,
            hint="Write to support@openalex.org to learn why.",
            code="throttled",
        )
    return answers.too_many_requests(LABEL, headers, after)


def work_list(body: bytes) -> WorkList:
    """A list of works. Raises UnreadableAnswer."""
    data = answers.read_json_object(body)
    meta, items = mapping(data.get("meta")), data.get("results")
    total = whole(meta.get("count"))
    if not isinstance(items, list) or total is None:
        raise UnreadableAnswer("a list without a count")
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
    return WorkList(total, text(meta.get("next_cursor")), len(items), tuple(records), empty, invalid)


def total(body: bytes) -> int:
    """The number of works a search found. Raises UnreadableAnswer."""
    found = whole(mapping(answers.read_json_object(body).get("meta")).get("count"))
    if found is None:
        raise UnreadableAnswer("a list without a count")
    return found


def work(body: bytes) -> Record:
    """One work, also one without title. Raises UnreadableAnswer."""
    record = record_of(answers.read_json_object(body))
    if not record.source_id:
        raise UnreadableAnswer("a work without its identifier")
    return record


def published_limit(body: bytes) -> float | None:
    """Requests a second named in a refusal. OpenAlex's X-RateLimit headers count credits a day, not a pace."""
    start = body[:2000]
    if b'"error"' not in start and b"Too Many Requests" not in start:
        return None
    found = _PER_SECOND.search(start)
    return float(found[1]) if found and 0 < int(found[1]) < 1000 else None

"""Answers of the OpenAlex API: what they mean (refusals: see `refusals`), and the lists they hold."""

from __future__ import annotations

import re
from dataclasses import dataclass

from litapp.core.ports import Outcome
from litapp.core.records import Record
from litapp.providers import answers
from litapp.providers.answers import UnreadableAnswer
from litapp.providers.base import Classification
from litapp.providers.openalex.refusals import KEY_HINT, error_of, too_many
from litapp.providers.openalex.works import record_of
from litapp.providers.reading import mapping, text, whole

LABEL = "OpenAlex"
_ENTITY_ID = re.compile(r"https?://openalex\.org/[A-Z]\d+\Z", re.IGNORECASE)


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
        return too_many(headers, body)
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
    if _ENTITY_ID.match(text(data.get("id"))) or ("error" not in data and text(data.get("doi"))):
        return Classification(Outcome.OK)
    return answers.malformed(LABEL, "data of another form than expected")


def _not_found(body: bytes) -> Classification:
    told = error_of(body)
    said = f"{text(told.get('error'))} {text(told.get('message'))}".lower()
    if answers.is_flask_404(body) or "not found" in said:
        return Classification(Outcome.NOT_FOUND, "OpenAlex does not have this work.")
    return answers.malformed(LABEL, "an unknown page in place of data")


def _failed(status: int, headers: dict[str, str], body: bytes) -> Classification:
    data = error_of(body)
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
            hint=KEY_HINT,
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
    if not record.source_id.startswith("W"):
        raise UnreadableAnswer("a work without its identifier")
    return record

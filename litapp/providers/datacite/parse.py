"""Answers of DataCite's REST API (JSON:API): what they mean, and the records they hold."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from litapp.core.ports import Outcome
from litapp.core.records import Record
from litapp.providers import answers
from litapp.providers.answers import UnreadableAnswer
from litapp.providers.base import Classification
from litapp.providers.datacite.dois import record_of
from litapp.providers.reading import mapping, mappings, text, whole

LABEL = "DataCite"


@dataclass(frozen=True, slots=True)
class RecordList:
    """Records of a list; `total` as DataCite reports it (None = it does not say)."""

    total: int | None
    entries: int
    records: tuple[Record, ...]


_MISSING = re.compile(r"doesn.t exist|does not exist|not found", re.IGNORECASE)


def classify(status: int, headers: dict[str, str], body: bytes) -> Classification:
    """What an answer means. A 404 counts only in DataCite's own form; it says nothing about other agencies' DOIs."""
    if status == 429:
        return answers.too_many_requests(LABEL, headers)
    by_status = answers.by_status(LABEL, status, headers)
    if by_status is not None:
        return by_status
    if status in (414, 431):
        return answers.refused_request(LABEL, "it is too long.")
    try:
        data = answers.read_json_object(body)
    except UnreadableAnswer as error:
        return answers.malformed(LABEL, str(error))
    if status == 404:
        if any(
            whole(error.get("status")) == status or _MISSING.search(text(error.get("title")))
            for error in mappings(data.get("errors"))
        ):
            return Classification(Outcome.NOT_FOUND, "DataCite does not have this DOI.")
        return answers.malformed(LABEL, "an unknown page in place of data")
    if status >= 400 or mappings(data.get("errors")):
        return _refusal(data, headers)
    content = data.get("data")
    if isinstance(content, list):
        total = whole(mapping(data.get("meta")).get("total"))
        return Classification(Outcome.OK if content or total else Outcome.EMPTY)
    if text(mapping(content).get("id")) and text(mapping(content).get("type")):
        return Classification(Outcome.OK)
    return answers.malformed(LABEL, "data of another form than expected")


def _refusal(data: dict[str, Any], headers: dict[str, str]) -> Classification:
    errors = mappings(data.get("errors"))
    code = whole(errors[0].get("status")) if errors else None
    details = " ".join(text(error.get("title")) for error in errors)
    if code == 429:
        return answers.too_many_requests(LABEL, headers)
    if code is not None and code >= 500:
        return Classification(
            Outcome.TRANSIENT, "DataCite has a problem of its own at the moment.", hint="Try again later."
        )
    return answers.refused_request(LABEL, answers.plain_detail(details))


def record(body: bytes) -> Record:
    """One record, also one without title. Raises UnreadableAnswer."""
    content = mapping(answers.read_json_object(body).get("data"))
    found = record_of(content) if text(content.get("type")) == "dois" else None
    if found is None or not found.doi:
        raise UnreadableAnswer("something other than a DOI's metadata")
    return found


def record_list(body: bytes) -> RecordList:
    """The records of a list. Raises UnreadableAnswer."""
    data = answers.read_json_object(body)
    content = data.get("data")
    if not isinstance(content, list):
        raise UnreadableAnswer("an answer without a list of records")
    records = tuple(record for item in mappings(content) if (record := record_of(item)).doi)
    return RecordList(whole(mapping(data.get("meta")).get("total")), len(content), records)

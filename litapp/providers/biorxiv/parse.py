"""Answers of the API of bioRxiv and medRxiv. It says everything with status 200; what it means is free text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from litapp.core.ports import Outcome
from litapp.providers import answers
from litapp.providers.answers import UnreadableAnswer
from litapp.providers.base import Classification
from litapp.providers.biorxiv.preprints import Version, version_of
from litapp.providers.reading import mapping, mappings, text, whole

LABEL = "bioRxiv"
_NO_POSTS = re.compile(r"no (?:posts|records|papers|preprints) found", re.IGNORECASE)
_NOT_FOUND = re.compile(r"\bnot found\b", re.IGNORECASE)
_DOI = re.compile(r"\bdoi\b", re.IGNORECASE)
_OUTAGE = re.compile(rb"too many connections|connection refused|can'?t connect|database|service unavailable", re.I)


@dataclass(frozen=True, slots=True)
class Listing:
    """A page of versions. `count` is how many entries this page has, by which the next one is asked for; `total` the
    number of versions reported (None = not said); `unreadable` = entries without DOI or title."""

    versions: tuple[Version, ...]
    count: int
    total: int | None
    unreadable: int


def classify(status: int, headers: dict[str, str], body: bytes) -> Classification:
    """What an answer means. Only the status text "ok" is good; a text that is not known is never "not found"."""
    if status == 429:
        return answers.too_many_requests(LABEL, headers)
    by_status = answers.by_status(LABEL, status, headers)
    if by_status is not None:
        return by_status
    try:
        data = answers.read_json_object(body)
    except UnreadableAnswer as error:
        if len(body) < 2_000 and not answers.looks_like_html(body) and _OUTAGE.search(body):
            return Classification(
                Outcome.TRANSIENT, "bioRxiv is overloaded or down at the moment.", hint="Try again later."
            )
        return answers.malformed(LABEL, str(error))
    if status >= 400:
        return answers.refused_request(LABEL) if "messages" in data else answers.malformed(LABEL, "an unknown page")
    told = _status_text(data)
    if told == "ok":
        if not isinstance(data.get("collection"), list):
            return answers.malformed(LABEL, "a list without entries")
        if not data["collection"] and whole(_message(data).get("total")):
            return answers.malformed(LABEL, "a list without the entries that it counts")
        return Classification(Outcome.OK if data["collection"] else Outcome.EMPTY)
    return _classify_refusal(told, data)


def _classify_refusal(told: str, data: dict[str, Any]) -> Classification:
    if data.get("collection"):
        return answers.malformed(LABEL, "records together with a refusal")
    if _NO_POSTS.search(told):
        # The same words for an unknown DOI and for a period without posts; both are a plain "none".
        return Classification(Outcome.NOT_FOUND if "collection" in data else Outcome.EMPTY, "bioRxiv has nothing here.")
    if _NOT_FOUND.search(told) and _DOI.search(told):
        return Classification(Outcome.NOT_FOUND, "bioRxiv does not have this DOI.")
    if not told:
        return answers.malformed(LABEL, "data of another form than expected")
    if _NOT_FOUND.search(told) or "not recognized" in told.lower() or "invalid" in told.lower():
        return answers.refused_request(LABEL, answers.plain_detail(told))
    return answers.malformed(LABEL, f"a message that LitLedger does not know ({answers.plain_detail(told, 80)})")


def _message(data: dict[str, Any]) -> dict[str, Any]:
    return next(iter(mappings(data.get("messages"))), {})


def _status_text(data: dict[str, Any]) -> str:
    return text(_message(data).get("status"))


def listing(body: bytes) -> Listing:
    """The versions of an answer, in its order. Raises UnreadableAnswer."""
    data = answers.read_json_object(body)
    if not isinstance(data.get("messages"), list):
        raise UnreadableAnswer("data of another form than expected")
    entries = data.get("collection")
    entries = entries if isinstance(entries, list) else []
    versions = [version_of(entry) if isinstance(entry, dict) else None for entry in entries]
    good = tuple(version for version in versions if version is not None and version.record.title)
    message = mapping(next(iter(data["messages"]), None))
    count = whole(message.get("count"))
    return Listing(
        good, len(entries) if count is None else count, whole(message.get("total")), len(entries) - len(good)
    )

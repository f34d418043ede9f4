"""Answers of doi.org: who registered which DOI, and its way of saying that there is none."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from litapp.core.ports import Outcome
from litapp.providers import answers
from litapp.providers.answers import UnreadableAnswer
from litapp.providers.base import Classification
from litapp.providers.reading import mappings, text, whole

LABEL = "doi.org"
_NO_SUCH_DOI = frozenset({"doi does not exist", "invalid doi"})
"""Of the states that doi.org documents, the two that are an answer; "Unknown" is none."""
_NOT_FOUND_PAGE = re.compile(
    rb"<title>[^<]{0,40}DOI Not Found\s*</title>|DOI cannot be found in the DOI System", re.IGNORECASE
)
_NOT_FOUND_TEXT = re.compile(rb"\AThe resource you are looking for doesn't exist\.?\s*\Z", re.IGNORECASE)
_HANDLE_EXISTS, _HANDLE_MISSING, _HANDLE_WITHOUT_VALUE = 1, 100, 200


@dataclass(frozen=True, slots=True)
class Agency:
    """One entry of an answer, DOI in lower case. `name` "" with `absent` False = doi.org does not know."""

    doi: str
    name: str
    absent: bool
    status: str


def classify(status: int, headers: dict[str, str], body: bytes) -> Classification:
    """What an answer means. Only doi.org's own page makes a 404 a "no": any other page may come from a network."""
    if status == 429:
        return answers.too_many_requests(LABEL, headers)
    if status == 404 and (_NOT_FOUND_PAGE.search(body) or _NOT_FOUND_TEXT.match(body)):
        return Classification(Outcome.NOT_FOUND, "This DOI does not exist.")
    by_status = answers.by_status(LABEL, status, headers)
    if by_status is not None:
        return by_status
    try:
        data = answers.read_json(body)
    except UnreadableAnswer as error:
        if status in (400, 414, 431):
            return answers.refused_request(LABEL, "it is no DOI, or too many." if status == 400 else "it is too long.")
        return answers.malformed(LABEL, str(error))
    if isinstance(data, list):
        return _classify_list(status, data)
    if isinstance(data, dict) and "responseCode" in data:
        return _classify_handle(whole(data.get("responseCode")))
    if status >= 400:
        return answers.refused_request(LABEL)
    if isinstance(data, dict) and text(data.get("DOI")) and (text(data.get("type")) or text(data.get("title"))):
        return Classification(Outcome.OK)
    return answers.malformed(LABEL, "data of another form than expected")


def _classify_list(status: int, data: list[Any]) -> Classification:
    if status >= 400 and status != 404:
        return answers.refused_request(LABEL)
    found = [_agency(entry) for entry in mappings(data)]
    if not found or len(found) != len(data) or not all(one.doi and (one.name or one.status) for one in found):
        return answers.malformed(LABEL, "data of another form than expected")
    if all(one.absent for one in found):
        return Classification(Outcome.NOT_FOUND, "No such DOI exists.")
    if status == 404:
        return answers.malformed(LABEL, "a list that contradicts its status")
    return Classification(Outcome.OK)


def _classify_handle(code: int | None) -> Classification:
    """An answer of the handle system, under which all DOIs are kept."""
    if code in (_HANDLE_EXISTS, _HANDLE_WITHOUT_VALUE):
        return Classification(Outcome.OK)
    if code == _HANDLE_MISSING:
        return Classification(Outcome.NOT_FOUND, "This DOI does not exist.")
    return Classification(Outcome.TRANSIENT, "doi.org has a problem of its own at the moment.", hint="Try again later.")


def _agency(entry: dict[str, Any]) -> Agency:
    status = text(entry.get("status"))
    return Agency(text(entry.get("DOI")).lower(), text(entry.get("RA")), status.lower() in _NO_SUCH_DOI, status)


def agencies(body: bytes) -> tuple[Agency, ...]:
    """The entries of an answer, in its order. Raises UnreadableAnswer."""
    data = answers.read_json(body)
    if not isinstance(data, list):
        raise UnreadableAnswer("something other than a list of agencies")
    return tuple(_agency(entry) for entry in mappings(data))

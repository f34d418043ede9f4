"""Answers of PubMed Central's identifier converter, in the shape before and since 2025."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from urllib.parse import unquote

from litapp.core.identifiers import BadIdentifier, normalise
from litapp.core.ports import Outcome
from litapp.core.records import Identifier, Scheme
from litapp.providers import answers
from litapp.providers.answers import UnreadableAnswer
from litapp.providers.base import Classification
from litapp.providers.reading import identifiers_of, mapping, mappings, text

LABEL = "PubMed Central"


def classify(status: int, headers: dict[str, str], body: bytes) -> Classification:
    """What an answer means. A paper that is not in PMC comes as good answer with an error of its own: EMPTY here."""
    if status == 429:
        return answers.too_many_requests(LABEL, headers)
    try:
        data = answers.read_json_object(body)
    except UnreadableAnswer as error:
        if status in (414, 431):
            return answers.refused_request(LABEL, "it is too long.")
        return answers.by_status(LABEL, status, headers) or answers.malformed(LABEL, str(error))
    gateway = text(data.get("error"))
    if "rate limit" in gateway.lower():
        return answers.too_many_requests(LABEL, headers)
    by_status = answers.by_status(LABEL, status, headers)
    if by_status is not None:
        return by_status
    if text(data.get("status")) == "error":
        return answers.refused_request(LABEL, answers.plain_detail(unquote(text(data.get("message")))))
    if status >= 400 or text(data.get("status")) != "ok" or not isinstance(data.get("records"), list):
        return answers.malformed(LABEL, "data of another form than expected")
    return Classification(Outcome.OK if any(map(_is_found, mappings(data["records"]))) else Outcome.EMPTY)


def _is_found(entry: dict[str, Any]) -> bool:
    return text(entry.get("status")) != "error" and not text(entry.get("errmsg"))


def conversions(
    body: bytes, asked: Iterable[Identifier]
) -> tuple[dict[Identifier, tuple[Identifier, ...]], set[Identifier]]:
    """The identifiers of each paper asked for, and those that PMC does not hold; others were not answered.

    Joined by value, never by place: entries may be missing. Raises UnreadableAnswer.
    """
    data = answers.read_json_object(body)
    if not isinstance(data.get("records"), list):
        raise UnreadableAnswer("an answer without records")
    wanted = set(asked)
    found: dict[Identifier, tuple[Identifier, ...]] = {}
    unknown: set[Identifier] = set()
    for entry in mappings(data["records"]):
        identifiers = _identifiers(entry)
        named = [*identifiers, *_requested(entry)]
        for one in wanted & set(named):
            if _is_found(entry):
                found.setdefault(one, identifiers)
            else:
                unknown.add(one)
    return found, unknown - set(found)


def _identifiers(entry: dict[str, Any]) -> tuple[Identifier, ...]:
    pmcid = text(entry.get("pmcid"))
    versions = [text(mapping(one).get("pmcid")).partition(".")[0] for one in mappings(entry.get("versions"))]
    values = [(Scheme.PMID, entry.get("pmid")), (Scheme.PMCID, pmcid), (Scheme.DOI, entry.get("doi"))]
    found, _ = identifiers_of([*values, *((Scheme.PMCID, one) for one in versions if one and not pmcid)])
    return found


def _requested(entry: dict[str, Any]) -> list[Identifier]:
    """What the new shape says was asked for (the old one echoes it in the field itself)."""
    asked = text(entry.get("requested-id"))
    found = []
    for scheme in (Scheme.PMID, Scheme.PMCID, Scheme.DOI) if asked else ():
        try:
            found.append(Identifier(scheme, normalise(scheme, asked)))
        except BadIdentifier:
            continue
    return found

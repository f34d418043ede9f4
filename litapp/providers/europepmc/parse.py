"""Answers of Europe PMC: what they mean (errors, and answers without content, come with status 200), what they hold."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from lxml import etree

from litapp.core.ports import Outcome
from litapp.core.records import Record
from litapp.providers import answers
from litapp.providers.answers import UnreadableAnswer
from litapp.providers.base import Classification
from litapp.providers.europepmc.records import record_of
from litapp.providers.reading import mapping, text, whole

LABEL = "Europe PMC"
_NOT_OPEN = re.compile(r"not\s+(?:an?\s+)?open\s+access|not found|does not exist", re.IGNORECASE)
_PASSING = re.compile(r"unavailable|maintenance|try again|timed?[ -]?out|internal|overload|too many", re.IGNORECASE)
_LISTS = {
    "resultList": "result",
    "citationList": "citation",
    "referenceList": "reference",
    "dbCrossReferenceList": "dbCrossReference",
}


@dataclass(frozen=True, slots=True)
class RecordList:
    """A page of a search. `records` holds (position, record); `empty` null entries; `invalid` entries without title.

    `next_mark` "" = Europe PMC names no further page.
    """

    total: int
    next_mark: str
    entries: int
    records: tuple[tuple[int, Record], ...]
    empty: int
    invalid: int


@dataclass(frozen=True, slots=True)
class FullText:
    """An article's full text in JATS. `pmcid` "PMC…", `pmid`, `doi` "" where it does not say; `xml` as served."""

    pmcid: str
    pmid: str
    doi: str
    title: str
    xml: bytes


def classify(status: int, headers: dict[str, str], body: bytes) -> Classification:
    """What an answer means. Never is an error, or an answer that holds only a version, taken for zero hits."""
    if status == 429:
        return answers.too_many_requests(LABEL, headers)
    if status == 404 and not body.strip():
        return Classification(Outcome.NOT_FOUND, "Europe PMC has no open full text of this article.")
    by_status = answers.by_status(LABEL, status, headers)
    if by_status is not None:
        return by_status
    if status in (414, 431):
        return answers.refused_request(LABEL, "it is too long.")
    if body.lstrip()[:1] == b"<":
        return _classify_xml(status, body)
    try:
        data = answers.read_json_object(body)
    except UnreadableAnswer as error:
        return answers.malformed(LABEL, str(error))
    if "errCode" in data or "errMsg" in data:
        return _reported(whole(data.get("errCode")), text(data.get("errMsg")))
    if set(data) == {"version"}:
        return _only_a_version()
    if status >= 400:
        return answers.refused_request(LABEL)
    total = whole(data.get("hitCount"))
    if total is None:
        return answers.malformed(LABEL, "a list without a count")
    if total and _entries(data) is None:
        return answers.malformed(LABEL, "a count without records")
    return Classification(Outcome.OK if total or _entries(data) else Outcome.EMPTY)


def _only_a_version() -> Classification:
    return Classification(
        Outcome.TRANSIENT,
        "Europe PMC answered without saying anything about the search.",
        hint="Try again later.",
        code="no_content",
    )


def _reported(code: int | None, message: str) -> Classification:
    """An error of Europe PMC's own, which comes with status 200 as well."""
    if _NOT_OPEN.search(message):
        return Classification(Outcome.NOT_FOUND, "Europe PMC has no open copy of this article.")
    if (code is not None and code >= 500) or _PASSING.search(message):
        return Classification(
            Outcome.TRANSIENT, "Europe PMC has a problem of its own at the moment.", hint="Try again later."
        )
    return answers.refused_request(LABEL, answers.plain_detail(message))


def _classify_xml(status: int, body: bytes) -> Classification:
    if answers.looks_like_html(body):
        return answers.malformed(LABEL, "a web page in place of data")
    try:
        root = _xml(body)
    except UnreadableAnswer as error:
        return answers.malformed(LABEL, str(error))
    if root.tag == "errorBean":
        return _reported(whole(root.findtext("errCode")), text(root.findtext("errMsg")))
    if status >= 400:
        return answers.refused_request(LABEL)
    if root.tag == "responseWrapper":
        total = whole(root.findtext("hitCount"))
        if total is None:
            return _only_a_version() if root.find("version") is not None else answers.malformed(LABEL, "no count")
        return Classification(Outcome.OK if total else Outcome.EMPTY)
    if root.tag == "article":
        return Classification(Outcome.OK)
    return answers.malformed(LABEL, "data of another form than expected")


def _xml(body: bytes) -> etree._Element:
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        return etree.fromstring(body.lstrip(), parser)
    except (etree.XMLSyntaxError, ValueError):
        raise UnreadableAnswer("data that is cut off or damaged") from None


def _entries(data: dict[str, Any]) -> list[Any] | None:
    """The entries of whichever list the answer holds; None where it holds none."""
    for name, inner in _LISTS.items():
        found = mapping(data.get(name)).get(inner)
        if isinstance(found, list):
            return found
    return None


def total(body: bytes) -> int:
    """The number of hits. Raises UnreadableAnswer."""
    found = whole(answers.read_json_object(body).get("hitCount"))
    if found is None:
        raise UnreadableAnswer("a list without a count")
    return found


def record_list(body: bytes) -> RecordList:
    """A page of a search, of citations or of references. Raises UnreadableAnswer."""
    data = answers.read_json_object(body)
    hits, items = whole(data.get("hitCount")), _entries(data)
    if hits is None or (items is None and hits):
        raise UnreadableAnswer("a list without a count")
    records: list[tuple[int, Record]] = []
    empty = invalid = 0
    for position, item in enumerate(items or []):
        if not isinstance(item, dict) or not item:
            empty += 1
            continue
        record = record_of(item)
        if record.title and record.source_id:
            records.append((position, record))
        else:
            invalid += 1
    mark = text(data.get("nextCursorMark"))
    return RecordList(hits, mark, len(items or []), tuple(records), empty, invalid)


def linked_records(body: bytes) -> tuple[int, list[Record], int]:
    """Total, records and number of entries without a title of a list of citations or references.

    An entry that Europe PMC could not match to a record of its own has no identifier, and counts all the same.
    Raises UnreadableAnswer.
    """
    data = answers.read_json_object(body)
    hits, items = whole(data.get("hitCount")), _entries(data)
    if hits is None or (items is None and hits):
        raise UnreadableAnswer("a list without a count")
    records = [record_of(item) for item in items or [] if isinstance(item, dict)]
    titled = [record for record in records if record.title]
    return hits, titled, len(items or []) - len(titled)


def full_text(body: bytes) -> FullText:
    """The article and what it says of itself, in all three forms Europe PMC serves. Raises UnreadableAnswer."""
    root = _xml(body)
    meta = root.find("front/article-meta") if root.tag == "article" else None
    if meta is None:
        raise UnreadableAnswer("something other than an article")
    named: dict[str, str] = {}
    for identifier in meta.findall("article-id"):
        named.setdefault(identifier.get("pub-id-type") or "", text(identifier.text))
    number = (named.get("pmcid") or named.get("pmc") or named.get("pmcaid") or "").upper().removeprefix("PMC")
    heading = meta.find("title-group/article-title")
    title = "" if heading is None else " ".join("".join(map(str, heading.itertext())).split())
    return FullText(
        pmcid=f"PMC{number}" if number else "",
        pmid=named.get("pmid", ""),
        doi=named.get("doi", "").lower(),
        title=title,
        xml=body,
    )

"""Answers of arXiv: Atom feeds, in which errors are entries too, and what they hold."""

from __future__ import annotations

from dataclasses import dataclass

from lxml import etree

from litapp.core.ports import Outcome
from litapp.core.records import Record
from litapp.providers import answers
from litapp.providers.answers import UnreadableAnswer
from litapp.providers.arxiv.entries import ATOM, error_text, is_error, record_of
from litapp.providers.base import Classification
from litapp.providers.reading import whole

LABEL = "arXiv"
_OPENSEARCH = "{http://a9.com/-/spec/opensearch/1.1/}"
_OAI = "{http://www.openarchives.org/OAI/2.0/}"
_RATE_EXCEEDED = b"rate exceeded"


@dataclass(frozen=True, slots=True)
class Feed:
    """A feed. `records` holds (position, record); `invalid` counts entries without title or number."""

    total: int
    entries: int
    records: tuple[tuple[int, Record], ...]
    invalid: int
    counted: bool = True
    """False where it does not say how many there are in all: then nothing is known of what did not come."""


def classify(status: int, headers: dict[str, str], body: bytes) -> Classification:
    """What an answer means. An entry “Error” is a refused request; a feed that should have entries and has none is a
    failure that passes."""
    if status == 429 or (body[:100].strip().lower().startswith(_RATE_EXCEEDED) and status in (200, 403, 503)):
        return answers.too_many_requests(LABEL, headers)
    by_status = answers.by_status(LABEL, status, headers)
    if by_status is not None:
        return by_status
    if status in (414, 431):
        return answers.refused_request(LABEL, "it is too long.")
    if answers.looks_like_html(body):
        return answers.malformed(LABEL, "a web page in place of data")
    try:
        root = _xml(body)
        if root.tag == f"{_OAI}OAI-PMH":
            return _classify_oai(root)
        entries, total = _entries(root)
    except UnreadableAnswer as error:
        return answers.malformed(LABEL, str(error))
    problem = next((error_text(entry) for entry in entries if is_error(entry)), None)
    if problem is not None:
        return answers.refused_request(LABEL, answers.plain_detail(problem))
    if status >= 400:
        return answers.refused_request(LABEL)
    if not entries and total is not None and _should_have_entries(root, total):
        return Classification(
            Outcome.TRANSIENT,
            "arXiv sent an empty page in place of its records.",
            hint="Try again later.",
            code="empty_page",
        )
    return Classification(Outcome.OK if total or entries else Outcome.EMPTY)


def _classify_oai(root: etree._Element) -> Classification:
    """An answer of arXiv's archive interface (one record with its versions)."""
    error = root.find(f"{_OAI}error")
    if error is None:
        return Classification(Outcome.OK)
    if error.get("code") == "idDoesNotExist":
        return Classification(Outcome.NOT_FOUND, "arXiv does not have this paper.")
    if error.get("code") == "noRecordsMatch":
        return Classification(Outcome.EMPTY)
    return answers.refused_request(LABEL, answers.plain_detail(error.text or ""))


def _xml(body: bytes) -> etree._Element:
    if not body.strip():
        raise UnreadableAnswer("an empty answer")
    if body.lstrip()[:1] != b"<":
        raise UnreadableAnswer("text in place of data")
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        return etree.fromstring(body.lstrip(), parser)
    except (etree.XMLSyntaxError, ValueError):
        raise UnreadableAnswer("data that is cut off or damaged") from None


def _entries(root: etree._Element) -> tuple[list[etree._Element], int | None]:
    """The entries of a feed and the number it reports (None = it has entries but reports no number).

    Raises UnreadableAnswer for anything but a feed, and for an empty one that does not say that it is empty.
    """
    if root.tag != f"{ATOM}feed":
        raise UnreadableAnswer("data of another form than expected")
    entries = root.findall(f"{ATOM}entry")
    total = whole(root.findtext(f"{_OPENSEARCH}totalResults"))
    if total is None and not entries:
        raise UnreadableAnswer("a list without a count")
    return entries, total


def _should_have_entries(root: etree._Element, total: int) -> bool:
    start = whole(root.findtext(f"{_OPENSEARCH}startIndex")) or 0
    size = whole(root.findtext(f"{_OPENSEARCH}itemsPerPage"))
    return total > start and size != 0


def feed(body: bytes, *, counted: bool = True) -> Feed:
    """The papers of a feed. Raises UnreadableAnswer, also for a feed that reports an error.

    `counted` = it must say how many there are in all; where papers were asked for by number, those that came are good
    without it.
    """
    entries, total = _entries(_xml(body))
    said_total = total is not None
    if total is None:
        if counted:
            raise UnreadableAnswer("a list without a count")
        total = len(entries)
    if any(is_error(entry) for entry in entries):
        raise UnreadableAnswer("an error in place of papers")
    records: list[tuple[int, Record]] = []
    invalid = 0
    for position, entry in enumerate(entries):
        record = record_of(entry)
        if record.title and record.source_id:
            records.append((position, record))
        else:
            invalid += 1
    return Feed(total, len(entries), tuple(records), invalid, said_total)

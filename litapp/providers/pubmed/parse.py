"""Answers of NCBI's E-utilities: what they mean, and what they hold."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from lxml import etree

from litapp.core.formats.pubmedxml import PubmedXmlError, iter_pubmed_records
from litapp.core.ports import Outcome
from litapp.core.records import Record
from litapp.providers import answers
from litapp.providers.answers import UnreadableAnswer
from litapp.providers.base import Classification
from litapp.providers.pubmed import places
from litapp.providers.reading import mapping, mappings, sequence, text, texts, whole

LABEL = "PubMed"

_BEYOND_CAP = re.compile(r"'?retstart'? cannot be larger than", re.IGNORECASE)
_PERMANENT = re.compile(
    r"invalid db name|supplied id parameter is empty|neither query_key nor id|cannot get document summary|"
    r"UID=.*not found|empty term|can't run executor: (?:query|empty)",
    re.IGNORECASE,
)
_NO_SUCH_RECORD = re.compile(r"cannot get document summary|UID=.*not found", re.IGNORECASE)
_LISTS_IN_XML = {
    "eLinkResult": ".//Link/Id|.//ObjUrl/Url|.//IdCheckList//HasLinkOut|.//LinkInfo",
    "eSummaryResult": ".//DocSum|.//DocumentSummary",
    "ePostResult": ".//WebEnv",
    "eInfoResult": ".//DbInfo|.//DbName",
}
"""The other E-utilities' answers by their root, and what one that holds something has."""
_EMPTY_ID_LIST = re.compile(rb"ID[+ ]list[+ ]is[+ ]empty", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class SearchResult:
    """An ESearch answer. `dropped` are words PubMed did not know and searched without."""

    total: int
    pmids: tuple[str, ...]
    translation: str
    dropped: tuple[str, ...]
    warnings: tuple[str, ...]


def classify(status: int, headers: dict[str, str], body: bytes) -> Classification:
    """What an answer means. An ERROR, or an answer without Count, is a failed search and never zero hits."""
    stripped = body.lstrip()[:1]
    if status == 429:
        return answers.too_many_requests(LABEL, headers)
    if status == 414:
        return answers.refused_request(LABEL, "it is too long.")
    if stripped == b"{":
        return _classify_json(status, headers, body)
    if _EMPTY_ID_LIST.search(body[:500]):
        return Classification(Outcome.NOT_FOUND, "PubMed knows none of these identifiers.")
    by_status = answers.by_status(LABEL, status, headers)
    if by_status is not None:
        return by_status
    if answers.looks_like_html(body):
        return answers.malformed(LABEL, "a web page in place of data")
    if not stripped:
        return answers.malformed(LABEL, "an empty answer")
    if status < 400 and places.is_answer(body):
        return _classify_places(body)
    if status < 400 and stripped == b"[":
        return _classify_citations(body)
    if stripped != b"<":
        return answers.malformed(LABEL, "text in place of data")
    return _classify_xml(status, body)


def _classify_json(status: int, headers: dict[str, str], body: bytes) -> Classification:
    try:
        data = answers.read_json_object(body)
    except UnreadableAnswer as error:
        return answers.by_status(LABEL, status, headers) or answers.malformed(LABEL, str(error))
    gateway = text(data.get("error"))
    if gateway:
        return _gateway_error(gateway, headers)
    result = mapping(data.get("esearchresult"))
    message = text(result.get("ERROR")) or text(data.get("ERROR"))
    if message:
        return _reported_error(message)
    by_status = answers.by_status(LABEL, status, headers)
    if by_status is not None:
        return by_status
    if status >= 400:
        return answers.refused_request(LABEL)
    try:
        if "esearchresult" in data:
            return Classification(Outcome.OK if search_result(body).total else Outcome.EMPTY)
        if "linksets" in data:
            return Classification(Outcome.OK if _has_links(data) else Outcome.EMPTY)
        if isinstance(data.get("result"), dict):
            return _classify_summaries(data["result"])
        if "esummaryresult" in data:
            return answers.refused_request(LABEL, answers.plain_detail(" ".join(texts(data["esummaryresult"]))))
        if "einforesult" in data:
            return Classification(Outcome.OK if data["einforesult"] else Outcome.EMPTY)
    except UnreadableAnswer as error:
        return answers.malformed(LABEL, str(error))
    return answers.malformed(LABEL, "data of another form than expected")


def _classify_places(body: bytes) -> Classification:
    try:
        held = any(line.pmids for line in places.read(body).values())
    except UnreadableAnswer as error:
        return answers.malformed(LABEL, str(error))
    return Classification(Outcome.OK if held else Outcome.EMPTY)


def _classify_citations(body: bytes) -> Classification:
    """NCBI's citation exporter gives a list of CSL objects."""
    try:
        items = answers.read_json(body)
    except UnreadableAnswer as error:
        return answers.malformed(LABEL, str(error))
    if not all(isinstance(item, dict) and text(item.get("title")) for item in items):
        return answers.malformed(LABEL, "data of another form than expected")
    return Classification(Outcome.OK if items else Outcome.EMPTY)


def _has_links(data: dict[str, Any]) -> bool:
    if not isinstance(data["linksets"], list):
        raise UnreadableAnswer("an answer without links")
    groups = [group for linkset in mappings(data["linksets"]) for group in mappings(linkset.get("linksetdbs"))]
    return any(sequence(group.get("links")) for group in groups)


def _classify_summaries(result: dict[str, Any]) -> Classification:
    """ESummary names its entries in `uids`; an unknown record is an entry with an error of its own."""
    if not isinstance(result.get("uids"), list):
        return answers.malformed(LABEL, "summaries without a list")
    entries = [mapping(result.get(uid)) for uid in texts(result["uids"])]
    problems = [text(entry.get("error")) for entry in entries]
    if problems and all(problems):
        if all(_NO_SUCH_RECORD.search(problem) for problem in problems):
            return Classification(Outcome.NOT_FOUND, "NCBI knows none of these records.")
        return _reported_error(problems[0])
    return Classification(Outcome.OK if entries else Outcome.EMPTY)


def _gateway_error(message: str, headers: dict[str, str]) -> Classification:
    """Errors of NCBI's gateway, which come as JSON whatever was asked for, and sometimes with status 200."""
    lowered = message.lower()
    if "rate limit" in lowered:
        return answers.too_many_requests(LABEL, headers)
    if "api key" in lowered:
        # The gateway says so for a moment, too, when a good key is over its limit: one repetition tells them apart.
        return Classification(
            Outcome.PERMANENT,
            "NCBI does not accept the key of this installation.",
            hint="Correct or remove the NCBI key in the settings.",
            code="bad_key",
            repeats=1,
        )
    return Classification(
        Outcome.TRANSIENT, "NCBI's gateway has a problem at the moment.", hint="Try again later.", code="gateway"
    )


def _reported_error(message: str) -> Classification:
    """An ERROR of the E-utilities themselves."""
    if _BEYOND_CAP.search(message):
        return Classification(
            Outcome.PERMANENT,
            "PubMed gives only the first 9,999 records of a query.",
            hint="Narrow the query, or split it by years.",
            code="beyond_cap",
        )
    if _PERMANENT.search(message):
        return answers.refused_request(LABEL, answers.plain_detail(message))
    return Classification(
        Outcome.TRANSIENT, "PubMed's search engine failed.", hint="Try again later.", code="backend_failed"
    )


def _classify_xml(status: int, body: bytes) -> Classification:
    try:
        root = etree.fromstring(
            body, etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
        )
    except (etree.XMLSyntaxError, ValueError):
        return answers.malformed(LABEL, "data that is cut off or damaged")
    message = " ".join((root.findtext(".//ERROR") or "").split())
    if message:
        return _reported_error(message)
    if status >= 400:
        return answers.refused_request(LABEL)
    if root.tag == "PubmedArticleSet":
        records = root.find("PubmedArticle") is not None or root.find("PubmedBookArticle") is not None
        return Classification(Outcome.OK if records else Outcome.EMPTY)
    if root.tag == "eSearchResult":
        total = whole(root.findtext("Count"))
        if total is not None:
            return Classification(Outcome.OK if total else Outcome.EMPTY)
    if root.tag == "eSpellResult":
        return Classification(Outcome.OK if (root.findtext("CorrectedQuery") or "").strip() else Outcome.EMPTY)
    if root.tag in _LISTS_IN_XML:
        held = root.xpath(_LISTS_IN_XML[root.tag])
        return Classification(Outcome.OK if held else Outcome.EMPTY)
    return answers.malformed(LABEL, "data of another form than expected")


def search_result(body: bytes) -> SearchResult:
    """An ESearch answer in JSON (its numbers are texts). Raises UnreadableAnswer when it holds no count."""
    result = mapping(answers.read_json_object(body).get("esearchresult"))
    total = whole(result.get("count"))
    if total is None or not isinstance(result.get("idlist", []), list):
        raise UnreadableAnswer("a search result without a count")
    missing, remarks = mapping(result.get("errorlist")), mapping(result.get("warninglist"))
    fields = texts(missing.get("fieldsnotfound"))
    warnings = [f"PubMed does not know the field “{name}”." for name in fields]
    warnings += [f"PubMed ignored “{phrase}”." for phrase in texts(remarks.get("phrasesignored"))]
    warnings += [
        f"PubMed does not have the phrase “{phrase.strip(chr(34))}” and searched its words."
        for phrase in texts(remarks.get("quotedphrasesnotfound"))
    ]
    warnings += [answers.plain_detail(message) for message in texts(remarks.get("outputmessages"))]
    return SearchResult(
        total=total,
        pmids=texts(result.get("idlist")),
        translation=text(result.get("querytranslation")),
        dropped=texts(missing.get("phrasesnotfound")),
        warnings=tuple(warnings),
    )


def records(body: bytes) -> list[Record]:
    """The records of an EFetch answer, in its order. Raises UnreadableAnswer."""
    try:
        return list(iter_pubmed_records(body))
    except PubmedXmlError:
        raise UnreadableAnswer("records that are cut off or damaged") from None


def related_pmids(body: bytes) -> tuple[str, ...]:
    """The similar articles of an ELink answer, most similar first, without the record that was asked about.

    Raises UnreadableAnswer when the answer has no link sets at all.
    """
    data = answers.read_json_object(body)
    if not isinstance(data.get("linksets"), list):
        raise UnreadableAnswer("an answer without links")
    found: dict[str, None] = {}
    asked: set[str] = set()
    for linkset in mappings(data["linksets"]):
        asked.update(texts(linkset.get("ids")))
        for group in mappings(linkset.get("linksetdbs")):
            if text(group.get("linkname")) == "pubmed_pubmed":
                for link in sequence(group.get("links")):
                    pmid = text(mapping(link).get("id")) or text(link)
                    if pmid.isascii() and pmid.isdigit():
                        found[pmid] = None
    return tuple(pmid for pmid in found if pmid not in asked)


def published_limit(headers: dict[str, str]) -> float | None:
    """Requests a second that NCBI grants this caller (3 without a key, 10 with one)."""
    return answers.number_in(headers, "x-ratelimit-limit")

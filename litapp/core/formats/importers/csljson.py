"""Reads CSL JSON, Crossref's raw works, and Zotero's JSON: a list, one object, or a list within an object.

Objects are decoded one at a time, so that a large list needs no more memory than its largest object.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, BinaryIO

from litapp.core.formats.importers.draft import Draft, claims_in, page_range, tidy, words
from litapp.core.formats.importers.encoding import TextEncoding, read_text
from litapp.core.formats.importers.names import person
from litapp.core.formats.importers.reading import Entry, Limits, Problem, UnreadableFile
from litapp.core.records import PartialDate, Person, Scheme

_ZOTERO = {
    "title": "title", "publicationTitle": "container-title", "journalAbbreviation": "container-title-short",
    "bookTitle": "container-title", "proceedingsTitle": "container-title", "abstractNote": "abstract", "date": "issued",
    "extra": "note", "itemKey": "id", "url": "URL", "language": "language", "volume": "volume", "issue": "issue",
    "pages": "page", "publisher": "publisher", "series": "collection-title", "institution": "publisher",
    "university": "publisher", "websiteTitle": "container-title", "blogTitle": "container-title",
}  # fmt: skip
_ZOTERO_TYPES = {
    "journalArticle": "article-journal", "bookSection": "chapter", "conferencePaper": "paper-conference",
    "book": "book",
    "report": "report", "thesis": "thesis", "webpage": "webpage", "preprint": "article",
    "newspaperArticle": "article-newspaper",
    "magazineArticle": "article-magazine", "dataset": "dataset", "computerProgram": "software", "patent": "patent",
}  # fmt: skip
_CROSSREF_TYPES = {
    "journal-article": "article-journal", "book-chapter": "chapter", "proceedings-article": "paper-conference",
    "posted-content": "article", "monograph": "book", "dissertation": "thesis", "edited-book": "book",
    "reference-entry": "entry-encyclopedia", "entry": "entry", "article": "article", "other": "document",
}  # fmt: skip
_READ = frozenset((
    "id", "type", "title", "author", "container-title", "container-title-short", "short-container-title", "publisher",
    "volume", "issue", "page", "issued", "ISSN", "ISBN", "DOI", "PMID", "PMCID", "URL", "language", "note", "abstract",
    "keyword", "number", "itemType", "creators", "tags", "citation-key", "journalAbbreviation", "published-print",
    "published-online", "subject", "article-number", "custom", "original-title", "collection-title",
    "version", "relations", "uri", "itemID", "itemKey", "attachments", "notes", "collections", "dateAdded",
    "dateModified",
))  # fmt: skip
_DECODER = json.JSONDecoder()
_CHUNK = 1 << 18
_BROKEN = Problem(
    "broken_json",
    "This entry is no valid JSON.",
    "Look at its lines in the file, or export the records again.",
)


def read_csljson(stream: BinaryIO, encoding: TextEncoding, limits: Limits) -> Iterator[Entry]:
    """The items of a JSON file, one at a time."""
    for number, (item, text, first, last) in enumerate(_objects(stream, encoding, limits), start=1):
        if isinstance(item, dict):
            yield csl_draft(item).entry(number, first, last, text, limits)
        else:
            yield Entry(number, first, last, text[: limits.text], None, _BROKEN, text_cut=len(text) > limits.text)


def _objects(stream: BinaryIO, encoding: TextEncoding, limits: Limits) -> Iterator[tuple[Any, str, int, int]]:
    """Each object of the outermost list (or of the list in "items", "references", "message"), its text and lines."""
    pieces = read_text(stream, encoding, _CHUNK)
    buffer, place, line, ended = "", 0, 1, False
    entered = False
    while True:
        if not ended and len(buffer) - place < _CHUNK:
            piece = next(pieces, None)
            if piece is None:
                ended = True
            else:
                buffer, place = buffer[place:] + piece, 0
        if not entered:
            found = re.search(r'\{\s*"(?:items|references|results)"\s*:\s*\[|[\[{]', _head(buffer))
            inner = (
                re.search(r'\A[^\[]{0,4000}?"items"\s*:\s*\[', buffer[:6000])
                if found and buffer[found.start()] == "{"
                else None
            )
            wrapped = inner or (found if found and buffer[found.end() - 1] == "[" else None)
            if wrapped:
                line += buffer.count("\n", 0, wrapped.end())
                place = wrapped.end()
            entered = True
        gap = re.compile(r"[\s,\]]*").match(buffer, place)
        if gap:
            line += buffer.count("\n", place, gap.end())
            place = gap.end()
        if place >= len(buffer):
            if ended:
                return
            continue
        if buffer[place] != "{":
            if not ended and len(buffer) - place < 64:
                continue
            start = buffer.find("{", place)
            if start < 0:
                if ended:
                    return
                buffer, place = "", 0
                continue
            line += buffer.count("\n", place, start)
            place = start
        try:
            item, end = _DECODER.raw_decode(buffer, place)
        except (ValueError, RecursionError) as error:
            at = error.pos if isinstance(error, json.JSONDecodeError) else place + 1
            if not ended and (at >= len(buffer) - 64 or "Unterminated" in str(error)):
                if len(buffer) - place > limits.record:
                    raise UnreadableFile(
                        "record_too_long",
                        f"The entry in line {line} is longer than any record.",
                        "Export the records again.",
                        line,
                    ) from error
                piece = next(pieces, None)
                if piece is None:
                    ended = True
                else:
                    buffer, place = buffer[place:] + piece, 0
                continue
            following = re.compile(r"\}\s*,\s*(?=\{)").search(buffer, max(at, place + 1))
            end = following.end() if following else len(buffer)
            if not following and not ended:
                while (piece := next(pieces, None)) is not None and len(buffer) < limits.record:
                    buffer += piece
                    following = re.compile(r"\}\s*,\s*(?=\{)").search(buffer, max(at, place + 1))
                    if following:
                        end = following.end()
                        break
                else:
                    end, ended = len(buffer), True
            item = None
        text = buffer[place:end]
        last = line + text.rstrip().count("\n")
        yield item, text, line, last
        line += text.count("\n")
        place = end


def _head(buffer: str) -> str:
    return buffer[:2000]


def csl_draft(item: dict[str, Any]) -> Draft:
    """The record that one CSL, Crossref or Zotero item states."""
    if "itemType" in item or ("data" in item and isinstance(item["data"], dict) and "itemType" in item["data"]):
        item = _from_zotero(item.get("data", item) if isinstance(item.get("data", item), dict) else item)
    draft = Draft(source_id=_text(item.get("id")))
    kind = _text(item.get("type"))
    draft.csl_type = _CROSSREF_TYPES.get(kind, kind) or "document"
    draft.is_preprint = draft.csl_type == "article" or item.get("subtype") == "preprint"
    draft.titled(_text(item.get("title")))
    draft.original_title = tidy(_text(item.get("original-title")))
    names = words(_texts(item.get("container-title")) + _texts(item.get("collection-title")))
    draft.journal = next(iter(names), "")
    draft.alternatives = names[1:]
    draft.abbreviation = tidy(
        _text(item.get("container-title-short") or item.get("journalAbbreviation") or item.get("short-container-title"))
    )
    draft.publisher = tidy(_text(item.get("publisher")))
    draft.volume, draft.issue = tidy(_text(item.get("volume"))), tidy(_text(item.get("issue")))
    draft.pages = page_range(_text(item.get("page"))) or tidy(_text(item.get("article-number")))
    _people(item, draft)
    for name in ("issued", "published-print", "published-online"):
        _dated(item.get(name), draft)
    for value in _texts(item.get("ISSN")) + _texts(item.get("ISBN")):
        draft.numbers(value.replace(" ", "; ") if re.fullmatch(r"[\dXx]{4}-?[\dXx]{4} .*", value) else value)
    draft.identify(Scheme.DOI, _text(item.get("DOI")), "DOI")
    draft.identify(Scheme.PMID, _text(item.get("PMID")), "PMID")
    draft.identify(Scheme.PMCID, _text(item.get("PMCID")), "PMCID")
    if _text(item.get("archive")).lower() == "arxiv":
        draft.identify(Scheme.ARXIV, _text(item.get("archive_location")), "archive_location")
    if _text(item.get("number")).lower().startswith("arxiv:"):
        draft.identify(Scheme.ARXIV, _text(item.get("number")), "number")
    draft.url = _text(item.get("URL"))
    draft.identify_in(draft.url, Scheme.DOI, Scheme.PMID, Scheme.PMCID, Scheme.ARXIV)
    draft.languages = words(_texts(item.get("language")))
    draft.keywords = words(part for value in _texts(item.get("keyword")) for part in re.split(r"[;,]", value)) + words(
        _texts(item.get("subject")) + _texts(item.get("tags"))
    )
    draft.abstracted(_text(item.get("abstract")))
    note = _text(item.get("note"))
    draft.claimed = claims_in(note)
    _from_note(note, draft)
    for name, value in item.items():
        if name not in _READ and value not in (None, "", [], {}):
            draft.dropped.append(
                (name, value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)[:2000])
            )
    if note:
        draft.dropped.append(("note", note))
    return draft


def _from_note(note: str, draft: Draft) -> None:
    """Zotero's Extra field: "PMID: 123" on lines of their own."""
    for name, value in re.findall(r"(?mi)^\s*(PMID|PMCID|DOI)\s*:\s*(\S+)", note):
        scheme = Scheme(name.lower())
        if not draft.has(scheme):
            draft.identify(scheme, value, "note")


def _from_zotero(item: dict[str, Any]) -> dict[str, Any]:
    out: dict[str, Any] = {name: value for name, value in item.items() if name not in _ZOTERO}
    for name, target in _ZOTERO.items():
        value = item.get(name)
        if value and target not in out:
            out[target] = {"literal": value} if target == "issued" else value
    out["type"] = _ZOTERO_TYPES.get(_text(item.get("itemType")), "document")
    creators = [one for one in item.get("creators") or [] if isinstance(one, dict)]
    out["author"] = [
        {"family": one.get("lastName"), "given": one.get("firstName"), "literal": one.get("name")}
        for one in creators
        if one.get("creatorType", "author")
        in ("author", "presenter", "inventor", "programmer", "artist", "director", "podcaster")
    ]
    others = [
        one
        for one in creators
        if one.get("creatorType", "author")
        not in ("author", "presenter", "inventor", "programmer", "artist", "director", "podcaster")
    ]
    if others:
        out["other creators"] = others
    out["tags"] = [one.get("tag") if isinstance(one, dict) else one for one in item.get("tags") or []]
    return out


def _texts(value: Any) -> list[str]:
    """A string, number, list of them, or Crossref's and DataCite's objects, as strings."""
    if value is None or isinstance(value, bool):
        return []
    if isinstance(value, list):
        return [text for one in value for text in _texts(one)]
    if isinstance(value, dict):
        return _texts(value.get("name") or value.get("value") or value.get("title") or value.get("literal"))
    return [str(value)] if str(value).strip() else []


def _text(value: Any) -> str:
    return next(iter(_texts(value)), "")


def _people(item: dict[str, Any], draft: Draft) -> None:
    authors = item.get("author")
    for one in authors if isinstance(authors, list) else []:
        if isinstance(one, str):
            found = person(one, True)
        elif isinstance(one, dict):
            found = _csl_person(one)
        else:
            continue
        if found is not None:
            if found.family.lower() == "others" or found.literal.lower() in ("others", "et al", "et al."):
                draft.authors_complete = False
            else:
                draft.authors.append(found)


def _csl_person(one: dict[str, Any]) -> Person | None:
    literal = tidy(_text(one.get("literal") or one.get("name")))
    family, given = tidy(_text(one.get("family"))), tidy(_text(one.get("given")))
    if family:
        particle = " ".join(
            words(
                [
                    _text(one.get("non-dropping-particle")),
                ]
            )
        ) or tidy(_text(one.get("dropping-particle")))
        if particle and not family.lower().startswith(particle.lower() + " "):
            family = f"{particle} {family}" if particle[-1:] not in "'’" else particle + family
        return Person(family=family, given=given, suffix=tidy(_text(one.get("suffix"))))
    if literal or given:
        return Person(literal=literal or given)
    return None


def _dated(value: Any, draft: Draft) -> None:
    if isinstance(value, (str, int)):
        draft.dated(str(value))
        return
    if not isinstance(value, dict):
        return
    parts = value.get("date-parts")
    first = parts[0] if isinstance(parts, list) and parts else None
    numbers: list[int] = []
    for part in first if isinstance(first, list) else []:
        text = str(part).strip()
        if not re.fullmatch(r"-?\d{1,4}", text):
            break
        numbers.append(int(text))
    if numbers:
        year = numbers[0]
        month = numbers[1] if len(numbers) > 1 and 1 <= numbers[1] <= 12 else None
        day = numbers[2] if month and len(numbers) > 2 and 1 <= numbers[2] <= 31 else None
        draft.years.add(year)
        if draft.date.year is None:
            draft.date = PartialDate(year, month, day)
        return
    draft.dated(_text(value.get("literal") or value.get("raw") or value.get("edtf")))

"""esearch: Boolean search over the corpus in PubMed's JSON and XML, with its cap and its remarks."""

from __future__ import annotations

import datetime as dt
import threading
from array import array
from collections import OrderedDict
from xml.sax.saxutils import escape

from litapp.core.querylang import Field, Node, QuerySyntaxError, Term, parse, query_terms
from litapp.core.querylang.fields import field_of_tag
from litapp.sandbox.corpus import sets
from litapp.sandbox.corpus.evaluate import Found
from litapp.sandbox.corpus.words import split_words
from litapp.sandbox.dispatch import World
from litapp.sandbox.wire import Request, Response, json_response, text_response

CAP = 9_999
"""esearch gives no more records of PubMed than this. Source: NCBI's own message."""
_CAP_MESSAGE = (
    "Search Backend failed: Exception:\n'retstart' cannot be larger than 9998. For PubMed, ESearch can only retrieve "
    "the first 9,999 records matching the query.\nTo obtain more than 9,999 PubMed records, consider using EDirect."
)
_HEAD = (
    '<?xml version="1.0" encoding="UTF-8" ?>\n<!DOCTYPE eSearchResult PUBLIC "-//NLM//DTD esearch 20060628//EN" '
    '"https://eutils.ncbi.nlm.nih.gov/eutils/dtd/20060628/esearch.dtd">\n'
)
_DATE_KINDS = {"pdat": "dp", "edat": "edat", "mdat": "lr", "crdt": "crdt", "ppdt": "ppdt", "epdt": "epdt"}
_XML = "text/xml; charset=UTF-8"
_KEPT = 64


class History:
    """Results kept on the server: usehistory=y, and the results of recent searches for paging."""

    def __init__(self) -> None:
        self._sets: dict[tuple[str, str], list[int]] = {}
        self._recent: OrderedDict[tuple[str, ...], tuple[Found, array[int]]] = OrderedDict()
        self._lock = threading.Lock()

    def keep(self, environment: str, pmids: list[int]) -> tuple[str, str]:
        """Keep PMIDs; returns (WebEnv, query_key)."""
        with self._lock:
            environment = environment or f"MCID_{len(self._sets):024x}"
            key = str(1 + sum(1 for kept, _ in self._sets if kept == environment))
            self._sets[environment, key] = pmids
            return environment, key

    def kept(self, environment: str, key: str) -> list[int] | None:
        """PMIDs kept under a WebEnv and query_key."""
        with self._lock:
            return self._sets.get((environment, key))

    def recent(self, key: tuple[str, ...]) -> tuple[Found, array[int]] | None:
        """A recent search."""
        with self._lock:
            if key in self._recent:
                self._recent.move_to_end(key)
            return self._recent.get(key)

    def remember(self, key: tuple[str, ...], found: Found, pmids: array[int]) -> None:
        """Keep a search for its next page."""
        with self._lock:
            self._recent[key] = (found, pmids)
            while len(self._recent) > _KEPT:
                self._recent.popitem(last=False)


def esearch(world: World, history: History, request: Request) -> Response:
    """Answer esearch."""
    as_json = request.get("retmode") == "json"
    term = request.get("term")
    if not term.strip():
        return _error("Empty term and query_key - nothing todo", as_json)
    start = _whole(request.get("retstart"), 0)
    size = min(_whole(request.get("retmax"), 20), 100_000)
    try:
        found, pmids = _search(world, history, request)
    except QuerySyntaxError as error:
        return _error(f"Search Backend failed: {error.message}", as_json)
    if start > CAP - 1 and found.count > CAP:
        return _error(_CAP_MESSAGE, as_json)
    capped = list(pmids[:CAP])
    page = capped[start : start + size]
    kept = history.keep(request.get("WebEnv"), capped) if request.get("usehistory") == "y" else None
    if request.get("rettype") == "count":
        if as_json:
            return json_response({"header": _header(), "esearchresult": {"count": str(found.count)}})
        return text_response(f"{_HEAD}<eSearchResult><Count>{found.count}</Count></eSearchResult>", 200, _XML)
    if as_json:
        return _as_json(found, page, start, kept)
    return _as_xml(found, page, start, kept)


def _search(world: World, history: History, request: Request) -> tuple[Found, array[int]]:
    names = ("term", "field", "sort", "datetype", "mindate", "maxdate", "reldate")
    key = tuple(request.get(name) for name in names)
    recent = history.recent(key)
    if recent is not None:
        return recent
    tree = parse(request.get("term"))
    if request.get("field"):
        tree = _in_field(tree, field_of_tag(request.get("field")))
    found = world.evaluator.find(tree)
    found.bits &= _dates(world, request)
    numbers = _sorted(world, found, tree, request.get("sort"))
    pmid_of = world.corpus.pmids_of_ids(numbers)
    pmids = array("l", (pmid_of[number] for number in numbers))
    history.remember(key, found, pmids)
    return found, pmids


def _in_field(tree: Node, field: Field) -> Node:
    if isinstance(tree, Term) and tree.field is Field.UNTAGGED and field is not Field.UNKNOWN:
        return Term(tree.text, field, tree.phrase)
    return tree


def _dates(world: World, request: Request) -> int:
    kind = _DATE_KINDS.get(request.get("datetype", "pdat"), "dp")
    reldate = _whole(request.get("reldate"), 0)
    if reldate:
        today = world.evaluator.today
        low, high = (today - dt.timedelta(days=reldate)).strftime("%Y/%m/%d"), today.strftime("%Y/%m/%d")
        return world.evaluator.days_between(kind, low, high)
    low, high = request.get("mindate"), request.get("maxdate")
    if not low or not high:
        return world.evaluator.all_bits
    return world.evaluator.days_between(kind, low, high)


def _sorted(world: World, found: Found, tree: Node, sort: str) -> list[int]:
    newest_first = list(sets.members_in_order(found.bits, world.evaluator.order))
    if sort == "relevance":
        words = list(dict.fromkeys(w for t in query_terms(tree) for w in split_words(t.text.replace("*", ""))))
        expression = " OR ".join(f'"{word}"' for word in words[:60])
        ranked = world.evaluator.words.ranked(expression, 1_000_000) if expression else []
        members = set(newest_first)
        best = [number for number in ranked if number in members]
        rest = set(best)
        return best + [number for number in newest_first if number not in rest]
    if sort in ("pub_date", "pub+date", "pub date"):
        rows = world.corpus.rows("SELECT article, max(day) FROM day WHERE kind = 'dp' GROUP BY article")
        days = dict(rows)
        return sorted(newest_first, key=lambda number: -days.get(number, 0))
    if sort in ("Author", "JournalName"):
        kind = "1au" if sort == "Author" else "ta"
        sql = "SELECT article, min(value) FROM attribute WHERE kind = ? GROUP BY article"
        names = dict(world.corpus.rows(sql, (kind,)))
        return sorted(newest_first, key=lambda number: names.get(number, "\U0010ffff"))
    return newest_first


def _header() -> dict[str, str]:
    return {"type": "esearch", "version": "0.3"}


def _as_json(found: Found, page: list[int], start: int, kept: tuple[str, str] | None) -> Response:
    result: dict[str, object] = {"count": str(found.count), "retmax": str(len(page)), "retstart": str(start)}
    if kept:
        result |= {"querykey": kept[1], "webenv": kept[0]}
    result |= {
        "idlist": [str(pmid) for pmid in page],
        "translationset": [{"from": source, "to": to} for source, to in _once(found.translations)],
        "querytranslation": found.translation,
    }
    if found.phrases_not_found or found.fields_not_found:
        result["errorlist"] = {
            "phrasesnotfound": list(dict.fromkeys(found.phrases_not_found)),
            "fieldsnotfound": list(dict.fromkeys(found.fields_not_found)),
        }
    if found.quoted_not_found or found.phrases_ignored or found.messages:
        result["warninglist"] = {
            "phrasesignored": list(dict.fromkeys(found.phrases_ignored)),
            "quotedphrasesnotfound": list(dict.fromkeys(found.quoted_not_found)),
            "outputmessages": list(dict.fromkeys(found.messages)),
        }
    return json_response({"header": _header(), "esearchresult": result}, content_type="application/json; charset=UTF-8")


def _as_xml(found: Found, page: list[int], start: int, kept: tuple[str, str] | None) -> Response:
    parts = [f"<Count>{found.count}</Count><RetMax>{len(page)}</RetMax><RetStart>{start}</RetStart>"]
    if kept:
        parts.append(f"<QueryKey>{kept[1]}</QueryKey><WebEnv>{kept[0]}</WebEnv>")
    identifiers = "".join(f"<Id>{pmid}</Id>\n" for pmid in page)
    parts.append(f"<IdList>\n{identifiers}</IdList>" if page else "<IdList/>")
    translations = "".join(
        f"<Translation><From>{escape(source)}</From><To>{escape(to)}</To></Translation>"
        for source, to in _once(found.translations)
    )
    parts.append(f"<TranslationSet>{translations}</TranslationSet>" if translations else "<TranslationSet/>")
    parts.append(f"<QueryTranslation>{escape(found.translation)}</QueryTranslation>")
    errors = [("PhraseNotFound", found.phrases_not_found), ("FieldNotFound", found.fields_not_found)]
    warnings = [
        ("PhraseIgnored", found.phrases_ignored),
        ("QuotedPhraseNotFound", found.quoted_not_found),
        ("OutputMessage", found.messages),
    ]
    for name, group in (("ErrorList", errors), ("WarningList", warnings)):
        inside = "".join(f"<{tag}>{escape(text)}</{tag}>" for tag, texts in group for text in dict.fromkeys(texts))
        if inside:
            parts.append(f"<{name}>{inside}</{name}>")
    return text_response(f"{_HEAD}<eSearchResult>{''.join(parts)}</eSearchResult>\n", 200, _XML)


def _once(pairs: list[tuple[str, str]]) -> list[tuple[str, str]]:
    return list(dict.fromkeys(pairs))


def _error(message: str, as_json: bool) -> Response:
    """NCBI's failed search: HTTP 200, an ERROR and no Count. In JSON its line feeds are raw, as at NCBI."""
    if as_json:
        body = f'{{"header":{{"type":"esearch","version":"0.3"}},"esearchresult":{{"ERROR":"{_quoted(message)}"}}}}'
        return text_response(body, 200, "application/json; charset=UTF-8")
    return text_response(f"{_HEAD}<eSearchResult>\n\t<ERROR>{escape(message)}</ERROR>\n</eSearchResult>\n", 200, _XML)


def _quoted(message: str) -> str:
    return message.replace("\\", "\\\\").replace('"', '\\"')


def _whole(text: str, default: int) -> int:
    return int(text) if text.isdigit() else default

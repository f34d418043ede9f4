"""arXiv's API under /arxiv/: Atom feeds of searches and id lists, one request in three seconds."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from xml.sax.saxutils import escape

from litapp.core.querylang import Field
from litapp.sandbox.arxiv_numbers import arxiv_number, is_at_arxiv, place_of
from litapp.sandbox.corpus import sets
from litapp.sandbox.corpus.article import Article
from litapp.sandbox.dispatch import World
from litapp.sandbox.fielded import Asked, FieldedError, evaluate, find_days, find_text
from litapp.sandbox.wire import Request, Response, text_response

SECONDS = 3.0
MOST_A_CALL, MOST_IN_ALL = 2_000, 30_000
"""Source: the API user's manual."""
_FIELDS = {
    "": (Field.ALL,),
    "all": (Field.ALL,),
    "ti": (Field.TITLE,),
    "abs": (Field.ABSTRACT,),
    "au": (Field.AUTHOR,),
    "jr": (Field.JOURNAL,),
}
_ID = re.compile(r"(?:\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?/\d{7})(?:v\d+)?\Z")
_PREPRINTS = "SELECT article FROM attribute WHERE kind = 'pt' AND value = 'preprint'"
_ATOM = "application/atom+xml; charset=utf-8"
_KEPT = 16


class Arxiv:
    """Preprints of the corpus and some of its papers."""

    name = "arxiv"
    prefix = "/arxiv/"

    def __init__(self, world: World) -> None:
        self.world = world
        self._found = functools.lru_cache(maxsize=_KEPT)(self._find)

    def operation(self, request: Request) -> str:
        return "lookup" if request.get("id_list") else "search"

    def lane(self, request: Request, operation: str) -> tuple[str, int] | None:
        return "arxiv", 1

    def refuse(self, request: Request, operation: str) -> Response | None:
        left = self.world.window.take("arxiv", 1, SECONDS)
        return None if left >= 0 else text_response("Rate exceeded.", 429)

    def decorate(self, request: Request, operation: str, response: Response) -> None:
        """Its answers carry no headers of interest."""

    def respond(self, request: Request, operation: str) -> Response:
        if request.path.removeprefix(self.prefix).strip("/") != "api/query":
            return text_response("<!DOCTYPE html><html><title>404</title></html>", 404, "text/html")
        size, start = _whole(request.get("max_results"), 10), _whole(request.get("start"), 0)
        if size > MOST_A_CALL or start + size > MOST_IN_ALL:
            return _refused("max_results_must_be_less_than_30000", "max_results must be less than 30000")
        if operation == "lookup":
            return self._by_id(request, size, start)
        try:
            numbers = self._found(request.get("search_query"))
        except FieldedError as error:
            return _refused("malformed_query", f"malformed query: {error}")
        return self._feed(request, numbers[start : start + size], len(numbers), size, start)

    def _by_id(self, request: Request, size: int, start: int) -> Response:
        wanted = [one for one in request.get("id_list").split(",") if one]
        wrong = next((one for one in wanted if not _ID.match(one)), "")
        if wrong:
            return _refused(f"incorrect_id_format_for_{wrong}", f"incorrect id format for {wrong}")
        places = (place_of(one.partition("v")[0]) for one in wanted)
        numbers = sorted({place for place in places if place is not None and self._held(place)})
        return self._feed(request, numbers[start : start + size], len(numbers), size, start)

    def _held(self, place: int) -> bool:
        found = self.world.corpus.entry(place)
        return bool(found and found.article and self._has(found.article))

    def _has(self, article: Article) -> bool:
        hidden = self.world.faults.of_record(self.name, "missing_record", article.pmid, article.doi)
        return not hidden and is_at_arxiv(self.world, article.pmid, preprint=article.is_preprint)

    def _find(self, query: str) -> tuple[int, ...]:
        """Papers found and held here, newest first."""
        evaluator = self.world.evaluator
        bits = evaluate(query, self._term, evaluator.all_bits)
        preprints = self.world.corpus.numbers(_PREPRINTS)
        found = list(sets.members_in_order(bits, evaluator.order))
        pmids = self.world.corpus.pmids_of_ids(found)
        return tuple(n for n in found if is_at_arxiv(self.world, pmids[n], preprint=n in preprints))

    def _term(self, asked: Asked) -> int:
        evaluator = self.world.evaluator
        field = asked.field.lower()
        if field == "submitteddate" and asked.low:
            return find_days(evaluator, _day(asked.low), _day(asked.high))
        bits = 0
        for name in _FIELDS.get(field, ()):
            bits |= find_text(evaluator, asked.text, name, quoted=asked.quoted)
        return bits

    def _feed(self, request: Request, places: Sequence[int], total: int, size: int, start: int) -> Response:
        known = self.world.corpus.entries(places)
        entries = [_entry(one.id, one.article) for one in known if one.article and self._has(one.article)]
        asked = f"search_query={request.get('search_query')}&id_list={request.get('id_list')}"
        head = (
            f"<id>https://arxiv.org/api/sandbox</id><title>arXiv Query: {escape(asked)}&amp;start={start}&amp;"
            f"max_results={size}</title><updated>2026-04-12T00:00:00Z</updated>"
            f'<link href="https://arxiv.org/api/query?start={start}" type="application/atom+xml"/>'
        )
        return text_response(_document(head, "".join(entries), total, size, start), 200, _ATOM)


def _document(head: str, entries: str, total: int, size: int, start: int) -> str:
    return (
        "<?xml version='1.0' encoding='UTF-8'?>\n"
        '<feed xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/" xmlns:arxiv="http://arxiv.org/schemas/atom" '
        f'xmlns="http://www.w3.org/2005/Atom">{head}'
        f"<opensearch:itemsPerPage>{size}</opensearch:itemsPerPage>"
        f"<opensearch:totalResults>{total}</opensearch:totalResults>"
        f"<opensearch:startIndex>{start}</opensearch:startIndex>{entries}</feed>\n"
    )


def _refused(name: str, message: str) -> Response:
    """arXiv's error: status 400 and a feed with one entry “Error”."""
    address = f"https://arxiv.org/api/errors#{escape(name)}"
    moment = "<updated>2026-04-12T00:00:00Z</updated>"
    entry = (
        f'<entry><id>{address}</id><title>Error</title>{moment}<link href="{address}" rel="alternate" '
        f'type="text/html"/><summary>{escape(message)}</summary><author><name>arXiv api core</name></author></entry>'
    )
    head = f"<id>https://arxiv.org/</id><title>arXiv Search Results</title>{moment}"
    return text_response(_document(head, entry, 1, 1, 0), 400, _ATOM)


def _entry(place: int, article: Article) -> str:
    number = arxiv_number(place)
    posted = min((date for date in (article.electronic, article.printed) if date[0]), default=[1991, 1, 1])
    moment = f"{posted[0]:04d}-{posted[1] or 1:02d}-{posted[2] or 1:02d}T12:00:00Z"
    authors = "".join(f"<author><name>{escape(author.full)}</name></author>" for author in article.authors)
    doi = f"<arxiv:doi>{escape(article.doi)}</arxiv:doi>" if article.doi and not article.is_preprint else ""
    return (
        f"<entry><id>http://arxiv.org/abs/{number}v1</id><title>{escape(article.title.removesuffix('.'))}</title>"
        f"<updated>{moment}</updated>"
        f'<link href="https://arxiv.org/abs/{number}v1" rel="alternate" type="text/html"/>'
        f'<link href="https://arxiv.org/pdf/{number}v1" rel="related" type="application/pdf" title="pdf"/>'
        f"<summary>{escape(article.abstract_text)}</summary>"
        '<category term="q-bio.QM" scheme="http://arxiv.org/schemas/atom"/>'
        f'<published>{moment}</published><arxiv:primary_category term="q-bio.QM"/>{authors}{doi}</entry>'
    )


def _day(text: str) -> str:
    """YYYYMMDDHHMM as the evaluator's YYYY/MM/DD."""
    return f"{text[:4]}/{text[4:6]}/{text[6:8]}" if re.fullmatch(r"\d{8,14}", text) else "0001"


def _whole(text: str, default: int) -> int:
    return int(text) if text.isdigit() else default

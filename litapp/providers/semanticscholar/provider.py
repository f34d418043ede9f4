"""Semantic Scholar: search by meaning or Boolean, papers, title match, recommendations, links, passages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

from litapp.core.normalise import strip_tags
from litapp.core.plan import Filters, PlanQuery
from litapp.core.ports import Answer, Outcome
from litapp.core.records import Identifier, Record
from litapp.providers.answers import UnreadableAnswer
from litapp.providers.asking import answer_id_of, look_up_in_batches, unreadable
from litapp.providers.base import (
    Classification,
    Client,
    CompiledQuery,
    CountResult,
    Credentials,
    Hit,
    LinkedRecords,
    LookupResult,
    Page,
    SourceError,
)
from litapp.providers.questions import Passage
from litapp.providers.reading import in_batches, text, whole
from litapp.providers.semanticscholar import parse, request, snippets
from litapp.providers.semanticscholar.query import compile_query
from litapp.providers.semanticscholar.request import MOST_RECORDS, RECORDS_A_PAGE
from litapp.providers.settings import SourceSettings

T = TypeVar("T")


class SemanticScholar:
    """See `providers.base`. It has no state and may be shared."""

    source = "semanticscholar"
    lookup_schemes: tuple[str, ...] = ("doi", "pmid", "pmcid", "arxiv", "s2")

    def credentials(self, settings: SourceSettings) -> Credentials:
        """The key as a header."""
        return Credentials(headers=(("x-api-key", settings.key),) if settings.key else ())

    def classify(self, status: int, headers: dict[str, str], body: bytes) -> Classification:
        """See `semanticscholar.parse.classify`."""
        return parse.classify(status, headers, body)

    def published_limit(self, headers: dict[str, str], body: bytes) -> float | None:
        """Semantic Scholar sends no limits."""
        return None

    def compile(self, query: PlanQuery, filters: Filters) -> CompiledQuery:
        """See `semanticscholar.query.compile_query`."""
        return compile_query(query, filters)

    def count(self, client: Client, query: CompiledQuery) -> CountResult:
        """The number of papers reported; of a search by likeness at most 1,000 of them can be had."""
        answer = client.send(request.count(query.params))
        return CountResult(self._list(answer).total, True, answer.answer_id)

    def fetch_page(self, client: Client, query: CompiledQuery, cursor: dict[str, object], limit: int) -> Page:
        """The next up to 100 papers of a search by likeness, up to 1,000 of a Boolean one."""
        if request.is_bulk(query.params):
            return self._fetch_bulk(client, query, cursor, limit)
        return self._fetch_likeness(client, query, cursor, limit)

    def _fetch_bulk(self, client: Client, query: CompiledQuery, cursor: dict[str, object], limit: int) -> Page:
        """The cursor holds Semantic Scholar's `token` and the `rank` of the last paper seen. All come, in one order."""
        token, rank = text(cursor.get("token")), whole(cursor.get("rank")) or 0
        answer = client.send(request.bulk(query.params, token=token))
        listing = self._list(answer)
        answer_id = answer_id_of(answer)
        if not listing.entries and listing.total and not rank:
            raise unreadable(self.source, parse.LABEL, answer, UnreadableAnswer(f"none of {listing.total:,} papers"))
        hits = tuple(Hit(record, rank + position + 1, answer_id, position) for position, record in listing.records)
        seen = rank + listing.entries
        more = listing.token not in ("", token) and listing.entries > 0
        notes: tuple[str, ...] = ()
        if not more and seen != listing.total:
            notes = (f"Semantic Scholar estimated {listing.total:,} papers and gave {seen:,}.",)
        return Page(
            hits[: max(limit, 0)],
            {"token": listing.token, "rank": seen} if more else None,
            total=listing.total,
            empty_records=listing.empty,
            invalid_records=listing.invalid,
            notes=notes,
        )

    def _fetch_likeness(self, client: Client, query: CompiledQuery, cursor: dict[str, object], limit: int) -> Page:
        """The cursor holds the `offset`, which is also the rank of the last paper seen."""
        offset = whole(cursor.get("offset")) or 0
        size = min(RECORDS_A_PAGE, max(limit, 1), MOST_RECORDS - offset)
        if size <= 0:
            return Page((), None, capped=True, notes=(_cap_note(),))
        try:
            answer = client.send(request.search(query.params, offset=offset, limit=size))
        except SourceError as error:
            if error.code != "beyond_cap" or offset == 0:
                raise
            return Page((), None, capped=True, notes=(_cap_note(),))
        listing = self._list(answer)
        answer_id = answer_id_of(answer)
        hits = tuple(Hit(record, offset + position + 1, answer_id, position) for position, record in listing.records)
        seen = max(offset + listing.entries, listing.next_offset or 0)
        more = listing.next_offset is not None and listing.entries > 0 and seen < MOST_RECORDS
        capped = not more and listing.total > seen
        return Page(
            hits[: max(limit, 0)],
            {"offset": seen} if more else None,
            total=listing.total,
            empty_records=listing.empty,
            invalid_records=listing.invalid,
            capped=capped,
            notes=(_cap_note(),) if capped else (),
        )

    def lookup(
        self, client: Client, identifiers: list[Identifier], *, max_age_seconds: float | None = None
    ) -> LookupResult:
        """Papers in batches of 500. Absence proves little: Semantic Scholar merges preprints into journal versions."""

        def ask(batch: list[Identifier]) -> LookupResult:
            answer = client.send(request.batch(batch), max_age_seconds=max_age_seconds)
            answer_id = answer_id_of(answer)
            if answer.outcome is Outcome.NOT_FOUND:
                return LookupResult({}, dict.fromkeys(batch, answer_id))
            papers = self._read(answer, lambda body: parse.batch(body, len(batch)))
            pairs = list(zip(batch, papers, strict=True))
            return LookupResult(
                {one: (paper, answer_id) for one, paper in pairs if paper is not None},
                {one: answer_id for one, paper in pairs if paper is None},
            )

        return look_up_in_batches(self.source, identifiers, self.lookup_schemes, request.IDS_A_CALL, ask)

    def match(
        self,
        client: Client,
        title: str,
        *,
        author: str = "",
        year: int | None = None,
        journal: str = "",
        max_age_seconds: float | None = None,
    ) -> tuple[list[Record], list[int]]:
        """The one paper Semantic Scholar holds for closest, or none. Its score is not read: no threshold is usable."""
        words = " ".join(strip_tags(title).split())
        if not words:
            return [], []
        answer = client.send(request.match(words), max_age_seconds=max_age_seconds)
        if answer.outcome is not Outcome.OK:
            return [], [answer_id_of(answer)]
        return self._read(answer, parse.matches)[:5], [answer_id_of(answer)]

    def related(self, client: Client, identifier: Identifier, limit: int) -> tuple[list[Record], list[int]]:
        """Recommended papers, best first. Raises SourceError."""
        self._require_scheme(identifier)
        answer = client.send(request.recommendations(identifier, limit))
        if answer.outcome is not Outcome.OK:
            return [], [answer_id_of(answer)]
        return self._read(answer, parse.recommended)[: max(limit, 0)], [answer_id_of(answer)]

    def citations(self, client: Client, identifier: Identifier, limit: int) -> LinkedRecords:
        """Papers that cite it, newest first as Semantic Scholar lists them. Raises SourceError."""
        return self._linked(client, identifier, "citations", limit)

    def references(self, client: Client, identifier: Identifier, limit: int) -> LinkedRecords:
        """Papers it cites. Those that Semantic Scholar knows by their text only are counted. Raises SourceError."""
        return self._linked(client, identifier, "references", limit)

    def _linked(self, client: Client, identifier: Identifier, kind: str, limit: int) -> LinkedRecords:
        self._require_scheme(identifier)
        records: list[Record] = []
        answer_ids: list[int] = []
        offset, unreadable_entries = 0, 0
        while len(records) < limit and offset < request.MOST_LINKS:
            size = min(request.LINKS_A_PAGE, limit, request.MOST_LINKS - offset)
            answer = client.send(request.linked(identifier, kind, offset=offset, limit=size))
            answer_ids.append(answer_id_of(answer))
            if answer.outcome is Outcome.NOT_FOUND:
                return LinkedRecords((), tuple(answer_ids), known=False)
            page = self._read(answer, parse.links)
            if page.withheld:
                raise SourceError(
                    self.source,
                    Outcome.PERMANENT,
                    f"The publisher does not let Semantic Scholar show the {kind} of this paper.",
                    hint="Ask another source.",
                    answer_id=answer.answer_id,
                    code="withheld",
                )
            records += page.records
            unreadable_entries += page.unreadable
            if page.next_offset is None or page.next_offset <= offset or not page.entries:
                return LinkedRecords(
                    tuple(records[:limit]), tuple(answer_ids), offset + page.entries, unreadable_entries
                )
            offset = page.next_offset
        return LinkedRecords(tuple(records[:limit]), tuple(answer_ids), None, unreadable_entries)

    def passages(
        self,
        client: Client,
        words: str,
        *,
        limit: int = 10,
        within: Sequence[Identifier] = (),
        max_age_seconds: float | None = None,
    ) -> tuple[list[Passage], list[int]]:
        """Passages about `words`, best first, word for word, in all papers or `within` some. Raises SourceError."""
        asked = " ".join(words.split())
        if not asked or limit < 1:
            return [], []
        for identifier in within:
            self._require_scheme(identifier)
        groups = list(in_batches(list(within), request.PAPERS_SEARCHED_WITHIN)) or [[]]
        found: list[Passage] = []
        answer_ids: list[int] = []
        for group in groups:
            wanted = request.passages(asked, limit=min(limit, request.PASSAGES_A_CALL), within=group)
            answer = client.send(wanted, max_age_seconds=max_age_seconds)
            answer_id = answer_id_of(answer)
            answer_ids.append(answer_id)
            if answer.outcome is not Outcome.NOT_FOUND:
                found += self._read(answer, partial(snippets.passages, answer_id=answer_id))
        if len(groups) > 1:
            found.sort(key=lambda passage: -(passage.score or 0.0))
        return found[:limit], answer_ids

    def _require_scheme(self, identifier: Identifier) -> None:
        if identifier.scheme.value not in self.lookup_schemes:
            raise SourceError(
                self.source,
                Outcome.PERMANENT,
                f"Semantic Scholar cannot be asked for a {identifier.scheme.value.upper()}.",
                code="unsupported_scheme",
            )

    def _read(self, answer: Answer, read: Callable[[bytes], T]) -> T:
        try:
            return read(answer.body)
        except UnreadableAnswer as error:
            raise unreadable(self.source, parse.LABEL, answer, error) from error

    def _list(self, answer: Answer) -> parse.PaperList:
        return self._read(answer, parse.paper_list)


def _cap_note() -> str:
    return f"Semantic Scholar reports more papers but gives at most {MOST_RECORDS:,} of a query."

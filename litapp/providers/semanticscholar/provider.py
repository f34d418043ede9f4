"""Semantic Scholar: search by meaning, papers by identifier, title match, recommendations."""

from __future__ import annotations

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
    LookupResult,
    Page,
    SourceError,
)
from litapp.providers.reading import whole
from litapp.providers.semanticscholar import parse, request
from litapp.providers.semanticscholar.query import compile_query
from litapp.providers.semanticscholar.request import MOST_RECORDS, RECORDS_A_PAGE
from litapp.providers.settings import SourceSettings


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
        """The number of papers reported; at most 1,000 of them can be had."""
        answer = client.send(request.count(query.params))
        return CountResult(self._list(answer).total, True, answer.answer_id)

    def fetch_page(self, client: Client, query: CompiledQuery, cursor: dict[str, object], limit: int) -> Page:
        """The next up to 100 papers. The cursor holds the `offset`, which is also the rank of the last paper seen."""
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
            try:
                papers = parse.batch(answer.body, len(batch))
            except UnreadableAnswer as error:
                raise unreadable(self.source, parse.LABEL, answer, error) from error
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
        try:
            return parse.matches(answer.body)[:5], [answer_id_of(answer)]
        except UnreadableAnswer as error:
            raise unreadable(self.source, parse.LABEL, answer, error) from error

    def related(self, client: Client, identifier: Identifier, limit: int) -> tuple[list[Record], list[int]]:
        """Recommended papers, best first. Raises SourceError."""
        if identifier.scheme.value not in self.lookup_schemes:
            raise SourceError(
                self.source,
                Outcome.PERMANENT,
                f"Semantic Scholar cannot be asked for a {identifier.scheme.value.upper()}.",
                code="unsupported_scheme",
            )
        answer = client.send(request.recommendations(identifier, limit))
        if answer.outcome is not Outcome.OK:
            return [], [answer_id_of(answer)]
        try:
            return parse.recommended(answer.body)[: max(limit, 0)], [answer_id_of(answer)]
        except UnreadableAnswer as error:
            raise unreadable(self.source, parse.LABEL, answer, error) from error

    def _list(self, answer: Answer) -> parse.PaperList:
        try:
            return parse.paper_list(answer.body)
        except UnreadableAnswer as error:
            raise unreadable(self.source, parse.LABEL, answer, error) from error


def _cap_note() -> str:
    return f"Semantic Scholar reports more papers but gives at most {MOST_RECORDS:,} of a query."

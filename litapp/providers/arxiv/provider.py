"""arXiv: Boolean search of its preprints, papers by arXiv id, title match."""

from __future__ import annotations

from litapp.core.plan import Filters, PlanQuery
from litapp.core.ports import Answer, Outcome
from litapp.core.records import Identifier, Record
from litapp.providers.answers import UnreadableAnswer
from litapp.providers.arxiv import parse, request
from litapp.providers.arxiv.query import compile_query, title_query
from litapp.providers.arxiv.request import MOST_RECORDS, RECORDS_A_PAGE
from litapp.providers.asking import answer_id_of, first_by_identifier, look_up_in_batches, unreadable
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
from litapp.providers.settings import SourceSettings
from litapp.providers.title_words import family_name, longest_words, title_words

_MATCHES = 5


class Arxiv:
    """See `providers.base`. It has no state and may be shared."""

    source = "arxiv"
    lookup_schemes: tuple[str, ...] = ("arxiv",)

    def credentials(self, settings: SourceSettings) -> Credentials:
        """None: arXiv has neither keys nor a place for a contact."""
        return Credentials()

    def classify(self, status: int, headers: dict[str, str], body: bytes) -> Classification:
        """See `arxiv.parse.classify`."""
        return parse.classify(status, headers, body)

    def published_limit(self, headers: dict[str, str], body: bytes) -> float | None:
        """arXiv sends no limits."""
        return None

    def compile(self, query: PlanQuery, filters: Filters) -> CompiledQuery:
        """See `arxiv.query.compile_query`."""
        return compile_query(query, filters)

    def count(self, client: Client, query: CompiledQuery) -> CountResult:
        """The number of papers."""
        answer = client.send(request.count(query.params))
        return CountResult(self._feed(answer).total, True, answer.answer_id)

    def fetch_page(self, client: Client, query: CompiledQuery, cursor: dict[str, object], limit: int) -> Page:
        """The next up to 500 papers. The cursor holds the `start`, which is also the rank of the last paper seen."""
        start = whole(cursor.get("start")) or 0
        size = min(RECORDS_A_PAGE, max(limit, 1), MOST_RECORDS - start)
        if size <= 0:
            return Page((), None, capped=True, notes=(_cap_note(),))
        answer = client.send(request.search(query.params, start=start, size=size))
        feed = self._feed(answer)
        answer_id = answer_id_of(answer)
        if not feed.entries and feed.total > start:
            raise SourceError(
                self.source,
                Outcome.MALFORMED,
                f"arXiv reports {feed.total:,} papers but sent none.",
                hint="Try again later.",
                answer_id=answer_id,
            )
        hits = tuple(Hit(record, start + position + 1, answer_id, position) for position, record in feed.records)
        seen = start + feed.entries
        more = feed.entries > 0 and seen < feed.total
        capped = more and seen >= MOST_RECORDS
        return Page(
            hits[: max(limit, 0)],
            {"start": seen} if more and not capped else None,
            total=feed.total,
            invalid_records=feed.invalid,
            capped=capped,
            notes=(_cap_note(),) if capped else (),
        )

    def lookup(
        self, client: Client, identifiers: list[Identifier], *, max_age_seconds: float | None = None
    ) -> LookupResult:
        """Papers by arXiv id, 100 a call, newest versions. One that does not come does not exist at arXiv."""

        def ask(batch: list[Identifier]) -> LookupResult:
            return self._lookup(client, batch, max_age_seconds)

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
        """Up to five papers with the words of this title: all of them, or else the longest ones and the author."""
        words = title_words(title)
        if not words:
            return [], []
        queries = (
            title_query(words[:20]),
            title_query(longest_words(words, 4 if author else 6), author=family_name(author)),
        )
        answer_ids: list[int] = []
        for query in dict.fromkeys(queries):
            wanted = request.search((("search_query", query),), start=0, size=_MATCHES, operation="match")
            answer = client.send(wanted, max_age_seconds=max_age_seconds)
            answer_ids.append(answer_id_of(answer))
            records = [record for _, record in self._feed(answer, counted=False).records][:_MATCHES]
            if records:
                return records, answer_ids
        return [], answer_ids

    def _feed(self, answer: Answer, *, counted: bool = True) -> parse.Feed:
        try:
            return parse.feed(answer.body, counted=counted)
        except UnreadableAnswer as error:
            raise unreadable(self.source, parse.LABEL, answer, error) from error

    def _lookup(self, client: Client, batch: list[Identifier], max_age: float | None) -> LookupResult:
        """One batch. An id that arXiv calls impossible spoils the whole batch: it is taken out and the rest asked."""
        result = LookupResult()
        wanted = list(batch)
        while wanted:
            try:
                answer = client.send(request.by_id([one.value for one in wanted]), max_age_seconds=max_age)
            except SourceError as error:
                bad = [one for one in wanted if error.code == "bad_request" and one.value in error.message]
                if not bad or len(wanted) == 1:
                    raise
                result.failures.update(dict.fromkeys(bad, error))
                wanted = [one for one in wanted if one not in bad]
                continue
            break
        else:
            return result
        feed, answer_id = self._feed(answer, counted=False), answer_id_of(answer)
        index = first_by_identifier(record for _, record in feed.records)
        complete = feed.counted and feed.entries >= feed.total and not feed.invalid
        for one in wanted:
            if one in index:
                result.found[one] = (index[one], answer_id)
            elif complete:
                result.absent[one] = answer_id
            else:
                result.failures[one] = SourceError(
                    self.source,
                    Outcome.MALFORMED,
                    "arXiv did not send all the papers it found.",
                    hint="Look it up again later.",
                    answer_id=answer_id,
                )
        return result


def _cap_note() -> str:
    return f"arXiv reports more papers but gives at most {MOST_RECORDS:,} of a query."

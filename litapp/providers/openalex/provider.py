"""OpenAlex: search by likeness, works by DOI, PMID or OpenAlex id, title match."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from litapp.core.plan import Filters, PlanQuery
from litapp.core.ports import Answer, Budget, Outcome
from litapp.core.records import Identifier, Record, Scheme
from litapp.providers.answers import UnreadableAnswer
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
from litapp.providers.openalex import parse, refusals, request
from litapp.providers.openalex.query import compile_query, title_text
from litapp.providers.reading import text, whole
from litapp.providers.settings import SourceSettings

_MATCHES = 5


class OpenAlex:
    """See `providers.base`. It has no state and may be shared."""

    source = "openalex"
    lookup_schemes: tuple[str, ...] = ("doi", "pmid", "openalex")
    unit = "credits"

    def credentials(self, settings: SourceSettings) -> Credentials:
        """The key as a header, so that it stays out of addresses and logs."""
        return Credentials(headers=(("api-key", settings.key),) if settings.key else ())

    def classify(self, status: int, headers: dict[str, str], body: bytes) -> Classification:
        """See `openalex.parse.classify`."""
        return parse.classify(status, headers, body)

    def published_limit(self, headers: dict[str, str], body: bytes) -> float | None:
        """See `openalex.refusals.published_limit`."""
        return refusals.published_limit(body)

    def search_cost(self, records: int) -> int:
        """Ten credits a page of 100 works; the first page is paid also where there is nothing."""
        return request.SEARCH_COST * max(1, -(-records // request.RECORDS_A_PAGE))

    def published_budget(self, status: int, headers: dict[str, str], body: bytes, now: datetime) -> Budget | None:
        """See `openalex.refusals.published_budget`."""
        return refusals.published_budget(status, headers, body, now)

    def compile(self, query: PlanQuery, filters: Filters) -> CompiledQuery:
        """See `openalex.query.compile_query`."""
        return compile_query(query, filters)

    def count(self, client: Client, query: CompiledQuery) -> CountResult:
        """The number of works; costs as much as a page of results."""
        answer = client.send(request.count(query.params))
        try:
            return CountResult(parse.total(answer.body), True, answer.answer_id)
        except UnreadableAnswer as error:
            raise unreadable(self.source, parse.LABEL, answer, error) from error

    def fetch_page(self, client: Client, query: CompiledQuery, cursor: dict[str, object], limit: int) -> Page:
        """The next up to 100 works. The cursor holds OpenAlex's `mark` and the `rank` of the last work seen."""
        mark, rank = text(cursor.get("mark")) or "*", whole(cursor.get("rank")) or 0
        per_page = min(request.RECORDS_A_PAGE, max(limit, 1))
        answer = client.send(request.search(query.params, cursor=mark, per_page=per_page))
        listing = self._list(answer)
        answer_id = answer_id_of(answer)
        hits = tuple(Hit(record, rank + position + 1, answer_id, position) for position, record in listing.records)
        seen = rank + listing.entries
        if not listing.entries and seen < listing.total and not rank:
            raise SourceError(
                self.source,
                Outcome.MALFORMED,
                f"OpenAlex reports {listing.total:,} works but sent none.",
                hint="Try again later.",
                answer_id=answer.answer_id,
            )
        more = bool(listing.next_cursor) and listing.entries > 0 and seen < listing.total
        return Page(
            hits[: max(limit, 0)],
            {"mark": listing.next_cursor, "rank": seen} if more else None,
            total=listing.total,
            empty_records=listing.empty,
            invalid_records=listing.invalid,
        )

    def lookup(
        self, client: Client, identifiers: list[Identifier], *, max_age_seconds: float | None = None
    ) -> LookupResult:
        """Works by identifier: a few one by one (free), more in batches of 100 (one credit each)."""

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
        """Up to five works most like the title (10 credits). Author and year are not asked for."""
        words = title_text(title)
        if not words:
            return [], []
        answer = client.send(request.match(words, rows=_MATCHES), max_age_seconds=max_age_seconds)
        records = [record for _, record in self._list(answer).records]
        return records[:_MATCHES], [answer_id_of(answer)]

    def _list(self, answer: Answer) -> parse.WorkList:
        try:
            return parse.work_list(answer.body)
        except UnreadableAnswer as error:
            raise unreadable(self.source, parse.LABEL, answer, error) from error

    def _lookup(self, client: Client, batch: list[Identifier], max_age: float | None) -> LookupResult:
        result = LookupResult()
        together = [one for one in batch if request.can_be_batched(one)]
        if len(together) < request.FEWEST_FOR_A_BATCH:
            together = []
        alone = [one for one in batch if one not in together]
        for identifiers in request.batches(together):
            answer = client.send(request.works(identifiers), max_age_seconds=max_age)
            listing = self._list(answer)
            answer_id = answer_id_of(answer)
            index = first_by_identifier(record for _, record in listing.records)
            complete = listing.entries >= listing.total and not listing.empty and not listing.invalid
            for one in identifiers:
                if one in index:
                    result.found[one] = (index[one], answer_id)
                elif complete:
                    result.absent[one] = answer_id
                else:
                    alone.append(one)
        for one in alone:
            try:
                self._lookup_one(client, one, max_age, result)
            except SourceError as error:
                result.failures[one] = error
        return result

    def _lookup_one(self, client: Client, identifier: Identifier, max_age: float | None, result: LookupResult) -> None:
        answer = client.send(request.work(identifier), max_age_seconds=max_age)
        if answer.outcome is Outcome.NOT_FOUND:
            result.absent[identifier] = answer_id_of(answer)
            return
        try:
            record = parse.work(answer.body)
        except UnreadableAnswer as error:
            raise unreadable(self.source, parse.LABEL, answer, error) from error
        if identifier not in record.identifiers:
            if identifier.scheme is not Scheme.OPENALEX:
                raise SourceError(
                    self.source,
                    Outcome.MALFORMED,
                    f"OpenAlex was asked for {identifier.value} and answered with another work ({record.source_id}).",
                    hint="Look it up by hand.",
                    answer_id=answer.answer_id,
                )
            remark = f"OpenAlex has merged {identifier.value} into {record.source_id}."
            record = replace(record, warnings=(*record.warnings, remark))
        result.found[identifier] = (record, answer_id_of(answer))

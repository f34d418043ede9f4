"""Crossref: search by likeness, works by DOI, title match, registration agency."""

from __future__ import annotations

from litapp.core.normalise import title_key
from litapp.core.plan import Filters, PlanQuery
from litapp.core.ports import Answer, Outcome
from litapp.core.records import Identifier, Record
from litapp.providers.answers import UnreadableAnswer, number_in
from litapp.providers.asking import answer_id_of, look_up_in_batches, unreadable
from litapp.providers.base import (
    NOT_LISTED,
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
from litapp.providers.crossref import parse, request
from litapp.providers.crossref.query import compile_query
from litapp.providers.crossref.works import with_alias
from litapp.providers.reading import text, whole
from litapp.providers.settings import SourceSettings

_MATCHES = 5


class Crossref:
    """See `providers.base`. It has no state and may be shared."""

    source = "crossref"
    lookup_schemes: tuple[str, ...] = ("doi",)

    def credentials(self, settings: SourceSettings) -> Credentials:
        """The contact address in the User-Agent (polite pool), a Plus token as header."""
        agent = f"{settings.tool} (mailto:{settings.email})" if settings.email else settings.tool
        headers = [("User-Agent", agent)]
        if settings.key:
            headers.append(("Crossref-Plus-API-Token", f"Bearer {settings.key}"))
        return Credentials(headers=tuple(headers))

    def classify(self, status: int, headers: dict[str, str], body: bytes) -> Classification:
        """See `crossref.parse.classify`."""
        return parse.classify(status, headers, body)

    def published_limit(self, headers: dict[str, str], body: bytes) -> float | None:
        """See `crossref.parse.published_limit`."""
        return parse.published_limit(headers)

    def published_concurrency(self, headers: dict[str, str]) -> int | None:
        """Requests that may be open at once in the caller's pool (public 1, polite 3 in 2026)."""
        found = number_in(headers, "x-concurrency-limit")
        return int(found) if found is not None and found >= 1 else None

    def compile(self, query: PlanQuery, filters: Filters) -> CompiledQuery:
        """See `crossref.query.compile_query`."""
        return compile_query(query, filters)

    def count(self, client: Client, query: CompiledQuery) -> CountResult:
        """The number Crossref reports. It counts every work that shares a word, so it is no count of matches."""
        answer = client.send(request.count(query.params))
        return CountResult(self._list(answer).total, False, answer.answer_id)

    def fetch_page(self, client: Client, query: CompiledQuery, cursor: dict[str, object], limit: int) -> Page:
        """The next up to 100 works.

        The cursor holds Crossref's `mark` (good for about five minutes), the `rank` of the last work seen, and `skip`:
        after an expired mark the list is gone through again from the start, and works up to that rank are not given
        a second time.
        """
        mark = text(cursor.get("mark")) or "*"
        rank, skip = whole(cursor.get("rank")) or 0, whole(cursor.get("skip")) or 0
        wanted = max(limit, 1) + max(skip - rank, 0)
        rows = min(request.RECORDS_A_PAGE, wanted)
        try:
            answer = client.send(request.search(query.params, cursor=mark, rows=rows))
        except SourceError as error:
            if error.code != "cursor_expired" or mark == "*":
                raise
            again: dict[str, object] = {"mark": "*", "rank": 0, "skip": max(rank, skip)}
            return Page((), again, notes=("Crossref lost the place in its list; it is gone through again.",))
        listing = self._list(answer)
        answer_id = answer_id_of(answer)
        hits = tuple(
            Hit(record, rank + position + 1, answer_id, position)
            for position, record in listing.records
            if rank + position + 1 > skip
        )[: max(limit, 0)]
        seen = rank + listing.entries
        more = bool(listing.next_cursor) and listing.entries >= rows
        following: dict[str, object] | None = (
            {"mark": listing.next_cursor, "rank": seen, "skip": skip} if more else None
        )
        repeated = seen <= skip
        return Page(
            hits,
            following,
            total=listing.total,
            empty_records=0 if repeated else listing.empty,
            invalid_records=0 if repeated else listing.invalid,
        )

    def lookup(
        self, client: Client, identifiers: list[Identifier], *, max_age_seconds: float | None = None
    ) -> LookupResult:
        """Works by DOI, 50 a call. A DOI missing from a batch is asked for alone: only a 404 of its own makes it absent
        ("not at Crossref", which for a DOI of another agency says nothing)."""

        def ask(batch: list[Identifier]) -> LookupResult:
            return self._lookup(client, batch, max_age_seconds)

        return look_up_in_batches(self.source, identifiers, self.lookup_schemes, request.DOIS_A_CALL, ask)

    def lookup_listed(
        self, client: Client, identifiers: list[Identifier], *, max_age_seconds: float | None = None
    ) -> LookupResult:
        """See `base.BatchedLookup`: a DOI missing from its batch is not asked for alone."""

        def ask(batch: list[Identifier]) -> LookupResult:
            return self._lookup(client, batch, max_age_seconds, singly=False)

        return look_up_in_batches(self.source, identifiers, self.lookup_schemes, request.DOIS_A_CALL, ask)

    def match_citation(
        self, client: Client, citation: str, *, max_age_seconds: float | None = None
    ) -> tuple[list[Record], list[int]]:
        """Up to five works most like a whole citation, as it was written. Raises SourceError."""
        words = " ".join(citation.split())
        if not words:
            return [], []
        answer = client.send(request.match(words), max_age_seconds=max_age_seconds)
        return self._records(answer)[:_MATCHES], [answer_id_of(answer)]

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
        """Up to five works most like the title; if none has just this title, asked again with the author's name."""
        wanted = title_key(title)
        if not wanted:
            return [], []
        answer = client.send(request.match(title), max_age_seconds=max_age_seconds)
        records, answer_ids = self._records(answer), [answer_id_of(answer)]
        if author and not any(title_key(record.title) == wanted for record in records):
            answer = client.send(request.match(title, author=author), max_age_seconds=max_age_seconds)
            answer_ids.append(answer_id_of(answer))
            second = self._records(answer)
            mixed = [one for pair in zip(second, records, strict=False) for one in pair]
            mixed += second[len(records) :] + records[len(second) :]
            records = list({record.doi: record for record in reversed(mixed)}.values())[::-1]
        return records[:_MATCHES], answer_ids

    def registration_agency(self, client: Client, doi: str, *, max_age_seconds: float | None = None) -> tuple[str, int]:
        """The agency that registered `doi` ("crossref", "datacite" …), "" when Crossref knows of none; and the answer.

        Raises SourceError.
        """
        answer = client.send(request.agency(doi), max_age_seconds=max_age_seconds)
        if answer.outcome is Outcome.NOT_FOUND:
            return "", answer_id_of(answer)
        try:
            return parse.agency(answer.body), answer_id_of(answer)
        except UnreadableAnswer as error:
            raise unreadable(self.source, parse.LABEL, answer, error) from error

    def _list(self, answer: Answer) -> parse.WorkList:
        try:
            return parse.work_list(answer.body)
        except UnreadableAnswer as error:
            raise unreadable(self.source, parse.LABEL, answer, error) from error

    def _records(self, answer: Answer) -> list[Record]:
        return [record for _, record in self._list(answer).records]

    def _lookup(
        self, client: Client, batch: list[Identifier], max_age: float | None, *, singly: bool = True
    ) -> LookupResult:
        """One batch of at most 50 DOIs; failures stay with the DOIs they concern."""
        by_doi = {one.value: one for one in batch}
        result = LookupResult()
        alone = [doi for doi in by_doi if not request.can_be_batched(doi)]
        together = [doi for doi in by_doi if request.can_be_batched(doi)]
        if len(together) == 1:
            alone, together = alone + together, []
        for dois in request.batches(together):
            answer = client.send(request.works_by_doi(dois), max_age_seconds=max_age)
            try:
                works = parse.works_by_doi(answer.body)
            except UnreadableAnswer as error:
                raise unreadable(self.source, parse.LABEL, answer, error) from error
            for doi in dois:
                if doi in works:
                    record = works[doi] if works[doi].doi == doi else with_alias(works[doi], doi)
                    result.found[by_doi[doi]] = (record, answer_id_of(answer))
                elif singly:
                    alone.append(doi)
                else:
                    result.failures[by_doi[doi]] = self._not_listed(doi, answer)
        for doi in alone:
            try:
                self._lookup_one(client, by_doi[doi], max_age, result)
            except SourceError as error:
                result.failures[by_doi[doi]] = error
        return result

    def _not_listed(self, doi: str, answer: Answer) -> SourceError:
        return SourceError(
            self.source,
            Outcome.MALFORMED,
            f"Crossref left {doi} out of a list, which alone says nothing.",
            hint="Ask doi.org who registered it.",
            answer_id=answer.answer_id,
            code=NOT_LISTED,
        )

    def _lookup_one(self, client: Client, identifier: Identifier, max_age: float | None, result: LookupResult) -> None:
        answer = client.send(request.work(identifier.value), max_age_seconds=max_age)
        if answer.outcome is Outcome.NOT_FOUND:
            result.absent[identifier] = answer_id_of(answer)
            return
        try:
            record, aliases = parse.work(answer.body)
        except UnreadableAnswer as error:
            raise unreadable(self.source, parse.LABEL, answer, error) from error
        if record.doi != identifier.value:
            if identifier.value not in aliases:
                raise SourceError(
                    self.source,
                    Outcome.MALFORMED,
                    f"Crossref was asked for {identifier.value} and answered with {record.doi}.",
                    hint="Look the DOI up by hand.",
                    answer_id=answer.answer_id,
                )
            record = with_alias(record, identifier.value)
        result.found[identifier] = (record, answer_id_of(answer))

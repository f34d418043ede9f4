"""Europe PMC: Boolean search with preprints, records by PMID, PMCID and DOI, title match, citations, open full text."""

from __future__ import annotations

from litapp.core.plan import Filters, PlanQuery
from litapp.core.ports import Answer, Outcome
from litapp.core.records import Identifier, Record, Scheme
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
from litapp.providers.europepmc import parse, request
from litapp.providers.europepmc.query import compile_query, title_query
from litapp.providers.reading import text, whole
from litapp.providers.settings import SourceSettings
from litapp.providers.title_words import family_name, longest_words, title_words

_MATCHES = 5
_COLLECTIONS = ("MED", "PMC", "PPR")
"""Where one DOI stands in several of Europe PMC's collections: whose record is taken, the best first."""


class EuropePMC:
    """See `providers.base`. It has no state and may be shared."""

    source = "europepmc"
    lookup_schemes: tuple[str, ...] = ("pmid", "pmcid", "doi")

    def credentials(self, settings: SourceSettings) -> Credentials:
        """None: Europe PMC has neither keys nor a place for a contact."""
        return Credentials()

    def classify(self, status: int, headers: dict[str, str], body: bytes) -> Classification:
        """See `europepmc.parse.classify`."""
        return parse.classify(status, headers, body)

    def published_limit(self, headers: dict[str, str], body: bytes) -> float | None:
        """Europe PMC sends no limits."""
        return None

    def compile(self, query: PlanQuery, filters: Filters) -> CompiledQuery:
        """See `europepmc.query.compile_query`."""
        return compile_query(query, filters)

    def compile_in_place_of_pubmed(self, query: PlanQuery, filters: Filters) -> CompiledQuery:
        """The plan's query over PubMed's own records (SRC:MED): what is offered while PubMed cannot be asked.

        The records carry their PMIDs; they must be named as Europe PMC's.
        """
        return compile_query(query, filters, in_place_of_pubmed=True)

    def count(self, client: Client, query: CompiledQuery) -> CountResult:
        """The number of hits."""
        answer = client.send(request.count(query.params))
        try:
            return CountResult(parse.total(answer.body), True, answer.answer_id)
        except UnreadableAnswer as error:
            raise unreadable(self.source, parse.LABEL, answer, error) from error

    def fetch_page(self, client: Client, query: CompiledQuery, cursor: dict[str, object], limit: int) -> Page:
        """The next up to 500 records. The cursor holds Europe PMC's `mark` and the `rank` of the last record seen.

        The list is at its end where no mark comes, or the one that was sent (the echo of the request is encoded and
        never equals it). Where it ends before the number reported, that is said.
        """
        mark, rank = text(cursor.get("mark")) or "*", whole(cursor.get("rank")) or 0
        size = min(request.RECORDS_A_PAGE, max(limit, 1))
        answer = client.send(request.search(query.params, cursor=mark, size=size))
        listing = self._list(answer)
        answer_id = answer_id_of(answer)
        if not listing.entries and listing.total and not rank:
            raise SourceError(
                self.source,
                Outcome.MALFORMED,
                f"Europe PMC reports {listing.total:,} records but sent none.",
                hint="Try again later.",
                answer_id=answer.answer_id,
            )
        hits = tuple(Hit(record, rank + position + 1, answer_id, position) for position, record in listing.records)
        seen = rank + listing.entries
        more = listing.next_mark not in ("", mark) and listing.entries > 0 and seen < listing.total
        short = not more and seen < listing.total
        return Page(
            hits[: max(limit, 0)],
            {"mark": listing.next_mark, "rank": seen} if more else None,
            total=listing.total,
            empty_records=listing.empty,
            invalid_records=listing.invalid,
            capped=short,
            notes=(f"Europe PMC reports {listing.total:,} records but gave only {seen:,}.",) if short else (),
        )

    def lookup(
        self, client: Client, identifiers: list[Identifier], *, max_age_seconds: float | None = None
    ) -> LookupResult:
        """Records by PMID or PMCID (100 a call) or DOI (50 a call). One that is not here may exist all the same."""

        def ask(batch: list[Identifier]) -> LookupResult:
            return self._lookup(client, batch, max_age_seconds)

        result = LookupResult()
        others = [one for one in identifiers if one.scheme not in request.IDS_A_CALL]
        for scheme, size in request.IDS_A_CALL.items():
            wanted = [one for one in identifiers if one.scheme is scheme]
            part = look_up_in_batches(self.source, [*wanted, *others], self.lookup_schemes, size, ask)
            result.found.update(part.found)
            result.absent.update(part.absent)
            result.failures.update(part.failures)
        return result

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
        """Up to five records with the words of this title: all of them, or else the longest ones and the author."""
        words = title_words(title)
        if not words:
            return [], []
        queries = (
            title_query(words[:20]),
            title_query(longest_words(words, 4 if author else 6), author=family_name(author)),
        )
        answer_ids: list[int] = []
        for query in dict.fromkeys(queries):
            answer = client.send(request.first_records(query, _MATCHES), max_age_seconds=max_age_seconds)
            answer_ids.append(answer_id_of(answer))
            records = [record for _, record in self._list(answer).records][:_MATCHES]
            if records:
                return records, answer_ids
        return [], answer_ids

    def citations(self, client: Client, identifier: Identifier, limit: int) -> LinkedRecords:
        """Papers that cite a PMID, PMCID or DOI, as Europe PMC knows them. Raises SourceError."""
        return self._linked(client, identifier, "citations", limit)

    def references(self, client: Client, identifier: Identifier, limit: int) -> LinkedRecords:
        """Papers that a PMID, PMCID or DOI cites; those Europe PMC could not match carry no identifier."""
        return self._linked(client, identifier, "references", limit)

    def full_text(
        self, client: Client, pmcid: str, *, max_age_seconds: float | None = None
    ) -> tuple[parse.FullText | None, int]:
        """The open full text of a PMCID and the answer; None = not open, or unknown (Europe PMC does not say which).

        Raises SourceError, also when another article came than was asked for.
        """
        answer = client.send(request.full_text(pmcid), max_age_seconds=max_age_seconds)
        answer_id = answer_id_of(answer)
        if answer.outcome is not Outcome.OK:
            return None, answer_id
        try:
            article = parse.full_text(answer.body)
        except UnreadableAnswer as error:
            raise unreadable(self.source, parse.LABEL, answer, error) from error
        if article.pmcid != pmcid:
            raise SourceError(
                self.source,
                Outcome.MALFORMED,
                f"Europe PMC was asked for {pmcid} and sent {article.pmcid or 'an article without its number'}.",
                hint="Look it up by hand.",
                answer_id=answer_id,
            )
        return article, answer_id

    def _list(self, answer: Answer) -> parse.RecordList:
        try:
            return parse.record_list(answer.body)
        except UnreadableAnswer as error:
            raise unreadable(self.source, parse.LABEL, answer, error) from error

    def _lookup(self, client: Client, batch: list[Identifier], max_age: float | None) -> LookupResult:
        """One batch in one search. What is missing counts as absent only where all hits came."""
        query = request.identifiers_query(batch)
        wanted = request.records_of(query, wanted=len(batch), operation="batch" if len(batch) > 1 else "lookup")
        answer = client.send(wanted, max_age_seconds=max_age)
        listing, answer_id = self._list(answer), answer_id_of(answer)
        best: dict[Identifier, Record] = {}
        for record in sorted((record for _, record in listing.records), key=_collection_rank):
            for identifier in record.identifiers:
                best.setdefault(identifier, record)
        found = {one: (best[one], answer_id) for one in batch if one in best}
        missing = [one for one in batch if one not in found]
        if listing.entries >= listing.total and not listing.empty and not listing.invalid:
            return LookupResult(found, dict.fromkeys(missing, answer_id))
        unclear = SourceError(
            self.source,
            Outcome.MALFORMED,
            "Europe PMC did not send all the records it found.",
            hint="Look it up again later.",
            answer_id=answer_id,
        )
        return LookupResult(found, {}, dict.fromkeys(missing, unclear))

    def _linked(self, client: Client, identifier: Identifier, kind: str, limit: int) -> LinkedRecords:
        collection, number, answer_ids = self._place(client, identifier)
        if not number:
            return LinkedRecords((), answer_ids, known=False)
        records: list[Record] = []
        total: int | None = None
        unreadable_entries = seen = 0
        page = 1
        while len(records) < limit and (total is None or seen < total):
            size = min(request.MOST_A_PAGE, max(limit, 1))
            answer = client.send(request.linked(collection, number, kind, page=page, size=size))
            answer_ids = (*answer_ids, answer_id_of(answer))
            try:
                total, part, bad = parse.linked_records(answer.body)
            except UnreadableAnswer as error:
                raise unreadable(self.source, parse.LABEL, answer, error) from error
            records += part
            unreadable_entries += bad
            seen += len(part) + bad
            page += 1
            if not part and not bad:
                break
        return LinkedRecords(tuple(records[: max(limit, 0)]), answer_ids, total, unreadable_entries)

    def _place(self, client: Client, identifier: Identifier) -> tuple[str, str, tuple[int, ...]]:
        """Collection and number of a record, and the answers that told them; "" for one Europe PMC does not have."""
        if identifier.scheme is Scheme.PMID:
            return "MED", identifier.value, ()
        result = self.lookup(client, [identifier])
        if identifier in result.failures:
            raise result.failures[identifier]
        if identifier not in result.found:
            return "", "", tuple(result.absent.values())
        record, answer_id = result.found[identifier]
        collection, _, number = record.source_id.partition("/")
        return collection, number, (answer_id,)


def _collection_rank(record: Record) -> int:
    collection = record.source_id.partition("/")[0]
    return _COLLECTIONS.index(collection) if collection in _COLLECTIONS else len(_COLLECTIONS)

"""PubMed: Boolean search, records by PMID or DOI, title and place match, similar articles, headings, spelling."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

from litapp.core.plan import Filters, PlanQuery
from litapp.core.ports import Answer, Outcome, Request
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
from litapp.providers.pubmed import parse, request, vocabulary
from litapp.providers.pubmed import places as placing
from litapp.providers.pubmed import query as terms
from litapp.providers.pubmed.listing import Lister, from_cursor, to_cursor
from litapp.providers.pubmed.request import MOST_RECORDS, PLACES_A_CALL, RECORDS_A_CALL
from litapp.providers.questions import CitedPlace, MeshHeadingFound, PlaceMatch, PlaceVerdict, Spelling
from litapp.providers.reading import in_batches
from litapp.providers.settings import SourceSettings
from litapp.providers.title_words import title_words

T = TypeVar("T")
_DOIS_A_CALL = 25
_MATCHES = 5


class PubMed:
    """See `providers.base`. It has no state and may be shared."""

    source = "pubmed"
    lookup_schemes: tuple[str, ...] = ("pmid", "doi")

    def __init__(self, most_records: int = MOST_RECORDS) -> None:
        self._most_records = most_records

    def credentials(self, settings: SourceSettings) -> Credentials:
        """Tool, contact and key as form fields (NCBI knows no header for them)."""
        fields = (("tool", "".join(settings.tool.split())), ("email", settings.email), ("api_key", settings.key))
        return Credentials(params=tuple((name, value) for name, value in fields if value))

    def classify(self, status: int, headers: dict[str, str], body: bytes) -> Classification:
        """See `pubmed.parse.classify`."""
        return parse.classify(status, headers, body)

    def published_limit(self, headers: dict[str, str], body: bytes) -> float | None:
        """See `pubmed.parse.published_limit`."""
        return parse.published_limit(headers)

    def compile(self, query: PlanQuery, filters: Filters) -> CompiledQuery:
        """The term sent to PubMed, filters as tagged terms. Raises SourceError for an empty or unbalanced query."""
        return terms.compile_query(query, filters)

    def count(self, client: Client, query: CompiledQuery) -> CountResult:
        """The exact number of records, what PubMed made of the query, and the words it dropped."""
        answer = client.send(request.esearch(query.params, retmax=0, operation="count"))
        result = self._search_result(answer)
        return CountResult(result.total, True, answer.answer_id, result.translation, result.dropped, result.warnings)

    def fetch_page(self, client: Client, query: CompiledQuery, cursor: dict[str, object], limit: int) -> Page:
        """The next up to 200 records, ranked as PubMed listed them.

        The first call asks for all identifiers at once (one consistent list) and keeps them in the cursor. A query with
        more records than ESearch gives is cut into parts by date (`pubmed.slices`), newest first; such a page may come
        without records, only with a cursor that is further on. The cursor's fields: see `pubmed.listing`.
        """
        lister = Lister(self.source, client, query, self._most_records)
        listing = from_cursor(cursor) if cursor else lister.start(limit)
        if not listing.ids and listing.unfinished:
            listing = lister.advance(listing, limit)
        if not listing.ids:
            if listing.unfinished:
                return Page((), to_cursor(listing), total=listing.total, notes=listing.notes)
            listing = lister.proven(listing)
            return Page((), None, total=listing.total, capped=listing.capped, notes=listing.notes)
        size = min(RECORDS_A_CALL, max(limit, 0))
        taken = list(listing.ids[:size])
        hits, missing, invalid, extra = self._records_of(client, taken, listing.rank)
        following = replace(listing, ids=listing.ids[size:], rank=listing.rank + len(taken))
        more = following.unfinished or not following.checked
        notes = listing.notes
        if extra:
            notes = (*notes, f"PubMed sent {extra} record(s) that were not asked for; they are not used.")
        return Page(
            tuple(hits),
            to_cursor(following) if more else None,
            total=listing.total,
            invalid_records=invalid,
            capped=listing.capped and not more,
            missing=missing,
            notes=notes,
        )

    def lookup(
        self, client: Client, identifiers: list[Identifier], *, max_age_seconds: float | None = None
    ) -> LookupResult:
        """Records by PMID (200 a call) or DOI (25 a call, two calls). A DOI counts only if the record itself has it."""

        def ask(batch: list[Identifier]) -> LookupResult:
            if batch[0].scheme is Scheme.PMID:
                return self._lookup_pmids(client, batch, max_age_seconds)
            return self._lookup_dois(client, batch, max_age_seconds)

        pmids = [one for one in identifiers if one.scheme is not Scheme.DOI]
        dois = [one for one in identifiers if one.scheme is Scheme.DOI]
        first = look_up_in_batches(self.source, pmids, self.lookup_schemes, RECORDS_A_CALL, ask)
        second = look_up_in_batches(self.source, dois, self.lookup_schemes, _DOIS_A_CALL, ask)
        return LookupResult(first.found | second.found, first.absent | second.absent, first.failures | second.failures)

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
        """Up to five records with the words of this title: all of them, or else the longest ones and the author.

        Year and journal are not asked for: they are what a wrong citation gets wrong.
        """
        words = title_words(title)
        if not words:
            return [], []
        longest = sorted(words, key=len, reverse=True)[: 4 if author else 6]
        answer_ids: list[int] = []
        for term in dict.fromkeys((terms.title_term(words[:20]), terms.title_term(longest, author=author))):
            params = (("term", term), ("sort", terms.SORT))
            answer = client.send(
                request.esearch(params, retmax=_MATCHES, operation="match"), max_age_seconds=max_age_seconds
            )
            answer_ids.append(answer_id_of(answer))
            pmids = self._search_result(answer).pmids[:_MATCHES]
            if pmids:
                fetched, answer_id = self._fetch(client, list(pmids), "match", max_age_seconds)
                return _in_order(pmids, fetched), [*answer_ids, answer_id]
        return [], answer_ids

    def related(self, client: Client, identifier: Identifier, limit: int) -> tuple[list[Record], list[int]]:
        """PubMed's similar articles of a PMID (or of a DOI that PubMed has). Raises SourceError."""
        pmid, answer_ids = identifier.value, list[int]()
        if identifier.scheme is not Scheme.PMID:
            result = self.lookup(client, [identifier])
            if identifier in result.failures:
                raise result.failures[identifier]
            if identifier not in result.found:
                return [], list(result.absent.values())
            record, answer_id = result.found[identifier]
            pmid, answer_ids = record.pmid, [answer_id]
        answer = client.send(request.elink_related(pmid))
        answer_ids.append(answer_id_of(answer))
        pmids = self._parsed(answer, parse.related_pmids)[: max(limit, 0)]
        records: list[Record] = []
        for start in range(0, len(pmids), RECORDS_A_CALL):
            batch = pmids[start : start + RECORDS_A_CALL]
            fetched, answer_id = self._fetch(client, list(batch), "related", None)
            records += _in_order(batch, fetched)
            answer_ids.append(answer_id)
        return records, answer_ids

    def find_headings(
        self, client: Client, words: str, *, limit: int = 10, max_age_seconds: float | None = None
    ) -> tuple[list[MeshHeadingFound], list[int]]:
        """MeSH headings for these words: those called so, or with such an entry term, first; then as NLM ranks them."""
        asked = " ".join(words.split())
        if not asked or limit < 1:
            return [], []
        answer = client.send(request.mesh_search(asked, retmax=limit), max_age_seconds=max_age_seconds)
        uids = self._parsed(answer, vocabulary.heading_uids)[:limit]
        if not uids:
            return [], [answer_id_of(answer)]
        summaries = client.send(request.mesh_summaries(uids), max_age_seconds=max_age_seconds)
        answer_ids = [answer_id_of(answer), answer_id_of(summaries)]
        if summaries.outcome is Outcome.NOT_FOUND:
            return [], answer_ids
        found = self._parsed(summaries, lambda body: vocabulary.headings(body, asked))
        return vocabulary.exact_first(found), answer_ids

    def spelling(self, client: Client, words: str, *, max_age_seconds: float | None = None) -> Spelling:
        """PubMed's other spelling of a search text; it corrects single words and knows no names."""
        answer = client.send(request.espell(words), max_age_seconds=max_age_seconds)
        other = self._parsed(answer, vocabulary.corrected)
        same = " ".join(words.split()).casefold() == other.casefold()
        return Spelling(words, "" if same else other, answer_id_of(answer))

    def find_places(
        self, client: Client, places: Sequence[CitedPlace], *, max_age_seconds: float | None = None
    ) -> list[PlaceMatch]:
        """Candidates by journal, year, volume and page (100 places a call), fetched and compared with the place."""
        found: list[PlaceMatch] = []
        for batch in in_batches(list(places), PLACES_A_CALL):
            found += self._find_places(client, batch, max_age_seconds)
        return found

    def _find_places(self, client: Client, batch: list[CitedPlace], max_age: float | None) -> list[PlaceMatch]:
        keys = [f"place{number}" for number in range(1, len(batch) + 1)]
        asked = {key: place for key, place in zip(keys, batch, strict=True) if place.journal or place.year}
        lines: dict[str, placing.Line] = {}
        answer_ids: tuple[int, ...] = ()
        if asked:
            wanted = request.ecitmatch(placing.line_of(place, key) for key, place in asked.items())
            answer = client.send(wanted, max_age_seconds=max_age)
            lines, answer_ids = self._parsed(answer, placing.read), (answer_id_of(answer),)
        pmids = list(dict.fromkeys(pmid for line in lines.values() for pmid in line.pmids))
        records: dict[str, tuple[Record, int]] = {}
        for group in in_batches(pmids, RECORDS_A_CALL):
            fetched, answer_id = self._fetch(client, group, "places", max_age)
            records |= {record.source_id: (record, answer_id) for record in reversed(fetched)}
        return [
            _place_match(place, lines.get(key), records, answer_ids) for key, place in zip(keys, batch, strict=True)
        ]

    def _parsed(self, answer: Answer, read: Callable[[bytes], T]) -> T:
        try:
            return read(answer.body)
        except UnreadableAnswer as error:
            raise unreadable(self.source, parse.LABEL, answer, error) from error

    def _search_result(self, answer: Answer) -> parse.SearchResult:
        return self._parsed(answer, parse.search_result)

    def _read(self, client: Client, wanted: Request, max_age_seconds: float | None) -> tuple[list[Record], int]:
        answer = client.send(wanted, max_age_seconds=max_age_seconds)
        if answer.outcome is Outcome.NOT_FOUND:
            return [], answer_id_of(answer)
        return self._parsed(answer, parse.records), answer_id_of(answer)

    def _fetch(
        self, client: Client, pmids: list[str], operation: str, max_age_seconds: float | None
    ) -> tuple[list[Record], int]:
        return self._read(client, request.efetch(pmids, operation=operation), max_age_seconds)

    def _records_of(self, client: Client, pmids: list[str], rank: int) -> tuple[list[Hit], tuple[str, ...], int, int]:
        """Hits in the order of `pmids`; the PMIDs that did not come; records without title; records not asked for."""
        fetched, answer_id = self._fetch(client, pmids, "records", None)
        by_pmid: dict[str, tuple[int, Record]] = {}
        for position, record in enumerate(fetched):
            by_pmid.setdefault(record.source_id, (position, record))
        hits: list[Hit] = []
        invalid = 0
        for offset, pmid in enumerate(pmids, start=1):
            if pmid not in by_pmid:
                continue
            position, record = by_pmid[pmid]
            if record.title:
                hits.append(Hit(record, rank + offset, answer_id, position))
            else:
                invalid += 1
        missing = tuple(pmid for pmid in pmids if pmid not in by_pmid)
        extra = len(set(by_pmid) - set(pmids))
        return hits, missing, invalid, extra

    def _lookup_pmids(self, client: Client, batch: list[Identifier], max_age: float | None) -> LookupResult:
        fetched, answer_id = self._fetch(client, [one.value for one in batch], "lookup", max_age)
        by_pmid = {record.source_id: record for record in reversed(fetched)}
        found = {one: (by_pmid[one.value], answer_id) for one in batch if one.value in by_pmid}
        return LookupResult(found, {one: answer_id for one in batch if one not in found})

    def _lookup_dois(self, client: Client, batch: list[Identifier], max_age: float | None) -> LookupResult:
        params = (("term", terms.dois_term([one.value for one in batch])), ("sort", terms.SORT))
        answer = client.send(
            request.esearch(params, retmax=RECORDS_A_CALL, operation="lookup"), max_age_seconds=max_age
        )
        result, search_id = self._search_result(answer), answer_id_of(answer)
        if result.total > RECORDS_A_CALL:
            raise SourceError(
                self.source,
                Outcome.MALFORMED,
                "PubMed did not take these DOIs as DOIs and found too much.",
                hint="Look them up one by one.",
                answer_id=search_id,
            )
        if not result.pmids:
            return LookupResult({}, dict.fromkeys(batch, search_id))
        fetched, answer_id = self._fetch(client, list(result.pmids), "lookup", max_age)
        index = first_by_identifier(fetched)
        found = {one: (index[one], answer_id) for one in batch if one in index}
        return LookupResult(found, {one: search_id for one in batch if one not in found})


def _place_match(
    place: CitedPlace,
    line: placing.Line | None,
    records: dict[str, tuple[Record, int]],
    answer_ids: tuple[int, ...],
) -> PlaceMatch:
    if line is None:
        reason = "" if place.journal or place.year else "Journal or year is needed."
        return PlaceMatch(PlaceVerdict.NOT_ANSWERED, reason=reason, answer_ids=answer_ids)
    found = [records[pmid] for pmid in line.pmids if pmid in records]
    verdict, reason = line.verdict, line.reason
    if line.pmids and not found:
        verdict, reason = PlaceVerdict.NOTHING, f"PubMed named {', '.join(line.pmids)}, which it does not have."
    return PlaceMatch(
        verdict,
        tuple(record for record, _ in found),
        tuple(placing.differences(place, record) for record, _ in found),
        reason,
        (*answer_ids, *dict.fromkeys(answer_id for _, answer_id in found)),
    )


def _in_order(pmids: tuple[str, ...] | list[str], records: list[Record]) -> list[Record]:
    by_pmid = {record.source_id: record for record in reversed(records)}
    return [by_pmid[pmid] for pmid in pmids if pmid in by_pmid]

"""Which PMIDs a PubMed query lists, in their order: one list where ESearch gives all, else part after part by date."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Any

from litapp.core.ports import Answer, Outcome
from litapp.providers.answers import UnreadableAnswer
from litapp.providers.asking import unreadable
from litapp.providers.base import Client, CompiledQuery, SourceError
from litapp.providers.pubmed import parse, request, slices
from litapp.providers.pubmed.slices import Division, Slice
from litapp.providers.reading import mapping, mappings, sequence, text, texts, whole

STEPS_A_CALL = 20
"""Parts looked at in one call, so that a long division is saved now and then and can be cancelled."""
NAMED_PARTS = 12
"""Parts named in the note; of more, the number and the ends."""
_LATEST_DAY = date(2200, 1, 1)
_ROOM = 0.95
"""A part is planned this full, so that it still fits when records come in meanwhile."""


@dataclass(frozen=True, slots=True)
class Listing:
    """Where the listing of a query is. `ids` are listed and not fetched yet; `rank` is that of the last one fetched.

    `parts` wait to be listed; `division` is set while the query is still being cut; `listed` = different PMIDs listed
    so far; `seen` those of the current region, kept only where parts overlap; `cut` = some records cannot be had.
    """

    ids: tuple[str, ...] = ()
    rank: int = 0
    total: int = 0
    capped: bool = False
    parts: tuple[Slice, ...] = ()
    division: Division | None = None
    listed: int = 0
    seen: tuple[str, ...] = ()
    region: str = ""
    checked: bool = False
    notes: tuple[str, ...] = field(default=(), compare=False)

    @property
    def unfinished(self) -> bool:
        """Something is still to be divided, listed or fetched."""
        return bool(self.ids or self.parts or self.division)


class Lister:
    """Lists one query step by step. `most` is how many records ESearch gives of one query."""

    def __init__(self, source: str, client: Client, query: CompiledQuery, most: int) -> None:
        self._source, self._client, self._query, self._most = source, client, query, most

    def start(self, limit: int) -> Listing:
        """Ask for the list; where it has more records than can be had and are wanted, begin to divide it."""
        wanted = max(1, min(limit, self._most))
        answer, result = self._search(self._query.params, wanted)
        notes = _remarks(result)
        if result.total <= self._most or limit <= self._most:
            expected = min(result.total, wanted)
            self._require(answer, result, expected)
            return Listing(result.pmids[:expected], 0, result.total, listed=expected, checked=True, notes=notes)
        most = max(1, int(self._most * _ROOM))
        division = slices.begin(result.total, min(result.total, limit), most, _day_of(answer))
        return Listing(total=result.total, division=division, notes=notes)

    def advance(self, listing: Listing, limit: int) -> Listing:
        """One more step towards PMIDs to fetch: divide on, or list the next part. `limit` = records still wanted."""
        division = listing.division
        if division is not None and not (listing.parts and division.done):
            return self._divide(listing, division, limit)
        return self._list(listing) if listing.parts else listing

    def _divide(self, listing: Listing, division: Division, limit: int) -> Listing:
        if division.done:
            # It rested, because enough was counted; overlapping parts held fewer different records than that.
            division = replace(division, wanted=limit)
        for _ in range(STEPS_A_CALL):
            if division.done:
                break
            division = slices.step(division, self._count)
        if not division.done:
            return replace(listing, division=division)
        new = division.parts
        rest = replace(division, parts=(), wanted=0) if division.open else None
        notes = listing.notes
        if new:
            complete = rest is None or division.counted >= listing.total
            notes = (*notes, division_note(listing.total, new, self._most, all_of_it=complete))
        return replace(listing, division=rest, parts=(*listing.parts, *new), notes=notes)

    def _list(self, listing: Listing) -> Listing:
        part, others = listing.parts[0], listing.parts[1:]
        answer, result = self._search(self._params(part), self._most)
        halves = slices.cut(part) if result.total > self._most else []
        if halves:
            return replace(listing, parts=(*halves, *others))
        self._require(answer, result, min(result.total, self._most))
        notes, capped = listing.notes, listing.capped
        if result.total > self._most:
            capped = True
            notes = (
                *notes,
                f"PubMed has {result.total:,} records {part.words} and gives only the first {self._most:,} of them.",
            )
        seen = listing.seen if part.region == listing.region else ()
        known = set(seen)
        ids = tuple(pmid for pmid in result.pmids if pmid not in known) if part.overlaps else result.pmids
        return replace(
            listing,
            ids=ids,
            parts=others,
            capped=capped,
            listed=listing.listed + len(ids),
            seen=(*seen, *ids) if part.overlaps else (),
            region=part.region,
            notes=notes,
        )

    def proven(self, listing: Listing) -> Listing:
        """The parts together hold what PubMed reported for the whole, or the difference is explained and said.

        Raises SourceError where records are missing without a reason.
        """
        if listing.checked or listing.capped or listing.listed == listing.total:
            return replace(listing, checked=True)
        if listing.listed < listing.total:
            answer, now = self._search(self._query.params, 0)
            if now.total > listing.listed:
                raise SourceError(
                    self._source,
                    Outcome.MALFORMED,
                    f"PubMed reports {now.total:,} records, but its parts by date hold only {listing.listed:,}.",
                    hint="Try again; if it stays so, split the query by years yourself.",
                    answer_id=answer.answer_id,
                )
        note = (
            f"PubMed reported {listing.total:,} records at first, its parts by date held {listing.listed:,}: "
            "PubMed changed while they were listed."
        )
        return replace(listing, checked=True, total=listing.listed, notes=(*listing.notes, note))

    def _count(self, part: Slice) -> int:
        return self._search(self._params(part), 0)[1].total

    def _params(self, part: Slice) -> tuple[tuple[str, str], ...]:
        return tuple((name, part.term(value) if name == "term" else value) for name, value in self._query.params)

    def _search(self, params: tuple[tuple[str, str], ...], retmax: int) -> tuple[Answer, parse.SearchResult]:
        answer = self._client.send(request.esearch(params, retmax=retmax))
        try:
            return answer, parse.search_result(answer.body)
        except UnreadableAnswer as error:
            raise unreadable(self._source, parse.LABEL, answer, error) from error

    def _require(self, answer: Answer, result: parse.SearchResult, expected: int) -> None:
        if len(result.pmids) < expected:
            raise SourceError(
                self._source,
                Outcome.MALFORMED,
                f"PubMed reports {result.total:,} records but named only {len(result.pmids):,} of {expected:,}.",
                hint="Try again; if it stays so, narrow the query.",
                answer_id=answer.answer_id,
            )


def division_note(total: int, parts: tuple[Slice, ...], most: int, *, all_of_it: bool) -> str:
    """What a person must know of a query that is fetched in parts."""
    named = [f"{part.words} ({part.count or 0:,})" for part in parts]
    if len(named) > NAMED_PARTS:
        named = [*named[: NAMED_PARTS - 2], f"{len(named) - NAMED_PARTS + 1} more", named[-1]]
    order = (
        "They are ranked from the newest part to the oldest."
        if all_of_it
        else "The newest parts are fetched first, so a limit keeps the newest records."
    )
    return (
        f"PubMed gives only the first {most:,} of {total:,} records at once, so they are fetched in {len(parts)} parts "
        f"by the day on which PubMed received them: {'; '.join(named)}. {order}"
    )


def _remarks(result: parse.SearchResult) -> tuple[str, ...]:
    dropped = (f"PubMed does not know “{word}” and searched without it." for word in result.dropped)
    return (*dropped, *result.warnings)


def _day_of(answer: Answer) -> date:
    """The day of the answer and some more: the end of the span that is cut by day of receipt."""
    when: datetime | None = answer.received_at
    if when is None:
        try:
            when = parsedate_to_datetime(answer.headers.get("date", ""))
        except (ValueError, TypeError, IndexError):
            return _LATEST_DAY
    return when.date() + timedelta(days=30)


def to_cursor(listing: Listing) -> dict[str, object]:
    """The listing as a cursor; what is empty is left out."""
    form: dict[str, object] = {"ids": list(listing.ids), "rank": listing.rank, "total": listing.total}
    form["listed"] = listing.listed
    if listing.capped:
        form["capped"] = True
    if listing.parts:
        form["slices"] = [slices.to_json(part) for part in listing.parts]
    if listing.division is not None:
        form["division"] = slices.division_to_json(listing.division)
    if listing.seen:
        form["seen"] = list(listing.seen)
    if listing.region:
        form["region"] = listing.region
    if listing.checked:
        form["checked"] = True
    return form


def from_cursor(cursor: dict[str, Any]) -> Listing:
    """Inverse of `to_cursor`; a cursor of an earlier version counts as a list that needs no proof."""
    total, rank, ids = whole(cursor.get("total")) or 0, whole(cursor.get("rank")) or 0, texts(sequence(cursor["ids"]))
    listed = whole(cursor.get("listed"))
    return Listing(
        ids=ids,
        rank=rank,
        total=total,
        capped=cursor.get("capped") is True,
        parts=tuple(slices.from_json(part) for part in mappings(cursor.get("slices"))),
        division=slices.division_from_json(cursor["division"]) if mapping(cursor.get("division")) else None,
        listed=total if listed is None else listed,
        seen=texts(sequence(cursor.get("seen"))),
        region=text(cursor.get("region")),
        checked=cursor.get("checked") is True or listed is None,
    )

"""What absorbing a page works out: parsed records, comparisons, merged records, each once.

It is filled before the database is locked, on what is there then. Under the lock the same questions are asked again
and most are answered already: only what came in between is worked out while others wait.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from litapp.core.dedupe import PairVerdict, entry_key_of
from litapp.core.dedupe.pairs import compare_features
from litapp.core.plan import SearchPlan
from litapp.core.records import Record, record_from_dict
from litapp.ledger.models import SourceRecord
from litapp.ledger.services.records import record_row
from litapp.providers.base import Hit
from searches.services.derived import derived_columns
from searches.services.grouping import NOT_STORED, Group, Member

CHUNK = 500
"""Values in one SQL list."""

Place = tuple[int, int]
"""Answer and position."""


class Workbench:
    """Members by place and by source record, verdicts by pair, columns by group. One page, one thread."""

    def __init__(self) -> None:
        self._rows: dict[Place, SourceRecord] = {}
        self._by_place: dict[Place, Member] = {}
        self._by_record: dict[int, Member] = {}
        self._verdicts: dict[tuple[int, int], PairVerdict] = {}
        self._derived: dict[tuple[frozenset[int], tuple[int, ...], tuple[str, ...]], tuple[Record, dict[str, Any]]] = {}

    def rows_of(self, hits: Sequence[Hit]) -> list[SourceRecord]:
        """The ledger's rows for hits, stored or to be stored, in their order."""
        for hit in hits:
            if (hit.answer_id, hit.position) not in self._rows:
                row = record_row(hit.answer_id, hit.position, hit.record)
                self._rows[hit.answer_id, hit.position] = row
        return [self._rows[hit.answer_id, hit.position] for hit in hits]

    def expect(self, row: SourceRecord, member: Member) -> None:
        """Use this member for a row of the ledger, stored or to be stored."""
        self._by_place[row.answer_id, row.position] = member

    def newcomers(self, rows: Sequence[SourceRecord], records: Sequence[Record]) -> list[Member]:
        """The members for rows of the ledger, stored or to be stored, in their order; each place once."""
        members: dict[Place, Member] = {}
        for number, (row, record) in enumerate(zip(rows, records, strict=True)):
            place = (row.answer_id, row.position)
            member = self._by_place.get(place)
            if member is None:
                member = self._by_place[place] = Member(NOT_STORED + number, record, entry_key_of(row.data))
            if row.pk is not None:
                member.source_record_id = row.pk
            self._by_record[member.source_record_id] = member
            members[place] = member
        return list(members.values())

    def load(self, record_ids: Iterable[int]) -> None:
        """Read those stored records of which no member is on the bench yet."""
        unknown = sorted({pk for pk in record_ids if pk not in self._by_record})
        for start in range(0, len(unknown), CHUNK):
            stored = SourceRecord.objects.filter(pk__in=unknown[start : start + CHUNK])
            for record_id, data in stored.values_list("pk", "data"):
                self._by_record[record_id] = Member(record_id, record_from_dict(data))

    def member(self, record_id: int) -> Member:
        """The member of a record that is on the bench."""
        return self._by_record[record_id]

    def judge(self, one: int, other: int) -> PairVerdict:
        """What `core.dedupe` says of two records that are on the bench."""
        left, right = self._by_record[one], self._by_record[other]
        pair = (id(left), id(right))
        if pair not in self._verdicts:
            self._verdicts[pair] = compare_features(left.features, right.features)
        return self._verdicts[pair]

    def derived(self, group: Group, plans: Mapping[int, SearchPlan]) -> tuple[Record, dict[str, Any]]:
        """Merged record and derived columns of a group found by these plan versions; its records are on the bench."""
        current, found_by = [self._by_record[node.source_record_id] for node in group.current()], group.found_by()
        key = (frozenset(id(member) for member in current), tuple(sorted(plans)), tuple(found_by))
        if key not in self._derived:
            records = [member.record for member in current]
            self._derived[key] = derived_columns(records, plans.values(), found_by=found_by)
        return self._derived[key]

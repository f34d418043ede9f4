"""The local list of retractions (Retraction Watch): what it says of a paper, as one more source of the status."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from litapp.core.records import Identifier, Notice, NoticeKind, Record, Scheme
from litapp.core.verification import Answered, Asked, Found, organisation_of
from litapp.verification.models import ListedRetraction, RetractionFile

LIST = "retractionwatch"
"""Key of the list where sources are named."""
_AT_ONCE = 400


@dataclass(frozen=True, slots=True)
class RetractionList:
    """The rows of the list about some papers. `version` is "" where no list is loaded: then nobody was asked."""

    version: str = ""
    rows: dict[tuple[str, str], list[ListedRetraction]] = field(default_factory=dict)

    @classmethod
    def about(cls, identifiers: Iterable[Identifier]) -> RetractionList:
        """The rows about these DOIs and PMIDs; three queries at most for 400."""
        loaded = RetractionFile.objects.order_by("-pk").first()
        if loaded is None:
            return cls()
        rows: defaultdict[tuple[str, str], list[ListedRetraction]] = defaultdict(list)
        wanted = set(identifiers)
        for scheme in (Scheme.DOI, Scheme.PMID):
            values = sorted(one.value for one in wanted if one.scheme is scheme)
            for start in range(0, len(values), _AT_ONCE):
                some = {f"{scheme.value}__in": values[start : start + _AT_ONCE]}
                for row in ListedRetraction.objects.filter(file=loaded, **some):
                    rows[scheme.value, getattr(row, scheme.value)].append(row)
        return cls(loaded.sha256, dict(rows))

    def evidence(self, claimed: Record, matched: Record | None) -> list[Found]:
        """What the list says of a reference: its rows under the identifiers of the reference and of the record found
        for it, as answers whose titles are still to be compared. A row without title speaks of the paper only where
        the found record carries its identifier."""
        if not self.version:
            return []
        asked = {one for record in (claimed, matched) if record for one in record.identifiers}
        found = []
        for one in sorted(asked):
            for row in self.rows.get((one.scheme.value, one.value), ()):
                sure = matched is not None and one in matched.identifiers
                title = (matched.title if matched and sure else "") or row.title
                record = Record(
                    source=LIST,
                    source_id=f"line {row.line}",
                    title=title,
                    identifiers=(one,),
                    notices=(Notice(NoticeKind(row.kind), row.notice_doi, row.notice_pmid, row.date),),
                )
                found.append(self._found(one.value, one.scheme.value, Answered.FOUND, record))
        return found or [self._found("", "", Answered.ABSENT, None)]

    def _found(self, question: str, scheme: str, outcome: Answered, record: Record | None) -> Found:
        return Found(LIST, organisation_of(LIST), Asked.IDENTIFIER, question, outcome, record, scheme)

"""How two records stand to each other field by field: for a person who decides, or asks why they were merged."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from litapp.core.dedupe.features import features_of
from litapp.core.dedupe.pairs import compare_features
from litapp.core.dedupe.signals import NO, UNKNOWN, YES, Title, signals
from litapp.core.dedupe.verdicts import PairVerdict
from litapp.core.records import Record, Scheme


class Stand(StrEnum):
    """A field in two records: EQUAL texts, ALIKE (agrees, written otherwise), DIFFERS, MISSING on one side or both."""

    EQUAL = "equal"
    ALIKE = "alike"
    DIFFERS = "differs"
    MISSING = "missing"


@dataclass(frozen=True, slots=True)
class FieldStand:
    """One field of two records. `note` says how alike they are where that is measured ("96 % of the letters")."""

    name: str
    left: str
    right: str
    stand: Stand
    note: str = ""


def compare_fields(a: Record, b: Record) -> tuple[PairVerdict, tuple[FieldStand, ...]]:
    """What the rules say of two records, and every field that they look at, in reading order; fields that neither
    states are left out."""
    one, other = features_of(a), features_of(b)
    s = signals(one, other)
    people = f"{round(100 * s.shared_people)} % of the names in common" if one.people and other.people else ""
    title = YES if s.title in (Title.EQUAL, Title.PART, Title.SLIP) else NO
    rows = [
        _stand("Title", a.title, b.title, title, f"{round(100 * s.likeness)} % of the letters in common"),
        _stand("Original title", a.original_title, b.original_title),
        _stand("Authors", _names(a), _names(b), s.author, people),
        _stand("Journal", a.journal or a.journal_abbreviation, b.journal or b.journal_abbreviation, s.journal),
        _stand("Year", _year(a), _year(b), UNKNOWN if s.year_gap is None else YES if s.near_year else NO),
        _stand("Volume", a.volume, b.volume, s.volume),
        _stand("Issue", a.issue, b.issue, s.issue),
        _stand("Pages", a.pages, b.pages, s.pages),
        _stand("DOI", a.doi, b.doi, s.doi),
        _stand("PMID", a.pmid, b.pmid, s.pmid),
        _stand("PMCID", a.identifier(Scheme.PMCID), b.identifier(Scheme.PMCID)),
        _stand("arXiv", a.identifier(Scheme.ARXIV), b.identifier(Scheme.ARXIV)),
        _stand("Kind", ", ".join(a.publication_types), ", ".join(b.publication_types)),
        _stand("Language", ", ".join(a.languages), ", ".join(b.languages)),
        _stand("Abstract", a.abstract_text, b.abstract_text),
    ]
    return compare_features(one, other), tuple(row for row in rows if row.left or row.right)


def _names(record: Record) -> str:
    return ", ".join(person.name for person in record.authors) + ("" if record.authors_complete else " and others")


def _year(record: Record) -> str:
    return str(record.year) if record.year else record.date.text


def _stand(name: str, left: str, right: str, signal: int | None = None, note: str = "") -> FieldStand:
    """`signal` is what the rules see (None = they look at the plain text only)."""
    left, right = left.strip(), right.strip()
    if not left or not right:
        return FieldStand(name, left, right, Stand.MISSING)
    if left == right:
        return FieldStand(name, left, right, Stand.EQUAL)
    stand = Stand.ALIKE if signal == YES else Stand.DIFFERS
    return FieldStand(name, left, right, stand, note)

"""Steps that every source's look-ups and searches share: batches, failures per identifier, answer ids."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from litapp.core.ports import Answer, Outcome
from litapp.core.records import Identifier, Record
from litapp.providers.answers import UnreadableAnswer
from litapp.providers.base import Deferred, LookupResult, SourceError
from litapp.providers.reading import in_batches


def answer_id_of(answer: Answer) -> int:
    """The answer's id in the ledger. Raises ValueError when the archive gave none: nothing may be read from it then."""
    if answer.answer_id is None:
        raise ValueError("an answer without an id in the ledger cannot be evidence")
    return answer.answer_id


def unreadable(source: str, label: str, answer: Answer, error: UnreadableAnswer) -> SourceError:
    """An answer that passed as good but holds not what was asked for."""
    return SourceError(
        source,
        Outcome.MALFORMED,
        f"{label} sent {error}. Nothing can be concluded from it.",
        hint="Try again later.",
        answer_id=answer.answer_id,
    )


def look_up_in_batches(
    source: str,
    identifiers: Iterable[Identifier],
    schemes: tuple[str, ...],
    batch_size: int,
    ask: Callable[[list[Identifier]], LookupResult],
) -> LookupResult:
    """Ask batch by batch, one scheme at a time. Every identifier ends in exactly one of found, absent, failures.

    A batch that fails takes only its own identifiers with it; after a `Deferred` the rest is not asked at all.
    """
    found: dict[Identifier, tuple[Record, int]] = {}
    absent: dict[Identifier, int] = {}
    failures: dict[Identifier, SourceError] = {}
    unique = list(dict.fromkeys(identifiers))
    for identifier in unique:
        if identifier.scheme.value not in schemes:
            failures[identifier] = SourceError(
                source,
                Outcome.PERMANENT,
                f"This source cannot be asked for a {identifier.scheme.value.upper()}.",
                code="unsupported_scheme",
            )
    stopped: SourceError | None = None
    for scheme in schemes:
        for batch in in_batches([one for one in unique if one.scheme.value == scheme], batch_size):
            if stopped is not None:
                failures.update(dict.fromkeys(batch, stopped))
                continue
            try:
                result = ask(batch)
            except SourceError as error:
                failures.update(dict.fromkeys(batch, error))
                stopped = error if isinstance(error, Deferred) else None
                continue
            found.update(result.found)
            absent.update(result.absent)
            failures.update(result.failures)
    return LookupResult(found, absent, failures)


def first_by_identifier(records: Iterable[Record]) -> dict[Identifier, Record]:
    """Records by each identifier they carry; where two carry the same one, the first counts."""
    index: dict[Identifier, Record] = {}
    for record in records:
        for identifier in record.identifiers:
            index.setdefault(identifier, record)
    return index

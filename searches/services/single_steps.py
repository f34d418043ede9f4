"""The single steps of the command line: search one source, fetch identifiers, find a citation, find related papers.

Every record comes from an archived answer; what was read from one is stored in the ledger.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from litapp.core.identifiers import parse_identifier
from litapp.core.matching.titles import compare_titles
from litapp.core.matching.verdicts import Agreement
from litapp.core.plan import Filters, PlanQuery
from litapp.core.records import Identifier, Record
from litapp.core.verification import Verdict, check_record, judge
from litapp.ledger.services.clients import client_for, source_state
from litapp.ledger.services.records import store_hits
from litapp.providers.base import CompiledQuery, CountResult, SourceError
from litapp.providers.registry import (
    Capability,
    QueryKind,
    answering,
    lookup_provider,
    match_provider,
    related_provider,
    search_keys,
    search_provider,
    source,
    source_keys,
)
from litapp.verification.services.evidence import gather
from searches.services.plan_check import boolean_problem


class StepProblem(Exception):
    """The step cannot be done, or found nothing. The message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Searched:
    """Records of one source, as it ranked them. `reported` is its own number of hits (empty = it gave none)."""

    query: CompiledQuery
    records: tuple[Record, ...]
    answer_ids: tuple[int, ...]
    reported: int | None = None
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Fetched:
    """Records by identifier. `absent` = a source answered and does not have it; `failed` = nobody could be asked.

    `again` are those of `failed` of which a source was silent this time: asking later may help.
    """

    found: dict[Identifier, tuple[Record, int]] = field(default_factory=dict)
    absent: dict[Identifier, str] = field(default_factory=dict)
    failed: dict[Identifier, str] = field(default_factory=dict)
    again: frozenset[Identifier] = frozenset()


@dataclass(frozen=True, slots=True)
class Cited:
    """A record that a source returned for a title, and the verdict of the checks on it."""

    record: Record
    found_in: tuple[str, ...]
    answer_ids: tuple[int, ...]
    verdict: Verdict


def require_usable(key: str) -> None:
    """Raises StepProblem unless the source exists and can be used here."""
    if key not in source_keys():
        raise StepProblem(f"There is no source “{key}”. There are: {', '.join(source_keys())}.")
    state = source_state(key)
    if not state.usable:
        raise StepProblem(f"{state.reason} {state.hint}".strip())


def compile_text(key: str, text: str, filters: Filters) -> CompiledQuery:
    """The text as the source takes it: as a Boolean query, or as plain words. Raises StepProblem, SourceError."""
    if key not in search_keys():
        raise StepProblem(f"{source(key).label} cannot be searched. Search one of: {', '.join(search_keys())}.")
    boolean = source(key).query_kind is QueryKind.BOOLEAN
    if boolean and (problem := boolean_problem(text)):
        raise StepProblem(problem)
    query = PlanQuery(boolean=text) if boolean else PlanQuery(plain=text)
    return search_provider(key).compile(query, filters)


def count_source(key: str, text: str, filters: Filters | None = None) -> CountResult:
    """Ask one source for its number of hits. Raises StepProblem, SourceError."""
    require_usable(key)
    return search_provider(key).count(client_for(answering(key)), compile_text(key, text, filters or Filters()))


def search_source(key: str, text: str, limit: int, filters: Filters | None = None) -> Searched:
    """The first `limit` records of one source. Raises StepProblem, SourceError."""
    require_usable(key)
    query = compile_text(key, text, filters or Filters())
    records: list[Record] = []
    answers: list[int] = []
    remarks = [note.text for note in query.notes]
    cursor: dict[str, object] | None = {}
    reported: int | None = None
    while cursor is not None and len(records) < limit:
        page = search_provider(key).fetch_page(client_for(answering(key)), query, cursor, limit - len(records))
        store_hits((hit.answer_id, hit.position, hit.record) for hit in page.hits)
        records += [hit.record for hit in page.hits]
        answers += [hit.answer_id for hit in page.hits]
        reported = page.total if page.total is not None else reported
        remarks += [*page.notes, *_gaps(len(page.missing), page.invalid_records, page.empty_records)]
        if not page.hits and page.cursor == cursor:
            raise StepProblem(f"{source(key).label} went round in circles after {len(records)} records. Try later.")
        cursor = page.cursor
    if not records and reported is None:
        reported = search_provider(key).count(client_for(answering(key)), query).total
    if not records and reported:
        raise StepProblem(f"{source(key).label} reports {reported:,} records and gave none. Try again later.")
    return Searched(query, tuple(records), tuple(answers), reported, tuple(dict.fromkeys(remarks)))


def _gaps(missing: int, invalid: int, empty: int) -> list[str]:
    told = ((missing, "named but not delivered"), (invalid, "without a title, not used"), (empty, "empty"))
    return [f"Records {what}: {number}." for number, what in told if number]


def read_identifiers(texts: Iterable[str]) -> list[Identifier]:
    """Identifiers as typed (PMID, DOI, PMCID, arXiv ..., also as addresses). Raises StepProblem naming the bad one."""
    found = []
    for text in texts:
        identifier = parse_identifier(text)
        if identifier is None:
            raise StepProblem(f"“{text}” is not an identifier that LitLedger knows (PMID, DOI, PMCID, arXiv ...).")
        found.append(identifier)
    return list(dict.fromkeys(found))


def fetch_identifiers(identifiers: Sequence[Identifier]) -> Fetched:
    """Look each identifier up: at the source that owns it first, then at the others, until one has it."""
    found: dict[Identifier, tuple[Record, int]] = {}
    absent: dict[Identifier, str] = {}
    failed: dict[Identifier, str] = {}
    silent: set[Identifier] = set()
    for key, schemes in _owners_first():
        asked = lookup_provider(key)
        wanted = [one for one in identifiers if one not in found and one.scheme.value in schemes]
        state = source_state(key)
        if not wanted:
            continue
        if not state.usable:
            failed |= dict.fromkeys(wanted, state.reason)
            continue
        result = asked.lookup(client_for(key), wanted)
        found |= result.found
        absent = {one: f"{source(key).label} does not have it." for one in result.absent} | absent
        failed |= {one: error.message for one, error in result.failures.items()}
        silent |= {one for one, error in result.failures.items() if not error.permanent}
    for one in identifiers:
        if one not in found and one not in absent and one not in failed:
            failed[one] = "No source here can look up this kind of identifier."
    return Fetched(
        found={one: found[one] for one in identifiers if one in found},
        absent={one: why for one, why in absent.items() if one not in found},
        failed={one: why for one, why in failed.items() if one not in found and one not in absent},
        again=frozenset(one for one in silent if one not in found and one not in absent),
    )


def _owners_first() -> list[tuple[str, tuple[str, ...]]]:
    """(source, schemes to ask it for): each source for what it owns, then each for all else that it can look up."""
    able = [key for key in source_keys() if Capability.LOOKUP in source(key).capabilities]
    owned = [(key, source(key).owns) for key in able]
    rest = [(key, tuple(set(lookup_provider(key).lookup_schemes) - set(source(key).owns))) for key in able]
    return [*owned, *rest]


def cite_title(title: str, *, author: str = "", year: int | None = None) -> list[Cited]:
    """Records whose title is this one, as sources returned them, each with its verdict; the best one first.

    Raises StepProblem when no source returned such a record (then there is nothing to cite), SourceError when none
    could be asked.
    """
    records: list[Record] = []
    answers: dict[str, tuple[int, ...]] = {}
    errors: list[SourceError] = []
    keys = [key for key in source_keys() if Capability.CITATION_MATCH in source(key).capabilities]
    for key in keys:
        if not source_state(key).usable:
            continue
        try:
            hits, answer_ids = match_provider(key).match(client_for(key), title, author=author, year=year)
        except SourceError as error:
            errors.append(error)
            continue
        answers[key] = tuple(answer_ids)
        records += [hit for hit in hits if _same_title(title, hit)]
    if not records and errors:
        raise errors[0]
    if not records:
        raise StepProblem("No source returned a paper with this title. Nothing is cited; check the title's words.")
    evidence = gather(records)
    cited = []
    for place, record in enumerate(records):
        checks = check_record(record, [record.source], evidence.found.get(place, []))
        cited.append(Cited(record, (record.source,), answers[record.source], judge(checks)))
    return sorted(cited, key=lambda one: (-one.verdict.passed, source_keys().index(one.record.source)))


def _same_title(title: str, record: Record) -> bool:
    others = (record.original_title,) if record.original_title else ()
    return compare_titles(title, record.title, *others).verdict in (Agreement.SAME, Agreement.VARIANT)


def related_records(key: str, identifier: Identifier, limit: int) -> tuple[list[Record], list[int]]:
    """Papers that the source calls related, best first, and the answers. Raises StepProblem, SourceError."""
    require_usable(key)
    if Capability.RELATED not in source(key).capabilities:
        able = [k for k in source_keys() if Capability.RELATED in source(k).capabilities]
        raise StepProblem(f"{source(key).label} does not name related papers. Ask one of: {', '.join(able)}.")
    records, answer_ids = related_provider(key).related(client_for(key), identifier, limit)
    if not records:
        raise StepProblem(f"{source(key).label} names no paper related to {identifier.value}.")
    return records[:limit], answer_ids

"""bioRxiv and medRxiv: preprints by DOI with all versions and the published one, and what was posted in a period.

They have no search: Crossref answers it (posted content with their DOI prefixes), and Europe PMC (SRC:PPR) in its own
name.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from litapp.core.plan import Filters, PlanQuery
from litapp.core.ports import Answer, Outcome
from litapp.core.records import Identifier, Record
from litapp.providers.answers import UnreadableAnswer
from litapp.providers.asking import answer_id_of, look_up_in_batches, unreadable
from litapp.providers.base import (
    Classification,
    Client,
    CompiledQuery,
    CountResult,
    Credentials,
    Deferred,
    LookupResult,
    Page,
    Search,
    SourceError,
)
from litapp.providers.biorxiv import parse, request
from litapp.providers.biorxiv.preprints import Version, record_of
from litapp.providers.biorxiv.search import compile_query
from litapp.providers.settings import SourceSettings


@dataclass(frozen=True, slots=True)
class Preprint:
    """One preprint at the server that has it: `record` is its newest version, `versions` all of them by number."""

    server: str
    record: Record
    versions: tuple[Version, ...]
    answer_id: int


@dataclass(frozen=True, slots=True)
class Window:
    """A page of what was posted in a period: one entry for every version. `cursor` None = there is no more."""

    versions: tuple[Version, ...]
    cursor: int | None
    total: int | None
    unreadable: int
    answer_id: int


class Biorxiv:
    """See `providers.base`. It has no state of its own and may be shared. `crossref` answers its searches."""

    source = "biorxiv"
    lookup_schemes: tuple[str, ...] = ("doi",)

    def __init__(self, crossref: Search) -> None:
        self._crossref = crossref

    def credentials(self, settings: SourceSettings) -> Credentials:
        """None: the API has neither keys nor a place for a contact."""
        return Credentials()

    def classify(self, status: int, headers: dict[str, str], body: bytes) -> Classification:
        """See `biorxiv.parse.classify`."""
        return parse.classify(status, headers, body)

    def published_limit(self, headers: dict[str, str], body: bytes) -> float | None:
        """The API sends no limits."""
        return None

    def compile(self, query: PlanQuery, filters: Filters) -> CompiledQuery:
        """See `biorxiv.search.compile_query`."""
        return compile_query(self._crossref, query, filters)

    def count(self, client: Client, query: CompiledQuery) -> CountResult:
        """The number Crossref reports: every preprint of the servers that shares a word, so no count of matches."""
        return self._crossref.count(client, query)

    def fetch_page(self, client: Client, query: CompiledQuery, cursor: dict[str, object], limit: int) -> Page:
        """The next up to 100 preprints, as Crossref's records: Crossref is asked, at its pace."""
        return self._crossref.fetch_page(client, query, cursor, limit)

    def lookup(
        self, client: Client, identifiers: list[Identifier], *, max_age_seconds: float | None = None
    ) -> LookupResult:
        """Preprints by DOI, one call each at one or both servers.

        A DOI with another prefix than those of bioRxiv and medRxiv is a failure ("unsupported_prefix"), not absent.
        """

        def ask(batch: list[Identifier]) -> LookupResult:
            return self._lookup_one(client, batch[0], max_age_seconds)

        return look_up_in_batches(self.source, identifiers, self.lookup_schemes, 1, ask)

    def preprint(
        self, client: Client, doi: str, *, max_age_seconds: float | None = None
    ) -> tuple[Preprint | None, tuple[int, ...]]:
        """The preprint with this DOI (None = both servers answered and do not have it), and all answers.

        Raises SourceError when a server that could have it could not be asked.
        """
        wanted = request.without_version(doi)
        answer_ids: list[int] = []
        trouble: SourceError | None = None
        for server in request.SERVERS:
            try:
                answer = client.send(request.preprint(server, wanted), max_age_seconds=max_age_seconds)
            except Deferred:
                raise
            except SourceError as error:
                trouble = error
                continue
            answer_ids.append(answer_id_of(answer))
            versions = self._versions(answer, wanted)
            record = record_of(list(versions))
            if record is not None:
                return Preprint(server, record, versions, answer_id_of(answer)), tuple(answer_ids)
        if trouble is not None:
            raise trouble
        return None, tuple(answer_ids)

    def posted_between(self, client: Client, server: str, first: date, last: date, *, cursor: int = 0) -> Window:
        """What a server ("biorxiv" or "medrxiv") posted from `first` to `last`, page by page. Raises SourceError.

        The page size changes (30 and 100 were seen), so the next page is asked for by what this one held.
        """
        if server not in request.SERVERS:
            raise ValueError(f"no such server: {server}")
        answer = client.send(request.window(server, first, last, cursor))
        page = self._listing(answer)
        ended = answer.outcome is not Outcome.OK or page.count <= 0
        more = not ended and (page.total is None or cursor + page.count < page.total)
        return Window(
            page.versions, cursor + page.count if more else None, page.total, page.unreadable, answer_id_of(answer)
        )

    def _listing(self, answer: Answer) -> parse.Listing:
        try:
            return parse.listing(answer.body)
        except UnreadableAnswer as error:
            raise unreadable(self.source, parse.LABEL, answer, error) from error

    def _versions(self, answer: Answer, doi: str) -> tuple[Version, ...]:
        """The versions of an answer, by number. Raises SourceError when they are another preprint's."""
        if answer.outcome is not Outcome.OK:
            return ()
        versions = self._listing(answer).versions
        strange = [version for version in versions if version.record.doi != doi]
        if strange or not versions:
            got = strange[0].record.doi if strange else "nothing that can be read"
            raise SourceError(
                self.source,
                Outcome.MALFORMED,
                f"bioRxiv was asked for {doi} and answered with {got}.",
                hint="Look the DOI up by hand.",
                answer_id=answer.answer_id,
            )
        return tuple(sorted(versions, key=lambda version: version.number))

    def _lookup_one(self, client: Client, identifier: Identifier, max_age: float | None) -> LookupResult:
        if not request.can_hold(identifier.value):
            raise SourceError(
                self.source,
                Outcome.PERMANENT,
                f"bioRxiv and medRxiv have only DOIs that begin with {' or '.join(request.PREFIXES)}.",
                code="unsupported_prefix",
            )
        found, answer_ids = self.preprint(client, identifier.value, max_age_seconds=max_age)
        if found is None:
            return LookupResult({}, {identifier: answer_ids[-1]})
        return LookupResult({identifier: (found.record, found.answer_id)})

"""DataCite: records by DOI. It registers the DOIs of arXiv, of data sets, software, theses and reports."""

from __future__ import annotations

from litapp.core.ports import Outcome
from litapp.core.records import Identifier
from litapp.providers.answers import UnreadableAnswer
from litapp.providers.asking import answer_id_of, look_up_in_batches, unreadable
from litapp.providers.base import Classification, Client, Credentials, LookupResult, SourceError
from litapp.providers.datacite import parse, request
from litapp.providers.settings import SourceSettings


class DataCite:
    """See `providers.base`. It has no state and may be shared."""

    source = "datacite"
    lookup_schemes: tuple[str, ...] = ("doi",)

    def credentials(self, settings: SourceSettings) -> Credentials:
        """The contact address in the User-Agent: DataCite then allows more requests."""
        agent = f"{settings.tool} (mailto:{settings.email})" if settings.email else settings.tool
        return Credentials(headers=(("User-Agent", agent),))

    def classify(self, status: int, headers: dict[str, str], body: bytes) -> Classification:
        """See `datacite.parse.classify`."""
        return parse.classify(status, headers, body)

    def published_limit(self, headers: dict[str, str], body: bytes) -> float | None:
        """DataCite sends no limits."""
        return None

    def lookup(
        self, client: Client, identifiers: list[Identifier], *, max_age_seconds: float | None = None
    ) -> LookupResult:
        """Records by DOI, 50 a call. A DOI missing from a batch is asked for alone: only a 404 of its own makes it
        absent ("not at DataCite", which for a DOI of another agency says nothing)."""

        def ask(batch: list[Identifier]) -> LookupResult:
            return self._lookup(client, batch, max_age_seconds)

        return look_up_in_batches(self.source, identifiers, self.lookup_schemes, request.DOIS_A_CALL, ask)

    def _lookup(self, client: Client, batch: list[Identifier], max_age: float | None) -> LookupResult:
        by_doi = {one.value: one for one in batch}
        result = LookupResult()
        alone = [doi for doi in by_doi if not request.can_be_batched(doi)]
        together = [doi for doi in by_doi if request.can_be_batched(doi)]
        if len(together) == 1:
            alone, together = alone + together, []
        for dois in request.batches(together):
            answer = client.send(request.records(dois), max_age_seconds=max_age)
            try:
                listing = parse.record_list(answer.body)
            except UnreadableAnswer as error:
                raise unreadable(self.source, parse.LABEL, answer, error) from error
            found = {record.doi: record for record in reversed(listing.records)}
            for doi in dois:
                if doi in found:
                    result.found[by_doi[doi]] = (found[doi], answer_id_of(answer))
                else:
                    alone.append(doi)
        for doi in alone:
            try:
                self._lookup_one(client, by_doi[doi], max_age, result)
            except SourceError as error:
                result.failures[by_doi[doi]] = error
        return result

    def _lookup_one(self, client: Client, identifier: Identifier, max_age: float | None, result: LookupResult) -> None:
        answer = client.send(request.record(identifier.value), max_age_seconds=max_age)
        if answer.outcome is Outcome.NOT_FOUND:
            result.absent[identifier] = answer_id_of(answer)
            return
        try:
            record = parse.record(answer.body)
        except UnreadableAnswer as error:
            raise unreadable(self.source, parse.LABEL, answer, error) from error
        if record.doi != identifier.value:
            raise SourceError(
                self.source,
                Outcome.MALFORMED,
                f"DataCite was asked for {identifier.value} and answered with {record.doi}.",
                hint="Look the DOI up by hand.",
                answer_id=answer.answer_id,
            )
        result.found[identifier] = (record, answer_id_of(answer))

"""doi.org: which agency registered a DOI, so that "not at Crossref" can be told from "does not exist"."""

from __future__ import annotations

from litapp.core.ports import Outcome
from litapp.providers.answers import UnreadableAnswer
from litapp.providers.asking import answer_id_of, unreadable
from litapp.providers.base import AgencyAnswer, Classification, Client, Credentials, Deferred, SourceError
from litapp.providers.doiorg import parse, request
from litapp.providers.settings import SourceSettings


class DoiOrg:
    """See `providers.base`. It has no state and may be shared."""

    source = "doiorg"

    def credentials(self, settings: SourceSettings) -> Credentials:
        """None: doi.org has neither keys nor a place for a contact."""
        return Credentials()

    def classify(self, status: int, headers: dict[str, str], body: bytes) -> Classification:
        """See `doiorg.parse.classify`."""
        return parse.classify(status, headers, body)

    def published_limit(self, headers: dict[str, str], body: bytes) -> float | None:
        """doi.org sends no limits."""
        return None

    def registration_agencies(
        self, client: Client, dois: list[str], *, max_age_seconds: float | None = None
    ) -> dict[str, AgencyAnswer]:
        """An answer for every DOI, keyed as asked: the agency ("Crossref", "DataCite", "mEDRA", "JaLC" …), none, or why
        it could not be asked. Fifty a call; after a long wait is asked for, the rest is not asked."""
        result: dict[str, AgencyAnswer] = {}
        stopped: SourceError | None = None
        for batch in request.batches(list(dict.fromkeys(dois))):
            if stopped is not None:
                result.update(dict.fromkeys(batch, AgencyAnswer(error=stopped)))
                continue
            try:
                result.update(self._ask(client, batch, max_age_seconds))
            except SourceError as error:
                result.update(dict.fromkeys(batch, AgencyAnswer(answer_id=error.answer_id, error=error)))
                stopped = error if isinstance(error, Deferred) else None
        return {doi: result[doi] for doi in dict.fromkeys(dois)}

    def _ask(self, client: Client, batch: list[str], max_age: float | None) -> dict[str, AgencyAnswer]:
        answer = client.send(request.agencies(batch), max_age_seconds=max_age)
        answer_id = answer_id_of(answer)
        try:
            told = parse.agencies(answer.body)
        except UnreadableAnswer as error:
            if answer.outcome is Outcome.NOT_FOUND and len(batch) == 1:
                return {batch[0]: AgencyAnswer(answer_id=answer_id)}
            raise unreadable(self.source, parse.LABEL, answer, error) from error
        by_doi = {one.doi: one for one in told}
        return {doi: self._answer(by_doi.get(doi.lower()), doi, answer_id) for doi in batch}

    def _answer(self, told: parse.Agency | None, doi: str, answer_id: int) -> AgencyAnswer:
        if told is not None and (told.name or told.absent):
            return AgencyAnswer(told.name, answer_id)
        error = SourceError(
            self.source,
            Outcome.MALFORMED,
            f"doi.org does not say who registered {doi}.",
            hint="Open the DOI in a browser.",
            answer_id=answer_id,
            code="agency_unknown",
        )
        return AgencyAnswer(answer_id=answer_id, error=error)

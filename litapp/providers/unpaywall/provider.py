"""Unpaywall: where a paper can be read without payment. It asks for a contact address with every request."""

from __future__ import annotations

from litapp.core.ports import Outcome
from litapp.providers.answers import UnreadableAnswer
from litapp.providers.asking import answer_id_of, unreadable
from litapp.providers.base import Classification, Client, Credentials, OpenAccess, SourceError
from litapp.providers.settings import SourceSettings
from litapp.providers.unpaywall import parse, request


class Unpaywall:
    """See `providers.base`. It has no state and may be shared."""

    source = "unpaywall"

    def credentials(self, settings: SourceSettings) -> Credentials:
        """The contact address as a parameter, which is the only place Unpaywall takes it."""
        return Credentials(params=(("email", settings.email),) if settings.email else ())

    def classify(self, status: int, headers: dict[str, str], body: bytes) -> Classification:
        """See `unpaywall.parse.classify`."""
        return parse.classify(status, headers, body)

    def published_limit(self, headers: dict[str, str], body: bytes) -> float | None:
        """Unpaywall sends no limits."""
        return None

    def open_access(
        self, client: Client, doi: str, *, max_age_seconds: float | None = None
    ) -> tuple[OpenAccess | None, int]:
        """Open copies of a DOI, the best first, and the answer. None = Unpaywall does not have the DOI, which for one
        that Crossref did not register says nothing. Raises SourceError."""
        answer = client.send(request.open_copies(doi), max_age_seconds=max_age_seconds)
        answer_id = answer_id_of(answer)
        if answer.outcome is not Outcome.OK:
            return None, answer_id
        try:
            found = parse.open_access(answer.body)
        except UnreadableAnswer as error:
            raise unreadable(self.source, parse.LABEL, answer, error) from error
        if found.doi != doi.lower():
            raise SourceError(
                self.source,
                Outcome.MALFORMED,
                f"Unpaywall was asked for {doi} and answered with {found.doi}.",
                hint="Look the DOI up by hand.",
                answer_id=answer_id,
            )
        return found, answer_id

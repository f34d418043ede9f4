"""SemanticScholar: search, look-up and citation match. (Stub: signatures only, being filled.)"""

from __future__ import annotations

from litapp.core.plan import Filters, PlanQuery
from litapp.core.records import Identifier, Record
from litapp.providers.base import Classification, Client, CompiledQuery, CountResult, Credentials, LookupResult, Page
from litapp.providers.settings import SourceSettings


class SemanticScholar:
    """See `providers.base`."""

    source = "semanticscholar"
    lookup_schemes: tuple[str, ...] = ("doi", "pmid")

    def credentials(self, settings: SourceSettings) -> Credentials:
        raise NotImplementedError

    def classify(self, status: int, headers: dict[str, str], body: bytes) -> Classification:
        raise NotImplementedError

    def published_limit(self, headers: dict[str, str], body: bytes) -> float | None:
        raise NotImplementedError

    def compile(self, query: PlanQuery, filters: Filters) -> CompiledQuery:
        raise NotImplementedError

    def count(self, client: Client, query: CompiledQuery) -> CountResult:
        raise NotImplementedError

    def fetch_page(self, client: Client, query: CompiledQuery, cursor: dict[str, object], limit: int) -> Page:
        raise NotImplementedError

    def lookup(
        self, client: Client, identifiers: list[Identifier], *, max_age_seconds: float | None = None
    ) -> LookupResult:
        raise NotImplementedError

    def match(
        self,
        client: Client,
        title: str,
        *,
        author: str = "",
        year: int | None = None,
        journal: str = "",
        max_age_seconds: float | None = None,
    ) -> tuple[list[Record], list[int]]:
        raise NotImplementedError

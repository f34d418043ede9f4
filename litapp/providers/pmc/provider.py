"""PubMed Central: translation between PMID, PMCID and DOI for the papers it holds."""

from __future__ import annotations

from litapp.core.records import Identifier
from litapp.providers.answers import UnreadableAnswer
from litapp.providers.asking import answer_id_of, look_up_in_batches, unreadable
from litapp.providers.base import Classification, Client, Credentials, LookupResult
from litapp.providers.pmc import parse, request
from litapp.providers.questions import Conversion, ConversionResult
from litapp.providers.reading import in_batches
from litapp.providers.settings import SourceSettings

SCHEMES = ("pmid", "pmcid", "doi")


class PubMedCentral:
    """See `providers.questions`. It has no state and may be shared."""

    source = "pmc"

    def credentials(self, settings: SourceSettings) -> Credentials:
        """Tool and contact, as NCBI asks; the converter takes no key."""
        fields = (("tool", "".join(settings.tool.split())), ("email", settings.email))
        return Credentials(params=tuple((name, value) for name, value in fields if value))

    def classify(self, status: int, headers: dict[str, str], body: bytes) -> Classification:
        """See `pmc.parse.classify`."""
        return parse.classify(status, headers, body)

    def published_limit(self, headers: dict[str, str], body: bytes) -> float | None:
        """The converter sends no limits."""
        return None

    def convert(
        self, client: Client, identifiers: list[Identifier], *, max_age_seconds: float | None = None
    ) -> ConversionResult:
        """Translate, 200 a call. "Not in PMC" is all that `unknown` means: the paper may well exist."""
        result = ConversionResult()

        def ask(batch: list[Identifier]) -> LookupResult:
            alone = [[one] for one in batch if not request.can_be_batched(one)]
            together = [one for one in batch if request.can_be_batched(one)]
            for group in [*in_batches(together, request.IDS_A_CALL), *alone]:
                self._ask(client, group, max_age_seconds, result)
            return LookupResult(failures={one: result.failures[one] for one in batch if one in result.failures})

        asked = look_up_in_batches(self.source, identifiers, SCHEMES, request.IDS_A_CALL, ask)
        for one, error in asked.failures.items():
            if one not in result.converted and one not in result.unknown:
                result.failures[one] = error
        return result

    def _ask(self, client: Client, group: list[Identifier], max_age: float | None, result: ConversionResult) -> None:
        answer = client.send(request.convert(group), max_age_seconds=max_age)
        answer_id = answer_id_of(answer)
        try:
            found, unknown = parse.conversions(answer.body, group)
        except UnreadableAnswer as error:
            raise unreadable(self.source, parse.LABEL, answer, error) from error
        for one in group:
            if one in found:
                result.converted[one] = Conversion(found[one], answer_id)
            elif one in unknown:
                result.unknown[one] = answer_id
            else:
                result.failures[one] = unreadable(
                    self.source, parse.LABEL, answer, UnreadableAnswer("an answer that leaves out what was asked")
                )

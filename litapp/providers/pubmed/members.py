"""Which of some PMIDs a PubMed query finds: one request, whatever their number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from litapp.providers.answers import UnreadableAnswer
from litapp.providers.asking import answer_id_of, unreadable
from litapp.providers.base import Client
from litapp.providers.pubmed import parse, request

MOST = 500
"""PMIDs of one question: the term of a request stays far below what E-utilities take."""


@dataclass(frozen=True, slots=True)
class Members:
    """The PMIDs of those asked that the query finds, in PubMed's order, and the archived answer that says so."""

    pmids: tuple[str, ...]
    answer_id: int
    warnings: tuple[str, ...] = ()


def any_of(pmids: Sequence[str]) -> str:
    """A term for these PMIDs. Raises ValueError for none, too many, or one that is no number."""
    if not 0 < len(pmids) <= MOST or not all(pmid.isdecimal() for pmid in pmids):
        raise ValueError(f"1 to {MOST} PMIDs are wanted.")
    return " OR ".join(f"{pmid}[uid]" for pmid in pmids)


def members(client: Client, term: str) -> Members:
    """What a term finds that holds `any_of` some PMIDs. Raises SourceError, also where not all of it came."""
    answer = client.send(request.esearch((("term", term),), retmax=MOST, operation="members"))
    try:
        result = parse.search_result(answer.body)
        if len(result.pmids) != result.total:
            raise UnreadableAnswer(f"{len(result.pmids)} of {result.total} identifiers came")
    except UnreadableAnswer as error:
        raise unreadable("pubmed", parse.LABEL, answer, error) from error
    return Members(result.pmids, answer_id_of(answer), result.warnings)

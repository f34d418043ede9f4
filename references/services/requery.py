"""Asks the sources again for the identifiers of references, right before they go out. Every answer is archived."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta

from django.utils import timezone

from litapp.core.formats.entry import ExportEntry
from litapp.core.gate import FEWEST_ASKED_AGAIN, AskedAgain
from litapp.core.records import Identifier, Record, Scheme
from litapp.core.verification import Answered
from litapp.verification.presentation import source_label
from litapp.verification.services.asking import Asker, Said
from litapp.verification.services.known_answers import identifier_question, known_answers

JUST_ASKED = timedelta(minutes=10)
"""An answer that is no older counts as asked again: two exports in a row ask once."""


@dataclass(frozen=True, slots=True)
class Requery:
    """What the sources answered: by key, and PubMed's record of each PMID."""

    answers: dict[str, AskedAgain] = field(default_factory=dict)
    pubmed: dict[str, Record] = field(default_factory=dict)


def ask_again(entries: Sequence[ExportEntry]) -> Requery:
    """Ask PubMed for every PMID (in its batches), and Crossref, then doi.org, for DOIs of references without one, until
    at least five references are asked about or none is left. No SourceError is raised: a failure is an answer."""
    requery = Requery()
    with_pmid = [entry for entry in entries if entry.record.pmid]
    told = _ask("pubmed", [Identifier(Scheme.PMID, entry.record.pmid) for entry in with_pmid])
    for entry in with_pmid:
        said = told[Identifier(Scheme.PMID, entry.record.pmid)]
        requery.answers[entry.key] = _answer("pubmed", said)
        if said.records:
            requery.pubmed[entry.record.pmid] = said.records[0]
    left = max(FEWEST_ASKED_AGAIN - len(requery.answers), 0)
    by_doi = [entry for entry in entries if entry.record.doi and entry.key not in requery.answers][:left]
    requery.answers.update(_by_doi(by_doi))
    return requery


def _by_doi(entries: Sequence[ExportEntry]) -> dict[str, AskedAgain]:
    """Crossref's word on each DOI; where it does not know one, whether doi.org does."""
    told = _ask("crossref", [Identifier(Scheme.DOI, entry.record.doi) for entry in entries])
    answers = {entry.key: _answer("crossref", told[Identifier(Scheme.DOI, entry.record.doi)]) for entry in entries}
    unknown = [entry for entry in entries if answers[entry.key].record is None and not answers[entry.key].problem]
    agencies = Asker("doiorg", afresh=True).agencies([entry.record.doi for entry in unknown]) if unknown else {}
    for entry in unknown:
        said = agencies[entry.record.doi]
        if said.outcome is Answered.FOUND:
            answers[entry.key] = AskedAgain(source_label("doiorg"), registered=True)
        elif said.outcome is not Answered.ABSENT:
            answers[entry.key] = _answer("doiorg", said)
    return answers


def _ask(source: str, wanted: Sequence[Identifier]) -> dict[Identifier, Said]:
    """An answer for each identifier, none older than JUST_ASKED."""
    if not wanted:
        return {}
    since = timezone.now() - JUST_ASKED
    known = known_answers(source, [identifier_question(one) for one in wanted])
    young = {
        one: Said(Answered.FOUND, answer.records, answer.answer_id, answer.answered_at)
        for one in wanted
        if (answer := known.get(identifier_question(one))) and answer.found and answer.answered_at >= since
    }
    left = [one for one in wanted if one not in young]
    return young | (Asker(source, afresh=True).identifiers(left) if left else {})


def _answer(source: str, said: Said) -> AskedAgain:
    if said.outcome in (Answered.FAILED, Answered.NOT_ASKED):
        return AskedAgain(source_label(source), problem=said.message or "it did not answer")
    return AskedAgain(source_label(source), said.records[0] if said.records else None)

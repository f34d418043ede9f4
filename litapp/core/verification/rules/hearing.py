"""Everything the rules are told of one claimed record, compared once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from litapp.core.identifiers import arxiv_from_doi
from litapp.core.matching import JournalNames
from litapp.core.matching.journals import NO_JOURNAL_NAMES
from litapp.core.records import Record, Scheme
from litapp.core.verification.evidence import Answered, Asked, CheckResult, Found, Kind, Result
from litapp.core.verification.sources import OWNERS, SILENCE_SOURCES, is_independent, organisation_of
from litapp.core.verification.witness import Witness, Work, witnesses


@dataclass(frozen=True, slots=True)
class Hearing:
    """One claimed record, where it came from, every answer, and every found record compared with it."""

    claimed: Record
    returned_by: frozenset[str]
    evidence: tuple[Found, ...]
    witnesses: tuple[Witness, ...]
    journals: JournalNames
    silence_sources: tuple[str, ...]

    @classmethod
    def of(
        cls,
        claimed: Record,
        returned_by: Iterable[str],
        evidence: Iterable[Found],
        journals: JournalNames,
        silence_sources: tuple[str, ...] = SILENCE_SOURCES,
    ) -> Hearing:
        """Compare all found records with the claimed one."""
        answers = tuple(evidence)
        found = witnesses(claimed, answers, journals)
        return cls(claimed, frozenset(returned_by), answers, found, journals, silence_sources)

    def identifiers(self) -> Iterator[tuple[str, str]]:
        """(scheme, value) of the claimed identifiers that have an owner to ask; an arXiv DOI is its arXiv id's."""
        for scheme in (Scheme.PMID, Scheme.DOI, Scheme.ARXIV):
            for identifier in self.claimed.identifiers:
                if identifier.scheme is scheme:
                    yield scheme.value, identifier.value

    def answers(self, scheme: str, value: str, sources: Iterable[str]) -> tuple[Found, ...]:
        """What the named sources answered to the question for one identifier."""
        wanted = frozenset(sources)
        same = {value.lower()} | ({arxiv_from_doi(value)} - {""} if scheme == "doi" else set())
        return tuple(
            found
            for found in self.evidence
            if found.how is Asked.IDENTIFIER
            and found.source in wanted
            and (
                (found.scheme in (scheme, "arxiv" if scheme == "doi" else scheme) and found.question.lower() in same)
                or (scheme == "arxiv" and found.scheme == "doi" and arxiv_from_doi(found.question) == value.lower())
            )
        )

    def owner_witness(self, scheme: str, value: str) -> Witness | None:
        """The record that an identifier's own registry holds under it."""
        owners = {*OWNERS[scheme], *(("arxiv",) if scheme == "doi" and arxiv_from_doi(value) else ())}
        asked = self.answers(scheme, value, owners)
        return next((w for w in self.witnesses if w.found in asked), None)

    def carried(self, scheme: str, value: str) -> bool:
        """True when a record of the claimed work, found anywhere, was found under this identifier or states it."""
        return any(
            witness.work is Work.SAME
            and (
                (witness.by_identifier and witness.found.scheme == scheme and witness.found.question == value)
                or any(i.scheme.value == scheme and i.value == value for i in witness.record.identifiers)
            )
            for witness in self.witnesses
        )

    def resolved(self) -> bool:
        """True when some claimed identifier names, at its owner, the claimed work."""
        return any(
            (witness := self.owner_witness(scheme, value)) is not None and witness.work is Work.SAME
            for scheme, value in self.identifiers()
        )

    def independent(self, organisation: str) -> bool:
        """True unless `organisation` is the only one that returned the record."""
        return is_independent(organisation, self.returned_by)

    def check(
        self,
        rule: str,
        source: str,
        outcome: Result,
        reason: str,
        *,
        kind: Kind = Kind.NONE,
        witness: Witness | None = None,
        wrong: tuple[str, ...] = (),
        answers: tuple[Found, ...] = (),
    ) -> CheckResult:
        """A check with the evidence of `witness` or `answers`."""
        behind = (witness.found, *answers) if witness else answers
        times = [found.asked_at for found in behind if found.asked_at is not None]
        return CheckResult(
            rule=rule,
            source=source,
            outcome=outcome,
            reason=reason,
            kind=kind,
            fields=witness.comparison.fields if witness else (),
            wrong=wrong,
            independent=self.independent(witness.found.organisation if witness else organisation_of(source)),
            answer_ids=tuple(sorted({found.answer_id for found in behind if found.answer_id is not None})),
            asked_at=max(times, default=None),
        )


def silent(found: Found) -> bool:
    """True for an answer that proves nothing."""
    return found.outcome in (Answered.FAILED, Answered.NOT_ASKED)


def needs_search(claimed: Record, evidence: Iterable[Found], *, journals: JournalNames = NO_JOURNAL_NAMES) -> bool:
    """True while no identifier is known to name the claimed work: then, and only then, its title is to be searched."""
    return bool(claimed.title) and not Hearing.of(claimed, (), evidence, journals).resolved()


def is_confirmed(
    claimed: Record,
    returned_by: Iterable[str],
    evidence: Iterable[Found],
    *,
    journals: JournalNames = NO_JOURNAL_NAMES,
) -> bool:
    """True when an organisation other than the only one that returned the record holds the claimed work."""
    sources = frozenset(returned_by)
    return any(
        witness.work is Work.SAME and is_independent(witness.found.organisation, sources)
        for witness in witnesses(claimed, evidence, journals)
    )

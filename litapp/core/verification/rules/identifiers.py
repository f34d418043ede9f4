"""Do the claimed identifiers exist at their owners, do they name this paper, and do they name the same one."""

from __future__ import annotations

from dataclasses import replace

from litapp.core.identifiers import arxiv_from_doi
from litapp.core.matching import Agreement
from litapp.core.matching.titles import compare_titles_of
from litapp.core.records import Record
from litapp.core.verification.evidence import Answered, CheckResult, Found, Kind, Result
from litapp.core.verification.rules.hearing import Hearing, silent
from litapp.core.verification.sources import HANDLE_SYSTEM, OWNERS, label, labels
from litapp.core.verification.status import is_notice_about
from litapp.core.verification.witness import Witness, Work, agreeing

RESOLVES = "identifier_resolves"
AGREE = "identifiers_agree"
_NAMES = {"pmid": "PMID", "doi": "DOI", "arxiv": "arXiv id"}


def identifier_resolves(hearing: Hearing) -> tuple[CheckResult, ...]:
    """One check per claimed identifier: PMID at PubMed, DOI at its registration agency, arXiv id at arXiv."""
    return tuple(
        check for scheme, value in hearing.identifiers() if (check := _resolves(hearing, scheme, value)) is not None
    )


def _resolves(hearing: Hearing, scheme: str, value: str) -> CheckResult | None:
    """The check of one identifier. One that stays open, and that no record of the work carries either, is marked as an
    open question of identity: it may be another paper's, so the reference cannot be called verified."""
    check = _asked(hearing, scheme, value)
    if check is None or check.outcome is not Result.SKIPPED or hearing.carried(scheme, value):
        return check
    return replace(check, kind=Kind.IDENTITY)


def _asked(hearing: Hearing, scheme: str, value: str) -> CheckResult | None:
    witness = hearing.owner_witness(scheme, value)
    if witness is not None:
        return _named(hearing, scheme, value, witness)
    owners = (*OWNERS[scheme], HANDLE_SYSTEM, *(("arxiv",) if scheme == "doi" else ()))
    answers = hearing.answers(scheme, value, owners if scheme == "doi" else OWNERS[scheme])
    if not answers:
        return None
    if scheme == "doi":
        return _unknown_doi(hearing, value, answers)
    source = OWNERS[scheme][0]
    if any(found.outcome is Answered.ABSENT and found.source == source for found in answers):
        reason = f"{label(source)} has no record with the {_NAMES[scheme]} {value}."
        return hearing.check(
            RESOLVES, source, Result.FAIL, reason, kind=Kind.IDENTITY, wrong=(scheme,), answers=answers
        )
    return hearing.check(RESOLVES, source, Result.SKIPPED, _silence(answers), answers=answers)


def _silence(answers: tuple[Found, ...]) -> str:
    """Why nothing is known: what the sources that were to be asked said."""
    parts = [
        f"{label(found.source)} {'could not be asked' if found.outcome is Answered.FAILED else 'was not asked'}"
        + (f": {found.message.rstrip('.')}" if found.message else "")
        for found in sorted(answers, key=lambda found: found.source)
        if silent(found)
    ]
    return "; ".join(dict.fromkeys(parts)) + "." if parts else "Not decided."


def _named(hearing: Hearing, scheme: str, value: str, witness: Witness) -> CheckResult:
    """The identifier exists: does it name the claimed work?"""
    name, source = f"{_NAMES[scheme]} {value}", witness.source

    def failed(reason: str, kind: Kind, *wrong: str) -> CheckResult:
        return hearing.check(RESOLVES, source, Result.FAIL, reason, kind=kind, witness=witness, wrong=wrong)

    if is_notice_about(witness.record, hearing.claimed):
        return failed(
            f"The {name} is that of a notice about this paper (“{witness.record.title}”), not of the paper itself.",
            Kind.IDENTITY,
            scheme,
        )
    if witness.work is Work.SAME:
        return hearing.check(
            RESOLVES, source, Result.PASS, f"The {name} names this paper at {label(source)}.", witness=witness
        )
    if witness.work is Work.UNCLEAR:
        why = "whose record has no title to compare" if hearing.claimed.title else "but no title was given to compare"
        if witness.shortened:
            why = "whose title is longer; whether another paper bears exactly this one could not be searched for"
        return hearing.check(
            RESOLVES,
            source,
            Result.SKIPPED,
            f"The {name} exists at {label(source)}, {why}.",
            witness=witness,
        )
    title = f"“{witness.record.title or witness.record.original_title}”"
    if witness.work is Work.TWIN:
        twin = _same_under_another(hearing, scheme, value)
        if twin is not None:
            return failed(
                f"The {name} belongs to another paper of the same title; {label(twin.source)} has this one under "
                f"{twin.record.doi or twin.record.pmid}.",
                Kind.IDENTITY,
                scheme,
            )
        return hearing.check(
            RESOLVES,
            source,
            Result.PASS,
            f"The {name} names a paper of this title at {label(source)}, but its authors are others.",
            witness=witness,
        )
    if witness.work in (Work.REWORDED, Work.RETITLED):
        other = _same_by_this_identifier(hearing, scheme, value)
        if other is not None:
            return hearing.check(
                RESOLVES,
                source,
                Result.PASS,
                f"The {name} names this paper; {label(source)} has it as {title}, {label(other.source)} as here.",
                witness=witness,
            )
        if witness.work is Work.REWORDED:
            return failed(
                f"The {name} names a paper of these authors whose title reads otherwise: {title}.",
                Kind.DETAILS,
                "title",
            )
        reason = f"The {name} is another paper by these authors at {label(source)}: {title}."
        known = any(w.work is Work.SAME for w in hearing.witnesses)
        fields = witness.comparison
        placed = agreeing(fields, ("journal", "volume", "pages")) >= 2 or agreeing(fields, ("journal", "year")) == 2
        return failed(reason, Kind.IDENTITY, *((scheme,) if known else ("title",) if placed else ("title", scheme)))
    return failed(f"The {name} is another paper at {label(source)}: {title}.", Kind.IDENTITY, scheme)


def _same_under_another(hearing: Hearing, scheme: str, value: str) -> Witness | None:
    """A record of the claimed work that carries another identifier of the scheme."""
    for witness in hearing.witnesses:
        theirs = witness.record.doi if scheme == "doi" else witness.record.pmid if scheme == "pmid" else ""
        if witness.work is Work.SAME and theirs and theirs.lower() != value.lower():
            return witness
    return None


def _same_by_this_identifier(hearing: Hearing, scheme: str, value: str) -> Witness | None:
    """Another source's record under the same identifier that has the claimed title (a registry may hold it in another
    language, or garbled). A registry's record counts that was found by its title and carries the identifier."""
    for witness in hearing.witnesses:
        theirs = witness.record.doi if scheme == "doi" else witness.record.pmid if scheme == "pmid" else ""
        told = witness.by_identifier or witness.authoritative
        if told and witness.work is Work.SAME and theirs.lower() == value.lower():
            return witness
    return None


def _unknown_doi(hearing: Hearing, value: str, answers: tuple[Found, ...]) -> CheckResult:
    """No agency asked returned a record for the DOI. Only "not registered" accuses; "not with us" does not."""
    handle = [found for found in answers if found.source == HANDLE_SYSTEM]
    absent = [found for found in answers if found.outcome is Answered.ABSENT]
    source = HANDLE_SYSTEM if handle else next((found.source for found in absent), answers[0].source)
    if any(found.outcome is Answered.FOUND for found in handle):
        agency = next((found.message for found in handle if found.message), "an agency that is not asked here")
        return hearing.check(
            RESOLVES,
            HANDLE_SYSTEM,
            Result.SKIPPED,
            f"The DOI {value} is registered with {agency}; none of the sources holds its record.",
            answers=answers,
        )
    listed = _same_by_this_identifier(hearing, "doi", value)
    if any(found.outcome is Answered.ABSENT for found in handle) and listed is None:
        return hearing.check(
            RESOLVES,
            HANDLE_SYSTEM,
            Result.FAIL,
            f"The DOI {value} is not registered with any agency.",
            kind=Kind.IDENTITY,
            wrong=("doi",),
            answers=answers,
        )
    crossref_absent = any(found.source == "crossref" for found in absent)
    if crossref_absent and listed is None and _crossref_prefix(hearing, value):
        return hearing.check(
            RESOLVES,
            "crossref",
            Result.FAIL,
            f"The DOI {value} does not exist: Crossref registers DOIs that begin with {value.split('/')[0]} and "
            "does not have it.",
            kind=Kind.IDENTITY,
            wrong=("doi",),
            answers=answers,
        )
    silence = _silence(answers) if any(map(silent, answers)) else ""
    known = f"The DOI {value} is not known at {labels(dict.fromkeys(f.source for f in absent))}" if absent else ""
    if known:
        known += (
            "; another agency may have registered it." if listed is None else f", but {label(listed.source)} lists it."
        )
    return hearing.check(RESOLVES, source, Result.SKIPPED, " ".join(filter(None, (known, silence))), answers=answers)


def _crossref_prefix(hearing: Hearing, doi: str) -> bool:
    """True when Crossref was seen to hold another DOI of the same prefix."""
    prefix = doi.split("/")[0] + "/"
    return any(witness.source == "crossref" and witness.record.doi.startswith(prefix) for witness in hearing.witnesses)


def identifiers_agree(hearing: Hearing) -> tuple[CheckResult, ...]:
    """PMID and DOI of one reference must name the same paper."""
    pmid, doi = hearing.claimed.pmid, hearing.claimed.doi
    if not pmid or not doi:
        return ()
    at_pubmed = hearing.owner_witness("pmid", pmid)
    if at_pubmed is None:
        return ()
    at_agency = hearing.owner_witness("doi", doi)
    answers = (at_pubmed.found, *((at_agency.found,) if at_agency else ()))

    def result(outcome: Result, reason: str, *wrong: str) -> tuple[CheckResult, ...]:
        kind = Kind.IDENTITY if outcome is Result.FAIL else Kind.NONE
        return (hearing.check(AGREE, "pubmed", outcome, reason, kind=kind, wrong=wrong, answers=answers),)

    if _same_doi(at_pubmed.record.doi, doi):
        return result(Result.PASS, f"PubMed lists the DOI {doi} under the PMID {pmid}.")
    if at_agency is None:
        if not at_pubmed.record.doi:
            return result(Result.SKIPPED, f"PubMed lists no DOI under the PMID {pmid}.")
        return result(Result.SKIPPED, f"PubMed lists the DOI {at_pubmed.record.doi} under the PMID {pmid}, not {doi}.")
    if _same_title(at_pubmed.record, at_agency.record) or at_pubmed.work is at_agency.work is Work.SAME:
        return result(Result.PASS, f"The records of PMID {pmid} and DOI {doi} carry the same title.")
    wrong = [scheme for scheme, w in (("pmid", at_pubmed), ("doi", at_agency)) if w.work is Work.OTHER]
    return result(
        Result.FAIL,
        f"PMID {pmid} (“{at_pubmed.record.title}”) and DOI {doi} (“{at_agency.record.title}”) are two papers.",
        *(wrong or ["pmid", "doi"]),
    )


def _same_doi(a: str, b: str) -> bool:
    return bool(a) and (a.lower() == b.lower() or ("" != arxiv_from_doi(a) == arxiv_from_doi(b)))


def _same_title(a: Record, b: Record) -> bool:
    _, title = compare_titles_of(a, b)
    return title.verdict in (Agreement.SAME, Agreement.VARIANT)

"""The checks before any output: identifiers asked again, title and PMID, origin, DOI form, citations and sentences.

Everything here is pure: what the sources answered is given by the caller. A check that could not be made has failed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from litapp.core.doi import BadIdentifier, normalise_doi, same_doi
from litapp.core.formats.entry import ExportEntry
from litapp.core.formats.summary import EvidenceSummary
from litapp.core.markup import plain_text
from litapp.core.matching.titles import compare_titles_of
from litapp.core.matching.verdicts import Agreement
from litapp.core.matrix.claims import Claim, unresolved_numbers
from litapp.core.records import Record

FEWEST_ASKED_AGAIN = 5
"""References whose identifiers are asked again at the least, or all where there are fewer."""


class Gate(StrEnum):
    """The checks, in their order."""

    ASKED_AGAIN = "asked_again"
    TITLE_AND_PMID = "title_and_pmid"
    RETURNED = "returned"
    DOI_FORM = "doi_form"
    CITATIONS = "citations"
    SENTENCES = "sentences"


GATE_TITLES = {
    Gate.ASKED_AGAIN: "Identifiers were asked again at their sources and are equal",
    Gate.TITLE_AND_PMID: "Title and PMID belong together",
    Gate.RETURNED: "Every reference and quote was returned by a source",
    Gate.DOI_FORM: "Every DOI has the form of a DOI",
    Gate.CITATIONS: "Every number in the text has its entry, and every entry is cited",
    Gate.SENTENCES: "Every sentence names a reference that holds its figures, or a person let it stand",
}


@dataclass(frozen=True, slots=True)
class GateFailure:
    """One thing that a check found: in words, with the key of the reference, or the name of the sentence, it is about.

    `at` names the page that mends it: "reference", "topics", "matrix" or "".
    """

    text: str
    key: str = ""
    sentence: str = ""
    at: str = ""


@dataclass(frozen=True, slots=True)
class GateCheck:
    """One check: how many things it looked at, and what it found."""

    gate: Gate
    looked_at: int
    failures: tuple[GateFailure, ...] = ()

    @property
    def passed(self) -> bool:
        return not self.failures


@dataclass(frozen=True, slots=True)
class AskedAgain:
    """What a source answered when an identifier was asked again: its record, None where it does not know it.

    `problem` says why it could not be asked; then nothing is known.
    """

    source: str
    record: Record | None = None
    problem: str = ""
    registered: bool = False
    """True where the source says only that the identifier exists."""


def report_to_dict(checks: Sequence[GateCheck]) -> dict[str, Any]:
    """The form in which a report is kept."""
    return {
        "passed": all(check.passed for check in checks),
        "checks": [
            {
                "gate": str(check.gate),
                "title": GATE_TITLES[check.gate],
                "looked_at": check.looked_at,
                "failures": [
                    {"text": one.text, "key": one.key, "sentence": one.sentence, "at": one.at} for one in check.failures
                ],
            }
            for check in checks
        ],
    }


def identifiers_equal(entries: Sequence[ExportEntry], answers: Mapping[str, AskedAgain]) -> GateCheck:
    """Gate 1: five references asked again, or all that have a PMID or DOI. `answers` holds, by key, what was answered;
    a key that is not in it was not asked."""
    failures = []
    equal = 0
    for entry in entries:
        if entry.key not in answers:
            continue
        told = _difference(entry.record, answers[entry.key])
        if told:
            failures.append(GateFailure(told, entry.key, at="reference"))
        else:
            equal += 1
    askable = sum(1 for entry in entries if entry.record.pmid or entry.record.doi)
    wanted = min(FEWEST_ASKED_AGAIN, askable)
    if equal + len(failures) < wanted:
        asked = equal + len(failures)
        failures.append(
            GateFailure(
                f"Only {asked} of {askable} references with a PMID or DOI were asked again; at least {wanted} must be. "
                "Make the file again."
            )
        )
    return GateCheck(Gate.ASKED_AGAIN, len(answers), tuple(failures))


def _difference(ours: Record, answer: AskedAgain) -> str:
    """What is not equal, in words; "" where all is."""
    if answer.problem:
        return f"{answer.source} could not be asked again: {answer.problem}"
    if answer.registered:
        return ""
    theirs = answer.record
    if theirs is None:
        known_as = f"PMID {ours.pmid}" if ours.pmid else f"DOI {ours.doi}"
        return f"{answer.source} does not know {known_as}."
    if ours.pmid and theirs.pmid and ours.pmid != theirs.pmid:
        return f"Asked again, {answer.source} says PMID {theirs.pmid}; the ledger has {ours.pmid}."
    if ours.doi and theirs.doi and not same_doi(ours.doi, theirs.doi):
        return f"Asked again, {answer.source} says DOI {theirs.doi}; the ledger has {ours.doi}."
    return ""


def title_and_pmid(entries: Sequence[ExportEntry], pubmed: Mapping[str, Record]) -> GateCheck:
    """Gate 2. `pubmed` holds PubMed's record of each PMID, as far as it is known."""
    failures = []
    looked_at = 0
    for entry in entries:
        pmid = entry.record.pmid
        if not pmid:
            continue
        looked_at += 1
        theirs = pubmed.get(pmid)
        if theirs is None:
            failures.append(
                GateFailure(f"PubMed's record of PMID {pmid} is not known, so the title cannot be compared.",
                            entry.key, at="reference")
            )  # fmt: skip
            continue
        if entry.record.title == theirs.title:
            continue
        _, compared = compare_titles_of(entry.record, theirs)
        if compared.verdict not in (Agreement.SAME, Agreement.VARIANT):
            failures.append(
                GateFailure(f"PMID {pmid} is “{plain_text(theirs.title)}” at PubMed, not this title.",
                            entry.key, at="reference")
            )  # fmt: skip
    return GateCheck(Gate.TITLE_AND_PMID, looked_at, tuple(failures))


def returned_by_sources(
    entries: Sequence[ExportEntry], returned: Mapping[str, bool], broken_quotes: Iterable[tuple[str, str]] = ()
) -> GateCheck:
    """Gate 3. `returned` says by key whether a source returned the reference; `broken_quotes` are (key, words) of the
    matrix that no stored record of the paper holds."""
    failures = [
        GateFailure("No source returned this reference: only a person brought it.", entry.key, at="reference")
        for entry in entries
        if not returned.get(entry.key, False)
    ]
    failures += [
        GateFailure(f"No stored record of this paper holds the quote “{_short(words)}”.", key, at="matrix")
        for key, words in broken_quotes
    ]
    return GateCheck(Gate.RETURNED, len(entries), tuple(failures))


def doi_forms(entries: Sequence[ExportEntry]) -> GateCheck:
    """Gate 4."""
    failures = []
    looked_at = 0
    for entry in entries:
        doi = entry.record.doi
        if not doi:
            continue
        looked_at += 1
        try:
            normal = normalise_doi(doi)
        except BadIdentifier as error:
            failures.append(GateFailure(str(error), entry.key, at="reference"))
            continue
        if normal != doi:
            failures.append(
                GateFailure(f"“{doi}” is not written as a DOI; it would be {normal}.", entry.key, at="reference")
            )
    return GateCheck(Gate.DOI_FORM, looked_at, tuple(failures))


def citations(summary: EvidenceSummary, linked: Iterable[str], placed: Iterable[str]) -> GateCheck:
    """Gate 5. `linked` are the keys that the finished document cites by number, `placed` those that have an entry."""
    cited, entries = set(linked), set(placed)
    texts = [topic.text for topic in summary.topics] + [summary.limitations_text]
    failures = [
        GateFailure(f"{number} stands in the text, and no reference of the list has this number.", at="topics")
        for text in texts
        for number in unresolved_numbers(text)
    ]
    failures += [
        GateFailure("It is cited in the text and has no entry in the list of references.", key, at="topics")
        for key in sorted(cited - entries)
    ]
    failures += [
        GateFailure("It stands in the list of references and is cited nowhere in the text.", key, at="reference")
        for key in sorted(entries - cited)
    ]
    return GateCheck(Gate.CITATIONS, len(entries), tuple(failures))


def sentences_stand(told: Sequence[tuple[str, Claim]], decided: Iterable[str]) -> GateCheck:
    """Sentences of the findings and limits that lack something. `told` are (topic, claim), `decided` the names of the
    sentences that a person let stand."""
    stand = set(decided)
    failures = [
        GateFailure(f"“{_short(claim.text)}”: {' '.join(claim.told)}", sentence=claim.name, at="topics")
        for _, claim in told
        if claim.lacks and claim.name not in stand
    ]
    return GateCheck(Gate.SENTENCES, len(told), tuple(failures))


def _short(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= 160 else f"{words[:157]}…"

"""When nobody knows the title: the only case in which silence speaks."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from litapp.core.matching.fields import journal_names
from litapp.core.matching.journals import is_other_script, is_preprint_server, same_journal
from litapp.core.matching.words import title_words
from litapp.core.verification.evidence import Answered, CheckResult, Kind, Result
from litapp.core.verification.rules.hearing import Hearing
from litapp.core.verification.sources import OWNERS, SILENCE_SOURCES, label, labels
from litapp.core.verification.witness import Witness, Work

KNOWN = "title_known"
SHORTEST_TELLING_TITLE = 5
"""Words. Shorter titles ("Editorial", "Reply to the authors") are shared by many papers and often not deposited."""

ARTICLE_TYPES = frozenset({"article-journal", "article", ""})
OUTSIDE: Mapping[str, str] = MappingProxyType(
    {
        "book": "A book: article indexes do not hold it. Look in WorldCat or at the publisher.",
        "chapter": "A book chapter: article indexes hold few. Look for the book in WorldCat or at the publisher.",
        "thesis": "A thesis: article indexes do not hold it. Look in the university's repository.",
        "report": "A report: article indexes do not hold it. Look at the body that issued it.",
        "webpage": "A web page: open its address.",
        "dataset": "A data set: look at DataCite or the repository.",
        "legislation": "A law: look in the official gazette.",
        "bill": "A law: look in the official gazette.",
        "legal_case": "A court decision: look at the court.",
        "patent": "A patent: look in Espacenet.",
        "standard": "A standard: look at the body that issued it.",
        "software": "Software: look at its repository.",
        "speech": "A talk: look in the meeting's programme.",
        "personal_communication": "A personal communication: no source can hold it.",
    }
)


def title_known(hearing: Hearing) -> tuple[CheckResult, ...]:
    """Accuse by silence, or say why silence proves nothing. No check where somebody knows the title, or where an
    identifier is known to name the paper."""
    if hearing.resolved() or any(w.work is Work.SAME for w in hearing.witnesses) or not hearing.claimed.title:
        return ()
    obstacle = _obstacle(hearing)
    if obstacle is not None:
        return (hearing.check(KNOWN, "", Result.SKIPPED, obstacle),)
    answers = tuple(f for f in hearing.evidence if f.source in SILENCE_SOURCES and f.outcome in _ANSWERED)
    asked = labels(SILENCE_SOURCES)
    twin = next((w for w in hearing.witnesses if w.work is Work.TWIN), None)
    if twin is not None:
        return (
            hearing.check(
                KNOWN,
                twin.source,
                Result.FAIL,
                f"{asked} know this title only as a paper by others ({_first_author(twin)}).",
                kind=Kind.IDENTITY,
                witness=twin,
                wrong=("authors",),
            ),
        )
    reworded = next((w for w in hearing.witnesses if w.work is Work.REWORDED and _pinned(w)), None)
    if reworded is not None:
        return (
            hearing.check(
                KNOWN,
                reworded.source,
                Result.FAIL,
                f"{asked} do not know this title; a paper by these authors reads “{reworded.record.title}”.",
                kind=Kind.DETAILS,
                witness=reworded,
                wrong=("title",),
            ),
        )
    return (
        hearing.check(
            KNOWN,
            "",
            Result.FAIL,
            f"No such paper: {asked} answered, and none of them knows this title.",
            kind=Kind.IDENTITY,
            wrong=("title",),
            answers=answers,
        ),
    )


_ANSWERED = (Answered.FOUND, Answered.ABSENT)


def _pinned(witness: Witness) -> bool:
    comparison = witness.comparison
    return comparison.field("year").agrees and comparison.field("journal").agrees


def _first_author(witness: Witness) -> str:
    return witness.record.authors[0].name if witness.record.authors else "no authors given"


def _obstacle(hearing: Hearing) -> str | None:
    """Why silence proves nothing here, or None when it does."""
    claimed = hearing.claimed
    if claimed.csl_type in OUTSIDE:
        return OUTSIDE[claimed.csl_type]
    if claimed.csl_type not in ARTICLE_TYPES:
        return f"Not a journal article ({claimed.csl_type}): the sources asked do not hold all of these."
    undecided = _undecided_identifier(hearing)
    if undecided:
        return undecided
    silent = [source for source in SILENCE_SOURCES if not _searched(hearing, source)]
    if silent:
        return f"Not found, but {labels(silent)} did not answer: check again later, or by hand."
    if is_other_script(claimed.title) or (claimed.languages and "eng" not in claimed.languages):
        return "Not found: a work in a language these sources hold few of. Check by hand in the national index."
    names = journal_names(claimed)
    if not names or not (claimed.date.year or claimed.years):
        return "Not found, but the reference gives no journal or no year: check by hand."
    if any(map(is_preprint_server, names)):
        return "Not found: look at the preprint server itself."
    if len(title_words(claimed.title).words) < SHORTEST_TELLING_TITLE:
        return "Not found: a title this short is shared by many papers. Check by hand."
    if not _indexed(hearing, names):
        return "Not found: these sources are not known to index this journal. Check by hand at the journal."
    return None


def _undecided_identifier(hearing: Hearing) -> str:
    """An identifier that exists, or that could not be looked up, forbids any accusation by silence."""
    for scheme, value in hearing.identifiers():
        if hearing.owner_witness(scheme, value) is not None:
            continue
        answers = hearing.answers(scheme, value, (*OWNERS[scheme], "doi.org"))
        registered = any(f.source == "doi.org" and f.outcome is Answered.FOUND for f in answers)
        if registered:
            return f"The {scheme.upper()} is registered, but none of the sources asked holds the paper: open it."
        absent = {f.source for f in answers if f.outcome is Answered.ABSENT}
        if not (absent & {"doi.org", "pubmed", "arxiv"}):
            return f"Not found, but its {scheme.upper()} could not be looked up where it was issued: check again later."
    return ""


def _searched(hearing: Hearing, source: str) -> bool:
    return any(f.source == source and f.how.value == "search" and f.outcome in _ANSWERED for f in hearing.evidence)


def _indexed(hearing: Hearing, names: tuple[str, ...]) -> bool:
    """True when the list of journals, or a record seen in these sources, shows that they hold this journal."""
    if any(map(hearing.journals.knows, names)):
        return True
    return any(
        same_journal(name, theirs)
        for witness in hearing.witnesses
        for theirs in journal_names(witness.record)
        for name in names
    )


__all__ = ["ARTICLE_TYPES", "KNOWN", "OUTSIDE", "label", "title_known"]

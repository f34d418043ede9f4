"""Pairs that belong together and are never merged: another kind, part or version of the same work."""

from __future__ import annotations

from litapp.core.dedupe.features import Features
from litapp.core.dedupe.kinds import Level
from litapp.core.dedupe.signals import AGREEING, NO, YES, Signals, Title
from litapp.core.dedupe.verdicts import PairVerdict, Relation

_SENTENCES = {
    Level.ERRATUM: "One is a correction of the other.",
    Level.RETRACTION: "One is the notice of the other's retraction.",
    Level.CONCERN: "One is an expression of concern about the other.",
    Level.COMMENT: "One is a comment on the other, or a reply.",
    Level.PROTOCOL: "One is the protocol of the other.",
    Level.REGISTRATION: "One is the registration of the other's trial.",
    Level.PREPRINT: "One is the preprint of the other.",
    Level.THESIS: "One is the thesis, the other the article.",
    Level.ABSTRACT: "One is an abstract of a meeting, the other the full paper.",
}
_MARKED = (Level.ERRATUM, Level.RETRACTION, Level.CONCERN, Level.COMMENT)
"""Kinds that only a mark in the title tells, which some databases leave out."""
_NEVER_MERGED = tuple(level for level in _SENTENCES if level is not Level.ABSTRACT)


def companion(a: Features, b: Features, s: Signals) -> PairVerdict | None:
    """The verdict when the records are of different kinds, parts or versions; None when they can be one report."""
    level = _other_level(a, b)
    if level is not None:
        placed = s.volume == YES and s.pages != NO and YES in (s.issue, s.pages)
        if s.doi == YES and placed and s.pmid != NO and level in _MARKED and _about_the_same(a, b, s):
            return PairVerdict(Relation.SAME, "doi_place", "DOI and place agree; one title lacks the mark of a notice.")
        if level is Level.PROTOCOL and s.volume == YES and s.journal == YES and s.span:
            return None
        if _about_the_same(a, b, s):
            return PairVerdict(Relation.COMPANION, level.value, _SENTENCES[level])
        return PairVerdict(Relation.DIFFERENT, level.value, "Different kinds of records.")
    if a.part != b.part and (a.part and b.part) and s.likeness >= 0.6:
        return PairVerdict(Relation.COMPANION, "part", f"Part {a.part} and part {b.part} of one series.")
    if a.part != b.part and s.pages != YES and s.doi != YES and s.pmid != YES and s.title not in AGREEING:
        return PairVerdict(Relation.DIFFERENT, "part", "One is a part of a series.")
    if a.cochrane and b.cochrane:
        return _cochrane(a, b, s)
    if a.trial and b.trial and a.level is b.level is Level.REGISTRATION:
        if a.trial == b.trial:
            return PairVerdict(Relation.SAME, "trial_number", "The same entry of the trial registry.")
        return PairVerdict(Relation.DIFFERENT, "trial_number", "Two entries of the trial registry.")
    if a.level is b.level is Level.REGISTRATION and s.title in AGREEING and s.near_year:
        return PairVerdict(Relation.SAME, "registration_title", "Two listings of one registration.")
    printed_twice = s.pages == NO and (s.volume == NO or s.journal == NO) and s.author == YES
    if printed_twice and a.level is not b.level and Level.ABSTRACT in (a.level, b.level) and s.title is not Title.OTHER:
        return PairVerdict(Relation.COMPANION, Level.ABSTRACT.value, _SENTENCES[Level.ABSTRACT])
    return None


def _other_level(a: Features, b: Features) -> Level | None:
    if a.level is b.level:
        return None
    return next((level for level in _NEVER_MERGED if level in (a.level, b.level)), None)


def _about_the_same(a: Features, b: Features, s: Signals) -> bool:
    short, long = sorted((a.core, b.core), key=len)
    if len(short) >= 20 and short in long:
        return True
    return s.likeness >= 0.75 and (s.author == YES or s.shared_people >= 0.5 or not a.first or not b.first)


def _cochrane(a: Features, b: Features, s: Signals) -> PairVerdict | None:
    if a.cochrane != b.cochrane:
        return PairVerdict(Relation.DIFFERENT, "cochrane_review", "Two Cochrane reviews.")
    told = a.version and b.version
    if (told and a.version == b.version) or (not told and s.near_year and s.issue != NO):
        return PairVerdict(Relation.SAME, "cochrane_number", "The same version of one Cochrane review.")
    return PairVerdict(Relation.COMPANION, "cochrane_version", "Two versions of one Cochrane review.")

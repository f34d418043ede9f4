"""Which papers to read in full first: five to ten, by rules over what the records say, each with its reason. Pure.

Source of the rules: issue 8. They choose what to read, they judge nothing; a person may change the choice.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

FEWEST, MOST = 5, 10
_REVIEW = re.compile(r"meta-analysis|systematic review|\breview\b", re.IGNORECASE)
_TRIAL = re.compile(r"randomi[sz]ed|clinical trial|\bRCT\b", re.IGNORECASE)
_SUBGROUPS = re.compile(
    r"\bsubgroups?\b|\bsub-groups?\b|stratified (?:by|analys)|interaction (?:test|p)", re.IGNORECASE
)
_STUDY = re.compile(
    r"randomi[sz]ed|cohort|case-control|cross-sectional|trial|prospective|retrospective|observational|"
    r"comparative study",
    re.IGNORECASE,
)
_COUNT = re.compile(
    r"\bn\s*=\s*\d|\b\d[\d, ]*\s+(?:\w+[- ]){0,3}?(?:patients|participants|subjects|adults|children|women|men|infants|"
    r"people|persons|individuals|cases|studies|trials|volunteers|neonates|eyes|samples)\b",
    re.IGNORECASE,
)
_EFFECT = re.compile(
    r"\b(?:OR|RR|HR|aOR|aHR|SMD|MD|ARR|NNT)\b\s*[=:,(]?\s*\d|odds ratio|risk ratio|hazard ratio|relative risk|"
    r"mean difference|confidence interval|\b95\s?%\s?CI|\bp\s?[=<>≤]\s?0?\.\d|\d(?:\.\d+)?\s?%",
    re.IGNORECASE,
)
_NO_EFFECT = re.compile(
    r"\b(?:no|not|without)\b(?:\s+\w+){0,4}?\s+(?:significant(?:ly)?|difference|benefit|effect|improve\w*|reduc\w*|"
    r"associat\w*|superior|increase\w*)|\bfailed to\b|\bdid not\b|\bnon-?significant\b",
    re.IGNORECASE,
)
_EFFECT_SEEN = re.compile(
    r"\bsignificant(?:ly)?\s+(?:\w+\s+){0,2}?(?:reduc|improv|lower|higher|decreas|increas|better|associat|greater|fewer)|"
    r"\b(?:reduced|improved|lowered|decreased|increased)\b|\bwas associated with\b|\bis effective\b|\bsuperior to\b",
    re.IGNORECASE,
)
_CONCLUSION = re.compile(r"conclu|interpretation|discussion", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Paper:
    """What the rules read of one reference. `sections` are (label, text) of the abstract; `fit` 1 to 3."""

    key: int
    title: str
    types: tuple[str, ...]
    sections: tuple[tuple[str, str], ...]
    fit: int = 1
    retracted: bool = False


@dataclass(frozen=True, slots=True)
class Proposal:
    """A paper to read in full, and why: sentences."""

    key: int
    reasons: tuple[str, ...]


def propose(papers: Iterable[Paper]) -> list[Proposal]:
    """Five to ten papers (all, where there are fewer), the most telling first. Retracted ones are not proposed."""
    wanted = [paper for paper in papers if not paper.retracted]
    findings = {paper.key: _finding(paper) for paper in wanted}
    rated = [(_reasons(paper, findings), paper) for paper in wanted]
    rated.sort(key=lambda pair: (-sum(weight for weight, _ in pair[0]), -pair[1].fit, pair[1].key))
    chosen = [
        Proposal(paper.key, tuple(text for _, text in reasons)) for reasons, paper in rated[:MOST] if reasons
    ]  # fmt: skip
    for _, paper in rated:
        if len(chosen) >= min(FEWEST, len(rated)):
            break
        if all(paper.key != one.key for one in chosen):
            chosen.append(Proposal(paper.key, (_FITS[min(max(paper.fit, 1), 3)],)))
    return chosen


_FITS = {
    3: "It fits the question well.",
    2: "It fits the question in part, and few papers say more.",
    1: "Few papers are in the list.",
}


def _reasons(paper: Paper, findings: dict[int, str]) -> list[tuple[int, str]]:
    """(weight, sentence) of each rule that applies."""
    found: list[tuple[int, str]] = []
    text = " ".join(part for _, part in paper.sections)
    kinds = " ".join((paper.title, *paper.types))
    mine = findings[paper.key]
    seen, none = _number(findings, "seen"), _number(findings, "none")
    if mine and seen and none:
        others = none if mine == "seen" else seen
        told = "reports an effect" if mine == "seen" else "reports no effect"
        weight = 4 if (seen if mine == "seen" else none) <= others else 2
        found.append(
            (weight, f"It {told}, and {others} of the other papers say{'s' if others == 1 else ''} otherwise.")
        )
    elif mine and _TRIAL.search(kinds):
        found.append((2, "A trial that supports the finding the papers agree on."))
    if _REVIEW.search(kinds) and _SUBGROUPS.search(text):
        found.append((3, "A review with subgroups."))
    if text and _STUDY.search(f"{kinds} {text}") and not _REVIEW.search(kinds):
        if not _COUNT.search(text):
            found.append((2, "The abstract does not say how many took part."))
        if not _EFFECT.search(text):
            found.append((2, "The abstract gives no figure for the effect."))
    return found


def _number(findings: dict[int, str], kind: str) -> int:
    return sum(1 for value in findings.values() if value == kind)


def _finding(paper: Paper) -> str:
    """ "seen", "none" or "" (cannot be told): which way the abstract's conclusion goes, by its own words."""
    text = _conclusion(paper.sections)
    if _NO_EFFECT.search(text):
        return "none"
    return "seen" if _EFFECT_SEEN.search(text) else ""


def _conclusion(sections: Sequence[tuple[str, str]]) -> str:
    """The part of the abstract called so, or its last two sentences."""
    named = [text for label, text in sections if _CONCLUSION.search(label)]
    if named:
        return named[-1]
    sentences = re.split(r"(?<=[.!?])\s+", sections[-1][1]) if sections else []
    return " ".join(sentences[-2:])

"""The rules that offer values for a literature matrix: fixed patterns over what a source returned, no model.

Each offer is a verbatim span of the abstract, or entries of the record's publication types and MeSH headings. Rules
find candidates for a person to accept; a missing offer says nothing of the paper. Categories of sections are NLM's.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from litapp.core.matrix.spans import Span, sentences
from litapp.core.matrix.suggestions import Column, Place, Suggestion
from litapp.core.records import Record

_NO_DESIGN = frozenset(
    {"Journal Article", "Video-Audio Media", "English Abstract", "Published Erratum", "Retracted Publication",
     "Dataset", "Portrait", "Webcast", "Introductory Journal Article"}
)  # fmt: skip
_DESIGN_MESH = frozenset(
    {"Cohort Studies", "Prospective Studies", "Retrospective Studies", "Cross-Sectional Studies", "Follow-Up Studies",
     "Case-Control Studies", "Longitudinal Studies", "Double-Blind Method", "Single-Blind Method", "Pilot Projects",
     "Cross-Over Studies", "Feasibility Studies", "Random Allocation", "Qualitative Research",
     "Randomized Controlled Trials as Topic", "Registries"}
)  # fmt: skip
CHECK_TAGS = (
    "Humans", "Animals", "Female", "Male", "Pregnancy", "Infant, Newborn", "Infant", "Child, Preschool", "Child",
    "Adolescent", "Young Adult", "Adult", "Middle Aged", "Aged", "Aged, 80 and over", "Mice", "Rats", "Cats", "Cattle",
    "Dogs", "Rabbits", "Swine", "Sheep", "Guinea Pigs", "Cricetinae", "Chick Embryo",
)  # fmt: skip
"""NLM's check tags and its headings of age groups and laboratory animals (Index Section, "Check Tags")."""

_QUALIFIER = (
    r"(?:(?:multi-?cent(?:er|re)|single-?cent(?:er|re)|double-blind(?:ed)?|open-label|placebo-controlled|"
    r"randomi[sz]ed|controlled|parallel-group|phase (?:[1-4]|I{1,3}V?|IV)|prospective|retrospective|observational|"
    r"population-based|nationwide|cross-sectional|case-control|nested|cohort|qualitative|pilot|feasibility|crossover|"
    r"cross-over|network|systematic|clinical)[\s,-]+(?:and )?)"
)
_DESIGN_WORDS = re.compile(
    rf"\b(?:{_QUALIFIER}{{1,6}}(?:trial|survey|registry|study|analysis)|{_QUALIFIER}{{0,6}}"
    r"(?:cohort(?: study)?|case series|case report|systematic review|scoping review|meta-analys[ei]s|"
    r"secondary analysis))\b",
    re.IGNORECASE,
)
_PEOPLE = (
    r"(?:patients?|participants?|adults|children|infants?|neonates?|newborns?|women|men|persons?|people|individuals|"
    r"subjects|volunteers|adolescents|residents|nurses|physicians|students|cases|controls|respondents|recipients|"
    r"survivors|pregnancies|births|families|households|mice|rats|dogs|eyes|samples|studies|trials|articles|RCTs)"
)
_NUMBER = r"\d{1,3}(?:[,\u202f\u2009\u00a0 ]\d{3})+|\d+"
_SIZE = re.compile(
    rf"(?<![\d.,\u2013-])\b(?:{_NUMBER})(?!\s*%|\.\d|[-–]\d|[\s-]*(?:mg|kg|ml|g|µg|years?|days?|weeks?|months?|hours?)\b)"
    rf"(?:[\s-]+(?!and\b|or\b|in\b|of\b|with\b|to\b)[A-Za-z][\w-]*){{0,4}}?[\s-]+{_PEOPLE}\b"
    rf"|\b[nN]\s?[=\uff1d]\s?(?:{_NUMBER})",
)
_SIZE_FIRST = re.compile(
    r"\b(?:total of|in total|enrol|randomi[sz]ed|randomly|recruit|included|analy[sz]ed|underwent|identified|screened|"
    r"participated|assigned)",
    re.IGNORECASE,
)
_POPULATION_LABEL = re.compile(r"PATIENT|PARTICIPANT|POPULATION|SUBJECT|SETTING|SAMPLE|ELIGIB", re.IGNORECASE)
_POPULATION = re.compile(
    rf"\b{_PEOPLE}\b[^.]{{0,40}}?\b(?:with|who|aged|undergoing|receiving|hospitali[sz]ed|admitted|diagnosed|presenting|"
    r"suffering|treated|from|at (?:high )?risk)\b|\b(?:eligib|inclusion criteri)",
    re.IGNORECASE,
)
_METHODS = re.compile(
    r"\b(?:randomly|randomi[sz]ed|assigned|allocated|we searched|were searched|databases|"
    r"primary (?:outcome|end ?point)|main outcome|measured|assessed|compared|collected|analy[sz]ed|"
    r"regression|model(?:s|ed|led)?|followed)\b",
    re.IGNORECASE,
)
_FIGURES = re.compile(
    r"\b(?:95 ?%|CI\b|confidence interval|hazard ratio|odds ratio|risk ratio|rate ratio|relative risk|risk difference|"
    r"mean difference|HR\b|OR\b|RR\b|[Pp]\s?[<=>≤≥]\s?0?\.\d)|\d\s?%",
)
_FOUND = re.compile(
    r"\b(?:significant(?:ly)?|associated with|reduced|increased|lower|higher|improved|no (?:significant )?difference|"
    r"did not|superior|non-?inferior|resulted in|we found|in conclusion|we conclude|conclude that|suggests?|"
    r"indicates?|showed|demonstrated)\b",
    re.IGNORECASE,
)
_LIMITATION = re.compile(
    r"\b(?:limitations|limitation (?:of (?:this|our|the)|is|was)|limited by|limited (?:number|evidence|data|sample)|"
    r"small (?:sample|number|study)|"
    r"interpreted with caution|caution|confound\w*|risk of bias|selection bias|heterogene\w+|low (?:certainty|quality)|"
    r"very low|under-?powered|lack of|insufficient (?:evidence|data)|"
    r"(?:further|more|larger|additional|future) (?:[\w-]+ ){0,3}(?:stud(?:y|ies)|trials?|research|evidence|data)|"
    r"not (?:be )?generali[sz]able|single[- ]cent(?:er|re)|retrospective (?:design|nature))\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Sentence:
    span: Span
    text: str
    label: str
    category: str

    def within(self, *words: str) -> bool:
        """Whether its section is one of these, by NLM's category or by its printed label."""
        return self.category.upper() in words or any(word in self.label.upper() for word in words)


def suggestions(record: Record) -> list[Suggestion]:
    """All offers for one record as a source returned it, likeliest first within each column."""
    told = list(_sentences(record))
    made = [
        *_of_publication_types(record),
        *_of_headings(record),
        *_by_words(told, Column.DESIGN, "design words", _design),
        *_by_words(told, Column.POPULATION, "population sentence", _population),
        *_by_words(told, Column.SIZE, "sample size", _size),
        *_by_words(told, Column.METHODS, "method sentence", _methods),
        *_by_words(told, Column.FINDING, "result sentence", _finding),
        *_by_words(told, Column.LIMITATION, "limitation sentence", _limitation),
    ]
    return [one for one in made if one.stands_in(record)]


def _sentences(record: Record) -> Iterator[_Sentence]:
    for number, section in enumerate(record.abstract):
        for start, end in sentences(section.text):
            yield _Sentence(Span(number, start, end), section.text[start:end], section.label, section.category)


def _of_publication_types(record: Record) -> Iterator[Suggestion]:
    types = [
        one
        for one in dict.fromkeys(record.publication_types)
        if one not in _NO_DESIGN and not one.startswith("Research Support") and "; " not in one
    ]
    if types:
        told = "; ".join(types)
        yield Suggestion(Column.DESIGN, told, told, Place.PUBLICATION_TYPES, "publication types")


def _of_headings(record: Record) -> Iterator[Suggestion]:
    headings = [heading.descriptor for heading in record.mesh]
    designs = [one for one in dict.fromkeys(headings) if one in _DESIGN_MESH]
    if designs:
        told = "; ".join(designs)
        yield Suggestion(Column.DESIGN, told, told, Place.MESH, "MeSH headings of design")
    tags = [tag for tag in CHECK_TAGS if tag in headings]
    if tags:
        told = "; ".join(tags)
        yield Suggestion(Column.POPULATION, told, told, Place.MESH, "MeSH check tags")


Reading = Callable[[_Sentence], tuple[int, str] | None]
"""(rank, value) of a sentence that the rule takes, lower ranks first; None for the others."""


def _by_words(told: list[_Sentence], column: Column, rule: str, read: Reading) -> Iterator[Suggestion]:
    found = [(taken[0], one.span, taken[1], one) for one in told if (taken := read(one))]
    for _, span, value, one in sorted(found, key=lambda entry: entry[:2]):
        yield Suggestion(column, value, one.text, Place.ABSTRACT, rule, span, one.label)


def _design(one: _Sentence) -> tuple[int, str] | None:
    found = _DESIGN_WORDS.search(one.text)
    if not found:
        return None
    return (0 if one.within("DESIGN", "METHODS") else 1), found[0]


def _population(one: _Sentence) -> tuple[int, str] | None:
    if _POPULATION_LABEL.search(one.label):
        return 0, one.text
    if one.within("RESULTS", "CONCLUSIONS", "BACKGROUND") or not _POPULATION.search(one.text):
        return None
    return (1 if one.within("METHODS") else 2), one.text


def _size(one: _Sentence) -> tuple[int, str] | None:
    found = _SIZE.search(one.text)
    if not found or one.within("CONCLUSIONS", "BACKGROUND", "OBJECTIVE"):
        return None
    return (0 if _SIZE_FIRST.search(one.text) else 1), found[0]


def _methods(one: _Sentence) -> tuple[int, str] | None:
    if one.within("METHODS", "DESIGN", "INTERVENTION", "MEASURE"):
        return (0 if _METHODS.search(one.text) else 1), one.text
    if one.label or not _METHODS.search(one.text) or _FIGURES.search(one.text):
        return None
    return 2, one.text


def _finding(one: _Sentence) -> tuple[int, str] | None:
    figures, words = bool(_FIGURES.search(one.text)), bool(_FOUND.search(one.text))
    if one.within("CONCLUSION", "CONCLUSIONS", "INTERPRETATION"):
        return (0 if words else 1), one.text
    if one.within("RESULTS", "FINDINGS"):
        return (1 if figures and words else 2 if figures or words else 3), one.text
    if one.label or not words:
        return None
    return (1 if figures else 2), one.text


def _limitation(one: _Sentence) -> tuple[int, str] | None:
    if one.within("LIMITATION"):
        return 0, one.text
    return (1, one.text) if _LIMITATION.search(one.text) else None

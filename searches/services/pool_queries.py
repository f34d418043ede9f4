"""What a reference pool asks the sources: a query for each category of a manuscript's references, by fixed rules."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from litapp.core.plan import Filters, PlanQuery
from litapp.core.records import Scheme
from litapp.providers.base import SourceError
from litapp.providers.registry import search_provider
from searches.services.mode_asking import Question, lookup_question, match_question, search_question
from searches.services.pool_named import Named, Origin
from searches.services.quick_cite_reading import Remembered, read_sentence

RECORDS_A_QUESTION = 25
BOOLEAN_AT = ("pubmed", "europepmc")
TITLES_AT = ("pubmed", "crossref", "europepmc")
_IS_BOOLEAN = re.compile(r"\[[a-z:/ ~\d]+\]|\b(?:AND|OR|NOT)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Category:
    """A kind of reference that a manuscript needs. `extra` narrows the topic to it (PubMed syntax; "" = no query of
    its own), `marks` are words that show a paper is of this kind; `wanted` = how many are offered."""

    key: str
    title: str
    section: str
    need: str
    extra: str
    marks: tuple[str, ...]
    wanted: int


CATEGORIES: tuple[Category, ...] = (
    Category(
        "gap", "Gap-defining prior studies", "Introduction, last paragraph",
        "What is known, and the open question that your study answers.",
        '("systematic review"[pt] OR "meta-analysis"[pt] OR "randomized controlled trial"[pt] OR "clinical trial"[pt] '
        'OR "further research"[tiab] OR "further studies"[tiab] OR unclear[tiab] OR "limited evidence"[tiab] OR '
        '"little is known"[tiab])',
        ("further research", "further studies", "unclear", "limited evidence", "little is known", "remains",
         "systematic review", "meta-analysis", "randomized", "randomised"),
        8,
    ),
    Category(
        "cohorts", "Comparable cohorts", "Discussion, comparison with other studies",
        "Results in comparable people, against which yours are read.",
        '("cohort studies"[mh] OR cohort[tiab] OR registry[tiab] OR retrospective[tiab] OR prospective[tiab] OR '
        "observational[tiab])",
        ("cohort", "registry", "retrospective", "prospective", "observational"),
        8,
    ),
    Category(
        "background", "Background and burden", "Introduction, first paragraph",
        "How common and how grave the problem is.",
        "(epidemiology[sh] OR prevalence[tiab] OR incidence[tiab] OR burden[tiab] OR mortality[tiab])",
        ("prevalence", "incidence", "burden", "epidemiology", "mortality"),
        7,
    ),
    Category(
        "interpretation", "Interpretation and limitations", "Discussion, interpretation and limitations",
        "Why results may differ, and how far they hold.",
        "(bias[tiab] OR limitation*[tiab] OR confounding[tiab] OR generali*[tiab] OR heterogeneity[tiab] OR "
        "comment[pt] OR editorial[pt])",
        ("bias", "limitation", "limitations", "confounding", "heterogeneity", "generalizability"),
        7,
    ),
    Category(
        "methods", "Methods and statistics sources", "Methods, statistical analysis",
        "The paper a method, model, score, equation or criterion comes from.", "", (), 20,
    ),
    Category(
        "reporting", "Reporting guidelines", "Methods, first paragraph",
        "The guideline by which the study is reported.", "", (), 4,
    ),
)  # fmt: skip
BY_KEY = {category.key: category for category in CATEGORIES}
NEAREST = "gap"
"""The category of what is nearest to the topic, whatever else it says: prior studies."""
SHOWN_ORDER = ("background", "gap", "cohorts", "methods", "reporting", "interpretation")
"""The categories as a manuscript goes."""


@dataclass(frozen=True, slots=True)
class Topic:
    """What the manuscript is about: a Boolean query, and its words."""

    boolean: str
    read: Remembered


def read_topic(text: str) -> Topic:
    """A Boolean query as it is; of plain words those that mean something, all of them wanted."""
    given = " ".join(text.replace("\x00", " ").split())
    if _IS_BOOLEAN.search(given):
        words = re.sub(r"\[[^\]]*\]|\b(?:AND|OR|NOT)\b|[()\"*]", " ", given)
        return Topic(given, Remembered(given, topic=read_sentence(words).topic))
    read = read_sentence(given)
    parts = [f'"{word}"' if "-" in word or "/" in word else word for word in read.topic]
    return Topic(" AND ".join(parts), Remembered(given, topic=read.topic))


def category_questions(topic: Topic) -> list[Question]:
    """The question of every category that has one, to each Boolean source that can take it."""
    questions = []
    for category in CATEGORIES:
        if not category.extra:
            continue
        query = PlanQuery(boolean=f"({topic.boolean}) AND {category.extra}")
        for key in BOOLEAN_AT:
            try:
                compiled = search_provider(key).compile(query, Filters())
            except SourceError:
                continue
            what = f"{category.title.lower()}: {topic.read.words or topic.boolean}"
            questions.append(search_question(key, category.key, what, compiled, RECORDS_A_QUESTION))
    words = topic.read.words
    try:
        alike = search_provider("semanticscholar").compile(PlanQuery(plain=words), Filters())
    except SourceError:
        return questions
    what = f"prior studies nearest to: {words}"
    return [*questions, search_question("semanticscholar", NEAREST, what, alike, RECORDS_A_QUESTION)]


def named_questions(names: Sequence[tuple[str, Named]]) -> list[Question]:
    """Questions for the origin of each name (way, name); one that only has its name is asked for in titles."""
    questions: list[Question] = []
    for way, one in names:
        if one.identifier is not None:
            key = {Scheme.DOI: "crossref", Scheme.PMCID: "europepmc", Scheme.ARXIV: "arxiv"}.get(
                one.identifier.scheme, "pubmed"
            )
            label = f"{one.identifier.scheme.value.upper()} {one.identifier.value}"
            questions.append(lookup_question(key, way, f"{one.name}: {label}", [one.identifier]))
        elif one.origin is not None or one.title:
            questions += origin_questions(way, one.name, one.origin or Origin(one.title, "", 0))
        else:
            questions += _title_questions(way, one.name)
    return questions


def origin_questions(way: str, name: str, origin: Origin) -> list[Question]:
    """One paper by its title, at each source that finds titles."""
    what = f"{name}: “{origin.title}”"
    year = origin.year or None
    return [match_question(key, way, what, origin.title, author=origin.author, year=year) for key in TITLES_AT]


def _title_questions(way: str, name: str) -> list[Question]:
    """Papers with the name in their title, oldest to be picked among all of them."""
    clean = re.sub(r"[^\w\s+-]", " ", name).strip()
    query = PlanQuery(boolean=f'"{clean}"[ti]')
    try:
        compiled = search_provider("pubmed").compile(query, Filters())
    except SourceError:
        return []
    return [search_question("pubmed", way, f"{name}: in titles", compiled, MOST_TITLES)]


MOST_TITLES = 100
"""Papers with a name in their title among which the oldest is looked for; with more, nobody can tell from here."""

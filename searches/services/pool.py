"""A reference pool for a manuscript: 25 to 40 papers over six categories, each with section, need and why."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from litapp.core.markup import plain_text
from litapp.core.matching.titles import compare_titles
from litapp.core.matching.verdicts import Agreement
from litapp.core.normalise import family_key, title_key
from litapp.core.records import Person, Record
from litapp.projects.models import Project
from litapp.providers.registry import source
from searches.models import FoundPaper, Mode, PaperSearch
from searches.services.mode_asking import FAILED, FOUND, NOT_ASKED, Heard, ask_all
from searches.services.mode_papers import Paper, papers_of
from searches.services.mode_searches import SearchProblem, search_begin
from searches.services.mode_work import Found, Progress
from searches.services.pool_named import DESIGNS, Named, Origin, guidelines_for, read_names
from searches.services.pool_queries import (
    BY_KEY,
    CATEGORIES,
    MOST_TITLES,
    SHOWN_ORDER,
    Category,
    Topic,
    category_questions,
    named_questions,
    origin_questions,
    read_topic,
)
from searches.services.quick_cite import matching_passage
from searches.services.quick_cite_reading import Remembered, agreement, covers

FEWEST, MOST = 25, 40
"""Papers of a pool; fewer are told, more are not offered."""
THIN = 3
"""Papers of a category below which the field is called thin there."""
LEAST_TOPIC = 0.5
MOST_NAMES = 20
MOST_CUT_KEPT = 40
"""Papers that were cut and are still shown, with the reason."""
_ORIGIN_WORDS = re.compile(
    r"\b(?:new|novel|development|derivation|proposal|proposed|introducing|revised|simplified|definition|classification"
    r"|criteria|score|scale|index|equation|model|method|instrument|questionnaire|statement|algorithm)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Scope:
    """What the person wants of the pool. None and () = no limit. `cap` = the journal's limit of references."""

    topic: str
    cap: int | None = None
    year_from: int | None = None
    year_to: int | None = None
    languages: tuple[str, ...] = ()
    leave_out: tuple[str, ...] = ()
    design: str = ""
    names: str = ""


def pool_begin(*, project: Project, actor: Any, request_id: UUID, scope: Scope) -> PaperSearch:
    """Begin to gather a pool. Raises SearchProblem for a topic without words, too many names, a cap below one."""
    topic = read_topic(scope.topic)
    if not topic.boolean or not topic.read.topic:
        raise SearchProblem("Say what the manuscript is about: two to four words, or a Boolean query.")
    if len(read_names(scope.names)) > MOST_NAMES:
        raise SearchProblem(f"At most {MOST_NAMES} names are looked up at once. Make a second pool for the others.")
    if scope.cap is not None and scope.cap < 1:
        raise SearchProblem("A journal that allows no reference at all needs no pool.")
    if scope.design not in DESIGNS:
        raise SearchProblem("Choose one of the designs of the list.")
    return search_begin(
        project=project, actor=actor, request_id=request_id, mode=Mode.POOL, title=f"Pool: {scope.topic}",
        question={
            "topic": scope.topic, "cap": scope.cap, "year_from": scope.year_from, "year_to": scope.year_to,
            "languages": list(scope.languages), "leave_out": list(scope.leave_out), "design": scope.design,
            "names": scope.names,
        },
    )  # fmt: skip


def scope_of(search: PaperSearch) -> Scope:
    """What the person asked for."""
    asked = dict(search.question)
    return Scope(**{**asked, "languages": tuple(asked["languages"]), "leave_out": tuple(asked["leave_out"])})


def pool_find(search: PaperSearch, progress: Progress) -> Found:
    """Ask for every category, name and guideline; rank, keep to scope and cap, and tell all that was cut."""
    scope = scope_of(search)
    topic = read_topic(scope.topic)
    named = [(f"name {number}", one) for number, one in enumerate(read_names(scope.names))]
    guides = [
        (f"guide {number}", Named(name, origin)) for number, (name, origin) in enumerate(guidelines_for(scope.design))
    ]
    questions = category_questions(topic) + named_questions(named)
    questions += [q for way, one in guides if one.origin for q in origin_questions(way, one.name, one.origin)]
    heard = ask_all(questions, lambda done: progress(done, len(questions)))
    told: list[dict[str, str]] = []
    fixed = _origins(named, heard, "methods", told) + _origins(guides, heard, "reporting", told)
    others = _of_categories(topic, heard, fixed)
    kept, cut = _within(scope, fixed, others)
    everything = [*kept, *cut[:MOST_CUT_KEPT]]
    result = {
        "named": told,
        "thin": _thin(kept, heard, scope),
        "cuts": _cuts(cut),
        "shown_cuts": min(len(cut), MOST_CUT_KEPT),
        "categories": [
            {"key": key, "number": sum(paper.group == key for paper in kept)} for key in SHOWN_ORDER
        ],
    }  # fmt: skip
    return Found(heard, everything, result, check=True)


def _origins(
    names: Sequence[tuple[str, Named]], heard: Sequence[Heard], group: str, told: list[dict[str, str]]
) -> list[Paper]:
    """The originating paper of each name, as a source returned it; `told` gets what became of each name."""
    found = []
    for way, one in names:
        answers = [answer for answer in heard if answer.question.way == way]
        paper = _origin(one, answers)
        silent = [source(a.question.source).label for a in answers if a.outcome in (FAILED, NOT_ASKED)]
        if paper is not None:
            paper.group, paper.label = group, one.name
            found.append(paper)
            told.append({"name": one.name, "state": "found", "group": group, "message": ""})
        elif silent and not any(answer.outcome == FOUND for answer in answers):
            said = f"{', '.join(dict.fromkeys(silent))} did not answer. Ask again later."
            told.append({"name": one.name, "state": "not_answered", "group": group, "message": said})
        else:
            told.append({"name": one.name, "state": "not_found", "group": group, "message": _why_not(one, answers)})
    return found


def _origin(one: Named, answers: Sequence[Heard]) -> Paper | None:
    papers = [paper for paper in papers_of(answers) if paper.live]
    if one.identifier is not None:
        paper = papers[0] if papers else None
        if paper is not None:
            paper.why = [f"The paper you named for {one.name}."]
        return paper
    if one.origin is not None or one.title:
        wanted = one.origin or Origin(one.title, "", 0)
        paper = next((paper for paper in papers if any(_is_origin(wanted, r) for r, _ in paper.records)), None)
        if paper is not None:
            paper.why = [
                f"The paper that {one.name} comes from: title{' and first author' if wanted.author else ''} agree."
            ]
        return paper
    total = max((answer.returned.number or 0 for answer in answers), default=0)
    if total > MOST_TITLES:
        return None
    dated = [paper for paper in papers if paper.main.year and _ORIGIN_WORDS.search(paper.main.title)]
    dated = [paper for paper in dated if title_key(one.name) in title_key(paper.main.title)]
    if not dated:
        return None
    paper = min(dated, key=lambda paper: paper.main.year or 9999)
    paper.why = [
        f"The oldest of {total} papers at PubMed that name {one.name} in their title and read like its origin. Look "
        "whether it is."
    ]
    return paper


def _is_origin(wanted: Origin, record: Record) -> bool:
    agreed = compare_titles(wanted.title, record.title, record.original_title).verdict
    if agreed not in (Agreement.SAME, Agreement.VARIANT):
        return False
    if not wanted.author:
        return True
    families = {family_key(person) for person in record.authors} | {title_key(p.literal) for p in record.authors}
    return family_key(Person(family=wanted.author)) in families or title_key(wanted.author) in families


def _why_not(one: Named, answers: Sequence[Heard]) -> str:
    total = max((answer.returned.number or 0 for answer in answers), default=0)
    hint = f"Give its paper yourself: “{one.name} = PMID or title”."
    if one.origin is None and not one.title and one.identifier is None:
        if total > MOST_TITLES:
            return f"{total:,} papers at PubMed name it in their title: too many to tell the origin. {hint}"
        return f"No paper at PubMed with this name in its title reads like its origin. {hint}"
    if one.identifier is not None:
        return "The source does not have this number. Look at it again."
    return f"No source returned the paper that it is asked for by. {hint}"


def _of_categories(topic: Topic, heard: Sequence[Heard], fixed: Sequence[Paper]) -> list[Paper]:
    """The papers of the other categories, each in the one it fits best, the best first within each."""
    keys = [category.key for category in CATEGORIES if category.extra]
    papers = papers_of(one for one in heard if one.question.way in keys)
    taken = {one for paper in fixed for record, _ in paper.records for one in record.identifiers}
    scored: list[tuple[float, Paper]] = []
    for paper in papers:
        if not paper.live or any(one in taken for record, _ in paper.records for one in record.identifiers):
            continue
        share = max(_share(topic.read, record) for record, _ in paper.records)
        if share < LEAST_TOPIC:
            continue
        rated = sorted(((_fit(BY_KEY[key], paper), key) for key in keys if paper.way(key)), reverse=True)
        fit, key = rated[0]
        paper.group = key
        paper.why = _why(topic, BY_KEY[key], paper, [BY_KEY[other].title for _, other in rated[1:]])
        reads = Remembered(topic.read.text, topic=(*topic.read.topic, *BY_KEY[key].marks))
        paper.passage = matching_passage(reads, paper)
        scored.append((share + fit + 0.1 * len(paper.sources), paper))
    scored.sort(key=lambda one: -one[0])
    return [paper for _, paper in scored]


def _share(read: Remembered, record: Record) -> float:
    key = title_key(f"{record.title} {record.abstract_text}")
    words = frozenset(key.split())
    return sum(covers(word, key, words) for word in read.topic) / (len(read.topic) or 1)


def _fit(category: Category, paper: Paper) -> float:
    """How well a paper fits a category: the source's rank, and the words that mark the category."""
    way = paper.way(category.key)
    rank = 1 / (2 + (way.rank if way else 99))
    return rank + 0.15 * min(len(_marks(category, paper)), 3)


def _marks(category: Category, paper: Paper) -> list[str]:
    text = title_key(" ".join(f"{plain_text(r.title)} {plain_text(r.abstract_text)}" for r, _ in paper.records))
    return [mark for mark in category.marks if f" {title_key(mark)} " in f" {text} "]


def _why(topic: Topic, category: Category, paper: Paper, also: Sequence[str]) -> list[str]:
    _, why = max((agreement(topic.read, record) for record, _ in paper.records), key=lambda one: one[0])
    marks = _marks(category, paper)
    if marks:
        why.append(f"Speaks of: {', '.join(marks[:4])}.")
    kinds = {kind for record, _ in paper.records for kind in record.publication_types}
    told = sorted(kinds & {"Systematic Review", "Meta-Analysis", "Randomized Controlled Trial", "Review", "Editorial"})
    if told:
        why.append(f"Is a {', '.join(told).lower()}.")
    if also:
        why.append(f"Came up under {', '.join(also).lower()} as well.")
    return [*why, f"Returned by {', '.join(source(key).label for key in paper.sources)}."]


def _within(scope: Scope, fixed: Sequence[Paper], others: Sequence[Paper]) -> tuple[list[Paper], list[Paper]]:
    """The papers that are offered, and those cut, each with the reason in `cut`."""
    kept: list[Paper] = list(fixed)
    cut: list[Paper] = []
    room = Counter({category.key: category.wanted for category in CATEGORIES})
    spare: list[Paper] = []
    for paper in others:
        reason = out_of_scope(scope, paper)
        if reason:
            paper.cut = reason
            cut.append(paper)
        elif room[paper.group] > 0:
            room[paper.group] -= 1
            kept.append(paper)
        else:
            spare.append(paper)
    most = min(MOST, scope.cap or MOST)
    free = max(0, min(FEWEST, most) - len(kept))  # a thin category leaves its room to the others
    kept += spare[:free]
    for paper in spare[free:]:
        paper.cut = "Its category is full; others fit better."
        cut.append(paper)
    reason = "Over the journal's cap of references." if scope.cap and scope.cap <= MOST else f"Over {MOST} papers."
    while len(kept) > most:
        sizes = Counter(paper.group for paper in kept if paper.group not in ("methods", "reporting"))
        group = max(sizes, key=lambda key: (sizes[key], key)) if sizes else kept[-1].group
        last = next(paper for paper in reversed(kept) if paper.group == group)
        kept.remove(last)
        last.cut = reason
        cut.append(last)
    order = {key: place for place, key in enumerate(SHOWN_ORDER)}
    return sorted(kept, key=lambda paper: order[paper.group]), cut


def out_of_scope(scope: Scope, paper: Paper) -> str:
    """Why a paper lies outside of the person's scope; "" = it does not, or the sources do not say."""
    years = {year for record, _ in paper.records for year in (*record.years, record.year) if year}
    if scope.year_from and years and max(years) < scope.year_from:
        return f"Scope: published {max(years)}, before {scope.year_from}."
    if scope.year_to and years and min(years) > scope.year_to:
        return f"Scope: published {min(years)}, after {scope.year_to}."
    languages = {language for record, _ in paper.records for language in record.languages}
    if scope.languages and languages and not languages & set(scope.languages):
        return f"Scope: language {', '.join(sorted(languages))}."
    text = title_key(" ".join(f"{record.title} {record.abstract_text}" for record, _ in paper.records))
    for word in scope.leave_out:
        if f" {title_key(word)} " in f" {text} ":
            return f"Scope: speaks of “{word}”."
    return ""


def _cuts(cut: Sequence[Paper]) -> list[dict[str, Any]]:
    """What was cut, by reason: the reason's beginning, and how many."""
    counted = Counter(paper.cut.split(":")[0] if paper.cut.startswith("Scope") else paper.cut for paper in cut)
    return [{"why": "Outside your scope" if why == "Scope" else why.rstrip("."), "number": n}
            for why, n in counted.most_common()]  # fmt: skip


def _thin(kept: Sequence[Paper], heard: Sequence[Heard], scope: Scope) -> list[str]:
    """Where the field is thin, in sentences; a source that did not answer is never read as a thin field."""
    said = []
    for category in CATEGORIES:
        if not category.extra:
            continue
        number = sum(paper.group == category.key for paper in kept)
        answers = [one for one in heard if one.question.way == category.key]
        if number >= THIN:
            continue
        silent = [source(one.question.source).label for one in answers if one.outcome in (FAILED, NOT_ASKED)]
        if silent:
            said.append(f"{category.title}: {number}; {', '.join(silent)} did not answer, so nothing follows from it.")
        else:
            hits = ", ".join(
                f"{source(one.question.source).label} reports {one.returned.number or 0:,}" for one in answers
            )
            said.append(f"{category.title}: the field is thin, {number} that fit{'s' if number == 1 else ''} ({hits}).")
    if len(kept) < min(FEWEST, scope.cap or FEWEST):
        said.append(f"{len(kept)} papers in all; a pool has {FEWEST} to {MOST}. Widen the topic, or the scope.")
    return said


@dataclass(frozen=True, slots=True)
class PoolGroup:
    """A category on the page with its papers."""

    category: Category
    papers: tuple[FoundPaper, ...]


def groups_of(papers: Sequence[FoundPaper]) -> list[PoolGroup]:
    """The papers by category, in the order of a manuscript; categories without papers too."""
    return [PoolGroup(BY_KEY[key], tuple(p for p in papers if p.group == key)) for key in SHOWN_ORDER]

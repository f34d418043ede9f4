"""Quick cite: a sentence goes to several sources at once; up to three papers come back, each with a passage."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any
from uuid import UUID

from litapp.core.markup import plain_text
from litapp.core.normalise import title_key
from litapp.core.patient_details import Suspicion, patient_details
from litapp.core.plan import Filters, PlanQuery
from litapp.core.records import Record, Scheme
from litapp.projects.models import Project
from litapp.providers.base import SourceError
from litapp.providers.questions import Passage
from litapp.providers.registry import search_provider, source
from litapp.verification.models import VerdictStatus
from searches.models import FoundPaper, Mode, PaperSearch
from searches.services.mode_asking import (
    FAILED,
    NOT_ASKED,
    Heard,
    Question,
    ask_all,
    lookup_question,
    match_question,
    passages_question,
    search_question,
)
from searches.services.mode_papers import Paper, papers_of
from searches.services.mode_searches import SearchProblem, search_begin
from searches.services.mode_work import Found, Progress
from searches.services.quick_cite_reading import Remembered, agreement, covers, read_sentence

SHOWN = 3
CHECKED = 6
"""Papers whose verdict is asked for: some of them may turn out not to be what they seem."""
LONGEST_TEXT = 2_000
RECORDS_A_QUESTION = 10
LONGEST_PASSAGE = 600
"""Characters of a passage that are shown; a longer one ends with "…"."""
LEAST_TOPIC = 0.6
"""Share of the topic's words that a paper must have for it to be offered at all."""
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z0-9(])")


class PatientDetailsTyped(SearchProblem):
    """The sentence looks as if it told of a patient. Nothing was sent; `suspicions` are the places."""

    def __init__(self, suspicions: tuple[Suspicion, ...]) -> None:
        super().__init__("This looks like details of a patient. Nothing was sent.")
        self.suspicions = suspicions


def quick_cite_begin(
    *, project: Project, actor: Any, request_id: UUID, text: str, details_meant: bool = False
) -> PaperSearch:
    """Begin to look for the paper of a sentence. Raises SearchProblem when nothing in it can be asked for, and
    PatientDetailsTyped before anything is kept or sent, unless the person said that it is meant so (`details_meant`).
    """
    given = " ".join(text.replace("\x00", " ").split())
    if not given:
        raise SearchProblem("Write what you remember: a name, a year, what it is about; or a title, DOI or PMID.")
    if len(given) > LONGEST_TEXT:
        raise SearchProblem(
            f"This is longer than {LONGEST_TEXT:,} characters. One sentence is enough; check a whole list under "
            "“Check references”."
        )
    if not details_meant and (suspicions := patient_details(given, citation=True)):
        raise PatientDetailsTyped(suspicions)
    read = read_sentence(given)
    if not (read.topic or read.identifiers or read.authors):
        raise SearchProblem("Nothing in this sentence can be asked for. Name what the paper is about, or an author.")
    return search_begin(
        project=project, actor=actor, request_id=request_id, mode=Mode.QUICK_CITE, title=given, question={"text": given}
    )


def quick_cite_find(search: PaperSearch, progress: Progress) -> Found:
    """Ask the sources; wider questions follow where the narrow ones found nothing."""
    read = read_sentence(str(search.question["text"]))
    heard: list[Heard] = []
    papers: list[Paper] = []
    for questions in (first_questions(read), wider_questions(read)):
        if not questions:
            continue
        heard += ask_all(questions, partial(_tell, progress, len(heard), len(questions)))
        papers = ranked(read, papers_of(heard))
        if len(papers) >= SHOWN:
            break
    passages = [(one.question.source, passage) for one in heard for passage in one.returned.passages]
    best = papers[:CHECKED]
    for paper in best:
        paper.passage = matching_passage(read, paper, passages)
    return Found(heard, best, {"read": read.told}, check=True)


def _tell(progress: Progress, before: int, questions: int, done: int) -> None:
    progress(before + done, before + questions)


def first_questions(read: Remembered) -> list[Question]:
    """The narrowest questions: identifiers at their owners, a title as a title, else words with name and year."""
    if read.identifiers:
        questions = []
        for key, scheme in (("pubmed", Scheme.PMID), ("crossref", Scheme.DOI), ("europepmc", Scheme.PMCID)):
            wanted = [one for one in read.identifiers if one.scheme is scheme]
            if wanted:
                what = ", ".join(f"{one.scheme.value.upper()} {one.value}" for one in wanted)
                questions.append(lookup_question(key, "identifier", what, wanted))
        if questions:
            return questions
    if read.title:
        author = read.authors[0] if read.authors else ""
        return [
            match_question(key, "title", f"the title “{read.title}”", read.title, author=author, year=read.year_from)
            for key in ("pubmed", "crossref", "europepmc", "semanticscholar")
        ]
    filters = Filters(year_from=read.year_from, year_to=read.year_to)
    what = " ".join(read.told)
    return [
        *_boolean(("pubmed", "europepmc"), "search", what, boolean_of(read), filters),
        *_plain(("semanticscholar", "openalex", "crossref"), "words", what, f"{read.words} {' '.join(read.authors)}",
                filters),
        *([passages_question("semanticscholar", "passages", f"passages about {read.words}", read.words, 10)]
          if read.topic else []),
    ]  # fmt: skip


def wider_questions(read: Remembered) -> list[Question]:
    """Without the year, with any of the longest words: memory errs in details."""
    if not read.topic:
        return []
    longest = sorted(read.topic, key=len, reverse=True)
    shorter = longest[: max(2, (len(longest) + 1) // 2)]
    wide = Remembered(text=read.text, authors=read.authors, topic=tuple(word for word in read.topic if word in shorter))
    spare = Filters(
        year_from=read.year_from - 2 if read.year_from else None, year_to=read.year_to + 2 if read.year_to else None
    )
    questions = _boolean(
        ("pubmed", "europepmc"), "wider", f"{' '.join(wide.told)}, in the years around", boolean_of(wide), spare
    )
    if read.authors:
        nameless = Remembered(text=read.text, topic=read.topic)
        what = f"the same words without the author ({nameless.words})"
        questions += _boolean(("pubmed",), "wider", what, boolean_of(nameless), spare)
    return questions


def boolean_of(read: Remembered) -> str:
    """The sentence as a PubMed query: every word of the topic, mapped by PubMed itself; the names as authors."""
    parts = [_term(word) for word in read.topic]
    parts += [f"{name}[au]" for name in read.authors]
    if read.journal:
        parts.append(f'"{read.journal}"[ta]')
    return " AND ".join(parts)


def _term(word: str) -> str:
    clean = re.sub(r"[^\w'’/-]", " ", word).strip()
    return f'"{clean}"' if "-" in clean or "/" in clean else clean


def _boolean(keys: Sequence[str], way: str, what: str, boolean: str, filters: Filters) -> list[Question]:
    return _searches(keys, way, what, PlanQuery(boolean=boolean), filters)


def _plain(keys: Sequence[str], way: str, what: str, words: str, filters: Filters) -> list[Question]:
    return _searches(keys, way, what, PlanQuery(plain=words.strip()), filters)


def _searches(keys: Sequence[str], way: str, what: str, query: PlanQuery, filters: Filters) -> list[Question]:
    """A question a source; one that cannot take the query is asked nothing (its compiler says why)."""
    questions = []
    for key in keys:
        try:
            compiled = search_provider(key).compile(query, filters)
        except SourceError:
            continue
        questions.append(search_question(key, way, what, compiled, RECORDS_A_QUESTION))
    return questions


def ranked(read: Remembered, papers: Sequence[Paper]) -> list[Paper]:
    """The papers that fit, the best first; only those that a source returned under an identifier."""
    scored = []
    for place, paper in enumerate(papers):
        if not paper.live:
            continue
        by_identifier = paper.way("identifier") is not None
        rated = [agreement(read, record) for record, _ in paper.records]
        score, why = max(rated, key=lambda one: one[0])
        if not by_identifier and not _fits(read, paper):
            continue
        best = min(way.rank for way in paper.ways)
        score += 0.1 * min(len(paper.sources), 3) + 0.1 / best + (5.0 if by_identifier else 0.0)
        names = ", ".join(source(key).label for key in paper.sources)
        paper.why = [*why, f"Returned by {names}."]
        scored.append((score, -place, paper))
    return [paper for *_, paper in sorted(scored, key=lambda one: one[:2], reverse=True)]


def _fits(read: Remembered, paper: Paper) -> bool:
    """Enough of the topic is in one of its records; a named author, where the sentence names nothing else."""
    if not read.topic:
        return any(agreement(read, record)[0] > 0 for record, _ in paper.records)
    share = 0.0
    for record, _ in paper.records:
        key = title_key(f"{record.title} {record.abstract_text}")
        words = frozenset(key.split())
        share = max(share, sum(covers(word, key, words) for word in read.topic) / len(read.topic))
    return share >= LEAST_TOPIC


def matching_passage(read: Remembered, paper: Paper, passages: Sequence[tuple[str, Passage]] = ()) -> dict[str, object]:
    """The words of a source that fit best: a passage found within the paper, else a sentence of its abstract, word for
    word. {} = no source gave its abstract."""
    best: tuple[float, dict[str, object]] = (0.0, {})
    for record, answer in paper.records:
        for section in record.abstract:
            for sentence in _SENTENCE.split(plain_text(section.text)):
                score = _share(read, sentence)
                if score > best[0] or not best[1]:
                    label = f"Abstract, {section.label.capitalize()}" if section.label else "Abstract"
                    best = score, {
                        "text": sentence.strip(), "source": record.source, "section": label, "answer": answer,
                    }  # fmt: skip
    for key, passage in passages:
        if not _is_within(passage, paper):
            continue
        for sentence in passage.sentences or (passage.text,):
            score = _share(read, sentence)
            if score > best[0] and passage.kind != "title":
                heading = (passage.section or passage.kind).capitalize()
                text = sentence if len(sentence) <= LONGEST_PASSAGE else f"{sentence[:LONGEST_PASSAGE]} …"
                best = score, {"text": text, "source": key, "section": heading, "answer": passage.answer_id}
    return best[1]


def _share(read: Remembered, sentence: str) -> float:
    key = title_key(sentence)
    words = frozenset(key.split())
    return sum(covers(word, key, words) for word in read.topic) / (len(read.topic) or 1)


def _is_within(passage: Passage, paper: Paper) -> bool:
    ours = {one for record, _ in paper.records for one in record.identifiers}
    return any(one in ours for one in passage.identifiers)


@dataclass(frozen=True, slots=True)
class Offer:
    """A found paper with what it needs on the page: its record and whether it may be cited from here."""

    paper: FoundPaper
    record: Record

    @property
    def checked(self) -> bool:
        verification = self.paper.verification
        return verification is not None and (
            verification.checked_at is not None or verification.status == VerdictStatus.MANUAL
        )

    @property
    def confirmed(self) -> bool:
        """Verified, or confirmed by a person."""
        verification = self.paper.verification
        return verification is not None and verification.status in (VerdictStatus.VERIFIED, VerdictStatus.MANUAL)


def offers_of(search: PaperSearch) -> tuple[list[Offer], list[Offer]]:
    """Up to three papers that may be cited, the verified first, and those whose check went against them."""
    rows = search.papers.select_related("verification__manual_by", "main_record", "candidate__reference")
    every = [Offer(row, row.record) for row in rows]
    against = [
        one for one in every if one.paper.verification and one.paper.verification.status == VerdictStatus.SUSPECT
    ]
    good = [one for one in every if one not in against]
    good.sort(key=lambda one: one.checked and not one.confirmed)
    return good[:SHOWN], against


def silent_sources(search: PaperSearch) -> list[str]:
    """The sources that did not answer, each once."""
    return list(dict.fromkeys(one["label"] for one in search.asked if one["outcome"] in (FAILED, NOT_ASKED)))


def recent(project: Project, mode: Mode, number: int = 10) -> list[PaperSearch]:
    """The newest searches of a mode, newest first."""
    return list(PaperSearch.objects.filter(project=project, mode=mode).select_related("requested_by")[:number])

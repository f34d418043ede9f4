"""Judges one answer of a host: is it the paper, as PDF or JATS, a file to ask about, or what kind of page instead."""

from __future__ import annotations

from dataclasses import dataclass

from litapp.core.fulltext import SENTENCES, TO_ASK, Outcome
from litapp.core.fulltext_html import WebPage, looks_like_a_page, read_page
from litapp.core.fulltext_jats import JatsArticle, NotJats, read_jats
from litapp.core.fulltext_pdf import bytes_problem, is_the_paper
from litapp.core.matching.titles import compare_titles
from litapp.core.matching.verdicts import Agreement
from litapp.core.records import Record, Scheme
from litapp.providers.fulltext.web import Fetched
from references.services.fulltext_pdf import pdf_reading


@dataclass(frozen=True, slots=True)
class Judged:
    """`outcome` with its sentence; `pages` of a PDF; `page` where a web page came in place of it."""

    outcome: Outcome
    message: str
    pages: int | None = None
    page: WebPage | None = None
    licence: str = ""

    @property
    def is_file(self) -> bool:
        """A file that is the paper, or may be."""
        return self.outcome is Outcome.ACCEPTED or self.outcome in TO_ASK


def _told(outcome: Outcome, more: str = "") -> Judged:
    return Judged(outcome, more or SENTENCES[outcome])


def judge_pdf_answer(fetched: Fetched, record: Record) -> Judged:
    """What a host gave where a PDF was expected. Web pages are named whatever status they came with."""
    page = read_page(fetched.body, address=fetched.final_url) if looks_like_a_page(fetched.body) else None
    if fetched.problem is not None:
        named = page is not None and page.kind is not Outcome.WEB_PAGE and fetched.problem is not Outcome.ABSENT
        if page is not None and named:
            return Judged(page.kind, f"{SENTENCES[page.kind]} {fetched.message}".strip(), page=page)
        return Judged(fetched.problem, fetched.message or SENTENCES[fetched.problem], page=page)
    if page is not None:
        return Judged(page.kind, SENTENCES[page.kind], page=page)
    return judge_pdf(fetched.body, record, content_type=fetched.content_type)


def judge_pdf(body: bytes, record: Record, *, content_type: str = "application/pdf") -> Judged:
    """Whether bytes are a PDF of this paper. Source of the rule: issue 8."""
    problem = bytes_problem(content_type, body)
    if problem is not None:
        return _told(problem)
    reading = pdf_reading(body)
    if reading.problem is not None:
        return _told(reading.problem)
    outcome = _best(reading.texts, record, whole=reading.whole)
    return Judged(outcome, SENTENCES[outcome], reading.pages)


def _best(texts: tuple[str, ...], record: Record, *, whole: bool) -> Outcome:
    """By the title, or by the title in the original language, or by the DOI."""
    found = is_the_paper(texts, title=record.title, doi=record.doi, whole=whole)
    if found is Outcome.OTHER_PAPER and record.original_title:
        return is_the_paper(texts, title=record.original_title, doi=record.doi, whole=whole)
    return found


def judge_jats(body: bytes, record: Record, *, pmcid: str) -> tuple[Judged, JatsArticle | None]:
    """Whether an XML is the full text of this paper: its numbers or its title agree, and it has a body."""
    if looks_like_a_page(body):
        page = read_page(body, address="")
        return Judged(page.kind, SENTENCES[page.kind], page=page), None
    try:
        article = read_jats(body)
    except NotJats as error:
        return _told(Outcome.WRONG_TYPE, f"It sent {error}."), None
    if not _is_of(article, record, pmcid):
        return _told(Outcome.OTHER_PAPER, "The text of another paper came."), None
    if not article.has_body:
        return Judged(Outcome.NO_BODY, SENTENCES[Outcome.NO_BODY], licence=article.licence), article
    return Judged(Outcome.ACCEPTED, SENTENCES[Outcome.ACCEPTED], licence=article.licence), article


def _is_of(article: JatsArticle, record: Record, pmcid: str) -> bool:
    pairs = (
        (article.doi, record.doi.lower()),
        (article.pmid, record.pmid),
        (article.pmcid, record.identifier(Scheme.PMCID) or pmcid),
    )
    known = [ours == theirs for ours, theirs in pairs if ours and theirs]
    if not known or not all(known):
        verdict = compare_titles(record.title, article.title).verdict if article.title and record.title else None
        return verdict in (Agreement.SAME, Agreement.VARIANT)
    return True

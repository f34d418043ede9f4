"""Whether two records are the same report."""

from __future__ import annotations

from rapidfuzz import fuzz

from litapp.core.dedupe.companions import companion
from litapp.core.dedupe.features import Features, features_of
from litapp.core.dedupe.kinds import Level
from litapp.core.dedupe.signals import AGREEING, NO, UNKNOWN, YES, Signals, Title, abstract_relation, signals
from litapp.core.dedupe.verdicts import PairVerdict, Relation
from litapp.core.records import Record

SAME_TITLE_LETTERS = 40
"""A title this long is not borne by two reports of one author by chance."""


def compare(a: Record, b: Record) -> PairVerdict:
    """Compare two records; symmetric."""
    return compare_features(features_of(a), features_of(b))


def compare_features(a: Features, b: Features) -> PairVerdict:
    """`compare` for records whose features are known."""
    verdict = _compare(a, b)
    if verdict.relation is Relation.DIFFERENT and (shared := a.trials & b.trials):
        return PairVerdict(Relation.COMPANION, "same_trial", f"Both name the trial {min(shared)}.")
    return verdict


def _compare(a: Features, b: Features) -> PairVerdict:
    if _unlike(a, b):
        return _DIFFERENT
    s = signals(a, b)
    apart = companion(a, b, s)
    if apart is not None:
        return apart
    verdict = _same_title(a, b, s) if s.title in AGREEING else _other_title(a, b, s)
    if verdict.relation is Relation.SAME and s.pmid == NO and not (s.doi == YES and s.pages == YES):
        return PairVerdict(Relation.DOUBTFUL, "two_pmids", "All else agrees, but the PMIDs differ.", 0.5)
    return verdict


_DIFFERENT = PairVerdict(Relation.DIFFERENT, "unlike", "Title, authors or place differ.")


LIKE, LIKE_PARTS, LIKE_ABSTRACTS = 75.0, 60.0, 50.0
"""Titles less like each other than this (of 100) are unlike, unless one holds the other. Parts of a series, and an
abstract of a meeting and its paper, are told by less."""


def _unlike(a: Features, b: Features) -> bool:
    """A quick no: titles are unlike and nothing that could outweigh that agrees."""
    if (a.pmid and a.pmid == b.pmid) or (a.trial and a.trial == b.trial) or (a.cochrane and a.cochrane == b.cochrane):
        return False
    people = not a.first.isdisjoint(b.first)
    open_people = people or not a.first or not b.first
    if not a.starts.isdisjoint(b.starts) and (open_people or a.volume == b.volume):
        return False
    if a.doi and a.doi == b.doi and open_people:
        return False
    if a.core[:12] != b.core[:12] and a.core[-12:] != b.core[-12:] and not people:
        return True
    short, long = (a.core, b.core) if len(a.core) <= len(b.core) else (b.core, a.core)
    least = LIKE
    if people and Level.ABSTRACT in (a.level, b.level):
        least = LIKE_ABSTRACTS
    elif a.part and b.part:
        least = LIKE_PARTS
    return short not in long and fuzz.ratio(short, long, score_cutoff=least) == 0


def _same(rule: str, why: str) -> PairVerdict:
    return PairVerdict(Relation.SAME, rule, why)


def _doubtful(rule: str, why: str, rank: float) -> PairVerdict:
    return PairVerdict(Relation.DOUBTFUL, rule, why, rank)


def _same_title(a: Features, b: Features, s: Signals) -> PairVerdict:
    elsewhere = s.volume == NO and s.pages == NO
    if s.pmid == YES and not elsewhere:
        return _same("pmid_title", "PMID and title agree.")
    if a.generic or b.generic:
        return _generic_title(a, b, s)
    if s.doi == YES:
        return _same_doi(a, b, s)
    if s.doi == NO:
        return _two_dois(a, b, s)
    if s.pages == YES:
        return _same_pages(a, b, s)
    if s.pages == NO:
        return _two_pages(a, b, s)
    return _no_pages(a, b, s)


def _generic_title(a: Features, b: Features, s: Signals) -> PairVerdict:
    """ "Editorial", "In this issue": only the place tells them apart, so all of it must agree."""
    placed = s.pages == YES and s.volume == YES and s.journal != NO and s.issue != NO and s.near_year
    if s.doi == YES and s.pages != NO and s.volume != NO and s.author != NO:
        return _same("generic_title_doi", "A common title, but DOI, author and place agree.")
    if placed and s.author != NO and s.doi != NO:
        return _same("generic_title_place", "A common title, but journal, volume, issue and pages agree.")
    if placed and s.author == YES and s.issue == YES and s.span:
        return _same("generic_title_place", "A common title, but journal, volume, issue and pages agree.")
    issue_agrees = s.volume == s.issue == s.journal == YES and NO not in (s.author, s.doi, s.pages)
    if s.title is Title.EQUAL and issue_agrees and abstract_relation(a, b) == YES:
        return _same("generic_title_abstract", "A common title, but journal, volume, issue and abstract agree.")
    whole = s.title is Title.EQUAL and len(a.core) >= 15 and s.author == YES and s.journal == YES and s.issue != NO
    if whole and s.volume != NO and s.pages != NO and s.doi != NO and s.near_year:
        if s.pages == YES or abstract_relation(a, b) == YES:
            return _same("short_title_author_journal", "Short title, author and journal agree; nothing contradicts.")
        return _doubtful("short_title", "A short title; author and journal agree, the pages are not stated.", 0.6)
    if placed and s.author != NO and s.pmid == NO:
        return _doubtful("two_pmids", "A common title on one page, but the PMIDs differ.", 0.1)
    return PairVerdict(Relation.DIFFERENT, "generic_title", "A title that many records bear; their places differ.")


def _same_doi(a: Features, b: Features, s: Signals) -> PairVerdict:
    elsewhere = s.volume == NO and s.pages == NO
    if elsewhere and s.journal == NO:
        return PairVerdict(Relation.COMPANION, "conference_abstract", "One DOI, but printed in two places.")
    if elsewhere or (s.pages == NO and (s.title is Title.PART or s.contained)):
        return _doubtful("doi_two_places", "DOI and title agree; volume or pages do not.", 0.8)
    if s.pages == NO and s.author == NO:
        return PairVerdict(Relation.DIFFERENT, "shared_identifier", "One DOI for several contributions to an issue.")
    if (
        a.level is not b.level
        and Level.ABSTRACT in (a.level, b.level)
        and (s.journal == NO or s.volume == NO or s.pages == NO)
    ):
        return PairVerdict(
            Relation.COMPANION, "conference_abstract", "An abstract of a meeting that carries the paper's DOI."
        )
    return _same("doi_title", "DOI and title agree.")


def _two_dois(a: Features, b: Features, s: Signals) -> PairVerdict:
    """An unlike DOI is no proof: databases attach wrong ones, publishers register twice."""
    if s.pages == YES and s.volume == YES and s.journal != NO and s.issue != NO and s.author != NO:
        return _same("title_place_two_dois", "Title, author, volume and pages agree; one of two DOIs is wrong.")
    alike = _letters(a.doi) in _letters(b.doi) or _letters(b.doi) in _letters(a.doi) or _same_digits(a.doi, b.doi)
    unopposed = NO not in (s.pages, s.volume, s.journal, s.issue, s.author)
    if alike and unopposed and s.near_year:
        return _same("title_alike_doi", "Title and author agree; the DOIs differ in an ending or a sign only.")
    if unopposed and s.near_year and s.journal == YES and s.author == YES and abstract_relation(a, b) == YES:
        return _doubtful("two_dois", "Title, author, journal and abstract agree; the DOIs differ.", 0.6)
    return _other_report(s)


def _letters(doi: str) -> str:
    return "".join(c for c in doi if c.isalnum())


def _same_digits(a: str, b: str) -> bool:
    first, second = ("".join(c for c in doi if c.isdigit()) for doi in (a, b))
    return first == second and len(first) >= 10


def _other_report(s: Signals) -> PairVerdict:
    if s.author == YES or s.shared_people >= 0.5:
        if s.pages == NO and (s.volume == NO or s.journal == NO):
            return PairVerdict(Relation.COMPANION, "other_place", "Same title and authors, printed in two places.")
        return PairVerdict(Relation.COMPANION, "other_report", "Same title and authors; the places do not agree.")
    return PairVerdict(Relation.DIFFERENT, "same_title", "Same title, but authors or place differ.")


def _same_pages(a: Features, b: Features, s: Signals) -> PairVerdict:
    if s.issue == NO and s.volume != YES and s.journal == NO:
        return _other_report(s)
    if s.volume == YES:
        strangers = s.author == NO and s.shared_people == 0 and not s.span and abstract_relation(a, b) != YES
        if s.author != NO or (s.journal == YES and s.near_year and not strangers):
            return _same("title_volume_pages", "Title, volume and first page agree.")
        return _doubtful("title_place_other_author", "Title, volume and page agree; author and journal differ.", 0.5)
    if s.volume == UNKNOWN:
        certain = s.exact_page or s.span
        if s.author == YES and s.near_year and (s.journal == YES or certain):
            return _same("title_author_pages", "Title, author and first page agree.")
        if s.author != NO and s.journal != NO and s.near_year and certain:
            return _same("title_pages", "Title and first page agree; nothing contradicts.")
        return _doubtful("title_pages", "Title and page agree; author or journal differ.", 0.4)
    if s.author == YES and s.near_year and s.exact_page and (s.journal == YES or s.span):
        return _same(
            "title_author_pages_journal", "Title, author, journal and page agree; the volume is counted otherwise."
        )
    return _other_report(s)


def _two_pages(a: Features, b: Features, s: Signals) -> PairVerdict:
    """Same title on other pages: often another report; one, when volume and all else agree."""
    if s.volume == YES and s.journal == YES and s.author == YES and s.issue != NO and s.year_gap in (0, None):
        if a.level is b.level and (_overlapping(a, b) or abstract_relation(a, b) == YES):
            return _same(
                "title_journal_volume", "Title, author, journal and volume agree; pages are written otherwise."
            )
        return _doubtful("pages_differ", "Title, author, journal and volume agree; the pages do not.", 0.5)
    if s.journal == YES and s.author == YES and s.volume == UNKNOWN and s.near_year:
        if s.title is not Title.PART and a.level is b.level and (_early_view(a) or _early_view(b)):
            return _same("early_view", "Title, author and journal agree; one side has the pages of the early view.")
        if abstract_relation(a, b) == YES and a.level is b.level:
            return _doubtful("pages_differ", "Title, author, journal and abstract agree; the pages do not.", 0.5)
    return _other_report(s)


def _early_view(f: Features) -> bool:
    """No volume yet, and pages that are counted from 1."""
    return not f.volume and "1" in f.starts and (f.length is None or f.length > 1)


def _overlapping(a: Features, b: Features) -> bool:
    """Pages that touch, or one side an article number or a count of pages."""
    if bool(a.letters) != bool(b.letters) and not {a.letters, b.letters} & {"s"}:
        return True
    for one, other in ((a, b), (b, a)):
        for start in filter(_is_page_number, one.starts):
            for begin in filter(_is_page_number, other.starts):
                if 0 <= int(start) - int(begin) < max(other.length or 1, 4):
                    return True
    return any(f.starts == {"1"} and (f.length or 0) > 1 for f in (a, b))


def _is_page_number(page: str) -> bool:
    return page.isdecimal() and len(page) < 9


def _no_pages(a: Features, b: Features, s: Signals) -> PairVerdict:
    if s.volume == NO:
        alike = s.journal == YES and s.author == YES and s.year_gap in (0, None)
        if alike and abstract_relation(a, b) == YES:
            return _doubtful("volumes_differ", "Title, author, journal and abstract agree; the volume does not.", 0.6)
        return _other_report(s)
    if s.author == NO or not s.near_year or s.issue == NO:
        if s.author == NO and s.journal == YES and s.volume == YES and s.year_gap == 0 and s.shared_people >= 0.5:
            return _same("title_people_journal_volume", "Title, authors in another order, journal and volume agree.")
        return _other_report(s)
    if s.journal == YES:
        if s.author == YES or s.volume == YES:
            return _same("title_author_journal", "Title, author and journal agree; nothing contradicts.")
        return _doubtful("title_journal", "Title and journal agree; the author is not stated.", 0.5)
    if a.level is not b.level:
        return _other_report(s)
    abstract = abstract_relation(a, b)
    if s.title is Title.PART:
        return _other_report(s)
    if s.author == YES and abstract == YES and s.year_gap == 0:
        return _same("title_author_abstract", "Title, author, year and abstract agree; nothing contradicts.")
    if s.author == YES and s.journal == UNKNOWN and abstract != NO and len(a.core) >= SAME_TITLE_LETTERS:
        return _same("title_author", "A long title and its author agree; nothing contradicts.")
    if s.author == YES and s.volume == YES and abstract != NO and len(a.core) >= SAME_TITLE_LETTERS:
        return _same(
            "title_author_volume", "A long title, author, year and volume agree; the journal is written otherwise."
        )
    if s.author == YES and abstract != NO:
        return _doubtful("journals_differ", "Title, author and year agree; the journals do not.", 0.4)
    return _other_report(s)


def _other_title(a: Features, b: Features, s: Signals) -> PairVerdict:
    """Titles differ: a translation, or garbled on the way, when everything about the place agrees."""
    place = s.pages == YES and s.volume != NO and s.journal != NO and s.issue != NO and s.near_year
    people = s.author == YES or (s.author == UNKNOWN and s.journal == YES)
    if s.pmid == YES or s.doi == YES:
        what = "PMID" if s.pmid == YES else "DOI"
        if place and people and (s.title is Title.TWIN or s.span or s.pmid == YES):
            return _same("identifier_place", f"{what}, author and pages agree; the titles are written otherwise.")
        unopposed = NO not in (s.pages, s.volume, s.issue)
        if s.title is Title.TWIN and people and unopposed and s.likeness >= 0.7:
            return _same("identifier_near_title", f"{what} and author agree; the titles are nearly the same.")
        nearly = s.title is Title.TWIN and s.author == YES and s.journal == YES and s.likeness >= 0.9
        meeting = Level.ABSTRACT in (a.level, b.level)
        if nearly and (s.pages != NO or (not meeting and abstract_relation(a, b) == YES)):
            why = f"{what}, author and journal agree; the titles are nearly the same."
            return _same("identifier_near_title", why)
        if s.title is Title.TWIN and place and s.volume == YES and s.likeness >= 0.85:
            return _same("identifier_place", f"{what}, volume and pages agree; the titles are written otherwise.")
        if unopposed and people and s.near_year and (s.pmid == YES or s.shared_people >= 0.8):
            return _doubtful("identifier_other_title", f"{what} and authors agree; the titles do not.", 0.5)
        return PairVerdict(
            Relation.DIFFERENT, "shared_identifier", f"One {what} for two titles: a supplement, or an error."
        )
    whole = s.volume == YES and s.journal == YES
    if place and whole and s.author == YES and s.contained and s.near_year and (s.span or s.exact_page):
        return _same("longer_title_place", "Author, journal, volume and pages agree; one title has words more.")
    if s.doi == NO or not place or not people:
        if _nearly(s) and place and s.doi == NO:
            return _doubtful("near_title_two_dois", "Place and authors agree; titles and DOIs differ.", 0.3)
        return _DIFFERENT
    if s.title is Title.TWIN and s.contained and s.author == YES and s.journal == YES and s.exact_page:
        return _same("longer_title_pages", "Author, journal and pages agree; one title has words more.")
    if s.title is Title.TWIN and whole and s.span and s.exact_page and s.author == UNKNOWN and s.likeness >= 0.6:
        return _same("place_near_title", "Journal, volume and all pages agree; the titles are alike.")
    if s.title is Title.TWIN and s.author == YES and (s.volume == YES or s.exact_page):
        if s.likeness >= 0.8 and (s.journal == YES or s.span):
            return _same("near_title_place", "Author, journal, volume and pages agree; the titles are nearly the same.")
        if whole and s.span:
            return _same("place_near_title", "Author, journal, volume and all pages agree; the titles are alike.")
    if whole and s.author == YES and s.span and s.exact_page and s.shared_people >= 0.6:
        return _same("place_translated", "Authors, journal, volume and all pages agree: one title is a translation.")
    if whole and s.author == YES and (s.likeness >= 0.6 or s.shared_people == 1.0):
        return _doubtful("place_other_title", "Author, journal, volume and page agree; the titles do not.", s.likeness)
    return _DIFFERENT


def _nearly(s: Signals) -> bool:
    return s.title is Title.TWIN and s.likeness >= 0.85


__all__ = ["PairVerdict", "Relation", "compare", "compare_features"]

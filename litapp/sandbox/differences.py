"""How the same paper looks in each source: absent, abstract withheld, other capitals, initials, an earlier year.

Drawn from the seed and the PMID, so that an answer never changes. Only what real sources do to real papers: nothing is
invented but the source's own internal numbers.
"""

from __future__ import annotations

import re
import threading
from dataclasses import dataclass

from litapp.sandbox.corpus.article import Article, Author
from litapp.sandbox.corpus.store import Corpus
from litapp.sandbox.dispatch import World


@dataclass(frozen=True, slots=True)
class Shares:
    """How often a difference occurs in a source, 0 to 1."""

    absent: float
    no_abstract: float
    capitals: float
    title_case: float
    initials_only: float
    earlier_year: float
    withheld: float


SHARES = {
    "crossref": Shares(0.01, 0.4, 0.03, 0.12, 0.2, 0.1, 0.05),
    "openalex": Shares(0.03, 0.3, 0.02, 0.1, 0.1, 0.1, 0.05),
    "semanticscholar": Shares(0.06, 0.3, 0.0, 0.05, 0.5, 0.1, 0.15),
    "europepmc": Shares(0.01, 0.05, 0.0, 0.0, 0.0, 0.0, 0.0),
}
_SMALL_WORDS = frozenset(
    [
        "a",
        "an",
        "and",
        "as",
        "at",
        "but",
        "by",
        "for",
        "from",
        "in",
        "of",
        "on",
        "or",
        "the",
        "to",
        "versus",
        "via",
        "vs",
        "with",
    ]
)
_NOTICE_DOI = re.compile(r"doi:\s*(10\.\d{4,9}/\S+?)[.;]?(?:\s|$)", re.IGNORECASE)
EARLY_MONTHS = 3
"""A paper of the first months of a year has often been online in the year before."""


class Differences:
    """The differences of one source."""

    def __init__(self, world: World, source: str) -> None:
        self.world, self.source, self.shares = world, source, SHARES[source]

    def has(self, article: Article) -> bool:
        """True when the source knows the paper at all."""
        hidden = self.world.faults.of_record(self.source, "missing_record", article.pmid, article.doi)
        return not hidden and self._drawn("absent", article) >= self.shares.absent

    def has_number(self, pmid: int) -> bool:
        """`has` without the article at hand, faults not considered: for counting."""
        return self.world.draw(self.source, "absent", pmid) >= self.shares.absent

    def doi(self, article: Article) -> str:
        """The DOI as the source gives it (a fault may change it)."""
        if article.doi and self.world.faults.of_record(self.source, "changed_doi", article.pmid, article.doi):
            return f"10.5555/changed.{article.pmid}"
        return article.doi

    def is_retracted(self, article: Article) -> bool:
        """True for a really retracted paper, unless a fault lets the retraction appear later."""
        hidden = self.world.faults.of_record(self.source, "retraction_hidden", article.pmid, article.doi)
        return article.is_retracted and not hidden

    def title(self, article: Article) -> str:
        """The title without NLM's final full stop and brackets, sometimes in other capitals."""
        title = article.title
        if title.startswith("[") and title.rstrip(".").endswith("]"):
            title = article.vernacular_title or title.rstrip(".")[1:-1]
        title = title.removesuffix(".")
        drawn = self._drawn("capitals", article)
        if drawn < self.shares.capitals:
            return title.upper()
        if drawn < self.shares.capitals + self.shares.title_case:
            return title_case(title)
        return title

    def given(self, article: Article, author: Author) -> str:
        """The given names, or only initials with full stops where the source has no more."""
        if self._drawn("initials", article) < self.shares.initials_only and author.initials:
            return " ".join(f"{letter}." for letter in author.initials if letter.isalpha())
        return author.given or author.initials

    def abstract(self, article: Article) -> str:
        """The abstract, "" where the source does not have it."""
        if self._drawn("abstract", article) < self.shares.no_abstract:
            return ""
        return article.abstract_text

    def withheld(self, article: Article, field: str) -> bool:
        """True when the source lacks this field of this paper."""
        return self._drawn(f"withheld/{field}", article) < self.shares.withheld

    def issued(self, article: Article) -> list[int]:
        """The date the source calls the publication date: [year, month, day], 0 for unknown."""
        return self.issued_of(article.pmid, article.printed, article.electronic)

    def issued_of(self, pmid: int, printed: list[int], electronic: list[int]) -> list[int]:
        """`issued` from the bare dates."""
        if electronic[0] and (not printed[0] or electronic < printed):
            return electronic
        early = printed[0] and 0 < printed[1] <= EARLY_MONTHS
        if early and self.world.draw(self.source, "year", pmid) < self.shares.earlier_year:
            return [printed[0] - 1, 12, 0]
        return printed

    def _drawn(self, what: str, article: Article) -> float:
        return self.world.draw(self.source, what, article.pmid)


def title_case(title: str) -> str:
    """The title with capitals on every word but the small ones; words that hold capitals already are left alone."""
    words = title.split(" ")
    return " ".join(
        word
        if (word.casefold() in _SMALL_WORDS and position) or word != word.casefold()
        else word[:1].upper() + word[1:]
        for position, word in enumerate(words)
    )


def notice_doi(world: World, kind: str, article: Article) -> tuple[str, list[int]]:
    """(DOI, date) of the notice of a kind (RetractionIn …) named in NLM's record; ("", …) where none is known."""
    for comment in article.comments:
        if comment.kind != kind:
            continue
        number = world.corpus.ids_of_pmids([int(comment.pmid)]).get(int(comment.pmid)) if comment.pmid else None
        entry = world.corpus.entry(number) if number else None
        if entry and entry.article and entry.article.doi:
            return entry.article.doi, entry.article.printed
        found = _NOTICE_DOI.search(comment.source)
        if found:
            year = re.search(r"\b(19|20)\d\d\b", comment.source)
            return found[1].casefold().rstrip("."), [int(year[0]) if year else 0, 0, 0]
    return "", [0, 0, 0]


class IssuedDays:
    """The publication date of every paper as one source gives it (yyyymmdd), for date filters that agree with what the
    records say."""

    def __init__(self, differences: Differences) -> None:
        self._differences = differences
        self._days: dict[int, int] | None = None
        self._lock = threading.Lock()

    def of(self, number: int) -> int:
        """The day of one article; 0 if unknown."""
        with self._lock:
            if self._days is None:
                self._days = self._read()
            return self._days.get(number, 0)

    def _read(self) -> dict[int, int]:
        corpus = self._differences.world.corpus
        dates = {kind: _days_by_article(corpus, kind) for kind in ("printed", "online")}
        days = {}
        for number, pmid, year in corpus.rows("SELECT id, pmid, year FROM article"):
            printed = _parts(dates["printed"].get(number, 0))
            date = self._differences.issued_of(pmid, printed, _parts(dates["online"].get(number, 0))) if pmid else [0]
            days[number] = day_number(date) if date[0] else year * 10_000 + 101
        return days


def day_number(date: list[int]) -> int:
    """yyyymmdd, unknown parts as 1."""
    return date[0] * 10_000 + (date[1] or 1) * 100 + (date[2] or 1)


def _days_by_article(corpus: Corpus, kind: str) -> dict[int, int]:
    return dict(corpus.rows("SELECT article, min(day) FROM day WHERE kind = ? GROUP BY article", (kind,)))


def _parts(day: int) -> list[int]:
    return [day // 10_000, day // 100 % 100, day % 100]

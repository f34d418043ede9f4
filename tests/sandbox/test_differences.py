"""The same paper in four sources: different as real sources differ, never false."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from litapp.sandbox.corpus.article import Article
from litapp.sandbox.corpus.evaluate import Evaluator
from litapp.sandbox.corpus.index import folded
from litapp.sandbox.corpus.store import Corpus
from litapp.sandbox.differences import SHARES, Differences, IssuedDays, day_number, title_case
from litapp.sandbox.dispatch import World
from litapp.sandbox.faults import Faults
from litapp.sandbox.limits import FastClock

SEEDS = range(25)


def world(corpus: Corpus, seed: int) -> World:
    return World(corpus, Evaluator(corpus), FastClock(), Faults(seed), seed)


@pytest.fixture(scope="module")
def corpus(tiny_corpus: Path) -> Iterator[Corpus]:
    opened = Corpus(tiny_corpus)
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def articles(corpus: Corpus) -> list[Article]:
    numbers = sorted(corpus.numbers("SELECT id FROM article"))
    return [entry.article for entry in corpus.entries(numbers) if entry.article is not None]


@pytest.fixture(scope="module")
def every(corpus: Corpus) -> list[Differences]:
    return [Differences(world(corpus, seed), source) for seed in SEEDS for source in SHARES]


def test_titles_differ_in_capitals_brackets_and_the_final_stop_only(
    every: list[Differences], articles: list[Article]
) -> None:
    for differences in every:
        for article in articles:
            assert folded(differences.title(article)) in (folded(article.title), folded(article.vernacular_title))


def test_years_are_the_papers_own_or_the_one_before(every: list[Differences], articles: list[Article]) -> None:
    seen = set()
    for differences in every:
        for article in articles:
            year = differences.issued(article)[0]
            assert year in (article.printed[0], article.electronic[0], article.printed[0] - 1)
            seen.add(year - article.printed[0])
    assert {0, -1} <= seen, "both happen"


def test_a_year_before_is_given_only_to_papers_of_the_first_months(every: list[Differences]) -> None:
    for differences in every:
        for month in range(4, 13):
            assert differences.issued_of(7, [2000, month, 1], [0, 0, 0]) == [2000, month, 1]


def test_identifiers_are_never_changed(every: list[Differences], articles: list[Article]) -> None:
    assert all(d.doi(a) == a.doi for d in every for a in articles)


def test_given_names_are_whole_or_their_initials(every: list[Differences], articles: list[Article]) -> None:
    for differences in every[:6]:
        for article in articles:
            for author in article.authors:
                shown = differences.given(article, author)
                initials = " ".join(f"{letter}." for letter in author.initials if letter.isalpha())
                assert shown in (author.given, author.initials, initials)


def test_a_retraction_is_shown_for_really_retracted_papers_only(
    every: list[Differences], articles: list[Article]
) -> None:
    for differences in every[:6]:
        assert [a.pmid for a in articles if differences.is_retracted(a)] == [a.pmid for a in articles if a.is_retracted]


@pytest.mark.parametrize("source", SHARES)
def test_shares_are_met_over_many_papers(corpus: Corpus, source: str) -> None:
    differences = Differences(world(corpus, 0), source)
    some = [Article(pmid=number, title="t", abstract=[("", "text")]) for number in range(1, 4_001)]
    absent = sum(not differences.has(a) for a in some) / len(some)
    without = sum(not differences.abstract(a) for a in some) / len(some)
    assert absent == pytest.approx(SHARES[source].absent, abs=0.02)
    assert without == pytest.approx(SHARES[source].no_abstract, abs=0.03)


def test_the_seed_decides(corpus: Corpus) -> None:
    def absent(seed: int) -> list[int]:
        differences = Differences(world(corpus, seed), "semanticscholar")
        return [number for number in range(1, 1_000) if not differences.has_number(number)]

    assert absent(1) == absent(1)
    assert absent(1) != absent(2)


def test_the_index_of_dates_agrees_with_the_records(corpus: Corpus, articles: list[Article]) -> None:
    numbers = corpus.ids_of_pmids([a.pmid for a in articles])
    for source in SHARES:
        differences = Differences(world(corpus, 3), source)
        days = IssuedDays(differences)
        assert [days.of(numbers[a.pmid]) for a in articles] == [day_number(differences.issued(a)) for a in articles]


@pytest.mark.parametrize(
    ("title", "cased"),
    [
        ("The effect of mRNA on COVID-19 in the elderly", "The Effect of mRNA on COVID-19 in the Elderly"),
        ("a trial", "A Trial"),
        ("", ""),
    ],
)
def test_title_case_leaves_small_words_and_existing_capitals(title: str, cased: str) -> None:
    assert title_case(title) == cased

"""The library of published filters: every text is read, the wrong database refused, texts are the sources'."""

from __future__ import annotations

from pathlib import Path

import pytest

from litapp.core.filters import ALL_FILTERS, Purpose, SearchFilter, WrongDatabase, filter_of, filters_for
from litapp.core.querylang.appendix import read_appendix
from litapp.core.querylang.dialects import Dialect
from litapp.core.querylang.strategy import read_strategy

D = Dialect


@pytest.mark.parametrize("search_filter", ALL_FILTERS, ids=lambda f: f.key)
def test_every_filter_is_read_and_cited(search_filter: SearchFilter) -> None:
    assert read_strategy(search_filter.text, search_filter.dialect).faults == ()
    assert search_filter.tree(search_filter.dialect)
    assert search_filter.citation.startswith(search_filter.source)


def test_there_are_at_least_25_and_each_has_its_own_key() -> None:
    assert len(ALL_FILTERS) >= 25
    assert len({f.key for f in ALL_FILTERS}) == len(ALL_FILTERS)


@pytest.mark.parametrize("dialect", [d for d in Dialect if d is not D.PUBMED])
def test_a_filter_is_refused_for_another_database(dialect: Dialect) -> None:
    with pytest.raises(WrongDatabase, match=r"was made for PubMed .* Choose a filter for"):
        filter_of("hsss-pubmed-2008").tree(dialect)


def test_the_two_revisions_of_the_cochrane_filter_are_two_filters() -> None:
    pubmed, ovid = filter_of("hsss-pubmed-2008"), filter_of("hsss-ovid-2023")
    assert [pubmed.version, ovid.version] == ["2008 revision", "2023 revision"]
    assert pubmed.text.startswith("#1 randomized controlled trial [pt]")
    assert ovid.text.startswith("1 exp randomized controlled trial/")


def test_filters_are_found_by_database_and_purpose() -> None:
    assert [f.key for f in filters_for(D.PUBMED, Purpose.DIAGNOSIS)] == [
        "clinical-queries-diagnosis-broad",
        "clinical-queries-diagnosis-narrow",
    ]


@pytest.mark.shared
@pytest.mark.parametrize(
    ("key", "file", "line"),
    [
        ("hsss-pubmed-2008", "cochrane-hsss-rct/pubmed.txt", 11),
        ("hsss-ovid-2023", "cochrane-hsss-rct/ovid_medline.txt", 11),
        ("coleridge-2021-trials-ovid", "coleridge2021-ovarian-nact/ovid_medline.txt", 22),
        ("coleridge-2021-trials-embase", "coleridge2021-ovarian-nact/embase_ovid.txt", 28),
        ("faluyi-2010-studies-ovid", "faluyi2010-borderline-ovarian/ovid_medline.txt", 27),
        ("faluyi-2010-studies-embase", "faluyi2010-borderline-ovarian/embase_ovid.txt", 26),
        ("exclude-animals-embase", "faluyi2010-borderline-ovarian/embase_ovid.txt", 30),
        ("clinical-queries-therapy-broad", "nlm-clinical-queries/therapy_broad.txt", 1),
        ("clinical-queries-diagnosis-broad", "nlm-clinical-queries/diagnosis_broad.txt", 1),
        ("sra-trials-embase-com", "sra-rct-filter-6db/embase_com.txt", 1),
        ("sra-trials-cinahl-ebsco", "sra-rct-filter-6db/cinahl_ebsco.txt", 1),
    ],
)
def test_a_filter_is_what_its_source_prints(shared: Path, key: str, file: str, line: int) -> None:
    search_filter = filter_of(key)
    printed = read_strategy((shared / "queries" / file).read_text(encoding="utf-8"), search_filter.dialect)
    assert search_filter.tree(search_filter.dialect) == printed.tree(line)


@pytest.mark.shared
@pytest.mark.parametrize(
    ("key", "folder", "section", "line"),
    [
        ("mcdonald-2023-trials-embase", "mcdonald2023-cachexia-raw", 1, 41),
        ("mcdonald-2023-cohorts-ovid", "mcdonald2023-cachexia-raw", 0, 22),
        ("mcdonald-2023-cohorts-embase", "mcdonald2023-cachexia-raw", 1, 48),
        ("balitsky-2024-observational-ovid", "balitsky2024-proms-raw", 0, 22),
        ("balitsky-2024-trials-ovid", "balitsky2024-proms-raw", 0, 34),
        ("balitsky-2024-observational-cinahl", "balitsky2024-proms-raw", 4, 40),
        ("balitsky-2024-trials-cinahl", "balitsky2024-proms-raw", 4, 57),
    ],
)
def test_a_filter_is_what_the_appendix_prints(shared: Path, key: str, folder: str, section: int, line: int) -> None:
    raw = (shared / "queries" / folder / "raw_appendix.txt").read_text(encoding="utf-8")
    search_filter = filter_of(key)
    assert search_filter.tree(search_filter.dialect) == read_appendix(raw)[section].strategy.tree(line)

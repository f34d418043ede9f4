"""Boolean search over the corpus, against an oracle that reads every article."""

from __future__ import annotations

import datetime as dt
import re
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from litapp.core.querylang import And, Node, Not, Or, Term, parse, print_pubmed
from litapp.sandbox.corpus import sets
from litapp.sandbox.corpus.article import Article
from litapp.sandbox.corpus.evaluate import Evaluator
from litapp.sandbox.corpus.load import load_files
from litapp.sandbox.corpus.store import Corpus
from litapp.sandbox.tiny import ARTICLES, RETRACTED

TODAY = dt.date(2022, 1, 1)


@pytest.fixture(scope="module")
def evaluator(tiny_corpus: Path) -> Iterator[Evaluator]:
    corpus = Corpus(tiny_corpus)
    yield Evaluator(corpus, today=TODAY)
    corpus.close()


@pytest.fixture(scope="module")
def articles(evaluator: Evaluator) -> list[Article]:
    entries = evaluator.corpus.entries(evaluator.order)
    return [entry.article for entry in entries if entry.article is not None]


def pmids(evaluator: Evaluator, query: str | Node) -> list[int]:
    found = evaluator.find(parse(query) if isinstance(query, str) else query)
    numbers = list(sets.members_in_order(found.bits, evaluator.order))
    by_number = evaluator.corpus.pmids_of_ids(numbers)
    return sorted(by_number[number] for number in numbers)


def words_of(text: str) -> list[str]:
    plain = "".join(c for c in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(c))
    return re.findall(r"[^\W_]+", plain)


def in_title(article: Article, phrase: str) -> bool:
    """The oracle for a phrase in title and keywords: word by word, `*` as any letters."""
    pattern = [re.compile(word.replace("*", r"\w*") + r"\Z") for word in phrase.split()]
    for text in (article.title, article.vernacular_title, *article.keywords):
        words = words_of(text)
        for start in range(len(words) - len(pattern) + 1):
            if all(p.match(w) for p, w in zip(pattern, words[start:], strict=False)):
                return True
    return False


Oracle = Callable[[Article], bool]
LEAVES: dict[str, Oracle] = {
    "asthma[tiab]": lambda a: in_title(a, "asthma"),
    '"covid 19"[tiab]': lambda a: in_title(a, "covid 19"),
    "vaccin*[tiab]": lambda a: in_title(a, "vaccin*"),
    "asthmat*[ti]": lambda a: any(w.startswith("asthmat") for w in words_of(f"{a.title} {a.vernacular_title}")),
    "humans[mh:noexp]": lambda a: any(h.name == "Humans" for h in a.mesh),
    "asthma[majr:noexp]": lambda a: any(
        h.name == "Asthma" and (h.major or any(q[2] for q in h.qualifiers)) for h in a.mesh
    ),
    '"asthma/drug therapy"[mh:noexp]': lambda a: any(
        h.name == "Asthma" and any(q[0] == "drug therapy" for q in h.qualifiers) for h in a.mesh
    ),
    "journal article[pt]": lambda a: "Journal Article" in a.types,
    "retracted publication[pt]": lambda a: "Retracted Publication" in a.types,
    "english[la]": lambda a: "eng" in a.languages,
    "1979[dp]": lambda a: 1979 in (a.printed[0], a.electronic[0]),
    "2020:2021[dp]": lambda a: any(2020 <= d[0] <= 2021 for d in (a.printed, a.electronic)),
    "34096812[pmid]": lambda a: a.pmid == 34096812,
    "all[sb] OR journal article[pt]": lambda a: "Journal Article" in a.types,
}


@pytest.mark.parametrize("query", LEAVES)
def test_a_field_finds_what_reading_every_article_finds(
    evaluator: Evaluator, articles: list[Article], query: str
) -> None:
    expected = sorted(article.pmid for article in articles if LEAVES[query](article))
    assert pmids(evaluator, query) == expected
    assert expected, "the oracle found nothing: this case proves nothing"


_LEAF = st.sampled_from(sorted(name for name in LEAVES if " OR " not in name)).map(parse)
_TREE = st.recursive(
    _LEAF,
    lambda inner: st.one_of(
        st.lists(inner, min_size=2, max_size=3).map(lambda c: And(tuple(c))),
        st.lists(inner, min_size=2, max_size=3).map(lambda c: Or(tuple(c))),
        st.builds(Not, inner, inner),
    ),
    max_leaves=8,
)


def expected(tree: Node, article: Article) -> bool:
    if isinstance(tree, And):
        return all(expected(child, article) for child in tree.children)
    if isinstance(tree, Or):
        return any(expected(child, article) for child in tree.children)
    if isinstance(tree, Not):
        return expected(tree.keep, article) and not expected(tree.drop, article)
    return LEAVES[print_pubmed(tree)](article)


@given(_TREE)
@settings(max_examples=150, deadline=None)
def test_any_tree_finds_what_reading_every_article_finds(
    evaluator: Evaluator, articles: list[Article], tree: Node
) -> None:
    assert pmids(evaluator, tree) == sorted(a.pmid for a in articles if expected(tree, a))


def test_operators_are_read_from_left_to_right(evaluator: Evaluator) -> None:
    left_to_right = pmids(evaluator, "asthma[tiab] OR vaccin*[tiab] AND 1979[dp]")
    assert left_to_right == pmids(evaluator, "(asthma[tiab] OR vaccin*[tiab]) AND 1979[dp]")
    assert left_to_right != pmids(evaluator, "asthma[tiab] OR (vaccin*[tiab] AND 1979[dp])")


def test_a_heading_is_exploded_along_the_tree(evaluator: Evaluator) -> None:
    exploded = set(pmids(evaluator, "respiratory tract diseases[mh]"))
    assert set(pmids(evaluator, "asthma[mh]")) < exploded
    assert pmids(evaluator, "respiratory tract diseases[mh:noexp]") == []


def test_an_entry_term_names_its_heading(evaluator: Evaluator) -> None:
    assert pmids(evaluator, "bronchial asthma[mh]") == pmids(evaluator, "asthma[mh]") != []


def test_without_a_tree_a_heading_finds_itself_only(tmp_path: Path) -> None:
    load_files(tmp_path / "c.db", [ARTICLES])
    without = Evaluator(Corpus(tmp_path / "c.db"), today=TODAY)
    assert not without.corpus.has_mesh
    assert pmids(without, "respiratory tract diseases[mh]") == []
    assert pmids(without, "asthma[mh]") == pmids(without, "asthma[mh:noexp]") != []


def test_a_publication_type_is_exploded(evaluator: Evaluator, articles: list[Article]) -> None:
    trials = {"Clinical Trial", "Randomized Controlled Trial", "Controlled Clinical Trial", "Clinical Trial, Phase III"}
    expected_trials = sorted(a.pmid for a in articles if trials & set(a.types))
    assert pmids(evaluator, "clinical trial[pt]") == expected_trials
    assert len(expected_trials) > len(pmids(evaluator, "clinical trial[pt:noexp]"))


def test_subheadings_are_exploded(evaluator: Evaluator) -> None:
    assert set(pmids(evaluator, "drug therapy[sh]")) < set(pmids(evaluator, "therapy[sh]"))


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ('"asthma children"[ti:~1]', [409750, 34093968]),  # "children with asthma" in both
        ('"children asthma"[ti:~1]', [409750, 34093968]),
        ('"asthma children"[ti:~0]', []),
        ('"north asthma polymorphisms"[ti:~4]', [34093968]),  # in, Indian, children, with
        ('"north asthma polymorphisms"[ti:~3]', []),
    ],
)
def test_proximity_counts_the_words_between_in_any_order(evaluator: Evaluator, query: str, found: list[int]) -> None:
    assert pmids(evaluator, query) == found


def test_dates_by_entry_and_relative_dates(evaluator: Evaluator) -> None:
    assert (
        set(pmids(evaluator, '"last 2 years"[edat]')) == set(pmids(evaluator, "2020/01/02:2022/01/01[edat]")) != set()
    )


def test_authors_find_further_initials_unless_quoted(evaluator: Evaluator, articles: list[Article]) -> None:
    person = next(a for article in articles for a in article.authors if len(a.initials) == 2 and a.family.isascii())
    short = f"{person.family} {person.initials[0]}"
    assert pmids(evaluator, f"{short}[au]") != []
    assert pmids(evaluator, f'"{short}"[au]') == []
    assert set(pmids(evaluator, f"{short}[au]")) <= set(pmids(evaluator, f"{person.family}[au]"))


def test_retracted_papers_are_found(evaluator: Evaluator) -> None:
    assert pmids(evaluator, "retracted publication[pt]") == sorted(RETRACTED)


def test_untagged_words_are_mapped_to_headings_and_words(evaluator: Evaluator) -> None:
    found = evaluator.find(parse("bronchial asthma children"))
    heading, second = found.translations[:2]
    assert heading[0] == "bronchial asthma"
    assert heading[1].startswith('"asthma"[MeSH Terms] OR "asthma"[All Fields]')
    assert second[0] == "children"
    assert found.translation.startswith('("asthma"[MeSH Terms] OR ')


def test_unknown_untagged_words_are_dropped_and_named(evaluator: Evaluator) -> None:
    found = evaluator.find(parse("asthma zzqqzz"))
    assert (found.count, found.phrases_not_found) == (evaluator.find(parse("asthma")).count, ["zzqqzz"])


def test_an_unknown_tagged_word_finds_nothing_and_is_named(evaluator: Evaluator) -> None:
    found = evaluator.find(parse("asthma[tiab] AND zzqqzz[tiab]"))
    assert (found.count, found.phrases_not_found, found.messages) == (0, ["zzqqzz"], ["No items found."])


def test_a_quoted_phrase_that_is_nowhere_becomes_its_words_and_is_named(evaluator: Evaluator) -> None:
    found = evaluator.find(parse('"children asthma vaccines"[tiab]'))
    assert found.quoted_not_found == ['"children asthma vaccines"[Title/Abstract]']
    assert found.translation == '"children"[Title/Abstract] AND "asthma"[Title/Abstract] AND "vaccines"[Title/Abstract]'


def test_an_unknown_field_is_named_and_the_word_searched_everywhere(evaluator: Evaluator) -> None:
    found = evaluator.find(parse("asthma[foo]"))
    assert (found.count, found.fields_not_found) == (evaluator.find(parse("asthma")).count, ["foo"])


def test_a_star_behind_few_letters_is_ignored_with_a_message(evaluator: Evaluator) -> None:
    found = evaluator.find(Term("ast*"))
    assert found.messages[0] == "Wildcard search for 'ast*' needs at least four letters; '*' was ignored."


def test_a_long_strategy_over_the_corpus_is_fast(evaluator: Evaluator) -> None:
    query = " OR ".join(f"word{i}*[tiab]" for i in range(1_600)) + " OR asthma[tiab]"
    assert evaluator.find(parse(query)).count == evaluator.find(parse("asthma[tiab]")).count


@given(st.sets(st.integers(0, 300)), st.permutations(list(range(301))))
def test_bit_sets_hold_their_members_in_any_order(numbers: set[int], order: list[int]) -> None:
    bits = sets.from_numbers(numbers, 300)
    assert list(sets.numbers_of(bits)) == sorted(numbers)
    assert list(sets.members_in_order(bits, order)) == [n for n in order if n in numbers]
    assert bits.bit_count() == len(numbers)

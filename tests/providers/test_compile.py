"""How a plan's query and filters become each source's query, and what is said to be lost."""

from __future__ import annotations

import pytest

from litapp.core.plan import Filters, PlanQuery, Preprints
from litapp.core.ports import Outcome
from litapp.providers import registry
from litapp.providers.base import Loss, SourceError

PLAN = PlanQuery(boolean='"atrial fibrillation"[mh] OR afib[tiab]', plain="catheter ablation for atrial fibrillation")
EVERYTHING = Filters(
    year_from=2015,
    year_to=2020,
    publication_types=("Randomized Controlled Trial", "Review"),
    languages=("eng", "fre"),
    preprints=Preprints.EXCLUDED,
)


def losses(source: str, filters: Filters, plan: PlanQuery = PLAN) -> list[Loss | None]:
    return [note.loss for note in registry.provider(source).compile(plan, filters).notes]


def refused(source: str, plan: PlanQuery) -> SourceError:
    with pytest.raises(SourceError) as caught:
        registry.provider(source).compile(plan, Filters())
    assert caught.value.outcome is Outcome.PERMANENT
    assert caught.value.hint
    return caught.value


@pytest.mark.parametrize(
    ("filters", "term"),
    [
        (Filters(), '"atrial fibrillation"[mh] OR afib[tiab]'),
        (Filters(year_from=2015, year_to=2020), "({q}) AND 2015:2020[dp]"),
        (Filters(year_from=2015), "({q}) AND 2015:3000[dp]"),
        (Filters(year_to=1999), "({q}) AND 1000:1999[dp]"),
        (Filters(languages=("eng",)), "({q}) AND eng[la]"),
        (Filters(preprints=Preprints.ONLY), "({q}) AND preprint[pt]"),
        (Filters(preprints=Preprints.EXCLUDED), "({q}) NOT preprint[pt]"),
        (
            EVERYTHING,
            '({q}) AND 2015:2020[dp] AND (eng[la] OR fre[la]) AND ("Randomized Controlled Trial"[pt] OR "Review"[pt])'
            " NOT preprint[pt]",
        ),
        (Filters(languages=("English",)), '({q}) AND "English"[la]'),
        (Filters(publication_types=('Ev"il',)), '({q}) AND "Ev il"[pt]'),
    ],
)
def test_pubmed_filters_become_tagged_terms(filters: Filters, term: str) -> None:
    query = registry.provider("pubmed").compile(PLAN, filters)
    expected = term.replace("{q}", PLAN.boolean)
    assert query.text == expected
    assert query.params == (("term", expected), ("sort", "relevance"))


def test_pubmed_applies_every_filter_without_loss() -> None:
    assert losses("pubmed", EVERYTHING) == []


def test_pubmed_gets_the_plain_words_when_there_is_no_boolean_query_and_says_so() -> None:
    query = registry.provider("pubmed").compile(PlanQuery(plain="stroke  rehabilitation"), Filters())
    assert query.text == "stroke rehabilitation"
    assert len(query.notes) == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(a OR b", "The query leaves 1 bracket open."),
        ("((a OR b", "The query leaves 2 brackets open."),
        ("a) OR (b", "The query closes a bracket that was never opened."),
        ('"heart attack[ti]', "The query opens a quotation mark and does not close it."),
    ],
)
def test_an_unbalanced_query_is_refused_before_it_is_wrapped_in_filters(text: str, message: str) -> None:
    error = refused("pubmed", PlanQuery(boolean=text))
    assert (error.code, error.message) == ("unbalanced_query", message)


def test_brackets_within_quotation_marks_do_not_count() -> None:
    query = registry.provider("pubmed").compile(PlanQuery(boolean='"10.1016/s0140-6736(97"[doi]'), Filters())
    assert query.text == '"10.1016/s0140-6736(97"[doi]'


def test_a_query_of_ten_thousand_characters_reaches_pubmed_whole() -> None:
    text = " OR ".join(f"word{number}[tiab]" for number in range(600))
    assert len(text) > 10_000
    assert registry.provider("pubmed").compile(PlanQuery(boolean=text), Filters()).text == text


@pytest.mark.parametrize(
    ("filters", "expected", "lost"),
    [
        (Filters(), "", [None]),
        (Filters(year_from=2015, year_to=2020), "from-pub-date:2015,until-pub-date:2020", [None]),
        (Filters(languages=("eng",)), "", [None, Loss.LOST]),
        (Filters(publication_types=("Journal Article",)), "type:journal-article", [None]),
        (Filters(publication_types=("Journal Article", "Review")), "", [None, Loss.LOST]),
        (Filters(preprints=Preprints.ONLY), "type:posted-content", [None, Loss.WIDER]),
        (
            Filters(publication_types=("Journal Article", "Preprint"), preprints=Preprints.EXCLUDED),
            "type:journal-article",
            [None],
        ),
    ],
)
def test_crossref_filters(filters: Filters, expected: str, lost: list[Loss | None]) -> None:
    query = registry.provider("crossref").compile(PLAN, filters)
    assert dict(query.params) == {"query.bibliographic": PLAN.plain, **({"filter": expected} if expected else {})}
    assert [note.loss for note in query.notes] == lost


def test_crossref_leaves_out_preprints_by_naming_everything_else() -> None:
    query = registry.provider("crossref").compile(PLAN, Filters(preprints=Preprints.EXCLUDED))
    names = dict(query.params)["filter"].split(",")
    assert "type:journal-article" in names
    assert "type:posted-content" not in names
    assert [note.loss for note in query.notes] == [None, Loss.NARROWER]


@pytest.mark.parametrize(
    ("filters", "expected", "lost"),
    [
        (Filters(), "", []),
        (Filters(year_from=2015, year_to=2020), "publication_year:2015-2020", []),
        (Filters(year_from=2015, year_to=2015), "publication_year:2015", []),
        (Filters(year_from=2015), "publication_year:2015-", []),
        (Filters(year_to=2015), "publication_year:-2015", []),
        (Filters(languages=("eng", "ger")), "language:en|de", []),
        (Filters(languages=("eng", "tlh")), "", [Loss.LOST]),
        (Filters(publication_types=("Review", "Journal Article")), "type:review|article", []),
        (Filters(publication_types=("Randomized Controlled Trial", "Review")), "", [Loss.LOST]),
        (Filters(preprints=Preprints.EXCLUDED), "type:!preprint", []),
        (Filters(preprints=Preprints.ONLY), "type:preprint", []),
        (
            Filters(year_from=2015, year_to=2020, languages=("eng",), preprints=Preprints.EXCLUDED),
            "publication_year:2015-2020,language:en,type:!preprint",
            [],
        ),
    ],
)
def test_openalex_filters(filters: Filters, expected: str, lost: list[Loss | None]) -> None:
    query = registry.provider("openalex").compile(PLAN, filters)
    assert dict(query.params) == {"search": PLAN.plain, **({"filter": expected} if expected else {})}
    assert [note.loss for note in query.notes] == lost


@pytest.mark.parametrize(
    ("plain", "sent", "lost"),
    [
        ("does aspirin work?", "does aspirin work", [Loss.NARROWER]),
        ("neoplas* lung", "neoplas lung", [Loss.NARROWER]),
        ('"heart attack', "heart attack", [Loss.WIDER]),
        ("(a OR b", "a OR b", [Loss.WIDER]),
        ("a) OR (b", "a OR b", [Loss.WIDER]),
        ('"heart attack" (a OR b)', '"heart attack" (a OR b)', []),
    ],
)
def test_openalex_gets_nothing_it_would_refuse_and_the_change_is_said(
    plain: str, sent: str, lost: list[Loss | None]
) -> None:
    query = registry.provider("openalex").compile(PlanQuery(plain=plain), Filters())
    assert dict(query.params)["search"] == sent
    assert [note.loss for note in query.notes] == lost


def test_openalex_says_that_many_operators_make_it_slow() -> None:
    text = " OR ".join("abcdefg")
    query = registry.provider("openalex").compile(PlanQuery(plain=text), Filters())
    assert len(query.notes) == 1
    assert "6 AND/OR/NOT" in query.notes[0].text


@pytest.mark.parametrize("source", ["crossref", "openalex", "semanticscholar"])
def test_a_plain_query_that_is_too_long_is_refused_before_the_run(source: str) -> None:
    assert refused(source, PlanQuery(plain="word " * 301)).code == "query_too_long"
    assert registry.provider(source).compile(PlanQuery(plain="word " * 290), Filters())


def test_openalex_counts_the_encoded_length_too() -> None:
    assert refused("openalex", PlanQuery(plain="心" * 1_000)).code == "query_too_long"


@pytest.mark.parametrize("source", ["crossref", "openalex", "semanticscholar"])
def test_a_source_for_plain_words_does_not_get_the_boolean_query(source: str) -> None:
    assert refused(source, PlanQuery(boolean="stroke[ti]")).code == "empty_query"


@pytest.mark.parametrize(
    ("filters", "expected", "lost"),
    [
        (Filters(), {}, [None]),
        (Filters(year_from=2015, year_to=2020), {"year": "2015-2020"}, [None]),
        (Filters(year_from=2015), {"year": "2015-"}, [None]),
        (Filters(year_to=2015), {"year": "-2015"}, [None]),
        (Filters(year_from=2015, year_to=2015), {"year": "2015"}, [None]),
        (Filters(languages=("eng",)), {}, [None, Loss.LOST]),
        (
            Filters(publication_types=("Review", "Meta-Analysis")),
            {"publicationTypes": "Review,MetaAnalysis"},
            [None],
        ),
        (Filters(publication_types=("Randomized Controlled Trial",)), {}, [None, Loss.LOST]),
        (Filters(preprints=Preprints.EXCLUDED), {}, [None, Loss.LOST]),
        (Filters(preprints=Preprints.ONLY), {}, [None, Loss.LOST]),
    ],
)
def test_semantic_scholar_filters(filters: Filters, expected: dict[str, str], lost: list[Loss | None]) -> None:
    query = registry.provider("semanticscholar").compile(PLAN, filters)
    assert dict(query.params) == {"query": PLAN.plain, **expected}
    assert [note.loss for note in query.notes] == lost


def test_hyphens_are_parted_for_semantic_scholar_and_the_change_is_said() -> None:
    query = registry.provider("semanticscholar").compile(PlanQuery(plain="covid-19 anti-body - a test"), Filters())
    assert query.text == "query=covid 19 anti body - a test"
    assert len(query.notes) == 2

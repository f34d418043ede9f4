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


def test_crossref_does_not_get_the_boolean_query() -> None:
    assert refused("crossref", PlanQuery(boolean="stroke[ti]")).code == "empty_query"


STRATEGY = '("Stroke"[mh] OR strok*[tiab] OR "brain attack"[ti]) AND covid-19[tiab] NOT (letter[pt] OR rat[ti])'


def test_without_plain_words_openalex_gets_the_boolean_query_and_every_change_is_said() -> None:
    query = registry.provider("openalex").compile(PlanQuery(boolean=STRATEGY), Filters(year_from=2020))
    assert query.params == (
        ("search", '((Stroke OR strok OR "brain attack") AND "covid-19") NOT rat'),
        ("filter", "publication_year:2020-"),
    )
    assert [(note.loss, note.text) for note in query.notes] == [
        (None, "OpenAlex gets the Boolean query, translated into its AND, OR and NOT."),
        (
            Loss.NARROWER,
            '"Stroke"[mh]: OpenAlex has no MeSH search: the heading is searched as words, without narrower headings.',
        ),
        (
            Loss.NARROWER,
            "strok*[tiab]: OpenAlex takes no *: it finds other endings of a word by itself, but not every "
            "word that begins so.",
        ),
        (Loss.WIDER, '"brain attack"[ti], covid-19[tiab]: OpenAlex looks in title, abstract and some full texts.'),
        (Loss.WIDER, "One part of an OR cannot be said here: more is found."),
        (Loss.LOST, "letter[pt]: OpenAlex takes languages and types only as limits of the plan."),
        (Loss.NARROWER, "rat[ti]: OpenAlex looks in title, abstract and some full texts."),
    ]


def test_without_plain_words_semantic_scholar_gets_its_own_signs_and_its_bulk_search() -> None:
    query = registry.provider("semanticscholar").compile(PlanQuery(boolean=STRATEGY), Filters(year_from=2020))
    assert query.params == (
        ("query", '((Stroke | strok* | "brain attack") + "covid-19") -rat'),
        ("sort", "paperId:asc"),
        ("year", "2020-"),
    )
    assert "+ for AND, | for OR, - for NOT" in query.notes[0].text


@pytest.mark.parametrize(
    ("boolean", "sent"),
    [
        ("a[tiab] NOT b[tiab]", "a -b"),
        ("a[tiab] NOT (b[tiab] OR c[tiab])", "a -(b | c)"),
        ('"heart attack"[tiab:~3]', '"heart attack"~3'),
        ("heart fail*[tiab]", "(heart + fail*)"),
        ("beta-blocker*[tiab]", '"beta-blocker"'),
        ("x - y[tiab]", '"x - y"'),
        ('"Masks/adverse effects"[mh]', "Masks"),
    ],
)
def test_semantic_scholars_signs(boolean: str, sent: str) -> None:
    query = registry.provider("semanticscholar").compile(PlanQuery(boolean=boolean), Filters())
    assert dict(query.params)["query"] == sent


@pytest.mark.parametrize(
    ("source", "boolean", "code"),
    [
        ("openalex", " OR ".join(f'"long phrase number {n}"[ti]' for n in range(60)), "query_too_long"),
        ("semanticscholar", " OR ".join(f'"long phrase number {n}"[ti]' for n in range(250)), "query_too_long"),
        ("openalex", "(stroke[ti]", "unreadable_query"),
        ("openalex", "2015:2020[dp]", "nothing_left"),
        ("semanticscholar", "Horby P[au]", "nothing_left"),
    ],
)
def test_a_boolean_query_that_cannot_be_sent_is_said_before_the_run_with_the_way_out(
    source: str, boolean: str, code: str
) -> None:
    error = refused(source, PlanQuery(boolean=boolean))
    assert (error.outcome, error.code) == (Outcome.PERMANENT, code)
    assert error.hint
    if code == "query_too_long":
        assert "plain words" in error.hint


def test_plain_words_go_first_where_a_plan_has_both() -> None:
    for source in ("openalex", "semanticscholar"):
        query = registry.provider(source).compile(PlanQuery(boolean="a[ti]", plain="b"), Filters())
        assert "b" in dict(query.params).values()


def test_many_operators_are_said_with_the_plain_query_as_the_way_out() -> None:
    boolean = " OR ".join(f"{letter}[tiab]" for letter in "abcdefg")
    query = registry.provider("openalex").compile(PlanQuery(boolean=boolean), Filters())
    assert query.notes[-1].text == (
        "The translated Boolean query has 6 AND/OR/NOT; OpenAlex answers such searches once a second only (five times "
        "with a key). A query in plain words has no such limit."
    )


@pytest.mark.parametrize(
    ("source", "query", "sent", "losses"),
    [
        ("pubmed", PLAN, ("sort", "pub_date"), [None]),
        ("openalex", PLAN, ("sort", "publication_date:desc"), [None]),
        ("semanticscholar", PlanQuery(boolean="a[tiab]"), ("sort", "publicationDate:desc"), [None]),
        ("semanticscholar", PLAN, None, [None, Loss.LOST]),
        ("crossref", PLAN, None, [None, Loss.LOST]),
        ("europepmc", PlanQuery(boolean="a[ti]"), ("sort", "P_PDATE_D desc"), [None]),
    ],
)
def test_newest_first_is_done_or_said_to_be_lost(
    source: str, query: PlanQuery, sent: tuple[str, str] | None, losses: list[Loss | None]
) -> None:
    compiled = registry.search_provider(source).compile(query, Filters(newest_first=True))
    assert [pair for pair in compiled.params if pair[0] == "sort"] == ([sent] if sent else [])
    assert [note.loss for note in compiled.notes] == losses


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


def test_arxiv_lists_the_newest_first_by_the_day_of_submission() -> None:
    compiled = registry.search_provider("arxiv").compile(PlanQuery(boolean="a[ti]"), Filters(newest_first=True))
    assert compiled.params[1:] == (("sortBy", "submittedDate"), ("sortOrder", "descending"))


@pytest.mark.parametrize(
    ("filters", "limits", "lost"),
    [
        (Filters(), "", [None, None]),
        (Filters(preprints=Preprints.ONLY), "", [None, None]),
        (Filters(year_from=2025), "from-pub-date:2025,", [None, None]),
        (Filters(publication_types=("Review",)), "", [None, None, Loss.LOST]),
        (Filters(languages=("eng",)), "", [None, None, Loss.LOST]),
    ],
)
def test_biorxiv_is_posted_content_of_both_prefixes_at_crossref(
    filters: Filters, limits: str, lost: list[Loss | None]
) -> None:
    query = registry.provider("biorxiv").compile(PLAN, filters)
    assert query.params == (
        ("query.bibliographic", PLAN.plain),
        ("filter", f"{limits}type:posted-content,prefix:10.1101,prefix:10.64898"),
    )
    assert [note.loss for note in query.notes] == lost
    assert "Crossref is asked" in query.notes[0].text


def test_biorxiv_is_not_asked_by_a_plan_without_preprints() -> None:
    with pytest.raises(SourceError) as caught:
        registry.provider("biorxiv").compile(PLAN, Filters(preprints=Preprints.EXCLUDED))
    assert caught.value.code == "preprints_excluded"

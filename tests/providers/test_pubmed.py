"""PubMed: one list of identifiers, records in its order, what was dropped or is missing, DOIs compared."""

from __future__ import annotations

import json
from pathlib import Path

import httpx
import pytest

from litapp.core.ports import Outcome
from litapp.core.records import Identifier, Scheme
from litapp.providers import registry
from litapp.providers.base import CompiledQuery, CountResult, SourceError
from litapp.providers.pubmed import parse, query
from tests.providers.fakes import bench, json_reply, text_reply
from tests.providers.imitations import Imitation, pubmed_article

PUBMED = registry.provider("pubmed")
QUERY = CompiledQuery("pubmed", "x", (("term", "x"), ("sort", "relevance")))


def found(*pmids: str, count: int | None = None, **more: object) -> httpx.Response:
    return json_reply({"esearchresult": {"count": str(len(pmids) if count is None else count), "idlist": pmids} | more})


def articles(*numbers: int) -> httpx.Response:
    return text_reply(f"<PubmedArticleSet>{''.join(map(pubmed_article, numbers))}</PubmedArticleSet>")


@pytest.mark.shared
def test_a_count_tells_the_translation_and_the_words_that_were_dropped(shared: Path) -> None:
    name = "esearch_json_phrasesnotfound_but_40362_hits.json"
    made = bench([httpx.Response(200, content=(shared / "wire" / "pubmed" / name).read_bytes())])
    assert PUBMED.count(made.client, QUERY) == CountResult(
        total=40362,
        exact=True,
        answer_id=1,
        translation=(
            '("ann pancreat cancer"[Journal] OR "apc"[All Fields]) NOT "retracted publication"[Publication Type]'
        ),
        dropped_words=("p.E1317Q",),
    )


def test_every_request_is_a_post_without_anything_in_its_address() -> None:
    made = bench([found("7"), articles(7)])
    PUBMED.fetch_page(made.client, QUERY, {}, 5)
    assert [(request.method, str(request.url)) for request in made.source.requests] == [
        ("POST", "https://eutils.test/entrez/eutils/esearch.fcgi"),
        ("POST", "https://eutils.test/entrez/eutils/efetch.fcgi"),
    ]
    assert made.source.forms == [
        {
            "db": "pubmed", "term": "x", "sort": "relevance", "retstart": "0", "retmax": "5", "retmode": "json",
            "tool": "litledger-test",
        },
        {"db": "pubmed", "id": "7", "retmode": "xml", "tool": "litledger-test"},
    ]  # fmt: skip


def test_records_are_ranked_as_listed_whatever_order_they_come_in() -> None:
    made = bench([found("9", "3", "5"), articles(3, 5, 9)])
    page = PUBMED.fetch_page(made.client, QUERY, {}, 10)
    assert [(hit.rank, hit.record.pmid, hit.position, hit.answer_id) for hit in page.hits] == [
        (1, "9", 2, 2),
        (2, "3", 0, 2),
        (3, "5", 1, 2),
    ]


def test_deleted_records_are_missing_and_uninvited_ones_are_not_used() -> None:
    made = bench([found("1", "2"), articles(2, 77)])
    page = PUBMED.fetch_page(made.client, QUERY, {}, 10)
    assert [(hit.rank, hit.record.pmid) for hit in page.hits] == [(2, "2")]
    assert page.missing == ("1",)
    assert page.notes == ("PubMed sent 1 record(s) that were not asked for; they are not used.",)


def test_the_list_is_asked_for_once_and_kept_in_the_cursor() -> None:
    made = bench([Imitation("pubmed", 450)])
    first = PUBMED.fetch_page(made.client, QUERY, {}, 1000)
    assert first.cursor is not None
    assert first.cursor["rank"] == 200
    assert first.cursor["ids"] == [str(number) for number in range(201, 451)]
    again = json.loads(json.dumps(first.cursor))
    second = PUBMED.fetch_page(made.client, QUERY, again, 800)
    third = PUBMED.fetch_page(made.client, QUERY, second.cursor or {}, 600)
    assert [page.hits[0].rank for page in (first, second, third)] == [1, 201, 401]
    assert third.cursor is None
    listed = [request for request in made.source.requests if request.url.path.endswith("esearch.fcgi")]
    assert len(listed) == 1


def test_more_than_9999_records_are_not_cut_off_but_asked_for_in_parts() -> None:
    """The parts themselves: see test_pubmed_slices."""
    ids = tuple(str(number) for number in range(1, 10_000))
    made = bench([found(*ids, count=12_000), found(count=12_000), found(count=5_000), found(count=0)])
    first = PUBMED.fetch_page(made.client, QUERY, {}, 50_000)
    assert made.source.forms[0]["retmax"] == "9999"
    assert [form["term"].split("[")[0] for form in made.source.forms] == [
        "x",
        "(x) AND 1700/01/01:2200/01/01",
        "(x) AND 2186/02/20:2200/01/01",
    ]
    assert (first.hits, first.capped, first.total) == ((), False, 12_000)
    assert first.cursor is not None


def test_a_cursor_of_the_version_without_parts_is_read_on() -> None:
    made = bench([articles(1, 2)])
    page = PUBMED.fetch_page(made.client, QUERY, {"ids": ["1", "2"], "rank": 7, "total": 9, "capped": False}, 10)
    assert [hit.rank for hit in page.hits] == [8, 9]
    assert (page.cursor, page.total) == (None, 9)


def test_a_list_shorter_than_its_count_is_no_result() -> None:
    made = bench([found("1", "2", count=10)])
    with pytest.raises(SourceError) as caught:
        PUBMED.fetch_page(made.client, QUERY, {}, 10)
    assert (caught.value.outcome, caught.value.answer_id) == (Outcome.MALFORMED, 1)
    assert caught.value.message == "PubMed reports 10 records but named only 2 of 10."


def test_dropped_words_stand_in_the_notes_of_the_first_page() -> None:
    errors = {"phrasesnotfound": ["zzzq"], "fieldsnotfound": ["xx"]}
    warnings = {"phrasesignored": ["the"], "quotedphrasesnotfound": ['"a b"'], "outputmessages": ["Some <b>note</b>."]}
    made = bench([found("1", errorlist=errors, warninglist=warnings), articles(1)])
    assert PUBMED.fetch_page(made.client, QUERY, {}, 10).notes == (
        "PubMed does not know “zzzq” and searched without it.",
        "PubMed does not know the field “xx”.",
        "PubMed ignored “the”.",
        "PubMed does not have the phrase “a b” and searched its words.",
        "Some note .",
    )


def test_a_doi_counts_only_when_the_record_itself_has_it() -> None:
    """PubMed strips the signs of a DOI, so a look-alike may come back."""
    asked = [Identifier(Scheme.DOI, "10.1000/n4"), Identifier(Scheme.DOI, "10.1000/n-4")]
    made = bench([found("4"), articles(4)])
    result = PUBMED.lookup(made.client, asked)
    assert result.found[asked[0]][0].pmid == "4"
    assert result.found[asked[0]][1] == 2
    assert result.absent == {asked[1]: 1}
    assert made.source.forms[0]["term"] == '"10.1000/n4"[doi] OR "10.1000/n-4"[doi]'


def test_dois_unknown_to_pubmed_cost_one_call() -> None:
    asked = [Identifier(Scheme.DOI, f"10.1000/n{number}") for number in range(3)]
    made = bench([found()])
    assert PUBMED.lookup(made.client, asked).absent == dict.fromkeys(asked, 1)
    assert len(made.source.requests) == 1


def test_dois_that_pubmed_takes_for_words_are_not_decided() -> None:
    asked = [Identifier(Scheme.DOI, "10.1000/n1")]
    made = bench([found("1", count=5000)])
    assert PUBMED.lookup(made.client, asked).failures[asked[0]].outcome is Outcome.MALFORMED


def test_a_title_is_asked_for_by_all_its_words_and_then_by_the_longest_and_the_author() -> None:
    made = bench([found(), found("8", "2"), articles(2, 8)])
    records, answer_ids = PUBMED.match(
        made.client, "Effect of <i>Dexamethasone</i> on COVID-19: a trial of the UK?", author="van der Horby, P."
    )
    assert ([record.pmid for record in records], answer_ids) == (["8", "2"], [1, 2, 3])
    assert [form.get("term") for form in made.source.forms[:2]] == [
        'effect[ti] AND dexamethasone[ti] AND "covid-19"[ti] AND trial[ti] AND uk[ti]',
        'dexamethasone[ti] AND "covid-19"[ti] AND effect[ti] AND trial[ti] AND "van der Horby"[au]',
    ]


@pytest.mark.parametrize(
    ("text", "family"),
    [("Horby, Peter", "Horby"), ("Horby P", "Horby"), ("Horby PW", "Horby"), ("de la Cruz", "de la Cruz"), ("", "")],
)
def test_the_family_name_within_an_authors_name(text: str, family: str) -> None:
    assert query.family_name(text) == family


@pytest.mark.shared
def test_related_records_come_in_the_order_of_the_links_without_the_record_itself(shared: Path) -> None:
    body = (shared / "wire" / "pubmed" / "elink_json_related_27350240.json").read_bytes()
    assert parse.related_pmids(body)[:3] == ("17550766", "19352694", "26787072")
    made = bench([httpx.Response(200, content=body), articles(26787072, 17550766)])
    records, answer_ids = PUBMED.related(made.client, Identifier(Scheme.PMID, "27350240"), 3)
    assert ([record.pmid for record in records], answer_ids) == (["17550766", "26787072"], [1, 2])
    assert made.source.forms[1]["id"] == "17550766,19352694,26787072"


def test_related_to_a_doi_asks_for_its_pmid_first() -> None:
    links = {"linksets": [{"ids": ["4"], "linksetdbs": [{"linkname": "pubmed_pubmed", "links": ["4", {"id": "6"}]}]}]}
    made = bench([found("4"), articles(4), json_reply(links), articles(6)])
    records, answer_ids = PUBMED.related(made.client, Identifier(Scheme.DOI, "10.1000/n4"), 5)
    assert ([record.pmid for record in records], answer_ids) == (["6"], [2, 3, 4])


def test_related_to_a_doi_pubmed_does_not_have_is_nothing_with_its_evidence() -> None:
    made = bench([found()])
    assert PUBMED.related(made.client, Identifier(Scheme.DOI, "10.1000/n4"), 5) == ([], [1])


def test_ids_that_are_all_unknown_to_efetch_are_absent() -> None:
    asked = [Identifier(Scheme.PMID, "999")]
    made = bench([text_reply("ID+list+is+empty!+Possibly+it+has+no+correct+IDs.", 400)])
    assert PUBMED.lookup(made.client, asked).absent == {asked[0]: 1}

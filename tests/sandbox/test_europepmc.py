"""The sandbox's Europe PMC: its query syntax, marks, errors with status 200, citation lists, full text."""

from __future__ import annotations

import urllib.parse

import pytest
from lxml import etree

from litapp.core.plan import Filters, PlanQuery, Preprints
from litapp.core.records import Identifier, NoticeKind, Record, Scheme
from litapp.providers.europepmc.provider import EuropePMC
from litapp.providers.http import PoliteClient
from litapp.sandbox.server import RunningSandbox
from litapp.sandbox.tiny import RETRACTED
from tests.sandbox.conftest import Get, ask
from tests.sandbox.test_product_reads_sandbox import client, everything

__all__ = ["client"]
SEARCH = "/europepmc/search"
PREPRINT = 32995776


def ids(get: Get, query: str, **more: object) -> list[str]:
    """Everything that a query finds, as COLLECTION/number."""
    params = {"query": query, "format": "json", "resultType": "idlist", "pageSize": 1000, "cursorMark": "*", **more}
    answer = get(SEARCH, params).json
    found = [f"{one['source']}/{one['id']}" for one in answer["resultList"]["result"]]
    assert len(found) == answer["hitCount"]
    return found


def test_everything_is_in_one_collection_or_the_other(get: Get) -> None:
    both = set(ids(get, "SRC:MED OR SRC:PPR"))
    assert set(ids(get, "SRC:PPR")) == {f"PPR/PPR{PREPRINT}"}
    assert set(ids(get, "SRC:MED")) == both - {f"PPR/PPR{PREPRINT}"}
    assert ids(get, "SRC:PAT") == []


def test_operators_and_brackets(get: Get) -> None:
    asthma, covid = set(ids(get, "TITLE:asthma")), set(ids(get, 'TITLE:"covid-19"'))
    assert asthma
    assert covid
    assert set(ids(get, 'TITLE:asthma OR TITLE:"covid-19"')) == asthma | covid
    assert set(ids(get, 'TITLE:asthma AND TITLE:"covid-19"')) == asthma & covid
    assert set(ids(get, '(TITLE:asthma OR TITLE:"covid-19") NOT TITLE:asthma')) == covid - asthma
    assert set(ids(get, "TITLE:asthma TITLE:children")) == asthma & set(ids(get, "TITLE:children"))
    assert set(ids(get, "NOT TITLE:asthma")) == set(ids(get, "SRC:MED OR SRC:PPR")) - asthma


def test_a_phrase_is_a_phrase(get: Get) -> None:
    assert ids(get, 'TITLE:"chronic asthma"')
    assert ids(get, 'TITLE:"asthma chronic"') == []
    assert len(ids(get, "TITLE:asthm*")) >= len(ids(get, "TITLE:asthma"))


def test_headings_are_keywords_and_are_not_exploded(get: Get) -> None:
    pubmed = {"db": "pubmed", "retmode": "json", "retmax": 100}
    narrow = get("/eutils/esearch.fcgi", {**pubmed, "term": '"Asthma"[mh:noexp]'}).json["esearchresult"]["idlist"]
    assert narrow
    assert {f"MED/{one}" for one in narrow} <= set(ids(get, 'KW:"Asthma"'))


def test_identifiers_dates_types_and_languages(get: Get) -> None:
    assert ids(get, f"(EXT_ID:{RETRACTED[0]} OR EXT_ID:1) AND SRC:MED") == [f"MED/{RETRACTED[0]}"]
    assert ids(get, f"EXT_ID:{PREPRINT}") == []
    assert ids(get, 'DOI:"10.1101/2020.09.13.295493"') == [f"PPR/PPR{PREPRINT}"]
    assert ids(get, "PMCID:PMC7523102") == [f"PPR/PPR{PREPRINT}"]
    old, new = set(ids(get, "PUB_YEAR:[1000 TO 1999]")), set(ids(get, "PUB_YEAR:[2000 TO 3000]"))
    assert old
    assert old | new == set(ids(get, "SRC:MED OR SRC:PPR"))
    assert set(ids(get, "FIRST_PDATE:[1900-01-01 TO 1999-12-31]")) == old
    assert {f"MED/{pmid}" for pmid in RETRACTED} <= set(ids(get, 'PUB_TYPE:"Retracted Publication"'))
    assert ids(get, 'LANG:"ger"')
    assert ids(get, "NOSUCHFIELD:asthma") == []


def test_marks_lead_from_page_to_page_and_end_with_themselves(get: Get) -> None:
    seen: list[str] = []
    mark = "*"
    while True:
        answer = get(SEARCH, {"query": "SRC:MED", "resultType": "idlist", "pageSize": 25, "cursorMark": mark}).json
        seen += [one["id"] for one in answer["resultList"]["result"]]
        assert answer["request"]["cursorMark"] == urllib.parse.quote(mark, safe="")
        if answer["nextCursorMark"] == mark:
            break
        mark = answer["nextCursorMark"]
    assert len(seen) == len(set(seen)) == answer["hitCount"]
    assert answer["resultList"]["result"] == []


def test_a_bad_mark_gives_only_a_version(get: Get) -> None:
    answer = get(SEARCH, {"query": "asthma", "cursorMark": "garbage!!!"})
    assert (answer.status, answer.json) == (200, {"version": "6.9"})


def test_errors_come_with_status_200(get: Get) -> None:
    for params in ({"query": ""}, {"query": "a" * 1_500}, {"query": "asthma", "pageSize": 1_001}):
        answer = get(SEARCH, params)
        assert (answer.status, answer.json["errCode"]) == (200, 404)
    assert get(SEARCH, {"query": "(asthma"}).json["hitCount"] == 0


def test_a_long_query_is_taken_as_a_form(sandbox_server: RunningSandbox) -> None:
    query = " OR ".join(f'TITLE:"phrase number {number}"' for number in range(100)) + " OR TITLE:asthma"
    form = urllib.parse.urlencode({"query": query, "format": "json", "pageSize": 5}).encode()
    answer = ask(f"{sandbox_server.url}/europepmc/searchPOST", data=form).json
    assert answer["hitCount"] > 0
    assert "nextPageUrl" not in answer


def test_short_and_whole_results(get: Get) -> None:
    lite = get(SEARCH, {"query": f"EXT_ID:{RETRACTED[3]}"}).json["resultList"]["result"][0]
    core = get(SEARCH, {"query": f"EXT_ID:{RETRACTED[3]}", "resultType": "core"}).json["resultList"]["result"][0]
    assert "authorList" not in lite
    assert lite["authorString"] == core["authorString"]
    assert core["journalInfo"]["journal"]["title"]
    assert [link["type"] for link in core["commentCorrectionList"]["commentCorrection"]].count("Retraction in") == 1


def test_citations_and_references_are_two_sides_of_one_list(get: Get, sandbox_server: RunningSandbox) -> None:
    corpus = sandbox_server.sandbox.world.corpus
    rows = corpus.rows("SELECT article, value FROM attribute WHERE kind = 'cites'")
    known = corpus.pmids_of_ids(row[0] for row in rows)
    pairs = {(known[place], int(cited)) for place, cited in rows if int(cited) in corpus.ids_of_pmids([int(cited)])}
    for citing, cited in pairs:
        references = get(f"/europepmc/MED/{citing}/references", {"format": "json", "pageSize": 1000}).json
        citations = get(f"/europepmc/MED/{cited}/citations", {"format": "json", "pageSize": 1000}).json
        assert str(cited) in [one["id"] for one in references["referenceList"]["reference"]]
        assert str(citing) in [one["id"].removeprefix("PPR") for one in citations["citationList"]["citation"]]
    nothing = get("/europepmc/MED/1/citations", {"format": "json"}).json
    assert (nothing["hitCount"], nothing["citationList"]) == (0, {"citation": []})


def test_full_text_of_what_is_in_pmc_and_an_empty_404_of_the_rest(get: Get) -> None:
    root = etree.fromstring(get("/europepmc/PMC7523102/fullTextXML").body)
    assert root.findtext("front/article-meta/article-id[@pub-id-type='pmcid']") == "PMC7523102"
    missing = get("/europepmc/PMC999999999/fullTextXML")
    assert (missing.status, missing.body) == (404, b"")


# The product reads it


SOURCE = EuropePMC()


def test_the_translated_query_finds_what_pubmed_finds_and_more_by_headings(client: PoliteClient) -> None:
    """As its note says: Europe PMC's keywords are also the headings."""
    pubmed = {record.pmid for record in everything(client, "pubmed")[0] if not record.is_preprint}
    ours = {record.pmid: record for record in everything(client, "europepmc")[0]}
    assert len(pubmed & set(ours)) >= 0.9 * len(pubmed)
    more = [record for pmid, record in ours.items() if pmid and pmid not in pubmed]
    assert more
    assert all({"Asthma", "COVID-19"} & {heading.descriptor for heading in record.mesh} for record in more)


@pytest.mark.parametrize(
    ("preprints", "expected"),
    [(Preprints.ONLY, {True}), (Preprints.EXCLUDED, {False})],
)
def test_preprints_are_kept_apart(client: PoliteClient, preprints: Preprints, expected: set[bool]) -> None:
    query = SOURCE.compile(PlanQuery(boolean="NSP1[ti] OR asthma[ti]"), Filters(preprints=preprints))
    page = SOURCE.fetch_page(client, query, {}, 100)
    assert {hit.record.is_preprint for hit in page.hits} == expected


def test_in_place_of_pubmed_every_record_has_its_pmid(client: PoliteClient) -> None:
    query = SOURCE.compile_in_place_of_pubmed(PlanQuery(boolean="asthma[tiab] OR NSP1[ti]"), Filters())
    page = SOURCE.fetch_page(client, query, {}, 100)
    assert page.hits
    assert all(hit.record.pmid and hit.record.source == "europepmc" for hit in page.hits)


def test_look_ups_by_every_identifier(client: PoliteClient) -> None:
    asked = [
        Identifier(Scheme.PMID, str(RETRACTED[0])),
        Identifier(Scheme.PMCID, "PMC7523102"),
        Identifier(Scheme.DOI, "10.1101/2020.09.13.295493"),
        Identifier(Scheme.PMID, "1"),
    ]
    result = SOURCE.lookup(client, asked)
    assert (set(result.found), set(result.absent), result.failures) == (set(asked[:3]), {asked[3]}, {})
    preprint: Record = result.found[asked[2]][0]
    assert (preprint.source_id, preprint.journal, preprint.is_preprint) == (f"PPR/PPR{PREPRINT}", "bioRxiv", True)


def test_retractions_are_read(client: PoliteClient) -> None:
    asked = [Identifier(Scheme.PMID, str(pmid)) for pmid in RETRACTED]
    found = SOURCE.lookup(client, asked).found
    assert len(found) == len(asked)
    for record, _ in found.values():
        assert [notice.kind for notice in record.notices].count(NoticeKind.RETRACTION) == 1


def test_full_text_and_citations(client: PoliteClient) -> None:
    article, _ = SOURCE.full_text(client, "PMC7523102")
    assert article is not None
    assert article.doi == "10.1101/2020.09.13.295493"
    assert SOURCE.full_text(client, "PMC999999999")[0] is None
    assert SOURCE.citations(client, Identifier(Scheme.PMID, str(RETRACTED[0])), 10).known

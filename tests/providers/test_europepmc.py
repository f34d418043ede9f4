"""Europe PMC: recorded values, queries, pages by mark, look-ups by OR, citation lists, full text."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from litapp.core.plan import Filters, PlanQuery, Preprints
from litapp.core.ports import Outcome
from litapp.core.records import Identifier, NoticeKind, PartialDate, Person, Scheme
from litapp.providers import registry
from litapp.providers.base import Loss, Page, SourceError
from litapp.providers.europepmc import parse, request
from litapp.providers.europepmc.provider import EuropePMC
from litapp.providers.europepmc.records import record_of
from tests.providers.fakes import Bench, bench, json_reply, text_reply
from tests.providers.imitations import Imitation
from tests.providers.test_recorded_values import named, people

PLAN = PlanQuery(boolean='"Heart Failure"[mh] AND sacubitril[tiab]', plain="sacubitril for heart failure")
SOURCE = EuropePMC()


@pytest.fixture
def read(shared: Path) -> Callable[[str], bytes]:
    return lambda file: (shared / "wire" / "europepmc" / file).read_bytes()


@pytest.mark.shared
@pytest.mark.parametrize("row", **named("europepmc"))
def test_recorded_records(read: Callable[[str], bytes], row: dict[str, str]) -> None:
    record = dict(parse.record_list(read(row["file"])).records)[int(row["entry"])]
    authors, first, last = people(record)
    assert {
        "file": row["file"],
        "entry": row["entry"],
        "id": record.source_id,
        "pmid": record.pmid,
        "pmcid": record.identifier(Scheme.PMCID),
        "doi": record.doi,
        "title": record.title,
        "authors": authors,
        "first": first,
        "last": last,
        "journal": record.journal,
        "volume": record.volume,
        "issue": record.issue,
        "pages": record.pages,
        "year": str(record.year or ""),
        "types": str(len(record.publication_types)),
        "mesh": str(len(record.mesh)),
        "keywords": str(len(record.keywords)),
        "abstract": "yes" if record.abstract else "no",
        "preprint": "yes" if record.is_preprint else "no",
    } == row


@pytest.mark.shared
@pytest.mark.parametrize("row", **named("europepmc_fulltext"))
def test_recorded_full_texts(read: Callable[[str], bytes], row: dict[str, str]) -> None:
    article = parse.full_text(read(row["file"]))
    assert {
        "file": row["file"],
        "pmcid": article.pmcid,
        "pmid": article.pmid,
        "doi": article.doi,
        "title": article.title,
    } == row
    assert article.xml == read(row["file"])


@pytest.mark.shared
def test_a_whole_record_to_its_last_field(read: Callable[[str], bytes]) -> None:
    record = dict(parse.record_list(read("search_core_open_access_cited.json")).records)[2]
    assert record.date == PartialDate(2025, 8)
    assert record.years == (2025,)
    assert record.issns == ("0028-0836", "1476-4687")
    assert record.journal_abbreviation == "Nature"
    assert record.languages == ("eng",)
    assert record.url == "https://europepmc.org/article/MED/40562940"
    assert [(one.descriptor, one.major, one.qualifiers) for one in record.mesh[:2]] == [
        ("Neurons", True, ("metabolism", "pathology")),
        ("Cell Line, Tumor", False, ()),
    ]
    assert record.csl_type == "article-journal"
    assert not record.notices
    assert not record.warnings


@pytest.mark.shared
def test_a_record_of_pmc_without_any_date_of_issue_has_the_day_it_appeared(read: Callable[[str], bytes]) -> None:
    record = dict(parse.record_list(read("search_core_three_2026.json")).records)[2]
    assert (record.source_id, record.pmid, record.date) == ("PMC/PMC13013079", "", PartialDate(2026, 3, 26))


@pytest.mark.shared
def test_identifiers_alone_are_no_records(read: Callable[[str], bytes]) -> None:
    listing = parse.record_list(read("search_idlist_25.json"))
    assert (listing.total, listing.entries, listing.records, listing.invalid) == (5059039, 25, (), 25)


@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        ("2025 Nov", PartialDate(2025, 11)),
        ("2025 Nov 3", PartialDate(2025, 11, 3)),
        ("2025 November 3", PartialDate(2025, 11, 3)),
        ("2025", PartialDate(2025)),
        ("2025 Nov-Dec", PartialDate(2025, 11, text="2025 Nov-Dec")),
        ("2025 Spring", PartialDate(2025, 11, text="2025 Spring")),
        (" ", PartialDate(2025, 11)),
    ],
)
def test_the_printed_date(printed: str, expected: PartialDate) -> None:
    info = {"dateOfPublication": printed, "yearOfPublication": 2025, "monthOfPublication": 11}
    assert record_of({"id": "1", "source": "MED", "title": "T", "journalInfo": info}).date == expected


@pytest.mark.parametrize(
    ("line", "people_expected", "complete"),
    [
        ("Lee MS, Green R.", (Person("Lee", "MS"), Person("Green", "R")), True),
        ("van der Berg J-P, Smith AB Jr.", (Person("van der Berg", "J-P"), Person("Smith", "AB", "Jr")), True),
        ("RECOVERY Collaborative Group.", (Person(literal="RECOVERY Collaborative Group"),), True),
        ("Lee MS, et al.", (Person("Lee", "MS"),), False),
        ("", (), True),
    ],
)
def test_the_line_of_authors(line: str, people_expected: tuple[Person, ...], complete: bool) -> None:
    record = record_of({"id": "1", "source": "MED", "title": "T", "authorString": line})
    assert (record.authors, record.authors_complete) == (people_expected, complete)


def linked(*links: dict[str, object], types: tuple[str, ...] = ()) -> dict[str, object]:
    return {
        "id": "7",
        "source": "MED",
        "title": "A trial of things.",
        "pubTypeList": {"pubType": list(types)},
        "commentCorrectionList": {"commentCorrection": list(links)},
    }


def test_a_retraction_names_its_notice() -> None:
    record = record_of(
        linked(
            {
                "id": "99",
                "source": "MED",
                "reference": "Lancet. 2010 Feb 6;375(9713):445. doi: 10.1016/S0140-6736(10)60175-4.",
                "type": "Retraction in",
            },
            {"id": "98", "source": "MED", "reference": "Lancet. 2004 Mar;363:750.", "type": "Erratum in"},
            {"id": "97", "source": "MED", "type": "Comment in"},
            types=("Journal Article", "Retracted Publication"),
        )
    )
    assert [(one.kind, one.pmid, one.doi, one.date) for one in record.notices] == [
        (NoticeKind.RETRACTION, "99", "10.1016/s0140-6736(10)60175-4", "2010-02-06"),
        (NoticeKind.CORRECTION, "98", "", "2004-03"),
    ]
    assert not record.is_notice


def test_a_retracted_publication_without_its_notice_is_marked_all_the_same() -> None:
    record = record_of(linked(types=("Retracted Publication",)))
    assert [one.kind for one in record.notices] == [NoticeKind.RETRACTION]


def test_the_notice_itself_is_no_retracted_paper() -> None:
    record = record_of(
        linked({"id": "1", "source": "MED", "type": "Retraction of"}, types=("Retraction of Publication",))
    )
    assert (record.is_notice, record.notices) == (True, ())


def test_a_preprint_names_what_it_was_published_as_and_keeps_its_own_identifiers() -> None:
    item = linked(
        {"id": "38605817", "source": "MED", "type": "Preprint of"},
        {"id": "PMC123", "source": "PMC", "type": "Preprint of"},
        {"id": "PPR9", "source": "PPR", "type": "Preprint of"},
    ) | {"id": "PPR707121", "source": "PPR", "doi": "10.1101/2023.01.01.1", "firstPublicationDate": "2023-01-03"}
    record = record_of(item)
    assert record.published_as == (Identifier(Scheme.PMID, "38605817"), Identifier(Scheme.PMCID, "PMC123"))
    assert record.identifiers == (Identifier(Scheme.DOI, "10.1101/2023.01.01.1"),)
    assert (record.is_preprint, record.csl_type, record.date) == (True, "article", PartialDate(2023, 1, 3))


def test_a_withdrawn_preprint_is_marked_by_its_title() -> None:
    item = {"id": "PPR1", "source": "PPR", "title": "WITHDRAWN: A trial of things"}
    assert [one.kind for one in record_of(item).notices] == [NoticeKind.WITHDRAWAL]


def test_an_abstract_in_html_keeps_its_headings_and_its_signs() -> None:
    text = "<h4>Background</h4>It was P<0.001 in <i>E. coli</i>.<h4>Methods</h4>We looked."
    sections = record_of({"id": "1", "source": "MED", "title": "T", "abstractText": text}).abstract
    assert [(one.label, one.text) for one in sections] == [
        ("Background", "It was P<0.001 in <i>E. coli</i>."),
        ("Methods", "We looked."),
    ]


# Queries


QUERY = '(KW:"Heart Failure" AND (TITLE:sacubitril OR ABSTRACT:sacubitril OR KW:sacubitril))'


def test_the_boolean_query_is_translated_and_every_change_is_said() -> None:
    query = SOURCE.compile(PLAN, Filters())
    assert f"({query.text})" == QUERY
    assert [(note.loss, note.text) for note in query.notes] == [
        (
            Loss.NARROWER,
            '"Heart Failure"[mh]: Europe PMC does not explode headings: add the narrower ones you need.',
        ),
        (Loss.WIDER, "sacubitril[tiab]: Europe PMC's keyword field also holds MeSH headings."),
        (
            None,
            "Preprints of bioRxiv, medRxiv and other servers are among the records; those servers have no search of "
            "their own.",
        ),
    ]


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        (Filters(year_from=2015, year_to=2020), f"{QUERY} AND PUB_YEAR:[2015 TO 2020]"),
        (Filters(year_from=2015), f"{QUERY} AND PUB_YEAR:[2015 TO 3000]"),
        (Filters(year_to=1999), f"{QUERY} AND PUB_YEAR:[1000 TO 1999]"),
        (Filters(languages=("eng",)), f'{QUERY} AND LANG:"eng"'),
        (Filters(languages=("eng", "ger")), f'{QUERY} AND (LANG:"eng" OR LANG:"ger")'),
        (Filters(publication_types=("Review",)), f'{QUERY} AND PUB_TYPE:"Review"'),
        (Filters(publication_types=('Ev"il\\',)), f'{QUERY} AND PUB_TYPE:"Ev il"'),
        (Filters(preprints=Preprints.ONLY), f'{QUERY} AND (SRC:PPR OR PUB_TYPE:"Preprint")'),
        (Filters(preprints=Preprints.EXCLUDED), f'{QUERY} NOT (SRC:PPR OR PUB_TYPE:"Preprint")'),
    ],
)
def test_filters(filters: Filters, expected: str) -> None:
    assert SOURCE.compile(PLAN, filters).text == expected


def test_hundreds_of_terms_that_change_alike_make_one_note() -> None:
    boolean = " OR ".join(f"drug{number}[tiab]" for number in range(100))
    notes = SOURCE.compile(PlanQuery(boolean=boolean), Filters(preprints=Preprints.EXCLUDED)).notes
    assert [note.text for note in notes] == [
        "drug0[tiab], drug1[tiab], drug2[tiab], drug3[tiab], drug4[tiab], drug5[tiab] and 94 more: Europe PMC's "
        "keyword field also holds MeSH headings."
    ]


def test_in_place_of_pubmed_only_pubmeds_records_are_asked_for_and_that_is_said() -> None:
    query = SOURCE.compile_in_place_of_pubmed(PLAN, Filters())
    assert query.text == f"{QUERY} AND SRC:MED"
    assert query.source == "europepmc"
    assert any("in place of PubMed" in note.text for note in query.notes)
    assert not any("bioRxiv" in note.text for note in query.notes)


def test_plain_words_are_asked_when_there_is_no_boolean_query() -> None:
    query = SOURCE.compile(PlanQuery(plain='does "heart-failure" AND (so) on?'), Filters())
    assert query.text == "does heart-failure and so on"
    assert query.notes[0].text == "There is no Boolean query: Europe PMC gets the plain words."


@pytest.mark.parametrize(
    ("boolean", "code"),
    [("(asthma[ti]", "unreadable_query"), ("medline[sb]", "nothing_left")],
)
def test_a_query_that_cannot_be_asked_is_refused_before_the_run(boolean: str, code: str) -> None:
    with pytest.raises(SourceError) as caught:
        SOURCE.compile(PlanQuery(boolean=boolean), Filters())
    assert (caught.value.outcome, caught.value.code) == (Outcome.PERMANENT, code)
    assert caught.value.hint


# Pages


def pages(made: Bench, limit: int, plan: PlanQuery = PLAN) -> list[Page]:
    found: list[Page] = []
    cursor: dict[str, object] | None = {}
    wanted = limit
    while cursor is not None and wanted > 0:
        found.append(SOURCE.fetch_page(made.client, SOURCE.compile(plan, Filters()), cursor, wanted))
        wanted -= len(found[-1].hits)
        cursor = found[-1].cursor
    return found


def test_twelve_hundred_records_come_in_three_pages_by_mark() -> None:
    made = bench([Imitation("europepmc", 1_201)])
    found = pages(made, 5_000)
    assert [hit.record.title for page in found for hit in page.hits] == [f"Title {n}" for n in range(1, 1_202)]
    assert [len(page.hits) for page in found] == [500, 500, 201]
    marks = [sent.url.params["cursorMark"] for sent in made.source.requests]
    assert marks == ["*", "Mark+/=500", "Mark+/=1000"]
    assert not any(page.capped for page in found)


def answer(total: int, ids: range, mark: str | None) -> dict[str, object]:
    rows = [{"id": str(n), "source": "MED", "title": f"Title {n}"} for n in ids]
    data: dict[str, object] = {"version": "6.9", "hitCount": total, "resultList": {"result": rows}}
    return data if mark is None else {**data, "nextCursorMark": mark}


@pytest.mark.parametrize("mark", [None, "", "*"])
def test_the_list_ends_where_no_new_mark_comes_and_what_is_missing_is_said(mark: str | None) -> None:
    made = bench([json_reply(answer(900, range(1, 4), mark))])
    (page,) = pages(made, 100)
    assert (page.cursor, page.capped, len(page.hits)) == (None, True, 3)
    assert page.notes == ("Europe PMC reports 900 records but gave only 3.",)


def test_hits_reported_but_none_sent_is_a_failure() -> None:
    made = bench([json_reply(answer(900, range(0), "Mark"))])
    with pytest.raises(SourceError) as caught:
        pages(made, 100)
    assert caught.value.outcome is Outcome.MALFORMED


def test_an_answer_that_holds_only_a_version_is_asked_again_and_is_never_zero_hits() -> None:
    made = bench([text_reply('{"version":"6.9"}'), Imitation("europepmc", 2)])
    assert len(pages(made, 10)[0].hits) == 2
    made = bench([text_reply('{"version":"6.9"}')])
    with pytest.raises(SourceError) as caught:
        pages(made, 10)
    assert (caught.value.outcome, caught.value.code) == (Outcome.TRANSIENT, "no_content")
    assert len(made.source.requests) == 3


@pytest.mark.parametrize(
    ("body", "outcome"),
    [
        ('{"errCode":404,"errMsg":"Page size should be in the range 1 to 1000"}', Outcome.PERMANENT),
        ('{"errCode":503,"errMsg":"Service down"}', Outcome.TRANSIENT),
        ('{"errCode":0,"errMsg":"This API is temporarily unavailable due to maintenance."}', Outcome.TRANSIENT),
        ('{"version":"6.9","hitCount":3}', Outcome.MALFORMED),
        ('{"version":"6.9","resultList":{"result":[]}}', Outcome.MALFORMED),
        ("<errorBean><errCode>0</errCode><errMsg>Article X is not open access one</errMsg></errorBean>",
         Outcome.NOT_FOUND),
        ("<responseWrapper><version>6.9</version></responseWrapper>", Outcome.TRANSIENT),
        ("<responseWrapper><version>6.9</version><hitCount>0</hitCount></responseWrapper>", Outcome.EMPTY),
        ("<article><front>", Outcome.MALFORMED),
    ],
)  # fmt: skip
def test_errors_within_a_200(body: str, outcome: Outcome) -> None:
    assert SOURCE.classify(200, {}, body.encode()).outcome is outcome


def test_an_empty_404_is_europe_pmcs_way_of_saying_no() -> None:
    assert SOURCE.classify(404, {}, b"").outcome is Outcome.NOT_FOUND
    assert SOURCE.classify(404, {}, b"<html>portal</html>").outcome is Outcome.MALFORMED


def test_a_long_query_goes_as_a_form_and_is_not_cut() -> None:
    words = " OR ".join(f'"a rather long phrase number {number}"[ti]' for number in range(60))
    made = bench([Imitation("europepmc", 3)])
    (page,) = pages(made, 10, PlanQuery(boolean=words))
    sent = made.source.requests[0]
    assert (sent.method, sent.url.path, sent.url.query) == ("POST", "/rest/searchPOST", b"")
    assert made.source.forms[0]["query"].count("TITLE:") == 60
    assert made.source.forms[0]["cursorMark"] == "*"
    assert len(page.hits) == 3


# Look-ups


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (("31645286",), "(EXT_ID:31645286) AND SRC:MED"),
        (("1", "2"), "(EXT_ID:1 OR EXT_ID:2) AND SRC:MED"),
    ],
)
def test_a_pmid_is_one_only_in_pubmeds_collection(values: tuple[str, ...], expected: str) -> None:
    assert request.identifiers_query([Identifier(Scheme.PMID, value) for value in values]) == expected


def test_dois_are_quoted_and_found_in_the_best_collection() -> None:
    rows = [
        {"id": "PPR1", "source": "PPR", "doi": "10.1000/A", "title": "As preprint"},
        {"id": "IND1", "source": "AGR", "doi": "10.1000/a", "title": "At Agricola"},
        {"id": "5", "source": "MED", "doi": "10.1000/a", "title": "At PubMed"},
    ]
    made = bench([json_reply({"hitCount": 3, "resultList": {"result": rows}})])
    asked = [Identifier(Scheme.DOI, "10.1000/a"), Identifier(Scheme.DOI, "10.1000/b(c)")]
    result = SOURCE.lookup(made.client, asked)
    assert made.source.requests[0].url.params["query"] == 'DOI:"10.1000/a" OR DOI:"10.1000/b(c)"'
    assert result.found[asked[0]][0].title == "At PubMed"
    assert set(result.absent) == {asked[1]}


def test_pmids_and_dois_of_one_look_up_are_asked_apart() -> None:
    made = bench([Imitation("europepmc", 10)])
    asked = [Identifier(Scheme.PMID, "3"), Identifier(Scheme.DOI, "10.1000/n4"), Identifier(Scheme.DOI, "10.1000/n99")]
    result = SOURCE.lookup(made.client, asked)
    assert {one.value: record.title for one, (record, _) in result.found.items()} == {
        "3": "Title 3",
        "10.1000/n4": "Title 4",
    }
    assert set(result.absent) == {asked[2]}
    assert len(made.source.requests) == 2


def test_what_was_not_sent_is_not_called_absent() -> None:
    row = {"id": "1", "source": "MED", "pmid": "1", "title": "One"}
    made = bench([json_reply({"hitCount": 2, "resultList": {"result": [row]}})])
    asked = [Identifier(Scheme.PMID, "1"), Identifier(Scheme.PMID, "2")]
    result = SOURCE.lookup(made.client, asked)
    assert (set(result.found), set(result.absent)) == ({asked[0]}, set())
    assert result.failures[asked[1]].outcome is Outcome.MALFORMED


# Citations and references


def test_citations_are_read_page_by_page_up_to_the_limit() -> None:
    made = bench([Imitation("europepmc", 2_300)])
    found = registry.links_provider("europepmc").citations(made.client, Identifier(Scheme.PMID, "7"), 2_100)
    assert [record.source_id for record in found.records] == [f"MED/{n}" for n in range(1, 2_101)]
    assert (found.total, found.unreadable, found.known, len(found.answer_ids)) == (2_300, 0, True, 3)
    assert made.source.requests[0].url.path == "/rest/MED/7/citations"


def test_references_without_a_match_have_no_identifier_and_untitled_ones_are_counted() -> None:
    rows = [
        {"id": "5", "source": "MED", "title": "Known.", "authorString": "Lee MS.", "pubYear": 2005},
        {"title": "Not matched.", "doi": "10.1000/X", "pubYear": "1999"},
        {"unstructuredInformation": "Lee MS. A book."},
    ]
    made = bench([json_reply({"hitCount": 3, "referenceList": {"reference": rows}})])
    found = SOURCE.references(made.client, Identifier(Scheme.PMID, "7"), 50)
    assert [(record.source_id, record.title, record.doi) for record in found.records] == [
        ("MED/5", "Known", ""),
        ("", "Not matched", "10.1000/x"),
    ]
    assert (found.total, found.unreadable) == (3, 1)


def test_no_citations_and_an_unknown_paper_are_told_apart() -> None:
    made = bench([json_reply({"hitCount": 0, "citationList": {"citation": []}})])
    none = SOURCE.citations(made.client, Identifier(Scheme.PMID, "7"), 50)
    assert (none.records, none.total, none.known) == ((), 0, True)
    made = bench([Imitation("europepmc", 0)])
    unknown = SOURCE.citations(made.client, Identifier(Scheme.DOI, "10.1000/n7"), 50)
    assert (unknown.records, unknown.known, len(unknown.answer_ids)) == ((), False, 1)


def test_a_paper_named_by_doi_is_found_first() -> None:
    made = bench([Imitation("europepmc", 9)])
    found = SOURCE.references(made.client, Identifier(Scheme.DOI, "10.1000/n7"), 5)
    assert [sent.url.path for sent in made.source.requests] == ["/rest/search", "/rest/MED/7/references"]
    assert len(found.records) == 5


# Full text


ARTICLE = (
    '<article><front><article-meta><article-id pub-id-type="pmcid">{pmcid}</article-id><title-group>'
    "<article-title>A <italic>title</italic></article-title></title-group></article-meta></front></article>"
)


@pytest.mark.parametrize("written", ["123", "PMC123"])
def test_the_full_text_of_an_open_article(written: str) -> None:
    made = bench([text_reply(ARTICLE.format(pmcid=written))])
    article, answer_id = SOURCE.full_text(made.client, "PMC123")
    assert article is not None
    assert (article.pmcid, article.title, answer_id) == ("PMC123", "A title", 1)
    assert made.source.requests[0].url.path == "/rest/PMC123/fullTextXML"
    assert made.source.requests[0].headers["accept"] == "application/xml"


def test_an_article_that_is_not_open_is_none_and_another_article_is_a_failure() -> None:
    made = bench([httpx.Response(404, content=b"")])
    assert SOURCE.full_text(made.client, "PMC123") == (None, 1)
    made = bench([text_reply(ARTICLE.format(pmcid="PMC124"))])
    with pytest.raises(SourceError) as caught:
        SOURCE.full_text(made.client, "PMC123")
    assert caught.value.outcome is Outcome.MALFORMED

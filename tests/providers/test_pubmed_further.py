"""PubMed's further questions: headings, spelling, places of citations. Answers are typed, and proven or unsaid."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest

from litapp.core.ports import Outcome
from litapp.core.records import PartialDate, Person, Record
from litapp.providers import registry
from litapp.providers.base import SourceError
from litapp.providers.pubmed import places
from litapp.providers.pubmed.provider import PubMed
from litapp.providers.questions import CitedPlace, MeshHeadingFound, PlaceVerdict, Spelling
from tests.providers.fakes import bench, json_reply, text_reply

PUBMED = PubMed()


def summary(uid: str, ui: str, *names: str, **more: object) -> dict[str, object]:
    entry: dict[str, object] = {"uid": uid, "ds_recordtype": "descriptor", "ds_meshui": ui, "ds_meshterms": list(names)}
    return entry | more


def mesh(*entries: dict[str, object]) -> list[httpx.Response]:
    """The two answers of a look-up in db=mesh."""
    uids = [str(entry["uid"]) for entry in entries]
    return [
        json_reply({"header": {}, "esearchresult": {"count": str(len(uids)), "idlist": uids}}),
        json_reply({"header": {}, "result": {"uids": uids, **{str(entry["uid"]): entry for entry in entries}}}),
    ]


STROKE = summary(
    "68020521",
    "D020521",
    "Stroke",
    "Cerebrovascular Accident",
    "CVA",
    ds_scopenote="A group of conditions.",
    ds_idxlinks=[{"parent": 1, "treenum": "C10.228.140.300.775"}, {"treenum": "C14.907.253.855"}, {"parent": 3}],
    ds_subheading=["therapy", "rehabilitation"],
    ds_yearintroduced="2008(1965)",
)
REHABILITATION = summary("68000071939", "D000071939", "Stroke Rehabilitation", "Rehabilitation, Stroke")


def test_headings_come_with_tree_entry_terms_and_scope_the_exact_one_first() -> None:
    made = bench(mesh(REHABILITATION, STROKE))
    found, answer_ids = PUBMED.find_headings(made.client, " cerebrovascular  accident ")
    assert (found, answer_ids) == (
        [
            MeshHeadingFound(
                ui="D020521",
                name="Stroke",
                kind="descriptor",
                tree_numbers=("C10.228.140.300.775", "C14.907.253.855"),
                entry_terms=("Cerebrovascular Accident", "CVA"),
                scope="A group of conditions.",
                qualifiers=("therapy", "rehabilitation"),
                introduced="2008(1965)",
                exact=True,
            ),
            MeshHeadingFound(
                ui="D000071939",
                name="Stroke Rehabilitation",
                kind="descriptor",
                entry_terms=("Rehabilitation, Stroke",),
            ),
        ],
        [1, 2],
    )
    assert [(form["db"], form.get("term") or form.get("id")) for form in made.source.forms] == [
        ("mesh", "cerebrovascular accident"),
        ("mesh", "68000071939,68020521"),
    ]


def test_words_without_a_heading_cost_one_call_and_are_no_failure() -> None:
    made = bench([mesh()[0]])
    assert PUBMED.find_headings(made.client, "qzxv") == ([], [1])
    assert PUBMED.find_headings(made.client, "  ") == ([], [])
    assert len(made.source.requests) == 1


@pytest.mark.parametrize(
    "broken",
    [
        json_reply({"result": {"68020521": STROKE}}),
        json_reply({"result": []}),
        json_reply({"result": {"uids": "68020521"}}),
        text_reply("<html>busy</html>"),
        text_reply("1: Stroke\nA group of conditions."),
    ],
)
def test_broken_summaries_are_no_empty_vocabulary(broken: httpx.Response) -> None:
    made = bench([mesh(STROKE)[0], broken])
    with pytest.raises(SourceError) as caught:
        PUBMED.find_headings(made.client, "stroke")
    assert caught.value.outcome is Outcome.MALFORMED


def test_entries_without_name_or_number_are_not_headings() -> None:
    made = bench(mesh(summary("1", "D1"), summary("2", "", "Nameless"), STROKE, summary("4", "D4", "Four")))
    found, _ = PUBMED.find_headings(made.client, "d020521")
    assert [(heading.ui, heading.exact) for heading in found] == [("D020521", True), ("D4", False)]


@pytest.mark.shared
def test_the_recorded_spelling(shared: Path) -> None:
    """Its ERROR element is there and empty: no failure."""
    body = (shared / "wire" / "pubmed" / "espell_biopythooon.xml").read_bytes()
    made = bench([text_reply(body)])
    assert PUBMED.spelling(made.client, "biopythooon") == Spelling("biopythooon", "biopython", 1)
    assert made.source.forms == [{"db": "pubmed", "term": "biopythooon", "tool": "litledger-test"}]


@pytest.mark.parametrize(
    ("body", "corrected"),
    [
        ("<eSpellResult><CorrectedQuery></CorrectedQuery><ERROR/></eSpellResult>", ""),
        ("<eSpellResult><CorrectedQuery>Stroke </CorrectedQuery><ERROR></ERROR></eSpellResult>", ""),
        ("<eSpellResult><CorrectedQuery>strokes</CorrectedQuery></eSpellResult>", "strokes"),
    ],
)
def test_a_spelling_that_changes_nothing_is_none(body: str, corrected: str) -> None:
    assert PUBMED.spelling(bench([text_reply(body)]).client, "stroke").corrected == corrected


def test_a_failed_spelling_is_no_good_spelling() -> None:
    made = bench([text_reply("<eSpellResult><ERROR>Search Backend failed</ERROR></eSpellResult>")])
    with pytest.raises(SourceError) as caught:
        PUBMED.spelling(made.client, "stroke")
    assert caught.value.outcome is Outcome.TRANSIENT


def article(pmid: str, *, year: str, volume: str, pages: str, journal: str, family: str) -> str:
    return (
        f"<PubmedArticle><MedlineCitation><PMID>{pmid}</PMID><Article><Journal><JournalIssue><Volume>{volume}</Volume>"
        f"<PubDate><Year>{year}</Year></PubDate></JournalIssue><Title>{journal}</Title></Journal><ArticleTitle>T."
        f"</ArticleTitle><Pagination><MedlinePgn>{pages}</MedlinePgn></Pagination><AuthorList CompleteYN='Y'><Author>"
        f"<LastName>{family}</LastName><ForeName>B</ForeName></Author></AuthorList></Article></MedlineCitation>"
        "</PubmedArticle>"
    )


MANN = article("2014248", year="1991", volume="88", pages="3248-52", journal="Proc Natl Acad Sci U S A", family="Mann")
ZHU = article("31978945", year="2020", volume="382", pages="727-733", journal="N Engl J Med", family="Zhu")


def test_places_are_candidates_fetched_and_compared_and_joined_by_key() -> None:
    """Lines come in any order and may be missing; a matching journal, volume and page hides a wrong year and author."""
    answer = (
        "n engl j med|1999|382|727|smith j|place3|31978945\n"
        "fake journal|2000|1|1||place2|NOT_FOUND;INVALID_JOURNAL\n"
        "proc natl acad sci u s a|1991|88|3248|mann bj|place1|2014248\n"
        "science||||wu|place5|AMBIGUOUS 31978945,2014248\n"
    )
    made = bench([text_reply(answer), text_reply(f"<PubmedArticleSet>{MANN}{ZHU}</PubmedArticleSet>")])
    asked = [
        CitedPlace("proc natl acad sci u s a", "1991", "88", "3248", "Mann BJ"),
        CitedPlace("fake|journal", "2000", "1", "1"),
        CitedPlace("N Engl J Med", "1999", "382", "727", "Smith J"),
        CitedPlace("lancet", "2001", "3\n", "5"),
        CitedPlace("science", author="wu"),
        CitedPlace(volume="3", first_page="4"),
    ]
    found = PUBMED.find_places(made.client, asked)
    assert [(match.verdict, [record.pmid for record in match.records], match.differs) for match in found] == [
        (PlaceVerdict.CANDIDATE, ["2014248"], ((),)),
        (PlaceVerdict.NOTHING, [], ()),
        (PlaceVerdict.CANDIDATE, ["31978945"], (("year", "author"),)),
        (PlaceVerdict.NOT_ANSWERED, [], ()),
        (PlaceVerdict.AMBIGUOUS, ["31978945", "2014248"], (("journal", "author"), ("journal", "author"))),
        (PlaceVerdict.NOT_ANSWERED, [], ()),
    ]
    assert found[1].reason == "NOT_FOUND;INVALID_JOURNAL"
    assert found[5].reason == "Journal or year is needed."
    assert (found[0].answer_ids, found[3].answer_ids) == ((1, 2), (1,))
    assert made.source.forms[0]["bdata"] == (
        "proc natl acad sci u s a|1991|88|3248|Mann BJ|place1|\r"
        "fake journal|2000|1|1||place2|\r"
        "N Engl J Med|1999|382|727|Smith J|place3|\r"
        "lancet|2001|3|5||place4|\r"
        "science||||wu|place5|"
    )


def test_a_pmid_that_pubmed_does_not_have_is_no_candidate() -> None:
    made = bench([text_reply("a|2000|1|1||place1|77"), text_reply("<PubmedArticleSet></PubmedArticleSet>")])
    [match] = PUBMED.find_places(made.client, [CitedPlace("a", "2000")])
    assert (match.verdict, match.records) == (PlaceVerdict.NOTHING, ())
    assert match.reason == "PubMed named 77, which it does not have."


def test_places_without_journal_and_year_ask_nothing() -> None:
    made = bench([RuntimeError("must not be sent")])
    [match] = PUBMED.find_places(made.client, [CitedPlace(volume="1")])
    assert match.verdict is PlaceVerdict.NOT_ANSWERED
    assert PUBMED.find_places(made.client, []) == []


@pytest.mark.shared
def test_the_recorded_places(shared: Path) -> None:
    body = (shared / "wire" / "pubmed" / "ecitmatch_mixed_not_found.txt").read_bytes()
    assert places.read(body) == {
        "Art1": places.Line(PlaceVerdict.CANDIDATE, ("2014248",)),
        "ref2": places.Line(PlaceVerdict.NOTHING, (), "NOT_FOUND;INVALID_JOURNAL"),
        "Art4": places.Line(PlaceVerdict.CANDIDATE, ("31978945",)),
    }


@pytest.mark.parametrize(
    ("place", "differs"),
    [
        (CitedPlace("Proceedings of the National Academy of Sciences", "1991", "88", "3248", "Mann BJ"), ()),
        (CitedPlace("Science", "1999", "87", "48", "Palmenberg AC"), ("year", "journal", "volume", "pages", "author")),
        (CitedPlace("", "about 1991", "", "", ""), ()),
        (CitedPlace(author="Mann"), ()),
    ],
)
def test_what_a_record_contradicts_of_a_place(place: CitedPlace, differs: tuple[str, ...]) -> None:
    record = Record(
        "pubmed",
        "1",
        title="T",
        authors=(Person("Mann", "Barbara J"), Person("Torian", "Bruce E")),
        journal="Proceedings of the National Academy of Sciences of the United States of America",
        journal_abbreviation="Proc Natl Acad Sci U S A",
        date=PartialDate(1991),
        years=(1991,),
        volume="88",
        pages="3248-3252",
    )
    assert places.differences(place, record) == differs


@pytest.mark.parametrize(
    ("body", "outcome"),
    [
        (b"a|1|2|3|x|k|NOT_FOUND\n", Outcome.EMPTY),
        (b"a|1|2|3|x|k|123\n", Outcome.OK),
        (b"a|1|2|3|x|k|\xff123\n", Outcome.MALFORMED),
        (b"a|b\n", Outcome.MALFORMED),
        (b'{"result":{"uids":["1"],"1":{"uid":"1","error":"cannot get document summary"}}}', Outcome.NOT_FOUND),
        (b'{"result":{"uids":[]}}', Outcome.EMPTY),
        (b'{"result":{"uids":["1"],"1":{"uid":"1","error":"backend down"}}}', Outcome.TRANSIENT),
        (b'{"linksets":[{"ids":["1"]}]}', Outcome.EMPTY),
        (b'{"linksets":{}}', Outcome.MALFORMED),
        (
            b"<eLinkResult><LinkSet><ERROR>Couldn't resolve #exLinkSrv2</ERROR></LinkSet></eLinkResult>",
            Outcome.TRANSIENT,
        ),
        (b"<eLinkResult><LinkSet><IdList><Id>1</Id></IdList></LinkSet></eLinkResult>", Outcome.EMPTY),
        (b'{"esummaryresult":["Empty id list - nothing todo"]}', Outcome.PERMANENT),
        (b"[]", Outcome.EMPTY),
        (b"[1]", Outcome.MALFORMED),
        (b"[1", Outcome.MALFORMED),
    ],
)
def test_the_other_tools_of_ncbi_are_classified(body: bytes, outcome: Outcome) -> None:
    assert registry.provider("pubmed").classify(200, {}, body).outcome is outcome

"""Duplicates: pairs, companions, clusters. Records are made up."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from litapp.core.dedupe import (
    Pair,
    PairVerdict,
    Relation,
    block_keys,
    cluster,
    compare,
    compare_all,
    find_duplicates,
    keeps_apart,
)
from litapp.core.dedupe.places import page_parts, place_of
from litapp.core.records import AbstractSection, Identifier, PartialDate, Person, Record, Scheme

TITLE = "Inhaled budesonide for adults with mild influenza in primary care"
ABSTRACT = (
    "Influenza causes many consultations in primary care and few treatments shorten it. We asked whether inhaled "
    "budesonide, started within two days, shortens the illness in adults who are not admitted to hospital."
)


def record(**changes: object) -> Record:
    values: dict[str, object] = {
        "source": "pubmed",
        "source_id": "1",
        "title": TITLE,
        "authors": (Person("Horby", "Peter"), Person("Lim", "Wei Shen"), Person("Mafham", "Marion")),
        "journal": "The Lancet",
        "volume": "397",
        "issue": "2",
        "pages": "1637-1645",
        "date": PartialDate(2021),
    }
    return Record(**{**values, **changes})  # type: ignore[arg-type]


def doi(value: str) -> tuple[Identifier, ...]:
    return (Identifier(Scheme.DOI, value),)


def pmid(value: str) -> tuple[Identifier, ...]:
    return (Identifier(Scheme.PMID, value),)


WITHOUT_PLACE = {"volume": "", "issue": "", "pages": ""}
SAME = {
    "another source's style": {
        "title": "INHALED BUDESONIDE FOR ADULTS WITH MILD INFLUENZA IN PRIMARY CARE.",
        "authors": (Person("Horby", "P."), Person("Lim", "W.S.")),
        "journal": "Lancet (London, England)",
        "pages": "1637-45",
    },
    "names in one piece": {"authors": (Person(literal="Peter Horby"), Person(literal="Wei Shen Lim"))},
    "early view, a year before": {**WITHOUT_PLACE, "date": PartialDate(2020)},
    "pages of the early view": {"volume": "", "issue": "", "pages": "1-9", "date": PartialDate(2020)},
    "a date for pages": {"pages": "Sep-1637"},
    "volume and issue in one": {"volume": "397 (2)", "issue": ""},
    "article number in the issue": {"volume": "397 (2) (no pagination)", "issue": "e1637", "pages": ""},
    "language at the end": {"title": TITLE + ". German"},
    "retracted mark": {"title": "RETRACTED: " + TITLE},
    "subtitle dropped, same pages": {"title": TITLE + ": a randomised controlled trial"},
    "translated": {"title": "Inhalatives Budesonid bei Erwachsenen mit leichter Grippe in der Hausarztpraxis"},
    "no author": {"authors": ()},
    "a typing error": {"title": TITLE.replace("influenza", "influenze")},
}
COMPANIONS = {
    "erratum": {"title": f"Erratum: {TITLE}", "pages": "1820"},
    "retraction_notice": {"title": f"Retraction: {TITLE}", "pages": "1820"},
    "comment": {"title": f"Comment on “{TITLE}”", "authors": (Person("Bell", "J"),), "pages": "12"},
    "preprint": {"journal": "medRxiv", **WITHOUT_PLACE, "is_preprint": True},
    "protocol": {"title": f"{TITLE}: study protocol for a randomised trial", "journal": "Trials", "pages": "12"},
    "registration": {"journal": "ClinicalTrials.gov", **WITHOUT_PLACE, "volume": "NCT01234567"},
    "thesis": {"publication_types": ("Thesis",), "journal": "", **WITHOUT_PLACE},
    "conference_abstract": {"journal": "Thorax", "volume": "75", "issue": "Suppl. 1", "pages": "S12"},
    "other_place": {"journal": "Thorax", "volume": "75", "issue": "4", "pages": "300-309"},
}


@pytest.mark.parametrize("changes", SAME.values(), ids=SAME)
def test_one_report_in_two_sources(changes: dict[str, object]) -> None:
    found = compare(record(), record(**changes))
    assert (found.relation, compare(record(**changes), record())) == (Relation.SAME, found)


@pytest.mark.parametrize("changes", SAME.values(), ids=SAME)
def test_records_of_one_report_meet_under_a_key(changes: dict[str, object]) -> None:
    assert block_keys(record()) & block_keys(record(**changes))


@pytest.mark.parametrize(("rule", "changes"), COMPANIONS.items(), ids=COMPANIONS)
def test_companions_are_named_and_never_merged(rule: str, changes: dict[str, object]) -> None:
    found = compare(record(), record(**changes))
    assert (found.relation, found.rule, keeps_apart(found)) == (Relation.COMPANION, rule, True)
    assert compare(record(**changes), record()) == found


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ({"title": f"{TITLE}. Part 1"}, {"title": f"{TITLE}. Part 2", "pages": "1646-1650"}),
        ({"title": f"{TITLE}. Part I"}, {"title": f"{TITLE}. Part II", **WITHOUT_PLACE}),
        ({"title": f"{TITLE}: in men"}, {"title": f"{TITLE}: in women", "pages": "1646-1650"}),
        ({"title": f"{TITLE}: in men"}, WITHOUT_PLACE),
        ({}, {"title": f"{TITLE}: five-year follow-up", "date": PartialDate(2026), "volume": "412", "pages": "9-12"}),
        ({"title": "Editorial"}, {"title": "Editorial", "issue": "3", "pages": "1637-1638"}),
        ({"title": "In this issue", "pages": "1-2"}, {"title": "In this issue", "pages": "1-2", "issue": "7"}),
        ({"title": "Annual report 2019"}, {"title": "Annual report 2020", "volume": "398"}),
        ({"identifiers": pmid("1")}, {"identifiers": pmid("2"), "title": "Another paper of the same group on asthma"}),
    ],
)
def test_look_alikes_are_not_the_same(ours: dict[str, object], theirs: dict[str, object]) -> None:
    assert compare(record(**ours), record(**theirs)).relation is not Relation.SAME


class TestIdentifiers:
    def test_a_doi_of_a_supplement_is_no_evidence(self) -> None:
        ours = record(identifiers=doi("10.1000/suppl"), pages="A12")
        theirs = record(
            identifiers=doi("10.1000/suppl"), pages="A77", title="Copper in hospitals", authors=(Person("Prado", "V"),)
        )
        assert compare(ours, theirs).relation is Relation.DIFFERENT

    def test_an_unlike_doi_is_no_proof(self) -> None:
        found = compare(record(identifiers=doi("10.1000/x")), record(identifiers=doi("10.1097/wrong")))
        assert (found.relation, found.rule) == (Relation.SAME, "title_place_two_dois")

    def test_an_abstract_that_carries_the_papers_doi(self) -> None:
        abstract = record(
            identifiers=doi("10.1000/x"), journal="Thorax", volume="75", issue="Suppl 1", pages="S12",
        )  # fmt: skip
        assert compare(record(identifiers=doi("10.1000/x")), abstract).relation is Relation.COMPANION

    def test_same_pmid_and_title(self) -> None:
        found = compare(record(identifiers=pmid("7")), record(identifiers=pmid("7"), journal="X", pages=""))
        assert (found.relation, found.rule) == (Relation.SAME, "pmid_title")

    def test_two_pmids_need_a_person(self) -> None:
        found = compare(record(identifiers=pmid("7")), record(identifiers=pmid("8")))
        assert (found.relation, found.rule) == (Relation.DOUBTFUL, "two_pmids")

    def test_cochrane_versions_are_companions(self) -> None:
        first = record(
            journal="Cochrane Database Syst Rev", pages="CD001234", identifiers=doi("10.1002/14651858.cd001234.pub2")
        )
        second = replace(first, identifiers=doi("10.1002/14651858.cd001234.pub3"), date=PartialDate(2024))
        again = replace(first, journal="Cochrane Database of Systematic Reviews", pages="", volume="")
        assert compare(first, second).rule == "cochrane_version"
        assert compare(first, again).relation is Relation.SAME

    def test_one_trial_registered_in_two_sources(self) -> None:
        ours = record(authors=(), journal="ClinicalTrials.gov", volume="NCT01234567", issue="", pages="")
        theirs = record(authors=(), journal="https://clinicaltrials.gov/show/NCT01234567", **WITHOUT_PLACE)
        assert compare(ours, theirs).relation is Relation.SAME
        assert compare(ours, replace(theirs, journal="https://clinicaltrials.gov/show/NCT07654321")).relation is (
            Relation.DIFFERENT
        )


def test_same_title_abstract_and_journal_on_other_pages_is_doubtful() -> None:
    abstract = (AbstractSection(ABSTRACT),)
    found = compare(record(abstract=abstract, volume=""), record(abstract=abstract, volume="", pages="20-29"))
    assert (found.relation, found.rule) == (Relation.DOUBTFUL, "pages_differ")


@pytest.mark.parametrize(
    ("pages", "starts", "length"),
    [
        ("1637-45", {"1637"}, 9),
        ("S44-S48", {"44"}, 5),
        ("20-Apr", {"20", "4"}, None),
        ("Jul-13", {"7", "13"}, None),
        ("e0143396", {"143396"}, 1),
        ("xiii-xv", {"xiii"}, None),
        ("681-2 685-92; quiz 694", {"681"}, 2),
        ("", set(), None),
        ("n/a", set(), None),
    ],
)
def test_pages_as_databases_write_them(pages: str, starts: set[str], length: int | None) -> None:
    found = page_parts(pages)
    assert (found[0], found[2]) == (starts, length)


@pytest.mark.parametrize(
    ("volume", "issue", "pages", "expected"),
    [
        ("10 (11) (no pagination)", "e0143396", "", ("10", {"11"}, "e0143396")),
        ("36 Suppl 2", "", "B13", ("36", set(), "B13")),
        ("1)", "", "S34", ("", set(), "S34")),
        ("2021", "5", "1", ("", {"5"}, "1")),
        ("58(3)", "", "1", ("58", {"3"}, "1")),
        ("", "1656", "1", ("", set(), "1")),
    ],
)
def test_volume_issue_and_pages_are_put_where_they_belong(
    volume: str, issue: str, pages: str, expected: tuple[str, set[str], str]
) -> None:
    place = place_of(record(volume=volume, issue=issue, pages=pages))
    assert (place.volume, place.issues, place.pages) == expected


def library() -> dict[str, Record]:
    """Three reports and companions, each of several sources, and look-alikes."""
    return {
        "a1": record(identifiers=doi("10.1000/x")),
        "a2": record(source="crossref", authors=(Person("Horby", "P"),), pages="1637-45"),
        "a3": record(source="openalex", authors=(Person(literal="Peter Horby"),), **WITHOUT_PLACE),
        "b1": record(title=f"Erratum: {TITLE}", pages="1820"),
        "c1": record(title=f"{TITLE}. Part 1", pages="20-29"),
        "c2": record(title=f"{TITLE}. Part 1", pages="20-9", source="crossref"),
        "d1": record(title=f"{TITLE}. Part 2", pages="30-39"),
        "e1": record(is_preprint=True, journal="medRxiv", **WITHOUT_PLACE),
        "e2": record(is_preprint=True, journal="medRxiv", source="openalex", **WITHOUT_PLACE),
        "f1": record(title="Editorial", pages="1-2"),
        "f2": record(title="Editorial", pages="1-2", issue="9"),
    }


def test_clusters_of_a_library() -> None:
    found = find_duplicates(library())
    assert found.clusters == (("a1", "a2", "a3"), ("c1", "c2"), ("e1", "e2"))
    assert {(p.a, p.b, p.verdict.rule) for p in found.companions} >= {
        ("a1", "b1", "erratum"),
        ("a1", "e1", "preprint"),
        ("c1", "d1", "part"),
    }


@pytest.mark.parametrize("seed", range(20))
def test_order_does_not_matter(seed: int) -> None:
    records = library()
    ids = list(records)
    random.Random(seed).shuffle(ids)
    assert find_duplicates({identity: records[identity] for identity in ids}) == find_duplicates(records)


def test_comparing_only_what_is_new_finds_the_rest() -> None:
    records = library()
    old = {identity: r for identity, r in records.items() if identity not in ("a3", "c2", "f2")}
    pairs = {*compare_all(old), *compare_all(records, new={"a3", "c2", "f2"})}
    assert pairs == set(compare_all(records))
    assert cluster(pairs).clusters == find_duplicates(records).clusters


def test_decisions_of_people_outweigh_every_rule() -> None:
    found = find_duplicates(
        library(), together={frozenset({"a1", "b1"})}, apart={frozenset({"e1", "e2"}), frozenset({"a2", "a3"})}
    )
    clusters = [set(members) for members in found.clusters]
    assert any({"a1", "b1"} <= members for members in clusters)
    assert not any({"e1", "e2"} <= members or {"a2", "a3"} <= members for members in clusters)
    assert all(frozenset({p.a, p.b}) != frozenset({"e1", "e2"}) for p in found.doubtful)


def _pair(a: str, b: str, relation: Relation, rule: str) -> Pair:
    first, second = sorted((a, b))
    return Pair(first, second, PairVerdict(relation, rule, "why"))


def test_a_chain_never_joins_what_is_kept_apart() -> None:
    pairs = [
        _pair("p1", "x", Relation.SAME, "pmid_title"),
        _pair("p2", "x", Relation.SAME, "title_author"),
        _pair("p1", "p2", Relation.COMPANION, "part"),
    ]
    found = cluster(pairs)
    assert (found.clusters, [(p.a, p.b, p.verdict.rule) for p in found.refused]) == (
        (("p1", "x"),),
        [("p2", "x", "kept_apart")],
    )


IDS = st.sampled_from("abcdef")
PAIRS = st.lists(
    st.tuples(
        IDS, IDS, st.sampled_from([(Relation.SAME, "doi_title"), (Relation.SAME, "x"), (Relation.COMPANION, "part")])
    ).filter(lambda t: t[0] != t[1]),
    max_size=14,
)


@given(PAIRS, st.randoms())
def test_clusters_depend_on_the_pairs_alone(
    drawn: list[tuple[str, str, tuple[Relation, str]]], shuffler: object
) -> None:
    pairs = list({(*sorted((a, b)),): _pair(a, b, *verdict) for a, b, verdict in drawn}.values())
    expected = cluster(pairs)
    shuffled = pairs[:]
    shuffler.shuffle(shuffled)  # type: ignore[attr-defined]
    assert cluster(shuffled) == expected
    members = [identity for group in expected.clusters for identity in group]
    assert len(members) == len(set(members))
    for pair in pairs:
        if keeps_apart(pair.verdict):
            assert not any({pair.a, pair.b} <= set(group) for group in expected.clusters)


TEXT = st.text(max_size=30)


@settings(max_examples=150)
@given(
    st.lists(
        st.builds(
            Record,
            source=st.just("x"),
            source_id=TEXT,
            title=st.one_of(TEXT, st.just(TITLE)),
            authors=st.lists(st.builds(Person, family=TEXT, given=TEXT, literal=TEXT), max_size=2).map(tuple),
            journal=TEXT,
            volume=TEXT,
            issue=TEXT,
            pages=TEXT,
            date=st.builds(PartialDate, year=st.one_of(st.none(), st.integers(1900, 2030))),
        ),
        min_size=2,
        max_size=2,
    )
)
def test_no_text_breaks_it_and_comparison_is_symmetric(records: list[Record]) -> None:
    first, second = records
    assert compare(first, second) == compare(second, first)
    find_duplicates({"1": first, "2": second})


def test_a_record_without_pmid_joins_no_two_that_have_their_own() -> None:
    """Editions of a journal in two languages: each has its PMID and DOI; a record with neither fits both."""
    spanish = record(identifiers=pmid("32527712") + doi("10.5555/arbres.1"))
    english = record(identifiers=pmid("34088390") + doi("10.5555/arbr.1"))
    found = find_duplicates({"s": spanish, "e": english, "x": record(identifiers=())})
    assert len(found.clusters) == 1
    assert not {"s", "e"} <= set(found.clusters[0])
    assert [(pair.a, pair.b, pair.verdict.rule) for pair in found.doubtful] == [("e", "s", "two_pmids")]


TRIAL = "Registered at ClinicalTrials.gov as NCT01234567."


def test_reports_that_name_one_trial_are_companions_whatever_their_titles() -> None:
    other = {"authors": (Person("Mafham", "Marion"),), "journal": "BMJ", "volume": "3", "pages": "5-9"}
    first = record(abstract=(AbstractSection(TRIAL),))
    later = record(title="Lung function after five years", abstract=(AbstractSection("NCT 01234567"),), **other)
    entry = record(title="Cost of steroids in general practice", keywords=("NCT01234567",), pages="77", volume="9")
    review = record(
        title="Steroids against influenza: a systematic review",
        abstract=(AbstractSection(f"{TRIAL} NCT00000001, NCT00000002"),),
        **{**other, "pages": "99"},
    )  # fmt: skip
    records = {"first": first, "later": later, "entry": entry, "review": review}
    found = find_duplicates(records)
    assert found.clusters == ()
    assert {(p.a, p.b) for p in found.companions if p.verdict.rule == "same_trial"} == {
        ("first", "later"), ("entry", "first"), ("entry", "later"),
    }  # fmt: skip
    assert compare(first, later).why == "Both name the trial NCT01234567."
    copy = replace(first, source="crossref")
    assert find_duplicates({**records, "copy": copy}).clusters == (("copy", "first"),)


def test_two_notices_on_one_page_are_not_joined_by_a_record_without_identifiers() -> None:
    notice = record(title="Correction", authors=(), pages="789", publication_types=("Published Erratum",))
    one = replace(notice, identifiers=pmid("33962828") + doi("10.5555/a.13"))
    two = replace(notice, identifiers=pmid("33972156") + doi("10.5555/a.12"))
    found = find_duplicates({"a": one, "b": two, "x": notice})
    assert all(not {"a", "b"} <= set(members) for members in found.clusters)

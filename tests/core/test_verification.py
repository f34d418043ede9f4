"""Rules, verdict and publication status, on made-up papers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from litapp.core.matching import JournalNames
from litapp.core.records import Identifier, Notice, NoticeKind, PartialDate, Person, Record, Scheme
from litapp.core.verification import (
    RULES,
    Answered,
    Asked,
    CheckResult,
    Correction,
    Found,
    Kind,
    PublicationState,
    Result,
    Status,
    Verdict,
    check_record,
    corrections,
    judge,
    nearest,
    needs_search,
    organisation_of,
    publication_status,
)

TITLE = "Inhaled budesonide for adults with mild influenza in primary care"
OTHER_TITLE = "Copper surfaces and bacteria in rural hospitals of northern Chile"
AUTHORS = (Person("Horby", "Peter"), Person("Lim", "Wei Shen"), Person("Mafham", "Marion"))
STRANGERS = (Person("Prado", "Valeria"), Person("Esparza", "Mario"))
DAY = datetime(2026, 11, 30, 12, tzinfo=UTC)


def record(source: str = "list", **changes: object) -> Record:
    """The true paper as `source` states it, with changes."""
    values: dict[str, object] = {
        "source": source,
        "source_id": "x",
        "title": TITLE,
        "authors": AUTHORS,
        "journal": "The Lancet",
        "volume": "397",
        "pages": "1637-1645",
        "date": PartialDate(2021),
        "years": (2021,),
        "identifiers": (Identifier(Scheme.DOI, "10.1000/x"), Identifier(Scheme.PMID, "123")),
    }
    return Record(**{**values, **changes})  # type: ignore[arg-type]


def other(source: str, **changes: object) -> Record:
    """Another paper, by other people."""
    return record(
        source,
        title=OTHER_TITLE,
        authors=STRANGERS,
        journal="Revista Medica de Chile",
        volume="141",
        pages="291-297",
        date=PartialDate(2013),
        years=(2013,),
        **changes,
    )


def looked_up(source: str, scheme: str, question: str, found: Record | None, outcome: Answered | None = None) -> Found:
    answered = outcome or (Answered.FOUND if found else Answered.ABSENT)
    return Found(source, organisation_of(source), Asked.IDENTIFIER, question, answered, found, scheme, 7, DAY)


def searched(source: str, *found: Record, outcome: Answered = Answered.ABSENT) -> list[Found]:
    hits = [
        Found(source, organisation_of(source), Asked.SEARCH, TITLE, Answered.FOUND, hit, "", 8, DAY) for hit in found
    ]
    return hits or [Found(source, organisation_of(source), Asked.SEARCH, TITLE, outcome, None, "", 8, DAY, "down")]


def no_ids(**changes: object) -> Record:
    return record(identifiers=(), **changes)


def verdict(
    claimed: Record, evidence: Iterable[Found], returned_by: tuple[str, ...] = (), journals: tuple[str, ...] = ()
) -> Verdict:
    known = JournalNames.from_names([[name] for name in journals])
    return judge(check_record(claimed, returned_by, evidence, journals=known))


EVERYTHING = (
    looked_up("pubmed", "pmid", "123", record("pubmed")),
    looked_up("crossref", "doi", "10.1000/x", record("crossref")),
    looked_up("openalex", "doi", "10.1000/x", record("openalex")),
    looked_up("semanticscholar", "doi", "10.1000/x", record("semanticscholar")),
)
NOBODY = (*searched("pubmed"), *searched("openalex"), *searched("semanticscholar"), *searched("crossref"))


def test_a_right_reference_is_verified_by_every_source_that_confirms_it() -> None:
    found = verdict(record(), EVERYTHING)
    assert (found.status, found.kind, found.wrong) == (Status.VERIFIED, Kind.NONE, ())
    assert found.verified_by == ("crossref", "pubmed", "openalex", "semanticscholar")
    assert (found.passed, found.total, found.verified_on) == (9, 9, DAY)


def test_the_only_source_that_returned_a_record_does_not_confirm_it() -> None:
    alone = verdict(record("pubmed"), EVERYTHING[:1], returned_by=("pubmed",))
    assert (alone.status, alone.reasons) == (
        Status.UNVERIFIED,
        ("Only the source that returned the record confirms it.",),
    )
    both = verdict(record("pubmed"), EVERYTHING[:2], returned_by=("pubmed",))
    assert (both.status, both.verified_by) == (Status.VERIFIED, ("crossref",))


def test_two_organisations_that_returned_a_record_witness_each_other() -> None:
    found = verdict(record("pubmed"), EVERYTHING[:1], returned_by=("pubmed", "openalex"))
    assert (found.status, found.verified_by) == (Status.VERIFIED, ("pubmed",))


def test_an_index_that_has_only_the_printed_title_confirms_a_paper_that_pubmed_lists_translated() -> None:
    printed = "Inhalatives Budesonid bei Erwachsenen mit milder Influenza in der Hausarztpraxis"
    listed = record("pubmed", title=f"[{TITLE}]", original_title=printed)
    index = looked_up("openalex", "pmid", "123", record("openalex", title=printed))
    own = looked_up("pubmed", "pmid", "123", listed)
    found = verdict(listed, (own, index), returned_by=("pubmed",))
    assert (found.status, found.verified_by, found.wrong) == (Status.VERIFIED, ("openalex",), ())


LONG = f"{TITLE}: final results of a randomised trial in three countries"


def shortened(title: str, *more: Found, **changes: object) -> Verdict:
    """A claim under `title` where the sources have the LONG title under its identifiers, with more answers."""
    held = {source: record(source, title=LONG) for source in ("pubmed", "crossref", "openalex", "semanticscholar")}
    evidence = [
        looked_up("pubmed", "pmid", "123", held["pubmed"]),
        looked_up("crossref", "doi", "10.1000/x", held["crossref"]),
        looked_up("openalex", "doi", "10.1000/x", held["openalex"]),
    ]
    return verdict(record(title=title, **changes), [*evidence, *more])


@pytest.mark.parametrize(
    "title",
    [
        "Inhaled budesonide for adults with mild influenza",
        "Inhaled budesonide for adults with mild influ…",
        "adults with mild influenza in primary care",
        "Inhaled budesonide … a randomised trial in three countries",
    ],
)
def test_a_title_shortened_by_its_writer_is_the_paper_under_its_identifiers(title: str) -> None:
    found = shortened(title, *NOBODY)
    assert (found.status, found.kind, found.wrong) == (Status.VERIFIED, Kind.NONE, ())


def test_a_shortened_title_is_searched_for_before_it_verifies() -> None:
    title = "Inhaled budesonide for adults with mild influenza"
    assert shortened(title).status is Status.UNVERIFIED
    assert shortened(title, *searched("crossref", outcome=Answered.FAILED)).status is Status.UNVERIFIED
    evidence = [looked_up("pubmed", "pmid", "123", record("pubmed", title=LONG))]
    assert needs_search(record(title=title), evidence)


def test_a_shortened_title_that_is_a_siblings_own_title_is_another_paper() -> None:
    title = "Inhaled budesonide for adults with mild influenza"
    sibling = record(
        "crossref", title=title, volume="398", pages="1-9", identifiers=(Identifier(Scheme.DOI, "10.1/y"),)
    )
    found = shortened(title, *searched("crossref", sibling))
    assert (found.status, found.kind) == (Status.SUSPECT, Kind.IDENTITY)
    assert "doi" in found.wrong


@pytest.mark.parametrize(
    "title",
    ["Inhaled budesonide for adults without mild influenza", "Inhaled budesonide for children with mild influenza"],
)
def test_a_shortened_title_that_says_something_else_is_suspect(title: str) -> None:
    found = shortened(title, *NOBODY)
    assert (found.status, found.wrong) == (Status.SUSPECT, ("title",))


def test_a_shortened_title_by_other_people_is_suspect() -> None:
    found = shortened("Inhaled budesonide for adults with mild influenza", *NOBODY, authors=STRANGERS)
    assert found.status is Status.SUSPECT


def test_without_an_identifier_a_shortened_title_is_found_by_people_and_place() -> None:
    claimed = no_ids(title="Inhaled budesonide for adults with mild influenza")
    hits = searched("pubmed", record("pubmed", title=LONG)) + searched("openalex") + searched("semanticscholar")
    assert verdict(claimed, hits, journals=("The Lancet",)).status is Status.VERIFIED
    nowhere = replace(claimed, journal="", volume="", pages="", date=PartialDate(2013), years=())
    assert verdict(nowhere, hits, journals=("The Lancet",)).status is Status.UNVERIFIED


def test_one_shared_name_does_not_make_other_peoples_paper_the_same() -> None:
    theirs = (AUTHORS[0], *STRANGERS, Person("Diaz", "Rosa"), Person("Soto", "Ines"))
    twin = record(
        "crossref", authors=theirs, journal="Thorax", volume="1", pages="2", date=PartialDate(2001), years=(2001,)
    )
    claimed = no_ids(authors=(*AUTHORS, Person("Hayward", "Gail")))
    evidence = searched("crossref", twin) + searched("pubmed") + searched("openalex") + searched("semanticscholar")
    found = verdict(claimed, evidence, journals=("The Lancet",))
    assert (found.status, found.wrong) == (Status.SUSPECT, ("authors",))


def test_no_evidence_is_unverified() -> None:
    assert verdict(record(), ()) == Verdict(Status.UNVERIFIED, reasons=("No source was asked.",))


class TestIdentifiers:
    def test_doi_that_no_agency_registered(self) -> None:
        evidence = [
            looked_up("crossref", "doi", "10.1000/x", None),
            looked_up("doiorg", "doi", "10.1000/x", None),
            looked_up("pubmed", "pmid", "123", record("pubmed", identifiers=(Identifier(Scheme.PMID, "123"),))),
        ]
        found = verdict(record(), evidence)
        assert (found.status, found.kind, found.wrong) == (Status.SUSPECT, Kind.IDENTITY, ("doi",))
        assert found.reasons == ("The DOI 10.1000/x is not registered with any agency.",)

    def test_doi_of_another_agency_is_no_accusation(self) -> None:
        evidence = [
            looked_up("crossref", "doi", "10.1000/x", None),
            replace(looked_up("doiorg", "doi", "10.1000/x", None, Answered.FOUND), message="Airiti"),
        ]
        found = verdict(record(identifiers=(Identifier(Scheme.DOI, "10.1000/x"),)), evidence)
        assert found.status is Status.UNVERIFIED
        assert "registered with Airiti" in " ".join(found.reasons)

    def test_doi_unknown_at_crossref_alone_is_no_accusation(self) -> None:
        found = verdict(record(), [looked_up("crossref", "doi", "10.1000/x", None)])
        assert found.status is Status.UNVERIFIED

    def test_doi_unknown_at_crossref_which_owns_its_prefix(self) -> None:
        hit = record("crossref", identifiers=(Identifier(Scheme.DOI, "10.1000/y"),))
        evidence = [looked_up("crossref", "doi", "10.1000/x", None), *searched("crossref", hit)]
        found = verdict(record(), evidence)
        assert (found.status, found.kind, found.wrong) == (Status.SUSPECT, Kind.IDENTITY, ("doi",))

    def test_pmid_that_does_not_exist(self) -> None:
        found = verdict(record(), [looked_up("pubmed", "pmid", "123", None), EVERYTHING[1]])
        assert (found.status, found.kind, found.wrong) == (Status.SUSPECT, Kind.IDENTITY, ("pmid",))

    def test_identifier_of_another_paper(self) -> None:
        evidence = [EVERYTHING[0], looked_up("crossref", "doi", "10.1000/x", other("crossref"))]
        found = verdict(record(), evidence)
        assert (found.status, found.kind, found.wrong) == (Status.SUSPECT, Kind.IDENTITY, ("doi",))
        assert any("two papers" in reason or OTHER_TITLE in reason for reason in found.reasons)

    def test_pmid_and_doi_of_two_papers(self) -> None:
        pubmed = other("pubmed", identifiers=(Identifier(Scheme.DOI, "10.1000/z"), Identifier(Scheme.PMID, "123")))
        checks = check_record(record(), (), [looked_up("pubmed", "pmid", "123", pubmed), EVERYTHING[1]])
        agree = [c for c in checks if c.rule == "identifiers_agree"]
        assert [(c.outcome, c.wrong) for c in agree] == [(Result.FAIL, ("pmid",))]

    def test_doi_of_a_twin_title(self) -> None:
        twin = record("crossref", authors=STRANGERS, journal="Thorax", volume="12", pages="3-9", years=(1999,))
        mine = record("openalex", identifiers=(Identifier(Scheme.DOI, "10.1000/mine"),))
        evidence = [looked_up("crossref", "doi", "10.1000/x", twin), *searched("openalex", mine)]
        found = verdict(record(identifiers=(Identifier(Scheme.DOI, "10.1000/x"),)), evidence)
        assert (found.status, found.kind, found.wrong) == (Status.SUSPECT, Kind.IDENTITY, ("doi",))

    def test_a_registry_title_in_another_language_is_no_other_paper(self) -> None:
        crossref = record("crossref", title="Inhalatives Budesonid bei Grippe in der Hausarztpraxis")
        found = verdict(record(), [EVERYTHING[0], looked_up("crossref", "doi", "10.1000/x", crossref)])
        assert found.status is Status.VERIFIED

    def test_an_index_with_another_title_under_the_doi_accuses_nobody(self) -> None:
        corrupt = record("openalex", title=OTHER_TITLE)
        found = verdict(record(), [EVERYTHING[1], looked_up("openalex", "doi", "10.1000/x", corrupt)])
        assert (found.status, found.verified_by) == (Status.VERIFIED, ("crossref",))


class TestFields:
    @pytest.mark.parametrize(
        ("changes", "wrong"),
        [
            ({"date": PartialDate(2018), "years": ()}, ("year",)),
            ({"journal": "The Lancet Infectious Diseases"}, ("journal",)),
            ({"volume": "379"}, ("volume",)),
            ({"pages": "517-525"}, ("pages",)),
            ({"authors": (AUTHORS[0], STRANGERS[0], AUTHORS[2])}, ("authors",)),
            ({"title": TITLE.replace("adults", "children")}, ("title",)),
        ],
    )
    def test_one_wrong_field_is_a_detail(self, changes: dict[str, object], wrong: tuple[str, ...]) -> None:
        found = verdict(record(**changes), EVERYTHING)
        assert (found.status, found.kind, found.wrong) == (Status.SUSPECT, Kind.DETAILS, wrong)

    def test_a_field_is_right_if_one_registry_agrees(self) -> None:
        crossref = record("crossref", pages="e100", volume="1", years=(2020,), date=PartialDate(2020))
        found = verdict(record(), [EVERYTHING[0], looked_up("crossref", "doi", "10.1000/x", crossref)])
        assert found.status is Status.VERIFIED

    def test_one_index_alone_accuses_of_no_detail(self) -> None:
        found = verdict(no_ids(), searched("openalex", record("openalex", volume="1", pages="1-4")))
        assert found.status is Status.VERIFIED

    def test_authors_of_another_paper_are_an_identity_failure(self) -> None:
        found = verdict(record(authors=STRANGERS), EVERYTHING)
        assert (found.status, found.kind, found.wrong) == (Status.SUSPECT, Kind.IDENTITY, ("authors",))

    def test_a_preprint_is_named_not_flagged(self) -> None:
        preprint = record(
            "openalex", journal="medRxiv", volume="", pages="", is_preprint=True, date=PartialDate(2019), years=(2019,),
            identifiers=(Identifier(Scheme.DOI, "10.1101/9"),),
        )  # fmt: skip
        checks = check_record(no_ids(), (), searched("openalex", preprint))
        assert judge(checks).status is Status.VERIFIED
        assert any("as the preprint" in check.reason for check in checks)

    def test_a_search_hit_that_may_be_another_version_accuses_of_nothing(self) -> None:
        abstract = record("crossref", journal="Thorax", volume="2", pages="S3", years=(2019,), date=PartialDate(2019))
        found = verdict(no_ids(), searched("crossref", abstract))
        assert found.status is Status.VERIFIED


class TestSilence:
    CLAIM = no_ids(title="Weekly metformin against fatigue after hip fracture: a cohort study")

    def test_nobody_knows_a_journal_article(self) -> None:
        found = verdict(self.CLAIM, NOBODY, journals=("Lancet",))
        assert (found.status, found.kind, found.wrong) == (Status.SUSPECT, Kind.IDENTITY, ("title",))

    @pytest.mark.parametrize("down", ["pubmed", "openalex", "semanticscholar"])
    def test_the_silence_of_a_source_that_is_down_proves_nothing(self, down: str) -> None:
        evidence = [replace(found, outcome=Answered.FAILED) if found.source == down else found for found in NOBODY]
        found = verdict(self.CLAIM, evidence, journals=("Lancet",))
        assert found.status is Status.UNVERIFIED
        assert "did not answer" in found.reasons[0]

    def test_everything_down_is_unverified_even_for_an_invention(self) -> None:
        evidence = [replace(found, outcome=Answered.FAILED) for found in NOBODY]
        assert verdict(self.CLAIM, evidence, journals=("Lancet",)).status is Status.UNVERIFIED

    @pytest.mark.parametrize(
        "changes",
        [
            {"csl_type": "book"},
            {"csl_type": "thesis"},
            {"csl_type": "report"},
            {"csl_type": "paper-conference"},
            {"journal": ""},
            {"journal": "medRxiv"},
            {"journal": "Chinese Journal of Rural Medicine"},
            {"journal": "Zeitschrift für Hausmedizin"},
            {"date": PartialDate()},
            {"title": "老年髋部骨折术后疲劳的队列研究"},
            {"title": "Reply to the authors"},
            {"languages": ("chi",)},
            {
                "journal": "Modern Rural Medicine",
                "authors": (Person("Wang", "Lei"), Person("Zhang", "Wei")),
                "date": PartialDate(2008),
            },
        ],
    )
    def test_what_the_sources_need_not_hold_is_never_suspect(self, changes: dict[str, object]) -> None:
        claim = replace(self.CLAIM, years=(), **changes)
        assert verdict(claim, NOBODY).status is Status.UNVERIFIED

    def test_an_identifier_that_could_not_be_looked_up_forbids_the_accusation(self) -> None:
        claim = replace(self.CLAIM, identifiers=(Identifier(Scheme.DOI, "10.1000/x"),))
        down = looked_up("crossref", "doi", "10.1000/x", None, Answered.FAILED)
        assert verdict(claim, [*NOBODY, down], journals=("Lancet",)).status is Status.UNVERIFIED

    def test_no_absence_accuses_while_the_identifier_names_the_paper(self) -> None:
        assert verdict(record(), [EVERYTHING[1], *NOBODY]).status is Status.VERIFIED

    def test_chimera_without_identifier_names_the_authors(self) -> None:
        evidence = [*searched("pubmed"), *searched("openalex", record("openalex")), *searched("semanticscholar")]
        found = verdict(no_ids(authors=STRANGERS), evidence)
        assert (found.status, found.kind, found.wrong) == (Status.SUSPECT, Kind.IDENTITY, ("authors",))

    def test_a_title_that_several_papers_bear_accuses_nobody(self) -> None:
        hits = [record("openalex"), record("openalex", authors=(Person("Bell", "Jennifer"),))]
        evidence = [*searched("pubmed"), *searched("openalex", *hits), *searched("semanticscholar")]
        assert verdict(no_ids(authors=STRANGERS), evidence).status is Status.UNVERIFIED

    def test_search_is_needed_until_an_identifier_names_the_paper(self) -> None:
        assert needs_search(record(), [looked_up("crossref", "doi", "10.1000/x", other("crossref"))])
        assert not needs_search(record(), EVERYTHING[:1])


class TestVerdict:
    OUTCOMES = st.sampled_from(list(Result))
    CHECKS = st.lists(
        st.builds(
            CheckResult,
            rule=st.sampled_from(list(RULES)),
            source=st.sampled_from(["pubmed", "crossref", "openalex"]),
            outcome=OUTCOMES,
            reason=st.sampled_from(["a", "b"]),
            kind=st.sampled_from(list(Kind)),
            wrong=st.sampled_from([(), ("title",), ("doi", "year")]),
            independent=st.booleans(),
        ),
        max_size=6,
    )

    @given(CHECKS, st.randoms())
    def test_order_of_checks_does_not_matter(self, checks: list[CheckResult], random: object) -> None:
        shuffled = checks[:]
        random.shuffle(shuffled)  # type: ignore[attr-defined]
        assert judge(shuffled) == judge(checks)

    @given(CHECKS)
    def test_any_failure_is_suspect_and_nothing_else_is(self, checks: list[CheckResult]) -> None:
        failed = any(check.outcome is Result.FAIL for check in checks)
        assert (judge(checks).status is Status.SUSPECT) == failed

    @given(CHECKS)
    def test_a_skipped_check_can_only_hold_back_the_word_verified(self, checks: list[CheckResult]) -> None:
        decided = judge(check for check in checks if check.outcome is not Result.SKIPPED).status
        open_identity = any(c.outcome is Result.SKIPPED and c.kind is Kind.IDENTITY for c in checks)
        held_back = decided is Status.VERIFIED and open_identity
        assert judge(checks).status is (Status.UNVERIFIED if held_back else decided)

    def test_identity_failures_come_first(self) -> None:
        checks = [
            CheckResult("fields_agree", "crossref", Result.FAIL, "year", Kind.DETAILS, wrong=("year",)),
            CheckResult("identifier_resolves", "pubmed", Result.FAIL, "other", Kind.IDENTITY, wrong=("pmid",)),
        ]
        found = judge(checks)
        assert (found.kind, found.reasons, found.wrong) == (Kind.IDENTITY, ("other", "year"), ("year", "pmid"))


def test_order_of_evidence_does_not_matter() -> None:
    evidence = (*EVERYTHING[:2], *searched("openalex", record("openalex"), other("openalex")))
    expected = check_record(record(), (), evidence)
    for order in permutations(evidence):
        assert check_record(record(), (), order) == expected


class TestOutages:
    """Whatever fails, the verdict of a right reference stays away from suspect, and of an invention from verified."""

    @given(st.sets(st.sampled_from(range(4))))
    def test_right_reference(self, down: set[int]) -> None:
        evidence = [
            replace(found, outcome=Answered.FAILED, record=None) if place in down else found
            for place, found in enumerate(EVERYTHING)
        ]
        found = verdict(record(), evidence)
        assert found.status is (Status.UNVERIFIED if len(down) == 4 else Status.VERIFIED)

    @given(st.sets(st.sampled_from(["pubmed", "openalex", "semanticscholar", "crossref", "doiorg"])))
    def test_invention(self, down: set[str]) -> None:
        claim = replace(TestSilence.CLAIM, identifiers=(Identifier(Scheme.DOI, "10.1000/q"),))
        evidence = [
            *NOBODY,
            looked_up("crossref", "doi", "10.1000/q", None),
            looked_up("doiorg", "doi", "10.1000/q", None),
        ]
        answered = [replace(f, outcome=Answered.FAILED) if f.source in down else f for f in evidence]
        assert verdict(claim, answered, journals=("Lancet",)).status is not Status.VERIFIED


class TestPublicationStatus:
    RETRACTION = Notice(NoticeKind.RETRACTION, doi="10.1000/n", date="2022-03-01")

    def test_union_of_all_sources(self) -> None:
        evidence = [
            EVERYTHING[0],
            looked_up("crossref", "doi", "10.1000/x", record("crossref", notices=(self.RETRACTION,))),
            looked_up("openalex", "doi", "10.1000/x", None, Answered.FAILED),
        ]
        found = publication_status(record(), evidence)
        assert (found.state, found.date, found.notice_doi) == (PublicationState.RETRACTED, "2022-03-01", "10.1000/n")
        assert (found.asked, found.not_answered) == (("crossref", "pubmed"), ("openalex",))

    @pytest.mark.parametrize(
        ("kinds", "state"),
        [
            ((NoticeKind.CORRECTION,), PublicationState.CORRECTED),
            ((NoticeKind.CONCERN, NoticeKind.CORRECTION), PublicationState.CONCERN),
            ((NoticeKind.PARTIAL_RETRACTION,), PublicationState.PARTLY_RETRACTED),
            ((NoticeKind.WITHDRAWAL,), PublicationState.WITHDRAWN),
            ((NoticeKind.RETRACTION, NoticeKind.CONCERN), PublicationState.RETRACTED),
            ((NoticeKind.RETRACTION, NoticeKind.REINSTATEMENT), PublicationState.REINSTATED),
            ((), PublicationState.NORMAL),
        ],
    )
    def test_the_gravest_notice_gives_the_state(self, kinds: tuple[NoticeKind, ...], state: PublicationState) -> None:
        mine = record("crossref", notices=tuple(Notice(kind) for kind in kinds))
        assert publication_status(mine, (), (mine,)).state is state

    def test_a_retraction_after_the_reinstatement_stands(self) -> None:
        notices = (
            Notice(NoticeKind.REINSTATEMENT, date="2020-01-01"),
            Notice(NoticeKind.RETRACTION, date="2021-01-01"),
        )
        mine = record("crossref", notices=notices)
        assert publication_status(mine, (), (mine,)).state is PublicationState.RETRACTED

    def test_a_mark_in_the_title_counts(self) -> None:
        hit = record("openalex", title=f"RETRACTED: {TITLE}")
        assert publication_status(no_ids(), searched("openalex", hit)).state is PublicationState.RETRACTED

    def test_notices_of_another_paper_do_not_count(self) -> None:
        evidence = [
            looked_up("crossref", "doi", "10.1000/x", other("crossref", notices=(self.RETRACTION,))),
            *searched("openalex", record("openalex", authors=STRANGERS, notices=(self.RETRACTION,))),
        ]
        assert publication_status(record(), evidence).state is PublicationState.NORMAL

    def test_the_notice_itself_is_no_retracted_paper(self) -> None:
        notice = record(title=f"Retraction: {TITLE}", is_notice=True, notices=(self.RETRACTION,))
        found = publication_status(notice, [looked_up("crossref", "doi", "10.1000/x", notice)])
        assert found.state is PublicationState.NOTICE

    def test_the_notices_doi_under_the_papers_title(self) -> None:
        notice = record("crossref", title=f"Retraction: {TITLE}", is_notice=True)
        evidence = [looked_up("crossref", "doi", "10.1000/x", notice)]
        assert publication_status(record(), evidence).state is PublicationState.RETRACTED
        found = verdict(record(), evidence)
        assert (found.status, found.kind, found.wrong) == (Status.SUSPECT, Kind.IDENTITY, ("doi",))
        assert "notice about this paper" in found.reasons[0]

    def test_a_retracted_paper_stays_verified(self) -> None:
        evidence = [replace(f, record=replace(f.record, notices=(self.RETRACTION,))) for f in EVERYTHING if f.record]
        assert verdict(record(), evidence).status is Status.VERIFIED


def test_the_right_value_stands_beside_the_wrong_one() -> None:
    checks = check_record(record(volume="379", pages="1-9"), (), EVERYTHING)
    assert corrections(checks) == (
        Correction("volume", "379", "397", "crossref", "Volume: 379 where the source has 397."),
    )


def test_the_nearest_papers_are_offered_once_each_and_nothing_unlike() -> None:
    near = record(
        "openalex", title=TITLE.replace("influenza", "asthma"), identifiers=(Identifier(Scheme.DOI, "10.1/n"),)
    )
    evidence = [*searched("openalex", near, other("openalex")), *searched("crossref", replace(near, source="crossref"))]
    assert [found.record.doi for found in nearest(no_ids(), evidence) if found.record] == ["10.1/n"]


class TestOpenIdentifiers:
    """An identifier that could not be looked up may be another paper's: then a known title alone verifies nothing."""

    DOWN = looked_up("crossref", "doi", "10.1000/x", None, Answered.FAILED)

    def test_open_and_carried_by_no_record_of_the_work(self) -> None:
        mine = record("openalex", identifiers=(Identifier(Scheme.DOI, "10.1000/real"),))
        found = verdict(record(), [self.DOWN, EVERYTHING[0], *searched("openalex", mine)])
        assert (found.status, found.verified_by) == (Status.VERIFIED, ("pubmed", "openalex"))
        pubmed = record("pubmed", identifiers=(Identifier(Scheme.PMID, "123"),))
        lone = verdict(record(), [self.DOWN, looked_up("pubmed", "pmid", "123", pubmed), *searched("openalex", mine)])
        assert (lone.status, lone.reasons) == (Status.UNVERIFIED, ("Crossref could not be asked.",))

    def test_open_but_an_index_has_the_work_under_it(self) -> None:
        assert verdict(record(), [self.DOWN, EVERYTHING[2]]).status is Status.VERIFIED

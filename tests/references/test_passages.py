"""Passages: kept as returned and once, failures told, quotes looked up in them, never taken for a full text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import pytest

from litapp.core.ports import Outcome, Request
from litapp.core.records import Identifier, Record, Scheme
from litapp.jobs.models import StepState
from litapp.ledger.services.archive import DatabaseArchive
from litapp.ledger.services.clients import SourceState
from litapp.projects.models import Event, Role
from litapp.providers.base import LookupResult, SourceError
from litapp.providers.questions import Passage
from references.models import MatrixCell, Reference
from references.services.matrix import MatrixProblem, cell_accept, cell_save, cell_undo
from references.services.matrix_reading import Basis, basis_of, cell_quote_stands, column_named, rows_of
from references.services.matrix_table import where_of
from references.services.passages import without_full_text
from references.services.summary_reading import broken_quotes
from searches.models_passages import PassageLookup, PassageSearch, StoredPassage
from searches.services import passages
from searches.services.passages import (
    PassageProblem,
    PassageWork,
    passages_cancel,
    passages_request,
    passages_resume,
)
from tests.references.test_archive import full_text
from tests.references.world import World, make_world, record

pytestmark = pytest.mark.django_db
TEXT = "Patients were treated  early. We enrolled 731 patients with severe pneumonia. Mortality was lower."


def corpus(number: int) -> Identifier:
    return Identifier(Scheme.S2, f"CorpusId:{number}")


@dataclass
class StandIn:
    """A source that knows papers and their passages. `within` = what each request for passages named."""

    lookup_schemes: tuple[str, ...] = ("doi", "pmid")
    papers: dict[str, Record] = field(default_factory=dict)
    told: list[Passage] = field(default_factory=list)
    fault: SourceError | None = None
    looked: list[list[str]] = field(default_factory=list)
    within: list[list[str]] = field(default_factory=list)
    fresh: bool = False
    """Whether each request has an answer of its own, as after the archive's time."""
    answer: int = 0

    def _answer(self) -> int:
        if not self.answer or self.fresh:
            kept = DatabaseArchive({"semanticscholar": "https://x.example"}).store(
                Request("semanticscholar", "GET", "/x", (("n", str(uuid4())),)), status=200, headers={}, body=b"{}",
                outcome=Outcome.OK, elapsed_seconds=0, attempt=1, error="",
            )  # fmt: skip
            self.answer = kept.answer_id or 0
        return self.answer

    def lookup(self, client: Any, identifiers: list[Identifier], *, max_age_seconds: float | None = None) -> Any:
        self.looked.append([one.value for one in identifiers])
        number = self._answer()
        known = {one: (self.papers[one.value], number) for one in identifiers if one.value in self.papers}
        return LookupResult(known, {one: number for one in identifiers if one not in known}, {})

    def passages(
        self, client: Any, words: str, *, limit: int, within: Sequence[Identifier], max_age_seconds: float | None
    ) -> tuple[list[Passage], list[int]]:
        self.within.append([one.value for one in within])
        if self.fault is not None:
            raise self.fault
        number = self._answer()
        own = [one for one in self.told if set(one.identifiers) & set(within)][:limit]
        return [
            Passage(one.text, kind=one.kind, section=one.section, identifiers=one.identifiers, answer_id=number,
                    position=position)
            for position, one in enumerate(own)
        ], [number]  # fmt: skip


@pytest.fixture
def world() -> World:
    made = make_world()
    for number in (1, 2, 3):
        identifiers = () if number == 3 else record(number).identifiers
        candidate = made.candidate(number, identifiers=identifiers)
        made.verify(candidate)
        made.decide(candidate, "include")
    return made


@pytest.fixture
def source(monkeypatch: pytest.MonkeyPatch) -> StandIn:
    """Knows papers 1 and 2, and a passage of the first."""
    made = StandIn()
    for number in (1, 2):
        made.papers[f"10.1000/paper.{number}"] = record(
            number, source="semanticscholar", identifiers=(*record(number).identifiers, corpus(number))
        )
    made.told = [Passage(TEXT, kind="body", section="Results", identifiers=(corpus(1),))]
    monkeypatch.setattr(passages, "lookup_provider", lambda key: made)
    monkeypatch.setattr("searches.services.abstracts.lookup_provider", lambda key: made)
    monkeypatch.setattr(passages, "passages_provider", lambda key: made)
    monkeypatch.setattr(passages, "client_for", lambda key: None)
    monkeypatch.setattr(passages, "source_state", lambda key: SourceState(True))
    return made


def look(world: World, words: str = "early  treatment", **given: Any) -> PassageSearch:
    chosen = [reference.candidate_id for reference in without_full_text(world.project)]
    row = passages_request(
        project=world.project, actor=world.owner, request_id=uuid4(), words=words,
        **{"candidate_ids": chosen} | given,
    )  # fmt: skip
    PassageWork().run(str(row.pk))
    row.refresh_from_db()
    return row


def reference(number: int = 1) -> Reference:
    return Reference.objects.get(key=f"Weber_200{number}_Paper")


def size(world: World) -> dict[str, Any]:
    head = column_named(world.project, "size")
    assert head is not None
    return {"reference": reference(), "head": head, "actor": world.owner}


def ended(**counts: int) -> dict[str, int]:
    return {
        "found": 0, "none": 0, "absent": 0, "other_paper": 0, "no_identifier": 0, "not_asked": 0, "passages": 0,
        **counts,
    }  # fmt: skip


def test_passages_are_stored_as_returned_and_every_paper_is_counted(world: World, source: StandIn) -> None:
    row = look(world)
    assert (row.state, row.done, row.troubles) == (StepState.DONE, 3, [])
    assert row.counts == ended(found=1, none=1, no_identifier=1, passages=1)
    stored = StoredPassage.objects.get()
    assert (stored.candidate, stored.source, stored.answer_id, stored.position) == (
        reference().candidate, "semanticscholar", source.answer, 0,
    )  # fmt: skip
    assert (stored.text, stored.section, stored.kind, stored.words) == (TEXT, "Results", "body", "early treatment")
    assert source.within == [["CorpusId:1", "CorpusId:2"]]
    assert [event.verb for event in Event.objects.filter(verb__startswith="passages.").order_by("pk")] == [
        "passages.asked", "passages.finished",
    ]  # fmt: skip


def test_asked_again_nothing_is_double(world: World, source: StandIn) -> None:
    look(world)
    look(world)
    assert StoredPassage.objects.count() == 1
    source.fresh = True
    look(world)
    assert StoredPassage.objects.count() == 2  # another answer: kept as evidence of its own
    [shown] = StoredPassage.objects.of([reference().candidate_id])[reference().candidate_id]
    assert shown.answer_id == source.answer


def test_the_same_request_is_one_search_and_is_worked_once(world: World, source: StandIn) -> None:
    number = uuid4()
    chosen = [reference().candidate_id]
    given: dict[str, Any] = {"project": world.project, "actor": world.owner, "request_id": number, "words": "x"}
    first = passages_request(candidate_ids=chosen, **given)
    assert passages_request(candidate_ids=chosen, **given) == first
    PassageWork().run(str(first.pk))
    PassageWork().run(str(first.pk))
    assert (len(source.within), PassageLookup.objects.count()) == (1, 1)


def test_a_failed_request_is_told_and_is_not_no_passages(world: World, source: StandIn) -> None:
    source.fault = SourceError("semanticscholar", Outcome.TRANSIENT, "It is overloaded.")
    row = look(world)
    assert row.state == StepState.PARTIAL
    assert row.counts == ended(not_asked=2, no_identifier=1)
    assert row.troubles == ["Semantic Scholar could not be asked for 2 papers: It is overloaded."]
    assert not StoredPassage.objects.exists()


def test_nothing_is_sent_for_papers_without_identifier(world: World, source: StandIn) -> None:
    row = look(world, candidate_ids=[reference(3).candidate_id])
    assert row.counts == ended(no_identifier=1)
    assert (source.looked, source.within) == ([], [])


def test_unknown_papers_and_other_papers_under_the_identifier_are_not_asked_for_passages(
    world: World, source: StandIn
) -> None:
    source.papers = {
        "10.1000/paper.1": record(
            9, source="semanticscholar", title="Erratum to another thing altogether", authors=(),
            identifiers=(Identifier(Scheme.DOI, "10.1000/paper.99"), corpus(1)),
        )
    }  # fmt: skip
    row = look(world)
    assert row.counts == ended(other_paper=1, absent=1, no_identifier=1)
    assert source.within == []


def test_a_full_answer_does_not_make_the_papers_it_leaves_out_empty(
    world: World, source: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(passages, "MOST_PASSAGES", 2)
    source.told = [Passage(f"Part {n}.", identifiers=(corpus(1),)) for n in range(3)]
    source.told.append(Passage("Of the second.", identifiers=(corpus(2),)))
    source.fresh = True
    row = look(world)
    assert row.counts == ended(found=2, no_identifier=1, passages=3)
    assert source.within == [["CorpusId:1", "CorpusId:2"], ["CorpusId:2"]]


def test_cancelled_it_stops_and_resumed_it_goes_on_with_the_rest(
    world: World, source: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(passages, "BATCH", 1)
    asked = source.passages

    def cancelling(*given: Any, **more: Any) -> Any:
        passages_cancel(search=PassageSearch.objects.get(), actor=world.owner)
        return asked(*given, **more)

    monkeypatch.setattr(source, "passages", cancelling)
    row = look(world)
    assert (row.state, row.done, row.counts) == (StepState.CANCELLED, 1, ended(found=1, passages=1))
    monkeypatch.setattr(source, "passages", asked)
    passages_resume(search=row, actor=world.owner)
    PassageWork().run(str(row.pk))
    row.refresh_from_db()
    assert (row.state, row.done) == (StepState.DONE, 3)
    assert row.counts == ended(found=1, none=1, no_identifier=1, passages=1)
    assert source.within == [["CorpusId:1"], ["CorpusId:2"]]
    with pytest.raises(PassageProblem):
        passages_resume(search=row, actor=world.owner)


def test_references_with_a_full_text_are_not_looked_at(world: World) -> None:
    full_text(reference())
    assert without_full_text(world.project) == [reference(2), reference(3)]


def test_a_passage_makes_the_basis_and_a_full_text_is_more(world: World, source: StandIn) -> None:
    look(world)
    told = [reference(1), reference(2)]
    assert list(basis_of(told).values()) == [Basis.PASSAGES, Basis.ABSTRACT]
    full_text(reference())
    assert list(basis_of(told).values()) == [Basis.FULL_TEXT, Basis.ABSTRACT]


@pytest.mark.parametrize(
    ("kind", "abstract", "basis"),
    [
        ("title", True, Basis.ABSTRACT),
        ("body", True, Basis.PASSAGES),
        ("body", False, Basis.NONE),
        ("abstract", False, Basis.PASSAGES),
    ],
)
def test_the_words_of_the_basis_are_true(
    world: World, source: StandIn, kind: str, abstract: bool, basis: Basis
) -> None:
    source.told = [Passage(TEXT, kind=kind, identifiers=(corpus(1),))]
    look(world)
    candidate = reference().candidate
    candidate.has_abstract = abstract
    candidate.save(update_fields=["has_abstract"])
    assert basis_of([reference()]) == {reference().pk: basis}


def test_a_quote_of_a_passage_is_offered_and_accepted_with_the_passage_as_evidence(
    world: World, source: StandIn
) -> None:
    look(world)
    given = size(world)
    [row] = rows_of(world.project, [given["reference"]], [given["head"]])
    [offer] = row.cells[0].offers
    quote = "We enrolled 731 patients with severe pneumonia."
    assert (offer.suggestion.quote, offer.suggestion.place, offer.suggestion.label) == (quote, "passage", "Results")
    cell = cell_accept(**given, offer=offer.suggestion.name, version=0)
    stored = StoredPassage.objects.get()
    assert (cell.value, cell.quote, cell.place, cell.passage, cell.source_record) == (
        "731 patients", quote, "passage", stored, None,
    )  # fmt: skip
    assert where_of(cell) == "passage, Results, Semantic Scholar"
    assert cell_quote_stands(cell)
    assert broken_quotes(world.project, [reference().key]) == []
    StoredPassage.objects.update(text="Something else.")
    cell = MatrixCell.objects.get()
    assert not cell_quote_stands(cell)
    assert broken_quotes(world.project, [reference().key]) == [(reference().key, quote)]


def test_words_of_a_passage_may_be_copied_and_others_may_not(world: World, source: StandIn) -> None:
    look(world)
    cell = cell_save(**size(world), value="early", quote="Patients were treated early.", page="", version=0)
    assert (cell.quote, cell.place, cell.section_label) == ("Patients were treated  early.", "passage", "Results")
    assert cell_quote_stands(cell)
    with pytest.raises(MatrixProblem, match="nor a stored passage"):
        cell_save(**size(world), value="late", quote="Patients were treated late.", page="", version=1)
    assert cell_undo(**size(world), version=1).passage is None


def test_pages_show_passages_and_only_those_with_the_right_ask(world: World, source: StandIn) -> None:
    world.person("reader", Role.READER)
    base = f"/projects/{world.project.pk}"
    owner, reader = world.client(), world.client("reader")
    sent = {"words": "early treatment", "request_id": str(uuid4())}
    assert reader.post(f"{base}/matrix/passages/look/", sent).status_code == 403
    named = owner.post(f"{base}/matrix/passages/look/", {**sent, "words": "Mr. John Smith, born 12.03.1961"})
    assert named.status_code == 422
    assert "looks like details of a patient. Nothing was sent" in named.content.decode()
    too_long = owner.post(f"{base}/matrix/passages/look/", {**sent, "words": "x" * 501})
    assert (too_long.status_code, "x" * 501 in too_long.content.decode()) == (422, True)
    assert not PassageSearch.objects.exists()
    assert owner.post(f"{base}/matrix/passages/look/", sent).status_code == 303
    PassageWork().run(str(PassageSearch.objects.get().pk))
    page = reader.get(f"{base}/matrix/passages/").content.decode()
    assert "Passages returned" in page
    assert "passages/look/" not in page
    shown = reader.get(f"{base}/references/{reference().pk}/").content.decode()
    for words in ("Patients were treated", "Results", "Semantic Scholar", "asked: “early treatment”", "not its full"):
        assert words in shown
    assert "1 abstract and passages" in reader.get(f"{base}/matrix/").content.decode()
    dialog = owner.get(f"{base}/matrix/{reference().pk}/methods/").content.decode()
    assert "Accept this passage as the quote" in dialog

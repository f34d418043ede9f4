"""A first draft from a typed question: PubMed's own translation, the MeSH of this installation, no model."""

from __future__ import annotations

from dataclasses import dataclass

from litapp.core.patient_details import Suspicion, patient_details
from litapp.core.plan import Filters, PlanQuery, SearchPlan
from litapp.core.querylang import QuerySyntaxError, print_pubmed
from litapp.core.querylang.draft import Draft, draft_from_translation
from litapp.core.querylang.question import han_places, question_words
from litapp.ledger.services.mesh import InstalledMesh
from searches.services.counts import count_lines


class NoDraft(Exception):
    """No draft can be made of this question. The message says why and what to do."""


class PatientDetails(NoDraft):
    """The question holds what looks like details of a patient; nothing was sent. `suspicions` names them."""

    def __init__(self, suspicions: tuple[Suspicion, ...]) -> None:
        super().__init__("Nothing was sent: the question holds what looks like details of a patient.")
        self.suspicions = suspicions


def suspicions_of(content: SearchPlan) -> tuple[Suspicion, ...]:
    """What looks like details of a patient in what a person wrote in words: the question, and the queries in plain
    words, which are sent as they stand."""
    texts = dict.fromkeys([content.question, *(query.plain for query in content.queries)])
    found = {suspicion.text: suspicion for text in texts for suspicion in patient_details(text)}
    return tuple(found.values())


@dataclass(frozen=True, slots=True)
class QuestionDraft:
    """The draft, what PubMed was asked and answered, and the words of the question that were left out."""

    draft: Draft
    asked: str
    left_out: tuple[str, ...]
    dropped: tuple[str, ...]

    @property
    def query(self) -> str:
        """The draft as a PubMed query."""
        return self.draft.query

    @property
    def origins(self) -> dict[str, str]:
        """Term as PubMed's syntax has it -> where it came from."""
        return {print_pubmed(found.term): found.origin.value for block in self.draft.blocks for found in block.terms}

    @property
    def remarks(self) -> list[str]:
        """What a person must know of the draft: nothing is left out in silence."""
        told = [f"PubMed was asked for “{self.asked}”."]
        if self.left_out:
            told.append(f"Words of the question that are not searched for: {', '.join(self.left_out)}.")
        if self.dropped:
            told.append(f"PubMed does not know: {', '.join(self.dropped)}.")
        if self.draft.left_out:
            told.append(f"Further entry terms that were not taken in: {'; '.join(self.draft.left_out)}.")
        return told


def question_draft(*, question: str, user_id: int | None = None, sure: bool = False) -> QuestionDraft:
    """Ask PubMed for its translation of the question and make blocks of it. Network.

    Raises PatientDetails (before anything is sent; not with `sure`) or NoDraft.
    """
    suspicions = patient_details(question)
    if suspicions and not sure:
        raise PatientDetails(suspicions)
    if places := han_places(question):
        start, end = places[0]
        raise NoDraft(
            f"PubMed is searched in English: “{question[start:end]}” finds next to nothing there. "
            "Write the question in English."
        )
    words = question_words(question)
    if not words.asked:
        raise NoDraft("Write the question first, with the condition and what is done about it.")
    plan = SearchPlan("", ("pubmed",), (PlanQuery(boolean=words.asked),), filters=Filters())
    answers = count_lines(plan, user_id=user_id)
    result = answers[0].result if answers else None
    if result is None:
        why = answers[0].error if answers else ""
        raise NoDraft(f"PubMed could not be asked, so there is no draft. {why}".strip())
    try:
        draft = draft_from_translation(result.translation, InstalledMesh())
    except QuerySyntaxError as error:
        raise NoDraft(f"PubMed's translation of the question could not be read. {error.message}") from error
    if not draft.blocks:
        raise NoDraft("PubMed found no concept in this question. Name the condition and the treatment or test.")
    return QuestionDraft(draft, words.asked, words.left_out, result.dropped_words)

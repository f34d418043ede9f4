"""First draft from PubMed's translation, and the question asked about a topic that is too broad."""

from __future__ import annotations

from pathlib import Path

import pytest

from litapp.core.querylang.draft import Origin, draft_from_translation
from litapp.core.querylang.scope_guard import BlockHits, scope_advice


class Mesh:
    """Two headings with entry terms."""

    def preferred(self, name: str) -> str | None:
        return {"neoplasms": "Neoplasms", "yoga": "Yoga"}.get(name.casefold())

    def entry_terms(self, heading: str) -> tuple[str, ...]:
        return {"Neoplasms": ("Tumors", "Cancer", "Neoplasm, Malignant")}.get(heading, ())


TRANSLATION = (
    '("yoga"[MeSH Terms] OR "yoga"[All Fields]) AND '
    '("neoplasms"[MeSH Terms] OR "cancer"[All Fields] OR "invented"[MeSH Terms])'
)


def test_concepts_become_blocks_of_headings_words_and_entry_terms() -> None:
    draft = draft_from_translation(TRANSLATION, Mesh())
    assert draft.query == '("Yoga"[mh] OR yoga[tiab]) AND ("Neoplasms"[mh] OR cancer[tiab] OR Tumors[tiab])'
    assert [[term.origin for term in block.terms] for block in draft.blocks] == [
        [Origin.HEADING, Origin.PUBMED],
        [Origin.HEADING, Origin.PUBMED, Origin.ENTRY_TERM],
    ]


def test_a_heading_that_mesh_does_not_have_is_never_entered() -> None:
    assert "invented" not in draft_from_translation(TRANSLATION, Mesh()).query


def test_parts_can_be_taken_out() -> None:
    draft = draft_from_translation(TRANSLATION, Mesh())
    assert draft.without(0).query == '"Neoplasms"[mh] OR cancer[tiab] OR Tumors[tiab]'
    assert draft.without(1, 2).query == '("Yoga"[mh] OR yoga[tiab]) AND ("Neoplasms"[mh] OR cancer[tiab])'
    assert draft.without(0).without(0).query == ""


@pytest.mark.shared
def test_pubmeds_own_translations_give_a_draft(shared: Path) -> None:
    text = (shared / "queries/soong2025-exercise-depression-older/ncbi_query_translation.txt").read_text("utf-8")
    assert len(draft_from_translation(text, Mesh()).blocks) == 4


def test_a_search_that_can_be_screened_is_left_alone() -> None:
    assert scope_advice([BlockHits("asthma", 200_000)], 400) is None


def test_a_single_block_is_asked_for_a_second() -> None:
    advice = scope_advice([BlockHits("cancer treatment", 2_000_000)], 2_000_000)
    assert advice is not None
    assert (advice.block, advice.question) == (
        "",
        "This search finds 2,000,000 papers, more than 5,000. “cancer treatment” is its only block. "
        "Which patients, intervention or outcome do you mean?",
    )


def test_the_block_that_takes_away_least_is_named() -> None:
    blocks = [BlockHits("cancer", 4_000_000, without=9_000), BlockHits("yoga", 12_000, without=4_000_000)]
    advice = scope_advice(blocks, 8_500)
    assert advice is not None
    assert advice.block == "cancer"
    assert "“cancer” alone finds 4,000,000 papers: replace its widest term." in advice.ways


def test_words_that_must_stand_together_are_no_terms_of_their_own() -> None:
    text = '("yoga"[MeSH Terms] OR ("heart"[All Fields] AND "failure"[All Fields]) OR "heart failure"[All Fields])'
    assert draft_from_translation(text, Mesh()).query == '"Yoga"[mh] OR "heart failure"[tiab]'


def test_a_word_that_pubmed_left_unmapped_gets_its_heading_from_mesh() -> None:
    assert draft_from_translation('"yoga"[All Fields]', Mesh()).query == '"Yoga"[mh] OR yoga[tiab]'

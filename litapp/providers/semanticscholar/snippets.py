"""Semantic Scholar's snippets as passages: text word for word, its sentences by the offsets given, its section."""

from __future__ import annotations

from typing import Any

from litapp.core.records import Identifier, Scheme
from litapp.providers import answers
from litapp.providers.answers import UnreadableAnswer
from litapp.providers.questions import Passage
from litapp.providers.reading import identifiers_of, mapping, mappings, text, texts, whole


def passages(body: bytes, answer_id: int) -> list[Passage]:
    """The passages of an answer, best first; entries without text are left out. Raises UnreadableAnswer."""
    items = answers.read_json_object(body).get("data")
    if not isinstance(items, list):
        raise UnreadableAnswer("an answer without passages")
    found = (_passage(mapping(item), answer_id, position) for position, item in enumerate(items))
    return [passage for passage in found if passage.text]


def _passage(item: dict[str, Any], answer_id: int, position: int) -> Passage:
    paper, snippet = mapping(item.get("paper")), mapping(item.get("snippet"))
    raw = snippet.get("text")
    words = raw if isinstance(raw, str) else ""
    access = mapping(paper.get("openAccessInfo"))
    score = item.get("score")
    return Passage(
        text=words.strip(),
        sentences=_sentences(words, mapping(snippet.get("annotations")).get("sentences")),
        kind=text(snippet.get("snippetKind")),
        section=text(snippet.get("section")),
        paper_title=text(paper.get("title")),
        authors=texts(paper.get("authors")),
        identifiers=_identifiers(paper),
        score=float(score) if isinstance(score, (int, float)) and not isinstance(score, bool) else None,
        licence=text(access.get("license")),
        disclaimer=text(access.get("disclaimer")),
        answer_id=answer_id,
        position=position,
    )


def _identifiers(paper: dict[str, Any]) -> tuple[Identifier, ...]:
    """The corpus number is a text of digits here; other answers have it as a number."""
    corpus = text(paper.get("corpusId"))
    values = [(Scheme.S2, f"CorpusId:{corpus}" if corpus else ""), (Scheme.S2, paper.get("paperId"))]
    return identifiers_of(values)[0]


def _sentences(words: str, marks: Any) -> tuple[str, ...]:
    """The sentences where the source marks them; a mark outside of the text is damage and left out."""
    found = []
    for mark in mappings(marks):
        start, end = whole(mark.get("start")), whole(mark.get("end"))
        if start is not None and end is not None and 0 <= start < end <= len(words):
            found.append(words[start:end].strip())
    return tuple(sentence for sentence in found if sentence)

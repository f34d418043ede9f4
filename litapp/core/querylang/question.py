"""What of a typed question is searched for: its words without those that only make a sentence; and Chinese writing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from litapp.core.querylang.findings import Effect, Finding, Severity

_SENTENCE_WORDS = (
    "a|about|after|against|all|also|among|an|and|any|are|as|at|be|been|before|being|between|better|both|but|by|"
    "can|compare|compared|comparing|comparison|could|decrease|decreased|decreases|did|do|does|due|during|each|"
    "effect|effective|effectiveness|effects|efficacy|for|from|give|given|had|has|have|help|helps|how|i|if|impact|"
    "improve|improved|improves|improving|in|increase|increased|increases|influence|into|is|it|its|less|lower|"
    "lowers|may|me|might|more|most|my|no|not|of|on|or|our|over|prevent|prevents|reduce|reduced|reduces|reducing|"
    "role|safe|safety|should|show|so|some|such|than|that|the|their|them|then|there|these|they|this|those|to|"
    "treat|treated|treating|under|use|used|useful|using|versus|very|vs|was|we|were|what|when|where|whether|which|"
    "while|who|whom|whose|why|will|with|within|without|worse|would|you|your"
)
"""Words that join the concepts of a question and are none themselves. Made for this purpose; the person sees what was
left out and can put it back."""
_SENTENCE_WORD = re.compile(_SENTENCE_WORDS, re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+(?:[-'’/.+][^\W_]+)*")
_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+(?:[\s·]*[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+)*")
_CHINESE_TOPIC = re.compile(
    r"\bchin(?:a|ese)\b|\bhong kong\b|\btaiwan(?:ese)?\b|\btraditional chinese medicine\b|\btcm\b|\bacupuncture\b"
    r"|\bmoxibustion\b|\bqi ?gong\b|\btai ?(?:chi|ji)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class QuestionWords:
    """`asked` is what PubMed is asked; `left_out` are the words of the question that are not searched for."""

    asked: str
    left_out: tuple[str, ...]


def question_words(question: str) -> QuestionWords:
    """The words of a question that carry its meaning, in order; those left out are named once each."""
    kept: list[str] = []
    left: dict[str, str] = {}
    for word in _WORD.findall(question):
        if _SENTENCE_WORD.fullmatch(word):
            left.setdefault(word.casefold(), word)
        else:
            kept.append(word)
    return QuestionWords(" ".join(kept), tuple(left.values()))


def han_places(text: str) -> tuple[tuple[int, int], ...]:
    """Where Chinese characters stand."""
    return tuple(match.span() for match in _HAN.finditer(text))


def han_findings(text: str) -> Iterator[Finding]:
    """Chinese words in a query for a source that is searched in English."""
    for start, end in han_places(text):
        yield Finding(
            "chinese_words",
            Severity.WARNING,
            f"PubMed is searched in English: “{text[start:end]}” finds next to nothing.",
            start,
            end,
            "Write the English words, and search the Chinese databases by hand.",
            Effect.RECALL,
        )


def calls_for_chinese_sources(*texts: str, languages: tuple[str, ...] = ()) -> bool:
    """True when a question is about China or Chinese medicine, is written in Chinese, or asks for papers in Chinese."""
    if any(code.casefold() in ("chi", "zho", "chinese") for code in languages):
        return True
    return any(_HAN.search(text) or _CHINESE_TOPIC.search(text) for text in texts)

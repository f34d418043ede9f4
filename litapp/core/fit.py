"""How well a record fits a plan, by a fixed rule on words. No AI: the rule is this page.

Where words are looked for: title, abstract, MeSH headings and keywords of the record, in normal form
(`core.normalise.title_key`) with light stemming on both sides: plural endings go, British endings become American
("tumours" = "tumor", "randomised" = "randomized").

What is looked for
- Question words: the words of the question that are no stop words (of the PICO fields where there is no question, of
  the plain query where there is neither).
- Blocks: the parts of a Boolean query that are joined by AND (`querylang.query_blocks`). A block is found when one of
  its words or phrases is found; "*" stands for any letters. Parts that are no words of the subject (dates, languages,
  publication types) and what stands behind NOT are no blocks. Of several queries the best fitting one counts.

The level
- high: every block is found, at least half of the question words, and the title holds a block or a question word.
  Without blocks: three quarters of the question words, one of them in the title.
- medium: at least half of the blocks, or at least half of the question words.
- low: less, or a plan without words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from litapp.core.citations import TITLE_STOP_WORDS
from litapp.core.normalise import title_key
from litapp.core.plan import SearchPlan
from litapp.core.querylang.parser import parse
from litapp.core.querylang.tokens import QuerySyntaxError
from litapp.core.querylang.words import query_blocks, query_terms
from litapp.core.records import Record

__all__ = ["Fit", "FitLevel", "FitTerms", "fit", "fit_terms", "fit_terms_of_plan"]

QUESTION_STOP_WORDS = TITLE_STOP_WORDS | frozenset(
    re.findall(
        r"\w+",
        "about after among any been being benefit benefits best better both compare compared comparative comparison "
        "could effect effective effectiveness effects efficacy evidence get give given had harm harms help impact "
        "improve improves influence known less may might more most much safety should some such than them there they "
        "those through towards used useful we whether work works would patient patients people person persons study "
        "studies",
    )
)
"""Words of a question that tell nothing of its subject."""


class FitLevel(StrEnum):
    """How well a record fits the plan, by rule."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


@dataclass(frozen=True, slots=True)
class Fit:
    """Level, one line why, and the words of the plan that were found, as the plan has them."""

    level: FitLevel
    why: str
    matched: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Wanted:
    """One word or phrase to look for: `stems` are its words. Where the last one may go on ("cardio*"), `beginnings`
    are the spellings of the whole that may stand in the text; `pattern` is for "*" within a word."""

    shown: str
    stems: tuple[str, ...] = ()
    beginnings: tuple[str, ...] = ()
    pattern: re.Pattern[str] | None = None


@dataclass(frozen=True, slots=True)
class FitTerms:
    """What a plan looks for, made once per plan: question words, and the blocks of each query."""

    words: tuple[_Wanted, ...]
    queries: tuple[tuple[tuple[_Wanted, ...], ...], ...]


def fit_terms(question: str, queries: Iterable[Sequence[Sequence[str]]] = ()) -> FitTerms:
    """Terms from a question and, for each query, its blocks as lists of words and phrases."""
    words: dict[str, _Wanted] = {}
    for word in title_key(question).split():
        if word not in QUESTION_STOP_WORDS and len(word) > 1 and not word.isdigit():
            words.setdefault(_stem(word), _Wanted(word, (_stem(word),)))
    wanted = (tuple(_block(terms) for terms in query) for query in queries)
    return FitTerms(tuple(words.values()), tuple(blocks for query in wanted if (blocks := tuple(filter(None, query)))))


@lru_cache(maxsize=64)
def fit_terms_of_plan(plan: SearchPlan) -> FitTerms:
    """Terms of a plan. A Boolean query that cannot be read gives no blocks: it also finds nothing."""
    pico = plan.pico
    texts = (
        plan.question,
        " ".join((pico.population, pico.intervention, pico.comparison, pico.outcome)),
        " ".join(query.plain for query in plan.queries),
    )
    question = next((text for text in texts if text.strip()), "")
    queries = []
    for query in plan.queries:
        if not query.boolean.strip():
            continue
        try:
            tree = parse(query.boolean)
        except QuerySyntaxError:
            continue
        queries.append([[term.text for term in query_terms(block)] for block in query_blocks(tree)])
    return fit_terms(question, queries)


def fit(terms: FitTerms, record: Record) -> Fit:
    """How well `record` fits, by the rule at the top of this module."""
    title = _Text([record.title, record.original_title])
    rest = [section.text for section in record.abstract]
    rest += [heading.descriptor for heading in record.mesh]
    whole = _Text([*rest, *record.keywords], title)
    words = [word for word in terms.words if whole.holds(word)]
    blocks, found, in_title = _best_query(terms.queries, title, whole)
    matched = list(dict.fromkeys([term.shown for term in found] + [word.shown for word in words]))
    in_title = in_title or any(title.holds(word) for word in words)
    level = _level(len(words), len(terms.words), len(found), blocks, in_title)
    return Fit(level, _why(terms, words, found, blocks, in_title, bool(record.abstract)), tuple(matched))


def _level(words: int, all_words: int, found: int, blocks: int, in_title: bool) -> FitLevel:
    half_of_words = 2 * words >= all_words
    everything = found == blocks and half_of_words if blocks else all_words > 0 and 4 * words >= 3 * all_words
    if everything and in_title:
        return FitLevel.HIGH
    if (blocks and 2 * found >= blocks) or (all_words and half_of_words):
        return FitLevel.MEDIUM
    return FitLevel.LOW


def _best_query(
    queries: tuple[tuple[tuple[_Wanted, ...], ...], ...], title: _Text, whole: _Text
) -> tuple[int, list[_Wanted], bool]:
    """Of the query that fits best: its number of blocks, one term of each block that is met (one of the title where
    there is one), and whether one of them stands in the title."""
    best: tuple[int, list[_Wanted], bool] = (0, [], False)
    best_rank = (-1.0, False, 0)
    for blocks in queries:
        in_title = [next((term for term in block if title.holds(term)), None) for block in blocks]
        anywhere = [
            hit or next((term for term in block if whole.holds(term)), None)
            for hit, block in zip(in_title, blocks, strict=True)
        ]
        found = [term for term in anywhere if term is not None]
        rank = (len(found) / len(blocks), any(in_title), len(blocks))
        if rank > best_rank:
            best, best_rank = (len(blocks), found, any(in_title)), rank
    return best


def _why(
    terms: FitTerms, words: list[_Wanted], found: list[_Wanted], blocks: int, in_title: bool, has_abstract: bool
) -> str:
    if not terms.words and not blocks:
        return "The plan has no words to compare with."
    parts = []
    if blocks:
        parts.append(f"{len(found)} of {blocks} query blocks")
    if terms.words:
        parts.append(f"{len(words)} of {len(terms.words)} question words")
    line = f"{' and '.join(parts)} found"
    shown = list(dict.fromkeys(term.shown for term in [*found, *words]))
    if shown:
        line += f" ({', '.join(term[:40] for term in shown[:5])}{', …' if len(shown) > 5 else ''})"
        if not in_title:
            line += ", none in the title"
    return f"{line}." if has_abstract else f"{line}; there is no abstract to look in."


class _Text:
    """A record's words in comparable form. Phrases do not run from one part into the next."""

    __slots__ = ("joined", "plain", "stems")

    def __init__(self, parts: Iterable[str], before: _Text | None = None) -> None:
        keys = [_key(part) if len(part) < 80 else title_key(part) for part in parts if part]
        plain = " . ".join(keys)
        self.plain = f" {plain} "
        stems = [_stem(word) for word in plain.split(" ")]
        self.joined = f" {' '.join(stems)} "
        self.stems = frozenset(stems)
        if before is not None:
            self.plain = f"{before.plain}.{self.plain}"
            self.joined = f"{before.joined}.{self.joined}"
            self.stems |= before.stems

    def holds(self, term: _Wanted) -> bool:
        """Whether the word or phrase stands in the text."""
        if term.pattern is not None:
            return term.pattern.search(self.plain) is not None
        if term.beginnings:
            return any(beginning in self.plain or beginning in self.joined for beginning in term.beginnings)
        if len(term.stems) == 1:
            return term.stems[0] in self.stems
        return self.stems.issuperset(term.stems) and f" {' '.join(term.stems)} " in self.joined


_key = lru_cache(maxsize=32768)(title_key)


def _block(terms: Iterable[str]) -> tuple[_Wanted, ...]:
    wanted: dict[tuple[object, ...], _Wanted] = {}
    for text in terms:
        term = _wanted(text)
        if term is not None:
            wanted.setdefault((term.stems, term.beginnings, term.pattern), term)
    return tuple(wanted.values())


def _wanted(text: str) -> _Wanted | None:
    shown = " ".join(text.split())
    inner = text.rstrip("*")
    if "*" in inner:
        pieces = [title_key(piece) for piece in text.split("*")]
        body = r"[a-z0-9]*".join(re.escape(piece) for piece in pieces)
        return _Wanted(shown, pattern=re.compile(rf"(?<![a-z0-9]){body}(?![a-z0-9])")) if any(pieces) else None
    words = title_key(inner).split()
    if not words:
        return None
    if inner == text:
        return _Wanted(shown, tuple(map(_stem, words)))
    return _Wanted(shown, beginnings=_spellings(" ".join(words)))


def _spellings(beginning: str) -> tuple[str, ...]:
    """A truncated word or phrase as it may be spelt on both sides of the Atlantic, each after the blank before it."""
    spellings = {beginning}
    for british, american in (("ae", "e"), ("oe", "e"), ("our", "or")):
        spellings |= {text.replace(british, american) for text in spellings}
    spellings |= {re.sub(r"(?<=[a-z]{3})is\Z", "iz", text) for text in spellings}
    return tuple(sorted(f" {text}" for text in spellings))


@lru_cache(maxsize=65536)
def _stem(word: str) -> str:
    """The word without its plural ending (Harman's S-stemmer) and with American spelling."""
    word = _american(word)
    if len(word) > 4 and word.endswith("ies") and not word.endswith(("eies", "aies")):
        return word[:-3] + "y"
    if len(word) > 3 and word.endswith("es") and not word.endswith(("aes", "ees", "oes")):
        return word[:-1]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("us", "ss")):
        return word[:-1]
    return word


_BRITISH_IS = re.compile(r"(?<=[a-z]{3})is(?=(?:e|ed|es|er|ers|ing|ation|ations)\Z)")


def _american(word: str) -> str:
    """British spellings as American ones; whatever else this changes, it changes on both sides."""
    if not word.isalpha():
        return word
    word = word.replace("ae", "e").replace("oe", "e")
    if len(word) > 5:
        word = _BRITISH_IS.sub("iz", word.replace("our", "or"))
    return word

"""Where the title stands within a citation: laid over by a found title, or guessed from the citation's build."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

from rapidfuzz.distance import Indel, MatchingBlock

from litapp.core.normalise import title_key
from litapp.core.verification.citation_names import names_before_title

LEAST_SHARE = 0.6
"""Share of a found title's words that must stand in the text, in order, for it to be laid over the text."""
MOST_WORDS_MOVED = 25
"""Words between the names and what a found title has in common with the text that can still be the title's."""
_WORD = re.compile(r"[^\s/\u2013\u2014]+")
_STRONG = re.compile(r"[.?!:;\u201c\u201d\"\u00ab\u00bb]\W*\Z|[)\]]\W*\Z|\A\W*\Z|\d\W*\Z")
_OPENING = re.compile(
    r"(?:\A|[.?!:;,)\]]|\bet al\.?|[\u201c\"\u00ab])[\s\u201c\"\u00ab'*_]*\Z",
)
_CLOSING = re.compile(r"[\s*_']*(?:[.?!](?=\s|\Z|[\u201d\"\u00bb*_'])|[\u201d\"\u00bb]|,[\u201d\"\u00bb]|\Z)")
_QUOTED = re.compile(r"[\u201c\"\u00ab]\s*([^\u201c\u201d\"\u00ab\u00bb]{15,400}?)[,.]?\s*[\u201d\"\u00bb]")
_SENTENCE = re.compile(r"(?<=\w\w)[.?!]\s+(?=[\"'(\[]?[A-Z\d\u00c0-\u017f])|(?<=[)\]])\.?\s+(?=[A-Z])|(?<=\bal)\.\s+")
_INITIALS = re.compile(r"\b[A-Z]{1,3}\b\.?|\b[A-Z]\.")


@dataclass(frozen=True, slots=True)
class Span:
    """Characters `start` to `end` of a text. `share` of the title's words found there (0 to 1)."""

    start: int
    end: int
    share: float = 0.0


def _words(text: str) -> list[tuple[str, int, int]]:
    """Folded words with their places; a word that folds to several is several at one place."""
    return [
        (part, found.start(), found.end())
        for found in _WORD.finditer(text)
        for part in (title_key(found[0]).split() or [])
    ]


def span_of_title(text: str, title: str) -> Span | None:
    """Where `title` stands in `text`, with the words between and around it that belong to it; None where it does not.

    Extra words at either end are taken in up to the next stop, so that a "No" before the title is not lost.
    """
    words, wanted = _words(text), title_key(title).split()
    if not words or not wanted:
        return None
    blocks = [
        block
        for block in Indel.opcodes([word for word, _, _ in words], wanted).as_matching_blocks()
        if block.size and (block.size > 1 or len(wanted) < 4 or len(wanted[block.b]) > 3)
    ]
    blocks = _dense(blocks, len(wanted))
    shared = sum(block.size for block in blocks)
    share = shared / len(wanted)
    if not blocks or (share < LEAST_SHARE and not (shared >= 5 and share >= 0.4)):
        return None
    first, last = blocks[0], blocks[-1]
    start, end = words[first.a][1], words[last.a + last.size - 1][2]
    start = _left(text, start, spare=first.b)
    end = _right(text, end, spare=len(wanted) - last.b - last.size)
    return Span(start, end, shared / len(wanted))


def _dense(blocks: list[MatchingBlock], length: int) -> list[MatchingBlock]:
    """The blocks that stand together: single words far off (a journal's, an author's) are not the title's."""
    if not blocks:
        return []
    largest = max(blocks, key=lambda block: block.size)
    kept = [largest]
    at = blocks.index(largest)
    for block in reversed(blocks[:at]):
        gap = kept[0].a - block.a - block.size
        if gap > max(3, kept[0].b - block.b - block.size + 2):
            break
        kept.insert(0, block)
    for block in blocks[at + 1 :]:
        gap = block.a - kept[-1].a - kept[-1].size
        if gap > max(3, block.b - kept[-1].b - kept[-1].size + 2):
            break
        kept.append(block)
    return kept


def _left(text: str, start: int, spare: int) -> int:
    """Where the title begins that has a word at `start`; `spare` words of the found title stand before it."""
    behind_names = names_before_title(text)
    if 0 < behind_names <= start and len(text[behind_names:start].split()) <= MOST_WORDS_MOVED:
        return behind_names
    at = start
    for _ in range(spare + 4):
        head = text[:at]
        if _OPENING.search(head) and (at == start or not re.search(r",\s*\Z", head) or spare):
            return at
        previous = re.search(r"\S+\s*\Z", head)
        if previous is None:
            return 0
        at = previous.start()
    return start


def _right(text: str, end: int, spare: int) -> int:
    """Where the title ends that has a word up to `end`; `spare` words of the found title should follow."""
    at = end
    for _ in range(spare + 6):
        if _CLOSING.match(text, at) or (at > 0 and text[at - 1] in '.?!\u201d"\u00bb'):
            return at
        if text[at - 1 : at] in ",;:" and at > end:
            return at - 1
        if re.match(r"\s*[,;:(]", text[at:]):
            return at
        following = re.match(r"\s*[^\s,;:]+", text[at:])
        if following is None:
            return at
        at += following.end()
    return end


def guessed_span(text: str) -> Span | None:
    """The title by the citation's build: what is in quotes, else the first sentence that is no list of names."""
    quoted = _QUOTED.search(text)
    if quoted and len(quoted[1].split()) >= 3:
        return Span(quoted.start(1), quoted.end(1))
    start = names_before_title(text)
    edges = [start, *(found.end() for found in _SENTENCE.finditer(text) if found.end() > start), len(text)]
    for start, end in pairwise(edges):
        part = text[start:end]
        if _is_title(part):
            colon = re.search(r"\A(?P<names>.{4,300}?):\s+(?=[A-Z])", part)
            if colon and _is_names(colon["names"]):
                start += colon.end()
            return Span(start, start + len(text[start:end].rstrip(" .")))
    return None


def _is_title(part: str) -> bool:
    words = re.findall(r"[^\W\d_]{2,}", part)
    small = [word for word in words if word[0].islower()]
    return len(words) >= 3 and len(small) >= 1 and not _is_names(part) and not re.match(r"\W*\(?(?:19|20)\d\d", part)


def _is_names(part: str) -> bool:
    """True for a list of names: initials at most of its commas, or an "et al."."""
    part = part.strip(" .")
    if re.search(r"\bet al\b", part):
        return True
    pieces = [piece for piece in re.split(r"[,;&]|\band\b|\bet\b", part) if piece.strip()]
    named = [piece for piece in pieces if _INITIALS.search(piece) and len(piece.split()) <= 5]
    return bool(pieces) and 2 * len(named) >= len(pieces) and not re.search(r"\b(?:of|the|in|for|with|on)\b", part)

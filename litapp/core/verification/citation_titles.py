"""Where the title stands within a citation: laid over by a found title, or guessed from the citation's build."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from rapidfuzz.distance import Indel, MatchingBlock

from litapp.core.matching.journals import same_journal
from litapp.core.normalise import title_key
from litapp.core.verification.citation_names import names_before_title

LEAST_SHARE = 0.6
"""Share of a found title's words that must stand in the text, in order, for it to be laid over the text."""
MOST_WORDS_MOVED = 25
"""Words between the names and what a found title has in common with the text that can still be the title's."""
MOST_BEHIND = 300
"""Characters behind the last common word within which the mark round a title must close."""
_WORD = re.compile(r"[^\s/\u2013\u2014]+")
_DOTS = re.compile(r"\s*(?:\u2026|\.\.\.|\[(?:\u2026|\.\.\.)\])")
_OPENING = re.compile(
    r"(?:\A|(?<=[.,])\s(?:1[6-9]|20)\d\d[a-z]?|[.?!:;,)\]]|\bet al\.?|[\u201c\"\u00ab])[\s\u201c\"\u00ab'*_]*\Z",
)
_STOP = re.compile(r"(?<=\w\w)[.?!](?=\s+[*_\"\u201c]*[A-Z\u00c0-\u017f]|\s*\Z|[*_\"\u201d])")
_CLOSING = re.compile(r"[\s*_']*(?:[.?!](?=\s|\Z|[\u201d\"\u00bb*_'])|[\u201d\"\u00bb]|,[\u201d\"\u00bb]|\Z)")
_QUOTED = re.compile(r"[\u201c\"\u00ab]\s*([^\u201c\u201d\"\u00ab\u00bb]{15,400}?)[,.]?\s*[\u201d\"\u00bb]")
_SINGLE = re.compile(r"(?:\A|[\s(])['\u2018](?=\w)([^\u2018]{15,400}?)[,.]?['\u2019](?=\s?[,.;]|\Z)")
_STARRED = re.compile(r"(?<!\w)[*_]([^*]{15,400}?)[*_](?!\w)(?![\s.,;:*_]*(?:\(?\d|vol\b))")
_SENTENCE = re.compile(
    r"(?<=\w\w)[.?!][*_\"\u201d'\u2019]*\s+(?=\*\w|[\"'\u201c\u2018*_(\[]*[A-Z\d\u00c0-\u017f])|(?<=[)\]])\.?\s+(?=[*_]?[A-Z])|"
    r"(?<=\bal)\.\s+|\u2026[\].*_]*\s+(?=[*_]?[A-Z][^.]{2,90}?[*_.,;]{0,2}\s*\(?\d)"
)
_INITIALS = re.compile(r"\b[A-Z]{1,3}\b\.?|\b[A-Z]\.")
_WRAPPING = "*_'\u2018\u2019\"\u201c\u201d\u00ab\u00bb"
_BEFORE_TITLE = re.compile(
    rf"[\s.,:;]*(?:[(\[]?(?:1[6-9]|20)\d\d[a-z]?(?:,\s[A-Z][a-z]{{2,8}}(?:\s\d{{1,2}})?)?[)\]]?[\s.,:;]+)?[\s{_WRAPPING}]*"
)
"""What stands between the names and the title: a year, and marks that open the title."""
SHORTEST_RUN = 4
"""Words of a found title that stand alone, from one stop to the next, where its writer shortened it."""


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


def span_of_title(whole: str, title: str, journals: Sequence[str] = ()) -> Span | None:
    """Where `title` stands in `text`, with the words between and around it that belong to it; None where it does not.

    Extra words at either end are taken in up to the next stop, so that a "No" before the title is not lost. What
    follows from one of the names of the found record's journal on (`journals`) is not the title's.
    """
    text = whole[: _journal_starts(whole, journals)]
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
    if not blocks:
        return None
    if share < LEAST_SHARE and not (shared >= 5 and share >= 0.4):
        return _standing_alone(text, words, blocks, len(wanted))
    first, last = blocks[0], blocks[-1]
    start, end = _unwrapped(text, words[first.a][1]), words[last.a + last.size - 1][2]
    if len(wanted) <= SHORTEST_RUN and not (_OPENING.search(text[:start]) and (_ends(text, end) or end == len(text))):
        return None
    if first.b + last.size == len(wanted) == shared and not _bounded(text, end):
        share *= UNBOUNDED
    start = _left(text, start, spare=first.b)
    end = _right(text, start, end, spare=len(wanted) - last.b - last.size)
    return Span(start, end, share)


_AFTER_STOP = re.compile(r"(?<=[.,;?!\u201d\"'\u2019*_)\]\u2026])([*_]*)[\s*_]+(?=[^\W\d])")
_NAME_ENDS = re.compile(r"[\s.,;:*_]*(?:\(|\d|vol\b|no\b|pp?\b|\Z)", re.IGNORECASE)


def _journal_starts(text: str, names: Sequence[str]) -> int:
    """Where one of these journals is named behind a stop, with numbers or nothing behind it; the text's end if nowhere.
    A name written in full comes before one that only may mean the journal."""
    stops = [stop for stop in _AFTER_STOP.finditer(text) if stop.start() >= FIRST_JOURNAL]
    for stop in stops:
        rest = text[stop.end() :]
        for name in names:
            if rest[: len(name)].lower() == name.lower() and _NAME_ENDS.match(rest, len(name)):
                return stop.end(1)
    for stop in stops:
        piece = _PIECE.match(text, stop.end())
        if piece and _NAME_ENDS.match(text, piece.end()):
            cited = piece[0].strip(" .,;:*_")
            if cited and any(same_journal(cited, name) for name in names):
                return stop.end(1)
    return len(text)


_PIECE = re.compile(r"[^\d;,(]{2,120}")
FIRST_JOURNAL = 20
"""Characters that stand before a journal's name at least."""


def _standing_alone(
    text: str, words: list[tuple[str, int, int]], blocks: list[MatchingBlock], length: int
) -> Span | None:
    """A shortened title: a run of the found title's words with nothing else between two stops."""
    run = max(blocks, key=lambda block: block.size)
    if run.size < SHORTEST_RUN:
        return None
    start, end = _unwrapped(text, words[run.a][1]), words[run.a + run.size - 1][2]
    if not _OPENING.search(text[:start]) or not (
        _ends(text, end) or _CLOSING.match(text, end) or _DOTS.match(text, end)
    ):
        return None
    return Span(start, _closed(text, start, end) or _without_closing(text, end), run.size / length)


UNBOUNDED = 0.4
"""What a found title counts that goes on in the text: another one that begins alike."""


def _bounded(text: str, end: int) -> bool:
    """True when a title can end at `end`, or goes on with a subtitle or a bracket."""
    return (
        _ends(text, end) or bool(_CLOSING.match(text, end)) or bool(re.match(r"\s*[-\u2013\u2014,;:(\[.]", text[end:]))
    )


def _unwrapped(text: str, start: int) -> int:
    """`start` behind the marks that open the word there."""
    while start < len(text) and text[start] in _WRAPPING:
        start += 1
    return start


def _ends(text: str, end: int) -> bool:
    """True when the word before `end` carries a mark at which a title can end."""
    return text[end - 1 : end] in tuple(".?!,;:\u2026") or (text[end - 1 : end] in tuple(_WRAPPING) and end > 1)


def _without_closing(text: str, end: int) -> int:
    """`end` without the comma, colon or closing marks that the last word carries."""
    while end > 0 and (text[end - 1] in ",;:" or text[end - 1] in _WRAPPING):
        end -= 1
    return end


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
    if spare:
        behind_names = names_before_title(text)
        if behind_names:
            opening = _BEFORE_TITLE.match(text, behind_names)
            behind_names = max(behind_names, opening.end() if opening else 0)
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


def _right(text: str, start: int, end: int, spare: int) -> int:
    """Where the title ends that has a word up to `end`; `spare` words of the found title should follow."""
    closed = _closed(text, start, end)
    if closed:
        return closed
    if not spare and text[end - 1 : end] == ":":
        subtitle = _STOP.search(text, end)
        return subtitle.start() if subtitle and subtitle.start() - end < MOST_BEHIND else end - 1
    if not spare and text[end - 1 : end] and (text[end - 1] in ",;" or text[end - 1] in _WRAPPING):
        return _without_closing(text, end)
    at = end
    for _ in range(spare + 6):
        if _CLOSING.match(text, at) or (at > 0 and text[at - 1] in '.?!\u201d"\u00bb'):
            return at
        if text[at - 1 : at] in ",;:" and at > end:
            return at - 1
        if at > end and text[at - 1 : at] in _WRAPPING:
            return _without_closing(text, at)
        if re.match(r"\s*[,;:(]", text[at:]):
            return at
        following = re.match(r"\s*[^\s,;:]+", text[at:])
        if following is None:
            return at
        at += following.end()
    return end


_CLOSES = {
    "*": r"\*", "_": r"_(?!\w)", '"': r'"', "\u201c": "\u201d", "\u00ab": "\u00bb", "\u201e": "[\u201c\u201d]",
    "'": r"(?<=\S)['\u2019](?=\s?[,.;:)]|\s?\Z)|(?<=[.?!])['\u2019]",
    "\u2018": r"(?<=\S)\u2019(?=\s?[,.;:)]|\s?\Z)|(?<=[.?!])\u2019",
}  # fmt: skip


def _closed(text: str, start: int, end: int) -> int:
    """Where the mark round the title (quotes, asterisks) is closed, from its last word on; 0 where none opens it."""
    pattern = _CLOSES.get(text[start - 1 : start])
    found = re.compile(pattern).search(text, max(start, end - 2)) if pattern else None
    return found.start() if found and found.start() - end < MOST_BEHIND else 0


def guessed_span(text: str) -> Span | None:
    """The title by the citation's build: what is in quotes, else the first sentence that is no list of names."""
    for mark in (_QUOTED, _SINGLE, _STARRED):
        quoted = mark.search(text)
        if quoted and len(quoted[1].split()) >= 3:
            return Span(quoted.start(1), quoted.end(1))
    commas = _between_commas(text)
    if commas is not None:
        return commas
    start = names_before_title(text)
    if start:
        opening = _BEFORE_TITLE.match(text, start)
        start = opening.end() if opening else start
    edges = [start, *(found.end() for found in _SENTENCE.finditer(text) if found.end() > start), len(text)]
    for start, end in pairwise(edges):
        part = text[start:end]
        if _is_title(part):
            colon = re.search(r"\A(?P<names>.{4,300}?):\s+(?=[A-Z])", part)
            if colon and _is_names(colon["names"]):
                start += colon.end()
            return Span(start, start + len(text[start:end].rstrip(" .")))
    return None


_INITIALS_FIRST = re.compile(
    r"(?:and\s+)?(?:[A-Z\u00c0-\u00de]\.[\s-]?){1,4}(?:[a-z'\u2019]{1,5}\s){0,3}[A-Z\u00c0-\u00de][^,.]{1,40}(?:,\s|\set\sal\.,\s)"
    r"|et\sal\.,\s"
)
_PLACE_BEHIND_COMMA = re.compile(r",\s(?=[^,]{2,150}?(?:\s\d{1,4})?\s\((?:1[6-9]|20)\d\d\))")


def _between_commas(text: str) -> Span | None:
    """The title of "A. B. Smith, C. Jones, Title, Journal 12 (2020) 1-9": all is parted by commas."""
    at = 0
    while name := _INITIALS_FIRST.match(text, at):
        at = name.end()
    ends = [found.start() for found in _PLACE_BEHIND_COMMA.finditer(text, at)] if at else []
    if not ends or len(text[at : ends[-1]].split()) < 3 or re.search(r"\w\w[.?!]\s+[A-Z]", text[at : ends[0]]):
        return None
    return Span(at, ends[-1])


def _is_title(part: str) -> bool:
    words = re.findall(r"[^\W\d_]{2,}", part)
    small = [word for word in words if word[0].islower()]
    sentence = small or (len(words) >= 4 and part.isupper())
    return len(words) >= 3 and bool(sentence) and not _is_names(part) and not re.match(r"\W*\(?(?:19|20)\d\d", part)


def _is_names(part: str) -> bool:
    """True for a list of names: initials at most of its commas, or an "et al."."""
    part = part.strip(" .")
    if re.search(r"\bet al\b", part):
        return True
    pieces = [piece for piece in re.split(r"[,;&]|\band\b|\bet\b", part) if piece.strip()]
    named = [piece for piece in pieces if _INITIALS.search(piece) and len(piece.split()) <= 5]
    return bool(pieces) and 2 * len(named) >= len(pieces) and not re.search(r"\b(?:of|the|in|for|with|on)\b", part)

"""Whether two titles are the same title: words are aligned one by one, similarity is never computed."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from rapidfuzz.distance import DamerauLevenshtein, Levenshtein

from litapp.core.matching.spelling import american, number_value, same_number
from litapp.core.matching.verdicts import Agreement
from litapp.core.matching.words import ARTICLES, TitleWords, readable, title_words
from litapp.core.records import Record

SHORTEST_MAIN_TITLE = 4
"""Words that must stand before a dropped subtitle; fewer name no paper."""
SHORTEST_TYPO_WORD = 7
"""Letters a word needs for one wrong letter to be a slip of the pen and not another word."""
MOST_TYPOS = 2

_CONFUSABLE = frozenset(
    frozenset(pair.split("/"))
    for pair in (
        "arteritis/arthritis",
        "complement/compliment",
        "cysteine/cystine",
        "dysphagia/dysphasia",
        "perineal/peroneal",
        "prostate/prostrate",
        "stationary/stationery",
        "ureteral/urethral",
        "ureteric/urethric",
    )
)
"""Real words one inner letter apart: never a slip of the pen."""
_WHOLE_WORDS = frozenset({"with", "no", "non", "in", "un", "a", "an"})  # begin other words, often their contrary
SHORTEST_CUT_TITLE = 80
"""Letters after which databases cut titles off."""
_NOTICE_WORDS = frozenset(
    {"abstract", "comment", "commentary", "correction", "corrigendum", "discussion", "editorial", "erratum", "letter"}
    | {"not", "no", "notice", "part", "protocol", "re", "reply", "response", "retraction", "retracted", "withdrawal"}
    | {"concern", "summary", "withdrawn", "i", "ii", "iii", "iv"}
)
_RUNS = re.compile(r"\d+")
_OPPOSED = (
    ("hyper", "hypo"),
    ("inter", "intra"),
    ("pre", "post"),
    ("pre", "per"),
    ("micro", "macro"),
    ("ante", "anti"),
    ("uni", "bi"),
    ("mono", "homo"),
    ("hetero", "homo"),
    ("over", "under"),
)


@dataclass(frozen=True, slots=True)
class TitleComparison:
    """Agreement of two titles. `ours`/`theirs` are the words that differ; `shared` of `longest` words are common
    (only to tell a reworded title from another one, and to rank)."""

    verdict: Agreement
    why: str = ""
    ours: str = ""
    theirs: str = ""
    shared: int = 0
    longest: int = 0

    @property
    def reworded(self) -> bool:
        """True when a differing title still shares at least half of its words."""
        return self.verdict is Agreement.DIFFERS and 2 * self.shared >= self.longest > 0


ORIGINAL_LANGUAGE = "Title: compared in the original language."
ABSENT = TitleComparison(Agreement.ABSENT, "No title on one side.")


def compare_titles(ours: str, *theirs: str) -> TitleComparison:
    """Compare a claimed title with all titles a source gives (English, original); the best agreement counts."""
    if not ours.strip():
        return ABSENT
    left = title_words(ours)
    best = ABSENT
    for text in theirs:
        if text.strip():
            best = _better(best, compare_words(left, title_words(text)))
            if best.verdict is Agreement.SAME:
                return best
    if best.verdict is Agreement.DIFFERS:
        for own, other in _translations(ours, theirs):
            best = _better(best, compare_words(title_words(own), title_words(other)))
    return best


def compare_titles_of(claimed: Record, found: Record) -> tuple[str, TitleComparison]:
    """Compare all titles of a claimed record with all of a found one; returns the claimed title that was compared.

    PubMed lists a paper in another language under a translation in brackets and keeps the title the journal printed
    beside it (VernacularTitle); Crossref, OpenAlex and Semantic Scholar have only the printed one.
    """
    theirs = (found.title, found.original_title)
    own = compare_titles(claimed.title, *theirs)
    if own.verdict in (Agreement.SAME, Agreement.VARIANT) or not claimed.original_title:
        return claimed.title, own
    original = compare_titles(claimed.original_title, *theirs)
    if original.verdict is Agreement.SAME:
        original = replace(original, verdict=Agreement.VARIANT, why=ORIGINAL_LANGUAGE)
    best = _better(own, original)
    return (claimed.title, own) if best is own else (claimed.original_title, original)


_ORDER = {Agreement.SAME: 3, Agreement.VARIANT: 2, Agreement.DIFFERS: 1, Agreement.ABSENT: 0}


def _better(a: TitleComparison, b: TitleComparison) -> TitleComparison:
    if _ORDER[a.verdict] != _ORDER[b.verdict]:
        return a if _ORDER[a.verdict] > _ORDER[b.verdict] else b
    return b if b.shared * max(a.longest, 1) > a.shared * max(b.longest, 1) else a


def _translations(ours: str, theirs: tuple[str, ...]) -> list[tuple[str, str]]:
    """Pairs to try when one side is "original title [translated title]" or two titles parted by " = " or " / "."""
    pairs: list[tuple[str, str]] = []
    own = _halves(ours)
    for text in theirs:
        for half in _halves(text):
            pairs.append((ours, half))
        pairs += [(half, text) for half in own]
    return pairs


def _halves(title: str) -> list[str]:
    text = readable(title)
    halves: list[str] = []
    if text.endswith("]") and "[" in text[1:]:
        at = text.rindex("[")
        halves = [text[:at], text[at + 1 : -1]]
    else:
        for mark in (" = ", " / "):
            if mark in text:
                halves = text.split(mark, 1)
                break
    return [half for half in halves if len(half.split()) >= SHORTEST_MAIN_TITLE]


def compare_words(ours: TitleWords, theirs: TitleWords) -> TitleComparison:
    """Compare two cut titles."""
    if not ours.words or not theirs.words:
        return ABSENT
    conflict = _sign_conflict(ours, theirs)
    if ours.joined == theirs.joined and ours.digits == theirs.digits and not conflict:
        longest = max(len(ours.words), len(theirs.words))
        return TitleComparison(Agreement.SAME, shared=longest, longest=longest)
    return _aligned(ours, theirs, conflict)


def _sign_conflict(ours: TitleWords, theirs: TitleWords) -> str:
    for word in (ours.plus & theirs.minus) | (ours.minus & theirs.plus):
        return f"the sign of “{word}” is turned round"
    if ours.relations != theirs.relations and len(ours.relations) == len(theirs.relations):
        return "a sign < or > is turned round"
    if ours.decimals != theirs.decimals and "".join(ours.decimals).replace(".", "") == "".join(theirs.decimals).replace(
        ".", ""
    ):
        return "a decimal point stands elsewhere" if ours.decimals and theirs.decimals else ""
    return ""


def _aligned(ours: TitleWords, theirs: TitleWords, conflict: str) -> TitleComparison:
    left, right = ours.words, theirs.words
    notes: list[str] = []
    wrong_ours: list[str] = []
    wrong_theirs: list[str] = []
    shared = typos = 0
    for block in _blocks(left, right):
        a, b = left[block[1] : block[2]], right[block[3] : block[4]]
        if block[0] == "equal":
            shared += len(a)
            continue
        at_end = block[2] == len(left) and block[4] == len(right)
        if at_end and (subtitle := _subtitle(ours, theirs, block) or _cut_off(a, b, ours, theirs)):
            notes.append(subtitle)
            continue
        if block[1] == block[3] == 0 and _lead_in(ours, theirs, block):
            notes.append("a heading before the title on one side")
            continue
        note, slips, agreed = _block_agrees(a, b)
        typos += slips
        shared += agreed
        if note is not None and typos <= MOST_TYPOS:
            if note:
                notes.append(note)
        else:
            wrong_ours.append(" ".join(a))
            wrong_theirs.append(" ".join(b))
    longest = max(len(left), len(right))
    if conflict or wrong_ours:
        lost, found = " … ".join(filter(None, wrong_ours)), " … ".join(filter(None, wrong_theirs))
        why = conflict or _words_differ(lost, found)
        return TitleComparison(Agreement.DIFFERS, f"Title: {why}.", lost, found, shared, longest)
    why = f"Title: {'; '.join(dict.fromkeys(notes))}." if notes else ""
    return TitleComparison(Agreement.VARIANT, why, shared=shared, longest=longest)


def _words_differ(ours: str, theirs: str) -> str:
    if ours and theirs:
        return f"“{ours}” where the source has “{theirs}”"
    return f"“{ours}” is not in the source's title" if ours else f"the source's title also has “{theirs}”"


def _blocks(left: tuple[str, ...], right: tuple[str, ...]) -> list[tuple[str, int, int, int, int]]:
    """Runs of equal and of unequal words; neighbouring unequal runs are one."""
    blocks: list[tuple[str, int, int, int, int]] = []
    for op in Levenshtein.opcodes(left, right):
        tag = "equal" if op.tag == "equal" else "differs"
        if blocks and tag == "differs" == blocks[-1][0]:
            last = blocks.pop()
            blocks.append((tag, last[1], op.src_end, last[3], op.dest_end))
        else:
            blocks.append((tag, op.src_start, op.src_end, op.dest_start, op.dest_end))
    return blocks


def _subtitle(ours: TitleWords, theirs: TitleWords, block: tuple[str, int, int, int, int]) -> str:
    """The note when everything from a colon or dash on is missing on one side, else ""."""
    if block[1] == block[2]:
        start, longer, whose = block[3], theirs, "ours"
    elif block[3] == block[4]:
        start, longer, whose = block[1], ours, "the source's"
    else:
        return ""
    if start not in longer.breaks:
        return ""
    letters = sum(map(len, longer.words[:start]))
    if start >= SHORTEST_MAIN_TITLE or (whose == "the source's" and start >= 2 and letters >= 10):
        return f"subtitle missing in {whose}"
    return ""


def _cut_off(a: tuple[str, ...], b: tuple[str, ...], ours: TitleWords, theirs: TitleWords) -> str:
    """The note when one long title stops short within what the other has there."""
    rest_a, rest_b = "".join(a), "".join(b)
    short, long = sorted((rest_a, rest_b), key=len)
    if min(len(ours.joined), len(theirs.joined)) < SHORTEST_CUT_TITLE or not long.startswith(short):
        return ""
    within_word = bool(short) and len(a) != 0 and len(b) != 0 and short not in _WHOLE_WORDS
    return "one title is cut off" if within_word or min(len(ours.joined), len(theirs.joined)) >= 150 else ""


def _lead_in(ours: TitleWords, theirs: TitleWords, block: tuple[str, int, int, int, int]) -> bool:
    """True when one side only has a heading ("Clinical review 138:") that ends at a colon or full stop; never when the
    heading makes it another text (a comment, a correction)."""
    if block[2] and block[4]:
        return False
    longer, end = (ours, block[2]) if block[2] else (theirs, block[4])
    rest = len(longer.words) - end
    heading = longer.words[:end]
    return end in longer.breaks and end <= 8 and rest >= SHORTEST_MAIN_TITLE and not _NOTICE_WORDS & set(heading)


def _block_agrees(a: tuple[str, ...], b: tuple[str, ...]) -> tuple[str | None, int, int]:
    """(note, slips, words in common): note None when the words mean something else, "" when nothing is to say."""
    if a and b and "".join(a) == "".join(b) and _digits(a) == _digits(b):
        return "", 0, max(len(a), len(b))
    if _isotope(a, b):
        return "", 0, max(len(a), len(b))
    loose_a, loose_b = _without_articles(a), _without_articles(b)
    if not loose_a and not loose_b:
        return "", 0, 0
    if len(loose_a) == len(loose_b):
        return _pairwise(loose_a, loose_b)
    plain_a = "".join(map(american, loose_a))
    plain_b = "".join(map(american, loose_b))
    if plain_a == plain_b and _digits(a) == _digits(b):
        return "", 0, max(len(a), len(b))
    return _regrouped(loose_a, loose_b)


def _isotope(a: tuple[str, ...], b: tuple[str, ...]) -> bool:
    """ "11C", "C-11" and "carbon 11" style marks: the same digits and letters, their order turned round."""
    one, other = "".join(a), "".join(b)
    if not (len(one) == len(other) <= 6 and _digits(a) == _digits(b) and _digits(a)):
        return False
    return sorted(one) == sorted(other) and one in other + other


def _regrouped(a: tuple[str, ...], b: tuple[str, ...]) -> tuple[str | None, int, int]:
    """Unequal numbers of words: joins and splits may stand beside other harmless changes; pair what pairs."""
    i = j = slips = agreed = 0
    notes: list[str] = []
    while i < len(a) and j < len(b):
        step = _join(a, b, i, j)
        if step is None:
            return None, 0, agreed
        take_a, take_b, note, slip = step
        i, j, slips, agreed = i + take_a, j + take_b, slips + slip, agreed + max(take_a, take_b)
        if note:
            notes.append(note)
    if i < len(a) or j < len(b):
        return None, 0, agreed
    return "; ".join(notes), slips, agreed


def _join(a: tuple[str, ...], b: tuple[str, ...], i: int, j: int) -> tuple[int, int, str, int] | None:
    """How many words of each side belong together here."""
    for take_a, take_b in ((1, 2), (2, 1), (1, 3), (3, 1)):
        left, right = a[i : i + take_a], b[j : j + take_b]
        if len(left) == take_a and len(right) == take_b and _digits(left) == _digits(right):
            one, other = american("".join(left)), american("".join(right))
            if one == other or "".join(map(american, left)) == "".join(map(american, right)):
                return take_a, take_b, "", 0
    note, slips = _word_agrees(a[i], b[j])
    return None if note is None else (1, 1, note, slips)


def _pairwise(a: tuple[str, ...], b: tuple[str, ...]) -> tuple[str | None, int, int]:
    notes: list[str] = []
    slips = agreed = 0
    failed = False
    for one, other in zip(a, b, strict=True):
        note, slip = _word_agrees(one, other)
        slips += slip
        if note is None:
            failed = True
        else:
            agreed += 1
            if note:
                notes.append(note)
    return (None if failed else "; ".join(notes)), slips, agreed


def _without_articles(words: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(word for word in words if word not in ARTICLES and word != "and")


def _digits(words: tuple[str, ...]) -> list[str]:
    return _RUNS.findall(" ".join(words))


def _word_agrees(a: str, b: str) -> tuple[str | None, int]:
    """(note or None, slips) for one word against one other."""
    if a == b:
        return "", 0
    if same_number(a, b):
        return f"“{a}” for “{b}”", 0
    if number_value(a) or number_value(b) or _has_digit(a) or _has_digit(b):
        return None, 0
    one, other = american(a), american(b)
    if one == other:
        return f"spelling “{a}” for “{b}”", 0
    if _plural(one, other):
        return f"“{a}” for “{b}”", 1
    if is_slip(a, b):
        return f"one letter differs: “{a}” for “{b}”", 1
    return None, 0


def _has_digit(word: str) -> bool:
    return any(map(str.isdigit, word))


def _plural(a: str, b: str) -> bool:
    short, long = sorted((a, b), key=len)
    if len(short) == len(long) and len(short) > 5:
        return {a[-2:], b[-2:]} == {"is", "es"} and a[:-2] == b[:-2]
    return len(short) >= 4 and long in (short + "s", short + "es")


def is_slip(a: str, b: str) -> bool:
    """True when one letter is dropped, doubled, exchanged or wrong inside a long word that stays the same word.

    First letters (symptomatic/asymptomatic, efferent/afferent) and endings (nitrate/nitrite) carry meaning and are
    never slips, nor are opposed prefixes and known look-alikes.
    """
    if a[-1:] == b[-1:] == "s" and len(a) == len(b):
        a, b = a[:-1], b[:-1]
    if min(len(a), len(b)) < SHORTEST_TYPO_WORD - 1 or max(len(a), len(b)) < SHORTEST_TYPO_WORD:
        return False
    if DamerauLevenshtein.distance(a, b, score_cutoff=1) != 1:
        return False
    start = 0
    while start < min(len(a), len(b)) and a[start] == b[start]:
        start += 1
    end = 0
    while end < min(len(a), len(b)) - start and a[-1 - end] == b[-1 - end]:
        end += 1
    exchanged = len(a) == len(b) and sorted(a) == sorted(b)
    dropped = len(a) != len(b)
    if a[-3:-2] in "ae" and a[:-3] + a[-2:] == b[:-3] + b[-2:] and a.endswith(("ant", "ent")):
        return True
    if start < 2 or end < (
        1 if exchanged or (dropped and min(len(a), len(b)) >= SHORTEST_TYPO_WORD) else 2 if dropped else 3
    ):
        return False
    if frozenset({a, b}) in _CONFUSABLE:
        return False
    return not any((a.startswith(p) and b.startswith(q)) or (a.startswith(q) and b.startswith(p)) for p, q in _OPPOSED)

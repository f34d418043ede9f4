"""Words written side by side without quotation marks: what PubMed makes of them, for sources that do otherwise.

Source: PubMed's help, sections on automatic term mapping, stop words and searching for a phrase. Without a tag each
word must occur somewhere (AND), and stop words are left out. With a tag the words are a phrase where PubMed's phrase
index has it, and are joined by AND where it has not.
"""

from __future__ import annotations

from litapp.core.querylang.ast import TEXT_FIELDS, Field, Leaf, Term

JOINED = "The words are joined by AND, as PubMed does with words without quotation marks."
"""Said of every run of words that is taken apart."""
PHRASE_KEPT = "Kept together as a phrase; PubMed joins such words by AND where its index does not have the phrase."
"""Said of every tagged run of words that is sent as one phrase."""
STOP_WORDS = frozenset(
    """a about again all almost also although always among an and another any are as at be because been before being
    between both but by can could did do does done due during each either enough especially etc for found from further
    had has have having here how however i if in into is it its itself just kg km made mainly make may mg might ml mm
    most mostly must nearly neither no nor obtained of often on our overall perhaps pmid quite rather really regarding
    seem seen several should show showed shown shows significantly since so some such than that the their theirs them
    then there therefore these they this those through thus to upon use used using various very was we were what when
    which while with within without would""".split()  # noqa: SIM905 - reads better than 130 quotes
)
"""Words that PubMed leaves out of a search."""


def words_side_by_side(term: Leaf) -> tuple[str, ...]:
    """The words that PubMed joins by AND in an untagged run without quotation marks; () for everything else.

    Stop words are left out unless there is nothing else.
    """
    if not isinstance(term, Term) or term.field is not Field.UNTAGGED or term.phrase:
        return ()
    words = term.text.split()
    if len(words) < 2:
        return ()
    return tuple(word for word in words if word.casefold() not in STOP_WORDS) or tuple(words)


def is_tagged_run(term: Leaf) -> bool:
    """True for `heart failure[tiab]`: PubMed may or may not take it as a phrase."""
    tagged = isinstance(term, Term) and term.field in TEXT_FIELDS - {Field.UNTAGGED, Field.UNKNOWN}
    return tagged and isinstance(term, Term) and not term.phrase and " " in term.text


def with_phrase_note(term: Leaf, why: str) -> str:
    """`why`, and that a tagged run of words stays together where that is so."""
    return " ".join(part for part in (why, PHRASE_KEPT if is_tagged_run(term) else "") if part)

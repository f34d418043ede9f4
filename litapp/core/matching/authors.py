"""Comparison of two author lists, in order."""

from __future__ import annotations

from dataclasses import dataclass

from litapp.core.matching.names import Name, NameMatch, compare_names, is_et_al, letters_of, read_name
from litapp.core.matching.verdicts import Agreement
from litapp.core.records import Person

CUT_LENGTHS = frozenset({1, 3, 6, 10, 20})
"""Where reference styles cut author lists; a list that ends there is cut, not wrong."""


@dataclass(frozen=True, slots=True)
class AuthorComparison:
    """Agreement of two author lists. `matched` of `ours` people have a counterpart among `theirs` people."""

    verdict: Agreement
    why: str = ""
    matched: int = 0
    ours: int = 0
    theirs: int = 0
    first_agrees: bool = False

    @property
    def foreign(self) -> bool:
        """True when both sides name people and not one of ours is among theirs."""
        return self.ours > 0 and self.theirs > 0 and self.matched == 0


def compare_authors(
    ours: tuple[Person, ...], theirs: tuple[Person, ...], *, ours_complete: bool = True, theirs_complete: bool = True
) -> AuthorComparison:
    """Compare author lists in order. Study groups stand apart: they may be left out or added, the people may not."""
    if any(map(is_et_al, ours)):
        ours, ours_complete = tuple(p for p in ours if not is_et_al(p)), False
    if any(map(is_et_al, theirs)):
        theirs, theirs_complete = tuple(p for p in theirs if not is_et_al(p)), False
    if not ours or not theirs:
        return AuthorComparison(Agreement.ABSENT, "No authors on one side.")
    left, right = [read_name(p) for p in ours], [read_name(p) for p in theirs]
    people, others = [n for n in left if not n.group], [n for n in right if not n.group]
    if not people or not others:
        return _with_groups(left, right, people, others)
    return _people(
        people, others, len(left) == len(people) and len(right) == len(others), ours_complete, theirs_complete
    )


def _with_groups(left: list[Name], right: list[Name], people: list[Name], others: list[Name]) -> AuthorComparison:
    if people or others:
        return AuthorComparison(
            Agreement.VARIANT, "Authors: one side names the group, the other the people.", 0, len(people), len(others)
        )
    if any(_same_group(a, b) for a in left for b in right):
        same = len(left) == len(right) and all(a.whole == b.whole for a, b in zip(left, right, strict=True))
        verdict = Agreement.SAME if same else Agreement.VARIANT
        return AuthorComparison(verdict, "" if same else "Authors: group written differently.", 1, 1, 1, True)
    return AuthorComparison(
        Agreement.DIFFERS, f"Authors: {left[0].shown} where the source has {right[0].shown}.", 0, 1, 1
    )


def _same_group(a: Name, b: Name) -> bool:
    if a.whole == b.whole or a.whole in b.whole or b.whole in a.whole:
        return True
    words_a, words_b = set(a.family), set(b.family)
    letters_a, letters_b = "".join(w[0] for w in a.family), "".join(w[0] for w in b.family)
    return bool(words_a & words_b - _GROUP_WORDS) or a.whole == letters_b or b.whole == letters_a


_GROUP_WORDS = frozenset(
    {"the", "of", "for", "on", "behalf", "and", "group", "study", "trial", "investigators", "collaborators", "research"}
    | {"consortium", "committee", "network", "society", "association", "team", "working", "writing", "international"}
    | {"national", "clinical"}
)


def _people(
    people: list[Name], others: list[Name], no_groups: bool, ours_complete: bool, theirs_complete: bool
) -> AuthorComparison:
    pairing = _pair(people, others)
    places = pairing.places

    def result(
        verdict: Agreement, why: str = "", matched: int = sum(p is not None for p in places)
    ) -> AuthorComparison:
        first = places[0] == 0 and pairing.clash != 0
        return AuthorComparison(verdict, f"Authors: {why}." if why else "", matched, len(people), len(others), first)

    if all(place is None for place in places):
        if _filed_by_given_name(people, others):
            return result(Agreement.VARIANT, "given names and family names exchanged", len(people))
        return result(Agreement.DIFFERS, f"none of ours ({_names(people)}) is among the source's ({_names(others)})")
    fault = _fault(people, others, pairing, theirs_complete) or _missing(people, others, pairing, ours_complete)
    if fault:
        return result(Agreement.DIFFERS, fault)
    if None in places:
        return result(Agreement.VARIANT, "the source's list is cut")
    if len(others) > len(people):
        return result(Agreement.VARIANT, f"list cut after the first {len(people) if len(people) > 1 else 'one'}")
    if no_groups and pairing.exact:
        return result(Agreement.SAME)
    return result(Agreement.VARIANT, "names written differently")


def _fault(people: list[Name], others: list[Name], pairing: Pairing, theirs_complete: bool) -> str:
    """What is wrong with a name, or with the order; "" when nothing is."""
    places, clash = pairing.places, pairing.clash
    if clash is not None:
        who = others[places[clash] or 0].shown
        return f"{_ordinal(clash, len(people))} is {people[clash].shown}, in the source {who}"
    extra = [i for i, place in enumerate(places) if place is None]
    if extra and (theirs_complete or extra[0] < len(others)):
        at = extra[0]
        if at < len(others) and at not in places:
            return f"{_ordinal(at, len(people))} is {people[at].shown}, in the source {others[at].shown}"
        return f"{_names([people[i] for i in extra])} not among the source's authors"
    found = [place for place in places if place is not None]
    if found != sorted(found):
        at = next(i for i, place in enumerate(places) if place != i)
        who = others[at].shown if at < len(others) else "nobody"
        return f"another order: {_ordinal(at, len(people))} is {people[at].shown}, in the source {who}"
    return ""


def _missing(people: list[Name], others: list[Name], pairing: Pairing, ours_complete: bool) -> str:
    """Who of the source's authors is missing in ours, when the list was not cut the way reference styles cut."""
    missing = [place for place in range(len(others)) if place not in pairing.places]
    if not missing:
        return ""
    names = _names([others[place] for place in missing])
    if missing[0] < len(people):
        return f"{names} missing in ours"
    return f"{names} missing at the end of ours" if ours_complete and len(people) not in CUT_LENGTHS else ""


def _filed_by_given_name(people: list[Name], others: list[Name]) -> bool:
    """True when every name of two whole lists has the same letters as initials ("Valeria PJ" / "Prado JV"): an index
    took the given names for family names."""
    if len(people) != len(others) or len(people) < 2:
        return False
    return all(letters_of(a) == letters_of(b) and len(letters_of(a)) >= 2 for a, b in zip(people, others, strict=True))


@dataclass(frozen=True, slots=True)
class Pairing:
    """For each of ours the place of its counterpart, or None; the first place where only the given names clash; whether
    all names are the same."""

    places: list[int | None]
    clash: int | None
    exact: bool


def _pair(people: list[Name], others: list[Name]) -> Pairing:
    places: list[int | None] = [None] * len(people)
    free = set(range(len(others)))
    exact = len(people) == len(others)
    waiting: list[tuple[int, NameMatch]] = []
    for i, name in enumerate(people):
        match = compare_names(name, others[i]) if i < len(others) else NameMatch.NONE
        exact = exact and match is NameMatch.SAME
        if match >= NameMatch.VARIANT:
            places[i] = i
            free.discard(i)
        else:
            waiting.append((i, match))
    clash: int | None = None
    for i, match in waiting:
        ranked = [(compare_names(people[i], others[j]), -abs(i - j), -j) for j in free if j != i]
        best = max(ranked, default=(NameMatch.NONE, 0, 0))
        if best[0] >= NameMatch.VARIANT:
            places[i] = -best[2]
            free.discard(-best[2])
        elif match is NameMatch.GIVEN_CLASH and i in free:
            places[i] = i
            free.discard(i)
            clash = i if clash is None else clash
    return Pairing(places, clash, exact)


def _names(names: list[Name], most: int = 3) -> str:
    shown = ", ".join(name.shown for name in names[:most])
    return f"{shown} and {len(names) - most} more" if len(names) > most else shown


def _ordinal(at: int, total: int) -> str:
    if at == 0:
        return "the first author"
    if at == total - 1:
        return "the last author"
    return f"author {at + 1}"

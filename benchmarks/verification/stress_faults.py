"""Faults planted in real references, each of one kind, and what an honest check must say of them."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from benchmarks.verification.stress_world import RealWork, RealWorld
from litapp.core.matching.authors import compare_authors
from litapp.core.matching.journals import same_journal
from litapp.core.records import Identifier, PartialDate, Person, Record, Scheme

IDENTIFIERS = (Scheme.DOI, Scheme.PMID)


@dataclass(frozen=True, slots=True)
class Scene:
    """What a fault is made from: the world, chance, and another work."""

    world: RealWorld
    chance: random.Random
    other: RealWork


Fault = Callable[[Record, Scene], Record | None]


def _bare(record: Record) -> Record:
    return replace(record, identifiers=(), original_title="")


def year_changed(record: Record, scene: Scene) -> Record | None:
    if not record.year:
        return None
    known = {*record.years, record.year}
    choices = [y for gap in (2, 3, 4, -2, -3, -4) if min(abs((y := record.year + gap) - k) for k in known) >= 2]
    return replace(record, date=PartialDate(year=scene.chance.choice(choices)), years=()) if choices else None


def _strangers(record: Record, scene: Scene) -> list[Person]:
    ours = record.authors
    return [
        p
        for p in scene.other.record.authors
        if p.family and p.given and not compare_authors((p,), ours, ours_complete=False).matched
    ]


def coauthor_exchanged(record: Record, scene: Scene) -> Record | None:
    strangers = _strangers(record, scene)
    if len(record.authors) < 3 or not strangers:
        return None
    at = scene.chance.randrange(1, len(record.authors))
    if not record.authors[at].family:
        return None
    return replace(record, authors=(*record.authors[:at], strangers[0], *record.authors[at + 1 :]))


def first_author_exchanged(record: Record, scene: Scene) -> Record | None:
    strangers = _strangers(record, scene)
    if len(record.authors) < 2 or not strangers or not record.authors[0].family:
        return None
    return replace(record, authors=(strangers[0], *record.authors[1:]))


def coauthor_invented(record: Record, scene: Scene) -> Record | None:
    strangers = _strangers(record, scene)
    if len(record.authors) < 2 or not strangers:
        return None
    at = scene.chance.randrange(1, len(record.authors) + 1)
    return replace(record, authors=(*record.authors[:at], strangers[0], *record.authors[at:]))


def authors_reordered(record: Record, scene: Scene) -> Record | None:
    people = list(record.authors)
    if len(people) < 3 or any(not p.family for p in people):
        return None
    at = scene.chance.randrange(len(people) - 1)
    if compare_authors((people[at],), (people[at + 1],)).matched:
        return None
    people[at], people[at + 1] = people[at + 1], people[at]
    return replace(record, authors=tuple(people))


def sibling_journal(record: Record, scene: Scene) -> Record | None:
    names = {record.journal, record.journal_abbreviation, *record.journal_alternatives} - {""}
    if not names:
        return None
    first = record.journal.split()[0].lower() if record.journal else ""
    alike = [j for j in scene.world.journals if j.split()[0].lower() == first] if len(first) > 3 else []
    for name in scene.chance.sample(alike, min(8, len(alike))) + scene.chance.sample(scene.world.journals, 3):
        if not any(same_journal(name, own) or same_journal(own, name) for own in names):
            return replace(record, journal=name, journal_abbreviation="", journal_alternatives=(), issns=())
    return None


def other_doi(record: Record, scene: Scene) -> Record | None:
    if not record.doi or not scene.other.record.doi or scene.other.record.doi.startswith("10.48550/"):
        return None
    rest = tuple(i for i in record.identifiers if i.scheme not in IDENTIFIERS)
    return replace(record, identifiers=(*rest, Identifier(Scheme.DOI, scene.other.record.doi)))


def other_pmid(record: Record, scene: Scene) -> Record | None:
    if not record.pmid or not scene.other.record.pmid:
        return None
    return replace(record, identifiers=(Identifier(Scheme.PMID, scene.other.record.pmid),))


def doi_mistyped(record: Record, scene: Scene) -> Record | None:
    digits = [at for at, letter in enumerate(record.doi) if letter.isdigit() and at > 8]
    if not digits or record.doi.startswith("10.48550/"):
        return None
    at = scene.chance.choice(digits)
    doi = record.doi[:at] + str((int(record.doi[at]) + scene.chance.randint(1, 8)) % 10) + record.doi[at + 1 :]
    wrong = Identifier(Scheme.DOI, doi)
    return None if wrong in scene.world.by_identifier else replace(record, identifiers=(wrong,))


FLIPS = (
    (r"\bwithout\b", "with"), (r"\bwith\b(?! respect| regard)", "without"), (r"\bincreased\b", "decreased"),
    (r"\bdecreased\b", "increased"), (r"\breduced\b", "increased"), (r"\bimproves\b", "does not improve"),
    (r"\binhibition\b", "stimulation"), (r"\bstimulation\b", "inhibition"), (r"\bhigh\b", "low"), (r"\blow\b", "high"),
    (r"\bEffects? of\b", "No effect of"), (r"\beffects? of\b", "lack of effect of"), (r"\bhyper(?=\w)", "hypo"),
    (r"\bis\b", "is not"), (r"\bnot\b ?", ""), (r"\bduring\b", "before"), (r"\bafter\b", "before"),
    (r"\bpost(?=operative)", "pre"), (r"\bacute\b", "chronic"), (r"\bchronic\b", "acute"), (r"\bnon-", ""),
)  # fmt: skip


def negation(record: Record, scene: Scene) -> Record | None:
    fitting = [flip for flip in FLIPS if re.search(flip[0], record.title)]
    if not fitting:
        return None
    pattern, to = scene.chance.choice(fitting)
    return replace(record, title=re.sub(pattern, to, record.title, count=1), original_title="")


def number(record: Record, scene: Scene) -> Record | None:
    found = list(re.finditer(r"(?<![\w.,-])\d{1,4}(?![\w.,]*\d)", record.title))
    if not found:
        return None
    at = scene.chance.choice(found)
    value = str(int(at[0]) + scene.chance.randint(1, 3))
    return replace(record, title=record.title[: at.start()] + value + record.title[at.end() :], original_title="")


def abridged_negation(record: Record, scene: Scene) -> Record | None:
    """A title cut at its end, and turned round in what is left of it."""
    words = record.title.rstrip(".").split()
    if len(words) < 9:
        return None
    return negation(replace(record, title=" ".join(words[: len(words) - 3])), scene)


def abridged_number(record: Record, scene: Scene) -> Record | None:
    words = record.title.rstrip(".").split()
    if len(words) < 9:
        return None
    return number(replace(record, title=" ".join(words[: len(words) - 3])), scene)


def _titled(title: str) -> bool:
    return len(title.split()) >= 6


def chimera_here(record: Record, scene: Scene) -> Record | None:
    """The title of another paper on everything else of this one, its identifiers too."""
    return (
        replace(record, title=scene.other.record.title, original_title="")
        if _titled(scene.other.record.title)
        else None
    )


def chimera_bare(record: Record, scene: Scene) -> Record | None:
    if not _titled(scene.other.record.title) or len(record.authors) < 2 or not record.journal or not record.year:
        return None
    return replace(_bare(record), title=scene.other.record.title)


def chimera_abridged(record: Record, scene: Scene) -> Record | None:
    """The shortened title of another paper on everything else of this one."""
    words = scene.other.record.title.rstrip(".").split()
    return replace(record, title=" ".join(words[:7]), original_title="") if len(words) >= 10 else None


_PARTS = (
    ("Effect of", "Long-term safety of", "Association between", "Cost-effectiveness of", "Mechanisms of"),
    ("app-guided breathing", "low-dose melatonin", "remote ischaemic preconditioning", "vitamin K2 supplements",
     "machine-learning triage", "intranasal ketamine", "weekly semaglutide", "aquatic exercise"),
    ("in adults with chronic cough", "after hip fracture", "in adolescent migraine", "in binge eating disorder",
     "among dialysis nurses", "in subclinical hypothyroidism", "for refractory hiccups", "in postpartum sepsis"),
    (": a randomised controlled trial", ": a target trial emulation", ": a qualitative study", ": a cohort study"),
)  # fmt: skip


def _invented(scene: Scene) -> str:
    return " ".join(map(scene.chance.choice, _PARTS)).replace(" :", ":")


def invented_bare(record: Record, scene: Scene) -> Record | None:
    known = record.journal and record.year and len(record.authors) > 1 and "eng" in (record.languages or ("eng",))
    return replace(_bare(record), title=_invented(scene)) if known and record.pmid else None


def invented_with_doi(record: Record, scene: Scene) -> Record | None:
    return replace(record, title=_invented(scene), original_title="") if record.doi or record.pmid else None


def invented_false_doi(record: Record, scene: Scene) -> Record | None:
    made = doi_mistyped(record, scene)
    return replace(made, title=_invented(scene), original_title="") if made else None


FAULTS: dict[str, Fault] = {
    name.__name__: name
    for name in (
        year_changed, coauthor_exchanged, first_author_exchanged, coauthor_invented, authors_reordered,
        sibling_journal, other_doi, other_pmid, doi_mistyped, negation, number, abridged_negation, abridged_number,
        chimera_here, chimera_bare, chimera_abridged, invented_bare, invented_with_doi, invented_false_doi,
    )
}  # fmt: skip
NEVER_VERIFIED = frozenset(
    {"other_doi", "other_pmid", "doi_mistyped", "invented_bare", "invented_with_doi", "invented_false_doi"}
)
"""Invented papers and identifiers of other papers: called verified, they are the worst error."""

"""Groups do not depend on the order, the pages or the number of times in which records come. Records are made up."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
from django.contrib.auth.models import User
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from litapp.core.dedupe import PairVerdict, Relation
from litapp.core.records import Identifier, PartialDate, Person, Record, Scheme
from litapp.ledger.services.brought import store_brought
from litapp.projects.models import Project
from searches.models import BlockKey, Candidate, CandidateSource, RecordPair
from searches.services import grouping, workbench
from searches.services.candidates import absorb_brought, think_ahead_brought, withdraw_links

TITLE = "Inhaled budesonide for adults with mild influenza in primary care"


def record(name: str, **changes: object) -> Record:
    """A record that a person brought; `name` is its own id in the file."""
    values: dict[str, object] = {
        "source": "brought",
        "source_id": name,
        "title": TITLE,
        "authors": (Person("Horby", "Peter"), Person("Lim", "Wei Shen"), Person("Mafham", "Marion")),
        "journal": "The Lancet",
        "volume": "397",
        "issue": "2",
        "pages": "1637-1645",
        "date": PartialDate(2021),
    }
    return Record(**{**values, **changes})  # type: ignore[arg-type]


def doi(value: str) -> tuple[Identifier, ...]:
    return (Identifier(Scheme.DOI, value),)


LIBRARY = (
    record("a"),
    record("b", title=TITLE.upper() + ".", authors=(Person("Horby", "P."),), pages="1637-45"),
    record("c", volume="", issue="", pages="", date=PartialDate(2020), identifiers=doi("10.1000/x")),
    record("d", title=f"{TITLE}. Part 1", identifiers=doi("10.1000/p1")),
    record("e", title=f"{TITLE}. Part 2", pages="1646-1650", identifiers=doi("10.1000/p2")),
    record("f", title=TITLE, volume="", issue="", pages="1637-1650", journal=""),
    record("g", title=f"Erratum: {TITLE}", pages="1820"),
    record("h", journal="medRxiv", volume="", issue="", pages="", is_preprint=True, identifiers=doi("10.1101/2020.1")),
    record("i", identifiers=doi("10.1000/x")),
    record("j", title="Editorial", authors=(), pages=""),
    record("k", title="Editorial", authors=(), pages="", issue="3"),
    record("l", title="Copper surfaces against hospital infection: a cluster trial", authors=(Person("Prado", "V"),)),
    record("m", title=TITLE, pages="1700-1709", identifiers=doi("10.1000/other")),
)
"""Same, parts, notice, preprint, doubtful and unlike records, some of which bridge others."""


@pytest.fixture
def projects(db: None, person: User) -> Callable[[], Project]:
    return lambda: Project.objects.create(name="one of many", created_by=person)


def bring(project: Project, records: Sequence[Record], *, ahead: bool = False) -> None:
    rows = store_brought(label="a list", text=f"{random.random()}", records=records)
    bench = think_ahead_brought(project=project, rows=rows, records=records) if ahead else None
    absorb_brought(project=project, rows=rows, records=records, bench=bench)


def groups(project: Project) -> set[frozenset[str]]:
    found: dict[int, set[str]] = {}
    for candidate, name in CandidateSource.objects.filter(project=project).values_list(
        "candidate_id", "source_record__source_id"
    ):
        found.setdefault(candidate, set()).add(name)
    assert set(found) == set(Candidate.objects.listed(project).values_list("pk", flat=True))
    return {frozenset(group) for group in found.values()}


def queue(project: Project) -> set[frozenset[frozenset[str]]]:
    """The two groups of each doubtful pair."""
    at = {name: group for group in groups(project) for name in group}
    rows = RecordPair.objects.filter(project=project, queued=True)
    names = rows.values_list("a__source_record__source_id", "b__source_record__source_id")
    return {frozenset({at[a], at[b]}) for a, b in names}


def shown(project: Project) -> list[tuple[object, ...]]:
    rows = Candidate.objects.listed(project).order_by("title", "doi", "search_text")
    return list(rows.values_list("title", "doi", "year", "journal", "sources", "provenance"))


def split(records: Sequence[Record], cuts: Sequence[int]) -> list[Sequence[Record]]:
    places = sorted({0, len(records), *cuts})
    return [records[a:b] for a, b in itertools.pairwise(places)]


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.permutations(LIBRARY), st.lists(st.integers(1, len(LIBRARY) - 1), max_size=6), st.booleans())
def test_any_order_and_any_pages_give_the_same_groups(
    projects: Callable[[], Project], order: list[Record], cuts: list[int], ahead: bool
) -> None:
    calm, disturbed = projects(), projects()
    bring(calm, LIBRARY)
    for page in split(order, cuts):
        bring(disturbed, page, ahead=ahead)
    assert groups(disturbed) == groups(calm)
    assert queue(disturbed) == queue(calm)
    assert shown(disturbed) == shown(calm)


class TestConflicts:
    """Whatever the rules say of pairs: groups and queue are those of all pairs together."""

    RELATIONS = (Relation.SAME, Relation.COMPANION, Relation.DOUBTFUL, Relation.DIFFERENT)

    NAMES = "abcdefg"

    @settings(
        max_examples=12,
        phases=[Phase.generate],
        deadline=None,
        suppress_health_check=[HealthCheck.function_scoped_fixture],
    )
    @given(st.data())
    def test_contradicting_pairs(
        self, projects: Callable[[], Project], monkeypatch: pytest.MonkeyPatch, data: st.DataObject
    ) -> None:
        said = {frozenset(pair): data.draw(st.sampled_from(self.RELATIONS)) for pair in pairs_of(self.NAMES)}
        order = data.draw(st.permutations(self.NAMES))
        cuts = data.draw(st.lists(st.integers(1, len(self.NAMES) - 1), max_size=6))
        self.same_whatever_the_order(projects, monkeypatch, said, order, cuts)

    @pytest.mark.parametrize(
        ("apart", "order", "cuts"),
        [("cf", "edcagbf", (1, 2, 3, 4, 6)), ("dg", "gdaebcf", (3, 6)), ("fg", "gfedcba", (3,))],
    )
    def test_a_newcomer_that_parts_a_group_changes_its_place_in_the_queue(
        self, projects: Callable[[], Project], monkeypatch: pytest.MonkeyPatch, apart: str, order: str, cuts: tuple[int]
    ) -> None:
        said = {frozenset(pair): Relation.SAME for pair in pairs_of(self.NAMES)}
        said[frozenset(apart)] = Relation.COMPANION
        self.same_whatever_the_order(projects, monkeypatch, said, order, cuts)

    @staticmethod
    def same_whatever_the_order(
        projects: Callable[[], Project],
        monkeypatch: pytest.MonkeyPatch,
        said: dict[frozenset[str], Relation],
        order: Sequence[str],
        cuts: Sequence[int],
    ) -> None:
        def verdict(one: grouping.Features, other: grouping.Features) -> PairVerdict:
            relation = said[frozenset({one.record.source_id, other.record.source_id})]
            rule = "part" if relation is Relation.COMPANION else "made_up"
            return PairVerdict(relation, rule, "As the test says.", 0.5)

        monkeypatch.setattr(workbench, "compare_features", verdict)
        calm, disturbed = projects(), projects()
        bring(calm, [record(name) for name in sorted(order)])
        for page in split([record(name) for name in order], cuts):
            bring(disturbed, page)
        assert groups(disturbed) == groups(calm)
        assert queue(disturbed) == queue(calm)


def pairs_of(names: str) -> list[tuple[str, str]]:
    return list(itertools.combinations(names, 2))


def test_the_same_records_again_add_nothing(projects: Callable[[], Project]) -> None:
    project = projects()
    bring(project, LIBRARY)
    before = (groups(project), queue(project), list(Candidate.objects.filter(project=project).order_by("pk").values()))
    keys = BlockKey.objects.count()
    bring(project, LIBRARY)
    bring(project, LIBRARY[:4])
    after = (groups(project), queue(project), list(Candidate.objects.filter(project=project).order_by("pk").values()))
    assert after == before
    assert BlockKey.objects.count() == keys
    assert CandidateSource.objects.filter(project=project).count() == 2 * len(LIBRARY) + 4


@pytest.mark.parametrize("gone", ["a", "c", "d", "i", "abc", "gh", "abcdefgh"])
def test_taken_back_it_is_as_if_they_had_never_come(projects: Callable[[], Project], gone: str) -> None:
    never, project = projects(), projects()
    left = [one for one in LIBRARY if one.source_id not in gone]
    bring(never, left)
    bring(project, LIBRARY)
    ids = CandidateSource.objects.filter(project=project, source_record__source_id__in=list(gone))
    withdraw_links(project=project, link_ids=list(ids.values_list("pk", flat=True)))
    bare = Candidate.objects.filter(project=project, merged_into=None, source_records=None)
    bare.update(merged_into=Candidate.objects.filter(project=project, source_records__isnull=False).first())
    assert groups(project) == groups(never)
    assert queue(project) == queue(never)


def test_a_copy_stands_for_the_first_when_that_is_taken_back(projects: Callable[[], Project]) -> None:
    project = projects()
    bring(project, [LIBRARY[0]])
    first = CandidateSource.objects.get(project=project)
    bring(project, [LIBRARY[0]])
    withdraw_links(project=project, link_ids=[first.pk])
    bring(project, [LIBRARY[1]])
    assert groups(project) == {frozenset("ab")}


def test_an_id_in_a_file_names_nothing(projects: Callable[[], Project]) -> None:
    """Two files that number their records: number 1 is another paper in each."""
    project = projects()
    bring(project, [record("1")])
    bring(project, [replace(LIBRARY[11], source_id="1")])
    assert Candidate.objects.listed(project).count() == 2

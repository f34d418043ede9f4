"""Full-text search: the database keeps its index, whoever writes; and without one the answers are the same."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.db import connection

from litapp.projects.models import Project
from searches import text_search
from searches.models import Candidate
from searches.querysets import CandidateFilter

Make = Callable[..., list[Candidate]]
TEXTS = ("dexamethasone in sepsis 10 1056 nejm", "sepsis and steroids", "methylprednisolone")


@pytest.fixture
def rows(candidates: Make) -> list[Candidate]:
    made = candidates(3)
    for row, text in zip(made, TEXTS, strict=True):
        Candidate.objects.filter(pk=row.pk).update(search_text=text)
    return made


def found(rows: list[Candidate], project: Project, text: str) -> set[int]:
    ids = [row.pk for row in rows]
    hits = Candidate.objects.listed(project).filtered(CandidateFilter(text=text))
    return {ids.index(pk) for pk in hits.values_list("pk", flat=True)}


QUESTIONS = [
    ("sepsis", {0, 1}),
    ("SEPSIS dexa", {0}),
    ("10.1056/NEJM", {0}),
    ("prednisolone", set()),
    ("steroids sepsis", {1}),
    ("meth", {2}),
    ("or", set()),
    ('" OR *', set()),
    ("near(sepsis)", set()),
]


def test_the_index_is_there_after_all_migrations(db: None) -> None:
    assert text_search.is_ready()


@pytest.mark.parametrize(("text", "expected"), QUESTIONS)
def test_every_word_from_its_beginning(rows: list[Candidate], project: Project, text: str, expected: set[int]) -> None:
    assert found(rows, project, text) == expected


@pytest.mark.parametrize(("text", "expected"), QUESTIONS)
def test_without_an_index_the_answers_are_the_same(
    rows: list[Candidate], project: Project, text: str, expected: set[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    if connection.vendor != "sqlite":
        pytest.skip("PostgreSQL needs no index to give the right answer")
    monkeypatch.setattr(text_search, "is_ready", lambda using="default": False)
    assert found(rows, project, text) == expected


def test_the_index_follows_changes_and_removals(rows: list[Candidate], project: Project) -> None:
    Candidate.objects.filter(pk=rows[0].pk).update(search_text="sepsis alone")
    Candidate.objects.filter(pk=rows[1].pk).delete()
    assert (found(rows, project, "dexa"), found(rows, project, "sepsis"), found(rows, project, "alone")) == (
        set(), {0}, {0}
    )  # fmt: skip

"""Which block excludes everything, or nothing: told with counts, changed only in a draft."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from litapp.core.plan import PlanQuery
from litapp.core.querylang.blocks import BlockVariants
from litapp.projects.models import Membership, Project, Role
from litapp.providers.base import CountResult
from searches.models import RetrievalRun, SearchPlanVersion
from searches.services import block_counts
from searches.services.block_counts import BlockCount, NoBlocks, Number, advised, block_change, blocks_count
from searches.services.plans import plan_new_version, plan_save
from searches.views import plan_blocks
from tests.searches.stand_in import StandIn, trouble

QUERY = "a[ti] AND b[tiab] AND c[tiab]"
TOTALS = {
    QUERY: 0, "a[ti]": 10, "b[tiab]": 7, "c[tiab]": 0, "b[tiab] AND c[tiab]": 0, "a[ti] AND c[tiab]": 0,
    "a[ti] AND b[tiab]": 4, "a[tiab] AND b[tiab] AND c[tiab]": 0,
}  # fmt: skip


@pytest.fixture(autouse=True)
def counted(sources: dict[str, StandIn], monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """PubMed counts what TOTALS says; the list holds what it was asked."""
    asked: list[str] = []

    def count(client: Any, query: Any) -> CountResult:
        asked.append(query.text)
        if query.text not in TOTALS:
            raise trouble()
        return CountResult(TOTALS[query.text], True, None)

    monkeypatch.setattr(sources["pubmed"], "count", count, raising=False)
    monkeypatch.setattr(block_counts, "search_provider", sources.__getitem__)
    monkeypatch.setattr(block_counts, "client_for", sources.__getitem__)
    monkeypatch.setattr(block_counts, "source_state", lambda key: sources[key].state)
    return asked


@pytest.fixture
def version(approved: Callable[..., SearchPlanVersion]) -> SearchPlanVersion:
    return approved("pubmed", "crossref", queries_given=(PlanQuery(QUERY, "plain words"),))


def test_each_block_is_counted_alone_left_out_and_broader(version: SearchPlanVersion) -> None:
    report = blocks_count(version=version, source_key="pubmed", query_index=0)
    assert report.total == Number(0)
    assert [(b.variants.alone, b.alone, b.without, b.broader, b.advice) for b in report.blocks] == [
        ("a[ti]", Number(10), Number(0), Number(0), ""),
        ("b[tiab]", Number(7), Number(0), None, ""),
        ("c[tiab]", Number(0), Number(4), None,
         "This block finds nothing by itself: check its spelling, broaden it, or take it out."),
    ]  # fmt: skip


def test_what_could_not_be_counted_is_no_zero(version: SearchPlanVersion, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(TOTALS, "b[tiab]")
    report = blocks_count(version=version, source_key="pubmed", query_index=0)
    assert report.blocks[1].alone == Number(None, "pubmed has a problem. Try later.")


def block(number: int, alone: int, without: int | None) -> BlockCount:
    rest = None if without is None else Number(without)
    return BlockCount(BlockVariants(number, "x", "y", ""), Number(alone), rest, None)


@pytest.mark.parametrize(
    ("total", "blocks", "advice"),
    [
        (0, [(5, 0), (9, 30), (8, 20)], ["", "Taking this block out helps most: 30 records.", ""]),
        (0, [(5, 0), (5, 0)], ["", ""]),
        (
            21_000,
            [(90_000, 500_000), (400_000, 21_500)],
            [
                "",
                "The widest block: it narrows the search least (21,000 in place of 21,500 records). Make it narrower, "
                "or add a block.",
            ],
        ),
        (21_000, [(21_000, None)], [""]),
        (None, [(0, 5)], [""]),
    ],
)
def test_advice(total: int | None, blocks: list[tuple[int, int | None]], advice: list[str]) -> None:
    given = [block(number, *numbers) for number, numbers in enumerate(blocks, start=1)]
    assert [one.advice for one in advised(total, given)] == advice


@pytest.mark.parametrize(("source", "query"), [("crossref", 0), ("pubmed", 1), ("openalex", 0), ("pubmed", -1)])
def test_what_has_no_blocks_is_told(version: SearchPlanVersion, source: str, query: int) -> None:
    with pytest.raises(NoBlocks):
        blocks_count(version=version, source_key=source, query_index=query)


def test_a_change_makes_a_draft_and_runs_nothing(version: SearchPlanVersion, person: User) -> None:
    draft = block_change(version=version, actor=person, query_index=0, number=3, change="drop")
    assert (draft.pk == version.pk, draft.is_approved) == (False, False)
    assert draft.plan_content.queries == (PlanQuery("a[ti] AND b[tiab]", "plain words"),)
    version.refresh_from_db()
    assert version.plan_content.queries[0].boolean == QUERY
    assert not RetrievalRun.objects.exists()


def test_another_draft_is_not_overwritten(version: SearchPlanVersion, person: User) -> None:
    draft = plan_new_version(version=version, actor=person)
    mine = {**version.content, "question": "Another question?"}
    plan_save(version=draft, actor=person, content=mine, revision=draft.revision)
    with pytest.raises(NoBlocks):
        block_change(version=version, actor=person, query_index=0, number=1, change="broaden")
    draft.refresh_from_db()
    assert draft.plan_content.question == "Another question?"


@pytest.mark.parametrize(("number", "change"), [(2, "broaden"), (9, "drop"), (1, "delete")])
def test_a_change_that_is_none_is_refused(version: SearchPlanVersion, person: User, number: int, change: str) -> None:
    with pytest.raises(NoBlocks):
        block_change(version=version, actor=person, query_index=0, number=number, change=change)


def test_the_page_shows_the_counts_and_offers_drafts(
    version: SearchPlanVersion, project: Project, person: User, counted: list[str]
) -> None:
    Membership.objects.create(project=project, user=person, role=Role.OWNER)
    browser = Client()
    browser.force_login(person)
    address = reverse("searches:plan_blocks", args=[project.pk, version.pk])
    page = browser.post(address, {"source": "pubmed", "query": "0"}).content.decode()
    assert "finds nothing by itself" in page
    assert page.count('value="drop"') == 3
    assert page.count('value="broaden"') == 1
    assert "There is no such source" in browser.post(address, {"source": "<b>", "query": "0"}).content.decode()
    change = reverse("searches:plan_block_change", args=[project.pk, version.pk])
    answer = browser.post(change, {"query": "0", "block": "3", "change": "drop"})
    assert answer.status_code == 303
    assert answer["Location"].endswith("/edit/")
    assert plan_blocks._whole("x") == -1

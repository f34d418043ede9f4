"""The block grid: hits per term, block and query are kept with their date; a broad topic is asked about, never cut."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client

from litapp.core.plan import PlanQuery
from litapp.projects.models import Project
from searches.models import PlanCount, SearchPlanVersion
from searches.models_plans import PartCount
from searches.services import part_counts
from searches.services.hits import Number
from tests.searches.conftest import content
from tests.searches.test_pages_plans import at, client, draft, text_of

__all__ = ["client"]
pytestmark = pytest.mark.django_db
QUERY = "(cancer[tiab] OR tumor[tiab]) AND yoga[tiab]"
HITS = {
    QUERY: 8_500,
    "cancer[tiab] OR tumor[tiab]": 4_000_000,
    "yoga[tiab]": 12_000,
    "cancer[tiab]": 3_000_000,
    "tumor[tiab]": 2_000_000,
}


@pytest.fixture
def version(project: Project, person: User) -> SearchPlanVersion:
    return draft(project, person, content(queries_given=(PlanQuery(QUERY, "words"),)))


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    questions: list[str] = []

    def count(texts: list[str], *, user_id: int | None = None) -> list[Number]:
        questions.extend(texts)
        return [Number(HITS[text]) for text in texts]

    monkeypatch.setattr(part_counts, "pubmed_hits", count)
    return questions


def test_every_part_is_counted_once_and_shown_with_its_date(
    client: Client, version: SearchPlanVersion, asked: list[str]
) -> None:
    assert "Count 5 parts" in text_of(client.get(at("plan", version)))
    answer = client.post(at("plan_parts", version), {"query": "0"}, follow=True)
    assert asked == list(HITS)
    text = text_of(answer)
    day = PartCount.objects.first().counted_at.strftime("%-d %b %Y")  # type: ignore[union-attr]
    assert f"1 cancer and 1 more 4,000,000 {day} cancer[tiab] a person 3,000,000 {day}" in text
    assert f"All blocks together 8,500 {day}" in text
    assert "5 parts counted." in text


def test_a_broad_topic_is_asked_about_by_its_weakest_block(
    client: Client, version: SearchPlanVersion, asked: list[str]
) -> None:
    client.post(at("plan_parts", version), {"query": "0"})
    text = text_of(client.get(at("plan", version)))
    assert "This search finds 8,500 papers, more than 5,000. Can “yoga" not in text
    assert "Can “cancer and 1 more” be asked more closely?" in text
    assert "Use a narrower heading in “cancer and 1 more”." in text
    assert "nothing is cut, and the plan can be approved as it is" in text


def test_a_broad_count_asks_for_the_blocks_to_be_counted(client: Client, version: SearchPlanVersion) -> None:
    PlanCount.objects.create(
        version=version, content_hash=version.content_hash, source="pubmed", query_index=0, total=8_500
    )
    assert "This search finds 8,500 papers in PubMed. Count the blocks below" in text_of(
        client.get(at("plan", version))
    )


def test_a_search_that_can_be_screened_is_left_alone(
    client: Client, version: SearchPlanVersion, asked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(HITS, QUERY, 400)
    client.post(at("plan_parts", version), {"query": "0"})
    assert "asked more closely" not in text_of(client.get(at("plan", version)))


def test_a_part_that_could_not_be_counted_says_so_and_is_asked_first_next_time(
    client: Client, version: SearchPlanVersion, monkeypatch: pytest.MonkeyPatch
) -> None:
    def count(texts: list[str], *, user_id: int | None = None) -> list[Number]:
        return [Number(None, "PubMed is busy.") if text == "yoga[tiab]" else Number(HITS[text]) for text in texts]

    monkeypatch.setattr(part_counts, "pubmed_hits", count)
    text = text_of(client.post(at("plan_parts", version), {"query": "0"}, follow=True))
    assert "1 parts could not be counted: see there. This is no “0 hits”." in text
    assert "not counted PubMed is busy." in text
    assert "Count 1 part" in text
    asked: list[str] = []
    monkeypatch.setattr(
        part_counts, "pubmed_hits", lambda texts, user_id=None: asked.extend(texts) or [Number(1) for _ in texts]
    )
    client.post(at("plan_parts", version), {"query": "0"})
    assert asked == ["yoga[tiab]"]


def test_numbers_of_terms_outlive_a_change_of_the_query(
    client: Client, version: SearchPlanVersion, person: User, asked: list[str]
) -> None:
    from searches.services.plans import plan_save

    client.post(at("plan_parts", version), {"query": "0"})
    plan_save(version=version, actor=person, content=content(queries_given=(PlanQuery("yoga[tiab]", "w"),)), revision=1)
    assert "1 yoga 12,000" in text_of(client.get(at("plan", version)))


def test_many_parts_are_counted_in_portions(
    client: Client, version: SearchPlanVersion, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(part_counts, "MOST_AT_ONCE", 2)
    monkeypatch.setattr(part_counts, "pubmed_hits", lambda texts, user_id=None: [Number(HITS[text]) for text in texts])
    text = text_of(client.post(at("plan_parts", version), {"query": "0"}, follow=True))
    assert "2 parts counted. 3 are left: count again for the rest." in text


def test_a_query_that_is_not_there_counts_nothing(client: Client, version: SearchPlanVersion) -> None:
    assert client.post(at("plan_parts", version), {"query": "nine"}).status_code == 303
    assert not PartCount.objects.exists()

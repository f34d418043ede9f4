"""A pasted appendix: databases and lines rebuilt, faults marked and mended by a person, a plan that asks the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from litapp.core.querylang import parse
from litapp.projects.models import Project
from searches.models import SearchPlanVersion
from searches.models_plans import TermOrigin
from searches.services.appendix_plans import NoPlan, query_of, sections_of
from searches.services.plan_check import boolean_problem
from tests.searches.test_pages_plans import HOSTILE, at, client, text_of

__all__ = ["client"]
pytestmark = pytest.mark.django_db
APPENDIX = """Appendix 1. Search strategies

Ovid MEDLINE(R) 1946 to June 2024
# Searches Results
1 exp Gout/ 14,211
2 (gout or podagra).ti,ab. 18,000
3 1 or 2 20,120
4 colchicine.ti,ab,kf. 9,021
5 3 and 4 1,204

Cochrane CENTRAL
#1 MeSH descriptor: [Gout] explode all trees 812
#2 colchicine:ti,ab,kw 1,022
#3 #1 AND #2 88
"""


@pytest.fixture
def address(project: Project) -> str:
    return reverse("searches:plan_appendix", args=[project.pk])


def sections(page: Any) -> list[tuple[str, int]]:
    return [(one.section.dialect.value, len(one.section.strategy.lines)) for one in page.context["sections"]]


def sent_back(page: Any, **changes: str) -> dict[str, str]:
    """The form as the browser sends it."""
    data = {"appendix": APPENDIX, "request_id": page.context["request_id"]}
    for one in page.context["sections"]:
        data |= {
            f"section-{one.place}-heading": one.section.heading,
            f"section-{one.place}-dialect": one.section.dialect.value,
            f"section-{one.place}-text": one.section.text.replace("\n", "\r\n"),
        }
    return {**data, **changes}


def test_databases_lines_and_hits_are_rebuilt(client: Client, address: str) -> None:
    page = client.post(address, {"appendix": APPENDIX, "then": "read"})
    assert sections(page) == [("Ovid MEDLINE", 5), ("Cochrane CENTRAL", 3)]
    text = text_of(page)
    assert "5 3 and 4 1,204" in text
    assert "Ovid MEDLINE(R) 1946 to June 2024" in text


def test_a_section_becomes_a_plan_that_asks_the_same(client: Client, address: str) -> None:
    page = client.post(address, {"appendix": APPENDIX, "then": "read"})
    data = sent_back(page, then="plan:0", question="Colchicine in gout?")
    answers = [client.post(address, data) for _ in range(2)]
    [version] = SearchPlanVersion.objects.all()
    assert [answer["Location"] for answer in answers] == [at("plan", version)] * 2
    [query] = version.plan_content.queries
    assert query.boolean == '("Gout"[mh] OR (gout[tiab] OR podagra[tiab])) AND colchicine[tiab]'
    assert boolean_problem(query.boolean) == ""
    assert version.plan_content.question == "Colchicine in gout?"
    assert (version.origin["kind"], version.origin["database"], version.origin["lines"]) == (
        "appendix",
        "Ovid MEDLINE",
        5,
    )
    assert set(TermOrigin.objects.values_list("origin", flat=True)) == {"a published appendix"}
    assert "Made of a published strategy: Ovid MEDLINE(R) 1946 to June 2024" in text_of(client.get(at("plan", version)))


def test_a_fault_is_marked_and_no_plan_is_made_until_it_is_mended(client: Client, address: str) -> None:
    broken = APPENDIX.replace("(gout or podagra).ti,ab.", "(gout or podagra.ti,ab.")
    page = client.post(address, {"appendix": broken, "then": "read"})
    assert "cannot be read" in text_of(page)
    refused = client.post(address, sent_back(page, then="plan:0"))
    assert refused.status_code == 422
    assert "A line cannot be read yet, so there is no plan." in text_of(refused)
    assert not SearchPlanVersion.objects.exists()
    mended = page.context["sections"][0].section.text.replace("(gout or podagra.ti,ab.", "(gout or podagra).ti,ab.")
    again = client.post(address, sent_back(page, then="check", **{"section-0-text": mended}))
    assert "cannot be read" not in text_of(again)
    client.post(address, sent_back(again, then="plan:0"))
    assert SearchPlanVersion.objects.count() == 1


def test_a_person_may_name_another_database(client: Client, address: str) -> None:
    page = client.post(
        address, {"appendix": "PubMed\n1. gout[tiab]\n2. colchicine[tiab]\n3. 1 AND 2\n", "then": "read"}
    )
    assert sections(page) == [("PubMed", 3)]
    again = client.post(address, sent_back(page, then="check", **{"section-0-dialect": "Ovid MEDLINE"}))
    assert sections(again)[0][0] == "Ovid MEDLINE"


@pytest.mark.parametrize("text", ["", "Nothing that is a search.", "x" * 400_001])
def test_a_text_without_a_search_says_so(client: Client, address: str, text: str) -> None:
    page = client.post(address, {"appendix": text, "then": "read"})
    assert page.status_code == 422
    assert any(sentence in text_of(page) for sentence in ("No search was recognised.", "at most 400,000 are read"))


@pytest.mark.parametrize("then", ["plan:9", "plan:x", "nonsense", "plan:"])
def test_a_button_that_is_not_there_makes_nothing(client: Client, address: str, then: str) -> None:
    assert client.post(address, {"then": then}).status_code == 200
    assert not SearchPlanVersion.objects.exists()


def test_hostile_text_stays_text(client: Client, address: str) -> None:
    page = client.post(address, {"appendix": f"PubMed\n1. gout[ti]\n2. {HOSTILE}[ti]\n", "then": "read"})
    assert "<script>alert" not in page.content.decode()


@pytest.mark.shared
@pytest.mark.parametrize("folder", ["balitsky2024-proms-raw", "mcdonald2023-cachexia-raw"])
def test_published_appendices_give_plans_or_a_placed_reason(shared: Path, folder: str) -> None:
    [file] = sorted((shared / "queries" / folder).glob("*.txt"))[:1]
    found = sections_of(file.read_text("utf-8"))
    assert found
    made = 0
    for section in found:
        try:
            query, _ = query_of(section)
        except NoPlan:
            continue
        parse(query)
        made += 1
    assert made >= 1

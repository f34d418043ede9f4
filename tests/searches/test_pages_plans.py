"""Pages of plans: nothing typed is lost, places of errors are shown, counts are never invented, approval freezes."""

from __future__ import annotations

import html
import re
from dataclasses import replace
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from litapp.core.plan import Caps, Filters, Pico, PlanQuery, Preprints, plan_to_dict
from litapp.core.plan import SearchPlan as PlanContent
from litapp.projects.models import Event, Membership, Project, Role
from litapp.providers.registry import search_sources
from searches.forms import PlanForm, QueryFormSet, initial_of, initial_queries
from searches.models import PlanCount, SearchPlan, SearchPlanVersion
from searches.services import counts
from searches.services.plans import plan_approve, plan_create, plan_new_version, plan_save
from tests.searches.conftest import content
from tests.searches.stand_in import StandIn, papers, trouble

pytestmark = pytest.mark.django_db
HOSTILE = '"><script>alert(1)</script><img src=x onerror=alert(2)> & {{ 7*7 }}'
HTMX = {"HX-Request": "true"}

FULL = PlanContent(
    question="Does dexamethasone lower mortality?",
    sources=("pubmed", "openalex"),
    queries=(
        PlanQuery("dexamethasone[tiab]\nAND mortality[tiab]", "dexamethasone mortality", "first"),
        PlanQuery("covid-19[tiab]", "", "second"),
    ),
    pico=Pico("adults", "dexamethasone", "usual care", "mortality"),
    filters=Filters(2015, 2021, ("Review", "Retracted Publication"), ("eng", "swe"), Preprints.EXCLUDED),
    caps=Caps(100, 200, 300),
)


@pytest.fixture(autouse=True)
def _one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tests' database lives in one connection, so the sources are asked one after the other."""

    class Here:
        def __init__(self, **_: object) -> None: ...

        def __enter__(self) -> Here:
            return self

        def __exit__(self, *_: object) -> None: ...

        def map(self, work: object, items: Any) -> list[Any]:
            return [[counts._count(line) for line in lines] for lines in items]

    monkeypatch.setattr(counts, "ThreadPoolExecutor", Here)


@pytest.fixture
def client(project: Project, person: User) -> Client:
    """Ada, owner of the project."""
    Membership.objects.create(project=project, user=person, role=Role.OWNER)
    return signed_in(person)


def signed_in(user: User) -> Client:
    browser = Client()
    browser.force_login(user)
    return browser


def posted(plan: PlanContent = FULL, title: str = "Main search", **changes: Any) -> dict[str, Any]:
    """What a browser sends for this plan."""
    values = {name: value for name, value in initial_of(title, plan_to_dict(plan)).items() if value is not None}
    values |= {"queries-TOTAL_FORMS": str(max(1, len(plan.queries))), "queries-INITIAL_FORMS": "0"}
    for place, query in enumerate(plan.queries):
        for name in ("boolean", "plain", "label"):
            values[f"queries-{place}-{name}"] = getattr(query, name)
    return {**values, "request_id": str(uuid4()), "then": "save", **changes}


def draft(project: Project, person: User, plan: PlanContent = FULL, title: str = "Main search") -> SearchPlanVersion:
    return plan_create(project=project, actor=person, title=title, content=plan)


def at(name: str, version: SearchPlanVersion, *more: int) -> str:
    return reverse(f"searches:{name}", args=[version.plan.project_id, version.pk, *more])


def text_of(response: Any) -> str:
    """The page's text without tags, entities resolved, spaces joined."""
    page = re.sub(r"(?s)<(script|style|svg|template)\b.*?</\1>", " ", response.content.decode())
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", page)).split())


# Writing


def test_a_new_plan_is_saved_as_it_was_typed(client: Client, project: Project) -> None:
    response = client.post(reverse("searches:plan_new", args=[project.pk]), posted())
    [version] = SearchPlanVersion.objects.all()
    assert (response.status_code, response["Location"]) == (303, at("plan", version))
    assert (version.plan.title, version.number, version.is_approved) == ("Main search", 1, False)
    assert version.plan_content == FULL


def test_a_double_click_makes_one_plan(client: Client, project: Project) -> None:
    form = posted()
    answers = [client.post(reverse("searches:plan_new", args=[project.pk]), form) for _ in range(2)]
    assert answers[0]["Location"] == answers[1]["Location"]
    assert SearchPlan.objects.count() == 1


@pytest.mark.parametrize(
    "plan", [FULL, replace(FULL, boolean_at=("openalex",), filters=replace(FULL.filters, newest_first=True))]
)
def test_the_form_gives_back_the_plan_it_was_filled_from(plan: PlanContent) -> None:
    initial = initial_of("T", plan_to_dict(plan))
    form = PlanForm({name: value for name, value in initial.items() if value is not None})
    queries = QueryFormSet(
        {
            "queries-TOTAL_FORMS": "2",
            "queries-INITIAL_FORMS": "0",
            **{
                f"queries-{place}-{name}": text
                for place, query in enumerate(initial_queries(plan_to_dict(plan)))
                for name, text in query.items()
            },
        },
        prefix="queries",
    )
    assert form.is_valid(), form.errors
    assert queries.is_valid(), queries.errors
    wanted = plan_to_dict(plan)
    assert form.content(queries.queries()) == {
        name: value for name, value in wanted.items() if name not in ("schema", "source_policy")
    }


def test_an_unfinished_draft_may_be_saved_and_says_what_is_missing(client: Client, project: Project) -> None:
    plan = PlanContent(question="Why?", sources=("pubmed",), queries=(PlanQuery("(covid[tiab] AND"),))
    response = client.post(reverse("searches:plan_new", args=[project.pk]), posted(plan), follow=True)
    text = text_of(response)
    assert "Before it can be approved:" in text
    assert "Line 1, character 1" in text
    assert "Approve…" not in text


def test_the_place_of_a_syntax_error_is_marked_while_typing(client: Client, project: Project) -> None:
    address = reverse("searches:plan_check", args=[project.pk])
    response = client.post(address, {"queries-0-boolean": "covid[tiab] AND\n(mortality[tiab]"}, headers=HTMX)
    assert '<mark class="place place-error">(</mark>mortality[tiab]' in response.content.decode()
    assert "Line 2, character 1 ( This parenthesis is never closed." in text_of(response)
    assert client.post(address, {"queries-0-boolean": "covid[tiab]"}).content.decode().strip() == ""


def test_an_unreadable_form_comes_back_with_everything_typed(client: Client, project: Project) -> None:
    form = posted(year_from="20x5", question=HOSTILE, other_languages="english")
    response = client.post(reverse("searches:plan_new", args=[project.pk]), form)
    page = response.content.decode()
    assert response.status_code == 422
    assert SearchPlan.objects.count() == 0
    for typed in (HOSTILE, "20x5", "english", "dexamethasone[tiab]", "covid-19[tiab]", "usual care"):
        assert html.escape(typed) in page
    assert "english is not a three-letter code." in page
    assert "<script>alert" not in page


@pytest.mark.parametrize(
    ("typed", "number"), [("500", 500), (" 10,000 ", 10_000), ("1 000 000", 1_000_000), ("", None)]
)
def test_limits_are_read_as_people_write_them(client: Client, project: Project, typed: str, number: int | None) -> None:
    client.post(reverse("searches:plan_new", args=[project.pk]), posted(per_run=typed))
    assert SearchPlanVersion.objects.get().plan_content.caps.per_run == number


def test_another_query_is_added_without_saving(client: Client, project: Project) -> None:
    response = client.post(reverse("searches:plan_new", args=[project.pk]), posted(then="add_query", title=""))
    page = response.content.decode()
    assert (response.status_code, SearchPlan.objects.count()) == (200, 0)
    assert 'name="queries-2-boolean"' in page
    assert "covid-19[tiab]" in page
    assert "field-error" not in page


def test_a_query_left_empty_is_taken_out(client: Client, project: Project, person: User) -> None:
    version = draft(project, person)
    form = posted(revision=version.revision) | {"queries-1-boolean": " ", "queries-1-plain": ""}
    client.post(at("plan_edit", version), form)
    version.refresh_from_db()
    assert version.plan_content.queries == FULL.queries[:1]


def test_what_the_form_does_not_show_is_kept(client: Client, project: Project, person: User) -> None:
    plan = PlanContent(**{**fields_of(FULL), "sources": ("pubmed", "embase"), "source_policy": 1})
    version = draft(project, person, plan)
    assert "cannot search it" in text_of(client.get(at("plan_edit", version)))
    client.post(at("plan_edit", version), posted(plan, revision=1))
    version.refresh_from_db()
    assert version.plan_content == plan


# Two people, two tabs


def test_a_stale_save_shows_both_texts_and_overwrites_nothing(
    client: Client, project: Project, person: User, colleague: User
) -> None:
    version = draft(project, person)
    theirs = PlanContent(**{**fields_of(FULL), "question": "Does it lower their mortality?"})
    plan_save(version=version, actor=colleague, content=theirs, revision=1)
    mine = PlanContent(**{**fields_of(FULL), "question": "Does it lower my mortality?"})
    response = client.post(at("plan_edit", version), posted(mine, revision=1))
    assert response.status_code == 409
    text = text_of(response)
    assert "This draft was saved by Bob while you were writing" in text
    assert '<del class="diff">their </del>' in response.content.decode()
    assert '<ins class="diff">my </ins>' in response.content.decode()
    assert "Does it lower my mortality?</textarea>" in response.content.decode()
    version.refresh_from_db()
    assert version.plan_content == theirs
    revision = re.search(r'name="revision" value="(\d+)"', response.content.decode())
    assert revision
    client.post(at("plan_edit", version), posted(mine, revision=revision[1]))
    version.refresh_from_db()
    assert version.plan_content == mine


def test_a_draft_approved_meanwhile_stays_and_mine_becomes_the_next_version(
    client: Client, project: Project, person: User
) -> None:
    version = draft(project, person)
    plan_approve(version=version, actor=person, content_hash=version.content_hash)
    mine = PlanContent(**{**fields_of(FULL), "question": "Mine?"})
    response = client.post(at("plan_edit", version), posted(mine, revision=1))
    assert response.status_code == 409
    assert "This version was approved while you were writing" in text_of(response)
    client.post(at("plan_edit", version), posted(mine, revision=1, then="new_version"))
    first, second = SearchPlanVersion.objects.filter(plan=version.plan).order_by("number")
    assert (first.plan_content, first.is_approved) == (FULL, True)
    assert (second.plan_content, second.is_approved) == (mine, False)


def test_mine_as_a_new_version_does_not_overwrite_an_open_draft(client: Client, project: Project, person: User) -> None:
    version = draft(project, person)
    plan_approve(version=version, actor=person, content_hash=version.content_hash)
    other = plan_new_version(version=version, actor=person)
    theirs = PlanContent(**{**fields_of(FULL), "question": "Theirs?"})
    plan_save(version=other, actor=person, content=theirs, revision=1)
    mine = PlanContent(**{**fields_of(FULL), "question": "Mine?"})
    response = client.post(at("plan_edit", version), posted(mine, revision=1, then="new_version"))
    other.refresh_from_db()
    assert (response.status_code, other.plan_content) == (409, theirs)
    assert f'action="{at("plan_edit", other)}"' in response.content.decode()


def fields_of(plan: PlanContent) -> dict[str, Any]:
    return {name: getattr(plan, name) for name in plan.__slots__}


# Counting


def test_counts_are_shown_per_source_with_what_went_wrong(
    client: Client, project: Project, person: User, sources: dict[str, StandIn]
) -> None:
    version = draft(project, person, content("pubmed", "crossref", "openalex"))
    sources["pubmed"].records = papers(3)
    sources["crossref"].reported = 1_234_567
    sources["openalex"].faults = [trouble("openalex")]
    response = client.post(at("plan_counts", version), headers=HTMX)
    text = text_of(response)
    assert response.status_code == 200
    assert "<html" not in response.content.decode()
    assert "3 records" in text
    assert "1,234,567 reported, which is no count" in text
    assert "OpenAlex could not be asked. openalex has a problem. Try later. This is no “0 hits”." in text
    assert not re.search(r"\b0 records", text)
    assert [row.total for row in PlanCount.objects.order_by("source")] == [1_234_567, None, 3]


def test_without_script_counting_leads_back_to_the_page(
    client: Client, project: Project, person: User, sources: dict[str, StandIn]
) -> None:
    version = draft(project, person, content("pubmed"))
    sources["pubmed"].records = papers(2)
    response = client.post(at("plan_counts", version))
    assert response["Location"] == at("plan", version) + "#sources"
    assert "2 records" in text_of(client.get(at("plan", version)))


def test_no_hits_say_what_to_do(client: Client, project: Project, person: User, sources: dict[str, StandIn]) -> None:
    version = draft(project, person, content("pubmed", "openalex"))
    text = text_of(client.post(at("plan_counts", version), headers=HTMX))
    assert "0 records archived answer of PubMed Nothing matches all of it." in text
    assert "This source has nothing with all of these words." in text


def test_two_hundred_thousand_hits_are_warned_of(
    client: Client, project: Project, person: User, sources: dict[str, StandIn]
) -> None:
    version = draft(project, person, content("pubmed"))
    sources["pubmed"].reported = 200_000
    text = text_of(client.post(at("plan_counts", version), headers=HTMX))
    assert "PubMed reports 200,000 records. That is more than a team can screen" in text


def test_words_that_the_source_left_out_are_marked_in_the_query(client: Client, project: Project, person: User) -> None:
    version = draft(project, person, content("pubmed", queries_given=(PlanQuery("zzyx[tiab] AND fever[tiab]"),)))
    PlanCount.objects.create(
        version=version, content_hash=version.content_hash, source="pubmed", query_index=0, total=9,
        query_text="zzyx[tiab] AND fever[tiab]", dropped_words=["zzyx"], translation="fever[Title/Abstract]",
    )  # fmt: skip
    page = client.get(at("plan", version)).content.decode()
    assert '<mark class="place place-dropped">zzyx</mark>[tiab] AND fever[tiab]' in page
    assert "fever[Title/Abstract]" in page


def test_a_plan_with_gaps_is_not_counted(client: Client, project: Project, person: User) -> None:
    version = draft(project, person, PlanContent("Why?", ("pubmed",), (PlanQuery("(a"),)))
    response = client.post(at("plan_counts", version), headers=HTMX)
    assert response.status_code == 422
    assert "The hits cannot be counted yet." in text_of(response)
    assert PlanCount.objects.count() == 0


def test_counts_of_an_earlier_content_are_not_shown(client: Client, project: Project, person: User) -> None:
    version = draft(project, person, content("pubmed"))
    PlanCount.objects.create(version=version, content_hash="other", source="pubmed", query_index=0, total=77)
    assert "77 records" not in text_of(client.get(at("plan", version)))


# Approval


def test_approving_freezes_what_was_shown(client: Client, project: Project, person: User) -> None:
    version = draft(project, person)
    page = client.get(at("plan_approve", version)).content.decode()
    shown = re.search(r'name="content_hash" value="([0-9a-f]{64})"', page)
    assert shown
    response = client.post(at("plan_approve", version), {"content_hash": shown[1]}, follow=True)
    version.refresh_from_db()
    assert (version.approved_by, version.approved_hash) == (person, shown[1])
    assert "Version 1 is approved and frozen." in text_of(response)
    assert Event.objects.filter(verb="plan.approved").count() == 1


def test_the_approval_page_shows_exactly_what_is_sent_and_the_limits(
    client: Client, project: Project, person: User
) -> None:
    text = text_of(client.get(at("plan_approve", draft(project, person))))
    assert "AND 2015:2021[dp]" in text
    assert "At most 75 records, by the limit for the whole run" in text
    assert "Excluded" in text


def test_a_draft_changed_while_reading_is_not_approved(client: Client, project: Project, person: User) -> None:
    version = draft(project, person)
    changed = plan_save(version=version, actor=person, content=content("pubmed"), revision=1)
    response = client.post(at("plan_approve", version), {"content_hash": version.content_hash})
    changed.refresh_from_db()
    assert (response.status_code, changed.is_approved) == (409, False)
    assert "The draft was changed while you were reading." in text_of(response)
    assert changed.content_hash in response.content.decode()


def test_a_plan_with_gaps_is_not_approved(client: Client, project: Project, person: User) -> None:
    version = draft(project, person, PlanContent("", (), ()))
    response = client.post(at("plan_approve", version), {"content_hash": version.content_hash})
    version.refresh_from_db()
    assert (response.status_code, version.is_approved) == (422, False)
    text = text_of(response)
    for sentence in ("Write the question", "Choose at least one source", "Write at least one query"):
        assert sentence in text


def test_a_new_version_opens_the_open_draft(client: Client, project: Project, person: User) -> None:
    version = draft(project, person)
    plan_approve(version=version, actor=person, content_hash=version.content_hash)
    answers = [client.post(at("plan_new_version", version)) for _ in range(2)]
    made = SearchPlanVersion.objects.get(number=2)
    assert [answer["Location"] for answer in answers] == [at("plan_edit", made)] * 2


# Reading


def test_the_comparison_names_the_fields_that_differ(client: Client, project: Project, person: User) -> None:
    version = draft(project, person)
    plan_approve(version=version, actor=person, content_hash=version.content_hash)
    second = plan_new_version(version=version, actor=person)
    changed = PlanContent(**{**fields_of(FULL), "sources": ("pubmed",), "caps": Caps(100, 200, None)})
    plan_save(version=second, actor=person, content=changed, revision=1)
    response = client.get(at("plan_compare", second, version.pk))
    page = response.content.decode()
    assert re.findall(r'<th scope="row">([^<]+)</th>', page) == ["Sources", "Most records in the run"]
    assert '<del class="diff">, OpenAlex</del>' in page
    assert "2 fields differ" in text_of(response)


def test_members_who_may_only_read_see_no_buttons(client: Client, project: Project, person: User) -> None:
    reader = User.objects.create_user("reader")
    Membership.objects.create(project=project, user=reader, role=Role.READER)
    version = draft(project, person)
    plan_approve(version=version, actor=person, content_hash=version.content_hash)
    open_draft = plan_new_version(version=version, actor=person)
    for shown in (version, open_draft):
        main = signed_in(reader).get(at("plan", shown)).content.decode().split("<main", 1)[1].split("</main>")[0]
        assert "<form" not in main
        assert "Edit" not in main


def test_hostile_text_is_shown_as_text(client: Client, project: Project, person: User) -> None:
    plan = PlanContent(
        question=HOSTILE,
        sources=("pubmed", "openalex"),
        queries=(PlanQuery(f'"{HOSTILE}"[ti]', HOSTILE, HOSTILE[:100]),),
        pico=Pico(HOSTILE, HOSTILE, HOSTILE, HOSTILE),
        filters=Filters(publication_types=(HOSTILE,)),
    )
    version = draft(project, person, plan, HOSTILE[:150])
    PlanCount.objects.create(
        version=version, content_hash=version.content_hash, source="pubmed", query_index=0, total=1,
        translation=HOSTILE, dropped_words=[HOSTILE], notes=[{"text": HOSTILE, "loss": ""}], query_text=HOSTILE,
    )  # fmt: skip
    second = plan_create(project=project, actor=person, title="T", content=content("pubmed"))
    pages = [
        client.get(at("plan", version)),
        client.get(at("plan_edit", version)),
        client.get(at("plan_approve", version)),
        client.get(at("plan_compare", version, second.pk)),
        client.get(reverse("searches:plan_list", args=[project.pk])),
        client.post(at("plan_edit", version), posted(plan, title=HOSTILE[:150], revision=99)),
    ]
    assert [page.status_code for page in pages] == [200, 200, 200, 200, 200, 409]
    for page in pages:
        assert "<script>alert" not in page.content.decode()
        assert "<img" not in page.content.decode()


def test_a_query_of_ten_thousand_characters_goes_all_the_way(
    client: Client, project: Project, person: User, sources: dict[str, StandIn]
) -> None:
    query = " OR ".join(f'"term number {number}"[tiab]' for number in range(1, 400))
    query = query[: query.rindex(" OR ", 0, 10_000)]
    assert len(query) > 9_900
    plan = PlanContent("Why?", ("pubmed",), (PlanQuery(query),))
    response = client.post(reverse("searches:plan_new", args=[project.pk]), posted(plan), follow=True)
    [version] = SearchPlanVersion.objects.all()
    assert version.plan_content.queries[0].boolean == query
    assert html.escape(query) in response.content.decode()
    sources["pubmed"].records = papers(1)
    assert "1 record" in text_of(client.post(at("plan_counts", version), headers=HTMX))
    assert client.get(at("plan_approve", version)).status_code == 200


def test_the_number_of_database_queries_of_each_page_is_fixed(client: Client, project: Project, person: User) -> None:
    first = draft(project, person)
    few = queries_of(client, first)
    for number in range(12):
        plan_create(project=project, actor=person, title=f"Plan {number}", content=FULL)
    plan_approve(version=first, actor=person, content_hash=first.content_hash)
    many = queries_of(client, plan_new_version(version=first, actor=person))
    offered = len(search_sources())  # the health of each source is read by itself
    assert few == many
    beyond_the_list = {name: number - few["plan_list"] for name, number in few.items()}  # the frame's own are the same
    assert beyond_the_list == {
        "plan_list": 0,
        "plan_new": offered - 1,
        "plan": 10,
        "plan_edit": offered + 2,
        "plan_approve": 8,
    }


def queries_of(client: Client, version: SearchPlanVersion) -> dict[str, int]:
    """Database queries of each page (session, person and membership are three, the navigation's numbers one)."""
    found = {}
    for name in ("plan_list", "plan_new", "plan", "plan_edit", "plan_approve"):
        of_version = [] if name in ("plan_list", "plan_new") else [version.pk]
        arguments = [version.plan.project_id, *of_version]
        with CaptureQueriesContext(connection) as queries:
            assert client.get(reverse(f"searches:{name}", args=arguments)).status_code == 200
        found[name] = len(queries)
    return found

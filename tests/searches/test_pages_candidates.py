"""The candidate list and a candidate's page: filters, order, bulk decisions, copies, where a record comes from."""

from __future__ import annotations

import csv
import io
import re
import uuid
from html import unescape
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from litapp.core.records import Identifier, PartialDate, Person, Scheme
from litapp.projects.models import Event, Role
from references.models import Reference
from searches.models import Candidate, ScreeningDecision
from searches.views.candidates import PAGE_SIZE
from tests.references.world import HOSTILE, World, make_world, record

pytestmark = pytest.mark.django_db
HTMX = {"HTTP_HX_REQUEST": "true"}


@pytest.fixture
def world() -> World:
    return make_world(candidates=4)


def address(world: World, tail: str = "") -> str:
    return f"/projects/{world.project.pk}/candidates/{tail}"


def text(html: bytes | str) -> str:
    """What a reader reads."""
    plain = html if isinstance(html, str) else html.decode()
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", plain)).split())


def rows(html: bytes) -> list[int]:
    """The candidates of a list, in its order."""
    return [int(pk) for pk in re.findall(r'<tr id="candidate-(\d+)"', html.decode())]


def row(html: bytes, candidate: Candidate) -> str:
    found = re.search(rf'<tr id="candidate-{candidate.pk}".*?</tr>', html.decode(), re.DOTALL)
    assert found
    return text(found[0])


# The list


def test_a_row_holds_what_is_needed_to_judge(world: World) -> None:
    candidate = world.candidates[0]
    world.verify(candidate, publication_state="retracted", notice_date="2021")
    world.source_record(candidate, record(1, source="crossref"))
    world.decide(candidate, "include")
    found = row(world.client().get(address(world)).content, candidate)
    for part in (
        "Paper 1 on dexamethasone in severe pneumonia",
        "Weber Anna B … to Author001 Zoe",
        "2001 Journal of Trials 30000001 10.1000/paper.1 Medium fit",
        "Retracted Paper 1 on dexamethasone in severe pneumonia Verified",
        "Included PubMed, Crossref",
    ):
        assert part in found


def test_what_no_source_stated_is_a_dash_or_said() -> None:
    world = make_world()
    bare = world.candidate(authors=(), identifiers=(), date=PartialDate(), journal="")
    found = row(world.client().get(address(world)).content, bare)
    assert "no author given — — Medium fit" in found


def test_a_paper_with_only_an_arxiv_id_shows_it() -> None:
    world = make_world()
    paper = world.candidate(identifiers=(Identifier(Scheme.ARXIV, "2101.12345"),))
    page = world.client().get(address(world)).content
    assert "arXiv 2101.12345" in row(page, paper)
    assert b'href="https://arxiv.org/abs/2101.12345"' in page


def filter_world() -> World:
    world = make_world()
    for number, (source, year, fit) in enumerate(
        [("pubmed", 2001, 3), ("crossref", 2010, 2), ("pubmed", 2020, 1), ("pubmed", None, 2), ("openalex", 2010, 2)],
        start=1,
    ):
        world.candidate(number, source=source, date=PartialDate(year=year), fit=fit)
    first, second, third, *_ = world.candidates
    world.verify(first, "verified")
    world.verify(second, "suspect")
    world.verify(third, "verified", publication_state="retracted")
    world.decide(first, "include")
    world.decide(second, "maybe")
    return world


@pytest.mark.parametrize(
    ("query", "numbers"),
    [
        ("", [1, 2, 3, 4, 5]),
        ("verdict=verified", [1, 3]),
        ("verdict=suspect", [2]),
        ("verdict=unchecked", [4, 5]),
        ("verdict=retracted", [3]),
        ("verdict=manual", []),
        ("decision=include", [1]),
        ("decision=maybe", [2]),
        ("decision=undecided", [3, 4, 5]),
        ("source=crossref", [2]),
        ("fit=2", [2, 4, 5]),
        ("year_from=2010", [2, 3, 5]),
        ("year_to=2010", [1, 2, 5]),
        ("year_from=2010&year_to=2010", [2, 5]),
        ("q=30000003", [3]),
        ("q=PAPER+dexamethasone", [1, 2, 3, 4, 5]),
        ("q=30000004", [4]),
        ("q=10.1000%2Fpaper.5", [5]),
        ("q=nothing+of+the+kind", []),
        ("verdict=verified&decision=undecided", [3]),
        ("verdict=junk&fit=9&source=junk", [1, 2, 3, 4, 5]),
    ],
)
def test_filters(query: str, numbers: list[int]) -> None:
    world = filter_world()
    found = rows(world.client().get(address(world, f"?{query}")).content)
    assert sorted(found) == [world.candidates[number - 1].pk for number in numbers]


@pytest.mark.parametrize(
    ("sort", "numbers"),
    [
        ("", [1, 2, 4, 5, 3]),
        ("-fit", [1, 2, 4, 5, 3]),
        ("year", [1, 2, 5, 3, 4]),
        ("-year", [3, 2, 5, 1, 4]),
        ("title", [1, 2, 3, 4, 5]),
        ("-title", [5, 4, 3, 2, 1]),
        ("verdict", [3, 2, 4, 5, 1]),
        ("junk", [1, 2, 4, 5, 3]),
    ],
)
def test_sorting(sort: str, numbers: list[int]) -> None:
    world = filter_world()
    found = rows(world.client().get(address(world, f"?sort={sort}")).content)
    if sort.endswith("year"):  # two of the same year may stand either way
        found[1:3] = sorted(found[1:3])
    assert found == [world.candidates[number - 1].pk for number in numbers]


def test_the_head_says_how_the_list_is_sorted(world: World) -> None:
    html = world.client().get(address(world, "?sort=-year")).content.decode()
    assert re.findall(r'aria-sort="(\w+)"><a class="sort" href="\?sort=(-?\w+)"', html) == [("descending", "year")]


def test_a_filter_that_makes_no_sense_is_explained_and_not_applied(world: World) -> None:
    html = world.client().get(address(world, "?year_from=2003&year_to=2001")).content
    assert "This year lies before “Year from”" in text(html)
    assert rows(html) == [candidate.pk for candidate in world.candidates[2:]]


def test_empty_states_say_why(world: World) -> None:
    assert "No candidate passes these filters" in text(world.client().get(address(world, "?q=zzz")).content)
    Candidate.objects.all().update(merged_into=world.candidates[0])
    assert "No candidates yet" in text(world.client().get(address(world)).content)


def test_long_lists_come_in_pages_that_keep_the_filters() -> None:
    world = make_world(candidates=PAGE_SIZE + 3)
    client = world.client()
    first, second = (client.get(address(world, f"?sort=title&q=paper&page={page}")).content for page in (1, 2))
    assert (len(rows(first)), len(rows(second))) == (PAGE_SIZE, 3)
    assert not set(rows(first)) & set(rows(second))
    assert b"q=paper&amp;page=2" in first
    assert f"{PAGE_SIZE + 1}–{PAGE_SIZE + 3} of {PAGE_SIZE + 3} candidates" in text(second)


def test_the_number_of_queries_does_not_grow(world: World) -> None:
    def measured() -> list[int]:
        client, counts = world.client(), []
        targets = (address(world), address(world, "?verdict=verified&source=pubmed&q=paper&sort=verdict"))
        for target in (*targets, address(world, f"{world.candidates[0].pk}/")):
            with CaptureQueriesContext(connection) as captured:
                assert client.get(target).status_code == 200
            counts.append(len(captured))
        return counts

    world.verify(world.candidates[0])
    world.decide(world.candidates[0], "include")
    few = measured()
    for _ in range(40):
        candidate = world.candidate()
        world.source_record(candidate, record(candidate.pk + 500, source="crossref"))
        world.verify(candidate)
        world.source_record(world.candidates[0], record(candidate.pk + 900, source="openalex"))
        world.decide(world.candidates[0], "maybe")
    assert measured() == few
    assert max(few) <= 23


def test_readers_see_the_list_and_decide_nothing(world: World) -> None:
    world.person("rita", Role.READER)
    client, first = world.client("rita"), world.candidates[0]
    html = client.get(address(world)).content
    assert len(rows(html)) == 4
    assert b"/decide/" not in html.replace(b"/candidates/decide/?", b"")
    assert client.get(address(world, "copy/?format=csv")).status_code == 200
    assert client.get(address(world, f"{first.pk}/")).status_code == 200
    sent = {"decision": "include", "version": 1, "request_id": uuid.uuid4(), "from": "list"}
    assert client.post(address(world, f"{first.pk}/decide/"), sent).status_code == 403
    assert client.post(address(world, "decide/"), {"ids": [first.pk], "decision": "include"}).status_code == 403
    assert not ScreeningDecision.objects.exists()


# Deciding in the list


def test_a_decision_in_the_list_gives_the_row_back(world: World) -> None:
    first = world.candidates[0]
    sent = {"decision": "exclude", "version": 1, "request_id": uuid.uuid4(), "from": "list"}
    client = world.client()
    answers = [client.post(address(world, f"{first.pk}/decide/?q=paper"), sent, **HTMX) for _ in range(2)]
    for answer in answers:
        assert (answer.status_code, rows(answer.content)) == (200, [first.pk])
        assert "Saved: exclude." in text(answer.content)
        assert "Excluded" in text(answer.content)
    assert b'"version": "2"' in answers[0].content
    assert ScreeningDecision.objects.count() == 1


def test_a_decision_in_the_list_on_an_old_row_is_refused(world: World) -> None:
    world.person("ben", Role.SCREENER)
    first = world.candidates[0]
    world.decide(first, "include", who="ben")
    sent = {"decision": "exclude", "version": 1, "request_id": uuid.uuid4(), "from": "list"}
    answer = world.client().post(address(world, f"{first.pk}/decide/"), sent, **HTMX)
    first.refresh_from_db()
    assert (answer.status_code, first.decision) == (409, "include")
    assert "Not saved: Ben Test decided “include”" in text(answer.content)


# Many at once


def bulk(world: World, decision: str, *, ids: Any = (), query: str = "", client: Any = None, **more: Any) -> Any:
    chosen = {"all": "1"} if ids == "all" else {"ids": [candidate.pk for candidate in ids]}
    return (client or world.client()).post(address(world, f"decide/{query}"), {"decision": decision, **chosen, **more})


def hidden(html: bytes) -> dict[str, str]:
    form = html.decode().split("form-actions")[1]
    return dict(re.findall(r'name="(seen|request_id)" value="([^"]*)"', form))


def decisions() -> list[str]:
    return list(Candidate.objects.order_by("pk").values_list("decision", flat=True))


def test_many_are_previewed_with_numbers_and_nothing_is_changed_yet(world: World) -> None:
    world.decide(world.candidates[0], "exclude")
    world.decide(world.candidates[1], "include")
    before = decisions()
    page = text(bulk(world, "include", ids=world.candidates).content)
    assert (
        "Not decided so far 2 Decided “exclude” so far: will be replaced 1 “Include” already: stay as they are 1 "
        "Will change 3" in page
    )
    assert decisions() == before


def test_a_confirmed_bulk_is_one_decision_with_one_undo(world: World) -> None:
    world.decide(world.candidates[0], "exclude")
    client = world.client()
    seen = hidden(bulk(world, "include", ids=world.candidates, client=client).content)
    answer = bulk(world, "include", ids=world.candidates, client=client, **seen)
    assert (answer.status_code, answer["Location"]) == (302, address(world))
    assert decisions() == ["include"] * 4
    assert "Include: 4 records changed. Undo takes all of them back at once." in text(
        client.get(address(world)).content
    )
    assert Event.objects.filter(verb="screening.decided_many").count() == 1
    client.post(f"/projects/{world.project.pk}/screen/undo/", {"from": "list", "request_id": uuid.uuid4()})
    assert decisions() == ["exclude", "", "", ""]
    assert not Reference.objects.current().exists()


def test_all_matching_means_what_the_filters_show_on_every_page() -> None:
    world = make_world(candidates=PAGE_SIZE + 2)
    world.candidate(title="Something else")
    client = world.client()
    preview = bulk(world, "exclude", ids="all", query="?q=dexamethasone+severe", client=client)
    assert f"Will change {PAGE_SIZE + 2}" in text(preview.content)
    assert "on all pages" in text(preview.content)
    bulk(world, "exclude", ids="all", query="?q=dexamethasone+severe", client=client, **hidden(preview.content))
    assert decisions() == ["exclude"] * (PAGE_SIZE + 2) + [""]


def test_a_bulk_that_is_sent_twice_is_applied_once(world: World) -> None:
    client = world.client()
    seen = hidden(bulk(world, "exclude", ids=world.candidates, client=client).content)
    for _ in range(2):
        bulk(world, "exclude", ids=world.candidates, client=client, **seen)
    assert ScreeningDecision.objects.count() == 4
    assert "it was applied once" in text(client.get(address(world)).content)


def test_a_change_after_the_preview_brings_a_new_preview(world: World) -> None:
    seen = hidden(bulk(world, "exclude", ids=world.candidates).content)
    world.decide(world.candidates[2], "include")
    answer = bulk(world, "exclude", ids=world.candidates, **seen)
    assert answer.status_code == 409
    assert "Nothing was saved; these are the numbers now." in text(answer.content)
    assert "Decided “include” so far: will be replaced 1" in text(answer.content)
    assert decisions() == ["", "", "include", ""]


@pytest.mark.parametrize(("decision", "chosen"), [("include", False), ("perhaps", True), ("", True)])
def test_a_bulk_without_choice_or_decision_changes_nothing(world: World, decision: str, chosen: bool) -> None:
    client = world.client()
    answer = bulk(world, decision, ids=world.candidates if chosen else (), client=client)
    assert answer.status_code == 302
    assert "Choose at least one record" in text(client.get(address(world)).content)
    assert decisions() == [""] * 4


def test_records_of_other_projects_are_not_reached(world: World) -> None:
    other = Candidate.objects.get(pk=world.candidates[3].pk)
    foreign = type(world.project).objects.create(name="Foreign", created_by=world.owner)
    Candidate.objects.filter(pk=other.pk).update(project=foreign)
    preview = bulk(world, "include", ids=world.candidates)
    assert "Will change 3" in text(preview.content)


# Copies


def test_a_csv_copy_is_a_text_attachment_without_formulas() -> None:
    world = make_world()
    world.candidate(title="=HYPERLINK(1)", journal="@sum", authors=(Person("+Plus", "A"), Person("-Minus", "B")))
    candidate = world.candidate(title=HOSTILE)
    world.verify(candidate, "suspect", publication_state="retracted", notice_date="2020-06-05", notice_doi="10.1/n")
    answer = world.client().get(address(world, "copy/?format=csv&sort=title"))
    table = list(csv.reader(io.StringIO(answer.content.decode("utf-8-sig"))))
    assert answer["Content-Type"] == "text/plain; charset=utf-8"
    assert answer["Content-Disposition"].startswith("attachment;")
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert len(table) == 3
    cells = {cell for line in table[1:] for cell in line}
    assert {"'=HYPERLINK(1)", "'@sum", "'+Plus A", "'-Minus B"} <= cells
    assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@"))]
    hostile = next(line for line in table if "alert" in line[0])
    assert hostile[8:10] == ["suspect", "[RETRACTED 2020-06-05, notice 10.1/n] [UNVERIFIED - NEEDS MANUAL CHECK]"]


def test_a_markdown_copy_escapes_what_could_be_a_link() -> None:
    world = make_world()
    world.candidate(title=HOSTILE)
    copy = world.client().get(address(world, "copy/?format=md")).content.decode()
    assert copy.startswith("| Title | First author | Last author | Year |")
    assert "<script>" not in copy.replace("\\<script\\>", "")
    assert "](javascript" not in copy.replace("\\]", "")


def test_a_copy_holds_the_chosen_rows_only_or_all_that_match(world: World) -> None:
    client, (first, _, third, _) = world.client(), world.candidates

    def titles(query: str) -> list[str]:
        table = csv.reader(
            io.StringIO(client.get(address(world, f"copy/?format=csv&{query}")).content.decode("utf-8-sig"))
        )
        return [line[0].split(" on ")[0] for line in table][1:]

    assert titles(f"ids={first.pk}&ids={third.pk}") == ["Paper 1", "Paper 3"]
    assert titles("") == ["Paper 1", "Paper 2", "Paper 3", "Paper 4"]
    assert titles("year_from=2003") == ["Paper 3", "Paper 4"]


# One candidate


def test_a_candidate_shows_where_it_comes_from(world: World) -> None:
    candidate = world.candidates[0]
    world.source_record(candidate, record(1, source="crossref"), rule="same_doi", why="same DOI 10.1000/paper.1")
    world.decide(candidate, "maybe")
    world.decide(candidate, "include", reason="fits the question")
    client = world.client()
    client.post(f"/projects/{world.project.pk}/screen/undo/", {"request_id": uuid.uuid4()})
    html = client.get(address(world, f"{candidate.pk}/")).content
    page = text(html)
    for part in (
        "2 source records joined into this candidate.",
        "PubMed 30000001 rank 1 in run",
        'Query as sent dexamethasone[tiab] AND "severe pneumonia"[tiab]',
        "first record of this paper",
        "Crossref 30000001 rank 5 in run",
        "same DOI 10.1000/paper.1",
        "Title PubMed Authors PubMed Journal PubMed",
        "Ada Owner took a decision back: include became maybe",
        "Ada Owner decided “include”, was “maybe”: fits the question",
        "Ada Owner decided “maybe”",
    ):
        assert part in page
    answers = re.findall(rf'href="/projects/{world.project.pk}/answers/(\d+)/"', html.decode())
    assert sorted(map(int, answers)) == sorted(
        candidate.source_records.values_list("source_record__answer_id", flat=True)
    )


def test_a_joined_candidate_leads_to_the_one_that_stays(world: World) -> None:
    stays, joined = world.candidates[:2]
    Candidate.objects.filter(pk=joined.pk).update(merged_into=stays)
    answer = world.client().get(address(world, f"{joined.pk}/"))
    assert answer["Location"] == address(world, f"{stays.pk}/")


def test_a_candidate_can_be_decided_on_its_page(world: World) -> None:
    first, client = world.candidates[0], world.client()
    sent = {"decision": "include", "version": 1, "request_id": uuid.uuid4(), "from": "candidate"}
    page = client.post(address(world, f"{first.pk}/decide/"), sent, follow=True)
    assert page.redirect_chain == [(address(world, f"{first.pk}/"), 302)]
    assert "Saved: include." in text(page.content)
    old = {**sent, "decision": "exclude", "request_id": uuid.uuid4()}
    again = client.post(address(world, f"{first.pk}/decide/"), old, follow=True)
    assert "Not saved: Ada Owner decided “include”" in text(again.content)
    assert Candidate.objects.get(pk=first.pk).decision == "include"

"""Pages of projects: a lost session loses nothing, links invite once, the start page tells what works here."""

from __future__ import annotations

import html
import re
from typing import Any
from urllib.parse import parse_qs, urlsplit
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from litapp.core.plan import PlanQuery, SearchPlan
from litapp.core.records import Record
from litapp.jobs.models import SourceHealth
from litapp.projects.models import Event, Invitation, Membership, Project, Role
from litapp.projects.services.events import record_event
from litapp.projects.services.projects import project_create, project_delete
from litapp.projects.services.team import invitation_create
from litapp.providers.registry import source_keys
from litapp.verification.services.requests import verification_request
from searches.services.plans import plan_create
from tests.projects.conftest import join, make_person
from tests.references.world import make_world

pytestmark = pytest.mark.django_db
HOSTILE = '"><script>alert(1)</script><img src=x onerror=alert(2)>'
HTMX = {"HX-Request": "true"}


def browser(user: User | None = None, **options: Any) -> Client:
    client = Client(**options)
    if user is not None:
        client.force_login(user)
    return client


def text_of(response: Any) -> str:
    """The page's text without tags, entities resolved, spaces joined."""
    page = re.sub(r"(?s)<(script|style|svg|template)\b.*?</\1>", " ", response.content.decode())
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", page)).split())


def inputs_of(page: str) -> list[tuple[str, str]]:
    """(name, value) of the hidden inputs of a page, without security tokens."""
    found = re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', page)
    return [(html.unescape(n), html.unescape(v)) for n, v in found if n != "csrfmiddlewaretoken"]


# Start


def test_signed_out_people_read_what_this_is_and_can_sign_in() -> None:
    page = browser().get("/")
    assert "Nothing is cited that a source did not return." in text_of(page)
    assert f'href="{reverse("account_login")}"' in page.content.decode()
    assert f'href="{reverse("account_signup")}"' in page.content.decode()


def test_signed_in_people_see_their_projects_only(project: Project, owner: User) -> None:
    project_create(actor=make_person(), name="Somebody else's")
    gone = project_create(actor=owner, name="Deleted one")
    project_delete(project=gone, actor=owner, typed_name="Deleted one")
    text = text_of(browser(owner).get("/"))
    assert project.name in text
    assert "Owner" in text
    assert "Somebody else" not in text
    assert "Deleted one" not in text


@pytest.mark.parametrize("signed_in", [False, True])
def test_the_start_page_says_when_no_source_answers_and_names_the_demo(owner: User, signed_in: bool) -> None:
    client = browser(owner if signed_in else None)
    assert "make demo" not in text_of(client.get("/"))
    for key in source_keys():
        SourceHealth.objects.create(source=key, failures=1, last_error="It cannot be reached.")
    text = text_of(client.get("/"))
    assert "No source can be reached from here." in text
    assert "make demo" in text
    SourceHealth.objects.filter(pk="crossref").update(failures=0, last_success_at="2026-01-01T00:00Z")
    assert "make demo" not in text_of(client.get("/"))


# Creating, renaming, deleting


def test_a_double_click_makes_one_project(owner: User) -> None:
    form = {"name": "New", "description": "", "request_id": str(uuid4())}
    answers = [browser(owner).post(reverse("projects:create"), form) for _ in range(2)]
    [made] = Project.objects.filter(name="New")
    assert [answer["Location"] for answer in answers] == [reverse("projects:overview", args=[made.pk])] * 2


def test_the_same_form_of_two_people_is_two_projects(owner: User) -> None:
    form = {"name": "New", "description": "", "request_id": str(uuid4())}
    for user in (owner, make_person()):
        browser(user).post(reverse("projects:create"), form)
    assert Project.objects.filter(name="New").count() == 2


def test_a_project_without_a_name_is_not_made(owner: User) -> None:
    form = {"name": " ", "description": "kept", "request_id": str(uuid4())}
    page = browser(owner).post(reverse("projects:create"), form)
    assert (page.status_code, Project.objects.count()) == (422, 0)
    assert "kept" in text_of(page)


def test_a_project_made_with_the_sandbox_says_so_for_ever(owner: User, settings: Any) -> None:
    settings.SANDBOX_URL = "http://127.0.0.1:1"
    made = project_create(actor=owner, name="Try")
    settings.SANDBOX_URL = ""
    assert made.sandbox
    assert "Sandbox data" in text_of(browser(owner).get(reverse("projects:overview", args=[made.pk])))


def test_deleting_asks_for_the_name_and_the_address_then_says_deleted(project: Project, owner: User) -> None:
    client, address = browser(owner), reverse("projects:delete", args=[project.pk])
    wrong = client.post(address, {"typed_name": "nonsense"})
    assert (wrong.status_code, "That is not the name." in text_of(wrong)) == (422, True)
    assert client.post(address, {"typed_name": project.name})["Location"] == reverse("projects:list")
    gone = client.get(reverse("projects:overview", args=[project.pk]))
    assert gone.status_code == 410
    assert f"{project.name} was deleted" in text_of(gone)
    assert "by Olga Owner" in text_of(gone)


def test_a_missing_right_is_explained(project: Project) -> None:
    reader = join(project, Role.READER)
    page = browser(reader.user).get(reverse("searches:plan_new", args=[project.pk]))
    assert page.status_code == 403
    assert "To write search plans, one must be Owner, Lead or Librarian." in text_of(page)
    assert "ask Olga Owner for another role" in text_of(page)


@pytest.mark.parametrize("turned_away", ["demoted", "removed", "project deleted"])
def test_who_is_turned_away_while_typing_gets_back_what_was_typed(
    project: Project, owner: User, turned_away: str
) -> None:
    member = join(project, Role.LEAD)
    client, address = browser(member.user), reverse("projects:rename", args=[project.pk])
    assert client.get(address).status_code == 200
    match turned_away:
        case "demoted":
            Membership.objects.filter(pk=member.pk).update(role=Role.READER)
        case "removed":
            member.delete()
        case "project deleted":
            project_delete(project=project, actor=owner, typed_name=project.name)
    page = client.post(address, {"name": f"Typed {HOSTILE}", "description": "A long text\nin two lines"})
    assert page.status_code == {"demoted": 403, "removed": 404, "project deleted": 410}[turned_away]
    assert "What you had typed, to copy elsewhere" in text_of(page)
    assert "A long text in two lines" in text_of(page)
    assert html.escape(f"Typed {HOSTILE}", quote=True).split("x27")[0] in page.content.decode()
    project.refresh_from_db()
    assert "Typed" not in project.name


def test_the_list_of_projects_counts_everybody_in_each(project: Project, owner: User) -> None:
    for role in (Role.LEAD, Role.READER):
        join(project, role)
    project_create(actor=owner, name="Alone")
    rows = browser(owner).get(reverse("projects:list")).context["page"].items
    assert {row.name: row.members for row in rows} == {project.name: 3, "Alone": 1}


def test_without_a_mail_server_nobody_is_told_to_wait_for_a_mail(settings: Any) -> None:
    settings.EMAIL_URL = ""
    page = text_of(browser().get(reverse("account_reset_password")))
    assert "no mail server" in page
    assert "is sent to your e-mail address" not in page
    settings.EMAIL_URL = "mail.example.org"
    assert "is sent to your e-mail address" in text_of(browser().get(reverse("account_reset_password")))


# A lost session


def test_a_form_sent_without_session_is_kept_over_the_sign_in_and_can_be_sent(project: Project, owner: User) -> None:
    owner.set_password("a long pass phrase")
    owner.save()
    client, address = browser(), reverse("projects:rename", args=[project.pk])
    typed = {"name": HOSTILE, "description": "a long text\nin two lines"}
    answer = client.post(address, typed)
    assert answer["Location"] == f"{reverse('account_login')}?next=%2Funsent%2F"
    signed = client.post(answer["Location"], {"login": owner.email, "password": "a long pass phrase"})
    assert signed["Location"] == "/unsent/"
    page = client.get("/unsent/").content.decode()
    assert "<script>alert" not in page
    kept = inputs_of(page)
    assert kept == list(typed.items())
    onward = client.post("/unsent/", dict(kept), follow=True)
    assert onward.redirect_chain == [(address, 307), (reverse("projects:overview", args=[project.pk]), 302)]
    project.refresh_from_db()
    assert (project.name, project.description.split()) == (HOSTILE, typed["description"].split())


def test_nothing_is_shown_when_nothing_was_kept(owner: User) -> None:
    assert browser(owner).get("/unsent/")["Location"] == "/"


def test_a_kept_form_can_be_discarded(project: Project, owner: User) -> None:
    client = browser()
    client.post(reverse("projects:rename", args=[project.pk]), {"name": "Typed"})
    client.force_login(owner)
    client.post("/unsent/", {"discard": "1"})
    project.refresh_from_db()
    assert project.name != "Typed"
    assert client.get("/unsent/")["Location"] == "/"


def test_a_kept_form_is_forgotten_after_half_an_hour(project: Project, owner: User, time_machine: Any) -> None:
    client = browser()
    time_machine.move_to("2026-03-01T12:00Z", tick=False)
    client.post(reverse("projects:rename", args=[project.pk]), {"name": "Typed"})
    time_machine.shift(31 * 60)
    client.force_login(owner)
    assert client.get("/unsent/")["Location"] == "/"


def test_a_part_of_a_page_moves_the_whole_page_to_the_sign_in(project: Project) -> None:
    around = f"http://testserver{reverse('searches:candidates', args=[project.pk])}?text=fever"
    address = reverse("searches:run_list", args=[project.pk])
    answer = browser().get(address, headers={**HTMX, "HX-Current-URL": around})
    assert answer.status_code == 401
    back = parse_qs(urlsplit(answer["HX-Redirect"]).query)["next"]
    assert back == [reverse("searches:candidates", args=[project.pk]) + "?text=fever"]


def test_a_foreign_page_is_not_a_way_back(project: Project) -> None:
    address = reverse("searches:run_list", args=[project.pk])
    answer = browser().get(address, headers={**HTMX, "HX-Current-URL": "https://evil.example/"})
    assert "evil" not in answer["HX-Redirect"]


def test_a_form_with_a_stale_token_gives_back_what_was_typed(project: Project, owner: User) -> None:
    client, address = browser(owner, enforce_csrf_checks=True), reverse("projects:rename", args=[project.pk])
    typed = {"name": "Typed name", "description": "Typed text", "csrfmiddlewaretoken": "x" * 64}
    page = client.post(address, typed, headers={"Origin": "http://testserver"})
    assert page.status_code == 403
    assert inputs_of(page.content.decode()) == [("name", "Typed name"), ("description", "Typed text")]
    project.refresh_from_db()
    assert project.name != "Typed name"


def test_a_foreign_form_is_not_given_back(project: Project, owner: User) -> None:
    client, address = browser(owner, enforce_csrf_checks=True), reverse("projects:rename", args=[project.pk])
    page = client.post(address, {"name": "Evil"}, headers={"Origin": "https://evil.example"})
    assert page.status_code == 403
    assert "Evil" not in page.content.decode()


# Invitations


def invited(project: Project, owner: User, role: str = Role.SCREENER) -> str:
    return invitation_create(project=project, actor=owner, role=role, request_id=uuid4(), note="Ann")[1]


def test_a_link_is_shown_once_and_leads_a_stranger_through_sign_up_into_the_project(
    project: Project, owner: User
) -> None:
    form = {"role": "librarian", "note": "Ann", "request_id": str(uuid4())}
    page = browser(owner).post(reverse("projects:invite", args=[project.pk]), form).content.decode()
    link = re.search(r"http://testserver(/invitations/[\w-]+/)", page)
    assert link
    assert link[1] not in browser(owner).get(reverse("projects:team", args=[project.pk])).content.decode()
    ann = browser()
    text = text_of(ann.get(link[1]))
    assert "Olga Owner invites you to" in text
    assert "as Librarian" in text
    account = {"email": "ann@example.org", "password1": "a long pass phrase", "password2": "a long pass phrase"}
    signed = ann.post(f"{reverse('account_signup')}?next={link[1]}", {**account, "first_name": "Ann", "next": link[1]})
    assert signed["Location"] == link[1]
    assert "Join the project" in text_of(ann.get(link[1]))
    assert ann.post(link[1])["Location"] == reverse("projects:overview", args=[project.pk])
    assert Membership.objects.get(project=project, user__email="ann@example.org").role == Role.LIBRARIAN
    again = browser(make_person()).get(link[1])
    assert (again.status_code, "a link works once" in text_of(again)) == (410, True)


def test_the_project_list_leads_back_to_an_opened_invitation(project: Project, owner: User) -> None:
    token, guest = invited(project, owner), browser(make_person())
    guest.get(reverse("projects:invitation", args=[token]))
    page = guest.get("/").content.decode()
    assert reverse("projects:invitation", args=[token]) in page
    guest.post(reverse("projects:invitation", args=[token]))
    assert reverse("projects:invitation", args=[token]) not in guest.get("/").content.decode()


def test_closed_sign_up_opens_for_the_holder_of_a_link(project: Project, owner: User, settings: Any) -> None:
    settings.ACCOUNT_SIGNUP_OPEN = False
    assert "Sign-up is closed" in text_of(browser().get(reverse("account_signup")))
    guest = browser()
    guest.get(reverse("projects:invitation", args=[invited(project, owner)]))
    assert "Sign-up is closed" not in text_of(guest.get(reverse("account_signup")))


def test_an_unknown_link_says_so() -> None:
    page = browser().get(reverse("projects:invitation", args=["nonsense"]))
    assert (page.status_code, "not known here" in text_of(page)) == (404, True)


def test_states_of_invitations_are_shown(project: Project, owner: User) -> None:
    client = browser(owner)
    for _ in range(3):
        invited(project, owner)
    used, withdrawn, _ = Invitation.objects.order_by("pk")
    Invitation.objects.filter(pk=used.pk).update(accepted_at="2026-01-02T00:00Z", accepted_by=owner)
    client.post(reverse("projects:invitation_revoke", args=[project.pk, withdrawn.pk]))
    page = client.get(reverse("projects:team", args=[project.pk])).content.decode()
    assert sorted(re.findall(r'<span class="pill[^"]*">(Open|Accepted|Withdrawn|Run out)</span>', page)) == [
        "Accepted",
        "Open",
        "Withdrawn",
    ]


# Team


def test_roles_are_changed_and_the_last_owner_stays(project: Project, owner: User) -> None:
    client, member = browser(owner), join(project, Role.READER, "Rita")
    client.post(reverse("projects:role", args=[project.pk, member.pk]), {"role": "lead"})
    member.refresh_from_db()
    assert member.role == Role.LEAD
    mine = Membership.objects.get(project=project, user=owner)
    page = client.post(reverse("projects:member_remove", args=[project.pk, mine.pk]), follow=True)
    assert "A project needs an owner, and this is the last one." in text_of(page)
    assert Membership.objects.filter(pk=mine.pk).exists()


def test_somebody_who_leaves_lands_on_the_list(project: Project) -> None:
    lead = join(project, Role.LEAD)
    answer = browser(lead.user).post(reverse("projects:member_remove", args=[project.pk, lead.pk]))
    assert answer["Location"] == reverse("projects:list")
    assert browser(lead.user).get(reverse("projects:overview", args=[project.pk])).status_code == 404


# History


def test_the_history_is_readable_and_can_be_narrowed(project: Project, owner: User) -> None:
    member = join(project, Role.READER, "Rita")
    browser(owner).post(reverse("projects:role", args=[project.pk, member.pk]), {"role": "screener"})
    record_event(project=project, actor=None, verb="run.finished", subject="run:1", payload={"state": "success"})
    address = reverse("projects:history", args=[project.pk])
    text = text_of(browser(owner).get(address))
    assert "Olga Owner changed a role: Rita" in text
    assert "before Reader after Screener" in text
    assert "LitLedger finished a run" in text
    only = text_of(browser(owner).get(f"{address}?what=run"))
    assert "finished a run" in only
    assert "changed a role" not in only


def test_the_history_names_what_an_entry_is_about(project: Project, owner: User) -> None:
    checked = verification_request(
        project=project, record=Record("brought", "1", title="A made-up paper"), returned_by=()
    )
    record_event(project=project, actor=owner, verb="verification.rechecked", subject=f"verification:{checked.pk}")
    record_event(project=project, actor=owner, verb="verification.rechecked", subject="verification:999999")
    text = text_of(browser(owner).get(reverse("projects:history", args=[project.pk])))
    assert "A made-up paper" in text
    assert "verification 999999" in text, "what is gone keeps its number"


def test_the_history_finds_tampering(project: Project, owner: User) -> None:
    address = reverse("projects:history", args=[project.pk]) + "?check=1"
    record_event(project=project, actor=owner, verb="plan.saved")
    assert "The log is whole." in text_of(browser(owner).get(address))
    Event.objects.filter(project=project, sequence=1).update(payload={"name": "Another"})
    assert "The log was tampered with. Entry 1 was changed" in text_of(browser(owner).get(address))


def test_a_long_history_has_pages(project: Project, owner: User) -> None:
    for _ in range(120):
        record_event(project=project, actor=owner, verb="plan.saved")
    address = reverse("projects:history", args=[project.pk])
    counts = [
        browser(owner).get(f"{address}?page={page}").content.decode().count("saved a search plan")
        for page in (1, 2, 99)
    ]
    assert counts == [100, 20, 20]


# Everything


def test_hostile_names_are_shown_as_text(project: Project, owner: User) -> None:
    Project.objects.filter(pk=project.pk).update(name=HOSTILE, description=HOSTILE)
    User.objects.filter(pk=owner.pk).update(first_name=HOSTILE[:60])
    token = invited(project, owner)
    record_event(project=project, actor=owner, verb=HOSTILE[:50], subject=HOSTILE[:70], payload={HOSTILE: HOSTILE})
    names = ("overview", "team", "history", "rename", "delete")
    addresses = [reverse(f"projects:{name}", args=[project.pk]) for name in names]
    for address in (*addresses, "/", reverse("projects:invitation", args=[token])):
        page = browser(owner).get(address).content.decode()
        assert "<script>alert" not in page
        assert "<img" not in page


def test_the_number_of_database_queries_of_each_page_is_fixed(project: Project, owner: User) -> None:
    def queries_of() -> dict[str, int]:
        found, client = {}, browser(owner)
        for name in ("list", "overview", "team", "history"):
            arguments = [] if name == "list" else [project.pk]
            with CaptureQueriesContext(connection) as queries:
                assert client.get(reverse(f"projects:{name}", args=arguments)).status_code == 200
            found[name] = len(queries)
        return found

    few = queries_of()
    for number in range(12):
        project_create(actor=owner, name=f"Project {number}")
        member = join(project, Role.READER)
        record_event(project=project, actor=member.user, verb="member.removed", subject=f"user:{member.user_id}")
        invited(project, owner)
    many = queries_of()
    many["history"] -= 1  # the names of the people whom entries are about
    many["overview"] -= 1
    assert few == many == {"list": 4, "overview": 22, "team": 10, "history": 12}


def test_the_overview_asks_what_the_approved_plan_asks_not_a_later_draft() -> None:
    world = make_world()
    draft = SearchPlan("Something else?", ("pubmed",), (PlanQuery("asthma[tiab]"),))
    page = reverse("projects:overview", args=[world.project.pk])
    client = Client()
    client.force_login(world.owner)
    before = client.get(page).context["question"]
    plan_create(project=world.project, actor=world.owner, title="", content=draft)
    assert (before != "Something else?", client.get(page).context["question"]) == (True, before)

"""Roles x addresses: every address of LitLedger is in one table, and answers each kind of person as the table says."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from litapp.ledger.services.bodies import write_body
from litapp.projects.models import Membership, Project, Role
from litapp.projects.permissions import RIGHTS, Right
from litapp.projects.services.projects import project_create, project_delete
from litapp.projects.services.team import invitation_create
from litapp.sandbox.pdf_files import pdf_of
from litapp.verification.models import StatusNotice
from references.models import Briefing, Export, FullText, FullTextAttempt, FullTextCopy, FullTextUpload, Reference
from references.services.export import export_folder
from references.services.list_checks import list_check_request
from references.services.list_work import ListWork
from searches.models import (
    AbstractFill,
    FoundPaper,
    PaperSearch,
    PlanCount,
    Ranking,
    RecordNote,
    SearchPlanVersion,
    StoppingSample,
)
from searches.models_plans import PartCount
from searches.services.import_by_hand import TypedRecord, record_add
from tests.references.briefing_documents import document_with
from tests.references.world import World, make_world

pytestmark = pytest.mark.django_db


class Open(Enum):
    """Who may reach an address that belongs to no project."""

    PUBLIC = "everybody"
    SIGNED_IN = "everybody who is signed in"
    ACCOUNT = "allauth decides (its own tests cover it)"


TABLE: dict[str, Right | Open] = {
    "start": Open.PUBLIC,
    "styleguide": Open.PUBLIC,
    "limits": Open.PUBLIC,
    "unsent": Open.SIGNED_IN,
    "check_references": Open.SIGNED_IN,
    "quick_cite_start": Open.SIGNED_IN,
    "check_prisma": Open.SIGNED_IN,
    "projects:list": Open.SIGNED_IN,
    "projects:create": Open.SIGNED_IN,
    "projects:invitation": Open.PUBLIC,
    "projects:overview": Right.VIEW,
    "projects:history": Right.VIEW,
    "projects:numbers": Right.VIEW,
    "projects:team": Right.VIEW,
    "projects:invite": Right.TEAM,
    "projects:invitation_revoke": Right.TEAM,
    "projects:role": Right.TEAM,
    "projects:member_remove": Right.TEAM,
    "projects:rename": Right.TEAM,
    "projects:delete": Right.OWN,
    "searches:plan_list": Right.VIEW,
    "searches:plan": Right.VIEW,
    "searches:plan_compare": Right.VIEW,
    "searches:count_answer": Right.VIEW,
    "searches:plan_new": Right.PLAN,
    "searches:plan_check": Right.PLAN,
    "searches:plan_repair_hits": Right.PLAN,
    "searches:plan_question_check": Right.PLAN,
    "searches:plan_repair": Right.PLAN,
    "searches:plan_appendix": Right.PLAN,
    "searches:plan_strings": Right.VIEW,
    "searches:plan_filter_hits": Right.PLAN,
    "searches:plan_other_methods": Right.PLAN,
    "searches:plan_parts": Right.PLAN,
    "searches:part_answer": Right.VIEW,
    "searches:plan_repair_undo": Right.PLAN,
    "searches:mesh": Right.VIEW,
    "searches:mesh_ask": Right.PLAN,
    "searches:plan_edit": Right.PLAN,
    "searches:plan_counts": Right.PLAN,
    "searches:plan_new_version": Right.PLAN,
    "searches:plan_approve": Right.APPROVE,
    "searches:run_list": Right.VIEW,
    "searches:run": Right.VIEW,
    "searches:run_progress": Right.VIEW,
    "searches:run_start": Right.RUN,
    "searches:run_cancel": Right.RUN,
    "searches:run_resume": Right.RUN,
    "searches:run_again": Right.RUN,
    "searches:run_stand_in": Right.RUN,
    "searches:plan_blocks": Right.PLAN,
    "searches:plan_block_change": Right.PLAN,
    "searches:plan_from_file": Right.PLAN,
    "searches:run_more": Right.VIEW,
    "searches:run_replay": Right.RUN,
    "searches:run_bundle": Right.EXPORT,
    "searches:run_bundle_file": Right.EXPORT,
    "searches:run_comparison": Right.VIEW,
    "searches:abstracts": Right.VIEW,
    "searches:abstracts_look": Right.VERIFY,
    "searches:abstracts_fill": Right.VIEW,
    "searches:prisma": Right.VIEW,
    "searches:prisma_file": Right.EXPORT,
    "searches:prisma_behind": Right.VIEW,
    "searches:prisma_import_method": Right.RUN,
    "searches:prisma_report": Right.SCREEN,
    "searches:search_report": Right.VIEW,
    "searches:search_report_file": Right.EXPORT,
    "searches:search_report_statement": Right.PLAN,
    "searches:import_list": Right.VIEW,
    "searches:import_new": Right.RUN,
    "searches:import_identifiers": Right.RUN,
    "searches:import_by_hand": Right.RUN,
    "searches:import": Right.VIEW,
    "searches:import_entries": Right.VIEW,
    "searches:import_table": Right.VIEW,
    "searches:import_file": Right.VIEW,
    "searches:import_describe": Right.RUN,
    "searches:import_cancel": Right.RUN,
    "searches:import_resume": Right.RUN,
    "searches:import_undo": Right.RUN,
    "searches:paper_search": Right.VIEW,
    "searches:quick_cites": Right.VIEW,
    "searches:quick_cite": Right.VIEW,
    "searches:quick_cite_new": Right.VERIFY,
    "searches:quick_cite_add": Right.REFERENCES,
    "searches:related_papers": Right.VIEW,
    "searches:related": Right.VIEW,
    "searches:related_new": Right.VERIFY,
    "searches:related_take": Right.RUN,
    "searches:pools": Right.VIEW,
    "searches:pool": Right.VIEW,
    "searches:pool_new": Right.VERIFY,
    "searches:pool_take": Right.RUN,
    "searches:seed_papers": Right.VIEW,
    "searches:seeds_new": Right.PLAN,
    "searches:seeds": Right.VIEW,
    "searches:candidates": Right.VIEW,
    "searches:candidate": Right.VIEW,
    "searches:candidates_copy": Right.VIEW,
    "searches:candidate_part": Right.SCREEN,
    "searches:candidate_join": Right.SCREEN,
    "searches:candidate_study": Right.SCREEN,
    "searches:duplicates": Right.VIEW,
    "searches:duplicates_answer": Right.SCREEN,
    "searches:duplicates_undo": Right.SCREEN,
    "searches:screen": Right.SCREEN,
    "searches:screen_next": Right.SCREEN,
    "searches:decide": Right.SCREEN,
    "searches:decide_many": Right.SCREEN,
    "searches:undo": Right.SCREEN,
    "verification:panel": Right.VIEW,
    "verification:answer": Right.VIEW,
    "verification:recheck": Right.VERIFY,
    "searches:fulltext": Right.SCREEN,
    "searches:fulltext_next": Right.SCREEN,
    "searches:fulltext_undo": Right.SCREEN,
    "searches:screening": Right.VIEW,
    "searches:ranking": Right.VIEW,
    "searches:ranking_switch": Right.SETTLE,
    "searches:ranking_sample": Right.SETTLE,
    "searches:ranking_accept": Right.SETTLE,
    "searches:criteria": Right.SETTLE,
    "searches:own_words": Right.SCREEN,
    "searches:stage_set": Right.SETTLE,
    "searches:pilot": Right.SETTLE,
    "searches:assign": Right.SETTLE,
    "searches:conflicts": Right.SETTLE,
    "searches:agreement": Right.SETTLE,
    "searches:resolve": Right.SETTLE,
    "searches:note_new": Right.SCREEN,
    "searches:note_delete": Right.SCREEN,
    "searches:labels": Right.SCREEN,
    "verification:manual": Right.VERIFY,
    "verification:notice_seen": Right.VERIFY,
    "references:list": Right.VIEW,
    "references:reference": Right.VIEW,
    "references:note": Right.REFERENCES,
    "references:remove": Right.REFERENCES,
    "references:restore": Right.REFERENCES,
    "references:summary": Right.VIEW,
    "references:summary_change": Right.REFERENCES,
    "references:matrix": Right.VIEW,
    "references:matrix_cell": Right.VIEW,
    "references:matrix_cell_change": Right.REFERENCES,
    "references:matrix_columns": Right.REFERENCES,
    "references:passages": Right.VIEW,
    "references:passages_look": Right.REFERENCES,
    "references:passages_change": Right.REFERENCES,
    "references:list_checks": Right.VIEW,
    "references:list_new": Right.VERIFY,
    "references:list_check": Right.VIEW,
    "references:list_cancel": Right.VERIFY,
    "references:list_resume": Right.VERIFY,
    "references:list_recheck": Right.VERIFY,
    "references:list_take": Right.REFERENCES,
    "references:list_accept": Right.VERIFY,
    "references:list_entry_recheck": Right.VERIFY,
    "references:list_file": Right.EXPORT,
    "references:export_new": Right.EXPORT,
    "references:styles": Right.EXPORT,
    "references:export": Right.EXPORT,
    "references:export_override": Right.EXPORT,
    "references:export_file": Right.EXPORT,
    "references:fulltext": Right.VIEW,
    "references:fulltext_start": Right.REFERENCES,
    "references:fulltext_cancel": Right.REFERENCES,
    "references:fulltext_resume": Right.REFERENCES,
    "references:fulltext_resolver": Right.REFERENCES,
    "references:fulltext_bring": Right.REFERENCES,
    "references:fulltext_upload": Right.VIEW,
    "references:fulltext_questions": Right.VIEW,
    "references:fulltext_file": Right.VIEW,
    "references:fulltext_answer": Right.REFERENCES,
    "references:fulltext_withdraw": Right.REFERENCES,
    "references:fulltext_place": Right.VIEW,
    "references:fulltext_reference": Right.VIEW,
    "references:fulltext_text": Right.VIEW,
    "references:fulltext_not_retrieved": Right.REFERENCES,
    "references:briefings": Right.VIEW,
    "references:briefing_drafts": Right.VIEW,
    "references:briefing_draft": Right.REFERENCES,
    "references:briefing_new": Right.RUN,
    "references:briefing": Right.VIEW,
    "references:briefing_cancel": Right.RUN,
    "references:briefing_resume": Right.RUN,
    "references:briefing_file": Right.EXPORT,
    "account_keys": Open.SIGNED_IN,
    "account_login": Open.ACCOUNT,
    "account_logout": Open.ACCOUNT,
    "account_inactive": Open.ACCOUNT,
    "account_signup": Open.ACCOUNT,
    "account_reauthenticate": Open.ACCOUNT,
    "account_request_reauthentication_code": Open.ACCOUNT,
    "account_confirm_reauthentication_code": Open.ACCOUNT,
    "account_email": Open.SIGNED_IN,
    "account_email_verification_sent": Open.ACCOUNT,
    "account_change_password": Open.SIGNED_IN,
    "account_set_password": Open.SIGNED_IN,
    "account_reset_password": Open.ACCOUNT,
    "account_confirm_login_code": Open.ACCOUNT,
    "account_confirm_email": Open.ACCOUNT,
    "account_reset_password_from_key_done": Open.ACCOUNT,
    "account_reset_password_from_key": Open.ACCOUNT,
    "account_reset_password_done": Open.ACCOUNT,
}
"""Name of an address -> the right it needs. A new address has to be put here, or the first test fails.
Everything under "admin:" is for staff of the installation and is tested as a whole."""

OF_PROJECTS = sorted(name for name, access in TABLE.items() if isinstance(access, Right))


NEXT = ("searches:screen_next", "searches:fulltext_next")
"""Addresses that need to be told where somebody is."""


def addresses() -> dict[str, URLPattern]:
    """Every address of the installation by its full name."""

    def walk(patterns: list[Any], space: tuple[str, ...]) -> Iterator[tuple[str, URLPattern]]:
        for pattern in patterns:
            if isinstance(pattern, URLResolver):
                yield from walk(pattern.url_patterns, (*space, pattern.namespace) if pattern.namespace else space)
            else:
                yield ":".join([*space, pattern.name or f"unnamed {pattern.pattern}"]), pattern

    found: dict[str, URLPattern] = {}
    for name, pattern in walk(get_resolver().url_patterns, ()):
        assert name not in found or name.startswith("admin:"), f"two addresses are called {name}"
        found[name] = pattern
    return found


@dataclass
class Place:
    """A project that has one of everything, with the arguments of each address."""

    world: World
    arguments: dict[str, Any]

    def address(self, name: str, **other: Any) -> str:
        """The address `name` for this project's objects; `other` replaces some of them."""
        wanted = addresses()[name].pattern.regex.groupindex
        given = {**self.arguments, **other}
        project = {"project_id": given["project_id"]} if isinstance(TABLE[name], Right) else {}
        path = reverse(name, kwargs=project | {key: given[key] for key in wanted if key in given})
        return f"{path}?record={given['candidate_id']}" if name in NEXT else path


def make_place(label: str) -> Place:
    """A project of its own owner, with plan, counts, run, candidate, verification, reference, export, invitation."""
    world = make_world(candidates=1, name=label)
    owner = world.owner
    owner.username, owner.email = f"owner-{label}", f"owner-{label}@example.org"
    owner.save()
    [candidate] = world.candidates
    verification = world.verify(candidate)
    draft = SearchPlanVersion.objects.create(
        plan=world.run.version.plan,
        number=2,
        content=world.run.version.content,
        content_hash=world.run.version.content_hash,
        created_by=owner,
    )
    [link] = candidate.source_records.select_related("source_record")
    answer = link.source_record.answer_id
    counted = PlanCount.objects.create(
        version=draft, content_hash=draft.content_hash, source="pubmed", query_index=0, total=1, answer_id=answer
    )
    reference = Reference.objects.create(project=world.project, candidate=candidate, key="Weber_2001_Paper")
    file = {"name": "references.bib", "sha256": "0", "size": 1, "media_type": "text/plain"}
    export = Export.objects.create(
        project=world.project, requested_by=owner, request_id=uuid4(), format="bib", scope="all", files=[file]
    )
    export_folder(export).mkdir(parents=True)
    (export_folder(export) / "references.bib").write_text("%")
    invitation, token = invitation_create(project=world.project, actor=owner, role=Role.READER, request_id=uuid4())
    member = Membership.objects.create(
        project=world.project, user=User.objects.create_user(f"member-{label}"), role=Role.READER
    )
    fill = AbstractFill.objects.create(
        project=world.project, requested_by=owner, request_id=uuid4(), chosen=[candidate.pk], total=1
    )
    brought = record_add(
        project=world.project, actor=owner, request_id=uuid4(), typed=TypedRecord(f"A guideline of {label}")
    ).record_import
    listed = list_check_request(
        project=world.project, actor=owner, request_id=uuid4(),
        chunks=[f"Smith J. On the {label} of things. Lancet 2001;1:2-3.".encode()],
    )  # fmt: skip
    ListWork().run(str(listed.pk))
    briefing = Briefing.objects.create(
        project=world.project, request_id=uuid4(), asked=label, asked_key="0", number=1, input_sha256="0",
        document=document_with(),
    )  # fmt: skip
    full_text = FullText.objects.create(project=world.project, reference=reference)
    attempt = FullTextAttempt.objects.create(full_text=full_text, source="landing", outcome="absent", answer_id=answer)
    upload = FullTextUpload.objects.create(project=world.project, request_id=uuid4())
    copy = FullTextCopy.objects.create(
        project=world.project, reference=reference, state="accepted", outcome="accepted", source="upload",
        sha256=write_body(pdf_of([label])), answer_id=answer,
    )  # fmt: skip
    return Place(
        world,
        {
            "briefing_id": briefing.pk,
            "file_name": "briefing.json",
            "attempt_id": attempt.pk,
            "upload_id": upload.pk,
            "copy_id": copy.pk,
            "list_id": listed.pk,
            "entry_id": listed.entries.get().pk,
            "kind": "bib",
            "file_kind": "csv",
            "key": "duplicates",
            "item": 14,
            "project_id": world.project.pk,
            "stage": "title",
            "sample_id": stopping_sample(world.project, owner).pk,
            "note_id": RecordNote.objects.create(
                candidate=candidate, person=owner, text=f"a note of {label}", request_id=uuid4()
            ).pk,
            **paper_searches(world.project, draft, link.source_record),
            "version_id": draft.pk,
            "other_id": world.run.version_id,
            "count_id": counted.pk,
            "part_id": PartCount.objects.create(
                plan=draft.plan, text="a[ti]", text_hash="a", total=1, answer_id=answer
            ).pk,
            "run_id": world.run.pk,
            "earlier_id": world.run.pk,
            "fill_id": fill.pk,
            "import_id": brought.pk,
            "candidate_id": candidate.pk,
            "verification_id": verification.pk,
            "notice_id": StatusNotice.objects.create(
                project=world.project, verification=verification, state="retracted"
            ).pk,
            "answer_id": answer,
            "reference_id": reference.pk,
            "column": "design",
            "export_id": export.pk,
            "name": "references.bib",
            "invitation_id": invitation.pk,
            "membership_id": member.pk,
            "token": token,
            "uidb36": "1",
        },
    )


def stopping_sample(project: Project, owner: Any) -> StoppingSample:
    """A sample of prioritised screening whose test was passed."""
    ranking = Ranking.objects.create(
        project=project, seed=1, settings={"model": "m"}, control_share=0, started_by=owner
    )
    return StoppingSample.objects.create(
        ranking=ranking, number=1, request_id=uuid4(), drawn_by=owner, records=2, unread=1, relevant_before=1, size=1,
        target=0.95, confidence=0.95, chosen=[1], found=0, p_value=0.0, passed=True, finished_at=ranking.started_at,
    )  # fmt: skip


def paper_searches(project: Project, version: SearchPlanVersion, record: Any) -> dict[str, int]:
    """A search of each short way to papers; that of quick cite found a paper."""
    seeds = {"pmids": ["1"], "content_hash": version.content_hash}
    asked = {"related": {}, "pool": {"topic": "a", "cap": None, "design": ""}, "seeds": seeds, "quick_cite": {}}
    made = {
        mode: PaperSearch.objects.create(
            project=project, mode=mode, request_id=uuid4(), title=mode, question=question,
            version=version if mode == "seeds" else None,
        )
        for mode, question in asked.items()
    }  # fmt: skip
    paper = FoundPaper.objects.create(search=made["quick_cite"], place=1, main_record=record)
    ids = {f"{mode}_id": search.pk for mode, search in made.items()}
    return {**ids, "search_id": ids.pop("quick_cite_id"), "paper_id": paper.pk}


@pytest.fixture
def place() -> Place:
    return make_place("mine")


def visitor(user: User | None) -> Client:
    client = Client()
    if user is not None:
        client.force_login(user)
    return client


def member_with(project: Project, role: str) -> User:
    """A new member of the project."""
    user = User.objects.create_user(f"{role}-{uuid4().hex[:8]}", first_name=role)
    Membership.objects.create(project=project, user=user, role=role)
    return user


def verdict(client: Client, address: str, *, send: bool) -> str:
    """How a person is received: "sign in", "nothing there", "no right", "deleted" or "allowed".

    A form is sent only with `send` (people who must be turned away); else 405 for a GET counts as allowed, because the
    rights are checked before the method, or the method lets nobody pass.
    """
    statuses = [client.get(address)]
    if send:
        statuses.append(client.post(address, {"role": "reader"}))
    told = {_told(response) for response in statuses}
    if send and len(told) > 1:
        told.discard("wrong method")
    return " and ".join(sorted(told)).replace("wrong method", "allowed")


def _told(response: Any) -> str:
    if response.status_code == 405:
        return "wrong method"
    if response.status_code == 302 and response["Location"].split("?")[0] == reverse("account_login"):
        return "sign in"
    return {401: "sign in", 403: "no right", 404: "nothing there", 410: "deleted"}.get(response.status_code, "allowed")


def test_every_address_is_in_the_table_and_every_entry_is_an_address() -> None:
    names = {name for name in addresses() if not name.startswith("admin:")}
    assert names == set(TABLE)


def test_every_view_of_a_project_carries_the_right_of_the_table() -> None:
    carried = {name: getattr(addresses()[name].callback, "right", None) for name in OF_PROJECTS}
    assert carried == {name: TABLE[name] for name in OF_PROJECTS}


def test_signed_out_people_are_sent_to_the_sign_in_page(place: Place) -> None:
    client = visitor(None)
    told = {name: verdict(client, place.address(name), send=True) for name in OF_PROJECTS}
    assert told == dict.fromkeys(OF_PROJECTS, "sign in")


def test_people_of_other_projects_find_nothing(place: Place) -> None:
    stranger = User.objects.create_user("stranger")
    project_create(actor=stranger, name="Theirs")
    client = visitor(stranger)
    told = {name: verdict(client, place.address(name), send=True) for name in OF_PROJECTS}
    assert told == dict.fromkeys(OF_PROJECTS, "nothing there")


@pytest.mark.parametrize("role", [role.value for role in Role])
def test_each_role_reaches_what_its_rights_allow_and_nothing_else(place: Place, role: str) -> None:
    client = visitor(member_with(place.world.project, role))
    allowed = {name: TABLE[name] in RIGHTS[role] for name in OF_PROJECTS}
    told = {name: verdict(client, place.address(name), send=not allowed[name]) for name in OF_PROJECTS}
    assert told == {name: "allowed" if allowed[name] else "no right" for name in OF_PROJECTS}


OBJECTS = (
    "version_id", "other_id", "count_id", "part_id", "run_id", "candidate_id", "verification_id", "notice_id",
    "answer_id", "reference_id", "export_id", "invitation_id", "membership_id", "earlier_id", "fill_id", "import_id",
    "note_id", "search_id", "paper_id", "related_id", "seeds_id", "pool_id", "list_id", "entry_id",
    "attempt_id", "upload_id", "copy_id", "briefing_id",
    "sample_id",
)  # fmt: skip


def test_objects_of_another_project_are_not_found_in_mine(place: Place) -> None:
    theirs, client = make_place("theirs"), visitor(place.world.owner)
    crossings = [(name, key) for name in OF_PROJECTS for key in OBJECTS if f"<int:{key}>" in _route(name)]
    assert {key for _, key in crossings} == set(OBJECTS)
    told = {
        (name, key): verdict(client, place.address(name, **{key: theirs.arguments[key]}), send=True)
        for name, key in crossings
    }
    assert told == dict.fromkeys(crossings, "nothing there")


def _route(name: str) -> str:
    return str(addresses()[name].pattern)


def test_a_deleted_project_says_so_on_every_address(place: Place) -> None:
    project = place.world.project
    project_delete(project=project, actor=place.world.owner, typed_name=project.name)
    client = visitor(place.world.owner)
    told = {name: verdict(client, place.address(name), send=True) for name in OF_PROJECTS}
    assert told == dict.fromkeys(OF_PROJECTS, "deleted")


def test_pages_for_signed_in_people(place: Place) -> None:
    names = [name for name, access in TABLE.items() if access is Open.SIGNED_IN]
    stranger, member = visitor(None), visitor(place.world.owner)
    assert {name: verdict(stranger, place.address(name), send=True) for name in names} == dict.fromkeys(
        names, "sign in"
    )
    assert {name: verdict(member, place.address(name), send=False) for name in names} == dict.fromkeys(names, "allowed")


def test_public_pages(place: Place) -> None:
    names = [name for name, access in TABLE.items() if access is Open.PUBLIC]
    assert {name: visitor(None).get(place.address(name)).status_code for name in names} == dict.fromkeys(names, 200)


def test_the_administration_is_for_staff_only(place: Place) -> None:
    paths = ("", "auth/user/", "auth/user/1/change/", "password_change/", "jsi18n/", "nonsense/")
    assert any(name.startswith("admin:") for name in addresses())
    for user in (None, place.world.owner):
        client = visitor(user)
        sent = {path: client.get(f"/admin/{path}").get("Location", "").split("?")[0] for path in paths}
        assert sent == dict.fromkeys(paths, "/admin/login/")

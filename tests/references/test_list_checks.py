"""Checked lists: n entries in, n verdicts out; cancelled, resumed, taken into the project, told in files."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse

from litapp.jobs.models import StepState
from litapp.ledger.services.bodies import read_body
from litapp.projects.models import Event, Membership, Project, Role
from litapp.projects.services.events import verify_chain
from litapp.verification.models import Verification
from litapp.verification.services.requests import set_manual
from litapp.verification.services.work import check_now
from references.models import EntryKind, ListEntry, Reference, ReferenceListCheck
from references.services import list_checks, list_work
from references.services.list_checks import (
    ListProblem,
    list_cancel,
    list_check_request,
    list_recheck,
    list_resume,
)
from references.services.list_files import FILES, list_file
from references.services.list_report import all_rows, report_json
from references.services.list_take import list_take
from references.services.list_work import ListWork
from tests.verification.conftest import StandIn, paper, project, world

__all__ = ["project", "world"]
pytestmark = pytest.mark.django_db(transaction=True)

REAL = (
    "Horby P, Lim WS, Emberson JR, et al. Dexamethasone in Hospitalized Patients with Covid-19. N Engl J Med. "
    "2021;384(8):693-704. doi:10.1056/NEJMoa2021436"
)
FAKE = "Nobody A. A paper that nobody ever wrote about anything. Lancet. 2019;1:2-3. doi:10.5555/nothing.1"
TEXT = f"Here are your references:\n\n1. {REAL}\n2. {FAKE}\n3. {REAL}\n"


@pytest.fixture
def owner(project: Project) -> User:
    Membership.objects.create(project=project, user=project.created_by, role=Role.OWNER)
    return project.created_by


@pytest.fixture
def known(world: dict[str, StandIn]) -> dict[str, StandIn]:
    """Three sources know the real paper; all answer."""
    for key in ("pubmed", "crossref", "openalex"):
        record = paper(key, source_id=f"{key}-1")
        world[key].records = {identifier.value: record for identifier in record.identifiers}
    return world


def begin(
    project: Project, text: str | bytes = TEXT, *, name: str = "", number: UUID | None = None
) -> ReferenceListCheck:
    content = text.encode() if isinstance(text, str) else text
    return list_check_request(
        project=project, actor=project.created_by, request_id=number or uuid4(), chunks=[content], name=name
    )


def finish(row: ReferenceListCheck) -> ReferenceListCheck:
    """Work until the list is through, as a worker and its bells do."""
    for _ in range(6):
        ReferenceListCheck.objects.filter(pk=row.pk, state=StepState.WAITING).update(not_before=None, state="queued")
        ListWork().run(str(row.pk))
        check_now(verification_ids=Verification.objects.filter(list_entry__list_check=row).values_list("pk", flat=True))
        row.refresh_from_db()
        if not row.is_open:
            break
    return row


def verdicts(row: ReferenceListCheck) -> list[tuple[int, str, str]]:
    return [(told.entry.number, told.verdict, told.group) for told in all_rows(row) if told.entry.number]


def test_every_entry_gets_its_verdict_worst_first(project: Project, known: dict[str, StandIn]) -> None:
    row = finish(begin(project))
    assert row.state == StepState.DONE
    assert verdicts(row) == [(2, "suspect", "identity"), (1, "verified", "verified"), (3, "verified", "verified")]
    stray = row.entries.get(kind=EntryKind.OTHER)
    assert (stray.text, stray.first_line, stray.verification) == ("Here are your references:", 1, None)
    assert [entry.duplicate_of and entry.duplicate_of.number for entry in row.entries.entries()] == [None, None, 1]
    counts = row.entries.counts()
    assert (counts["all"], counts["identity"], counts["verified"], counts["duplicate"], counts["other"]) == (
        3,
        1,
        2,
        1,
        1,
    )


def test_what_was_brought_is_in_the_ledger_as_it_came(project: Project) -> None:
    row = begin(project)
    assert read_body(row.answer.sha256) == TEXT.encode()
    assert row.answer.source == "brought"


def test_a_double_click_starts_one_check(project: Project) -> None:
    number = uuid4()
    assert begin(project, number=number).pk == begin(project, number=number).pk
    assert ReferenceListCheck.objects.count() == 1


def test_all_sources_down_is_unverified_even_for_a_fake(
    project: Project, world: dict[str, StandIn], monkeypatch: pytest.MonkeyPatch
) -> None:
    for source in world.values():
        source.usable = False
    row = finish(begin(project))
    assert {verdict for _, verdict, _ in verdicts(row)} == {"unverified"}
    assert all(told.reasons for told in all_rows(row) if told.entry.number)


def test_entries_of_a_file_that_cannot_be_read_are_listed_with_their_text(project: Project, known: Any) -> None:
    good = (
        "TY  - JOUR\nTI  - Dexamethasone in Hospitalized Patients with Covid-19\nDO  - 10.1056/nejmoa2021436\nER  - \n"
    )
    row = finish(begin(project, f"{good}\nTY  - JOUR\nER  - \n", name="export.ris"))
    assert row.format == "RIS"
    first, second = row.entries.order_by("place")
    assert (first.kind, first.parsed, first.first_line) == (EntryKind.REFERENCE, True, 1)
    assert second.kind in (EntryKind.UNREADABLE, EntryKind.REFERENCE)
    assert row.entries.counts()["all"] == 2
    assert second.kind == EntryKind.REFERENCE or second.problem


def test_a_list_of_pmids(project: Project, known: Any) -> None:
    row = finish(begin(project, "32678530\n123456789012\n"))
    assert [entry.kind for entry in row.entries.order_by("place")] == [EntryKind.REFERENCE, EntryKind.UNREADABLE]
    assert verdicts(row) == [(2, "unreadable", "unreadable"), (1, "verified", "verified")]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "nothing in it"),
        (b"%PDF-1.7 \x00\x01", "PDF"),
        (b"PK\x03\x04 broken", "damaged or encrypted"),
        (b"\xd0\xcf\x11\xe0 old word", "old Word"),
    ],
)
def test_what_is_no_list_is_refused_in_words(project: Project, content: bytes, words: str) -> None:
    with pytest.raises(ListProblem, match=re.escape(words)):
        begin(project, content)
    assert not ReferenceListCheck.objects.exists()


def test_too_large_is_refused(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(list_checks, "LARGEST", 10)
    with pytest.raises(ListProblem, match="larger"):
        begin(project)


def test_text_without_a_reference_says_so_and_lists_its_pieces(project: Project) -> None:
    row = finish(begin(project, "Dear Anna,\n\nthe list follows tomorrow."))
    assert (row.state, row.entries.counts()["all"], row.entries.counts()["other"]) == (StepState.DONE, 0, 2)


def test_a_killed_worker_is_followed_by_one_that_goes_on_behind_its_last_page(
    project: Project, known: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(list_work, "PAGE", 1)
    row = begin(project)
    real, calls = list_work._save, []

    def dies(*arguments: Any) -> None:
        if len(calls) == 2:
            raise KeyboardInterrupt
        calls.append(arguments)
        real(*arguments)

    monkeypatch.setattr(list_work, "_save", dies)
    with pytest.raises(KeyboardInterrupt):
        ListWork().run(str(row.pk))
    monkeypatch.setattr(list_work, "_save", real)
    ReferenceListCheck.objects.filter(pk=row.pk).update(state=StepState.QUEUED, lease_token="")
    finish(row)
    assert [entry.place for entry in row.entries.all()] == [1, 2, 3, 4]
    assert Verification.objects.count() == 3


def test_cancelled_and_resumed(project: Project, owner: User, known: dict[str, StandIn]) -> None:
    row = begin(project)
    ListWork().run(str(row.pk))
    row = list_cancel(list_check=row, actor=owner)
    assert row.state == StepState.CANCELLED
    assert set(Verification.objects.values_list("state", flat=True)) == {StepState.CANCELLED}
    check_now(verification_ids=Verification.objects.values_list("pk", flat=True))
    assert all(source.asked == [] for source in known.values())
    with pytest.raises(ListProblem):
        list_cancel(list_check=row, actor=owner)
    row = finish(list_resume(list_check=row, actor=owner))
    assert [verdict for _, verdict, _ in verdicts(row)] == ["suspect", "verified", "verified"]


def test_checked_again_asks_past_stored_answers(project: Project, owner: User, known: dict[str, StandIn]) -> None:
    row = finish(begin(project))
    asked = len(known["crossref"].asked)
    finish(list_recheck(list_check=row, actor=owner))
    assert len(known["crossref"].asked) > asked > 0


def test_a_word_by_hand_becomes_manual_and_never_verified(project: Project, owner: User, known: Any) -> None:
    row = finish(begin(project))
    fake = row.entries.get(number=2)
    set_manual(verification=fake.verification, actor=owner, reason="I have the book here.")
    assert (2, "manual", "manual") in verdicts(row)


def test_the_paper_that_was_meant_is_taken_for_an_entry_and_checked(
    project: Project, owner: User, known: Any, client: Client
) -> None:
    row = finish(begin(project))
    fake, real = row.entries.get(number=2), row.entries.get(number=1)
    meant = {**real.verification.matched}
    offer = {"source": meant["source"], "record": meant, "answer_id": None}
    Verification.objects.filter(pk=fake.verification_id).update(suggestions=[offer])
    client.force_login(owner)
    page = client.get(reverse("references:list_check", args=[project.pk, row.pk])).content.decode()
    assert page.count("I meant this paper") == 1
    address = reverse("references:list_accept", args=[project.pk, row.pk, fake.pk])
    client.post(address, {"paper": "nowhere:1"})
    assert (2, "suspect", "identity") in verdicts(row), "what was not offered changes nothing"
    client.post(address, {"paper": f"{meant['source']}:{meant['source_id']}"})
    finish(row)
    assert (2, "verified") in [(number, verdict) for number, verdict, _ in verdicts(row)]
    event = Event.objects.filter(project=project, verb="verification.corrected").get()
    assert (event.payload["field"], event.payload["after"]) == ("paper", meant["title"])


def test_only_verified_ones_are_taken_and_as_the_sources_state_them(
    project: Project, owner: User, known: dict[str, StandIn]
) -> None:
    row = finish(begin(project))
    done = list_take(list_check=row, actor=owner, request_id=uuid4())
    fake = row.entries.get(number=2)
    assert (len(done.entries), done.papers, done.before, done.left_out) == (2, 1, 0, {fake.pk: "is not verified"})
    [reference] = Reference.objects.filter(project=project)
    linked = reference.candidate.source_records.values_list("source_record__source", flat=True)
    assert set(linked) <= {"pubmed", "crossref", "openalex"}
    assert "brought" not in set(linked)
    assert reference.candidate.record["journal"] == "The New England journal of medicine"
    again = list_take(list_check=row, actor=owner, request_id=uuid4())
    assert (again.papers, again.before, Reference.objects.count()) == (1, 1, 1)
    assert verify_chain(project).broken_at is None


def test_a_retracted_paper_is_not_taken(project: Project, owner: User, known: Any) -> None:
    row = finish(begin(project))
    Verification.objects.filter(list_entry__number=1).update(publication_state="retracted")
    done = list_take(list_check=row, actor=owner, request_id=uuid4(), entry_ids=[row.entries.get(number=1).pk])
    assert list(done.left_out.values()) == ["was retracted or withdrawn"]
    assert not Reference.objects.exists()


def test_no_reference_of_a_list_without_its_check(project: Project) -> None:
    row = begin(project)
    with pytest.raises(IntegrityError), transaction.atomic():
        ListEntry.objects.create(list_check=row, place=1, number=1, kind=EntryKind.REFERENCE, text="x")


@pytest.mark.parametrize("kind", ["bib", "ris"])
def test_files_mark_what_is_not_verified(project: Project, known: Any, kind: str) -> None:
    row = finish(begin(project))
    made = list_file(row, kind)
    text = made.content.decode()
    assert text.count("[UNVERIFIED - NEEDS MANUAL CHECK]") == 1
    assert "A paper that nobody ever wrote" in text
    assert list_file(row, kind).content == made.content


def test_the_report_counts_and_tells_each_finding(project: Project, known: Any) -> None:
    row = finish(begin(project))
    text = list_file(row, "report.md").content.decode()
    assert re.search(r"Suspect: no such paper, or another one\s*\|\s*1 \|", text)
    assert "### Entry 2, line 4" in text
    assert "10.5555/nothing.1" in text
    assert "Here are your references:" in text


def test_word_files_open(project: Project, known: Any) -> None:
    row = finish(begin(project))
    for kind in ("docx", "report.docx"):
        assert list_file(row, kind).content[:4] == b"PK\x03\x04"


def test_everything_as_json(project: Project, known: Any) -> None:
    row = finish(begin(project))
    told = report_json(row, all_rows(row))
    assert [(entry["number"], entry["verdict"], entry["kind"]) for entry in told["entries"]] == [
        (1, "verified", ""), (2, "suspect", "identity"), (3, "verified", "")
    ]  # fmt: skip
    assert told["entries"][2]["duplicate_of"] == 1
    assert told["not_references"][0]["text"] == "Here are your references:"
    assert json.loads(json.dumps(told)) == told


@pytest.mark.parametrize(("text", "status"), [(TEXT, 1), (f"1. {REAL}\n", 0)])
def test_the_command_says_by_its_exit_status(known: Any, tmp_path: Path, text: str, status: int) -> None:
    file = tmp_path / "references.txt"
    file.write_text(text, encoding="utf-8")
    out = io.StringIO()
    try:
        call_command("check_references", str(file), "--json", stdout=out, stderr=io.StringIO())
        code: object = 0
    except SystemExit as ended:
        code = ended.code
    assert code == status
    assert json.loads(out.getvalue())["counts"]["all"] == len(re.findall(r"(?m)^\d\.", text))


def test_pages_show_text_of_others_as_text(project: Project, owner: User, known: Any, client: Client) -> None:
    row = finish(begin(project, '1. Horby P. <script>alert("x")</script> & more. N Engl J Med. 2021;384:693.\n'))
    client.force_login(owner)
    page = client.get(reverse("references:list_check", args=[project.pk, row.pk])).content.decode()
    assert "&lt;script&gt;alert" in page
    assert "<script>alert" not in page


def test_the_page_polls_while_the_list_is_checked_and_says_when_nothing_changed(
    project: Project, owner: User, known: Any, client: Client
) -> None:
    row = begin(project)
    ListWork().run(str(row.pk))
    client.force_login(owner)
    address = reverse("references:list_check", args=[project.pk, row.pk])
    page = client.get(address).content.decode()
    [seen] = re.findall(r"seen=(\w+)", page)
    assert client.get(f"{address}?seen={seen}", headers={"HX-Request": "true"}).status_code == 204
    finish(row)
    part = client.get(f"{address}?seen={seen}", headers={"HX-Request": "true"}).content.decode()
    assert "hx-get" not in part.split("list-entries")[0]
    assert "<html" not in part


def test_a_form_with_nothing_or_both_is_answered_with_what_to_do(project: Project, owner: User, client: Client) -> None:
    client.force_login(owner)
    address = reverse("references:list_new", args=[project.pk])
    for data in ({}, {"text": "x", "file": io.BytesIO(b"y")}):
        response = client.post(address, data)
        assert response.status_code == 422
    assert not ReferenceListCheck.objects.exists()


def test_a_pasted_text_leads_to_its_page(project: Project, owner: User, client: Client) -> None:
    client.force_login(owner)
    number = str(uuid4())
    data = {"text": TEXT, "request_id": number}
    first = client.post(reverse("references:list_new", args=[project.pk]), data)
    second = client.post(reverse("references:list_new", args=[project.pk]), data)
    row = ReferenceListCheck.objects.get()
    assert first["Location"] == second["Location"] == reverse("references:list_check", args=[project.pk, row.pk])
    assert Event.objects.filter(project=project, verb="list.check_started").count() == 1


def test_from_the_start_page_to_the_one_project(project: Project, owner: User, client: Client) -> None:
    client.force_login(owner)
    assert client.get(reverse("check_references"))["Location"] == reverse("references:list_new", args=[project.pk])


def test_every_file_can_be_downloaded_by_its_address(project: Project, owner: User, known: Any, client: Client) -> None:
    row = finish(begin(project))
    client.force_login(owner)
    for kind in FILES:
        response = client.get(reverse("references:list_file", args=[project.pk, row.pk, kind]))
        assert (response.status_code, response["X-Content-Type-Options"]) == (200, "nosniff")
    assert client.get(reverse("references:list_file", args=[project.pk, row.pk, "exe"])).status_code == 404

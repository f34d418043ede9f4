"""Import pages: the forms, the report with a list behind each number, the table, the file, undo; cut uploads."""

from __future__ import annotations

import csv
import io
from datetime import date
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from litapp.projects.models import Membership, Project, Role
from searches.models import Candidate, ImportedEntry, RecordImport
from tests.searches.import_files import imported, ris_file, ris_record, work
from tests.searches.stand_in import paper

pytestmark = pytest.mark.django_db


@pytest.fixture
def client(project: Project, person: User) -> Client:
    Membership.objects.create(project=project, user=person, role=Role.LIBRARIAN)
    client = Client()
    client.force_login(person)
    return client


def at(name: str, project: Project, *args: int) -> str:
    return reverse(f"searches:{name}", args=[project.pk, *args])


def upload(client: Client, project: Project, body: bytes, **fields: Any) -> Any:
    data = {"database": "Embase", "complete": "1", **fields}
    return client.post(at("import_new", project), {**data, "file": SimpleUploadedFile("export.ris", body)})


def test_an_uploaded_file_is_imported_and_its_page_tells_the_report(client: Client, project: Project) -> None:
    answer = upload(client, project, ris_file(3), platform="Ovid", searched_on="2026-01-05", count_exported="4")
    row = RecordImport.objects.get()
    assert (answer.status_code, answer["Location"]) == (303, at("import", project, row.pk))
    page = client.get(at("import", project, row.pk)).content.decode()
    assert "Safe to close" in page
    assert 'hx-trigger="every 1s"' in page
    work(row)
    assert (row.platform, row.searched_on, row.file_name) == ("Ovid", date(2026, 1, 5), "export.ris")
    page = client.get(at("import", project, row.pk)).content.decode()
    assert "The counts differ." in page
    assert "exported 4 records" in page
    assert "<strong>Missing for PRISMA-S:</strong> query as run." in page
    assert "every 1s" not in page


def test_a_poll_that_finds_nothing_new_answers_with_nothing(client: Client, project: Project) -> None:
    upload(client, project, ris_file(3))
    row = RecordImport.objects.get()
    seen = client.get(at("import", project, row.pk)).context["seen"]
    poll = at("import", project, row.pk) + f"?seen={seen}"
    assert client.get(poll, headers={"HX-Request": "true"}).status_code == 204
    work(row)
    assert client.get(poll, headers={"HX-Request": "true"}).status_code == 200


def test_every_number_of_the_report_opens_its_list(client: Client, project: Project, person: User) -> None:
    body = (ris_record(1, AB="Text.") + "TY  - JOUR\nER  - \n\n" + ris_record(2) + ris_record(3)).encode()
    row = imported(project, person, body)
    ImportedEntry.objects.filter(number=1).update(
        claimed={"verified": "yes"}, dropped=["C1: odd"], warnings=["Mended."]
    )
    counts = {
        show: client.get(at("import_entries", project, row.pk), {"show": show}).context["page"].total
        for show in ("", "read", "skipped", "dropped", "claimed", "warnings", "no-abstract", "no-title", "no-year")
    }
    assert counts == {
        "": 4, "read": 3, "skipped": 1, "dropped": 1, "claimed": 1, "warnings": 1, "no-abstract": 2, "no-title": 0,
        "no-year": 0,
    }  # fmt: skip
    assert row.lacking == {"abstract": 2}
    entries = at("import_entries", project, row.pk)
    assert client.get(entries, {"show": "dropped", "field": "C1"}).context["page"].total == 1
    assert client.get(entries, {"show": "dropped", "field": "C"}).context["page"].total == 0
    assert client.get(entries, {"show": "nonsense"}).status_code == 404
    papers = client.get(at("candidates", project), {"brought": row.pk, "brought_as": "new"}).context["page"].total
    assert papers == 3


def test_a_claim_in_the_file_is_shown_and_not_trusted(client: Client, project: Project, person: User) -> None:
    row = imported(project, person, ris_file(1))
    ImportedEntry.objects.update(claimed={"verified": "true", "verified_by": "somebody"})
    candidate = Candidate.objects.get()
    page = client.get(at("candidate", project, candidate.pk)).content.decode()
    assert "verified_by “somebody”" in page
    assert "never trusted" in page
    assert candidate.verification is not None
    assert candidate.verification.status == "unverified"
    assert f"import {row.pk}</a>, Embase" in page


def test_the_list_of_candidates_names_the_database(client: Client, project: Project, person: User) -> None:
    imported(project, person, ris_file(2))
    page = client.get(at("candidates", project))
    assert [row.sources for row in page.context["rows"]] == ["Embase", "Embase"]


@pytest.mark.parametrize(
    ("fields", "body", "sentence"),
    [
        ({"complete": ""}, ris_file(1), "The upload was cut off on its way"),
        ({"database": ""}, ris_file(1), "Say which database was searched"),
        ({"searched_on": "2999-01-01"}, ris_file(1), "This day is still to come."),
        ({}, b"%PDF-1.7 a paper", ""),
        ({}, b"", "The file is empty"),
    ],
)
def test_what_cannot_be_imported_is_said_beside_its_field(
    client: Client, project: Project, fields: dict[str, str], body: bytes, sentence: str
) -> None:
    answer = upload(client, project, body, **fields)
    assert answer.status_code == 422
    assert sentence in answer.content.decode()
    assert not RecordImport.objects.exists()


def test_a_file_beyond_the_cap_is_said_to_be_too_large(client: Client, project: Project, settings: Any) -> None:
    settings.IMPORT_LARGEST = 300
    answer = upload(client, project, ris_file(5))
    assert answer.status_code == 422
    assert "The file has more than 300" in answer.content.decode()


def test_the_same_file_leads_to_the_first_import_and_says_so(client: Client, project: Project) -> None:
    upload(client, project, ris_file(2))
    work(RecordImport.objects.get())
    answer = upload(client, project, ris_file(2), database="Scopus")
    row = RecordImport.objects.get()
    assert answer["Location"] == at("import", project, row.pk)
    page = client.get(answer["Location"]).content.decode()
    assert f"This file was imported before, as import {row.pk} (Embase). Nothing was added." in page


def test_the_table_escapes_formulas_and_has_every_record(client: Client, project: Project, person: User) -> None:
    evil = ris_record(1).replace(f"TI  - {paper(1).title}", 'TI  - =HYPERLINK("x") in asthma')
    row = imported(project, person, (evil + ris_record(2)).encode())
    answer = client.get(at("import_table", project, row.pk))
    text = b"".join(answer.streaming_content).decode("utf-8-sig")  # type: ignore[attr-defined]
    lines = list(csv.DictReader(io.StringIO(text)))
    assert [(line["row"], line["result"], line["title"]) for line in lines] == [
        ("1", "read", "'=HYPERLINK(\"x\") in asthma"), ("2", "read", paper(2).title),
    ]  # fmt: skip


def test_the_file_is_given_back_byte_for_byte(client: Client, project: Project, person: User) -> None:
    body = ris_file(3)
    row = imported(project, person, body)
    answer = client.get(at("import_file", project, row.pk))
    assert b"".join(answer.streaming_content) == body  # type: ignore[attr-defined]
    assert answer["Content-Disposition"] == 'attachment; filename="export.ris"'


def test_undo_says_what_it_does_before_it_does_it(client: Client, project: Project, person: User) -> None:
    row = imported(project, person, ris_file(3))
    Candidate.objects.filter(title=paper(2).title).update(decision="include")
    page = client.get(at("import_undo", project, row.pk))
    assert {name: page.context[name] for name in ("alone", "decided", "shared")} == {
        "alone": 3, "decided": 1, "shared": 0,
    }  # fmt: skip
    client.post(at("import_undo", project, row.pk))
    work(row)
    assert "Undone" in client.get(at("import", project, row.pk)).content.decode()
    assert client.get(at("candidates", project)).context["total"] == 0
    gone = Candidate.objects.get(title=paper(2).title)
    assert "import that was undone" in client.get(at("candidate", project, gone.pk)).content.decode()


def test_a_record_by_hand_keeps_address_and_day_and_is_labelled(client: Client, project: Project) -> None:
    typed = {
        "title": "Guideline on asthma care", "authors": "World Health Organization\nWeber, Anna", "csl_type": "report",
        "year": "2024", "publisher": "WHO", "url": "https://example.org/guideline", "accessed_on": "2026-02-03",
    }  # fmt: skip
    answer = client.post(at("import_by_hand", project), typed)
    candidate = Candidate.objects.get()
    assert answer["Location"] == at("candidate", project, candidate.pk)
    page = client.get(answer["Location"]).content.decode()
    assert "Added by hand, not cross-checked, low confidence" in page
    assert "https://example.org/guideline" in page
    assert "2026-02-03" in page
    record = candidate.merged_record
    assert [person.name for person in record.authors] == ["World Health Organization", "Weber Anna"]
    listed = client.get(at("candidates", project)).content.decode()
    assert "Added by hand, not cross-checked, low confidence" in listed
    assert candidate.verification is not None
    assert candidate.verification.state == "queued"
    type(candidate.verification).objects.update(status="verified")
    page = client.get(answer["Location"]).content.decode()
    assert "not cross-checked" not in page
    client.post(at("import_by_hand", project), typed)
    assert Candidate.objects.count() == 1


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"title": ""}, "Give the title as it is printed."),
        ({"url": "javascript:alert(1)"}, "This is no web address"),
        ({"url": "https://example.org/"}, "Say when you read it there"),
        ({"doi": "nonsense"}, "nonsense"),
    ],
)
def test_a_record_by_hand_that_cannot_be_cited_is_refused(
    client: Client, project: Project, fields: dict[str, str], sentence: str
) -> None:
    answer = client.post(at("import_by_hand", project), {"title": "T", "csl_type": "report", **fields})
    assert answer.status_code == 422
    assert sentence in answer.content.decode()
    assert not RecordImport.objects.exists()

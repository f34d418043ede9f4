"""The checker's page and command: findings in words, bad files refused with a reason, what was typed is kept."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

GOOD = {"database_results": 100, "duplicates": 10, "records_screened": 90}
BAD = {"database_results": 100, "duplicates": 10, "records_screened": "1,085"}


@pytest.fixture
def reader(db: None) -> Client:
    client = Client()
    client.force_login(User.objects.create_user("rita"))
    return client


def test_a_pasted_flow_is_checked_and_stays_in_the_form(reader: Client) -> None:
    text = json.dumps({"values": BAD})
    answer = reader.post(reverse("check_prisma"), {"text": text})
    assert answer.status_code == 200
    body = answer.content.decode()
    assert "The numbers do not add up: R3 is violated." in body
    assert "records screened: 1,085: 995 more than the numbers give" in body
    assert answer.context["form"]["text"].value() == text


def test_an_uploaded_file_is_checked_under_its_name(reader: Client) -> None:
    file = SimpleUploadedFile("ours.json", json.dumps(GOOD).encode())
    body = reader.post(reverse("check_prisma"), {"file": file}).content.decode()
    assert "The numbers add up: the one check that could be made holds." in body
    assert "ours.json" in body


@pytest.mark.parametrize(
    ("sent", "told"),
    [
        ({}, "Paste the numbers here, or choose a file."),
        ({"text": "hello"}, "This is neither JSON nor the CSV"),
        ({"text": "{"}, "This is no valid JSON"),
    ],
)
def test_what_is_no_flow_is_refused_with_a_reason(reader: Client, sent: dict[str, str], told: str) -> None:
    answer = reader.post(reverse("check_prisma"), sent)
    assert answer.status_code == 422
    assert told in answer.content.decode()


def test_markup_in_a_file_is_text(reader: Client) -> None:
    values = {**GOOD, "dbr_excluded": [["<b>not available</b>", 3]]}
    body = reader.post(
        reverse("check_prisma"), {"text": json.dumps({"values": values, "title": "<i>x"})}
    ).content.decode()
    assert "&lt;b&gt;not available&lt;/b&gt;" in body
    assert "<b>not available" not in body
    assert "<i>x" not in body


def test_the_command_tells_and_ends_with_the_result(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good, bad = tmp_path / "good.json", tmp_path / "bad.json"
    good.write_text(json.dumps(GOOD))
    bad.write_text(json.dumps(BAD))
    call_command("check_prisma", str(good))
    assert "The numbers add up" in capsys.readouterr().out
    with pytest.raises(SystemExit) as ended:
        call_command("check_prisma", str(bad), "--json")
    assert ended.value.code == 1
    told = json.loads(capsys.readouterr().out)
    assert told["violated_rules"] == ["R3"]
    assert [one["diff"] for one in told["checks"] if one["rule"] == "R3"] == [995]


@pytest.mark.parametrize("content", ["", "nothing"])
def test_the_command_refuses_what_is_no_flow(tmp_path: Path, content: str) -> None:
    file = tmp_path / "x.csv"
    file.write_text(content)
    with pytest.raises(CommandError) as refused:
        call_command("check_prisma", str(file))
    assert refused.value.returncode == 2
    with pytest.raises(CommandError, match="cannot be read"):
        call_command("check_prisma", str(tmp_path / "missing.json"))

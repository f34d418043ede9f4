"""Briefings from end to end against the sandbox: versions, order, model and fallback, files, pages, command."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from litapp.core.formats.briefing import problems
from litapp.core.records import AbstractSection
from litapp.jobs.models import StepState
from litapp.ledger.models import SourceAnswer
from litapp.projects.models import Event
from litapp.sandbox.faults import Fault
from litapp.sandbox.server import RunningSandbox
from references.models import Briefing, BriefingPaper
from references.services import briefing_work
from references.services.briefing import BriefingProblem, briefing_cancel, briefing_request, briefing_resume
from references.services.briefing_files import MEDIA, briefing_files, briefing_zip
from references.services.briefing_work import BriefingWork
from tests.references.fulltext_papers import CONTACT
from tests.references.model_server import GOOD, ModelServer, model_server
from tests.references.world import World, make_world
from tests.sandbox.fixtures import FAST, running_sandbox, sandbox_server, tiny_corpus

__all__ = ["running_sandbox", "sandbox_server", "tiny_corpus"]
pytestmark = pytest.mark.django_db
ALL = "1800:3000[dp]"


@pytest.fixture
def sandbox(sandbox_server: RunningSandbox, settings: Any) -> RunningSandbox:
    settings.SANDBOX_URL, settings.SANDBOX_CLOCK, settings.CONTACT_EMAIL = sandbox_server.url, FAST, CONTACT
    return sandbox_server


@pytest.fixture
def world(sandbox: RunningSandbox) -> World:
    return make_world(sandbox=True)


@pytest.fixture
def server(settings: Any) -> Iterator[ModelServer]:
    with model_server() as running:
        settings.MODEL = {
            "base_url": running.url, "model": "llama3", "provider": "Clinic", "key": "sk-secret-1", "max_tokens": "",
            "timeout": "5", "parameters": '{"top_p": 0.9}',
        }  # fmt: skip
        yield running


def make(world: World, asked: str = ALL, **options: Any) -> Briefing:
    row = briefing_request(
        project=world.project, actor=world.owner, request_id=options.pop("request_id", uuid4()), asked=asked, **options
    )  # fmt: skip
    BriefingWork().run(str(row.pk))
    row.refresh_from_db()
    return row


def with_abstracts(monkeypatch: Any) -> None:
    """The tiny corpus holds no abstracts: records get one that says which they are."""
    real = briefing_work._asked

    def asked(row: Briefing) -> Any:
        page, sent = real(row)
        hits = []
        for number, hit in enumerate(page.hits):
            parts = (
                () if number == 0 else (AbstractSection(f"Abstract of {hit.record.pmid}. More.", "AIM", "OBJECTIVE"),)
            )
            hits.append(replace(hit, record=replace(hit.record, abstract=parts)))
        return replace(page, hits=tuple(hits)), sent

    monkeypatch.setattr(briefing_work, "_asked", asked)


def test_ten_papers_newest_first_in_english_each_from_the_ledger(world: World) -> None:
    row = make(world)
    assert (row.state, row.number, row.message) == (StepState.DONE, 1, "")
    document = row.document
    assert problems(document) == []
    assert len(document["papers"]) == 10
    dates = [paper["date"] for paper in document["papers"]]
    years = [date[:4] for date in dates]
    assert years == sorted(years, reverse=True)
    assert document["query"]["sent"] == f"({ALL}) AND eng[la]"
    assert document["counts"]["found"] > 10
    assert document["settings"]["model"] is None
    assert document["input_sha256"] == hashlib.sha256(ALL.encode()).hexdigest()
    papers = BriefingPaper.objects.filter(briefing=row).select_related("source_record__answer")
    for entry, paper in zip(document["papers"], papers, strict=True):
        assert paper.source_record.answer.source == "pubmed"
        assert entry["pmid"] == paper.source_record.source_id
    assert {paper["summary"]["method"] for paper in document["papers"]} == {"unavailable"}
    assert "Sandbox data: this briefing says nothing about the literature." in document["warnings"]
    assert Event.objects.filter(verb="briefing.finished").count() == 1


def test_openings_without_a_model(world: World, monkeypatch: Any) -> None:
    with_abstracts(monkeypatch)
    row = make(world, papers=3)
    methods = sorted(paper["summary"]["method"] for paper in row.document["papers"])
    assert methods == ["first-sentence", "first-sentence", "unavailable"]
    opened = next(one for one in row.document["papers"] if one["abstract"])
    assert opened["summary"]["text"] == f"Abstract of {opened['pmid']}."
    assert opened["summary"]["label"] == "Abstract opening, no AI"
    assert opened["sections"] == [
        {"label": "AIM", "nlm_category": "OBJECTIVE", "text": f"Abstract of {opened['pmid']}. More."}
    ]
    assert row.document["counts"]["tokens"] is None


def test_an_empty_briefing_is_kept_too(world: World) -> None:
    row = make(world, "zzzzqqqq", topic="gene")
    assert row.state == StepState.DONE
    assert row.document["papers"] == []
    assert row.document["counts"]["found"] == 0
    assert "PubMed returned no paper for this query." in row.document["warnings"]
    assert len(briefing_files(row)) == 8


def test_a_new_run_is_a_new_version_and_the_earlier_one_stays(world: World) -> None:
    first = make(world)
    before = briefing_files(first)
    second = make(world, ALL.upper().replace("[DP]", "[dp]"))
    other = make(world, ALL, topic="question", papers=2)
    assert [first.number, second.number, other.number] == [1, 2, 3]
    assert make(world, "BRCA1", topic="gene").number == 1
    first.refresh_from_db()
    assert briefing_files(first) == before
    number = uuid4()
    assert make(world, request_id=number).pk == make(world, request_id=number).pk


def test_more_than_fifty_are_capped_with_a_warning(world: World) -> None:
    row = make(world, papers="99")
    assert row.papers == 50
    assert "99 papers were asked for; a briefing has at most 50." in row.document["warnings"]


@pytest.mark.parametrize(
    "wrong",
    [{"asked": ""}, {"papers": "ten"}, {"papers": 0}, {"topic": "moon"}, {"asked": "(BRCA1"}, {"with_model": True}],
)
def test_every_setting_is_checked_before_anything_is_asked(
    world: World, sandbox: RunningSandbox, wrong: dict[str, Any]
) -> None:
    with pytest.raises(BriefingProblem) as problem:
        make(world, **{"asked": "BRCA1", **wrong})
    assert len(problem.value.problems) == 1
    assert sandbox.counts() == {}
    assert not Briefing.objects.exists()


def test_all_problems_are_told_at_once(world: World, settings: Any) -> None:
    settings.MODEL = {
        **settings.MODEL,
        "base_url": "https://a.test/v1",
        "model": "m",
        "parameters": '{"api_key": "sk-1"}',
    }
    with pytest.raises(BriefingProblem) as problem:
        make(world, "", papers="x", with_model=True)
    assert len(problem.value.problems) == 3
    assert "sk-1" not in str(problem.value)


def test_summaries_of_a_model_are_labelled_and_counted(world: World, server: ModelServer, monkeypatch: Any) -> None:
    with_abstracts(monkeypatch)
    row = make(world, papers=3, with_model=True)
    assert row.state == StepState.DONE
    assert len(server.asked) == 2, "no call without an abstract"
    written = [one["summary"] for one in row.document["papers"] if one["summary"]["method"] == "llm"]
    assert len(written) == 2
    summary = written[0]
    assert (summary["text"], summary["provider"], summary["model"], summary["prompt_version"]) == (
        GOOD, "Clinic", "llama3", "summary-1",
    )  # fmt: skip
    assert summary["label"].startswith("AI summary: Clinic, llama3, 20")
    assert summary["label"].endswith("; check against the abstract")
    assert summary["usage"] == {"prompt_tokens": 100, "completion_tokens": 40, "total_tokens": 140}
    assert row.document["counts"]["tokens"] == 280
    [none] = [one["summary"] for one in row.document["papers"] if one["abstract"] is None]
    assert (none["text"], none["method"], none["fallback_reason"]) == ("Abstract unavailable", "unavailable", None)
    told = row.document["settings"]["model"]
    assert told["parameters"] == {"top_p": 0.9}
    everything = json.dumps(row.document) + "".join(
        body.decode("utf-8", "replace") for body in briefing_files(row).values()
    )
    assert "sk-secret-1" not in everything
    assert server.url not in everything
    assert problems(row.document) == []


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ({"content": None, "refusal": "no"}, "the model refused."),
        ({"content": "Cut", "finish_reason": "length"}, "the answer was cut at the token limit."),
        ("", "the answer was empty."),
        ("Too short.", "the answer had 2 words in place of 25 to 40."),
        (GOOD + " In 77 of them.", "the answer holds a figure that the abstract does not: 77."),
        (503, "the model did not answer: its server has a problem (status 503)."),
    ],
)
def test_what_cannot_be_used_falls_back_to_the_opening_with_the_reason(
    world: World, server: ModelServer, monkeypatch: Any, reply: Any, reason: str
) -> None:
    with_abstracts(monkeypatch)
    server.replies = [reply]
    row = make(world, papers=2, with_model=True)
    assert row.state == StepState.DONE
    [summary] = [one["summary"] for one in row.document["papers"] if one["abstract"]]
    assert summary["method"] == "first-sentence"
    assert summary["label"] == "Abstract opening, no AI"
    assert (summary["provider"], summary["model"], summary["prompt_version"]) == (None, None, None)
    assert summary["attempted"] == {"provider": "Clinic", "model": "llama3", "prompt_version": "summary-1"}
    assert summary["fallback_reason"] == reason
    assert row.document["counts"]["fallbacks"] == 1
    assert "1 of 2 papers have no AI summary; the reason stands at each." in row.document["warnings"]


def test_our_own_faults_fail_visibly_and_what_was_written_stays(
    world: World, server: ModelServer, monkeypatch: Any
) -> None:
    with_abstracts(monkeypatch)
    server.replies = [GOOD, 401, GOOD]
    row = make(world, papers=4, with_model=True)
    assert (row.state, row.document) == (StepState.FAILED, {})
    assert "LITAPP_MODEL_KEY" in row.message
    written = BriefingPaper.objects.filter(briefing=row).exclude(summary={}).count()
    assert 0 < written < 4
    asked = len(server.asked)
    briefing_resume(briefing=row, actor=world.owner)
    BriefingWork().run(str(row.pk))
    row.refresh_from_db()
    assert row.state == StepState.DONE
    assert len(server.asked) == asked + 2
    assert SourceAnswer.objects.filter(source="pubmed", operation="search").count() == 1, "PubMed is asked once"


def test_a_failed_pubmed_is_no_empty_briefing(world: World, sandbox: RunningSandbox) -> None:
    sandbox.faults.replace([Fault(kind="http", source="pubmed", status=500)])
    row = make(world)
    assert (row.state, row.document) == (StepState.FAILED, {})
    assert "PubMed" in row.message


def test_stop_resume_and_what_a_killed_worker_leaves(world: World, server: ModelServer, monkeypatch: Any) -> None:
    with_abstracts(monkeypatch)
    row = briefing_request(
        project=world.project, actor=world.owner, request_id=uuid4(), asked=ALL, papers=3, with_model=True
    )  # fmt: skip
    briefing_cancel(briefing=row, actor=world.owner)
    BriefingWork().run(str(row.pk))
    assert Briefing.objects.get().state == StepState.CANCELLED
    with pytest.raises(BriefingProblem):
        briefing_cancel(briefing=row, actor=world.owner)
    briefing_resume(briefing=row, actor=world.owner)
    assert BriefingWork().due() == [str(row.pk)]
    real = briefing_work._finish
    monkeypatch.setattr(briefing_work, "_finish", lambda *args: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        BriefingWork().run(str(row.pk))
    Briefing.objects.update(state=StepState.QUEUED, lease_token="")
    monkeypatch.setattr(briefing_work, "_finish", real)
    BriefingWork().run(str(row.pk))
    assert Briefing.objects.get().state == StepState.DONE
    assert len(server.asked) == 2
    with pytest.raises(BriefingProblem):
        briefing_resume(briefing=Briefing.objects.get(), actor=world.owner)


def test_the_folder_proves_itself(world: World) -> None:
    row = make(world, papers=2)
    assert briefing_zip(row) == briefing_zip(row)
    with zipfile.ZipFile(io.BytesIO(briefing_zip(row))) as packed:
        files = {name: packed.read(name) for name in packed.namelist()}
    sums = files.pop("reproducibility/checksums.sha256").decode().splitlines()
    assert sorted(sums) == sorted(f"{hashlib.sha256(body).hexdigest()}  {name}" for name, body in files.items())
    assert problems(json.loads(files["briefing.json"])) == []
    environment = json.loads(files["reproducibility/environment.json"])
    assert environment["sandbox"] is True
    assert "repeats exactly" in files["reproducibility/README.md"].decode()
    assert f"briefing '{ALL}'" in files["reproducibility/commands.sh"].decode()


def url(world: World, name: str, *args: Any) -> str:
    return reverse(f"references:{name}", args=[world.project.pk, *args])


def test_the_pages_of_a_briefing(world: World, monkeypatch: Any) -> None:
    with_abstracts(monkeypatch)
    client = world.client()
    assert "No briefing yet" in client.get(url(world, "briefings")).content.decode()
    assert "AI summaries" not in client.get(url(world, "briefing_new")).content.decode()
    bad = client.post(url(world, "briefing_new"), {"asked": " ", "topic": "gene", "papers": "x"})
    assert bad.status_code == 422
    assert "Write a gene, a disease or a question." in bad.content.decode()
    assert "The number of papers is a whole number from 1." in bad.content.decode()
    sent = client.post(url(world, "briefing_new"), {"asked": ALL, "topic": "question", "papers": "3"})
    row = Briefing.objects.get()
    assert sent["Location"] == url(world, "briefing", row.pk)
    text = client.get(sent["Location"]).content.decode()
    assert "PubMed is being asked" in text
    part = client.get(sent["Location"], headers={"hx-request": "true"}).content.decode()
    seen = part.split("?seen=")[1].split('"')[0]
    assert client.get(sent["Location"], {"seen": seen}, headers={"hx-request": "true"}).status_code == 204
    BriefingWork().run(str(row.pk))
    text = client.get(sent["Location"]).content.decode()
    assert text.count("Abstract opening, no AI") == 2
    assert text.count("<summary>Abstract</summary>") == 2
    assert "Abstract unavailable" in text
    for name in MEDIA:
        file = client.get(url(world, "briefing_file", row.pk, name))
        assert file.status_code == 200
        assert file["Content-Disposition"] == f'attachment; filename="{name}"'
    assert client.get(url(world, "briefing_file", row.pk, "other.txt")).status_code == 404
    again = client.get(url(world, "briefing_new"), {"again": row.pk}).content.decode()
    assert ALL in again
    make(world, papers=1)
    assert "Version 2" in client.get(sent["Location"]).content.decode()


def test_the_choice_of_a_model_is_off_at_first_and_a_wrong_one_is_named(
    world: World, server: ModelServer, settings: Any
) -> None:
    client = world.client()
    text = client.get(url(world, "briefing_new")).content.decode()
    assert "AI summaries in place of the openings" in text
    assert "checked" not in text.split('name="with_model"')[1].split(">")[0]
    settings.MODEL = {**settings.MODEL, "timeout": "never"}
    text = client.get(url(world, "briefing_new")).content.decode()
    assert "LITAPP_MODEL_TIMEOUT" in text


def briefing(*args: str, **options: Any) -> tuple[str, str]:
    out, err = StringIO(), StringIO()
    call_command("briefing", *args, stdout=out, stderr=err, **options)
    return out.getvalue(), err.getvalue()


@pytest.fixture
def ready(monkeypatch: Any) -> None:
    monkeypatch.setattr("references.management.commands.briefing.require_ready", lambda: None)


@pytest.mark.usefixtures("ready", "sandbox")
def test_the_command_writes_the_files_and_warns_before_it_replaces_any(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    out, err = briefing(ALL, "--papers", "2", "--out", str(folder))
    assert out.startswith("2 papers, version 1: ")
    assert "Sandbox data" in err
    document = json.loads((folder / "briefing.json").read_text())
    assert problems(document) == []
    assert (folder / "reproducibility/checksums.sha256").exists()
    before = (folder / "briefing.json").read_bytes()
    count = Briefing.objects.count()
    with pytest.raises(CommandError, match=r"would be replaced: briefing\.json") as refused:
        briefing(ALL, "--out", str(folder))
    assert refused.value.returncode == 2
    assert ((folder / "briefing.json").read_bytes(), Briefing.objects.count()) == (before, count)
    _, err = briefing(ALL, "--papers", "2", "--out", str(folder), "--replace")
    assert err.startswith(f"Warning: in {folder} these files are replaced: briefing.json")
    assert (folder / "briefing.json").read_bytes() != before


@pytest.mark.usefixtures("ready", "sandbox")
def test_the_command_takes_a_query_or_a_file_not_both(tmp_path: Path) -> None:
    file = tmp_path / "query.txt"
    file.write_bytes(f"{ALL}\n".encode())
    briefing("--file", str(file), "--papers", "1", "--out", str(tmp_path / "a"))
    document = json.loads((tmp_path / "a/briefing.json").read_text())
    assert document["input_sha256"] == hashlib.sha256(file.read_bytes()).hexdigest()
    assert document["query"]["asked"] == ALL
    count = Briefing.objects.count()
    bad = tmp_path / "bad.txt"
    bad.write_bytes(b"one\ntwo \xff\n")
    for arguments, told in (
        ([ALL, "--file", str(file)], "not both"),
        ([], "Write a gene"),
        (["--file", str(bad)], "no UTF-8 text \\(line 2\\)"),
        (["--file", str(tmp_path / "none")], "cannot be read"),
        ([ALL, "--papers", "many"], "whole number"),
        ([ALL, "--ai"], "has no model"),
        ([ALL, "--project", "999"], "no project 999"),
    ):
        with pytest.raises(CommandError, match=told) as refused:
            briefing(*arguments, "--out", str(tmp_path / "b"))
        assert refused.value.returncode == 2
    assert Briefing.objects.count() == count
    assert not (tmp_path / "b").exists()


@pytest.mark.usefixtures("ready", "sandbox")
def test_the_command_says_when_the_run_failed(tmp_path: Path, sandbox_server: RunningSandbox) -> None:
    sandbox_server.faults.replace([Fault(kind="http", source="pubmed", status=500)])
    with pytest.raises(CommandError, match="PubMed") as failed:
        briefing(ALL, "--out", str(tmp_path / "c"))
    assert failed.value.returncode == 1
    assert not (tmp_path / "c").exists()

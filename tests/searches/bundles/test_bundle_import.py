"""Bringing a bundle in: the same candidates, once, marked as what they are."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from litapp.core.ports import Outcome
from litapp.jobs.models import StepState
from litapp.ledger.models import SourceAnswer
from litapp.projects.models import Membership, Project, Role
from litapp.verification.models import Verification
from searches.models import Candidate, CandidateSource, RetrievalHit, RetrievalRun, RunState, StepAnswer
from searches.services.bundle_files import BundleError
from searches.services.bundle_import import bundle_check, bundle_import
from searches.services.plans import PlanFrozen, plan_approve, plan_new_version, plan_save
from searches.services.runs import NotApproved, RunNotChanged, run_again, run_resume, run_start
from tests.searches.bundles.bundle_files import export, picture
from tests.searches.conftest import work_all
from tests.searches.stand_in import StandIn, trouble

pytestmark = pytest.mark.django_db
Sources = dict[str, StandIn]
Start = Callable[..., RetrievalRun]


@pytest.mark.parametrize("answers", [False, True])
@pytest.mark.parametrize("name", ["b", "b.zip"])
def test_export_validate_import_gives_the_same_candidates(
    run: RetrievalRun, project: Project, other: Project, person: User, tmp_path: Path, answers: bool, name: str
) -> None:
    export(run, tmp_path / name, answers=answers)
    assert bundle_check(path=tmp_path / name).valid
    imported = bundle_import(path=tmp_path / name, project=other, actor=person)
    assert picture(other) == picture(project)
    assert (imported.papers, imported.candidates, imported.differences, imported.before) == (34, 34, (), False)
    made = imported.run
    made.refresh_from_db()
    assert (made.state, made.reasons, made.started_at, made.finished_at) == (
        run.state, run.reasons, run.started_at, run.finished_at,
    )  # fmt: skip
    assert made.version.content_hash == run.version.content_hash
    hits = lambda r: sorted(  # noqa: E731
        RetrievalHit.objects.filter(step__run=r).values_list(
            "step__source", "step__query_index", "rank", "source_record__source_id", "duplicate_in_source"
        )
    )
    assert hits(made) == hits(run)
    checks = Verification.objects.filter(candidate__project=other)
    assert (checks.count(), checks.exclude(state=StepState.QUEUED).count()) == (34, 0)


def test_importing_is_no_approval(run: RetrievalRun, other: Project, person: User, tmp_path: Path) -> None:
    """An imported plan does not run, change or go on before it is approved here; then it runs."""
    export(run, tmp_path / "a")
    made = bundle_import(path=tmp_path / "a", project=other, actor=person).run
    version = made.version
    assert (version.approved_by, version.approved_at, version.approved_hash) == (None, None, "")
    with pytest.raises(NotApproved):
        run_start(version=version, actor=person, request_id=uuid4())
    with pytest.raises(NotApproved):
        run_again(run=made, actor=person, request_id=uuid4())
    made.steps.update(state=StepState.FAILED)
    with pytest.raises(RunNotChanged):
        run_resume(run=made, actor=person)
    with pytest.raises(PlanFrozen):
        plan_save(version=version, actor=person, content=version.content, revision=version.revision)
    assert plan_new_version(version=version, actor=person).pk != version.pk
    approved = plan_approve(version=version, actor=person, content_hash=version.content_hash)
    assert run_start(version=approved, actor=person, request_id=uuid4()).is_open


def test_a_second_import_of_the_plan_uses_the_imported_version(
    run: RetrievalRun, other: Project, person: User, tmp_path: Path
) -> None:
    export(run, tmp_path / "a")
    export(run, tmp_path / "b", answers=True)
    versions = {bundle_import(path=tmp_path / n, project=other, actor=person).run.version_id for n in ("a", "b")}
    assert len(versions) == 1


def test_the_pages_of_an_imported_run_say_who_approved_it_where(
    run: RetrievalRun, other: Project, person: User, tmp_path: Path
) -> None:
    export(run, tmp_path / "a")
    made = bundle_import(path=tmp_path / "a", project=other, actor=person).run
    Membership.objects.get_or_create(project=other, user=person, defaults={"role": Role.OWNER})
    browser = Client()
    browser.force_login(person)
    page = browser.get(reverse("searches:run", args=[other.pk, made.pk])).content.decode()
    assert "where it was run" in page
    assert "not in this project" in page
    page = browser.get(reverse("searches:plan", args=[other.pk, made.version_id])).content.decode()
    assert "imported, not approved here" in page
    assert reverse("searches:plan_approve", args=[other.pk, made.version_id]) in page
    assert reverse("searches:run_start", args=[other.pk, made.version_id]) not in page


def test_an_imported_run_exported_again_says_the_same_of_its_papers(
    run: RetrievalRun, other: Project, person: User, tmp_path: Path
) -> None:
    first = export(run, tmp_path / "a", answers=True)
    imported = bundle_import(path=tmp_path / "a", project=other, actor=person)
    second = export(imported.run, tmp_path / "b", answers=True)
    same = [name for name in first.manifest["files"] if name not in ("search_log.json",)]
    assert {n: second.manifest["files"][n] for n in same} == {n: first.manifest["files"][n] for n in same}
    assert second.manifest["origin"]["manifest_sha256"] == first.sha256
    assert (second.manifest["mode"], second.manifest["plan"] | {"title": ""}) == (
        "live", first.manifest["plan"] | {"title": ""},
    )  # fmt: skip


def test_importing_twice_changes_nothing(run: RetrievalRun, other: Project, person: User, tmp_path: Path) -> None:
    export(run, tmp_path / "b")
    first = bundle_import(path=tmp_path / "b", project=other, actor=person)
    before = (picture(other), SourceAnswer.objects.count(), RetrievalRun.objects.count())
    again = bundle_import(path=tmp_path / "b", project=other, actor=person)
    assert (again.run.pk, again.before) == (first.run.pk, True)
    assert (picture(other), SourceAnswer.objects.count(), RetrievalRun.objects.count()) == before


def test_an_import_that_broke_off_goes_on(
    run: RetrievalRun, project: Project, other: Project, person: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from searches.services import bundle_import as module

    export(run, tmp_path / "b", answers=True)
    absorb, calls = module._absorb, []

    def breaking(*args: Any) -> None:
        calls.append(args)
        if len(calls) == 3:
            raise KeyboardInterrupt
        absorb(*args)

    monkeypatch.setattr(module, "PAGE", 10)
    monkeypatch.setattr(module, "_absorb", breaking)
    with pytest.raises(KeyboardInterrupt):
        bundle_import(path=tmp_path / "b", project=other, actor=person)
    half = RetrievalRun.objects.get(project=other)
    assert half.is_open
    monkeypatch.setattr(module, "_absorb", absorb)
    done = bundle_import(path=tmp_path / "b", project=other, actor=person)
    assert (done.run.pk, done.before, done.differences) == (half.pk, False, ())
    assert picture(other) == picture(project)


def test_imported_answers_are_marked_and_never_reused(
    run: RetrievalRun, other: Project, person: User, tmp_path: Path
) -> None:
    ours = set(SourceAnswer.objects.values_list("pk", flat=True))
    export(run, tmp_path / "b", answers=True)
    bundle_import(path=tmp_path / "b", project=other, actor=person)
    came = SourceAnswer.objects.exclude(pk__in=ours)
    assert came.count() == len(ours)
    assert all(answer.error.startswith("Came with a bundle") for answer in came)
    keys = set(SourceAnswer.objects.filter(pk__in=ours).values_list("request_key", flat=True))
    assert not keys & set(came.values_list("request_key", flat=True))


def test_without_answers_the_envelopes_are_archived_in_their_place(
    run: RetrievalRun, other: Project, person: User, tmp_path: Path
) -> None:
    from litapp.ledger.services.archive import body_of

    export(run, tmp_path / "b")
    imported = bundle_import(path=tmp_path / "b", project=other, actor=person)
    links = CandidateSource.objects.filter(project=other).select_related("source_record__answer")
    for link in links:
        answer = link.source_record.answer
        assert answer.operation == "bundle envelope"
        entries = [json.loads(line) for line in body_of(answer).split(b"\n") if line]
        [entry] = [entry for entry in entries if entry["position"] == link.source_record.position]
        assert entry["record"] == link.source_record.data
    assert StepAnswer.objects.filter(step__run=imported.run).count() == 10


def test_into_a_project_that_has_the_papers_already_they_are_recognised(
    run: RetrievalRun, project: Project, person: User, tmp_path: Path
) -> None:
    export(run, tmp_path / "b")
    before = picture(project)
    imported = bundle_import(path=tmp_path / "b", project=project, actor=person)
    assert imported.run.version_id == run.version_id
    assert (Candidate.objects.listed(project).count(), imported.differences) == (len(before), ())


def test_differences_to_the_bundle_are_told(
    run: RetrievalRun, other: Project, person: User, tmp_path: Path, sources: Sources, monkeypatch: pytest.MonkeyPatch
) -> None:
    from searches.services import bundle_import as module

    export(run, tmp_path / "b")
    imported = bundle_import(path=tmp_path / "b", project=other, actor=person)
    one, two = Candidate.objects.listed(other).order_by("pk")[:2]
    CandidateSource.objects.filter(candidate=two).update(candidate=one)
    found = bundle_import(path=tmp_path / "b", project=other, actor=person)
    assert found.differences == ("1 papers of the bundle were joined with another one here.",)
    assert (found.candidates, imported.candidates, module.TOLD > 0) == (33, 34, True)


def test_a_failed_run_can_be_exported_and_is_refused_by_the_import(
    sources: Sources, started: Start, other: Project, person: User, tmp_path: Path, clock: Any
) -> None:
    sources["pubmed"].faults = [trouble(outcome=Outcome.PERMANENT)]
    run = work_all(started("pubmed"), clock)
    assert run.state == RunState.FAILED
    assert export(run, tmp_path / "b").manifest["status"] == "failed"
    assert bundle_check(path=tmp_path / "b").valid
    with pytest.raises(BundleError, match="of a run that failed, so nothing is taken from it"):
        bundle_import(path=tmp_path / "b", project=other, actor=person)
    assert (RetrievalRun.objects.filter(project=other).count(), SourceAnswer.objects.count()) == (0, 0)


def test_sandbox_data_stays_in_sandbox_projects(
    run: RetrievalRun, other: Project, person: User, tmp_path: Path
) -> None:
    RetrievalRun.objects.filter(pk=run.pk).update(sandbox=True)
    export(run, tmp_path / "b")
    with pytest.raises(BundleError, match="sandbox data"):
        bundle_import(path=tmp_path / "b", project=other, actor=person)
    Project.objects.filter(pk=other.pk).update(sandbox=True)
    imported = bundle_import(path=tmp_path / "b", project=Project.objects.get(pk=other.pk), actor=person)
    assert imported.run.sandbox


def test_a_source_this_version_does_not_know_is_refused(
    run: RetrievalRun, other: Project, person: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from searches.services import bundle_import as module

    export(run, tmp_path / "b")
    monkeypatch.setattr(module, "source_keys", lambda: ("pubmed",))
    with pytest.raises(BundleError, match="does not know the source crossref"):
        bundle_import(path=tmp_path / "b", project=other, actor=person)


def test_the_command_exports_checks_and_imports(
    run: RetrievalRun, other: Project, person: User, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Membership.objects.create(project=other, user=person, role=Role.OWNER)
    out = str(tmp_path / "b.zip")
    call_command("bundle", "export", str(run.pk), "--out", out, "--answers")
    told = capsys.readouterr()
    assert "90 records, 34 papers" in told.out
    assert "Answers of PubMed are in it. Its terms: https://" in told.err
    call_command("bundle", "validate", out)
    assert "is valid: success, live, 90 records, 34 papers." in capsys.readouterr().out
    call_command("bundle", "import", out, "--project", "Elsewhere")
    assert "34 papers, 34 candidates." in capsys.readouterr().out
    with pytest.raises(CommandError, match="no project 'Nowhere'"):
        call_command("bundle", "import", out, "--project", "Nowhere")
    with pytest.raises(CommandError, match="There is no run 999"):
        call_command("bundle", "export", "999", "--out", out)
    (tmp_path / "bad.zip").write_bytes(b"x")
    with pytest.raises(CommandError, match="cannot be read as a bundle"):
        call_command("bundle", "validate", str(tmp_path / "bad.zip"))

"""Retractions over time: the local list, the schedule, and the notices that tell a project of news."""

from __future__ import annotations

import gzip
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from litapp.core.records import Notice, NoticeKind
from litapp.jobs.models import StepState
from litapp.ledger.models import SourceAnswer
from litapp.projects.models import Project
from litapp.verification.models import ListedRetraction, Priority, RetractionFile, Verification
from litapp.verification.presentation import told_notices
from litapp.verification.services.requests import prioritise, verification_request
from litapp.verification.services.statuses import StatusWork, notice_seen
from litapp.verification.services.work import VerificationWork
from tests.projects.conftest import make_person
from tests.verification.conftest import StandIn, paper
from tests.verification.test_lists import DOI, everywhere

pytestmark = pytest.mark.django_db(transaction=True)
LIST = (
    "Record ID,Title,OriginalPaperDOI,OriginalPaperPubMedID,RetractionDOI,RetractionPubMedID,RetractionNature,"
    "RetractionDate\n"
    f'1,"Dexamethasone in Hospitalized Patients with Covid-19",{DOI.upper()},0,10.1000/notice,0,Retraction,'
    "2/3/2025 0:00\n"
    "2,Something else,unavailable,0,,0,Retraction,1/1/2020 0:00\n"
)


def checked(project: Project) -> Verification:
    row = verification_request(project=project, record=paper(), returned_by=["pubmed"], priority=Priority.INCLUDED)
    VerificationWork().run("")
    return Verification.objects.get(pk=row.pk)


def load(tmp_path: Path, text: str, name: str = "list.csv") -> None:
    path = tmp_path / name
    path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    call_command("load_retractions", str(path))


def test_a_paper_of_the_loaded_list_is_retracted_and_the_project_is_told(
    project: Project, world: dict[str, StandIn], tmp_path: Path
) -> None:
    everywhere(world)
    row = checked(project)
    assert (row.publication_state, told_notices(project)) == ("", [])
    load(tmp_path, LIST, "list.csv.gz")
    VerificationWork().run("")
    row.refresh_from_db()
    assert (row.publication_state, row.notice_doi, row.notice_date) == ("retracted", "10.1000/notice", "2025-02-03")
    assert "retractionwatch" in row.state_asked_of
    assert row.status == "verified", "a retraction is no check"
    (notice,) = told_notices(project)
    assert (notice.state, notice.title) == ("retracted", "Dexamethasone in Hospitalized Patients with Covid-19")
    notice_seen(project=project, notice_id=notice.pk, actor=make_person("lead@example.org"))
    assert told_notices(project) == []


def test_a_row_of_the_list_about_another_paper_flags_nothing(
    project: Project, world: dict[str, StandIn], tmp_path: Path
) -> None:
    everywhere(world)
    load(tmp_path, LIST.replace("Dexamethasone in Hospitalized Patients with Covid-19", ""))
    assert checked(project).publication_state == "retracted", "without a title the found record's identifier decides"
    load(tmp_path, "doi,nature\n10.1000/elsewhere,Retraction\n")
    assert ListedRetraction.objects.count() == 1


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("title;year\nA;1\n", "no column for the paper's DOI"),
        ("doi,nature\nnone,Retraction\n", "no row"),
        ("doi\nx\n", "happened"),
    ],
)
def test_a_file_that_is_no_list_changes_nothing(db: None, tmp_path: Path, text: str, told: str) -> None:
    load(tmp_path, LIST)
    with pytest.raises(CommandError, match=told):
        load(tmp_path, text, "bad.csv")
    assert RetractionFile.objects.get().rows == 1


def test_the_schedule_asks_for_papers_in_reference_lists_whose_last_word_is_old(
    project: Project, world: dict[str, StandIn]
) -> None:
    everywhere(world)
    row = checked(project)
    assert list(StatusWork().due()) == []
    Verification.objects.update(checked_at=timezone.now() - timedelta(days=8))
    assert list(StatusWork().due()) == [""]
    for key in ("pubmed", "crossref"):
        notice = Notice(NoticeKind.RETRACTION, doi="10.1000/notice", date="2026-11-01")
        world[key].records = {k: replace(r, notices=(notice,)) for k, r in world[key].records.items()}
        answer = SourceAnswer.objects.get(pk=world[key].answer_id)
        answer.pk = None
        answer.save(force_insert=True)
        world[key].answer_id = answer.pk
    StatusWork().run("")
    VerificationWork().run("")
    row.refresh_from_db()
    assert (row.publication_state, row.state) == ("retracted", StepState.DONE)
    assert [notice.state for notice in told_notices(project)] == ["retracted"]
    assert len(world["semanticscholar"].asked) == 1, "only sources that know of retractions are asked anew"


def test_including_an_old_check_asks_again_what_became_of_the_paper(
    project: Project, world: dict[str, StandIn]
) -> None:
    everywhere(world)
    row = checked(project)
    Verification.objects.update(checked_at=timezone.now() - timedelta(days=2), priority=Priority.RETRIEVED)
    prioritise(verification_ids=[row.pk])
    row.refresh_from_db()
    assert (row.state, row.priority, row.ask_afresh) == (StepState.QUEUED, Priority.INCLUDED, True)

"""Imports: every record of a file is read or listed with its reason, once; nothing is lost by a kill, cancel, undo."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction

from litapp.jobs.models import StepState
from litapp.ledger.models import SourceRecord
from litapp.ledger.services.bodies import open_body
from litapp.projects.models import Event, Project
from litapp.verification.models import Verification
from references.models import Reference
from references.services.evidence_summary import flow_of
from searches.models import Candidate, CandidateSource, ImportedEntry, RecordImport, RetrievalRun, ScreeningDecision
from searches.services import import_pages, import_reading
from searches.services.imports import (
    ImportNotChanged,
    ImportProblem,
    import_cancel,
    import_describe,
    import_resume,
    import_undo,
)
from searches.services.screening import decide
from tests.searches.conftest import work_all
from tests.searches.import_files import EMBASE, begin, imported, in_chunks, ris_file, ris_record, work
from tests.searches.stand_in import StandIn, paper, papers

pytestmark = pytest.mark.django_db
Start = Callable[..., RetrievalRun]
BROKEN = "TY  - JOUR\nER  - \n\n"
"""A record without anything in it."""


@pytest.fixture
def small_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_pages, "PAGE", 4)


def titles(project: Project) -> list[str]:
    return list(Candidate.objects.listed(project).order_by("pk").values_list("title", flat=True))


def include(project: Project, person: User, candidate: Candidate) -> None:
    candidate.refresh_from_db()
    decide(project=project, candidate_id=candidate.pk, actor=person, decision="include", version=candidate.version,
           request_id=uuid4())  # fmt: skip


def verbs(project: Project) -> list[str]:
    return list(Event.objects.filter(project=project).order_by("sequence").values_list("verb", flat=True))


def test_a_file_becomes_records_candidates_and_checks(project: Project, person: User) -> None:
    row = imported(project, person, ris_file(5))
    assert (row.state, row.done, row.read, row.skipped, row.format, row.encoding) == (
        "done", 5, 5, 0, "RIS", "UTF-8",
    )  # fmt: skip
    assert titles(project) == [paper(number).title for number in range(1, 6)]
    stored = SourceRecord.objects.order_by("pk")
    assert [(one.source, one.source_id, one.answer_id) for one in stored] == [
        ("brought", f"{row.sha256[:16]}:{number}", row.answer_id) for number in range(1, 6)
    ]
    checks = Verification.objects.filter(project=project)
    assert [(check.returned_by, check.state, check.status) for check in checks] == [([], "queued", "unverified")] * 5
    assert verbs(project) == ["import.started", "import.finished"]


def test_the_file_is_kept_byte_for_byte(project: Project, person: User) -> None:
    body = ris_file(40)
    row = begin(project, person, body).record_import
    with open_body(row.sha256) as stream:
        assert stream.read() == body
    assert row.size == len(body)


def test_read_and_skipped_sum_to_the_records_of_the_file(project: Project, person: User, small_pages: None) -> None:
    body = (ris_record(1) + BROKEN + ris_record(2) + BROKEN + ris_record(3, M9="x", ZZ="y")).encode()
    row = imported(project, person, body)
    assert (row.done, row.read, row.skipped) == (5, 3, 2)
    entries = list(ImportedEntry.objects.order_by("number"))
    assert [(one.number, one.source_record_id is not None, bool(one.problem)) for one in entries] == [
        (1, True, False), (2, False, True), (3, True, False), (4, False, True), (5, True, False),
    ]  # fmt: skip
    lines = body.decode().split("\n")
    assert [lines[one.first_line - 1][:2] for one in entries] == ["TY"] * 5
    assert sum(row.dropped.values()) == sum(len({t.partition(":")[0] for t in one.dropped}) for one in entries)


def test_the_database_refuses_counts_that_do_not_sum(project: Project, person: User) -> None:
    row = imported(project, person, ris_file(2))
    with pytest.raises(IntegrityError), transaction.atomic():
        RecordImport.objects.filter(pk=row.pk).update(read=1)


def test_the_same_file_twice_adds_nothing_and_says_so(project: Project, person: User, colleague: User) -> None:
    first = imported(project, person, ris_file(3))
    again = begin(project, colleague, ris_file(3), name="renamed.txt")
    assert (again.before, again.record_import) == (True, first)
    assert (RecordImport.objects.count(), SourceRecord.objects.count(), len(titles(project))) == (1, 3, 3)
    assert verbs(project)[-1] == "import.repeated"


def test_the_same_records_in_another_file_add_no_paper(project: Project, person: User) -> None:
    imported(project, person, ris_file(3))
    second = imported(project, person, ris_file(4).replace(b"\n", b"\r\n"))
    assert (second.read, len(titles(project))) == (4, 4)


def test_a_double_click_is_one_import(project: Project, person: User) -> None:
    number = uuid4()
    one = begin(project, person, ris_file(2), request_id=number)
    two = begin(project, person, ris_file(2), request_id=number)
    assert (two.record_import, two.before) == (one.record_import, False)


def test_another_project_imports_the_same_file_for_itself(project: Project, person: User) -> None:
    other = Project.objects.create(name="Other", created_by=person)
    imported(project, person, ris_file(2))
    row = imported(other, person, ris_file(2))
    assert (row.read, len(titles(other)), len(titles(project))) == (2, 2, 2)


@pytest.mark.parametrize("body", [b"", b"   \n", b"PK\x03\x04 no list of references", b"%PDF-1.7 a paper"])
def test_what_is_no_list_of_references_is_refused_before_anything_is_made(
    project: Project, person: User, body: bytes
) -> None:
    with pytest.raises(ImportProblem):
        begin(project, person, body)
    assert not RecordImport.objects.exists()


def test_a_file_beyond_the_cap_is_refused(project: Project, person: User, settings: Any) -> None:
    settings.IMPORT_LARGEST = 100
    with pytest.raises(ImportProblem, match="more than 100 bytes"):
        begin(project, person, ris_file(3))
    assert list(settings.DATA_DIR.rglob("*.gz")) == []


def test_a_worker_killed_between_pages_loses_and_doubles_nothing(
    project: Project, person: User, small_pages: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = begin(project, person, ris_file(10)).record_import
    absorb, pages = import_reading.absorb_brought, []

    def killed(**given: Any) -> Any:
        if len(pages) == 1:
            raise KeyboardInterrupt
        pages.append(given)
        return absorb(**given)

    monkeypatch.setattr(import_reading, "absorb_brought", killed)
    with pytest.raises(KeyboardInterrupt):
        work(row)
    row.refresh_from_db()
    assert (row.state, row.done, row.read, len(titles(project))) == ("running", 4, 4, 4)
    monkeypatch.setattr(import_reading, "absorb_brought", absorb)
    RecordImport.objects.filter(pk=row.pk).update(state=StepState.QUEUED, lease_token="")
    work(row)
    assert (row.state, row.done, row.read, row.skipped) == ("done", 10, 10, 0)
    assert list(ImportedEntry.objects.order_by("number").values_list("number", flat=True)) == list(range(1, 11))
    assert titles(project) == [paper(number).title for number in range(1, 11)]


def test_a_large_file_is_read_in_a_second_process_with_the_same_result(
    project: Project, person: User, small_pages: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = ris_file(5) + BROKEN.encode() + ris_file(7)
    alone = imported(project, person, body)
    said = list(ImportedEntry.objects.order_by("number").values_list("number", "title", "problem", "first_line"))
    before = titles(project)
    import_undo(record_import=alone, actor=person)
    work(alone)
    monkeypatch.setattr(import_pages, "LARGE", 0)
    row = imported(project, person, body)
    again = ImportedEntry.objects.filter(record_import=row).order_by("number")
    assert (row.state, row.done, row.read, row.skipped) == ("done", 13, 12, 1)
    assert list(again.values_list("number", "title", "problem", "first_line")) == said
    assert sorted(titles(project)) == sorted(before)


def test_a_second_process_tells_where_a_file_breaks_off(
    project: Project, person: User, small_pages: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_pages, "LARGE", 0)
    row = imported(project, person, ris_file(6) + b"TY  - JOUR\nTI  - " + b"x" * 9_000_000 + b"\nER  - \n")
    assert (row.state, row.done, row.message.startswith("The rest of the file could not be read from line")) == (
        "partial",
        6,
        True,
    )


def test_a_second_process_that_dies_is_no_end_of_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file.gz"
    path.write_bytes(gzip.compress(ris_file(3)))
    monkeypatch.setattr(import_pages, "_read_into", import_pages.ReadingStopped)  # ends at once, having sent nothing
    pages = import_pages.entry_pages(path=path, name="a.ris", sha256="0" * 64, size=import_pages.LARGE, done=0)
    with pytest.raises(import_pages.ReadingStopped, match="ended before the file did"):
        list(pages)


def test_a_worker_that_lost_its_lease_writes_nothing(
    project: Project, person: User, small_pages: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = begin(project, person, ris_file(3)).record_import
    stop = import_reading.stop_reason

    def robbed(given: RecordImport) -> str:
        RecordImport.objects.filter(pk=given.pk).update(lease_token="another")
        return stop(given)

    monkeypatch.setattr(import_reading, "stop_reason", robbed)
    work(row)
    assert (row.state, row.done, titles(project), SourceRecord.objects.count()) == ("running", 0, [], 0)


def test_a_cancelled_import_keeps_what_was_read_and_goes_on_where_it_stopped(
    project: Project, person: User, small_pages: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = begin(project, person, ris_file(10)).record_import
    stop = import_reading.stop_reason

    def cancelled(given: RecordImport) -> str:
        if given.done == 4:
            import_cancel(record_import=given, actor=person)
        return stop(given)

    monkeypatch.setattr(import_reading, "stop_reason", cancelled)
    work(row)
    assert (row.state, row.done, len(titles(project))) == ("cancelled", 4, 4)
    assert not Verification.objects.filter(state=StepState.WAITING).exists()
    monkeypatch.setattr(import_reading, "stop_reason", stop)
    row = work(import_resume(record_import=row, actor=person))
    assert (row.state, row.done, len(titles(project))) == ("done", 10, 10)
    with pytest.raises(ImportNotChanged):
        import_resume(record_import=row, actor=person)


def test_a_file_that_breaks_off_keeps_what_came_before(project: Project, person: User, small_pages: None) -> None:
    body = ris_file(6) + b"TY  - JOUR\nTI  - " + b"x" * 9_000_000 + b"\nER  - \n"
    row = imported(project, person, body)
    assert (row.state, row.read, len(titles(project))) == ("partial", 6, 6)
    assert row.message.startswith("The rest of the file could not be read from line ")


def test_checks_wait_until_the_import_ends(
    project: Project, person: User, small_pages: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = begin(project, person, ris_file(8)).record_import
    stop, seen = import_reading.stop_reason, []

    def look(given: RecordImport) -> str:
        seen.append(sorted(set(Verification.objects.values_list("state", flat=True))))
        return stop(given)

    monkeypatch.setattr(import_reading, "stop_reason", look)
    work(row)
    assert seen == [[], ["waiting"]]
    assert set(Verification.objects.values_list("state", flat=True)) == {"queued"}


def test_what_a_search_found_and_a_file_brought_is_one_paper(
    project: Project, person: User, started: Start, sources: dict[str, StandIn]
) -> None:
    sources["pubmed"].records = papers(3)
    work_all(started("pubmed"))
    row = imported(project, person, ris_file(3, start=3))
    assert titles(project) == [paper(number).title for number in range(1, 6)]
    listed = Candidate.objects.listed(project)
    assert [listed.brought_by(row.pk, how).count() for how in ("", "known", "new")] == [3, 1, 2]
    assert listed.get(title=paper(3).title).sources == ["brought", "pubmed"]
    assert listed.get(title=paper(3).title).verification.returned_by == ["pubmed"]


def test_prisma_counts_an_import_as_its_own_database(
    project: Project, person: User, started: Start, sources: dict[str, StandIn]
) -> None:
    sources["pubmed"].records = papers(3)
    work_all(started("pubmed"))
    imported(project, person, ris_file(3, start=3))
    imported(project, person, ris_file(2, start=9), details=EMBASE.__class__("PubMed"))
    flow = flow_of(project)
    assert (flow.identified, flow.duplicates_removed, flow.candidates) == (
        (("PubMed", 3), ("Embase", 3), ("PubMed (imported)", 2)), 1, 7,
    )  # fmt: skip


def test_undoing_takes_back_its_own_papers_and_leaves_all_else(
    project: Project, person: User, started: Start, sources: dict[str, StandIn]
) -> None:
    sources["pubmed"].records = papers(3)
    work_all(started("pubmed"))
    before = {pk: dict(row) for pk, row in _columns(project).items()}
    shared = Candidate.objects.get(title=paper(3).title)
    include(project, person, shared)
    row = imported(project, person, ris_file(3, start=3))
    include(project, person, Candidate.objects.get(title=paper(5).title))
    row = work(import_undo(record_import=row, actor=person))
    assert (row.state, row.undone_at is not None, row.undone_by) == ("cancelled", True, person)
    assert titles(project) == [paper(number).title for number in (1, 2, 3)]
    assert _columns(project) == before
    shared.refresh_from_db()
    assert shared.decision == "include"
    assert list(Reference.objects.filter(project=project, removed_at=None).values_list("candidate", flat=True)) == [
        shared.pk
    ]
    flow = flow_of(project)
    assert (flow.identified, flow.included, flow.candidates) == ((("PubMed", 3),), 1, 3)
    assert verbs(project)[-1] == "import.undone"
    assert ScreeningDecision.objects.count() == 2
    assert not Verification.objects.filter(candidate__withdrawn_at__isnull=False, state="queued").exists()


def _columns(project: Project) -> dict[int, dict[str, Any]]:
    names = ("title", "record", "sources", "doi", "pmid", "has_abstract", "search_text")
    return {row["pk"]: row for row in Candidate.objects.listed(project).values("pk", *names)}


def test_a_file_imported_again_after_its_undo_has_its_decisions_back(project: Project, person: User) -> None:
    row = imported(project, person, ris_file(3))
    include(project, person, Candidate.objects.get(title=paper(2).title))
    work(import_undo(record_import=row, actor=person))
    assert titles(project) == []
    again = imported(project, person, ris_file(3))
    assert again.pk != row.pk
    decided = {one.title: one.decision for one in Candidate.objects.listed(project)}
    assert decided == {paper(1).title: "", paper(2).title: "include", paper(3).title: ""}
    assert Reference.objects.filter(project=project, removed_at=None).count() == 1


def test_undo_in_any_order_leaves_what_the_other_import_brought(project: Project, person: User) -> None:
    one = imported(project, person, ris_file(4))
    two = imported(project, person, ris_file(4, start=3), details=EMBASE.__class__("Scopus"))
    work(import_undo(record_import=one, actor=person))
    assert sorted(titles(project)) == sorted(paper(number).title for number in (3, 4, 5, 6))
    assert flow_of(project).identified == (("Scopus", 4),)
    work(import_undo(record_import=two, actor=person))
    assert titles(project) == []
    assert not CandidateSource.objects.exists()


def test_an_open_import_is_not_undone_and_an_undone_one_not_twice(project: Project, person: User) -> None:
    row = begin(project, person, ris_file(2)).record_import
    with pytest.raises(ImportNotChanged, match="still being read"):
        import_undo(record_import=row, actor=person)
    work(row)
    work(import_undo(record_import=row, actor=person))
    with pytest.raises(ImportNotChanged, match="undone already"):
        import_undo(record_import=row, actor=person)


def test_what_is_told_of_the_search_can_be_completed(project: Project, person: User) -> None:
    row = imported(project, person, ris_file(1))
    changed = import_describe(
        record_import=row, actor=person, details=EMBASE.__class__("Embase", "Embase.com", None, "'asthma'/exp", 1)
    )
    assert (changed.platform, changed.query, changed.count_exported) == ("Embase.com", "'asthma'/exp", 1)
    assert Event.objects.filter(verb="import.described").get().payload == {
        "platform": "Embase.com", "query": "'asthma'/exp", "count_exported": 1,
    }  # fmt: skip


def test_an_upload_in_chunks_of_any_size_is_the_same_file(project: Project, person: User) -> None:
    from searches.services.imports import import_file

    body = ris_file(20)
    made = import_file(
        project=project, actor=person, request_id=uuid4(), details=EMBASE, name="x", chunks=in_chunks(body, 7)
    )
    assert begin(project, person, body).record_import == made.record_import

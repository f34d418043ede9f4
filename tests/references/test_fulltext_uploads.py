"""Files that people bring: a PDF, several, a zip; matched by DOI and title, doubtful ones asked, false ones named."""

from __future__ import annotations

import io
import zipfile
from typing import Any
from uuid import uuid4

import pytest

from litapp.jobs.models import StepState
from litapp.ledger.services.bodies import read_body
from litapp.sandbox.pdf_files import damaged_pdf, locked_pdf, pdf_of, scanned_pdf
from references.models import CopyState, FullTextCopy, FullTextUpload, Reference
from references.services import fulltext_uploads
from references.services.fulltext_requests import FullTextProblem, copy_decide
from references.services.fulltext_uploads import UploadWork, upload_request
from searches.models import ReportRetrieval
from tests.references.world import World, make_world

pytestmark = pytest.mark.django_db


@pytest.fixture
def world() -> World:
    world = make_world()
    for number, subject in enumerate(("mice with arthritis", "adults with severe asthma", "infants born too early"), 1):
        candidate = world.candidate(number, title=f"Effect of a certain drug on {subject}: a trial of its own kind")
        world.decide(candidate, "include")
    return world


def references(world: World) -> list[Reference]:
    return list(Reference.objects.filter(project=world.project).select_related("candidate").order_by("pk"))


def paper(reference: Reference, *, doi: bool = False) -> bytes:
    first = f"doi:{reference.candidate.doi}" if doi else reference.candidate.title
    return pdf_of(
        [first, "We studied the drug and describe here at length what was seen in all who took part." * 2] * 3
    )


def zipped(files: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, body in files.items():
            packed.writestr(name, body)
    return out.getvalue()


def bring(world: World, files: dict[str, bytes], **options: Any) -> FullTextUpload:
    row = upload_request(
        project=world.project, actor=world.owner, request_id=options.pop("request_id", uuid4()),
        files=[(name, [body]) for name, body in files.items()], **options,
    )  # fmt: skip
    UploadWork().run(str(row.pk))
    row.refresh_from_db()
    return row


def became(row: FullTextUpload) -> dict[str, tuple[str, str, int | None]]:
    return {one.file_name: (one.state, one.outcome, one.reference_id) for one in row.copies.all()}


def test_each_file_finds_its_paper_by_title_or_doi(world: World) -> None:
    a, b, c = references(world)
    row = bring(world, {"1.pdf": paper(a), "2.pdf": paper(b, doi=True), "x/3.pdf": paper(c)})
    assert (row.state, row.counts, row.done) == (StepState.DONE, {"accepted": 3}, 3)
    assert became(row) == {
        "1.pdf": ("accepted", "accepted", a.pk),
        "2.pdf": ("accepted", "accepted", b.pk),
        "x/3.pdf": ("accepted", "accepted", c.pk),
    }
    copy = FullTextCopy.objects.get(reference=a)
    assert (copy.source, copy.kind, copy.brought_by, copy.pages) == ("upload", "pdf", world.owner, copy.pages)
    assert read_body(copy.sha256) == paper(a)
    assert copy.answer.source == "brought"
    outcomes = ReportRetrieval.objects.values_list("outcome", "actor")
    assert list(outcomes) == [("retrieved", world.owner.pk)] * 3


def test_every_kind_of_file_that_is_none_is_named_and_none_is_lost(world: World) -> None:
    a, b, _ = references(world)
    files = {
        "log-in.pdf": b"<html><title>Sign in</title><input type=password></html>" + b" " * 20_000,
        "text.pdf": b"no pdf at all " * 2_000,
        "small.pdf": pdf_of(["tiny"], smallest=0),
        "damaged.pdf": damaged_pdf(),
        "locked.pdf": locked_pdf(["locked"]),
        "scan.pdf": scanned_pdf(),
        "potatoes.pdf": pdf_of(["Potatoes in the north", "A long text on how potatoes are kept in cellars. " * 3]),
        "two.pdf": pdf_of([a.candidate.title, b.candidate.title, "and some more words in which nothing is said " * 3]),
        "about.pdf": pdf_of(["Correction to: " + a.candidate.title, "The authors regret an error in Table 2. " * 4]),
    }
    row = bring(world, files)
    assert became(row) == {
        "log-in.pdf": ("declined", "web_page", None),
        "text.pdf": ("declined", "not_a_pdf", None),
        "small.pdf": ("declined", "too_small", None),
        "damaged.pdf": ("declined", "damaged", None),
        "locked.pdf": ("declined", "locked", None),
        "scan.pdf": ("asked", "scanned", None),
        "potatoes.pdf": ("asked", "other_paper", None),
        "two.pdf": ("asked", "nearly", None),
        "about.pdf": ("asked", "about_it", a.pk),
    }
    assert all(one.why for one in row.copies.all())
    assert FullTextCopy.objects.get(file_name="two.pdf").suggested == [a.pk, b.pk]
    assert not ReportRetrieval.objects.exists()


def test_a_zip_is_opened_hidden_files_are_passed_over_and_trouble_is_named(world: World) -> None:
    a, b, _ = references(world)
    inner = zipped({"b.pdf": paper(b), "deep/a.pdf": paper(a), "__MACOSX/._a.pdf": b"x", "deep/.DS_Store": b"x",
                    "notes.txt": b"hello", "../../up.pdf": b"%PDF-1.4"})  # fmt: skip
    row = bring(world, {"all.zip": inner, "broken.zip": inner[: len(inner) // 2]})
    told = became(row)
    assert told["all.zip/b.pdf"] == ("accepted", "accepted", b.pk)
    assert told["all.zip/deep/a.pdf"] == ("accepted", "accepted", a.pk)
    assert told["all.zip/notes.txt"][0] == "declined"
    assert set(told) == {
        "all.zip/b.pdf", "all.zip/deep/a.pdf", "all.zip/notes.txt", "all.zip/../../up.pdf", "broken.zip",
    }  # fmt: skip
    assert told["broken.zip"][0] == "declined"


def test_files_beyond_the_cap_are_named(world: World, settings: Any, monkeypatch: Any) -> None:
    a, b, c = references(world)
    monkeypatch.setattr(fulltext_uploads, "MOST_FILES", 2)
    row = bring(world, {"all.zip": zipped({"1.pdf": paper(a), "2.pdf": paper(b), "3.pdf": paper(c)})})
    last = row.copies.get(file_name="all.zip/3.pdf")
    assert (last.state, last.why) == (
        "declined", "Too much was packed here: this file and those after it were not read.",
    )  # fmt: skip
    with pytest.raises(FullTextProblem, match="at most 2"):
        bring(world, {f"{n}.pdf": b"x" for n in range(3)})
    settings.FULLTEXT_LARGEST = 12_000
    monkeypatch.setattr(fulltext_uploads, "MOST_FILES", 1_000)
    row = bring(world, {"big.pdf": paper(a) + b"%" * 20_000})
    assert row.copies.get().outcome == "too_large"
    settings.IMPORT_LARGEST = 100
    with pytest.raises(FullTextProblem, match=r"huge\.pdf is larger"):
        bring(world, {"huge.pdf": b"x" * 101})
    with pytest.raises(FullTextProblem, match="at least one"):
        bring(world, {})


def test_a_file_for_one_reference_that_is_another_paper_is_asked_about(world: World) -> None:
    a, b, _ = references(world)
    row = bring(world, {"f.pdf": paper(b)}, reference=a)
    assert became(row) == {"f.pdf": ("asked", "other_paper", a.pk)}
    copy = row.copies.get()
    copy_decide(copy=copy, actor=world.owner, reference=b)
    copy.refresh_from_db()
    assert (copy.state, copy.reference, copy.decided_by) == ("accepted", b, world.owner)
    assert ReportRetrieval.objects.get().candidate == b.candidate


def test_the_same_file_twice_is_one_copy_and_a_double_click_one_upload(world: World) -> None:
    a, _, _ = references(world)
    number = uuid4()
    first = bring(world, {"1.pdf": paper(a)}, request_id=number)
    again = upload_request(
        project=world.project, actor=world.owner, request_id=number, files=[("1.pdf", [paper(a)])]
    )  # fmt: skip
    assert again == first
    bring(world, {"other name.pdf": paper(a)})
    assert FullTextCopy.objects.filter(reference=a, state=CopyState.ACCEPTED).count() == 1


def test_a_killed_worker_goes_on_behind_the_last_file(world: World, monkeypatch: Any) -> None:
    a, b, _ = references(world)
    row = upload_request(
        project=world.project, actor=world.owner, request_id=uuid4(),
        files=[("1.pdf", [paper(a)]), ("2.pdf", [paper(b)])],
    )  # fmt: skip
    real, seen = fulltext_uploads._judge, []

    def judge(*args: Any) -> Any:
        seen.append(args[1])
        if len(seen) == 2:
            raise KeyboardInterrupt
        return real(*args)

    monkeypatch.setattr(fulltext_uploads, "_judge", judge)
    with pytest.raises(KeyboardInterrupt):
        UploadWork().run(str(row.pk))
    FullTextUpload.objects.update(state=StepState.QUEUED, lease_token="")
    assert UploadWork().due() == [str(row.pk)]
    UploadWork().run(str(row.pk))
    assert seen == ["1.pdf", "2.pdf", "2.pdf"]
    assert FullTextCopy.objects.filter(state="accepted").count() == 2

"""Takes files that a person brings (PDFs, a folder of them, a zip): keeps them, then matches each in the background."""

from __future__ import annotations

import logging
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO
from uuid import UUID

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import timezone

from litapp.core.fulltext import SENTENCES, TO_ASK, Outcome
from litapp.core.fulltext_matching import Match, Wanted, match_file
from litapp.core.fulltext_pdf import bytes_problem
from litapp.jobs import services as jobs
from litapp.jobs.lease import kept
from litapp.jobs.models import StepState
from litapp.jobs.services import LeaseLost, enqueue
from litapp.ledger.services.bodies import BodyTooLarge, DamagedBody, open_body, read_body, write_body, write_stream
from litapp.ledger.services.brought import brought_answer
from litapp.projects.models import Project
from litapp.projects.services.events import record_event
from references.models import CopyState, FullTextCopy, FullTextUpload, Reference
from references.services.fulltext_pdf import pdf_reading
from references.services.fulltext_requests import FullTextProblem, note_retrieved

log = logging.getLogger(__name__)
KIND = "full_text_upload"
MOST_FILES = 1_000
"""Files of one upload, those within zip files counted."""
MOST_ATTEMPTS = 5
_HIDDEN = ("__MACOSX/", ".")


def upload_request(
    *,
    project: Project,
    actor: Any,
    request_id: UUID,
    files: Iterable[tuple[str, Iterable[bytes]]],
    reference: Reference | None = None,
) -> FullTextUpload:
    """Keep the files and match them in the background; the same `request_id` gives the same upload.

    Raises FullTextProblem for no file, too many, or one that is too large (it is named); nothing is begun then.
    """
    made = FullTextUpload.objects.filter(request_id=request_id, project=project).first()
    if made is not None:
        return made
    kept_files = []
    for name, chunks in files:
        try:
            sha256, size = write_stream(chunks, largest=settings.IMPORT_LARGEST)
        except BodyTooLarge as error:
            most = settings.IMPORT_LARGEST // 1024**2
            raise FullTextProblem(f"{name} is larger than {most} MB. Bring fewer files at once.") from error
        kept_files.append({"name": name.replace("\x00", "")[-255:], "sha256": sha256, "size": size})
    if not kept_files:
        raise FullTextProblem("Choose at least one file.")
    if len(kept_files) > MOST_FILES:
        raise FullTextProblem(f"These are {len(kept_files):,} files; bring at most {MOST_FILES:,} at once.")
    try:
        return _create(project, actor, request_id, kept_files, reference)
    except IntegrityError:  # the other click of a double click was faster
        return FullTextUpload.objects.get(request_id=request_id, project=project)


@transaction.atomic
def _create(
    project: Project, actor: Any, number: UUID, files: list[dict[str, Any]], reference: Reference | None
) -> FullTextUpload:  # fmt: skip
    row = FullTextUpload.objects.create(
        project=project, requested_by=actor, request_id=number, files=files, reference=reference, total=len(files)
    )
    record_event(
        project=project, actor=actor, verb="fulltext.brought", subject=f"fulltext_upload:{row.pk}",
        payload={"files": [{"name": one["name"], "sha256": one["sha256"]} for one in files[:100]],
                 "count": len(files), "reference": reference.key if reference else ""},
    )  # fmt: skip
    enqueue(KIND, str(row.pk))
    return row


class UploadWork:
    """The kind "full_text_upload" of `settings.STEP_KINDS`; a key is the id of a FullTextUpload."""

    def due(self) -> Iterable[str]:
        """Uploads that may be worked on now."""
        return [str(pk) for pk in FullTextUpload.objects.all().claimable().order_by("pk").values_list("pk", flat=True)]

    def run(self, key: str) -> None:
        """Open and match file by file; a killed worker's successor goes on behind its last."""
        rows = FullTextUpload.objects.all()
        token = jobs.claim(rows, int(key))
        if token is None:
            return
        try:
            with kept(rows, token):
                _work(FullTextUpload.objects.select_related("project", "reference__candidate").get(pk=int(key)), token)
        except LeaseLost:
            log.info("The upload %s went to another worker.", key)


def _work(row: FullTextUpload, token: str) -> None:
    rows = FullTextUpload.objects.all()
    if row.attempts > MOST_ATTEMPTS:
        jobs.finish(rows, row.pk, token, state=StepState.FAILED, message="LitLedger stumbled over these files several "
                    "times.", hint="What was matched is here. Bring the others again, a few at a time.")  # fmt: skip
        return
    wanted = _wanted(row)
    for number, (name, body, trouble) in enumerate(_files(row)):
        if number < row.done:
            continue
        if row.project.deleted_at is not None:
            break
        judged = _judge(row, name, body, trouble, wanted)
        with transaction.atomic():
            _keep(row, name, body, judged)
            jobs.renew(rows, row.pk, token, done=number + 1, attempts=1)
    with transaction.atomic():
        counts = dict(Counter(row.copies.values_list("state", flat=True)))
        jobs.finish(rows, row.pk, token, state=StepState.DONE, counts=counts, message="", hint="")
        record_event(
            project=row.project, actor=None, verb="fulltext.matched", subject=f"fulltext_upload:{row.pk}",
            payload={"counts": counts},
        )  # fmt: skip


def _wanted(row: FullTextUpload) -> list[Wanted]:
    references = Reference.objects.current().filter(project=row.project).select_related("candidate")
    if row.reference_id:
        references = references.filter(pk=row.reference_id)
    return [
        Wanted(one.pk, one.candidate.title, one.candidate.doi, one.key) for one in references.order_by("pk")
    ]  # fmt: skip


def _files(row: FullTextUpload) -> Iterator[tuple[str, bytes, str]]:
    """(name, bytes, trouble) of each file, zip files opened; always in the same order. Trouble comes without bytes."""
    count = size = 0
    for entry in row.files:
        name = entry["name"]
        try:
            with open_body(entry["sha256"]) as stream:
                if not zipfile.is_zipfile(stream):
                    count += 1
                    yield name, _whole(stream), ""
                    continue
                stream.seek(0)
                for inner, body, trouble in _unpacked(stream, name):
                    count, size = count + 1, size + len(body)
                    if count > MOST_FILES or size > settings.BUNDLE_LARGEST:
                        yield inner, b"", "Too much was packed here: this file and those after it were not read."
                        return
                    yield inner, body, trouble
        except DamagedBody as error:
            yield name, b"", str(error)


def _whole(stream: BinaryIO) -> bytes:
    stream.seek(0)
    return stream.read(settings.FULLTEXT_LARGEST + 1)


def _unpacked(stream: BinaryIO, name: str) -> Iterator[tuple[str, bytes, str]]:
    """The files of a zip; each is read to the cap only, whatever the zip claims of its size."""
    try:
        with zipfile.ZipFile(stream) as packed:
            for info in sorted(packed.infolist(), key=lambda one: one.filename):
                inner = info.filename
                if info.is_dir() or inner.startswith(_HIDDEN[0]) or inner.rsplit("/", 1)[-1].startswith("."):
                    continue
                shown = f"{name}/{inner}"[-255:]
                try:
                    with packed.open(info) as file:
                        yield shown, file.read(settings.FULLTEXT_LARGEST + 1), ""
                except (RuntimeError, zipfile.BadZipFile, NotImplementedError, OSError, EOFError, ValueError) as error:
                    locked = isinstance(error, RuntimeError) and "password" in str(error)
                    yield shown, b"", "It is locked with a password." if locked else "It cannot be unpacked."
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        yield name, b"", "The zip file is damaged. Pack it anew, or bring the PDFs themselves."


def _judge(row: FullTextUpload, name: str, body: bytes, trouble: str, wanted: list[Wanted]) -> tuple[Match, int | None]:
    """What the file is, and its pages. A file for one reference that is another paper is asked about, not dropped."""
    if trouble:
        return Match(None, Outcome.DAMAGED, trouble), None
    if len(body) > settings.FULLTEXT_LARGEST:
        return Match(None, Outcome.TOO_LARGE, SENTENCES[Outcome.TOO_LARGE]), None
    problem = bytes_problem("", body)
    if problem is not None:
        told = Outcome.NOT_A_PDF if problem is Outcome.WRONG_TYPE else problem
        return Match(None, told, SENTENCES[told]), None
    reading = pdf_reading(body)
    if reading.problem is not None:
        return Match(None, reading.problem, SENTENCES[reading.problem]), None
    match = match_file(reading.texts, wanted, name=name, whole=reading.whole)
    if row.reference_id and match.outcome is Outcome.OTHER_PAPER:
        why = "Neither title nor DOI of this reference stands on its first pages."
        match = Match(row.reference_id, Outcome.OTHER_PAPER, why, (row.reference_id,))
    return match, reading.pages


def _keep(row: FullTextUpload, name: str, body: bytes, judged: tuple[Match, int | None]) -> None:
    """Write the file and what became of it. In the caller's transaction."""
    match, pages = judged
    asked = match.outcome in TO_ASK or match.outcome is Outcome.OTHER_PAPER
    state = CopyState.ACCEPTED if match.outcome is Outcome.ACCEPTED else CopyState.DECLINED
    state = CopyState.ASKED if asked else state
    body = body[: settings.FULLTEXT_LARGEST]
    sha256 = write_body(body) if body else ""
    answer = brought_answer(operation="full text", label=f"file {name}", sha256=sha256, size=len(body))
    fields = {
        "project": row.project, "upload": row, "state": state, "outcome": match.outcome.value, "why": match.why,
        "kind": FullTextCopy.Kind.PDF if pages else FullTextCopy.Kind.OTHER, "source": "upload", "file_name": name,
        "size": len(body), "pages": pages, "answer": answer, "suggested": list(match.suggested),
        "brought_by": row.requested_by,
    }  # fmt: skip
    if state == CopyState.DECLINED or match.key is None:
        FullTextCopy.objects.create(reference=None, sha256=sha256, **fields)
        return
    known = FullTextCopy.objects.filter(reference_id=match.key, sha256=sha256).first()
    if known is None:
        known = FullTextCopy.objects.create(reference_id=match.key, sha256=sha256, **fields)
    elif state == CopyState.ACCEPTED and known.state != CopyState.ACCEPTED:
        known.state, known.outcome, known.why = state, match.outcome.value, match.why
        known.decided_by, known.decided_at = row.requested_by, timezone.now()
        known.save()
    if known.state == CopyState.ACCEPTED and known.reference is not None:
        note_retrieved(reference=known.reference, actor=row.requested_by)


def upload_bytes(copy: FullTextCopy) -> bytes:
    """The bytes of a file that was fetched or brought. Raises DamagedBody."""
    return read_body(copy.sha256)

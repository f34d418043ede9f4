"""Exports: asked for by a person, made and checked in the background, recorded with each file's hash."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any
from uuid import UUID

from django.conf import settings
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction

from litapp.core.formats.bibextend import extend_bib
from litapp.core.formats.entry import EntryVerdict
from litapp.core.formats.importers import UnreadableFile
from litapp.core.gate import report_to_dict
from litapp.core.prisma import FlowError
from litapp.jobs.models import StepState
from litapp.jobs.services import LeaseLost, claim, enqueue, finish
from litapp.ledger.services.bodies import DamagedBody, write_body
from litapp.projects.models import Project
from litapp.projects.services.events import record_event
from litapp.verification.models import Verification
from litapp.verification.services.requests import statuses_request
from references.models import Export, ExportFormat, Scope
from references.services.citation_styles import UnknownStyle, usable_style
from references.services.entries import ExportContent, export_content
from references.services.export_files import ID_LISTS, STYLED_FORMATS, MadeExport, MadeFile, export_files
from references.services.gate import checks_of_document, checks_of_entries
from references.services.pandoc import DocumentError

KIND = "export"
LARGEST_BIB = 20 * 1024 * 1024
"""Bytes of a .bib that is extended."""
MOST_ATTEMPTS = 3
"""Claims of one export after which it is given up: its worker died each time."""
TRY_AGAIN = "Try again; if it stays, tell your administrator."


class ExportProblem(ValueError):
    """An export that cannot be asked for. The message says why and what to do."""


def export_request(
    *,
    project: Project,
    actor: User,
    format: str,
    scope: str,
    style: str,
    request_id: UUID,
    extends: bytes | None = None,
) -> Export:
    """Queue an export; the same `request_id` again gives the same one.

    `style` is a key or title of a citation style; it counts for Word and Markdown only. A list of PMIDs or DOIs always
    holds what may be cited only. `extends` is a .bib that the person brought: new entries are appended to it. Raises
    ExportProblem for an unknown format or scope, an empty list and a .bib that cannot be extended, UnknownStyle for
    the style.
    """
    made = Export.objects.filter(request_id=request_id, project=project).first()
    if made is not None:
        return made
    if format not in ExportFormat.values or scope not in Scope.values:
        raise ExportProblem("That format or scope does not exist. Reload the page and choose again.")
    _require_something(project, format, scope)
    papers = Verification.objects.filter(candidate__reference__project=project, candidate__reference__removed_at=None)
    statuses_request(verifications=papers)
    key = usable_style(style).key if format in STYLED_FORMATS else ""
    if format in ID_LISTS:
        scope = Scope.VERIFIED
    if format == ExportFormat.ARCHIVE:
        scope = Scope.ALL
    brought = _brought(extends) if extends is not None and format == ExportFormat.BIBTEX else ""
    try:
        return _create(project, actor, format, scope, key, request_id, brought)
    except IntegrityError:  # the other click of a double click was faster
        return Export.objects.get(request_id=request_id, project=project)


def _brought(extends: bytes) -> str:
    """Keep the person's .bib; returns its sha256."""
    if len(extends) > LARGEST_BIB:
        raise ExportProblem(f"The .bib has more than {LARGEST_BIB:,} bytes. Export a file of its own in place of this.")
    try:
        extend_bib(extends, ())
    except UnreadableFile as error:
        raise ExportProblem(f"{error.message} {error.next_step}".strip()) from error
    return write_body(extends)


def _require_something(project: Project, format: str, scope: str) -> None:
    content = export_content(project, scope)
    if not content.everything and not content.left_out:
        raise ExportProblem(
            "The reference list is empty. Include papers in screening; they appear in the list at once."
        )
    if not content.entries and format not in ID_LISTS and format != ExportFormat.ARCHIVE:
        raise ExportProblem(
            f"None of the {len(content.left_out)} references may go out as verified. "
            "Wait for their checks, look at them by hand, or choose “All, with marks”."
        )


@transaction.atomic
def _create(
    project: Project, actor: User, format: str, scope: str, style: str, request_id: UUID, extends: str
) -> Export:
    export = Export.objects.create(
        project=project,
        requested_by=actor,
        request_id=request_id,
        format=format,
        scope=scope,
        style=style,
        extends_sha256=extends,
    )
    record_event(
        project=project,
        actor=actor,
        verb="export.requested",
        subject=f"export:{export.pk}",
        payload={"format": format, "scope": scope, "style": style},
    )
    enqueue(KIND, str(export.pk))
    return export


def export_folder(export: Export) -> Path:
    """Where the files of an export lie."""
    return Path(settings.DATA_DIR) / "exports" / str(export.pk)


class ExportWork:
    """Makes the files of one export. Equal state of the project and equal choices give equal bytes.

    Nothing is written while a check fails (`core.gate`), unless a person lets exactly these failures pass.
    """

    def due(self) -> Iterable[str]:
        """Exports that may be claimed now."""
        return [str(pk) for pk in Export.objects.all().claimable().order_by("pk").values_list("pk", flat=True)]

    def run(self, key: str) -> None:
        """Claim the export, make its files, finish it; quietly nothing when it is gone, done or claimed elsewhere."""
        token = claim(Export.objects.all(), key)
        if token is None:
            return
        export = Export.objects.select_related("project").get(pk=key)
        try:
            self._make(export, token)
        except LeaseLost:
            return
        except (DocumentError, UnknownStyle, FlowError, DamagedBody, OSError) as error:
            self._fail(
                export, token, str(error), getattr(error, "hint", "Try again; if it stays, tell your administrator.")
            )

    def _make(self, export: Export, token: str) -> None:
        if export.attempts > MOST_ATTEMPTS:
            self._fail(
                export,
                token,
                f"This export broke off {MOST_ATTEMPTS} times without saying why.",
                "Try another format; tell your administrator, whose log has the cause.",
            )
            return
        content = export_content(export.project, export.scope)
        made = export_files(export, content)
        report = self._checked(export, content, made)
        if not report["passed"] and not _is_covered(export, report):
            self._stop(export, token, report)
            return
        stored = [_store(export, file) for file in made.files]
        included = list(made.included)
        left_out = [asdict(reference) for reference in made.left_out]
        with transaction.atomic():
            finish(
                Export.objects.all(),
                export.pk,
                token,
                state=StepState.DONE,
                included=included,
                left_out=left_out,
                files=stored,
                gate=report,
                done=len(included),
                total=len(included) + len(left_out),
            )
            record_event(
                project=export.project,
                actor=None,
                verb="export.finished",
                subject=f"export:{export.pk}",
                payload={
                    "format": export.format,
                    "scope": export.scope,
                    "style": export.style,
                    "files": stored,
                    "included": included,
                    "left_out": left_out,
                    "checks_passed": report["passed"],
                },
            )

    def _checked(self, export: Export, content: ExportContent, made: MadeExport) -> dict[str, Any]:
        """What the checks before the output find. A document is looked at whole; in data files every reference that is
        not verified carries its mark, so that the verified ones are looked at."""
        document = made.document
        entries = [entry for entry in content.entries if document or entry.verdict is EntryVerdict.VERIFIED]
        checks = checks_of_entries(export.project, entries)
        if document:
            checks += checks_of_document(
                export.project, document.summary, document.blocks, matrix_alone=document.matrix_alone
            )
        return report_to_dict(checks)

    def _stop(self, export: Export, token: str, report: dict[str, Any]) -> None:
        """No file is written: the checks found something, and a person has to look."""
        found = sum(len(check["failures"]) for check in report["checks"])
        message = f"The checks before the output found {found:,} thing{'s' if found != 1 else ''}. Nothing was written."
        try:
            with transaction.atomic():
                finish(
                    Export.objects.all(), export.pk, token, state=StepState.FAILED, message=message,
                    hint="Mend what is listed and export again, or let it go out under your name.", gate=report,
                    override_by=None, override_reason="", override_at=None,
                )  # fmt: skip
                record_event(
                    project=export.project, actor=None, verb="export.stopped", subject=f"export:{export.pk}",
                    payload={"format": export.format, "failures": [
                        f"{check['title']}: {one['key']} {one['text']}"
                        for check in report["checks"] for one in check["failures"]
                    ]},
                )  # fmt: skip
        except LeaseLost:
            return

    def _fail(self, export: Export, token: str, message: str, hint: str) -> None:
        try:
            finish(Export.objects.all(), export.pk, token, state=StepState.FAILED, message=message, hint=hint)
        except LeaseLost:
            return


def _is_covered(export: Export, report: dict[str, Any]) -> bool:
    """Whether a person let every one of these failures pass: nothing new has come since."""
    return export.override_at is not None and _failures(report) <= _failures(export.gate)


def _failures(report: dict[str, Any]) -> set[tuple[str, str, str, str]]:
    """Each failure without what changes from one try to the next (how a source did not answer)."""
    return {
        (check["gate"], one["key"], one["sentence"], "" if one["key"] else one["text"])
        for check in report.get("checks", ())
        for one in check["failures"]
    }


def _store(export: Export, file: MadeFile) -> dict[str, Any]:
    """Write one file (complete or not at all) and say what it is."""
    folder = export_folder(export)
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    part = folder / f".{file.name}.part"
    part.write_bytes(file.content)
    os.replace(part, folder / file.name)
    return {
        "name": file.name,
        "sha256": hashlib.sha256(file.content).hexdigest(),
        "size": len(file.content),
        "media_type": file.media_type,
        "title": file.title,
    }

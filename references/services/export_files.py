"""What each export format writes: the bytes and the names of its files."""

from __future__ import annotations

import hashlib
import io
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from types import MappingProxyType

from anyascii import anyascii
from django.utils.text import slugify

from litapp.core.formats.bibextend import extend_bib
from litapp.core.formats.bibtex import write_bibtex
from litapp.core.formats.csljson import write_csljson
from litapp.core.formats.csvtable import write_reference_csv
from litapp.core.formats.idlist import id_list
from litapp.core.formats.ledgeryaml import write_ledger_yaml
from litapp.core.formats.matrixtable import MatrixTable, matrix_csv
from litapp.core.formats.nbib import write_nbib
from litapp.core.formats.ris import write_ris
from litapp.core.formats.summary import EvidenceSummary, LeftOutReference
from litapp.core.formats.summarytext import numbers_of
from litapp.core.identifiers import Scheme
from litapp.core.markup import plain_text
from litapp.ledger.services.bodies import read_body
from references.models import Export, ExportFormat, Scope
from references.services.archive import archive_of
from references.services.documents import docx_of, html_of, markdown_of, summary_blocks
from references.services.entries import ExportContent, is_sandbox, why_not_citable
from references.services.evidence_summary import evidence_summary
from references.services.gate import override_lines
from references.services.ledger_entries import ledger_references
from references.services.pandoc import Block

ID_LISTS: Mapping[str, Scheme] = MappingProxyType({ExportFormat.PMIDS: Scheme.PMID, ExportFormat.DOIS: Scheme.DOI})
"""Formats that list identifiers which may be cited, whatever the scope."""
STYLED_FORMATS = frozenset({ExportFormat.DOCX, ExportFormat.MARKDOWN, ExportFormat.REVIEW, ExportFormat.MATRIX})
"""Formats in which a citation style counts: the documents."""
WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"


@dataclass(frozen=True, slots=True)
class MadeFile:
    """One file of an export. `title` says what it holds."""

    name: str
    content: bytes
    media_type: str
    title: str


@dataclass(frozen=True, slots=True)
class MadeDocument:
    """The document behind the files: what it says, and its blocks as they were written."""

    summary: EvidenceSummary
    blocks: tuple[Block, ...]
    matrix_alone: bool = False


@dataclass(frozen=True, slots=True)
class MadeExport:
    """What an export made: its files, the keys of the references in the first one, and those it leaves out; the
    document, where it is one."""

    files: tuple[MadeFile, ...]
    included: tuple[str, ...]
    left_out: tuple[LeftOutReference, ...]
    document: MadeDocument | None = None


def export_files(export: Export, content: ExportContent) -> MadeExport:
    """The files of an export; the same choices and content give the same bytes.

    Raises the errors of `pandoc`, UnknownStyle, and FlowError when the project's counts do not add up.
    """
    keys = tuple(entry.key for entry in content.entries)
    overrides = override_lines(export)
    if export.format in STYLED_FORMATS:
        files, document = _document_files(export, content, overrides)
        return MadeExport(files, keys, content.left_out, document)
    if export.format == ExportFormat.ARCHIVE:
        made = MadeExport((_archive(export, content, overrides),), keys, content.left_out)
    elif export.format in ID_LISTS:
        made = _identifiers(export, content, ID_LISTS[export.format])
    elif export.extends_sha256:
        made = _extended(export, content)
    else:
        made = MadeExport((_WRITERS[export.format](export, content),), keys, content.left_out)
    if overrides and export.format != ExportFormat.ARCHIVE:
        text = "".join(f"{line}\n" for line in overrides)
        title = "Checks that did not pass, and who let it go out"
        file = MadeFile(f"{_name(export, '')}-checks-not-passed.txt", text.encode(), "text/plain", title)
        made = MadeExport((*made.files, file), made.included, made.left_out)
    return made


def _name(export: Export, ending: str) -> str:
    """ "dexamethasone-in-covid-19-verified.bib"; files of sandbox data begin with "sandbox-data"."""
    scope = "verified" if export.scope == Scope.VERIFIED else "all-with-marks"
    parts = ["sandbox-data"] if is_sandbox(export.project) else []
    parts += [project_slug(export.project.name) or "references", scope]
    return "-".join(parts) + ending


def project_slug(name: str) -> str:
    """The name in small ASCII letters, digits and hyphens, at most 60; other scripts are transliterated."""
    return slugify(anyascii(name))[:60].strip("-")


def _bibtex(export: Export, content: ExportContent) -> MadeFile:
    text = write_bibtex(content.entries)
    return MadeFile(_name(export, ".bib"), text.encode(), "application/x-bibtex", "References as BibTeX")


def _ris(export: Export, content: ExportContent) -> MadeFile:
    text = write_ris(content.entries)
    media_type = "application/x-research-info-systems"
    return MadeFile(_name(export, ".ris"), text.encode(), media_type, "References as RIS")


def _csl(export: Export, content: ExportContent) -> MadeFile:
    text = write_csljson(content.entries)
    media_type = "application/vnd.citationstyles.csl+json"
    return MadeFile(_name(export, ".csl.json"), text.encode(), media_type, "References as CSL JSON")


def _document_files(
    export: Export, content: ExportContent, overrides: tuple[str, ...]
) -> tuple[tuple[MadeFile, ...], MadeDocument]:
    """The files of a document: one text, read by pandoc once, written in each form."""
    alone = export.format == ExportFormat.MATRIX
    summary = evidence_summary(export.project, content, overrides=overrides)
    if alone:
        summary = replace(summary, topics=(), guidelines=(), limitations_text="")
    blocks = summary_blocks(summary, export.style, matrix_alone=alone)
    document = MadeDocument(summary, tuple(blocks), alone)
    if export.format == ExportFormat.DOCX:
        file = MadeFile(_name(export, ".docx"), docx_of(blocks, summary), WORD, "Evidence summary for Word")
        return (file,), document
    if export.format == ExportFormat.MARKDOWN:
        file = MadeFile(_name(export, ".md"), markdown_of(blocks), "text/markdown", "Evidence summary as Markdown")
        return (file,), document
    if alone:
        return _matrix_files(export, document), document
    return (review_zip(export, content, document, _name(export, "")),), document


def _matrix_files(export: Export, document: MadeDocument) -> tuple[MadeFile, ...]:
    summary, blocks = document.summary, document.blocks
    table = matrix_csv(summary.matrix or MatrixTable(), numbers_of(summary))
    return (
        MadeFile(_name(export, "-matrix.docx"), docx_of(blocks, summary, matrix_alone=True), WORD, "Matrix for Word"),
        MadeFile(_name(export, "-matrix.csv"), table.encode(), "text/csv", "Matrix as a table"),
        MadeFile(_name(export, "-matrix.md"), markdown_of(blocks), "text/markdown", "Matrix as Markdown"),
    )


def review_zip(export: Export, content: ExportContent, document: MadeDocument, base: str) -> MadeFile:
    """Everything of an evidence summary in one zip with checksums, dated by the project's last change."""
    summary, blocks = document.summary, document.blocks
    files = {
        f"{base}_Review.md": markdown_of(blocks),
        f"{base}_Review.docx": docx_of(blocks, summary),
        f"{base}_Review.html": html_of(blocks, summary),
        f"{base}_References.yaml": write_ledger_yaml(ledger_references(export.project, content.entries)).encode(),
        f"{base}_References.bib": write_bibtex(content.entries).encode(),
        f"{base}_PMIDs.txt": id_list(content.everything, Scheme.PMID).text.encode(),
    }
    if summary.flow.png:
        files[f"{base}_PRISMA.png"] = summary.flow.png
    packed = zip_of(with_checksums(files), summary.generated_at)
    return MadeFile(f"{base}_Review.zip", packed, "application/zip", "Evidence summary: every file, with checksums")


def with_checksums(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """The files and SHA256SUMS, which `sha256sum -c` reads."""
    lines = "".join(f"{hashlib.sha256(content).hexdigest()}  {name}\n" for name, content in sorted(files.items()))
    return {**files, "SHA256SUMS": lines.encode()}


def zip_of(files: Mapping[str, bytes], moment: datetime) -> bytes:
    """A zip of the files in the order of their names, all dated `moment`: equal input, equal bytes."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(files):
            entry = zipfile.ZipInfo(name, moment.astimezone(UTC).timetuple()[:6])
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, files[name])
    return packed.getvalue()


def _archive(export: Export, content: ExportContent, overrides: tuple[str, ...]) -> MadeFile:
    made = archive_of(export.project, content, overrides=overrides)
    prefix = "sandbox-data-" if is_sandbox(export.project) else ""
    name = f"{prefix}{made.slug}-archive.zip"
    packed = zip_of({f"references/{made.slug}/{path}": data for path, data in made.files.items()}, made.moment)
    return MadeFile(name, packed, "application/zip", "Archive folder: references, full texts, index")


def _nbib(export: Export, content: ExportContent) -> MadeFile:
    text = write_nbib(content.entries)
    return MadeFile(_name(export, ".nbib"), text.encode(), "text/plain", "References as PubMed text")


def _csv(export: Export, content: ExportContent) -> MadeFile:
    text = write_reference_csv(content.entries)
    return MadeFile(_name(export, ".csv"), text.encode(), "text/csv", "References as a table")


def _yaml(export: Export, content: ExportContent) -> MadeFile:
    text = write_ledger_yaml(ledger_references(export.project, content.entries))
    name = f"{_name(export, '')}_References.yaml"
    return MadeFile(name, text.encode(), "application/yaml", "Reference ledger: every field, verdict and check")


def _extended(export: Export, content: ExportContent) -> MadeExport:
    """The person's own .bib, byte for byte, with the entries that it has not yet behind it."""
    made = extend_bib(read_body(export.extends_sha256), content.entries)
    title = f"Your file with {len(made.added)} new entries"
    file = MadeFile(_name(export, "-extended.bib"), made.content, "application/x-bibtex", title)
    titles = {entry.key: plain_text(entry.record.title) for entry in content.entries}
    there = [
        LeftOutReference(one.key, titles[one.key], f"Your file has it as {one.there}: {one.reason}")
        for one in made.skipped
    ]
    return MadeExport((file,), tuple(one.key for one in made.added), (*there, *content.left_out))


def _identifiers(export: Export, content: ExportContent, scheme: Scheme) -> MadeExport:
    """Citable identifiers, one a line; whatever the scope, all others stand in a second file with the reason."""
    ids, word = id_list(content.everything, scheme), scheme.value
    base = _name(export, "").removesuffix("-all-with-marks").removesuffix("-verified")
    files = [
        MadeFile(
            f"{base}-{word}s.txt",
            ids.text.encode(),
            "text/plain",
            f"{len(ids.citable)} {word.upper()}s that may be cited",
        )
    ]
    outside = {out.entry.key: out.reason for out in ids.left_out}
    not_in_ledger = [
        reference for reference in content.left_out if reference.key not in {e.key for e in content.everything}
    ]
    if outside:
        title = f"{len(outside)} references that are not in the list, and why"
        name = f"{base}-not-in-{word}-list.txt"
        files.append(MadeFile(name, ids.left_out_text.encode(), "text/plain", title))
    left_out = [
        LeftOutReference(entry.key, plain_text(entry.record.title), why_not_citable(entry) or outside[entry.key])
        for entry in content.everything
        if entry.key in outside
    ]
    included = tuple(entry.key for entry in content.everything if entry.key not in outside)
    return MadeExport(tuple(files), included, (*left_out, *not_in_ledger))


_WRITERS: Mapping[str, Callable[[Export, ExportContent], MadeFile]] = MappingProxyType(
    {
        ExportFormat.BIBTEX: _bibtex,
        ExportFormat.RIS: _ris,
        ExportFormat.NBIB: _nbib,
        ExportFormat.CSV: _csv,
        ExportFormat.YAML: _yaml,
        ExportFormat.CSL: _csl,
    }
)

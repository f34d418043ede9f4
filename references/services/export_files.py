"""What each export format writes: the bytes and the names of its files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from django.utils.text import slugify

from litapp.core.formats.bibextend import extend_bib
from litapp.core.formats.bibtex import write_bibtex
from litapp.core.formats.csljson import write_csljson
from litapp.core.formats.csvtable import write_reference_csv
from litapp.core.formats.idlist import id_list
from litapp.core.formats.ledgeryaml import write_ledger_yaml
from litapp.core.formats.nbib import write_nbib
from litapp.core.formats.ris import write_ris
from litapp.core.formats.summary import LeftOutReference
from litapp.core.identifiers import Scheme
from litapp.core.markup import plain_text
from litapp.ledger.services.bodies import read_body
from references.models import Export, ExportFormat, Scope
from references.services.documents import summary_docx, summary_markdown
from references.services.entries import ExportContent, is_sandbox, why_not_citable
from references.services.evidence_summary import evidence_summary
from references.services.ledger_entries import ledger_references

ID_LISTS: Mapping[str, Scheme] = MappingProxyType({ExportFormat.PMIDS: Scheme.PMID, ExportFormat.DOIS: Scheme.DOI})
"""Formats that list identifiers which may be cited, whatever the scope."""
STYLED_FORMATS = frozenset({ExportFormat.DOCX, ExportFormat.MARKDOWN})
"""Formats in which a citation style counts."""


@dataclass(frozen=True, slots=True)
class MadeFile:
    """One file of an export. `title` says what it holds."""

    name: str
    content: bytes
    media_type: str
    title: str


@dataclass(frozen=True, slots=True)
class MadeExport:
    """What an export made: its files, the keys of the references in the first one, and those it leaves out."""

    files: tuple[MadeFile, ...]
    included: tuple[str, ...]
    left_out: tuple[LeftOutReference, ...]


def export_files(export: Export, content: ExportContent) -> MadeExport:
    """The files of an export; the same choices and content give the same bytes.

    Raises the errors of `pandoc`, UnknownStyle, and FlowError when the project's counts do not add up.
    """
    if export.format in ID_LISTS:
        return _identifiers(export, content, ID_LISTS[export.format])
    if export.extends_sha256:
        return _extended(export, content)
    file = _WRITERS[export.format](export, content)
    return MadeExport((file,), tuple(entry.key for entry in content.entries), content.left_out)


def _name(export: Export, ending: str) -> str:
    """ "dexamethasone-in-covid-19-verified.bib"; files of sandbox data begin with "sandbox-data"."""
    scope = "verified" if export.scope == Scope.VERIFIED else "all-with-marks"
    parts = ["sandbox-data"] if is_sandbox(export.project) else []
    parts += [slugify(export.project.name)[:60].strip("-") or "references", scope]
    return "-".join(parts) + ending


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


def _docx(export: Export, content: ExportContent) -> MadeFile:
    made = summary_docx(evidence_summary(export.project, content), export.style)
    media_type = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
    return MadeFile(_name(export, ".docx"), made, media_type, "Evidence summary for Word")


def _markdown(export: Export, content: ExportContent) -> MadeFile:
    made = summary_markdown(evidence_summary(export.project, content), export.style)
    return MadeFile(_name(export, ".md"), made, "text/markdown", "Evidence summary as Markdown")


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
        ExportFormat.DOCX: _docx,
        ExportFormat.MARKDOWN: _markdown,
        ExportFormat.CSL: _csl,
    }
)

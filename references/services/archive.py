"""The archive folder of a project's reference list: BibTeX of what is verified, full texts, an index that warns."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import count
from pathlib import Path

from anyascii import anyascii
from django.db import IntegrityError, transaction

from litapp.core.formats.bibtex import write_bibtex
from litapp.core.formats.entry import NOT_CITABLE_STATES, EntryVerdict, ExportEntry
from litapp.core.identifiers import Identifier, Scheme, identifier_url
from litapp.core.markup import escape_markdown, plain_text
from litapp.ledger.services.bodies import read_body
from litapp.projects.models import Project
from references.models import ArchiveName, CopyState, FullTextCopy, Reference
from references.services.entries import ExportContent
from references.services.evidence_summary import evidence_summary, import_lines, search_lines
from searches.models import RetrievalRun

SUMS = "SHA256SUMS"


@dataclass(frozen=True, slots=True)
class MadeArchive:
    """The files of an archive by their path within `references/<slug>/`; `moment` is the project's last change."""

    slug: str
    files: dict[str, bytes]
    moment: datetime


@dataclass(slots=True)
class Written:
    """What became of a folder: files written, files that were there already, and files of people that were kept."""

    folder: Path
    written: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)


def archive_slug(project: Project) -> str:
    """The folder's name: small ASCII letters, digits and underscores. Given once; no other project gets it."""
    known = ArchiveName.objects.filter(project=project).first()
    if known is not None:
        return known.slug
    base = "_".join(re.findall(r"[a-z0-9]+", anyascii(project.name).lower()))[:60].strip("_") or "project"
    for number in count(1):
        slug = base if number == 1 else f"{base}_{number}"
        if ArchiveName.objects.filter(slug=slug).exists():
            continue
        try:
            with transaction.atomic():
                return ArchiveName.objects.create(project=project, slug=slug).slug
        except IntegrityError:  # another archive took the name, or this project got its own at the same time
            known = ArchiveName.objects.filter(project=project).first()
            if known is not None:
                return known.slug
    raise AssertionError("unreachable: numbers do not end")


def archive_of(project: Project, content: ExportContent, *, overrides: Sequence[str] = ()) -> MadeArchive:
    """The archive of the list as it stands, whatever the scope of `content`; equal state, equal bytes.

    A file that is the full text of several references is stored once. Raises DamagedBody for an archived file that is
    missing or changed.
    """
    entries = content.everything
    summary = evidence_summary(project, content)
    verified = [entry for entry in entries if entry.citable]
    copies = _copies(project)
    files: dict[str, bytes] = {"references.bib": write_bibtex(verified).encode()}
    paths: dict[str, str] = {}
    pdf_of: dict[str, str] = {}
    for entry in entries:
        for copy in copies.get(entry.key, ())[:1]:
            if copy.sha256 not in paths:
                paths[copy.sha256] = f"pdfs/{_file_name(entry.key)}.pdf"
                files[paths[copy.sha256]] = read_body(copy.sha256)
            pdf_of[entry.key] = paths[copy.sha256]
    readme = _readme(project, entries, content, pdf_of, copies, summary.generated_at, overrides)
    files["README.md"] = readme.encode()
    sums = "".join(f"{hashlib.sha256(data).hexdigest()}  {name}\n" for name, data in sorted(files.items()))
    return MadeArchive(archive_slug(project), {**files, SUMS: sums.encode()}, summary.generated_at)


def _copies(project: Project) -> dict[str, list[FullTextCopy]]:
    """Key -> its accepted PDFs, the first accepted first."""
    rows = FullTextCopy.objects.filter(
        reference__project=project, reference__removed_at=None, state=CopyState.ACCEPTED, kind=FullTextCopy.Kind.PDF
    ).select_related("reference")
    found: dict[str, list[FullTextCopy]] = {}
    for copy in rows.order_by("reference__key", "pk"):
        if copy.reference is not None:
            found.setdefault(copy.reference.key, []).append(copy)
    return found


def _file_name(key: str) -> str:
    """The key as a file name on every system."""
    return re.sub(r"[^A-Za-z0-9_-]+", "_", key)


def _readme(
    project: Project,
    entries: Sequence[ExportEntry],
    content: ExportContent,
    pdf_of: Mapping[str, str],
    copies: Mapping[str, Sequence[FullTextCopy]],
    moment: datetime,
    overrides: Sequence[str],
) -> str:
    suspect = [e for e in entries if e.verdict is EntryVerdict.SUSPECT or e.status in NOT_CITABLE_STATES]
    unsure = [e for e in entries if e not in suspect and e.verdict is not EntryVerdict.VERIFIED]
    good = [e for e in entries if e.citable]
    parts = [
        f"# {escape_markdown(project.name)}",
        f"State of the project at {moment:%Y-%m-%d %H:%M} UTC. Made with LitLedger.",
    ]
    if any(entry.sandbox for entry in entries):
        parts.append("**SANDBOX DATA: practice records. Do not cite from this folder.**")
    if overrides:
        parts += [
            "**CHECKS BEFORE THIS OUTPUT DID NOT ALL PASS.** A person let it go out all the same:",
            _bullets(overrides),
        ]
    parts += [
        f"- `references.bib`: {len(good):,} verified references, and nothing else\n"
        f"- `pdfs/`: {len(set(pdf_of.values())):,} full texts\n- `{SUMS}`: sha256 of each file",
        f"## Index ({len(good):,} verified)",
        _index(good, pdf_of, copies) if good else "No reference is verified yet.",
        f"## Do not cite ({len(suspect):,})",
        _reasons(suspect) if suspect else "None.",
        f"## Unverified and confirmed by hand ({len(unsure):,})",
        "No source has confirmed these. They are not in `references.bib`." if unsure else "None.",
        _reasons(unsure),
    ]
    missing = [out for out in content.left_out if out.key not in {entry.key for entry in entries}]
    if missing:
        parts += [f"## Not in the ledger ({len(missing):,})", _bullets(f"{o.key}: {o.title}: {o.why}" for o in missing)]
    return "\n\n".join(part for part in [*parts, *_coverage(project, entries, pdf_of)] if part) + "\n"


def _index(
    entries: Sequence[ExportEntry], pdf_of: Mapping[str, str], copies: Mapping[str, Sequence[FullTextCopy]]
) -> str:
    lines = ["| Key | Title | Year | Identifier | Full text | Confirmed by |", "| --- | --- | --- | --- | --- | --- |"]
    for entry in entries:
        path = pdf_of.get(entry.key, "")
        licence = next((copy.licence for copy in copies.get(entry.key, ()) if copy.licence), "")
        full = f"[PDF]({path})" + (f" ({escape_markdown(licence)})" if licence else "") if path else "\u2014"
        on = f", {entry.verified_on.isoformat()}" if entry.verified_on else ""
        cells = [
            f"`{entry.key}`",
            escape_markdown(plain_text(entry.title)) + "".join(f" **{escape_markdown(m)}**" for m in entry.marks),
            str(entry.record.year or ""),
            _link(entry),
            full,
            escape_markdown(f"{' + '.join(entry.verified_by)}{on}"),
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _link(entry: ExportEntry) -> str:
    for scheme in (Scheme.DOI, Scheme.PMID, Scheme.ARXIV):
        if value := entry.record.identifier(scheme):
            return f"[{scheme.value.upper()} {escape_markdown(value)}](<{identifier_url(Identifier(scheme, value))}>)"
    return ""


def _reasons(entries: Sequence[ExportEntry]) -> str:
    return "\n".join(
        f"- `{entry.key}` {escape_markdown(plain_text(entry.title)) or 'No title'}: "
        f"{escape_markdown(entry.status_mark + ' ' if entry.status_mark else '')}"
        f"{escape_markdown(entry.verdict.value)}"
        f"{escape_markdown(f': {entry.verdict_note}' if entry.verdict_note else '')}"
        f"{f' ({_link(entry)})' if _link(entry) else ''}"
        for entry in entries
    )


def _coverage(project: Project, entries: Sequence[ExportEntry], pdf_of: Mapping[str, str]) -> list[str]:
    """What was searched, what of it failed or was cut, and of how many references the full text is here."""
    runs = list(RetrievalRun.objects.filter(project=project).prefetch_related("steps").order_by("pk"))
    lines = [
        f"{line.source}{f' ({line.label})' if line.label else ''}: {line.fetched:,} records"
        + (f" of {line.reported:,} reported" if line.reported is not None else "")
        + (
            ""
            if line.state == "done" and not line.reason
            else f"; {line.state}{f': {line.reason}' if line.reason else ''}"
        )
        for line in (*search_lines(runs), *import_lines(project))
    ]
    abstracts = sum(bool(entry.record.abstract) for entry in entries)
    removed = Reference.objects.filter(project=project).exclude(removed_at=None).count()
    lines += [
        f"Full text here for {len(pdf_of):,} of {len(entries):,} references.",
        f"Abstract known for {abstracts:,} of {len(entries):,} references.",
    ]
    if removed:
        lines.append(f"{removed:,} references were taken out of the list by hand and are not here.")
    return ["## Coverage", _bullets(lines)]


def _bullets(lines: Iterable[str]) -> str:
    return "\n".join(f"- {escape_markdown(line)}" for line in lines)


# A folder on disk


def archive_write(made: MadeArchive, out: Path) -> Written:
    """Put the archive into `out/references/<slug>/`, merged with what is there by content.

    A file with the same content is left alone, under whatever name a full text has. A file that LitLedger wrote before
    (it stands in SHA256SUMS as it is) is replaced; one that somebody changed is kept beside under another name.
    """
    folder = out / "references" / made.slug
    folder.mkdir(parents=True, exist_ok=True)
    done = Written(folder)
    ours = _sums(folder / SUMS)
    there = {_hash(path) for path in (folder / "pdfs").glob("*.pdf")} if (folder / "pdfs").is_dir() else set()
    for name, data in sorted(made.files.items()):
        path, digest = folder / name, hashlib.sha256(data).hexdigest()
        if path.is_file() and _hash(path) == digest:
            done.unchanged.append(name)
            continue
        if name.startswith("pdfs/") and digest in there:
            done.unchanged.append(name)
            continue
        if path.exists() and name != SUMS and ours.get(name) != _hash(path):
            kept = _free(path)
            path.rename(kept)
            done.kept.append(str(kept.relative_to(folder)))
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_name(f".{path.name}.part")
        part.write_bytes(data)
        part.replace(path)
        done.written.append(name)
    return done


def _hash(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _sums(path: Path) -> dict[str, str]:
    """Name -> sha256 of what LitLedger wrote here before."""
    if not path.is_file():
        return {}
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    return {name: digest for digest, _, name in (line.partition("  ") for line in lines) if name}


def _free(path: Path) -> Path:
    """The path with ".kept" before its ending, and a number where that is taken."""
    for number in count(1):
        free = path.with_name(f"{path.stem}.kept{'' if number == 1 else f'-{number}'}{path.suffix}")
        if not free.exists():
            return free
    raise AssertionError("unreachable: numbers do not end")

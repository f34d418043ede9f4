"""Writes a run as a bundle: folder or zip. The same run gives the same bytes, whatever other runs did meanwhile."""

from __future__ import annotations

import hashlib
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from litapp.core.formats.bundle.files import (
    ANSWERS,
    DEDUPE_MAP,
    DEDUPED,
    MANIFEST,
    NORMALIZED,
    PLAN,
    PROVENANCE,
    RAW,
    SEARCH_LOG,
    answer_name,
)
from litapp.core.formats.bundle.jsonlines import canonical, line
from litapp.core.formats.bundle.manifest import DEDUPE_MAP_FORM, RAW_LINE, manifest_bytes
from litapp.core.formats.bundle.papers import AbstractStatus
from litapp.core.formats.planyaml import plan_to_yaml
from litapp.core.records import record_to_dict
from litapp.ledger.services.archive import body_of
from litapp.ledger.services.bodies import DamagedBody
from litapp.ledger.services.clients import known_secrets
from searches.models import RetrievalRun
from searches.services.bundle_facts import dedup_parameters, manifest_of
from searches.services.bundle_files import BundleError, write_zip
from searches.services.bundle_log import RunLog, log_of_run
from searches.services.bundle_papers import Described
from searches.services.run_papers import RunPapers, papers_of_run
from searches.services.step_answers import ENVELOPE

SHORTEST_KEY = 6
"""Characters; a shorter text is no key and would be found in ordinary words."""


@dataclass(frozen=True, slots=True)
class MadeBundle:
    """A bundle that was written: where it lies, its manifest and that file's sha256."""

    path: Path
    manifest: dict[str, Any]
    sha256: str


def bundle_export(*, run: RetrievalRun, out: Path, answers: bool = False) -> MadeBundle:
    """Write the bundle of a finished run to `out`: a zip file where the name ends in ".zip", a folder otherwise.

    With `answers` the archived bytes are in it; the terms of their sources then stand in the manifest. Raises
    BundleError when the run is still going on, `out` is taken, or an archived answer is damaged.
    """
    if out.exists():
        raise BundleError(f"{out} is there already. Name another place, or remove it first.")
    if not out.parent.is_dir():
        raise BundleError(f"There is no folder {out.parent} to write to.")
    with tempfile.TemporaryDirectory(dir=out.parent, prefix=".bundle-") as place:
        folder = Path(place) / "bundle"
        folder.mkdir()
        made = bundle_write(run=run, folder=folder, answers=answers)
        if out.suffix.lower() == ".zip":
            write_zip(folder, out)
        else:
            folder.rename(out)
    return MadeBundle(out, made.manifest, made.sha256)


def bundle_write(*, run: RetrievalRun, folder: Path, answers: bool = False) -> MadeBundle:
    """Write the bundle's files into an empty folder. See `bundle_export`."""
    if run.is_open:
        raise BundleError("This run is still going on. Export it when it is over.")
    writer = _Writer(folder)
    found = papers_of_run(run, supplements=True)
    log = log_of_run(run, found)
    described = Described(found, log.names, log.received)
    writer.whole(PLAN, plan_to_yaml(run.version.plan_content).encode())
    counts = _write_records(writer, found, log, described)
    writer.whole(DEDUPE_MAP, canonical(_dedupe_map(found)) + b"\n")
    stored = _write_answers(writer, log) if answers else 0
    writer.whole(SEARCH_LOG, canonical(log.as_json()) + b"\n")
    manifest = {**manifest_of(run, log, counts, included=answers, stored=stored), "files": writer.files}
    content = manifest_bytes(manifest)
    (folder / MANIFEST).write_bytes(content)
    return MadeBundle(folder, manifest, hashlib.sha256(content).hexdigest())


class _Writer:
    """Writes files and remembers size and sha256 of each. A configured key in one of them stops the export."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.files: dict[str, dict[str, Any]] = {}
        self._secrets = [key.encode() for key in known_secrets() if len(key) >= SHORTEST_KEY]

    def whole(self, name: str, content: bytes) -> None:
        """One file at once."""
        with self.lines(name) as put:
            put(content)

    @contextmanager
    def lines(self, name: str) -> Iterator[Callable[[bytes], None]]:
        """A file that is written piece by piece: call what is yielded with each piece."""
        path = self._folder / name
        path.parent.mkdir(exist_ok=True)
        digest, size = hashlib.sha256(), 0
        with path.open("wb") as file:

            def put(piece: bytes) -> None:
                nonlocal size
                if any(secret in piece for secret in self._secrets):
                    raise BundleError(f"A key of this installation stands in {name}. The bundle was not written.")
                file.write(piece)
                digest.update(piece)
                size += len(piece)

            yield put
        self.files[name] = {"sha256": digest.hexdigest(), "size": size}


def _write_records(writer: _Writer, found: RunPapers, log: RunLog, described: Described) -> dict[str, Any]:
    """The four lists, and the counts of what was written."""
    counts: Counter[str] = Counter()
    by_source: Counter[str] = Counter()
    of_paper = {place: number for number, paper in enumerate(found.papers, start=1) for place in paper.places}
    with writer.lines(RAW) as raw, writer.lines(PROVENANCE) as provenance:
        for number, hit in enumerate(found.hits, start=1):
            told = {
                "source": hit.source,
                "query": hit.query_index + 1,
                "rank": hit.rank,
                "duplicate_in_source": hit.duplicate_in_source,
            }
            raw(line({**_raw(found, log, number, hit.record), **told, "kind": "hit"}))
            names = {"raw": f"r{number}", "normalized": f"n{hit.record + 1}", "paper": f"p{of_paper[hit.record]}"}
            provenance(line({**names, **told, "label": hit.label or None}))
            counts["duplicates_in_source"] += hit.duplicate_in_source
            by_source[hit.source] += 1
        supplements = [place for place, one in enumerate(found.records) if one.supplement_of is not None]
        for number, place in enumerate(supplements, start=len(found.hits) + 1):
            raw(line(_raw(found, log, number, place)))
    with writer.lines(NORMALIZED) as normalized:
        for place in range(len(found.records)):
            normalized(line(described.record(place)))
    abstracts = dict.fromkeys((status.value for status in AbstractStatus), 0)
    with writer.lines(DEDUPED) as deduped:
        for number in range(len(found.papers)):
            paper = described.paper(number)
            abstracts[paper["abstract_status"]] += 1
            deduped(line(paper))
    return {
        "hits": len(found.hits),
        "duplicates_in_source": counts["duplicates_in_source"],
        "supplements": len(supplements),
        "normalized": len(found.records),
        "deduped": len(found.papers),
        "abstracts": abstracts,
        "by_source": dict(by_source),
    }


def _raw(found: RunPapers, log: RunLog, number: int, place: int) -> dict[str, Any]:
    """The envelope of a record: where it was read, and what it says. As a supplement, until a hit adds its rank."""
    one = found.records[place]
    return {
        "schema": RAW_LINE,
        "id": f"r{number}",
        "kind": "supplement",
        "normalized": f"n{place + 1}",
        "source": one.record.source,
        "source_id": one.record.source_id,
        "query": None,
        "rank": None,
        "duplicate_in_source": False,
        "answer": log.names[one.answer_id],
        "position": one.position,
        "record_sha256": one.sha256,
        "record": record_to_dict(one.record),
        "asked_with": one.asked_with or None,
        "supplement_of": None if one.supplement_of is None else f"n{one.supplement_of + 1}",
    }


def _dedupe_map(found: RunPapers) -> dict[str, Any]:
    records: dict[str, Any] = {}
    papers: dict[str, list[str]] = {}
    for number, paper in enumerate(found.papers, start=1):
        for member in sorted(paper.members, key=lambda one: one.source_record_id):
            name = f"n{member.source_record_id + 1}"
            records[name] = {"paper": f"p{number}", "rule": member.rule, "why": member.why}
            papers.setdefault(f"p{number}", []).append(name)
    return {"schema": DEDUPE_MAP_FORM, "dedup": dedup_parameters(), "records": records, "papers": papers}


def _write_answers(writer: _Writer, log: RunLog) -> int:
    """The archived bytes, each once. Raises BundleError for damaged ones."""
    written = 0
    for answer in log.answers.values():
        if not answer.sha256 or answer.operation == ENVELOPE or answer_name(answer.sha256) in writer.files:
            continue
        try:
            writer.whole(answer_name(answer.sha256), body_of(answer))
        except DamagedBody as error:
            raise BundleError(f"{error} Export the bundle without {ANSWERS}, or restore the data folder.") from error
        written += 1
    return written

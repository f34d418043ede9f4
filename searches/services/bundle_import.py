"""Brings a bundle into a project: a run of its own, with its provenance, its records and its candidates.

The records keep the source, query and rank the bundle states, and an archived answer stands behind each: the source's
own bytes where the bundle has them, else the envelope of the records. Both say that they came with a bundle; neither is
ever used in place of asking a source. Every check of the new candidates starts from zero.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID, uuid5

from django.db import IntegrityError, transaction

from litapp.core.formats.bundle.checking import Checked, check_bundle
from litapp.core.formats.bundle.files import DEDUPE_MAP, MANIFEST, RAW, BundleFiles
from litapp.core.formats.bundle.jsonlines import read_json, read_lines
from litapp.core.formats.bundle.manifest import refusal_of
from litapp.core.records import record_from_dict
from litapp.jobs.models import StepState
from litapp.jobs.turns import writers_turn
from litapp.ledger.services.records import store_records
from litapp.projects.models import Project
from litapp.projects.services.events import record_event
from litapp.providers.base import Hit, Page
from litapp.providers.registry import source_keys
from litapp.verification.services.requests import release_held
from searches.models import (
    AbstractFill,
    AbstractLookup,
    Candidate,
    CandidateSource,
    RetrievalHit,
    RetrievalRun,
    RetrievalStep,
    RunState,
)
from searches.services.bundle_files import BundleError, open_bundle
from searches.services.bundle_run import Begun, begin_run
from searches.services.candidates import absorb_hits, rebuild_candidate, think_ahead
from searches.services.grouping import SUPPLEMENT

NAMESPACE = UUID("5f7d2b9a-0b0e-4c39-9b62-1f3a0c6f4f2e")
"""Makes the number of an import: the same bundle in the same project is the same run."""
PAGE = 500
"""Hits that are absorbed in one transaction."""
TOLD = 20
"""Problems of a bundle that a refusal names."""


@dataclass(frozen=True, slots=True)
class Imported:
    """The run that a bundle became. `papers` are the bundle's, `candidates` those of the project that hold its records.

    `differences` say where the project joins records otherwise than the bundle (other records were here before, or
    another version joined them); `before` = the bundle had been imported already, nothing was done.
    """

    run: RetrievalRun
    papers: int
    candidates: int
    differences: tuple[str, ...] = ()
    before: bool = False


def bundle_import(*, path: Path, project: Project, actor: Any) -> Imported:
    """Import the bundle at `path` (folder or zip). Importing the same bundle again changes nothing.

    Raises BundleError when the bundle is not valid, of a failed run, of a source that this version does not know, or of
    sandbox data in a project that is not.
    """
    with open_bundle(path) as files:
        checked = check_bundle(files)
        _require_usable(checked, project)
        with files.open(MANIFEST) as stream:
            digest = hashlib.sha256(stream.read()).hexdigest()
        number = uuid5(NAMESPACE, f"{project.pk}:{digest}")
        made = RetrievalRun.objects.filter(request_id=number, project=project).first()
        if made is not None and not made.is_open:
            return _imported(made, files, before=True)
        try:
            begun = begin_run(project=project, actor=actor, number=number, files=files, manifest=checked.manifest,
                              digest=digest, name=path.name)  # fmt: skip
        except IntegrityError as error:
            raise BundleError("This bundle is being imported into this project by somebody else right now.") from error
        for page in _pages(files, begun):
            _absorb(*page)
        _add_supplements(files, begun, actor)
        _finish(begun.run, checked.manifest, actor)
        return _imported(begun.run, files)


def bundle_check(*, path: Path, adapt: bool = False) -> Checked:
    """Check the bundle at `path` (`core.formats.bundle.check_bundle`). Raises BundleError where it cannot be opened."""
    with open_bundle(path) as files:
        return check_bundle(files, adapt=adapt)


def _require_usable(checked: Checked, project: Project) -> None:
    if not checked.valid:
        more = len(checked.problems) - TOLD + checked.untold
        told = " ".join(checked.problems[:TOLD]) + (f" And {more} more." if more > 0 else "")
        raise BundleError(f"This bundle is not valid, so nothing is taken from it. {told}")
    if refusal := refusal_of(checked.manifest):
        raise BundleError(refusal)
    named = {*checked.manifest["source_policy"]["sources"], *checked.manifest["counts"]["by_source"]}
    if unknown := sorted(named - set(source_keys())):
        raise BundleError(
            f"This version of LitLedger does not know the source {', '.join(unknown)}. Nothing was taken."
        )
    if checked.manifest["sandbox"] and not project.sandbox:
        raise BundleError(
            "This bundle holds sandbox data. It can be imported only into a project that was made with the sandbox, "
            "which says so on every page."
        )


def _pages(files: BundleFiles, begun: Begun) -> Iterator[tuple[RetrievalStep, Page]]:
    """The hits in the order in which they came, as pages of one step each."""
    step: RetrievalStep | None = None
    hits: list[Hit] = []
    for entry in _raw(files):
        if entry["kind"] != "hit":
            continue
        own = begun.steps[entry["source"], entry["query"]]
        if step is not None and hits and (own.pk != step.pk or len(hits) >= PAGE):
            yield step, Page(tuple(hits), None)
            hits = []
        step = own
        record = record_from_dict(entry["record"])
        hits.append(Hit(record, entry["rank"], begun.answers[entry["answer"]], entry["position"]))
    if step is not None and hits:
        yield step, Page(tuple(hits), None)


def _absorb(step: RetrievalStep, page: Page) -> None:
    bench = think_ahead(step=step, page=page)
    with writers_turn(), transaction.atomic():
        absorb_hits(step=step, page=page, bench=bench)


def _raw(files: BundleFiles) -> Iterator[dict[str, Any]]:
    with files.open(RAW) as stream:
        for _, entry in read_lines(stream, RAW):
            yield entry


def _add_supplements(files: BundleFiles, begun: Begun, actor: Any) -> None:
    """Abstracts that were asked for after the run join the candidates they were asked for."""
    wanted = {entry["supplement_of"] for entry in _raw(files) if entry["kind"] == "supplement"}
    if not wanted:
        return
    places = {
        entry["normalized"]: (begun.answers[entry["answer"]], entry["position"])
        for entry in _raw(files)
        if entry["normalized"] in wanted
    }
    with writers_turn(), transaction.atomic():
        project = Project.objects.select_for_update(no_key=True).get(pk=begun.run.project_id)
        fill = AbstractFill.objects.create(
            project=project,
            requested_by=actor,
            request_id=uuid5(NAMESPACE, f"abstracts:{begun.run.pk}"),
            state=StepState.DONE,
            finished_at=begun.run.finished_at,
        )
        filled = [
            _supplement(project, fill, begun, entry, places[entry["supplement_of"]])
            for entry in _raw(files)
            if entry["kind"] == "supplement"
        ]
        fill.chosen, fill.done, fill.total = filled, len(filled), len(filled)
        fill.counts = {"wanted": len(filled), "filled": len(filled), "missing": 0}
        fill.save(update_fields=["chosen", "done", "total", "counts"])


def _supplement(
    project: Project, fill: AbstractFill, begun: Begun, entry: dict[str, Any], place: tuple[int, int]
) -> int:
    """Link one such record; returns its candidate."""
    carrier = CandidateSource.objects.get(
        project=project, source_record__answer_id=place[0], source_record__position=place[1]
    )
    answer_id, record = begun.answers[entry["answer"]], record_from_dict(entry["record"])
    [stored] = store_records(answer_id=answer_id, records=[(entry["position"], record)])
    scheme, _, value = (entry["asked_with"] or "").partition(":")
    CandidateSource.objects.get_or_create(
        project=project,
        source_record=stored,
        defaults={
            "candidate_id": carrier.candidate_id,
            "source": record.source,
            "rule": SUPPLEMENT,
            "why": f"Asked for the abstract by {scheme.upper()} {value}."[:300],
        },
    )
    AbstractLookup.objects.update_or_create(
        fill=fill,
        candidate_id=carrier.candidate_id,
        source=record.source,
        defaults={
            "scheme": scheme[:20],
            "identifier": value[:300],
            "outcome": AbstractLookup.Outcome.FILLED,
            "answer_id": answer_id,
            "source_record": stored,
        },
    )
    rebuild_candidate(candidate=Candidate.objects.get(pk=carrier.candidate_id))
    return carrier.candidate_id


@transaction.atomic
def _finish(run: RetrievalRun, manifest: dict[str, Any], actor: Any) -> None:
    """The run ended as its bundle says."""
    run.state = RunState(manifest["status"])
    run.save(update_fields=["state"])
    if not RetrievalRun.objects.filter(project=run.project_id, state=RunState.RUNNING).exists():
        release_held(project=run.project)
    record_event(
        project=run.project,
        actor=actor,
        verb="run.imported",
        subject=f"run:{run.pk}",
        payload={
            "manifest_sha256": run.bundle["manifest_sha256"],
            "hits": manifest["counts"]["hits"],
            "answers_included": manifest["answers"]["included"],
        },
    )


def _imported(run: RetrievalRun, files: BundleFiles, *, before: bool = False) -> Imported:
    """Compare the project's candidates with the bundle's papers."""
    with files.open(DEDUPE_MAP) as stream:
        papers: dict[str, list[str]] = read_json(stream.read(), DEDUPE_MAP)["papers"]
    candidate_of = _candidates_of(run)
    by_name: dict[str, int] = {}
    hits = _hits_of(run)
    for entry in _raw(files):
        if entry["kind"] == "hit":
            record_id = hits.get((entry["source"], entry["query"] - 1, entry["rank"]))
            if record_id is not None:
                by_name[entry["normalized"]] = candidate_of[record_id]
    return Imported(
        run=run,
        papers=len(papers),
        candidates=len(set(by_name.values())),
        differences=tuple(_differences(papers.values(), by_name)),
        before=before,
    )


def _hits_of(run: RetrievalRun) -> dict[tuple[str, int, int], int]:
    rows = RetrievalHit.objects.filter(step__run=run)
    return {
        (source, query, rank): record_id
        for source, query, rank, record_id in rows.values_list(
            "step__source", "step__query_index", "rank", "source_record_id"
        )
    }


def _candidates_of(run: RetrievalRun) -> dict[int, int]:
    links = CandidateSource.objects.filter(project=run.project_id, source_record__hits__step__run=run)
    return dict(links.values_list("source_record_id", "candidate_id"))


def _differences(papers: Iterable[Sequence[str]], candidate_of: dict[str, int]) -> list[str]:
    """Papers of the bundle that are several candidates here, and candidates that hold several of its papers."""
    parted = joined = 0
    holders: dict[int, int] = {}
    for number, members in enumerate(papers):
        candidates = {candidate_of[name] for name in members if name in candidate_of}
        parted += len(candidates) > 1
        for candidate in candidates:
            joined += holders.setdefault(candidate, number) != number
    found = []
    if parted:
        found.append(f"{parted:,} papers of the bundle are several candidates here.")
    if joined:
        found.append(f"{joined:,} papers of the bundle were joined with another one here.")
    return found

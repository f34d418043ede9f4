"""Makes the run of a bundle: its plan, its steps, and the archived answers behind its records."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from litapp.core.formats.bundle.files import PLAN, RAW, SEARCH_LOG, BundleFiles, answer_name
from litapp.core.formats.bundle.jsonlines import line, read_json, read_lines
from litapp.core.formats.bundle.manifest import utc_text, utc_time
from litapp.core.formats.planyaml import plan_from_yaml
from litapp.core.plan import SearchPlan as PlanContent
from litapp.core.plan import plan_hash, plan_to_dict
from litapp.ledger.models import SourceAnswer
from litapp.ledger.services.archive import request_key
from litapp.ledger.services.bodies import write_body
from litapp.projects.models import Project
from litapp.projects.services.events import record_event
from searches.models import RetrievalRun, RetrievalStep, RunState, SearchPlan, SearchPlanVersion
from searches.services.bundle_log import SHA256_HEADER
from searches.services.run_papers import CHUNK
from searches.services.step_answers import ENVELOPE, link_answers

BUNDLE_HEADER = "litledger-bundle"
"""Header of an answer that came with a bundle: the sha256 of that bundle's manifest."""


@dataclass(frozen=True, slots=True)
class Begun:
    """A run that is being imported: its steps by (source, query from 1), the ids of its answers by their names."""

    run: RetrievalRun
    steps: dict[tuple[str, int], RetrievalStep]
    answers: dict[str, int]


def begin_run(
    *,
    project: Project,
    actor: Any,
    number: UUID,
    files: BundleFiles,
    manifest: dict[str, Any],
    digest: str,
    name: str,
) -> Begun:
    """Make the run with everything but its records, or go on with one whose import broke off.

    `digest` is the sha256 of the manifest, `name` that of the file. Raises IntegrityError when another import of the
    same bundle is at the same point.
    """
    log = _json(files, SEARCH_LOG)
    started = RetrievalRun.objects.filter(request_id=number, project=project).first()
    if started is not None:
        return _begun_before(started, log)
    with files.open(PLAN) as stream:
        content = plan_from_yaml(stream.read().decode())
    bodies = _bodies(files, log)
    with transaction.atomic():
        version = _version(project, actor, content, manifest, digest)
        run = RetrievalRun.objects.create(
            project=project,
            version=version,
            started_by=actor,
            request_id=number,
            state=RunState.RUNNING,
            reasons=manifest["reasons"],
            sandbox=manifest["sandbox"],
            finished_at=utc_time(manifest["run"]["finished_at"]),
            bundle={
                "manifest_sha256": digest,
                "name": name,
                "mode": manifest["mode"],
                "litledger": str(manifest["versions"]["litledger"]),
                "imported_at": utc_text(timezone.now()),
                "plan": manifest["plan"],
                "run": manifest["run"],
                "answers_included": manifest["answers"]["included"],
            },
        )
        RetrievalRun.objects.filter(pk=run.pk).update(started_at=utc_time(manifest["run"]["started_at"]))
        run.refresh_from_db()
        answers = SourceAnswer.objects.bulk_create(
            _answer(entry, body, project, digest) for entry, body in zip(log["answers"], bodies, strict=True)
        )
        by_name = {entry["id"]: answer for entry, answer in zip(log["answers"], answers, strict=True)}
        steps = {}
        for entry in log["steps"]:
            step = RetrievalStep.objects.create(run=run, **_step(entry))
            link_answers(step, ((by_name[one["answer"]], one["request"], one["how"]) for one in entry["requests"]))
            steps[entry["source"], entry["query"]] = step
    return Begun(run, steps, {name: answer.pk for name, answer in by_name.items()})


def _begun_before(run: RetrievalRun, log: dict[str, Any]) -> Begun:
    """The run of an import that broke off, with the answers it had made."""
    names = {_key(run.project, run.bundle["manifest_sha256"], entry["id"]): entry["id"] for entry in log["answers"]}
    keys = list(names)
    known: dict[str, int] = {}
    for start in range(0, len(keys), CHUNK):
        rows = SourceAnswer.objects.filter(request_key__in=keys[start : start + CHUNK])
        known |= {names[key]: pk for pk, key in rows.values_list("pk", "request_key")}
    return Begun(run, {(step.source, step.query_index + 1): step for step in run.steps.all()}, known)


def _json(files: BundleFiles, name: str) -> dict[str, Any]:
    with files.open(name) as stream:
        data: dict[str, Any] = read_json(stream.read(), name)
    return data


@dataclass(frozen=True, slots=True)
class _Body:
    """The bytes behind an answer: `sha256` names them in the archive ("" = none)."""

    sha256: str
    size: int
    envelope: bool


def _bodies(files: BundleFiles, log: dict[str, Any]) -> list[_Body]:
    """Put the bytes of every answer into the archive; where the bundle has none, the envelopes of its records."""
    there = set(files.names())
    envelopes = dict(_envelopes(files, {entry["id"] for entry in log["answers"] if _file(entry) not in there}))
    bodies = []
    for entry in log["answers"]:
        if _file(entry) in there:
            with files.open(_file(entry)) as stream:
                body = stream.read()
            bodies.append(_Body(write_body(body) if body else "", len(body), False))
        else:
            bodies.append(envelopes.get(entry["id"], _Body("", 0, False)))
    return bodies


def _envelopes(files: BundleFiles, lacking: set[str]) -> Iterator[tuple[str, _Body]]:
    """For each of these answers the lines of its records, kept as its bytes. In memory is one answer at a time, and
    those whose lines stand between others'."""
    left: Counter[str] = Counter()
    with files.open(RAW) as stream:
        left.update(entry["answer"] for _, entry in read_lines(stream, RAW) if entry["answer"] in lacking)
    open_ones: dict[str, list[bytes]] = {}
    with files.open(RAW) as stream:
        for _, entry in read_lines(stream, RAW):
            name = entry["answer"]
            if name not in left:
                continue
            open_ones.setdefault(name, []).append(line(entry))
            left[name] -= 1
            if not left[name]:
                body = b"".join(open_ones.pop(name))
                yield name, _Body(write_body(body), len(body), True)


def _file(entry: dict[str, Any]) -> str:
    return answer_name(entry["sha256"]) if entry["sha256"] else ""


def _answer(entry: dict[str, Any], body: _Body, project: Project, digest: str) -> SourceAnswer:
    """An answer that came with a bundle. Its key is no request's: it is never found in place of asking a source."""
    headers = {BUNDLE_HEADER: digest, "content-type": entry["content_type"]}
    if entry["sha256"] and entry["sha256"] != body.sha256:
        headers[SHA256_HEADER] = entry["sha256"]
    came = f"Came with a bundle (manifest sha256 {digest[:16]}…), not from the source itself."
    if body.envelope:
        came += " The bundle had no bytes of it: these are the records read from it."
    return SourceAnswer(
        source=entry["source"][:40],
        operation=ENVELOPE if body.envelope else entry["operation"][:40],
        method=entry["method"][:6],
        url=entry["url"],
        body_sent=entry["body_sent"],
        request_key=_key(project, digest, entry["id"]),
        status=entry["status"],
        headers=headers,
        outcome=entry["outcome"],
        error=" ".join(part for part in (came, entry["error"]) if part),
        sha256=body.sha256,
        size=body.size,
        attempt=entry["attempt"],
        sandbox=entry["sandbox"] or bool(settings.SANDBOX_URL),
        received_at=utc_time(entry["received_at"]) or timezone.now(),
    )


def _key(project: Project, digest: str, name: str) -> str:
    return request_key("BUNDLE", f"{project.pk}:{digest}", name)


def _step(entry: dict[str, Any]) -> dict[str, Any]:
    same = (
        "source", "params", "notes", "state", "message", "hint", "done", "total", "cap", "reported", "fetched",
        "empty_records", "invalid_records", "missing", "exhausted",
    )  # fmt: skip
    values = {name: entry[name] for name in same if name != "params"}
    return values | {
        "query_index": entry["query"] - 1,
        "query_label": entry["label"][:200],
        "query_text": entry["text"],
        "query_params": entry["params"],
        "capped": entry["capped"][:200],
        "started_at": utc_time(entry["started_at"]),
        "finished_at": utc_time(entry["finished_at"]),
    }


def _version(
    project: Project, actor: Any, content: PlanContent, manifest: dict[str, Any], digest: str
) -> SearchPlanVersion:
    """The version with this content: one that is approved here or was imported before, or a plan of its own.

    The one that is made is frozen, as a run belongs to it, and approved by nobody here: importing is no approval, so it
    does not run before somebody who may approve it does. Who approved it where it was run stands in the run's `bundle`.
    """
    value = plan_hash(content)
    frozen = SearchPlanVersion.objects.filter(plan__project=project, content_hash=value)
    frozen = frozen.filter(Q(approved_hash=value) | Q(origin__kind="bundle", runs__isnull=False)).distinct()
    known = frozen.order_by("pk").first()
    if known is not None:
        return known
    title = manifest["plan"]["title"][:180] or "Search plan"
    plan = SearchPlan.objects.create(project=project, title=f"{title} (imported)", created_by=actor)
    version = SearchPlanVersion.objects.create(
        plan=plan,
        number=1,
        content=plan_to_dict(content),
        content_hash=value,
        created_by=actor,
        origin={"kind": "bundle", "manifest_sha256": digest, "query_file": manifest["query_file"]},
    )
    record_event(
        project=project,
        actor=actor,
        verb="plan.imported",
        subject=f"plan_version:{version.pk}",
        payload={"manifest_sha256": digest, "content_hash": value},
    )
    return version

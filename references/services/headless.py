"""A plan from a file to verified, exported references without a browser."""

from __future__ import annotations

import json
import shutil
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

from django.conf import settings
from django.contrib.auth.models import User
from django.utils import timezone

from litapp.core.plan import SearchPlan, plan_to_dict
from litapp.projects.models import Project
from litapp.projects.services.projects import project_create
from references.models import Export, ExportFormat, Scope
from references.services.export import ExportProblem, ExportWork, export_folder, export_request
from references.services.export_files import ID_LISTS
from references.services.transparency import TAKEN_IN_UNSCREENED
from searches.models import Candidate, Decision, Fit, RetrievalRun, RunState
from searches.services.bundle_export import bundle_export
from searches.services.in_process import work_here
from searches.services.plan_check import require_complete
from searches.services.plans import plan_approve, plan_create
from searches.services.runs import run_start
from searches.services.screening import decide_many

SERVICE_USER = "review-command"
RUN_LOG = "run-log.json"
INCLUDE = {"all": (Fit.LOW, Fit.MEDIUM, Fit.HIGH), "medium": (Fit.MEDIUM, Fit.HIGH), "high": (Fit.HIGH,), "none": ()}
"""What `--include` takes into the reference list, by fit: nobody screens here."""
Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Reviewed:
    """What came of it: the run, and the files written to the folder."""

    run: RetrievalRun
    files: tuple[Path, ...]

    @property
    def failed(self) -> bool:
        """True when nothing could be retrieved."""
        return self.run.state not in (RunState.SUCCESS, RunState.PARTIAL)


def service_user() -> User:
    """The account under which the command works when no person is named. Nobody can sign in with it."""
    user, made = User.objects.get_or_create(username=SERVICE_USER, defaults={"first_name": "The review command"})
    if made:
        user.set_unusable_password()
        user.save(update_fields=["password"])
    return user


def review(
    *,
    plan: SearchPlan,
    user: User,
    title: str,
    out: Path,
    include: str,
    style: str,
    patience: float,
    say: Say,
    origin: dict[str, Any] | None = None,
) -> Reviewed:
    """Make a project of `user`, approve the plan in that person's name, run it here, check, export everything to `out`.

    `origin` says of which query file the plan was made (`searches.services.query_files`). Raises PlanError for a plan
    that cannot run. What could not be exported is told and stands in the run log.
    """
    require_complete(plan)
    started = timezone.now()
    project = project_create(actor=user, name=title[:200])
    version = plan_create(project=project, actor=user, title=title, content=plan, origin=origin)
    version = plan_approve(version=version, actor=user, content_hash=version.content_hash)
    say(f"Plan {version.content_hash[:12]} approved by {user.get_full_name() or user.get_username()}.")
    run = work_here(run_start(version=version, actor=user, request_id=uuid4()), say=say, patience=patience)
    included = _include(project, user, include)
    say(f"{Candidate.objects.listed(project).count():,} candidates, {included:,} in the reference list.")
    exports, problems = _export(project, user, style, say)
    out.mkdir(parents=True, exist_ok=True)
    files = [_copy(export_folder(export) / file["name"], out) for export in exports for file in export.files]
    if not run.is_open:
        made = bundle_export(run=run, out=_free(out / "bundle"))
        say(f"Bundle: {made.path}")
    log = out / RUN_LOG
    facts = _run_log(run, user, include, exports, problems, started.isoformat())
    log.write_text(json.dumps(facts, ensure_ascii=False, indent=2, default=str) + "\n", encoding="utf-8")
    return Reviewed(run, (*files, log))


def _include(project: Project, user: User, include: str) -> int:
    """Take the candidates of the wanted fit into the reference list, as one decision with its reason."""
    wanted = Candidate.objects.listed(project).filter(fit__in=INCLUDE[include])
    ids = list(wanted.values_list("pk", flat=True))
    if not ids:
        return 0
    reason = f"{TAKEN_IN_UNSCREENED} (--include {include})"
    decided = decide_many(
        project=project, actor=user, candidate_ids=ids, decision=Decision.INCLUDE, request_id=uuid4(), reason=reason
    )
    return len(decided.changed)


def _export(project: Project, user: User, style: str, say: Say) -> tuple[list[Export], list[str]]:
    """Every format in both scopes; what cannot be made is a sentence."""
    made: list[Export] = []
    problems: list[str] = []
    for form in ExportFormat:
        for scope in (Scope.ALL,) if form in ID_LISTS or form == ExportFormat.ARCHIVE else tuple(Scope):
            try:
                export = export_request(
                    project=project, actor=user, format=form, scope=scope, style=style, request_id=uuid4()
                )
            except ExportProblem as problem:
                problems.append(f"{form.label}, {scope.label.lower()}: {problem}")
                continue
            ExportWork().run(str(export.pk))
            _await(export)
            if export.files:
                made.append(export)
            else:
                problems.append(f"{form.label}, {scope.label.lower()}: {export.message} {export.hint}".strip())
    for told in problems:
        say(f"Not written: {told}")
    return made, problems


def _await(export: Export) -> None:
    """Wait for an export that a worker of this installation took before us, at most five minutes."""
    end = time.monotonic() + 300
    export.refresh_from_db()
    while export.is_open and time.monotonic() < end:
        time.sleep(0.2)
        export.refresh_from_db()


def _copy(file: Path, out: Path) -> Path:
    """Put a file beside the others; a file of that name from an earlier review is replaced."""
    return Path(shutil.copyfile(file, out / file.name))


def _free(path: Path) -> Path:
    """The path, or one with a number where that is taken."""
    number = 2
    free = path
    while free.exists():
        free = path.with_name(f"{path.name}-{number}")
        number += 1
    return free


def _run_log(
    run: RetrievalRun, user: User, include: str, exports: Sequence[Export], problems: Sequence[str], started: str
) -> dict[str, Any]:
    """Everything that happened, for a machine."""
    listed = Candidate.objects.listed(run.project)
    facets = listed.facets()
    return {
        "schema": "litledger.review.v1",
        "sandbox": bool(settings.SANDBOX_URL),
        "started": started,
        "finished": timezone.now().isoformat(),
        "project": run.project_id,
        "plan": plan_to_dict(run.version.plan_content),
        "plan_hash": run.version.approved_hash,
        "approved_by": user.get_username(),
        "approved_at": run.version.approved_at,
        "run": {"state": run.state, "reasons": run.reasons, "started": run.started_at, "finished": run.finished_at},
        "steps": [
            {
                "source": step.source,
                "query": step.query_index + 1,
                "sent": step.query_text,
                "parameters": step.query_params,
                "state": step.state,
                "reported": step.reported,
                "fetched": step.fetched,
                "missing": step.missing,
                "without_title": step.invalid_records,
                "empty": step.empty_records,
                "cut": step.capped,
                "message": step.message,
                "notes": [note["text"] for note in step.notes],
            }
            for step in run.steps.all()
        ],
        "candidates": facets.total,
        "verdicts": facets.verdicts,
        "fits": {Fit(value).label.lower(): number for value, number in facets.fits.items()},
        "decisions": dict(Counter(listed.values_list("decision", flat=True))),
        "included_by": include,
        "exports": [
            {"format": export.format, "scope": export.scope, "files": export.files, "left_out": export.left_out}
            for export in exports
        ],
        "not_written": list(problems),
    }

"""What the manifest of a bundle says of a run."""

from __future__ import annotations

from collections import Counter
from typing import Any

from litapp import __version__
from litapp.core.dedupe import RULES_VERSION
from litapp.core.dedupe.merge import PRECEDENCE
from litapp.core.dedupe.pairs import SAME_TITLE_LETTERS
from litapp.core.formats.bundle.manifest import BUNDLE, mode_of, status_of, utc_text
from litapp.core.formats.bundle.papers import PAPER
from litapp.core.plan import SCHEMA, plan_hash
from litapp.providers.policies import policy_for
from litapp.providers.registry import source, source_keys
from searches.models import RetrievalRun, RetrievalStep, StepAnswer
from searches.services.bundle_log import RunLog
from searches.services.step_answers import USABLE


def dedup_parameters() -> dict[str, Any]:
    """By which rules records are joined."""
    return {
        "method": "litapp.core.dedupe, records in the order in which they came",
        "version": RULES_VERSION,
        "parameters": {"same_title_letters": SAME_TITLE_LETTERS, "precedence_of_fields": list(PRECEDENCE)},
    }


def manifest_of(
    run: RetrievalRun, log: RunLog, counts: dict[str, Any], *, included: bool, stored: int
) -> dict[str, Any]:
    """The manifest but for `files`. `counts` are those of the lists that were written, `stored` the answers' files."""
    hows = [link.how for links in log.links.values() for link in links if link.answer.outcome in USABLE]
    failed = sum(1 for links in log.links.values() for link in links if link.answer.outcome not in USABLE)
    exact = [step.reported for step in log.steps if step.reported is not None and source(step.source).counts_exactly]
    policy = run.version.plan_content.source_policy
    read = sorted({answer.source for answer in log.answers.values() if answer.source in source_keys()})
    return {
        "schema": BUNDLE,
        "status": status_of(run.state, counts["hits"]),
        "reasons": [str(reason) for reason in run.reasons],
        "mode": run.bundle.get("mode") or mode_of(hows, replay=run.replay_of_id is not None),
        "sandbox": run.sandbox,
        "versions": {"litledger": __version__, "paper": PAPER, "plan": SCHEMA, "dedupe": RULES_VERSION},
        "plan": _plan_json(run),
        "query_file": _query_file_json(run),
        "source_policy": {"version": policy, "sources": list(run.version.plan_content.sources)},
        "run": {
            "number": run.pk,
            "started_at": utc_text(run.started_at),
            "finished_at": utc_text(run.finished_at),
            "replay_of": run.replay_of_id,
        },
        "origin": _origin_json(run),
        "attempts": [_attempts_json(step, log.links.get(step.pk, [])) for step in log.steps],
        "truncations": [
            {**_place(step), "why": step.capped, "fetched": step.fetched, "reported": step.reported}
            for step in log.steps
            if step.capped
        ],
        "dedup": dedup_parameters(),
        "counts": {
            **counts,
            "reported": sum(exact) if exact else None,
            "empty_records": sum(step.empty_records for step in log.steps),
            "invalid_records": sum(step.invalid_records for step in log.steps),
            "not_delivered": sum(len(step.missing) for step in log.steps),
            "answers": {**dict.fromkeys(StepAnswer.How.values, 0), **Counter(hows), "failed": failed},
        },
        "answers": {
            "included": included,
            "files": stored,
            "terms": [_terms_json(key) for key in read] if included else [],
        },
    }


def _place(step: RetrievalStep) -> dict[str, Any]:
    return {"source": step.source, "query": step.query_index + 1, "label": step.query_label}


def _attempts_json(step: RetrievalStep, links: list[StepAnswer]) -> dict[str, Any]:
    """Requests of a step, and how often something was sent for them."""
    return {
        **_place(step),
        "requests": len(links),
        "attempts": sum(link.answer.attempt for link in links if link.how == StepAnswer.How.LIVE),
        "failed": sum(1 for link in links if link.answer.outcome not in USABLE),
    }


def _plan_json(run: RetrievalRun) -> dict[str, Any]:
    """Title, number and approval; of an imported run, the approval that its bundle told of."""
    told = run.bundle.get("plan") or {}
    version = run.version
    approver = version.approved_by.get_full_name() if version.approved_by else ""
    return {
        "title": version.plan.title,
        "sha256": plan_hash(version.plan_content),
        "number": told.get("number", version.number),
        "approved_at": told.get("approved_at", utc_text(version.approved_at)),
        "approved_by": told.get("approved_by", approver),
    }


def _query_file_json(run: RetrievalRun) -> dict[str, Any] | None:
    """The query file the plan was made from; `unchanged` = its queries are still those of the file."""
    origin = run.version.origin.get("query_file") if run.version.origin.get("kind") == "bundle" else run.version.origin
    if not origin or origin.get("kind", "query_file") != "query_file":
        return None
    content = {name: origin.get(name, "") for name in ("sha256", "name", "topic", "domain")}
    lists = {name: [str(one) for one in origin.get(name, [])] for name in ("rejected", "notes")}
    unchanged = origin.get("unchanged", origin.get("content_hash") == run.version.content_hash)
    return {**content, **lists, "unchanged": bool(unchanged)}


def _origin_json(run: RetrievalRun) -> dict[str, Any] | None:
    if not run.bundle:
        return None
    return {name: run.bundle.get(name) for name in ("manifest_sha256", "mode", "litledger", "imported_at")}


def _terms_json(key: str) -> dict[str, Any]:
    return {
        "source": key,
        "label": source(key).label,
        "terms_url": policy_for(key, has_key=False, has_email=False).terms_url,
    }

"""Plans from files: a query file becomes a plan whose provenance it stays; a plan file is read as it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from django.conf import settings
from django.db import transaction

from litapp.core.formats.planyaml import plan_from_yaml
from litapp.core.formats.queryfile import QueryFile, QueryFileError, is_query_file, read_query_file
from litapp.core.plan import PlanError, PlanQuery, plan_hash
from litapp.core.plan import SearchPlan as PlanContent
from litapp.ledger.services.clients import source_state
from litapp.projects.models import Project
from litapp.providers.registry import answering, search_keys
from searches.models import SearchPlanVersion
from searches.services.plan_check import boolean_problem, plain_problem
from searches.services.plans import plan_create

QUERY_FILE = "query_file"
"""`SearchPlanVersion.origin["kind"]` of a plan that was made from a query file."""


@dataclass(frozen=True, slots=True)
class PlanFile:
    """A plan read from a file. `origin` is what the version keeps of a query file ({} for a plan file); `notes` are
    sentences for the person: rejected entries, what was derived, what was dropped."""

    content: PlanContent
    origin: dict[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def plan_from_query_file(
    content: bytes, *, name: str = "", topic: str = "", sources: Sequence[str] | None = None
) -> PlanFile:
    """A plan with the queries of a query file, at `sources` (None = all that can be searched here).

    `topic` is the question where the file gives none. Raises QueryFileError (nothing has been asked of anybody then).
    """
    found = read_query_file(
        content,
        least=settings.QUERY_FILE_LEAST,
        most=settings.QUERY_FILE_MOST,
        problem_of=_problem,
    )
    chosen = sources if sources is not None else [key for key in search_keys() if source_state(answering(key)).usable]
    plan = PlanContent(question=found.topic or " ".join(topic.split()), sources=tuple(chosen), queries=found.queries)
    notes = (*(str(entry) for entry in found.rejected), *found.notes)
    return PlanFile(plan, _origin(found, name, plan), notes)


def plan_from_file(content: bytes, *, name: str = "", topic: str = "") -> PlanFile:
    """A plan from a plan file (YAML or JSON of a plan) or a query file, whichever it is.

    A query of a plan file that is empty is dropped, with a note. Raises PlanError or QueryFileError.
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise PlanError({"plan": "The file is not UTF-8 text. Save it as UTF-8 and try again."}) from error
    if is_query_file(text):
        return plan_from_query_file(content, name=name, topic=topic)
    plan, notes = without_empty_queries(plan_from_yaml(text))
    return PlanFile(plan, {}, notes)


def without_empty_queries(plan: PlanContent) -> tuple[PlanContent, tuple[str, ...]]:
    """The plan without the queries that have no text, and a note for each. A plan of nothing else is left as it is."""
    filled = tuple(query for query in plan.queries if query.boolean.strip() or query.plain.strip())
    if not filled or len(filled) == len(plan.queries):
        return plan, ()
    notes = tuple(
        f"Query {number}{_called(query)} is empty and was taken out."
        for number, query in enumerate(plan.queries, start=1)
        if query not in filled
    )
    return replace(plan, queries=filled), notes


def _called(query: PlanQuery) -> str:
    return f" (“{query.label}”)" if query.label.strip() else ""


@transaction.atomic
def plan_create_from_file(*, project: Project, actor: Any, file: PlanFile, title: str = "") -> SearchPlanVersion:
    """Begin a plan with the file's content: a draft that is counted, read and approved like any other."""
    return plan_create(project=project, actor=actor, title=title, content=file.content, origin=file.origin)


def _problem(query: PlanQuery) -> str:
    return (boolean_problem(query.boolean) if query.boolean else "") or plain_problem(query.plain)


def _origin(found: QueryFile, name: str, plan: PlanContent) -> dict[str, Any]:
    return {
        "kind": QUERY_FILE,
        "name": name[:200],
        "sha256": found.sha256,
        "topic": found.topic,
        "domain": found.domain,
        "entries": list(found.entries),
        "rejected": [str(entry) for entry in found.rejected],
        "notes": list(found.notes),
        "content_hash": plan_hash(plan),
    }


__all__ = [
    "PlanFile",
    "QueryFileError",
    "plan_create_from_file",
    "plan_from_file",
    "plan_from_query_file",
    "without_empty_queries",
]

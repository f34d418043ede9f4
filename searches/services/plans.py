"""Writes search plans: drafts, versions, approval."""

from __future__ import annotations

from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import F, Max
from django.utils import timezone

from litapp.core.plan import SearchPlan as PlanContent
from litapp.core.plan import plan_from_dict, plan_hash, plan_to_dict
from litapp.projects.models import Project
from litapp.projects.services.events import record_event
from searches.models import SearchPlan, SearchPlanVersion
from searches.models_plans import FrozenString
from searches.services.database_strings import strings_to_freeze
from searches.services.plan_check import plan_problems, require_complete

__all__ = [
    "PlanFrozen",
    "StaleDraft",
    "plan_approve",
    "plan_create",
    "plan_new_version",
    "plan_problems",
    "plan_save",
]


class PlanFrozen(Exception):
    """The version is approved, or came with a bundle, and cannot be changed. Next step: begin a new version."""

    def __init__(self, version: SearchPlanVersion) -> None:
        why = "is approved" if version.is_approved else "came with a bundle"
        super().__init__(f"Version {version.number} {why} and stays as it is. Begin a new version to change the plan.")
        self.version = version


class StaleDraft(Exception):
    """Somebody (or another tab) saved meanwhile. Nothing was overwritten: `stored` is the draft as it is now,
    `theirs` its content, `mine` the content that was to be saved."""

    def __init__(self, stored: SearchPlanVersion, mine: PlanContent | None) -> None:
        super().__init__("This draft was changed meanwhile. Nothing was overwritten; compare both and save again.")
        self.stored, self.mine, self.theirs = stored, mine, stored.plan_content


def as_content(content: PlanContent | dict[str, Any]) -> PlanContent:
    """The plan's content from a value or from its JSON form. Raises PlanError."""
    return content if isinstance(content, PlanContent) else plan_from_dict(content)


@transaction.atomic
def plan_create(
    *,
    project: Project,
    actor: Any,
    title: str,
    content: PlanContent | dict[str, Any],
    origin: dict[str, Any] | None = None,
) -> SearchPlanVersion:
    """Begin a plan: its first version, a draft. An unfinished draft may be saved; only approval asks for all of it.

    `origin` says where the content came from (`SearchPlanVersion.origin`; None = written here). Raises PlanError when
    the content cannot even be read.
    """
    value = as_content(content)
    plan = SearchPlan.objects.create(project=project, title=_title(title, value), created_by=actor)
    version = SearchPlanVersion.objects.create(
        plan=plan,
        number=1,
        content=plan_to_dict(value),
        content_hash=plan_hash(value),
        created_by=actor,
        origin=origin or {},
    )
    _event(version, actor, "plan.created", title=plan.title, **({"origin": origin} if origin else {}))
    return version


@transaction.atomic
def plan_save(
    *,
    version: SearchPlanVersion,
    actor: Any,
    content: PlanContent | dict[str, Any],
    revision: int,
    title: str | None = None,
) -> SearchPlanVersion:
    """Save a draft that was read at `revision`.

    Raises PlanError (unreadable content), PlanFrozen (approved meanwhile) or StaleDraft (saved by somebody else).
    """
    value = as_content(content)
    saved = SearchPlanVersion.objects.filter(pk=version.pk, approved_at=None, runs=None, revision=revision).update(
        content=plan_to_dict(value),
        content_hash=plan_hash(value),
        revision=F("revision") + 1,
        updated_at=timezone.now(),
    )
    stored = SearchPlanVersion.objects.select_related("plan__project").get(pk=version.pk)
    if not saved:
        if stored.is_frozen:
            raise PlanFrozen(stored)
        raise StaleDraft(stored, value)
    if title is not None and title.strip() and title.strip() != stored.plan.title:
        stored.plan.title = _title(title, value)
        stored.plan.save(update_fields=["title"])
    _event(stored, actor, "plan.saved", revision=stored.revision, content_hash=stored.content_hash)
    return stored


def plan_approve(*, version: SearchPlanVersion, actor: Any, content_hash: str) -> SearchPlanVersion:
    """Freeze the version whose content has `content_hash`, with its strings for other databases: what the person saw
    is what is approved.

    Approving the same content again changes nothing. Raises PlanError (unfinished), StaleDraft (the content changed
    since the page was shown).
    """
    seen = SearchPlanVersion.objects.select_related("plan__project").get(pk=version.pk)
    same = not seen.is_approved and seen.content_hash == content_hash
    strings = strings_to_freeze(seen) if same else []
    return _approved(version, actor, content_hash, strings)


@transaction.atomic
def _approved(
    version: SearchPlanVersion, actor: Any, content_hash: str, strings: list[FrozenString]
) -> SearchPlanVersion:
    stored = SearchPlanVersion.objects.select_for_update().select_related("plan__project").get(pk=version.pk)
    if stored.is_approved and stored.approved_hash == content_hash:
        return stored
    if stored.is_approved:
        raise PlanFrozen(stored)
    content = stored.plan_content
    if stored.content_hash != content_hash or plan_hash(content) != content_hash:
        raise StaleDraft(stored, None)
    require_complete(content)
    stored.approved_by, stored.approved_at, stored.approved_hash = actor, timezone.now(), content_hash
    stored.save(update_fields=["approved_by", "approved_at", "approved_hash"])
    FrozenString.objects.bulk_create(strings)
    _event(stored, actor, "plan.approved", content_hash=content_hash)
    return stored


def plan_new_version(*, version: SearchPlanVersion, actor: Any) -> SearchPlanVersion:
    """A draft that begins with the content of `version`. A plan has one open draft: if there is one, it is returned."""
    for _ in range(3):
        try:
            return _new_version(version, actor)
        except IntegrityError:  # somebody made the same number at this moment: look again
            continue
    return _new_version(version, actor)


@transaction.atomic
def _new_version(version: SearchPlanVersion, actor: Any) -> SearchPlanVersion:
    versions = SearchPlanVersion.objects.filter(plan_id=version.plan_id)
    draft = versions.filter(approved_at=None, runs=None).order_by("-number").first()
    if draft is not None:
        return draft
    number = (versions.aggregate(last=Max("number"))["last"] or 0) + 1
    made = SearchPlanVersion.objects.create(
        plan_id=version.plan_id,
        number=number,
        content=version.content,
        content_hash=version.content_hash,
        created_by=actor,
        origin=version.origin,
    )
    _event(made, actor, "plan.version_created", copied_from=version.number)
    return made


def _title(title: str, content: PlanContent) -> str:
    """The plan's name: as given, or the beginning of its question."""
    text = " ".join((title or content.question or "Untitled plan").split())
    return text if len(text) <= 200 else text[:199] + "…"


def _event(version: SearchPlanVersion, actor: Any, verb: str, **payload: Any) -> None:
    record_event(
        project=version.plan.project,
        actor=actor,
        verb=verb,
        subject=f"plan_version:{version.pk}",
        payload={"plan": version.plan_id, "number": version.number, **payload},
    )

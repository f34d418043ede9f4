"""Making, renaming and deleting projects."""

from __future__ import annotations

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from litapp.projects.models import Membership, Project, Role
from litapp.projects.services.events import record_event


class NameDoesNotMatch(ValueError):
    """The name typed to confirm a deletion is not the project's name."""


@transaction.atomic
def project_create(*, actor: User, name: str, description: str = "") -> Project:
    """Make a project with `actor` as its owner. It is marked for ever when the sources are the sandbox."""
    project = Project.objects.create(
        name=name, description=description, created_by=actor, sandbox=bool(settings.SANDBOX_URL)
    )
    Membership.objects.create(project=project, user=actor, role=Role.OWNER)
    record_event(project=project, actor=actor, verb="project.created", payload={"name": name})
    return project


@transaction.atomic
def project_rename(*, project: Project, actor: User, name: str, description: str) -> Project:
    """Change name and description; no entry in the log when nothing changes."""
    locked = Project.objects.select_for_update(no_key=True).get(pk=project.pk)
    if (locked.name, locked.description) == (name, description):
        return locked
    before = {"name": locked.name, "description": locked.description}
    locked.name, locked.description = name, description
    locked.save(update_fields=["name", "description"])
    record_event(
        project=locked,
        actor=actor,
        verb="project.renamed",
        payload={"before": before, "after": {"name": name, "description": description}},
    )
    return locked


@transaction.atomic
def project_delete(*, project: Project, actor: User, typed_name: str) -> None:
    """Hide the project for everybody. Answers, records, decisions and the log stay.

    Raises NameDoesNotMatch unless `typed_name` is the project's name (spaces at the ends do not count).
    """
    locked = Project.objects.select_for_update(no_key=True).get(pk=project.pk)
    if typed_name.strip() != locked.name.strip():
        raise NameDoesNotMatch(locked.name)
    if locked.deleted_at is not None:
        return
    locked.deleted_at = timezone.now()
    locked.save(update_fields=["deleted_at"])
    record_event(project=locked, actor=actor, verb="project.deleted", payload={"name": locked.name})

"""How commands name a project and who acts in it."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.core.management.base import CommandError
from django.db.models import Q

from litapp.projects.models import Membership, Project, Role


def project_named(text: str) -> Project:
    """The project with this number or exact name. Raises CommandError when there is none, or more than one."""
    named = Q(pk=int(text)) if text.isdecimal() and len(text) < 19 else Q(name=text)
    found = list(Project.objects.filter(named, deleted_at=None)[:2])
    if len(found) != 1:
        raise CommandError(f"There is {'no' if not found else 'more than one'} project {text!r}. Give its number.")
    return found[0]


def member_named(project: Project, email: str) -> User:
    """The member with this address; the project's first owner for "". Raises CommandError for somebody else."""
    if email:
        person = User.objects.filter(email__iexact=email).first()
        if person is None or not Membership.objects.filter(project=project, user=person).exists():
            raise CommandError(f"{email} is no member of this project.")
        return person
    owner = Membership.objects.filter(project=project, role=Role.OWNER).order_by("pk").select_related("user").first()
    return owner.user if owner else project.created_by

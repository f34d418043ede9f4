"""Who works in a project: invitations by link, roles, removal."""

from __future__ import annotations

import base64
import hashlib
import hmac
from datetime import timedelta
from uuid import UUID

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from django.utils.module_loading import import_string

from litapp.projects.models import Invitation, Membership, Project, Role
from litapp.projects.permissions import RIGHTS, Right, may
from litapp.projects.services.events import record_event

VALID_FOR = timedelta(days=14)
INVITED_ROLES = (Role.LEAD, Role.LIBRARIAN, Role.SCREENER, Role.READER)
"""Roles a link can give. An owner is appointed by another owner, never by a link."""


class TeamProblem(Exception):
    """A change of the team that cannot be made. `message` says why, `hint` what to do."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message, self.hint = message, hint


class InvitationProblem(TeamProblem):
    """The invitation cannot be accepted."""


def token_hash(token: str) -> str:
    """sha256 (hex) of an invitation link's token; the only thing kept of it."""
    return hashlib.sha256(token.encode()).hexdigest()


def invitation_of_token(token: str) -> Invitation | None:
    """The invitation that a link names, whatever its state; None for an unknown link."""
    return (
        Invitation.objects.select_related("project", "created_by", "accepted_by")
        .filter(token_hash=token_hash(token))
        .first()
    )


@transaction.atomic
def invitation_create(
    *, project: Project, actor: User, role: str, request_id: UUID, note: str = ""
) -> tuple[Invitation, str]:
    """Make an invitation and return it with its link's token, which nobody can see again.

    The token is derived from the form's `request_id` and the installation's secret: a double click gives the same
    invitation and the same token. Raises TeamProblem for a role that a link cannot give.
    """
    if role not in INVITED_ROLES:
        raise TeamProblem("A link cannot give this role.", "Invite with another role; an owner can change it later.")
    token = _token(project, actor, request_id)
    invitation, made = Invitation.objects.get_or_create(
        token_hash=token_hash(token),
        defaults={
            "project": project,
            "role": role,
            "note": note,
            "created_by": actor,
            "expires_at": timezone.now() + VALID_FOR,
        },
    )
    if made:
        record_event(
            project=project,
            actor=actor,
            verb="invitation.created",
            subject=f"invitation:{invitation.pk}",
            payload={"role": role, "note": note},
        )
    return invitation, token


@transaction.atomic
def invitation_accept(*, token: str, user: User) -> Membership:
    """Make `user` a member. Raises InvitationProblem: unknown, used, revoked, expired, or already a member."""
    invitation = invitation_of_token(token)
    if invitation is None:
        raise InvitationProblem("This invitation link is not known here.", "Check that the whole link was copied.")
    if problem := problem_of(invitation):
        raise problem
    if Membership.objects.filter(project=invitation.project, user=user).exists():
        raise InvitationProblem("You are in this project already.", "The invitation stays open for somebody else.")
    now = timezone.now()
    won = Invitation.objects.filter(pk=invitation.pk, accepted_at=None, revoked_at=None, expires_at__gt=now).update(
        accepted_at=now, accepted_by=user
    )
    if not won:
        raise InvitationProblem("Somebody else has just used this invitation.", _ask(invitation))
    membership = Membership.objects.create(project=invitation.project, user=user, role=invitation.role)
    record_event(
        project=invitation.project,
        actor=user,
        verb="invitation.accepted",
        subject=f"invitation:{invitation.pk}",
        payload={"role": invitation.role, "user": user.pk},
    )
    return membership


def problem_of(invitation: Invitation) -> InvitationProblem | None:
    """Why an invitation cannot be accepted any more; None while it can."""
    if invitation.project.deleted_at is not None:
        return InvitationProblem("The project of this invitation was deleted.")
    if invitation.accepted_at is not None:
        return InvitationProblem("This invitation has been used: a link works once.", _ask(invitation))
    if invitation.revoked_at is not None:
        return InvitationProblem("This invitation was withdrawn.", _ask(invitation))
    if invitation.expires_at <= timezone.now():
        return InvitationProblem("This invitation has run out: a link works for 14 days.", _ask(invitation))
    return None


@transaction.atomic
def invitation_revoke(*, invitation: Invitation, actor: User) -> None:
    """Withdraw an open invitation; nothing happens to one that was withdrawn before. Raises TeamProblem if used."""
    now = timezone.now()
    if Invitation.objects.filter(pk=invitation.pk, accepted_at=None, revoked_at=None).update(revoked_at=now):
        record_event(
            project=invitation.project,
            actor=actor,
            verb="invitation.revoked",
            subject=f"invitation:{invitation.pk}",
            payload={"role": invitation.role, "note": invitation.note},
        )
        return
    invitation.refresh_from_db()
    if invitation.accepted_at is not None:
        raise TeamProblem("This invitation was used before it could be withdrawn.", "Remove the member instead.")


@transaction.atomic
def role_change(*, membership: Membership, actor: Membership, role: str) -> Membership:
    """Give a member another role. Only owners appoint owners or change an owner's role; one owner always remains."""
    _lock(membership.project)
    membership = Membership.objects.select_related("user", "project").get(pk=membership.pk)
    if role not in Role.values:
        raise TeamProblem("There is no such role.", "Choose one of the list.")
    if role == membership.role:
        return membership
    if Role.OWNER in (role, membership.role):
        _owners_only(actor)
    if membership.role == Role.OWNER:
        _not_the_last_owner(membership)
    before, membership.role = membership.role, role
    membership.save(update_fields=["role"])
    record_event(
        project=membership.project,
        actor=actor.user,
        verb="member.role_changed",
        subject=f"user:{membership.user_id}",
        payload={"before": before, "after": role},
    )
    if Right.SCREEN in RIGHTS.get(before, ()) and Right.SCREEN not in RIGHTS[role]:
        _tell_leaving(membership, actor)
    return membership


@transaction.atomic
def member_remove(*, membership: Membership, actor: Membership) -> None:
    """Take a member out of the project. What the person decided stays with the person's name."""
    _lock(membership.project)
    current = Membership.objects.select_related("project").filter(pk=membership.pk).first()
    if current is None:
        return
    if current.role == Role.OWNER:
        _owners_only(actor)
        _not_the_last_owner(current)
    current.delete()
    record_event(
        project=membership.project,
        actor=actor.user,
        verb="member.removed",
        subject=f"user:{membership.user_id}",
        payload={"role": membership.role},
    )
    _tell_leaving(current, actor)


def _tell_leaving(membership: Membership, actor: Membership) -> None:
    """Let the floors above re-route what the person was to do (`settings.LEAVING_LISTENERS`)."""
    for path in settings.LEAVING_LISTENERS:
        import_string(path)(project=membership.project, person=membership.user, actor=actor.user)


def _lock(project: Project) -> None:
    Project.objects.select_for_update(no_key=True).values_list("pk").get(pk=project.pk)


def _owners_only(actor: Membership) -> None:
    current = Membership.objects.filter(pk=actor.pk).first()
    if current is None or not may(current, Right.OWN):
        raise TeamProblem("Only an owner can appoint, change or remove an owner.", "Ask an owner of this project.")


def _not_the_last_owner(membership: Membership) -> None:
    others = Membership.objects.filter(project=membership.project_id, role=Role.OWNER).exclude(pk=membership.pk)
    if not others.exists():
        raise TeamProblem("A project needs an owner, and this is the last one.", "Make another member an owner first.")


def _ask(invitation: Invitation) -> str:
    name = invitation.created_by.get_full_name() or invitation.created_by.get_username()
    return f"Ask {name} for a new link."


def _token(project: Project, actor: User, request_id: UUID) -> str:
    text = f"litledger invitation {project.pk} {actor.pk} {request_id}"
    digest = hmac.new(settings.SECRET_KEY.encode(), text.encode(), hashlib.sha256).digest()
    return base64.urlsafe_b64encode(digest).decode().rstrip("=")

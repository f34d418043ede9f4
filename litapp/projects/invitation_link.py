"""The invitation link a person opened in this browser, remembered over sign-up and sign-in."""

from __future__ import annotations

from django.http import HttpRequest

from litapp.projects.models import Invitation
from litapp.projects.services.team import problem_of, token_hash

SESSION_KEY = "invitation_link"


def remember_invitation(request: HttpRequest, token: str) -> None:
    """Keep the link for this session, so that the project list can lead back to it. The token stays in the session only
    while nobody has accepted: it is what the person's address bar holds as well."""
    request.session[SESSION_KEY] = token


def forget_invitation(request: HttpRequest) -> None:
    """Drop the remembered link."""
    request.session.pop(SESSION_KEY, None)


def waiting_invitation(request: HttpRequest) -> tuple[Invitation, str] | None:
    """The remembered invitation and its token while it can still be accepted by somebody; None otherwise. One query,
    none when no link was opened."""
    token = request.session.get(SESSION_KEY)
    if not token:
        return None
    invitation = Invitation.objects.select_related("project").filter(token_hash=token_hash(token)).first()
    if invitation is None or problem_of(invitation):
        forget_invitation(request)
        return None
    return invitation, token

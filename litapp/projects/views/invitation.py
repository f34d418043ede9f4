"""The page of an invitation link: readable signed out, accepted signed in."""

from __future__ import annotations

from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from litapp.projects.invitation_link import forget_invitation, remember_invitation
from litapp.projects.models import Membership
from litapp.projects.permissions import DOING, RIGHTS
from litapp.projects.services.team import InvitationProblem, invitation_accept, invitation_of_token, problem_of
from litapp.web.signed_out import sign_in_first


@never_cache
@require_http_methods(["GET", "POST"])
def invitation(request: HttpRequest, token: str) -> HttpResponse:
    """Say who invites to what, with which role. POST accepts."""
    invited = invitation_of_token(token)
    if invited is None:
        return render(request, "projects/invitation.html", {"invited": None}, status=404)
    problem = problem_of(invited)
    if problem is None:
        remember_invitation(request, token)
    if request.method == "POST":
        if not request.user.is_authenticated:
            return sign_in_first(request)
        try:
            membership = invitation_accept(token=token, user=request.user)
        except InvitationProblem as raised:
            problem = raised
        else:
            forget_invitation(request)
            messages.success(request, f"You are now in this project as {membership.get_role_display()}.")
            return redirect("projects:overview", membership.project_id)
    member = (
        Membership.objects.filter(project=invited.project_id, user=request.user, project__deleted_at=None).first()
        if request.user.is_authenticated
        else None
    )
    here = urlencode({"next": request.path})
    context = {
        "invited": invited,
        "problem": problem,
        "member": member,
        "doing": [DOING[right] for right in DOING if right in RIGHTS[invited.role]],
        "login_address": f"{reverse('account_login')}?{here}",
        "signup_address": f"{reverse('account_signup')}?{here}",
    }
    return render(request, "projects/invitation.html", context, status=410 if problem and not member else 200)

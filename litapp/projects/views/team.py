"""The team: members and their roles, invitations."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from litapp.projects.forms import InviteForm, RoleForm
from litapp.projects.models import Invitation, Membership, Project, Role
from litapp.projects.permissions import DOING, RIGHTS, ProjectRequest, Right, may, project_view
from litapp.projects.services.team import (
    TeamProblem,
    invitation_create,
    invitation_revoke,
    member_remove,
    role_change,
)


@project_view(Right.VIEW)
@require_GET
def team(request: ProjectRequest, project: Project) -> HttpResponse:
    """Members, invitations, and what each role may do."""
    return _team_page(request, project, InviteForm())


@project_view(Right.TEAM)
@never_cache
@require_POST
def invite(request: ProjectRequest, project: Project) -> HttpResponse:
    """Make an invitation link and show it: it can be seen this once."""
    form = InviteForm(request.POST)
    if not form.is_valid():
        return _team_page(request, project, form, status=422)
    invitation, token = invitation_create(
        project=project,
        actor=request.user,
        role=form.cleaned_data["role"],
        note=form.cleaned_data["note"],
        request_id=form.cleaned_data["request_id"],
    )
    link = request.build_absolute_uri(reverse("projects:invitation", args=[token]))
    return _team_page(request, project, InviteForm(), new_link=link, new_invitation=invitation)


@project_view(Right.TEAM)
@require_POST
def invitation_withdraw(request: ProjectRequest, project: Project, invitation_id: int) -> HttpResponse:
    """Withdraw an open invitation."""
    invitation = get_object_or_404(Invitation.objects.select_related("project"), pk=invitation_id, project=project)
    try:
        invitation_revoke(invitation=invitation, actor=request.user)
    except TeamProblem as problem:
        messages.error(request, f"{problem.message} {problem.hint}".strip())
    else:
        messages.success(request, "Invitation withdrawn: its link no longer works.")
    return redirect("projects:team", project.pk)


@project_view(Right.TEAM)
@require_POST
def role(request: ProjectRequest, project: Project, membership_id: int) -> HttpResponse:
    """Give a member another role."""
    membership = _member(project, membership_id)
    form = RoleForm(request.POST)
    if not form.is_valid():
        messages.error(request, "There is no such role. Choose one of the list.")
        return redirect("projects:team", project.pk)
    try:
        changed = role_change(membership=membership, actor=request.membership, role=form.cleaned_data["role"])
    except TeamProblem as problem:
        messages.error(request, f"{problem.message} {problem.hint}".strip())
    else:
        messages.success(request, f"The role is now {changed.get_role_display()}.")
    return redirect("projects:team", project.pk)


@project_view(Right.TEAM)
@require_POST
def remove(request: ProjectRequest, project: Project, membership_id: int) -> HttpResponse:
    """Take a member out; somebody who takes himself out lands on his project list."""
    membership = _member(project, membership_id)
    try:
        member_remove(membership=membership, actor=request.membership)
    except TeamProblem as problem:
        messages.error(request, f"{problem.message} {problem.hint}".strip())
        return redirect("projects:team", project.pk)
    if membership.user_id == request.user.pk:
        messages.success(request, f"You left {project.name}.")
        return redirect("projects:list")
    messages.success(request, "Member removed. What they decided stays with their name.")
    return redirect("projects:team", project.pk)


def _member(project: Project, membership_id: int) -> Membership:
    return get_object_or_404(Membership.objects.select_related("user", "project"), pk=membership_id, project=project)


def _team_page(
    request: ProjectRequest,
    project: Project,
    form: InviteForm,
    *,
    new_link: str = "",
    new_invitation: Invitation | None = None,
    status: int = 200,
) -> HttpResponse:
    order = {value: place for place, value in enumerate(Role.values)}
    members = sorted(
        project.memberships.select_related("user"), key=lambda member: (order[member.role], member.joined_at)
    )
    context = {
        "members": members,
        "last_owner": sum(member.role == Role.OWNER for member in members) == 1,
        "invitations": project.invitations.select_related("created_by", "accepted_by").order_by("-pk"),
        "form": form,
        "roles": Role.choices
        if may(request.membership, Right.OWN)
        else [c for c in Role.choices if c[0] != Role.OWNER],
        "what_roles_do": [(r.label, [DOING[right] for right in DOING if right in RIGHTS[r]]) for r in Role],
        "new_link": new_link,
        "new_invitation": new_invitation,
    }
    return render(request, "projects/team.html", context, status=status)

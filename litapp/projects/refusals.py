"""The pages of a member who is turned away: the project was deleted, or the role does not allow this."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from litapp.projects.models import Event, Membership, Project, Role
from litapp.web.signed_out import typed_in


def project_deleted_page(request: HttpRequest, project: Project) -> HttpResponse:
    """410: says that the project was deleted, when and by whom."""
    event = (
        Event.objects.filter(project=project, verb="project.deleted")
        .select_related("actor")
        .order_by("-sequence")
        .first()
    )
    return render(
        request, "projects/deleted.html", {"gone": project, "deletion": event, "typed": typed_in(request)}, status=410
    )


def curtained_page(request: HttpRequest, membership: Membership) -> HttpResponse:
    """403: the page rests on decisions that are hidden while screening is blind."""
    context = {"project": membership.project, "typed": typed_in(request)}
    return render(request, "projects/curtained.html", context, status=403)


def right_missing_page(
    request: HttpRequest, membership: Membership, doing: str, roles_allowed: list[str]
) -> HttpResponse:
    """403: says which role is needed for what, and whom to ask."""
    owners = Membership.objects.filter(project=membership.project_id, role=Role.OWNER).select_related("user")
    context = {
        "refused": membership.project,
        "role": membership.get_role_display(),
        "doing": doing,
        "roles_allowed": roles_allowed,
        "owners": [owner.user for owner in owners],
        "typed": typed_in(request),
    }
    return render(request, "projects/right_missing.html", context, status=403)

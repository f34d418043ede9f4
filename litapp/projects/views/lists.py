"""The list of a person's projects, and a new one."""

from __future__ import annotations

from django.contrib import messages
from django.db.models import Count, Max, OuterRef, Subquery
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from litapp.projects.forms import ProjectForm
from litapp.projects.invitation_link import waiting_invitation
from litapp.projects.models import Membership, Project, Role
from litapp.projects.services.projects import project_create
from litapp.web.htmx import redirect_page
from litapp.web.once import once
from litapp.web.pagination import page_of_list
from litapp.web.signed_out import signed_in

PAGE_SIZE = 50


@signed_in
def project_list(request: HttpRequest) -> HttpResponse:
    """The projects the person works in, last changed first."""
    return render(request, "projects/list.html", projects_of(request))


def projects_of(request: HttpRequest) -> dict[str, object]:
    """Context of the project list: `page` of projects (with role, members, last event) and an open invitation."""
    assert request.user.is_authenticated
    mine = Membership.objects.filter(project=OuterRef("pk"), user=request.user)
    team = Membership.objects.filter(project=OuterRef("pk")).values("project").annotate(number=Count("pk"))
    projects = (
        Project.objects.visible_to(request.user)
        .annotate(
            my_role=Subquery(mine.values("role")[:1]),
            members=Subquery(team.values("number")),  # not a Count over the join that already keeps my row only
            changed_at=Max("events__created_at"),
        )
        .order_by("-changed_at", "-pk")
    )
    page = page_of_list(request, projects, size=PAGE_SIZE)
    for row in page.items:
        row.role_label = Role(row.my_role).label
    return {"page": page, "invitation": waiting_invitation(request)}


@signed_in
def project_new(request: HttpRequest) -> HttpResponse:
    """The form of a new project; the person becomes its owner."""
    assert request.user.is_authenticated
    form = ProjectForm(request.POST or None)
    if request.method != "POST" or not form.is_valid():
        return render(request, "projects/create.html", {"form": form}, status=422 if request.method == "POST" else 200)
    user = request.user

    def make() -> str:
        project = project_create(
            actor=user, name=form.cleaned_data["name"], description=form.cleaned_data["description"]
        )
        return reverse("projects:overview", args=[project.pk])

    address = once(request_id=form.cleaned_data["request_id"], user=user, make=make)
    messages.success(request, "Project created. Begin with a search plan.")
    return redirect_page(request, address)

"""Renaming and deleting a project."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from litapp.projects.forms import DeleteForm, RenameForm
from litapp.projects.models import Project
from litapp.projects.permissions import ProjectRequest, Right, project_view
from litapp.projects.services.projects import NameDoesNotMatch, project_delete, project_rename


@project_view(Right.TEAM)
@require_http_methods(["GET", "POST"])
def rename(request: ProjectRequest, project: Project) -> HttpResponse:
    """Name and description."""
    form = RenameForm(request.POST or None, initial={"name": project.name, "description": project.description})
    if request.method == "POST" and form.is_valid():
        project_rename(project=project, actor=request.user, **form.cleaned_data)
        messages.success(request, "Saved.")
        return redirect("projects:overview", project.pk)
    return render(request, "projects/rename.html", {"form": form}, status=422 if form.is_bound else 200)


@project_view(Right.OWN)
@require_http_methods(["GET", "POST"])
def delete(request: ProjectRequest, project: Project) -> HttpResponse:
    """Say what a deletion does; it is carried out when the name was typed."""
    form = DeleteForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            project_delete(project=project, actor=request.user, typed_name=form.cleaned_data["typed_name"])
        except NameDoesNotMatch:
            form.add_error("typed_name", f"That is not the name. It is: {project.name}")
        else:
            messages.success(request, f"{project.name} was deleted.")
            return redirect("projects:list")
    return render(request, "projects/delete.html", {"form": form}, status=422 if form.is_bound else 200)

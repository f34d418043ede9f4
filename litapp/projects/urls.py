"""Addresses of projects; the overview page is added by the composition root (it shows what upper floors hold)."""

from __future__ import annotations

from django.urls import path

from litapp.projects.views import history, invitation, lists, settings, team

app_name = "projects"

urlpatterns = [
    path("projects/", lists.project_list, name="list"),
    path("projects/new/", lists.project_new, name="create"),
    path("invitations/<str:token>/", invitation.invitation, name="invitation"),
    path("projects/<int:project_id>/history/", history.history, name="history"),
    path("projects/<int:project_id>/team/", team.team, name="team"),
    path("projects/<int:project_id>/team/invite/", team.invite, name="invite"),
    path(
        "projects/<int:project_id>/team/invitations/<int:invitation_id>/withdraw/",
        team.invitation_withdraw,
        name="invitation_revoke",
    ),
    path("projects/<int:project_id>/team/<int:membership_id>/role/", team.role, name="role"),
    path("projects/<int:project_id>/team/<int:membership_id>/remove/", team.remove, name="member_remove"),
    path("projects/<int:project_id>/rename/", settings.rename, name="rename"),
    path("projects/<int:project_id>/delete/", settings.delete, name="delete"),
]

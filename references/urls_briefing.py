"""Addresses of briefings; included by references.urls. All lie under /projects/<project_id>/."""

from __future__ import annotations

from django.urls import path

from references.views import briefing, briefing_drafts

urlpatterns = [
    path("briefings/", briefing.briefings, name="briefings"),
    path("briefings/new/", briefing.new, name="briefing_new"),
    path("briefings/drafts/", briefing_drafts.drafts, name="briefing_drafts"),
    path("briefings/drafts/new/", briefing_drafts.draft, name="briefing_draft"),
    path("briefings/<int:briefing_id>/", briefing.briefing, name="briefing"),
    path("briefings/<int:briefing_id>/cancel/", briefing.cancel, name="briefing_cancel"),
    path("briefings/<int:briefing_id>/resume/", briefing.resume, name="briefing_resume"),
    path("briefings/<int:briefing_id>/files/<str:file_name>", briefing.file, name="briefing_file"),
]

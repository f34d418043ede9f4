"""Addresses of imports, all under /projects/<project_id>/; included by searches.urls."""

from __future__ import annotations

from django.urls import path

from searches.views import import_new, import_report, imports

urlpatterns = [
    path("imports/", imports.import_list, name="import_list"),
    path("imports/new/", import_new.import_new, name="import_new"),
    path("imports/identifiers/", import_new.import_identifiers_new, name="import_identifiers"),
    path("imports/by-hand/", import_new.import_by_hand, name="import_by_hand"),
    path("imports/<int:import_id>/", import_report.import_page, name="import"),
    path("imports/<int:import_id>/records/", import_report.import_entries, name="import_entries"),
    path("imports/<int:import_id>/table/", import_report.import_table, name="import_table"),
    path("imports/<int:import_id>/file/", import_report.import_original, name="import_file"),
    path("imports/<int:import_id>/search/", imports.describe, name="import_describe"),
    path("imports/<int:import_id>/cancel/", imports.cancel, name="import_cancel"),
    path("imports/<int:import_id>/resume/", imports.resume, name="import_resume"),
    path("imports/<int:import_id>/undo/", imports.undo, name="import_undo"),
]

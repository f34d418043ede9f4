"""Addresses of the PRISMA flow and the search report, under /projects/<project_id>/; included by searches.urls."""

from __future__ import annotations

from django.urls import path

from searches.views import prisma, prisma_s

urlpatterns = [
    path("prisma/", prisma.prisma, name="prisma"),
    path("prisma/files/<slug:file_kind>/", prisma.prisma_file, name="prisma_file"),
    path("prisma/numbers/<slug:key>/", prisma.behind, name="prisma_behind"),
    path("prisma/imports/<int:import_id>/method/", prisma.import_method, name="prisma_import_method"),
    path("prisma/reports/<int:candidate_id>/", prisma.report, name="prisma_report"),
    path("search-report/", prisma_s.search_report, name="search_report"),
    path("search-report/file/", prisma_s.search_report_file, name="search_report_file"),
    path("search-report/<int:item>/", prisma_s.statement, name="search_report_statement"),
]

"""All addresses of LitLedger."""

from __future__ import annotations

from django.contrib import admin
from django.urls import include, path
from django.views.generic import TemplateView

from litapp.navigation import side
from litapp.overview import overview
from litapp.projects.urls import urlpatterns as project_urls
from litapp.projects.views.own_keys import own_keys
from litapp.projects.views.start import start
from litapp.web.views import unsent
from references.views.list_new import check_references
from searches.views.prisma_check import check_prisma
from searches.views.quick_cite import quick_cite_start

projects = [
    *project_urls,
    path("projects/<int:project_id>/", overview, name="overview"),
    path("projects/<int:project_id>/numbers/", side, name="numbers"),
]

urlpatterns = [
    path("", start, name="start"),
    path("unsent/", unsent, name="unsent"),
    path("check-references/", check_references, name="check_references"),
    path("quick-cite/", quick_cite_start, name="quick_cite_start"),
    path("check-prisma/", check_prisma, name="check_prisma"),
    path("", include((projects, "projects"))),
    path("projects/<int:project_id>/", include("searches.urls")),
    path("projects/<int:project_id>/", include("litapp.verification.urls")),
    path("projects/<int:project_id>/", include("references.urls")),
    path("help/limits/", TemplateView.as_view(template_name="limits.html"), name="limits"),
    path("styleguide/", TemplateView.as_view(template_name="styleguide.html"), name="styleguide"),
    path("account/keys/", own_keys, name="account_keys"),
    path("account/", include("allauth.urls")),
    path("admin/", admin.site.urls),
]

handler400 = "litapp.web.errors.bad_request"
handler403 = "litapp.web.errors.forbidden"
handler404 = "litapp.web.errors.not_found"
handler500 = "litapp.web.errors.server_error"

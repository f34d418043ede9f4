"""Addresses of the reference list and of exports, all under /projects/<project_id>/."""

from django.urls import path

from references.views.export import export, export_file, export_new, styles
from references.views.reference import note, reference, remove, restore
from references.views.reference_list import reference_list

app_name = "references"
urlpatterns = [
    path("references/", reference_list, name="list"),
    path("references/<int:reference_id>/", reference, name="reference"),
    path("references/<int:reference_id>/note/", note, name="note"),
    path("references/<int:reference_id>/remove/", remove, name="remove"),
    path("references/<int:reference_id>/restore/", restore, name="restore"),
    path("exports/new/", export_new, name="export_new"),
    path("exports/styles/", styles, name="styles"),
    path("exports/<int:export_id>/", export, name="export"),
    path("exports/<int:export_id>/<str:name>", export_file, name="export_file"),
]

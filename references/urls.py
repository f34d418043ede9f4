"""Addresses of the reference list and of exports, all under /projects/<project_id>/."""

from django.urls import path

from references.urls_briefing import urlpatterns as briefing_urls
from references.urls_fulltext import urlpatterns as fulltext_urls
from references.views.export import export, export_file, export_new, export_override, styles
from references.views.list_check import accept, cancel, entry_recheck, file, list_check, recheck, resume, take
from references.views.list_new import list_checks, list_new
from references.views.matrix import columns, matrix
from references.views.matrix_cell import cell, cell_change
from references.views.passages import passages, passages_change, passages_look
from references.views.reference import note, reference, remove, restore
from references.views.reference_list import reference_list
from references.views.summary import summary, summary_change

app_name = "references"
urlpatterns = [
    path("references/", reference_list, name="list"),
    path("references/<int:reference_id>/", reference, name="reference"),
    path("references/<int:reference_id>/note/", note, name="note"),
    path("references/<int:reference_id>/remove/", remove, name="remove"),
    path("references/<int:reference_id>/restore/", restore, name="restore"),
    path("matrix/", matrix, name="matrix"),
    path("matrix/columns/", columns, name="matrix_columns"),
    path("matrix/passages/", passages, name="passages"),
    path("matrix/passages/look/", passages_look, name="passages_look"),
    path("matrix/passages/<int:search_id>/change/", passages_change, name="passages_change"),
    path("matrix/<int:reference_id>/<str:column>/", cell, name="matrix_cell"),
    path("matrix/<int:reference_id>/<str:column>/change/", cell_change, name="matrix_cell_change"),
    path("summary/", summary, name="summary"),
    path("summary/change/", summary_change, name="summary_change"),
    path("lists/", list_checks, name="list_checks"),
    path("lists/new/", list_new, name="list_new"),
    path("lists/<int:list_id>/", list_check, name="list_check"),
    path("lists/<int:list_id>/cancel/", cancel, name="list_cancel"),
    path("lists/<int:list_id>/resume/", resume, name="list_resume"),
    path("lists/<int:list_id>/recheck/", recheck, name="list_recheck"),
    path("lists/<int:list_id>/take/", take, name="list_take"),
    path("lists/<int:list_id>/entries/<int:entry_id>/accept/", accept, name="list_accept"),
    path("lists/<int:list_id>/entries/<int:entry_id>/recheck/", entry_recheck, name="list_entry_recheck"),
    path("lists/<int:list_id>/files/<str:kind>", file, name="list_file"),
    path("exports/new/", export_new, name="export_new"),
    path("exports/styles/", styles, name="styles"),
    path("exports/<int:export_id>/", export, name="export"),
    path("exports/<int:export_id>/override/", export_override, name="export_override"),
    path("exports/<int:export_id>/<str:name>", export_file, name="export_file"),
    *fulltext_urls,
    *briefing_urls,
]

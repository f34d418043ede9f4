"""Addresses of full texts; included by references.urls. All lie under /projects/<project_id>/."""

from __future__ import annotations

from django.urls import path

from references.views import fulltext, fulltext_files, fulltext_reference

urlpatterns = [
    path("full-texts/", fulltext.fulltexts, name="fulltext"),
    path("full-texts/start/", fulltext.start, name="fulltext_start"),
    path("full-texts/cancel/", fulltext.cancel, name="fulltext_cancel"),
    path("full-texts/resume/", fulltext.resume, name="fulltext_resume"),
    path("full-texts/resolver/", fulltext.resolver, name="fulltext_resolver"),
    path("full-texts/bring/", fulltext_files.bring, name="fulltext_bring"),
    path("full-texts/uploads/<int:upload_id>/", fulltext_files.upload, name="fulltext_upload"),
    path("full-texts/questions/", fulltext_files.questions, name="fulltext_questions"),
    path("full-texts/files/<int:copy_id>/", fulltext_reference.copy_file, name="fulltext_file"),
    path("full-texts/files/<int:copy_id>/answer/", fulltext_files.answer, name="fulltext_answer"),
    path("full-texts/files/<int:copy_id>/withdraw/", fulltext_reference.withdraw, name="fulltext_withdraw"),
    path("full-texts/places/<int:attempt_id>/", fulltext_reference.attempt_answer, name="fulltext_place"),
    path("full-texts/<int:reference_id>/", fulltext_reference.reference_fulltext, name="fulltext_reference"),
    path("full-texts/<int:reference_id>/text/", fulltext_reference.text, name="fulltext_text"),
    path(
        "full-texts/<int:reference_id>/not-retrieved/", fulltext_reference.not_retrieved, name="fulltext_not_retrieved"
    ),
]

"""Addresses of evidence, all under /projects/<project_id>/."""

from django.urls import path

from litapp.verification.views.answer import answer
from litapp.verification.views.notices import seen
from litapp.verification.views.panel import manual, panel, recheck_view

app_name = "verification"
urlpatterns = [
    path("verifications/<int:verification_id>/", panel, name="panel"),
    path("verifications/<int:verification_id>/recheck/", recheck_view, name="recheck"),
    path("verifications/<int:verification_id>/manual/", manual, name="manual"),
    path("status-notices/<int:notice_id>/seen/", seen, name="notice_seen"),
    path("answers/<int:answer_id>/", answer, name="answer"),
]

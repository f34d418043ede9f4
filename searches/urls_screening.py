"""Addresses of screening and candidates, all under /projects/<project_id>/; included by searches.urls."""

from django.urls import path

from searches.views.candidate_duplicates import candidate_join, candidate_part, candidate_study
from searches.views.candidates import candidate, candidates
from searches.views.candidates_copy import candidates_copy
from searches.views.decisions import decide_many_view, decide_view
from searches.views.duplicates import duplicates, duplicates_answer, duplicates_undo
from searches.views.screening import screen, screen_next, undo_view

urlpatterns = [
    path("screen/", screen, name="screen"),
    path("screen/next/", screen_next, name="screen_next"),
    path("screen/undo/", undo_view, name="undo"),
    path("candidates/", candidates, name="candidates"),
    path("candidates/copy/", candidates_copy, name="candidates_copy"),
    path("candidates/decide/", decide_many_view, name="decide_many"),
    path("candidates/<int:candidate_id>/", candidate, name="candidate"),
    path("candidates/<int:candidate_id>/decide/", decide_view, name="decide"),
    path("candidates/<int:candidate_id>/part/", candidate_part, name="candidate_part"),
    path("candidates/<int:candidate_id>/join/", candidate_join, name="candidate_join"),
    path("candidates/<int:candidate_id>/study/", candidate_study, name="candidate_study"),
    path("duplicates/", duplicates, name="duplicates"),
    path("duplicates/answer/", duplicates_answer, name="duplicates_answer"),
    path("duplicates/undo/", duplicates_undo, name="duplicates_undo"),
]

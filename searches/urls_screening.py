"""Addresses of screening and candidates, all under /projects/<project_id>/; included by searches.urls."""

from django.urls import path

from searches.models import Stage
from searches.views import conflicts, remarks, screening_setup, team_progress
from searches.views.candidate_duplicates import candidate_join, candidate_part, candidate_study
from searches.views.candidates import candidate, candidates
from searches.views.candidates_copy import candidates_copy
from searches.views.decisions import decide_many_view, decide_view
from searches.views.duplicates import duplicates, duplicates_answer, duplicates_undo
from searches.views.ranking import ranking_accept, ranking_page, ranking_sample, ranking_switch
from searches.views.screening import screen, screen_next, undo_view

FULLTEXT = {"stage": Stage.FULLTEXT.value}

urlpatterns = [
    path("screen/", screen, name="screen"),
    path("screen/next/", screen_next, name="screen_next"),
    path("screen/undo/", undo_view, name="undo"),
    path("screen/full-text/", screen, FULLTEXT, name="fulltext"),
    path("screen/full-text/next/", screen_next, FULLTEXT, name="fulltext_next"),
    path("screen/full-text/undo/", undo_view, FULLTEXT, name="fulltext_undo"),
    path("screening/", screening_setup.setup, name="screening"),
    path("screening/ranking/", ranking_page, name="ranking"),
    path("screening/ranking/switch/", ranking_switch, name="ranking_switch"),
    path("screening/ranking/sample/", ranking_sample, name="ranking_sample"),
    path("screening/ranking/sample/<int:sample_id>/accept/", ranking_accept, name="ranking_accept"),
    path("screening/criteria/", screening_setup.criteria_change, name="criteria"),
    path("screening/words/", remarks.words_change, name="own_words"),
    path("screening/<str:stage>/set/", screening_setup.stage_change, name="stage_set"),
    path("screening/<str:stage>/pilot/", screening_setup.pilot_change, name="pilot"),
    path("screening/<str:stage>/assign/", screening_setup.assign, name="assign"),
    path("screening/<str:stage>/conflicts/", conflicts.conflict_room, name="conflicts"),
    path("screening/<str:stage>/agreement/", team_progress.agreement_page, name="agreement"),
    path("candidates/", candidates, name="candidates"),
    path("candidates/copy/", candidates_copy, name="candidates_copy"),
    path("candidates/decide/", decide_many_view, name="decide_many"),
    path("candidates/<int:candidate_id>/", candidate, name="candidate"),
    path("candidates/<int:candidate_id>/decide/", decide_view, name="decide"),
    path("candidates/<int:candidate_id>/resolve/<str:stage>/", conflicts.resolve_view, name="resolve"),
    path("candidates/<int:candidate_id>/notes/", remarks.note_new, name="note_new"),
    path("candidates/<int:candidate_id>/notes/<int:note_id>/remove/", remarks.note_delete, name="note_delete"),
    path("candidates/<int:candidate_id>/labels/", remarks.labels_change, name="labels"),
    path("candidates/<int:candidate_id>/part/", candidate_part, name="candidate_part"),
    path("candidates/<int:candidate_id>/join/", candidate_join, name="candidate_join"),
    path("candidates/<int:candidate_id>/study/", candidate_study, name="candidate_study"),
    path("duplicates/", duplicates, name="duplicates"),
    path("duplicates/answer/", duplicates_answer, name="duplicates_answer"),
    path("duplicates/undo/", duplicates_undo, name="duplicates_undo"),
]

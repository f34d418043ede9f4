"""Addresses of bundles, replays, comparisons, query files and missing abstracts; included by searches.urls.

All lie under /projects/<project_id>/.
"""

from __future__ import annotations

from django.urls import path

from searches.views import abstracts, bundle, comparison, query_file, run_more

urlpatterns = [
    path("plans/from-file/", query_file.plan_from_file, name="plan_from_file"),
    path("runs/<int:run_id>/more/", run_more.run_more, name="run_more"),
    path("runs/<int:run_id>/replay/", run_more.replay, name="run_replay"),
    path("runs/<int:run_id>/bundle/", bundle.run_bundle, name="run_bundle"),
    path("runs/<int:run_id>/bundle/file/", bundle.run_bundle_file, name="run_bundle_file"),
    path("runs/<int:run_id>/since/<int:earlier_id>/", comparison.run_comparison, name="run_comparison"),
    path("abstracts/", abstracts.abstracts, name="abstracts"),
    path("abstracts/look/", abstracts.look, name="abstracts_look"),
    path("abstracts/<int:fill_id>/", abstracts.fill, name="abstracts_fill"),
]

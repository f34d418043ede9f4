"""Addresses of plans and runs, with those of candidates and screening (`urls_screening`) in one namespace.

All lie under /projects/<project_id>/.
"""

from __future__ import annotations

from django.urls import path

from searches.urls_bundle import urlpatterns as bundle_urls
from searches.urls_imports import urlpatterns as import_urls
from searches.urls_modes import urlpatterns as mode_urls
from searches.urls_prisma import urlpatterns as prisma_urls
from searches.urls_screening import urlpatterns as screening_urls
from searches.views import (
    mesh,
    plan_appendix,
    plan_blocks,
    plan_form,
    plan_other_methods,
    plan_parts,
    plan_repairs,
    plan_strings,
    plan_typing_filters,
    plans,
    runs,
)

app_name = "searches"

plan_urls = [
    path("plans/", plans.plan_list, name="plan_list"),
    path("plans/new/", plan_form.plan_new, name="plan_new"),
    path("plans/check/", plan_form.plan_check, name="plan_check"),
    path("plans/check-question/", plan_form.question_check, name="plan_question_check"),
    path("plans/from-appendix/", plan_appendix.plan_appendix, name="plan_appendix"),
    path("plans/repair-hits/", plan_repairs.repair_count, name="plan_repair_hits"),
    path("plans/filter-hits/", plan_typing_filters.filter_count, name="plan_filter_hits"),
    path("plans/<int:version_id>/other-methods/", plan_other_methods.other_methods, name="plan_other_methods"),
    path("plans/mesh/", mesh.mesh, name="mesh"),
    path("plans/mesh/ask/", mesh.mesh_ask_nlm, name="mesh_ask"),
    path("plans/<int:version_id>/parts/", plan_parts.plan_parts, name="plan_parts"),
    path("plans/parts/<int:part_id>/answer/", plan_parts.part_answer, name="part_answer"),
    path("plans/<int:version_id>/strings/", plan_strings.plan_strings, name="plan_strings"),
    path("plans/<int:version_id>/repair/", plan_repairs.repair, name="plan_repair"),
    path("plans/<int:version_id>/repair/undo/", plan_repairs.repair_undo, name="plan_repair_undo"),
    path("plans/<int:version_id>/", plans.plan, name="plan"),
    path("plans/<int:version_id>/edit/", plan_form.plan_edit, name="plan_edit"),
    path("plans/<int:version_id>/counts/", plans.plan_counts, name="plan_counts"),
    path("plans/counts/<int:count_id>/answer/", plans.count_answer, name="count_answer"),
    path("plans/<int:version_id>/blocks/", plan_blocks.plan_blocks, name="plan_blocks"),
    path("plans/<int:version_id>/blocks/change/", plan_blocks.plan_block_change, name="plan_block_change"),
    path("plans/<int:version_id>/approve/", plans.plan_approval, name="plan_approve"),
    path("plans/<int:version_id>/new-version/", plans.plan_version_new, name="plan_new_version"),
    path("plans/<int:version_id>/compare/<int:other_id>/", plans.plan_compare, name="plan_compare"),
]

run_urls = [
    path("plans/<int:version_id>/run/", runs.start, name="run_start"),
    path("runs/", runs.run_list, name="run_list"),
    path("runs/<int:run_id>/", runs.run, name="run"),
    path("runs/<int:run_id>/progress/", runs.run_progress, name="run_progress"),
    path("runs/<int:run_id>/cancel/", runs.cancel, name="run_cancel"),
    path("runs/<int:run_id>/resume/", runs.resume, name="run_resume"),
    path("runs/<int:run_id>/again/", runs.again, name="run_again"),
    path("runs/<int:run_id>/stand-in/", runs.stand_in, name="run_stand_in"),
]

urlpatterns = [*plan_urls, *run_urls, *bundle_urls, *import_urls, *mode_urls, *screening_urls, *prisma_urls]

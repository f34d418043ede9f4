"""The bundle of a run: what is in it, and its download."""

from __future__ import annotations

import tempfile
from pathlib import Path

from django.contrib import messages
from django.http import FileResponse, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from litapp.projects.models import Project
from litapp.projects.permissions import ProjectRequest, Right, project_view
from litapp.providers.policies import policy_for
from litapp.providers.registry import source, source_keys
from litapp.web.htmx import redirect_page
from searches.services.bundle_export import bundle_export
from searches.services.bundle_files import BundleError
from searches.views.run_more import run_of


@project_view(Right.EXPORT)
@never_cache
@require_GET
def run_bundle(request: ProjectRequest, project: Project, run_id: int) -> HttpResponse:
    """What a bundle holds, with and without the archived answers, and the terms of those whose answers they are."""
    run = run_of(project, run_id)
    keys = [key for key in run.version.plan_content.sources if key in source_keys()]
    terms = [(source(key).label, policy_for(key, has_key=False, has_email=False).terms_url) for key in keys]
    return render(request, "searches/run_bundle.html", {"run": run, "terms": terms})


@project_view(Right.EXPORT)
@never_cache
@require_GET
def run_bundle_file(request: ProjectRequest, project: Project, run_id: int) -> HttpResponseBase:
    """The bundle as a zip file; with the archived answers for `?answers=1`."""
    run = run_of(project, run_id)
    answers = request.GET.get("answers") == "1"
    name = f"litledger-run-{run.pk}{'-with-answers' if answers else ''}.zip"
    with tempfile.TemporaryDirectory(prefix="litledger-bundle-") as folder:
        try:
            made = bundle_export(run=run, out=Path(folder) / name, answers=answers)
        except BundleError as problem:
            messages.error(request, str(problem))
            return redirect_page(request, reverse("searches:run_bundle", args=[project.pk, run.pk]))
        # The file stays readable while it is open; its folder goes at once.
        response = FileResponse(made.path.open("rb"), as_attachment=True, filename=name, content_type="application/zip")
    response["X-Content-Type-Options"] = "nosniff"
    return response

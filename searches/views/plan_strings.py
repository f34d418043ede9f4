"""A plan version's strings for other databases: to copy, with labelled changes, steps, export fields and obstacles."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from litapp.core.filters import filters_for
from litapp.core.querylang.adapted import Options
from litapp.core.querylang.database_steps import STEPS
from litapp.projects.models import Project
from litapp.projects.permissions import ProjectRequest, Right, project_view
from searches.services.database_strings import NoString, database_strings, losses_text, strings_frozen
from searches.views.plans import version_of


@project_view(Right.VIEW)
@require_GET
def plan_strings(request: ProjectRequest, project: Project, version_id: int) -> HttpResponse:
    """The strings of one query (`query`, from 0) for all databases or one (`db`); choices: `keywords`, `topic`."""
    version = version_of(project, version_id)
    content = version.plan_content
    number = request.GET.get("query", "")
    index = int(number) if number.isascii() and number.isdigit() and len(number) < 4 else 0
    keywords, topic = request.GET.get("keywords") == "1", request.GET.get("topic") == "1"
    context: dict[str, object] = {
        "version": version,
        "plan": version.plan,
        "index": index,
        "queries": [(place, query.label) for place, query in enumerate(content.queries) if query.boolean.strip()],
        "databases": [dialect.value for dialect in STEPS],
        "keywords": keywords,
        "topic": topic,
    }
    try:
        options = Options(embase_keywords=keywords, topic=topic)
        only = request.GET.get("db", "")
        frozen = strings_frozen(version, index)
        strings = [one for one in frozen if one.steps.dialect.value == only] or frozen
        strings = strings or database_strings(content, index, options, only=only)
    except NoString as refusal:
        context["refused"] = str(refusal)
    else:
        context["strings"] = [(one, filters_for(one.steps.dialect)) for one in strings]
        context["losses"] = losses_text(strings)
        context["frozen_at"] = strings[0].frozen_at if strings else None
    return render(request, "searches/plan_strings.html", context)

"""An archived answer of a source, as it came."""

from __future__ import annotations

import json

from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_GET
from lxml import etree

from litapp.ledger.models import SourceAnswer
from litapp.ledger.services.archive import body_of
from litapp.ledger.services.bodies import DamagedBody
from litapp.projects.models import Project
from litapp.projects.permissions import Right, project_view
from litapp.verification.presentation import source_label

SHOWN = 200_000
"""Characters of an answer that the page shows; the whole is one click away."""


@require_GET
@project_view(Right.VIEW)
def answer(request: HttpRequest, project: Project, answer_id: int) -> HttpResponse:
    """The request sent (without secrets), the answer's facts and its text; ?raw=1 downloads the bytes.

    Only answers on which something of this project rests: a check, or a record of one of its candidates.
    """
    used_here = Q(checks__verification__project=project) | Q(records__candidates__project=project)
    return answer_page(
        request, project, get_object_or_404(SourceAnswer.objects.filter(used_here).distinct(), pk=answer_id)
    )


def answer_page(request: HttpRequest, project: Project, stored: SourceAnswer) -> HttpResponse:
    """The page (or, with ?raw=1, the bytes) of an answer that the caller found to belong to the project."""
    try:
        body, damage = body_of(stored), ""
    except DamagedBody as damaged:
        body, damage = b"", str(damaged)
    if "raw" in request.GET and damage:
        raise Http404(damage)
    if "raw" in request.GET:
        response = HttpResponse(body, content_type="application/octet-stream")
        response["Content-Disposition"] = f'attachment; filename="{stored.source}-{stored.pk}-{stored.sha256[:8]}.txt"'
        response["X-Content-Type-Options"] = "nosniff"
        return response
    text = readable(body)
    context = {
        "project": project,
        "answer": stored,
        "source": source_label(stored.source),
        "damage": damage,
        "text": text[:SHOWN],
        "cut": max(0, len(text) - SHOWN),
    }
    return render(request, "verification/answer.html", context)


def readable(body: bytes) -> str:
    """The answer indented for reading where it is JSON or XML, else as it is.

    Half a character (a lone surrogate, as some sources send) stands there as its escape.
    """
    try:
        text = json.dumps(json.loads(body), indent=2, ensure_ascii=False)
    except (ValueError, RecursionError):  # the second: nested deeper than any honest answer
        pass
    else:
        return text.encode("utf-8", "backslashreplace").decode()
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        root = etree.fromstring(body, parser)
    except etree.XMLSyntaxError:
        return body.decode("utf-8", errors="replace")
    etree.indent(root)
    return etree.tostring(root, encoding="unicode")

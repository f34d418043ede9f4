"""A member has seen the notice that a reference was retracted since."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from litapp.projects.models import Project
from litapp.projects.permissions import Right, project_view
from litapp.verification.models import StatusNotice
from litapp.verification.services.statuses import notice_seen


@require_POST
@project_view(Right.VERIFY)
def seen(request: HttpRequest, project: Project, notice_id: int) -> HttpResponse:
    """Put the notice away for everybody and go on to the evidence."""
    try:
        notice = notice_seen(project=project, notice_id=notice_id, actor=request.user)
    except StatusNotice.DoesNotExist as error:
        raise Http404 from error
    return redirect("verification:panel", project.pk, notice.verification_id)

"""Error pages: 400, 403, 404, 500, and a form whose security token is out of date."""

from __future__ import annotations

from urllib.parse import urlsplit

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template import TemplateDoesNotExist
from django.template.loader import render_to_string
from django.views.decorators.csrf import requires_csrf_token

from litapp.web.signed_out import posted_fields, readable_fields, typed_in


@requires_csrf_token
def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """400: the request could not be read."""
    return render(request, "400.html", status=400)


@requires_csrf_token
def forbidden(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """403 outside projects (inside, `projects.permissions` answers with a sentence)."""
    return render(request, "403.html", status=403)


@requires_csrf_token
def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """404."""
    return render(request, "404.html", {"typed": typed_in(request)}, status=404)


def server_error(request: HttpRequest) -> HttpResponse:
    """500: without context processors, because one of them may be what failed."""
    try:
        return HttpResponse(render_to_string("500.html"), status=500)
    except TemplateDoesNotExist:
        return HttpResponse("<!doctype html><title>Error</title><h1>Something went wrong in LitLedger</h1>", status=500)


@requires_csrf_token
def form_out_of_date(request: HttpRequest, reason: str = "") -> HttpResponse:
    """403 for a form whose token is stale (signed in anew in another tab): gives back what was typed.

    The fields are shown only when the browser says that the form came from this very site and somebody is signed in;
    sending them again takes a click and a fresh token.
    """
    ours = urlsplit(request.headers.get("Origin") or request.headers.get("Referer") or "").netloc == request.get_host()
    offer = ours and request.user.is_authenticated and not request.FILES
    fields = posted_fields(request) if offer else ()
    context = {"path": request.path, "fields": fields, "readable": readable_fields(fields)}
    return render(request, "projects/form_out_of_date.html", context, status=403)

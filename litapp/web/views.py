"""The page that gives back a form which arrived while signed out, and sends it again."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from litapp.web.signed_out import forget_form, kept_form, sign_in_first


@never_cache
@require_GET
def unsent(request: HttpRequest) -> HttpResponse:
    """Show what was typed before the session was lost, with a button that sends it again. Shown until it is sent."""
    if not request.user.is_authenticated:
        return sign_in_first(request)
    form = kept_form(request)
    if form is None:
        forget_form(request)
        return redirect("start")
    return render(request, "projects/unsent.html", {"form_kept": form, "fields": form.fields})

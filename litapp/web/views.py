"""The page that gives back a form which arrived while signed out, and sends it again."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from litapp.web.signed_out import forget_form, kept_form, readable_fields, sign_in_first


@never_cache
@require_http_methods(["GET", "POST"])
def unsent(request: HttpRequest) -> HttpResponse:
    """Show what was typed before the session was lost.

    POST sends the browser with the same form on to where it was meant to go (307 keeps method and fields), or drops it
    (`discard`).
    """
    if not request.user.is_authenticated:
        return sign_in_first(request)
    form = kept_form(request)
    if request.method == "POST":
        forget_form(request)
        if form is None or request.POST.get("discard"):
            return redirect("start")
        return redirect(form.path, preserve_request=True)
    if form is None:
        forget_form(request)
        return redirect("start")
    context = {"path": request.path, "fields": form.fields, "readable": readable_fields(form.fields), "kept": True}
    return render(request, "projects/unsent.html", context)

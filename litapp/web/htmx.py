"""Answers to htmx: which part of a page is wanted, and how a poll is told that nothing changed."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils.cache import patch_vary_headers


def wants_part(request: HttpRequest) -> bool:
    """True when htmx asked for a part of the page: not when it restores history, nor for a boosted link."""
    details = getattr(request, "htmx", None)
    if not details:
        return False
    return not details.history_restore_request and not details.boosted


def render_part(
    request: HttpRequest, template: str, part: str, context: dict[str, Any], *, status: int = 200
) -> HttpResponse:
    """The partial `part` of `template` for htmx, the whole page for everybody else; varies by HX-Request."""
    name = f"{template}#{part}" if wants_part(request) else template
    response = render(request, name, context, status=status)
    patch_vary_headers(response, ["HX-Request"])
    return response


def fingerprint(state: object) -> str:
    """A short name of `state` (anything JSON can hold, or str() can name); equal states have equal names."""
    text = json.dumps(state, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def unchanged() -> HttpResponse:
    """204: the poll found nothing new, the screen stays as it is."""
    return HttpResponse(status=204)


class SeeOther(HttpResponseRedirect):
    """303: what the form did is to be seen at another address."""

    status_code = 303


def redirect_page(request: HttpRequest, address: str) -> HttpResponse:
    """Move the whole page to `address`: 303 for a form, HX-Redirect (204) for htmx."""
    if wants_part(request):
        response = HttpResponse(status=204)
        response["HX-Redirect"] = address
        return response
    return SeeOther(address)

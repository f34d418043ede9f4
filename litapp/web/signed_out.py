"""What happens to a request whose session is gone: to the sign-in page and back, with nothing typed lost.

A form sent while signed out is kept in the (anonymous) session, which Django carries over the sign-in; the page
`web:unsent` then shows it and sends it again when the person says so.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import wraps
from typing import Any
from urllib.parse import urlencode, urlsplit

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import resolve_url
from django.urls import reverse
from django.utils.cache import patch_cache_control
from django.utils.http import url_has_allowed_host_and_scheme

SESSION_KEY = "unsent_form"
KEPT_SECONDS = 30 * 60
MOST_CHARACTERS = 400_000


@dataclass(frozen=True, slots=True)
class UnsentForm:
    """A form that arrived without a session. `fields` are (name, value) pairs in the order sent, without the CSRF
    token; `sent_at` is Unix seconds."""

    path: str
    fields: tuple[tuple[str, str], ...]
    sent_at: float

    @property
    def is_fresh(self) -> bool:
        return time.time() - self.sent_at < KEPT_SECONDS


def posted_fields(request: HttpRequest) -> tuple[tuple[str, str], ...]:
    """The (name, value) pairs of a posted form, in order, without the CSRF token."""
    return tuple(
        (name, str(value)) for name, values in request.POST.lists() for value in values if name != "csrfmiddlewaretoken"
    )


NOT_SHOWN = ("request_id", "revision", "version", "content_hash", "then", "_FORMS")
"""Ends of the names of fields that mean nothing to a reader."""


def readable_fields(fields: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """(label, text) of the fields worth reading again: what people type or choose, blank ones left out."""
    return [(_label(name), value) for name, value in fields if value.strip() and not name.endswith(NOT_SHOWN)]


def _label(name: str) -> str:
    """A field's name in words: "queries-0-boolean" is the first query's."""
    counted = re.sub(r"^queries-(\d+)-", lambda match: f"query {int(match[1]) + 1} ", name)
    return re.sub(r"[-_]+", " ", counted).capitalize()


def typed_in(request: HttpRequest) -> list[tuple[str, str]]:
    """What a form held that is turned away for good, so that the page which says so can give it back; else nothing."""
    return readable_fields(posted_fields(request)) if request.method == "POST" and request.user.is_authenticated else []


def keep_form(request: HttpRequest) -> bool:
    """Keep the posted form in the session; False when it is too large (a file, over 400,000 characters)."""
    fields = posted_fields(request)
    if request.FILES or sum(len(name) + len(value) for name, value in fields) > MOST_CHARACTERS:
        return False
    request.session[SESSION_KEY] = json.dumps({"path": request.path, "fields": fields, "sent_at": time.time()})
    return True


def kept_form(request: HttpRequest) -> UnsentForm | None:
    """The form kept in this session, or None when there is none or it is older than 30 minutes."""
    text = request.session.get(SESSION_KEY)
    if not text:
        return None
    data = json.loads(text)
    form = UnsentForm(data["path"], tuple((name, value) for name, value in data["fields"]), data["sent_at"])
    return form if form.is_fresh else None


def forget_form(request: HttpRequest) -> None:
    """Drop the kept form."""
    request.session.pop(SESSION_KEY, None)


def page_of(request: HttpRequest) -> str:
    """The address the person looks at: for an htmx request the page around it, else the request's own.

    A foreign or unreadable HX-Current-URL falls back to the request's path.
    """
    current = request.headers.get("HX-Current-URL", "")
    if current and url_has_allowed_host_and_scheme(current, {request.get_host()}, require_https=request.is_secure()):
        parts = urlsplit(current)
        return parts.path + (f"?{parts.query}" if parts.query else "")
    return request.get_full_path() if request.method in {"GET", "HEAD"} else request.path


def sign_in_first(request: HttpRequest) -> HttpResponse:
    """Send the person to the sign-in page and, after it, back here or to the form that was kept.

    An htmx request gets status 401 with HX-Redirect, so that the whole page moves and not a part of it.
    """
    back = page_of(request)
    if request.method == "POST":
        back = reverse("unsent") if keep_form(request) else back
    target = f"{resolve_url(settings.LOGIN_URL)}?{urlencode({'next': back})}"
    if request.headers.get("HX-Request"):
        response = HttpResponse(status=401)
        response["HX-Redirect"] = target
        return response
    return HttpResponseRedirect(target)


def kept_private(response: HttpResponse) -> HttpResponse:
    """The page of one person: no cache shared with others may hold it, unless the view has said more itself."""
    if not response.has_header("Cache-Control"):
        patch_cache_control(response, private=True, no_cache=True)
    return response


def signed_in(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Decorator of a page that needs a signed-in person but no project; see `sign_in_first`."""

    @wraps(view)
    def checked(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not request.user.is_authenticated:
            return sign_in_first(request)
        return kept_private(view(request, *args, **kwargs))

    return checked

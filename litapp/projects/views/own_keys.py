"""A person's own keys for the sources, outside of any project: add, replace, remove. A key is never shown again."""

from __future__ import annotations

from dataclasses import dataclass

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from litapp.projects.forms import OwnKeyForm
from litapp.projects.models import OwnKey
from litapp.projects.services.own_keys import (
    KEYED_SOURCES,
    BadKey,
    own_key_delete,
    own_key_save,
    readable,
)
from litapp.providers.registry import source as source_of


@dataclass(frozen=True, slots=True)
class KeyShown:
    """One source on the page. `row` None = no own key; `readable` False = it has to be entered again."""

    source: str
    label: str
    advice: str
    row: OwnKey | None
    readable: bool
    form: OwnKeyForm


@sensitive_post_parameters("key")
@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def own_keys(request: HttpRequest) -> HttpResponse:
    """The page; POST saves or removes the key of one source."""
    user = request.user
    assert isinstance(user, User)
    if request.method == "GET":
        return _page(request, user)
    source = request.POST.get("source", "")
    if source not in KEYED_SOURCES:
        return _page(request, user, status=422)
    if "remove" in request.POST:
        if own_key_delete(user=user, source=source):
            messages.success(request, f"Your key for {KEYED_SOURCES[source]} was removed.")
        return redirect("account_keys")
    form = OwnKeyForm(request.POST, auto_id=f"id_{source}_%s")
    if form.is_valid():
        try:
            own_key_save(user=user, source=source, key=form.cleaned_data["key"])
        except BadKey as error:
            form.add_error("key", str(error))
        else:
            messages.success(request, f"Your key for {KEYED_SOURCES[source]} was saved. What you start now uses it.")
            return redirect("account_keys")
    return _page(request, user, faulty={source: form}, status=422)


def _page(
    request: HttpRequest, user: User, *, faulty: dict[str, OwnKeyForm] | None = None, status: int = 200
) -> HttpResponse:
    rows = {row.source: row for row in OwnKey.objects.filter(user=user)}
    forms = faulty or {}
    shown = [
        KeyShown(
            source=key,
            label=label,
            advice=source_of(key).key_advice,
            row=rows.get(key),
            readable=key not in rows or readable(rows[key]),
            form=forms.get(key) or OwnKeyForm(auto_id=f"id_{key}_%s"),
        )
        for key, label in KEYED_SOURCES.items()
    ]
    return render(request, "account/keys.html", {"shown": shown}, status=status)

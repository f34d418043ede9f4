"""The checker of published PRISMA flows: a pasted text or a file in, violated rules and remarks out. Keeps nothing."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from litapp.core.prisma.check import FlowCheck, check_file
from litapp.core.prisma.published import NotAFlow

LARGEST = 1_000_000
"""Bytes of a file, characters of a text: a flow has a few kilobytes."""


class FlowForm(forms.Form):
    """A pasted text or a file, not both."""

    text = forms.CharField(
        label="Numbers",
        required=False,
        strip=False,
        max_length=LARGEST,
        widget=forms.Textarea(attrs={"rows": 10, "spellcheck": "false", "autocomplete": "off"}),
    )
    file = forms.FileField(
        label="Or a file",
        required=False,
        widget=forms.ClearableFileInput(attrs={"accept": ".json,.csv,.tsv,.txt"}),
        error_messages={"empty": "The file is empty."},
    )

    def clean(self) -> dict[str, Any]:
        """One of both."""
        data = super().clean() or {}
        text, file = (data.get("text") or "").strip(), data.get("file")
        if self.errors:
            return data
        if text and file:
            self.add_error("file", "Paste a text or choose a file, not both.")
        if not text and not file:
            self.add_error("text", "Paste the numbers here, or choose a file.")
        if file and file.size > LARGEST:
            self.add_error("file", f"The file is larger than {LARGEST // 1_000_000} MB. A flow is a few kilobytes.")
        return data


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def check_prisma(request: HttpRequest) -> HttpResponse:
    """The form; with a flow, what is right and wrong with it."""
    if request.method == "GET":
        return _page(request, FlowForm())
    form = FlowForm(request.POST, request.FILES)
    if not form.is_valid():
        return _page(request, form, status=422)
    file = form.cleaned_data["file"]
    try:
        found = check_file(file.read() if file else form.cleaned_data["text"], file.name if file else "")
    except NotAFlow as refusal:
        form.add_error("file" if file else "text", str(refusal))
        return _page(request, form, status=422)
    return _page(request, form, found, file.name if file else "")


def _page(
    request: HttpRequest, form: FlowForm, found: FlowCheck | None = None, name: str = "", *, status: int = 200
) -> HttpResponse:
    return render(
        request, "searches/prisma_check.html", {"form": form, "found": found, "file_name": name}, status=status
    )

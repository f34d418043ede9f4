"""Addresses and small pages for the tests of the design system: the style guide and answers that go wrong."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.template import engines
from django.urls import include, path

PROJECT = SimpleNamespace(pk=1, name="Dexamethasone in severe COVID-19", sandbox=True)
COUNTS = {"plans": "v3", "runs": 2, "undecided": 312, "candidates": 1480, "references": 0, "members": 4}


def guide(request: HttpRequest, **_: Any) -> HttpResponse:
    """The style guide, as a page of a project."""
    return render(request, "styleguide.html", {"project": PROJECT, "nav_counts": COUNTS})


def bare(request: HttpRequest) -> HttpResponse:
    """The style guide outside a project."""
    return render(request, "styleguide.html")


WORKBENCH = """
{% extends "base.html" %}{% load litledger %}
{% block title %}Workbench{% endblock %}
{% block content %}
<h1>Workbench</h1>
<div id="target">nothing yet</div>
<a id="get" href="/part/" hx-get="/part/" hx-target="#target">Get</a>
<a id="fault" href="/fault/" hx-get="/fault/" hx-target="#target">Fault</a>
<a id="wrong" href="/wrong/" hx-get="/wrong/" hx-target="#target">Wrong</a>
<a id="door" href="/door/" hx-get="/door/" hx-target="#target">Door</a>
<a id="offer" href="/offer/" hx-get="/offer/" hx-target="#dialog">Offer</a>
<form id="decide" method="post" action="/decide/" hx-post="/decide/" hx-target="#target" data-decision>
  <button type="submit" data-key="v">Include</button></form>
<form id="broken" method="post" action="/fault/" hx-post="/fault/" hx-target="#target" data-decision>
  <button type="submit">Include broken</button></form>
<form id="plain" method="post" action="/plain/">{% csrf_token %}<button type="submit">Plain</button></form>
{% include "partials/unsent.html" %}
<ul data-rows><li data-row tabindex="-1"><a href="#one" data-key="o Enter">One</a></li>
<li data-row tabindex="-1"><a href="#two" data-key="o Enter">Two</a></li></ul>
<label>Text <input id="text"></label>
<p id="said">10.1000/x</p><button type="button" id="copy" data-copy-from="#said">Copy</button>
{% endblock %}
"""


def workbench(request: HttpRequest) -> HttpResponse:
    """Controls whose answers go right and wrong."""
    return HttpResponse(engines["django"].from_string(WORKBENCH).render({}, request))


def part(request: HttpRequest) -> HttpResponse:
    return HttpResponse('<h2 id="arrived" data-focus-after-swap>Arrived</h2>')


def fault(request: HttpRequest) -> HttpResponse:
    return HttpResponse("Traceback of a server", status=500)


def wrong(request: HttpRequest) -> HttpResponse:
    return HttpResponse('<p id="refused">This field is required.</p>', status=422)


def door(request: HttpRequest) -> HttpResponse:
    return redirect("account_login")


def offer(request: HttpRequest) -> HttpResponse:
    return HttpResponse(
        '<dialog class="dialog" data-dialog-auto aria-label="Offer">'
        '<button type="button" data-dialog-close>Close</button></dialog>'
    )


POSTED: list[str] = []


def decide(request: HttpRequest) -> HttpResponse:
    POSTED.append(request.path)
    return HttpResponse("decided")


def plain(request: HttpRequest) -> HttpResponse:
    POSTED.append(request.path)
    return redirect("/workbench/")


urlpatterns = [
    path("", bare),
    path("guide/", guide),
    path("workbench/", workbench),
    path("part/", part),
    path("fault/", fault),
    path("wrong/", wrong),
    path("door/", door),
    path("offer/", offer),
    path("decide/", decide),
    path("plain/", plain),
    path("", include("litapp.urls")),
]

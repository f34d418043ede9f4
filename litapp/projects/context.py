"""Template variables of every page of a project."""

from __future__ import annotations

from django.http import HttpRequest

from litapp.projects.permissions import rights_of


def project(request: HttpRequest) -> dict[str, object]:
    """`project`, `membership` and `can` (rights: `{% if can.plan %}`); nothing outside a project. No queries."""
    membership = getattr(request, "membership", None)
    if membership is None:
        return {}
    return {
        "project": membership.project,
        "membership": membership,
        "can": {right.value: True for right in rights_of(membership)},
    }

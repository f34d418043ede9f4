"""Looks MeSH up: headings for words, one heading in the tree, and NLM itself for what is not at hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpResponse
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from litapp.core.mesh import CREDIT, MeshHeading, MeshIndex
from litapp.core.querylang import Field, Term
from litapp.core.querylang.printer import print_leaf
from litapp.ledger.services.mesh import InstalledMesh, mesh_ask
from litapp.projects.models import Project
from litapp.projects.permissions import ProjectRequest, Right, project_view
from litapp.providers.base import SourceError
from litapp.web.htmx import redirect_page, render_part

MOST_FOUND = 20
MOST_BELOW = 40


@dataclass(frozen=True, slots=True)
class TreePlace:
    """One place of a heading: what stands above and right below it, and how many places explosion adds."""

    number: str
    above: tuple[MeshHeading, ...]
    below: tuple[MeshHeading, ...]
    more_below: int
    all_below: int


@dataclass(frozen=True, slots=True)
class HeadingShown:
    """A heading with its places and as it is written in a PubMed query."""

    heading: MeshHeading
    places: tuple[TreePlace, ...]
    exploded: str
    alone: str


@project_view(Right.VIEW)
@never_cache
@require_GET
def mesh(request: ProjectRequest, project: Project) -> HttpResponse:
    """`q` words to look up, or `heading` (a name): a part of the plan's form with `into` (its query), else a page."""
    installed = InstalledMesh()
    words, name = request.GET.get("q", "").strip()[:200], request.GET.get("heading", "").strip()[:300]
    into = request.GET.get("into", "")
    found = installed.index.find(words, MOST_FOUND + 1) if words else []
    exact = installed.heading(words) if words else None
    if exact is not None and exact not in found:
        found.insert(0, exact)
    heading = installed.heading(name) if name else None
    wanted = words or name
    context: dict[str, Any] = {
        "words": words,
        "into": into if into.isdigit() and len(into) < 4 else "",
        "found": found[:MOST_FOUND],
        "more": len(found) > MOST_FOUND,
        "shown": _shown(heading, installed.index) if heading else None,
        "unknown": wanted if wanted and heading is None and exact is None else "",
        "none_at_nlm": bool(wanted) and installed.surely_absent(wanted),
        "close": [] if found or heading or not wanted else installed.close(wanted),
        "edition": installed.edition,
        "headings": len(installed.index),
        "credit": CREDIT,
    }
    return render_part(request, "searches/mesh.html", "found", context)


@project_view(Right.PLAN)
@require_POST
def mesh_ask_nlm(request: ProjectRequest, project: Project) -> HttpResponse:
    """Ask NLM for a heading that the file at hand does not have; what it says is kept."""
    name = request.POST.get("name", "").strip()[:300]
    try:
        said = mesh_ask(name=name)
    except SourceError as error:
        why = f"{error.message} {error.hint}".strip()
        messages.error(request, f"NLM could not be asked, so nothing is known of “{name}”. {why}")
    else:
        if said.heading:
            messages.success(request, f"NLM has the heading “{said.heading.name}”. It can be used from now on.")
        elif said.none:
            messages.info(request, f"NLM has no heading “{name}”.")
        else:
            messages.info(request, f"NLM's answer does not say whether there is a heading “{name}”.")
    query = {"q": name, **({"into": into} if (into := request.POST.get("into", "")) else {})}
    return redirect_page(request, f"{reverse('searches:mesh', args=[project.pk])}?{urlencode(query)}")


def _shown(heading: MeshHeading, index: MeshIndex) -> HeadingShown:
    places = []
    for number in heading.tree_numbers:
        below = [narrower for _, narrower in index.below(number)]
        places.append(
            TreePlace(
                number,
                tuple(index.above(number)),
                tuple(below[:MOST_BELOW]),
                max(0, len(below) - MOST_BELOW),
                index.count_below(number),
            )
        )
    term = Term(heading.name, Field.MESH, phrase=True)
    alone = Term(heading.name, Field.MESH, phrase=True, explode=False)
    return HeadingShown(heading, tuple(places), print_leaf(term), print_leaf(alone))

"""Buttons of the plan's form for published filters and for a limit to journals, and their hits before and after."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.http import HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from litapp.core.filters import WrongDatabase, filter_of
from litapp.core.filters.applied import with_filter, without_filter
from litapp.core.querylang import QuerySyntaxError
from litapp.core.querylang.draft import Origin
from litapp.core.querylang.editing import grid_of, with_part
from litapp.projects.models import Project
from litapp.projects.permissions import ProjectRequest, Right, project_view
from litapp.web.htmx import render_part
from searches.services.hits import pubmed_hits
from searches.services.plan_repair import BeforeAfter
from searches.services.query_check import RepairGone
from searches.services.venue_limit import venue_limit
from searches.views.plan_repairs import query_text

if TYPE_CHECKING:
    from searches.views.plan_typing import Typed


def put_filter(typed: Typed, rest: str) -> None:
    """`filter:<query>:<key>`."""
    query, key = _named(rest)
    text = query_text(typed.data, query)
    try:
        found = filter_of(key)
        edited = with_filter(text, found)
    except KeyError:
        raise RepairGone from None
    except (WrongDatabase, ValueError) as refusal:
        if isinstance(refusal, QuerySyntaxError):
            raise
        typed.refused.append(str(refusal))
        return
    typed.write(query, edited, f"The filter “{found.name}” is in the query. {found.citation}")
    new = {term for block in grid_of(edited) for term in block.terms} - {
        term for block in grid_of(text) for term in block.terms
    }
    typed.came_from(dict.fromkeys(sorted(new), Origin.FILTER.value))


def take_filter(typed: Typed, rest: str) -> None:
    """`filter_out:<query>:<key>`."""
    query, key = _named(rest)
    try:
        found = filter_of(key)
        edited = without_filter(query_text(typed.data, query), found)
    except KeyError:
        raise RepairGone from None
    except ValueError as refusal:
        if isinstance(refusal, QuerySyntaxError):
            raise
        typed.refused.append(str(refusal))
        return
    typed.write(query, edited, f"The filter “{found.name}” is taken out.")


def put_venues(typed: Typed, rest: str) -> None:
    """`venues:<query>`, with the journals in `queries-<query>-venues`."""
    query, _ = _named(rest)
    text = query_text(typed.data, query)
    try:
        limit = venue_limit(str(typed.data.get(f"queries-{query}-venues", "")))
    except ValueError as refusal:
        typed.refused.append(str(refusal))
        return
    if not text.strip():
        typed.refused.append("Write the query first; journals alone find everything in them.")
        return
    typed.write(query, with_part(text, limit.text), "The query is limited to these journals.")
    if limit.unknown:
        names = ", ".join(f"“{name}”" for name in limit.unknown)
        typed.notes.append(f"Not in the list of journals at hand, so check the spelling: {names}.")


@project_view(Right.PLAN)
@never_cache
@require_POST
def filter_count(request: ProjectRequest, project: Project) -> HttpResponse:
    """PubMed's hits of a query without and with a filter or a limit to journals."""
    context: dict[str, object] = {}
    kind, _, rest = request.POST.get("then", "").partition(":")
    query, key = _named(rest)
    text = query_text(request.POST, query)
    try:
        if kind == "venues":
            edited = with_part(text, venue_limit(request.POST.get(f"queries-{query}-venues", "")).text)
        else:
            edited = with_filter(text, filter_of(key))
        before, after = pubmed_hits([text, edited], user_id=request.user.pk)
        context["hits"] = BeforeAfter(before, after)
    except KeyError:
        context["refused"] = "There is no such filter."
    except QuerySyntaxError as error:
        context["refused"] = f"The query cannot be read yet. {error.message}"
    except ValueError as refusal:
        context["refused"] = str(refusal)
    return render_part(request, "searches/plan_repair_hits.html", "hits", context)


def _named(rest: str) -> tuple[int, str]:
    number, _, key = rest.partition(":")
    return (int(number) if number.isascii() and number.isdigit() and len(number) < 4 else -1), key

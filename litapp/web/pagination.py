"""Pages of a long list: numbers that stay in range, and addresses that keep the other query parameters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import QuerySet
from django.http import HttpRequest


@dataclass(frozen=True, slots=True)
class PageLink:
    """One entry of the pager: a number with its address, or a gap (number 0)."""

    number: int
    address: str = ""
    current: bool = False


@dataclass(frozen=True, slots=True)
class ListPage:
    """One page of a list, with what its pager shows. `first` and `last` are 1-based places in the whole list."""

    items: list[Any]
    number: int
    pages: int
    total: int
    first: int
    last: int
    links: tuple[PageLink, ...]
    previous: str
    next: str

    @property
    def has_others(self) -> bool:
        return self.pages > 1


def page_of_list(
    request: HttpRequest, rows: QuerySet[Any] | Sequence[Any], *, size: int, total: int | None = None
) -> ListPage:
    """The page that `?page=` asks for; a number out of range or no number gives the nearest page. Two queries; one
    where `total`, the number of rows, is known."""
    paginator = Paginator(rows, size)
    if total is not None:
        paginator.count = total
    page = paginator.get_page(request.GET.get("page"))
    return ListPage(
        items=list(page.object_list),
        number=page.number,
        pages=page.paginator.num_pages,
        total=page.paginator.count,
        first=page.start_index(),
        last=page.end_index(),
        links=_links(request, page),
        previous=_address(request, page.number - 1) if page.has_previous() else "",
        next=_address(request, page.number + 1) if page.has_next() else "",
    )


def _address(request: HttpRequest, number: int) -> str:
    query = request.GET.copy()
    query["page"] = str(number)
    return f"?{query.urlencode()}"


def _links(request: HttpRequest, page: Page[Any]) -> tuple[PageLink, ...]:
    numbers = page.paginator.get_elided_page_range(page.number, on_each_side=2, on_ends=1)
    return tuple(
        PageLink(number, _address(request, number), number == page.number) if isinstance(number, int) else PageLink(0)
        for number in numbers
    )

"""Tags for moving about: navigation links, table heads that sort, key hints."""

from __future__ import annotations

from typing import Any

from django import template
from django.template import Context
from django.urls import NoReverseMatch, reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from litapp.web.templatetags.icons import icon

register = template.Library()


@register.simple_tag
def kbd(key: str) -> SafeString:
    """A key hint inside a control. Hidden from screen readers (the control carries aria-keyshortcuts) and where the
    reader switched single keys off."""
    return format_html('<kbd class="key" aria-hidden="true">{}</kbd>', key)


@register.simple_tag(takes_context=True)
def nav_link(
    context: Context, text: str, view: str, *args: Any, icon_name: str = "", count: Any = None, match: str = ""
) -> SafeString:
    """An entry of the side navigation to the view name `view`; nothing where that address does not exist.

    Marked as current on `view` and on every view name that starts with one of the space-separated `match`.
    `count` may be a number or a short text; None shows nothing (0 is shown).
    """
    try:
        href = reverse(view, args=args)
    except NoReverseMatch:
        return SafeString("")
    request = context.get("request")
    resolved = getattr(request, "resolver_match", None)
    here = resolved.view_name if resolved else ""
    current = here == view or any(here.startswith(prefix) for prefix in match.split())
    amount = f"{count:,}" if isinstance(count, int) else count
    return format_html(
        '<li><a class="nav-item" href="{}"{}>{}<span>{}</span>{}</a></li>',
        href,
        mark_safe(' aria-current="page"') if current else "",
        icon(icon_name) if icon_name else "",
        text,
        format_html('<span class="nav-count">{}</span>', amount) if amount not in (None, "") else "",
    )


@register.simple_tag(takes_context=True)
def sort_head(context: Context, key: str, text: str, css: str = "", first: str = "ascending") -> SafeString:
    """A `<th>` whose link sorts by `key` (query parameter `sort`, "-key" = descending). `first` is the way of the
    first click. Keeps the other parameters and goes back to page one."""
    request = context["request"]
    current = request.GET.get("sort", context.get("sort", "")) or ""
    order = {key: "ascending", f"-{key}": "descending"}.get(current, "")
    ascending_next = order == "descending" or (not order and first == "ascending")
    following = key if ascending_next else f"-{key}"
    query = request.GET.copy()
    query["sort"] = following
    query.pop("page", None)
    sign = {"ascending": "arrow-up", "descending": "arrow-down"}.get(order)
    return format_html(
        '<th scope="col"{}{}><a class="sort" href="?{}">{}{}</a></th>',
        format_html(' class="{}"', css) if css else "",
        format_html(' aria-sort="{}"', order) if order else "",
        query.urlencode(),
        text,
        icon(sign) if sign else "",
    )

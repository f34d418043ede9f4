"""The icon tag: `{% icon "shield-check" %}`; with `label="Verified"` the icon speaks for itself."""

from __future__ import annotations

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from litapp.web.templatetags.icon_shapes import SHAPES

register = template.Library()


@register.simple_tag
def icon(name: str, label: str = "", large: bool = False) -> SafeString:
    """Inline SVG of the set in `icon_shapes`. Without `label` it is decoration and hidden from screen readers.

    Raises LookupError for a name that is not in the set: a page with a missing icon is a mistake to find in tests.
    """
    if name not in SHAPES:
        raise LookupError(f"No icon is called {name!r}; the set is in litapp/web/templatetags/icon_shapes.py")
    voice = format_html('role="img" aria-label="{}"', label) if label else mark_safe('aria-hidden="true"')
    return format_html(
        '<svg class="{}" viewBox="0 0 16 16" fill="none" stroke="currentColor" stroke-width="1.5"'
        ' stroke-linejoin="round" {} focusable="false">{}</svg>',
        "icon icon-large" if large else "icon",
        voice,
        mark_safe(SHAPES[name]),  # noqa: S308 - our own drawings
    )

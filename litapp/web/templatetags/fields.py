"""Form tags: a field as one accessible block, and a whole form with its error summary."""

from __future__ import annotations

from typing import Any

from django import template
from django.forms import BaseForm, BoundField
from django.forms.widgets import CheckboxInput, CheckboxSelectMultiple, RadioSelect, Textarea
from django.template.loader import render_to_string
from django.utils.html import format_html
from django.utils.safestring import SafeString

register = template.Library()


def field_context(bound: BoundField, **options: Any) -> dict[str, Any]:
    """What `partials/field.html` needs: the kind of control and the control itself, with its error marked."""
    widget = bound.field.widget
    if isinstance(widget, (CheckboxSelectMultiple, RadioSelect)):
        kind = "group"
    elif isinstance(widget, CheckboxInput):
        kind = "checkbox"
    else:
        kind = "control"
    attrs: dict[str, Any] = {}
    if isinstance(widget, Textarea) and options.get("query"):
        attrs |= {"class": "query-input", "spellcheck": "false", "autocapitalize": "off", "autocomplete": "off"}
    if options.get("rows"):
        attrs["rows"] = options["rows"]
    if options.get("focus"):
        attrs["autofocus"] = True
    if options.get("placeholder"):
        attrs["placeholder"] = options["placeholder"]
    elif options.get("plain") and widget.attrs.get("placeholder"):
        attrs["placeholder"] = ""
    return {
        "field": bound,
        "kind": kind,
        "control": bound.as_widget(attrs=attrs) if kind != "group" else "",
        "label": options.get("label") or bound.label,
        "help": options.get("help") or bound.help_text,
        "hide_label": bool(options.get("hide_label")),
        "show_optional": not bound.field.required and not options.get("plain") and kind == "control",
        "css": options.get("css", ""),
        "inline": bool(options.get("inline")),
    }


@register.simple_tag
def field(bound: BoundField, **options: Any) -> SafeString:
    """Label, help, control and errors of one form field: `{% field form.name %}`.

    Options: label, help, placeholder, rows, css (more classes on the block), query (a search string: monospace, no
    spelling), hide_label (kept for screen readers), plain (no "optional", no placeholder), inline (choices in a row),
    focus.
    """
    if bound.is_hidden:
        return SafeString(str(bound))
    return SafeString(render_to_string("partials/field.html", field_context(bound, **options)))


@register.simple_tag
def error_summary(form: BaseForm, focus: bool = True) -> SafeString:
    """All errors of a bound form at one place, each linked to its field; empty where there is none. Takes the focus."""
    if not form.is_bound or not form.errors:
        return SafeString("")
    problems = [(bound, bound.errors) for bound in form if bound.errors]
    return SafeString(
        render_to_string("partials/error_summary.html", {"form": form, "problems": problems, "focus": focus})
    )


@register.simple_tag
def form_fields(form: BaseForm, **options: Any) -> SafeString:
    """Error summary and every field of a form, hidden ones too. With `focus` its first field takes the focus, unless
    there are errors: then the summary does."""
    first = next(iter(form.visible_fields()), None) if options.pop("focus", False) and not form.errors else None
    blocks = [error_summary(form)]
    for bound in form:
        name = {"focus": True} if first is not None and bound.name == first.name else {}
        blocks.append(field(bound, **options, **name))
    return format_html("{}" * len(blocks), *blocks)

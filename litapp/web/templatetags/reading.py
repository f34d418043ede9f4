"""Filters for what is read: titles with their markup, authors, numbers, times, identifiers."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any
from urllib.parse import quote

from django import template
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from litapp.core.identifiers import identifier_url
from litapp.core.markup import plain_text, safe_html
from litapp.core.records import Identifier, Scheme
from litapp.providers.registry import SOURCES

register = template.Library()


def _author(person: Any) -> str:
    """One author as "Horby P": family name and initials; a group or a plain string as it is."""
    if isinstance(person, str):
        return person
    literal = person.get("literal", "") if isinstance(person, dict) else person.literal
    if literal:
        return str(literal)
    family = person.get("family", "") if isinstance(person, dict) else person.family
    given = person.get("given", "") if isinstance(person, dict) else person.given
    names = str(given).replace(".", " ").replace("-", " ").split()
    initials = (
        "".join(names)
        if len(names) == 1 and names[0].isupper() and len(names[0]) <= 3
        else "".join(name[0] for name in names)
    )
    return f"{family} {initials}".strip()


@register.filter
def short_authors(authors: Iterable[Any] | None, most: int = 3) -> str:
    """Authors on one line: all up to `most`, else the first ones, an ellipsis and the last one.

    "Horby P, Lim W, … Landray M". Takes Person objects, their dict form, or strings.
    """
    names = [name for name in (_author(person) for person in authors or ()) if name]
    if len(names) <= int(most):
        return ", ".join(names)
    return f"{', '.join(names[: int(most) - 1])}, … {names[-1]}"


@register.filter
def markup(text: str | None) -> SafeString:
    """A title or abstract with its italics, bold, sub- and superscripts; everything else in it is shown as text."""
    return SafeString(safe_html(text or ""))


@register.filter
def plain(text: str | None) -> str:
    """A title without markup, for attributes and page titles."""
    return plain_text(text or "")


@register.filter
def thousands(number: Any) -> str:
    """2214 as "2,214"; an em dash where the number is not known (never 0)."""
    return "—" if number is None else f"{int(number):,}"


@register.filter
def when(moment: datetime | None) -> SafeString | str:
    """A time as people say it ("today 09:14", "14 Nov 2026 09:14"), exact in the title and for machines."""
    if moment is None:
        return ""
    local = timezone.localtime(moment)
    days = (timezone.localdate() - local.date()).days
    if days == 0:
        text = f"today {local:%H:%M}"
    elif days == 1:
        text = f"yesterday {local:%H:%M}"
    else:
        text = f"{local.day} {local:%b %Y %H:%M}"
    return format_html(
        '<time datetime="{}" title="{}">{}</time>', local.isoformat(), f"{local:%Y-%m-%d %H:%M:%S %Z}", text
    )


def _out(address: str, text: str) -> SafeString:
    return format_html('<a href="{}" rel="noopener noreferrer external">{}</a>', address, text)


@register.filter
def doi_link(doi: str) -> SafeString | str:
    """A DOI as a link to its resolver."""
    return _out(f"https://doi.org/{quote(doi, safe='/:;()._-')}", doi) if doi else ""


@register.filter
def pmid_link(pmid: str) -> SafeString | str:
    """A PMID as a link to PubMed."""
    return _out(f"https://pubmed.ncbi.nlm.nih.gov/{quote(pmid, safe='')}/", pmid) if pmid else ""


@register.filter
def arxiv_of(record: Any) -> str:
    """The arXiv id of a record or of its dict form; "" where it has none."""
    if isinstance(record, dict):
        named = record.get("identifiers") or ()
        return next((str(one["value"]) for one in named if one.get("scheme") == Scheme.ARXIV.value), "")
    return str(record.identifier(Scheme.ARXIV)) if record else ""


@register.filter
def arxiv_link(number: str) -> SafeString | str:
    """An arXiv id as a link to its page at arXiv."""
    return _out(identifier_url(Identifier(Scheme.ARXIV, number)), number) if number else ""


@register.filter
def mesh_link(number: str) -> SafeString | str:
    """The number of a MeSH heading as a link to its record at NLM."""
    return _out(f"https://meshb.nlm.nih.gov/record/ui?ui={quote(number, safe='')}", number) if number else ""


_LABELS = {source.key: source.label for source in SOURCES}


@register.filter
def source_name(key: str) -> str:
    """The name of a source for people; an unknown key is shown as it is."""
    return "brought by a person" if key == "brought" else _LABELS.get(key, key)

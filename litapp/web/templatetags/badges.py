"""Badges: what may be cited, as icon, word, colour and pattern; a link to the evidence where one is given."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from litapp.providers.registry import SOURCES
from litapp.web.templatetags.icons import icon

register = template.Library()


@dataclass(frozen=True, slots=True)
class BadgeStyle:
    """The look of one kind of badge: word, icon, and the suffix of its CSS class."""

    word: str
    icon: str
    css: str


BADGES: Mapping[str, BadgeStyle] = MappingProxyType(
    {
        "retracted": BadgeStyle("Retracted", "page-x", "retracted"),
        "partly_retracted": BadgeStyle("Partly retracted", "page-x", "concern"),
        "withdrawn": BadgeStyle("Withdrawn", "page-x", "retracted"),
        "concern": BadgeStyle("Expression of concern", "page-alert", "concern"),
        "corrected": BadgeStyle("Corrected", "page-pen", "corrected"),
        "reinstated": BadgeStyle("Reinstated", "page-pen", "corrected"),
        "notice": BadgeStyle("Is a notice", "page", "notice"),
        "verified": BadgeStyle("Verified", "shield-check", "verified"),
        "suspect": BadgeStyle("Suspect", "triangle-alert", "suspect"),
        "unverified": BadgeStyle("Unverified", "circle-dotted", "unverified"),
        "manual": BadgeStyle("Confirmed by a person", "hand", "manual"),
        "preprint": BadgeStyle("Preprint", "page-p", "preprint"),
        "checking": BadgeStyle("Being checked", "hourglass", "checking"),
    }
)
"""Order is rank: what stands first is shown first."""


@register.simple_tag
def badge(kind: str, text: str = "", href: str = "", target: str = "", label: str = "") -> SafeString:
    """One badge. `text` replaces the word ("Verified 4 of 4", "Suspect: year differs").

    With `href` it is a link to the evidence; with `target` (a CSS selector) too, htmx puts the answer there.
    `label` names the paper for screen readers ("of Dexamethasone in ..."). Raises LookupError for an unknown kind.
    """
    if kind not in BADGES:
        raise LookupError(f"No badge is called {kind!r}; the kinds are {', '.join(BADGES)}")
    style = BADGES[kind]
    inner = format_html(
        '{}<span class="badge-text">{}</span>{}',
        icon(style.icon),
        text or style.word,
        format_html('<span class="visually-hidden"> {}</span>', label) if label else "",
    )
    if not href:
        return format_html('<span class="badge badge-{}">{}</span>', style.css, inner)
    fetch = format_html(' hx-get="{}" hx-target="{}"', href, target) if target else ""
    return format_html('<a class="badge badge-{}" href="{}"{}>{}</a>', style.css, href, fetch, inner)


_NAMES = frozenset(word for source in SOURCES for word in source.label.split()) | {"I", "Retraction"}


def _year(date: str) -> str:
    return f" {date[:4]}" if date[:4].isdigit() else ""


def verdict_text(verification: Any) -> str:
    """What the verdict badge says: "Verified 4 of 4", "Suspect: year differs", "Unverified: reason"."""
    status = str(verification.status)
    reasons = [str(reason) for reason in (verification.reasons or ()) if reason]
    if status == "verified":
        return f"Verified {verification.passed} of {verification.asked}" if verification.asked else "Verified"
    if status == "manual":
        person = getattr(verification, "manual_by", None)
        name = (person.get_full_name() or person.get_username()) if person else ""
        return f"Confirmed by {name}" if name else BADGES["manual"].word
    word = BADGES[status].word
    first = reasons[0].rstrip(".") if reasons else ""
    if not first and status == "unverified":
        first = "not checked yet"
    if len(first) > 48:
        first = first[:47].rsplit(" ", 1)[0] + "…"
    return f"{word}: {_in_sentence(first)}" if first else word


def _in_sentence(reason: str) -> str:
    """The reason with a small first letter, unless it begins with a name ("Crossref ...", "DOI ...", "PubMed ...")."""
    word = reason.split(" ", 1)[0]
    keeps = word in _NAMES or not word[1:].islower()
    return reason if keeps else reason[:1].lower() + reason[1:]


@register.simple_tag
def verification_badges(
    verification: Any, href: str = "", target: str = "", preprint: bool = False, label: str = ""
) -> SafeString:
    """All badges of one `Verification`: the publication state first, then the verdict, then "preprint".

    No verification, or one that is still queued without an earlier result, is "being checked", never a verdict.
    """
    parts: list[SafeString] = []
    if verification is not None:
        state = str(verification.publication_state or "")
        if state:
            text = BADGES[state].word + (_year(verification.notice_date) if state in {"retracted", "withdrawn"} else "")
            parts.append(badge(state, text, href, target, label))
    if verification is None:
        parts.append(badge("unverified", "Unverified: not checked yet", "", "", label))
    elif verification.checked_at is None and str(verification.status) != "manual" and verification.is_open:
        parts.append(badge("checking", "", href, target, label))
    else:
        parts.append(badge(str(verification.status), verdict_text(verification), href, target, label))
    if preprint:
        parts.append(badge("preprint"))
    return format_html('<span class="badges">{}</span>', format_html_join("", "{}", ((part,) for part in parts)))


FIT = MappingProxyType({1: ("low", "Low"), 2: ("medium", "Medium"), 3: ("high", "High")})


@register.simple_tag
def fit(level: int | str) -> SafeString:
    """Fit to the plan as bars and a word; `level` is 1 to 3 or "low", "medium", "high"."""
    names = {key: value for value in FIT.values() for key in (value[0],)}
    css, word = FIT[level] if isinstance(level, int) else names[str(level).lower()]
    return format_html(
        '<span class="fit fit-{}"><span class="fit-bars" aria-hidden="true"><i></i><i></i><i></i></span>{}'
        '<span class="visually-hidden"> fit</span></span>',
        css,
        word,
    )


DECISIONS = MappingProxyType(
    {
        "include": ("Included", "check", "include"),
        "exclude": ("Excluded", "x", "exclude"),
        "maybe": ("Maybe", "question", "maybe"),
    }
)


@register.simple_tag
def decision_pill(decision: str, text: str = "") -> SafeString:
    """A decision as a pill; nothing for "" (not decided)."""
    if not decision:
        return SafeString("")
    word, name, css = DECISIONS[str(decision)]
    return format_html('<span class="pill pill-{}">{}{}</span>', css, icon(name), text or word)

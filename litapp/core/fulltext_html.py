"""What a web page is that came in place of a PDF, and the PDF that it names (`citation_pdf_url`). Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import urljoin

from lxml import etree
from lxml import html as lxml_html

from litapp.core.fulltext import Outcome

_LONGEST = 3_000_000
"""Bytes of a page that are read; what names a page stands at its beginning."""
_PROOF_OF_WORK = re.compile(
    r"pow_challenge|proof[- ]of[- ]work|/pow-[\w-]+\.js|preparing to download|making sure you(?:&#39;|')?re not a bot|"
    r"id=[\"']anubis_challenge",
    re.IGNORECASE,
)
_CHALLENGE = re.compile(
    r"just a moment\.\.\.|cf[-_]chl|challenge-platform|checking (?:if the site connection is secure|your browser)|"
    r"verify(?:ing)? (?:that )?you are (?:a )?human|are you a robot|i(?:'|&#39;)?m not a robot|"
    r"unusual (?:traffic|activity)|"
    r"captcha-delivery|incapsula incident|px-captcha|enable javascript and cookies to continue|ddos protection by|"
    r"complete the security check|solve (?:the|this) captcha",
    re.IGNORECASE,
)
_CAPTCHA = re.compile(r"captcha", re.IGNORECASE)
_LOGIN_TITLE = re.compile(r"\b(?:log[ -]?in|sign[ -]?in|single sign[- ]on|authenticat\w+|anmeld\w+)\b", re.IGNORECASE)
_LOGIN = re.compile(
    r"shibboleth|openathens|wayf|discovery service|idp\.|ezproxy|saml(?:request|response|2)|"
    r"<input[^>]+type=[\"']?password",
    re.IGNORECASE,
)
_SELLS = re.compile(
    r"purchase (?:pdf|access|article|this article|instant access|digital access)|buy (?:this )?(?:article|pdf|now)|"
    r"rent (?:this )?article|get access to the full|access through your (?:institution|organization)|"
    r"subscribe to (?:view|read|journal|continue)|pay[- ]per[- ]view|add to cart|full text is available to subscribers|"
    r"you do not (?:currently )?have access|get full text access",
    re.IGNORECASE,
)
_REFRESH = re.compile(r"^\s*\d+(?:\.\d+)?\s*;\s*url\s*=\s*['\"]?([^'\"]+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class WebPage:
    """A page that came where a paper was asked for. `kind` is one of LOGIN, CAPTCHA, PROOF_OF_WORK, PAYWALL, WEB_PAGE.

    `pdf_url` is the PDF it names for itself ("" = none), `refresh_url` where it sends a browser, both absolute; `title`
    and `doi` are what it says of itself.
    """

    kind: Outcome
    title: str = ""
    doi: str = ""
    pdf_url: str = ""
    refresh_url: str = ""


def looks_like_a_page(body: bytes) -> bool:
    """True for HTML, whatever the host calls it."""
    start = body[:2048].lstrip().removeprefix(b"\xef\xbb\xbf").lower()
    return start.startswith((b"<!doctype html", b"<html", b"<head", b"<body", b"<script")) or (
        start.startswith((b"<!--", b"<?xml")) and b"<html" in start
    )


def read_page(body: bytes, *, address: str) -> WebPage:
    """Name a page that came from `address`. Never raises: what cannot be read is a WEB_PAGE without a PDF."""
    text = body[:_LONGEST].decode("utf-8", "replace")
    tree = _tree(text)
    title = " ".join((tree.findtext(".//title") or "").split()) if tree is not None else ""
    metas = _metas(tree)
    refresh = _refresh(tree)
    return WebPage(
        kind=_kind(text, title, bool(metas.get("citation_title") or metas.get("citation_doi"))),
        title=(metas.get("citation_title") or title)[:500],
        doi=metas.get("citation_doi", "").lower().removeprefix("doi:").strip()[:300],
        pdf_url=_absolute(address, metas.get("citation_pdf_url", "")),
        refresh_url=_absolute(address, refresh),
    )


def _tree(text: str) -> lxml_html.HtmlElement | None:
    try:
        return lxml_html.document_fromstring(text.encode(), parser=lxml_html.HTMLParser(encoding="utf-8"))
    except (etree.ParserError, etree.XMLSyntaxError, ValueError):
        return None


def _metas(tree: lxml_html.HtmlElement | None) -> dict[str, str]:
    """The first value of each name among the page's <meta> elements."""
    found: dict[str, str] = {}
    for meta in tree.iter("meta") if tree is not None else ():
        name = (meta.get("name") or meta.get("property") or "").lower()
        content = (meta.get("content") or "").strip()
        if name and content:
            found.setdefault(name, content)
    return found


def _refresh(tree: lxml_html.HtmlElement | None) -> str:
    for meta in tree.iter("meta") if tree is not None else ():
        if (meta.get("http-equiv") or "").lower() == "refresh":
            found = _REFRESH.match(meta.get("content") or "")
            if found:
                return found[1].strip()
    return ""


def _absolute(base: str, address: str) -> str:
    """A web address as one that can be asked; "" for what is none."""
    if not address:
        return ""
    try:
        whole = urljoin(base, address.strip())
    except ValueError:
        return ""
    return whole if whole.startswith(("http://", "https://")) else ""


def _kind(text: str, title: str, is_article: bool) -> Outcome:
    """What keeps the reader out, the most certain sign first. An article's page may hold a log-in box."""
    if _PROOF_OF_WORK.search(text):
        return Outcome.PROOF_OF_WORK
    if _CHALLENGE.search(text) or (_CAPTCHA.search(text) and not is_article):
        return Outcome.CAPTCHA
    if not is_article and (_LOGIN_TITLE.search(title) or _LOGIN.search(text)):
        return Outcome.LOGIN
    if _SELLS.search(text):
        return Outcome.PAYWALL
    return Outcome.WEB_PAGE

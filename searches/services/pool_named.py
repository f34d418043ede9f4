"""What named methods, scores, equations, criteria and reporting guidelines are asked for by: title, author, year.

These are questions to sources, not citations: a paper is offered only where a source returns one with this title and
author. A wrong line here finds nothing, and the name stays listed as not found.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType

from litapp.core.identifiers import find_identifiers, parse_identifier
from litapp.core.normalise import title_key
from litapp.core.records import Identifier


@dataclass(frozen=True, slots=True)
class Origin:
    """The paper a name comes from, as it is asked for."""

    title: str
    author: str
    year: int


DESIGNS: Mapping[str, str] = MappingProxyType(
    {
        "": "Not said",
        "trial": "Randomised trial",
        "protocol": "Trial protocol",
        "observational": "Observational study",
        "diagnostic": "Diagnostic accuracy",
        "prediction": "Prediction model",
        "review": "Systematic review",
        "scoping": "Scoping review",
        "case": "Case report",
        "qualitative": "Qualitative study",
        "economic": "Economic evaluation",
        "quality": "Quality improvement",
        "animal": "Animal study",
    }
)
"""Designs of a manuscript, for which reporting guidelines are known."""


def _rows(name: str) -> list[list[str]]:
    """The lines of one of this module's tables."""
    lines = Path(__file__).with_name(name).read_text(encoding="utf-8").splitlines()
    return [line.split("\t") for line in lines if line and not line.startswith("#")]


@lru_cache(maxsize=1)
def _origins() -> Mapping[str, Origin]:
    """Folded name -> origin."""
    return MappingProxyType(
        {
            title_key(name): Origin(title, author, int(year))
            for names, title, author, year in _rows("pool_named.tsv")
            for name in names.split(";")
        }
    )


def guidelines_for(design: str) -> list[tuple[str, Origin]]:
    """The reporting guidelines of a design: name, and the paper it is asked for by."""
    return [
        (name, Origin(title, author, int(year)))
        for kind, name, title, author, year in _rows("pool_guidelines.tsv")
        if kind == design
    ]


_KIND = re.compile(r"\b(?:the|score|equation|index|scale|criteria|test|model|method|statistic|tool)s?\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Named:
    """A name the person entered: with an identifier or a title of their own, with a known origin, or alone."""

    name: str
    origin: Origin | None = None
    identifier: Identifier | None = None
    title: str = ""


def read_names(text: str) -> list[Named]:
    """One name a line; behind "=" the person may give the paper's PMID, DOI or title."""
    found: dict[str, Named] = {}
    for line in text.replace("\x00", " ").splitlines():
        name, _, given = (part.strip() for part in line.partition("="))
        if not name:
            continue
        identifiers = find_identifiers(given) if given else ()
        one = identifiers[0] if identifiers else parse_identifier(given) if given else None
        origin = _origins().get(title_key(name)) or _origins().get(title_key(_KIND.sub(" ", name)))
        found.setdefault(
            title_key(name) or name, Named(name[:120], None if given else origin, one, "" if one else given)
        )
    return list(found.values())

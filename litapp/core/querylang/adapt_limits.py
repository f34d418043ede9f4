"""Publication types, languages, filters and dates in another database's terms."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from litapp.core.querylang.adapted import Adapted, lost, text_in
from litapp.core.querylang.ast import Field, Range, Term
from litapp.core.querylang.dialects.dialect import OVID, Dialect
from litapp.core.querylang.translation import Meaning

_DOCUMENT_TYPES: Mapping[Dialect, Mapping[str, str]] = MappingProxyType(
    {
        Dialect.WEB_OF_SCIENCE: MappingProxyType(
            {"review": "Review", "editorial": "Editorial Material", "letter": "Letter"}
        ),
        Dialect.SCOPUS: MappingProxyType({"review": "re", "editorial": "ed", "letter": "le", "comment": "le"}),
    }
)


def publication_type(term: Term, source: Dialect, target: Dialect) -> Adapted:
    """A publication type: the same in MEDLINE, another list elsewhere."""
    node = Term(text_in(term.text, source, target)[0], Field.PUBLICATION_TYPE, True, span=term.span)
    if not re.search(r"\w", node.text):
        return lost(target, f"the publication type “{term.text}”")
    if source is target or {source, target} <= {Dialect.PUBMED, Dialect.OVID_MEDLINE}:
        return Adapted(node)
    types = _DOCUMENT_TYPES.get(target)
    if types is not None:
        name = types.get(term.text.casefold())
        if name is None:
            return lost(target, f"the publication type “{term.text}”")
        return Adapted(
            replace(node, text=name, phrase=" " in name), Meaning.CHECK, "The lists of document types differ."
        )
    why = "The lists of publication types differ."
    if target is Dialect.CENTRAL:
        why = "CENTRAL holds trials only: a filter for study designs is usually left out there."
    return Adapted(node, Meaning.CHECK, why)


_LANGUAGES = frozenset(
    [
        "english",
        "german",
        "french",
        "spanish",
        "italian",
        "chinese",
        "japanese",
        "russian",
        "portuguese",
        "dutch",
        "polish",
        "turkish",
        "korean",
        "swedish",
        "danish",
        "norwegian",
        "finnish",
        "czech",
        "hungarian",
        "greek",
        "hebrew",
        "arabic",
        "persian",
        "ukrainian",
    ]
)


def limit(term: Term, source: Dialect, target: Dialect) -> Adapted:
    """A language, a filter or a subset of the database."""
    name = term.text.casefold()
    if term.field is Field.LANGUAGE or name in _LANGUAGES:
        if target is Dialect.CENTRAL:
            return lost(target, f"the language “{term.text}”")
        return Adapted(Term(name, Field.LANGUAGE, span=term.span))
    if source is target:
        return Adapted(term)
    if target is Dialect.PUBMED and re.fullmatch(r"humans?", name):
        return Adapted(
            Term("humans", Field.MESH, True, span=term.span), Meaning.CHECK, "The limit became the heading Humans."
        )
    return lost(target, f"the limit “{term.text}”")


def date_range(leaf: Range, target: Dialect) -> Adapted:
    """A range of dates; most databases know whole years only."""
    years = Range(leaf.low[:4], leaf.high[:4], leaf.field, leaf.span)
    whole = years == leaf
    if target is Dialect.PUBMED:
        return Adapted(leaf)
    if target in OVID:
        if leaf.field not in (Field.DATE_PUBLICATION, Field.DATE_ENTRY, Field.DATE_CREATE):
            return lost(target, f"the date field “{leaf.field.value}”")
        if leaf.field is Field.DATE_PUBLICATION:
            return Adapted(years) if whole else Adapted(years, Meaning.WIDER, "Whole years only.")
        return Adapted(leaf, Meaning.CHECK, "Ovid's dates of entry differ from PubMed's.")
    if target is Dialect.CENTRAL or leaf.field is not Field.DATE_PUBLICATION:
        return Adapted(None, Meaning.LOST, f"{target.value} cannot limit by this date in the search; set it by hand.")
    if target is Dialect.CINAHL:
        return Adapted(leaf)
    return Adapted(years) if whole else Adapted(years, Meaning.WIDER, "Whole years only.")

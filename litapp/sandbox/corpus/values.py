"""Exact values: authors, journals, types, languages, identifiers, subsets."""

from __future__ import annotations

import re

from litapp.core.querylang import Field, Term
from litapp.sandbox.corpus.headings import Headings
from litapp.sandbox.corpus.index import folded
from litapp.sandbox.corpus.store import Corpus
from litapp.sandbox.corpus.vocabularies import LANGUAGES, NARROWER_TYPES

_KINDS = {
    Field.AUTHOR: ("au", "fau", "cn"),
    Field.FIRST_AUTHOR: ("1au",),
    Field.LAST_AUTHOR: ("lastau",),
    Field.CORPORATE_AUTHOR: ("cn",),
    Field.JOURNAL: ("ta",),
    Field.NLM_UNIQUE_ID: ("jid",),
    Field.VOLUME: ("vi",),
    Field.ISSUE: ("ip",),
    Field.PAGINATION: ("pg",),
    Field.LANGUAGE: ("la",),
    Field.PLACE_OF_PUBLICATION: ("pl",),
    Field.PUBLICATION_TYPE: ("pt",),
    Field.SUPPLEMENTARY_CONCEPT: ("nm",),
    Field.REGISTRY_NUMBER: ("rn",),
    Field.GRANT: ("gr",),
    Field.DOI: ("doi",),
    Field.ARTICLE_IDENTIFIER: ("doi", "pmc", "aid"),
    Field.LOCATION_ID: ("doi", "aid"),
    Field.SUBSET: ("sb",),
    Field.FILTER: ("sb",),
    Field.PMID: ("pmid",),
}
_AUTHORS = frozenset({Field.AUTHOR, Field.FIRST_AUTHOR, Field.LAST_AUTHOR})
_IDENTIFIERS = frozenset({Field.DOI, Field.ARTICLE_IDENTIFIER, Field.LOCATION_ID, Field.REGISTRY_NUMBER})


def is_value_field(field: Field) -> bool:
    """True for fields that are searched by whole values."""
    return field in _KINDS


def find_values(corpus: Corpus, headings: Headings, term: Term) -> set[int]:
    """Articles with the value in the field of `term`; several kinds (full author names, groups) are joined."""
    if term.field is Field.PMID:
        numbers = [int(number) for number in re.findall(r"\d+", term.text)]
        return set(corpus.ids_of_pmids(numbers).values())
    if term.field in (Field.SUBSET, Field.FILTER):
        return _subset(corpus, headings, term.text)
    found: set[int] = set()
    for kind in _KINDS[term.field]:
        for pattern in _patterns(headings, term):
            found |= _with_value(corpus, kind, pattern)
    return found


def _with_value(corpus: Corpus, kind: str, pattern: str) -> set[int]:
    if "*" not in pattern:
        return corpus.numbers("SELECT article FROM attribute WHERE kind = ? AND value = ?", (kind, pattern))
    stem = pattern.split("*", 1)[0]
    sql = "SELECT article FROM attribute WHERE kind = ? AND value >= ? AND value < ? AND value GLOB ?"
    return corpus.numbers(sql, (kind, stem, stem + "\U0010ffff", pattern.replace("[", "[[]")))


def _patterns(headings: Headings, term: Term) -> list[str]:
    """Values to look for, `*` for any letters. An unquoted author finds further initials, as in PubMed."""
    if term.field in _IDENTIFIERS:
        return [term.text.casefold().removeprefix("https://doi.org/").removeprefix("doi:").strip()]
    name = folded(term.text.replace("*", " zstarz ")).replace(" zstarz", "*").replace("zstarz ", "*")
    if term.field in _AUTHORS and not term.phrase and "*" not in name:
        last = name.split()[-1] if name else ""
        return [name, f"{name}*"] if len(name.split()) > 1 and len(last) <= 3 else [name, f"{name} *"]
    if term.field is Field.LANGUAGE:
        return [LANGUAGES.get(name, name)]
    if term.field is Field.PUBLICATION_TYPE and term.explode:
        exploded = [folded(narrower) for narrower in headings.narrower(" ".join(term.text.casefold().split()))]
        return list(dict.fromkeys([name, *exploded, *NARROWER_TYPES.get(name, ())]))
    return [name]


def _subset(corpus: Corpus, headings: Headings, text: str) -> set[int]:
    """A subset, or a filter of the sidebar: languages, types, species, ages by heading."""
    name = folded(text.removeprefix("loattr"))
    found = _with_value(corpus, "sb", name) | _with_value(corpus, "sb", name.replace(" ", ""))
    if not found and name in LANGUAGES:
        found = _with_value(corpus, "la", LANGUAGES[name])
    if not found:
        found = _with_value(corpus, "pt", name)
    return found or headings.find(Term(text, Field.MESH))

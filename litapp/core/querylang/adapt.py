"""What one leaf of a query becomes in another database's terms, and whether that is the same, more, less or nothing.

Headings of another vocabulary are candidates to check, never asserted. What a database lacks is left out and said;
it is never printed as words behind a NOT, where it would take away papers that only mention it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from litapp.core.querylang.adapt_limits import date_range, limit, publication_type
from litapp.core.querylang.adapted import DEFAULT, Adapted, Options, lost, text_in
from litapp.core.querylang.ast import (
    DATE_FIELDS,
    HEADING_FIELDS,
    MAJOR_FIELDS,
    And,
    Field,
    Leaf,
    Near,
    Node,
    Or,
    Proximity,
    Range,
    Term,
)
from litapp.core.querylang.dialects.dialect import OVID, Dialect
from litapp.core.querylang.dialects.qualifiers import qualifier_code, qualifier_name
from litapp.core.querylang.dialects.scope import TIAB, Scope, placed, scope_of
from litapp.core.querylang.targets import HW, WORDS, Fields, place
from litapp.core.querylang.translation import Meaning

_VOCABULARY: Mapping[Dialect, tuple[str, Field, Field]] = MappingProxyType(
    {
        Dialect.PUBMED: ("MeSH", Field.MESH, Field.MESH_MAJOR),
        Dialect.OVID_MEDLINE: ("MeSH", Field.MESH, Field.MESH_MAJOR),
        Dialect.CENTRAL: ("MeSH", Field.MESH, Field.MESH_MAJOR),
        Dialect.OVID_EMBASE: ("Emtree", Field.EMTREE, Field.EMTREE_MAJOR),
        Dialect.EMBASE_COM: ("Emtree", Field.EMTREE, Field.EMTREE_MAJOR),
        Dialect.CINAHL: ("CINAHL Headings", Field.CINAHL_HEADING, Field.CINAHL_MAJOR),
        Dialect.OVID_PSYCINFO: ("the APA thesaurus", Field.THESAURUS, Field.THESAURUS_MAJOR),
    }
)
"""Name of the database's vocabulary, its heading field and its major heading field."""
_WORDS_OF: Mapping[Field, Fields] = MappingProxyType(
    {Field.TEXT_WORD: WORDS, Field.ALL: WORDS, Field.MULTI_PURPOSE: WORDS, Field.UNTAGGED: WORDS}
)
_KEPT_FIELDS: Mapping[Dialect, frozenset[Field]] = MappingProxyType(
    {
        Dialect.PUBMED: frozenset({Field.AUTHOR, Field.AFFILIATION, Field.JOURNAL, Field.DOI, Field.PMID}),
        Dialect.OVID_MEDLINE: frozenset(
            {Field.AUTHOR, Field.AFFILIATION, Field.JOURNAL, Field.SUPPLEMENTARY_CONCEPT, Field.REGISTRY_NUMBER}
        ),
        Dialect.OVID_EMBASE: frozenset({Field.AUTHOR, Field.AFFILIATION, Field.JOURNAL}),
        Dialect.OVID_PSYCINFO: frozenset({Field.AUTHOR, Field.AFFILIATION, Field.JOURNAL}),
        Dialect.EMBASE_COM: frozenset({Field.AUTHOR, Field.AFFILIATION, Field.JOURNAL}),
        Dialect.CENTRAL: frozenset({Field.AUTHOR, Field.JOURNAL}),
        Dialect.WEB_OF_SCIENCE: frozenset({Field.AUTHOR, Field.AFFILIATION, Field.JOURNAL, Field.DOI}),
        Dialect.SCOPUS: frozenset({Field.AUTHOR, Field.AFFILIATION, Field.JOURNAL, Field.DOI}),
        Dialect.CINAHL: frozenset({Field.AUTHOR, Field.AFFILIATION, Field.JOURNAL}),
    }
)
MAPPING_LOST = "The database does not add headings and synonyms to an untagged word as PubMed does."
PHRASE_KEPT = "Kept together as a phrase; PubMed joins such words by AND where its index does not have the phrase."


def adapt_leaf(leaf: Leaf, source: Dialect, target: Dialect, options: Options, *, excluded: bool) -> Adapted:
    """The leaf in the target's terms. `excluded` = it stands behind a NOT."""
    if isinstance(leaf, Range):
        return date_range(leaf, target)
    if isinstance(leaf, Proximity):
        return _proximity(leaf, source, target, options)
    if leaf.field in HEADING_FIELDS:
        return _heading(leaf, source, target, excluded=excluded)
    if leaf.field in DATE_FIELDS:
        text = leaf.text.replace("-", "/")
        if not re.fullmatch(r"\d{4}(?:/\d{1,2}){0,2}", text):
            return lost(target, f"the date “{leaf.text}”")
        return date_range(Range(text, text, leaf.field, leaf.span), target)
    if leaf.field is Field.SUBHEADING:
        return _subheading(leaf, source, target)
    if leaf.field is Field.PUBLICATION_TYPE:
        return publication_type(leaf, source, target)
    if leaf.field in (Field.LANGUAGE, Field.FILTER, Field.SUBSET):
        return limit(leaf, source, target)
    if leaf.field in (Field.UNKNOWN, Field.OTHER) or Field.OTHER in leaf.also:
        if source is target or {source, target} <= OVID:
            return Adapted(leaf)
        known = tuple(field for field in (leaf.field, *leaf.also) if field not in (Field.UNKNOWN, Field.OTHER))
        if not known:
            return lost(target, f"the field “{leaf.tag or leaf.field.value}”")
        rest = adapt_leaf(
            replace(leaf, field=known[0], also=known[1:], tag=""), source, target, options, excluded=excluded
        )
        return replace(rest, meaning=Meaning.CHECK, why=f"The field “{leaf.tag}” is left out. {rest.why}".strip())
    return _words(leaf, source, target, options)


def _words(term: Term, source: Dialect, target: Dialect, options: Options) -> Adapted:
    if source is not Dialect.PUBMED and not term.phrase and " " in term.text:
        return _each_word(term, source, target, options)
    wanted, meaning, why = _wanted(term, source, target)
    text, lacking = text_in(term.text, source, target)
    if not re.search(r"\w", text):
        return Adapted(None, Meaning.LOST, "There is no letter or digit in it to search for; it is left out.")
    if lacking:
        meaning, why = _joined((meaning, why), (Meaning.WIDER, "A wildcard that is not known there became *."))
    if source is Dialect.PUBMED and not term.phrase and " " in text:
        meaning, why = _joined((meaning, why), (Meaning.CHECK, PHRASE_KEPT))
    phrase = term.phrase or (source is Dialect.PUBMED and " " in text)
    plain = replace(term, text=text, phrase=phrase, field=Field.UNTAGGED, also=(), tag="")
    if len(wanted & (TIAB | HW)) == 0:
        if term.field in _KEPT_FIELDS[target]:
            kept = replace(plain, field=term.field)
            same = source is target or {source, target} <= OVID
            return Adapted(kept) if same else Adapted(kept, Meaning.CHECK, "Names are written differently there.")
        return lost(target, f"the field “{term.field.value}”")
    if target is Dialect.PUBMED and wanted >= HW:
        if wanted == WORDS:
            node: Node = replace(plain, field=Field.TEXT_WORD)
            return _said(
                node, (meaning, why), (Meaning.WIDER, "[tw] also looks in names of substances and subheadings.")
            )
        return _said(
            replace(plain, field=Field.TEXT_WORD),
            (meaning, why),
            (Meaning.WIDER, "[tw] also looks in title and abstract."),
        )
    if target is Dialect.EMBASE_COM and wanted == TIAB and not options.embase_keywords:
        node = placed(plain, Scope(frozenset({Field.TITLE, Field.ABSTRACT})))
        return _said(
            node, (meaning, why), (Meaning.NARROWER, "Not looked for in author keywords here (:ti,ab,kw would).")
        )
    if target is Dialect.WEB_OF_SCIENCE and options.topic and wanted >= TIAB:
        node = placed(plain, Scope(TIAB | {Field.KEYWORDS_PLUS}))
        return _said(node, (meaning, why), (Meaning.WIDER, "TS= also looks in Keywords Plus."))
    found = place(wanted, target)
    if not found.parts:
        return Adapted(None, found.meaning, found.why)
    nodes = tuple(_phrased(placed(plain, Scope(part)), target) for part in found.parts)
    node = nodes[0] if len(nodes) == 1 else Or(nodes, term.span)
    return _said(node, (meaning, why), (found.meaning, found.why))


def _each_word(term: Term, source: Dialect, target: Dialect, options: Options) -> Adapted:
    """Words side by side that the source joins by AND."""
    parts = [_words(replace(term, text=word), source, target, options) for word in term.text.split()]
    kept = [part for part in parts if part.node is not None]
    if not kept:
        return parts[0]
    meaning, why = kept[0].meaning, kept[0].why
    if len(kept) == 1:
        return kept[0]
    return Adapted(And(tuple(part.node for part in kept if part.node is not None), term.span), meaning, why)


def _wanted(term: Term, source: Dialect, target: Dialect) -> tuple[Fields, Meaning, str]:
    """The fields a term is looked for in, with what is not quite so."""
    fields: Fields = frozenset()
    meaning, why = Meaning.EXACT, ""
    for field in scope_of(term).fields:
        if field is Field.TEXT_WORD and source in OVID:
            fields |= {Field.TITLE, Field.ABSTRACT}
        elif field in _WORDS_OF:
            fields |= _WORDS_OF[field]
            if field is Field.UNTAGGED and source is Dialect.PUBMED:
                meaning, why = Meaning.NARROWER, MAPPING_LOST
            elif source is not target:
                name = "any field" if field in (Field.UNTAGGED, Field.ALL) else f"“{field.value}”"
                meaning, why = (
                    Meaning.CHECK,
                    f"{name[0].upper()}{name[1:]} is searched as title, abstract, keywords, headings.",
                )
        else:
            fields |= {field}
    return fields, meaning, why


def _phrased(node: Node, target: Dialect) -> Node:
    """CENTRAL takes no wildcard inside quotes: such a phrase is its words joined by NEXT."""
    if target is Dialect.CENTRAL and isinstance(node, Term) and node.phrase and re.search(r"[*?$]", node.text):
        words = [replace(node, text=word, phrase=False) for word in node.text.split()]
        tree: Node = words[0]
        for word in words[1:]:
            tree = Near(tree, word, 0, ordered=True, span=node.span)
        return tree
    return node


def _joined(first: tuple[Meaning, str], second: tuple[Meaning, str]) -> tuple[Meaning, str]:
    """Two changes of one leaf as one: wider and narrower together have to be looked at."""
    if first[0] is Meaning.EXACT:
        return second
    if second[0] is Meaning.EXACT:
        return first
    meaning = first[0] if first[0] is second[0] else Meaning.CHECK
    if Meaning.CHECK in (first[0], second[0]) and {first[0], second[0]} & {Meaning.NARROWER, Meaning.WIDER}:
        meaning = next(m for m in (first[0], second[0]) if m is not Meaning.CHECK)
    return meaning, f"{first[1]} {second[1]}"


def _said(node: Node, first: tuple[Meaning, str], second: tuple[Meaning, str]) -> Adapted:
    meaning, why = _joined(first, second)
    return Adapted(node, meaning, why)


def _heading(term: Term, source: Dialect, target: Dialect, *, excluded: bool) -> Adapted:
    if target not in _VOCABULARY:
        if excluded:
            return lost(target, f"the heading “{term.heading}” (as words it would take away papers that mention it)")
        name = " ".join(reversed(term.heading.split(", ", 1)))
        words = Term(name, Field.TITLE_ABSTRACT, " " in name, span=term.span)
        said = _words(words, source, target, DEFAULT)
        why = f"{target.value} has no subject headings: searched as words, without narrower headings."
        return replace(said, meaning=Meaning.NARROWER if said.node else said.meaning, why=why)
    name, plain, major = _VOCABULARY[target]
    field = major if term.field in MAJOR_FIELDS else plain
    same = _VOCABULARY.get(source, ("",))[0] == name
    heading, lacking = re.sub(r"[\"“”\[\]]", " ", term.heading).strip(), "*" in term.heading
    if not heading:
        return lost(target, "an empty heading")
    if lacking and target is not Dialect.PUBMED:
        return lost(target, f"the truncated heading “{heading}”")
    text = heading
    meaning, why = Meaning.EXACT, ""
    if term.qualifier:
        if (same or name == "MeSH") and qualifier_code(term.qualifier):
            text = f"{heading}/{term.qualifier}"
        elif same and target is source:
            text = term.text
        elif target is Dialect.CINAHL and qualifier_code(term.qualifier):
            text = f"{heading}/{term.qualifier}"
        else:
            meaning, why = Meaning.WIDER, f"The subheading “{term.qualifier}” is left out."
    if term.field in MAJOR_FIELDS and target is Dialect.CENTRAL:
        field, (meaning, why) = plain, _joined((meaning, why), (Meaning.WIDER, "Not limited to the major topic here."))
    node = Term(text, field, True, term.explode, span=term.span)
    if not same:
        why = f"“{heading}” is a candidate: look it up in {name} before you run this. {why}".strip()
        return Adapted(node, Meaning.CHECK, why)
    return Adapted(node, meaning, why)


def _subheading(term: Term, source: Dialect, target: Dialect) -> Adapted:
    term = replace(term, text=qualifier_name(term.text))
    code = qualifier_code(term.text)
    if source is target:
        return Adapted(replace(term, phrase=True))
    if target in (Dialect.PUBMED, Dialect.OVID_MEDLINE, Dialect.CENTRAL) and code:
        node = Term(
            term.text.casefold() if source is Dialect.PUBMED else term.text, Field.SUBHEADING, True, span=term.span
        )
        if source in (Dialect.OVID_EMBASE, Dialect.EMBASE_COM):
            return Adapted(node, Meaning.CHECK, "Embase's subheadings differ from MeSH's.")
        if not term.explode and target is not Dialect.PUBMED:
            return Adapted(node, Meaning.CHECK, "Narrower subheadings: see whether they are included here.")
        return Adapted(node)
    if target in (Dialect.OVID_EMBASE, Dialect.EMBASE_COM) and code:
        node = Term(term.text, Field.SUBHEADING, True, span=term.span)
        same = source in (Dialect.OVID_EMBASE, Dialect.EMBASE_COM)
        return Adapted(node) if same else Adapted(node, Meaning.CHECK, "Embase's subheadings differ from MeSH's.")
    if target is Dialect.CINAHL:
        node = Term(term.text, Field.HEADING_WORD, " " in term.text, span=term.span)
        return Adapted(node, Meaning.CHECK, "Searched among the words of headings and subheadings.")
    return lost(target, f"the floating subheading “{term.text}”")


def _proximity(leaf: Proximity, source: Dialect, target: Dialect, options: Options) -> Adapted:
    if target is Dialect.PUBMED:
        return Adapted(leaf)
    words = leaf.text.split()
    terms = [_words(Term(word, leaf.field, span=leaf.span), source, target, options) for word in words]
    found = [term for term in terms if term.node is not None]
    if len(found) < len(words) or len(words) < 2:
        return lost(target, f"the nearness “{leaf.text}”") if len(words) > 1 else terms[0]
    meaning, why = found[0].meaning, found[0].why
    if len(words) > 2:
        meaning, why = _joined(
            (meaning, why), (Meaning.WIDER, "Each word is near the one before it, not all together.")
        )
    return Adapted(_near_chain([term.node for term in found if term.node is not None], leaf.distance), meaning, why)


def _near_chain(nodes: list[Node], distance: int) -> Node:
    """The nodes near each other. Where each is an OR of fields, the nearness is within one field at a time."""
    columns = [node.children if isinstance(node, Or) else (node,) for node in nodes]
    chains: list[Node] = []
    for row in zip(*columns, strict=True):
        tree: Node = row[0]
        for node in row[1:]:
            tree = Near(tree, node, distance, span=node.span)
        chains.append(tree)
    return chains[0] if len(chains) == 1 else Or(tuple(chains))

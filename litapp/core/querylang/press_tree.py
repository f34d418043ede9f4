"""Findings on the tree of one line: headings, untagged words, phrases, limits, exclusions, words said twice."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from difflib import SequenceMatcher

from litapp.core.querylang.ast import (
    HEADING_FIELDS,
    MESH_FIELDS,
    TEXT_FIELDS,
    Field,
    Near,
    Node,
    Not,
    Or,
    Term,
    children_of,
    leaves,
)
from litapp.core.querylang.dialects import print_in
from litapp.core.querylang.dialects.dialect import OVID, Dialect
from litapp.core.querylang.findings import Effect, Finding, Fix, Outcome, Severity
from litapp.core.querylang.strategy import Strategy
from litapp.core.querylang.vocabulary import Vocabulary

MOST_OPERATORS_IN_ALL_FIELDS = 49
"""Web of Science: operators of one query in "All Fields". Source: Web of Science's help."""
_TRIAL_WORDS = frozenset(
    {"placebo", "randomly", "trial", "groups", "randomized", "randomised", "random*", "double-blind"}
)
_TRIAL_TYPES = frozenset({"randomized controlled trial", "controlled clinical trial", "randomised controlled trial"})
_JOINS_WORDS = frozenset({Dialect.WEB_OF_SCIENCE, Dialect.SCOPUS, Dialect.CENTRAL, Dialect.EMBASE_COM})
"""Databases that join words side by side by AND."""
_SLIP = 0.85
"""Likeness of two names (0 to 1, `difflib`) from which one is taken for a misspelling of the other."""
_ANIMALS = frozenset({"animals", "animal", "animal experiment"})


def tree_findings(tree: Node, dialect: Dialect, vocabulary: Vocabulary | None) -> Iterator[Finding]:
    """The findings on one line's tree; places are those of its nodes."""
    for leaf in leaves(tree):
        if isinstance(leaf, Term):
            yield from _term(leaf, dialect, vocabulary)
    stack = [tree]
    while stack:
        node = stack.pop()
        if isinstance(node, Not):
            yield from _exclusion(node, dialect)
        if isinstance(node, Or):
            yield from _said_twice(node)
        stack.extend(children_of(node))
    if dialect is Dialect.SCOPUS:
        yield from _mixed_nearness(tree)
    if dialect is Dialect.WEB_OF_SCIENCE:
        yield from _many_operators(tree)
    yield from _quoted_words(tree, dialect)


def _term(term: Term, dialect: Dialect, vocabulary: Vocabulary | None) -> Iterator[Finding]:
    if term.field in HEADING_FIELDS:
        yield from _heading(term, dialect, vocabulary)
    elif term.field is Field.UNTAGGED and dialect is Dialect.PUBMED and re.search(r"\w", term.text):
        yield _untagged(term)
    elif term.field is Field.PUBLICATION_TYPE and re.match(r"randomised\b", term.text, re.IGNORECASE):
        if dialect in (Dialect.PUBMED, Dialect.OVID_MEDLINE):
            start = term.span.start
            yield Finding(
                "unknown_publication_type",
                Severity.WARNING,
                f"MEDLINE has no publication type “{term.text}”; it is spelled “randomized”.",
                *term.span,
                "Write randomized controlled trial.",
                Effect.RECALL,
                Fix(start, start + len("randomised"), "randomized", Outcome.MORE)
                if not term.phrase or dialect in OVID
                else None,
            )
    elif term.field is Field.LANGUAGE:
        yield Finding(
            "language_limit",
            Severity.NOTE,
            f"This limit leaves out papers that are not in {term.text}.",
            *term.span,
            "Say in the methods why, or drop it.",
            Effect.RECALL,
        )
    if term.field not in HEADING_FIELDS and dialect in _JOINS_WORDS and not term.phrase and _are_plain_words(term.text):
        yield _unquoted(term, dialect)
    if dialect is Dialect.CENTRAL and term.phrase and re.search(r"[*?]", term.text) and " " in term.text:
        yield Finding(
            "truncated_phrase",
            Severity.WARNING,
            "The Cochrane Library does not truncate words inside quotation marks.",
            *term.span,
            "Join the words by NEXT, without quotation marks.",
            Effect.RECALL,
        )


def _are_plain_words(text: str) -> bool:
    """True for several words none of which is an operator of another database (that is a finding of its own)."""
    return " " in text and re.search(r"\badj\d*\b|\bnear\b", text, re.IGNORECASE) is None


def _heading(term: Term, dialect: Dialect, vocabulary: Vocabulary | None) -> Iterator[Finding]:
    if "*" in term.heading and dialect is not Dialect.PUBMED:
        yield Finding(
            "truncated_heading",
            Severity.WARNING,
            "A heading of a thesaurus cannot be truncated: this finds nothing or something else.",
            *term.span,
            "Write the heading in full, and the truncated word as free text beside it.",
            Effect.RECALL,
        )
    elif term.qualifier:
        yield Finding(
            "attached_subheading",
            Severity.NOTE,
            f"Only papers are found whose indexer attached “{term.qualifier}” to this heading.",
            *term.span,
            "Use the heading alone, or the subheading as its own line, if recall matters.",
            Effect.RECALL,
        )
    if vocabulary is None or term.field not in MESH_FIELDS or "*" in term.heading:
        return
    preferred = vocabulary.preferred(term.heading)
    if preferred is None:
        yield _no_such_heading(term, dialect, vocabulary)
    elif preferred.casefold() != term.heading.casefold():
        yield Finding(
            "entry_term_as_heading",
            Severity.NOTE,
            f"“{term.heading}” is an entry term; the heading is “{preferred}”.",
            *term.span,
            f"Write “{preferred}”: not every interface maps entry terms.",
            Effect.RECALL,
            _heading_fix(term, preferred, dialect, Outcome.SAME if dialect is Dialect.PUBMED else Outcome.OTHER),
        )


def _no_such_heading(term: Term, dialect: Dialect, vocabulary: Vocabulary) -> Finding:
    """An error where NLM said so itself; a warning where only the edition at hand does not have the heading."""
    sure, close = vocabulary.surely_absent(term.heading), vocabulary.close(term.heading)
    edition = f" {vocabulary.edition}" if vocabulary.edition and not sure else ""
    message = f"No such heading: MeSH{edition} has no “{term.heading}”."
    if close:
        message += f" Spelled nearly so: {', '.join(f'“{name}”' for name in close)}."
    return Finding(
        "unknown_heading",
        Severity.ERROR if sure else Severity.WARNING,
        message,
        *term.span,
        "Look the heading up; nothing is found under a heading that does not exist.",
        Effect.RECALL,
        _heading_fix(term, close[0], dialect, Outcome.OTHER) if close and _nearly(term.heading, close[0]) else None,
    )


def _nearly(name: str, other: str) -> bool:
    """True for a slip of the pen: the two differ by a letter or two."""
    return SequenceMatcher(None, name.casefold(), other.casefold(), autojunk=False).ratio() >= _SLIP


def _heading_fix(term: Term, name: str, dialect: Dialect, outcome: Outcome) -> Fix | None:
    """The heading under its right name, its subheading kept; None where the dialect cannot write it."""
    text = f"{name}/{term.qualifier}" if term.qualifier else name
    try:
        return Fix(*term.span, print_in(replace(term, text=text, phrase=True), dialect), outcome)
    except ValueError:
        return None


def _untagged(term: Term) -> Finding:
    mapped = not term.phrase and not term.truncated
    why = (
        "PubMed maps it to headings and other words by itself (automatic term mapping)."
        if mapped
        else "It is searched in all fields."
    )
    return Finding(
        "untagged_term",
        Severity.WARNING if mapped else Severity.NOTE,
        f"“{term.text}” has no field tag. {why}",
        *term.span,
        "Add a tag such as [tiab], and the headings you want.",
        Effect.PRECISION,
        Fix(term.span.end, term.span.end, "[tiab]", Outcome.FEWER),
    )


def _unquoted(term: Term, dialect: Dialect) -> Finding:
    return Finding(
        "unquoted_phrase",
        Severity.WARNING,
        f"{dialect.value} joins these words by AND: they may stand far apart.",
        *term.span,
        "Put quotation marks around them if they are a phrase.",
        Effect.PRECISION,
    )


def _exclusion(node: Not, dialect: Dialect) -> Iterator[Finding]:
    if node.keep == node.drop and dialect is not Dialect.PUBMED:
        yield Finding("empty_not", Severity.WARNING, "This NOT takes away everything it stands behind.", *node.span)
    drop = node.drop
    if isinstance(drop, Term) and drop.field in HEADING_FIELDS and drop.heading.casefold() in _ANIMALS:
        if not (isinstance(node.keep, Term) and node.keep.field in HEADING_FIELDS):
            yield Finding(
                "animals_without_humans",
                Severity.WARNING,
                "This takes away every paper indexed with animals, also those that are about humans too.",
                *drop.span,
                "Take away animals NOT humans, in parentheses.",
                Effect.RECALL,
                _animals_fix(drop, dialect),
            )
    elif dialect is Dialect.PUBMED and any(_is_word(leaf) for leaf in leaves(drop)):
        yield Finding(
            "exclusion_by_words",
            Severity.NOTE,
            "Papers that only mention one of these words are taken away.",
            *drop.span,
            "Check that no relevant paper is lost.",
            Effect.RECALL,
        )


def _is_word(leaf: Node) -> bool:
    return isinstance(leaf, Term) and leaf.field in TEXT_FIELDS and re.search(r"\w", leaf.text) is not None


def _animals_fix(drop: Term, dialect: Dialect) -> Fix | None:
    if dialect is Dialect.PUBMED:
        return Fix(*drop.span, "(animals[mh] NOT humans[mh])", Outcome.MORE)
    if dialect is Dialect.OVID_MEDLINE:
        return Fix(*drop.span, "(exp animals/ not humans/)", Outcome.MORE)
    return None


def _said_twice(node: Or) -> Iterator[Finding]:
    """A word that stands twice in one OR, in any case."""
    seen: set[object] = set()
    previous: Node | None = None
    for child in node.children:
        if isinstance(child, Term):
            key = (child.text.casefold(), child.field, child.also, child.explode, child.tag)
            if key in seen and previous is not None:
                yield Finding(
                    "duplicate_term",
                    Severity.NOTE,
                    f"“{child.text}” stands twice in this OR.",
                    *child.span,
                    "Delete one.",
                    Effect.NONE,
                    Fix(previous.span.end, child.span.end, "", Outcome.SAME)
                    if previous.span.end < child.span.start
                    else None,
                )
            seen.add(key)
        previous = child


def _quoted_words(tree: Node, dialect: Dialect) -> Iterator[Finding]:
    """Quotes around a single tagged word do nothing; said once for a query."""
    if dialect is not Dialect.PUBMED:
        return
    words = [
        leaf
        for leaf in leaves(tree)
        if isinstance(leaf, Term)
        and leaf.phrase
        and leaf.field in (Field.TITLE, Field.TITLE_ABSTRACT, Field.TEXT_WORD)
        and re.fullmatch(r"\w+", leaf.text)
    ]
    if words:
        others = f" ({len(words)} such words here)" if len(words) > 1 else ""
        yield Finding(
            "quoted_single_word",
            Severity.NOTE,
            f"Quotation marks around a single word change nothing when it has a tag{others}.",
            *words[0].span,
            "Delete them.",
            Effect.NONE,
        )


def _mixed_nearness(tree: Node) -> Iterator[Finding]:
    near = [node for node in _nodes(tree) if isinstance(node, Near)]
    for node in near:
        inside = [inner for side in (node.left, node.right) for inner in _nodes(side) if isinstance(inner, Near)]
        if any(inner.ordered != node.ordered for inner in inside):
            yield Finding(
                "mixed_nearness",
                Severity.ERROR,
                "Scopus does not take W/ and PRE/ in one expression.",
                *node.span,
                "Use one of them, or two expressions joined by AND.",
                Effect.RECALL,
            )


def _many_operators(tree: Node) -> Iterator[Finding]:
    everywhere = [leaf for leaf in leaves(tree) if isinstance(leaf, Term) and leaf.field is Field.ALL]
    if len(everywhere) > MOST_OPERATORS_IN_ALL_FIELDS + 1:
        yield Finding(
            "too_many_operators",
            Severity.ERROR,
            f"Web of Science takes {MOST_OPERATORS_IN_ALL_FIELDS} operators in All Fields, "
            f"here are {len(everywhere) - 1}.",
            *tree.span,
            "Search the topic (TS=) or split the query.",
            Effect.RECALL,
        )


def _nodes(tree: Node) -> Iterator[Node]:
    stack = [tree]
    while stack:
        node = stack.pop()
        yield node
        stack.extend(children_of(node))


def filter_findings(strategy: Strategy) -> Iterator[Finding]:
    """Trial filters: in CENTRAL, where all records are trials; with “drug therapy” as heading, not as subheading."""
    terms = [
        leaf for line in strategy.lines if line.tree is not None for leaf in leaves(line.tree) if isinstance(leaf, Term)
    ]
    words = {t.text.casefold() for t in terms if t.text.casefold() in _TRIAL_WORDS and t.field not in HEADING_FIELDS}
    types = [t for t in terms if t.text.casefold() in _TRIAL_TYPES]
    if strategy.dialect is Dialect.CENTRAL and len(words) >= 3:
        first = next(t for t in terms if t.text.casefold() in words)
        yield Finding(
            "trial_filter_in_central",
            Severity.WARNING,
            "CENTRAL holds trials only: a filter for trials loses those whose records say it in other words.",
            *first.span,
            "Leave the filter out.",
            Effect.RECALL,
        )
    if types and len(words) >= 3:
        for term in terms:
            if term.field in MESH_FIELDS and term.heading.casefold() == "drug therapy":
                yield Finding(
                    "subheading_as_heading",
                    Severity.WARNING,
                    "The trial filter has “drug therapy” as a floating subheading; here it is a heading.",
                    *term.span,
                    "Write drug therapy[sh]." if strategy.dialect is Dialect.PUBMED else "Write drug therapy.fs.",
                    Effect.RECALL,
                    _subheading_fix(term, strategy),
                )


def _subheading_fix(term: Term, strategy: Strategy) -> Fix | None:
    if strategy.dialect is Dialect.PUBMED:
        return Fix(*term.span, '"drug therapy"[sh]', Outcome.OTHER)
    return Fix(*term.span, "drug therapy.fs.", Outcome.OTHER) if strategy.dialect in OVID else None

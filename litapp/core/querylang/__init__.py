"""The query language: one tree for a Boolean search, read from and printed in PubMed's syntax."""

from litapp.core.querylang.ast import And, Field, Node, Not, Or, Proximity, Range, Span, Term, leaves
from litapp.core.querylang.findings import Finding, Severity
from litapp.core.querylang.parser import parse
from litapp.core.querylang.printer import print_pubmed
from litapp.core.querylang.tokens import QuerySyntaxError
from litapp.core.querylang.words import query_blocks, query_terms, term_pattern

__all__ = [
    "And",
    "Field",
    "Finding",
    "Node",
    "Not",
    "Or",
    "Proximity",
    "QuerySyntaxError",
    "Range",
    "Severity",
    "Span",
    "Term",
    "leaves",
    "parse",
    "print_pubmed",
    "query_blocks",
    "query_terms",
    "term_pattern",
]

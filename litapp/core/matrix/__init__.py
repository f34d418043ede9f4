"""The literature matrix without database: rules that offer values, verbatim spans, what a drafted sentence lacks."""

from litapp.core.matrix.rules import suggestions
from litapp.core.matrix.spans import Span, find_quote, place_in, sentences, text_at
from litapp.core.matrix.suggestions import COLUMN_LABELS, RULES_VERSION, Column, Place, Suggestion, quote_stands

__all__ = [
    "COLUMN_LABELS",
    "RULES_VERSION",
    "Column",
    "Place",
    "Span",
    "Suggestion",
    "find_quote",
    "place_in",
    "quote_stands",
    "sentences",
    "suggestions",
    "text_at",
]

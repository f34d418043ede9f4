"""Comparison of bibliographic fields by words and names: the floor of verification and of duplicate finding.

Ratios are never used to decide (measured: none separates a changed negation from a harmless variant); see
docs/decisions/0005-matching-and-verdicts.md.
"""

from litapp.core.matching.fields import COMPARED_FIELDS, compare_fields
from litapp.core.matching.journals import JournalNames
from litapp.core.matching.verdicts import Agreement, FieldVerdict, WordDiff
from litapp.core.matching.words import diff_words

__all__ = ["COMPARED_FIELDS", "Agreement", "FieldVerdict", "JournalNames", "WordDiff", "compare_fields", "diff_words"]

"""Words of a title: how they are cut, folded and aligned."""

from __future__ import annotations

from litapp.core.matching.verdicts import WordDiff


def diff_words(ours: str, theirs: str) -> tuple[WordDiff, ...]:
    """Word-level difference for display: runs that are the same, only ours, only theirs; markup is dropped."""
    raise NotImplementedError

"""UTF-8 that was read as Latin-1 or Windows-1252, read again."""

from __future__ import annotations

import re

_RUN = re.compile(
    "[\u00c2-\u00f4][\u0080-\u00bf\u0152\u0153\u0160\u0161\u0178\u017d\u017e\u0192\u02c6\u02dc\u2013-\u2022\u2026\u2030\u2039\u203a\u20ac\u2122]{1,3}"
)


def repair_mojibake(text: str) -> str:
    """Every garbled sign ("CastaÃ±o", "Alzheimerâ€™s") repaired; anything that is no garbled sign stays as it was."""
    return text if text.isascii() else _RUN.sub(_read_again, text)


def _read_again(found: re.Match[str]) -> str:
    run = found[0]
    for length in range(len(run), 1, -1):
        for encoding in ("cp1252", "latin-1"):
            try:
                return run[:length].encode(encoding).decode("utf-8") + run[length:]
            except (UnicodeEncodeError, UnicodeDecodeError):
                continue
    return run

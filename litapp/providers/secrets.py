"""Keeping keys and contact data out of everything that is stored, logged or raised."""

from __future__ import annotations

import re
from urllib.parse import quote, quote_plus

PLACE = "[removed]"
_SHORTEST = 6
"""Characters. A shorter "key" would be found within ordinary words and damage the answer."""
_ECHOED_KEY = re.compile(rb'("api[-_]?key"\s*:\s*)"[^"]*"', re.IGNORECASE)


class Redactor:
    """Replaces the secrets of one source by a fixed text, also in their percent-encoded forms."""

    def __init__(self, *secrets: str) -> None:
        forms: set[str] = set()
        for secret in secrets:
            if len(secret) >= _SHORTEST:
                forms |= {secret, quote(secret, safe=""), quote(secret), quote_plus(secret)}
        self._forms = sorted(forms, key=len, reverse=True)

    def text(self, text: str) -> str:
        """`text` without secrets."""
        for form in self._forms:
            text = text.replace(form, PLACE)
        return text

    def body(self, body: bytes) -> bytes:
        """`body` without secrets."""
        for form in self._forms:
            body = body.replace(form.encode(), PLACE.encode())
        return body


def without_echoed_key(body: bytes) -> bytes:
    """An error body without the value of its "api-key" field: NCBI puts the key, or the caller's address, there."""
    return _ECHOED_KEY.sub(rb'\1"' + PLACE.encode() + b'"', body)

"""Keeping keys and contact data out of everything that is stored, logged or raised."""

from __future__ import annotations

import re
from urllib.parse import quote, quote_plus

from litapp.core.ports import Outcome
from litapp.providers.base import Credentials, SourceError

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


def sendable(source: str, label: str, credentials: Credentials) -> Credentials:
    """The credentials, if they can be sent at all. Raises SourceError without quoting them."""
    for name, value in credentials.headers:
        if not value.isascii() or not value.isprintable():
            what = "contact address" if name.lower() == "user-agent" else "key"
            raise SourceError(
                source,
                Outcome.PERMANENT,
                f"The {what} for {label} holds characters that cannot be sent.",
                hint="Correct it in the settings: often a blank or a line break was copied along.",
                code="bad_key",
            )
    return credentials


def without_echoed_key(body: bytes) -> bytes:
    """An error body without the value of its "api-key" field: NCBI puts the key, or the caller's address, there."""
    return _ECHOED_KEY.sub(rb'\1"' + PLACE.encode() + b'"', body)

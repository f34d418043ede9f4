"""Secrets at rest: sealed with the installation's secret key, and bound to the place they were sealed for.

Encrypt-then-MAC from the standard library alone: a keystream of HMAC-SHA256 over a random nonce and a counter, and an
HMAC-SHA256 over nonce, text and context. The two keys are derived from SECRET_KEY, each under its own salt.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import secrets
from itertools import count

from django.conf import settings
from django.utils.crypto import constant_time_compare, salted_hmac

_FORM = "v1"
_NONCE, _TAG = 16, 32


class CannotOpen(Exception):
    """The sealed text was made with another secret key, for another place, or was changed."""


def seal(text: str, context: str) -> str:
    """`text` sealed for `context` (whose it is and what for); the same text gives another seal every time."""
    nonce, body = secrets.token_bytes(_NONCE), text.encode()
    hidden = _mixed(body, nonce, settings.SECRET_KEY)
    tag = _tag(nonce + hidden, context, settings.SECRET_KEY)
    return f"{_FORM}.{base64.urlsafe_b64encode(nonce + tag + hidden).decode()}"


def open_sealed(sealed: str, context: str) -> str:
    """The text that was sealed for `context`. Raises CannotOpen. Former secret keys (fallbacks) still open."""
    form, _, encoded = sealed.partition(".")
    try:
        raw = base64.b64decode(encoded.encode(), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        raise CannotOpen("not a sealed text") from None
    if base64.urlsafe_b64encode(raw).decode() != encoded:  # the last sign has bits that decoding ignores
        raise CannotOpen("not a sealed text as it was written")
    nonce, tag, hidden = raw[:_NONCE], raw[_NONCE : _NONCE + _TAG], raw[_NONCE + _TAG :]
    if form == _FORM and len(tag) == _TAG:
        for key in map(str, (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)):
            if constant_time_compare(tag.hex(), _tag(nonce + hidden, context, key).hex()):
                return _mixed(hidden, nonce, key).decode()
    raise CannotOpen("made with another secret key, or changed")


def _key(purpose: str, secret: str) -> bytes:
    return salted_hmac(f"litapp.sealing.{purpose}", _FORM, secret=secret, algorithm="sha256").digest()


def _tag(body: bytes, context: str, secret: str) -> bytes:
    place = context.encode()
    return hmac.new(_key("tag", secret), len(place).to_bytes(4, "big") + place + body, hashlib.sha256).digest()


def _mixed(body: bytes, nonce: bytes, secret: str) -> bytes:
    """`body` combined with the keystream; twice gives it back."""
    key, stream = _key("text", secret), b""
    for number in count():
        if len(stream) >= len(body):
            break
        stream += hmac.new(key, nonce + number.to_bytes(8, "big"), hashlib.sha256).digest()
    return bytes(one ^ two for one, two in zip(body, stream, strict=False))

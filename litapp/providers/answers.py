"""What the answers of all sources have in common: HTML in disguise, JSON, Retry-After, HTTP statuses."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from litapp.core.ports import Outcome
from litapp.providers.base import Classification

_HTML = re.compile(
    rb"^\s*+(?:<\?xml[^>]*+>\s*+)?(?:<!--(?:(?!-->).)*+-->\s*+)*+<(?:!doctype\s+html|html|head|title|body|h1)\b",
    re.I | re.S,
)

REFUSED = "refused"
"""`Classification.code` of an answer that refuses this installation, whatever was asked: the source is left alone."""


class UnreadableAnswer(ValueError):
    """The bytes are not what this source answers with. The message says what was met, without quoting it."""


def looks_like_html(body: bytes) -> bool:
    """True for a web page, whatever the headers call it."""
    return _HTML.match(body[:4096].removeprefix(b"\xef\xbb\xbf")) is not None


def is_flask_404(body: bytes) -> bool:
    """True for the page by which OpenAlex's and Unpaywall's own servers say that they have no such entry.

    A 404 page of anything on the way to them (nginx, a proxy) says nothing about the entry.
    """
    return _FLASK_404.search(body[:1000]) is not None


_FLASK_404 = re.compile(
    rb"<title>\s*404 Not Found\s*</title>.{0,80}The requested URL was not found on the server", re.S
)


def read_json(body: bytes) -> Any:
    """The JSON value in `body`. Raw line feeds within strings are accepted (NCBI sends them in error messages).

    Signs that are no text are left out of every string: control characters, halves of surrogate pairs (neither can be
    stored in every database), and overrides of the writing direction, which make a text read as another one. The
    archived bytes keep them.

    Raises UnreadableAnswer for anything else: empty, HTML, plain text, cut off, or not UTF-8.
    """
    if not body.strip():
        raise UnreadableAnswer("an empty answer")
    if looks_like_html(body):
        raise UnreadableAnswer("a web page in place of data")
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UnreadableAnswer("text in a wrong character encoding") from None
    try:
        value = json.loads(text, strict=False)
        return _without_no_text(value) if _MAY_HOLD_NO_TEXT.search(text) else value
    except (ValueError, RecursionError):
        raise UnreadableAnswer("data that is cut off or damaged") from None


_NO_TEXT = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_MAY_HOLD_NO_TEXT = re.compile(rf"{_NO_TEXT.pattern}|\\[bf]|\\u(?:00[01]|007[fF]|202[a-eA-E]|206[6-9]|[dD][89a-fA-F])")


def _without_no_text(value: Any) -> Any:
    if isinstance(value, str):
        return _NO_TEXT.sub("", value)
    if isinstance(value, list):
        return [_without_no_text(item) for item in value]
    if isinstance(value, dict):
        return {_without_no_text(key): _without_no_text(item) for key, item in value.items()}
    return value


def read_json_object(body: bytes) -> dict[str, Any]:
    """The JSON object in `body`. Raises UnreadableAnswer."""
    value = read_json(body)
    if not isinstance(value, dict):
        raise UnreadableAnswer("data of another form than expected")
    return value


def retry_after(headers: Mapping[str, str]) -> float | datetime | None:
    """The Retry-After header: seconds (also a fraction) or a time; None when absent or not to be read."""
    text = headers.get("retry-after", "").strip()
    if not text:
        return None
    try:
        seconds = float(text)
    except ValueError:
        try:
            when = parsedate_to_datetime(text)
        except (ValueError, TypeError, IndexError, OverflowError):
            return None
        return when.replace(tzinfo=UTC) if when.tzinfo is None else when.astimezone(UTC)
    return max(seconds, 0.0) if math.isfinite(seconds) else None


def number_in(headers: Mapping[str, str], *names: str) -> float | None:
    """The first of these headers that holds a positive number."""
    for name in names:
        try:
            value = float(headers.get(name, ""))
        except ValueError:
            continue
        if math.isfinite(value) and value > 0:
            return value
    return None


def malformed(label: str, what: str) -> Classification:
    """The answer cannot be used: "Crossref sent a web page in place of data"."""
    return Classification(
        Outcome.MALFORMED,
        f"{label} sent {what}. Nothing can be concluded from it.",
        hint="Try again later. If it stays so, look at the source's own status page.",
    )


def by_status(label: str, status: int, headers: Mapping[str, str]) -> Classification | None:
    """What the HTTP status alone says, for every source alike; None for a status each source must judge itself.

    2xx, 400, 404 and 429 bodies differ too much between sources and are left to them.
    """
    if status in (408, 425):
        return Classification(Outcome.TRANSIENT, f"{label} took too long and gave up.", retry_after(headers))
    if status == 401:
        return Classification(
            Outcome.PERMANENT,
            f"{label} does not accept the key of this installation.",
            hint="Correct or remove the key in the settings.",
            code="bad_key",
        )
    if status == 403:
        return Classification(
            Outcome.PERMANENT,
            f"{label} refuses requests from this installation.",
            hint="The address may be blocked, or a key may be wrong. Ask the source; repeating will not help.",
            code=REFUSED,
        )
    if status >= 500:
        return Classification(
            Outcome.TRANSIENT,
            f"{label} has a problem of its own at the moment (status {status}).",
            retry_after(headers),
            hint="Try again later.",
        )
    if 300 <= status < 400:
        return malformed(label, "a redirection that leads nowhere")
    return None


def refused_request(label: str, detail: str = "") -> Classification:
    """A 400-like answer: the source understood and does not accept the request."""
    return Classification(
        Outcome.PERMANENT,
        f"{label} does not accept this request{': ' + detail if detail else '.'}",
        hint="Change the query or the filters.",
        code="bad_request",
    )


def too_many_requests(label: str, headers: Mapping[str, str], after: float | None = None) -> Classification:
    """A plain 429. `after` = seconds named in the body, used where the header is silent."""
    wait = retry_after(headers)
    return Classification(
        Outcome.RATE_LIMITED,
        f"{label} asks for a slower pace.",
        after if wait is None else wait,
        hint="LitLedger waits and goes on by itself.",
    )


def plain_detail(text: str, limit: int = 200) -> str:
    """A message of a source, fit to be shown: one line, no markup, cut at `limit` characters."""
    line = " ".join(re.sub(r"<[^>]*>", " ", text).split())
    return line if len(line) <= limit else line[: limit - 1] + "…"

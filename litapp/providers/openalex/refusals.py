"""Why OpenAlex says 429 (there are eight reasons), and what it says of the credits left.

Source: the public edge proxy ourresearch/openalex-api-proxy, August 2026. "Remaining 0" stands in several refusals
and means nothing there; the message tells the reason.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime, time, timedelta
from typing import Any

from litapp.core.ports import Budget, Outcome
from litapp.providers import answers
from litapp.providers.answers import UnreadableAnswer
from litapp.providers.base import Classification
from litapp.providers.reading import text

LABEL = "OpenAlex"
KEY_HINT = "A free OpenAlex key in the settings gives a larger share."
DOLLARS_A_CREDIT = 0.0001
_PER_SECOND = re.compile(rb"(\d+)\s+(?:requests?\s+)?per\s+(?:1\s+)?second", re.IGNORECASE)
_GOES_ON = "LitLedger waits and goes on by itself."


def error_of(body: bytes) -> dict[str, Any]:
    """The JSON object of a refusal; {} where it is none."""
    try:
        return answers.read_json_object(body)
    except UnreadableAnswer:
        return {}


def too_many(headers: dict[str, str], body: bytes) -> Classification:
    """What a 429 means, each kind with its own sentence, wait and reach."""
    data = error_of(body)
    message = text(data.get("message")).lower()
    after = _seconds(data.get("retryAfter"))
    told = answers.retry_after(headers)
    wait = after if told is None else told
    if "plan upgrade required" in text(data.get("error")).lower():
        return Classification(
            Outcome.PERMANENT,
            "OpenAlex gives this only to paying users.",
            hint="Change the filters; waiting does not help.",
            code="plan_needed",
        )
    if "insufficient budget" in message:
        return _budget(data, wait)
    if text(data.get("reason")) == "broad_boolean_query" or "boolean" in message:
        return _held(
            "OpenAlex answers searches with many AND/OR/NOT only once a second (five times with a key).",
            wait,
            "broad_boolean",
        )
    if "semantic" in message:
        return _held("OpenAlex answers searches by meaning only once a second.", wait, "semantic_pace")
    if "anonymous search" in message:
        return _held(
            "OpenAlex rations searching without a key at the moment.", wait, "anonymous_search_rationed", KEY_HINT
        )
    if "throttled while we investigate" in message:
        return Classification(
            Outcome.RATE_LIMITED,
            "OpenAlex slows this key down on purpose.",
            wait,
            hint="Write to support@openalex.org to learn why.",
            code="throttled",
        )
    pace = published_limit(body)
    if pace is not None:
        return Classification(
            Outcome.RATE_LIMITED,
            f"OpenAlex was asked faster than it allows ({pace:g} times a second).",
            wait,
            hint=_GOES_ON,
        )
    return answers.too_many_requests(LABEL, headers, after)


def _held(message: str, wait: float | datetime | None, code: str, hint: str = _GOES_ON) -> Classification:
    """Only searches are held back; look-ups go on."""
    return Classification(Outcome.RATE_LIMITED, message, wait, hint=hint, code=code, whole_source=False)


def _budget(data: Mapping[str, Any], wait: float | datetime | None) -> Classification:
    left = _number(data.get("creditsRemaining")) or 0
    needed = _number(data.get("creditsRequired"))
    if left:
        message = f"{left:g} credits are left of OpenAlex's daily budget, too few for this search"
        message += f", which costs {needed:g}." if needed else "."
    else:
        message = "OpenAlex's daily budget for this installation is spent."
    return Classification(
        Outcome.RATE_LIMITED,
        message,
        wait,
        hint=f"It starts anew at midnight UTC; look-ups by DOI or PMID go on. {KEY_HINT}",
        code="budget_spent",
        whole_source=False,
    )


def published_limit(body: bytes) -> float | None:
    """Requests a second named in a refusal. OpenAlex's X-RateLimit headers count credits a day, not a pace."""
    start = body[:2000]
    if b'"error"' not in start and b"Too Many Requests" not in start:
        return None
    found = _PER_SECOND.search(start)
    return float(found[1]) if found and 0 < int(found[1]) < 1000 else None


def published_budget(status: int, headers: Mapping[str, str], body: bytes, now: datetime) -> Budget | None:
    """The credits left today. A 429 is believed only where its message speaks of the budget."""
    if status == 429:
        data = error_of(body)
        if "insufficient budget" not in text(data.get("message")).lower():
            return None
        wait = _seconds(data.get("retryAfter"))
        until = now + timedelta(seconds=wait) if wait else midnight_after(now)
        extra = _number(data.get("onetimeCreditsRemaining")) or 0
        return Budget((_number(data.get("creditsRemaining")) or 0) + extra, until, _limit(headers))
    if "x-ratelimit-credits-used" not in headers and "x-ratelimit-limit-usd" not in headers:
        return None
    left = _number(headers.get("x-ratelimit-remaining"))
    if left is None:
        return None
    prepaid = _number(headers.get("x-ratelimit-prepaid-remaining-usd")) or 0
    extra = _number(headers.get("x-ratelimit-onetime-remaining")) or 0
    reset = _seconds(headers.get("x-ratelimit-reset"))
    until = now + timedelta(seconds=reset) if reset else midnight_after(now)
    return Budget(left + extra + round(prepaid / DOLLARS_A_CREDIT), until, _limit(headers))


def _limit(headers: Mapping[str, str]) -> float | None:
    limit = _number(headers.get("x-ratelimit-limit"))
    return limit if limit and limit >= 100 else None


def midnight_after(now: datetime) -> datetime:
    """The next midnight UTC."""
    return datetime.combine(now.astimezone(UTC).date() + timedelta(days=1), time.min, UTC)


def _number(value: Any) -> float | None:
    """A number that is not negative, also one written as text."""
    if isinstance(value, bool):
        return None
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return number if 0 <= number < 1e12 else None


def _seconds(value: Any) -> float | None:
    number = _number(value)
    return number if number is not None and number <= 2 * 86_400 else None

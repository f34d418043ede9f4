"""What an installation sets for the optional model, checked before anything is sent. Off unless it is set."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

DEFAULT_TOKENS, MOST_TOKENS = 400, 32_000
DEFAULT_TIMEOUT, LONGEST_TIMEOUT = 60, 900
_SECRET = re.compile(r"key|token$|secret|password|passwd|authori[sz]ation|credential|bearer|cookie", re.IGNORECASE)
_NOT_SECRET = frozenset({"max_tokens", "max_completion_tokens", "logit_bias"})
_TAKEN = frozenset(
    {
        "messages", "prompt", "input", "instructions", "model", "stream", "n", "base_url", "url", "endpoint", "host",
        "headers", "extra_headers", "extra_query", "extra_body", "organization", "project", "user", "tools",
        "functions", "store", "metadata", "timeout", "http_client", "proxy",
    }
)  # fmt: skip
"""What the parameters may not set: it is settled elsewhere, or would carry addresses, credentials or texts."""


class BadModelSettings(ValueError):
    """The model cannot be used as it is set; nothing was sent. `problems` are sentences without any secret."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__(" ".join(problems))
        self.problems = tuple(problems)


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """A model that can be asked. `key` and `base_url` are never stored, shown or logged; `parameters` are sent as they
    are (no temperature of ours)."""

    base_url: str = field(repr=False)
    model: str
    provider: str
    key: str = field(default="", repr=False)
    max_tokens: int = DEFAULT_TOKENS
    timeout: float = DEFAULT_TIMEOUT
    parameters: dict[str, Any] = field(default_factory=dict)

    def told(self, prompt_version: str) -> dict[str, Any]:
        """What a document says of the model: no key, no address."""
        return {
            "provider": self.provider,
            "model": self.model,
            "prompt_version": prompt_version,
            "max_tokens": self.max_tokens,
            "timeout_seconds": self.timeout,
            "parameters": self.parameters,
        }


def model_settings(
    *, base_url: str, model: str, provider: str = "", key: str = "", max_tokens: Any = "", timeout: Any = "",
    parameters: str = "",
) -> ModelSettings | None:  # fmt: skip
    """The model of this installation; None where none is set. Raises BadModelSettings with every problem."""
    if not base_url.strip() and not model.strip():
        return None
    problems: list[str] = []
    if not base_url.strip() or not model.strip():
        missing = "LITAPP_MODEL_URL" if not base_url.strip() else "LITAPP_MODEL_NAME"
        problems.append(f"The model needs an address and a name: {missing} is empty.")
    host = _host(base_url.strip())
    if base_url.strip() and not host:
        problems.append(
            "LITAPP_MODEL_URL must be an address such as http://127.0.0.1:11434/v1, without name and password."
        )
    if key and (not key.isascii() or not key.isprintable() or key.strip() != key):
        problems.append("LITAPP_MODEL_KEY holds characters that cannot be sent.")
    tokens = _number(max_tokens, DEFAULT_TOKENS, MOST_TOKENS)
    if tokens is None:
        problems.append(f"LITAPP_MODEL_TOKENS must be a whole number from 1 to {MOST_TOKENS:,}.")
    seconds = _number(timeout, DEFAULT_TIMEOUT, LONGEST_TIMEOUT)
    if seconds is None:
        problems.append(f"LITAPP_MODEL_TIMEOUT must be a number of seconds from 1 to {LONGEST_TIMEOUT}.")
    chosen, trouble = read_parameters(parameters)
    problems += trouble
    if problems or tokens is None or seconds is None:
        raise BadModelSettings(problems)
    return ModelSettings(
        base_url=base_url.strip(), model=model.strip(), provider=provider.strip() or host, key=key, max_tokens=tokens,
        timeout=float(seconds), parameters=chosen,
    )  # fmt: skip


def read_parameters(text: str) -> tuple[dict[str, Any], list[str]]:
    """Generation parameters from JSON, and what is wrong with them. Credentials, addresses and messages are refused."""
    if not text.strip():
        return {}, []
    try:
        found = json.loads(text)
    except ValueError:
        return {}, ["LITAPP_MODEL_PARAMETERS is no valid JSON."]
    if not isinstance(found, dict):
        return {}, ['LITAPP_MODEL_PARAMETERS must be a JSON object such as {"top_p": 0.9}.']
    problems = [
        f"LITAPP_MODEL_PARAMETERS must not hold “{name}”: {why}" for name, why in _refused(found)
    ]  # fmt: skip
    return ({}, problems) if problems else (found, [])


def _refused(value: Any, *, outer: bool = True) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    if isinstance(value, dict):
        for name, inner in value.items():
            if outer and name.lower() in _TAKEN:
                found.append((name, "it is settled elsewhere."))
            elif _SECRET.search(name) and name not in _NOT_SECRET:
                found.append((name, "credentials belong into LITAPP_MODEL_KEY."))
            else:
                found += _refused(inner, outer=False)
    elif isinstance(value, list):
        for inner in value:
            found += _refused(inner, outer=False)
    elif isinstance(value, str) and re.match(r"\s*(?:https?|wss?)://|\s*bearer\s", value, re.IGNORECASE):
        found.append((value.split(":")[0][:12], "addresses and credentials do not belong here."))
    return found


def _host(address: str) -> str:
    try:
        parts = urlsplit(address)
    except ValueError:
        return ""
    good = parts.scheme in ("http", "https") and parts.hostname and parts.username is None and not parts.query
    return (parts.hostname or "") if good else ""


def _number(value: Any, default: int, most: int) -> int | None:
    text = str(value).strip()
    if not text:
        return default
    return int(text) if re.fullmatch(r"\d{1,6}", text) and 1 <= int(text) <= most else None

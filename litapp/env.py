"""Typed reading of LITAPP_* environment variables; NAME_FILE names a file that holds a secret."""

from __future__ import annotations

import os
from pathlib import Path


class BadSetting(ValueError):
    """A LITAPP_* variable has a value that cannot be used."""


def env_text(name: str, default: str = "") -> str:
    """The variable's text, or the content of the file that NAME_FILE names, stripped."""
    if path := os.environ.get(f"{name}_FILE"):
        return Path(path).read_text(encoding="utf-8").strip()
    return os.environ.get(name, default).strip()


def env_flag(name: str, default: bool = False) -> bool:
    """1/true/yes/on or 0/false/no/off, in any case. Raises BadSetting otherwise."""
    text = env_text(name)
    if not text:
        return default
    if text.lower() in {"1", "true", "yes", "on"}:
        return True
    if text.lower() in {"0", "false", "no", "off"}:
        return False
    raise BadSetting(f"{name} must be yes or no, not {text!r}")


def env_number(name: str, default: int) -> int:
    """A whole number. Raises BadSetting otherwise."""
    text = env_text(name)
    try:
        return int(text) if text else default
    except ValueError as error:
        raise BadSetting(f"{name} must be a whole number, not {text!r}") from error


def env_list(name: str, default: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Comma-separated texts, blanks removed."""
    text = env_text(name)
    return tuple(part.strip() for part in text.split(",") if part.strip()) if text else default

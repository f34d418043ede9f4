"""The JSON Schemas of a bundle's files, and what they find wrong."""

from __future__ import annotations

import json
from functools import lru_cache
from importlib.resources import files
from typing import Any

from jsonschema import Draft202012Validator

PAPER_FILE = "paper.v1.schema.json"
BUNDLE_FILE = "bundle.v1.schema.json"
PARTS = ("manifest", "raw", "provenance", "dedupe_map", "search_log")
"""Parts of BUNDLE_FILE, each the form of one file (or of one line of it)."""
LONGEST_SENTENCE = 300


def paper_schema() -> dict[str, Any]:
    """The schema `litledger.paper.v1`."""
    return _load(PAPER_FILE)


def paper_error(value: Any) -> str:
    """The first thing wrong with a paper, as a sentence; "" when it is a `litledger.paper.v1`."""
    return _first_error(_paper(), value)


def part_error(part: str, value: Any) -> str:
    """The same for one of PARTS."""
    return _first_error(_part(part), value)


def _load(name: str) -> dict[str, Any]:
    schema: dict[str, Any] = json.loads(files(__package__).joinpath(name).read_text(encoding="utf-8"))
    return schema


@lru_cache(maxsize=1)
def _paper() -> Draft202012Validator:
    return Draft202012Validator(_load(PAPER_FILE))


@lru_cache(maxsize=len(PARTS))
def _part(part: str) -> Draft202012Validator:
    whole = _load(BUNDLE_FILE)
    return Draft202012Validator(whole["$defs"][part])


def _first_error(validator: Draft202012Validator, value: Any) -> str:
    error = next(iter(validator.iter_errors(value)), None)
    if error is None:
        return ""
    place = ".".join(str(step) for step in error.absolute_path)
    sentence = f"{place}: {error.message}" if place else error.message
    return sentence if len(sentence) <= LONGEST_SENTENCE else sentence[: LONGEST_SENTENCE - 1] + "…"

"""The files of a bundle: their names, and which names are refused."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import BinaryIO, Protocol

MANIFEST = "manifest.json"
PLAN = "plan.yaml"
RAW = "candidates_raw.jsonl"
NORMALIZED = "candidates_normalized.jsonl"
DEDUPED = "candidates_deduped.jsonl"
PROVENANCE = "provenance.jsonl"
DEDUPE_MAP = "dedupe_map.json"
SEARCH_LOG = "search_log.json"
CONTENT = (PLAN, RAW, NORMALIZED, DEDUPED, PROVENANCE, DEDUPE_MAP, SEARCH_LOG)
"""Every file but the manifest and the archived answers. A bundle has all of them."""
ANSWERS = "answers"
"""Folder of the archived answers, each named by the sha256 of its bytes; there only when asked for."""
LONGEST_NAME = 200

_ANSWER = re.compile(rf"{ANSWERS}/([0-9a-f]{{64}})")


class BundleFiles(Protocol):
    """A bundle's files, wherever they lie. Reading never follows a link and never leaves the bundle."""

    def names(self) -> list[str]:
        """Names of all files, with "/" between folder and file."""

    def size(self, name: str) -> int:
        """Bytes of the file."""

    def open(self, name: str) -> BinaryIO:
        """The file's bytes, to be closed by the caller. Raises KeyError for a name that is not there."""


def answer_name(sha256: str) -> str:
    """Where the archived answer with this hash lies in a bundle."""
    return f"{ANSWERS}/{sha256}"


def answer_hash(name: str) -> str:
    """The hash in the name of an archived answer; "" for any other name."""
    found = _ANSWER.fullmatch(name)
    return found[1] if found else ""


def name_problem(name: str) -> str:
    """Why a file of this name cannot be part of a bundle, as a sentence; "" when it can."""
    shown = repr(name[:LONGEST_NAME])
    if len(name) > LONGEST_NAME:
        return f"{shown}…: this name is longer than any name in a bundle."
    if name.startswith(("/", "\\")) or re.match(r"[A-Za-z]:", name):
        return f"{shown} is an absolute path. A bundle holds only files of its own folder."
    if ".." in re.split(r"[/\\]", name):
        return f"{shown} leads out of the bundle's folder. It was not opened."
    if "\\" in name or any(ord(sign) < 32 for sign in name):
        return f"{shown} holds signs that no name in a bundle has."
    if name != MANIFEST and name not in CONTENT and not answer_hash(name):
        return f"{shown} is not a file of a bundle."
    return ""


def name_problems(names: Iterable[str]) -> list[str]:
    """What is wrong with the names of a bundle's files, one sentence each: refused, repeated or missing names."""
    problems, seen = [], set()
    for name in names:
        if problem := name_problem(name):
            problems.append(problem)
        elif name in seen:
            problems.append(f"{name!r} is there twice.")
        seen.add(name)
    problems += [f"{name} is missing." for name in (MANIFEST, *CONTENT) if name not in seen]
    return problems

"""A citation as text: the fields of a found record are looked for in it; it is never parsed first and then trusted."""

from __future__ import annotations

from litapp.core.identifiers import find_identifiers
from litapp.core.records import Record

BROUGHT = "brought"


def read_citation(text: str) -> Record:
    """What a citation says before any source was asked: its identifiers, and nothing else."""
    return Record(source=BROUGHT, source_id="", csl_type="", identifiers=find_identifiers(text))

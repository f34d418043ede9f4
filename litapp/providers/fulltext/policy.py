"""How any host is asked for a paper: never more than one request in two seconds, and slower where it says so."""

from __future__ import annotations

import hashlib

from litapp.providers.policies import Pace, SourcePolicy

SOURCE = "web"
"""Source key of answers of hosts that are no source of their own."""
_SLOWER = {"arxiv.org": 1 / 3, "export.arxiv.org": 1 / 3}
_LONGEST_KEY = 60


def pace_key(host: str) -> str:
    """The name under which a host's pace is kept, in the database's 60 characters."""
    key = f"{SOURCE}:{host.lower()}"
    if len(key) <= _LONGEST_KEY:
        return key
    return f"{key[:43]}~{hashlib.sha256(key.encode()).hexdigest()[:16]}"


def policy_of(key: str) -> SourcePolicy:
    """The rules of one host (`pace_key`). Two seconds between requests: issue 8; arXiv: its terms of use."""
    host = key.partition(":")[2]
    return SourcePolicy(
        source=key,
        paces=(Pace("", _SLOWER.get(host, 1 / 2), "two seconds between two requests to one host (issue 8)"),),
        concurrency=1,
        batch_size=1,
        page_size=1,
        most_records=None,
        terms_url="",
        contact="none",
    )

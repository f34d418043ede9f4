"""What makes two records the same entry: the same source says exactly the same."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from litapp.core.records import Record, record_to_dict

_OF_THE_READING = frozenset({"warnings", "notices"})
"""Fields that tell how the record was read, or what happened to the paper since."""


def entry_key(record: Record) -> str:
    """sha256 (hex) of source, id and all statements of a record: equal when it is returned or imported again."""
    return entry_key_of(record_to_dict(record))


def entry_key_of(data: Mapping[str, Any]) -> str:
    """`entry_key` of a record in its JSON form (`record_to_dict`)."""
    said = {name: value for name, value in data.items() if name not in _OF_THE_READING}
    text = json.dumps(said, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()

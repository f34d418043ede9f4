"""What makes two records the same entry: the same source says exactly the same."""

from __future__ import annotations

import hashlib
import json

from litapp.core.records import Record, record_to_dict

_OF_THE_READING = frozenset({"warnings", "notices"})
"""Fields that tell how the record was read, or what happened to the paper since."""


def entry_key(record: Record) -> str:
    """sha256 (hex) of source, id and all statements of a record: equal when it is returned or imported again."""
    data = {name: value for name, value in record_to_dict(record).items() if name not in _OF_THE_READING and value}
    text = json.dumps(data, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()

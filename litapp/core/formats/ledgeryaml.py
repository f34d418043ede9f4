"""The reference ledger as YAML (`*_References.yaml`): every field as its source returned it, with verdict and checks.

People read and diff this file; the importer reads it back. What it says of verification is then a claim like any other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import yaml

from litapp.core.formats.entry import ExportEntry, require_distinct_keys
from litapp.core.identifiers import Scheme
from litapp.core.records import record_to_dict

LEDGER_HEADER = "# LitLedger reference ledger, version 1. Each record is what a source returned, unchanged.\n"
_SANDBOX = "# Contains sandbox data: practice records, not the result of a real search.\n"


@dataclass(frozen=True, slots=True)
class LedgerCheck:
    """One check of a reference: who was asked, what came of it, when (ISO date), and the remark of the check."""

    source: str
    result: str
    on: str = ""
    remark: str = ""


@dataclass(frozen=True, slots=True)
class LedgerReference:
    """A reference with what the ledger tells beyond the record: the topic it was searched for, a sentence quoted from
    its abstract, and the checks behind its verdict."""

    entry: ExportEntry
    search_topic: str = ""
    key_finding: str = ""
    checks: tuple[LedgerCheck, ...] = ()


def write_ledger_yaml(references: Sequence[LedgerReference]) -> str:
    """All references in the order given, numbered REF 1 …; equal input gives equal bytes. Raises ValueError for a
    repeated key."""
    require_distinct_keys([reference.entry.key for reference in references])
    head = LEDGER_HEADER + (_SANDBOX if any(reference.entry.sandbox for reference in references) else "")
    if not references:
        return head + "references: []\n"
    return head + "references:\n" + "".join(_block(number, one) for number, one in enumerate(references, start=1))


def _block(number: int, reference: LedgerReference) -> str:
    return yaml.dump(
        [_form(number, reference)],
        Dumper=_Dumper,
        sort_keys=False,
        allow_unicode=True,
        width=100,
        default_flow_style=False,
    )


def _form(number: int, reference: LedgerReference) -> dict[str, Any]:
    entry, record = reference.entry, reference.entry.record
    form: dict[str, Any] = {
        "ref": number,
        "key": entry.key,
        "pmid": record.pmid,
        "doi": record.doi,
        "pmcid": record.identifier(Scheme.PMCID),
        "authors": [person.name for person in record.authors],
        "title": record.title or record.original_title,
        "journal": record.journal,
        "year": record.year,
        "search_topic": reference.search_topic,
        "key_finding": reference.key_finding,
        "verdict": str(entry.verdict),
        "status": entry.status_mark,
        "verified": entry.verified_value,
        "verified_by": list(entry.verified_by) if entry.verified_value == "true" else [],
        "verified_on": entry.verified_on.isoformat() if entry.verified_on and entry.verified_value == "true" else "",
        "note": entry.note,
        "found_in": list(entry.found_in),
        "checks": [
            {
                name: value
                for name, value in (("source", c.source), ("result", c.result), ("on", c.on), ("remark", c.remark))
                if value
            }
            for c in reference.checks
        ],
        "record": record_to_dict(record),
    }
    return {name: value for name, value in form.items() if value not in ("", None, [])}


class _Dumper(yaml.SafeDumper):
    """SafeDumper without anchors, which quotes texts that YAML would change."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    odd = any(sign in text for sign in "\r\n\t\x85\u2028\u2029\ufeff") or not text.isprintable()
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style='"' if odd else None)


_Dumper.add_representer(str, _text)

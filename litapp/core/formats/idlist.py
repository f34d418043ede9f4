"""Writes identifier lists: one a line, citable ones only; all others go to a second list that says why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from litapp.core.formats.csvsafe import safe_cell
from litapp.core.formats.entry import ExportEntry
from litapp.core.identifiers import Scheme


@dataclass(frozen=True, slots=True)
class LeftOut:
    """An entry that is not in the list of citable identifiers: `identifier` ("" where it has none) and why."""

    entry: ExportEntry
    identifier: str
    reason: str


@dataclass(frozen=True, slots=True)
class IdList:
    """Identifiers of citable entries, each once, in the order of the entries, and all entries that are left out."""

    scheme: Scheme
    citable: tuple[str, ...]
    left_out: tuple[LeftOut, ...]

    @property
    def text(self) -> str:
        """The first file: one identifier a line and nothing else."""
        return "".join(f"{value}\n" for value in self.citable)

    @property
    def left_out_text(self) -> str:
        """The second file: identifier, citation key and reason, parted by tabs, with a header line; "" if none."""
        if not self.left_out:
            return ""
        lines = [f"{self.scheme.value}\tkey\treason\n"]
        lines += [
            f"{safe_cell(out.identifier)}\t{safe_cell(out.entry.key)}\t{safe_cell(' '.join(out.reason.split()))}\n"
            for out in self.left_out
        ]
        return "".join(lines)


def id_list(entries: Sequence[ExportEntry], scheme: Scheme) -> IdList:
    """The list of one scheme (PMID, DOI ...). Citable = verified by a source, and not retracted."""
    citable: dict[str, None] = {}
    left_out = []
    for entry in entries:
        value = entry.record.identifier(scheme)
        reason = why_left_out(entry)
        if not reason and not value:
            reason = f"has no {scheme.value.upper()}"
        if reason:
            left_out.append(LeftOut(entry, value, reason))
        else:
            citable[value] = None
    return IdList(scheme, tuple(citable), tuple(left_out))


def why_left_out(entry: ExportEntry) -> str:
    """Why an entry must not be cited as it is: its marks and the reason of its verdict; "" for a citable one."""
    return "" if entry.citable else entry.note or "is confirmed by no source"

"""How fast files of references are read, and in how much memory: 100,000 records of each format, made from real ones.

    python benchmarks/importing.py [records] [format ...]

The records of ../shared/imports are repeated, each with a DOI or title of its own left as it is: reading does not
depend on what was read before. Each format is read in a process of its own; CPU time counts, so that other work on
the machine matters little. `found` must equal `records`.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared" / "imports"
sys.path.insert(0, str(ROOT))

_END = re.compile(rb"(?m)^(?=TY  - )")


def _repeated(parts: list[bytes], count: int, head: bytes = b"", tail: bytes = b"", joint: bytes = b"") -> bytes:
    whole, rest = divmod(count, len(parts))
    return head + joint.join([joint.join(parts)] * whole + parts[:rest]) + tail


def _ris(count: int) -> bytes:
    parts: list[bytes] = []
    for name in ("embase_com_2020_6.ris", "scopus_2025_10.ris", "cinahl_ebsco_9.ris", "lens_49.ris", "openalex_9.ris"):
        data = (SHARED / "ris" / name).read_bytes().lstrip(b"\xef\xbb\xbf").replace(b"\r\n", b"\n")
        parts += [part.rstrip() + b"\n\n" for part in _END.split(data) if part.strip()]
    return _repeated(parts, count)


def _nbib(count: int) -> bytes:
    data = (SHARED / "nbib" / "pubmed_restoration_first60.nbib").read_bytes().replace(b"\r\n", b"\n")
    return _repeated([part.rstrip() + b"\n\n" for part in re.split(rb"(?m)^(?=PMID- )", data) if part.strip()], count)


def _bibtex(count: int) -> bytes:
    data = (SHARED / "bibtex" / "zotero_bib_first60.bib").read_bytes()
    return _repeated([part.rstrip() + b"\n\n" for part in re.split(rb"(?m)^(?=@)", data) if part.strip()], count)


def _table(count: int) -> bytes:
    from litapp.core.formats.importers.csvrows import read_rows
    from litapp.core.formats.importers.reading import Limits

    text = (SHARED / "csv" / "zotero_first60.csv").read_text("utf-8-sig")
    lines = iter(list(enumerate(text.split("\n"), start=1)))
    rows = [row.text.encode() + b"\n" for row in read_rows(lines, ",", Limits()) if row.cells]
    return _repeated(rows[1:], count, rows[0])


def _endnote_xml(count: int) -> bytes:
    data = (SHARED / "endnote-xml" / "mendeley_endnote_xml_first50.xml").read_bytes()
    return _repeated(
        re.findall(rb"<record>.*?</record>", data, re.DOTALL), count, b"<xml><records>", b"</records></xml>"
    )


def _csl_json(count: int) -> bytes:
    data = (SHARED / "csl-json" / "scihub_pair.json").read_text()
    import json

    return _repeated([json.dumps(item, indent=1).encode() for item in json.loads(data)], count, b"[", b"]", b",\n")


def _wos(count: int) -> bytes:
    data = (SHARED / "wos" / "wos_full_record_first60.txt").read_bytes().lstrip(b"\xef\xbb\xbf").replace(b"\r\n", b"\n")
    head, rest = data.split(b"PT ", 1)
    return _repeated(
        [part.rstrip() + b"\n\n" for part in re.split(rb"(?m)^(?=PT )", b"PT " + rest) if part.strip()],
        count,
        head,
        b"EF\n",
    )


MAKERS: dict[str, Callable[[int], bytes]] = {
    "ris": _ris, "nbib": _nbib, "bibtex": _bibtex, "table": _table, "endnote_xml": _endnote_xml, "csl_json": _csl_json,
    "wos": _wos,
}  # fmt: skip


def measure(path: str) -> None:
    """Read one file and print records, CPU seconds, seconds to the first record, and peak memory."""
    from litapp.core.formats.importers import read_file

    start, first, found, problems = time.process_time(), 0.0, 0, 0
    with open(path, "rb") as stream:
        reading = read_file(stream)
        for entry in reading.entries:
            found += 1
            problems += entry.record is None
            first = first or time.process_time() - start
    seconds = time.process_time() - start
    peak = _peak_megabytes()
    print(
        f"| {reading.format} | {found:,} | {problems} | {Path(path).stat().st_size / 1e6:.0f} | {seconds:.1f} | {found / seconds:,.0f} | {first:.2f} | {peak:.0f} |"  # noqa: E501
    )


def _peak_megabytes() -> float:
    """Of this process alone: ru_maxrss would count the parent, from which it was forked."""
    found = re.search(r"VmHWM:\s*(\d+) kB", Path("/proc/self/status").read_text())
    return int(found[1]) / 1024 if found else 0.0


def main() -> None:
    """Make and measure each format."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    print("| format | found | without record | MB | CPU s | records/s | CPU s to the first | peak MB |")
    print("|---|---|---|---|---|---|---|---|", flush=True)
    for name in sys.argv[2:] or MAKERS:
        with tempfile.NamedTemporaryFile(suffix=f".{name}") as file:
            file.write(MAKERS[name](count))
            file.flush()
            subprocess.run([sys.executable, __file__, "--measure", file.name], check=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        measure(sys.argv[2])
    else:
        main()

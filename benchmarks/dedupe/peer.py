"""Clusters one set with a peer from PyPI and writes them as JSON. Run by `peers.py`, with the interpreter of an
environment that has the peer.

    python peer.py (bib-dedupe | deduplicate-it) SET_FOLDER PREDICTED.json
"""

from __future__ import annotations

import csv
import gzip
import json
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

csv.field_size_limit(10_000_000)


def main() -> None:
    """Read the set, ask the peer, write clusters of at least two record ids."""
    peer, folder, out = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    with gzip.open(folder / "records.csv.gz", "rt", encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    clusters = {"bib-dedupe": bib_dedupe, "deduplicate-it": deduplicate_it}[peer](rows)
    out.write_text(json.dumps([sorted(cluster) for cluster in clusters if len(cluster) > 1]))


def bib_dedupe(rows: list[dict[str, str]]) -> list[list[str]]:
    """Its documented steps with default settings, on one processor; pairs it calls "maybe" are not merged."""
    import pandas as pd  # of the peer's environment
    from bib_dedupe.bib_dedupe import block, cluster, match, prep

    records = pd.DataFrame(
        {
            "ID": row["record_id"],
            "ENTRYTYPE": "article",
            "author": " and ".join(name for name in row["authors"].split("; ") if name),
            "title": row["title"],
            "year": row["year"],
            "journal": row["journal"],
            "volume": row["volume"],
            "number": row["issue"],
            "pages": row["pages"],
            "doi": row["doi"],
            "abstract": row["abstract"],
            "search_set": "",
        }
        for row in rows
    )
    found: list[list[str]] = cluster(match(block(prep(records, cpu=1), cpu=1), cpu=1))
    return found


def deduplicate_it(rows: list[dict[str, str]]) -> list[list[str]]:
    """Its rule by its own functions: DOI and title, each in its normal form, both equal."""
    from deduplicate_it.core import normalize_doi, normalize_title  # of the peer's environment

    groups: defaultdict[tuple[Any, Any], list[str]] = defaultdict(list)
    for row in rows:
        doi, title = normalize_doi(row["doi"]), normalize_title(row["title"])
        if doi and title:
            groups[doi, title].append(row["record_id"])
    return list(groups.values())


if __name__ == "__main__":
    main()

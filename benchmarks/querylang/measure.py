"""Measures the query language on the strategies of ../shared/queries.

Usage: `python benchmarks/querylang/measure.py ../shared`.

Prints one line a measure: parsing, round trip, PubMed's own translations, known defects, false findings, translations,
pasted appendices, speed. `adjudicated.json` beside this file holds the known defects as code and place.
"""

from __future__ import annotations

import json
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from litapp.core.querylang import Node, Or, QuerySyntaxError, Term, parse
from litapp.core.querylang.appendix import read_appendix
from litapp.core.querylang.ast import And, Not
from litapp.core.querylang.dialects import Dialect, parse_in, print_in
from litapp.core.querylang.press import check_strategy
from litapp.core.querylang.strategy import read_strategy
from litapp.core.querylang.translating import translate_strategy

DIALECTS = {
    "pubmed": Dialect.PUBMED,
    "ovid_medline": Dialect.OVID_MEDLINE,
    "embase_ovid": Dialect.OVID_EMBASE,
    "psycinfo_ovid": Dialect.OVID_PSYCINFO,
    "embase_com": Dialect.EMBASE_COM,
    "central": Dialect.CENTRAL,
    "wos": Dialect.WEB_OF_SCIENCE,
    "scopus": Dialect.SCOPUS,
    "cinahl_ebsco": Dialect.CINAHL,
    "psycinfo_proquest": Dialect.PROQUEST,
}
"""Names of meta.json and our dialects."""


def strategies(queries: Path) -> Iterator[tuple[str, str, Dialect]]:
    """(folder/file, text, dialect) of every strategy."""
    for meta in sorted(queries.glob("*/meta.json")):
        for name, about in json.loads(meta.read_text(encoding="utf-8"))["files"].items():
            if about["dialect"] in DIALECTS:
                path = meta.parent / name
                yield f"{meta.parent.name}/{name}", path.read_text(encoding="utf-8"), DIALECTS[about["dialect"]]


def reading(queries: Path) -> None:
    """Lines that parse, lines with a placed fault, and the round trip."""
    files = lines = faults = same = printed = 0
    for _, text, dialect in strategies(queries):
        strategy = read_strategy(text, dialect)
        files += 1
        for line in strategy.lines:
            lines += 1
            if line.tree is None:
                assert line.fault is not None
                assert 0 <= line.fault.start <= line.fault.end <= len(text)
                faults += 1
                continue
            if dialect is Dialect.PROQUEST:
                continue
            printed += 1
            same += parse_in(print_in(line.tree, dialect), dialect, references=True) == line.tree
    print(f"reading: {files} files, {lines} lines, {lines - faults} trees, {faults} placed faults, 0 crashes")
    print(f"round trip: {same} of {printed} lines give the same tree")


def _folded(written: Node, reported: Node) -> bool:
    """True when the reported tree is the written one, with untagged words opened into an OR of their own by PubMed and
    hyphens, quotes and the case of letters as PubMed writes them."""
    if isinstance(written, Term):
        words = re.sub(r"[\W_]+", " ", written.text.replace("*", "")).casefold().split()
        if isinstance(reported, Term):
            return re.sub(r"[\W_]+", " ", reported.text.replace("*", "")).casefold().split() == words and (
                written.field == reported.field or not written.field
            )
        return not written.field and isinstance(reported, Or)
    if isinstance(written, And | Or) and type(written) is type(reported):
        assert isinstance(reported, And | Or)
        return len(written.children) == len(reported.children) and all(
            _folded(a, b) for a, b in zip(written.children, reported.children, strict=True)
        )
    if isinstance(written, Not) and isinstance(reported, Not):
        return _folded(written.keep, reported.keep) and _folded(written.drop, reported.drop)
    return False


def oracle(queries: Path) -> None:
    """PubMed's own translations: the same tree but for the words it adds itself."""
    results = {}
    for reported in sorted(queries.glob("*/ncbi_query_translation.txt")):
        written = reported.parent / "pubmed_runnable.txt"
        if written.exists():
            trees = [parse(path.read_text(encoding="utf-8")) for path in (written, reported)]
            results[reported.parent.name] = _folded(*trees)
    print(f"PubMed's translations: {sum(results.values())} of {len(results)} the same tree", _failed(results))


def _failed(results: dict[str, bool]) -> str:
    failed = [name for name, good in results.items() if not good]
    return f"(not: {', '.join(failed)})" if failed else ""


def findings(queries: Path) -> None:
    """Known defects found at their place, and findings that were judged false."""
    known = json.loads((Path(__file__).parent / "adjudicated.json").read_text(encoding="utf-8"))
    found: dict[str, set[tuple[str, int, int]]] = {}
    for name, text, dialect in strategies(queries):
        found[name] = {(f.code, f.start, f.end) for f in check_strategy(text, dialect)}
    missed = [d for d in known["defects"] if (d["code"], d["start"], d["end"]) not in found[d["file"]]]
    total = sum(map(len, found.values()))
    false = [f for f in known["false_findings"] if (f["code"], f["start"], f["end"]) in found[f["file"]]]
    kinds = Counter(d["code"] for d in known["defects"])
    print(
        f"known defects: {len(known['defects']) - len(missed)} of {len(known['defects'])} places in {len(kinds)} codes;"
        f" {len(known['set_aside'])} remarks set aside"
    )
    for defect in missed:
        print("  missed:", defect["file"], defect["code"], defect["start"], defect["end"])
    print(f"findings: {total}, judged false {len(false)} ({len(false) / total:.1%})")


def translations(queries: Path) -> None:
    """Every readable strategy into every database: trees, balance, losses."""
    done = unproved = unbalanced = unlisted = unreadable = 0
    for _, text, dialect in strategies(queries):
        strategy = read_strategy(text, dialect)
        if dialect is Dialect.PROQUEST:
            continue
        for target in Dialect:
            if target is Dialect.PROQUEST:
                continue
            try:
                result = translate_strategy(strategy, target)
            except QuerySyntaxError:
                unreadable += 1
                continue
            done += 1
            unproved += not result.proved
            unbalanced += any(line.text.count("(") != line.text.count(")") for line in result.lines)
            unlisted += not result.text and not result.losses
    print(
        f"translations: {done} done, {unproved} changed trees, {unbalanced} unbalanced, "
        f"{unlisted} without listed losses; {unreadable} of strategies with a placed fault refused"
    )


def appendices(queries: Path) -> None:
    """Pasted appendices: databases, lines, counts, faults."""
    for raw in sorted(queries.glob("*/raw_appendix.txt")):
        sections = read_appendix(raw.read_text(encoding="utf-8"))
        lines = [line for section in sections for line in section.strategy.lines]
        print(
            f"appendix {raw.parent.name}: {len(sections)} databases, {len(lines)} lines, "
            f"{sum(line.tree is not None for line in lines)} with a tree, "
            f"{sum(line.hits is not None for line in lines)} with a count, "
            f"{sum(len(section.missing) for section in sections)} missing numbers"
        )


def speed() -> None:
    """1,600 terms in each dialect."""
    tree: Node = Or(tuple(Term(f"term number{i}", parse("x[ti]").field, True) for i in range(1_600)))  # type: ignore[union-attr]
    for dialect in Dialect:
        if dialect is Dialect.PROQUEST:
            continue
        text = print_in(tree, dialect)
        started = time.process_time()
        parse_in(text, dialect)
        print(f"1,600 terms, {dialect.value}: {time.process_time() - started:.3f} s")


def main() -> None:
    """Run all measures."""
    queries = Path(sys.argv[1] if len(sys.argv) > 1 else "../shared") / "queries"
    reading(queries)
    oracle(queries)
    findings(queries)
    translations(queries)
    appendices(queries)
    speed()


if __name__ == "__main__":
    main()

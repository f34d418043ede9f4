"""Checks a bundle: names, hashes, forms, counts, and that every file fits the others. Reads, never writes."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from litapp.core.formats.bundle.files import (
    ANSWERS,
    DEDUPE_MAP,
    DEDUPED,
    MANIFEST,
    NORMALIZED,
    PLAN,
    PROVENANCE,
    RAW,
    SEARCH_LOG,
    BundleFiles,
    answer_hash,
    answer_name,
    name_problem,
    name_problems,
)
from litapp.core.formats.bundle.jsonlines import UnreadableJson, canonical_hash, read_json, read_lines
from litapp.core.formats.bundle.legacy import LegacyRecordError, adapt_legacy, is_legacy
from litapp.core.formats.bundle.manifest import LARGEST_MANIFEST, ManifestError, read_manifest
from litapp.core.formats.bundle.schemas import paper_error, part_error
from litapp.core.formats.planyaml import LARGEST_PLAN, plan_from_yaml
from litapp.core.plan import PlanError, plan_hash
from litapp.core.records import record_from_dict

MOST_PROBLEMS = 50
"""Problems that are told; the rest are counted."""
CHUNK = 1024 * 1024
LARGEST_JSON = 128 * 1024 * 1024
"""Bytes of a file that is read whole (dedupe map, search log)."""


@dataclass(slots=True)
class Checked:
    """What was found. `manifest` is empty when it could not be read; `legacy` = old records that were adapted."""

    manifest: dict[str, Any] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    untold: int = 0
    legacy: int = 0

    @property
    def valid(self) -> bool:
        return not self.problems

    def tell(self, sentence: str) -> None:
        """Note a problem."""
        if len(self.problems) < MOST_PROBLEMS:
            self.problems.append(sentence)
        else:
            self.untold += 1


def check_bundle(files: BundleFiles, *, adapt: bool = False) -> Checked:
    """Check everything that can be checked without the installation that wrote it.

    With `adapt`, old records (title, year, id) in the two lists of papers are read through the adapter and counted;
    without it they are a problem. A bundle of a failed run can be valid; `manifest.refusal_of` says that it is of no
    use.
    """
    checked = Checked()
    for sentence in name_problems(files.names()):
        checked.tell(sentence)
    if not checked.valid:
        return checked
    try:
        with files.open(MANIFEST) as stream:
            checked.manifest = read_manifest(stream.read(LARGEST_MANIFEST + 1))
    except ManifestError as error:
        checked.tell(str(error))
        return checked
    _check_hashes(files, checked)
    if not checked.valid:
        return checked
    _check_plan(files, checked)
    try:
        _Content(files, checked, adapt).check()
    except UnreadableJson as error:
        checked.tell(str(error))
    return checked


def _check_hashes(files: BundleFiles, checked: Checked) -> None:
    named: dict[str, dict[str, Any]] = checked.manifest["files"]
    there = set(files.names()) - {MANIFEST}
    for name in named:
        if name == MANIFEST or (problem := name_problem(name)):
            checked.tell(f"The manifest names a file that it may not name: {problem or name}")
        elif name not in there:
            checked.tell(f"{name} is named in the manifest and missing.")
    for name in sorted(there):
        if name not in named:
            checked.tell(f"{name} is not named in the manifest.")
            continue
        size, digest = _size_and_hash(files, name)
        if size != named[name]["size"]:
            checked.tell(f"{name} has {size:,} bytes; the manifest says {named[name]['size']:,}.")
        if digest != named[name]["sha256"]:
            checked.tell(f"{name} was changed: its sha256 is not that of the manifest.")
        if (own := answer_hash(name)) and own != digest:
            checked.tell(f"{name} does not hold the answer that its name says.")


def _size_and_hash(files: BundleFiles, name: str) -> tuple[int, str]:
    digest, size = hashlib.sha256(), 0
    with files.open(name) as stream:
        while part := stream.read(CHUNK):
            digest.update(part)
            size += len(part)
    return size, digest.hexdigest()


def _check_plan(files: BundleFiles, checked: Checked) -> None:
    with files.open(PLAN) as stream:
        content = stream.read(4 * LARGEST_PLAN + 1)
    try:
        plan = plan_from_yaml(content.decode())
    except UnicodeDecodeError:
        checked.tell(f"{PLAN} is not UTF-8.")
    except PlanError as error:
        checked.tell(f"{PLAN}: {error}")
    else:
        if plan_hash(plan) != checked.manifest["plan"]["sha256"]:
            checked.tell(f"{PLAN} is not the plan whose hash the manifest gives.")


class _Content:
    """The files against each other. `normalized` and `papers` map ids to what the other files must say of them."""

    def __init__(self, files: BundleFiles, checked: Checked, adapt: bool) -> None:
        self._files, self._checked, self._adapting = files, checked, adapt
        self._counts: Counter[str] = Counter()
        self._by_source: Counter[str] = Counter()
        self._abstracts: Counter[str] = Counter()
        self._answers: dict[str, dict[str, Any]] = {}
        self._queries: Counter[tuple[str, int]] = Counter()
        self._of_paper: dict[str, str] = {}
        self._members: dict[str, list[str]] = {}
        self._matches: dict[str, Counter[tuple[Any, ...]]] = {}
        self._entries: dict[str, tuple[str, str, str]] = {}

    def check(self) -> None:
        """Everything, in the order in which one file needs the other. Raises UnreadableJson."""
        self._check_log()
        self._check_map()
        self._check_raw()
        self._check_papers(NORMALIZED, "n", self._check_normalized)
        self._check_papers(DEDUPED, "p", self._check_deduped)
        self._check_counts()

    def _tell(self, sentence: str) -> None:
        self._checked.tell(sentence)

    def _whole(self, name: str, part: str) -> dict[str, Any]:
        if self._files.size(name) > LARGEST_JSON:
            raise UnreadableJson(f"{name} is larger than {LARGEST_JSON:,} bytes.")
        with self._files.open(name) as stream:
            data = read_json(stream.read(), name)
        if problem := part_error(part, data):
            raise UnreadableJson(f"{name}: {problem}")
        whole: dict[str, Any] = data
        return whole

    def _check_log(self) -> None:
        log = self._whole(SEARCH_LOG, "search_log")
        included = self._checked.manifest["answers"]["included"]
        stored = {sha for name in self._files.names() if (sha := answer_hash(name))}
        for number, answer in enumerate(log["answers"], start=1):
            if answer["id"] != f"a{number}":
                self._tell(f"{SEARCH_LOG}: answer {number} is called {answer['id']}.")
            if included and answer["sha256"] and answer["sha256"] not in stored:
                self._tell(f"{answer_name(answer['sha256'])} is missing although answers are said to be included.")
            self._answers[answer["id"]] = answer
        if unused := stored - {answer["sha256"] for answer in log["answers"]}:
            self._tell(f"{answer_name(sorted(unused)[0])} belongs to no request of {SEARCH_LOG}.")
        if stored and not included:
            self._tell(f"There are files in {ANSWERS}/ although the manifest says that answers are not included.")
        for step in log["steps"]:
            self._queries[step["source"], step["query"]] += step["fetched"]
            for name in ("empty_records", "invalid_records"):
                self._counts[name] += step[name]
            self._counts["not_delivered"] += len(step["missing"])
            for request in step["requests"]:
                if request["answer"] not in self._answers:
                    self._tell(f"{SEARCH_LOG}: {request['answer']} is read by a step and is not there.")

    def _check_map(self) -> None:
        table = self._whole(DEDUPE_MAP, "dedupe_map")
        members: dict[str, str] = {}
        for paper, normalized in table["papers"].items():
            for one in normalized:
                if one in members:
                    self._tell(f"{DEDUPE_MAP}: {one} belongs to {members[one]} and to {paper}.")
                members[one] = paper
        self._of_paper = {one: entry["paper"] for one, entry in table["records"].items()}
        self._members = table["papers"]
        if members != self._of_paper:
            self._tell(f"{DEDUPE_MAP}: its two lists (records, papers) do not say the same.")

    def _check_raw(self) -> None:
        with self._files.open(RAW) as raw, self._files.open(PROVENANCE) as provenance:
            told = read_lines(provenance, PROVENANCE)
            for number, entry in read_lines(raw, RAW):
                where = f"{RAW}, line {number}"
                if problem := part_error("raw", entry) or self._raw_problem(entry, number):
                    self._tell(f"{where}: {problem}")
                    continue
                self._counts[entry["kind"]] += 1
                if entry["kind"] == "hit":
                    self._check_provenance(entry, next(told, (0, {})))
            if next(told, None) is not None:
                self._tell(f"{PROVENANCE} has more lines than there are hits in {RAW}.")

    def _raw_problem(self, entry: dict[str, Any], number: int) -> str:
        if entry["id"] != f"r{number}":
            return f"it is called {entry['id']}."
        if (entry["kind"] == "hit") is not (entry["query"] is not None and entry["rank"] is not None):
            return "a hit has a query and a rank, a supplement has none."
        if entry["answer"] not in self._answers:
            return f"the answer {entry['answer']} is not in {SEARCH_LOG}."
        if canonical_hash(entry["record"]) != entry["record_sha256"]:
            return "the record is not the one whose hash stands beside it."
        if entry["normalized"] not in self._of_paper:
            return f"{entry['normalized']} is not in {DEDUPE_MAP}."
        try:
            record = record_from_dict(entry["record"])
        except (KeyError, TypeError, ValueError) as error:
            return f"the record cannot be read ({error})."
        if (record.source, record.source_id) != (entry["source"], entry["source_id"]) or not record.title.strip():
            return "the record is not the one that the line speaks of."
        stated = self._entries.setdefault(
            entry["normalized"], (entry["source"], entry["source_id"], entry["record_sha256"])
        )
        if stated != (entry["source"], entry["source_id"], entry["record_sha256"]):
            return f"{entry['normalized']} was another record before."
        return ""

    def _check_provenance(self, entry: dict[str, Any], line: tuple[int, dict[str, Any]]) -> None:
        number, told = line
        where = f"{PROVENANCE}, line {number}"
        if not told:
            self._tell(f"{PROVENANCE} has fewer lines than there are hits in {RAW}.")
            return
        if problem := part_error("provenance", told):
            self._tell(f"{where}: {problem}")
            return
        paper = self._of_paper[entry["normalized"]]
        wanted = {"raw": entry["id"], "normalized": entry["normalized"], "paper": paper} | {
            name: entry[name] for name in ("source", "query", "rank", "duplicate_in_source")
        }
        if {name: told[name] for name in wanted} != wanted:
            self._tell(f"{where}: it does not say what {RAW} and {DEDUPE_MAP} say of {entry['id']}.")
        self._counts["duplicates_in_source"] += told["duplicate_in_source"]
        self._by_source[told["source"]] += 1
        self._queries[told["source"], told["query"]] -= 1
        match = (told["source"], told["query"], told["label"], told["rank"])
        for one in (entry["normalized"], paper):
            self._matches.setdefault(one, Counter())[match] += 1

    def _check_papers(self, name: str, letter: str, check: Callable[[dict[str, Any], str], None]) -> None:
        with self._files.open(name) as stream:
            for number, entry in read_lines(stream, name):
                self._counts[name] += 1
                where = f"{name}, line {number}"
                if is_legacy(entry):
                    self._adapt(entry, where, f"{letter}{number}")
                    continue
                if problem := paper_error(entry):
                    self._tell(f"{where}: {problem}")
                elif entry["id"] != f"{letter}{number}":
                    self._tell(f"{where}: it is called {entry['id']}.")
                else:
                    check(entry, where)

    def _adapt(self, entry: dict[str, Any], where: str, paper_id: str) -> None:
        if not self._adapt_allowed(where):
            return
        try:
            problem = paper_error(adapt_legacy(entry, paper_id=paper_id))
        except LegacyRecordError as error:
            problem = str(error)
        if problem:
            self._tell(f"{where}: {problem}")
        self._checked.legacy += 1

    def _adapt_allowed(self, where: str) -> bool:
        if not self._adapting:
            self._tell(f"{where}: an old record without a schema. It is read only when the adapter is asked for.")
        return self._adapting

    def _check_normalized(self, entry: dict[str, Any], where: str) -> None:
        source, source_id, _ = self._entries.get(entry["id"], ("", "", ""))
        if (entry["source"], [one["source_id"] for one in entry["sources"]]) != (source, [source_id]):
            self._tell(f"{where}: {RAW} has no such record of this source.")
        self._check_matches(entry, where)

    def _check_deduped(self, entry: dict[str, Any], where: str) -> None:
        if sorted(one["record"] for one in entry["sources"]) != sorted(self._members.get(entry["id"], ())):
            self._tell(f"{where}: its sources are not the records that {DEDUPE_MAP} joins.")
        self._abstracts[entry["abstract_status"]] += 1
        self._check_matches(entry, where)

    def _check_matches(self, entry: dict[str, Any], where: str) -> None:
        told = Counter((m["source"], m["query"], m["label"], m["rank"]) for m in entry["query_matches"])
        if told != self._matches.get(entry["id"], Counter()):
            self._tell(f"{where}: its query matches are not those of {PROVENANCE}.")

    def _check_counts(self) -> None:
        stated = self._checked.manifest["counts"]
        found = {
            "hits": self._counts["hit"],
            "supplements": self._counts["supplement"],
            "duplicates_in_source": self._counts["duplicates_in_source"],
            "normalized": self._counts[NORMALIZED],
            "deduped": self._counts[DEDUPED],
            "empty_records": self._counts["empty_records"],
            "invalid_records": self._counts["invalid_records"],
            "not_delivered": self._counts["not_delivered"],
        }
        for name, number in found.items():
            if stated[name] != number:
                self._tell(f"The manifest counts {stated[name]:,} {name.replace('_', ' ')}; there are {number:,}.")
        if stated["by_source"] != dict(self._by_source):
            self._tell("The manifest's counts by source are not those of the hits.")
        if not self._checked.legacy and {k: v for k, v in stated["abstracts"].items() if v} != dict(self._abstracts):
            self._tell(f"The manifest's counts of abstracts are not those of {DEDUPED}.")
        if len(self._of_paper) != self._counts[NORMALIZED]:
            self._tell(f"{DEDUPE_MAP} names {len(self._of_paper):,} records; {NORMALIZED} has another number.")
        if len(set(self._of_paper.values())) != self._counts[DEDUPED]:
            self._tell(f"{DEDUPE_MAP} names another number of papers than {DEDUPED}.")
        for (source, query), gap in self._queries.items():
            if gap:
                self._tell(f"{SEARCH_LOG} counts another number of records for query {query} at {source} than {RAW}.")
        if self._checked.manifest["answers"]["files"] != sum(1 for name in self._files.names() if answer_hash(name)):
            self._tell("The manifest counts another number of archived answers.")

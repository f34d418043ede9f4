"""Faults told to the stand-in sources: what goes wrong, where, how often. Deterministic by seed."""

from __future__ import annotations

import random
import threading
from dataclasses import asdict, dataclass, fields
from typing import Any

from litapp.sandbox.wire import Mishap, Request, Response

KINDS = frozenset(
    {
        "http",
        "html_200",
        "cut",
        "null_entries",
        "wrong_charset",
        "slow",
        "hang",
        "reset",
        "changed_doi",
        "missing_record",
        "retraction_hidden",
        "empty_body",
    }
)
RECORD_KINDS = frozenset({"changed_doi", "missing_record", "retraction_hidden"})
"""Faults of single records: they hold while the rule stands, for the records it names, and count no requests."""
_HTML = (
    b'<!DOCTYPE html>\n<html lang="en"><head><title>Scheduled maintenance</title></head>'
    b"<body><h1>We will be back soon</h1></body></html>\n"
)


class FaultError(ValueError):
    """A fault rule cannot be understood; the message names the field."""


@dataclass(slots=True)
class Fault:
    """One rule.

    `source` and `operation` choose requests ("*" = any); `contains` = a text in the path or a parameter. The first
    `skip` matching requests pass, then `count` are hit (None = all), each with `probability`. `status`, `retry_after`
    (seconds or an HTTP date; "" = no header), `body` and `content_type` shape kind "http"; `seconds` = "slow" and
    "hang". `records` names PMIDs or DOIs for the faults of single records.
    """

    kind: str
    source: str = "*"
    operation: str = "*"
    contains: str = ""
    skip: int = 0
    count: int | None = None
    probability: float = 1.0
    status: int = 503
    retry_after: str = ""
    body: str = ""
    content_type: str = "text/html"
    seconds: float = 1.0
    records: tuple[str, ...] = ()


def read_fault(data: dict[str, Any]) -> Fault:
    """A rule from its JSON form. Raises FaultError."""
    names = {f.name for f in fields(Fault)}
    unknown = sorted(set(data) - names)
    if unknown:
        raise FaultError(f"A fault has no field {', '.join(unknown)}. Fields: {', '.join(sorted(names))}.")
    if data.get("kind") not in KINDS:
        raise FaultError(f"Unknown kind of fault: {data.get('kind')!r}. Kinds: {', '.join(sorted(KINDS))}.")
    values = dict(data)
    values["records"] = tuple(str(r).casefold() for r in values.get("records", ()))
    values["retry_after"] = str(values.get("retry_after", ""))
    return Fault(**values)


class Faults:
    """The rules in force."""

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed
        self._rules: list[tuple[Fault, random.Random, list[int]]] = []
        self._lock = threading.Lock()

    def replace(self, rules: list[Fault]) -> None:
        """Put these rules in place of all others; counts start anew."""
        with self._lock:
            self._rules = []
            for rule in rules:
                self._append(rule)

    def add(self, rule: Fault) -> None:
        """Add one rule behind the others."""
        with self._lock:
            self._append(rule)

    def clear(self) -> None:
        """Everything works again."""
        self.replace([])

    def as_dicts(self) -> list[dict[str, Any]]:
        """The rules in JSON form, with how many matching requests each has seen (`seen`) and hit (`hit`)."""
        with self._lock:
            return [{**asdict(rule), "seen": counts[0], "hit": counts[1]} for rule, _, counts in self._rules]

    def for_request(self, source: str, operation: str, request: Request) -> Fault | None:
        """The first rule that hits this request, or None. Counts the request."""
        with self._lock:
            for rule, chance, counts in self._rules:
                if rule.kind in RECORD_KINDS or not _matches(rule, source, operation, request):
                    continue
                counts[0] += 1
                in_turn = counts[0] > rule.skip and (rule.count is None or counts[1] < rule.count)
                if in_turn and chance.random() < rule.probability:
                    counts[1] += 1
                    return rule
        return None

    def of_record(self, source: str, kind: str, pmid: int, doi: str) -> bool:
        """True when a rule of a single-record kind names this record at this source."""
        with self._lock:
            return any(
                rule.kind == kind
                and rule.source in ("*", source)
                and (str(pmid) in rule.records or (bool(doi) and doi.casefold() in rule.records))
                for rule, _, _ in self._rules
            )

    def _append(self, rule: Fault) -> None:
        self._rules.append((rule, random.Random(f"{self.seed}/{len(self._rules)}"), [0, 0]))


def _matches(rule: Fault, source: str, operation: str, request: Request) -> bool:
    if rule.source not in ("*", source) or rule.operation not in ("*", operation):
        return False
    if not rule.contains:
        return True
    return rule.contains in request.path or any(rule.contains in value for _, value in request.params)


def instead(fault: Fault) -> Response | None:
    """The answer that comes in place of the source's own; None when the fault only changes that one."""
    if fault.kind == "http":
        headers = {"Retry-After": fault.retry_after} if fault.retry_after else {}
        return Response(fault.status, fault.body.encode() or _HTML, fault.content_type, headers)
    if fault.kind == "html_200":
        return Response(200, fault.body.encode() or _HTML, "text/html; charset=UTF-8")
    if fault.kind == "empty_body":
        return Response(200, b"", "application/json")
    if fault.kind == "reset":
        return Response(200, b"", "text/plain", mishap=Mishap.RESET)
    if fault.kind == "hang":
        return Response(200, b"", "text/plain", mishap=Mishap.HANG, delay=fault.seconds)
    return None


def damage(fault: Fault, response: Response) -> Response:
    """The source's answer, damaged on its way."""
    if fault.kind == "cut":
        response.mishap = Mishap.CUT
    elif fault.kind == "slow":
        response.delay = fault.seconds
    elif fault.kind == "wrong_charset":
        response.body = response.body.decode("utf-8", "replace").encode("latin-1", "replace")
    return response

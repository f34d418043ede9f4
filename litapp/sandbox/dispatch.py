"""Chooses the source for a request, keeps its limits, applies faults, writes the log. A new source is one entry."""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any, Protocol

from litapp.sandbox.corpus.evaluate import Evaluator
from litapp.sandbox.corpus.store import Corpus
from litapp.sandbox.faults import Fault, FaultError, Faults, damage, instead, read_fault
from litapp.sandbox.limits import Budget, Concurrency, FastClock, SlidingWindow
from litapp.sandbox.wire import Mishap, Request, Response, json_response, text_response

CONTROL = "/_control/"
LOG_LENGTH = 20_000


@dataclass(slots=True)
class World:
    """What every source reads: the corpus, its evaluator, the clock, the faults, the seed."""

    corpus: Corpus
    evaluator: Evaluator
    clock: FastClock
    faults: Faults
    seed: int = 0
    window: SlidingWindow = field(init=False)
    concurrency: Concurrency = field(default_factory=Concurrency)
    budget: Budget = field(init=False)

    def __post_init__(self) -> None:
        self.window = SlidingWindow(self.clock)
        self.budget = Budget(self.clock)

    def draw(self, *parts: object) -> float:
        """A number in [0, 1) that is always the same for the same seed and parts."""
        text = "/".join(str(part) for part in (self.seed, *parts))
        return int.from_bytes(hashlib.sha256(text.encode()).digest()[:7], "big") / 2**56

    def openalex_numbers(self, numbers: list[int]) -> dict[int, str]:
        """OpenAlex's real work numbers of articles, for those with a loaded OpenAlex record."""
        found: dict[int, str] = {}
        for start in range(0, len(numbers), 500):
            part = numbers[start : start + 500]
            marks = ",".join("?" * len(part))
            sql = f"SELECT article, upper(value) FROM attribute WHERE kind = 'openalex' AND article IN ({marks})"  # noqa: S608 - only question marks
            found.update(dict(self.corpus.rows(sql, part)))
        return found


class Source(Protocol):
    """One stand-in source."""

    name: str
    prefix: str

    def operation(self, request: Request) -> str:
        """What is asked: "search", "lookup" …, as the limits and the log name it."""

    def refuse(self, request: Request, operation: str) -> Response | None:
        """The source's refusal when a limit is exceeded, else None."""

    def respond(self, request: Request, operation: str) -> Response:
        """The answer."""

    def decorate(self, request: Request, operation: str, response: Response) -> None:
        """Add the headers that every answer of the source carries."""

    def lane(self, request: Request, operation: str) -> tuple[str, int] | None:
        """(key, most at the same time) where the source limits concurrency, else None."""


@dataclass(frozen=True, slots=True)
class Served:
    """One line of the log."""

    source: str
    operation: str
    method: str
    path: str
    status: int
    fault: str
    at: float


class Sandbox:
    """All sources of one server. `respond` may be called from many threads."""

    def __init__(self, world: World, sources: list[Source]) -> None:
        self.world, self.sources = world, sources
        self._log: list[Served] = []
        self._lock = threading.Lock()
        self._started = time.monotonic()

    def respond(self, request: Request) -> Response:
        """The answer to a request, limits and faults applied."""
        if request.path.startswith(CONTROL):
            return self._control(request)
        source = next((s for s in self.sources if request.path.startswith(s.prefix)), None)
        if source is None:
            known = ", ".join(s.prefix for s in self.sources)
            return text_response(f"The sandbox has no source here. Sources: {known}\n", 404)
        operation = source.operation(request)
        fault = self.world.faults.for_request(source.name, operation, request)
        response = (instead(fault) if fault else None) or self._from_source(source, operation, request, fault)
        self._note(
            Served(
                source.name,
                operation,
                request.method,
                request.path,
                response.status if response.mishap is not Mishap.RESET else 0,
                fault.kind if fault else "",
                round(time.monotonic() - self._started, 3),
            )
        )
        return response

    def reset(self) -> None:
        """No faults, an empty log, all limits and credits free."""
        self.world.faults.clear()
        self.world.window.clear()
        self.world.budget.clear()
        with self._lock:
            self._log.clear()

    def log(self) -> list[Served]:
        """Requests served so far (the newest LOG_LENGTH)."""
        with self._lock:
            return list(self._log)

    def _from_source(self, source: Source, operation: str, request: Request, fault: Fault | None) -> Response:
        lane = source.lane(request, operation)
        if lane and not self.world.concurrency.enter(*lane):
            return text_response("", 429)
        try:
            refusal = source.refuse(request, operation)
            if refusal is not None:
                return refusal
            response = source.respond(request, operation)
            source.decorate(request, operation, response)
        finally:
            if lane:
                self.world.concurrency.leave(lane[0])
        if fault is None:
            return response
        if fault.kind == "null_entries":
            response.body = _with_null_entries(response.body)
        return damage(fault, response)

    def _note(self, served: Served) -> None:
        with self._lock:
            self._log.append(served)
            del self._log[:-LOG_LENGTH]

    def _control(self, request: Request) -> Response:
        actions: dict[tuple[str, str], Callable[[Request], Response]] = {
            ("GET", "faults"): lambda _: json_response({"faults": self.world.faults.as_dicts()}),
            ("POST", "faults"): self._set_faults,
            ("DELETE", "faults"): self._clear_faults,
            ("GET", "log"): self._show_log,
            ("DELETE", "log"): self._clear_log,
            ("GET", "state"): self._show_state,
        }
        action = actions.get((request.method, request.path.removeprefix(CONTROL)))
        return action(request) if action else text_response("No such control.\n", 404)

    def _set_faults(self, request: Request) -> Response:
        try:
            data = json.loads(request.body)
            rules = [read_fault(rule) for rule in data["faults"]]
        except (json.JSONDecodeError, KeyError, TypeError) as error:
            return json_response({"error": f'Send {{"faults": [...]}}: {error}'}, 400)
        except FaultError as error:
            return json_response({"error": str(error)}, 400)
        if data.get("add"):
            for rule in rules:
                self.world.faults.add(rule)
        else:
            self.world.faults.replace(rules)
        return json_response({"faults": self.world.faults.as_dicts()})

    def _clear_faults(self, _: Request) -> Response:
        self.world.faults.clear()
        return json_response({"faults": []})

    def _show_log(self, request: Request) -> Response:
        lines = [line for line in self.log() if request.get("source") in ("", line.source)]
        counts: dict[str, int] = {}
        for line in lines:
            counts[line.source] = counts.get(line.source, 0) + 1
        return json_response({"counts": counts, "requests": [asdict(line) for line in lines]})

    def _clear_log(self, _: Request) -> Response:
        with self._lock:
            self._log.clear()
        return json_response({"counts": {}, "requests": []})

    def _show_state(self, _: Request) -> Response:
        state: dict[str, Any] = {
            "articles": self.world.corpus.size,
            "mesh_tree": self.world.corpus.has_mesh,
            "mesh_note": ""
            if self.world.corpus.has_mesh
            else "No MeSH tree is loaded: a heading finds itself only and is not exploded.",
            "clock": self.world.clock.factor,
            "seed": self.world.seed,
            "sources": {source.name: source.prefix for source in self.sources if source.name != "web"},
        }
        return json_response(state)


def _with_null_entries(body: bytes) -> bytes:
    """The body with `null` in place of every second entry of its longest list of objects."""
    try:
        value = json.loads(body)
    except ValueError:
        return body
    lists: list[list[Any]] = []
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, list):
            if item and all(isinstance(entry, dict) for entry in item):
                lists.append(item)
            continue
        if isinstance(item, dict):
            stack.extend(item.values())
    if isinstance(value, list) and value:
        lists.append(value)
    if lists:
        longest = max(lists, key=len)
        longest[::2] = [None] * len(longest[::2])
    return json.dumps(value, ensure_ascii=False).encode()

"""The HTTP server around the stand-in sources: this machine only, one thread per connection."""

from __future__ import annotations

import contextlib
import socket
import struct
import sys
import threading
import time
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from litapp.sandbox.corpus.evaluate import Evaluator
from litapp.sandbox.corpus.store import Corpus
from litapp.sandbox.dispatch import Sandbox, World
from litapp.sandbox.faults import Fault, Faults
from litapp.sandbox.limits import FastClock
from litapp.sandbox.sources import all_sources
from litapp.sandbox.wire import Mishap, Response, read_request

HOST = "127.0.0.1"
LONGEST_TARGET = 8_190
"""Longest request line that is read, in bytes; a longer one gets NCBI's page for it (414)."""
LONGEST_BODY = 20_000_000
_TOO_LONG = b"<html><head><title>Submitted URI too large!</title></head><body><h2>Error 414</h2></body></html>\n"


@dataclass(slots=True)
class RunningSandbox:
    """A running server. `url` has no slash at its end; source addresses are `url` + the source's prefix."""

    url: str
    sandbox: Sandbox
    _server: ThreadingHTTPServer
    _thread: threading.Thread

    @property
    def faults(self) -> Faults:
        """The faults in force; change them at any time."""
        return self.sandbox.world.faults

    def counts(self) -> dict[str, int]:
        """Requests served so far per source."""
        counts: dict[str, int] = {}
        for line in self.sandbox.log():
            counts[line.source] = counts.get(line.source, 0) + 1
        return counts

    def addresses(self) -> dict[str, str]:
        """Base address of each source, as a setting takes it (hosts of papers have none: they stand under /web/)."""
        return {
            source.name: self.url + source.prefix.rstrip("/") for source in self.sandbox.sources if source.name != "web"
        }

    def reset(self) -> None:
        """No faults, an empty log, all limits and credits free: as if just started."""
        self.sandbox.reset()

    def stop(self) -> None:
        """Stop serving and close the corpus."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(timeout=5)
        self.sandbox.world.corpus.close()


def make_sandbox(corpus_path: Path, *, clock: float = 1.0, seed: int = 0, faults: list[Fault] | None = None) -> Sandbox:
    """The sources over a corpus file, without a server. Raises CorpusError."""
    corpus = Corpus(corpus_path)
    rules = Faults(seed)
    rules.replace(faults or [])
    world = World(corpus, Evaluator(corpus), FastClock(clock), rules, seed)
    return Sandbox(world, all_sources(world))


def start_sandbox(
    corpus_path: Path, port: int = 0, *, clock: float = 1.0, seed: int = 0, faults: list[Fault] | None = None
) -> RunningSandbox:
    """Start a server on 127.0.0.1 in a thread of this process (port 0 = any free one). Raises CorpusError, OSError."""
    sandbox = make_sandbox(corpus_path, clock=clock, seed=seed, faults=faults)
    server = _Server((HOST, port), _handler_of(sandbox))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    return RunningSandbox(f"http://{HOST}:{server.server_address[1]}", sandbox, server, thread)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128
    allow_reuse_address = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is no news; anything else is a fault of the sandbox and is shown."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


def _handler_of(sandbox: Sandbox) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        server_version = "litledger-sandbox"
        sys_version = ""
        timeout = 60

        def do_GET(self) -> None:
            self._answer()

        do_POST = do_DELETE = do_HEAD = do_GET

        def log_message(self, format: str, *args: object) -> None:
            """Requests are kept in the sandbox's own log."""

        def _answer(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            if len(self.path.encode()) > LONGEST_TARGET or length > LONGEST_BODY:
                self._send(Response(414, _TOO_LONG, "text/html; charset=utf-8"))
                self.close_connection = True
                return
            body = self.rfile.read(length) if length else b""
            headers = {name.casefold(): value for name, value in self.headers.items()}
            self._send(sandbox.respond(read_request(self.command, self.path, headers, body)))

        def _send(self, response: Response) -> None:
            if response.delay:
                time.sleep(response.delay)
            if response.mishap is Mishap.RESET or response.mishap is Mishap.HANG:
                self._drop(reset=response.mishap is Mishap.RESET)
                return
            body = response.body
            self.send_response(response.status)
            self.send_header("Content-Type", response.content_type)
            self.send_header("Content-Length", str(len(body)))
            for name, value in response.headers.items():
                self.send_header(name, value)
            self.end_headers()
            if response.mishap is Mishap.CUT:
                self.wfile.write(body[: len(body) // 2])
                self._drop(reset=False)
            elif self.command != "HEAD":
                with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                    self.wfile.write(body)

        def _drop(self, *, reset: bool) -> None:
            """Close the connection without a proper end."""
            self.close_connection = True
            with contextlib.suppress(OSError):
                self.wfile.flush()
                if reset:
                    linger = struct.pack("ii", 1, 0)
                    self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
                self.connection.shutdown(socket.SHUT_WR) if not reset else self.connection.close()

    return Handler

"""A hospital's web proxy: everything public goes through it, nothing else does, and names are checked before."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from litapp.core.ports import Outcome, Request
from litapp.providers.addresses import is_obviously_local
from litapp.providers.base import SourceError
from litapp.providers.http import PoliteClient
from litapp.providers.settings import SourceSettings
from tests.providers.fakes import FakeArchive, FakeBreaker, FakeClock, FakeGate

WORK = {"status": "ok", "message-type": "work", "message": {"DOI": "10.1/x", "title": ["T"]}}
REQUEST = Request("crossref", "GET", "works/10.1/x", operation="lookup")


@dataclass
class Server:
    """A web server on this machine; as a proxy it is asked for whole addresses."""

    port: int = 0
    location: str = ""
    asked: list[tuple[str, str]] = field(default_factory=list)


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            made.asked.append((self.path, self.headers.get("proxy-authorization", "")))
            body = json.dumps(WORK).encode()
            self.send_response(302 if made.location else 200)
            if made.location:
                self.send_header("location", made.location)
                made.location = ""
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args: object) -> None:
            pass

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    made.port = http.server_address[1]
    thread = threading.Thread(target=http.serve_forever, daemon=True)
    thread.start()
    yield made
    http.shutdown()
    http.server_close()
    thread.join()


def client(base_url: str, proxy: str) -> PoliteClient:
    return PoliteClient(
        {"crossref": SourceSettings(base_url)},
        clock=FakeClock(),
        gate=FakeGate(),
        breaker=FakeBreaker(),
        archive=FakeArchive(),
        proxy=proxy,
        resolver=lambda host, port: pytest.fail(f"{host} was looked up here, not by the proxy"),
        chance=lambda: 0.0,
    )


def test_a_public_source_is_asked_through_the_proxy_which_looks_the_name_up(server: Server) -> None:
    made = client("http://crossref.test", f"http://doctor:secret@127.0.0.1:{server.port}")
    assert made.send(REQUEST).outcome is Outcome.OK
    made.close()
    assert server.asked == [("http://crossref.test/works/10.1/x", "Basic ZG9jdG9yOnNlY3JldA==")]


def test_the_sandbox_on_this_machine_is_asked_directly(server: Server) -> None:
    made = client(f"http://127.0.0.1:{server.port}/crossref", "http://127.0.0.1:9")
    assert made.send(REQUEST).outcome is Outcome.OK
    made.close()
    assert server.asked == [("/crossref/works/10.1/x", "")]


@pytest.mark.parametrize(
    "location",
    [
        "http://127.0.0.1/admin",
        "http://intranet/",
        "http://printer.local/",
        "http://10.0.0.7/",
        "http://[::1]/",
        "http://2130706433/",
    ],
)
def test_a_redirection_into_the_hospital_is_refused_by_its_name(server: Server, location: str) -> None:
    server.location = location
    made = client("http://crossref.test", f"http://127.0.0.1:{server.port}")
    with pytest.raises(SourceError) as caught:
        made.send(REQUEST)
    made.close()
    assert caught.value.code == "refused_address"
    assert len(server.asked) == 1


def test_a_redirection_to_another_public_place_goes_through_the_proxy_too(server: Server) -> None:
    server.location = "http://mirror.example/works"
    made = client("http://crossref.test", f"http://127.0.0.1:{server.port}")
    assert made.send(REQUEST).outcome is Outcome.OK
    made.close()
    assert [path for path, _ in server.asked] == ["http://crossref.test/works/10.1/x", "http://mirror.example/works"]


def test_a_dead_proxy_is_unreachable_and_its_password_is_told_to_nobody(caplog: pytest.LogCaptureFixture) -> None:
    made = client("http://crossref.test", "http://doctor:secret@127.0.0.1:9")
    with pytest.raises(SourceError) as caught:
        made.send(REQUEST)
    made.close()
    assert (caught.value.outcome, caught.value.code) == (Outcome.TRANSIENT, "unreachable")
    assert "secret" not in f"{caught.value!r} {vars(caught.value)} {caplog.text}"


@pytest.mark.parametrize(
    ("host", "local"),
    [
        ("localhost", True),
        ("intranet", True),
        ("Printer.Local.", True),
        ("169.254.169.254", True),
        ("[fe80::1]", True),
        ("8.8.8.8", False),
        ("api.crossref.org", False),
        ("crossref.test", False),
    ],
)
def test_names_that_are_local_by_their_text(host: str, local: bool) -> None:
    assert is_obviously_local(host) is local

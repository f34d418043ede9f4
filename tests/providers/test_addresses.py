"""Connections go to the configured sources and to public addresses only."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import closing

import httpx
import pytest

from litapp.core.ports import Request
from litapp.providers.addresses import AddressGuard, AddressRefused, is_public, origin
from litapp.providers.base import SourceError
from litapp.providers.http import PoliteClient, guarded_transport
from tests.providers.fakes import FakeArchive, FakeBreaker, FakeClock, FakeGate, settings_of


@pytest.mark.parametrize("address", ["8.8.8.8", "130.14.29.110", "2607:f220:41e:4290::110", "64:ff9b::808:808"])
def test_public_addresses(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "127.8.9.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0",
        "224.0.0.1", "255.255.255.255", "240.0.0.1", "192.0.2.1", "::", "::1", "fe80::1", "fe80::1%eth0", "fc00::1",
        "fec0::1", "ff02::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::", "2001:db8::1",
        "not an address", "",
    ],
)  # fmt: skip
def test_addresses_that_are_not_public(address: str) -> None:
    assert not is_public(address)


def test_an_origin_is_scheme_host_and_port() -> None:
    assert origin("HTTPS://API.Crossref.org/works") == ("https", "api.crossref.org", 443)
    assert origin("http://127.0.0.1:8123/s2") == ("http", "127.0.0.1", 8123)
    for text in ("ftp://x/", "//x", "https://", "x"):
        with pytest.raises(ValueError):
            origin(text)


def guard(addresses: list[str]) -> AddressGuard:
    return AddressGuard(["http://127.0.0.1:8123/crossref", "https://api.crossref.org"], lambda host, port: addresses)


def test_a_configured_host_is_used_as_it_is_and_only_at_its_port() -> None:
    assert guard(["9.9.9.9"]).target("127.0.0.1", 8123) == "127.0.0.1"
    with pytest.raises(AddressRefused):
        guard(["127.0.0.1"]).target("127.0.0.1", 8124)


def test_a_name_is_resolved_once_and_the_checked_address_is_used() -> None:
    asked: list[str] = []

    def resolver(host: str, port: int) -> list[str]:
        asked.append(host)
        return ["8.8.8.8", "8.8.4.4"]

    assert AddressGuard([], resolver).target("mirror.example", 443) == "8.8.8.8"
    assert asked == ["mirror.example"]


@pytest.mark.parametrize("addresses", [["10.0.0.1"], ["8.8.8.8", "127.0.0.1"], ["::ffff:192.168.0.1"]])
def test_one_private_address_among_those_of_a_name_is_enough_to_refuse(addresses: list[str]) -> None:
    with pytest.raises(AddressRefused):
        guard(addresses).target("rebinding.example", 443)


def test_a_name_without_address_cannot_be_reached() -> None:
    with pytest.raises(OSError, match="no address"):
        guard([]).target("nowhere.example", 443)


@pytest.fixture
def local_server() -> Iterator[int]:
    """A port of this machine that answers one request after the other with an empty JSON object."""
    with closing(socket.create_server(("127.0.0.1", 0))) as server:

        def serve() -> None:
            while True:
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                with closing(connection):
                    connection.recv(65536)
                    connection.sendall(
                        b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n"
                        b"connection: close\r\n\r\n{}"
                    )

        threading.Thread(target=serve, daemon=True).start()
        yield int(server.getsockname()[1])


def test_the_real_transport_reaches_a_configured_local_address(local_server: int) -> None:
    with (
        guarded_transport(AddressGuard([f"http://127.0.0.1:{local_server}"])) as transport,
        httpx.Client(transport=transport) as client,
    ):
        assert client.get(f"http://127.0.0.1:{local_server}/").text == "{}"


def test_the_real_transport_refuses_a_local_address_that_is_not_configured(local_server: int) -> None:
    """Fails when httpx changes the private attribute the guard hangs on."""
    with (
        guarded_transport(AddressGuard(["https://api.crossref.org"])) as transport,
        httpx.Client(transport=transport) as client,
    ):
        for host in ("127.0.0.1", "localhost"):
            with pytest.raises(AddressRefused):
                client.get(f"http://{host}:{local_server}/")


def test_a_public_name_that_leads_inside_is_unavailable(local_server: int) -> None:
    settings = {"crossref": settings_of("crossref", base_url=f"http://127.0.0.1:{local_server}")}
    archive = FakeArchive()
    client = PoliteClient(
        settings,
        clock=FakeClock(),
        gate=FakeGate(),
        breaker=FakeBreaker(),
        archive=archive,
        resolver=lambda host, port: ["10.0.0.9"],
    )
    client._guard._allowed.clear()
    with pytest.raises(SourceError) as caught:
        client.send(Request("crossref", "GET", "works"))
    assert (caught.value.code, archive.errors) == ("refused_address", ["refused address"])
    client.close()

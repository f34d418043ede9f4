"""Which network addresses the app may connect to: its configured sources, and public addresses."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Callable, Iterable
from urllib.parse import urlsplit

Resolver = Callable[[str, int], list[str]]

_NAT64 = ipaddress.ip_network("64:ff9b::/96")
_6TO4 = ipaddress.ip_network("2002::/16")
_SITE_LOCAL = ipaddress.ip_network("fec0::/10")


class AddressRefused(Exception):
    """A connection to an address that is neither configured nor public was refused (design, pitfalls 3 and 18)."""


def resolve(host: str, port: int) -> list[str]:
    """All addresses of `host`, as the system resolves it. Raises OSError."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


def is_public(address: str) -> bool:
    """True for an address of the public internet.

    Private, loopback, link-local, shared (RFC 6598), multicast and reserved addresses are not; neither is an IPv6
    address that carries such an IPv4 address (mapped, 6to4, NAT64).
    """
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    if isinstance(parsed, ipaddress.IPv6Address):
        inner: ipaddress.IPv4Address | None = parsed.ipv4_mapped
        if inner is None and parsed in _NAT64:
            inner = ipaddress.IPv4Address(int(parsed) & 0xFFFFFFFF)
        if inner is None and parsed in _6TO4:
            inner = ipaddress.IPv4Address((int(parsed) >> 80) & 0xFFFFFFFF)
        if inner is not None:
            return is_public(str(inner))
        if parsed in _SITE_LOCAL:
            return False
    return parsed.is_global and not (parsed.is_multicast or parsed.is_reserved or parsed.is_unspecified)


def origin(url: str) -> tuple[str, str, int]:
    """Scheme, host and port of an address, in lower case. Raises ValueError when it has none."""
    parts = urlsplit(url)
    scheme = parts.scheme.lower()
    if scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("not an http address")
    return scheme, parts.hostname.lower(), parts.port or (443 if scheme == "https" else 80)


def is_obviously_local(host: str) -> bool:
    """True for a host whose text alone shows that it is not public: "localhost", "intranet", a private address …"""
    bare = host.strip("[]").lower().rstrip(".")
    if bare == "localhost" or bare.endswith((".localhost", ".local", ".internal")):
        return True
    try:
        ipaddress.ip_address(bare.partition("%")[0])
    except ValueError:
        return "." not in bare
    return not is_public(bare)


def is_home(home: tuple[str, str, int], there: tuple[str, str, int]) -> bool:
    """True when `there` is the configured origin, or the same host by https in place of http."""
    return there == home or (home[0] == "http" and there[0] == "https" and there[1] == home[1] and there[2] == 443)


class AddressGuard:
    """Decides per connection. `configured` are the base addresses of this installation's sources."""

    def __init__(self, configured: Iterable[str], resolver: Resolver = resolve) -> None:
        self._allowed = {origin(url)[1:] for url in configured}
        self._resolver = resolver

    def is_configured(self, host: str, port: int) -> bool:
        """True for a host and port that the settings name."""
        return (host.lower(), port) in self._allowed

    def target(self, host: str, port: int) -> str:
        """The host, or the checked address, to connect to.

        A configured host is used as it is. Any other is resolved once, every address it has must be public, and the
        checked address itself is returned, so that a second look-up cannot give another one.
        Raises AddressRefused, or OSError when the name cannot be resolved.
        """
        if self.is_configured(host, port):
            return host
        addresses = self._resolver(host, port)
        if not addresses:
            raise OSError(f"no address for {host}")
        if not all(is_public(address) for address in addresses):
            raise AddressRefused(f"{host}:{port} is not a public address")
        return addresses[0]

    def refuse_obvious(self, host: str, port: int) -> None:
        """Refuse a redirect target whose text alone shows that it is not public. Raises AddressRefused."""
        if self.is_configured(host, port):
            return
        if is_obviously_local(host):
            raise AddressRefused(f"{host} is not a public address")

"""Requests and answers of the stand-in sources, free of sockets: what was asked, and what to send back how."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from enum import Enum
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit


class Mishap(Enum):
    """What goes wrong on the wire while an answer is sent (only where a fault asks for it)."""

    NONE = "none"
    RESET = "reset"
    CUT = "cut"
    HANG = "hang"


@dataclass(frozen=True, slots=True)
class Request:
    """One request as received. `params` holds the query and, for a form, the body's fields; the first of a name wins
    where a source reads one value."""

    method: str
    path: str
    params: tuple[tuple[str, str], ...]
    headers: dict[str, str]
    body: bytes = b""

    def get(self, name: str, default: str = "") -> str:
        """The first value of a parameter."""
        return next((value for key, value in self.params if key == name), default)

    def has(self, name: str) -> bool:
        """True when the parameter was sent, even empty."""
        return any(key == name for key, _ in self.params)

    def all(self, name: str) -> list[str]:
        """Every value of a parameter."""
        return [value for key, value in self.params if key == name]

    def header(self, name: str) -> str:
        """A header's value, any case of the name."""
        return self.headers.get(name.casefold(), "")


def read_request(method: str, target: str, headers: dict[str, str], body: bytes) -> Request:
    """A request from the parts of an HTTP message. `target` is the path with the query, still encoded."""
    parts = urlsplit(target)
    params = parse_qsl(parts.query, keep_blank_values=True)
    if headers.get("content-type", "").startswith("application/x-www-form-urlencoded"):
        params += parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True)
    return Request(method, unquote(parts.path), tuple(params), headers, body)


@dataclass(slots=True)
class Response:
    """One answer. `mishap` and `delay` (seconds before the first byte) are filled by faults only."""

    status: int
    body: bytes
    content_type: str
    headers: dict[str, str] = field(default_factory=dict)
    mishap: Mishap = Mishap.NONE
    delay: float = 0.0


def json_response(value: Any, status: int = 200, content_type: str = "application/json", **headers: str) -> Response:
    """An answer in JSON. Header names are written with underscores for hyphens."""
    body = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
    return Response(status, body, content_type, {name.replace("_", "-"): text for name, text in headers.items()})


def text_response(text: str, status: int = 200, content_type: str = "text/plain") -> Response:
    """An answer in plain text, XML or HTML."""
    return Response(status, text.encode(), content_type)

"""Recorded answers damaged as answers come damaged: cut, wrapped, in another encoding, with other types."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from typing import Any

from lxml import etree

PAGE = b"<!DOCTYPE html>\n<html><head><title>Sign in</title></head><body>Please sign in.</body></html>"
STRANGE: tuple[Any, ...] = (None, "", "x", 0, -1, 1.5, True, [], {}, [None], {"a": None}, [[]], "\x00", 10**30)
"""What may stand in place of any value of an answer."""


def useless(body: bytes, chance: random.Random) -> Iterator[tuple[str, bytes]]:
    """Damage after which nothing may be concluded from the answer."""
    if len(body) > 60:
        yield "cut in half", body[: len(body) // 2]
        yield "cut somewhere", body[: chance.randrange(20, len(body) - 20)]
        yield "begins in the middle", body[len(body) // 3 :]
    yield "empty", b""
    yield "blank", b" \n "
    yield "a web page", PAGE
    yield "a web page before it", PAGE + body
    yield "null", b"null"
    yield "a number", b"42"
    yield "a text", b'"ok"'
    yield "an empty object", b"{}"
    yield "plain words", b"Service temporarily unavailable"
    yield "only a declaration", b'<?xml version="1.0" encoding="UTF-8"?>\n'
    yield "another root", b'<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><body/></html>'
    yield "packed", b"\x1f\x8b\x08\x00" + body[:50]


def changed(body: bytes, chance: random.Random, times: int) -> Iterator[tuple[str, bytes]]:
    """Damage that may leave something to read: keys without value, other types, missing or doubled parts."""
    try:
        data = json.loads(body, strict=False)
    except (ValueError, RecursionError):
        yield from _changed_xml(body, chance, times)
        return
    places = list(_places(data))
    for _ in range(times):
        if not places:
            return
        path = chance.choice(places)
        other = copy.deepcopy(data)
        holder = other
        for step in path[:-1]:
            holder = holder[step]
        if chance.random() < 0.25:
            what = "without"
            del holder[path[-1]]
        else:
            value = chance.choice(STRANGE)
            what = repr(value)[:20]
            holder[path[-1]] = value
        yield f"{path} {what}", json.dumps(other).encode()
    yield "in UTF-16", json.dumps(data, ensure_ascii=False).encode("utf-16")
    yield "within a list", json.dumps([data]).encode()
    yield "with a mark of byte order", b"\xef\xbb\xbf" + body


def _places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to every value, the shallow ones first."""
    level: list[tuple[tuple[Any, ...], Any]] = [(path, value)]
    while level:
        deeper = []
        for way, one in level:
            items = one.items() if isinstance(one, dict) else enumerate(one[:5]) if isinstance(one, list) else ()
            for key, child in items:
                yield (*way, key)
                deeper.append(((*way, key), child))
        level = deeper


def _changed_xml(body: bytes, chance: random.Random, times: int) -> Iterator[tuple[str, bytes]]:
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    try:
        root = etree.fromstring(body, parser)
    except (etree.XMLSyntaxError, ValueError):
        return
    number = sum(1 for _ in root.iter())
    for _ in range(times):
        other = copy.deepcopy(root)
        elements = [element for element in other.iter() if element is not other and isinstance(element.tag, str)]
        if not elements:
            return
        element = elements[min(chance.randrange(len(elements)), chance.randrange(len(elements)))]
        what = chance.choice(("without", "empty", "text", "attributes", "twice"))
        parent = element.getparent()
        assert parent is not None
        if what == "without":
            parent.remove(element)
        elif what == "empty":
            element.clear()
        elif what == "text":
            for child in list(element):
                element.remove(child)
            element.text = chance.choice(("", "x", "-1", "9" * 30, "é", "2020-13-45"))
        elif what == "attributes":
            element.attrib.clear()
        else:
            parent.append(copy.deepcopy(element))
        yield f"{element.tag} {what} of {number}", etree.tostring(other)

"""The bytes of archived answers: gzip files named by the sha256 of what is in them."""

from __future__ import annotations

import gzip
import hashlib
import os
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast
from uuid import uuid4

from django.conf import settings


class DamagedBody(Exception):
    """The archived bytes are missing or are not what was stored. They must not be used."""


class BodyTooLarge(Exception):
    """More bytes came than are kept."""


def body_path(sha256: str) -> Path:
    """Where the bytes with this hash lie (two letters of it name the folder)."""
    return Path(settings.DATA_DIR) / "answers" / sha256[:2] / f"{sha256}.gz"


def write_body(body: bytes) -> str:
    """Keep `body` and return its sha256 (hex). Whole or not at all: written beside, synced, then renamed."""
    sha256 = hashlib.sha256(body).hexdigest()
    path = body_path(sha256)
    if path.exists():
        return sha256
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.{uuid4().hex}")
    try:
        with beside.open("wb") as file:
            file.write(gzip.compress(body, compresslevel=4, mtime=0))
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)
    return sha256


def read_body(sha256: str) -> bytes:
    """The bytes with this hash. Raises DamagedBody when they are missing or not these."""
    try:
        body = gzip.decompress(body_path(sha256).read_bytes())
    except (OSError, EOFError, zlib.error) as error:
        raise DamagedBody(f"The archived answer {sha256[:12]} cannot be read: {error}") from error
    if hashlib.sha256(body).hexdigest() != sha256:
        raise DamagedBody(f"The archived answer {sha256[:12]} was changed after it was stored.")
    return body


def write_stream(chunks: Iterable[bytes], *, largest: int) -> tuple[str, int]:
    """Keep what comes in `chunks`, of any size, with little memory; returns its sha256 (hex) and its bytes.

    Raises BodyTooLarge when more than `largest` bytes come; nothing is kept then.
    """
    folder = Path(settings.DATA_DIR) / "answers"
    folder.mkdir(parents=True, exist_ok=True)
    beside = folder / f".coming.{uuid4().hex}"
    digest, size = hashlib.sha256(), 0
    try:
        with beside.open("wb") as file:
            with gzip.GzipFile(filename="", mode="wb", fileobj=file, compresslevel=1, mtime=0) as packed:
                for chunk in chunks:
                    size += len(chunk)
                    if size > largest:
                        raise BodyTooLarge(largest)
                    digest.update(chunk)
                    packed.write(chunk)
            file.flush()
            os.fsync(file.fileno())
        path = body_path(digest.hexdigest())
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)
    return digest.hexdigest(), size


def check_body(sha256: str) -> None:
    """Go through the bytes with this hash. Raises DamagedBody when they are missing or not these."""
    digest = hashlib.sha256()
    try:
        with gzip.open(body_path(sha256)) as packed:
            while part := packed.read(1 << 20):
                digest.update(part)
    except (OSError, EOFError, zlib.error) as error:
        raise DamagedBody(f"The stored file {sha256[:12]} cannot be read: {error}") from error
    if digest.hexdigest() != sha256:
        raise DamagedBody(f"The stored file {sha256[:12]} was changed after it was stored.")


@contextmanager
def open_body(sha256: str) -> Iterator[BinaryIO]:
    """The bytes with this hash as a file that can be read and sought, after they were checked against it.

    Raises DamagedBody when they are missing or not these.
    """
    check_body(sha256)
    with gzip.open(body_path(sha256)) as packed:
        yield cast("BinaryIO", packed)

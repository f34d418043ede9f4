"""The files of a bundle on the disk: a folder or a zip file, read with suspicion and written in one way only."""

from __future__ import annotations

import os
import shutil
import stat
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from django.conf import settings

from litapp.core.formats.bundle.files import ANSWERS, name_problem
from litapp.core.formats.bundle.jsonlines import UnreadableJson

MOST_FILES = 500_000
"""Files in one bundle: a run of 25 queries over ten sources has some ten thousand answers."""
EPOCH = (1980, 1, 1, 0, 0, 0)
"""Time of every entry of a zip file that we write: equal files give an equal zip."""
CHUNK = 1024 * 1024
HIGHEST_RATIO = 200
"""Unpacked to packed size beyond which a file is refused. Records pack five- to twentyfold."""
SMALL = 10 * 1024 * 1024
"""Bytes below which the ratio does not matter."""


class BundleError(ValueError):
    """The bundle cannot be opened, or may not be used. The message says why and what to do."""


@contextmanager
def open_bundle(path: Path) -> Iterator[FolderFiles | ZipFiles]:
    """The files of the bundle at `path` (folder or zip). Raises BundleError before anything is read from a bad one."""
    try:
        if path.is_symlink():
            raise BundleError(f"{path} is a link. Name the bundle itself.")
        if path.is_dir():
            yield FolderFiles(path)
            return
        with _zip(path) as archive:
            yield ZipFiles(archive)
    except UnreadableJson as error:
        raise BundleError(str(error)) from error
    except (OSError, zipfile.BadZipFile, zipfile.LargeZipFile, zlib.error, EOFError, NotImplementedError) as error:
        raise BundleError(f"{path} cannot be read as a bundle (a folder or a zip file): {error}") from error


def _zip(path: Path) -> zipfile.ZipFile:
    limit = settings.BUNDLE_LARGEST
    size = path.stat().st_size
    if size > limit:
        raise BundleError(f"{path} has {size:,} bytes; a bundle may have {limit:,} (LITAPP_BUNDLE_LARGEST).")
    return zipfile.ZipFile(path)


class FolderFiles:
    """A bundle that is a folder. Links, devices and files of other names are refused when it is opened."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._sizes: dict[str, int] = {}
        self._walk(folder, "")
        _require_within_limits(self._sizes)

    def _walk(self, folder: Path, prefix: str) -> None:
        for entry in sorted(os.scandir(folder), key=lambda one: one.name):
            name, mode = prefix + entry.name, entry.stat(follow_symlinks=False).st_mode
            if stat.S_ISLNK(mode):
                raise BundleError(f"{name!r} is a link. A bundle holds no links.")
            if stat.S_ISDIR(mode) and name == ANSWERS:
                self._walk(folder / entry.name, f"{ANSWERS}/")
                continue
            if not stat.S_ISREG(mode):
                raise BundleError(f"{name!r} is no file of a bundle.")
            _require_name(name)
            self._sizes[name] = entry.stat(follow_symlinks=False).st_size
            if len(self._sizes) > MOST_FILES:
                raise BundleError(f"There are more than {MOST_FILES:,} files here. This is no bundle.")

    def names(self) -> list[str]:
        return list(self._sizes)

    def size(self, name: str) -> int:
        return self._sizes[name]

    def open(self, name: str) -> BinaryIO:
        """Opened without following a link that was put there meanwhile; never more than was there at first."""
        self._sizes[name]
        descriptor = os.open(self._folder / name, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
        return os.fdopen(descriptor, "rb")


class ZipFiles:
    """A bundle that is a zip file. It is never unpacked: members are read by name, each to its stated size at most."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        self._infos: dict[str, zipfile.ZipInfo] = {}
        if len(archive.infolist()) > MOST_FILES:
            raise BundleError(f"There are more than {MOST_FILES:,} files in it. This is no bundle.")
        for info in archive.infolist():
            self._add(info)
        _require_within_limits({name: info.file_size for name, info in self._infos.items()})

    def _add(self, info: zipfile.ZipInfo) -> None:
        # `orig_filename` is the name as it stands in the file; `filename` was cleaned by the library.
        name, mode = info.orig_filename, info.external_attr >> 16
        if name == f"{ANSWERS}/" and info.file_size == 0:
            return
        if stat.S_ISLNK(mode):
            raise BundleError(f"{name!r} is a link. A bundle holds no links.")
        if info.flag_bits & 0x1:
            raise BundleError(f"{name!r} is encrypted. A bundle is not.")
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise BundleError(f"{name!r} is packed in a way that bundles do not use.")
        _require_name(name)
        if info.file_size > SMALL and info.file_size > HIGHEST_RATIO * info.compress_size:
            raise BundleError(
                f"{name!r} unpacks to {info.file_size:,} bytes from {info.compress_size:,}, which no bundle does. "
                "Nothing was read."
            )
        if name in self._infos:
            raise BundleError(f"{name!r} is there twice.")
        self._infos[name] = info

    def names(self) -> list[str]:
        return list(self._infos)

    def size(self, name: str) -> int:
        return self._infos[name].file_size

    def open(self, name: str) -> BinaryIO:
        return cast(BinaryIO, self._archive.open(self._infos[name]))


def _require_name(name: str) -> None:
    if problem := name_problem(name):
        raise BundleError(f"{problem} Nothing was read.")


def _require_within_limits(sizes: dict[str, int]) -> None:
    limit, total = settings.BUNDLE_LARGEST, sum(sizes.values())
    if total > limit:
        raise BundleError(
            f"Unpacked it has {total:,} bytes; a bundle may have {limit:,} (LITAPP_BUNDLE_LARGEST). Nothing was read."
        )


def write_zip(folder: Path, target: Path) -> None:
    """Pack a bundle's folder: names sorted, times fixed, so that equal files give equal bytes. Whole or not at all."""
    part = target.with_name(f".{target.name}.part")
    try:
        with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
            for path in sorted(path for path in folder.rglob("*") if path.is_file()):
                info = zipfile.ZipInfo(path.relative_to(folder).as_posix(), date_time=EPOCH)
                info.create_system, info.external_attr = 3, (stat.S_IFREG | 0o644) << 16
                info.compress_type = zipfile.ZIP_DEFLATED
                info.file_size = path.stat().st_size
                with path.open("rb") as source, archive.open(info, "w") as packed:
                    shutil.copyfileobj(source, packed, CHUNK)
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)

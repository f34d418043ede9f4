"""Stops an uploaded file at the installation's cap, so that nobody fills the disk; the form then says so."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.files.uploadhandler import FileUploadHandler, SkipFile
from django.http import HttpRequest

OVER_CAP = "litledger.upload_over_cap"
"""Key of `request.META`: set where a file was larger than the cap and was dropped."""


class CappedUploads(FileUploadHandler):
    """Stands before the handlers that keep a file. What is beyond `IMPORT_LARGEST` bytes is read and thrown away."""

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        super().new_file(*args, **kwargs)
        self._received = 0

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes:
        """Hand the chunk on. Raises SkipFile beyond the cap."""
        self._received += len(raw_data)
        if self._received > settings.IMPORT_LARGEST:
            if self.request is not None:
                self.request.META[OVER_CAP] = "1"
            raise SkipFile
        return raw_data

    def file_complete(self, file_size: int) -> None:
        """The next handler makes the file."""


def is_over_cap(request: HttpRequest) -> bool:
    """Whether a file of this request was dropped because it was larger than the cap."""
    return OVER_CAP in request.META

"""The real clock (port `core.ports.Clock`)."""

from __future__ import annotations

import time
from datetime import UTC, datetime


class SystemClock:
    """Wall-clock time of this machine."""

    def now(self) -> datetime:
        """The current time, timezone-aware UTC."""
        return datetime.now(UTC)

    def sleep(self, seconds: float) -> None:
        """Wait `seconds`; nothing is done for 0 or less."""
        if seconds > 0:
            time.sleep(seconds)

"""The doorbell: Huey carries only "there may be work of this kind", never the truth about it."""

from __future__ import annotations

from typing import Any

from huey import PriorityRedisHuey, SqliteHuey
from huey.serializer import SignedSerializer
from huey.storage import SqliteStorage


class NormalSyncStorage(SqliteStorage):
    """Huey's SQLite queue with synchronous=NORMAL: as fast as needed and safe in WAL mode."""

    def _create_connection(self) -> Any:
        connection = super()._create_connection()
        connection.execute("pragma synchronous=1")
        return connection


def sqlite_queue(name: str, **settings: Any) -> SqliteHuey:
    """The embedded queue, in its own file (never the application's database)."""
    settings.pop("redis_url", None)
    return SqliteHuey(name, storage_class=NormalSyncStorage, serializer=_serializer(), **settings)


def redis_queue(name: str, **settings: Any) -> PriorityRedisHuey:
    """The queue of the scale-out shape."""
    settings.pop("filename", None)
    return PriorityRedisHuey(name, url=settings.pop("redis_url"), serializer=_serializer(), **settings)


def _serializer() -> SignedSerializer:
    from django.conf import settings  # read late: this module is named in the settings themselves

    return SignedSerializer(secret=settings.SECRET_KEY, salt="litledger-queue")

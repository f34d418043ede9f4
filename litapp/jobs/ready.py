"""Says plainly that the data folder is not set up, in place of a database error."""

from __future__ import annotations

from django.core.management.base import CommandError
from django.db import connection
from django.db.migrations.executor import MigrationExecutor


def require_ready() -> None:
    """Raises CommandError when the database lacks tables or changes that this version needs."""
    executor = MigrationExecutor(connection)
    if executor.migration_plan(executor.loader.graph.leaf_nodes()):
        raise CommandError("The database is not ready for this version. Run: manage.py prepare")

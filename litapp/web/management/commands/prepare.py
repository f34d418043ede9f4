"""Makes a data folder ready: database, cache table, static files. Safe to run at every start."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand


class Command(BaseCommand):
    help = "Make the data folder ready: database, cache table, static files. Keeps what is there."

    def handle(self, *args: Any, **options: Any) -> None:
        self.stdout.write(f"Data folder: {settings.DATA_DIR}")
        call_command("migrate", interactive=False, verbosity=0)
        call_command("createcachetable", verbosity=0)
        call_command("collectstatic", interactive=False, verbosity=0)
        self.stdout.write("Database and pages are ready.")

"""Registers the ledger app."""

from django.apps import AppConfig


class LedgerConfig(AppConfig):
    name = "litapp.ledger"
    label = "ledger"
    default_auto_field = "django.db.models.BigAutoField"

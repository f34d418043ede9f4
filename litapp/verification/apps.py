"""Registers the verification app."""

from django.apps import AppConfig


class VerificationConfig(AppConfig):
    name = "litapp.verification"
    label = "verification"
    default_auto_field = "django.db.models.BigAutoField"

"""Registers the references app."""

from django.apps import AppConfig


class ReferencesConfig(AppConfig):
    name = "references"
    label = "references"
    default_auto_field = "django.db.models.BigAutoField"

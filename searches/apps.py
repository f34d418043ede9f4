"""Registers the searches app."""

from django.apps import AppConfig


class SearchesConfig(AppConfig):
    name = "searches"
    label = "searches"
    default_auto_field = "django.db.models.BigAutoField"

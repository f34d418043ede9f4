"""Registers the web app."""

from django.apps import AppConfig


class WebConfig(AppConfig):
    name = "litapp.web"
    label = "web"
    default_auto_field = "django.db.models.BigAutoField"

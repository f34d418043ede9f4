"""Registers the sandbox's commands."""

from django.apps import AppConfig


class SandboxConfig(AppConfig):
    name = "litapp.sandbox"
    label = "sandbox"

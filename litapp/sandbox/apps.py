"""A minimal Django app: it exists for the commands `sandbox` and `sandbox_load`, and has no models."""

from django.apps import AppConfig


class SandboxConfig(AppConfig):
    """Registers the management commands of the stand-in sources."""

    name = "litapp.sandbox"
    label = "sandbox"

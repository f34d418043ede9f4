"""Template variables that every page needs of the installation."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest


def installation(request: HttpRequest) -> dict[str, object]:
    """`sandbox_data`: the sources are the built-in sandbox, so every page says so. `has_mail`: mails can be sent."""
    return {"sandbox_data": bool(settings.SANDBOX_URL), "has_mail": bool(settings.EMAIL_URL)}

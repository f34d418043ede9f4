"""How people are named on pages."""

from __future__ import annotations

from django.contrib.auth.models import User


def name_of(user: User | None) -> str:
    """The name colleagues see: the one given at sign-up, else the e-mail address; "LitLedger" for no person."""
    if user is None:
        return "LitLedger"
    return user.get_full_name() or user.email or user.get_username()

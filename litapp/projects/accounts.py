"""Who may make an account: everybody, or (LITAPP_SIGNUP_OPEN=no) only people who hold an open invitation link."""

from __future__ import annotations

from allauth.account.adapter import DefaultAccountAdapter
from django.conf import settings
from django.http import HttpRequest

from litapp.projects.invitation_link import waiting_invitation


class AccountAdapter(DefaultAccountAdapter):
    """allauth's adapter with LitLedger's rule for sign-up."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """True when sign-up is open to all, or this browser opened an invitation that can still be accepted."""
        return bool(settings.ACCOUNT_SIGNUP_OPEN) or waiting_invitation(request) is not None

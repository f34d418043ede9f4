"""Forms of sign-up, projects, members and invitations."""

from __future__ import annotations

from django import forms
from django.contrib.auth.models import AbstractUser
from django.http import HttpRequest


class SignupNameForm(forms.Form):
    """Asks for the name that colleagues see beside decisions and approvals."""

    first_name = forms.CharField(label="Your name", max_length=150, help_text="Shown beside your decisions.")

    def signup(self, request: HttpRequest, user: AbstractUser) -> None:
        """Called by allauth with the new user."""
        user.first_name = self.cleaned_data["first_name"]
        user.save(update_fields=["first_name"])

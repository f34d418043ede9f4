"""Forms of sign-up, projects, members and invitations."""

from __future__ import annotations

import uuid
from typing import Any

from django import forms
from django.contrib.auth.models import AbstractUser
from django.http import HttpRequest

from litapp.projects.models import Project, Role
from litapp.projects.services.team import INVITED_ROLES


class SignupNameForm(forms.Form):
    """Asks for the name that colleagues see beside decisions and approvals."""

    first_name = forms.CharField(label="Your name", max_length=150, help_text="Shown beside your decisions.")

    def signup(self, request: HttpRequest, user: AbstractUser) -> None:
        """Called by allauth with the new user."""
        user.first_name = self.cleaned_data["first_name"]
        user.save(update_fields=["first_name"])


class OwnKeyForm(forms.Form):
    """A person's own key for one source; what was typed is never sent back to the page."""

    key = forms.CharField(
        label="Key",
        max_length=500,
        strip=True,
        widget=forms.PasswordInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
        error_messages={"required": "Paste the key that the source gave you."},
    )


class RenameForm(forms.ModelForm):
    """Name and description of a project."""

    class Meta:
        model = Project
        fields = ["name", "description"]
        widgets = {"description": forms.Textarea(attrs={"rows": 3})}
        help_texts = {
            "name": "For example the question in a few words.",
            "description": "What the team should know. No patient details.",
        }


class ProjectForm(RenameForm):
    """A new project. `request_id` makes a double click create one project."""

    request_id = forms.UUIDField(widget=forms.HiddenInput)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["request_id"].initial = uuid.uuid4


class DeleteForm(forms.Form):
    """The project's name, typed to confirm its deletion."""

    typed_name = forms.CharField(
        label="Type the project's name to delete it",
        max_length=200,
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )


class InviteForm(forms.Form):
    """An invitation by link."""

    role = forms.ChoiceField(
        choices=[(role.value, role.label) for role in INVITED_ROLES],
        initial=Role.SCREENER.value,
        help_text="What the person may do. It can be changed later.",
    )
    note = forms.CharField(
        label="For whom", max_length=200, required=False, help_text="A name or word, so that you know the link again."
    )
    request_id = forms.UUIDField(widget=forms.HiddenInput, initial=uuid.uuid4)


class RoleForm(forms.Form):
    """Another role for a member."""

    role = forms.ChoiceField(choices=Role.choices)

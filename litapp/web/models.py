"""Forms that were already carried out, so that a double click or a second send does nothing twice."""

from __future__ import annotations

from django.conf import settings
from django.db import models


class SentForm(models.Model):
    """A form that makes something new, by the id the page gave it, and where the person was sent afterwards."""

    request_id = models.UUIDField(primary_key=True)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    address = models.CharField(max_length=300, blank=True, default="")
    created_at = models.DateTimeField(auto_now_add=True, db_index=True)

    def __str__(self) -> str:
        return f"{self.request_id} -> {self.address}"

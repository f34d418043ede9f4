"""Carry a form out once: a double click, a reload or a second send leads to what the first one made."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from uuid import UUID, uuid5

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.utils import timezone

from litapp.web.models import SentForm

KEPT = timedelta(days=30)


def once(*, request_id: UUID, user: User, make: Callable[[], str]) -> str:
    """Call `make` in a transaction unless this form was carried out before; returns the address that `make` gave.

    A second send waits for the first (unique key) and gets its address. What `make` raises passes through, and the
    form may then be sent again. The same form sent by two people is two forms.
    """
    own_id = uuid5(request_id, str(user.pk))
    SentForm.objects.filter(created_at__lt=timezone.now() - KEPT).delete()
    try:
        with transaction.atomic():
            sent = SentForm.objects.create(request_id=own_id, user=user)
            sent.address = make()
            sent.save(update_fields=["address"])
            return sent.address
    except IntegrityError:
        done = SentForm.objects.filter(request_id=own_id).first()
        if done is None:  # the conflict came from `make` itself
            raise
    return done.address

"""What is hidden from a member while screening is blind. The floors above know it (`settings.CURTAIN`)."""

from __future__ import annotations

from django.conf import settings
from django.db.models import QuerySet
from django.utils.module_loading import import_string

from litapp.projects.models import Event, Membership


def sees_outcomes(membership: Membership) -> bool:
    """Whether the member may see what follows from everybody's decisions: references, flow, exports, team progress."""
    return bool(import_string(f"{settings.CURTAIN}.sees_outcomes")(membership))


def events_shown(membership: Membership, events: QuerySet[Event]) -> QuerySet[Event]:
    """Those of the entries of the project's log that the member may see now."""
    shown: QuerySet[Event] = import_string(f"{settings.CURTAIN}.events_shown")(membership, events)
    return shown

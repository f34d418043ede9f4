"""Companions of a record as a person may see them: while screening is secret without what was decided on them."""

from __future__ import annotations

from dataclasses import replace

from litapp.projects.models import Membership
from searches.blinding import Stages, viewer_of
from searches.models import Candidate
from searches.seen import dressed
from searches.services.studies import Companion, companions_of


def companions_seen(candidate: Candidate, membership: Membership, stages: Stages) -> list[Companion]:
    """The companions, each with the decision that the person sees at title and abstract."""
    companions = companions_of(candidate)
    seen = dressed([one.candidate for one in companions], viewer_of(membership, stages=stages))
    return [replace(one, candidate=row) for one, row in zip(companions, seen, strict=True)]

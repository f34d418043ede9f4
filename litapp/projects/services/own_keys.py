"""People's own keys for the sources: saved sealed, given out to the clients that send them, shown to nobody."""

from __future__ import annotations

import logging

from django.contrib.auth.models import User
from django.db import transaction

from litapp.projects.models import OwnKey
from litapp.projects.people import name_of
from litapp.projects.services.sealing import CannotOpen, open_sealed, seal

log = logging.getLogger(__name__)
KEYED_SOURCES = {
    "pubmed": "NCBI (PubMed)",
    "openalex": "OpenAlex",
    "semanticscholar": "Semantic Scholar",
    "crossref": "Crossref Plus",
}
"""Sources that give keys to single people, with the name under which the key is known there."""
SHORTEST, LONGEST = 8, 400


class BadKey(ValueError):
    """What was entered cannot be a key. The message says why and never repeats it."""


def own_key_save(*, user: User, source: str, key: str) -> OwnKey:
    """Keep (or replace) the user's key for `source`. Raises BadKey; KeyError for a source that gives no keys."""
    label, text = KEYED_SOURCES[source], key.strip()
    if not text.isascii() or not text.isprintable() or " " in text:
        raise BadKey(f"A key of {label} has letters, digits and signs only. Perhaps a blank was copied along.")
    if not SHORTEST <= len(text) <= LONGEST:
        raise BadKey(f"A key of {label} has {SHORTEST} to {LONGEST} characters; this has {len(text)}.")
    with transaction.atomic():
        row, _ = OwnKey.objects.update_or_create(
            user=user,
            source=source,
            defaults={"sealed": seal(text, _context(user.pk, source)), "last_four": text[-4:]},
        )
    return row


def own_key_delete(*, user: User, source: str) -> bool:
    """Forget the user's key for `source`; False when there was none."""
    deleted, _ = OwnKey.objects.filter(user=user, source=source).delete()
    return bool(deleted)


def own_keys_of(user_id: int) -> dict[str, tuple[str, str]]:
    """Source -> (the user's own key, the user's name). A key that can no longer be opened is left out."""
    rows = OwnKey.objects.filter(user_id=user_id).select_related("user")
    return {row.source: (key, name_of(row.user)) for row in rows if (key := _opened(row))}


def every_own_key() -> list[str]:
    """The keys of all people: what must stand in no export."""
    return [key for row in OwnKey.objects.all() if (key := _opened(row))]


def readable(row: OwnKey) -> bool:
    """False for a key sealed with a former secret key of the installation: it has to be entered again."""
    return bool(_opened(row))


def _opened(row: OwnKey) -> str:
    try:
        return open_sealed(row.sealed, _context(row.user_id, row.source))
    except CannotOpen:
        log.warning("The key of user %s for %s cannot be opened any more.", row.user_id, row.source)
        return ""


def _context(user_id: int, source: str) -> str:
    """A seal of one person's key opens nowhere else."""
    return f"own-key:{user_id}:{source}"

"""The polite client as this installation is set up: addresses, keys, gate, breaker, archive."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, ParamSpec, TypeVar

from django.conf import settings

from litapp.core.ports import Budget
from litapp.jobs.clock import SystemClock
from litapp.jobs.concurrency import DatabasePlaces
from litapp.jobs.health import DatabaseBreaker
from litapp.jobs.models import HealthState, SourceHealth
from litapp.jobs.pace import DatabaseRateGate
from litapp.ledger.services.archive import DatabaseArchive
from litapp.projects.services.own_keys import every_own_key, own_keys_of
from litapp.providers.http import PoliteClient
from litapp.providers.policies import SourcePolicy, policy_for
from litapp.providers.registry import source as source_of
from litapp.providers.registry import source_keys, unusable_reason
from litapp.providers.settings import SourceSettings

KEY_NEEDED: frozenset[str] = frozenset()
"""Sources that do not answer without a key. None of the present ones; Semantic Scholar and OpenAlex only get slower."""


@dataclass(frozen=True, slots=True)
class SourceState:
    """Whether a source can be used here. `reason` says why not, or what holds it back now; `hint` the next step, or
    what would make it better."""

    usable: bool
    reason: str = ""
    hint: str = ""


def source_settings() -> dict[str, SourceSettings]:
    """Settings of every source; with a sandbox, all of them are asked there."""
    return {key: _settings_of(key) for key in source_keys() if key in settings.SOURCES}


def _settings_of(key: str) -> SourceSettings:
    entry: dict[str, Any] = settings.SOURCES[key]
    base = f"{settings.SANDBOX_URL.rstrip('/')}{entry['sandbox_path']}" if settings.SANDBOX_URL else entry["base_url"]
    return SourceSettings(
        base_url=base,
        key=entry["key"],
        email=settings.CONTACT_EMAIL,
        tool=settings.TOOL_NAME,
        enabled=entry["enabled"],
    )


def user_client(source: str, user_id: int | None) -> PoliteClient | None:
    """The client that speaks with `source` with this user's own keys; None where the user has none for it.

    It shares everything else with the installation's client; limits and budgets of a key are kept with that key.
    """
    own = own_keys_of(user_id) if user_id is not None else {}
    if source not in own:
        return None
    everything = source_settings()
    for key, (value, owner) in own.items():
        if key in everything:
            everything[key] = replace(everything[key], key=value, key_owner=owner, account=f"u{user_id}")
    return _client(tuple(sorted(everything.items())), bool(settings.SANDBOX_URL), float(settings.SANDBOX_CLOCK))


P = ParamSpec("P")
R = TypeVar("R")
_ASKED_FOR: ContextVar[int | None] = ContextVar("asked_for", default=None)


@contextmanager
def asked_for(user_id: int | None) -> Iterator[None]:
    """Within, sources are asked for this person, who started the work (None = for nobody in particular)."""
    token = _ASKED_FOR.set(user_id)
    try:
        yield
    finally:
        _ASKED_FOR.reset(token)


def for_the_same(call: Callable[P, R]) -> Callable[P, R]:
    """`call` for another thread, where it asks for the person for whom this thread asks."""
    context = copy_context()

    def in_context(*args: P.args, **kwargs: P.kwargs) -> R:
        return context.copy().run(call, *args, **kwargs)

    return in_context


def budget_left(source: str, user_id: int | None = None) -> Budget | None:
    """What is left of a source's units, with this user's own key if there is one; None = the source has not said."""
    return (user_client(source, user_id) or client_for(source)).budget(source)


def known_secrets() -> list[str]:
    """Every key this installation knows, its users' own ones too: what must stand in no export."""
    return [entry.key for entry in source_settings().values() if entry.key] + every_own_key()


def client_for(source: str) -> PoliteClient:
    """The client that speaks with `source`; shared by all threads of the process, and by all sources.

    Within `asked_for` it sends that person's own key, if there is one. Raises KeyError for a source that is not
    installed.
    """
    everything = source_settings()
    everything[source]
    if own := user_client(source, _ASKED_FOR.get()):
        return own
    return _client(tuple(sorted(everything.items())), bool(settings.SANDBOX_URL), float(settings.SANDBOX_CLOCK))


@lru_cache(maxsize=16)
def _client(entries: tuple[tuple[str, SourceSettings], ...], sandbox: bool, speed: float) -> PoliteClient:
    """One client per set of settings: the installation's, and those of users with keys of their own."""
    by_key, clock = dict(entries), SystemClock()

    def policy_of(source: str) -> SourcePolicy:
        entry = by_key[source]
        return policy_for(source, has_key=bool(entry.key), has_email=bool(entry.email))

    return PoliteClient(
        by_key,
        clock=clock,
        gate=DatabaseRateGate(
            policy_of,
            clock=clock,
            speed=max(speed, 1.0) if sandbox else 1.0,
            account_of=lambda source: by_key[source].account,
            has_key=lambda source: bool(by_key[source].key),
        ),
        breaker=DatabaseBreaker(clock=clock),
        places=DatabasePlaces(clock=clock),
        proxy=settings.HTTPS_PROXY,
        archive=DatabaseArchive({key: entry.base_url for key, entry in by_key.items()}),
    )


def source_state(source: str) -> SourceState:
    """Whether `source` can be used in this installation, and what a person should know of it.

    A source that is only left alone for a while (circuit breaker) is usable: work waits for it.
    """
    entry = source_settings().get(source)
    reason = unusable_reason(source, entry)
    if reason or entry is None:
        return SourceState(False, reason, "Ask whoever runs this installation, or take the source out of the plan.")
    label, advice = source_of(source).label, source_of(source).key_advice
    if source in KEY_NEEDED and not entry.key:
        return SourceState(False, f"{label} needs a key, and this installation has none.", advice)
    health = SourceHealth.objects.filter(pk=source).first()
    if health and health.state != HealthState.CLOSED:
        return SourceState(True, f"{label} is in trouble and is left alone for a while: {health.last_error}", advice)
    without_key = not entry.key and not (source == "crossref" and entry.email)
    if without_key and advice and not settings.SANDBOX_URL:
        return SourceState(True, f"{label} is used without a key of your own.", advice)
    return SourceState(True)

"""The probe asks each source once, never again one that answered, and asks a failing one later."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from litapp.core.ports import Outcome
from litapp.jobs.models import SourceHealth
from litapp.ledger.services import source_probe
from litapp.ledger.services.source_probe import ASK_AGAIN, SourceProbe
from litapp.providers.base import SourceError
from litapp.providers.registry import answering, search_keys

pytestmark = pytest.mark.django_db


OWN = [key for key in search_keys() if answering(key) == key]
"""Sources that answer their own searches; bioRxiv's go to Crossref."""


@pytest.fixture(autouse=True)
def asked(monkeypatch: pytest.MonkeyPatch, settings: Any) -> list[str]:
    """Sources that were asked, in order; each fails like one that cannot be reached."""
    settings.PROBE_SOURCES, settings.SANDBOX_URL = True, ""
    log: list[str] = []

    def client_for(key: str) -> None:
        log.append(key)
        raise SourceError(key, Outcome.TRANSIENT, "It cannot be reached.")

    monkeypatch.setattr(source_probe, "client_for", client_for)
    return log


def test_every_source_is_asked_once(asked: list[str]) -> None:
    probe = SourceProbe()
    assert list(probe.due()) == OWN
    for key in [*probe.due(), *OWN]:
        probe.run(key)
    assert asked == OWN
    assert list(probe.due()) == []


def test_one_that_failed_is_asked_again_later(asked: list[str]) -> None:
    SourceHealth.objects.bulk_create([SourceHealth(source=key) for key in OWN])
    SourceHealth.objects.update(last_success_at=timezone.now())
    SourceHealth.objects.filter(pk="crossref").update(failures=2)
    assert list(SourceProbe().due()) == []
    SourceHealth.objects.update(changed_at=timezone.now() - ASK_AGAIN - timedelta(seconds=1))
    assert list(SourceProbe().due()) == ["crossref"]
    SourceProbe().run("crossref")
    SourceProbe().run("crossref")
    assert asked == ["crossref"]


@pytest.mark.parametrize("setting", [{"SANDBOX_URL": "http://127.0.0.1:1"}, {"PROBE_SOURCES": False}])
def test_nothing_is_asked_with_a_sandbox_or_when_switched_off(settings: Any, setting: dict[str, Any]) -> None:
    for name, value in setting.items():
        setattr(settings, name, value)
    assert list(SourceProbe().due()) == []


def test_a_source_that_is_switched_off_is_not_asked(settings: Any) -> None:
    settings.SOURCES = {**settings.SOURCES, "openalex": {**settings.SOURCES["openalex"], "enabled": False}}
    assert list(SourceProbe().due()) == [key for key in OWN if key != "openalex"]

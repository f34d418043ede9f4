"""How this installation speaks with the sources, and what a person is told about each."""

from __future__ import annotations

from typing import Any

import pytest

from litapp.core.ports import Outcome
from litapp.jobs.clock import SystemClock
from litapp.jobs.health import FAILURES_BEFORE_OPEN, DatabaseBreaker
from litapp.ledger.services.clients import SourceState, client_for, source_settings, source_state

KEYS = ("pubmed", "crossref", "openalex", "semanticscholar")


@pytest.fixture
def sources(settings: Any) -> dict[str, dict[str, Any]]:
    """The source settings, without keys, free to change."""
    settings.SOURCES = {key: {**entry, "key": "", "enabled": True} for key, entry in settings.SOURCES.items()}
    settings.CONTACT_EMAIL = ""
    settings.SANDBOX_URL = ""
    return settings.SOURCES


def test_real_sources_are_asked_at_their_own_addresses(sources: dict) -> None:
    entries = source_settings()
    assert {key: entries[key].base_url for key in KEYS} == {
        "pubmed": "https://eutils.ncbi.nlm.nih.gov/entrez/eutils",
        "crossref": "https://api.crossref.org",
        "openalex": "https://api.openalex.org",
        "semanticscholar": "https://api.semanticscholar.org",
    }


def test_with_a_sandbox_everything_is_asked_there(sources: dict, settings: Any) -> None:
    settings.SANDBOX_URL = "http://127.0.0.1:8100/"
    entries = source_settings()
    assert all(entry.base_url.startswith("http://127.0.0.1:8100/") for entry in entries.values())
    assert {entries[key].base_url for key in KEYS} == {
        f"http://127.0.0.1:8100/{name}" for name in ("eutils", "crossref", "openalex", "s2")
    }


@pytest.mark.parametrize("key", KEYS)
def test_a_source_without_a_key_works_and_says_so(db: None, sources: dict, key: str) -> None:
    state = source_state(key)
    assert state.usable
    assert "without a key" in state.reason
    assert state.hint


@pytest.mark.parametrize("key", KEYS)
def test_a_source_with_a_key_has_nothing_to_say(db: None, sources: dict, key: str) -> None:
    sources[key]["key"] = "secret-key-123"
    assert source_state(key) == SourceState(True)


def test_crossref_needs_no_key_where_there_is_a_contact_address(db: None, sources: dict, settings: Any) -> None:
    settings.CONTACT_EMAIL = "team@example.org"
    assert source_state("crossref") == SourceState(True)


def test_the_sandbox_needs_no_keys(db: None, sources: dict, settings: Any) -> None:
    settings.SANDBOX_URL = "http://127.0.0.1:8100"
    assert [source_state(key) for key in KEYS] == [SourceState(True)] * 4


def test_a_source_switched_off_cannot_be_used(db: None, sources: dict) -> None:
    sources["openalex"]["enabled"] = False
    state = source_state("openalex")
    assert (state.usable, state.reason) == (False, "OpenAlex is switched off in this installation's settings.")
    assert state.hint


def test_a_source_in_trouble_can_be_used_and_says_what_it_waits_for(db: None, sources: dict) -> None:
    breaker = DatabaseBreaker(clock=SystemClock())
    for _ in range(FAILURES_BEFORE_OPEN):
        breaker.record("pubmed", Outcome.TRANSIENT, "PubMed could not be reached.", None)
    state = source_state("pubmed")
    assert state.usable
    assert state.reason == "PubMed is in trouble and is left alone for a while: PubMed could not be reached."


def test_the_threads_of_a_process_share_one_client_until_settings_change(sources: dict, settings: Any) -> None:
    first = client_for("pubmed")
    assert client_for("crossref") is first
    settings.CONTACT_EMAIL = "team@example.org"
    assert client_for("pubmed") is not first


def test_an_unknown_source_has_no_client(sources: dict) -> None:
    with pytest.raises(KeyError):
        client_for("nowhere")

"""Places at a source: never more lent than allowed, over all processes; those of dead workers come back."""

from __future__ import annotations

import threading
from datetime import timedelta

import pytest
from django.db import connections, transaction
from django.utils import timezone

from litapp.jobs.concurrency import LENT_FOR, DatabasePlaces
from litapp.jobs.models import SourceConcurrency, SourcePlace, WorkerBeat
from litapp.jobs.services import DEAD_AFTER, release_dead, release_of
from tests.jobs.conftest import StillClock


def test_no_more_places_are_lent_than_there_are(db: None, clock: StillClock) -> None:
    places = DatabasePlaces(clock=clock)
    tokens = [places.take("crossref", 3) for _ in range(4)]
    assert [token is None for token in tokens] == [False, False, False, True]
    assert len(set(tokens)) == 4
    places.give_back("crossref", str(tokens[1]))
    assert places.take("crossref", 3) is not None
    assert places.take("crossref", 3) is None


def test_sources_have_their_own_places(db: None, clock: StillClock) -> None:
    places = DatabasePlaces(clock=clock)
    assert all(places.take(source, 1) for source in ("arxiv", "crossref", "semanticscholar"))
    assert not any(places.take(source, 1) for source in ("arxiv", "crossref", "semanticscholar"))


def test_a_place_comes_back_by_itself_and_its_late_owner_changes_nothing(db: None, clock: StillClock) -> None:
    places = DatabasePlaces(clock=clock)
    first = places.take("arxiv", 1)
    clock.pass_time(LENT_FOR.total_seconds() + 1)
    second = places.take("arxiv", 1)
    assert second
    places.give_back("arxiv", str(first))
    assert places.take("arxiv", 1) is None
    places.give_back("arxiv", second)
    assert places.take("arxiv", 1)


def test_a_limit_in_an_answer_narrows_and_never_widens(db: None, clock: StillClock) -> None:
    places = DatabasePlaces(clock=clock)
    places.observe("crossref", 1)
    assert [places.take("crossref", 3) is None for _ in range(2)] == [False, True]
    places.observe("arxiv", 10)
    assert [places.take("arxiv", 1) is None for _ in range(2)] == [False, True]
    places.observe("crossref", 0)
    assert SourceConcurrency.objects.get(pk="crossref").most == 1


def test_a_limit_not_seen_for_a_day_no_longer_counts(db: None, clock: StillClock) -> None:
    places = DatabasePlaces(clock=clock)
    places.observe("crossref", 1)
    clock.pass_time(86_401)
    assert all(places.take("crossref", 3) for _ in range(3))


def test_an_unchanged_limit_is_not_written_again(
    db: None, clock: StillClock, django_assert_num_queries: pytest.FixtureRequest
) -> None:
    places = DatabasePlaces(clock=clock)
    places.observe("crossref", 3)
    with django_assert_num_queries(1):  # type: ignore[operator]
        places.observe("crossref", 3)


def test_places_of_a_dead_worker_are_freed_and_those_of_others_stay(
    db: None, clock: StillClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock.moment = timezone.now()
    places = DatabasePlaces(clock=clock)
    beats = {"dead": timezone.now() - DEAD_AFTER - timedelta(seconds=1), "alive": timezone.now()}
    for name, moment in beats.items():
        WorkerBeat.objects.create(name=name, beat_at=moment)
    for name, source in (("dead", "arxiv"), ("alive", "crossref"), ("a web server", "pubmed")):
        monkeypatch.setattr("litapp.jobs.concurrency.worker_name", lambda name=name: name)
        assert places.take(source, 1)
    release_dead()
    clock.moment = timezone.now()
    assert {source: places.take(source, 1) is not None for source in ("arxiv", "crossref", "pubmed")} == {
        "arxiv": True,
        "crossref": False,
        "pubmed": False,
    }
    release_of("alive")
    assert places.take("crossref", 1)


def test_a_place_is_not_taken_within_a_transaction(transactional_db: None, clock: StillClock) -> None:
    """Whoever asks a source holds no lock."""
    with transaction.atomic(), pytest.raises(RuntimeError):
        DatabasePlaces(clock=clock).take("arxiv", 1)


@pytest.mark.parametrize("most", [1, 3])
def test_threads_that_want_a_place_at_once_get_no_more_than_there_are(
    transactional_db: None, clock: StillClock, most: int
) -> None:
    got: list[str | None] = []
    together = threading.Barrier(6)

    def want() -> None:
        try:
            together.wait()
            got.append(DatabasePlaces(clock=clock).take("crossref", most))
        finally:
            connections.close_all()

    threads = [threading.Thread(target=want) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len([token for token in got if token]) == most
    assert SourcePlace.objects.filter(source="crossref").exclude(token="").count() == most

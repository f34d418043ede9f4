"""One page ahead: the right page, never twice, and every failure where the page is wanted."""

from __future__ import annotations

import threading

import pytest

from litapp.providers.base import Hit, Page, SourceError
from searches.models import RetrievalStep
from searches.services.ahead import PageAhead
from searches.services.caps import Share
from tests.searches.stand_in import paper, trouble

NO_LIMIT = Share(None)


class Source:
    """Ten pages of two records; notes what it was asked for, by which thread, and fails as told."""

    def __init__(self, **faults: BaseException) -> None:
        self.asked: list[tuple[int, int]] = []
        self.elsewhere: list[bool] = []
        self.faults = {int(name.removeprefix("at_")): fault for name, fault in faults.items()}

    def fetch(self, step: RetrievalStep, share: Share) -> Page:
        start = int(step.cursor.get("start", 0))
        self.asked.append((start, step.done))
        self.elsewhere.append(threading.current_thread() is not threading.main_thread())
        if start in self.faults:
            raise self.faults.pop(start)
        hits = tuple(Hit(paper(start + n + 1), start + n + 1, 1, start + n) for n in range(2))
        return Page(hits, {"start": start + 2} if start < 18 else None)


def walk(source: Source, *, enabled: bool = True, share: Share = NO_LIMIT, pages: int = 10) -> list[int]:
    """Take pages as the retrieval does; returns the ranks in the order they came."""
    step, ahead, ranks = RetrievalStep(cursor={}), PageAhead(source.fetch, enabled=enabled), []
    for _ in range(pages):
        page = ahead.page(step, share)
        ahead.begin(step, page, share)
        ranks += [hit.rank for hit in page.hits]
        step = RetrievalStep(cursor=page.cursor or {}, done=step.done + len(page.hits))
        if page.cursor is None or (share.records is not None and step.done >= share.records):
            break
    return ranks


@pytest.mark.parametrize("enabled", [True, False])
def test_every_page_comes_once_and_in_order(enabled: bool) -> None:
    source = Source()
    assert walk(source, enabled=enabled) == list(range(1, 21))
    assert source.asked == [(start, start) for start in range(0, 20, 2)]
    assert source.elsewhere == [False, *[enabled] * 9]


def test_nothing_is_fetched_beyond_the_limit() -> None:
    source = Source()
    assert walk(source, share=Share(6, "per query")) == [1, 2, 3, 4, 5, 6]
    assert source.asked == [(0, 0), (2, 2), (4, 4)]


@pytest.mark.parametrize("fault", [trouble(), ZeroDivisionError()])
def test_a_failure_ahead_is_raised_where_the_page_is_wanted_and_asked_anew_then(fault: BaseException) -> None:
    source = Source(at_2=fault)
    step, ahead = RetrievalStep(cursor={}), PageAhead(source.fetch, enabled=True)
    first = ahead.page(step, NO_LIMIT)
    ahead.begin(step, first, NO_LIMIT)
    step = RetrievalStep(cursor=first.cursor, done=2)
    with pytest.raises(type(fault)):
        ahead.page(step, NO_LIMIT)
    assert [hit.rank for hit in ahead.page(step, NO_LIMIT).hits] == [3, 4]


def test_a_page_fetched_for_another_place_is_not_taken() -> None:
    """The source forgot its list: the step begins again, and what was fetched ahead is not its next page."""
    source = Source()
    step, ahead = RetrievalStep(cursor={}), PageAhead(source.fetch, enabled=True)
    ahead.begin(step, ahead.page(step, NO_LIMIT), NO_LIMIT)
    assert [hit.rank for hit in ahead.page(RetrievalStep(cursor={}), NO_LIMIT).hits] == [1, 2]


def test_the_step_itself_is_not_touched() -> None:
    source = Source()
    step, ahead = RetrievalStep(cursor={}, done=0), PageAhead(source.fetch, enabled=True)
    ahead.begin(step, ahead.page(step, NO_LIMIT), NO_LIMIT)
    assert (step.cursor, step.done) == ({}, 0)


def test_an_error_of_the_source_keeps_its_words() -> None:
    source = Source(at_2=trouble(code="cursor_expired"))
    with pytest.raises(SourceError) as raised:
        walk(source)
    assert (raised.value.code, raised.value.message) == ("cursor_expired", "pubmed has a problem.")

"""Fetches the next page of a step while the last one is being absorbed: the source's pace and ours overlap."""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable
from concurrent.futures import Future

from django.db import connections

from litapp.providers.base import Page
from searches.models import RetrievalStep
from searches.services.caps import Share

Fetch = Callable[[RetrievalStep, Share], Page]


class PageAhead:
    """One page ahead of one step. What was fetched and is not wanted any more (the run was cancelled, the lease lost)
    lies in the archive and is used by whoever goes on with the step."""

    def __init__(self, fetch: Fetch, *, enabled: bool) -> None:
        self._fetch, self._enabled = fetch, enabled
        self._cursor: object = None
        self._page: Future[Page] | None = None

    def page(self, step: RetrievalStep, share: Share) -> Page:
        """The step's next page: the one fetched ahead if it is that, else fetched now. Raises what fetching raises."""
        waiting, self._page = self._page, None
        if waiting is not None and self._cursor == step.cursor:
            return waiting.result()
        return self._fetch(step, share)

    def begin(self, step: RetrievalStep, page: Page, share: Share) -> None:
        """Begin to fetch what follows `page`, which the step has not saved yet. Nothing where nothing follows."""
        taken = step.done + len(page.hits)
        if not self._enabled or page.cursor is None or (share.records is not None and taken >= share.records):
            return
        following = copy.copy(step)
        following.cursor, following.done = page.cursor, taken
        self._cursor, self._page = page.cursor, Future()
        threading.Thread(target=_run, args=(self._page, self._fetch, following, share), daemon=True).start()


def _run(result: Future[Page], fetch: Fetch, step: RetrievalStep, share: Share) -> None:
    """Fetch in this thread; whatever it raises is raised where the page is wanted."""
    try:
        result.set_result(fetch(step, share))
    except BaseException as error:  # noqa: BLE001 - handed over, not swallowed
        result.set_exception(error)
    finally:
        connections.close_all()

"""The random control stream: records drawn by seed, so that something may be said of those the ranking puts last."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from hashlib import sha256


def is_control(seed: int, record_id: int, share: float) -> bool:
    """Whether a record belongs to the control stream: a fixed share of all, drawn by seed and id alone.

    Independent of labels, of the ranking, and of when the record arrived: a later record changes no earlier draw.
    """
    drawn = int.from_bytes(sha256(f"control:{seed}:{record_id}".encode()).digest()[:8], "big")
    return drawn < share * 2**64


def interleave(ranked: Sequence[int], control: Sequence[int], every: int) -> list[int]:
    """The ranked records with one control record at every `every`-th place; what is left of either follows at the end.

    A record of both stands where it comes first. Control records come in the order given.
    """
    if every < 2:
        raise ValueError("A control stream takes at most every second place.")
    order: dict[int, None] = {}
    waiting = iter(control)
    for record in ranked:
        if len(order) % every == every - 1 and (drawn := _next_new(waiting, order)) is not None:
            order[drawn] = None
        order.setdefault(record)
    for record in waiting:
        order.setdefault(record)
    return list(order)


def _next_new(waiting: Iterable[int], order: dict[int, None]) -> int | None:
    return next((record for record in waiting if record not in order), None)


def draw_sample(seed: int, record_ids: Iterable[int], size: int) -> list[int]:
    """`size` records drawn without replacement, in the order in which they are to be read; the same for the same seed
    and records, whatever their order. Raises ValueError when there are fewer."""
    pool = sorted(record_ids)
    if not 0 < size <= len(pool):
        raise ValueError(f"A sample of {size:,} cannot be drawn from {len(pool):,} records.")
    return random.Random(f"sample:{seed}").sample(pool, size)  # noqa: S311 - reproducible on purpose

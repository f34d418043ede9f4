"""How far two screeners agree: share, Cohen's kappa, PABAK, each with its 95 % interval. Pure.

Sources
- kappa: Cohen J. A coefficient of agreement for nominal scales. Educ Psychol Meas 1960;20:37-46.
- its interval: large-sample standard error of Fleiss JL, Cohen J, Everitt BS. Large sample standard errors of kappa and
  weighted kappa. Psychol Bull 1969;72:323-327.
- PABAK: Byrt T, Bishop J, Carlin JB. Bias, prevalence and kappa. J Clin Epidemiol 1993;46:423-429. With k categories
  (k * share - 1) / (k - 1), so that its interval is that of the share, transformed.
- interval of a share: score method of Wilson EB. J Am Stat Assoc 1927;22:209-212, as recommended by Newcombe RG.
  Stat Med 1998;17:857-872.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from math import sqrt

Z95 = 1.959963984540054
"""97.5 % point of the standard normal distribution."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure with its 95 % interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far two people agree on `records` that both decided. None = it cannot be said: no records; for kappa also
    where both gave every record the same one decision (chance alone would agree as well)."""

    records: int
    agreed: int
    share: Estimate | None
    kappa: Estimate | None
    pabak: Estimate | None


def agreement(pairs: Iterable[tuple[Hashable, Hashable]], categories: int) -> Agreement:
    """Agreement over pairs of decisions on the same record; `categories` = how many decisions could be chosen from
    (two or more; PABAK rests on it). Raises ValueError for fewer categories than two, or than occur."""
    table = Counter(pairs)
    if categories < 2 or len({one for pair in table for one in pair}) > categories:
        raise ValueError("Agreement needs at least two categories, and no more may occur than could be chosen.")
    records = table.total()
    agreed = sum(number for (one, other), number in table.items() if one == other)
    if not records:
        return Agreement(0, 0, None, None, None)
    share = wilson(agreed, records)
    return Agreement(records, agreed, share, cohens_kappa(table), _pabak(share, categories))


def wilson(part: int, whole: int) -> Estimate:
    """A share with its score interval. Raises ValueError where `part` is no part of `whole`."""
    if not 0 <= part <= whole or whole < 1:
        raise ValueError(f"{part} of {whole} is no share.")
    share = part / whole
    middle = share + Z95**2 / (2 * whole)
    reach = Z95 * sqrt(share * (1 - share) / whole + Z95**2 / (4 * whole**2))
    below = 1 + Z95**2 / whole
    return Estimate(share, max(0.0, (middle - reach) / below), min(1.0, (middle + reach) / below))


def _pabak(share: Estimate, categories: int) -> Estimate:
    low, value, high = ((categories * one - 1) / (categories - 1) for one in (share.low, share.value, share.high))
    return Estimate(value, low, high)


def cohens_kappa(table: Mapping[tuple[Hashable, Hashable], int]) -> Estimate | None:
    """Kappa of a table (decision of one, of the other) -> records; None where chance alone would agree always.

    The interval ends at -1 and 1. With complete agreement its standard error is 0: interval and value are the same.
    """
    records = sum(table.values())
    kinds = {one for pair in table for one in pair}
    cell = {pair: number / records for pair, number in table.items()} if records else {}
    rows = {kind: sum(p for (one, _), p in cell.items() if one == kind) for kind in kinds}
    columns = {kind: sum(p for (_, other), p in cell.items() if other == kind) for kind in kinds}
    observed = sum(p for (one, other), p in cell.items() if one == other)
    chance = sum(rows[kind] * columns[kind] for kind in kinds)
    if not records or chance > 1 - 1e-12:
        return None
    kappa = (observed - chance) / (1 - chance)
    on = sum(
        p * (1 - (rows[one] + columns[one]) * (1 - kappa)) ** 2 for (one, other), p in cell.items() if one == other
    )
    off = sum(p * (columns[one] + rows[other]) ** 2 for (one, other), p in cell.items() if one != other)
    inside = on + (1 - kappa) ** 2 * off - (kappa - chance * (1 - kappa)) ** 2
    reach = Z95 * sqrt(max(0.0, inside) / records) / (1 - chance)
    return Estimate(kappa, max(-1.0, kappa - reach), min(1.0, kappa + reach))

"""The fields of one entry as name and value, each marked when it is carried into the record; what is left is
dropped."""

from __future__ import annotations

from collections.abc import Iterable


class Fields:
    """Fields in file order. Names may repeat. `all` and `first` take fields; `rest` are those nobody took."""

    __slots__ = ("_places", "_taken", "pairs")

    def __init__(self, pairs: Iterable[tuple[str, str]]) -> None:
        self.pairs = list(pairs)
        self._taken: set[int] = set()
        self._places: dict[str, list[int]] = {}
        for place, (name, _) in enumerate(self.pairs):
            self._places.setdefault(name, []).append(place)

    def __contains__(self, name: str) -> bool:
        return name in self._places

    def all(self, *names: str) -> list[str]:
        """The filled values of these names, in file order; they count as carried."""
        places = sorted(place for name in names for place in self._places.get(name, ()))
        self._taken.update(places)
        return [value for place in places if (value := self.pairs[place][1])]

    def peek(self, *names: str) -> list[str]:
        """As `all`, name by name in the order given, without taking the fields."""
        return [value for name in names for place in self._places.get(name, ()) if (value := self.pairs[place][1])]

    def first(self, *names: str) -> str:
        """The first filled value of the first of these names that has one. Only that field, and equal ones, are
        taken."""
        for name in names:
            for place in self._places.get(name, ()):
                value = self.pairs[place][1]
                if value:
                    self._taken.update(
                        p for n in names for p in self._places.get(n, ()) if self.pairs[p][1] in ("", value)
                    )
                    return value
        return ""

    def take_value(self, name: str, value: str) -> None:
        """Mark the fields of this name and value as carried."""
        self._taken.update(place for place in self._places.get(name, ()) if self.pairs[place][1] == value)

    def rest(self) -> list[tuple[str, str]]:
        """Filled fields that were not taken."""
        return [pair for place, pair in enumerate(self.pairs) if place not in self._taken and pair[1]]

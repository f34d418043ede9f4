"""OpenAlex's `filter=` parameter: names, OR values (|), negation (!), ranges."""

from __future__ import annotations

import functools
import re
import sqlite3

from litapp.sandbox.corpus.index import folded
from litapp.sandbox.differences import Differences, IssuedDays
from litapp.sandbox.dispatch import World
from litapp.sandbox.ranking import Ranking, boolean_expression
from litapp.sandbox.sources.crossref_works import LANGUAGES
from litapp.sandbox.sources.openalex_works import FIRST_WORK

MOST_VALUES = 100
"""Most values joined by | in one filter. Source: OpenAlex's backend, MAX_IDS_IN_FILTER."""
_SEARCHES = {
    "title.search": "title",
    "display_name.search": "title",
    "abstract.search": "abstract",
    "title_and_abstract.search": "title abstract",
    "default.search": "title abstract",
    "raw_author_name.search": "names",
}
_TYPES = {
    "preprint": ("preprint",),
    "retraction": ("retraction of publication",),
    "erratum": ("published erratum",),
    "review": ("review", "systematic review", "meta analysis"),
    "editorial": ("editorial",),
    "letter": ("letter",),
}
_SELECT = "SELECT article FROM attribute WHERE kind = ? AND value = ?"


class FilterError(ValueError):
    """OpenAlex refuses the request; the message is what it says."""


class Filters:
    """Filters of works."""

    def __init__(self, world: World, differences: Differences, days: IssuedDays, ranking: Ranking) -> None:
        self.world, self.differences, self.days, self.ranking = world, differences, days, ranking

    def everything(self) -> list[int]:
        """Every work, newest entry first."""
        return list(self._everything)

    @functools.cached_property
    def _everything(self) -> tuple[int, ...]:
        rows = self.world.corpus.rows("SELECT id, pmid, openalex IS NOT NULL FROM article ORDER BY entered DESC, id")
        return tuple(n for n, pmid, real in rows if real or (pmid is not None and self.differences.has_number(pmid)))

    def number_of_work(self, name: str) -> int | None:
        """The article behind W…, or None."""
        corpus = self.world.corpus
        real = next(iter(corpus.numbers(_SELECT, ("openalex", name.casefold()))), None)
        if real is not None:
            return real
        pmid = int(name[1:]) - FIRST_WORK
        return corpus.ids_of_pmids([pmid]).get(pmid) if pmid > 0 else None

    def matching(self, text: str) -> set[int] | None:
        """Numbers that meet every filter; None without filters. Raises FilterError."""
        keep: set[int] | None = None
        for part in re.split(r",(?=[a-z_.]+:)", text) if text else []:
            name, _, value = part.partition(":")
            found = self._one(name, value)
            keep = found if keep is None else keep & found
        return keep

    def _one(self, name: str, value: str) -> set[int]:
        if name in ("from_updated_date", "to_updated_date", "from_created_date", "to_created_date"):
            raise FilterError(f"The {name} filter requires a paid plan.")
        if name in _SEARCHES:
            return self._searched(name, value)
        if value.startswith("!"):
            return set(self.everything()) - self._one(name, value[1:])
        values = value.split("|")
        if len(values) > MOST_VALUES:
            raise FilterError(
                f"Maximum number of values exceeded for {name}. Decrease values to {MOST_VALUES} or below."
            )
        return set().union(*(self._value(name, single) for single in values))

    def _searched(self, name: str, value: str) -> set[int]:
        if "," in value.replace('","', "") and not value.startswith('"'):
            raise FilterError("A comma inside a search filter must be quoted.")
        try:
            expression = boolean_expression(value, _SEARCHES[name])
            return set(self.ranking.expression(expression)) if expression else set()
        except (ValueError, sqlite3.OperationalError) as error:
            raise FilterError("The search cannot be read: check parentheses, quotes and operators.") from error

    def _value(self, name: str, value: str) -> set[int]:
        corpus = self.world.corpus
        if name in ("doi", "ids.doi"):
            number = corpus.id_of_doi(re.sub(r"^(https?://(dx\.)?doi\.org/|doi:)", "", value, flags=re.IGNORECASE))
            return {number} if number else set()
        if name in ("pmid", "ids.pmid"):
            digits = value.rstrip("/").rsplit("/", 1)[-1].removeprefix("pmid:")
            return set(corpus.ids_of_pmids([int(digits)]).values()) if digits.isdigit() else set()
        if name in ("pmcid", "ids.pmcid"):
            digits = value.rstrip("/").rsplit("/", 1)[-1].casefold().removeprefix("pmcid:").removeprefix("pmc")
            return corpus.numbers(_SELECT, ("pmc", f"pmc{digits}"))
        if name in ("openalex", "openalex_id", "ids.openalex"):
            number = self.number_of_work(value.rsplit("/", 1)[-1])
            return {number} if number else set()
        if name in ("cites", "referenced_works"):
            number = self.number_of_work(value.rsplit("/", 1)[-1])
            pmid = corpus.pmids_of_ids([number]).get(number) if number else None
            return corpus.numbers(_SELECT, ("cites", str(pmid))) if pmid else set()
        return self._property(name, value)

    def _property(self, name: str, value: str) -> set[int]:
        corpus = self.world.corpus
        if name in ("publication_year", "publication_date", "from_publication_date", "to_publication_date"):
            return self._dated(name, value)
        if name == "type":
            if value == "article":
                others = set().union(*(corpus.numbers(_SELECT, ("pt", t)) for types in _TYPES.values() for t in types))
                return set(self.everything()) - others
            return set().union(*(corpus.numbers(_SELECT, ("pt", t)) for t in _TYPES.get(value, ())))
        if name == "language":
            codes = [long for long, short in LANGUAGES.items() if short == value]
            return set().union(*(corpus.numbers(_SELECT, ("la", code)) for code in codes))
        if name in ("primary_location.source.issn", "locations.source.issn"):
            return corpus.numbers(_SELECT, ("ta", folded(value)))
        flags = {
            "is_retracted": "SELECT article FROM attribute WHERE kind = 'pt' AND value = 'retracted publication'",
            "has_doi": "SELECT id FROM article WHERE doi IS NOT NULL",
            "has_pmid": "SELECT id FROM article WHERE pmid IS NOT NULL",
            "has_pmcid": "SELECT article FROM attribute WHERE kind = 'pmc'",
            "has_abstract": "SELECT article FROM attribute WHERE kind = 'sb' AND value = 'hasabstract'",
            "is_oa": "SELECT article FROM attribute WHERE kind = 'pmc'",
            "open_access.is_oa": "SELECT article FROM attribute WHERE kind = 'pmc'",
            "is_paratext": "SELECT id FROM article WHERE id < 0",
        }
        if name not in flags:
            raise FilterError(f"{name} is not a valid field.")
        found = corpus.numbers(flags[name])
        if name == "has_abstract":
            found = {n for n, pmid in corpus.pmids_of_ids(found).items() if self._keeps_abstract(pmid)}
        return found if value == "true" else set(self.everything()) - found

    def _keeps_abstract(self, pmid: int) -> bool:
        return self.world.draw("openalex", "abstract", pmid) >= self.differences.shares.no_abstract

    def _dated(self, name: str, value: str) -> set[int]:
        low, high = 0, 99_999_999
        if name == "publication_year":
            bounds = re.match(r"([<>]?)(\d{4})?(-)?(\d{4})?\Z", value)
            if not bounds or not (bounds[2] or bounds[4]):
                raise FilterError(f"Value for param {name} must be a number.")
            first, last = int(bounds[2] or 0), int(bounds[4] or 9999)
            if not bounds[3]:
                last = first
            if bounds[1] == ">":
                first, last = first + 1, 9999
            elif bounds[1] == "<":
                first, last = 0, first - 1
            low, high = first * 10_000, last * 10_000 + 9_999
        else:
            parts = re.match(r"(\d{4})-(\d\d)-(\d\d)\Z", value)
            if not parts:
                raise FilterError(f"Value for param {name} must be a date in format yyyy-mm-dd.")
            day = int("".join(parts.groups()))
            low = day if name != "to_publication_date" else 0
            high = day if name != "from_publication_date" else high
        return {number for number in self.everything() if max(low, 1) <= self.days.of(number) <= high}

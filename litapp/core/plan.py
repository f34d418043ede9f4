"""The search plan as data: what is asked, where, with which limits. One YAML/JSON form, versioned and hashed."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any

SCHEMA = "litledger.plan.v1"
SOURCE_POLICY_VERSION = 3
"""Rises when the set of sources, or how they are combined, changes. A plan keeps the version it was made with.

1: PubMed, Crossref, OpenAlex, Semantic Scholar. 2: Europe PMC (the way to preprints of bioRxiv and medRxiv) and arXiv
can be searched too; bioRxiv, DataCite, doi.org and Unpaywall are asked about records, not searched. 3: bioRxiv and
medRxiv can be searched, through Crossref.
"""


class Preprints(StrEnum):
    INCLUDED = "included"
    EXCLUDED = "excluded"
    ONLY = "only"


class PlanError(ValueError):
    """The plan cannot be used. `problems` maps a field name to a sentence for the person who wrote it."""

    def __init__(self, problems: dict[str, str]) -> None:
        super().__init__("; ".join(f"{k}: {v}" for k, v in problems.items()))
        self.problems = problems


@dataclass(frozen=True, slots=True)
class Pico:
    population: str = ""
    intervention: str = ""
    comparison: str = ""
    outcome: str = ""


@dataclass(frozen=True, slots=True)
class PlanQuery:
    """One query line. `boolean` is PubMed syntax for Boolean sources; `plain` is words for the others."""

    boolean: str = ""
    plain: str = ""
    label: str = ""


@dataclass(frozen=True, slots=True)
class Filters:
    """Limits that every source applies as far as it can. Years are inclusive. `languages` are ISO 639-2/B codes as
    PubMed writes them ("eng"); `publication_types` are PubMed's names. `newest_first` = by date in place of likeness,
    which decides what a limit of records keeps."""

    year_from: int | None = None
    year_to: int | None = None
    publication_types: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    preprints: Preprints = Preprints.INCLUDED
    newest_first: bool = False


@dataclass(frozen=True, slots=True)
class Caps:
    """Most records to fetch. None = no cap of ours (the source's own limits still hold and are shown)."""

    per_query: int | None = None
    per_source: int | None = None
    per_run: int | None = None


@dataclass(frozen=True, slots=True)
class SearchPlan:
    """A plan version's whole content. Equal content gives an equal hash.

    `boolean_at` names sources that get the Boolean query although they would take the one in plain words.
    """

    question: str
    sources: tuple[str, ...]
    queries: tuple[PlanQuery, ...]
    pico: Pico = field(default_factory=Pico)
    filters: Filters = field(default_factory=Filters)
    caps: Caps = field(default_factory=Caps)
    source_policy: int = SOURCE_POLICY_VERSION
    boolean_at: tuple[str, ...] = ()


def plan_to_dict(plan: SearchPlan) -> dict[str, Any]:
    """JSON/YAML form with its schema name. Fields that came later are there only when used, so that plans that were
    approved before keep their hash; all others always."""
    data: dict[str, Any] = json.loads(json.dumps(asdict(plan)))
    if not plan.boolean_at:
        del data["boolean_at"]
    if not plan.filters.newest_first:
        del data["filters"]["newest_first"]
    return {"schema": SCHEMA, **data}


def plan_hash(plan: SearchPlan) -> str:
    """sha256 (hex) of the canonical JSON form: what an approval approves."""
    text = json.dumps(plan_to_dict(plan), sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def plan_from_dict(data: dict[str, Any]) -> SearchPlan:
    """Inverse of `plan_to_dict`; missing optional parts get their defaults. Raises PlanError naming each bad field."""
    if not isinstance(data, dict):
        raise PlanError({"plan": "A plan is a mapping of fields; this is not one."})
    problems: dict[str, str] = {}
    if data.get("schema", SCHEMA) != SCHEMA:
        problems["schema"] = f"This plan is of the form {data['schema']!r}; this version reads {SCHEMA!r}."
    known = {"schema", "question", "sources", "queries", "pico", "filters", "caps", "source_policy", "boolean_at"}
    for name in sorted(set(data) - known, key=str):
        problems[str(name)] = "This field is not part of a plan."
    if problems:
        raise PlanError(problems)
    try:
        filters = dict(data.get("filters") or {})
        plan = SearchPlan(
            question=str(data.get("question") or "").strip(),
            sources=tuple(str(s) for s in data.get("sources") or ()),
            queries=tuple(PlanQuery(**q) for q in data.get("queries") or ()),
            pico=Pico(**(data.get("pico") or {})),
            filters=Filters(
                year_from=filters.pop("year_from", None),
                year_to=filters.pop("year_to", None),
                publication_types=tuple(filters.pop("publication_types", ())),
                languages=tuple(filters.pop("languages", ())),
                preprints=Preprints(filters.pop("preprints", Preprints.INCLUDED)),
                newest_first=filters.pop("newest_first", False) is True,
                **filters,
            ),
            caps=Caps(**(data.get("caps") or {})),
            source_policy=int(data.get("source_policy", SOURCE_POLICY_VERSION)),
            boolean_at=tuple(str(s) for s in data.get("boolean_at") or ()),
        )
    except (TypeError, ValueError, AttributeError) as error:
        raise PlanError({"plan": f"The plan could not be read: {error}"}) from error
    return plan

"""A published appendix, pasted: its databases and lines rebuilt, looked over, and made into a plan that can run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db import transaction

from litapp.core.plan import PlanQuery
from litapp.core.plan import SearchPlan as PlanContent
from litapp.core.querylang import Finding, QuerySyntaxError, parse, print_pubmed
from litapp.core.querylang.appendix import read_appendix
from litapp.core.querylang.dialects import Dialect
from litapp.core.querylang.draft import Origin
from litapp.core.querylang.editing import grid_of
from litapp.core.querylang.press import check_read_strategy
from litapp.core.querylang.strategy import Strategy, read_strategy
from litapp.core.querylang.translating import ProvedTranslation, translate_strategy
from litapp.ledger.services.mesh import InstalledMesh
from litapp.projects.models import Project
from searches.models import SearchPlanVersion
from searches.services.plan_check import MOST_BOOLEAN
from searches.services.plans import plan_create
from searches.services.term_origins import origins_keep

LARGEST_APPENDIX = 400_000
MOST_SECTIONS = 20


class NoPlan(Exception):
    """No plan can be made of this strategy yet. The message says why and what to do."""


@dataclass(frozen=True, slots=True)
class SectionRead:
    """One database of the appendix: the rebuilt lines as `text`, what was found in them, and what was left out."""

    heading: str
    dialect: Dialect
    text: str
    strategy: Strategy
    findings: tuple[Finding, ...]
    left_out: tuple[str, ...] = ()
    missing: tuple[int, ...] = ()


def sections_of(text: str) -> list[SectionRead]:
    """The databases of a pasted appendix; [] = no search was recognised. Never raises."""
    return [
        SectionRead(
            found.heading,
            found.dialect,
            found.strategy.text,
            found.strategy,
            tuple(check_read_strategy(found.strategy, InstalledMesh())),
            found.left_out,
            found.missing,
        )
        for found in read_appendix(text)[:MOST_SECTIONS]
    ]


def section_again(*, heading: str, dialect: Dialect, text: str) -> SectionRead:
    """A section after a person changed its lines or its database."""
    strategy = read_strategy(text, dialect)
    return SectionRead(heading, dialect, text, strategy, tuple(check_read_strategy(strategy, InstalledMesh())))


def query_of(section: SectionRead) -> tuple[str, ProvedTranslation | None]:
    """The strategy as one PubMed query, and the translation where it came from another database. Raises NoPlan."""
    strategy = section.strategy
    if not strategy.lines:
        raise NoPlan("There is no line that can be searched.")
    if strategy.faults:
        fault = strategy.faults[0]
        raise NoPlan(f"A line cannot be read yet, so there is no plan. {fault.message} {fault.hint}".strip())
    translation = None
    try:
        if section.dialect is not Dialect.PUBMED:
            translation = translate_strategy(strategy, Dialect.PUBMED)
            if not translation.text:
                raise NoPlan("Nothing of this strategy can be said in PubMed.")
            strategy = read_strategy(translation.text, Dialect.PUBMED)
        query = print_pubmed(strategy.tree())
        parse(query)
    except QuerySyntaxError as error:
        raise NoPlan(f"The lines cannot be joined. {error.message} {error.hint}".strip()) from error
    except ValueError as error:
        raise NoPlan(f"The lines cannot be written in PubMed's syntax. {error}") from error
    if len(query) > MOST_BOOLEAN:
        raise NoPlan(f"The joined query has {len(query):,} characters; at most {MOST_BOOLEAN:,} are taken.")
    return query, translation


@transaction.atomic
def plan_from_section(
    *, project: Project, actor: Any, section: SectionRead, title: str = "", question: str = ""
) -> SearchPlanVersion:
    """A draft for PubMed that asks the same; what is lost on the way stands in its origin. Raises NoPlan."""
    query, translation = query_of(section)
    name = title.strip() or f"From an appendix: {section.heading or section.dialect.value}"
    content = PlanContent(
        question=question.strip(), sources=("pubmed",), queries=(PlanQuery(boolean=query, label=section.heading[:200]),)
    )
    changes = translation.changes if translation else ()
    origin = {
        "kind": "appendix",
        "name": section.heading,
        "database": section.dialect.value,
        "lines": len(section.strategy.lines),
        "summary": translation.summary if translation else "",
        "notes": [
            " ".join(part for part in (f"{change.meaning.value}:", change.original, change.why) if part)
            for change in changes
        ],
        "missing": list(section.missing),
    }
    version = plan_create(project=project, actor=actor, title=name, content=content, origin=origin)
    terms = {term: Origin.APPENDIX.value for block in grid_of(query) for term in block.terms}
    origins_keep(version=version, actor=actor, origins=terms)
    return version

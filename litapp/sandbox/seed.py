"""Fills a demo installation: two people, a screened project over the sandbox, a list with entries that do not exist.

Nothing false is said of a real paper: the retracted papers are really retracted, and what is invented says so in its
label and lies in a project named accordingly.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from uuid import uuid4

from django.contrib.auth.models import User

from litapp.core.plan import Caps, Pico, PlanQuery, SearchPlan
from litapp.core.records import Identifier, PartialDate, Person, Record, Scheme
from litapp.jobs.work import work_of_kind
from litapp.projects.models import Membership, Project, Role
from litapp.projects.services.projects import project_create
from litapp.verification.models import Verification
from litapp.verification.services.requests import set_manual
from searches.models import Candidate, Decision, Fit
from searches.services.brought import records_bring
from searches.services.plans import plan_approve, plan_create
from searches.services.runs import run_start
from searches.services.screening import decide_many

Say = Callable[[str], None]
EMAIL = "demo@litledger.example"
COLLEAGUE = "colleague@litledger.example"
PASSWORD_FILE = "demo_password"  # noqa: S105 - a file's name
ROUNDS = 40
"""How often all due work is done at most before the demo opens; what is left goes on in the worker."""

QUESTION = "How effective and how safe is vaccination against COVID-19 in adults?"
VACCINATION = SearchPlan(
    question=QUESTION,
    pico=Pico("Adults", "Vaccination against COVID-19", "No vaccination", "Infection, severe disease, adverse events"),
    sources=("pubmed", "crossref", "openalex", "semanticscholar"),
    queries=(
        PlanQuery(
            boolean="(covid-19[tiab] OR SARS-CoV-2[tiab]) AND (vaccin*[tiab] OR immunization[tiab])",
            plain="COVID-19 vaccination effectiveness and safety in adults",
        ),
    ),
    caps=Caps(per_source=150),
)
RETRACTED = SearchPlan(
    question="Which papers in this corpus have been retracted?",
    sources=("pubmed",),
    queries=(PlanQuery(boolean='"Retracted Publication"[pt]'),),
    caps=Caps(per_source=10),
)


@dataclass(frozen=True, slots=True)
class DemoAccount:
    """How to sign in to the demo."""

    email: str
    password: str


def invented_records() -> list[Record]:
    """References as a chatbot might invent them. None of them exists; each title says so."""
    return [
        Record(
            source="brought",
            source_id="1",
            title="[Invented for this demo] Nanocrystalline hydrocortisone in ventilated adults: a multicentre trial",
            authors=(Person("Larsen", "Mette"), Person("Whitcombe", "Giles"), Person("Adeyemi", "Folake")),
            journal="The Lancet. Respiratory medicine",
            date=PartialDate(2022),
            years=(2022,),
            volume="10",
            pages="1101-1109",
            identifiers=(Identifier(Scheme.PMID, "99999998"),),
        ),
        Record(
            source="brought",
            source_id="3",
            title="[Invented for this demo] Audit of vaccine storage in one hospital",
            authors=(Person("Weber", "Anna"),),
            csl_type="report",
            date=PartialDate(2024),
            years=(2024,),
        ),
        Record(
            source="brought",
            source_id="2",
            title="[Invented for this demo] National guideline on vaccination of adults",
            authors=(Person(literal="Ministry of Examples"),),
            csl_type="report",
            date=PartialDate(2023),
            years=(2023,),
        ),
    ]


def seed(*, password: str, say: Say) -> Project:
    """Make people and projects, run the plans, screen some records. Needs a running sandbox; returns the project."""
    owner, colleague = _person(EMAIL, "Anna Weber", password), _person(COLLEAGUE, "Ben Okafor", password)
    project = project_create(actor=owner, name="COVID-19 vaccination in adults", description=QUESTION)
    Membership.objects.create(project=project, user=colleague, role=Role.LEAD)
    say("Running the demo's search plan over the sandbox ...")
    _run(project, owner, "Vaccination against COVID-19", VACCINATION)
    _work("retrieval")
    badges = project_create(
        actor=owner,
        name="All badges: retracted and invented entries",
        description="Really retracted papers of the corpus beside invented entries, to see every badge.",
    )
    _run(badges, owner, "Retracted papers", RETRACTED)
    _work("retrieval")
    invented = invented_records()
    text = "\n".join(record.title for record in invented)
    brought = records_bring(
        project=badges, actor=owner, label="Demo list of invented entries", text=text, records=invented
    )
    say("Screening a few records and checking all of them ...")
    _screen(project, owner, colleague)
    shown = [*_candidates(badges)[:6], *(candidate.pk for candidate in brought)]
    _decide(badges, owner, shown, Decision.INCLUDE)
    _work("verification")
    set_manual(
        verification=Verification.objects.get(candidate=brought[1]),
        actor=owner,
        reason="Demo: shows what a verdict by hand looks like. The report does not exist.",
    )
    return project


def _person(email: str, name: str, password: str) -> User:
    return User.objects.create_user(email, email, password, first_name=name)


def _run(project: Project, actor: User, title: str, content: SearchPlan) -> None:
    version = plan_create(project=project, actor=actor, title=title, content=content)
    version = plan_approve(version=version, actor=actor, content_hash=version.content_hash)
    run_start(version=version, actor=actor, request_id=uuid4())


def _work(kind: str) -> None:
    """Do what is due, in this process, as the worker would."""
    work = work_of_kind(kind)
    for _ in range(ROUNDS):
        due = list(work.due())
        if not due:
            return
        for key in due:
            work.run(key)


def _candidates(project: Project, **filters: object) -> list[int]:
    rows = Candidate.objects.filter(project=project, merged_into=None, **filters)
    return list(rows.order_by("-fit", "id").values_list("pk", flat=True))


def _screen(project: Project, owner: User, colleague: User) -> None:
    good, poor = _candidates(project, fit=Fit.HIGH), _candidates(project, fit=Fit.LOW)
    _decide(project, owner, good[:18], Decision.INCLUDE)
    _decide(project, colleague, good[18:24], Decision.MAYBE)
    _decide(project, colleague, poor[:30], Decision.EXCLUDE)


def _decide(project: Project, actor: User, candidate_ids: Sequence[int], decision: Decision) -> None:
    if candidate_ids:
        decide_many(project=project, actor=actor, candidate_ids=candidate_ids, decision=decision, request_id=uuid4())


def new_password() -> str:
    """A password for the demo's two people, different for each installation."""
    return f"demo-{secrets.token_hex(4)}"


def is_seeded() -> bool:
    """Whether the demo's person is there already."""
    return User.objects.filter(email=EMAIL).exists()

"""A small project for tests of pages, references and exports: people, source records, candidates, verdicts."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import Any

from django.contrib.auth.models import User
from django.test import Client

from litapp.core.normalise import title_key
from litapp.core.plan import Pico, PlanQuery, plan_hash, plan_to_dict
from litapp.core.plan import SearchPlan as PlanContent
from litapp.core.records import (
    AbstractSection,
    Identifier,
    MeshHeading,
    PartialDate,
    Person,
    Record,
    Scheme,
    record_to_dict,
)
from litapp.jobs.models import StepState
from litapp.ledger.models import SourceAnswer, SourceRecord
from litapp.projects.models import Membership, Project, Role
from litapp.verification.models import Verification
from searches.models import (
    Candidate,
    CandidateSource,
    RetrievalHit,
    RetrievalRun,
    RetrievalStep,
    RunState,
    SearchPlan,
    SearchPlanVersion,
)
from searches.services.screening import decide

MOMENT = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)
HOSTILE = (
    'Effect of <script>alert(1)</script> & "drug" <i>in vitro</i> =1+1 [x](javascript:alert(2)) {a} $x$ \\input{y}'
)


def record(number: int, *, source: str = "pubmed", **fields: Any) -> Record:
    """A record that a source might return; `fields` replace the defaults."""
    values: dict[str, Any] = {
        "source": source,
        "source_id": str(30_000_000 + number),
        "title": f"Paper {number} on dexamethasone in severe pneumonia",
        "authors": (Person("Weber", "Anna B"), Person("Lindqvist", "Carl"), Person(f"Author{number:03d}", "Zoe")),
        "journal": "Journal of Trials",
        "date": PartialDate(2000 + number % 25, 3, 1),
        "volume": str(number),
        "pages": "11-19",
        "abstract": (
            AbstractSection(f"Background of paper {number}.", "BACKGROUND"),
            AbstractSection("Done.", "METHODS"),
        ),
        "mesh": (MeshHeading("Dexamethasone", qualifiers=("therapeutic use",), major=True), MeshHeading("Humans")),
        "identifiers": (
            Identifier(Scheme.DOI, f"10.1000/paper.{number}"),
            Identifier(Scheme.PMID, str(30_000_000 + number)),
        ),
    }
    return Record(**{**values, **fields})


@dataclass
class World:
    """One project with its people and what they did; made by `make_world`."""

    project: Project
    people: dict[str, User]
    run: RetrievalRun
    step: RetrievalStep
    candidates: list[Candidate] = field(default_factory=list)

    @property
    def owner(self) -> User:
        return self.people["owner"]

    def client(self, name: str = "owner", **options: Any) -> Client:
        """A browser in which this person is signed in."""
        client = Client(**options)
        client.force_login(self.people[name])
        return client

    def person(self, name: str, role: str) -> User:
        """Another member."""
        self.people[name] = User.objects.create_user(
            username=name, email=f"{name}@example.org", password=None, first_name=name.capitalize(), last_name="Test"
        )
        Membership.objects.create(project=self.project, user=self.people[name], role=role)
        return self.people[name]

    def candidate(self, number: int | None = None, *, in_ledger: bool = True, fit: int = 2, **fields: Any) -> Candidate:
        """A candidate with one source record, found by the world's one query."""
        number = len(self.candidates) + 1 if number is None else number
        made = record(number, **fields)
        candidate = Candidate.objects.create(
            project=self.project,
            record=record_to_dict(made),
            provenance=dict.fromkeys(("title", "authors", "journal"), made.source),
            sources=[made.source],
            title=made.title,
            first_author=made.authors[0].name if made.authors else "",
            last_author=made.authors[-1].name if len(made.authors) > 1 else "",
            journal=made.journal,
            year=made.year,
            pmid=made.pmid,
            doi=made.doi,
            has_abstract=bool(made.abstract),
            is_preprint=made.is_preprint,
            title_key=title_key(made.title),
            author_key=title_key(made.authors[0].name) if made.authors else "",
            search_text=title_key(" ".join([made.title, made.journal, made.doi, made.pmid, made.abstract_text])),
            fit=fit,
            fit_reason="“dexamethasone” in title and MeSH",
        )
        if in_ledger:
            self.source_record(candidate, made)
        self.candidates.append(candidate)
        return candidate

    def source_record(self, candidate: Candidate, made: Record, **link: Any) -> SourceRecord:
        """Put what a source returned into the ledger and join it to the candidate."""
        answer = SourceAnswer.objects.create(
            source=made.source, operation="search", method="GET", url="https://source.example/search", status=200,
            request_key=uuid.uuid4().hex, outcome="ok", received_at=MOMENT,
        )  # fmt: skip
        stored = SourceRecord.objects.create(
            answer=answer,
            position=0,
            source=made.source,
            source_id=made.source_id,
            data=record_to_dict(made),
            sha256="0",
        )
        CandidateSource.objects.create(
            candidate=candidate, project=self.project, source_record=stored, source=made.source, **link
        )
        rank = RetrievalHit.objects.filter(step=self.step).count() + 1
        RetrievalHit.objects.create(step=self.step, rank=rank, source_record=stored)
        if made.source not in candidate.sources:
            candidate.sources = [*candidate.sources, made.source]
            candidate.save(update_fields=["sources"])
        return stored

    def verify(self, candidate: Candidate, status: str = "verified", **fields: Any) -> Verification:
        """Give the candidate a finished verification."""
        values: dict[str, Any] = {
            "project": self.project, "record": candidate.record, "record_hash": "0", "returned_by": candidate.sources,
            "status": status, "state": StepState.DONE, "checked_at": MOMENT, "finished_at": MOMENT, "passed": 2,
            "asked": 2,
        }  # fmt: skip
        if status == "verified":
            values |= {"verified_by": ["crossref", "pubmed"], "verified_on": date(2026, 11, 29)}
        if status == "suspect":
            values |= {
                "reasons": ["The year differs: 2019 here, 2020 at Crossref."],
                "wrong": ["year"],
                "kind": "details",
            }
        if status == "unverified":
            values |= {"reasons": ["Crossref could not be asked."], "passed": 0, "asked": 0}
        if status == "manual":
            values |= {"manual_by": self.owner, "manual_reason": "seen the printed issue", "manual_at": MOMENT}
        candidate.verification = Verification.objects.create(**{**values, **fields})
        candidate.save(update_fields=["verification"])
        return candidate.verification

    def decide(self, candidate: Candidate, decision: str, who: str = "owner", **fields: Any) -> uuid.UUID:
        """Decide as this person would; returns the request's number."""
        request_id = fields.pop("request_id", None) or uuid.uuid4()
        candidate.refresh_from_db(fields=["version"])
        decide(
            project=self.project, candidate_id=candidate.pk, actor=self.people[who], decision=decision,
            version=candidate.version, request_id=request_id, **fields,
        )  # fmt: skip
        candidate.refresh_from_db()
        return request_id


def make_world(*, candidates: int = 0, sandbox: bool = False, name: str = "Dexamethasone in severe pneumonia") -> World:
    """A project with an owner ("Ada Owner"), an approved plan and one finished run at PubMed."""
    owner = User.objects.create_user(
        username="owner", email="owner@example.org", password=None, first_name="Ada", last_name="Owner"
    )
    project = Project.objects.create(name=name, created_by=owner, sandbox=sandbox)
    Project.objects.filter(pk=project.pk).update(created_at=MOMENT)
    Membership.objects.create(project=project, user=owner, role=Role.OWNER)
    content = PlanContent(
        question="Does dexamethasone lower mortality in severe pneumonia?",
        sources=("pubmed",),
        queries=(
            PlanQuery(boolean='dexamethasone[tiab] AND "severe pneumonia"[tiab]', plain="dexamethasone pneumonia"),
        ),
        pico=Pico(population="adults with severe pneumonia", intervention="dexamethasone", outcome="mortality"),
    )
    version = SearchPlanVersion.objects.create(
        plan=SearchPlan.objects.create(project=project, title="Main search", created_by=owner),
        number=1, content=plan_to_dict(content), content_hash=plan_hash(content), created_by=owner,
        approved_by=owner, approved_at=MOMENT, approved_hash=plan_hash(content),
    )  # fmt: skip
    run = RetrievalRun.objects.create(
        project=project, version=version, started_by=owner, request_id=uuid.uuid4(), state=RunState.SUCCESS,
        finished_at=MOMENT, sandbox=sandbox,
    )  # fmt: skip
    RetrievalRun.objects.filter(pk=run.pk).update(started_at=MOMENT)
    step = RetrievalStep.objects.create(
        run=run, source="pubmed", query_index=0, query_text='dexamethasone[tiab] AND "severe pneumonia"[tiab]',
        state=StepState.DONE, reported=candidates, fetched=candidates, started_at=MOMENT, finished_at=MOMENT,
    )  # fmt: skip
    world = World(project, {"owner": owner}, run, step)
    for _ in range(candidates):
        world.candidate()
    return world

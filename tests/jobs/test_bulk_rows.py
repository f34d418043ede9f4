"""Rows written in bulk are what `save` would write, on every database."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.forms.models import model_to_dict

from litapp.jobs.bulk_rows import insert_rows
from litapp.projects.models import Project
from litapp.projects.services.projects import project_create
from litapp.verification.models import Priority, Verification
from searches.models import BlockKey, Candidate, CandidateSource, ImportedEntry, RetrievalHit

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return project_create(actor=User.objects.create_user("ada"), name="Bulk")


def row(project: Project, **values: object) -> Verification:
    plain = {"record": {"title": "Ä “title” with \x00 no end", "authors": []}, "record_hash": "a" * 64}
    return Verification(project=project, **{**plain, **values})  # type: ignore[arg-type]


def test_the_rows_are_those_that_save_writes(project: Project) -> None:
    later = datetime(2026, 12, 1, 10, 30, 15, 123456, tzinfo=UTC)
    values = {"priority": Priority.RETRIEVED, "not_before": later, "verified_on": later.date(), "silent": {"a": "b"}}
    saved = row(project, **values)
    saved.save()
    (first, second) = insert_rows([row(project, **values), row(project, verified_by=["pubmed"])])
    assert second.pk > first.pk > saved.pk
    written = Verification.objects.get(pk=first.pk)
    assert model_to_dict(written) | {"id": 0} == model_to_dict(Verification.objects.get(pk=saved.pk)) | {"id": 0}
    assert written.not_before == later
    assert timedelta() <= written.created_at - saved.created_at < timedelta(minutes=1)
    assert Verification.objects.get(pk=second.pk).verified_by == ["pubmed"]


def test_constraints_hold(project: Project) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        insert_rows([row(project, record_hash=None)])
    assert Verification.objects.count() == 0


def test_nothing_is_no_statement(django_assert_num_queries: object) -> None:
    assert insert_rows([]) == []


def test_every_model_written_in_bulk_has_an_automatic_id() -> None:
    models = (Verification, Candidate, CandidateSource, ImportedEntry, RetrievalHit)
    assert {model._meta.pk.get_internal_type() for model in models} == {BlockKey._meta.pk.get_internal_type()}

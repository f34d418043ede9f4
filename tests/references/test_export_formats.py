"""Exports as .nbib, table, YAML ledger and DOI list, and a .bib of the person's own that is extended."""

from __future__ import annotations

import csv
import io
import uuid

import pytest
import yaml
from django.core.files.uploadedfile import SimpleUploadedFile

from litapp.verification.models import Check
from references.models import Export, ExportFormat
from references.services.export import ExportProblem, ExportWork, export_request
from tests.references.test_export import files, make, mixed_world, only_file
from tests.references.world import World

pytestmark = pytest.mark.django_db
KEYS = [f"Weber_200{number}_Paper" for number in (1, 2, 3, 4, 5)]


def extended(world: World, brought: bytes) -> Export:
    export = export_request(
        project=world.project, actor=world.owner, format="bib", scope="all", style="", request_id=uuid.uuid4(),
        extends=brought,
    )  # fmt: skip
    ExportWork().run(str(export.pk))
    export.refresh_from_db()
    return export


def test_the_pubmed_file_has_every_reference() -> None:
    text = only_file(make(mixed_world(), "nbib")).decode()
    assert [line for line in text.splitlines() if line.startswith("PMID-")] == [
        f"PMID- 3000000{number}" for number in (1, 2, 3, 4, 5)
    ]


def test_the_table_has_a_row_for_every_reference() -> None:
    text = only_file(make(mixed_world(), "csv")).decode("utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert len(rows) == 5
    assert [next(value for value in row.values() if value in KEYS) for row in rows] == KEYS


def test_the_ledger_names_search_verdict_and_checks() -> None:
    world = mixed_world()
    verification = world.candidates[0].verification
    assert verification is not None
    Check.objects.create(
        verification=verification, round=verification.round, position=0, rule="fields_agree", source="crossref",
        outcome="pass", reason="All fields agree.",
    )  # fmt: skip
    [(name, content)] = files(make(world, "yaml")).items()
    told = yaml.safe_load(content)["references"]
    assert name.endswith("_References.yaml")
    assert [(one["ref"], one["key"], one["search_topic"]) for one in told] == [
        (number, key, "Main search") for number, key in enumerate(KEYS, start=1)
    ]
    assert [[check["source"] for check in one.get("checks", ())] for one in told] == [["Crossref"], [], [], [], []]


def test_the_list_of_dois_holds_what_may_be_cited() -> None:
    ids, others = files(make(mixed_world(), "dois")).values()
    assert ids.decode() == "10.1000/paper.1\n"
    assert [line.split("\t")[1] for line in others.decode().splitlines()[1:]] == KEYS[1:]


def test_a_brought_bib_stays_as_it_is_and_gets_what_it_lacks() -> None:
    brought = b"@article{mine,\n  title = {Odd  {T}itle},\n  doi = {10.1000/PAPER.2}\n}\n% a remark\n"
    world = mixed_world()
    export = extended(world, brought)
    content = only_file(export)
    assert content.startswith(brought)
    assert export.included == [key for key in KEYS if key != "Weber_2002_Paper"]
    assert [(out["key"], out["why"]) for out in export.left_out] == [
        ("Weber_2002_Paper", "Your file has it as mine: same DOI 10.1000/paper.2")
    ]
    again = extended(world, content)
    assert (only_file(again), again.included) == (content, [])


def test_a_bib_that_cannot_be_extended_is_refused_with_the_reason() -> None:
    world = mixed_world()
    with pytest.raises(ExportProblem, match="UTF-16"):
        extended(world, "@article{a, title={B}}".encode("utf-16"))
    assert not Export.objects.exists()


def test_the_form_takes_a_bib() -> None:
    world = mixed_world()
    browser = world.client()
    answer = browser.post(
        f"/projects/{world.project.pk}/exports/new/",
        {
            "format": ExportFormat.BIBTEX, "scope": "all", "style": "", "request_id": str(uuid.uuid4()),
            "extends": SimpleUploadedFile("my.bib", b"@misc{x, title={Y}}\n"),
        },
    )  # fmt: skip
    assert answer.status_code == 302
    assert len(Export.objects.get().extends_sha256) == 64

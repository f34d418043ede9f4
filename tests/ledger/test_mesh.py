"""MeSH of the installation: carried, loaded, and what NLM says of a heading that the file does not have."""

from __future__ import annotations

from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from litapp.core.mesh import CREDIT, MeshHeading
from litapp.core.ports import Outcome, Request
from litapp.ledger.models import MeshAnswer
from litapp.ledger.services import mesh
from litapp.ledger.services.archive import DatabaseArchive
from litapp.providers.base import SourceError
from litapp.providers.pubmed.provider import PubMed
from litapp.providers.questions import MeshHeadingFound

pytestmark = pytest.mark.django_db
ROWS = "D000001\tCalcimycin\tD03.633\tA23187\tAn ionophore.\n"


def loaded(path: Path, *arguments: str) -> str:
    out = StringIO()
    call_command("load_mesh", str(path), *arguments, stdout=out)
    return out.getvalue().strip()


def test_a_bare_installation_has_the_mesh_that_is_carried() -> None:
    found = mesh.InstalledMesh()
    assert (found.edition, len(found.index)) == ("2024", 30_764)
    assert found.preferred("heart attack") == "Myocardial Infarction"
    assert "Courtesy of the U.S. National Library of Medicine" in CREDIT


def test_a_loaded_file_takes_its_place_at_once(tmp_path: Path) -> None:
    assert mesh.InstalledMesh().preferred("Zebrafish") == "Zebrafish"
    path = tmp_path / "small.tsv"
    path.write_text(ROWS)
    assert loaded(path, "--edition", "2025") == "MeSH 2025: 1 headings, 1 with a scope note."
    now = mesh.InstalledMesh()
    assert (now.edition, now.preferred("Zebrafish"), now.preferred("a23187")) == ("2025", None, "Calcimycin")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("D1\tx\ty\n", "small.tsv, line 1"),
        (ROWS, "small.tsv does not say of which year it is"),
    ],
)
def test_a_bad_file_changes_nothing(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "small.tsv"
    path.write_text(text)
    with pytest.raises(CommandError, match=message):
        loaded(path)
    assert mesh.InstalledMesh().edition == "2024"


@pytest.fixture
def nlm(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What NLM answers, one entry a question: headings, or an error."""
    answers: list[Any] = []

    def find(self: PubMed, client: object, words: str, **_: Any) -> tuple[list[MeshHeadingFound], list[int]]:
        said = answers.pop(0)
        if isinstance(said, Exception):
            raise said
        request = Request("pubmed", "POST", "/esearch.fcgi", (("term", words),))
        archive = DatabaseArchive({"pubmed": "https://nlm.example"})
        kept = archive.store(
            request, status=200, headers={}, body=b"{}", outcome=Outcome.OK, elapsed_seconds=0, attempt=1, error=""
        )
        return said, [kept.answer_id or 0]

    monkeypatch.setattr(PubMed, "find_headings", find)
    return answers


def test_a_heading_newer_than_the_file_is_known_once_nlm_has_named_it(nlm: list[Any]) -> None:
    nlm.append(
        [MeshHeadingFound("D999999", "Brand New Disease", "descriptor", ("C01.1",), ("BND",), "New.", exact=True)]
    )
    assert mesh.InstalledMesh().preferred("brand new disease") is None
    said = mesh.mesh_ask(name="Brand new disease")
    assert said == mesh.MeshSaid(MeshHeading("D999999", "Brand New Disease", ("C01.1",), ("BND",), "New."))
    known = mesh.InstalledMesh()
    assert (known.preferred("BRAND new disease"), known.entry_terms("brand new disease")) == (
        "Brand New Disease",
        ("BND",),
    )
    assert not known.surely_absent("brand new disease")


def test_that_nlm_has_no_such_heading_is_kept_too(nlm: list[Any]) -> None:
    nlm.append([MeshHeadingFound("D006333", "Heart Failure", "descriptor")])
    assert mesh.mesh_ask(name="Hart failure") == mesh.MeshSaid(None, none=True)
    assert mesh.InstalledMesh().surely_absent("hart failure")
    assert MeshAnswer.objects.get().answer.source == "pubmed"


def test_an_unanswered_question_is_no_no(nlm: list[Any]) -> None:
    nlm.append(SourceError("pubmed", Outcome.TRANSIENT, "PubMed is busy."))
    with pytest.raises(SourceError):
        mesh.mesh_ask(name="Hart failure")
    assert not mesh.InstalledMesh().surely_absent("hart failure")


def test_a_full_page_of_other_headings_decides_nothing(nlm: list[Any]) -> None:
    nlm.append([MeshHeadingFound(f"D{n:06d}", f"Heading {n}", "descriptor") for n in range(mesh.MOST_ASKED)])
    assert mesh.mesh_ask(name="Hart failure") == mesh.MeshSaid(None)
    assert not mesh.InstalledMesh().surely_absent("hart failure")

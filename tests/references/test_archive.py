"""The archive folder: verified entries only in the .bib, warnings by name, full texts once, merged by content."""

from __future__ import annotations

import hashlib
import zipfile
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from litapp.ledger.models import SourceAnswer
from litapp.ledger.services.bodies import write_body
from references.models import ArchiveName, CopyState, FullTextCopy, Reference
from references.services.archive import archive_of, archive_slug, archive_write
from references.services.entries import export_content
from references.services.matrix_reading import Basis, basis_counts, basis_of
from references.services.requery import Requery
from tests.references.test_export import NOTICE, files, make, mixed_world
from tests.references.world import World, make_world

pytestmark = pytest.mark.django_db
PDF = b"%PDF-1.4 one paper"
SLUG = "dexamethasone_in_severe_pneumonia"


def full_text(reference: Reference, body: bytes = PDF, **fields: Any) -> FullTextCopy:
    answer = SourceAnswer.objects.latest("pk")
    values: dict[str, Any] = {
        "project": reference.project, "reference": reference, "state": CopyState.ACCEPTED, "outcome": "pdf",
        "source": "unpaywall", "sha256": write_body(body), "size": len(body), "answer": answer, "licence": "CC BY 4.0",
    }  # fmt: skip
    return FullTextCopy.objects.create(**{**values, **fields})


@pytest.fixture
def world() -> World:
    return mixed_world()


def inside(world: World) -> dict[str, bytes]:
    [(name, content)] = files(make(world, "archive")).items()
    assert name == f"{SLUG}-archive.zip"
    with zipfile.ZipFile(BytesIO(content)) as packed:
        found = {one: packed.read(one) for one in packed.namelist()}
    assert all(one.startswith(f"references/{SLUG}/") for one in found)
    return {one.split("/", 2)[2]: data for one, data in found.items()}


def test_the_bib_holds_verified_entries_only_and_the_readme_names_all_others(world: World) -> None:
    made = inside(world)
    assert made["references.bib"].decode().count("@article") == 1
    readme = made["README.md"].decode()
    index, rest = readme.split("## Do not cite (2)")
    assert "## Index (1 verified)" in index
    assert "Weber_2001_Paper" in index
    suspect, rest = rest.split("## Unverified and confirmed by hand (2)")
    assert "`Weber_2002_Paper`" in suspect
    assert "The year differs: 2019 here, 2020 at Crossref" in suspect.replace("\\", "")
    assert "`Weber_2005_Paper`" in suspect
    assert "RETRACTED 2020-06-05" in suspect.replace("\\", "")
    unsure, coverage = rest.split("## Coverage")
    assert "`Weber_2003_Paper`" in unsure
    assert "`Weber_2004_Paper`" in unsure
    assert "seen the printed issue" in unsure
    assert "PubMed: 5 records of 5 reported" in coverage
    assert "Full text here for 0 of 5 references." in coverage
    sums = dict(line.split("  ")[::-1] for line in made["SHA256SUMS"].decode().splitlines())
    assert sums == {one: hashlib.sha256(data).hexdigest() for one, data in made.items() if one != "SHA256SUMS"}


def test_full_texts_lie_in_the_folder_once_with_their_licence(world: World) -> None:
    first, second = (Reference.objects.get(key=f"Weber_200{n}_Paper") for n in (1, 2))
    full_text(first)
    full_text(second)
    full_text(Reference.objects.get(key="Weber_2003_Paper"), b"%PDF-1.4 asked", state=CopyState.ASKED)
    made = inside(world)
    assert {name: data for name, data in made.items() if name.startswith("pdfs/")} == {"pdfs/Weber_2001_Paper.pdf": PDF}
    readme = made["README.md"].decode()
    assert "[PDF](pdfs/Weber_2001_Paper.pdf) (CC BY 4.0)" in readme
    assert "Full text here for 2 of 5 references." in readme
    references = list(Reference.objects.for_list())
    assert basis_counts(basis_of(references))[0] == (Basis.FULL_TEXT, 2)


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("Dexamethasone in severe pneumonia", SLUG),
        ("地塞米松治疗重症肺炎", "de_sai_mi_song_zhi_liao_zhong_zheng_fei_yan"),
        ("../../etc/passwd", "etc_passwd"),
        ("!!!", "project"),
    ],
)
def test_the_folders_name_is_safe_and_stays(name: str, slug: str) -> None:
    world = make_world(name=name)
    made = archive_slug(world.project)
    assert made.replace("_", "") == slug.replace("_", "")
    assert made == made.lower()
    assert set(made) <= set("abcdefghijklmnopqrstuvwxyz0123456789_")
    world.project.name = "Something else"
    world.project.save()
    assert archive_slug(world.project) == made


def test_no_two_projects_share_a_folder() -> None:
    world = make_world(name="Steroids")
    other = type(world.project).objects.create(name="STEROIDS!", created_by=world.owner)
    assert [archive_slug(world.project), archive_slug(other)] == ["steroids", "steroids_2"]
    assert ArchiveName.objects.count() == 2


def test_a_folder_is_merged_by_content_and_nobodys_changes_are_lost(world: World, tmp_path: Path) -> None:
    full_text(Reference.objects.get(key="Weber_2001_Paper"))
    folder = tmp_path / "references" / SLUG
    (folder / "pdfs").mkdir(parents=True)
    (folder / "pdfs" / "my own name.pdf").write_bytes(PDF)

    def write() -> Any:
        return archive_write(archive_of(world.project, export_content(world.project, "all")), tmp_path)

    first = write()
    assert first.written == ["README.md", "SHA256SUMS", "references.bib"]
    assert [path.name for path in (folder / "pdfs").iterdir()] == ["my own name.pdf"]
    assert write().written == []
    (folder / "README.md").write_text("my notes")
    (folder / "notes.txt").write_text("stays")
    changed = write()
    assert (changed.written, changed.kept) == (["README.md"], ["README.kept.md"])
    assert (folder / "README.kept.md").read_text() == "my notes"
    assert (folder / "notes.txt").read_text() == "stays"
    world.decide(world.candidates[0], "exclude")
    later = write()
    assert "references.bib" in later.written
    assert later.kept == []


def test_the_command_writes_the_folder(world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("references.management.commands.archive.require_ready", lambda: None)
    out = StringIO()
    call_command("archive", str(world.project.pk), "--out", str(tmp_path), stdout=out)
    assert "3 files written" in out.getvalue()
    call_command("archive", str(world.project.pk), "--out", str(tmp_path), stdout=out)
    assert "3 were there already" in out.getvalue()
    assert (tmp_path / "references" / SLUG / "references.bib").read_text().count("@article") == 1


def test_the_command_stops_where_checks_fail(world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("references.management.commands.archive.require_ready", lambda: None)
    monkeypatch.setattr("references.services.gate.ask_again", lambda entries: Requery({}, {}))
    err = StringIO()
    with pytest.raises(CommandError, match="The checks before the output found"):
        call_command("archive", str(world.project.pk), "--out", str(tmp_path), stderr=err)
    assert "Weber_2001_Paper" in err.getvalue()
    assert not (tmp_path / "references").exists()
    call_command("archive", str(world.project.pk), "--out", str(tmp_path), "--override", "PubMed is down")
    readme = (tmp_path / "references" / SLUG / "README.md").read_text().replace("\\", "")
    assert "Let out by Ada Owner" in readme
    assert "PubMed is down" in readme


def test_a_list_without_a_verified_entry_has_an_archive_that_says_so() -> None:
    world = make_world(candidates=1)
    world.verify(world.candidates[0], "verified", **NOTICE)
    world.decide(world.candidates[0], "include")
    made = inside(world)
    assert "@article" not in made["references.bib"].decode()
    assert "No reference is verified yet." in made["README.md"].decode()

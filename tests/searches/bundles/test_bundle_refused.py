"""Damaged, forged and hostile bundles, and old records: found, named, refused."""

from __future__ import annotations

import json
import shutil
import stat
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User

from litapp.core.formats.bundle.files import CONTENT, MANIFEST
from litapp.core.records import Record
from litapp.projects.models import Project
from searches.models import RetrievalRun
from searches.services.bundle_files import BundleError
from searches.services.bundle_import import bundle_check
from searches.services.legacy_records import legacy_import
from tests.searches.bundles.bundle_files import content_of, edit, export, reseal
from tests.searches.stand_in import StandIn, paper, papers

pytestmark = pytest.mark.django_db
Sources = dict[str, StandIn]
Start = Callable[..., RetrievalRun]


@pytest.mark.parametrize("name", [MANIFEST, *CONTENT])
def test_one_changed_byte_is_found(run: RetrievalRun, tmp_path: Path, name: str) -> None:
    export(run, tmp_path / "b")
    path = tmp_path / "b" / name
    body = bytearray(path.read_bytes())
    place = body.index(b"e", len(body) // 2)
    body[place : place + 1] = b"X"
    path.write_bytes(bytes(body))
    assert not bundle_check(path=tmp_path / "b").valid


@pytest.mark.parametrize("name", [MANIFEST, *CONTENT])
def test_a_missing_file_is_named(run: RetrievalRun, tmp_path: Path, name: str) -> None:
    export(run, tmp_path / "b")
    (tmp_path / "b" / name).unlink()
    assert bundle_check(path=tmp_path / "b").problems == [f"{name} is missing."]


FORGERIES: dict[str, tuple[str, Callable[[dict[str, Any]], None], str]] = {
    "an empty title": ("candidates_deduped.jsonl", lambda e: e.update(title=" "), "candidates_deduped.jsonl, line 1"),
    "a filler in place of null": ("candidates_deduped.jsonl", lambda e: e.update(url=""), "url"),
    "a field that is gone": ("candidates_normalized.jsonl", lambda e: e.pop("query_matches"), "query_matches"),
    "an abstract called missing": (
        "candidates_deduped.jsonl", lambda e: e.update(abstract_status="missing"), "candidates_deduped.jsonl, line 1",
    ),
    "a record that is not its hash's": (
        "candidates_raw.jsonl", lambda e: e["record"].update(title="Another"), "not the one whose hash",
    ),
    "another rank": ("candidates_raw.jsonl", lambda e: e.update(rank=99), "does not say what"),
    "another query": ("provenance.jsonl", lambda e: e.update(query=2), "does not say what"),
    "another paper": ("provenance.jsonl", lambda e: e.update(paper="p2"), "does not say what"),
    "a source more": (
        "candidates_deduped.jsonl", lambda e: e["sources"].append({**e["sources"][0], "record": "n90"}), "its sources",
    ),
    "a match less": ("candidates_deduped.jsonl", lambda e: e["query_matches"].pop(), "query matches"),
    "an answer that is not there": ("candidates_raw.jsonl", lambda e: e.update(answer="a999"), "a999"),
}  # fmt: skip


@pytest.mark.parametrize("what", list(FORGERIES))
def test_a_forged_bundle_with_right_hashes_is_found(run: RetrievalRun, tmp_path: Path, what: str) -> None:
    name, change, told = FORGERIES[what]
    export(run, tmp_path / "b")
    edit(tmp_path / "b", name, 0, change)
    reseal(tmp_path / "b")
    problems = bundle_check(path=tmp_path / "b").problems
    assert any(told in problem for problem in problems), problems


@pytest.mark.parametrize("count", ["hits", "normalized", "deduped", "invalid_records", "duplicates_in_source"])
def test_a_wrong_count_is_found(run: RetrievalRun, tmp_path: Path, count: str) -> None:
    made = export(run, tmp_path / "b")
    reseal(tmp_path / "b", counts={**made.manifest["counts"], count: made.manifest["counts"][count] + 1})
    [problem] = bundle_check(path=tmp_path / "b").problems
    assert count.replace("_", " ") in problem


def test_a_line_less_is_found(run: RetrievalRun, tmp_path: Path) -> None:
    export(run, tmp_path / "b")
    for name in ("candidates_raw.jsonl", "provenance.jsonl", "candidates_normalized.jsonl", "candidates_deduped.jsonl"):
        shutil.copytree(tmp_path / "b", tmp_path / name)
        path = tmp_path / name / name
        path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-1]))
        reseal(tmp_path / name)
        assert not bundle_check(path=tmp_path / name).valid, name


def test_the_plan_is_the_one_that_was_approved(run: RetrievalRun, tmp_path: Path) -> None:
    export(run, tmp_path / "b")
    plan = tmp_path / "b" / "plan.yaml"
    plan.write_text(plan.read_text().replace("lower mortality", "raise mortality"))
    reseal(tmp_path / "b")
    assert bundle_check(path=tmp_path / "b").problems == ["plan.yaml is not the plan whose hash the manifest gives."]


def packed(path: Path, files: dict[str, bytes], **infos: Any) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, body in files.items():
            info = zipfile.ZipInfo(name)
            info.compress_type = zipfile.ZIP_DEFLATED
            for field, value in infos.get(name, {}).items():
                setattr(info, field, value)
            archive.writestr(info, body)
    return path


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("../evil.txt", "leads out of"),
        ("answers/../../evil", "leads out of"),
        ("..\\evil", "leads out of"),
        ("/etc/passwd", "absolute path"),
        ("C:\\evil", "absolute path"),
        ("C:evil", "absolute path"),
        ("\\\\host\\share", "absolute path"),
        ("evil.txt", "not a file of a bundle"),
        ("answers/short", "not a file of a bundle"),
        ("plan.yaml\n", "signs that no name"),
    ],
)
def test_names_that_lead_elsewhere_are_refused_before_anything_is_read(
    run: RetrievalRun, tmp_path: Path, name: str, told: str
) -> None:
    export(run, tmp_path / "b")
    path = packed(tmp_path / "b.zip", {**content_of(tmp_path / "b"), name: b"x"})
    with pytest.raises(BundleError, match=told):
        bundle_check(path=path)
    manifest = json.loads((tmp_path / "b" / MANIFEST).read_text())
    manifest["files"][name] = {"sha256": "0" * 64, "size": 1}
    (tmp_path / "b" / MANIFEST).write_text(json.dumps(manifest))
    assert any(told in problem for problem in bundle_check(path=tmp_path / "b").problems)


def test_links_are_refused(run: RetrievalRun, tmp_path: Path) -> None:
    export(run, tmp_path / "b")
    files = content_of(tmp_path / "b")
    link = {"plan.yaml": {"create_system": 3, "external_attr": (stat.S_IFLNK | 0o777) << 16}}
    with pytest.raises(BundleError, match="is a link"):
        bundle_check(path=packed(tmp_path / "b.zip", files, **link))
    secret = tmp_path / "secret"
    secret.write_bytes(files["plan.yaml"])
    (tmp_path / "b" / "plan.yaml").unlink()
    (tmp_path / "b" / "plan.yaml").symlink_to(secret)
    with pytest.raises(BundleError, match="is a link"):
        bundle_check(path=tmp_path / "b")
    (tmp_path / "linked").symlink_to(tmp_path / "b")
    with pytest.raises(BundleError, match="is a link"):
        bundle_check(path=tmp_path / "linked")


def test_a_linked_answers_folder_is_refused(run: RetrievalRun, tmp_path: Path) -> None:
    export(run, tmp_path / "b", answers=True)
    (tmp_path / "b" / "answers").rename(tmp_path / "elsewhere")
    (tmp_path / "b" / "answers").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(BundleError, match="is a link"):
        bundle_check(path=tmp_path / "b")


def test_bombs_are_refused_unread(run: RetrievalRun, tmp_path: Path, settings: Any) -> None:
    export(run, tmp_path / "b")
    files = content_of(tmp_path / "b")
    bomb = packed(tmp_path / "bomb.zip", {**files, "candidates_raw.jsonl": b"\n" * 30_000_000})
    with pytest.raises(BundleError, match="which no bundle does"):
        bundle_check(path=bomb)
    settings.BUNDLE_LARGEST = sum(len(body) for body in files.values()) - 1
    with pytest.raises(BundleError, match="Unpacked it has"):
        bundle_check(path=packed(tmp_path / "b.zip", files))
    with pytest.raises(BundleError, match="Unpacked it has"):
        bundle_check(path=tmp_path / "b")


def test_repeated_and_encrypted_entries_are_refused(run: RetrievalRun, tmp_path: Path) -> None:
    export(run, tmp_path / "b.zip")
    with zipfile.ZipFile(tmp_path / "b.zip", "a") as archive, pytest.warns(UserWarning, match="Duplicate name"):
        archive.writestr("plan.yaml", "x")
    with pytest.raises(BundleError, match="there twice"):
        bundle_check(path=tmp_path / "b.zip")


@pytest.mark.parametrize("body", [b"", b"PK\x03\x04 no zip", b"\x00" * 100])
def test_what_is_no_bundle_says_so(tmp_path: Path, body: bytes) -> None:
    (tmp_path / "b.zip").write_bytes(body)
    with pytest.raises(BundleError, match="cannot be read as a bundle"):
        bundle_check(path=tmp_path / "b.zip")
    with pytest.raises(BundleError, match="cannot be read as a bundle"):
        bundle_check(path=tmp_path / "missing.zip")


def test_a_damaged_zip_is_an_error_of_the_bundle_not_of_the_program(run: RetrievalRun, tmp_path: Path) -> None:
    export(run, tmp_path / "b.zip")
    body = bytearray((tmp_path / "b.zip").read_bytes())
    for place in range(200, len(body) - 3000, 97):
        body[place] ^= 0xFF
    (tmp_path / "b.zip").write_bytes(bytes(body))
    with pytest.raises(BundleError):
        assert bundle_check(path=tmp_path / "b.zip").valid


def legacy_of(record: Record) -> dict[str, Any]:
    return {"title": record.title, "year": record.year, "id": f"doi:{record.doi}"}


def test_old_records_are_read_only_through_the_adapter(run: RetrievalRun, tmp_path: Path) -> None:
    export(run, tmp_path / "b")
    edit(tmp_path / "b", "candidates_deduped.jsonl", 3, lambda e: (e.clear(), e.update(legacy_of(paper(4)))))
    reseal(tmp_path / "b")
    told = [p for p in bundle_check(path=tmp_path / "b").problems if "line 4" in p]
    where = "candidates_deduped.jsonl, line 4"
    assert told == [f"{where}: an old record without a schema. It is read only when the adapter is asked for."]
    checked = bundle_check(path=tmp_path / "b", adapt=True)
    assert (checked.problems, checked.legacy) == ([], 1)


def test_a_list_of_old_records_becomes_candidates_that_nobody_returned(
    project: Project, person: User, tmp_path: Path
) -> None:
    old = tmp_path / "old.jsonl"
    old.write_text("".join(json.dumps(legacy_of(one)) + "\n" for one in papers(3)))
    made = legacy_import(path=old, project=project, actor=person)
    assert [(c.title, c.doi, c.sources) for c in made] == [(p.title, p.doi, ["brought"]) for p in papers(3)]
    assert all("legacy_adapted" in c.merged_record.warnings for c in made)
    old.write_text(json.dumps([{"title": "A"}, {"title": " "}]))
    with pytest.raises(BundleError, match="Record 2: This old record has no title"):
        legacy_import(path=old, project=project, actor=person)

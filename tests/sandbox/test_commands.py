"""The commands sandbox_load and sandbox."""

from __future__ import annotations

import os
import subprocess
import sys
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from litapp.sandbox.corpus.store import Corpus
from litapp.sandbox.tiny import ARTICLES, MESH
from tests.sandbox.conftest import ask

ROOT = Path(__file__).resolve().parents[2]


def test_load_says_what_it_loaded(tmp_path: Path) -> None:
    out = StringIO()
    call_command("sandbox_load", str(ARTICLES), data=tmp_path / "c.db", mesh=MESH, stdout=out)
    assert "Loaded 59 articles (0 replaced, 0 deleted" in out.getvalue()
    assert Corpus(tmp_path / "c.db").has_mesh


@pytest.mark.parametrize(
    ("files", "message"), [(["missing.xml"], "Not found: missing.xml"), ([], "Name at least one file")]
)
def test_load_refuses_without_files(tmp_path: Path, files: list[str], message: str) -> None:
    with pytest.raises(CommandError, match=message):
        call_command("sandbox_load", *files, data=tmp_path / "c.db")


def test_the_sandbox_is_a_process_of_its_own(tiny_corpus: Path, tmp_path: Path) -> None:
    faults = tmp_path / "faults.json"
    faults.write_text('{"faults": [{"kind": "http", "status": 503, "source": "crossref"}]}')
    command = [sys.executable, str(ROOT / "manage.py"), "sandbox", "--port", "0", "--data", str(tiny_corpus)]
    environment = {**os.environ, "LITAPP_DATA_DIR": str(tmp_path)}
    with subprocess.Popen(
        [*command, "--faults", str(faults), "--clock", "1000"],
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
        cwd=ROOT,
    ) as process:
        try:
            assert process.stdout is not None
            first = process.stdout.readline()
            assert first.startswith("Sandbox sources on http://127.0.0.1:")
            assert "(59 articles)" in first
            url = first.split()[3]
            assert ask(f"{url}/crossref/works?query=asthma").status == 503
            assert ask(f"{url}/openalex/works?search=asthma").json["meta"]["count"] > 5
        finally:
            process.terminate()


def test_a_missing_corpus_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=r"There is no corpus at nothing\.db"):
        call_command("sandbox", data=tmp_path / "nothing.db", port=0)

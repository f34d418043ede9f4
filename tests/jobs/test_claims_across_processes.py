"""Real processes claim the same pieces, one is killed with -9: every piece is done exactly once."""

from __future__ import annotations

import json
import signal
import time
from collections import Counter
from pathlib import Path

import pytest

from tests.jobs.installations import Installation, installation

PIECES = 200
MAKE = f"""
from django.contrib.auth.models import User
from litapp.projects.models import Project
from litapp.verification.models import Verification
project = Project.objects.create(name="p", created_by=User.objects.create(username="u"))
Verification.objects.bulk_create(Verification(project=project, record={{}}, record_hash="x") for _ in range({PIECES}))
"""
READ = """
import json
from litapp.ledger.models import SourceAnswer
from litapp.verification.models import Verification
print(json.dumps({
    "results": list(SourceAnswer.objects.values_list("url", "error")),
    "states": list(Verification.objects.values_list("state", flat=True)),
}))
"""


def results(place: Installation) -> dict[str, list]:
    return json.loads(place.python(READ))


@pytest.mark.parametrize("kind", ["sqlite", pytest.param("postgresql", marks=pytest.mark.services)])
def test_four_processes_one_killed_each_piece_done_once(kind: str, tmp_path: Path) -> None:
    with installation(kind, tmp_path) as place:
        place.python(MAKE)
        script = "tests/jobs/claiming_process.py"
        workers = {name: place.start(script, LITAPP_WORKER_NAME=name) for name in ("one", "two", "three", "four")}
        end = time.monotonic() + 60
        while time.monotonic() < end:
            done = Counter(name for _, name in results(place)["results"])
            if done["one"] >= 3:
                break
        workers["one"].send_signal(signal.SIGKILL)
        workers["one"].wait()
        place.python("from litapp.jobs.services import release_of; print(release_of('one'))")
        for name in ("two", "three", "four"):
            _, err = workers[name].communicate(timeout=120)
            assert workers[name].returncode == 0, err[-2000:]
        found = results(place)
    assert Counter(pk for pk, _ in found["results"]) == {str(pk): 1 for pk in range(1, PIECES + 1)}
    assert found["states"] == ["done"] * PIECES
    assert {name for _, name in found["results"]} == {"one", "two", "three", "four"}

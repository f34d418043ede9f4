"""What is written into a project's log can be read there: every verb in the code has its words."""

from __future__ import annotations

import ast
from pathlib import Path

from litapp.projects.services.events import VERBS

ROOT = Path(__file__).resolve().parents[2]


def verbs_in_code() -> set[str]:
    """Literal verbs given to `record_event`, or to a module's own `_event` that hands them on."""
    found = set()
    for folder in ("litapp", "searches", "references"):
        for file in (ROOT / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                if not isinstance(node, ast.Call) or getattr(node.func, "id", "") not in ("record_event", "_event"):
                    continue
                given = [*node.args, *(keyword.value for keyword in node.keywords if keyword.arg == "verb")]
                found |= {
                    part.value
                    for value in given
                    for part in ast.walk(value)
                    if isinstance(part, ast.Constant) and isinstance(part.value, str) and "." in part.value
                }
    return found


def test_every_verb_has_its_words() -> None:
    found = verbs_in_code()
    assert "plan.approved" in found
    assert found - set(VERBS) == set()

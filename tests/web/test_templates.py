"""Templates and static files: what the Content-Security-Policy refuses is not there, and every class has a look."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.template.loader import get_template

from litapp.web.templatetags.icon_shapes import SHAPES

ROOT = Path(__file__).resolve().parents[2]
TEMPLATES = sorted((ROOT / "templates").rglob("*.html"))
NAMES = [str(path.relative_to(ROOT / "templates")) for path in TEMPLATES]
REFUSED = {
    "style attribute": re.compile(r"\sstyle\s*="),
    "style element": re.compile(r"<style"),
    "inline script": re.compile(r"<script(?![^>]*\bsrc=)(?![^>]*application/json)"),
    "event attribute": re.compile(r"\son[a-z]+\s*="),
    "hx-on": re.compile(r"\bhx-on"),
    "evaluated htmx value": re.compile(r"""hx-(?:vals|vars|headers)\s*=\s*['"](?:js|javascript):"""),
    "trigger filter": re.compile(r"""hx-trigger\s*=\s*["'][^"']*\["""),
    "address of another host": re.compile(r"""(?:src|href)\s*=\s*["']https?://"""),
    "text marked as safe": re.compile(r"\|\s*safe\b"),
}
ALLOWED = {("text marked as safe", "partials/field.html")}
"""Help texts of Django's forms (password rules) are our own HTML."""


def without_comments(text: str) -> str:
    return re.sub(r"\{#.*?#\}|\{% comment.*?endcomment %\}", "", text, flags=re.S)


@pytest.mark.parametrize("name", NAMES)
def test_a_template_holds_nothing_that_the_policy_refuses(name: str) -> None:
    text = without_comments((ROOT / "templates" / name).read_text(encoding="utf-8"))
    found = [what for what, pattern in REFUSED.items() if pattern.search(text) and (what, name) not in ALLOWED]
    assert found == []


@pytest.mark.parametrize("name", NAMES)
def test_a_template_compiles(name: str) -> None:
    assert get_template(name) is not None


OURS = [name for name in NAMES if "/" not in name or name.split("/")[0] in {"account", "allauth", "partials"}]


@pytest.mark.parametrize("name", OURS)
def test_every_class_in_a_shared_template_has_a_rule(name: str) -> None:
    sheets = "".join(sheet.read_text(encoding="utf-8") for sheet in sorted((ROOT / "static" / "css").glob("*.css")))
    known = set(re.findall(r"\.([a-zA-Z][\w-]*)", sheets))
    text = (ROOT / "templates" / name).read_text(encoding="utf-8")
    used: set[str] = set()
    for value in re.findall(r'class="([^"]*)"', text):
        words = re.sub(r"\{%.*?%\}|\{\{.*?\}\}", "\0", value).split()
        used |= {word for word in words if "\0" not in word}
    assert sorted(used - known) == []


@pytest.mark.parametrize("name", NAMES)
def test_every_icon_in_a_template_is_in_the_set(name: str) -> None:
    text = (ROOT / "templates" / name).read_text(encoding="utf-8")
    used = set(re.findall(r'\{% icon "([^"]+)"', text)) | set(re.findall(r'icon_name="([^"]+)"', text))
    assert sorted(used - set(SHAPES)) == []


@pytest.mark.parametrize("folder", ["static/css", "static/js", "litapp/web/templatetags"])
def test_files_stay_under_four_hundred_lines(folder: str) -> None:
    long = {
        path.name: lines
        for path in (ROOT / folder).iterdir()
        if path.suffix in {".css", ".js", ".py"} and (lines := len(path.read_text(encoding="utf-8").splitlines())) > 400
    }
    assert long == {}


def test_every_stylesheet_and_every_script_is_used_by_a_page_or_by_another_script() -> None:
    pages = "".join(path.read_text(encoding="utf-8") for path in TEMPLATES)
    scripts = sorted((ROOT / "static" / "js").glob("*.js"))
    imported = "".join(path.read_text(encoding="utf-8") for path in scripts)
    files = [*sorted((ROOT / "static" / "css").glob("*.css")), *scripts]
    assert [f.name for f in files if f"/{f.name}'" not in pages and f'"./{f.name}"' not in imported] == []

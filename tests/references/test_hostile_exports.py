"""What a source may put into a title, a name or a journal to break out of a file: it stays text in every format."""

from __future__ import annotations

import csv
import io
import json
import re
import zipfile

import docx
import pytest
from django.urls import reverse

from litapp.core.records import Identifier, Person, Scheme
from litapp.providers.answers import read_json
from references.models import Reference
from references.services.pandoc import run_pandoc
from searches.models import Candidate
from tests.references.test_export import docx_text, files, make
from tests.references.world import World, make_world

pytestmark = pytest.mark.django_db

ATTACKS = {
    "spreadsheet": '=HYPERLINK("https://evil.example","x") of a drug',
    "spreadsheet after a tab": "\t=1+1",
    "spreadsheet with a sign": "@SUM(1+1)*cmd|' /C calc'!A0",
    "RIS": "Effect\nER  - \n\nTY  - JOUR\nTI  - Injected\nER  - \n",
    "BibTeX": "Effect}\n}\n@article{injected, title={Injected},\n",
    "unbalanced braces": "Effect }}}} of {{{ a drug",
    "LaTeX": r"Effect \input{/etc/passwd}\write18{id}\def\x{\x}\x % of $a drug$ & ^^5cinput",
    "Markdown": "Effect\n\n# Heading\n\n![x](file:///etc/passwd) [x](javascript:alert(1)) <img src=x onerror=alert(1)>",
    "pandoc": "Effect\n---\ntitle: x\n---\n::: {custom-style=Title}\n`=html`{=html} [@cite] {{< include /etc/x >}}",
    "citation syntax": "@smith2020 [-@doe] [@{https://evil.example}] and -@x",
    "controls": "Effect\x00 of\x0b a\x08 drug\x1b[31m\x85\u2028\u2029end",
    "direction": "Effect \u202egnp.exe\u202c of \u2066a\u2069 drug",
    "half a character": "Effect \ud83d of a drug",
    "entities": "Effect &amp;lt;script&amp;gt; &#x3c;script&#x3e; <![CDATA[<script>]]> &xxe; <!-- -->",
    "markup that is not closed": "Effect <i>of <b>a <sub>drug",
    "only markup": "<i></i>",
    "long": "Effect " * 5_000,
}
FORMATS = ("bib", "ris", "nbib", "csv", "yaml", "pmids", "dois", "docx", "md", "csl")


def hostile_world(text: str) -> World:
    """A project in which every text of its one included record, and a note, is `text` as a source's answer gives it."""
    text = read_json(json.dumps({"text": text}).encode())["text"]
    world = make_world()
    candidate = world.candidate(
        1,
        title=text,
        journal=text,
        authors=(Person(text, text), Person("", "", text)),
        volume=text[:60],
        pages=text[:60],
        identifiers=(Identifier(Scheme.PMID, "30000001"), Identifier(Scheme.DOI, "10.1000/x")),
    )
    world.verify(candidate, "suspect", reasons=[text], publication_state="retracted", notice_doi="10.1/n")
    world.decide(candidate, "include")
    Reference.objects.update(note=text.encode("utf-8", "replace").decode())
    return world


@pytest.mark.parametrize("attack", ATTACKS.values(), ids=ATTACKS)
def test_nothing_breaks_out_of_a_file(attack: str) -> None:
    world = hostile_world(attack)
    made = {name: content for format in FORMATS for name, content in files(make(world, format)).items()}
    texts = {name: content.decode("utf-8") for name, content in made.items() if not name.endswith(".docx")}
    for name, text in texts.items():
        assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u202a-\u202e\u2066-\u2069]", text), name
        if name.endswith(".bib"):
            assert len(re.findall(r"^@", text, re.M)) == 1
            assert not re.search(r"\\(input|write18|def|x)\b", text)
            assert "^^5c" not in text
            assert text.count("{") - text.count(r"\{") == text.count("}") - text.count(r"\}")
        if name.endswith(".ris"):
            assert len(re.findall(r"^TY  - ", text, re.M)) == len(re.findall(r"^ER  - ", text, re.M)) == 1
        if name.endswith(".json"):
            assert len(json.loads(text)) == 1
        if name.endswith(".md"):
            html = run_pandoc(["-f", "gfm", "-t", "html"], text.encode()).decode()
            assert not re.search(r"<(script|img|iframe)\b", html)
            assert not re.search(r"(href|src)=\"(javascript|file|data):", html)
            assert ">Heading<" not in html
        if name.endswith(".txt"):
            assert not re.search(r"(^|\t)[=+@\-]", text, re.M)
    [word] = [content for name, content in made.items() if name.endswith(".docx")]
    document = docx.Document(io.BytesIO(word))
    assert not [p for p in document.paragraphs if p.text == "Heading"]
    assert "root:" not in docx_text(word)
    with zipfile.ZipFile(io.BytesIO(word)) as archive:
        relations = archive.read("word/_rels/document.xml.rels").decode()
        assert not re.search(r'Target="(javascript|file|data):', relations)
        pictures = [name for name in archive.namelist() if "media" in name]
        assert len(pictures) == 1  # the figure of the flow, which LitLedger drew
        assert archive.read(pictures[0]).startswith(b"\x89PNG")


@pytest.mark.parametrize("attack", ATTACKS.values(), ids=ATTACKS)
def test_nothing_breaks_out_of_a_copied_list(attack: str) -> None:
    world = hostile_world(attack)
    address = reverse("searches:candidates_copy", args=[world.project.pk])
    answer = world.client().get(address, {"format": "csv"})
    rows = list(csv.reader(io.StringIO(answer.content.decode("utf-8-sig"))))
    assert len(rows) == 1 + Candidate.objects.count()
    assert not [cell for row in rows for cell in row if re.match(r"[=+@\t\r]|-\D", cell)]
    markdown = world.client().get(address, {"format": "md"}).content
    html = run_pandoc(["-f", "gfm", "-t", "html"], markdown).decode()
    assert not re.search(r"<(script|img|iframe)\b|(href|src)=\"(javascript|file|data):", html)


@pytest.mark.parametrize("attack", ATTACKS.values(), ids=ATTACKS)
def test_nothing_breaks_out_of_a_page(attack: str) -> None:
    world = hostile_world(attack)
    client, project = world.client(), world.project.pk
    [candidate], [reference] = world.candidates, Reference.objects.all()
    addresses = [
        reverse("searches:candidates", args=[project]),
        reverse("searches:candidate", args=[project, candidate.pk]),
        reverse("searches:screen", args=[project]) + f"?record={candidate.pk}",
        reverse("references:list", args=[project]),
        reverse("references:reference", args=[project, reference.pk]),
        reverse("references:export_new", args=[project]),
        reverse("verification:panel", args=[project, candidate.verification_id]),
        reverse("projects:overview", args=[project]),
        reverse("projects:history", args=[project]),
    ]
    for address in addresses:
        page = client.get(address)
        assert page.status_code == 200, address
        text = page.content.decode()
        assert not re.search(r"<(img|iframe)\b|<[^<>&]*\son\w+=|href=\"(javascript|file|data):", text), address
        assert not re.search("[\u202a-\u202e\u2066-\u2069\x00\x08\x1b]", text), address

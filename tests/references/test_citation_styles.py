"""Citation styles: which there are, how they are found, and what pandoc makes of references."""

from __future__ import annotations

import base64
import io
import json
import subprocess
import zipfile
from datetime import UTC, datetime
from typing import Any

import pytest

from references.services import pandoc
from references.services.citation_styles import (
    COMMON_STYLES,
    DEFAULT_STYLE,
    UnknownStyle,
    all_styles,
    common_styles,
    find_styles,
    style_file,
    style_named,
    usable_style,
)
from references.services.pandoc import (
    PandocFailed,
    PandocMissing,
    StyleWithoutList,
    default_template,
    format_references,
    read_markdown,
    run_pandoc,
    write_docx,
)

ITEMS: list[dict[str, Any]] = [
    {
        "id": key,
        "type": "article-journal",
        "title": title,
        "author": [{"family": family, "given": "Anna B"}],
        "container-title": "The Lancet",
        "issued": {"date-parts": [[2020, 3, 1]]},
        "volume": "1",
        "page": "11-19",
        "DOI": f"10.1000/{key}",
    }
    for key, title, family in (("Weber_2020", "Zinc", "Weber"), ("Adams_2020", "Air <i>in vitro</i>", "Adams"))
]


PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


def plain(blocks: list[dict[str, Any]]) -> str:
    """The text of blocks."""
    tree = {"pandoc-api-version": [1, 23, 1], "meta": {}, "blocks": blocks}
    return run_pandoc(["-f", "json", "-t", "plain", "--wrap=none"], json.dumps(tree).encode()).decode().strip()


def test_all_styles_of_the_package_are_there() -> None:
    independent = [style for style in all_styles().values() if not style.parent]
    assert len(independent) == 2851
    assert len(all_styles()) == 10844
    assert all(style.title for style in all_styles().values())


def test_the_common_styles_exist_and_print_lists() -> None:
    assert [style.key for style in common_styles()] == list(COMMON_STYLES)
    assert [usable_style(key).key for key in COMMON_STYLES] == list(COMMON_STYLES)
    assert COMMON_STYLES[0] == DEFAULT_STYLE == "nlm-citation-sequence"


@pytest.mark.parametrize(
    ("words", "first"),
    [
        ("lancet", "the-lancet"),
        ("The Lancet Oncology", "the-lancet-oncology"),
        ("vancouver", DEFAULT_STYLE),
        ("nejm", "the-new-england-journal-of-medicine"),
        ("intensive care med", "intensive-care-medicine"),
        ("ANNALS internal", "annals-of-internal-medicine"),
    ],
)
def test_styles_are_found_by_words(words: str, first: str) -> None:
    assert find_styles(words)[0].key == first


@pytest.mark.parametrize("words", ["", "   ", "zzzz qqqq"])
def test_nothing_is_found_for_nothing(words: str) -> None:
    assert find_styles(words) == ()


def test_a_style_is_named_by_key_or_title() -> None:
    assert style_named("the-lancet") == style_named(" the LANCET ") == all_styles()["the-lancet"]


@pytest.mark.parametrize("name", ["", "Journal of Nothing", "../../../etc/passwd", "dependent/jama"])
def test_an_unknown_style_is_refused_with_advice(name: str) -> None:
    with pytest.raises(UnknownStyle, match="Search for the journal's name"):
        style_file(name)


def test_a_journal_takes_the_file_of_its_parent() -> None:
    assert all_styles()["jama"].parent == "american-medical-association"
    assert style_file("jama").name == "american-medical-association.csl"


def test_a_style_without_list_is_refused_before_and_after() -> None:
    with pytest.raises(UnknownStyle, match="prints no reference list"):
        usable_style("journal-of-international-peacekeeping")
    with pytest.raises(StyleWithoutList):
        format_references(ITEMS, "journal-of-international-peacekeeping")


def test_references_come_in_the_styles_form_without_its_number() -> None:
    formatted = {key: plain(blocks) for key, blocks in format_references(ITEMS, DEFAULT_STYLE)}
    assert formatted == {
        "Weber_2020": "Weber AB. Zinc. The Lancet. 2020 Mar 1;1:11–9. doi:10.1000/Weber_2020",
        "Adams_2020": "Adams AB. Air in vitro. The Lancet. 2020 Mar 1;1:11–9. doi:10.1000/Adams_2020",
    }


@pytest.mark.parametrize(
    ("style", "order"), [(DEFAULT_STYLE, ["Weber_2020", "Adams_2020"]), ("apa", ["Adams_2020", "Weber_2020"])]
)
def test_numeric_styles_keep_our_order_others_their_own(style: str, order: list[str]) -> None:
    assert [key for key, _ in format_references(ITEMS, style)] == order


@pytest.mark.parametrize("style", COMMON_STYLES)
def test_every_common_style_links_the_doi(style: str) -> None:
    for key, blocks in format_references(ITEMS, style):
        assert f"https://doi.org/10.1000/{key}" in json.dumps(blocks)


def test_no_references_need_no_pandoc() -> None:
    assert format_references([], "no such style") == []


def test_markup_of_other_languages_is_read_as_text() -> None:
    blocks = read_markdown("<b>x</b> $x$ \\input{y} `a`{=openxml}\n\n---\ntitle: z\n---\n")
    kinds = json.dumps(blocks)
    assert not [kind for kind in ("RawInline", "RawBlock", "Math") if kind in kinds]


def test_a_word_file_is_the_same_each_time_and_carries_its_date() -> None:
    moment = datetime(2026, 11, 30, 9, 1, 2, tzinfo=UTC)
    made = [write_docx(read_markdown("# A\n\ntext"), {}, template=default_template(), epoch=moment) for _ in range(2)]
    assert made[0] == made[1]
    other = write_docx(read_markdown("# A\n\ntext"), {}, template=default_template(), epoch=moment.replace(year=2025))
    assert made[0] != other


def test_pandoc_puts_no_file_of_this_machine_into_a_document(tmp_path: Any) -> None:
    picture = tmp_path / "secret.png"
    picture.write_bytes(base64.b64decode(PNG))
    blocks = read_markdown(f"![x]({picture})\n\n![y](http://192.0.2.1/x.png)\n")
    assert json.dumps(blocks).count('"Image"') == 2
    made = write_docx(blocks, {}, template=default_template(), epoch=datetime(2026, 1, 1, tzinfo=UTC))
    with zipfile.ZipFile(io.BytesIO(made)) as archive:
        assert [name for name in archive.namelist() if "media" in name] == []


def test_a_failing_pandoc_is_told_with_its_reason() -> None:
    with pytest.raises(PandocFailed, match="Unknown input format") as failure:
        run_pandoc(["-f", "no-such-format"], b"x")
    assert failure.value.hint


def test_a_pandoc_that_hangs_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    def slow(*_: Any, **options: Any) -> None:
        raise subprocess.TimeoutExpired("pandoc", options["timeout"])

    monkeypatch.setattr(pandoc.subprocess, "run", slow)
    with pytest.raises(PandocFailed, match="stopped after 20 seconds"):
        run_pandoc(["--version"], b"")


def test_without_pandoc_the_way_to_get_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> str:
        raise OSError("No pandoc was found")

    monkeypatch.setattr(pandoc.pypandoc, "get_pandoc_path", missing)
    with pytest.raises(PandocMissing) as failure:
        run_pandoc(["--version"], b"")
    assert "requirements/run.txt" in failure.value.hint

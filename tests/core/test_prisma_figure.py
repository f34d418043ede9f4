"""The figure, its table and its files: well-formed, nothing cut in silence; the files pass the checker."""

from __future__ import annotations

import json
from dataclasses import replace

from hypothesis import given, settings
from lxml import etree

from litapp.core.prisma.check import check_file
from litapp.core.prisma.diagram import draw, text_width, wrap
from litapp.core.prisma.events import Decided, Found, Method, StagesSet, Where
from litapp.core.prisma.figure_text import MOST_LINES, description, figure_boxes, table_rows
from litapp.core.prisma.files import as_json, r_csv
from litapp.core.prisma.flow import flow
from tests.core.test_prisma_flow import REVIEW, at, logs

SVG = "{http://www.w3.org/2000/svg}"


def texts(svg: str) -> list[str]:
    root = etree.fromstring(svg.encode())
    return [text.text or "" for text in root.iter(f"{SVG}text")]


def test_the_figure_has_title_description_and_every_number() -> None:
    svg = draw(flow(REVIEW), title="Dexamethasone <b> & co")
    root = etree.fromstring(svg.encode())
    assert root.get("role") == "img"
    assert [root.find(f"{SVG}{name}").get("id") for name in ("title", "desc")] == root.get("aria-labelledby").split()
    assert root.find(f"{SVG}title").text == "PRISMA 2020 flow diagram: Dexamethasone <b> & co"
    told = " ".join(texts(svg)).replace("\u00a0", " ")
    for line in ("Databases (n = 9)", "PubMed (n = 7)", "Duplicate records removed (n = 1)", "Not screened yet (n = 2)",
                 "No copy found (n = 1)", "Citation searching (n = 1)", "Total studies included in review (n = 2)",
                 "Interim: not everything is screened and assessed."):  # fmt: skip
        assert line in told, line


def test_numbers_are_links_where_addresses_are_given() -> None:
    svg = draw(flow(REVIEW), href=lambda key, part: f"/behind/{key}/?part={part}&x=1")
    root = etree.fromstring(svg.encode())
    assert root.get("role") == "group"
    links = {link.get("href") for link in root.iter(f"{SVG}a")}
    assert "/behind/duplicates/?part=&x=1" in links
    assert "/behind/database_specific_results/?part=PubMed&x=1" in links


def test_many_reasons_are_summed_in_a_line_that_says_so_and_stand_in_the_table() -> None:
    log = [StagesSet(at(0), uses_fulltext=True)]
    for number in range(30):
        log += [
            Found(at(1), number, number, Where(Method.DATABASE, "PubMed")),
            Decided(at(2), 2 * number, number, False, "ada", "include", request=2 * number),
            Decided(at(3), 2 * number + 1, number, True, "ada", "exclude", f"Reason {number:02}", 2 * number + 1),
        ]
    counted = flow(log)
    lines = figure_boxes(counted)["reasons"].lines
    assert len(lines) == MOST_LINES + 1
    assert lines[-1].text == "17 further, named in the table (n = 17)"
    assert len([row for row in table_rows(counted) if row.key == "dbr_excluded" and row.part]) == 30


def test_a_line_is_never_wider_than_its_box_and_loses_no_word() -> None:
    text = "Records marked as ineligible by Donaudampfschifffahrtsgesellschaftskapitän (n = 1,234)"
    lines = wrap(text, 120)
    assert max(text_width(line) for line in lines) <= 120
    assert "".join(lines).replace(" ", "").replace("\u00a0", "") == text.replace(" ", "")


@settings(max_examples=80, deadline=None)
@given(logs())
def test_files_and_figure_of_every_state_are_well_formed_and_pass_the_checker(log: list) -> None:
    counted = flow(log)
    etree.fromstring(draw(counted, title="x").encode())
    assert description(counted)
    for text in (r_csv(counted), as_json(counted)):
        found = check_file(text)
        assert found.violated == (), text
        assert found.unreadable == ()
    whole = json.loads(as_json(counted))
    assert whole["values"]["records_screened"] == counted.value("records_screened")


def test_a_comma_in_a_name_does_not_break_the_csv() -> None:
    log = [*REVIEW, Decided(at(30), 900, 12, True, "ada", "exclude", "Wrong outcome, at 6 months; or later", 900)]
    text = r_csv(flow(log))
    row = next(line for line in text.splitlines() if line.startswith("dbr_excluded"))
    assert "Wrong outcome, 1; Wrong outcome – at 6 months – or later, 1" in row
    header, *rows = text.splitlines()
    assert header == "data,node,box,description,boxtext,tooltips,url,n"
    assert len(rows) == 6 + 28
    assert text.splitlines()[7].startswith("previous_studies,node5,box1,")


def test_what_is_open_is_said_in_the_csv() -> None:
    text = r_csv(flow(REVIEW))
    assert "Records removed for other reasons, or not screened yet" in text
    done = replace(flow([]), until=None)
    assert "or not screened yet" not in r_csv(done)

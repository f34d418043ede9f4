"""CSV that a spreadsheet opens as data."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from litapp.core.formats.csvsafe import safe_cell, write_csv


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("=1+1", "'=1+1"),
        ("+1", "'+1"),
        ("-1", "'-1"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("\t=1", "'\t=1"),
        ("\r=1", "'\r=1"),
        ("  =1", "'  =1"),
        ("\uff1dcmd", "'\uff1dcmd"),
        ("a=1", "a=1"),
        (-5, "-5"),
        (2020, "2020"),
        (None, ""),
        ("", ""),
    ],
)
def test_formula_cells_are_text(value: str | int | None, shown: str) -> None:
    assert safe_cell(value) == shown


def test_a_table() -> None:
    assert write_csv(["a", "=b"], [["x, y", 'say "q"'], ["two\nlines", None]]) == (
        '\ufeffa,\'=b\r\n"x, y","say ""q"""\r\n"two\nlines",\r\n'
    )
    with pytest.raises(ValueError, match="A row has 1 cells, the header 2"):
        write_csv(["a", "b"], [["x"]])


@given(st.lists(st.tuples(st.text(), st.text()), max_size=5))
def test_cells_come_back_and_none_is_a_formula(rows: list[tuple[str, str]]) -> None:
    read = list(csv.reader(io.StringIO(write_csv(["a", "b"], rows).removeprefix("\ufeff"), newline="")))
    assert read == [["a", "b"], *([safe_cell(cell) for cell in row] for row in rows)]
    assert [cell for row in read for cell in row if cell[:1] in tuple("=+-@\t\r")] == []

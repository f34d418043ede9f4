"""Findings on a query as written."""

from __future__ import annotations

from pathlib import Path

import pytest

from litapp.core.querylang import Severity
from litapp.core.querylang.lint import check_query


def found(text: str) -> list[tuple[str, str]]:
    return [(finding.code, text[finding.start : finding.end]) for finding in check_query(text)]


@pytest.mark.parametrize(
    ("text", "findings"),
    [
        ("(asthma[tiab] OR wheez*[tiab]) AND child*[tiab]", []),
        ("x[tiab] NOT (animals[mh] NOT humans[mh])", []),
        ("(a[ti] OR b[ti]) NOT c[ti]", []),
        ("a[ti] OR “b c”[ti]", [("curly_quotes", "“b c”")]),
        ("a[ti] or b[ti]", [("lower_case_operator", "or")]),
        ("prevention and control[sh]", []),
        ("a[ti] OR b[ti] AND c[ti]", [("mixed_operators", "AND")]),
        ("a[ti] NOT b[ti] OR c[ti]", [("not_without_parentheses", "NOT")]),
        ("a[ti] OR b[ti] NOT c[ti]", [("not_without_parentheses", "NOT")]),
        ("ab*[tiab]", [("short_truncation", "ab*[tiab]")]),
        ("neoplas*[mh]", [("truncated_heading", "neoplas*[mh]")]),
        ('"hip pain*"[tiab:~2]', [("truncated_proximity", '"hip pain*"[tiab:~2]')]),
        ("a[foo]", [("unknown_tag", "a[foo]")]),
        ("2020:2015[dp]", [("reversed_range", "2020:2015[dp]")]),
        ("2020:2020/06[dp]", []),
        ("2020/06:2020[dp]", []),
        ("'older adult*'", [("single_quote", "'older")]),
        ("a[ti] NOT a[ti]", [("empty_not", "a[ti] NOT a[ti]")]),
        ("(a OR b", [("syntax", "(")]),
    ],
)
def test_findings_with_their_places(text: str, findings: list[tuple[str, str]]) -> None:
    assert found(text) == findings


def test_a_query_that_cannot_be_read_is_an_error_with_a_hint() -> None:
    (finding,) = check_query("a AND")
    assert (finding.severity, finding.hint) == (Severity.ERROR, "Put a term behind it or delete it.")


def test_very_many_terms_are_reported_once() -> None:
    assert [f.code for f in check_query(" OR ".join(f"word{i}[tiab]" for i in range(2_001)))] == ["too_many_terms"]


@pytest.mark.shared
def test_strategies_with_curly_quotes_are_all_found(shared: Path) -> None:
    folders = [
        p for p in sorted((shared / "queries").glob("bond-*/pubmed.txt")) if "“" in p.read_text(encoding="utf-8")
    ]
    assert folders
    missed = [p.parent.name for p in folders if "curly_quotes" not in {c for c, _ in found(p.read_text("utf-8"))}]
    assert missed == []

"""PRESS findings in every dialect: code and place, what they cost, and repairs that are edits with an undo."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from litapp.core.querylang.dialects import Dialect, parse_in
from litapp.core.querylang.findings import Effect, Fix, Outcome, Severity
from litapp.core.querylang.press import check_strategy

D = Dialect


def found(text: str, dialect: Dialect) -> list[tuple[str, str]]:
    return [(finding.code, text[finding.start : finding.end]) for finding in check_strategy(text, dialect)]


@pytest.mark.parametrize(
    ("dialect", "text", "findings"),
    [
        (D.PUBMED, "asthma[tiab] NOT (animals[mh] NOT humans[mh])", []),
        (D.OVID_MEDLINE, "asthma.tw. not (exp animals/ not humans.sh.)", []),
        (D.PUBMED, "asthma", [("untagged_term", "asthma")]),
        (D.PUBMED, "asthma[tiab] OR heart* ", [("untagged_term", "heart*")]),
        (D.PUBMED, "x[tiab] NOT animals[mh]", [("animals_without_humans", "animals[mh]")]),
        (D.PUBMED, "a[ti] OR c[ti] OR b [ti]", [("blank_before_tag", " ")]),
        (D.PUBMED, "a [ti] OR b [ti]", []),
        (D.PUBMED, "x[mesh: noexp]", [("blank_in_tag", "[mesh: noexp]")]),
        (D.PUBMED, "(a[ti] AND b[mh]/)", [("stray_character", "/")]),
        (D.PUBMED, '"Masks/adverse effects"[mh]', [("attached_subheading", '"Masks/adverse effects"[mh]')]),
        (D.PUBMED, 'a[ti] OR "asthma"[ti]', [("quoted_single_word", '"asthma"[ti]')]),
        (D.PUBMED, "a[ti] OR b[ti] OR A[ti]", [("duplicate_term", "A[ti]")]),
        (D.PUBMED, "exp Child[mh]", [("foreign_syntax", "exp ")]),
        (
            D.PUBMED,
            "(a[ti] OR b AND c[ti]",
            [("unbalanced_parentheses", "("), ("untagged_term", "b"), ("mixed_operators", "AND")],
        ),
        (D.EMBASE_COM, "'neoplas*'/exp", [("truncated_heading", "'neoplas*'/exp")]),
        (D.EMBASE_COM, "a:ti OR b:ti NOT c:ti", [("not_without_parentheses", "NOT")]),
        (D.CENTRAL, "low adj malignan*", [("foreign_operator", "adj")]),
        (D.CENTRAL, '"outcome measure*":ti', [("truncated_phrase", '"outcome measure*":ti')]),
        (D.CENTRAL, "'older adult':ti", [("single_quote", "'older adult'"), ("unquoted_phrase", "'older adult':ti")]),
        (
            D.CENTRAL,
            "asthma:ti AND (placebo:ti OR randomly:ab OR trial:ti)",
            [("trial_filter_in_central", "placebo:ti")],
        ),
        (D.WEB_OF_SCIENCE, "TS=wasting syndrome", [("unquoted_phrase", "TS=wasting syndrome")]),
        (D.WEB_OF_SCIENCE, "TI=a OR TI=b AND TI=c", [("mixed_operators", "AND")]),
        (D.WEB_OF_SCIENCE, "TS=(a OR b and (c or d))", [("mixed_operators", "and")]),
        (
            D.PUBMED,
            "Search: a[ti] Filters: English Sort by: Most Recent",
            [("set_outside_the_query", "Filters: English Sort by: Most Recent")],
        ),
        (D.SCOPUS, "TITLE(a W/2 (b PRE/3 c))", [("mixed_nearness", "TITLE(a W/2 (b PRE/3 c))")]),
        (
            D.OVID_MEDLINE,
            "randomised controlled trial.pt.",
            [("unknown_publication_type", "randomised controlled trial.pt.")],
        ),
        (D.OVID_MEDLINE, "1 exp yoga/\n2 (yora or asana).tw.\n3 1 or 2", [("probable_typo", "yora")]),
        (D.OVID_MEDLINE, "1 a.ti.\n2 b.ti.\n3 c.ti.\n4 1 or 2", [("unused_line", "c.ti.")]),
        (D.PUBMED, "#1 a[ti] OR b[ti]\n#2 c[ti] OR d[ti]", [("missing_final_combination", "c[ti] OR d[ti]")]),
        (D.PUBMED, "#1 a[ti]\n#2 b[ti]\n#3 #1 OR #2\n#4 #1 NOT #3", [("empty_not", "#1 NOT #3")]),
    ],
)
def test_findings_with_their_places(dialect: Dialect, text: str, findings: list[tuple[str, str]]) -> None:
    assert found(text, dialect) == findings


def test_a_set_among_single_lines_and_single_lines_in_place_of_sets_are_seen() -> None:
    text = "#1 a[ti]\n#2 b[ti]\n#3 #1 OR #2\n#4 c[ti]\n#5 d[ti]\n#6 e[ti]\n#7 #3 OR #4 OR #5 OR #6\n#8 #2 AND #5"
    assert found(text, D.PUBMED) == [
        ("set_in_union_of_lines", "#3"),
        ("unused_line", "#3 OR #4 OR #5 OR #6"),
        ("single_line_in_combination", "#2 AND #5"),
    ]


@pytest.mark.parametrize(
    ("dialect", "text", "code", "edited", "outcome"),
    [
        (D.PUBMED, "a[ti] OR b[ti] AND c[ti]", "mixed_operators", "(a[ti] OR b[ti]) AND c[ti]", Outcome.SAME),
        (D.WEB_OF_SCIENCE, "TI=a OR TI=b AND TI=c", "mixed_operators", "TI=a OR (TI=b AND TI=c)", Outcome.SAME),
        (D.PUBMED, "a[ti] OR b[ti] NOT c[ti]", "not_without_parentheses", "(a[ti] OR b[ti]) NOT c[ti]", Outcome.SAME),
        (
            D.PUBMED,
            "x[ti] NOT animals[mh]",
            "animals_without_humans",
            "x[ti] NOT (animals[mh] NOT humans[mh])",
            Outcome.MORE,
        ),
        (D.PUBMED, "asthma", "untagged_term", "asthma[tiab]", Outcome.FEWER),
        (D.PUBMED, "“a b”[ti]", "curly_quotes", '"a b"[ti]', Outcome.SAME),
        (D.PUBMED, "a[ti] or b[ti]", "lower_case_operator", "a[ti] OR b[ti]", Outcome.SAME),
        (D.PUBMED, "b[mh]/ AND a[ti]", "stray_character", "b[mh] AND a[ti]", Outcome.SAME),
        (D.PUBMED, "a[ti] OR b[ti] OR a[ti]", "duplicate_term", "a[ti] OR b[ti]", Outcome.SAME),
        (D.CENTRAL, "low adj malignan*", "foreign_operator", "low NEXT malignan*", Outcome.OTHER),
        (D.OVID_MEDLINE, "randomised x.pt.", "unknown_publication_type", "randomized x.pt.", Outcome.MORE),
    ],
)
def test_a_repair_is_an_edit_that_says_what_it_does(
    dialect: Dialect, text: str, code: str, edited: str, outcome: Outcome
) -> None:
    fix = next(f.fix for f in check_strategy(text, dialect) if f.code == code)
    assert fix is not None
    new, undo = fix.apply(text)
    assert (new, fix.outcome, undo.apply(new)[0]) == (edited, outcome, text)


@pytest.mark.parametrize("text", ["a[ti] OR b[ti] AND c[ti] OR d[ti]", "(a[ti] AND b[ti] OR c[ti]) AND d[ti]"])
def test_added_parentheses_leave_the_tree_as_it_was(text: str) -> None:
    fix = next(f.fix for f in check_strategy(text, D.PUBMED) if f.code == "mixed_operators")
    assert fix is not None
    assert parse_in(fix.apply(text)[0], D.PUBMED) == parse_in(text, D.PUBMED)


def test_every_finding_says_what_it_costs() -> None:
    findings = check_strategy("(asthma OR b[ti] AND c*[mh]) NOT animals[mh]", D.PUBMED)
    assert {f.code: f.effect for f in findings} == {
        "untagged_term": Effect.PRECISION,
        "mixed_operators": Effect.EITHER,
        "truncated_heading": Effect.RECALL,
        "animals_without_humans": Effect.RECALL,
    }


class SmallMesh:
    """Two headings, one entry term."""

    edition = "2024"

    def __init__(self, absent: str = "") -> None:
        self.absent = absent

    def preferred(self, name: str) -> str | None:
        return {"neoplasms": "Neoplasms", "cancer": "Neoplasms", "yoga": "Yoga"}.get(name.casefold())

    def surely_absent(self, name: str) -> bool:
        return name == self.absent

    def close(self, name: str) -> tuple[str, ...]:
        return ("Yoga",) if name == "Joga" else ()


def test_headings_are_checked_against_the_vocabulary_given() -> None:
    text = "Neoplasms[mh] OR cancer[mh] OR Joga[mh]"
    codes = [(f.code, text[f.start : f.end]) for f in check_strategy(text, D.PUBMED, SmallMesh())]
    assert codes == [("entry_term_as_heading", "cancer[mh]"), ("unknown_heading", "Joga[mh]")]


def test_a_heading_that_does_not_exist_is_named_with_those_that_are_spelled_nearly_so() -> None:
    text = "Joga/methods[mh]"
    [found] = [f for f in check_strategy(text, D.PUBMED, SmallMesh()) if f.code == "unknown_heading"]
    assert found.severity is Severity.WARNING
    assert found.message == "No such heading: MeSH 2024 has no “Joga”. Spelled nearly so: “Yoga”."
    assert found.fix is None  # three letters of four: no slip of the pen for sure

    [sure] = [f for f in check_strategy(text, D.PUBMED, SmallMesh("Joga")) if f.code == "unknown_heading"]
    assert (sure.severity, sure.message) == (
        Severity.ERROR,
        "No such heading: MeSH has no “Joga”. Spelled nearly so: “Yoga”.",
    )


def test_a_slip_in_a_heading_is_mended_by_one_edit() -> None:
    class Mesh(SmallMesh):
        def close(self, name: str) -> tuple[str, ...]:
            return ("Neoplasms",) if name == "Neoplasmms" else ()

    text = "a[ti] OR Neoplasmms/therapy[majr:noexp]"
    [found] = [f for f in check_strategy(text, D.PUBMED, Mesh()) if f.code == "unknown_heading"]
    assert found.fix is not None
    edited, undo = found.fix.apply(text)
    assert edited == 'a[ti] OR "Neoplasms/therapy"[majr:noexp]'
    assert undo.apply(edited)[0] == text


def test_an_entry_term_is_exchanged_for_its_heading() -> None:
    [found] = [f for f in check_strategy("cancer[mh]", D.PUBMED, SmallMesh()) if f.code == "entry_term_as_heading"]
    assert found.fix is not None
    assert (found.fix.apply("cancer[mh]")[0], found.fix.outcome) == ('"Neoplasms"[mh]', Outcome.SAME)


@given(st.text("ab", max_size=8), st.integers(0, 8), st.integers(0, 8), st.text("xy", max_size=4))
def test_undo_gives_back_the_text(text: str, start: int, length: int, replacement: str) -> None:
    start, end = min(start, len(text)), min(start + length, len(text))
    edited, undo = Fix(start, end, replacement, Outcome.SAME).apply(text)
    assert undo.apply(edited)[0] == text


def test_a_repair_for_another_text_is_refused() -> None:
    with pytest.raises(ValueError, match="has changed"):
        Fix(5, 9, "", Outcome.SAME).apply("abc")


@pytest.mark.shared
def test_known_defects_are_found_at_their_places(shared: Path) -> None:
    benchmark = Path(__file__).resolve().parents[2] / "benchmarks/querylang/adjudicated.json"
    names = {
        "pubmed": D.PUBMED,
        "ovid_medline": D.OVID_MEDLINE,
        "embase_ovid": D.OVID_EMBASE,
        "psycinfo_ovid": D.OVID_PSYCINFO,
        "embase_com": D.EMBASE_COM,
        "central": D.CENTRAL,
        "wos": D.WEB_OF_SCIENCE,
    }
    missed = []
    for defect in json.loads(benchmark.read_text(encoding="utf-8"))["defects"]:
        path = shared / "queries" / defect["file"]
        about = json.loads((path.parent / "meta.json").read_text(encoding="utf-8"))["files"][path.name]
        findings = check_strategy(path.read_text(encoding="utf-8"), names[about["dialect"]])
        if (defect["code"], defect["start"], defect["end"]) not in {(f.code, f.start, f.end) for f in findings}:
            missed.append(defect)
    assert missed == []


@pytest.mark.shared
def test_nothing_is_said_against_the_cochrane_filter(shared: Path) -> None:
    folder = shared / "queries/cochrane-hsss-rct"
    texts = {D.PUBMED: "pubmed.txt", D.OVID_MEDLINE: "ovid_medline.txt"}
    assert [check_strategy((folder / name).read_text("utf-8"), dialect) for dialect, name in texts.items()] == [[], []]

"""The checker of published PRISMA flows: expected findings, tolerant reading, nothing crashes, unknown is never 0."""

from __future__ import annotations

import contextlib
import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from litapp.core.prisma.boxes import BOXES
from litapp.core.prisma.check import FlowCheck, check_file, check_flow
from litapp.core.prisma.check_rules import Outcome
from litapp.core.prisma.published import NotAFlow, flow_of_values
from litapp.core.prisma.reading_numbers import Reading, read_number
from litapp.core.prisma.reading_parts import read_parts

WHOLE: dict[str, Any] = {
    "previous_studies": 4,
    "previous_reports": 5,
    "database_results": 1000,
    "database_specific_results": [["MEDLINE", 600], ["Embase", 400]],
    "register_results": 20,
    "register_specific_results": [["ClinicalTrials.gov", 20]],
    "website_results": 2,
    "organisation_results": 1,
    "citations_results": 7,
    "duplicates": 300,
    "excluded_automatic": 15,
    "excluded_other": 5,
    "records_screened": 700,
    "records_excluded": 600,
    "dbr_sought_reports": 100,
    "dbr_notretrieved_reports": 10,
    "other_sought_reports": 10,
    "other_notretrieved_reports": 1,
    "dbr_assessed": 90,
    "dbr_excluded": [["Wrong population", 50], ["Wrong outcome", 20]],
    "other_assessed": 9,
    "other_excluded": [["Wrong design", 6]],
    "included_via_databases": 20,
    "included_via_other": 3,
    "new_studies": 19,
    "new_reports": 23,
    "total_studies": 23,
    "total_reports": 28,
}
ALL_RULES = tuple(f"R{number}" for number in range(1, 12))


def check(**changes: Any) -> FlowCheck:
    values = {key: value for key, value in {**WHOLE, **changes}.items() if value is not ...}
    return check_flow(flow_of_values(values))


def r_csv(values: dict[str, Any], *, delimiter: str = ",", order: tuple[str, ...] = ()) -> str:
    """The CSV of the R package, with its eight columns (or those of `order`)."""
    out = io.StringIO()
    columns = order or ("data", "node", "box", "description", "boxtext", "tooltips", "url", "n")
    writer = csv.DictWriter(out, columns, delimiter=delimiter, extrasaction="ignore")
    writer.writeheader()
    writer.writerow({"data": "prevstud", "node": "node4", "boxtext": "Previous studies", "n": "xxx"})
    for box in BOXES:
        value = values.get(box.key, "xxx")
        if isinstance(value, list):
            value = "; ".join(f"{name}, {number}" for name, number in value)
        writer.writerow({"data": box.key, "node": box.node, "box": box.box, "description": box.words, "n": value})
    return out.getvalue()


def test_a_flow_that_adds_up_has_every_rule_checked_and_none_violated() -> None:
    found = check()
    assert {one.rule for one in found.checked} == set(ALL_RULES)
    assert found.violated == ()
    assert found.consistent is True
    assert {remark.code for remark in found.remarks} == {"S1"}


@pytest.mark.parametrize(
    ("key", "rules"),
    [
        ("database_results", ("R1", "R3")),
        ("register_results", ("R2", "R3")),
        ("duplicates", ("R3",)),
        ("excluded_automatic", ("R3",)),
        ("excluded_other", ("R3",)),
        ("records_screened", ("R3", "R4")),
        ("records_excluded", ("R4",)),
        ("dbr_sought_reports", ("R4", "R5")),
        ("dbr_notretrieved_reports", ("R5",)),
        ("dbr_assessed", ("R5", "R6")),
        ("included_via_databases", ("R6", "R10")),
        ("website_results", ("R7",)),
        ("citations_results", ("R7",)),
        ("other_sought_reports", ("R7", "R8")),
        ("other_notretrieved_reports", ("R8",)),
        ("other_assessed", ("R8", "R9")),
        ("included_via_other", ("R9", "R10")),
        ("new_reports", ("R10", "R11")),
        ("previous_reports", ("R11",)),
        ("total_reports", ("R11",)),
        ("previous_studies", ("R11",)),
    ],
)
def test_a_number_that_is_off_by_three_violates_the_rules_that_it_stands_in(key: str, rules: tuple[str, ...]) -> None:
    found = check(**{key: WHOLE[key] + 3})
    assert found.violated_rules == rules
    assert {abs(one.difference or 0) for one in found.violated} == {3}
    assert found.consistent is False


def test_a_violation_is_told_with_its_numbers_and_in_words() -> None:
    [broken] = check(dbr_sought_reports=90, dbr_notretrieved_reports=0, dbr_assessed=85, records_excluded=610,
                     dbr_excluded=[["Wrong population", 65]]).violated  # fmt: skip
    assert (broken.rule, broken.computed, broken.published, broken.difference) == ("R5", 90, 85, -5)
    assert broken.text == (
        "Reports sought for retrieval 90 − reports not retrieved 0 = 90; reports assessed for eligibility: 85: "
        "5 fewer than the numbers give. Every report that was sought is either assessed or not retrieved."
    )


def test_what_is_not_given_is_never_counted_as_nothing() -> None:
    found = {
        one.rule: one for one in check(dbr_notretrieved_reports=..., dbr_assessed=80, dbr_excluded=[["x", 60]]).rules
    }
    assert found["R5"].outcome is Outcome.NOT_CHECKED
    assert found["R5"].text == (
        "Not checked: reports not retrieved is not given (or not readable). Without it: Reports sought for retrieval "
        "100; reports assessed for eligibility: 80, 20 fewer than the numbers give."
    )


def test_a_missing_number_that_could_not_heal_the_sum_does_not_hide_the_violation() -> None:
    found = check(dbr_notretrieved_reports=..., dbr_assessed=120, dbr_excluded=[["x", 100]])
    assert found.violated_rules == ("R5",)


def test_boxes_that_a_figure_may_do_without_are_left_out_and_named() -> None:
    found = check(excluded_automatic=..., excluded_other=..., register_results=..., register_specific_results=...,
                  records_screened=690, records_excluded=590)  # fmt: skip
    assert found.violated_rules == ("R3",)
    [broken] = found.violated
    assert broken.not_given == (
        "register_results", "merged_other_sources", "excluded_automatic", "excluded_other"
    )  # fmt: skip
    assert "The figure does not give: records identified from registers" in broken.text


def test_a_cell_that_cannot_be_read_leaves_its_rules_open_and_is_told() -> None:
    found = check(excluded_other="some", records_screened=650, records_excluded=550)
    assert found.violated == ()
    assert found.unreadable == (
        ("Records removed for other reasons", "“some” cannot be read as a whole number."),
    )  # fmt: skip
    assert next(one for one in found.rules if one.rule == "R3").outcome is Outcome.NOT_CHECKED


def test_studies_and_reports_are_not_compared_with_each_other() -> None:
    found = check(new_reports=..., included_via_databases=..., included_via_other=..., total_reports=...,
                  new_studies=13, total_studies=...)  # fmt: skip
    by_rule = {one.rule: one for one in found.rules}
    assert by_rule["R6"].outcome is Outcome.NOT_CHECKED
    assert "only studies" in by_rule["R6"].text
    assert found.violated == ()


def test_subtotals_and_totals_in_a_list_are_not_added_twice() -> None:
    listed = [
        ["MEDLINE", 600, [["Ovid", 350], ["PubMed", 250]]],
        ["of which trials", 10],
        ["Embase", 400],
        ["Total", 1000],
    ]
    assert check(database_specific_results=listed).violated == ()
    off = check(database_specific_results=[["MEDLINE", 600, [["Ovid", 350], ["PubMed", 200]]], ["Embase", 400]])
    assert [(one.rule, one.difference, one.formula) for one in off.violated] == [
        ("R1", 50, "sum(parts of MEDLINE) = MEDLINE")
    ]
    nested = check(database_specific_results={"MEDLINE": {"Ovid": "350", "PubMed": 250}, "Embase": "4 00"})
    assert next(one for one in nested.rules if one.rule == "R1").outcome is Outcome.NOT_CHECKED


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1,697", 1697), ("1 697", 1697), ("1\u00a0697", 1697), ("1\u202f697", 1697), ("1.697", 1697), ("1'697", 1697),
        ("106,064", 106064), ("1,106,064", 1106064), ("n = 12", 12), ("(n=1,200)", 1200), ("12 records", 12),
        ("12 (5.1%)", 12), ("12*", 12), (" 12 ", 12), ("12.0", 12), (12.0, 12), (0, 0), ("0", 0), ("\uff11\uff12", 12),
    ],
)  # fmt: skip
def test_numbers_are_read_as_people_write_them(text: Any, number: int) -> None:
    assert read_number(text) == Reading(number)


@pytest.mark.parametrize(
    "text",
    ["abc", "12-15", "1,69", "12,5", 12.5, -3, "-3", True, "1,2345", float("inf"), 10**30, [], "12 of 40", "~500"],
)
def test_what_is_unclear_is_no_number(text: Any) -> None:
    read = read_number(text)
    assert read.number is None
    assert read.problem


@pytest.mark.parametrize("text", [None, "", "xxx", "—", "n/a", "not reported", float("nan"), " "])
def test_what_is_not_told_is_neither_zero_nor_a_fault(text: Any) -> None:
    assert read_number(text) == Reading()


def test_lists_in_every_form_give_the_same() -> None:
    forms = [
        [["Wrong population", 50], ["Wrong outcome, at 6 months", 1200]],
        "Wrong population, 50; Wrong outcome, at 6 months, 1,200",
        {"Wrong population": "50", "Wrong outcome, at 6 months": "1 200"},
        [{"reason": "Wrong population", "n": 50}, {"label": "Wrong outcome, at 6 months", "count": "n = 1,200"}],
        "Wrong population (n = 50)\nWrong outcome, at 6 months (n = 1,200)",
    ]
    read = [[(part.name, part.number) for part in read_parts(form)[0]] for form in forms]
    assert read == [[("Wrong population", 50), ("Wrong outcome, at 6 months", 1200)]] * len(forms)


def test_the_csv_of_the_r_package_is_read_by_its_header_whatever_its_order() -> None:
    values = {key: value for key, value in WHOLE.items() if not key.startswith("included_via")}
    for text in (
        r_csv(values),
        r_csv(values, delimiter=";"),
        r_csv(values, delimiter="\t", order=("n", "boxtext", "data")),
        "\ufeff" + r_csv(values).replace("\r\n", "\n"),
    ):
        found = check_file(text.encode(), "PRISMA.csv")
        assert found.violated == ()
        assert {one.rule for one in found.checked} == {*ALL_RULES} - {"R6", "R9"}
    broken = check_file(r_csv({**values, "new_reports": 24, "total_reports": 29}))
    assert [(one.rule, one.difference) for one in broken.violated] == [("R10", 1)]


def test_the_same_box_twice_with_two_numbers_is_unreadable() -> None:
    text = json.dumps({"values": {"database_results": 100, "duplicates": 10}})
    text = text.replace('"duplicates": 10', '"duplicates": 10, "duplicates": 12, "records_screened": 90')
    found = check_file(text)
    assert found.violated == ()
    assert found.unreadable == (("Duplicate records removed", "It is given more than once, with different numbers."),)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "The file is empty"), ("{", "no valid JSON"), ("{}", "No box of a PRISMA flow"), ("hello", "neither JSON"),
        ("[1,2]", "holds a list"), ("[" * 100_000, "nested too deeply"), ("1", "neither JSON"),
    ],
)  # fmt: skip
def test_what_is_no_flow_is_refused_with_a_reason(text: str, told: str) -> None:
    with pytest.raises(NotAFlow, match=told):
        check_file(text)


CELLS = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=20)
    | st.sampled_from(["12", "1,200", "xxx"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(st.sampled_from([box.key for box in BOXES]), CELLS, min_size=1))
def test_nothing_that_stands_in_a_box_breaks_the_checker(values: dict[str, Any]) -> None:
    told = check_file(json.dumps({"values": values})).as_dict()
    json.dumps(told)
    assert told["consistent"] in (True, False, None)


@given(
    st.text()
    | st.text().map(lambda text: "data,n\nduplicates," + text)
    | st.binary().map(lambda raw: raw.decode("latin-1"))
)
def test_no_text_breaks_the_checker(text: str) -> None:
    with contextlib.suppress(NotAFlow):
        assert check_file(text.encode("utf-8", "replace")).verdict


@given(st.dictionaries(st.sampled_from(sorted(WHOLE)), st.integers(0, 5000)), st.sets(st.sampled_from(sorted(WHOLE))))
def test_a_box_more_never_comes_from_nothing(changed: dict[str, int], left_out: set[str]) -> None:
    """Taking numbers away makes no rule violated that was not: absence is no evidence, but for optional boxes."""
    optional = {"register_results", "merged_other_sources", "excluded_automatic", "excluded_other", "website_results",
                "organisation_results", "citations_results", "previous_reports", "previous_studies"}  # fmt: skip
    before = check(**changed)
    # the included boxes stand for each other: without them another one is compared
    named = left_out - optional - {"included_via_databases", "included_via_other", "new_reports"}
    # a total that is missing is taken from its list
    named |= {"database_specific_results"} if "database_results" in named else set()
    after = check(**{**changed, **dict.fromkeys(named, ...)})
    assert set(after.violated_rules) <= set(before.violated_rules)


@pytest.mark.shared
def test_every_published_example_gives_its_expected_findings(shared: Path) -> None:
    seen = 0
    for path in sorted((shared / "queries/prisma").glob("*.json")):
        entry = json.loads(path.read_text())
        if "expected" not in entry:
            continue
        seen += 1
        expected = entry["expected"]
        found = check_file(path.read_bytes(), path.name)
        assert list(found.violated_rules) == expected["violated_rules"], path.name
        assert found.consistent is expected["consistent"], path.name
        told = {
            (one.rule, one.computed, one.published, one.difference, one.outcome is Outcome.HOLDS)
            for one in found.checked
        }
        wanted = {
            (one["rule"], one["computed"], one["published"], one["diff"], one["ok"])
            for one in expected["checks"]
            if one["rule"].startswith("R")
        }
        assert told == wanted, path.name
        codes = {remark.code for remark in found.remarks}
        assert codes == {warning.split()[0] for warning in expected["warnings"]}, path.name
    assert seen >= 9

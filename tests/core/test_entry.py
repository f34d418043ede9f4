"""What every export says about a reference: verdict, status, marks."""

from __future__ import annotations

from dataclasses import replace

import pytest

from litapp.core.formats.entry import EntryVerdict, ExportEntry, require_distinct_keys
from litapp.core.records import Notice, NoticeKind
from litapp.core.verification.status import PublicationState
from tests.core.export_samples import record, retracted, verified

UNVERIFIED = "[UNVERIFIED - NEEDS MANUAL CHECK]"
RETRACTED = "[RETRACTED 2020-06-05, notice 10.5555/notice_1]"


@pytest.mark.parametrize(
    ("entry", "value", "citable", "marks"),
    [
        (verified(), "true", True, ()),
        (verified(sandbox=True), "true", True, ("[SANDBOX DATA]",)),
        (ExportEntry(record(), "K", "suspect"), "false", False, (UNVERIFIED,)),
        (ExportEntry(record(), "K", "unverified"), "false", False, (UNVERIFIED,)),
        (ExportEntry(record(), "K", "manual"), "manual", False, ()),
        (retracted(), "false", False, (RETRACTED, UNVERIFIED)),
        (
            verified(status="retracted", status_date="2020-06-05", notice_doi="10.5555/notice_1"),
            "true",
            False,
            (RETRACTED,),
        ),
        (retracted(verdict="manual"), "manual", False, (RETRACTED,)),
        (verified(status="withdrawn"), "true", False, ("[WITHDRAWN]",)),
        (verified(status="partly_retracted", notice_pmid="9"), "true", False, ("[PARTLY RETRACTED, notice PMID 9]",)),
        (verified(status="concern", status_date="2021"), "true", True, ("[EXPRESSION OF CONCERN 2021]",)),
        (verified(status="corrected"), "true", True, ()),
    ],
)
def test_marks_stand_beside_whatever_verdict(
    entry: ExportEntry, value: str, citable: bool, marks: tuple[str, ...]
) -> None:
    assert (entry.verified_value, entry.citable, entry.marks) == (value, citable, marks)


def test_a_retraction_that_only_the_record_carries_is_never_lost() -> None:
    notice = Notice(NoticeKind.RETRACTION, doi="10.5555/n", date="2019-05")
    entry = verified(paper=record(notices=(notice,)))
    assert (entry.status, entry.citable, entry.marks) == (
        PublicationState.RETRACTED,
        False,
        ("[RETRACTED 2019-05, notice 10.5555/n]",),
    )
    assert verified(paper=record(notices=(notice,), is_notice=True)).citable
    assert verified(paper=record(notices=(notice, Notice(NoticeKind.REINSTATEMENT)))).citable
    assert verified(paper=record(notices=(notice,)), status="reinstated").citable


def test_notes_carry_marks_then_the_reason() -> None:
    assert retracted(verdict_note="No source\nknows it.").note == f"{RETRACTED} {UNVERIFIED} No source knows it."
    assert ExportEntry(record(), "K", "manual", verdict_note="seen in print").note == "Checked by hand: seen in print"
    assert verified().note == ""


def test_an_entry_that_would_mislead_cannot_be_made() -> None:
    with pytest.raises(ValueError, match="no source is named that confirmed it"):
        verified(verified_by=())
    with pytest.raises(ValueError, match="no citation key"):
        replace(verified(), key="a b,{c}")
    with pytest.raises(ValueError, match="fine"):
        ExportEntry(record(), "K", "fine")
    with pytest.raises(ValueError, match="share the citation key a_1"):
        require_distinct_keys(["A_1", "b", "a_1"])
    assert ExportEntry(record(), "K").verdict is EntryVerdict.UNVERIFIED


@pytest.mark.parametrize(
    ("title", "shown"),
    [
        ("Ends with a stop.", "Ends with a stop"),
        ("In the U.S.", "In the U.S."),
        ("And so on...", "And so on..."),
        ("", ""),
    ],
)
def test_the_stop_of_pubmed_goes(title: str, shown: str) -> None:
    assert verified(paper=record(title)).title == shown
    assert verified(paper=record("", original_title=title)).title == shown

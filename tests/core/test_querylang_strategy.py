"""Numbered lists, and appendices pasted from a PDF: lines found, references resolved, counts kept, faults placed."""

from __future__ import annotations

from pathlib import Path

import pytest

from litapp.core.querylang import And, Not, Or, QuerySyntaxError, Term
from litapp.core.querylang.appendix import read_appendix
from litapp.core.querylang.ast import Field
from litapp.core.querylang.dialects import Dialect
from litapp.core.querylang.strategy import read_strategy

D = Dialect


def tiab(text: str) -> Term:
    return Term(text, Field.TITLE_ABSTRACT)


@pytest.mark.parametrize(
    "text",
    [
        "#1 a[tiab]\n#2 b[tiab]\n#3 #1 OR #2",
        "1. a[tiab]\n2. b[tiab]\n3. 1 OR 2",
        "1 a[tiab]\n2 b[tiab]\n3 #1 OR #2",
        "#3 #1 OR #2\n#2 b[tiab]\n#1 a[tiab]",
        "#1  a[tiab]     1,234\n#2  b[tiab]        12\n#3  #1 OR\n    #2    1,240",
        "#1 Search a[tiab]\n#2 Search b[tiab]\n#3 Search #1 OR #2",
    ],
)
def test_lists_in_every_printed_form_have_the_same_tree(text: str) -> None:
    assert read_strategy(text, D.PUBMED).tree() == Or((tiab("a"), tiab("b")))


def test_lines_keep_number_place_and_hits() -> None:
    text = "#1  yoga[ti]       1,234\n#2  #1 NOT mice[ti]   12"
    strategy = read_strategy(text, D.PUBMED)
    assert [(line.number, line.text, text[slice(*line.span)], line.hits) for line in strategy.lines] == [
        (1, "yoga[ti]", "yoga[ti]", 1234),
        (2, "#1 NOT mice[ti]", "#1 NOT mice[ti]", 12),
    ]


def test_a_list_without_numbers_counts_its_lines() -> None:
    strategy = read_strategy("a.ti.\nb.ti.\nor/1-2\nexp Mice/\n3 not 4", D.OVID_MEDLINE)
    a, b = Term("a", Field.TITLE), Term("b", Field.TITLE)
    assert strategy.tree() == Not(Or((a, b)), Term("Mice", Field.MESH, True))


def test_numbers_inside_a_term_are_no_line_numbers() -> None:
    assert len(read_strategy("B.1.1.7[tiab] OR variant[tiab]\nAND 5[tiab]", D.PUBMED).lines) == 1


@pytest.mark.parametrize(
    ("text", "message", "place"),
    [
        ("#1 a[ti]\n#2 #1 AND #7", "There is no line 7.", "#7"),
        ("#1 a[ti]\n#2 #1 OR #2", "Line 2 points to itself.", "#2"),
        ("#1 a[ti]\n#2 (b[ti]\n#3 #1", "This parenthesis is never closed.", "("),
    ],
)
def test_the_fault_of_a_line_is_placed_in_the_whole_text(text: str, message: str, place: str) -> None:
    (fault,) = read_strategy(text, D.PUBMED).faults
    assert (fault.message, text[fault.start : fault.end]) == (message, place)


def test_a_range_of_lines_without_its_slash_is_said_with_the_repair() -> None:
    (fault,) = read_strategy("1 a.ti.\n2 b.ti.\n3 or 1-2\n4 or/1-2", D.OVID_MEDLINE).faults or (None,)
    assert fault is not None
    assert (fault.message, fault.hint) == ("Ovid joins a range of lines by a slash.", "Write or/1-2.")


def test_lines_that_point_to_each_other_in_a_circle_are_refused() -> None:
    with pytest.raises(QuerySyntaxError, match="through other lines"):
        read_strategy("#1 #3 OR a[ti]\n#2 b[ti]\n#3 #1 AND #2", D.PUBMED).tree()


@pytest.mark.shared
def test_published_lists_resolve_to_the_set_their_authors_name(shared: Path) -> None:
    text = (shared / "queries/takaoka2024-cachexia/pubmed.txt").read_text(encoding="utf-8")
    strategy = read_strategy(text, D.PUBMED)
    assert [line.hits for line in strategy.lines][-1] == 439
    tree = strategy.tree()
    assert isinstance(tree, And)
    assert len(tree.children) == 2


PASTED = """Appendix 1. Search strategies
Ovid MEDLINE(R) ALL 1946 to May 2021
Search Strategy:
--------------------------------
1     exp Yoga/ (3,489)
2     (yoga or asana or
pranayama).ti,ab. (6021)
 
© 2024 Someone et al. A Journal.
3     1 or 2 (7000)
Embase (Ovid)
#
Searches
Results
1
exp yoga/
4606
2
yoga.ti,ab,kw.
63432
3
or/1-2
70000
Cochrane Library (Wiley)
ID Search Hits
#1[mh Yoga]825
#2(yoga):ti,ab,kw (Word variations have been searched)2325
#3#1 or #22412

© 2024 Someone et al. A Journal.
CINAHL (EBSCO)
# Query Results
S3 S1 OR
S2 1,436
S2 TI yoga OR AB yoga Search modes -
Boolean/Phrase
Interface - EBSCOhost
Research Databases
Database - CINAHL
1,23
4
S1 (MH "Yoga") 389
 
© 2024 Someone et al. A Journal.
"""


def test_a_pasted_appendix_becomes_its_databases_and_lines() -> None:
    found = [
        (section.dialect, [(line.number, line.text, line.hits) for line in section.strategy.lines])
        for section in read_appendix(PASTED)
    ]
    assert found == [
        (
            D.OVID_MEDLINE,
            [(1, "exp Yoga/", 3489), (2, "(yoga or asana or pranayama).ti,ab.", 6021), (3, "1 or 2", 7000)],
        ),
        (D.OVID_EMBASE, [(1, "exp yoga/", 4606), (2, "yoga.ti,ab,kw.", 63432), (3, "or/1-2", 70000)]),
        (
            D.CENTRAL,
            [
                (1, "[mh Yoga]", 825),
                (2, "(yoga):ti,ab,kw (Word variations have been searched)", 2325),
                (3, "#1 or #2", 2412),
            ],
        ),
        (D.CINAHL, [(1, '(MH "Yoga")', 389), (2, "TI yoga OR AB yoga", 1234), (3, "S1 OR S2", 1436)]),
    ]


def test_what_cannot_be_read_in_an_appendix_is_marked_and_not_left_out() -> None:
    (section,) = read_appendix("PubMed\n#1 (yoga[tiab]\n#2 asana[tiab]\n#4 #1 OR #2\n")
    assert [(line.number, line.fault.message if line.fault else "") for line in section.strategy.lines] == [
        (1, "This parenthesis is never closed."),
        (2, ""),
        (4, ""),
    ]
    assert section.missing == (3,)


@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("mcdonald2023-cachexia-raw", [26, 53, 9]),
        ("balitsky2024-proms-raw", [37, 62, 9, 10, 59, 38, 63, 10, 11, 60]),
    ],
)
def test_published_appendices_are_rebuilt_line_by_line(shared: Path, name: str, lines: list[int]) -> None:
    sections = read_appendix((shared / "queries" / name / "raw_appendix.txt").read_text(encoding="utf-8"))
    assert [len(section.strategy.lines) for section in sections] == lines
    assert [section.strategy.faults for section in sections] == [()] * len(lines)
    assert all(line.hits is not None for section in sections for line in section.strategy.lines)

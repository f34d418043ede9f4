"""PubMed syntax to a tree: operators left to right, tags, quotes, ranges, proximity, and one positioned error."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from litapp.core.querylang import (
    And,
    Field,
    Node,
    Not,
    Or,
    Proximity,
    QuerySyntaxError,
    Range,
    Term,
    leaves,
    parse,
    print_pubmed,
)
from litapp.core.querylang.fields import SHORT_TAGS, field_of_tag
from litapp.core.querylang.parser import MAX_DEPTH


def tiab(text: str, *, phrase: bool = False) -> Term:
    return Term(text, Field.TITLE_ABSTRACT, phrase)


A, B, C, D = (Term(letter) for letter in "abcd")


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("a", A),
        ("a AND b AND c", And((A, B, C))),
        ("a OR b AND c", And((Or((A, B)), C))),
        ("a AND b OR c", Or((And((A, B)), C))),
        ("a OR (b AND c)", Or((A, And((B, C))))),
        ("a AND (b AND c)", And((A, And((B, C))))),
        ("(a AND b) AND c", And((And((A, B)), C))),
        ("((a))", A),
        ("a NOT b", Not(A, B)),
        ("a NOT b OR c", Or((Not(A, B), C))),
        ("a NOT b NOT c", Not(Not(A, B), C)),
        ("a OR b NOT c", Not(Or((A, B)), C)),
        (
            "x NOT (animals[mh] NOT humans[mh])",
            Not(Term("x"), Not(Term("animals", Field.MESH), Term("humans", Field.MESH))),
        ),
        ("a (b) c", And((A, B, C))),
        ("(a)(b)", And((A, B))),
        ("a and b Or c", Or((And((A, B)), C))),
    ],
)
def test_operators_join_from_left_to_right(text: str, tree: Node) -> None:
    assert parse(text) == tree


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("breast cancer[tiab]", tiab("breast cancer")),
        ('"breast cancer"[tiab]', tiab("breast cancer", phrase=True)),
        ("yoga [mh]", Term("yoga", Field.MESH)),
        ("yoga[MeSH Terms]", Term("yoga", Field.MESH)),
        ("trials[mesh: noexp]", Term("trials", Field.MESH, explode=False)),
        ("x[majr:noexp]", Term("x", Field.MESH_MAJOR, explode=False)),
        ("neoplas*[tiab]", tiab("neoplas*")),
        ("“face mask”[tiab]", tiab("face mask", phrase=True)),
        ("primary  care", Term("primary care")),
        ("cancer[Title/Abstract]", tiab("cancer")),
        ("smith j[au]", Term("smith j", Field.AUTHOR)),
        ("31978945[pmid]", Term("31978945", Field.PMID)),
        ("10.1016/s0140-6736(97)11096-0[doi]", Term("10.1016/s0140-6736(97)11096-0", Field.DOI)),
        ("(10.1016/s0140-6736(97)11096-0)", Term("10.1016/s0140-6736(97)11096-0")),
        ("foo[bar]", Term("foo", Field.UNKNOWN, tag="bar")),
        ("pain[tiab] knee", And((tiab("pain"), Term("knee")))),
        ('knee "hip pain"[ti]', And((Term("knee"), Term("hip pain", Field.TITLE, phrase=True)))),
        ("prevention and control[sh]", Term("prevention and control", Field.SUBHEADING)),
        ("wounds and injuries[mh] and x[tiab]", And((Term("wounds and injuries", Field.MESH), tiab("x")))),
        ("cancer and pain[tiab]", And((Term("cancer"), tiab("pain")))),
        ('"signs and symptoms"[tiab]', tiab("signs and symptoms", phrase=True)),
    ],
)
def test_terms_and_tags(text: str, tree: Node) -> None:
    assert parse(text) == tree


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("2015:2020[dp]", Range("2015", "2020", Field.DATE_PUBLICATION)),
        ("2015 : 2020[pdat]", Range("2015", "2020", Field.DATE_PUBLICATION)),
        ('"2015/01/01"[dp] : "2020"[dp]', Range("2015/01/01", "2020", Field.DATE_PUBLICATION)),
        ("2015/01/01:2020/12/31[edat]", Range("2015/01/01", "2020/12/31", Field.DATE_ENTRY)),
        ('"2015-06" : "3000"[crdt]', Range("2015/06", "3000", Field.DATE_CREATE)),
        ("1 : 999[pmid]", Range("1", "999", Field.PMID)),
        ('"1"[uid] : "999"[uid]', Range("1", "999", Field.PMID)),
        ("2015[dp]", Term("2015", Field.DATE_PUBLICATION)),
        ('"hip pain"[tiab:~3]', Proximity("hip pain", Field.TITLE_ABSTRACT, 3)),
        ('"hip pain"[Title:~0]', Proximity("hip pain", Field.TITLE, 0)),
    ],
)
def test_ranges_and_proximity(text: str, tree: Node) -> None:
    assert parse(text) == tree


def test_spans_point_at_the_text_a_node_was_read_from() -> None:
    text = 'x AND ("hip pain"[tiab] OR knee)'
    found = {leaf.text: text[slice(*leaf.span)] for leaf in leaves(parse(text)) if isinstance(leaf, Term)}
    assert found == {"x": "x", "hip pain": '"hip pain"[tiab]', "knee": "knee"}


def test_a_heading_and_its_subheading_are_told_apart() -> None:
    term = parse('"Masks/adverse effects"[majr]')
    assert isinstance(term, Term)
    assert (term.heading, term.qualifier) == ("Masks", "adverse effects")


@pytest.mark.parametrize(
    ("text", "message", "start", "end"),
    [
        ("", "The query is empty.", 0, 0),
        ("   ", "The query is empty.", 0, 3),
        ("a AND", "AND has nothing behind it.", 2, 5),
        ("a AND (b OR)", "OR has nothing behind it.", 9, 11),
        ("OR b", "OR has nothing in front of it.", 0, 2),
        ("a AND (NOT b)", "NOT has nothing in front of it.", 7, 10),
        ("a AND NOT b", "Two operators follow each other: AND NOT.", 2, 9),
        ("(a OR b", "This parenthesis is never closed.", 0, 1),
        ("(a OR (b AND c)", "This parenthesis is never closed.", 0, 1),
        ("a) OR b", "This closing parenthesis has no opening one.", 1, 2),
        ("a OR ()", "There is nothing between these parentheses.", 5, 7),
        ('a OR "b', "This quotation mark is never closed.", 5, 6),
        ('a OR ""', "There is nothing between these quotation marks.", 5, 7),
        ("a[tiab", "This bracket is never closed.", 1, 2),
        ("a]", "This closing bracket has no opening one.", 1, 2),
        ("a[]", "This field tag is empty.", 1, 3),
        ("a OR [tiab]", "The field tag [tiab] has no term in front of it.", 5, 11),
        ("(a OR b)[ti]", "A field tag cannot stand behind a parenthesis.", 8, 12),
        ("#1 AND #2", "#1 points to another line of a search history, which is not part of this query.", 0, 2),
        ("2015:2020x[dp]", "“2020x” is not a date that can be searched.", 0, 14),
        ('"a"[ti] : "b"[ti]', "A range needs dates and a date tag.", 0, 17),
        ('"2015"[dp] : "2016"[edat]', "The two ends of this range have different field tags.", 0, 25),
        ('"2015"[dp] :', "This range has no end.", 11, 12),
        ("a OR *[ti]", "A wildcard needs letters.", 5, 6),
        ("a[mh:exploded]", "The field tag [mh:exploded] is not understood.", 1, 14),
    ],
)
def test_an_unreadable_query_gives_one_message_at_its_place(text: str, message: str, start: int, end: int) -> None:
    with pytest.raises(QuerySyntaxError) as caught:
        parse(text)
    assert (caught.value.message, caught.value.start, caught.value.end) == (message, start, end)


@pytest.mark.parametrize(
    "text",
    ["(" * 50_000, "(" * 5_000 + "a" + ")" * 5_000, " OR ".join(["a AND b"] * 5_000), "a " + "NOT b " * 5_000],
)
def test_deep_nesting_is_a_typed_error(text: str) -> None:
    with pytest.raises(QuerySyntaxError, match=f"more than {MAX_DEPTH} levels"):
        parse(text)


def test_nesting_up_to_the_limit_can_be_parsed_and_printed() -> None:
    text = "(a OR " * (MAX_DEPTH - 1) + "a OR b" + ")" * (MAX_DEPTH - 1)
    tree = parse(text)
    assert parse(print_pubmed(tree)) == tree


def test_1600_terms_are_read_whole() -> None:
    text = " OR ".join(f'"term number {i}"[tiab]' for i in range(1_600))
    tree = parse(text)
    assert len(list(leaves(tree))) == 1_600
    assert parse(print_pubmed(tree)) == tree


def test_10_000_characters_without_a_blank_are_one_term() -> None:
    assert parse("a" * 10_000) == Term("a" * 10_000)


@pytest.mark.parametrize("field", list(SHORT_TAGS))
def test_the_short_tag_and_the_full_name_of_a_field_mean_the_field(field: Field) -> None:
    assert [field_of_tag(SHORT_TAGS[field]), field_of_tag(field.value)] == [field, field]


_WORD = st.from_regex(r"[a-z0-9][a-z0-9\-'.]{0,6}\*?", fullmatch=True).filter(
    lambda w: w not in ("and", "or", "not") and "/" not in w
)
_TEXT = st.lists(_WORD, min_size=1, max_size=3).map(" ".join)
_PLAIN_FIELDS = st.sampled_from([Field.UNTAGGED, *(f for f in SHORT_TAGS if not f.name.startswith("DATE_"))])
_DAY = st.tuples(st.integers(1800, 2100), st.integers(1, 12)).map(lambda d: f"{d[0]}/{d[1]:02d}")
_LEAF = st.one_of(
    st.builds(Term, _TEXT, _PLAIN_FIELDS, st.booleans()),
    st.builds(Term, _TEXT, st.sampled_from([Field.MESH, Field.MESH_MAJOR]), st.booleans(), st.booleans()),
    st.builds(Proximity, _TEXT, st.sampled_from([Field.TITLE_ABSTRACT, Field.TITLE, Field.ALL]), st.integers(0, 99)),
    st.builds(Range, st.integers(1).map(str), st.integers(1).map(str), st.just(Field.PMID)),
    st.builds(Range, _DAY, _DAY, st.sampled_from([Field.DATE_PUBLICATION, Field.DATE_ENTRY])),
)
_TREE = st.recursive(
    _LEAF,
    lambda inner: st.one_of(
        st.lists(inner, min_size=2, max_size=4).map(lambda c: And(tuple(c))),
        st.lists(inner, min_size=2, max_size=4).map(lambda c: Or(tuple(c))),
        st.builds(Not, inner, inner),
    ),
    max_leaves=12,
)


@given(_TREE)
@settings(max_examples=300, deadline=None)
def test_reading_what_was_printed_gives_the_same_tree(tree: Node) -> None:
    assert parse(print_pubmed(tree)) == tree


_PIECES = st.sampled_from(
    [
        *("a", "b c", '"d e"', "“f”", "(", ")", "AND", "OR", "NOT", "and", "or", "not", "[tiab]", "[mh]", "[mh:noexp]"),
        *("[dp]", "[tiab:~2]", "[x]", ":", "2015", "2015:2016[dp]", "*", "g*", "10.1/x(1)", "'", "#1", "[", "]", '"'),
        *("\n", "É", "🙂"),
    ]
)


@given(st.lists(_PIECES, max_size=14).map(" ".join))
@settings(max_examples=500, deadline=None)
def test_any_text_parses_to_a_stable_tree_or_gives_a_positioned_error(text: str) -> None:
    place = (0, 0)
    tree: Node | None = None
    try:
        tree = parse(text)
    except QuerySyntaxError as error:
        place = (error.start, error.end)
    assert 0 <= place[0] <= place[1] <= len(text)
    assert tree is None or parse(print_pubmed(tree)) == tree


@pytest.mark.shared
def test_every_published_pubmed_string_parses_or_points_at_its_fault(shared: Path) -> None:
    outcome = {}
    for folder in sorted((shared / "queries").iterdir()):
        for path in sorted(folder.glob("*.txt")) if folder.is_dir() else []:
            if not path.name.startswith(("pubmed", "ncbi")) and folder.name != "nlm-clinical-queries":
                continue
            text = path.read_text(encoding="utf-8")
            try:
                tree = parse(text)
            except QuerySyntaxError as error:
                outcome[f"{folder.name}/{path.name}"] = error.message
            else:
                assert parse(print_pubmed(tree)) == tree
    numbered = "#1 points to another line of a search history, which is not part of this query."
    assert outcome == {
        "cochrane-hsss-rct/pubmed.txt": numbered,
        "cramer2017-yoga-breast/pubmed.txt": numbered,
        "scheepers2020-geriatric-haem/pubmed.txt": "This parenthesis is never closed.",
        "soong2025-exercise-depression-older/pubmed.txt": numbered,
        "takaoka2024-cachexia/pubmed.txt": numbered,
    }


@pytest.mark.shared
@pytest.mark.parametrize("name", ["takaoka2024-cachexia", "cramer2017-yoga-breast"])
def test_a_fully_tagged_string_has_the_tree_that_pubmed_reports(shared: Path, name: str) -> None:
    """PubMed's own translation of the runnable form is the oracle: same shape, same words, same fields."""

    def shape(node: Node) -> object:
        if isinstance(node, Term):
            return (node.text.casefold(), node.field, node.explode)
        if isinstance(node, And | Or):
            return (type(node).__name__, *[shape(child) for child in node.children])
        assert isinstance(node, Not)
        return ("Not", shape(node.keep), shape(node.drop))

    folder = shared / "queries" / name
    written = parse((folder / "pubmed_runnable.txt").read_text(encoding="utf-8"))
    reported = parse((folder / "ncbi_query_translation.txt").read_text(encoding="utf-8"))
    assert json.dumps(shape(written), default=str) == json.dumps(shape(reported), default=str)

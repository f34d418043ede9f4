"""Every dialect to a tree and back: fields, headings, nearness, wildcards, precedence, one positioned message."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from litapp.core.querylang import And, Field, Node, Not, Or, QuerySyntaxError, Range, Term
from litapp.core.querylang.ast import LineReference, Near
from litapp.core.querylang.dialects import Dialect, parse_in, print_in

TI, AB, TIAB, OT = Field.TITLE, Field.ABSTRACT, Field.TITLE_ABSTRACT, Field.OTHER_TERM
D = Dialect


def t(text: str, field: Field = Field.UNTAGGED, *also: Field, phrase: bool = False, explode: bool = True) -> Term:
    return Term(text, field, phrase, explode, also=also)


def heading(text: str, field: Field = Field.MESH, *, explode: bool = True) -> Term:
    return Term(text, field, True, explode)


@pytest.mark.parametrize(
    ("dialect", "text", "tree"),
    [
        (D.OVID_MEDLINE, "placebo.ti,ab.", t("placebo", TI, AB)),
        (D.OVID_MEDLINE, "placebo.ti,ab,kf.", t("placebo", TIAB)),
        (D.OVID_MEDLINE, "soft tissue infection$.tw.", t("soft tissue infection*", Field.TEXT_WORD, phrase=True)),
        (D.OVID_MEDLINE, "(a or b).ti. and c.ab.", And((Or((t("a", TI), t("b", TI))), t("c", AB)))),
        (D.OVID_MEDLINE, "a or b and c", Or((t("a"), And((t("b"), t("c")))))),
        (D.OVID_MEDLINE, "exp Neoplasms/", heading("Neoplasms")),
        (D.OVID_MEDLINE, "Hand Dermatoses/", heading("Hand Dermatoses", explode=False)),
        (D.OVID_MEDLINE, "exp *Weight Loss/dt", heading("Weight Loss/drug therapy", Field.MESH_MAJOR)),
        (D.OVID_MEDLINE, "Wounds and Injuries/", heading("Wounds and Injuries", explode=False)),
        (
            D.OVID_MEDLINE,
            "yoga.tw. and Exercise/",
            And((t("yoga", Field.TEXT_WORD), heading("Exercise", explode=False))),
        ),
        (D.OVID_EMBASE, "exp ovary tumor/", heading("ovary tumor", Field.EMTREE)),
        (D.OVID_MEDLINE, "drug therapy.fs.", heading("drug therapy", Field.SUBHEADING)),
        (D.OVID_MEDLINE, "dt.fs.", heading("drug therapy", Field.SUBHEADING)),
        (D.OVID_MEDLINE, "exp animals/ not humans.sh.", Not(heading("animals"), heading("humans", explode=False))),
        (D.OVID_MEDLINE, "a adj3 b", Near(t("a"), t("b"), 2)),
        (D.OVID_MEDLINE, "a adj b", Near(t("a"), t("b"), 0, ordered=True)),
        (D.OVID_MEDLINE, "randomi#ed.ab.", t("randomi?ed", AB)),
        (D.OVID_MEDLINE, "colo?r.ab.", t("colo$r", AB)),
        (D.OVID_MEDLINE, "group$1.ab.", t("group*{1}", AB)),
        (D.OVID_MEDLINE, "B.1.1.7", t("B.1.1.7")),
        (D.EMBASE_COM, "'lung tumor'/exp", heading("lung tumor", Field.EMTREE)),
        (D.EMBASE_COM, "yoga/de", heading("yoga", Field.EMTREE, explode=False)),
        (D.EMBASE_COM, "'face mask':ab,ti", t("face mask", TI, AB, phrase=True)),
        (D.EMBASE_COM, "a OR b AND c", And((Or((t("a"), t("b"))), t("c")))),
        (D.EMBASE_COM, "(a NEAR/3 b):ti", Near(t("a", TI), t("b", TI), 2)),
        (D.EMBASE_COM, "[2015-2020]/py", Range("2015", "2020", Field.DATE_PUBLICATION)),
        (D.EMBASE_COM, "[embase]/lim", t("embase", Field.FILTER)),
        (D.CENTRAL, '[mh ^"Wasting syndrome"]', heading("Wasting syndrome", explode=False)),
        (D.CENTRAL, "MeSH descriptor: [Yoga] explode all trees", heading("Yoga")),
        (D.CENTRAL, "MeSH descriptor: [Weight Loss] this term only", heading("Weight Loss", explode=False)),
        (D.CENTRAL, "MeSH descriptor Ovarian Neoplasms explode all trees", heading("Ovarian Neoplasms")),
        (D.CENTRAL, "Any MeSH descriptor with qualifier: DT", heading("drug therapy", Field.SUBHEADING)),
        (D.CENTRAL, "breast near cancer*", Near(t("breast"), t("cancer*"), 5)),
        (
            D.CENTRAL,
            "yoga with Publication Year from 1990 to 2021, in Trials",
            And((t("yoga"), Range("1990", "2021", Field.DATE_PUBLICATION), t("trials", Field.FILTER))),
        ),
        (D.WEB_OF_SCIENCE, "TS = Wasting Syndrome", t("Wasting Syndrome", TIAB, Field.KEYWORDS_PLUS)),
        (D.WEB_OF_SCIENCE, 'TI=("a b" OR c)', Or((t("a b", TI, phrase=True), t("c", TI)))),
        (D.WEB_OF_SCIENCE, "TI=a OR TI=b AND TI=c", Or((t("a", TI), And((t("b", TI), t("c", TI)))))),
        (D.WEB_OF_SCIENCE, "TI=(a NEAR b)", Near(t("a", TI), t("b", TI), 15)),
        (D.WEB_OF_SCIENCE, "PY=2015-2020", Range("2015", "2020", Field.DATE_PUBLICATION)),
        (D.WEB_OF_SCIENCE, "TITLE: (yoga)", t("yoga", TI)),
        (
            D.CENTRAL,
            "[mh Asthma/DT,TH]",
            Or((heading("Asthma/drug therapy"), heading("Asthma/therapy"))),
        ),
        (D.EMBASE_COM, "[01-02-2010]/sd", Range("2010/02/01", "3000", Field.DATE_ENTRY)),
        (
            D.CINAHL,
            "TI yoga Limiters - Published Date: 20100101-20201231; English Language",
            And(
                (t("yoga", TI), Range("2010/01/01", "2020/12/31", Field.DATE_PUBLICATION), t("english", Field.LANGUAGE))
            ),
        ),
        (D.SCOPUS, "TITLE-ABS-KEY(a)", t("a", TIAB, Field.HEADING_WORD)),
        (D.SCOPUS, "TITLE(a) AND NOT TITLE(b)", Not(t("a", TI), t("b", TI))),
        (D.SCOPUS, "PUBYEAR > 2014 AND PUBYEAR < 2021", Range("2015", "2020", Field.DATE_PUBLICATION)),
        (D.SCOPUS, "a PRE/2 b", Near(t("a"), t("b"), 2, ordered=True)),
        (D.CINAHL, '(MH "Neoplasms+")', heading("Neoplasms", Field.CINAHL_HEADING)),
        (D.CINAHL, "MH (sample size)", heading("sample size", Field.CINAHL_HEADING, explode=False)),
        (D.CINAHL, "TI (a N2 b)", Near(t("a", TI), t("b", TI), 2)),
        (D.CINAHL, "TI cohort* OR AB cohort*", Or((t("cohort*", TI), t("cohort*", AB)))),
        (D.EUROPE_PMC, 'TITLE:"a b" AND ABSTRACT:c', And((t("a b", TI, phrase=True), t("c", AB)))),
        (
            D.PROQUEST,
            'SU.EXACT("Placebo") OR TI(a NEAR/3 b)',
            Or((heading("Placebo", Field.THESAURUS, explode=False), Near(t("a", TI), t("b", TI), 3))),
        ),
    ],
)
def test_a_text_becomes_its_tree(dialect: Dialect, text: str, tree: Node) -> None:
    assert parse_in(text, dialect) == tree


@pytest.mark.parametrize(
    ("dialect", "text", "tree"),
    [
        (D.OVID_MEDLINE, "or/1-2,4", Or((LineReference(1), LineReference(2), LineReference(4)))),
        (D.OVID_MEDLINE, "and/1,3", And((LineReference(1), LineReference(3)))),
        (D.OVID_MEDLINE, "15 not 16", Not(LineReference(15), LineReference(16))),
        (
            D.OVID_MEDLINE,
            'limit 18 to yr="1990 -Current"',
            And((LineReference(18), Range("1990", "3000", Field.DATE_PUBLICATION))),
        ),
        (
            D.OVID_MEDLINE,
            'limit 23 to ed="19480101-20180117"',
            And((LineReference(23), Range("1948/01/01", "2018/01/17", Field.DATE_ENTRY))),
        ),
        (D.OVID_MEDLINE, "remove duplicates from 5", LineReference(5)),
        (D.CENTRAL, "{or #1-#2, #4}", Or((LineReference(1), LineReference(2), LineReference(4)))),
        (D.EMBASE_COM, "#1 AND #2", And((LineReference(1), LineReference(2)))),
        (D.CINAHL, "S3 AND S12", And((LineReference(3), LineReference(12)))),
        (D.PUBMED, "#9 NOT #10", Not(LineReference(9), LineReference(10))),
    ],
)
def test_a_line_of_a_list_points_to_others(dialect: Dialect, text: str, tree: Node) -> None:
    assert parse_in(text, dialect, references=True) == tree


@pytest.mark.parametrize(
    ("dialect", "text", "message", "place"),
    [
        (D.OVID_MEDLINE, "(a or b", "This parenthesis is never closed.", (0, 1)),
        (D.OVID_MEDLINE, "a or b)", "This closing parenthesis has no opening one.", (6, 7)),
        (D.OVID_MEDLINE, "a or", "OR has nothing behind it.", (2, 4)),
        (D.OVID_MEDLINE, "(a) (b)", "There is no operator in front of this.", (4, 5)),
        (D.EMBASE_COM, "'a b", "This quotation mark is never closed.", (0, 1)),
        (D.CENTRAL, "a OR OR b", "Two operators follow each other: OR OR.", (2, 7)),
        (D.WEB_OF_SCIENCE, "TI=)", "This field has nothing to search for behind it.", (0, 3)),
        (D.SCOPUS, "()", "There is nothing between these parentheses.", (0, 2)),
        (D.CINAHL, "", "The query is empty.", (0, 0)),
        (D.EMBASE_COM, "#1", "#1 points to another line of a list, which is not part of this query.", (0, 2)),
        (D.EUROPE_PMC, "*", "A wildcard needs letters.", (0, 1)),
    ],
)
def test_an_unreadable_text_gives_one_message_at_its_place(
    dialect: Dialect, text: str, message: str, place: tuple[int, int]
) -> None:
    with pytest.raises(QuerySyntaxError) as caught:
        parse_in(text, dialect)
    assert (caught.value.message, (caught.value.start, caught.value.end)) == (message, place)


_PIECES = st.sampled_from(
    [
        *("a", "b c*", '"d e"', "'f g'", "(", ")", "and", "OR", "not", ".ti,ab.", ":ti,ab", "[tiab]", "TI=", "TITLE("),
        *("MH ", "exp X/", "'x'/exp", "[mh y]", "adj3", "NEAR/3", "N3", "W/2", "#1", "S2", "3", "or/1-3", "limit 2 to"),
        *('yr="2001"', "$", "?", "“", "/", "]", "PUBYEAR > 2000", "PY=2001", "[x]/lim", "é", "\n", "{z}", "AND NOT"),
        *("FIRST_PDATE:[a TO b]", ":", "/de"),
    ]
)


@given(st.lists(_PIECES, max_size=10).map(" ".join), st.sampled_from(list(Dialect)), st.booleans())
@settings(max_examples=300, deadline=None)
def test_any_text_gives_a_tree_or_one_placed_message(text: str, dialect: Dialect, references: bool) -> None:
    place = (0, 0)
    try:
        parse_in(text, dialect, references=references)
    except QuerySyntaxError as fault:
        place = (fault.start, fault.end)
    assert 0 <= place[0] <= place[1] <= len(text)


_RESERVED = {"and", "or", "not", "near", "next", "same", "with", "exp", "limit", "pre", "mesh", "the", "pubyear", "in"}
_WORD = st.from_regex(r"[b-z][a-z0-9]{2,6}\*?", fullmatch=True).filter(
    lambda w: w.rstrip("*").casefold() not in _RESERVED and not w.startswith(("adj", "s1", "s2"))
)
_PHRASE = st.lists(_WORD, min_size=2, max_size=3).map(" ".join)
_SCOPES: dict[Dialect, list[tuple[Field, ...]]] = {
    **{
        key: [(TI,), (TI, AB), (TIAB,), (Field.MULTI_PURPOSE,), ()]
        for key in (D.OVID_MEDLINE, D.OVID_EMBASE, D.OVID_PSYCINFO)
    },
    D.EMBASE_COM: [(TI,), (TI, AB), (TIAB,), ()],
    D.CENTRAL: [(TI,), (TI, AB), (TIAB, Field.HEADING_WORD), ()],
    D.WEB_OF_SCIENCE: [(TI,), (AB,), (OT,), (TIAB, Field.KEYWORDS_PLUS), ()],
    D.SCOPUS: [(TI,), (TI, AB), (OT,), (TIAB, Field.HEADING_WORD), ()],
    D.CINAHL: [(TI,), (AB,), (Field.ALL,), ()],
    D.EUROPE_PMC: [(TI,), (AB,), ()],
}
_HEADINGS: dict[Dialect, tuple[Field, ...]] = {
    D.OVID_MEDLINE: (Field.MESH, Field.MESH_MAJOR),
    D.OVID_EMBASE: (Field.EMTREE, Field.EMTREE_MAJOR),
    D.OVID_PSYCINFO: (Field.THESAURUS,),
    D.EMBASE_COM: (Field.EMTREE, Field.EMTREE_MAJOR),
    D.CENTRAL: (Field.MESH, Field.MESH_MAJOR),
    D.CINAHL: (Field.CINAHL_HEADING, Field.CINAHL_MAJOR),
}


def _tree(dialect: Dialect) -> st.SearchStrategy[Node]:
    scope = st.sampled_from(_SCOPES[dialect])

    def term(text: str, phrase: bool, fields: tuple[Field, ...]) -> Node:
        return Term(text, fields[0] if fields else Field.UNTAGGED, phrase, also=tuple(fields[1:]))

    leaves: list[st.SearchStrategy[Node]] = [
        st.builds(term, _WORD, st.booleans(), scope),
        st.builds(term, _PHRASE, st.just(True), scope),
    ]
    if dialect in _HEADINGS:
        name = st.from_regex(r"[B-Z][a-z]{3,8}( [A-Z][a-z]{3,6})?", fullmatch=True)
        leaves.append(st.builds(Term, name, st.sampled_from(_HEADINGS[dialect]), st.just(True), st.booleans()))
    leaf = st.one_of(*leaves)
    if dialect is not D.EUROPE_PMC:
        words = st.builds(
            lambda a, b, k, s: Near(term(a, False, s), term(b, False, s), k), _WORD, _WORD, st.integers(0, 9), scope
        )
        leaf = st.one_of(leaf, words)
    return st.recursive(
        leaf,
        lambda inner: st.one_of(
            st.lists(inner, min_size=2, max_size=4).map(lambda c: And(tuple(c))),
            st.lists(inner, min_size=2, max_size=4).map(lambda c: Or(tuple(c))),
            st.builds(Not, inner, inner),
        ),
        max_leaves=10,
    )


@pytest.mark.parametrize("dialect", list(_SCOPES))
@given(data=st.data())
@settings(max_examples=40, deadline=None)
def test_reading_what_was_printed_gives_the_same_tree(dialect: Dialect, data: st.DataObject) -> None:
    tree = data.draw(_tree(dialect))
    assert parse_in(print_in(tree, dialect), dialect) == tree


@pytest.mark.parametrize("dialect", [d for d in Dialect if d is not D.PROQUEST])
def test_1600_terms_are_read_to_the_last(dialect: Dialect) -> None:
    tree = Or(tuple(Term(f"term number{i}", TI, True) for i in range(1_600)))
    assert parse_in(print_in(tree, dialect), dialect) == tree

"""Translation: what each field becomes, what is said of it, and that the proof can fail."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from litapp.core.querylang import And, Field, Node, Not, Or, QuerySyntaxError, Term, translating
from litapp.core.querylang.adapted import Options
from litapp.core.querylang.dialects import Dialect, print_in
from litapp.core.querylang.normal import same_meaning
from litapp.core.querylang.strategy import read_strategy
from litapp.core.querylang.translating import translate_query, translate_strategy
from litapp.core.querylang.translation import Meaning

D = Dialect


@pytest.mark.parametrize(
    ("query", "target", "text", "meanings"),
    [
        ('"face mask"[tiab]', D.EMBASE_COM, "'face mask':ab,ti", ["narrower"]),
        ('"Masks"[Mesh]', D.EMBASE_COM, "'Masks'/exp", ["check by hand"]),
        ('"Masks"[mh:noexp]', D.OVID_MEDLINE, "Masks/", []),
        ('"Masks"[majr]', D.OVID_MEDLINE, "exp *Masks/", []),
        ('"Masks/adverse effects"[mh]', D.CENTRAL, '[mh "Masks"/AE]', []),
        ('"Masks"[mh]', D.CINAHL, '(MH "Masks+")', ["check by hand"]),
        ('"Masks"[mh]', D.WEB_OF_SCIENCE, "TI=Masks OR AB=Masks OR AK=Masks", ["narrower"]),
        ("mask*[tiab]", D.OVID_MEDLINE, "mask*.ti,ab,kf.", []),
        ("mask*[tiab]", D.CENTRAL, "mask*:ti,ab,kw", ["wider"]),
        ("mask*[tiab]", D.CINAHL, "TI mask* OR AB mask*", ["narrower"]),
        ("mask*[tiab]", D.SCOPUS, "TITLE-ABS(mask*) OR AUTHKEY(mask*)", []),
        ('"face mask*"[tiab]', D.CENTRAL, "(face NEXT mask*):ti,ab,kw", ["wider"]),
        ('"hip pain"[tiab:~2]', D.OVID_MEDLINE, "(hip adj3 pain).ti,ab,kf.", []),
        ('"hip pain"[ti:~2]', D.WEB_OF_SCIENCE, "TI=(hip NEAR/2 pain)", []),
        ("drug therapy[sh]", D.OVID_MEDLINE, "dt.fs.", []),
        ("drug therapy[sh]", D.CENTRAL, "[mh /DT]", []),
        ("drug therapy[sh]", D.SCOPUS, "", ["lost"]),
        ("medline[sb]", D.EMBASE_COM, "", ["lost"]),
        ("aspirin[nm]", D.EMBASE_COM, "", ["lost"]),
        ("2015:2020[dp]", D.SCOPUS, "(PUBYEAR > 2014 AND PUBYEAR < 2021)", []),
        ("2015/05:2020[dp]", D.EMBASE_COM, "[2015-2020]/py", ["wider"]),
        ("2015:2020[dp]", D.CENTRAL, "", ["lost"]),
        ("english[la]", D.EMBASE_COM, "[english]/lim", []),
        ("a[ti] OR b[ti] AND c[ti]", D.OVID_MEDLINE, "((a or b) and c).ti.", []),
    ],
)
def test_a_pubmed_query_elsewhere(query: str, target: Dialect, text: str, meanings: list[str]) -> None:
    done = translate_query(query, D.PUBMED, target)
    assert (done.text, [change.meaning.value for change in done.changes], done.proved) == (text, meanings, True)


def test_the_wider_fields_of_embase_are_a_choice() -> None:
    done = translate_query("mask*[tiab]", D.PUBMED, D.EMBASE_COM, Options(embase_keywords=True))
    assert (done.text, done.changes) == ("mask*:ti,ab,kw", ())


def test_headings_behind_not_never_become_words() -> None:
    done = translate_query("asthma[ti] NOT (animals[mh] NOT humans[mh])", D.PUBMED, D.WEB_OF_SCIENCE)
    assert done.text == "TI=asthma"
    assert [c.meaning for c in done.changes if "exclusion" in c.why] == [Meaning.WIDER]


def test_not_animals_not_humans_keeps_its_parentheses() -> None:
    done = translate_query("asthma[ti] NOT (animals[mh] NOT humans[mh])", D.PUBMED, D.OVID_MEDLINE)
    assert done.text == "asthma.ti. not (exp animals/ not exp humans/)"


def test_losses_become_a_sentence_for_the_methods() -> None:
    done = translate_query("asthma[ti] AND medline[sb]", D.PUBMED, D.EMBASE_COM)
    assert done.summary == "same tree, 1 wider, 1 lost"
    assert done.methods_text == (
        "The search for Embase.com was translated from the one for PubMed. "
        "These parts have no equivalent there and were left out: medline[sb]."
    )


def test_ovid_limits_by_date_in_a_line_of_its_own() -> None:
    done = translate_query("(a[ti] AND 2015:2020[dp]) OR b[ti]", D.PUBMED, D.OVID_MEDLINE)
    assert done.text == '1 a.ti.\n2 limit 1 to yr="2015-2020"\n3 2 or b.ti.'
    assert done.proved


def test_a_list_stays_a_list_and_lost_lines_are_renumbered() -> None:
    text = "#1 a[ti]\n#2 medline[sb]\n#3 b[ti]\n#4 #1 AND #2 AND #3"
    done = translate_query(text, D.PUBMED, D.EMBASE_COM)
    assert done.text == "#1 a:ti\n#2 b:ti\n#3 #1 AND #2"


def test_a_trial_filter_is_not_passed_off_as_translated() -> None:
    query = "placebo[tiab] OR randomly[tiab] OR trial[tiab] OR groups[tiab]"
    said = [c.why for c in translate_query(query, D.PUBMED, D.CENTRAL).changes]
    assert "This looks like a filter for trials. CENTRAL holds trials only: leave the filter out there." in said


def test_a_writer_that_changes_the_tree_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(tree: Node, dialect: Dialect) -> str:
        return print_in(tree, dialect).replace(" AND ", " OR ")

    monkeypatch.setattr(translating, "print_in", wrong)
    done = translate_query("a[ti] AND b[ti]", D.PUBMED, D.EMBASE_COM)
    assert (done.proved, done.summary) == (False, "the tree has changed")


def test_a_query_that_cannot_be_read_is_refused_with_its_place() -> None:
    with pytest.raises(QuerySyntaxError) as caught:
        translate_query("(a[ti]", D.PUBMED, D.SCOPUS)
    assert caught.value.start == 0


_LEAF = st.builds(
    Term,
    st.sampled_from(["heart", "lung*", "kidney failure", "what's up", "a/b", "x:y", "or else", "12", "AND"]),
    st.sampled_from(
        [Field.TITLE, Field.TITLE_ABSTRACT, Field.UNTAGGED, Field.MESH, Field.SUBSET, Field.PUBLICATION_TYPE]
    ),
    st.just(True),
)
_TREE = st.recursive(
    _LEAF,
    lambda inner: st.one_of(
        st.lists(inner, min_size=2, max_size=3).map(lambda c: And(tuple(c))),
        st.lists(inner, min_size=2, max_size=3).map(lambda c: Or(tuple(c))),
        st.builds(Not, inner, inner),
    ),
    max_leaves=8,
)
_TARGETS = [d for d in Dialect if d is not D.PROQUEST]


@given(_TREE, st.sampled_from(_TARGETS))
@settings(max_examples=300, deadline=None)
def test_every_translation_is_proved_and_every_loss_listed(tree: Node, target: Dialect) -> None:
    done = translate_query(print_in(tree, D.PUBMED), D.PUBMED, target)
    assert done.proved
    assert done.text or done.losses


@given(_TREE)
@settings(max_examples=100, deadline=None)
def test_the_order_of_parts_and_nested_ors_change_nothing(tree: Node) -> None:
    other = Term("other", Field.TITLE)
    third = Term("third", Field.TITLE)
    assert same_meaning(Or((tree, Or((third, other)))), Or((other, third, tree)))
    assert same_meaning(Or((tree, other)), Or((other, tree)))
    assert not same_meaning(And((tree, other)), Or((tree, other)))


@pytest.mark.shared
def test_no_published_strategy_changes_its_tree(shared: Path) -> None:
    names = {
        "pubmed": D.PUBMED,
        "ovid_medline": D.OVID_MEDLINE,
        "embase_com": D.EMBASE_COM,
        "central": D.CENTRAL,
        "wos": D.WEB_OF_SCIENCE,
    }
    unproved = []
    for meta in sorted((shared / "queries").glob("*/meta.json")):
        for name, about in json.loads(meta.read_text(encoding="utf-8"))["files"].items():
            if about["dialect"] not in names:
                continue
            strategy = read_strategy((meta.parent / name).read_text(encoding="utf-8"), names[about["dialect"]])
            if strategy.faults:
                continue
            unproved += [
                (meta.parent.name, name, target)
                for target in (D.PUBMED, D.OVID_EMBASE, D.EMBASE_COM, D.SCOPUS, D.CINAHL)
                if not translate_strategy(strategy, target).proved
            ]
    assert unproved == []

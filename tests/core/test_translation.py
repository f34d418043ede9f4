"""Queries for sources with a syntax of their own: the same tree, and every change of meaning said."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from litapp.core.querylang import Node, parse
from litapp.core.querylang.compile_arxiv import compile_arxiv
from litapp.core.querylang.compile_europepmc import compile_europepmc
from litapp.core.querylang.compile_openalex import compile_openalex
from litapp.core.querylang.compile_s2 import compile_s2
from litapp.core.querylang.translation import Translation
from litapp.core.querylang.unquoted import JOINED, PHRASE_KEPT


def meanings(translation: object) -> list[tuple[str, str]]:
    return [(c.original, c.meaning.value) for c in translation.changes]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("query", "text", "changes"),
    [
        ("asthma[ti]", "TITLE:asthma", []),
        (
            "covid-19 in children",
            "((TITLE:covid-19 OR ABSTRACT:covid-19 OR KW:covid-19) AND "
            "(TITLE:children OR ABSTRACT:children OR KW:children))",
            [("covid-19 in children", "narrower")],
        ),
        (
            '"covid-19 children"',
            '(TITLE:"covid-19 children" OR ABSTRACT:"covid-19 children" OR KW:"covid-19 children")',
            [('"covid-19 children"', "narrower")],
        ),
        ("heart failure[ti]", 'TITLE:"heart failure"', [("heart failure[ti]", "check by hand")]),
        ("wom*n[ti]", "TITLE:wom*n", [("wom*n[ti]", "check by hand")]),
        ("1 22[pmid]", "((EXT_ID:1 OR EXT_ID:22) AND SRC:MED)", []),
        ("a[ti] AND x1[pmid]", "TITLE:a", [("", "wider"), ("x1[pmid]", "lost")]),
        ('"heart failure"[ti]', 'TITLE:"heart failure"', []),
        (
            "asthma[tiab]",
            "(TITLE:asthma OR ABSTRACT:asthma OR KW:asthma)",
            [("asthma[tiab]", "wider")],
        ),
        ('"Asthma"[mh]', "KW:Asthma", [('"Asthma"[mh]', "narrower")]),
        ('"Asthma"[mh:noexp]', "KW:Asthma", [('"Asthma"[mh:noexp]', "wider")]),
        ('"Asthma/drug therapy"[mh]', "KW:Asthma", [('"Asthma/drug therapy"[mh]', "check by hand")]),
        ("2015:2020[dp]", "FIRST_PDATE:[2015-01-01 TO 2020-12-31]", [("2015:2020[dp]", "check by hand")]),
        ("english[la]", "LANG:eng", []),
        ("32678530[pmid]", "(EXT_ID:32678530 AND SRC:MED)", []),
        ("a[ti] NOT (b[ti] OR c[ti])", "TITLE:a NOT (TITLE:b OR TITLE:c)", []),
        ("asthma[ti] AND medline[sb]", "TITLE:asthma", [("", "wider"), ("medline[sb]", "lost")]),
        ("asthma[ti] OR medline[sb]", "TITLE:asthma", [("", "narrower"), ("medline[sb]", "lost")]),
        ("medline[sb]", "", [("medline[sb]", "lost")]),
        ("asthma[ti] AND hasabstract[sb]", "TITLE:asthma AND HAS_ABSTRACT:y", []),
        ("asthma[ti] AND english[filter]", "TITLE:asthma AND LANG:eng", []),
        ("ger[la]", "LANG:ger", []),
        ("Klingon[la]", "LANG:klingon", [("Klingon[la]", "check by hand")]),
        ('asthma[ti] OR "+"[ti]', "TITLE:asthma", [("", "narrower"), ('"+"[ti]', "lost")]),
        ("2024/02[dp]", "FIRST_PDATE:[2024-02-01 TO 2024-02-29]", [("2024/02[dp]", "check by hand")]),
        ("2015/02:2023/02[dp]", "FIRST_PDATE:[2015-02-01 TO 2023-02-28]", [("2015/02:2023/02[dp]", "check by hand")]),
        ("2015/04/03:3000[dp]", "FIRST_PDATE:[2015-04-03 TO 3000-12-31]", [("2015/04/03:3000[dp]", "check by hand")]),
        # Behind a NOT it is the other way round: excluding more widely leaves less.
        ("a[ti] NOT b[tiab]", "TITLE:a NOT (TITLE:b OR ABSTRACT:b OR KW:b)", [("b[tiab]", "narrower")]),
        ("a[ti] NOT (b[ti] OR medline[sb])", "TITLE:a NOT TITLE:b", [("", "wider"), ("medline[sb]", "lost")]),
        ("a[ti] NOT (b[ti] AND medline[sb])", "TITLE:a NOT TITLE:b", [("", "narrower"), ("medline[sb]", "lost")]),
        (
            "a[ti] NOT (b[ti] NOT c[tiab])",
            "TITLE:a NOT (TITLE:b NOT (TITLE:c OR ABSTRACT:c OR KW:c))",
            [("c[tiab]", "wider")],
        ),
    ],
)
def test_europepmc(query: str, text: str, changes: list[tuple[str, str]]) -> None:
    translation = compile_europepmc(parse(query))
    assert (translation.text, sorted(meanings(translation))) == (text, sorted(changes))


def test_europepmc_quotes_cannot_break_out() -> None:
    text = compile_europepmc(parse('"a:b) OR SRC:PAT"[ti]')).text
    assert text == 'TITLE:"a:b) OR SRC:PAT"'


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("asthma[tiab] NOT children[ti]", "(ti:asthma OR abs:asthma) ANDNOT ti:children"),
        ('"Heart Failure"[mh]', '(ti:"Heart Failure" OR abs:"Heart Failure")'),
        ("2015/03:2020[dp]", "submittedDate:[201503010000 TO 202012312359]"),
        ("2015/2/3:2024/2[dp]", "submittedDate:[201502030000 TO 202402292359]"),
        ("2015:3000[dp]", "submittedDate:[201501010000 TO 300012312359]"),
        ("covid-19[ti] OR covid[ti]", 'ti:"covid-19" OR ti:covid'),
        ('"or"[ti] OR "and"[ti]', 'ti:"or" OR ti:"and"'),
        ('asthma[ti] OR "+"[ti]', "ti:asthma"),
        ("statin*[ti]", "ti:statin"),
        ("covid-19 in children", '(all:"covid-19" AND all:children)'),
        ('"covid children"', 'all:"covid children"'),
        ("covid child* hospital", "(all:covid AND all:child AND all:hospital)"),
        ("covid[ti] AND wom*n[ti]", "ti:covid"),
        ("of the", "(all:of AND all:the)"),
        ("vaswani a[au] AND medline[sb]", 'au:"vaswani a"'),
        ('"a b) OR all:x"[ti]', 'ti:"a b OR all x"'),
    ],
)
def test_arxiv(query: str, text: str) -> None:
    assert compile_arxiv(parse(query)).text == text


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("covid-19 in children", '("covid-19" AND children)'),
        ('"covid-19 in children"', '"covid-19 in children"'),
        ("covid child*", "(covid AND child)"),
        ("heart failure[tiab]", '"heart failure"'),
        ("covid[tiab] AND wom*n[tiab]", "covid"),
    ],
)
def test_openalex(query: str, text: str) -> None:
    assert compile_openalex(parse(query)).text == text


@pytest.mark.parametrize(
    ("query", "text", "changes"),
    [
        ("covid-19 in children", '("covid-19" + children)', [("covid-19 in children", "narrower")]),
        ('"covid children"', '"covid children"', [('"covid children"', "narrower")]),
        ("covid child*", "(covid + child*)", [("covid child*", "narrower")]),
        ("heart failure[tiab]", '"heart failure"', [("heart failure[tiab]", "check by hand")]),
        ('"heart fail*"[tiab]', "(heart + fail*)", [('"heart fail*"[tiab]', "wider")]),
        ("covid-19*[tiab]", '"covid-19"', [("covid-19*[tiab]", "narrower")]),
        ("a[tiab] AND wom*n[tiab]", "a", [("", "wider"), ("wom*n[tiab]", "lost")]),
    ],
)
def test_semantic_scholar(query: str, text: str, changes: list[tuple[str, str]]) -> None:
    translation = compile_s2(parse(query))
    assert (translation.text, sorted(meanings(translation))) == (text, sorted(changes))


@pytest.mark.parametrize("translate", [compile_arxiv, compile_europepmc, compile_openalex, compile_s2])
def test_it_is_said_what_became_of_words_side_by_side(translate: Callable[[Node], Translation]) -> None:
    [untagged] = translate(parse("covid children")).changes
    [tagged] = translate(parse("covid children[tiab]")).changes
    assert untagged.why.startswith(JOINED)
    assert PHRASE_KEPT in tagged.why

"""Markup of titles: what is kept, what is shown as text, and that nothing hostile gets through."""

from __future__ import annotations

import html
import re
from html.parser import HTMLParser

import pypandoc
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from litapp.core.markup import (
    Run,
    escape_latex,
    escape_markdown,
    latex,
    pandoc_markdown,
    plain_text,
    runs,
    safe_html,
)

ITALIC, B, SUB, SUP = (frozenset([style]) for style in ("i", "b", "sub", "sup"))
NASTY = st.text(
    st.sampled_from("abA1 .-–*_`~^[](){}<>#+!|\\\"'@$%&:=/\n") | st.characters(codec="utf-8", exclude_categories=["C"]),
    max_size=40,
)
PANDOC = ["--wrap=none", "--sandbox"]
MARKED = st.lists(
    st.one_of(
        NASTY, st.sampled_from(["<i>", "</i>", "<b>", "</b>", "<sub>", "</sub>", "<sup>", "</sup>", "<script>", "&lt;"])
    ),
    max_size=8,
).map("".join)


def test_allowed_tags_and_their_aliases_are_read_other_formatting_loses_its_tag() -> None:
    text = (
        "<em>E. coli</em>; <jats:italic>S. <jats:bold>aureus</jats:bold></jats:italic>, CO<inf>2</inf> 10<sup>6</sup>"
        ', <span class="x">span</span> <mml:math><mml:mi>k</mml:mi></mml:math><p>next</p>'
    )
    assert runs(text) == (
        Run("E. coli", ITALIC),
        Run("; "),
        Run("S. ", ITALIC),
        Run("aureus", ITALIC | B),
        Run(", CO"),
        Run("2", SUB),
        Run(" 10"),
        Run("6", SUP),
        Run(", span k next"),
    )


@pytest.mark.parametrize(
    ("text", "plain", "shown"),
    [
        ("P<0.001 and q > 3, a <b and c> d", None, "P&lt;0.001 and q &gt; 3, a &lt;b and c&gt; d"),
        ("below <LOD>", None, "below &lt;LOD&gt;"),
        ("<script>alert(1)</script>", None, "&lt;script&gt;alert(1)&lt;/script&gt;"),
        ('<img src="x" onerror="alert(1)">', None, "&lt;img src=&quot;x&quot; onerror=&quot;alert(1)&quot;&gt;"),
        ('<i onclick="alert(1)">x</i>', "x", "<i>x</i>"),
        ("&lt;i&gt;x&lt;/i&gt; &amp;lt;b&amp;gt;y", "x <b>y", "<i>x</i> &lt;b&gt;y"),
        ("&lt;svg/onload=alert(1)&gt;", "<svg/onload=alert(1)>", "&lt;svg/onload=alert(1)&gt;"),
        ("</i>x<i>open <sub>y", "</i>x<i>open <sub>y", "&lt;/i&gt;x&lt;i&gt;open &lt;sub&gt;y"),
        ("<i>a <i>b</i>", "<i>a b", "&lt;i&gt;a <i>b</i>"),
        ("<i><b>crossed</i> over</b>", "crossed over", "<i><b>crossed</b></i><b> over</b>"),
        ("<i><b>crossed</i></b>", "crossed", "<i><b>crossed</b></i>"),
        ("  many \n\t blanks <i> here </i> ", "many blanks here", "many blanks <i>here</i>"),
        ("H<sub>2</sub>O, 10<sup>-6</sup>, x<sup>2a</sup>, 5<sup>th</sup>", "H₂O, 10⁻⁶, x^2a, 5th", None),
        ("\u202eevil\u202c \x00nul", "evil nul", "evil nul"),
        ("", "", ""),
    ],
)
def test_plain_text_and_html(text: str, plain: str | None, shown: str | None) -> None:
    assert plain_text(text) == (text if plain is None else plain)
    if shown is not None:
        assert safe_html(text) == shown


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.seen: list[tuple[str, list[tuple[str, str | None]]]] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, attrs))
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@given(MARKED)
def test_html_holds_only_the_four_tags_without_attributes_balanced(text: str) -> None:
    reader = _Tags()
    reader.feed(safe_html(text))
    reader.close()
    assert {tag for tag, _ in reader.seen} <= {"i", "b", "sub", "sup"}
    assert all(attributes == [] for _, attributes in reader.seen)
    assert reader.open == []


@given(MARKED)
def test_no_text_is_lost_or_added_by_html(text: str) -> None:
    shown = "".join(run.text for run in runs(text))
    assert html.unescape(re.sub(r"</?(?:i|b|sub|sup)>", "", safe_html(text))) == shown


@settings(max_examples=25, deadline=None)
@given(st.lists(NASTY, min_size=1, max_size=40))
def test_escaped_markdown_is_read_by_pandoc_as_the_text_itself(texts: list[str]) -> None:
    lines = [" ".join(text.split()) for text in texts]
    source = "\n\n".join(f"x\n\n{escape_markdown(line)}" for line in lines)
    read = pypandoc.convert_text(source, "html", format="markdown", extra_args=PANDOC)
    paragraphs = [html.unescape(found) for found in re.findall(r"<p>(.*?)</p>", read, re.DOTALL)]
    assert paragraphs == [shown for line in lines for shown in (("x", line) if line else ("x",))]
    assert set(re.findall(r"</?(\w+)", read)) == {"p"}


@settings(max_examples=25, deadline=None)
@given(st.lists(MARKED, min_size=1, max_size=20))
def test_markup_as_markdown_keeps_its_text_and_brings_no_foreign_tags(texts: list[str]) -> None:
    source = "\n\n".join(f"x\n\n{pandoc_markdown(text)}" for text in texts)
    read = pypandoc.convert_text(source, "html", format="markdown", extra_args=PANDOC)
    assert set(re.findall(r"<([a-zA-Z]\w*)", read)) <= {"p", "em", "strong", "sub", "sup"}
    paragraphs = re.findall(r"<p>(.*?)</p>", read, re.DOTALL)
    shown = [html.unescape(re.sub(r"<[^>]*>", "", found)) for found in paragraphs]
    wanted = [" ".join("".join(run.text for run in runs(text)).split()) for text in texts]
    assert [s.replace("\u00a0", " ") for s in shown] == [
        w.replace("\u00a0", " ") for text in wanted for w in (("x", text) if text else ("x",))
    ]


@pytest.mark.parametrize(
    ("text", "markdown", "tex"),
    [
        ("<i>E. coli</i> 10<sup>6</sup>", r"*E\. coli* 10^6^", r"\textit{E. coli} 10\textsuperscript{6}"),
        ("<i>a</i><b>b</b>", "*a*<!-- -->**b**", r"\textit{a}\textbf{b}"),
        ("x<i> c </i>y", "x *c* y", r"x\textit{ c }y"),
        ("x<sup>&lt;A&gt;</sup>", r"x\<A\>", r"x\textsuperscript{\textless{}A\textgreater{}}"),
        ("10<sup>a b</sup>", r"10^a\ b^", r"10\textsuperscript{a b}"),
        ("R&D 5% of $10 #1_a {sic}", r"R\&D 5% of \$10 \#1\_a \{sic\}", r"R\&D 5\% of \$10 \#1\_a \{sic\}"),
        ("1. [x](javascript:y) @z", r"1\. \[x\](javascript:y) \@z", "1. [x](javascript:y) @z"),
    ],
)
def test_markdown_and_latex(text: str, markdown: str, tex: str) -> None:
    assert (pandoc_markdown(text), latex(text)) == (markdown, tex)


def test_latex_ligatures_are_switched_off() -> None:
    assert escape_latex("a--b---c ''d'' ``e``") == "a-{}-b-{}-{}-c '{}'d'{}' `{}`e`{}`"


@given(NASTY)
def test_latex_text_keeps_its_braces_balanced_and_its_signs_escaped(text: str) -> None:
    bare = re.sub(r"\\[&%$#_{}]|\\text[a-z]+\{\}|\{\}", "", escape_latex(text))
    assert not re.search(r"[\\{}&%$#_^]", bare)

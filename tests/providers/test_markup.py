"""Titles and abstracts: four tags stay, all other markup becomes text, and a "<" that is no tag stays a "<"."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from litapp.core.records import AbstractSection
from litapp.providers.markup import abstract_sections, inline, title_line


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain  text\n over lines", "plain text over lines"),
        ("P<0.05 and a > b", "P<0.05 and a > b"),
        ("x<y and z>w", "x<y and z>w"),
        ("if <LOD> then", "if <LOD> then"),
        ("<i>Mus</i> H<sub>2</sub>O 10<sup>3</sup> <b>b</b>", "<i>Mus</i> H<sub>2</sub>O 10<sup>3</sup> <b>b</b>"),
        ("<em>a</em> <strong>b</strong>", "<i>a</i> <b>b</b>"),
        ("<jats:italic>a</jats:italic><jats:sub>2</jats:sub>", "<i>a</i><sub>2</sub>"),
        ("<I CLASS='x'>a</I>", "<i>a</i>"),
        ("<i>unclosed", "unclosed"),
        ("closed</i> twice</i>", "closed twice"),
        ("<b>x <i>y</b> z</i>", "x <i>y z</i>"),
        ("<i></i>empty<b> </b>", "empty"),
        ("<p>a</p><p>b</p>", "a b"),
        ("a<br/>b", "a b"),
        ("<a href='x'>Link</a> <span style='y'>s</span>", "Link s"),
        ("<mml:math><mml:mi>x</mml:mi><mml:mo>+</mml:mo></mml:math> y", "x+ y"),
        ("<alternatives><tex-math>$x^2$</tex-math><mml:mi>x</mml:mi></alternatives>", "x"),
        ("&lt;i&gt;Drosophila&lt;/i&gt; &amp;amp; P&amp;lt;0.05", "<i>Drosophila</i> & P<0.05"),
        ("<script>alert(1)</script>", "<script>alert(1)</script>"),
        ("&lt;img src=x onerror=alert(1)&gt;", "<img src=x onerror=alert(1)>"),
        ("a<!-- note -->b", "ab"),
        ("nul\x00l", "null"),
        ("", ""),
    ],
)  # fmt: skip
def test_inline(text: str, expected: str) -> None:
    assert inline(text) == expected


@given(st.text("<>/ibpsu &;x=\"'!-", max_size=60))
def test_whatever_comes_in_the_four_tags_come_out_balanced(text: str) -> None:
    opened: list[str] = []
    for closing, name in re.findall(r"<(/?)(i|b|sub|sup)>", inline(text)):
        if not closing:
            opened.append(name)
        elif opened and opened[-1] == name:
            opened.pop()
        else:
            raise AssertionError(inline(text))
    assert opened == []


@given(st.text(max_size=40))
def test_a_line_read_again_is_the_same_line(text: str) -> None:
    once = inline(text.replace("&", ""))
    assert inline(once) == once


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A title.", "A title"),
        ("Et cetera...", "Et cetera..."),
        ("<i>A.</i>", "<i>A.</i>"),
        (".", ""),
        ("Why?", "Why?"),
    ],
)
def test_the_full_stop_after_a_title_is_left_out(text: str, expected: str) -> None:
    assert title_line(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Plain text", [("Plain text", "")]),
        ("<jats:p>One</jats:p><jats:p>Two</jats:p>", [("One", ""), ("Two", "")]),
        ("<jats:title>Abstract</jats:title><jats:p>One</jats:p>", [("One", "")]),
        (
            "<jats:sec><jats:title>Background:</jats:title><jats:p>A <jats:italic>b</jats:italic></jats:p></jats:sec>"
            "<jats:sec><jats:title>Methods</jats:title><jats:p>C</jats:p><jats:p>D</jats:p></jats:sec>",
            [("A <i>b</i>", "Background"), ("C", "Methods"), ("D", "")],
        ),
        ("<h4>Aim</h4>One<h4>Results</h4>Two", [("One", "Aim"), ("Two", "Results")]),
        ("<jats:title>Only a title</jats:title>", [("Only a title", "")]),
        ("<jats:p>\n  P &lt; 0.001 and x&lt;y\n</jats:p>", [("P < 0.001 and x<y", "")]),
        ("<jats:p></jats:p>", []),
        ("", []),
    ],
)
def test_abstract_sections(text: str, expected: list[tuple[str, str]]) -> None:
    assert abstract_sections(text) == tuple(AbstractSection(line, label) for line, label in expected)

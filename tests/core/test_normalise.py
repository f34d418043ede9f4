"""Keys of titles, names and journals; LaTeX read as Unicode."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from litapp.core.normalise import (
    family_key,
    initials_key,
    journal_key,
    latex_to_unicode,
    name_key,
    strip_status_prefix,
    title_key,
)
from litapp.core.records import Person

NASTY = st.text(
    st.sampled_from("abcABC 019-–'’`.,:;()[]{}<>/&$%#_~^\\\n\"αβΩßøŁÉİı½²漢Ж") | st.characters(codec="utf-8"),
    max_size=60,
)


@pytest.mark.parametrize(
    ("title", "key"),
    [
        (
            "Effects of TNF-α on β-blockers: a <i>meta</i>-analysis",
            "effects of tnf alpha on beta blockers a meta analysis",
        ),
        ("P<0.001 was met, q > 3 (a < b)", "p 0 001 was met q 3 a b"),
        ('<jats:italic toggle="yes">In vitro</jats:italic> H<sub>2</sub>O', "in vitro h2o"),
        ("A &amp;lt;b&amp;gt;bold&amp;lt;/b&amp;gt; &amp; plain", "a bold plain"),
        ("Crohn’s disease", "crohns disease"),
        ("Ångström, Łódź, Straße, Ørsted", "angstrom lodz strasse orsted"),
        ("m² and ½", "m2 and 1 2"),
        ("漢字の研究", "hanzinoyanjiu"),
        ("Исследование", "issledovanie"),
        (r"Ma{\~n}ana and $\alpha$ in {BRCA}", "manana and alpha in brca"),
        ("Hyphen-\nated word", "hyphenated word"),
        ("RETRACTED: Kept here", "retracted kept here"),
        ("", ""),
        ("…", ""),
    ],
)
def test_title_key(title: str, key: str) -> None:
    assert title_key(title) == key


@given(NASTY)
def test_keys_are_their_own_keys(text: str) -> None:
    for key in (title_key, family_key, journal_key):
        assert key(key(text)) == key(text)
    assert name_key(Person(literal=name_key(text))) in (name_key(text), name_key(text).replace(" ", ""))
    assert strip_status_prefix(strip_status_prefix(text)) == strip_status_prefix(text)


@given(NASTY)
def test_title_keys_hold_only_words_of_lower_case_ascii(text: str) -> None:
    key = title_key(text)
    assert key == " ".join(key.split())
    assert key.isascii()
    assert all(word.isalnum() and word == word.lower() for word in key.split())


@pytest.mark.parametrize(
    ("title", "bare"),
    [
        ("RETRACTED: Foo bar", "Foo bar"),
        ("Retracted: RETRACTED ARTICLE: Foo", "Foo"),
        ("[Retracted] Foo", "Foo"),
        ("WITHDRAWN: Foo", "Foo"),
        ("Foo (Retracted article. See vol. 375, pg. 445, 2010)", "Foo"),
        ("Foo – RETRACTED", "Foo"),
        ("Retraction: Foo", "Retraction: Foo"),
        ("Expression of concern: Foo", "Expression of concern: Foo"),
        ("Retracted studies in medicine", "Retracted studies in medicine"),
        ("RETRACTED:", "RETRACTED:"),
    ],
)
def test_status_marks_go_but_titles_of_notices_stay(title: str, bare: str) -> None:
    assert strip_status_prefix(title) == bare


@pytest.mark.parametrize(
    ("person", "family", "name"),
    [
        ("Horby PW", "horby", "horby p"),
        ("Horby, Peter W", "horby", "horby p"),
        ("Peter Horby", "peterhorby", "peterhorby"),
        (Person(family="van den Berg", given="Jan-Luc"), "vandenberg", "vandenberg j"),
        (Person(family="O’Neill", given="PW"), "oneill", "oneill p"),
        (Person(family="Müller", given="Ö."), "muller", "muller o"),
        (Person(literal="RECOVERY Collaborative Group"), "recoverycollaborativegroup", "recoverycollaborativegroup"),
        (Person(), "", ""),
    ],
)
def test_name_keys(person: Person | str, family: str, name: str) -> None:
    assert (family_key(person), name_key(person)) == (family, name)


@pytest.mark.parametrize(
    ("given_names", "initials"),
    [("Peter W.", "pw"), ("PW", "pw"), ("P.W.", "pw"), ("Jean-Luc", "jl"), ("É", "e"), ("", ""), ("Peter", "p")],
)
def test_initials(given_names: str, initials: str) -> None:
    assert initials_key(given_names) == initials


@pytest.mark.parametrize(
    ("journal", "key"),
    [
        ("Lancet (London, England)", "lancet"),
        ("The Lancet", "lancet"),
        ("The Lancet Infectious Diseases", "lancet infectious diseases"),
        ("BMJ (Clinical research ed.)", "bmj"),
        ("Health & Care", "health and care"),
        ("A &amp; B", "a and b"),
        ("(Only brackets)", "only brackets"),
    ],
)
def test_journal_keys(journal: str, key: str) -> None:
    assert journal_key(journal) == key


@pytest.mark.parametrize(
    ("latex", "text"),
    [
        (r"Mart{\'\i}n Mart{\'{\i}}n Mart\'\i n", "Martín Martín Martín"),
        (r"{\.I}zmir {\L}ukasz {\aa} \AA ngstr\"om Erd\H os", "İzmir Łukasz å Ångström Erdős"),
        (r"Fran\c{c}ois Bj{\o}rn \c c \v{S} \k{a}", "François Bjørn ç Š ą"),
        (r"\'Evaluer la m\'edecine d'urgence", "Évaluer la médecine d'urgence"),
        (
            r"R\&D: 5\% of \$10 \#1\_a \{sic\} \textasciitilde{} 2\textasciicircum{}3 \textbackslash{}",
            "R&D: 5% of $10 #1_a {sic} ~ 2^3 \\",
        ),
        (r"$\alpha$-blocker, $\less$p$\greater$, $10^{-6}$, H$_2$O, x$^{ab}$", "α-blocker, <p>, 10⁻⁶, H₂O, x^ab"),
        (r"10\textsuperscript{6} cells", "10⁶ cells"),
        (r"\textit{In vitro} {\em and} {BRCA}", "In vitro and BRCA"),
        (r"\href{https://example.org}{text}", "text"),
        ("480--486 ``quoted''", "480–486 “quoted”"),
        ("100% sure, $5 vs $10, ~5 mg, a_b, C:/x", "100% sure, $5 vs $10, ~5 mg, a_b, C:/x"),
        (r"\unknowncommand{x}", r"\unknowncommandx"),
    ],
)
def test_latex_is_read_as_what_it_prints(latex: str, text: str) -> None:
    assert latex_to_unicode(latex) == text


@given(NASTY)
def test_no_text_breaks_latex_reading_and_plain_words_stay(text: str) -> None:
    latex_to_unicode(text)
    plain = "".join(sign for sign in text if sign.isalnum() or sign == " ")
    assert latex_to_unicode(plain) == plain

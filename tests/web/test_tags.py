"""Template tags: icons, badges, fit, decisions, navigation, and the filters for what is read."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest
import time_machine
from django.http import HttpRequest
from django.template import Context, Template
from django.test import RequestFactory
from hypothesis import given
from hypothesis import strategies as st

from litapp.core.records import Person
from litapp.web.templatetags.badges import BADGES, badge, decision_pill, fit, verdict_text, verification_badges
from litapp.web.templatetags.icon_shapes import SHAPES
from litapp.web.templatetags.icons import icon
from litapp.web.templatetags.reading import (
    doi_link,
    markup,
    plain,
    pmid_link,
    short_authors,
    source_name,
    thousands,
    when,
)


@dataclass
class Checked:
    """What the badges read of a Verification."""

    status: str = "verified"
    passed: int = 0
    asked: int = 0
    reasons: list[str] = field(default_factory=list)
    publication_state: str = ""
    notice_date: str = ""
    checked_at: datetime | None = datetime(2026, 11, 14, tzinfo=UTC)
    is_open: bool = False
    manual_by: Any = None


def words(html: str) -> list[str]:
    """What a reader sees of badges, one after the other."""
    return re.findall(r'<span class="badge-text">(.*?)</span>', html)


def kinds(html: str) -> list[str]:
    return re.findall(r'class="badge badge-(\w+)"', html)


# Icons


@pytest.mark.parametrize("name", sorted(SHAPES))
def test_an_icon_without_label_is_hidden_from_screen_readers(name: str) -> None:
    drawn = icon(name)
    assert 'aria-hidden="true"' in drawn
    assert "role=" not in drawn
    assert "style" not in drawn


def test_an_icon_with_label_speaks_and_the_label_is_escaped() -> None:
    assert 'role="img" aria-label="&lt;b&gt; &quot;"' in icon("check", label='<b> "')


def test_an_unknown_icon_is_refused_by_name() -> None:
    with pytest.raises(LookupError, match="'chekc'"):
        icon("chekc")


# Badges


def test_a_badge_without_address_is_no_control() -> None:
    assert badge("verified", "Verified 4 of 4").startswith('<span class="badge badge-verified">')


def test_a_badge_with_address_and_target_is_a_link_that_htmx_may_follow() -> None:
    html = badge("suspect", href="/e/1/?a=1&b=2", target="#dialog")
    assert html.startswith(
        '<a class="badge badge-suspect" href="/e/1/?a=1&amp;b=2" hx-get="/e/1/?a=1&amp;b=2" hx-target="#dialog">'
    )


def test_the_text_of_a_badge_is_escaped() -> None:
    assert words(badge("suspect", "<script>alert(1)</script>")) == ["&lt;script&gt;alert(1)&lt;/script&gt;"]


def test_every_badge_has_an_icon_a_word_and_a_look_of_its_own() -> None:
    assert [kind for kind, style in BADGES.items() if not style.word or style.icon not in SHAPES] == []
    looks = {kind: (style.word, style.icon, style.css) for kind, style in BADGES.items()}
    assert len(set(looks.values())) == len(looks)


def test_an_unknown_badge_is_refused() -> None:
    with pytest.raises(LookupError, match="'fine'"):
        badge("fine")


@pytest.mark.parametrize(
    ("checked", "text"),
    [
        (Checked("verified", 3, 4), "Verified 3 of 4"),
        (Checked("suspect", reasons=["Year differs."]), "Suspect: year differs"),
        (Checked("suspect", reasons=["DOI leads to another paper"]), "Suspect: DOI leads to another paper"),
        (Checked("unverified", reasons=["Crossref could not be reached"]), "Unverified: Crossref could not be reached"),
        (Checked("unverified", reasons=["PubMed is switched off"]), "Unverified: PubMed is switched off"),
        (Checked("unverified"), "Unverified: not checked yet"),
        (
            Checked("manual", manual_by=SimpleNamespace(get_full_name=lambda: "A. Weber", get_username=lambda: "aw")),
            "Confirmed by A. Weber",
        ),
        (Checked("manual"), "Confirmed by a person"),
    ],
)
def test_the_verdict_says_its_reason(checked: Checked, text: str) -> None:
    assert verdict_text(checked) == text


def test_a_long_reason_is_cut_at_a_word_with_an_ellipsis() -> None:
    text = verdict_text(
        Checked("suspect", reasons=["The title at the source is another one and so is the whole list of authors"])
    )
    assert text == "Suspect: the title at the source is another one and so…"


@pytest.mark.parametrize(
    ("checked", "preprint", "shown"),
    [
        (Checked("verified", 4, 4), False, ["verified"]),
        (
            Checked("verified", 4, 4, publication_state="retracted", notice_date="2020-06-05"),
            False,
            ["retracted", "verified"],
        ),
        (Checked("suspect", publication_state="concern"), True, ["concern", "suspect", "preprint"]),
        (Checked("unverified", checked_at=None, is_open=True), False, ["checking"]),
        (Checked("unverified", checked_at=None, is_open=False), False, ["unverified"]),
        (Checked("manual", checked_at=None, is_open=True), False, ["manual"]),
        (None, True, ["unverified", "preprint"]),
    ],
)
def test_badges_stand_in_order_and_nothing_unchecked_looks_checked(
    checked: Checked | None, preprint: bool, shown: list[str]
) -> None:
    assert kinds(verification_badges(checked, preprint=preprint)) == shown


def test_a_retraction_says_its_year() -> None:
    html = verification_badges(Checked("verified", 3, 3, publication_state="retracted", notice_date="2020-06-05"))
    assert words(html) == ["Retracted 2020", "Verified 3 of 3"]


def test_no_state_of_the_core_is_without_a_badge() -> None:
    from litapp.core.verification import PublicationState, Status

    states = {str(state) for state in PublicationState if str(state)} | {str(status) for status in Status}
    assert sorted(states - set(BADGES)) == []


@pytest.mark.parametrize(("level", "word"), [(1, "Low"), (2, "Medium"), (3, "High"), ("high", "High")])
def test_fit_is_a_word_and_bars(level: int | str, word: str) -> None:
    html = fit(level)
    assert (f"fit-{word.lower()}" in html, f">{word}<" in html, html.count("<i></i>")) == (True, True, 3)


def test_no_decision_is_no_pill() -> None:
    assert (decision_pill(""), "Included" in decision_pill("include")) == ("", True)


# Reading


@pytest.mark.parametrize(
    ("authors", "line"),
    [
        ((), ""),
        (None, ""),
        (("Horby P",), "Horby P"),
        (
            (Person("Horby", "Peter"), Person("Lim", "Wei Shen"), Person("Emberson", "J.R.")),
            "Horby P, Lim WS, Emberson JR",
        ),
        (tuple(Person(name, "A B") for name in ("Eins", "Zwei", "Drei", "Vier")), "Eins AB, Zwei AB, … Vier AB"),
        (
            (Person(literal="RECOVERY Collaborative Group"), {"family": "Lim", "given": "WS"}),
            "RECOVERY Collaborative Group, Lim WS",
        ),
        ((Person("Sartre", "Jean-Paul"),), "Sartre JP"),
        ((Person("Müller"),), "Müller"),
    ],
)
def test_authors_on_one_line(authors: Any, line: str) -> None:
    assert short_authors(authors) == line


@pytest.mark.parametrize(("number", "text"), [(None, "—"), (0, "0"), (2214, "2,214"), ("1480", "1,480")])
def test_an_unknown_number_is_a_dash_and_never_zero(number: Any, text: str) -> None:
    assert thousands(number) == text


@pytest.mark.parametrize(
    ("moment", "text"),
    [
        (datetime(2026, 11, 14, 9, 14, tzinfo=UTC), "today 09:14"),
        (datetime(2026, 11, 13, 9, 14, tzinfo=UTC), "yesterday 09:14"),
        (datetime(2025, 3, 1, 9, 14, tzinfo=UTC), "1 Mar 2025 09:14"),
    ],
)
def test_a_time_is_said_as_people_say_it(moment: datetime, text: str) -> None:
    with time_machine.travel(datetime(2026, 11, 14, 20, 0, tzinfo=UTC), tick=False):
        shown = when(moment)
    assert (re.sub(r"<.*?>", "", shown), moment.isoformat() in shown) == (text, True)


def test_titles_keep_their_markup_and_nothing_else() -> None:
    hostile = '<i>in vitro</i> CO<sub>2</sub> <script>alert(1)</script><img src=x onerror="alert(1)"> & P<0.001'
    shown = markup(hostile)
    assert "<i>in vitro</i> CO<sub>2</sub>" in shown
    assert set(re.findall(r"</?([a-z]+)", shown)) == {"i", "sub"}


@given(st.text(alphabet=st.sampled_from("<>/ibsupscrt=\"'& xon12\n"), max_size=60))
def test_whatever_a_source_sends_only_four_tags_without_attributes_come_out(text: str) -> None:
    assert set(re.findall(r"<[^>]*>", markup(text))) <= {
        f"<{end}{tag}>" for end in ("", "/") for tag in ("i", "b", "sub", "sup")
    }


def test_plain_titles_have_no_markup() -> None:
    assert plain("CO<sub>2</sub> in <i>E. coli</i>") == "CO₂ in E. coli"


@pytest.mark.parametrize(
    ("doi", "address"),
    [
        ("10.1056/NEJMoa2021436", "https://doi.org/10.1056/NEJMoa2021436"),
        ('10.1002/(SICI)1097#"><script>', "https://doi.org/10.1002/(SICI)1097%23%22%3E%3Cscript%3E"),
    ],
)
def test_a_doi_leads_to_its_resolver(doi: str, address: str) -> None:
    assert f'href="{address}"' in doi_link(doi)
    assert "<script" not in doi_link(doi)


def test_no_identifier_is_no_link() -> None:
    assert (doi_link(""), pmid_link("")) == ("", "")


def test_sources_have_names_for_people() -> None:
    assert [source_name("semanticscholar"), source_name("other")] == ["Semantic Scholar", "other"]


# Navigation


def render(text: str, request: HttpRequest | None = None, **values: Any) -> str:
    return Template("{% load litledger %}" + text).render(Context({"request": request, **values}))


def at(view_name: str) -> HttpRequest:
    request = RequestFactory().get("/")
    request.resolver_match = SimpleNamespace(view_name=view_name)  # type: ignore[assignment]
    return request


@pytest.mark.parametrize(
    ("here", "current"), [("account_login", True), ("account_signup", True), ("account_email", False), ("", False)]
)
def test_the_navigation_marks_where_one_is(here: str, current: bool) -> None:
    html = render('{% nav_link "Door" "account_login" match="account_sign" %}', at(here))
    assert ('aria-current="page"' in html) is current


@pytest.mark.parametrize(("count", "shown"), [(0, ">0<"), (1480, ">1,480<"), ("v3", ">v3<")])
def test_a_count_is_shown_even_when_it_is_zero(count: Any, shown: str) -> None:
    assert shown in render('{% nav_link "Door" "account_login" count=count %}', at(""), count=count)


def test_no_count_and_no_such_page_show_nothing() -> None:
    assert "nav-count" not in render('{% nav_link "Door" "account_login" count=none_here %}', at(""))
    assert render('{% nav_link "Door" "no:such_page" 1 %}', at("")) == ""


@pytest.mark.parametrize(
    ("query", "order", "link"),
    [
        ("", "", "?sort=year"),
        ("sort=year&page=3&q=a%26b", "ascending", "?sort=-year&amp;q=a%26b"),
        ("sort=-year", "descending", "?sort=year"),
        ("sort=title", "", "?sort=year"),
    ],
)
def test_a_sorting_head_says_its_order_and_turns_it(query: str, order: str, link: str) -> None:
    html = render('{% sort_head "year" "Year" %}', RequestFactory().get(f"/?{query}"))
    assert (f'aria-sort="{order}"' in html, link in html) == (bool(order), True)


def test_key_hints_are_not_read_out() -> None:
    assert render('{% kbd "V" %}') == '<kbd class="key" aria-hidden="true">V</kbd>'

"""Strings for other databases: every database has one, each change its label, nothing lost is left unsaid."""

from __future__ import annotations

from dataclasses import replace

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from litapp.core.plan import Filters, PlanQuery, Preprints
from litapp.core.querylang.adapted import Options
from litapp.core.querylang.database_steps import STEPS
from litapp.core.querylang.dialects import Dialect, parse_in
from litapp.core.querylang.translation import Meaning
from litapp.projects.models import Project
from searches.services import database_strings as service
from searches.services.database_strings import NoString, database_strings, losses_text, sent_to_pubmed, strings_frozen
from searches.services.plans import StaleDraft, plan_approve
from tests.searches.conftest import content
from tests.searches.test_pages_plans import HOSTILE, at, client, draft, text_of

__all__ = ["client"]
pytestmark = pytest.mark.django_db
QUERY = '("Heart Failure"[mh] OR hf[ti]) AND sacubitril*[tiab] NOT (animals[mh] NOT humans[mh])'
PLAN = content(
    queries_given=(PlanQuery(QUERY, "words"), PlanQuery("", "only words"), PlanQuery("gout[ti]", "gout", "second")),
    filters=Filters(2015, 2020, (), ("eng",), Preprints.INCLUDED),
)
NAMES = [
    "Ovid MEDLINE", "Ovid Embase", "Embase.com", "Cochrane CENTRAL", "Web of Science", "Scopus", "CINAHL (EBSCOhost)",
    "Europe PMC",
]  # fmt: skip


def test_every_database_has_a_proved_string_steps_and_obstacles() -> None:
    strings = database_strings(PLAN, 0)
    assert [one.steps.dialect.value for one in strings] == NAMES
    for one in strings:
        assert one.proved
        assert one.text
        assert all((one.steps.steps, one.steps.fields, one.steps.obstacles, one.steps.address.startswith("https://")))
    assert parse_in(strings[2].text, Dialect.EMBASE_COM)


def test_the_plans_limits_are_in_the_string_and_languages_have_their_names() -> None:
    assert sent_to_pubmed(PLAN, 0).endswith('AND 2015:2020[dp] AND "english"[la]')
    by_name = {one.steps.dialect: one.text for one in database_strings(PLAN, 0)}
    assert 'limit 1 to yr="2015-2020"' in by_name[Dialect.OVID_MEDLINE]
    assert "english.lg." in by_name[Dialect.OVID_MEDLINE]
    assert "[2015-2020]/py" in by_name[Dialect.EMBASE_COM]
    assert "[english]/lim" in by_name[Dialect.EMBASE_COM]
    assert "LA=english" in by_name[Dialect.WEB_OF_SCIENCE]


def test_changes_are_labelled_and_what_is_lost_goes_into_the_methods() -> None:
    strings = {one.steps.dialect: one for one in database_strings(PLAN, 0)}
    assert strings[Dialect.OVID_MEDLINE].changes == ()
    wos = strings[Dialect.WEB_OF_SCIENCE]
    assert {change.meaning for change in wos.changes} == {Meaning.LOST, Meaning.NARROWER, Meaning.WIDER}
    assert wos.changes[0].meaning is Meaning.LOST
    embase = strings[Dialect.EMBASE_COM]
    assert next(c.parts for c in embase.changes if c.meaning is Meaning.CHECK) == ('"Heart Failure"[mh]',)
    text = losses_text(strings.values())
    assert "The search for Web of Science was translated from the one for PubMed." in text
    assert "Embase.com" not in text


def test_the_wider_forms_are_a_choice() -> None:
    def of(dialect: Dialect, options: Options) -> str:
        [one] = database_strings(PLAN, 0, options, only=dialect.value)
        return one.text

    assert "sacubitril*:ab,ti" in of(Dialect.EMBASE_COM, Options())
    assert "sacubitril*:ti,ab,kw" in of(Dialect.EMBASE_COM, Options(embase_keywords=True))
    assert "TS=" in of(Dialect.WEB_OF_SCIENCE, Options(topic=True))


def test_a_long_query_is_made_for_one_database_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "MOST_TERMS", 3)
    assert [one.steps.dialect.value for one in database_strings(PLAN, 0)] == ["Ovid MEDLINE"]
    assert [one.steps.dialect.value for one in database_strings(PLAN, 0, only="Scopus")] == ["Scopus"]


@pytest.mark.parametrize(
    ("index", "sentence"),
    [(1, "This plan has no PubMed query yet"), (9, "This plan has no PubMed query yet")],
)
def test_without_a_query_there_is_no_string(index: int, sentence: str) -> None:
    with pytest.raises(NoString, match=sentence):
        database_strings(PLAN, index)


def test_a_query_that_cannot_be_read_is_not_translated() -> None:
    with pytest.raises(NoString, match="bracket"):
        database_strings(content(queries_given=(PlanQuery("(a[ti]"),)), 0)


def test_the_page_shows_strings_changes_steps_and_the_way_back(client: Client, project: Project, person: User) -> None:
    version = draft(project, person, PLAN)
    page = client.get(at("plan_strings", version))
    text = text_of(page)
    for name in NAMES:
        assert name in text
    assert "same tree" in text
    assert "the tree has changed" not in text
    assert "“Heart Failure” is a candidate: look it up in Emtree before you run this." in text
    assert "Switch “Apply equivalent subjects”" in text
    assert "For the methods section" in text
    assert page.content.decode().count("data-copy-from") == len(NAMES) + 1
    assert reverse("searches:import_new", args=[project.pk]) in page.content.decode()
    second = client.get(at("plan_strings", version), {"query": "2", "db": "Scopus"})
    assert "TITLE(gout)" in text_of(second)
    assert "Strings for other databases" in text_of(client.get(at("plan", version)))


def test_the_page_says_why_there_is_no_string_and_shows_text_as_text(
    client: Client, project: Project, person: User
) -> None:
    none = draft(project, person, content(queries_given=(PlanQuery("", "words"),)))
    assert "This plan has no PubMed query yet" in text_of(client.get(at("plan_strings", none)))
    hostile = draft(project, person, content(queries_given=(PlanQuery(f'"{HOSTILE[2:]}"[ti]', "w"),)))
    assert "<script>alert" not in client.get(at("plan_strings", hostile)).content.decode()


def test_steps_name_databases_as_the_import_form_does() -> None:
    from searches.services.import_databases import DATABASES

    known = {(database.name, platform) for database in DATABASES for platform in database.platforms}
    mine = {(steps.database, steps.platform) for steps in STEPS.values() if steps.dialect is not Dialect.EUROPE_PMC}
    assert mine <= known


def test_approval_freezes_the_strings(
    client: Client, project: Project, person: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    version = draft(project, person, content(queries_given=(PlanQuery(QUERY, "words"),)))
    drafted = database_strings(version.plan_content, 0)
    plan_approve(version=version, actor=person, content_hash=version.content_hash)
    monkeypatch.setattr(service, "translate_strategy", None)  # no string is made anew from now on
    frozen = strings_frozen(version, 0)
    assert [replace(one, frozen_at=None) for one in frozen] == drafted
    text = text_of(client.get(at("plan_strings", version)))
    assert "These strings do not change any more." in text
    assert "exp Heart Failure/" in text
    plan_approve(version=version, actor=person, content_hash=version.content_hash)
    assert version.frozen_strings.count() == len(NAMES)


def test_a_version_that_is_not_approved_freezes_nothing(client: Client, project: Project, person: User) -> None:
    version = draft(project, person, PLAN)
    with pytest.raises(StaleDraft):
        plan_approve(version=version, actor=person, content_hash="another")
    assert not version.frozen_strings.exists()

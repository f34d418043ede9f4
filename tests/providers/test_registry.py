"""The list of sources and the rules of each."""

from __future__ import annotations

from pathlib import Path

import pytest

from litapp.core.plan import SearchPlan
from litapp.providers import registry
from litapp.providers.policies import MARGIN, policy_for
from litapp.providers.settings import SourceSettings


def test_the_sources_in_order_and_who_runs_them() -> None:
    assert [(source.key, source.organisation) for source in registry.SOURCES] == [
        ("pubmed", "National Library of Medicine"),
        ("crossref", "Crossref"),
        ("openalex", "OurResearch"),
        ("semanticscholar", "Allen Institute for AI (Ai2)"),
        ("europepmc", "EMBL-EBI"),
        ("arxiv", "arXiv"),
        ("biorxiv", "openRxiv"),
        ("datacite", "DataCite"),
        ("doiorg", "International DOI Foundation"),
        ("unpaywall", "OurResearch"),
        ("pmc", "National Library of Medicine"),
    ]
    assert {source.key: {one.value for one in source.capabilities} for source in registry.SOURCES} == {
        "pubmed": {"search", "lookup", "citation_match", "related"},
        "crossref": {"search", "lookup", "citation_match"},
        "openalex": {"search", "lookup", "citation_match"},
        "semanticscholar": {"search", "lookup", "citation_match", "related", "citation_links"},
        "europepmc": {"search", "lookup", "citation_match", "citation_links"},
        "arxiv": {"search", "lookup", "citation_match"},
        "biorxiv": {"search", "lookup"},
        "datacite": {"lookup"},
        "doiorg": {"agencies"},
        "unpaywall": {"open_access"},
        "pmc": set(),
    }
    assert [source.key for source in registry.search_sources() if source.query_kind is registry.QueryKind.BOOLEAN] == [
        "pubmed",
        "europepmc",
        "arxiv",
    ]


def test_only_sources_that_can_be_searched_are_offered_for_a_plan() -> None:
    assert registry.search_keys() == (
        "pubmed",
        "crossref",
        "openalex",
        "semanticscholar",
        "europepmc",
        "arxiv",
        "biorxiv",
    )


def test_unpaywall_wants_a_contact_address() -> None:
    without = SourceSettings("https://x.test")
    assert registry.unusable_reason("unpaywall", without) == (
        "Unpaywall wants a contact e-mail address, and this installation has none (LITAPP_CONTACT_EMAIL)."
    )
    assert registry.unusable_reason("unpaywall", SourceSettings("https://x.test", email="a@b.test")) == ""
    assert registry.unusable_reason("datacite", without) == ""


def test_a_source_looks_up_what_it_is_the_registrar_of() -> None:
    for source in registry.SOURCES:
        assert set(source.owns) <= set(getattr(registry.provider(source.key), "lookup_schemes", ()))


def test_an_unknown_source_is_a_key_error() -> None:
    for ask in (registry.source, registry.provider):
        with pytest.raises(KeyError):
            ask("scopus")
    with pytest.raises(KeyError):
        policy_for("scopus", has_key=False, has_email=False)


def test_why_a_source_cannot_be_used() -> None:
    assert registry.unusable_reason("openalex", None) == "OpenAlex has no address in this installation's settings."
    off = SourceSettings("https://x.test", enabled=False)
    assert registry.unusable_reason("openalex", off) == "OpenAlex is switched off in this installation's settings."
    assert registry.unusable_reason("openalex", SourceSettings("https://x.test")) == ""


@pytest.mark.parametrize(
    ("source", "operation", "key", "email", "per_second"),
    [
        ("pubmed", "search", False, False, 3),
        ("pubmed", "search", True, False, 10),
        ("crossref", "search", False, False, 1),
        ("crossref", "lookup", False, False, 5),
        ("crossref", "batch", False, True, 3),
        ("crossref", "lookup", False, True, 10),
        ("crossref", "search", True, True, 150),
        ("openalex", "search", False, False, 10),
        ("openalex", "search", True, False, 30),
        ("openalex", "boolean_search", False, False, 1),
        ("openalex", "boolean_search", True, False, 5),
        ("semanticscholar", "search", False, False, 1),
        ("semanticscholar", "batch", True, True, 1),
        ("europepmc", "search", False, False, 5),
        ("arxiv", "search", False, True, 1 / 3),
        ("biorxiv", "lookup", False, False, 2),
        ("datacite", "batch", False, False, 500 / 300),
        ("datacite", "batch", False, True, 1000 / 300),
        ("doiorg", "agencies", False, False, 3),
        ("unpaywall", "lookup", False, True, 5),
    ],
)
def test_the_paces(source: str, operation: str, key: bool, email: bool, per_second: float) -> None:
    policy = policy_for(source, has_key=key, has_email=email)
    assert policy.pace(operation).per_second == per_second
    assert policy.interval(operation) == pytest.approx(MARGIN / per_second)


def test_every_figure_names_where_it_is_documented() -> None:
    for source in registry.source_keys():
        for key in (False, True):
            for email in (False, True):
                policy = policy_for(source, has_key=key, has_email=email)
                assert all(pace.evidence for pace in policy.paces)
                assert policy.terms_url.startswith("https://")
                assert [pace.operation for pace in policy.paces].count("") == 1
                assert policy.concurrency >= 1


def test_only_one_module_speaks_http() -> None:
    root = Path(registry.__file__).parents[1]
    speaking = [
        path.relative_to(root).as_posix()
        for path in root.rglob("*.py")
        if "import httpx" in path.read_text(encoding="utf-8") or "import httpcore" in path.read_text(encoding="utf-8")
    ]
    assert speaking == ["providers/http.py"]


def test_a_plan_can_name_every_source() -> None:
    assert SearchPlan("q", registry.source_keys(), ()).sources == registry.source_keys()

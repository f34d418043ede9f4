"""The product's own clients read the sandbox over HTTP as they read the real sources."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from litapp.core.plan import Filters, PlanQuery, Preprints
from litapp.core.records import Identifier, NoticeKind, Record, Scheme
from litapp.providers import answering, registry
from litapp.providers.http import PoliteClient
from litapp.providers.pubmed.provider import PubMed
from litapp.providers.settings import SourceSettings
from litapp.sandbox.corpus.index import folded
from litapp.sandbox.server import RunningSandbox
from litapp.sandbox.tiny import RETRACTED
from tests.providers.fakes import FakeArchive, FakeBreaker, FakeClock, FakeGate

QUERY = PlanQuery(boolean="asthma[tiab] OR covid-19[tiab]", plain="asthma")


@pytest.fixture
def client(sandbox_server: RunningSandbox) -> Iterator[PoliteClient]:
    settings = {name: SourceSettings(base_url=url) for name, url in sandbox_server.addresses().items()}
    polite = PoliteClient(
        settings, clock=FakeClock(), gate=FakeGate(), breaker=FakeBreaker(), archive=FakeArchive(), chance=lambda: 0.0
    )
    yield polite
    polite.close()


def everything(client: PoliteClient, source: str) -> tuple[list[Record], int | None]:
    """All records of a search, page by page, and the total the source reports."""
    provider = registry.provider(source)
    query = provider.compile(QUERY, Filters())
    cursor: dict[str, object] | None = {}
    records, total = [], None
    while cursor is not None:
        page = provider.fetch_page(client, query, cursor, 1_000)
        assert (page.empty_records, page.invalid_records, page.missing) == (0, 0, ())
        records += [hit.record for hit in page.hits]
        total, cursor = page.total, page.cursor
    return records, total


@pytest.mark.parametrize("source", ["pubmed", "crossref", "openalex", "semanticscholar", "europepmc", "arxiv"])
def test_a_search_is_read_to_its_last_record(client: PoliteClient, source: str) -> None:
    provider = registry.provider(source)
    records, total = everything(client, source)
    assert len(records) == total == provider.count(client, provider.compile(QUERY, Filters())).total
    assert len(records) >= 5
    assert len({record.source_id for record in records}) == len(records)
    assert all(record.title and record.year for record in records)


def test_preprints_of_biorxiv_are_searched_through_crossref(client: PoliteClient) -> None:
    """The sandbox applies both prefixes and the type; the records are Crossref's."""
    provider = registry.provider("biorxiv")
    query = provider.compile(PlanQuery(plain="genes of the NSP1 protein"), Filters())
    page = provider.fetch_page(client, query, {}, 100)
    assert page.total == len(page.hits) == provider.count(client, query).total
    assert page.hits
    assert {hit.record.source for hit in page.hits} == {"crossref"}
    assert {hit.record.doi.split("/")[0] for hit in page.hits} <= {"10.1101", "10.64898"}
    assert all(hit.record.is_preprint for hit in page.hits)


@pytest.mark.parametrize("source", ["crossref", "openalex", "semanticscholar", "europepmc"])
def test_another_source_knows_the_same_papers_by_doi(client: PoliteClient, source: str) -> None:
    pubmed, _ = everything(client, "pubmed")
    dois = {record.doi: record for record in pubmed if record.doi}
    asked = [Identifier(Scheme.DOI, doi) for doi in dois]
    unknown = Identifier(Scheme.DOI, "10.9999/unknown")
    result = registry.provider(source).lookup(client, [*asked, unknown])
    assert result.failures == {}
    assert unknown in result.absent
    assert len(result.found) >= 0.75 * len(asked)
    for identifier, (record, _) in result.found.items():
        ours = dois[identifier.value]
        titles = (folded(ours.title.strip("[].")), folded(ours.original_title))
        assert folded(record.title.removeprefix("RETRACTED: ")) in titles
        assert set(record.years) & {year + shift for year in ours.years for shift in (0, -1)}


def test_retractions_are_read_with_their_notice(client: PoliteClient) -> None:
    asked = [Identifier(Scheme.PMID, str(pmid)) for pmid in RETRACTED]
    found = registry.provider("pubmed").lookup(client, asked).found
    notices = {
        int(i.value): [n for n in record.notices if n.kind is NoticeKind.RETRACTION] for i, (record, _) in found.items()
    }
    assert set(notices) == set(RETRACTED)
    assert all(len(kinds) == 1 for kinds in notices.values())
    doi = Identifier(Scheme.DOI, "10.4103/aer.aer_194_18")
    (record, _) = registry.provider("crossref").lookup(client, [doi]).found[doi]
    assert [(n.kind, n.doi) for n in record.notices] == [(NoticeKind.RETRACTION, "10.4103/0259-1162.308938")]


@pytest.mark.parametrize("source", ["pubmed", "crossref", "openalex", "semanticscholar", "europepmc"])
def test_a_title_is_matched(client: PoliteClient, source: str) -> None:
    title = (
        "Role of the Notch ligands Jagged1 and Delta4 in Th17/Treg immune imbalance in a mouse model of chronic asthma"
    )
    records, answers = registry.provider(source).match(client, title)
    assert answers
    assert folded(title) in [folded(record.title.rstrip(".")) for record in records]


@pytest.mark.parametrize("source", ["pubmed", "crossref", "openalex", "semanticscholar"])
@pytest.mark.parametrize(
    "filters",
    [
        Filters(year_from=1979, year_to=1979),
        Filters(year_to=1990),
        Filters(year_from=2020, languages=("eng",)),
        Filters(publication_types=("Review",), preprints=Preprints.EXCLUDED),
        Filters(preprints=Preprints.ONLY),
    ],
)
def test_filters_are_understood_and_narrow_the_search(client: PoliteClient, source: str, filters: Filters) -> None:
    provider = registry.provider(source)
    narrowed = provider.count(client, provider.compile(QUERY, filters)).total
    assert narrowed <= provider.count(client, provider.compile(QUERY, Filters())).total
    years = range(filters.year_from or 0, (filters.year_to or 9_999) + 1)
    page = provider.fetch_page(client, provider.compile(QUERY, filters), {}, 100)
    assert all(set(hit.record.years) & set(years) for hit in page.hits)


def test_pubmed_beyond_its_cap_is_read_in_parts_by_date(client: PoliteClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """The sandbox with a cap of 9 in place of 9,999: the parts together are what one list without a cap gives."""
    query = PlanQuery(boolean="asthma[tiab] OR covid-19[tiab] OR 1900:3000[dp]")
    whole = PubMed()
    compiled = whole.compile(query, Filters())
    expected = [hit.record.pmid for hit in whole.fetch_page(client, compiled, {}, 1_000).hits]
    monkeypatch.setattr("litapp.sandbox.sources.eutils_search.CAP", 9)
    capped, cursor = PubMed(most_records=9), {}
    ranks, pmids, notes = list[int](), list[str](), list[str]()
    while cursor is not None:
        page = capped.fetch_page(client, compiled, cursor, 1_000)
        ranks += [hit.rank for hit in page.hits]
        pmids += [hit.record.pmid for hit in page.hits]
        notes += page.notes
        assert page.total == len(expected)
        cursor = page.cursor
    assert sorted(pmids) == sorted(expected)
    assert ranks == list(range(1, len(expected) + 1))
    assert len(expected) > 40
    assert any(note.startswith("PubMed gives only the first 9 of") for note in notes)


@pytest.mark.parametrize("source", ["openalex", "semanticscholar"])
def test_a_boolean_query_is_read_to_its_last_record_at_sources_of_plain_words(
    client: PoliteClient, source: str
) -> None:
    """Semantic Scholar gives it through its bulk search, in its own signs."""
    provider = registry.search_provider(source)
    boolean = "(asthma[tiab] OR covid-19[tiab]) AND (treatment[tiab] OR study[tiab] OR model[tiab]) NOT rat*[ti]"
    found: dict[str, set[str]] = {}
    for name, text in (("whole", boolean), ("left", "asthma[tiab] OR covid-19[tiab]"), ("dropped", "rat*[ti]")):
        query = provider.compile(PlanQuery(boolean=text), Filters())
        cursor: dict[str, object] | None = {}
        found[name] = set()
        while cursor is not None:
            page = provider.fetch_page(client, query, cursor, 10_000)
            found[name] |= {hit.record.source_id for hit in page.hits}
            total, cursor = page.total, page.cursor
        assert len(found[name]) == total == provider.count(client, query).total
    assert found["whole"]
    assert found["whole"] < found["left"]
    assert not found["whole"] & found["dropped"]


def test_headings_spelling_conversion_and_passages(client: PoliteClient) -> None:
    """What is asked beside searches and look-ups, read by the product's own providers."""
    found, _ = answering.headings_provider().find_headings(client, "Humans")
    assert ("Humans", "D006801") in {(heading.name, heading.ui) for heading in found}
    pubmed, _ = everything(client, "pubmed")
    in_pmc = next(record for record in pubmed if record.identifier(Scheme.PMCID) and record.pmid)
    pmid = Identifier(Scheme.PMID, in_pmc.pmid)
    unknown = Identifier(Scheme.PMID, "1")
    conversion = answering.conversion_provider().convert(client, [pmid, unknown])
    assert Identifier(Scheme.PMCID, in_pmc.identifier(Scheme.PMCID)) in conversion.converted[pmid].identifiers
    assert unknown in conversion.unknown
    passages, _ = answering.passages_provider().passages(client, "asthma children", limit=5)
    assert passages
    assert all(passage.text and passage.paper_title for passage in passages)

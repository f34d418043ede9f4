"""What every source promises alike: `providers.base`, held against each provider in front of an imitated source."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from litapp.core.plan import Filters, PlanQuery
from litapp.core.ports import Outcome
from litapp.core.records import Identifier, Scheme
from litapp.providers import base, registry
from litapp.providers.base import CompiledQuery, Deferred, Page, SourceError
from tests.providers.fakes import EMAIL, Bench, Reply, bench, text_reply
from tests.providers.imitations import Imitation

SEARCHED = registry.search_keys()
"""Sources that can be searched. bioRxiv's searches are Crossref's requests and answers, and keep the same promises."""
MATCHED = tuple(key for key in SEARCHED if registry.Capability.CITATION_MATCH in registry.source(key).capabilities)
LOOKED_UP = tuple(source.key for source in registry.SOURCES if registry.Capability.LOOKUP in source.capabilities)
QUERY = PlanQuery(boolean="stroke[ti]", plain="stroke rehabilitation")


@pytest.fixture(params=SEARCHED)
def source(request: pytest.FixtureRequest) -> str:
    """A source that can be searched."""
    return str(request.param)


@pytest.fixture(params=LOOKED_UP)
def register(request: pytest.FixtureRequest) -> str:
    """A source that is asked by identifier."""
    return str(request.param)


def imitated(source: str, size: int, **broken: frozenset[int]) -> Imitation:
    """Whoever answers the searches of this source."""
    return Imitation(registry.answering(source), size, **broken)


def compiled(source: str) -> CompiledQuery:
    return registry.provider(source).compile(QUERY, Filters())


def pages(source: str, made: Bench, limit: int) -> Iterator[Page]:
    """Page after page as a run fetches them."""
    cursor: dict[str, object] | None = {}
    wanted = limit
    while cursor is not None and wanted > 0:
        page = registry.provider(source).fetch_page(made.client, compiled(source), cursor, wanted)
        yield page
        assert len(page.hits) <= wanted
        wanted -= len(page.hits)
        cursor = page.cursor


def titles(found: list[Page]) -> list[tuple[int, str]]:
    return [(hit.rank, hit.record.title) for page in found for hit in page.hits]


def test_every_source_has_the_capabilities_it_is_listed_with(source: str) -> None:
    listed = registry.source(source).capabilities
    assert {"search", "lookup"} <= {capability.value for capability in listed}
    assert isinstance(registry.provider(source), base.Search)
    assert isinstance(registry.provider(source), base.Lookup)
    assert isinstance(registry.provider(source), base.CitationMatch) is (source in MATCHED)
    assert registry.provider(source).source == source


@pytest.mark.parametrize("key", registry.source_keys())
def test_a_capability_that_is_not_listed_is_not_given_out(key: str) -> None:
    ways = {
        registry.Capability.SEARCH: registry.search_provider,
        registry.Capability.LOOKUP: registry.lookup_provider,
        registry.Capability.CITATION_MATCH: registry.match_provider,
        registry.Capability.RELATED: registry.related_provider,
        registry.Capability.CITATION_LINKS: registry.links_provider,
        registry.Capability.AGENCIES: registry.agencies_provider,
        registry.Capability.OPEN_ACCESS: registry.open_access_provider,
    }
    assert set(ways) == set(registry.Capability)
    for capability, way in ways.items():
        if capability in registry.source(key).capabilities:
            assert way(key) is registry.provider(key)
        else:
            with pytest.raises(KeyError):
                way(key)


def test_an_empty_search_is_an_empty_page_and_a_count_of_zero(source: str) -> None:
    made = bench([imitated(source, 0)])
    assert list(pages(source, made, 10)) == [Page((), None, total=0)]
    assert registry.provider(source).count(made.client, compiled(source)).total == 0


@pytest.mark.parametrize("size", [1, 99, 100, 101, 200, 201, 345])
def test_every_record_comes_once_in_order_with_its_rank(source: str, size: int) -> None:
    made = bench([imitated(source, size)])
    found = list(pages(source, made, 1000))
    assert titles(found) == [(number, f"Title {number}") for number in range(1, size + 1)]
    assert found[-1].cursor is None
    assert not any(page.capped for page in found)
    assert {page.total for page in found} == {size}


@pytest.mark.parametrize("limit", [1, 5, 100, 150, 201])
def test_a_cap_of_ours_ends_the_search_and_is_not_called_a_cap_of_the_source(source: str, limit: int) -> None:
    made = bench([imitated(source, 300)])
    found = list(pages(source, made, limit))
    assert titles(found) == [(number, f"Title {number}") for number in range(1, limit + 1)]
    assert not any(page.capped for page in found)


def test_hits_name_the_answer_and_the_entry_they_were_read_from(source: str) -> None:
    made = bench([imitated(source, 3)])
    (page,) = pages(source, made, 10)
    last = made.archive.answers[-1]
    assert [(hit.answer_id, hit.position) for hit in page.hits] == [(last.answer_id, number) for number in range(3)]


@pytest.mark.parametrize("source", [key for key in SEARCHED if key != "arxiv"])
def test_null_and_untitled_entries_are_counted_and_never_used(source: str) -> None:
    made = bench([imitated(source, 5, null_at=frozenset({2}), untitled=frozenset({4}))])
    (page,) = pages(source, made, 10)
    assert titles([page]) == [(1, "Title 1"), (3, "Title 3"), (5, "Title 5")]
    assert page.invalid_records == 1
    if source == "pubmed":
        assert (page.empty_records, page.missing) == (0, ("2",))
    else:
        assert (page.empty_records, page.missing) == (1, ())


def test_in_a_feed_an_empty_entry_is_counted_as_one_without_title() -> None:
    made = bench([Imitation("arxiv", 5, null_at=frozenset({2}), untitled=frozenset({4}))])
    (page,) = pages("arxiv", made, 10)
    assert titles([page]) == [(1, "Title 1"), (3, "Title 3"), (5, "Title 5")]
    assert (page.invalid_records, page.empty_records) == (2, 0)


@pytest.mark.parametrize("count", [1, 2, 60, 120])
def test_a_look_up_puts_every_identifier_in_exactly_one_place(register: str, count: int) -> None:
    imitation = Imitation(register, count)
    made = bench([imitation])
    asked = [imitation.identifier(number) for number in range(1, count + 4)]
    result = registry.lookup_provider(register).lookup(made.client, [*asked, asked[0]])
    assert list(result.found) == asked[:count] or set(result.found) == set(asked[:count])
    assert set(result.absent) == set(asked[count:])
    assert result.failures == {}
    found = {one: result.found[one][0].title for one in asked[:count]}
    assert found == {one: f"Title {number}" for number, one in enumerate(asked[:count], start=1)}
    ids = {answer.answer_id for answer in made.archive.answers}
    assert {answer_id for _, answer_id in result.found.values()} | set(result.absent.values()) <= ids


def test_a_look_up_of_nothing_asks_nothing(register: str) -> None:
    made = bench([RuntimeError("must not be sent")])
    result = registry.lookup_provider(register).lookup(made.client, [])
    assert (result.found, result.absent, result.failures, made.source.requests) == ({}, {}, {}, [])


def test_all_unknown_identifiers_are_absent(register: str) -> None:
    imitation = Imitation(register, 0)
    made = bench([imitation])
    asked = [imitation.identifier(number) for number in (7, 8)]
    result = registry.lookup_provider(register).lookup(made.client, asked)
    assert (result.found, set(result.absent), result.failures) == ({}, set(asked), {})


def test_an_identifier_the_source_cannot_be_asked_for_is_a_failure_and_not_absent(register: str) -> None:
    made = bench([Imitation(register, 1)])
    wrong = Identifier(Scheme.ISSN, "1234-5679")
    result = registry.lookup_provider(register).lookup(made.client, [wrong])
    assert (result.found, result.absent, made.source.requests) == ({}, {}, [])
    assert result.failures[wrong].code == "unsupported_scheme"


FAULTS: dict[str, tuple[Reply, Outcome]] = {
    "429 without a word": (text_reply("", 429), Outcome.RATE_LIMITED),
    "429 with Retry-After": (text_reply("", 429, retry_after="3600"), Outcome.RATE_LIMITED),
    "403": (text_reply("Forbidden", 403), Outcome.PERMANENT),
    "500": (text_reply("<html>error</html>", 500), Outcome.TRANSIENT),
    "503": (text_reply("", 503), Outcome.TRANSIENT),
    "HTML as 200": (text_reply("<!DOCTYPE html><html>maintenance</html>"), Outcome.MALFORMED),
    "nothing as 200": (text_reply(""), Outcome.MALFORMED),
    "empty object": (text_reply("{}"), Outcome.MALFORMED),
    "hang": (httpx.ReadTimeout("slow"), Outcome.TRANSIENT),
    "no connection": (httpx.ConnectError("dns"), Outcome.TRANSIENT),
    "reset": (httpx.ReadError("reset"), Outcome.TRANSIENT),
    "redirected inside": (text_reply("", 302, location="http://127.0.0.1/"), Outcome.TRANSIENT),
    "301 to a private address": (text_reply("", 301, location="https://10.0.0.7/login"), Outcome.TRANSIENT),
    "303 to the hospital's login": (text_reply("", 303, location="https://intranet/login"), Outcome.TRANSIENT),
    "302 to an unprotected address": (text_reply("", 302, location="http://crossref.test/"), Outcome.TRANSIENT),
    "302 round in circles": (lambda request: text_reply("", 302, location=f"{request.url}"), Outcome.TRANSIENT),
    "301 to nowhere": (text_reply("", 301), Outcome.MALFORMED),
    "null": (text_reply("null"), Outcome.MALFORMED),
    "another encoding": (text_reply("{}".encode("utf-16")), Outcome.MALFORMED),
    "404 of somebody else": (text_reply("<html>not here</html>", 404), Outcome.MALFORMED),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_never_absence(register: str, fault: str) -> None:
    reply, outcome = FAULTS[fault]
    identifier = Imitation(register, 1).identifier(1)
    made = bench([reply])
    result = registry.lookup_provider(register).lookup(made.client, [identifier])
    assert (result.found, result.absent) == ({}, {})
    assert result.failures[identifier].outcome is outcome


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_never_zero_results(source: str, fault: str) -> None:
    reply, outcome = FAULTS[fault]
    provider = registry.provider(source)
    for ask in (
        lambda made: provider.count(made.client, compiled(source)),
        lambda made: provider.fetch_page(made.client, compiled(source), {}, 10),
        *([lambda made: provider.match(made.client, "A title of some length")] if source in MATCHED else []),
    ):
        made = bench([reply])
        with pytest.raises(SourceError) as caught:
            ask(made)
        assert caught.value.outcome is outcome
        assert caught.value.message
        assert isinstance(caught.value, Deferred) is (outcome is Outcome.RATE_LIMITED)


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_never_a_doi_that_does_not_exist(fault: str) -> None:
    reply, outcome = FAULTS[fault]
    (told,) = registry.agencies_provider().registration_agencies(bench([reply]).client, ["10.1000/n1"]).values()
    assert (told.agency, told.absent) == ("", False)
    assert told.error is not None
    assert told.error.outcome is outcome


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_never_a_paper_without_open_copies(fault: str) -> None:
    reply, outcome = FAULTS[fault]
    with pytest.raises(SourceError) as caught:
        registry.open_access_provider().open_access(bench([reply], email=EMAIL).client, "10.1000/n1")
    assert caught.value.outcome is outcome


def damaged(source: str, how: str) -> Reply:
    """The good answer of the imitation, cut in the middle or in a wrong character encoding."""
    imitation = imitated(source, 5)

    def reply(request: httpx.Request) -> httpx.Response:
        body = imitation(request).content
        if how == "cut":
            return httpx.Response(200, content=body[: len(body) // 2])
        return httpx.Response(200, content=body[:-3] + "é".encode("latin-1") + body[-3:])

    return reply


@pytest.mark.parametrize("how", ["cut", "wrong charset"])
def test_a_cut_or_wrongly_encoded_answer_is_malformed(source: str, how: str) -> None:
    made = bench([damaged(source, how)])
    with pytest.raises(SourceError) as caught:
        registry.provider(source).fetch_page(made.client, compiled(source), {}, 10)
    assert caught.value.outcome is Outcome.MALFORMED
    assert caught.value.answer_id is not None


def test_a_good_answer_to_another_question_is_malformed(source: str) -> None:
    """A proxy that mixes answers up must not turn into records."""
    other = "crossref" if registry.answering(source) != "crossref" else "openalex"
    work = {"pubmed": "/works/10.1000/n1", "crossref": "/works/10.1000/n1"}.get(other, "/works/doi:10.1000/n1")
    body = Imitation(other, 1)(httpx.Request("GET", f"https://x.test{work}")).content
    made = bench([httpx.Response(200, content=body)])
    with pytest.raises(SourceError) as caught:
        registry.provider(source).fetch_page(made.client, compiled(source), {}, 10)
    assert caught.value.outcome is Outcome.MALFORMED


def test_one_bad_batch_takes_only_its_own_identifiers_with_it() -> None:
    """PubMed, 200 a call: the second call fails for good."""
    imitation = Imitation("pubmed", 500)
    made = bench([imitation, text_reply("Forbidden", 403), imitation])
    asked = [imitation.identifier(number) for number in range(1, 501)]
    result = registry.provider("pubmed").lookup(made.client, asked)
    assert set(result.found) == set(asked[:200] + asked[400:])
    assert set(result.failures) == set(asked[200:400])


def test_after_a_long_wait_is_asked_for_the_rest_is_not_asked_at_all() -> None:
    imitation = Imitation("pubmed", 500)
    made = bench([imitation, text_reply("", 429, retry_after="600")])
    asked = [imitation.identifier(number) for number in range(1, 501)]
    result = registry.provider("pubmed").lookup(made.client, asked)
    assert (len(result.found), len(result.failures), len(made.source.requests)) == (200, 300, 2)
    assert all(isinstance(error, Deferred) for error in result.failures.values())


@pytest.mark.parametrize("source", MATCHED)
def test_a_match_without_any_word_asks_nothing(source: str) -> None:
    made = bench([RuntimeError("must not be sent")])
    assert registry.provider(source).match(made.client, " <i></i> ") == ([], [])


@pytest.mark.parametrize("source", MATCHED)
def test_a_match_gives_records_and_the_answers_they_came_from(source: str) -> None:
    made = bench([imitated(source, 3)])
    records, answer_ids = registry.provider(source).match(made.client, "Title 1")
    assert records[0].title == "Title 1"
    assert len(records) <= 5
    assert answer_ids == [answer.answer_id for answer in made.archive.answers]


@pytest.mark.parametrize("plan", [PlanQuery(), PlanQuery(boolean="  ", plain=" \n ")])
def test_a_plan_without_a_query_is_refused_before_the_run(source: str, plan: PlanQuery) -> None:
    with pytest.raises(SourceError) as caught:
        registry.provider(source).compile(plan, Filters())
    assert (caught.value.outcome, caught.value.code) == (Outcome.PERMANENT, "empty_query")
    assert caught.value.hint


def test_what_is_shown_of_a_query_is_what_is_sent(source: str) -> None:
    made = bench([imitated(source, 1)])
    query = compiled(source)
    registry.provider(source).fetch_page(made.client, query, {}, 1)
    sent = made.source.requests[0]
    fields = dict(httpx.QueryParams(sent.content.decode())) if sent.method == "POST" else dict(sent.url.params)
    assert query.params
    assert {name: fields[name] for name, _ in query.params} == dict(query.params)
    assert all(value in query.text for name, value in query.params if not name.startswith("sort"))

"""doi.org: who registered a DOI, none, or not to be found out: three different things."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from litapp.core.ports import Outcome
from litapp.providers import registry
from litapp.providers.base import AgencyAnswer, Deferred
from litapp.providers.doiorg import parse, request
from litapp.providers.doiorg.provider import DoiOrg
from tests.providers.fakes import bench, json_reply, text_reply
from tests.providers.imitations import Imitation
from tests.providers.test_recorded_values import named

SOURCE = DoiOrg()


@pytest.mark.shared
@pytest.mark.parametrize("row", **named("doiorg"))
def test_recorded_agencies(shared: Path, row: dict[str, str]) -> None:
    (told,) = parse.agencies((shared / "wire" / "doi" / row["file"]).read_bytes())
    shown = {"doi": told.doi, "agency": told.name, "absent": "yes" if told.absent else "no"}
    assert {"file": row["file"], **shown} == row


@pytest.mark.shared
def test_metadata_of_content_negotiation_name_no_agency(shared: Path) -> None:
    body = (shared / "wire" / "doi" / "cn_10.5281_zenodo.3884311__2023-10-05.json").read_bytes()
    with pytest.raises(parse.UnreadableAnswer):
        parse.agencies(body)


def test_agencies_and_absence_in_one_call() -> None:
    made = bench([Imitation("doiorg", 2)])
    found = registry.agencies_provider().registration_agencies(made.client, ["10.1000/N1", "10.1000/n2", "10.1000/n9"])
    assert found == {
        "10.1000/N1": AgencyAnswer("Crossref", 1),
        "10.1000/n2": AgencyAnswer("DataCite", 1),
        "10.1000/n9": AgencyAnswer("", 1),
    }
    assert [(one.registered, one.absent) for one in found.values()] == [(True, False), (True, False), (False, True)]
    assert made.source.requests[0].url.raw_path == b"/doiRA/10.1000/N1,10.1000/n2,10.1000/n9"


def test_fifty_a_call_each_asked_once() -> None:
    made = bench([Imitation("doiorg", 120)])
    dois = [f"10.1000/n{number}" for number in range(1, 121)]
    found = SOURCE.registration_agencies(made.client, [*dois, dois[0]])
    assert list(found) == dois
    assert len(made.source.requests) == 3


def test_nothing_asked_is_nothing_sent() -> None:
    made = bench([RuntimeError("must not be sent")])
    assert SOURCE.registration_agencies(made.client, []) == {}


@pytest.mark.parametrize(
    ("reply", "outcome"),
    [
        (text_reply("", 503), Outcome.TRANSIENT),
        (text_reply("Forbidden", 403), Outcome.PERMANENT),
        (text_reply("<html>portal</html>"), Outcome.MALFORMED),
        (text_reply("<html>portal</html>", 404), Outcome.MALFORMED),
        (text_reply("[]"), Outcome.MALFORMED),
        (text_reply("{}"), Outcome.MALFORMED),
        (json_reply([{"DOI": "10.1000/other", "RA": "Crossref"}]), Outcome.MALFORMED),
        (json_reply([{"DOI": "10.1000/n1", "status": "Unknown"}]), Outcome.MALFORMED),
        (httpx.ReadTimeout("slow"), Outcome.TRANSIENT),
    ],
)
def test_what_could_not_be_asked_is_never_absent(reply: httpx.Response | Exception, outcome: Outcome) -> None:
    (told,) = SOURCE.registration_agencies(bench([reply]).client, ["10.1000/n1"]).values()
    assert (told.registered, told.absent) == (False, False)
    assert told.error is not None
    assert told.error.outcome is outcome


def test_after_a_long_wait_is_asked_for_the_rest_is_not_asked() -> None:
    made = bench([text_reply("", 429, retry_after="600")])
    found = SOURCE.registration_agencies(made.client, [f"10.1000/n{number}" for number in range(120)])
    assert len(found) == 120
    assert all(isinstance(told.error, Deferred) for told in found.values())
    assert len(made.source.requests) == 1


def test_one_failing_call_takes_only_its_own_dois() -> None:
    made = bench([text_reply("", 403), Imitation("doiorg", 500)])
    found = SOURCE.registration_agencies(made.client, [f"10.1000/n{number}" for number in range(1, 101)])
    assert sum(told.registered for told in found.values()) == 50
    assert sum(told.error is not None for told in found.values()) == 50


def test_doi_orgs_own_page_for_a_single_doi_is_a_no() -> None:
    page = text_reply("<!DOCTYPE html><html><head><title>Error: DOI Not Found</title></head></html>", 404)
    assert SOURCE.registration_agencies(bench([page]).client, ["10.1000/n1"])["10.1000/n1"].absent
    several = SOURCE.registration_agencies(bench([page]).client, ["10.1000/n1", "10.1000/n2"])
    assert not any(told.absent for told in several.values())


def test_a_doi_with_a_comma_is_asked_alone_and_not_believed_when_it_was_cut() -> None:
    made = bench([Imitation("doiorg", 5)])
    found = SOURCE.registration_agencies(made.client, ["10.1000/n1", "10.1000/a,n2"])
    assert [sent.url.raw_path for sent in made.source.requests] == [b"/doiRA/10.1000/a%2Cn2", b"/doiRA/10.1000/n1"]
    assert (found["10.1000/n1"].registered, found["10.1000/a,n2"].error is not None) == (True, True)


@pytest.mark.parametrize(
    ("status", "body", "outcome"),
    [
        (200, b'{"responseCode":1,"handle":"10.1000/x"}', Outcome.OK),
        (200, b'{"responseCode":200,"handle":"10.1000/x"}', Outcome.OK),
        (404, b'{"responseCode":100,"handle":"10.1000/x"}', Outcome.NOT_FOUND),
        (500, b'{"responseCode":2}', Outcome.TRANSIENT),
        (200, b'{"responseCode":2}', Outcome.TRANSIENT),
        (200, b'[{"DOI":"10.1","RA":"Crossref"},{"DOI":"10.2","status":"DOI does not exist"}]', Outcome.OK),
        (200, b'[{"DOI":"10.1","status":"Invalid DOI"}]', Outcome.NOT_FOUND),
        (200, b'[{"DOI":"10.1","status":"Unknown"}]', Outcome.OK),
        (200, b'[{"DOI":"10.1"}]', Outcome.MALFORMED),
        (200, b'[null]', Outcome.MALFORMED),
        (400, b"<html>no DOI</html>", Outcome.PERMANENT),
        (414, b"", Outcome.PERMANENT),
    ],
)  # fmt: skip
def test_answers(status: int, body: bytes, outcome: Outcome) -> None:
    assert SOURCE.classify(status, {}, body).outcome is outcome


@given(st.lists(st.text("abc/,<>;() 1", min_size=1, max_size=400).map("10.1000/".__add__), unique=True, max_size=130))
def test_every_doi_is_in_exactly_one_batch_that_fits(dois: list[str]) -> None:
    parts = request.batches(dois)
    assert sorted(doi for part in parts for doi in part) == sorted(dois)
    assert all(1 <= len(part) <= 50 for part in parts)
    for part in parts:
        if len(part) > 1:
            assert not any("," in doi for doi in part)
            assert len(request.agencies(part).path) <= request.LONGEST_PATH + len("doiRA/")

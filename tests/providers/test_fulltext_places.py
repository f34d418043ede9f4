"""Where sources say a full text lies: every recorded answer of OpenAlex, Crossref, Unpaywall, PMC's bucket, bioRxiv."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from litapp.core.records import Identifier, Record, Scheme
from litapp.providers.answers import UnreadableAnswer
from litapp.providers.fulltext import bucket
from litapp.providers.fulltext.places import (
    Place,
    arxiv_places,
    crossref_places,
    landing_place,
    of_unpaywall,
    openalex_places,
    resolver_address,
)
from litapp.providers.unpaywall import parse as unpaywall


def works(folder: Path, pattern: str) -> dict[str, bytes]:
    """The recorded answers that hold one whole work."""
    return {file.name: file.read_bytes() for file in sorted(folder.glob(pattern))}


@pytest.mark.shared
def test_every_recorded_work_of_openalex_gives_its_open_locations(shared: Path) -> None:
    read = 0
    for name, body in works(shared / "wire/openalex", "work_*.json").items():
        data = json.loads(body)
        if "locations" not in data:
            continue
        found = openalex_places(body)
        entries = [data.get("best_oa_location"), *data["locations"]]
        there = {one["pdf_url"] for one in entries if one and one["is_oa"] and one["pdf_url"]}
        assert {place.pdf_url for place in found if place.pdf_url} == there, name
        assert bool(found) == any(one["is_oa"] for one in data["locations"]), name
        read += 1
    assert read >= 25


@pytest.mark.shared
def test_openalex_names_licence_and_version(shared: Path) -> None:
    body = (shared / "wire/openalex/work_doi_10.3390_publications6020015__2026-07-23.json").read_bytes()
    assert openalex_places(body)[0] == Place(
        "https://www.mdpi.com/2304-6775/6/2/15/pdf?version=1525347674", "https://doi.org/10.3390/publications6020015",
        "cc-by", "published version", "publisher",
    )  # fmt: skip


@pytest.mark.shared
def test_every_recorded_work_of_crossref_gives_its_pdf_links(shared: Path) -> None:
    read = 0
    for name, body in works(shared / "wire/crossref", "work_*.json").items():
        message = json.loads(body).get("message")
        if not isinstance(message, dict) or "DOI" not in message:
            continue
        meant = {
            link["URL"] for link in message.get("link", [])
            if link["intended-application"] != "similarity-checking"
            and link["content-type"] in ("application/pdf", "unspecified")
        }  # fmt: skip
        assert {place.pdf_url for place in crossref_places(body)} == meant, name
        read += 1
    assert read >= 40


@pytest.mark.shared
def test_links_for_the_similarity_check_are_left_to_it(shared: Path) -> None:
    body = (shared / "wire/crossref/work_10.1371_journal.pone.0033693__2026-06-16.json").read_bytes()
    assert crossref_places(body) == ()


def test_which_links_of_crossref_are_pdfs_for_us() -> None:
    links = [
        {"URL": "https://a.test/1.pdf", "content-type": "application/pdf", "intended-application": "text-mining",
         "content-version": "vor"},
        {"URL": "https://a.test/2", "content-type": "application/pdf", "intended-application": "similarity-checking"},
        {"URL": "https://a.test/3.xml", "content-type": "text/xml", "intended-application": "text-mining"},
        {"URL": "file:///etc/passwd", "content-type": "application/pdf", "intended-application": "text-mining"},
    ]  # fmt: skip
    licence = [{"URL": "https://l.test/by/4.0/", "content-version": "vor"}]
    body = json.dumps({"message": {"DOI": "10.1/x", "link": links, "license": licence}}).encode()
    assert crossref_places(body) == (
        Place("https://a.test/1.pdf", "", "https://l.test/by/4.0/", "published version", "publisher"),
    )


@pytest.mark.parametrize("reader", [openalex_places, crossref_places])
@pytest.mark.parametrize("body", [b"", b"{}", b"[]", b"<html>", b'{"message": null}'])
def test_what_is_no_work_is_no_closed_paper(reader: object, body: bytes) -> None:
    with pytest.raises(UnreadableAnswer):
        reader(body)  # type: ignore[operator]


UNPAYWALL = {
    "doi_bronze_2021_same.json": True, "doi_bronze_2023.json": True, "doi_bronze_nature_four_locations.json": True,
    "doi_closed_authors_null_2025.json": False, "doi_gold_2025.json": True, "doi_hybrid_2025.json": True,
    "doi_with_brackets_sici_2022.json": None, "snapshot_line_gold_2018.json": True,
}  # fmt: skip
NO_WORK = {
    "doi_404_2021.json",
    "error_422_email_required.json",
    "search_exact_title_2023.json",
    "search_zero_2025.json",
}


@pytest.mark.shared
def test_every_recorded_answer_of_unpaywall(shared: Path) -> None:
    folder = shared / "wire/unpaywall"
    assert {file.name for file in folder.glob("*.json")} == set(UNPAYWALL) | NO_WORK
    for name, is_open in UNPAYWALL.items():
        body = (folder / name).read_bytes()
        data = json.loads(body)
        places = of_unpaywall(unpaywall.open_access(body), 7)
        if is_open is not None:
            assert (bool(places.places), places.closed) == (is_open, not is_open), name
        named = {one["url_for_pdf"] for one in data["oa_locations"] if one["url_for_pdf"]}
        assert {place.pdf_url for place in places.places if place.pdf_url} == named, name
    for name in NO_WORK:
        with pytest.raises(UnreadableAnswer):
            unpaywall.open_access((folder / name).read_bytes())
    assert of_unpaywall(None, 7).known is False


@pytest.mark.shared
def test_pmcs_bucket_as_recorded(shared: Path) -> None:
    folder = shared / "wire/pmc"
    listing = (folder / "aws_pmc_oa_list_PMC9984800.xml").read_bytes()
    assert bucket.versions(listing, "PMC9984800") == [1]
    assert bucket.versions(listing, "PMC998480") == []
    entry = bucket.entry((folder / "aws_pmc_oa_meta_PMC9984800.1.json").read_bytes(), "PMC9984800")
    assert entry == bucket.BucketEntry(
        pmcid="PMC9984800", version=1, doi="10.1016/j.esmoop.2023.100788",
        title="Precision oncology for BRAF-mutant cancers with BRAF and MEK inhibitors: from melanoma to tissue-"
        "agnostic therapy",
        licence="CC BY-NC-ND", is_open=True, is_manuscript=False, is_retracted=False,
        pdf_url="https://pmc-oa-opendata.s3.amazonaws.com/PMC9984800.1/PMC9984800.1.pdf",
        xml_url="https://pmc-oa-opendata.s3.amazonaws.com/PMC9984800.1/PMC9984800.1.xml",
    )  # fmt: skip
    with pytest.raises(UnreadableAnswer):
        bucket.entry((folder / "aws_pmc_oa_meta_PMC9984800.1.json").read_bytes(), "PMC1")


LISTING = '<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">{}</ListBucketResult>'  # as AWS answers


def test_versions_of_the_bucket_newest_first_and_only_the_articles_own() -> None:
    body = LISTING.format(
        "".join(f"<CommonPrefixes><Prefix>{p}</Prefix></CommonPrefixes>" for p in
                ("PMC12.1/", "PMC12.10/", "PMC12.2/", "PMC123.1/", "PMC12.x/", "../PMC12.3/"))
    ).encode()  # fmt: skip
    assert bucket.versions(body, "PMC12") == [10, 2, 1]
    assert bucket.versions(LISTING.format("").encode(), "PMC12") == []
    for bad in (b"", b"<html/>", b"<Error><Code>AccessDenied</Code></Error>", b"{}"):
        with pytest.raises(UnreadableAnswer):
            bucket.versions(bad, "PMC12")


def test_the_bucket_leads_nowhere_else() -> None:
    data = {"pmcid": "PMC1", "pdf_url": "s3://other-bucket/x.pdf", "xml_url": "https://evil.test/x.xml"}
    entry = bucket.entry(json.dumps(data).encode(), "PMC1")
    assert (entry.pdf_url, entry.xml_url, entry.is_open) == ("", "", False)


def record(**identifiers: str) -> Record:
    return Record("x", "1", identifiers=tuple(Identifier(Scheme(name), value) for name, value in identifiers.items()))


def test_addresses_that_need_no_question() -> None:
    assert arxiv_places(record(arxiv="2101.00001"))[0].pdf_url == "https://arxiv.org/pdf/2101.00001"
    assert arxiv_places(record(doi="10.48550/arxiv.2101.00001"))[0].pdf_url == "https://arxiv.org/pdf/2101.00001"
    assert arxiv_places(record(doi="10.1000/x")) == ()
    assert landing_place("10.1002/(sici)1097<1::aid>3.0.co;2-x").landing_url == (
        "https://doi.org/10.1002/(sici)1097%3C1::aid%3E3.0.co;2-x"
    )


def test_a_persons_own_resolver() -> None:
    paper = record(doi="10.1000/a b")
    page = "https%3A%2F%2Fdoi.org%2F10.1000%2Fa%2520b"
    assert resolver_address("https://proxy.test/login?url=", paper) == f"https://proxy.test/login?url={page}"
    assert (
        resolver_address("https://link.test/x?id=doi:{doi}&z=1", paper)
        == "https://link.test/x?id=doi:10.1000%2Fa%20b&z=1"
    )
    assert resolver_address("https://link.test/go?to={url}", paper) == f"https://link.test/go?to={page}"
    assert resolver_address("https://link.test", paper) == f"https://link.test?url={page}"
    assert resolver_address("https://proxy.test/login?url=", record(pmid="1")) == ""

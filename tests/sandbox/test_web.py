"""The sandbox's hosts of papers: PMC's bucket in its recorded form, landing pages, every kind of answer on purpose."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from lxml import etree

from litapp.core.fulltext_jats import read_jats
from litapp.core.fulltext_pdf import read_pdf
from tests.sandbox.conftest import Get

BUCKET = "/web/pmc-oa-opendata.s3.amazonaws.com"
IN_PMC = "10.1101/2020.09.13.295493"


@pytest.fixture
def pmcid(get: Get) -> str:
    """The number of an article that the corpus has in PMC."""
    answer = get("/pmc/tools/idconv/api/v1/articles/", {"ids": IN_PMC, "idtype": "doi", "format": "json"})
    return str(answer.json["records"][0]["pmcid"])


@pytest.mark.shared
def test_the_bucket_answers_as_recorded(shared: Path, get: Get, pmcid: str) -> None:
    recorded = json.loads((shared / "wire/pmc/aws_pmc_oa_meta_PMC9984800.1.json").read_bytes())
    entry = get(f"{BUCKET}/{pmcid}.1/{pmcid}.1.json").json
    assert set(entry) == set(recorded)
    assert {name for name in entry if entry[name] is not None and recorded[name] is not None
            and type(entry[name]) is not type(recorded[name])} == set()  # fmt: skip
    listing = etree.fromstring(get(f"{BUCKET}/", {"list-type": 2, "prefix": f"{pmcid}.", "delimiter": "/"}).body)
    real = etree.fromstring((shared / "wire/pmc/aws_pmc_oa_list_PMC9984800.xml").read_bytes())
    assert [one.tag for one in listing.iter()] == [one.tag for one in real.iter()]


def test_the_bucket_serves_text_and_pdf(get: Get, pmcid: str) -> None:
    article = read_jats(get(f"{BUCKET}/{pmcid}.1/{pmcid}.1.xml").body)
    assert (article.pmcid, article.doi, article.has_body, article.licence) == (pmcid, IN_PMC, True, "CC BY 4.0")
    assert read_pdf(get(f"{BUCKET}/{pmcid}.1/{pmcid}.1.pdf").body).pages >= 1
    assert get(f"{BUCKET}/PMC1.1/PMC1.1.json").status == 404
    assert b"CommonPrefixes" not in get(f"{BUCKET}/", {"prefix": "PMC1."}).body


def test_pmcs_website_makes_the_browser_do_sums(get: Get, pmcid: str) -> None:
    assert b"POW_CHALLENGE" in get(f"/web/www.ncbi.nlm.nih.gov/pmc/articles/{pmcid}/pdf").body


@pytest.mark.parametrize("host", ["doi.org", "publisher.sandbox", "www.biorxiv.org", "arxiv.org", "nobody.test"])
def test_what_a_host_does_not_have_is_not_found(get: Get, host: str) -> None:
    assert get(f"/web/{host}/article/10.9999/none").status == 404


def test_a_preprint_and_its_pdf(get: Get) -> None:
    answer = get(f"/web/www.biorxiv.org/content/{IN_PMC}v1.full.pdf")
    assert (answer.status, answer.headers["content-type"], answer.body[:5]) == (200, "application/pdf", b"%PDF-")

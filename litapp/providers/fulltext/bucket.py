"""PubMed Central's open-data bucket: which versions of an article it holds, and what each offers. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from lxml import etree

from litapp.providers.answers import UnreadableAnswer, read_json_object
from litapp.providers.reading import text, whole

BASE = "https://pmc-oa-opendata.s3.amazonaws.com"
"""Address of the bucket. Source: pmc.ncbi.nlm.nih.gov/tools/oa-service (it took the place of the packages in 2026)."""
_FOLDER = re.compile(r"\A(PMC\d{1,12})\.(\d{1,4})/\Z")
_LICENCES = {"TDM": "text mining only (author manuscript)", "none": "", "NO-CC CODE": ""}


@dataclass(frozen=True, slots=True)
class BucketEntry:
    """One version of an article. Addresses are "" where it has no such file."""

    pmcid: str
    version: int
    doi: str
    title: str
    licence: str
    is_open: bool
    is_manuscript: bool
    is_retracted: bool
    pdf_url: str
    xml_url: str


def listing_address(pmcid: str) -> str:
    """The list of an article's versions. The dot keeps PMC12 from finding PMC123."""
    return f"{BASE}/?list-type=2&prefix={pmcid}.&delimiter=/"


def entry_address(pmcid: str, version: int) -> str:
    """The description of one version."""
    return f"{BASE}/{pmcid}.{version}/{pmcid}.{version}.json"


def versions(body: bytes, pmcid: str) -> list[int]:
    """Numbers of the versions that the bucket holds, the newest first; [] = it does not have the article.

    Raises UnreadableAnswer for anything that is no list of this article.
    """
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    try:
        root = etree.fromstring(body.lstrip(), parser)
    except (etree.XMLSyntaxError, ValueError):
        raise UnreadableAnswer("data that is cut off or damaged") from None
    if etree.QName(root).localname != "ListBucketResult":
        raise UnreadableAnswer("something other than a list")
    found = []
    for prefix in root.iterfind("{*}CommonPrefixes/{*}Prefix"):
        folder = _FOLDER.match((prefix.text or "").strip())
        if folder and folder[1] == pmcid:
            found.append(int(folder[2]))
    return sorted(found, reverse=True)


def entry(body: bytes, pmcid: str) -> BucketEntry:
    """One version's description. Raises UnreadableAnswer, also for that of another article."""
    data = read_json_object(body)
    if text(data.get("pmcid")) != pmcid:
        raise UnreadableAnswer("the description of another article")
    licence = text(data.get("license_code"))
    return BucketEntry(
        pmcid=pmcid,
        version=whole(data.get("version")) or 1,
        doi=text(data.get("doi")).lower(),
        title=text(data.get("title")),
        licence=_LICENCES.get(licence, licence),
        is_open=data.get("is_pmc_openaccess") is True,
        is_manuscript=data.get("is_manuscript") is True,
        is_retracted=data.get("is_retracted") is True,
        pdf_url=_https(text(data.get("pdf_url"))),
        xml_url=_https(text(data.get("xml_url"))),
    )


def _https(address: str) -> str:
    """The web address of an object named by s3://bucket/key?md5=…; "" for anything outside the bucket."""
    parts = urlsplit(address)
    if parts.scheme == "s3" and parts.netloc == "pmc-oa-opendata" and parts.path:
        return f"{BASE}{parts.path}"
    return address if address.startswith(f"{BASE}/") else ""

"""How each source may be used: pace, batches, caps, terms, and where each figure is documented."""

from __future__ import annotations

from dataclasses import dataclass

MARGIN = 1.15
"""Requests are spaced this much wider than published: at exactly 1/3 s jitter gave four calls in one second."""


@dataclass(frozen=True, slots=True)
class Pace:
    """A published limit of one kind of call. `operation` "" = every call that has no line of its own."""

    operation: str
    per_second: float
    evidence: str


@dataclass(frozen=True, slots=True)
class SourcePolicy:
    """The rules of one source for one kind of user (with or without key, with or without contact address).

    `concurrency` is the number of requests that may be open at once; `batch_size` identifiers in one look-up call;
    `page_size` records in one page of a search; `most_records` the records one query can give at all (None = all).
    """

    source: str
    paces: tuple[Pace, ...]
    concurrency: int
    batch_size: int
    page_size: int
    most_records: int | None
    terms_url: str
    contact: str
    remarks: str = ""

    def pace(self, operation: str) -> Pace:
        """The line for `operation`, or the general one."""
        for pace in self.paces:
            if pace.operation == operation:
                return pace
        return next(pace for pace in self.paces if not pace.operation)

    def interval(self, operation: str) -> float:
        """Seconds between two calls of this kind, the margin included."""
        return MARGIN / self.pace(operation).per_second

    def has_own_pace(self, operation: str) -> bool:
        """True when `operation` has a limit of its own beside the source's general one."""
        return any(pace.operation == operation for pace in self.paces)


_CROSSREF_2025 = "Announcing changes to REST API rate limits, Crossref, 5 November 2025 (doi 10.64000/wadve-3tj60)"


def _pubmed(has_key: bool) -> SourcePolicy:
    return SourcePolicy(
        source="pubmed",
        paces=(
            Pace(
                "",
                10 if has_key else 3,
                "NCBI support KA-05510 and KA-05318; header X-RateLimit-Limit of recorded answers (3 or 10)",
            ),
        ),
        concurrency=3,
        batch_size=200,
        page_size=200,
        most_records=None,
        terms_url="https://www.ncbi.nlm.nih.gov/books/NBK25497/",
        contact="tool and email in every request (NBK25497)",
        remarks="Big jobs belong to weekends or 21:00-05:00 US Eastern. ESearch gives the first 9,999 "
        "records of a query; larger ones are fetched in parts by date.",
    )


def _crossref(has_key: bool, has_email: bool) -> SourcePolicy:
    paces: tuple[Pace, ...]
    if has_key:
        evidence = "header x-rate-limit-limit of recorded answers of the pool “plus” (150)"
        paces, concurrency = (Pace("", 150, evidence),), 10
    elif has_email:
        headers = "x-rate-limit-limit of the pools polite-single (10) and polite-array (3), July and August 2026"
        paces, concurrency = (Pace("", 3, headers), Pace("lookup", 10, _CROSSREF_2025)), 3
    else:
        headers = "x-rate-limit-limit of public-single (5); public-array (1) as reported in October 2026"
        paces, concurrency = (Pace("", 1, headers), Pace("lookup", 5, _CROSSREF_2025)), 1
    return SourcePolicy(
        source="crossref",
        paces=paces,
        concurrency=concurrency,
        batch_size=50,
        page_size=100,
        most_records=None,
        terms_url="https://www.crossref.org/documentation/retrieve-metadata/rest-api/",
        contact="mailto in the User-Agent (the polite pool)",
        remarks="A cursor lives about five minutes. Totals of relevance queries are no counts.",
    )


def _openalex(has_key: bool) -> SourcePolicy:
    evidence = "source of the public edge proxy ourresearch/openalex-api-proxy, August 2026"
    return SourcePolicy(
        source="openalex",
        paces=(Pace("", 30 if has_key else 10, evidence), Pace("boolean_search", 5 if has_key else 1, evidence)),
        concurrency=4,
        batch_size=100,
        page_size=100,
        most_records=None,
        terms_url="https://openalex.org/pricing",
        contact="none any more: a free key (header api-key) takes the place of mailto since February 2026",
        remarks=(
            "Credits a day: 1,000 without a key, 10,000 with a free one. A search page costs 10, a batch 1, a look-up "
            "of one DOI or PMID nothing. Searches are limited to 1,500 characters."
        ),
    )


def _semanticscholar(has_key: bool) -> SourcePolicy:
    return SourcePolicy(
        source="semanticscholar",
        paces=(
            Pace(
                "",
                1,
                "allenai/s2-folks issue 218: one request a second over all endpoints with a key; without one all "
                "anonymous users share a pool, so the same pace is kept",
            ),
        ),
        concurrency=1,
        batch_size=500,
        page_size=100,
        most_records=1_000,
        terms_url="https://www.semanticscholar.org/product/api/license",
        contact="key in the header x-api-key",
        remarks="Exponential backoff is a condition of use. Without a key every third request was refused (2026)."
        if not has_key
        else "Exponential backoff is a condition of use. Unused keys end after about 60 days.",
    )


def _europepmc() -> SourcePolicy:
    return SourcePolicy(
        source="europepmc",
        paces=(
            Pace(
                "",
                5,
                "no limit is published; other clients wait 0.1 to 0.2 s between requests (cyanheads/pubmed-mcp-server, "
                "2026), so the slower of the two is kept",
            ),
        ),
        concurrency=2,
        batch_size=100,
        page_size=500,
        most_records=None,
        terms_url="https://europepmc.org/RestfulWebService",
        contact="none",
        remarks="Queries of 1,500 characters and more go as a form. Up to 1,000 records a page; we ask for 500.",
    )


def _arxiv() -> SourcePolicy:
    return SourcePolicy(
        source="arxiv",
        paces=(Pace("", 1 / 3, "terms of use of arXiv's API: one request every three seconds, one connection"),),
        concurrency=1,
        batch_size=100,
        page_size=500,
        most_records=30_000,
        terms_url="https://info.arxiv.org/help/api/tou.html",
        contact="none",
        remarks="The feed is rebuilt every night: the same question twice a day gives the same answer.",
    )


def _biorxiv() -> SourcePolicy:
    return SourcePolicy(
        source="biorxiv",
        paces=(Pace("", 2, "no limit is published; “Too many connections” was reported, so two a second"),),
        concurrency=1,
        batch_size=1,
        page_size=100,
        most_records=None,
        terms_url="https://api.biorxiv.org/",
        contact="none",
        remarks="One preprint a call, at one or both servers. A listing has 30 to 100 versions a page.",
    )


def _datacite(has_email: bool) -> SourcePolicy:
    allowed = 1_000 if has_email else 500
    return SourcePolicy(
        source="datacite",
        paces=(
            Pace(
                "",
                allowed / 300,
                "DataCite's documentation as cited in June 2026: 1,000 requests in five minutes with a mail address; "
                "less without, taken for half",
            ),
        ),
        concurrency=3,
        batch_size=50,
        page_size=1_000,
        most_records=None,
        terms_url="https://support.datacite.org/docs/api",
        contact="mailto in the User-Agent",
    )


def _doiorg() -> SourcePolicy:
    return SourcePolicy(
        source="doiorg",
        paces=(Pace("", 3, "no limit is published; three a second with 50 DOIs each is enough for any list"),),
        concurrency=2,
        batch_size=50,
        page_size=50,
        most_records=None,
        terms_url="https://www.doi.org/the-identifier/resources/factsheets/doi-resolution-documentation",
        contact="none",
    )


def _pmc() -> SourcePolicy:
    return SourcePolicy(
        source="pmc",
        paces=(Pace("", 3, "NCBI support KA-05510: three requests a second for all of NCBI's services"),),
        concurrency=3,
        batch_size=200,
        page_size=200,
        most_records=None,
        terms_url="https://pmc.ncbi.nlm.nih.gov/tools/id-converter-api/",
        contact="tool and email in every request",
    )


def _unpaywall() -> SourcePolicy:
    return SourcePolicy(
        source="unpaywall",
        paces=(
            Pace(
                "",
                5,
                "Unpaywall's documentation: 100,000 calls a day and no limit a second; five a second leaves the day's "
                "number untouched by any review",
            ),
        ),
        concurrency=2,
        batch_size=1,
        page_size=50,
        most_records=None,
        terms_url="https://unpaywall.org/products/api",
        contact="email in every request; addresses of example.com and the like are refused",
    )


def policy_for(source: str, *, has_key: bool, has_email: bool) -> SourcePolicy:
    """The rules of `source` for this kind of user. Raises KeyError for a source that is not in the registry."""
    if source == "pubmed":
        return _pubmed(has_key)
    if source == "crossref":
        return _crossref(has_key, has_email)
    if source == "openalex":
        return _openalex(has_key)
    if source == "semanticscholar":
        return _semanticscholar(has_key)
    if source == "datacite":
        return _datacite(has_email)
    without_choice = {
        "europepmc": _europepmc,
        "arxiv": _arxiv,
        "biorxiv": _biorxiv,
        "doiorg": _doiorg,
        "unpaywall": _unpaywall,
        "pmc": _pmc,
    }
    if source in without_choice:
        return without_choice[source]()
    raise KeyError(source)

"""Hosts of papers under /web/<host>/…: the DOI's page, publishers, PMC's bucket, preprint servers, and false PDFs.

`/web/kinds.sandbox/<kind>/<doi>` serves every kind of answer on purpose; what a publisher gives is drawn by seed.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from html import escape
from urllib.parse import quote

from litapp.sandbox.arxiv_numbers import place_held
from litapp.sandbox.corpus.article import Article
from litapp.sandbox.dispatch import World
from litapp.sandbox.pdf_files import article_lines, damaged_pdf, locked_pdf, pdf_of, scanned_pdf
from litapp.sandbox.wire import Request, Response, json_response, text_response

PUBLISHER, KINDS_HOST, BUCKET = "publisher.sandbox", "kinds.sandbox", "pmc-oa-opendata.s3.amazonaws.com"
_PDF, _HTML = "application/pdf", "text/html; charset=utf-8"
_DRAWN = (
    (0.30, "good"), (0.55, "paywall"), (0.66, "login"), (0.72, "captcha"), (0.76, "refused"), (0.80, "other_paper"),
    (0.84, "scanned"), (0.88, "no_pdf_named"), (0.91, "too_small"), (0.94, "html_as_pdf"), (0.97, "absent"),
    (1.00, "damaged"),
)  # fmt: skip
"""What a publisher gives for a paper that no source calls open: invented cumulative shares."""


class Web:
    """Every host that is no source of its own."""

    name = "web"
    prefix = "/web/"

    def __init__(self, world: World) -> None:
        self.world = world

    def operation(self, request: Request) -> str:
        return "pdf" if ".pdf" in request.path or "/pdf/" in request.path else "page"

    def lane(self, request: Request, operation: str) -> tuple[str, int] | None:
        return None

    def refuse(self, request: Request, operation: str) -> Response | None:
        return None

    def decorate(self, request: Request, operation: str, response: Response) -> None:
        """Hosts send no limits."""

    def respond(self, request: Request, operation: str) -> Response:
        host, _, path = request.path.removeprefix(self.prefix).partition("/")
        if host == KINDS_HOST:
            kind, _, doi = path.partition("/")
            return self._of_kind(kind, self._by_doi(doi), doi)
        known: dict[str, Callable[[str, Request], Response]] = {
            "doi.org": self._doi,
            PUBLISHER: self._publisher,
            BUCKET: self._bucket,
            "www.biorxiv.org": self._preprint,
            "www.medrxiv.org": self._preprint,
            "arxiv.org": self._arxiv,
        }
        if host in known:
            return known[host](path, request)
        if host.endswith("ncbi.nlm.nih.gov"):
            return _page(_PROOF_OF_WORK)
        return _page("<title>404</title><h1>Not found</h1>", 404)

    def kind_of(self, article: Article) -> str:
        """What the publisher gives for this article, drawn by seed; papers that Unpaywall calls open are good ones."""
        if self.world.draw("unpaywall", "publisher", article.pmid) < 0.25:
            return "good"
        drawn = self.world.draw(self.name, "kind", article.pmid)
        return next(kind for share, kind in _DRAWN if drawn < share or share == 1.0)

    def _doi(self, path: str, request: Request) -> Response:
        article = self._by_doi(path)
        if article is None:
            return _page("<title>DOI not found</title><h1>DOI not found</h1>", 404)
        return _moved(f"https://{PUBLISHER}/article/{quote(article.doi, safe='/')}")

    def _publisher(self, path: str, request: Request) -> Response:
        part, _, doi = path.partition("/")
        doi = doi.removesuffix(".pdf")
        article = self._by_doi(doi)
        if article is None:
            return _page("<title>404</title><h1>Not found</h1>", 404)
        kind = self.kind_of(article)
        if part != "article":
            return self._of_kind(kind, article, doi)
        if kind in ("paywall", "login", "captcha", "refused", "absent"):
            return self._of_kind(kind, article, doi)
        address = "" if kind == "no_pdf_named" else f"https://{PUBLISHER}/pdf/{quote(article.doi, safe='/')}.pdf"
        return _page(_landing(article, address))

    def _preprint(self, path: str, request: Request) -> Response:
        found = re.search(r"content/(10\.\d+/.+?)v\d+", path)
        article = self._by_doi(found[1]) if found else None
        if article is None:
            return _page("<title>404</title><h1>Not found</h1>", 404)
        return Response(200, pdf_of(article_lines(article)), _PDF)

    def _arxiv(self, path: str, request: Request) -> Response:
        number = path.removeprefix("pdf/").removeprefix("abs/")
        place = place_held(self.world, number)
        entry = self.world.corpus.entry(place) if place is not None else None
        if entry and entry.article:
            return Response(200, pdf_of(article_lines(entry.article)), _PDF)
        return _page("<title>arXiv: not found</title>", 404)

    def _bucket(self, path: str, request: Request) -> Response:
        if not path:
            return self._bucket_list(request.get("prefix").rstrip("."))
        found = re.fullmatch(r"(PMC\d+)\.1/PMC\d+\.1\.(json|xml|pdf)", path)
        article = self._by_pmc(found[1]) if found else None
        if found is None or article is None:
            return text_response("<Error><Code>NoSuchKey</Code></Error>", 404, "application/xml")
        if found[2] == "json":
            return json_response(_bucket_entry(article))
        if found[2] == "xml":
            return text_response(_jats(article), 200, "binary/octet-stream")
        return Response(200, pdf_of(article_lines(article)), "binary/octet-stream")

    def _bucket_list(self, pmcid: str) -> Response:
        held = self._by_pmc(pmcid) is not None
        prefixes = f"<CommonPrefixes><Prefix>{pmcid}.1/</Prefix></CommonPrefixes>" if held else ""
        return text_response(
            '<?xml version="1.0" encoding="UTF-8"?>\n<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">'
            f"<Name>pmc-oa-opendata</Name><Prefix>{escape(pmcid)}.</Prefix><KeyCount>{int(held)}</KeyCount>"
            "<MaxKeys>1000</MaxKeys><Delimiter>/</Delimiter><IsTruncated>false</IsTruncated>"
            f"{prefixes}</ListBucketResult>",
            200,
            "application/xml",
        )

    def _by_doi(self, doi: str) -> Article | None:
        number = self.world.corpus.id_of_doi(doi.strip("/").casefold())
        entry = self.world.corpus.entry(number) if number else None
        return entry.article if entry else None

    def _by_pmc(self, pmcid: str) -> Article | None:
        select = "SELECT article FROM attribute WHERE kind = 'pmc' AND value = ?"
        number = next(iter(self.world.corpus.numbers(select, (pmcid.casefold(),))), None)
        entry = self.world.corpus.entry(number) if number else None
        return entry.article if entry else None

    def _of_kind(self, kind: str, article: Article | None, doi: str) -> Response:
        """An answer of one kind. Kinds that need no article work without one."""
        lines = article_lines(article) if article else ["An article that the corpus does not have"]
        made = _FILES.get(kind)
        if made is not None:
            return made(lines)
        if kind in _PAGES:
            return _page(_PAGES[kind].replace("TITLE", escape(article.title if article else doi)))
        if kind == "landing":
            address = f"https://{KINDS_HOST}/good/{quote(doi, safe='/')}"
            return _page(_landing(article, address) if article else "<title>None</title>")
        if kind == "about_it" and article:
            return Response(200, pdf_of([f"Correction to: {article.title[:70]}", *lines[3:]]), _PDF)
        if kind in _REDIRECTIONS:
            return _moved(_REDIRECTIONS[kind])
        return _STATUSES.get(kind, lambda: _page("<title>404</title>", 404))()


def _other(lines: list[str]) -> Response:
    text = "Proceedings of an unrelated meeting on the storage of potatoes in northern climates. " * 3
    return Response(200, pdf_of([text[start : start + 90] for start in range(0, len(text), 90)]), _PDF)


_FILES: dict[str, Callable[[list[str]], Response]] = {
    "good": lambda lines: Response(200, pdf_of(lines), _PDF),
    "octet_stream": lambda lines: Response(200, pdf_of(lines), "application/octet-stream"),
    "cut_off": lambda lines: Response(200, pdf_of(lines) + b"\n9 0 obj\n" + b"q\n" * 3000, _PDF),
    "cut_short": lambda lines: Response(200, pdf_of(lines, smallest=16_384)[:-3000], _PDF),
    "scanned": lambda lines: Response(200, scanned_pdf(), _PDF),
    "other_paper": _other,
    "too_small": lambda lines: Response(200, pdf_of(lines[:4], smallest=0), _PDF),
    "damaged": lambda lines: Response(200, damaged_pdf(), _PDF),
    "locked": lambda lines: Response(200, locked_pdf(lines), _PDF),
    "not_a_pdf": lambda lines: Response(200, b"The file is being prepared. " * 600, _PDF),
    "wrong_type": lambda lines: Response(
        200, b"PK\x03\x04" + bytes(20_000),
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    ),
    "pdf_called_text": lambda lines: Response(200, pdf_of(lines), "text/plain"),
    "html_as_pdf": lambda lines: Response(200, b"<html><title>Viewer</title><p>Loading the viewer</p></html>", _PDF),
    "too_large": lambda lines: Response(200, b"%PDF-1.4\n" + bytes(60 * 1024 * 1024), _PDF),
    "empty": lambda lines: Response(200, b"", _PDF),
}  # fmt: skip
_PROOF_OF_WORK = (
    "<html><head><title>Preparing to download ...</title></head><body><h1>Preparing to download ...</h1></body>"
    '<script type="module">const POW_CHALLENGE = "sandbox"; const POW_DIFFICULTY = "4";</script></html>'
)
_PAGES = {
    "login": "<html><head><title>Sign in</title></head><body><form><input type='password' name='p'></form></body>"
    "</html>",
    "institution_login": "<html><head><title>Find your institution</title></head><body>Shibboleth discovery (WAYF)"
    "</body></html>",
    "captcha": "<html><head><title>Just a moment...</title></head><body><div id='cf-chl-widget'></div></body></html>",
    "proof_of_work": _PROOF_OF_WORK,
    "paywall": '<html><head><title>TITLE</title><meta name="citation_title" content="TITLE"></head><body><h1>TITLE</h1>'
    "<p>Get access to the full version. Purchase PDF, or access through your institution.</p></body></html>",
    "web_page": "<html><head><title>Our journals</title></head><body><p>A list of journals.</p></body></html>",
    "no_pdf_named": '<html><head><title>TITLE</title><meta name="citation_title" content="TITLE"></head><body>TITLE'
    "</body></html>",
}
_REDIRECTIONS = {
    "to_loopback": "http://127.0.0.1:9/secret.pdf",
    "to_metadata": "http://169.254.169.254/latest/meta-data/",
    "to_private": "http://10.0.0.5/paper.pdf",
    "to_file": "file:///etc/passwd",
    "loop": f"https://{KINDS_HOST}/loop/",
}
_STATUSES: dict[str, Callable[[], Response]] = {
    "refused": lambda: _page("<title>403 Forbidden</title><h1>Forbidden</h1>", 403),
    "wants_payment": lambda: _page("<title>Payment</title>", 402),
    "absent": lambda: _page("<title>404</title><h1>Not found</h1>", 404),
    "busy": lambda: Response(429, b"slow down", "text/plain", {"Retry-After": "120"}),
    "broken": lambda: _page("<title>500</title>", 500),
}


def _page(html: str, status: int = 200) -> Response:
    return text_response(html, status, _HTML)


def _moved(address: str) -> Response:
    return Response(302, b"", "text/html", {"Location": address})


def _landing(article: Article, pdf: str) -> str:
    named = f'<meta name="citation_pdf_url" content="{escape(pdf)}">' if pdf else ""
    title = escape(article.title)
    return (
        f'<html><head><title>{title}</title><meta name="citation_title" content="{title}">'
        f'<meta name="citation_doi" content="{escape(article.doi)}">{named}</head><body><h1>{title}</h1></body></html>'
    )


def _bucket_entry(article: Article) -> dict[str, object]:
    address = f"s3://pmc-oa-opendata/{article.pmc}.1/{article.pmc}.1"
    return {
        "pmcid": article.pmc, "version": 1, "pmid": article.pmid, "doi": article.doi, "mid": None,
        "title": article.title, "citation": f"{article.iso} {article.year or ''}".strip(), "is_pmc_openaccess": True,
        "is_manuscript": False, "is_historical_ocr": False, "is_retracted": article.is_retracted,
        "license_code": "CC BY", "pdf_url": f"{address}.pdf", "text_url": f"{address}.txt", "xml_url": f"{address}.xml",
        "media_urls": [],
    }  # fmt: skip


def _jats(article: Article) -> str:
    """The article with its abstract as body: the corpus has no more text, and nothing is made up."""
    identifiers = [("pmcid", article.pmc), ("pmid", str(article.pmid)), ("doi", article.doi)]
    ids = "".join(
        f'<article-id pub-id-type="{kind}">{escape(value)}</article-id>' for kind, value in identifiers if value
    )
    parts = article.abstract or [("", "No abstract is in the corpus.")]
    sections = "".join(
        f"<sec><title>{escape(label or 'Text')}</title><p>{escape(text)}</p></sec>" for label, text in parts
    )
    licence = '<permissions><license xmlns:xlink="http://www.w3.org/1999/xlink" '
    licence += 'xlink:href="https://creativecommons.org/licenses/by/4.0/"/></permissions>'
    return (
        '<?xml version="1.0" encoding="UTF-8"?><article article-type="research-article"><front><article-meta>'
        f"{ids}<title-group><article-title>{escape(article.title)}</article-title></title-group>{licence}</article-meta>"
        f"</front><body>{sections}</body></article>"
    )

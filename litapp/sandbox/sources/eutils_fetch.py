"""efetch, esummary and ecitmatch: records by PMID as NLM wrote them, summaries, citation matching."""

from __future__ import annotations

import re
from typing import Any

from lxml import etree

from litapp.sandbox.corpus.article import MONTHS, Article
from litapp.sandbox.corpus.index import folded
from litapp.sandbox.dispatch import World
from litapp.sandbox.sources.eutils_search import History
from litapp.sandbox.wire import Request, Response, json_response, text_response

MOST = 10_000
_XML = "text/xml; charset=UTF-8"
_SET_HEAD = (
    '<?xml version="1.0" ?>\n<!DOCTYPE PubmedArticleSet PUBLIC "-//NLM//DTD PubMedArticle, 1st January 2025//EN" '
    '"https://dtd.nlm.nih.gov/ncbi/pubmed/out/pubmed_250101.dtd">\n<PubmedArticleSet>\n'
)
_EMPTY_ID = (
    '<?xml version="1.0" encoding="UTF-8" ?>\n<!DOCTYPE eEfetchResult PUBLIC "-//NLM//DTD efetch 20131226//EN" '
    '"https://eutils.ncbi.nlm.nih.gov/eutils/dtd/20131226/efetch.dtd">\n'
    "<eFetchResult>\n\t<ERROR>Supplied id parameter is empty.</ERROR>\n</eFetchResult>\n"
)
_ID_TYPES = {"pubmed": 1, "doi": 3, "pii": 4, "pmc": 8}
_COMMENT_NAMES = {
    "RetractionIn": "Retraction in",
    "RetractionOf": "Retraction of",
    "ErratumIn": "Erratum in",
    "ErratumFor": "Erratum for",
    "ExpressionOfConcernIn": "Expression of concern in",
    "ExpressionOfConcernFor": "Expression of concern for",
    "CommentIn": "Comment in",
    "CommentOn": "Comment on",
    "UpdateIn": "Update in",
    "UpdateOf": "Update of",
    "RepublishedIn": "Republished in",
    "RepublishedFrom": "Republished from",
    "SummaryForPatientsIn": "Summary for patients in",
    "OriginalReportIn": "Original report in",
}


def wanted_pmids(history: History, request: Request) -> list[int] | None:
    """The PMIDs a request names, by `id` or by the history server; None when it names none."""
    if request.get("WebEnv") and request.get("query_key"):
        kept = history.kept(request.get("WebEnv"), request.get("query_key")) or []
        start, size = request.get("retstart", "0"), request.get("retmax", "20")
        first = int(start) if start.isdigit() else 0
        return kept[first : first + (int(size) if size.isdigit() else 20)]
    texts = [text for value in request.all("id") for text in value.replace("+", ",").split(",") if text.strip()]
    if not texts:
        return None
    return list(dict.fromkeys(int(text) for text in (t.strip() for t in texts) if text.isdigit()))[:MOST]


def efetch(world: World, history: History, request: Request) -> Response:
    """Records in XML, in the order of PMIDs and not of the request; unknown ones are just missing."""
    pmids = wanted_pmids(history, request)
    if pmids is None:
        return text_response(_EMPTY_ID, 200, _XML)
    if not pmids:
        return text_response("ID+list+is+empty!+Possibly+it+has+no+correct+IDs.", 400)
    if request.get("retmode") != "xml":
        entries = "".join(f"  {{\n    pmid {pmid}\n  }},\n" for pmid in pmids)
        return text_response(f"Pubmed-entry-set ::= {{\n{entries}}}\n", 200, "text/plain; charset=UTF-8")
    parts = [_SET_HEAD.encode()]
    for pmid in sorted(pmids):
        xml = world.corpus.xml(pmid)
        if xml is None or world.faults.of_record("pubmed", "missing_record", pmid, ""):
            continue
        parts.append(_with_record_faults(world, pmid, xml))
        parts.append(b"\n")
    parts.append(b"</PubmedArticleSet>\n")
    return Response(200, b"".join(parts), _XML)


def _with_record_faults(world: World, pmid: int, xml: bytes) -> bytes:
    hidden = world.faults.of_record("pubmed", "retraction_hidden", pmid, "")
    changed = world.faults.of_record("pubmed", "changed_doi", pmid, "")
    if not hidden and not changed:
        return xml
    element = etree.fromstring(xml)
    if hidden:
        for comment in element.findall(".//CommentsCorrections[@RefType='RetractionIn']"):
            _remove(comment)
        for kind in element.findall(".//PublicationType"):
            if kind.text == "Retracted Publication":
                _remove(kind)
    if changed:
        for place in (".//ELocationID[@EIdType='doi']", "./PubmedData/ArticleIdList/ArticleId[@IdType='doi']"):
            for identifier in element.findall(place):
                identifier.text = f"10.5555/changed.{pmid}"
    return etree.tostring(element, encoding="utf-8")


def _remove(element: etree._Element) -> None:
    parent = element.getparent()
    if parent is not None:
        parent.remove(element)


def esummary(world: World, history: History, request: Request) -> Response:
    """Summaries in JSON (version 2); an unknown PMID has an error in its place."""
    pmids = wanted_pmids(history, request)
    if not pmids:
        return json_response({"header": {"type": "esummary", "version": "0.3"}, "esummaryresult": ["Empty id list"]})
    numbers = world.corpus.ids_of_pmids(pmids)
    articles = {e.article.pmid: e.article for e in world.corpus.entries(numbers.values()) if e.article}
    result: dict[str, Any] = {"uids": [str(pmid) for pmid in pmids if pmid in articles]}
    for pmid in pmids:
        hidden = world.faults.of_record("pubmed", "missing_record", pmid, "")
        if pmid in articles and not hidden:
            result[str(pmid)] = _summary(articles[pmid], world)
        else:
            result[str(pmid)] = {"uid": str(pmid), "error": "cannot get document summary"}
    return json_response({"header": {"type": "esummary", "version": "0.3"}, "result": result})


def _summary(article: Article, world: World) -> dict[str, Any]:
    hidden = world.faults.of_record("pubmed", "retraction_hidden", article.pmid, article.doi)
    issn = next((value for value, kind in article.issns if kind == "Print"), "")
    essn = next((value for value, kind in article.issns if kind == "Electronic"), "")
    identifiers = [("pubmed", str(article.pmid)), ("pmc", article.pmc), ("doi", article.doi), ("pii", article.pii)]
    people = [{"name": a.short, "authtype": "CollectiveName" if a.collective else "Author"} for a in article.authors]
    return {
        "uid": str(article.pmid),
        "pubdate": article.printed_text,
        "epubdate": _shown(article.electronic),
        "source": article.iso or article.medline_ta,
        "authors": [{**person, "clusterid": ""} for person in people],
        "lastauthor": people[-1]["name"] if people else "",
        "title": article.title,
        "sorttitle": folded(article.title),
        "volume": article.volume,
        "issue": article.issue,
        "pages": article.pages,
        "lang": article.languages,
        "nlmuniqueid": article.nlm_id,
        "issn": issn,
        "essn": essn,
        "pubtype": [t for t in article.types if not (hidden and t == "Retracted Publication")],
        "recordstatus": "PubMed - indexed for MEDLINE" if article.status == "MEDLINE" else "PubMed",
        "articleids": [
            {"idtype": kind, "idtypen": _ID_TYPES[kind], "value": value} for kind, value in identifiers if value
        ],
        "history": [
            {"pubstatus": kind, "date": f"{d[0]:04d}/{d[1] or 1:02d}/{d[2] or 1:02d} 00:00"}
            for kind, d in article.history.items()
        ],
        "references": [
            {
                "refsource": comment.source,
                "reftype": _COMMENT_NAMES.get(comment.kind, comment.kind),
                "pmid": int(comment.pmid),
                "note": "",
            }
            for comment in article.comments
            if comment.pmid and not (hidden and comment.kind == "RetractionIn")
        ],
    }


def _shown(date: list[int]) -> str:
    if not date[0]:
        return ""
    month = MONTHS[date[1] - 1].capitalize() if date[1] else ""
    return " ".join(part for part in (str(date[0]), month, str(date[2] or "")) if part)


def ecitmatch(world: World, request: Request) -> Response:
    """PMIDs of citations: by journal, volume and first page; author and year are ignored, as at NCBI."""
    lines = []
    for citation in re.split(r"[\r\n]+", request.get("bdata")):
        parts = citation.split("|")
        if len(parts) < 6:
            continue
        journal, year, volume, page = (part.strip() for part in parts[:4])
        lines.append("|".join(parts[:6]) + "|" + _match(world, folded(journal), year, folded(volume), folded(page)))
    return text_response("\n".join(lines) + "\n", 200, "text/plain; charset=UTF-8")


def _match(world: World, journal: str, year: str, volume: str, page: str) -> str:
    select = "SELECT article FROM attribute WHERE kind = ? AND value = ?"
    found = world.corpus.numbers(select, ("ta", journal))
    if not found:
        return "NOT_FOUND;INVALID_JOURNAL"
    for kind, value in (("vi", volume), ("pg", page)):
        if value:
            found &= world.corpus.numbers(select, (kind, value))
    if not volume and year.isdigit():
        found &= world.corpus.numbers("SELECT id FROM article WHERE year = ?", (int(year),))
    pmids = sorted(world.corpus.pmids_of_ids(found).values())
    if not pmids:
        return "NOT_FOUND"
    return str(pmids[0]) if len(pmids) == 1 else "AMBIGUOUS " + ",".join(str(pmid) for pmid in pmids)

"""The sandbox's answers have no key or element that the real, recorded answers do not have, and the same types."""

from __future__ import annotations

import gzip
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from lxml import etree

from litapp.sandbox.arxiv_numbers import arxiv_number
from litapp.sandbox.corpus.load import load_files
from litapp.sandbox.server import RunningSandbox, start_sandbox
from litapp.sandbox.sources.datacite import ARXIV_PREFIX, arxiv_place
from litapp.sandbox.tiny import ARTICLES, RETRACTED
from tests.sandbox.conftest import Get
from tests.sandbox.fixtures import FAST

pytestmark = pytest.mark.shared

Shape = dict[str, set[str]]


@pytest.fixture(scope="module")
def running_sandbox(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSandbox]:
    """The tiny corpus and 98 recorded articles of all kinds, with abstracts."""
    corpus = tmp_path_factory.mktemp("shapes") / "corpus.db"
    load_files(corpus, [ARTICLES, shared / "corpus/pubmed/metapub_fixtures_even.xml.gz"])
    running = start_sandbox(corpus, clock=FAST)
    yield running
    running.stop()


@pytest.fixture(scope="module")
def dois(running_sandbox: RunningSandbox) -> list[str]:
    """Every DOI of that corpus."""
    rows = running_sandbox.sandbox.world.corpus.rows("SELECT doi FROM article WHERE doi IS NOT NULL ORDER BY doi")
    return [row[0] for row in rows]


FREE_KEYS = {"abstract_inverted_index", "result"}
"""Objects whose keys are data (words, PMIDs): every key stands for all."""
RECORDED_ELSEWHERE = {
    "esearchresult.warninglist": {"object"},
    "esearchresult.warninglist.phrasesignored": {"list"},
    "esearchresult.warninglist.quotedphrasesnotfound": {"list"},
    "esearchresult.warninglist.quotedphrasesnotfound[]": {"string"},
    "esearchresult.warninglist.outputmessages": {"list"},
    "esearchresult.warninglist.outputmessages[]": {"string"},
}
"""esearch's JSON warnings: not among the recorded JSON answers, but read under these names by several public clients
(and recorded in XML as WarningList)."""


def shape_of(value: Any, path: str = "", shape: Shape | None = None) -> Shape:
    """Every path of a JSON value with the types seen there."""
    shape = defaultdict(set) if shape is None else shape
    kind = {dict: "object", list: "list", str: "string", bool: "bool", int: "number", float: "number"}.get(
        type(value), "null"
    )
    if path:
        shape[path].add(kind)
    if isinstance(value, dict):
        free = path.rsplit(".", 1)[-1] in FREE_KEYS
        for key, inner in value.items():
            name = "*" if free and key != "uids" else key
            shape_of(inner, f"{path}.{name}" if path else name, shape)
    elif isinstance(value, list):
        for inner in value:
            shape_of(inner, f"{path}[]", shape)
    return shape


def recorded(paths: Iterable[Path], unwrap: str = "") -> Shape:
    """The union of the shapes of recorded JSON answers; `unwrap` = the key that holds the object of interest."""
    shape: Shape = defaultdict(set)
    for path in paths:
        value = json.loads(path.read_text(encoding="utf-8"), strict=False)
        shape_of(value.get(unwrap, value) if unwrap and isinstance(value, dict) else value, "", shape)
    assert shape, "no recorded answer was read"
    return shape


def beyond(ours: Shape, theirs: Shape) -> dict[str, str]:
    """Paths and types of ours that theirs do not have."""
    return {
        path: f"{sorted(kinds - theirs.get(path, set()))}, recorded {sorted(theirs.get(path, set()))}"
        for path, kinds in sorted(ours.items())
        if kinds - theirs.get(path, set())
    }


def test_esearch_json(shared: Path, get: Get) -> None:
    theirs = recorded((shared / "wire/pubmed").glob("esearch_json*.json")) | RECORDED_ELSEWHERE
    for term in ("asthma children", "asthma zzqqzz", '"no such phrase here"[tiab]', "zzqq[tiab]"):
        answer = get("/eutils/esearch.fcgi", {"db": "pubmed", "term": term, "retmode": "json"}).json
        assert beyond(shape_of(answer), theirs) == {}


def test_esummary_json(shared: Path, get: Get) -> None:
    theirs = recorded((shared / "wire/pubmed").glob("esummary_json*.json"))
    ids = ",".join(str(pmid) for pmid in (*RETRACTED, 34086810, 34096812))
    answer = get("/eutils/esummary.fcgi", {"db": "pubmed", "id": ids, "retmode": "json"}).json
    assert beyond(shape_of(answer), theirs) == {}


def test_elink_json(shared: Path, get: Get) -> None:
    theirs = recorded((shared / "wire/pubmed").glob("elink_json*.json"))
    answer = get("/eutils/elink.fcgi", {"dbfrom": "pubmed", "db": "pubmed", "id": 34096812, "retmode": "json"}).json
    assert beyond(shape_of(answer), theirs) == {}


def elements(xml: bytes) -> set[str]:
    """Every element's path below the root, with its attributes."""
    found = set()
    root = etree.fromstring(xml, etree.XMLParser(load_dtd=False, no_network=True, resolve_entities=False))
    for element in root.iter(etree.Element):
        names = [*reversed([e.tag for e in element.iterancestors()]), element.tag]
        found |= {"/".join(names)} | {"/".join(names) + f"@{name}" for name in element.attrib}
    return found


@pytest.mark.parametrize(
    ("tool", "pattern", "params"),
    [
        ("esearch", "esearch_*.xml", {"term": "asthma children"}),
        ("esearch", "esearch_*.xml", {"term": "zzqqzz", "usehistory": "y"}),
        ("espell", "espell_*.xml", {"term": "astma"}),
        ("elink", "elink_*.xml", {"dbfrom": "pubmed", "id": "34096812"}),
        ("efetch", "error_efetch_empty*.xml", {"id": "", "retmode": "xml"}),
        ("efetch", "efetch_unknown*.xml", {"id": "1", "retmode": "xml"}),
    ],
)
def test_xml_answers_of_ncbi(shared: Path, get: Get, tool: str, pattern: str, params: dict[str, object]) -> None:
    theirs = set().union(*(elements(path.read_bytes()) for path in (shared / "wire/pubmed").glob(pattern)))
    assert theirs
    answer = get(f"/eutils/{tool}.fcgi", {"db": "pubmed", **params})
    assert elements(answer.body) - theirs == set()


def test_efetch_gives_what_nlm_writes(shared: Path, get: Get) -> None:
    theirs = set().union(*(elements(p.read_bytes()) for p in (shared / "wire/pubmed").glob("efetch_*.xml")))
    answer = get("/eutils/efetch.fcgi", {"db": "pubmed", "id": "34096812,400712,31031480", "retmode": "xml"})
    assert elements(answer.body) - theirs == set()


CROSSREF_WORKS = ("work_*.json", "message-only_*.json")


def crossref_work(shared: Path) -> Shape:
    shape = recorded((p for g in CROSSREF_WORKS for p in (shared / "wire/crossref").glob(g)), "message")
    for path in (shared / "wire/crossref").glob("*.json"):
        value = json.loads(path.read_text(encoding="utf-8"))
        items = (
            value["message"].get("items", [])
            if isinstance(value, dict) and isinstance(value.get("message"), dict)
            else []
        )
        for item in items:
            shape_of(item, "", shape)
    with gzip.open(shared / "corpus/crossref/works.jsonl.gz", "rt", encoding="utf-8") as lines:
        for work in map(json.loads, lines):
            if isinstance(work.get("title"), list):  # one line is CSL JSON, which has other types
                shape_of(work, "", shape)
    return shape


def test_crossref_works(shared: Path, get: Get, dois: list[str]) -> None:
    theirs = crossref_work(shared)
    for doi in dois:
        answer = get(f"/crossref/works/{doi}")
        assert answer.status in (200, 404)
        if answer.status == 200:
            assert beyond(shape_of(answer.json["message"]), theirs) == {}


def crossref_lists(shared: Path) -> list[Path]:
    paths = (shared / "wire/crossref").glob("*works*.json")
    return [path for path in paths if b'"work-list"' in path.read_bytes()]


def test_crossref_lists(shared: Path, get: Get) -> None:
    theirs = recorded(crossref_lists(shared))
    theirs |= {f"message.items[].{path}": kinds for path, kinds in crossref_work(shared).items()}
    for params in (
        {"query.bibliographic": "asthma children", "cursor": "*"},
        {"query": "asthma", "select": "DOI,title"},
    ):
        answer = get("/crossref/works", {**params, "rows": 50}).json
        assert answer["message"]["items"]
        assert beyond(shape_of(answer), theirs) == {}


@pytest.mark.parametrize("params", [{"rows": "things"}, {"filter": "nothing:x"}])
def test_crossref_refusals(shared: Path, get: Get, params: dict[str, object]) -> None:
    theirs = recorded((shared / "wire/crossref").glob("http400*.json"))
    answer = get("/crossref/works", params)
    assert answer.status == 400
    assert beyond(shape_of(answer.json), theirs) == {}


def openalex_work(shared: Path) -> Shape:
    folder = shared / "wire/openalex"
    shape = recorded(p for p in folder.glob("work_*.json") if "select" not in p.name)
    for path in [*folder.glob("ids.openalex*.json"), *folder.glob("works_*.json"), *folder.glob("items-only*.json")]:
        value = json.loads(path.read_text(encoding="utf-8"))
        for item in value["results"] if isinstance(value, dict) else value:
            shape_of(item, "", shape)
    return shape


def test_openalex_works(shared: Path, get: Get, dois: list[str]) -> None:
    theirs = openalex_work(shared)
    for doi in dois:
        answer = get(f"/openalex/works/doi:{doi}")
        assert answer.status in (200, 404)
        if answer.status == 200:
            assert beyond(shape_of(answer.json), theirs) == {}


def test_openalex_lists(shared: Path, get: Get) -> None:
    works = openalex_work(shared)
    theirs = recorded((shared / "wire/openalex").glob("works_filter*.json"))
    theirs |= {
        k: v | theirs.get(k, set())
        for k, v in recorded((shared / "wire/openalex").glob("ids.*.json")).items()
        if k.startswith("meta")
    }
    theirs |= {f"results[].{path}": kinds for path, kinds in works.items()} | {"results[]": {"object"}}
    answer = get("/openalex/works", {"search": "asthma OR covid", "per_page": 50}).json
    assert answer["results"]
    assert beyond(shape_of(answer), theirs) == {}


def s2_paper(shared: Path) -> Shape:
    folder = shared / "wire/semantic_scholar"
    shape: Shape = defaultdict(set)
    for path in folder.glob("*.json"):
        if path.name.startswith(("author", "http", "snippet")):
            continue
        value = json.loads(path.read_text(encoding="utf-8"))
        items = value if isinstance(value, list) else value.get("data", value.get("recommendedPapers", [value]))
        for item in items:
            shape_of(item, "", shape)
    return shape


S2_FIELDS = (
    "externalIds,corpusId,url,title,abstract,venue,publicationVenue,year,referenceCount,citationCount,influentialCitationCount,"
    "isOpenAccess,openAccessPdf,fieldsOfStudy,s2FieldsOfStudy,publicationTypes,publicationDate,journal,authors"
)


def test_semantic_scholar_papers(shared: Path, get: Get) -> None:
    theirs = s2_paper(shared)
    search = get("/s2/graph/v1/paper/search", {"query": "asthma", "limit": 50, "fields": S2_FIELDS}).json
    assert set(search) == {"total", "offset", "data"}
    for paper in search["data"]:
        assert beyond(shape_of(paper), theirs) == {}


EUROPEPMC_ELSEWHERE = {
    "resultList.result[].commentCorrectionList": {"object"},
    "resultList.result[].commentCorrectionList.commentCorrection": {"list"},
    "resultList.result[].commentCorrectionList.commentCorrection[]": {"object"},
    "resultList.result[].commentCorrectionList.commentCorrection[].id": {"string"},
    "resultList.result[].commentCorrectionList.commentCorrection[].source": {"string"},
    "resultList.result[].commentCorrectionList.commentCorrection[].reference": {"string"},
    "resultList.result[].commentCorrectionList.commentCorrection[].type": {"string"},
    "resultList.result[].commentCorrectionList.commentCorrection[].orderIn": {"number"},
}
"""Links to notices: no recorded record has any, but they stand under these names in Europe PMC's schema and are read so
by several public clients."""


@pytest.mark.parametrize("kind", ["core", "lite", "idlist"])
def test_europe_pmc_searches(shared: Path, get: Get, kind: str) -> None:
    theirs = recorded((shared / "wire/europepmc").glob("search_*.json")) | EUROPEPMC_ELSEWHERE
    answer = get(
        "/europepmc/search", {"query": "SRC:MED OR SRC:PPR", "resultType": kind, "pageSize": 200, "cursorMark": "*"}
    ).json
    assert len(answer["resultList"]["result"]) > 100
    assert beyond(shape_of(answer), theirs) == {}


def test_europe_pmc_citations_and_errors(shared: Path, get: Get) -> None:
    folder = shared / "wire/europepmc"
    citations = get("/europepmc/MED/34096812/citations", {"format": "json"}).json
    assert beyond(shape_of(citations), recorded(folder.glob("citations_*.json"))) == {}
    for params in ({"query": ""}, {"query": "x", "cursorMark": "garbage"}):
        answer = get("/europepmc/search", params).json
        assert beyond(shape_of(answer), recorded(folder.glob("error_200_*.json"))) == {}


def test_europe_pmc_full_text(shared: Path, get: Get) -> None:
    theirs = set().union(
        *(elements(p.read_bytes().lstrip()) for p in (shared / "wire/europepmc").glob("fulltext_*.xml"))
    )
    answer = get("/europepmc/PMC7523102/fullTextXML")
    assert elements(answer.body) - theirs == set()


@pytest.mark.parametrize(
    ("pattern", "params"),
    [
        ("q_*.xml", {"search_query": "all:of", "max_results": 100}),
        ("id_*.xml", {"id_list": "2101.00001", "max_results": 100}),
        ("http400_*.xml", {"id_list": "abc"}),
    ],
)
def test_arxiv_feeds(shared: Path, get: Get, pattern: str, params: dict[str, object]) -> None:
    theirs = set().union(*(elements(path.read_bytes()) for path in (shared / "wire/arxiv").glob(pattern)))
    answer = get("/arxiv/api/query", params)
    assert elements(answer.body) - theirs == set()


@pytest.mark.parametrize(
    "path",
    ["biorxiv/10.1101/2020.09.13.295493/na/json", "biorxiv/2020-09-01/2020-09-30/0/json", "biorxiv/10.1101/1/na/json"],
)
def test_biorxiv_details(shared: Path, get: Get, path: str) -> None:
    theirs = recorded((shared / "wire/biorxiv").glob("*.json"))
    assert beyond(shape_of(get(f"/biorxiv/details/{path}").json), theirs) == {}


def test_datacite_records(shared: Path, get: Get, running_sandbox: RunningSandbox) -> None:
    folder = shared / "wire/datacite"
    theirs = recorded(folder.glob("dois_10.*.json"))
    world = running_sandbox.sandbox.world
    every = [f"{ARXIV_PREFIX}{arxiv_number(place)}" for place in world.evaluator.order]
    held = [doi for doi in every if arxiv_place(world, doi) is not None]
    assert len(held) > 20
    for doi in held:
        assert beyond(shape_of(get(f"/datacite/dois/{doi}").json), theirs) == {}
    listing = get("/datacite/dois", {"ids": ",".join(held[:20]), "page[size]": 20}).json
    listed = recorded(folder.glob("dois_page*.json"))
    listed |= {f"data[]{path.removeprefix('data')}": kinds for path, kinds in theirs.items() if path.startswith("data")}
    assert beyond(shape_of(listing), listed) == {}
    missing = get("/datacite/dois/10.1000/none").json
    assert beyond(shape_of(missing), recorded(folder.glob("http404_*.json"))) == {}


def test_doi_org_agencies(shared: Path, get: Get) -> None:
    theirs = recorded((shared / "wire/doi").glob("ra_*.json"))
    answer = get("/doi/doiRA/10.1101/2020.09.13.295493,10.9999/none").json
    assert beyond(shape_of(answer), theirs) == {}


def test_unpaywall_records(shared: Path, get: Get, dois: list[str]) -> None:
    folder = shared / "wire/unpaywall"
    theirs = recorded(folder.glob("doi_[bchgw]*.json"))
    places = {path.removeprefix("oa_locations[]"): kinds for path, kinds in theirs.items() if "oa_locations[]." in path}
    for best in ("best_oa_location", "first_oa_location"):
        for path, kinds in places.items():
            theirs[f"{best}{path}"] |= kinds
    for doi in dois:
        answer = get(f"/unpaywall/v2/{doi}", {"email": "librarian@clinic.test"})
        assert answer.status == 200
        assert beyond(shape_of(answer.json), theirs) == {}
    refused = get("/unpaywall/v2/10.1000/x").json
    assert beyond(shape_of(refused), recorded(folder.glob("error_*.json"))) == {}


def test_identifier_converter(shared: Path, get: Get) -> None:
    theirs = recorded((shared / "wire/pmc").glob("idconv_*.json"))
    theirs["records[].pmid"].add("number")  # as the notes tell of the new shape, of which no good answer was recorded
    for ids in ("10.1016/s0140-6736(97)11096-0", "PMC7523102", "1"):
        answer = get("/pmc/tools/idconv/api/v1/articles/", {"ids": ids, "format": "json"}).json
        assert beyond(shape_of(answer), theirs) == {}


def test_snippets(shared: Path, get: Get) -> None:
    theirs = recorded((shared / "wire/semantic_scholar").glob("snippet_search*.json"))
    theirs["data[].paper.openAccessInfo.license"].add("null")  # closed papers, as in other answers of the source
    answer = get("/s2/graph/v1/snippet/search", {"query": "asthma children"}).json
    assert answer["data"]
    assert beyond(shape_of(answer), theirs) == {}

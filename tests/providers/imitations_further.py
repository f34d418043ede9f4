"""Europe PMC, arXiv, bioRxiv, DataCite, doi.org and Unpaywall, imitated just enough to speak with."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Protocol
from urllib.parse import unquote

import httpx

from litapp.core.records import Identifier, Scheme


class Numbered(Protocol):
    """What the handlers need of `imitations.Imitation`: records 1..`size`, some of them broken."""

    size: int
    null_at: frozenset[int]
    untitled: frozenset[int]


def _known(made: Numbered, number: int) -> bool:
    return 1 <= number <= made.size and number not in made.null_at


def _json(data: object, status: int = 200) -> httpx.Response:
    return httpx.Response(
        status, content=json.dumps(data).encode(), headers={"content-type": "application/json;charset=UTF-8"}
    )


def _europepmc_result(made: Numbered, number: int) -> dict[str, object] | None:
    if number in made.null_at:
        return None
    return {
        "id": str(number),
        "source": "MED",
        "pmid": str(number),
        "doi": f"10.1000/N{number}",
        "title": "" if number in made.untitled else f"Title {number}.",
        "pubYear": "2020",
    }


def europepmc(made: Numbered, request: httpx.Request) -> httpx.Response:
    """Search by GET or POST with marks, identifiers joined by OR, citation lists."""
    fields = dict(httpx.QueryParams(request.content.decode())) if request.method == "POST" else request.url.params
    path = request.url.path
    if path.endswith(("/citations", "/references")):
        return _europepmc_linked(made, path.rpartition("/")[2], int(fields["page"]), int(fields["pageSize"]))
    size, mark = int(fields["pageSize"]), fields.get("cursorMark", "*")
    numbers = [
        int(text) for text in re.findall(r"EXT_ID:(\d+)|10\.1000/n(\d+)", fields["query"]) for text in text if text
    ]
    if numbers:
        chosen = [number for number in sorted(numbers, reverse=True) if _known(made, number)]
        total, page, following = len(chosen), chosen[:size], ""
    else:
        start = 0 if mark == "*" else int(mark.removeprefix("Mark+/="))
        total = made.size
        page = list(range(start + 1, min(start + size, made.size) + 1))
        following = f"Mark+/={start + len(page)}" if page else mark
    answer: dict[str, object] = {"version": "6.9", "hitCount": total}
    if following and total:
        answer["nextCursorMark"] = following
    answer["request"] = {"queryString": fields["query"], "cursorMark": "%2A", "pageSize": size}
    answer["resultList"] = {"result": [_europepmc_result(made, number) for number in page]}
    return _json(answer)


def _europepmc_linked(made: Numbered, kind: str, page: int, size: int) -> httpx.Response:
    entry = kind.removesuffix("s")
    numbers = range((page - 1) * size + 1, min(page * size, made.size) + 1)
    rows = [{"id": str(n), "source": "MED", "title": f"Title {n}.", "authorString": "Lee MS."} for n in numbers]
    return _json({"version": "6.9", "hitCount": made.size, f"{entry}List": {entry: rows}})


_FEED = """<?xml version='1.0' encoding='UTF-8'?>
<feed xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/" xmlns:arxiv="http://arxiv.org/schemas/atom"
 xmlns="http://www.w3.org/2005/Atom"><id>https://arxiv.org/api/x</id><title>arXiv Query: x</title>
<opensearch:itemsPerPage>{size}</opensearch:itemsPerPage><opensearch:totalResults>{total}</opensearch:totalResults>
<opensearch:startIndex>{start}</opensearch:startIndex>{entries}</feed>
"""


def arxiv_id(number: int) -> str:
    return f"2101.{number:05d}"


def _arxiv_entry(made: Numbered, number: int) -> str:
    if number in made.null_at:
        return "<entry/>"
    title = "" if number in made.untitled else f"Title {number}"
    return (
        f"<entry><id>http://arxiv.org/abs/{arxiv_id(number)}v1</id><title>{title}</title>"
        "<published>2021-01-05T12:00:00Z</published><updated>2021-01-05T12:00:00Z</updated>"
        "<summary>Words.</summary><author><name>Ada Lovelace</name></author></entry>"
    )


def arxiv(made: Numbered, request: httpx.Request) -> httpx.Response:
    """Search and id lists as Atom; an id with "bad" in it makes the whole list fail."""
    params = request.url.params
    size, start = int(params["max_results"]), int(params.get("start", "0"))
    if "id_list" in params:
        ids = params["id_list"].split(",")
        wrong = next((one for one in ids if one.startswith("0000")), "")
        if wrong:
            entry = (
                f"<entry><id>https://arxiv.org/api/errors#incorrect_id_format_for_{wrong}</id><title>Error</title>"
                f"<summary>incorrect id format for {wrong}</summary></entry>"
            )
            return httpx.Response(400, content=_FEED.format(size=1, total=1, start=0, entries=entry).encode())
        numbers = [int(one.removeprefix("2101.")) for one in ids]
        chosen = [number for number in sorted(numbers) if _known(made, number)]
        total = len(chosen)
        chosen = chosen[:size]
    else:
        total = made.size
        chosen = list(range(start + 1, min(start + size, made.size) + 1))
    entries = "".join(_arxiv_entry(made, number) for number in chosen)
    return httpx.Response(200, content=_FEED.format(size=size, total=total, start=start, entries=entries).encode())


def biorxiv_doi(number: int) -> str:
    return f"10.1101/2024.01.01.{number:06d}"


def biorxiv_version(number: int, version: int = 1, server: str = "bioRxiv", **more: str) -> dict[str, str]:
    """One entry of the API's collection."""
    return {
        "title": f"Title {number}",
        "authors": "Lovelace, A.; Babbage, C.",
        "doi": biorxiv_doi(number),
        "date": f"2024-01-{version:02d}",
        "version": str(version),
        "type": "new results",
        "license": "cc_by",
        "category": "genetics",
        "abstract": "Words.",
        "published": "NA",
        "server": server,
        **more,
    }


def biorxiv(made: Numbered, request: httpx.Request) -> httpx.Response:
    """Odd numbers are at bioRxiv, even ones at medRxiv, each in two versions."""
    path = unquote(request.url.path)
    number = int(re.findall(r"\.(\d{6})/na", path)[0])
    server = "biorxiv" if number % 2 else "medrxiv"
    if not _known(made, number) or f"/{server}/" not in path:
        return _json({"messages": [{"status": "no posts found"}], "collection": []})
    name = {"biorxiv": "bioRxiv", "medrxiv": "medRxiv"}[server]
    versions = [biorxiv_version(number, version, name) for version in (2, 1)]
    return _json({"messages": [{"status": "ok", "category": "all"}], "collection": versions})


def datacite_item(number: int) -> dict[str, object]:
    """One DOI in JSON:API."""
    attributes = {"doi": f"10.1000/n{number}", "titles": [{"title": f"Title {number}"}], "state": "findable"}
    return {"id": f"10.1000/n{number}", "type": "dois", "attributes": attributes}


def datacite(made: Numbered, request: httpx.Request) -> httpx.Response:
    """One DOI, or a list in no order; DOIs without the form of ours are unknown."""
    if "ids" in request.url.params:
        size = int(request.url.params["page[size]"])
        numbers = [int(text) for text in re.findall(r"10\.1000/n(\d+)", request.url.params["ids"])]
        found = [datacite_item(number) for number in reversed(numbers) if _known(made, number)]
        return _json({"data": found[:size], "meta": {"total": len(found)}})
    number = int(re.findall(r"/n(\d+)\Z", request.url.path)[0])
    if not _known(made, number):
        missing = {"status": "404", "title": "The resource you are looking for doesn't exist."}
        return _json({"errors": [missing]}, 404)
    return _json({"data": datacite_item(number)})


def doiorg(made: Numbered, request: httpx.Request) -> httpx.Response:
    """Even numbers are DataCite's, odd ones Crossref's."""
    rows: list[dict[str, str]] = []
    for doi in unquote(request.url.raw_path.decode().rpartition("doiRA/")[2]).split(","):
        number = int(re.sub(r"\D", "", doi.partition("/")[2]) or 0)
        if _known(made, number):
            rows.append({"DOI": doi, "RA": "Crossref" if number % 2 else "DataCite"})
        else:
            rows.append({"DOI": doi, "status": "DOI does not exist"})
    return _json(rows)


Handler = Callable[..., httpx.Response]
HANDLERS: dict[str, Handler] = {
    "europepmc": europepmc,
    "arxiv": arxiv,
    "biorxiv": biorxiv,
    "datacite": datacite,
    "doiorg": doiorg,
}
IDENTIFIERS: dict[str, Callable[[int], Identifier]] = {
    "europepmc": lambda number: Identifier(Scheme.PMID, str(number)),
    "arxiv": lambda number: Identifier(Scheme.ARXIV, arxiv_id(number)),
    "biorxiv": lambda number: Identifier(Scheme.DOI, biorxiv_doi(number)),
}

"""E-utilities for db=mesh: headings for words, and their summaries. Only headings that papers of the corpus carry."""

from __future__ import annotations

import gzip
from functools import lru_cache
from typing import Any

from litapp.sandbox.corpus.words import split_words
from litapp.sandbox.dispatch import World
from litapp.sandbox.tiny import MESH
from litapp.sandbox.wire import Request, Response, json_response

_FIRST = "68"
"""NCBI's number of a descriptor is its D number with these digits in place of the letter and leading nulls."""
_NAMES = """
    SELECT name FROM (
      SELECT DISTINCT name FROM heading WHERE name LIKE ?
      UNION
      SELECT name FROM mesh_entry WHERE term LIKE ? AND EXISTS (SELECT 1 FROM heading h WHERE h.name = mesh_entry.name)
    ) ORDER BY length(name), name LIMIT ?
"""


def mesh_search(world: World, request: Request) -> Response:
    """The numbers of headings in whose names, or entry terms, the words occur; the shortest name first."""
    words = " ".join(split_words(request.get("term").split("[")[0])).casefold()
    most = int(request.get("retmax")) if request.get("retmax").isdigit() else 20
    found = world.corpus.rows(_NAMES, (f"%{words}%", f"%{words}%", 500)) if words else []
    uids = [uid for (name,) in found if (uid := _uid(_ui(world, name)))]
    result: dict[str, Any] = {
        "count": str(len(uids)),
        "retmax": str(min(most, len(uids))),
        "retstart": "0",
        "idlist": uids[:most],
        "translationset": [],
        "querytranslation": f'"{words}"[All Fields]',
    }
    if not uids:
        told = ["No items found."]
        result["warninglist"] = {"phrasesignored": [], "quotedphrasesnotfound": [], "outputmessages": told}
    return json_response({"header": {"type": "esearch", "version": "0.3"}, "esearchresult": result})


def mesh_summary(world: World, request: Request) -> Response:
    """The summaries of numbers; unknown ones say that they cannot be had."""
    asked = [text.strip() for text in request.get("id").split(",") if text.strip()]
    known = _by_uid(world, asked)
    result: dict[str, Any] = {"uids": asked}
    for uid in asked:
        name = known.get(uid)
        unknown = {"uid": uid, "error": "cannot get document summary"}
        result[uid] = unknown if name is None else _summary(world, uid, name)
    return json_response({"header": {"type": "esummary", "version": "0.3"}, "result": result})


def _summary(world: World, uid: str, name: str) -> dict[str, Any]:
    terms = [row[0] for row in world.corpus.rows("SELECT term FROM mesh_entry WHERE name = ? ORDER BY term", (name,))]
    numbers = world.corpus.rows("SELECT number FROM mesh_tree WHERE name = ? ORDER BY number", (name,))
    shown, ui = _heading(world, name)
    return {
        "uid": uid,
        "ds_scopenote": "",
        "ds_yearintroduced": "",
        "ds_subheading": [],
        "ds_meshterms": [shown, *(term for term in terms if term != name)],
        "ds_meshui": ui,
        "ds_recordtype": "descriptor",
        "ds_idxlinks": [{"parent": 0, "treenum": number, "children": []} for (number,) in numbers],
    }


def _by_uid(world: World, asked: list[str]) -> dict[str, str]:
    """NCBI's number -> name of those asked; the numbers of the vocabulary first, then those that papers carry."""
    kept = _uids_of_file()
    found = {uid: kept[uid] for uid in asked if uid in kept}
    if all(uid in found for uid in asked):
        return found
    names = world.corpus.rows("SELECT DISTINCT name FROM heading")
    return {**{uid: name for (name,) in names if (uid := _uid(_ui(world, name)))}, **found}


@lru_cache(maxsize=1)
def _uids_of_file() -> dict[str, str]:
    """NCBI's number -> name, lower case, of the vocabulary that comes with the sandbox."""
    with gzip.open(MESH, "rt", encoding="utf-8") as file:
        rows = [line.split("\t") for line in file if line.startswith("D")]
    return {_uid(ui): name.casefold() for ui, name, *_ in rows}


def _ui(world: World, name: str) -> str:
    return _heading(world, name)[1]


def _heading(world: World, name: str) -> tuple[str, str]:
    """A heading as a paper of the corpus carries it: its name as NLM writes it, and its D number."""
    for (number,) in world.corpus.rows("SELECT article FROM heading WHERE name = ? LIMIT 1", (name,)):
        entry = world.corpus.entry(number)
        for heading in entry.article.mesh if entry and entry.article else ():
            if heading.name.casefold() == name:
                return heading.name, heading.ui
    return name, ""


def _uid(ui: str) -> str:
    digits = ui.removeprefix("D")
    return f"{_FIRST}{int(digits):06d}" if digits.isdigit() and ui.startswith("D") else ""

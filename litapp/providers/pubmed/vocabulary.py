"""MeSH through the E-utilities: headings for words, and other spellings of a query."""

from __future__ import annotations

from dataclasses import replace

from lxml import etree

from litapp.providers import answers
from litapp.providers.answers import UnreadableAnswer
from litapp.providers.questions import MeshHeadingFound
from litapp.providers.reading import mapping, mappings, text, texts


def heading_uids(body: bytes) -> tuple[str, ...]:
    """The identifiers of a search in db=mesh. Raises UnreadableAnswer when the answer holds no list."""
    found = mapping(answers.read_json_object(body).get("esearchresult")).get("idlist")
    if not isinstance(found, list):
        raise UnreadableAnswer("a search result without a list")
    return tuple(uid for uid in texts(found) if uid.isascii() and uid.isdigit())


def headings(body: bytes, asked: str) -> list[MeshHeadingFound]:
    """The headings of an ESummary answer of db=mesh, in NLM's order; entries without a name are left out.

    Raises UnreadableAnswer when the answer holds no list.
    """
    result = answers.read_json_object(body).get("result")
    if not isinstance(result, dict) or not isinstance(result.get("uids"), list):
        raise UnreadableAnswer("summaries without a list")
    found = (_heading(mapping(result.get(uid)), asked) for uid in texts(result["uids"]))
    return [heading for heading in found if heading.ui and heading.name]


def exact_first(found: list[MeshHeadingFound]) -> list[MeshHeadingFound]:
    """Headings that are called just what was asked first, then those with such an entry term; else NLM's order."""
    return sorted(found, key=lambda heading: not heading.exact)


def _heading(entry: dict[str, object], asked: str) -> MeshHeadingFound:
    names = texts(entry.get("ds_meshterms"))
    heading = MeshHeadingFound(
        ui=text(entry.get("ds_meshui")),
        name=names[0] if names else "",
        kind=text(entry.get("ds_recordtype")),
        tree_numbers=tuple(
            dict.fromkeys(filter(None, (text(link.get("treenum")) for link in mappings(entry.get("ds_idxlinks")))))
        ),
        entry_terms=names[1:],
        scope=text(entry.get("ds_scopenote")),
        qualifiers=texts(entry.get("ds_subheading")),
        introduced=text(entry.get("ds_yearintroduced")),
    )
    wanted = _folded(asked)
    return replace(heading, exact=wanted in {_folded(name) for name in names} or wanted == heading.ui.casefold())


def _folded(words: str) -> str:
    return " ".join(words.replace('"', " ").casefold().split())


def corrected(body: bytes) -> str:
    """The other spelling of an ESpell answer; "" when it has none. Its ERROR element is there, mostly empty.

    Raises UnreadableAnswer for anything else than an ESpell answer.
    """
    try:
        root = etree.fromstring(
            body, etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
        )
    except (etree.XMLSyntaxError, ValueError):
        raise UnreadableAnswer("data that is cut off or damaged") from None
    if root.tag != "eSpellResult":
        raise UnreadableAnswer("data of another form than expected")
    return " ".join((root.findtext("CorrectedQuery") or "").split())

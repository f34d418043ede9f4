"""Reads Zotero RDF, and BIBO or schema.org descriptions in RDF/XML.

Journals, persons and notes are nodes of their own, before or after the items that point to them: the file is gone
through twice, first for those.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import BinaryIO

from litapp.core.formats.importers.draft import Draft, page_range, tidy, words
from litapp.core.formats.importers.encoding import TextEncoding
from litapp.core.formats.importers.names import person
from litapp.core.formats.importers.reading import Entry, Limits
from litapp.core.formats.importers.xmlstream import Element, iter_elements, local_name, source_text, text_of
from litapp.core.identifiers import find_identifiers
from litapp.core.records import Person, Scheme

_RDF = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}"
_NO_ITEMS = frozenset((
    "Memo", "Attachment", "Collection", "Journal", "Person", "Series", "Organization", "Agent", "Description", "Seq",
    "Periodical", "Website", "ContactPoint", "Role", "UserItem", "Concept",
))  # fmt: skip
_TYPES = {
    "journalArticle": "article-journal", "book": "book", "bookSection": "chapter",
    "conferencePaper": "paper-conference",
    "report": "report", "thesis": "thesis", "webpage": "webpage", "newspaperArticle": "article-newspaper",
    "magazineArticle": "article-magazine", "preprint": "article", "dataset": "dataset", "patent": "patent",
    "document": "document", "manuscript": "manuscript", "computerProgram": "software", "blogPost": "post-weblog",
    "encyclopediaArticle": "entry-encyclopedia", "presentation": "speech", "Article": "article-journal", "Book": "book",
    "BookSection": "chapter", "Report": "report", "Thesis": "thesis", "Document": "document",
    "AcademicArticle": "article-journal",
    "SoftwareSourceCode": "software", "ScholarlyArticle": "article-journal",
}  # fmt: skip
_READ = frozenset((
    "itemType", "isPartOf", "authors", "title", "identifier", "date", "issued", "pages", "volume", "number", "abstract",
    "subject", "language", "description", "publisher", "isReferencedBy", "link", "type", "creator", "author", "name",
    "datePublished", "isbn", "isbn13", "isbn10", "issn", "doi", "keywords", "relation",
))  # fmt: skip


@dataclass(slots=True)
class _Node:
    """A journal, series or person node: its values by local name, in order."""

    kind: str = ""
    values: list[tuple[str, str]] = field(default_factory=list)

    def get(self, *names: str) -> list[str]:
        return [value for name in names for key, value in self.values if key == name and value]


def read_rdf(stream: BinaryIO, encoding: TextEncoding, limits: Limits) -> Iterator[Entry]:
    """The items of an RDF file, one at a time."""
    nodes: dict[str, _Node] = {}
    for element in iter_elements(stream, encoding, limits):
        name = _about(element)
        if name and not _is_item(element) and local_name(element) not in ("Memo", "Attachment"):
            nodes[name] = _node(element)
    number = 0
    for element in iter_elements(stream, encoding, limits):
        if not _is_item(element):
            continue
        number += 1
        text, first, last = source_text(element, limits)
        yield _draft(element, nodes).entry(number, first, last, text, limits)


def _about(element: Element) -> str:
    return element.get(f"{_RDF}about") or element.get(f"{_RDF}nodeID") or ""


def _is_item(element: Element) -> bool:
    kind = local_name(element)
    stated = next((text_of(one) for one in element if local_name(one) == "itemType"), "")
    if stated:
        return stated not in ("attachment", "note")
    return (
        kind not in _NO_ITEMS
        and any(local_name(one) in ("title", "name") for one in element)
        and not any(local_name(one) in ("surname", "familyName", "givenName", "family_name") for one in element)
    )


def _node(element: Element) -> _Node:
    node = _Node(local_name(element))
    for one in element:
        value = text_of(one) or one.get(f"{_RDF}resource") or ""
        node.values.append((local_name(one), value[:2000]))
    return node


def _draft(element: Element, nodes: dict[str, _Node]) -> Draft:
    draft = Draft()
    own = _node(element)
    kind = (own.get("itemType") or [own.kind])[0]
    draft.csl_type = _TYPES.get(kind, "document")
    draft.is_preprint = kind == "preprint"
    draft.titled((own.get("title", "name") or [""])[0])
    hosts = [node for one in element if local_name(one) == "isPartOf" for node in _hosts(one, nodes)]
    titled = [host for host in hosts if host.get("title")]
    main = [host for host in titled if host.kind != "Series"] or titled
    if main and draft.csl_type != "book":
        draft.journal = tidy(main[0].get("title")[0])
    draft.abbreviation = tidy(next((value for host in hosts for value in host.get("alternative")), ""))
    draft.alternatives = words(value for host in titled for value in host.get("title"))
    draft.volume = tidy(next((v for node in [own, *hosts] for v in node.get("volume")), ""))
    draft.issue = tidy(next((v for node in hosts for v in node.get("number", "issue")), "")) or (
        tidy((own.get("issue", "number") or [""])[0]) if draft.csl_type == "article-journal" else ""
    )
    draft.pages = page_range((own.get("pages") or [""])[0])
    draft.dated(*own.get("date", "issued", "datePublished"))
    _people(element, draft, nodes)
    draft.abstracted(*own.get("abstract"))
    draft.keywords = words(own.get("subject", "keywords"))
    draft.languages = words(value for value in own.get("language") if "://" not in value)
    draft.publisher = tidy(
        next(
            (
                text_of(name)
                for one in element
                if local_name(one) == "publisher"
                for name in one.iter()
                if local_name(name) == "name"
            ),
            "",
        )
        or (own.get("publisher") or [""])[0]
    )
    _identifiers(element, draft, [own, *hosts])
    draft.dropped += [(name, value) for name, value in own.values if name not in _READ and value]
    return draft


def _hosts(element: Element, nodes: dict[str, _Node]) -> list[_Node]:
    pointed = element.get(f"{_RDF}resource")
    if pointed:
        return [nodes[pointed]] if pointed in nodes else []
    inner = [_node(one) for one in element]
    return inner or ([_Node("Series", [("title", text_of(element))])] if text_of(element) else [])


def _people(element: Element, draft: Draft, nodes: dict[str, _Node]) -> None:
    for role in element:
        name = local_name(role)
        if name in ("authors", "creator", "author"):
            draft.authors += _persons(role, nodes)
        elif name in (
            "editors",
            "translators",
            "contributors",
            "seriesEditors",
            "contributor",
            "editor",
            "reviewedAuthors",
        ):
            draft.dropped += [(name, one.name) for one in _persons(role, nodes)]


def _persons(role: Element, nodes: dict[str, _Node]) -> list[Person]:
    pointed = role.get(f"{_RDF}resource") or role.get(f"{_RDF}nodeID") or ""
    if pointed:
        found = _person(nodes[pointed]) if pointed in nodes else None
        return [found] if found else []
    people = [_person(_node(one)) for one in role.iter() if local_name(one) in ("Person", "Organization", "Agent")]
    for one in role.iter():
        target = one.get(f"{_RDF}resource")
        if one is not role and target in nodes:
            people.append(_person(nodes[target]))
    if not people and text_of(role):
        people.append(person(text_of(role), True))
    return [one for one in people if one is not None]


def _person(node: _Node) -> Person | None:
    family = (node.get("surname", "familyName", "family_name", "lastName") or [""])[0]
    given = (node.get("givenname", "givenName", "given_name", "firstName") or [""])[0]
    if family:
        return (
            Person(family=family, given=given)
            if given
            else Person(literal=family)
            if " " in family
            else Person(family=family)
        )
    whole = (node.get("name", "preferredNameForThePerson", "variantNameForThePerson") or [""])[0]
    return person(whole, True) if whole else None


def _identifiers(element: Element, draft: Draft, nodes: list[_Node]) -> None:
    addresses = []
    for place, node in enumerate(nodes):
        for value in node.get("identifier", "isbn", "isbn13", "isbn10", "issn", "doi"):
            bare = re.sub(r"^(?:DOI|ISBN|ISSN)\s*", "", value)
            if value.startswith("DOI") or re.match(r"10\.\d{4,}/", bare) or "doi.org/" in value:
                draft.identify(Scheme.DOI, bare, "identifier")
            elif value.startswith(("ISBN", "ISSN")) or re.fullmatch(r"[\dXx -]{9,17}", bare):
                draft.numbers(bare)
            elif value.startswith("http") and not place:
                addresses.append(value)
            elif not place:
                draft.dropped.append(("identifier", value))
    for value in nodes[0].get("description"):
        found = [one for one in find_identifiers(value) if not draft.has(one.scheme)]
        for one in found:
            draft.identifiers[one] = None
        if not found:
            draft.dropped.append(("description", value))
    about = _about(element)
    if about.startswith("http"):
        addresses.append(about)
    for value in addresses:
        draft.identify_in(value, Scheme.DOI, Scheme.PMID, Scheme.PMCID, Scheme.ARXIV)
    draft.url = next(iter(addresses), "")
